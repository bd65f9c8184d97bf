"""Symbolic words."""

from __future__ import annotations

from typing import Any, NoReturn, cast

from spinach_nic.model.tracing.graph import ONES, SEMANTICS, WORD_BITS, Graph
from spinach_nic.support.location import CompositionError

SLOW_PATH = "or let the engine call the function in every cycle, slowly: called(function)"


def refuse(what: str, instead: str) -> NoReturn:
    """Raise the error of the running line of the policy."""
    raise CompositionError(what, f"{instead}; {SLOW_PATH}")


class Signal:
    """A symbolic word, while a function is traced."""

    __slots__ = ("_graph", "_operation")

    _graph: Graph
    _operation: int

    @classmethod
    def _of(cls, graph: Graph, name: str, *operands: int) -> Signal:
        signal = Signal.__new__(Signal)
        signal._graph, signal._operation = graph, graph.note(name, operands)
        return signal

    def _apply(self, name: str, *words: Word) -> Signal:
        if not hasattr(self, "_graph"):
            refuse(
                "a State is used outside of a policy", "make it a default: def f(x, last: State = State(0))"
            )
        return Signal._of(self._graph, name, *(self._operand(word) for word in words))

    def _operand(self, word: Any) -> int:
        if isinstance(word, Signal):
            if getattr(word, "_graph", None) is not self._graph:
                refuse("this is not a signal of the function", "use the signals and states that it is given")
            return word._operation
        if isinstance(word, float):
            refuse(f"{word} is not an integer", "use integers: signals are 64-bit words")
        if not isinstance(word, int):
            refuse(f"{word!r} is not a word", "combine signals with signals and integers")
        if not -(2 ** (WORD_BITS - 1)) <= word <= ONES:
            refuse(f"{word} does not fit into {WORD_BITS} bits", "use a smaller number")
        return self._graph.note("constant", (int(word) & ONES,))

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
        """Return the same."""
        return self

    def __invert__(self) -> Signal:
        """Every bit inverted."""
        return self._apply("exclusive_or", self, ONES)

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
            refuse("the number of a bit is a signal", "shift by it: (x >> n)[0]")
        if (
            not isinstance(high, int)
            or not isinstance(low, int)
            or (isinstance(bits, slice) and bits.step is not None)
        ):
            refuse("a bit slice needs both ends and no step", "write x[7:4], the highest bit first")
        if not 0 <= low <= high < WORD_BITS:
            refuse(
                f"there are no bits {high}:{low}" if high != low else f"there is no bit {high}",
                f"write the highest bit first, from 0 to {WORD_BITS - 1}",
            )
        return self._apply("and", self._apply("shift_right", self, low), (1 << (high - low + 1)) - 1)

    def __bool__(self) -> bool:
        """Raise an error: a signal has no value while the function is traced."""
        refuse(
            "this decides in Python on a signal, whose value is not known yet",
            "use select(condition, a, b) for `if`, & and | and == 0 for `and`, `or` and `not`, "
            "minimum and maximum for `min` and `max`",
        )

    def __index__(self) -> int:
        """Raise an error: a signal has no value while the function is traced."""
        refuse("this needs the value of a signal, which is not known yet", "use arithmetic, shifts or select")

    __int__ = __index__

    def __float__(self) -> float:
        """Raise an error: signals are words."""
        refuse("this makes a float of a signal", "use integers: signals are 64-bit words")

    def __iter__(self) -> NoReturn:
        """Raise an error: a signal has no value while the function is traced."""
        refuse("this loops over a signal", "loop over a range and pick bits: x[i]")

    __len__ = __iter__

    def __hash__(self) -> int:
        """Raise an error: a signal has no value while the function is traced."""
        refuse("this looks up a signal, as in a set or a dict", "use select or arithmetic")

    def __truediv__(self, other: Word) -> NoReturn:
        """Raise an error: signals are words."""
        refuse("/ divides into fractions", "divide words with //")

    __rtruediv__ = __truediv__

    def __pow__(self, other: Word) -> NoReturn:
        """Raise an error: there is no such operation."""
        refuse("** cannot be lifted", "multiply, or shift for powers of two")

    __rpow__ = __pow__

    def __divmod__(self, other: Word) -> NoReturn:
        """Raise an error: it would have two results."""
        refuse("divmod cannot be lifted", "use // and %")

    __rdivmod__ = __divmod__

    def __abs__(self) -> NoReturn:
        """Raise an error: words are unsigned."""
        refuse("abs cannot be lifted: words are unsigned", "use select(signed_less(x, 0), -x, x)")

    def __repr__(self) -> str:
        """Return the origin of the signal."""
        return f"<signal {self._operation}>"


class State(Signal):
    """A word that keeps its value from cycle to cycle: the default of a parameter of a policy."""

    __slots__ = ("_next", "initial")

    def __init__(self, initial: int) -> None:
        """A state word.

        Args:
            initial: Value before the first cycle, from 0 to 2^64 - 1.
        """
        if type(initial) is not int or not 0 <= initial <= ONES:
            raise CompositionError(f"{initial!r} is not a word", "give an integer from 0 to 2^64 - 1")
        self.initial = initial

    def _bound(self, graph: Graph, number: int) -> State:
        state = State(self.initial)
        state._graph, state._operation = graph, graph.note("state", (number,))
        state._next = state._operation
        return state

    def _set_next(self, word: Word) -> None:
        self._next = self._operand(word)

    next = property(None, _set_next, doc="Value in the next cycle; write only. Unchanged unless assigned.")


Word = Signal | int
"""Operand of a policy: a signal, or a constant."""


def select(condition: Word, yes: Word, no: Word) -> Signal:
    """`yes` if the condition is not zero, else `no`."""
    return _noted("select", condition, yes, no)


def minimum(first: Word, *others: Word) -> Signal:
    """Return the least of some words, unsigned."""
    least = cast(Signal, first)
    for other in others:
        least = _noted("select", _noted("less", other, least), other, least)
    return least


def maximum(first: Word, *others: Word) -> Signal:
    """Return the greatest of some words, unsigned."""
    greatest = cast(Signal, first)
    for other in others:
        greatest = _noted("select", _noted("less", greatest, other), other, greatest)
    return greatest


def signed_less(a: Word, b: Word) -> Signal:
    """1 if `a` is less than `b` in two's complement, else 0."""
    return _noted("less_signed", a, b)


def trailing_zeros(word: Word) -> Signal:
    """Return the number of zero bits below the lowest one bit; 64 for zero."""
    return _noted("trailing_zeros", word)


def count_ones(word: Word) -> Signal:
    """Return the number of one bits."""
    return _noted("count_ones", word)


def _noted(name: str, *words: Word) -> Signal:
    for word in words:
        if isinstance(word, Signal):
            return word._apply(name, *words)
    # Plain integers, as when a policy is tried out by hand, give one: the types speak of signals only.
    plain = SEMANTICS[name](*(word & ONES for word in words if isinstance(word, int)))
    return cast(Signal, plain)
