"""Recordings of the values that move through channels."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec import Struct

from spinach_nic import _native
from spinach_nic.model import Module, Port
from spinach_nic.support.units import Time


class Transfer(Struct, frozen=True):
    """One value that moved."""

    time: Time
    """Time."""
    cycle: int
    """Cycle of the channel's clock domain, from 0."""
    words: tuple[int, ...]
    """The value."""

    @property
    def word(self) -> int:
        """The first word, which is the whole value for many types."""
        return self.words[0]


class Recorder:
    """Transfers through some ports since recording began; recorded natively, read on demand."""

    def __init__(self, ports: tuple[Port, ...], native: _native.Recorder) -> None:
        """Made by `Simulation.record`."""
        self.ports = ports
        self._native = native

    def transfers(self, port: Port | None = None) -> list[Transfer]:
        """Return the transfers, in order of time.

        Args:
            port: Recorded port; optional if there is only one.
        """
        index = 0 if port is None else self._index(port)
        moved = self._native.transfers()
        return [
            Transfer(Time(time), cycle, tuple(words))
            for channel, time, cycle, words in moved
            if channel == index
        ]

    def words(self, port: Port | None = None) -> list[int]:
        """Return the first word of each value that moved, in order of time."""
        index = 0 if port is None else self._index(port)
        return [words[0] for channel, _, _, words in self._native.transfers() if channel == index]

    def clear(self) -> None:
        """Forget all recorded transfers."""
        self._native.clear()

    def stop(self) -> None:
        """Record no more."""
        self._native.stop()

    def _index(self, port: Port) -> int:
        return [str(recorded) for recorded in self.ports].index(str(port))


class TracedRows(Struct, frozen=True):
    """Number of rows of a pair of traces."""

    instructions: int
    """Instructions of cores."""
    accesses: int
    """Accesses of other agents."""


class CountedRate(Struct, frozen=True):
    """Quantity over time that counters of modules advance."""

    counters: Sequence[tuple[Module, str, float]]
    """Counters, by module and name, and what one count is worth: seconds times `unit`."""
    unit: str
    most: float | None = None
    """Its largest value, if it is known; what is counted at once beyond it takes place afterwards."""


class CacheShape(NamedTuple):
    """Initial state of a data cache."""

    line_bytes: int
    sets: int
    cacheable: int
    """A bit for each region of 128 MB, the highest for the lowest addresses."""
    write_through: int
    """A bit for each region with write-through, in the same order."""
    allocates: bool
    """True if stores that miss bring the line."""


class CoherenceHazard(Struct, frozen=True):
    """Hazard found by a check of coherence, for one line and one instruction."""

    kind: str
    """`device_reads_changed`, `core_reads_changed`, `reads_stale` or `written_below_changes`."""
    core: int
    """Core whose firmware is at fault."""
    address: int
    """Address of the first wrong byte."""
    pc: int | None
    """The instruction that changed the bytes or read them, if it has completed."""
    is_device: bool
    """True if a device was on the other side, else a core."""
    other: int
    """Number of the device or core."""
    time: int
    """Time of its first occurrence, in femtoseconds."""
    count: int
    """Number of occurrences."""


class Traces:
    """An instruction trace and an access trace that are being written."""

    def __init__(self, native: _native.TraceFiles, now: Callable[[], Time]) -> None:
        """Made by `Simulation.trace`."""
        self._native = native
        self._now = now

    def finish(self) -> TracedRows:
        """Complete both files; without it they cannot be read.

        Instructions that cores have executed ahead of time are left out.

        Raises:
            SpinachError: If anything could not be written.
        """
        return TracedRows(*(self._native.finish(self._now().femtoseconds) or (0, 0)))


class Timeline:
    """A timeline that is being written."""

    def __init__(self, native: _native.TimelineFile) -> None:
        """Made by `Simulation.timeline`."""
        self.native = native

    def finish(self) -> int:
        """Complete the file; returns how many frames it follows.

        Raises:
            SpinachError: If anything could not be written.
        """
        return self.native.finish() or 0


class Waves:
    """Waveforms that are being written."""

    def __init__(self, native: _native.WaveFile) -> None:
        """Made by `Simulation.waves`."""
        self._native = native

    def finish(self) -> None:
        """Complete the file.

        Raises:
            SpinachError: If anything could not be written.
        """
        self._native.finish()


class LineTrace:
    """A line trace that is being written."""

    def __init__(self, native: _native.LineTraceFile) -> None:
        """Made by `Simulation.trace_lines`."""
        self._native = native

    def finish(self) -> None:
        """Write the rest.

        Raises:
            SpinachError: If standard output cannot be written.
        """
        self._native.finish()


class Capture:
    """A capture file that is being written."""

    def __init__(self, interfaces: tuple[str, ...], native: _native.CaptureWriter) -> None:
        """Made by `Simulation.capture`."""
        self._interfaces = interfaces
        self._native = native

    def finish(self) -> dict[str, int]:
        """End the capture; returns how many frames of each interface it holds.

        Raises:
            SpinachError: If anything could not be written.
        """
        return dict(zip(self._interfaces, self._native.finish(), strict=False))


class FrameCounts:
    """Counts of the frames that pass through ports."""

    def __init__(self, native: _native.FrameCounts) -> None:
        """Made by `Simulation.count_frames`."""
        self._native = native

    def counts(self, until: Time | None = None) -> list[tuple[int, int]]:
        """Return frames, and their bytes without check sequence, of each port since counting began.

        Args:
            until: End of the counted time; the present by default.
        """
        return self._native.counts(None if until is None else until.femtoseconds)
