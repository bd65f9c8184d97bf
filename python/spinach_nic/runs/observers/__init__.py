"""Observers of runs: one class for each output, in one file each, and their registration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spinach_nic.runs.observers.base import Observed, ObservedCard, Observer
from spinach_nic.runs.observers.call_stacks import CallStacks
from spinach_nic.runs.observers.capture import Capture
from spinach_nic.runs.observers.coherence import CoherenceCheck
from spinach_nic.runs.observers.line_trace import LineTrace
from spinach_nic.runs.observers.timeline import Timeline
from spinach_nic.runs.observers.traces import Traces
from spinach_nic.runs.observers.waveforms import Waveforms
from spinach_nic.support.errors import SpinachError

__all__ = [
    "OBSERVERS",
    "CoherenceCheck",
    "Observed",
    "ObservedCard",
    "Observer",
    "ObserverOptions",
    "requested",
]


class ObserverOptions(
    Capture.Options,
    Timeline.Options,
    Waveforms.Options,
    LineTrace.Options,
    Traces.Options,
    CallStacks.Options,
    CoherenceCheck.Options,
    total=False,
):
    """Options of all observers."""


OBSERVERS: tuple[type[Observer], ...] = (
    Capture,
    Timeline,
    Waveforms,
    LineTrace,
    Traces,
    CallStacks,
    CoherenceCheck,
)
"""Observers in the order in which they are attached and finished."""


def requested(options: Mapping[str, Any]) -> tuple[Observer, ...]:
    """Return the observers that options of a run request.

    Raises:
        SpinachError: They cannot be combined, or options of one contradict each other.
    """
    found = tuple(one for kind in OBSERVERS if (one := kind.requested(options)) is not None)
    exclusive = [one.does for one in found if one.is_exclusive]
    if len(exclusive) > 1:
        raise SpinachError(f"no run {' and '.join(exclusive)}", "use them one at a time")
    return found
