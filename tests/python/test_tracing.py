"""Lifted functions do what Python does, with words in place of integers; what cannot be lifted is refused."""

import math
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spinach_nic import State, Word, _native, lift, select
from spinach_nic.model.tracing import count_ones, maximum, minimum, signed_less, trailing_zeros

Refusal = Callable[[Callable[[], object]], str]
ONES = 2**64 - 1

WORDS = st.one_of(st.integers(0, 8), st.integers(0, ONES), st.sampled_from([ONES, 2**63, 2**63 - 1, 64, 63]))


def evaluate(function: Callable[..., Any], *inputs: int) -> int:
    return lift(function).expression.evaluate(inputs, [])


# A random expression as Python source over a, b, c, and its meaning by the reference below, node by node.
UNARY: dict[str, Callable[[int], int]] = {
    "(~{})": lambda a: ~a,
    "(-{})": lambda a: -a,
    "count_ones({})": int.bit_count,
}
BINARY: dict[str, Callable[[int, int], int]] = {
    "({} + {})": lambda a, b: a + b,
    "({} - {})": lambda a, b: a - b,
    "({} * {})": lambda a, b: a * b,
    "({} // {})": lambda a, b: a // b if b else ONES,
    "({} % {})": lambda a, b: a % b if b else a,
    "({} & {})": lambda a, b: a & b,
    "({} | {})": lambda a, b: a | b,
    "({} ^ {})": lambda a, b: a ^ b,
    "({} << {})": lambda a, b: a << b if b < 64 else 0,
    "({} >> {})": lambda a, b: a >> b if b < 64 else 0,
    "({} == {})": lambda a, b: int(a == b),
    "({} != {})": lambda a, b: int(a != b),
    "({} < {})": lambda a, b: int(a < b),
    "({} <= {})": lambda a, b: int(a <= b),
    "({} > {})": lambda a, b: int(a > b),
    "({} >= {})": lambda a, b: int(a >= b),
    "minimum({}, {})": min,
    "maximum({}, {})": max,
    "signed_less({}, {})": lambda a, b: int((a ^ 2**63) < (b ^ 2**63)),
}
Meaning = Callable[[tuple[int, ...]], int]
Node = tuple[str, Meaning]


def leaf(index: int) -> Node:
    return "abc"[index], lambda inputs: inputs[index]


def constant(word: int) -> Node:
    # A constant that is lifted from the start: plain integers among themselves are Python's business.
    return f"(a * 0 + {word})", lambda _: word


def unary(form: str, node: Node) -> Node:
    return form.format(node[0]), lambda inputs: UNARY[form](node[1](inputs)) & ONES


def binary(form: str, left: Node, right: Node) -> Node:
    text = form.format(left[0], right[0])
    return text, lambda inputs: BINARY[form](left[1](inputs), right[1](inputs)) & ONES


def chosen(condition: Node, yes: Node, no: Node) -> Node:
    text = f"select({condition[0]}, {yes[0]}, {no[0]})"
    return text, lambda inputs: (yes if condition[1](inputs) else no)[1](inputs)


def sliced(node: Node, high: int, low: int) -> Node:
    high, low = max(high, low), min(high, low)
    mask = (1 << (high - low + 1)) - 1
    return f"{node[0]}[{high}:{low}]", lambda inputs: node[1](inputs) >> low & mask


NODES = st.recursive(
    st.one_of(st.integers(0, 2).map(leaf), WORDS.map(constant)),
    lambda nodes: st.one_of(
        st.builds(unary, st.sampled_from(sorted(UNARY)), nodes),
        st.builds(binary, st.sampled_from(sorted(BINARY)), nodes, nodes),
        st.builds(chosen, nodes, nodes, nodes),
        st.builds(sliced, nodes, st.integers(0, 63), st.integers(0, 63)),
    ),
    max_leaves=12,
)
HELPERS = {
    "select": select,
    "minimum": minimum,
    "maximum": maximum,
    "signed_less": signed_less,
    "count_ones": count_ones,
}


