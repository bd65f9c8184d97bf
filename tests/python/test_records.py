"""Records that are data classes."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from spinach_nic.support.records import Record


@dataclass(frozen=True, eq=False, repr=False)
class Point(Record):
    """A point with a note that is neither compared nor shown."""

    x: int
    y: int = 0
    note: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, eq=False, repr=False)
class Place(Point):
    """A point of another class."""


def test_records_of_a_class_with_equal_values_are_equal() -> None:
    assert Point(1, 2, "here") == Point(1, 2, "there")
    assert hash(Point(1, 2, "here")) == hash(Point(1, 2, "there"))
    assert Point(1, 2) != Point(2, 2)
    assert Point(1, 2) != Place(1, 2)
    assert Point(1, 2) != (1, 2, "")


def test_a_record_shows_its_fields_and_is_copied_with_others() -> None:
    assert repr(Place(1, note="here")) == "Place(x=1, y=0)"
    assert replace(Point(1), y=3) == Point(1, 3)


def test_a_record_does_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        Point(1).x = 2  # type: ignore[misc]
