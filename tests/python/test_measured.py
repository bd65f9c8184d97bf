"""Measured values differ only beyond the error of their difference."""

from __future__ import annotations

import math

import pytest

from spinach_nic.support.measured import UNKNOWN, Measured, aligned_with_error, ratio_of, student_quantile


@pytest.mark.parametrize(
    ("value", "error", "shown"),
    [
        (2.42652, 2.88, "2.4 ± 2.9"),
        (0.00731069, 0.0082, "0.0073 ± 0.0082"),
        (81274.4, 270.3, "81270 ± 270"),
        (0.957087, 0.0031, "0.9571 ± 0.0031"),
        (-1.25, 0.5, "-1.25 ± 0.5"),
        (1234567.0, 4321.0, "1234600 ± 4300"),
        (9.84123, 0.0996, "9.84 ± 0.1"),
        (9.84123, 0.0, "9.84123 ± 0"),
        (9.84123, math.inf, "9.84123 ± inf"),
    ],
)
def test_a_value_has_no_more_digits_than_its_error_allows(value: float, error: float, shown: str) -> None:
    assert str(Measured(value, error)) == shown


@pytest.mark.parametrize(
    ("value", "error", "most", "shown"),
    [
        (811339.4, 9470.2, 0, "811,300 ± 9,500"),
        (812744.3, 0.2, 0, "812,744.3 ± 0.2"),
        (0.001182, 0.0000413, 3, "0.00118 ± 0.00004"),
        (9.98342, 0.117, 3, "9.98 ± 0.12"),
        (10.0, 0.0024, 3, "10.000 ± 0.002"),
        (10.0, 0.0024, 9, "10.0000 ± 0.0024"),
        (9.98342, 0.996, 9, "10.0 ± 1.0"),
        (9.98342, 0.0, 9, "9.98 ± 0.00"),
        (9.98342, math.inf, 9, "9.98 ± inf"),
    ],
)
def test_columns_keep_zeros_to_the_place_of_the_error(
    value: float, error: float, most: int, shown: str
) -> None:
    assert aligned_with_error(value, error, 2, most=most) == shown


def test_values_differ_only_beyond_the_error_of_their_difference() -> None:
    first = Measured(100.0, 3.0)
    assert not first.differs_from(Measured(105.0, 4.0))  # exactly the error: sqrt(3^2 + 4^2)
    assert first.differs_from(Measured(math.nextafter(105.0, 106.0), 4.0))
    assert first.differs_from(Measured(math.nextafter(95.0, 94.0), 4.0))
    assert Measured(1.0).differs_from(Measured(math.nextafter(1.0, 2.0)))
    assert not Measured(1.0).differs_from(Measured(1.0))


def test_an_error_that_holds_for_several_comparisons_is_larger() -> None:
    value = Measured(10.0, 1.96)
    assert value.among(1) == value
    assert value.among(2).error == pytest.approx(2.2415, abs=2e-4)  # quantile 1 - 0.025 / 2 of the normal
    assert value.among(40).error == pytest.approx(3.2272, abs=2e-4)


def test_errors_of_sums_and_quotients() -> None:
    assert Measured(10.0, 3.0) + Measured(20.0, 4.0) == Measured(30.0, 5.0)
    assert Measured(10.0, 3.0) * -2 == Measured(-20.0, 6.0)
    assert Measured(8.0, 2.0) / 4 == Measured(2.0, 0.5)
    quotient = Measured(10.0, 0.3) / Measured(4.0, 0.2)
    assert quotient.value == 2.5
    assert quotient.error == pytest.approx(2.5 * math.hypot(0.3 / 10, 0.2 / 4))


def test_the_ratio_of_sums_over_samples_has_an_error() -> None:
    # Without the ratio times the denominators, -1.5, 1.5 and 0 are left: sqrt(4.5 * 3 / 2) over the sum of 8.
    ratio = ratio_of([1.0, 4.0, 0.0, 5.0], [2.0, 2.0, 0.0, 4.0])
    assert ratio is not None
    assert ratio.value == 1.25
    assert ratio.error == pytest.approx(4.302652729749464 * math.sqrt(4.5 * 3 / 2) / 8)
    assert ratio_of([0.0, 1.0], [0.0, 4.0]) == Measured(0.25, math.inf)
    assert ratio_of([1.0, 2.0], [2.0, 4.0]) == Measured(0.5, 0.0)
    assert ratio_of([1.0], [0.0]) is None


def test_a_ratio_to_zero_is_not_known() -> None:
    for quotient in (
        Measured(1.0, 0.1) / Measured(0.0, 0.1),
        Measured(1.0) / 0,
        Measured(0.0) / Measured(0.0),
    ):
        assert math.isnan(quotient.value)
        assert str(quotient) == "not known"
        assert not quotient.differs_from(Measured(1.0))
    assert math.isnan((UNKNOWN * 2 - Measured(1.0)).value)


@pytest.mark.parametrize("probability", [0.6, 0.975, 0.995, 0.9999])
def test_quantiles_of_students_distribution_are_those_of_scipy(probability: float) -> None:
    special = pytest.importorskip("scipy.special")
    for freedom in (*range(1, 60), 100, 501, 2000):
        expected = float(special.stdtrit(freedom, probability))
        assert student_quantile(probability, freedom) == pytest.approx(expected, rel=1e-11)