@settings(max_examples=400)
@given(NODES, st.tuples(WORDS, WORDS, WORDS))
def test_a_traced_expression_means_what_python_means(node: Node, inputs: tuple[int, ...]) -> None:
    text, meaning = node
    function = eval(f"lambda a, b, c: {text}", HELPERS)
    assert evaluate(function, *inputs) == meaning(inputs)


@given(st.tuples(WORDS, WORDS, WORDS))
def test_helpers_mean_the_same_for_plain_integers(inputs: tuple[int, int, int]) -> None:
    for helper, count in [(select, 3), (minimum, 3), (maximum, 3), (signed_less, 2), (count_ones, 1)]:
        function: Any = helper
        taken = inputs[:count]
        names = ", ".join("abc"[:count])
        lifted = eval(f"lambda {names}: helper({names})", {"helper": function})
        assert evaluate(lifted, *taken) == function(*taken)


def test_operands_may_stand_on_either_side() -> None:
    def function(a: Word) -> Word:
        return (
            (7 - a) + (7 * a) + (100 // a) + (100 % a) + (1 << a) + (256 >> a) + (3 & a) + (8 | a) + (9 ^ a)
        )

    assert evaluate(function, 5) == 2 + 35 + 20 + 0 + 32 + 8 + 1 + 13 + 12
    assert evaluate(lambda a: trailing_zeros(a) + (+a), 8) == 11


def test_state_advances_to_what_was_assigned() -> None:
    def gray(step: Word, count: State = State(6), changes: State = State(0)) -> Word:
        count.next = (count + step) % 8
        changes.next = changes + (step != 0)
        return count ^ (count >> 1)

    expression = lift(gray).expression
    state = expression.initial_state
    seen = []
    for step in (1, 1, 0, 1):
        seen.append(expression.evaluate([step], state))
        state = expression.advance([step], state)
    assert seen == [5, 4, 0, 0]
    assert state == [1, 3]


def test_state_that_is_not_assigned_stays() -> None:
    expression = lift(lambda last=State(9): last).expression
    assert expression.advance([], [9]) == [9]


def test_defaults_are_constants() -> None:
    policies = [lift(lambda a, k=k: a + k) for k in range(3)]
    assert [policy.expression.evaluate([10], []) for policy in policies] == [10, 11, 12]


def operations(function: Callable[..., Any]) -> int:
    text = repr(_native.Value.lifted(lift(function).expression))
    found = re.search(r"an expression of (\d+) operations", text)
    assert found, text
    return int(found[1])


def test_constants_are_folded_and_common_parts_computed_once() -> None:
    assert operations(lambda a, b: (a + b) * (b + a)) == 4
    assert operations(lambda a: select(trailing_zeros(count_ones(a)) * 0, 1, 2)) == 8
    assert operations(lambda a: select(1, a, a * 3)) == 1
    assert operations(lambda a: [a * 99, a][1]) == 1
    assert operations(lambda a: sum(a * 3 for _ in range(80))) == 84  # a, 3, the product, 0, the sums


def test_what_takes_too_long_for_every_cycle_is_refused(refusal: Refusal) -> None:
    assert refusal(_lifted(endless)) == (
        "HERE: endless: 300 operations are more than the 256 an expression may have\n"
        "help: simplify the function"
    )


def endless(a: Word) -> Word:  # at fault
    for _ in range(299):
        a = a + a
    return a


def decides(a: Word) -> Word:
    if a > 3:  # at fault
        return 1
    return a


def both(a: Word, b: Word) -> Word:
    return a and b  # at fault


def least(a: Word, b: Word) -> Word:
    return min(a, b)  # at fault


def between(a: Word) -> Word:
    return 1 < a < 5  # at fault


def half(a: Any) -> Any:
    return a * 0.5  # at fault


def fraction(a: Any) -> Any:
    return a / 2  # at fault


def root(a: Any) -> Any:
    return math.sqrt(a)  # at fault


def loops(a: Any) -> Any:
    return sum(bit for bit in a)  # at fault


def counts(a: Any) -> Any:
    return sum(range(a))  # at fault


def looks_up(a: Any) -> Any:
    return {1: 2}[a]  # at fault


def backwards(a: Any) -> Any:
    return a[0:3]  # at fault


def open_ended(a: Any) -> Any:
    return a[3:]  # at fault


def too_big(a: Word) -> Word:
    return a + 2**64  # at fault


def attribute(a: Any) -> Any:
    return a.valid  # at fault


def power(a: Any) -> Any:
    return a**2  # at fault


def nothing(a: Word) -> None:  # at fault
    a + 1


def any_number(*a: Word) -> Word:  # at fault
    return a[0]


SLOW_PATH = "or let the engine call the function in every cycle, slowly: called(function)"
DECIDES = (
    "this decides in Python on a signal, whose value is not known yet\n"
    "help: use select(condition, a, b) for `if`, & and | and == 0 for `and`, `or` and `not`, "
    "minimum and maximum for `min` and `max`"
)
WORD_ONLY = "help: use integers: signals are 64-bit words"


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (decides, DECIDES),
        (both, DECIDES),
        (least, DECIDES),
        (between, DECIDES),
        (half, f"0.5 is not an integer\n{WORD_ONLY}"),
        (fraction, "/ divides into fractions\nhelp: divide words with //"),
        (root, f"this makes a float of a signal\n{WORD_ONLY}"),
        (loops, "this loops over a signal\nhelp: loop over a range and pick bits: x[i]"),
        (
            counts,
            "this needs the value of a signal, which is not known yet\n"
            "help: use arithmetic, shifts or select",
        ),
        (looks_up, "this looks up a signal, as in a set or a dict\nhelp: use select or arithmetic"),
        (backwards, "there are no bits 0:3\nhelp: write the highest bit first, from 0 to 63"),
        (open_ended, "a bit slice needs both ends and no step\nhelp: write x[7:4], the highest bit first"),
        (too_big, "18446744073709551616 does not fit into 64 bits\nhelp: use a smaller number"),
        (power, "** cannot be lifted\nhelp: multiply, or shift for powers of two"),
        (
            attribute,
            "attribute failed while it was traced into an expression: "
            "AttributeError: 'Signal' object has no attribute 'valid'"
            "\nhelp: correct it",
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_cannot_be_traced_is_refused_with_its_line(
    function: Callable[..., Any], message: str, refusal: Refusal
) -> None:
    # The line at fault is in the function, so that is where the fixture has to look.
    lifted = refusal(_lifted(function))
    assert lifted == f"HERE: {message}; {SLOW_PATH}"


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (nothing, "nothing returns nothing\nhelp: return a signal or an integer"),
        (any_number, "any_number takes any number of arguments\nhelp: name each signal it takes"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_functions_of_the_wrong_shape_are_refused(
    function: Callable[..., Any], message: str, refusal: Refusal
) -> None:
    assert refusal(_lifted(function)) == f"HERE: {message}"


def _lifted(function: Callable[..., Any]) -> Callable[[], object]:
    def action() -> object:
        return lift(function)

    action.__wrapped__ = function  # type: ignore[attr-defined]
    return action


def test_a_state_outside_of_a_policy_is_refused(refusal: Refusal) -> None:
    assert refusal(lambda: State(1) + 1) == (
        "HERE: a State is used outside of a policy\n"
        f"help: make it a default: def f(x, last: State = State(0)); {SLOW_PATH}"
    )
    assert refusal(lambda: State(-1)) == ("HERE: -1 is not a word\nhelp: give an integer from 0 to 2^64 - 1")
