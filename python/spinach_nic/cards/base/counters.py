"""Counters of cards and hosts."""

from dataclasses import dataclass

from spinach_nic.model import Module


@dataclass(frozen=True)
class Counter:
    """A counter shown in results, reports, comparisons and sweeps."""

    module: Module
    counter: str
    """Name among the counters of the module."""
    unit: str
    """Unit of a count, in the plural: `frames`, `bytes`, `cycles`."""
