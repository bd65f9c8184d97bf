"""Checks of firmware for data caches that are not coherent with devices and other cores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Self, TypedDict

from msgspec import Struct
from msgspec.structs import replace

from spinach_nic.library import DataCache
from spinach_nic.model.simulation.recorder import CacheShape, CoherenceHazard
from spinach_nic.runs.errors import CoherenceError
from spinach_nic.runs.forms import read_switch
from spinach_nic.runs.images import ChosenImage
from spinach_nic.runs.observers.base import Observed, Observer
from spinach_nic.runs.result import Result
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.options import Flag, Option, one_text
from spinach_nic.support.representations import amount, microseconds
from spinach_nic.support.units import Time

_WORDS: Mapping[str, tuple[str, str]] = {
    "device_reads_changed": (
        "{other} read the line at {line:#x} before what {where} had changed was written back",
        "write the range back between the change and the descriptor, such as by store_range",
    ),
    "core_reads_changed": (
        "{other} read the line at {line:#x} past the cache in which {where} had changed it",
        "write the range back between the change and the read, such as by store_range",
    ),
    "reads_stale": (
        "{where} read the line at {line:#x} out of its cache after {other} had written it in the memory",
        "invalidate the range between the two, such as by invalidate_range",
    ),
    "written_below_changes": (
        "{other} wrote the line at {line:#x} in the memory while it had changes of {where} in a cache, which "
        "overwrite it",
        "write the range back before, such as by flush_range, and keep it on separate lines",
    ),
}


class Hazard(Struct, frozen=True):
    """Hazard of caches that are not coherent, by the function at fault."""

    kind: str
    """`device_reads_changed`: a device read bytes that were not written back. `core_reads_changed`: a core
    did, past the cache. `reads_stale`: firmware read bytes that it had not invalidated.
    `written_below_changes`: memory was written below a line that will be written back over it."""
    core: int
    """Core whose firmware is at fault."""
    line: int
    """Address of the first affected line."""
    function: str | None
    """Function that changed the bytes, or read them."""
    source_line: str | None
    """Source line, as `FILE:NUMBER`."""
    other: str
    """Device or core of the conflicting access."""
    time: Time
    """Time of its first occurrence."""
    lines: int
    """Number of lines with this hazard."""
    count: int
    """Number of occurrences."""

    @property
    def help(self) -> str:
        """Return the missing operation."""
        return _WORDS[self.kind][1]

    def __str__(self) -> str:
        """Return the event, its place, and its count."""
        where = f"core {self.core}" if self.function is None else f"{self.function} on core {self.core}"
        if self.source_line is not None:
            where += f" ({self.source_line})"
        said = _WORDS[self.kind][0].format(other=self.other, line=self.line, where=where)
        times = "" if self.count == 1 else f", {self.count:,} times on {amount(self.lines, 'line')}"
        return f"{said}: at {microseconds(self.time)}{times}"


class CoherenceCheck(Observer):
    """Check of data that firmware shares with devices and other cores."""

    does = "checks coherence"
    is_exclusive = True
    works_with_saving = False

    class Options(TypedDict, total=False):
        """Options of the check."""

        check_coherence: Annotated[
            bool,
            Option(
                "Fail the run if firmware does not write back or invalidate the data that its data caches "
                "share with devices; other results are the same.",
                default=False,
                section="Speed and checks",
                flag=Flag(
                    "--check-coherence",
                    "",
                    read_switch,
                    one_text,
                    help="Fail if firmware omits a write-back or invalidation of data that devices share.",
                ),
            ),
        ]

    def __init__(self) -> None:
        """Create the check."""
        self.hazards: tuple[Hazard, ...] = ()
        """Hazards that were found, one per source line, by time; those of unknown lines come last."""
        self._found: Callable[[], Sequence[CoherenceHazard]] = tuple
        self._devices: Sequence[str] = ()
        self._line_bytes = 0
        self._image: ChosenImage | None = None

    @classmethod
    def requested(cls, options: Mapping[str, Any]) -> Self | None:
        """Return the observer that options of a run request."""
        return cls() if options["check_coherence"] else None

    def attach(self, observed: Observed) -> None:
        """Begin the check."""
        probes = observed.card.probes
        caches = probes.caches
        if caches is None or not caches.caches:
            raise SpinachError(
                f"{observed.title} has no data caches that are not coherent",
                "check a NIC that has, as ricenic",
            )
        shapes = [_shape(cache) for cache in caches.caches]
        cores = list(zip(probes.cores, caches.requests, shapes, strict=True))
        self._found = observed.simulation.check_coherence(
            cores, list(caches.devices.values()), caches.aliases
        )
        self._devices, self._line_bytes = list(caches.devices), shapes[0].line_bytes
        self._image = observed.card.image

    def finish(self, result: Result | None) -> None:
        """Gather the hazards."""
        hazards: dict[tuple[object, ...], Hazard] = {}
        for found in self._found():
            one = self._hazard(found)
            key = (one.kind, one.core, one.function, one.source_line, one.other)
            known = hazards.get(key)
            if known is None:
                hazards[key] = one
            else:
                hazards[key] = replace(known, lines=known.lines + 1, count=known.count + one.count)
        self.hazards = tuple(sorted(hazards.values(), key=lambda hazard: hazard.source_line is None))

    @property
    def findings(self) -> Sequence[str]:
        """Hazards as text."""
        return [str(hazard) for hazard in self.hazards]

    def error(self, result: Result) -> CoherenceError | None:
        """Return the error of the first hazard, if there is one."""
        if not self.hazards:
            return None
        first, *others = self.hazards
        message = f"{first}" + (f"; {len(others)} more" if others else "")
        return CoherenceError(message, first.help, result, [str(other) for other in others])

    def _hazard(self, found: CoherenceHazard) -> Hazard:
        function = source = None
        if found.pc is not None and self._image is not None:
            at = self._image.executable.function_at(found.pc)
            line = self._image.executable.source_line_at(found.pc)
            function = None if at is None else at.name
            source = None if line is None else str(line)
        other = self._devices[found.other] if found.is_device else f"core {found.other}"
        address = found.address - found.address % self._line_bytes
        return Hazard(
            found.kind, found.core, address, function, source, other, Time(found.time), 1, found.count
        )


def _shape(cache: DataCache) -> CacheShape:
    line = cache.line_size.bytes
    sets = cache.size.bytes // (line * cache.associativity)
    return CacheShape(line, sets, cache.cacheable, cache.write_through, cache.write_allocate)
