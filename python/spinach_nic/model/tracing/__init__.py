"""Policies as Python functions, traced once into expressions that the engine evaluates natively.

A policy is a function over a module's signals: unsigned 64-bit words with wrapping arithmetic.

    def oldest_first(requests: Signal, ages: Signal) -> Signal:
        return select(requests[0] & (ages[7:0] > 4), 0, trailing_zeros(requests))

`lift` calls it once with signals in place of words and notes what it does to them: arithmetic, comparisons,
bits `x[5]` and `x[7:0]`, shifts, `select`, `minimum`, `maximum`, `count_ones`, `trailing_zeros`. Division by
zero gives all ones, and the remainder then is the dividend. State that lasts from cycle to cycle is a
parameter with a `State` as its default; assigning to its `next` says what it is in the next cycle:

    def round_robin(requests: Signal, last: State = State(0)) -> Signal:
        last.next = (last + 1) % 4
        return last

What cannot be traced, such as `if` on a signal, is refused with its line. `called` takes any function, and
calls it.
"""

from spinach_nic.model.tracing.functions import Called, Lifted, Policy, called, lift
from spinach_nic.model.tracing.signal import (
    Signal,
    State,
    Word,
    count_ones,
    maximum,
    minimum,
    select,
    signed_less,
    trailing_zeros,
)

__all__ = [
    "Called",
    "Lifted",
    "Policy",
    "Signal",
    "State",
    "Word",
    "called",
    "count_ones",
    "lift",
    "maximum",
    "minimum",
    "select",
    "signed_less",
    "trailing_zeros",
]
