import pickle
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spinach_nic
from spinach_nic import (
    Frequency,
    Gbps,
    GHz,
    GiB,
    Hz,
    KiB,
    MHz,
    Rate,
    Size,
    SpinachError,
    Time,
    kHz,
    ms,
    ns,
    parse_quantity,
    ps,
    s,
    us,
)
from spinach_nic.support.units import Quantity

Refusal = Callable[[Callable[[], object]], str]

WHOLE = st.integers(0, 2**64 - 1)
QUANTITIES = st.one_of(
    WHOLE.map(Time),
    WHOLE.map(Size),
    WHOLE.map(Rate),
    st.builds(lambda a, b: Frequency(Fraction(a, b)), WHOLE, st.integers(1, 2**40)),
)


@given(QUANTITIES)
def test_what_is_printed_is_read_back_as_the_same(quantity: Quantity) -> None:
    assert parse_quantity(str(quantity)) == quantity
    assert parse_quantity(str(quantity).replace(" ", ""), type(quantity)) == quantity
    assert eval(repr(quantity), {**vars(spinach_nic), "Fraction": Fraction}) == quantity
    assert pickle.loads(pickle.dumps(quantity)) == quantity


@given(WHOLE, st.integers(1, 1000))
def test_arithmetic_is_exact(number: int, part: int) -> None:
    time = Time(number)
    assert (time + time - time).femtoseconds == number
    assert (time * part) / part == time
    assert part * time == time * part
    assert (time * part) / Time(1) == number * part
    assert time < Time(number + 1)
    assert time <= time
    assert not time > time


def test_units_are_multiples_of_each_other() -> None:
    assert GHz(1) == MHz(1000) == kHz(1_000_000) == Hz(10**9)
    assert s(1) == ms(1000) == us(10**6) == ns(10**9) == ps(10**12)
    assert GiB(1) == KiB(2**20)


def test_a_float_is_the_decimal_number_it_prints_as() -> None:
    assert MHz(166.67).hertz == 166_670_000
    assert GHz(10.3125).hertz == 10_312_500_000
    assert ns(0.1).femtoseconds == 100_000


@pytest.mark.parametrize(
    ("quantity", "text", "source"),
    [
        (MHz(166), "166 MHz", "MHz(166)"),
        (GHz(10.3125), "10.3125 GHz", "GHz(10.3125)"),
        (Hz(Fraction(10**9, 3)), "1000000000/3 Hz", "Hz(Fraction(1000000000, 3))"),
        (ns(20), "20 ns", "ns(20)"),
        (Time(0), "0 fs", "fs(0)"),
        (KiB(256), "256 KiB", "KiB(256)"),
        (Size(1000), "1000 B", "B(1000)"),
        (Gbps(10), "10 Gbps", "Gbps(10)"),
        (Rate(2_500_000_000), "2.5 Gbps", "Gbps(2.5)"),
    ],
)
def test_quantities_print_as_they_are_written(quantity: Quantity, text: str, source: str) -> None:
    assert (str(quantity), repr(quantity)) == (text, source)


@pytest.mark.parametrize(
    ("text", "quantity"),
    [("166MHz", MHz(166)), (" 2 ms ", ms(2)), ("1.5e3 ns", us(1.5)), ("10Gb/s", Gbps(10)), ("20µs", us(20))],
)
def test_quantities_are_read_as_people_write_them(text: str, quantity: Quantity) -> None:
    assert parse_quantity(text) == quantity


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (
            "166",
            Frequency,
            "166 has no unit\nhelp: give a frequency, such as 166MHz; the units are Hz, kHz, MHz, GHz",
        ),
        ("166 MHZ", Frequency, "'MHZ' is not a unit\nhelp: the units are Hz, kHz, MHz, GHz"),
        ("20ns", Frequency, "20ns is not a frequency\nhelp: give a frequency, such as 166MHz"),
        ("fast", Time, "'fast' is not a number with a unit\nhelp: give a time, such as 20ns"),
        ("1.2.3ns", Time, "'1.2.3ns' is not a number with a unit\nhelp: give a time, such as 20ns"),
        ("0.5fs", Time, "0.5 fs is not an integer number of fs\nhelp: fs is the smallest unit: round it"),
        ("-1ns", Time, "-1 ns is negative\nhelp: give a time, such as ns(20)"),
    ],
)
def test_what_is_no_quantity_is_refused(text: str, kind: type[Quantity], message: str) -> None:
    with pytest.raises(SpinachError) as raised:
        parse_quantity(text, kind)
    assert str(raised.value) == message


def test_kinds_do_not_mix(refusal: Refusal) -> None:
    assert refusal(lambda: ns(1) + MHz(1)) == (  # type: ignore[operator]
        "1 ns and 1 MHz are of different kinds\nhelp: give a time, such as ns(20)"
    )
    assert refusal(lambda: ns(1) + 1) == (  # type: ignore[operator]
        "1 ns and 1 are of different kinds\nhelp: give a time, such as ns(20)"
    )
    assert refusal(lambda: MHz(True)) == "True is not a number\nhelp: give an integer, a float or a fraction"
    assert refusal(lambda: MHz(float("nan"))) == (
        "nan is not a finite number\nhelp: give an integer, a float or a fraction"
    )
    assert ns(1) != MHz(1)
