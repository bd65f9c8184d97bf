"""Counters of cards and hosts."""

from msgspec import Struct

from spinach_nic.model import Module
from spinach_nic.support.checked_records import check_record


class Counter(Struct, frozen=True):
    """A counter shown in results, reports, comparisons and sweeps."""

    module: Module
    counter: str
    """Name among the counters of the module."""
    unit: str
    """Unit of a count, in the plural: `frames`, `bytes`, `cycles`."""

    def __post_init__(self) -> None:
        """Check the fields."""
        check_record(self)
