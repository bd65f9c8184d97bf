"""Checks of the arguments of public functions: an error names the argument.

`checked` reads the annotations of a function: `Sequence[int]`, `Time | None`, `Literal["lru", "fifo"]`, or a
number within bounds, `Annotated[int, Within(1, 64)]`.
"""

from __future__ import annotations

import inspect
import os
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Callable as AbstractCallable
from functools import cache, wraps
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    ParamSpec,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from msgspec import Struct

from spinach_nic.support.errors import SpinachError
from spinach_nic.support.limits import beyond, bound, shortened

P = ParamSpec("P")
R = TypeVar("R")

_NOUNS: Mapping[Any, str] = {
    int: "an integer",
    float: "a number",
    bool: "True or False",
    str: "a text",
    bytes: "bytes",
    Path: "a path",
    type(None): "None",
    Any: "anything",
}


class Within(Struct, frozen=True):
    """The smallest and the largest value, in an annotation."""

    smallest: Any
    largest: Any

    def __str__(self) -> str:
        """Return the form shown in a help."""
        return f"{bound(self.smallest)} to {bound(self.largest)}"


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Reject arguments that do not match the annotations of a function.

    Raises:
        SpinachError: Whenever the function is called with such an argument; names it.
    """
    signature = inspect.signature(function)

    @wraps(function)
    def with_checks(*positional: P.args, **named: P.kwargs) -> R:
        given = signature.bind(*positional, **named).arguments
        check_arguments(given, hints_of(function))
        return function(*positional, **named)

    return with_checks


def check_fields(instance: Any) -> None:
    """Reject fields of a record that do not match its annotations.

    Raises:
        SpinachError: Names the class and the field.
    """
    kind: Any = type(instance)
    hints = hints_of(kind)
    given = {name: getattr(instance, name) for name in hints}
    check_arguments(given, hints, f"{kind.__name__}.")


def check_within(name: str, value: Any, within: Within) -> None:
    """Reject a number outside of its bounds.

    Raises:
        SpinachError: Names it, and the bound that it exceeds.
    """
    if wrong := beyond(value, within.smallest, within.largest):
        raise SpinachError(f"{name}: {wrong}", f"give {within}")


def check_arguments(given: Mapping[str, Any], hints: Mapping[str, Any], owner: str = "") -> None:
    """Reject values that do not match their annotations.

    Args:
        given: The values, by name.
        hints: The annotations, by name; a name without one may be anything.
        owner: Prefix of the name in errors.

    Raises:
        SpinachError: Names the value.
    """
    for name, value in given.items():
        hint = hints.get(name, Any)
        if not _matches(value, hint):
            place, part, wanted = _mismatch(f"{owner}{name}", value, hint)
            message = f"{place} = {shortened(part)} is not {_described(wanted)}"
            raise SpinachError(message, f"give {_described(wanted)}")
        for within, number in _bounded(value, hint):
            check_within(f"{owner}{name}", number, within)


@cache
def hints_of(subject: Any) -> Mapping[str, Any]:
    """Return the annotations of a function or a class; none if one names what only type checkers import."""
    try:
        return get_type_hints(subject, include_extras=True)
    except NameError:
        return {}


def _matches(value: Any, hint: Any) -> bool:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_matches(value, each) for each in arguments)
    if origin is Annotated:
        return _matches(value, arguments[0])
    if origin is Literal:
        return any(type(value) is type(each) and value == each for each in arguments)
    if origin is type:
        return isinstance(value, type) and (arguments[0] is Any or issubclass(value, arguments[0]))
    if origin is AbstractCallable:
        return callable(value)
    if isinstance(origin, type):
        return _matches_generic(value, origin, arguments)
    return _is_a(value, hint)


def _mismatch(name: str, value: Any, hint: Any) -> tuple[str, Any, Any]:
    """Return name, value and annotation of the wrong value in a mapping or a tuple, or of all of it."""
    origin, arguments = get_origin(hint), get_args(hint)
    parts: list[tuple[Any, Any, Any]] = []
    if isinstance(origin, type) and issubclass(origin, Mapping) and isinstance(value, Mapping):
        parts = [(key, each, arguments[1]) for key, each in value.items() if _matches(key, arguments[0])]
    elif _is_fixed(origin, arguments) and isinstance(value, Sequence) and len(value) == len(arguments):
        parts = list(zip(range(len(value)), value, arguments, strict=True))
    for key, each, wanted in parts:
        if not _matches(each, wanted):
            return _mismatch(f"{name}[{key!r}]", each, wanted)
    return name, value, hint


def _is_fixed(origin: Any, arguments: tuple[Any, ...]) -> bool:
    """Return True for a tuple of fixed length."""
    return origin is tuple and arguments[-1] is not Ellipsis


def _matches_generic(value: Any, origin: type, arguments: tuple[Any, ...]) -> bool:
    if issubclass(origin, Mapping):
        key, held = arguments
        return isinstance(value, Mapping) and all(
            _matches(name, key) and _matches(each, held) for name, each in value.items()
        )
    if not issubclass(origin, Sequence):
        return isinstance(value, origin)
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        return False
    if _is_fixed(origin, arguments):
        return len(value) == len(arguments) and all(map(_matches, value, arguments))
    return all(_matches(each, arguments[0]) for each in value)


def _is_a(value: Any, hint: Any) -> bool:
    if hint is None:
        return value is None
    if hint is Any or not isinstance(hint, type):
        return True
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if hint is Path:
        return isinstance(value, (str, os.PathLike))
    return isinstance(value, hint)


def _bounded(value: Any, hint: Any) -> Iterator[tuple[Within, Any]]:
    """Yield the bounds of a value, or of its content."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        for each in arguments:
            if _matches(value, each):
                yield from _bounded(value, each)
    elif origin is Annotated:
        yield from ((within, value) for within in arguments[1:] if isinstance(within, Within))
        yield from _bounded(value, arguments[0])
    elif isinstance(origin, type) and issubclass(origin, Mapping):
        for each in value.values():
            yield from _bounded(each, arguments[1])
    elif isinstance(origin, type) and issubclass(origin, Sequence):
        kinds = arguments if len(arguments) == len(value) and arguments[-1] is not Ellipsis else None
        for place, each in enumerate(value):
            yield from _bounded(each, kinds[place] if kinds else arguments[0])


