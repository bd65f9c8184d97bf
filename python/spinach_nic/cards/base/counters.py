"""Counters of cards and hosts."""

from msgspec import Struct

from spinach_nic.model import Module


class Counter(Struct, frozen=True):
    """A counter shown in results, reports, comparisons and sweeps."""

    module: Module
    counter: str
    """Name among the counters of the module."""
    unit: str
    """Unit of a count, in the plural: `frames`, `bytes`, `cycles`."""
