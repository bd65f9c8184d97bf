"""Checks of the records by which a card describes itself: a mistake is an error at a line of its source."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from spinach_nic.support.arguments import check_fields
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.limits import shortened
from spinach_nic.support.location import CompositionError


def check_record(record: Any) -> None:
    """Reject fields of a record that do not match its annotations.

    Raises:
        CompositionError: Names the field, and the line that makes the record.
    """
    try:
        check_fields(record)
    except CompositionError:
        raise
    except SpinachError as error:
        raise CompositionError(error.message, error.help) from error


def returning(method: Callable[..., Any], kind: type) -> Callable[..., Any]:
    """Return a method that rejects its result unless it is a `kind`.

    Args:
        method: Method of a card.
        kind: Class of its result.
    """

    @wraps(method)
    def checked(*arguments: Any, **named: Any) -> Any:
        result = method(*arguments, **named)
        if not isinstance(result, kind):
            place = (method.__code__.co_filename, method.__code__.co_firstlineno)
            message = f"{method.__qualname__}() returns {shortened(result)}"
            raise CompositionError(message, f"return a {kind.__name__}", place)
        return result

    return checked
