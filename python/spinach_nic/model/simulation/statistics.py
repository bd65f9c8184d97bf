"""Counters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from spinach_nic import _native
from spinach_nic.model import Part
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import Time


class _CounterError(SpinachError, KeyError):
    """Error of a mapping, as `get` and `in` expect it."""


class Statistics(Mapping[str, int]):
    """The counters of a simulation at one moment, by `path.counter`; `later - earlier` is the difference."""

    def __init__(self, time: Time, names: Mapping[str, int], values: list[int]) -> None:
        """The counters at `time`; `names` has the place of each in `values`."""
        self.time = time
        self._names = names
        self._values = values

    @property
    def values_in_order(self) -> list[int]:
        """The values, in an order that is the same in every simulation of a system."""
        return self._values

    def at(self, time: Time, values: list[int]) -> Statistics:
        """Return the counters of the same simulation at another moment, from their `values_in_order`."""
        return Statistics(time, self._names, values)

    def __getitem__(self, name: str) -> int:
        """Return the value of one counter.

        Raises:
            SpinachError: If there is no counter of this name; it is a `KeyError`, too.
        """
        place = self._names.get(name)
        if place is None:
            raise _CounterError(f"there is no counter {name}", _native.suggest(name, list(self._names)))
        return self._values[place]

    def places_of(self, names: Iterable[str]) -> list[int]:
        """Return the places of several counters among `values_in_order`."""
        return [self._names[name] for name in names]

    def of(self, part: Part | str, counter: str) -> int:
        """Return the value of a counter of a module, or of the module at a path.

        Raises:
            SpinachError: If the module has no counter of this name.
        """
        path = part if isinstance(part, str) else part.path
        place = self._names.get(f"{path}.{counter}")
        if place is None:
            counters = ", ".join(sorted(name for name in self.inside(path) if "." not in name))
            message = f"{path} has no counter {counter}"
            raise SpinachError(message, f"its counters: {counters}" if counters else "see spinach describe")
        return self._values[place]

    def __iter__(self) -> Iterator[str]:
        """Return the names."""
        return iter(self._names)

    def __len__(self) -> int:
        """Return the number of counters."""
        return len(self._names)

    def __sub__(self, earlier: Statistics) -> Statistics:
        """Return the counts since `earlier`; its time is the span between them."""
        values = [now - then for now, then in zip(self._values, earlier._values, strict=True)]
        return Statistics(self.time - earlier.time, self._names, values)

    def inside(self, path: str) -> dict[str, int]:
        """Return the counters of a part and of everything in it, by their names within it."""
        start = f"{path}."
        return {name.removeprefix(start): value for name, value in self.items() if name.startswith(start)}

    def __repr__(self) -> str:
        """Return the counters that are not zero."""
        counted = {name: value for name, value in self.items() if value}
        return f"Statistics at {self.time}: {counted}"
