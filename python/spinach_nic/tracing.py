"""Policies as Python functions, traced once into expressions that the engine evaluates natively.

A policy is a function over a module's signals: unsigned 64-bit words with wrapping arithmetic.

    def oldest_first(requests: Word, ages: Word) -> Word:
        return select(requests[0] & (ages[7:0] > 4), 0, trailing_zeros(requests))

`trace` calls it once with signals in place of words and notes what it does to them: arithmetic, comparisons,
bits `x[5]` and `x[7:0]`, shifts, `select`, `minimum`, `maximum`, `count_ones`, `trailing_zeros`. Division by
zero gives all ones, and the remainder then is the dividend. State that lasts from cycle to cycle is a
parameter with a `State` as its default; assigning to its `next` says what it is in the next cycle:

    def round_robin(requests: Word, last: State = State(0)) -> Word:
        last.next = (last + 1) % 4
        return last

What cannot be traced, such as `if` on a signal, is refused with its line. `called` takes any function, and
calls it.
"""

from __future__ import annotations

import inspect
import json
import traceback
from collections.abc import Callable
from typing import Any, NoReturn, overload

from spinach_nic import _native
from spinach_nic.errors import SpinachError
from spinach_nic.location import CompositionError, Place, is_machinery

WORD_BITS = 64
_ONES = 2**WORD_BITS - 1
_SLOW_PATH = "or let the engine call the function in every cycle, slowly: called(function)"

_COMMUTATIVE = frozenset({"add", "multiply", "and", "or", "exclusive_or", "equal"})
_SEMANTICS: dict[str, Callable[..., int]] = {
    "add": lambda a, b: a + b & _ONES,
    "subtract": lambda a, b: a - b & _ONES,
    "multiply": lambda a, b: a * b & _ONES,
    "divide": lambda a, b: a // b if b else _ONES,
    "remainder": lambda a, b: a % b if b else a,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "exclusive_or": lambda a, b: a ^ b,
    "shift_left": lambda a, b: a << b & _ONES if b < WORD_BITS else 0,
    "shift_right": lambda a, b: a >> b if b < WORD_BITS else 0,
    "equal": lambda a, b: int(a == b),
    "less": lambda a, b: int(a < b),
    "less_signed": lambda a, b: int(_signed(a) < _signed(b)),
    "select": lambda condition, yes, no: yes if condition else no,
    "trailing_zeros": lambda a: (a & -a).bit_length() - 1 if a else WORD_BITS,
    "count_ones": lambda a: a.bit_count(),
}


def _signed(word: int) -> int:
    return word - 2**WORD_BITS if word >> (WORD_BITS - 1) else word


def _refuse(what: str, instead: str) -> NoReturn:
    raise CompositionError(what, f"{instead}; {_SLOW_PATH}")


class _Graph:
    """The operations noted so far, each once."""

    def __init__(self) -> None:
        self.operations: list[tuple[str, tuple[int, ...]]] = []
        self._known: dict[tuple[str, tuple[int, ...]], int] = {}

    def note(self, name: str, operands: tuple[int, ...]) -> int:
        """The number of the operation; folded if its operands are constants. A leaf's are plain numbers."""
        semantics = _SEMANTICS.get(name)
        if semantics is not None:
            values = [self.constant_value(operand) for operand in operands]
            if all(value is not None for value in values):
                return self.note("constant", (semantics(*values),))
            if name == "select" and values[0] is not None:
                return operands[1] if values[0] else operands[2]
            if name in _COMMUTATIVE:
                operands = tuple(sorted(operands))
        key = (name, operands)
        if key not in self._known:
            self._known[key] = len(self.operations)
            self.operations.append(key)
        return self._known[key]

    def constant_value(self, operation: int) -> int | None:
        name, operands = self.operations[operation]
        return operands[0] if name == "constant" else None

    def expression(self, result: int, states: list[tuple[int, int]]) -> _native.Expression:
        """What the result and the next states need, and nothing else, in the order in which it was noted."""
        needed: set[int] = set()
        waiting = [result, *(following for _, following in states)]
        while waiting:
            operation = waiting.pop()
            if operation not in needed:
                needed.add(operation)
                name, operands = self.operations[operation]
                waiting.extend(operands if name in _SEMANTICS else ())
        number = {operation: index for index, operation in enumerate(sorted(needed))}
        plain = [self._plain(self.operations[operation], number) for operation in sorted(needed)]
        following = [number[operation] for _, operation in states]
        initial = [word for word, _ in states]
        return _native.Expression(json.dumps(plain), number[result], initial, following)

    @staticmethod
    def _plain(operation: tuple[str, tuple[int, ...]], number: dict[int, int]) -> dict[str, int | list[int]]:
        name, operands = operation
        renumbered = [number[operand] for operand in operands] if name in _SEMANTICS else list(operands)
        return {name: renumbered[0] if len(renumbered) == 1 else renumbered}


