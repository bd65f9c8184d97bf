"""The result of a run, as typed data and as the document `spinach-result/1`.

The classes are the document: it is written from them and read into them, and `result.schema.json` next to
this file is generated from them. Everything except `wall_s` and `core_cycles_per_wall_s` follows from the
request.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from msgspec import Meta, Struct, field

from spinach_nic.runs.rates import rate_rows
from spinach_nic.support.documents import Count, Document, Number, Share
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.extras import require_arrow
from spinach_nic.support.measured import Measured
from spinach_nic.support.records import Record
from spinach_nic.support.representations import amount, html_table, latency_us
from spinach_nic.traffic import DIRECTIONS, Direction

MEASURED_FIELDS = ("wall_s", "core_cycles_per_wall_s")
"""The fields that depend on the machine."""
NO_FIGURES = frozenset(("schema", "config", "request", "cores", "version", "seed", "traffic", "notes"))
"""Fields without figures."""
SCHEMA_FILE = Path(__file__).with_suffix(".schema.json")
"""A JSON Schema of the document."""

Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
ByDirection = Mapping[Direction, Count]
Drops = Mapping[Direction, Mapping[str, Mapping[str, Annotated[int, Meta(ge=1)]]]]
"""Dropped frames by direction, place and reason."""
RateName = Literal["frames_per_s", "udp_payload_gbps", "wire_gbps", "line_rate_fraction"]
"""Rates of a direction."""
RATES = tuple(f"{way}.{rate}" for way in DIRECTIONS for rate in get_args(RateName))
"""Figures that are missing without a steady window."""


class Firmware(Struct, frozen=True):
    """Firmware that the cores executed."""

    name: str
    sha256: Sha256
    """Digest of the ELF file."""
    compiler: str
    """Name and version; `unknown` if the file has none."""


class Latency(Struct, frozen=True):
    """Latency of frames, in nanoseconds: from leaving the source to the arrival.

    Values are the upper edges of buckets, which are exact below 64 ns and 3 % wide above: a latency is up to
    3 % lower than its value.
    """

    p50: Count
    p99: Count
    max: Count
    """Longest latency; exact in a run from the start."""
    distribution: tuple[tuple[Count, Count], ...] = ()
    """Pairs: the longest latency of a bucket, and the number of its frames. Exact
    below 64 ns, 3 % wide above."""


@dataclass(frozen=True, eq=False, repr=False)
class DirectionResult(Record):
    """Traffic of one direction. Rates are those of the measured window, counts and latency of the run."""

    frames: Count
    """Frames delivered intact and in order."""
    measured_frames: Count
    """Frames that arrived in the measured window."""
    latency_ns: Latency | None
    """`None` if it was not measured."""
    offered_per_s: Number | None = None
    """Frames offered per second of the measured window; `None` without one."""
    dropped_per_s: Number | None = None
    """Frames dropped per second of the measured window, at any place; `None` without one."""
    frames_per_s: Number | None = None
    """Rates are `None` if there was no window; see `MeasuredWindow.reason`."""
    udp_payload_gbps: Number | None = None
    wire_gbps: Number | None = None
    """Rate with preamble, frame check sequence and gap: the time that the frames take on the wire."""
    line_rate_fraction: Number | None = None
    """`wire_gbps` as a fraction of the rate of the link: of the most frames of these sizes."""
    frames_per_s_error: Number | None = None
    """Half width of the 95 % confidence interval of `frames_per_s`, by batch means; `None` without a rate."""
    udp_payload_gbps_error: Number | None = None
    wire_gbps_error: Number | None = None
    line_rate_fraction_error: Number | None = None

    def measured(self, rate: RateName) -> Measured | None:
        """Return a rate with its error; `None` if it was not measured."""
        value: float | None = getattr(self, rate)
        error: float | None = getattr(self, f"{rate}_error")
        return None if value is None or error is None else Measured(value, error)

    def rate(self, rate: RateName) -> float:
        """Return a rate.

        Raises:
            SpinachError: It was not measured.
        """
        measured = self.measured(rate)
        if measured is None:
            raise _no_rates("look at measured_window.reason of the result")
        return measured.value


def _no_frames() -> dict[Direction, int]:
    return dict.fromkeys(DIRECTIONS, 0)


class FrameCounts(Struct, frozen=True):
    """Account of the frames, by direction."""

    offered: ByDirection
    delivered: ByDirection
    """Arrived whole, for the first time, in any order."""
    dropped: Drops
    """Dropped frames by place and reason; zeros are left out."""
    in_flight: ByDirection
    """Offered or copied, and neither arrived nor dropped: still inside, or lost. With `added` frames it is
    a lower bound."""
    corrupted: ByDirection
    reordered: ByDirection
    """Delivered after a frame that was sent later: one of the same flow on cards where flows may overtake
    each other; none where all frames may."""
    duplicated: ByDirection
    """Arrived again after the delivery."""
    copied: ByDirection = field(default_factory=_no_frames)
    """Copies that a fault of the wire made."""
    added: ByDirection = field(default_factory=_no_frames)
    """Frames that arrived or were dropped beyond those offered and copied: firmware made them, or sent frames
    twice. It is a lower bound. Offered, copied and added frames are those that were delivered, arrived
    corrupted or duplicated, were dropped, or are in flight."""


class CoreResult(Struct, frozen=True):
    """Activity of a core, or the mean core, in the measured window."""

    ipc: Number
    """Instructions per cycle."""
    cycles: Mapping[str, Number]
    """Fractions of all cycles, by stall reason; they sum to 1."""
    per_cycle: Mapping[str, Number]
    """Instructions per cycle by class: `loads` and `stores` (`ll` and `sc` among them), `atomics` (`set` and
    `update`), `branches`, and others that the core counts."""


class Task(Struct, frozen=True):
    """Cost of a firmware task in the measured window, per frame except for the fraction."""

    instructions: Number
    cycles: Number
    memory_accesses: Number
    share_of_cycles: Share
    """Fraction of all cycles of all cores."""


class MemoryResult(Struct, frozen=True):
    """Traffic of a memory in the measured window, in Gb/s."""

    gbps: Number
    peak_gbps: Number
    useful_gbps: Number
    """Requested part of the traffic: without padding to whole words."""
    efficiency: Share | None
    """Fraction of its busy cycles in which it moved data; `None` if they are not counted."""


class CounterResult(Struct, frozen=True):
    """One of the card's own counters."""

    value: Count
    """Value in the whole run."""
    measured: Count
    """Value in the measured window."""
    unit: str


