"""Functions that are traced, and functions that are called."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from spinach_nic import _native
from spinach_nic.model.tracing.graph import Graph
from spinach_nic.model.tracing.signal import SLOW_PATH, Signal, State, refuse
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.location import CompositionError, Place, is_machinery


class Lifted:
    """A traced function."""

    def __init__(self, name: str, expression: _native.Expression) -> None:
        """Create the expression of the function called `name`."""
        self.name = name
        self.expression = expression

    def __repr__(self) -> str:
        """Return the name of the function."""
        return f"lift({self.name})"


class Called:
    """A function that is called in every cycle: the slow path. Made by `called`."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        """Create a policy that calls `function`."""
        self.name = name
        self.function = function

    def __repr__(self) -> str:
        """Return the name of the function."""
        return f"called({self.name})"


Policy = str | Callable[..., Any] | Lifted | Called
"""Decision policy of a module: a known name, a function to be traced, or one to be called."""


def called(function: Callable[..., Any]) -> Called:
    """Let the engine call `function`, with words as integers, instead of tracing it.

    It costs about as much as the whole cycle of a small NIC. The function must depend on nothing but its
    arguments; the result is taken modulo 2^64. What it raises ends the run.
    """
    return Called(_name(function), function)


def lift(function: Callable[..., Any]) -> Lifted:
    """Turn a function over signals into an expression that the engine evaluates natively.

    Args:
        function: The function; its positional parameters are the module's signals in order; parameters whose
            default is a `State` are state. Other defaults are constants.

    Raises:
        SpinachError: An operation cannot be traced; the message has its line.
    """
    graph = Graph()
    inputs, states = _arguments(function, graph)
    try:
        result = function(*inputs, **states)
    except SpinachError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        message = f"{_name(function)} failed while it was traced into an expression: {reason}"
        raise CompositionError(message, f"correct it; {SLOW_PATH}", _place_of(error, function)) from error
    if not isinstance(result, (Signal, int)):
        message = f"{_name(function)} returns {'nothing' if result is None else repr(result)}"
        raise CompositionError(message, "return a signal or an integer", _place_of(None, function))
    noted = Signal._of(graph, "constant", 0)._operand(result)
    following = [(state.initial, state._next) for state in states.values()]
    try:
        return Lifted(_name(function), graph.expression(noted, following))
    except SpinachError as error:
        raise CompositionError(
            f"{_name(function)}: {error.message}", error.help, _place_of(None, function)
        ) from None


def _arguments(function: Callable[..., Any], graph: Graph) -> tuple[list[Signal], dict[str, State]]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        refuse(f"{_name(function)} does not say which arguments it takes", "wrap it in a function of yours")
    inputs: list[Signal] = []
    states: dict[str, State] = {}
    for parameter in parameters:
        if isinstance(parameter.default, State):
            states[parameter.name] = parameter.default._bound(graph, len(states))
        elif parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            message = f"{_name(function)} takes any number of arguments"
            raise CompositionError(message, "name each signal it takes", _place_of(None, function))
        elif parameter.default is parameter.empty:
            inputs.append(Signal._of(graph, "input", len(inputs)))
    return inputs, states


def _name(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__qualname__", None) or repr(function)).rpartition("<locals>.")[2]


def _place_of(error: Exception | None, function: Callable[..., Any]) -> Place | None:
    from traceback import extract_tb

    # The innermost line of user code that failed, or where the function begins.
    for frame in reversed(extract_tb(error.__traceback__) if error else []):
        if not is_machinery(frame.filename) and frame.lineno is not None:
            return frame.filename, frame.lineno
    code = getattr(function, "__code__", None)
    return (code.co_filename, code.co_firstlineno) if code else None