class Signal:
    """A word that is not known yet, while a function is traced."""

    __slots__ = ("_graph", "_operation")

    _graph: _Graph
    _operation: int

    @classmethod
    def _of(cls, graph: _Graph, name: str, *operands: int) -> Signal:
        signal = Signal.__new__(Signal)
        signal._graph, signal._operation = graph, graph.note(name, operands)
        return signal

    def _apply(self, name: str, *words: Word) -> Signal:
        if not hasattr(self, "_graph"):
            _refuse(
                "a State is used outside of a policy", "make it a default: def f(x, last: State = State(0))"
            )
        return Signal._of(self._graph, name, *(self._operand(word) for word in words))

    def _operand(self, word: Any) -> int:
        if isinstance(word, Signal):
            if getattr(word, "_graph", None) is not self._graph:
                _refuse("this is not a signal of the function", "use the signals and states that it is given")
            return word._operation
        if isinstance(word, float):
            _refuse(f"{word} is not a whole number", "use whole numbers: signals are 64-bit words")
        if not isinstance(word, int):
            _refuse(f"{word!r} is not a word", "combine signals with signals and whole numbers")
        if not -(2 ** (WORD_BITS - 1)) <= word <= _ONES:
            _refuse(f"{word} does not fit into {WORD_BITS} bits", "use a smaller number")
        return self._graph.note("constant", (int(word) & _ONES,))

    def __add__(self, other: Word) -> Signal:
        """Sum, wrapping."""
        return self._apply("add", self, other)

    __radd__ = __add__

    def __sub__(self, other: Word) -> Signal:
        """Difference, wrapping."""
        return self._apply("subtract", self, other)

    def __rsub__(self, other: Word) -> Signal:
        """Difference, wrapping."""
        return self._apply("subtract", other, self)

    def __mul__(self, other: Word) -> Signal:
        """Product, wrapping."""
        return self._apply("multiply", self, other)

    __rmul__ = __mul__

    def __floordiv__(self, other: Word) -> Signal:
        """Unsigned quotient; all ones when dividing by zero."""
        return self._apply("divide", self, other)

    def __rfloordiv__(self, other: Word) -> Signal:
        """Unsigned quotient; all ones when dividing by zero."""
        return self._apply("divide", other, self)

    def __mod__(self, other: Word) -> Signal:
        """Unsigned remainder; the dividend when dividing by zero."""
        return self._apply("remainder", self, other)

    def __rmod__(self, other: Word) -> Signal:
        """Unsigned remainder; the dividend when dividing by zero."""
        return self._apply("remainder", other, self)

    def __and__(self, other: Word) -> Signal:
        """Bitwise and."""
        return self._apply("and", self, other)

    __rand__ = __and__

    def __or__(self, other: Word) -> Signal:
        """Bitwise or."""
        return self._apply("or", self, other)

    __ror__ = __or__

    def __xor__(self, other: Word) -> Signal:
        """Bitwise exclusive or."""
        return self._apply("exclusive_or", self, other)

    __rxor__ = __xor__

    def __lshift__(self, other: Word) -> Signal:
        """Shift left; zero from 64 on."""
        return self._apply("shift_left", self, other)

    def __rlshift__(self, other: Word) -> Signal:
        """Shift left; zero from 64 on."""
        return self._apply("shift_left", other, self)

    def __rshift__(self, other: Word) -> Signal:
        """Logical shift right; zero from 64 on."""
        return self._apply("shift_right", self, other)

    def __rrshift__(self, other: Word) -> Signal:
        """Logical shift right; zero from 64 on."""
        return self._apply("shift_right", other, self)

    def __neg__(self) -> Signal:
        """Two's complement."""
        return self._apply("subtract", 0, self)

    def __pos__(self) -> Signal:
        """The same."""
        return self

    def __invert__(self) -> Signal:
        """Every bit inverted."""
        return self._apply("exclusive_or", self, _ONES)

    def __eq__(self, other: object) -> Signal:  # type: ignore[override]
        """1 if equal, else 0."""
        return self._apply("equal", self, other)  # type: ignore[arg-type]

    def __ne__(self, other: object) -> Signal:  # type: ignore[override]
        """1 if different, else 0."""
        return self._apply("equal", self == other, 0)

    def __lt__(self, other: Word) -> Signal:
        """1 if less, unsigned, else 0."""
        return self._apply("less", self, other)

    def __gt__(self, other: Word) -> Signal:
        """1 if greater, unsigned, else 0."""
        return self._apply("less", other, self)

    def __le__(self, other: Word) -> Signal:
        """1 if less or equal, unsigned, else 0."""
        return self._apply("equal", self > other, 0)

    def __ge__(self, other: Word) -> Signal:
        """1 if greater or equal, unsigned, else 0."""
        return self._apply("equal", self < other, 0)

    def __getitem__(self, bits: int | slice) -> Signal:
        """Bit `x[5]`, or bits `x[7:4]`, the highest first, both included."""
        high, low = (bits.start, bits.stop) if isinstance(bits, slice) else (bits, bits)
        if isinstance(high, Signal) or isinstance(low, Signal):
            _refuse("the number of a bit is a signal", "shift by it: (x >> n)[0]")
        if (
            not isinstance(high, int)
            or not isinstance(low, int)
            or (isinstance(bits, slice) and bits.step is not None)
        ):
            _refuse("a bit slice needs both ends and no step", "write x[7:4], the highest bit first")
        if not 0 <= low <= high < WORD_BITS:
            _refuse(
                f"there are no bits {high}:{low}" if high != low else f"there is no bit {high}",
                f"write the highest bit first, from 0 to {WORD_BITS - 1}",
            )
        return self._apply("and", self._apply("shift_right", self, low), (1 << (high - low + 1)) - 1)

    def __bool__(self) -> bool:
        """Refused: a signal has no value while the function is traced."""
        _refuse(
            "this decides in Python on a signal, whose value is not known yet",
            "use select(condition, a, b) for `if`, & and | and == 0 for `and`, `or` and `not`, "
            "minimum and maximum for `min` and `max`",
        )

    def __index__(self) -> int:
        """Refused: a signal has no value while the function is traced."""
        _refuse(
            "this needs the value of a signal, which is not known yet", "use arithmetic, shifts or select"
        )

    __int__ = __index__

    def __float__(self) -> float:
        """Refused: signals are words."""
        _refuse("this makes a float of a signal", "use whole numbers: signals are 64-bit words")

    def __iter__(self) -> NoReturn:
        """Refused: a signal has no value while the function is traced."""
        _refuse("this loops over a signal", "loop over a range and pick bits: x[i]")

    __len__ = __iter__

    def __hash__(self) -> int:
        """Refused: a signal has no value while the function is traced."""
        _refuse("this looks up a signal, as in a set or a dict", "use select or arithmetic")

    def __truediv__(self, other: Word) -> NoReturn:
        """Refused: signals are words."""
        _refuse("/ divides into fractions", "divide words with //")

    __rtruediv__ = __truediv__

    def __pow__(self, other: Word) -> NoReturn:
        """Refused: there is no such operation."""
        _refuse("** cannot be traced", "multiply, or shift for powers of two")

    __rpow__ = __pow__

    def __divmod__(self, other: Word) -> NoReturn:
        """Refused: it would be two results."""
        _refuse("divmod cannot be traced", "use // and %")

    __rdivmod__ = __divmod__

    def __abs__(self) -> NoReturn:
        """Refused: words are unsigned."""
        _refuse("abs cannot be traced: words are unsigned", "use select(signed_less(x, 0), -x, x)")

    def __repr__(self) -> str:
        """What it comes from."""
        return f"<signal {self._operation}>"