def _described(hint: Any) -> str:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        *first, last = dict.fromkeys(_described(each) for each in arguments if each is not type(None)) or [
            "None"
        ]
        return f"{', '.join(first)} or {last}" if first else last
    if origin is Annotated:
        within = next((str(each) for each in arguments[1:] if isinstance(each, Within)), "")
        return f"{_described(arguments[0])} from {within}" if within else _described(arguments[0])
    if origin is Literal:
        return f"one of {', '.join(map(str, arguments))}"
    if origin is type:
        return f"a class derived from {getattr(arguments[0], '__name__', arguments[0])}"
    if origin is AbstractCallable:
        return "a function"
    if isinstance(origin, type):
        return _described_generic(origin, arguments)
    noun = getattr(hint, "noun", None) or _NOUNS.get(hint)
    return str(noun) if noun else _article(getattr(hint, "__name__", str(hint)))


def _article(name: str) -> str:
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"


def _described_generic(origin: type, arguments: tuple[Any, ...]) -> str:
    if issubclass(origin, Mapping):
        return "a mapping" if arguments[1] is Any else f"a mapping to {_described(arguments[1])}"
    if _is_fixed(origin, arguments):
        return f"a tuple of {' and '.join(map(_described, arguments))}"
    if issubclass(origin, Sequence):
        return "a list" if arguments[0] is Any else f"a list, each {_described(arguments[0])}"
    return f"a {origin.__name__}"
