"""Requests: classes whose fields declare the parameters of a command."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click
from msgspec import NODEFAULT, Struct


def declared(parameter: Callable[..., Any]) -> Any:
    """Return a decorator that declares parameters, as the value of a field."""
    return parameter


option: Callable[..., Any] = click.option
argument: Callable[..., Any] = click.argument


def takes_request(request: type[Struct]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the parameters of a request, which it takes as its first argument.

    Args:
        request: Class of the request. The values of its fields declare the parameters of the same names, in
            the order of the help. A field without value is of a parameter that the command itself adds.
    """
    names = request.__struct_fields__

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def command(**given: Any) -> Any:
            return function(request(**{name: given.pop(name) for name in names}), **given)

        for declare in reversed(request.__struct_defaults__):
            command = command if declare is NODEFAULT else declare(command)
        return command

    return decorate
