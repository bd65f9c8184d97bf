"""The result of a run, as typed data and as the document `spinach-result/1`.

Field names are those of the document. `result.schema.json` beside this file describes it to other programs.
Everything but `wall_s` and `core_cycles_per_wall_s` follows from the request alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from spinach_nic.traffic import Direction

SCHEMA = "spinach-result/1"
MEASURED_FIELDS = ("wall_s", "core_cycles_per_wall_s")
"""The fields that depend on the machine."""
SCHEMA_FILE = Path(__file__).with_suffix(".schema.json")
"""A JSON Schema of the document."""

ByDirection = Mapping[Direction, int]


@dataclass(frozen=True)
class Firmware:
    """What the cores executed."""

    name: str
    sha256: str
    """Of the ELF file."""
    compiler: str
    """Name and version; `unknown` if the file does not say."""


@dataclass(frozen=True)
class Latency:
    """How long frames were under way, in nanoseconds: from the source's letting go to the arrival."""

    p50: int
    p99: int
    max: int


@dataclass(frozen=True)
class DirectionResult:
    """What one direction carried. Rates are those of the measured window, counts and latency of the run."""

    frames: int
    """Delivered, right and in order."""
    measured_frames: int
    """Those of them that arrived in the measured window."""
    frames_per_s: float
    udp_payload_gbps: float
    wire_gbps: float
    """With preamble, frame check sequence and gap: the time that the frames take on the wire."""
    line_rate_fraction: float
    """`wire_gbps` as a share of the link's rate, which is the share of the most frames of these sizes."""
    latency_ns: Latency | None
    """`None` if nobody measured it."""


@dataclass(frozen=True)
class FrameCounts:
    """What became of the frames, by direction."""

    offered: ByDirection
    delivered: ByDirection
    dropped: Mapping[Direction, Mapping[str, Mapping[str, int]]]
    """How many were dropped, by place and reason; nothing that is zero."""
    in_flight: ByDirection
    """Offered and neither delivered nor dropped: still inside, or lost."""
    corrupted: ByDirection
    reordered: ByDirection
    duplicated: ByDirection


@dataclass(frozen=True)
class CoreResult:
    """What a core, or the mean core, did in the measured window."""

    ipc: float
    """Instructions per cycle."""
    cycles: Mapping[str, float]
    """The fraction of all cycles that each cause took; they sum to 1."""
    per_cycle: Mapping[str, float]
    """Instructions per cycle by class: `loads` and `stores` (`ll` and `sc` among them), `atomics` (`set` and
    `update`), `branches`, and others that the core counts."""


@dataclass(frozen=True)
class Task:
    """What a firmware task took in the measured window, per frame but for the share."""

    instructions: float
    cycles: float
    memory_accesses: float
    share_of_cycles: float
    """Of all cycles of all cores."""


@dataclass(frozen=True)
class MemoryResult:
    """What a memory moved in the measured window, in Gb/s."""

    gbps: float
    peak_gbps: float
    useful_gbps: float
    """Of that, what was asked for: without padding to whole words."""
    efficiency: float | None = None
    """The share of its busy cycles in which it moved data; `None` where nobody counts them."""


@dataclass(frozen=True)
class MeasuredWindow:
    """The window in which rates are measured, from the start of the simulation."""

    start_ns: int
    end_ns: int
    is_steady: bool
    """Whether every direction ran at full depth all the time. In runs too short for that, the window is the
    whole run."""


@dataclass(frozen=True)
class Failure:
    """Why a run failed."""

    message: str
    details: str
    """Registers, the last instructions, or who waits for whom; several lines."""


@dataclass(frozen=True)
class Result:
    """What a run did."""

    nic: str
    config: Mapping[str, bool | int | str]
    """Every parameter that a person can set, by the path that `set` takes, as it was."""
    version: str
    firmware: Firmware | None
    seed: int
    traffic: tuple[str, ...]
    request: Mapping[str, str | tuple[str, ...]]
    """The options of the run that it follows from, as the command line takes them."""
    notes: tuple[str, ...]
    """What a person should know about the traffic, such as frames of a capture that were left out."""
    complete: bool
    """Whether the run went as far as it was asked to, without failure."""
    failure: Failure | None
    simulated_ns: int
    wall_s: float
    """How long the simulation took, without set-up."""
    simulated_cycles: Mapping[str, int]
    """Cycles by clock domain."""
    instructions: int
    """Of all cores together."""
    measured_window_ns: int
    measured_window: MeasuredWindow
    tx: DirectionResult
    rx: DirectionResult
    frames: FrameCounts
    cores: tuple[CoreResult, ...]
    cores_mean: CoreResult | None
    """`None` without cores."""
    tasks: Mapping[str, Task]
    """Tasks of sending per frame sent, of receiving per frame received, others per frame of either."""
    memories: Mapping[str, MemoryResult]

    def __repr__(self) -> str:
        """What ran and how fast, in a line; the fields have everything."""
        firmware = f", firmware {self.firmware.name}" if self.firmware else ""
        ending = (
            ""
            if self.complete
            else f", not complete: {self.failure.message if self.failure else 'interrupted'}"
        )
        rates = ", ".join(
            f"{name} {100 * way.line_rate_fraction:.1f}% of line rate"
            for name, way in (("tx", self.tx), ("rx", self.rx))
            if way.frames
        )
        what = f"{self.nic}{firmware}, {' '.join(self.traffic)}"
        return f"<Result {what}: {rates or 'no frames'}, {self.simulated_ns / 1e6:.3f} ms{ending}>"

    @property
    def core_domain(self) -> str:
        """The clock domain whose cycles say how fast it was simulated: `core`, or else the fastest."""
        cycles = self.simulated_cycles
        return "core" if "core" in cycles else max(cycles, key=cycles.__getitem__, default="")

    @property
    def core_cycles_per_wall_s(self) -> float:
        """How fast it was simulated: cycles of `core_domain` per second; 0 if no time was measured."""
        return self.simulated_cycles.get(self.core_domain, 0) / self.wall_s if self.wall_s else 0.0

    def document(self) -> dict[str, Any]:
        """As plain data, in the form of the document."""
        fields = list(asdict(self).items())
        after = 1 + next(place for place, (name, _) in enumerate(fields) if name == "wall_s")
        speed = ("core_cycles_per_wall_s", self.core_cycles_per_wall_s)
        return {"schema": SCHEMA, **dict([*fields[:after], speed, *fields[after:]])}

    def to_json(self) -> str:
        """The document as text."""
        return json.dumps(self.document(), indent=2) + "\n"
