"""Recording of traces, and selection of their instructions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from spinach_nic import _native
from spinach_nic.firmware.memory_range import MemoryRange
from spinach_nic.support.arguments import Within, check_fields, checked


@dataclass(frozen=True)
class TraceFilter:
    """Selection of a trace's instructions; all by default.

    The papers study an idealized stream without idling and synchronisation: exclude those tasks.
    """

    cores: Sequence[Annotated[int, Within(0, 65535)]] | None = None
    """Only these."""
    tasks: Sequence[str] | None = None
    """Only these."""
    tasks_excluded: Sequence[str] = ()
    functions_excluded: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Reject invalid filters."""
        check_fields(self)

    def to_json(self) -> str:
        """Return the filter for the native studies."""
        return json.dumps(asdict(self))


@dataclass(frozen=True)
class TraceDescription:
    """Description of an instruction trace."""

    instructions: int
    is_timed: bool
    """True if it has the cycles in which instructions completed."""
    is_complete: bool
    """True if the run that wrote it came to an end, or was interrupted. A process that was killed leaves
    its first instructions."""
    instruction_set: str
    extensions: Sequence[str]
    tasks: Sequence[str]
    """Names of tasks; the first represents instructions of no known task."""
    overhead_tasks: Sequence[str]
    """Tasks that do not process frames: the papers leave them out of an idealized stream, since they wait,
    or would not exist with one core."""
    functions: Sequence[str]
    """Names of functions; the first represents instructions of no known function."""


@checked
def describe_trace(trace: Path) -> TraceDescription:
    """Read the description of an instruction trace.

    Raises:
        SpinachError: No instruction trace.
    """
    return TraceDescription(**json.loads(_native.describe_trace(trace)))


@dataclass(frozen=True)
class AccessTraceDescription:
    """Description of an access trace."""

    accesses: int
    is_timed: bool
    """True if it has the cycles of the accesses."""
    is_complete: bool
    """True if the run that wrote it came to an end, or was interrupted. A process that was killed leaves
    its first accesses."""
    agents: Sequence[str]


@checked
def describe_access_trace(trace: Path) -> AccessTraceDescription:
    """Read the description of an access trace.

    Raises:
        SpinachError: No access trace.
    """
    return AccessTraceDescription(**json.loads(_native.describe_access_trace(trace)))


@checked
def idealized(trace: Path) -> TraceFilter:
    """Leave out the tasks of a trace that wait, dispatch and lock, as its firmware declares them.

    Raises:
        SpinachError: No instruction trace.
    """
    return TraceFilter(tasks_excluded=describe_trace(trace).overhead_tasks)


@checked
def access_agents(trace: Path) -> list[str]:
    """Return the agents of an access trace.

    Raises:
        SpinachError: No access trace.
    """
    return list(describe_access_trace(trace).agents)


@checked
def record_trace(
    image: Path,
    trace: Path,
    memory: MemoryRange,
    *,
    extensions: Sequence[str] = (),
    tasks: Mapping[str, str] | None = None,
    instructions_maximum: Annotated[int, Within(1, 10**12)] = 1_000_000_000,
) -> int:
    """Run an image on the reference interpreter, one core without devices, and write an untimed trace.

    Args:
        image: An ELF executable for the default instruction set that ends in `break`.
        trace: The Parquet file to write.
        memory: The only memory there is.
        extensions: Extensions of the instruction set, such as `atomic_bit_array`.
        tasks: Task that each function begins. Other functions belong to the task that called them.
        instructions_maximum: The recording ends there at the latest.

    Returns:
        The number of instructions.

    Raises:
        SpinachError: The image cannot be read or does not fit, a name is unknown, the program raises an
            exception, or the trace cannot be written.
    """
    return _native.record_trace(
        image, trace, (memory.base, memory.bytes), list(extensions), dict(tasks or {}), instructions_maximum
    )