class MeasuredWindow(Struct, frozen=True):
    """The window in which rates are measured, from the start of the simulation."""

    begins_ns: Count
    ends_ns: Count
    is_steady: bool
    """True if rates were measured in it; otherwise the window is the whole run, and there are no rates."""
    reason: str = ""
    """Reason for missing rates; empty if there are rates."""


class Passage(Struct, frozen=True):
    """Traffic of a device of the simulating machine."""

    device: str
    received: Count
    """Frames that came in and went into the simulation."""
    sent: Count
    """Frames that left the simulation and went out."""
    dropped_inward: Mapping[str, Count]
    """Incoming frames that were dropped, by reason."""
    dropped_outward: Mapping[str, Count]
    """Outgoing frames that were dropped, by reason."""
    missed: Count | None
    """Frames that the machine dropped before they were read; `None` if unknown."""


class LiveResult(Struct, frozen=True):
    """Course of a run connected to the world outside. In a replay, the course of the recorded run."""

    behind_ns: Count
    """Lag of simulated time behind wall time at the end."""
    most_behind_ns: Count
    """Largest lag."""
    wire: Passage | None = None
    """Device at the wire, if any."""
    host: Passage | None = None
    """Device at the host, if any."""


class Failure(Struct, frozen=True):
    """Failure of a run."""

    message: str
    details: str
    """Registers, the last instructions, the waits of modules for each other, or the frames that have not
    arrived whole; several lines."""


Setting = bool | int | float | str
"""Value of a configuration."""
Figure = bool | int | float


class ResultDocument(Document, frozen=True, kw_only=True):
    """Result document of a run in any bench."""

    def asked(self) -> dict[str, Setting]:
        """Return the configuration that the result follows from, by path."""
        raise NotImplementedError

    def figures(self) -> dict[str, Figure]:
        """Return numbers and truths by their paths in the document."""
        raise NotImplementedError