class State(Signal):
    """A word that lasts from cycle to cycle: the default of a parameter of a policy."""

    __slots__ = ("_next", "initial")

    def __init__(self, initial: int) -> None:
        """A state word.

        Args:
            initial: Its value before the first cycle, from 0 to 2^64 - 1.
        """
        if type(initial) is not int or not 0 <= initial <= _ONES:
            raise CompositionError(f"{initial!r} is not a word", "give a whole number from 0 to 2^64 - 1")
        self.initial = initial

    def _bound(self, graph: _Graph, number: int) -> State:
        state = State(self.initial)
        state._graph, state._operation = graph, graph.note("state", (number,))
        state._next = state._operation
        return state

    def _set_next(self, word: Word) -> None:
        self._next = self._operand(word)

    next = property(
        None, _set_next, doc="What it is in the next cycle; write only. Unless assigned it stays."
    )


Word = Signal | int
"""What a policy works on: a signal, or a constant."""


class Traced:
    """A function that was traced."""

    def __init__(self, name: str, expression: _native.Expression) -> None:
        """The expression that the function called `name` became."""
        self.name = name
        self.expression = expression

    def __repr__(self) -> str:
        """The name of the function."""
        return f"trace({self.name})"


class Called:
    """A function that is called in every cycle: the slow path. Made by `called`."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        """Calls `function`."""
        self.name = name
        self.function = function

    def __repr__(self) -> str:
        """The name of the function."""
        return f"called({self.name})"


Policy = str | Callable[..., Any] | Traced | Called
"""How a module decides something: a name it knows, a function to be traced, or one to be called."""


def called(function: Callable[..., Any]) -> Called:
    """Let the engine call `function`, with words as integers, instead of tracing it.

    It costs about as much as the whole cycle of a small NIC. The function must depend on nothing but its
    arguments; the result is taken modulo 2^64. What it raises ends the run.
    """
    return Called(_name(function), function)


def trace(function: Callable[..., Any]) -> Traced:
    """Turn a function over signals into an expression that the engine evaluates natively.

    Args:
        function: Its positional parameters are the module's signals in their order; parameters whose default
        is a
            `State` are state. Other defaults are constants.

    Raises:
        SpinachError: If it does something that cannot be traced; names the line.
    """
    graph = _Graph()
    inputs, states = _arguments(function, graph)
    try:
        result = function(*inputs, **states)
    except SpinachError:
        raise
    except Exception as error:
        message = f"{_name(function)} failed while it was traced: {type(error).__name__}: {error}"
        raise CompositionError(message, f"correct it; {_SLOW_PATH}", _place_of(error, function)) from error
    if not isinstance(result, (Signal, int)):
        message = f"{_name(function)} returns {'nothing' if result is None else repr(result)}"
        raise CompositionError(message, "return a signal or a whole number", _place_of(None, function))
    noted = Signal._of(graph, "constant", 0)._operand(result)
    following = [(state.initial, state._next) for state in states.values()]
    try:
        return Traced(_name(function), graph.expression(noted, following))
    except SpinachError as error:
        raise CompositionError(
            f"{_name(function)}: {error.message}", error.help, _place_of(None, function)
        ) from None


def _arguments(function: Callable[..., Any], graph: _Graph) -> tuple[list[Signal], dict[str, State]]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        _refuse(f"{_name(function)} does not say which arguments it takes", "wrap it in a function of yours")
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
    # The innermost line of user code that failed, or where the function begins.
    for frame in reversed(traceback.extract_tb(error.__traceback__) if error else []):
        if not is_machinery(frame.filename) and frame.lineno is not None:
            return frame.filename, frame.lineno
    code = getattr(function, "__code__", None)
    return (code.co_filename, code.co_firstlineno) if code else None


@overload
def select(condition: int, yes: int, no: int) -> int: ...
@overload
def select(condition: Word, yes: Word, no: Word) -> Word: ...
def select(condition: Word, yes: Word, no: Word) -> Word:
    """`yes` if the condition is not zero, else `no`."""
    return _noted("select", condition, yes, no)


def minimum(first: Word, *others: Word) -> Word:
    """The least of some words, unsigned."""
    for other in others:
        first = _noted("select", _noted("less", other, first), other, first)
    return first


def maximum(first: Word, *others: Word) -> Word:
    """The greatest of some words, unsigned."""
    for other in others:
        first = _noted("select", _noted("less", first, other), other, first)
    return first


def signed_less(a: Word, b: Word) -> Word:
    """1 if `a` is less than `b` in two's complement, else 0."""
    return _noted("less_signed", a, b)


def trailing_zeros(word: Word) -> Word:
    """The number of zero bits below the lowest one bit; 64 for zero."""
    return _noted("trailing_zeros", word)


def count_ones(word: Word) -> Word:
    """The number of one bits."""
    return _noted("count_ones", word)


def _noted(name: str, *words: Word) -> Word:
    for word in words:
        if isinstance(word, Signal):
            return word._apply(name, *words)
    return _SEMANTICS[name](*(word & _ONES for word in words if isinstance(word, int)))