class Result(ResultDocument, frozen=True, kw_only=True, tag="spinach-result/1"):
    """Result of a run.

    Rates, fractions, cores, tasks and memories hold for the measured window; counts and latencies for the
    whole run. In a run restored from a checkpoint as another run, counts hold from the start of the
    simulation, latencies from the checkpoint, without frames under way at that time.
    """

    nic: str
    nic_file: str | None = None
    """Python file of the NIC; `None` for a shipped one, and for a class of a script."""
    config: Mapping[str, bool | int | str]
    """Values of all settable parameters, by the path that `set` takes."""
    version: str
    firmware: Firmware | None
    seed: Count
    traffic: tuple[str, ...]
    request: Mapping[str, str | tuple[str, ...]]
    """The options of the run that it follows from, as the command line takes them."""
    notes: tuple[str, ...]
    """Notes on the traffic, such as frames of a capture that were left out."""
    complete: bool
    """True if the run reached its requested end, without failure."""
    failure: Failure | None
    simulated_ns: Count
    wall_s: Number
    """Duration of the simulation, without set-up."""
    core_cycles_per_wall_s: Number
    """Simulation speed: cycles of the clock domain `core`, or else of the fastest, per wall second; 0 if
    no time was measured."""
    simulated_cycles: Mapping[str, Count]
    """Cycles by clock domain."""
    core_mhz: Number | None = None
    """Frequencies of the clocks of all cores together, in MHz; `None` if unknown."""
    instructions: Count
    """Instructions of all cores together."""
    measured_window_ns: Count | None
    """Length of the window in which rates were measured; `None` if they were not."""
    measured_window: MeasuredWindow
    tx: DirectionResult
    rx: DirectionResult
    frames: FrameCounts
    cores: tuple[CoreResult, ...]
    cores_mean: CoreResult | None
    """`None` without cores."""
    tasks: Mapping[str, Task]
    """Tasks of sending per frame sent, of receiving per frame received, others per frame of either, and so
    are tasks of a direction without frames."""
    memories: Mapping[str, MemoryResult]
    counters: Mapping[str, CounterResult] = {}
    """The card's own counters, by name."""
    live: LiveResult | None = None
    """`None` if nothing came from outside."""

    def __repr__(self) -> str:
        """Return the subject and the rates, in a line; the fields have everything."""
        firmware = f", firmware {self.firmware.name}" if self.firmware else ""
        ending = (
            ""
            if self.complete
            else f", not complete: {self.failure.message if self.failure else 'interrupted'}"
        )
        rates = ", ".join(
            f"{name} {100 * measured.value:.1f}% of line rate"
            for name, way in (("tx", self.tx), ("rx", self.rx))
            if way.frames and (measured := way.measured("line_rate_fraction")) is not None
        )
        what = f"{self.nic}{firmware}, {' '.join(self.traffic)}"
        return f"<Result {what}: {rates or 'no rates'}, {self.simulated_ns / 1e6:.3f} ms{ending}>"

    def _repr_html_(self) -> str:
        """Return the summary, for notebooks."""
        ways = (self.tx, self.rx)
        rows = [("frames delivered", *(f"{way.frames:,}" for way in ways)), *self.rate_rows()]
        for name in ("p50", "p99"):
            found = [None if way.latency_ns is None else getattr(way.latency_ns, name) for way in ways]
            rows.append((f"latency {name}, us", *("-" if it is None else latency_us(it) for it in found)))
        mean = self.cores_mean
        note = ""
        if mean is not None:
            causes = ", ".join(
                f"{cause.replace('_', ' ')} {share:.1%}" for cause, share in mean.cycles.items()
            )
            note = f"{amount(len(self.cores), 'core')}, {mean.ipc:.3f} instructions per cycle: {causes}"
        firmware = f", firmware {self.firmware.name}" if self.firmware else ""
        title = f"{self.nic}{firmware}, {' '.join(self.traffic)}{'' if self.complete else ': not complete'}"
        return html_table(("", "tx", "rx"), rows, title=title, note=note)

    def rate_rows(self) -> Iterator[tuple[str, ...]]:
        """Yield the rows of a table of rates: a title, and a cell for each direction."""
        return rate_rows({"tx": self.tx, "rx": self.rx}, self.traffic)

    def both(self, rate: RateName) -> Measured:
        """Return the sum of a rate over both directions.

        Raises:
            SpinachError: It was not measured.
        """
        tx, rx = self.tx.measured(rate), self.rx.measured(rate)
        if tx is None or rx is None:
            raise _no_rates(self.measured_window.reason)
        return tx + rx

    def asked(self) -> dict[str, Setting]:
        """Return the request, the firmware and the configuration, by path."""
        listed = ("set", "traffic")
        request = {f"request.{name}": _text(it) for name, it in self.request.items() if name not in listed}
        firmware: dict[str, Setting] = {}
        if self.firmware is not None:
            firmware = {"firmware": self.firmware.name, "firmware.sha256": self.firmware.sha256}
        asked = {"nic": self.nic, "version": self.version, **firmware, "traffic": _text(self.traffic)}
        return {**asked, **request, **self.config}

    def figures(self) -> dict[str, Figure]:
        """Numbers and truths by their paths in the document, as `tx.wire_gbps`; not those of single cores."""
        return flat({name: value for name, value in self.document().items() if name not in NO_FIGURES})

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return the figures as a table of one row, for readers of the Arrow interface, such as pandas."""
        require_arrow("the Arrow interface")
        import pyarrow as pa

        return pa.Table.from_pylist([self.figures()]).__arrow_c_stream__(requested_schema)

    @property
    def core_domain(self) -> str:
        """Clock domain that measures the simulation speed."""
        return core_domain(self.simulated_cycles)


def _no_rates(help: str) -> SpinachError:
    return SpinachError("the run has no rates", help)


def core_domain(cycles: Mapping[str, int]) -> str:
    """Return the clock domain that measures the simulation speed: `core`, or else the fastest."""
    return "core" if "core" in cycles else max(cycles, key=cycles.__getitem__, default="")


def flat(document: Mapping[str, Any]) -> dict[str, Figure]:
    """Return the numbers and truths of a document by path; those in lists are left out."""
    return dict(_flat("", document))


def _text(value: str | Sequence[str]) -> str:
    return value if isinstance(value, str) else " ".join(value)


def _flat(path: str, value: Any) -> Iterator[tuple[str, Figure]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _flat(f"{path}.{name}" if path else name, inner)
    elif isinstance(value, bool | int | float):
        yield path, value
