"""Running a NIC: `run` takes a description and a request, and gives a result."""

from __future__ import annotations

from typing import Unpack

from spinach_nic.benches import Runnable
from spinach_nic.runs.checkpoints import SaveRequest
from spinach_nic.runs.console import ConsoleRequest, Terminal
from spinach_nic.runs.debugging import DebugRequest
from spinach_nic.runs.delays import Delay, delay_at
from spinach_nic.runs.errors import (
    CoherenceError,
    FirmwareFault,
    FrameError,
    RunError,
    RunInterrupted,
    StoppedError,
)
from spinach_nic.runs.execution import Finished, execute
from spinach_nic.runs.observers.coherence import Hazard
from spinach_nic.runs.options import DEFAULT_FRAMES, DEFAULT_STALL, RunOptions, completed
from spinach_nic.runs.result import Result
from spinach_nic.runs.session import Progress, Sample
from spinach_nic.support.options import takes

__all__ = [
    "DEFAULT_FRAMES",
    "DEFAULT_STALL",
    "CoherenceError",
    "ConsoleRequest",
    "DebugRequest",
    "Delay",
    "Finished",
    "FirmwareFault",
    "FrameError",
    "Hazard",
    "Progress",
    "RunError",
    "RunInterrupted",
    "RunOptions",
    "Sample",
    "SaveRequest",
    "StoppedError",
    "Terminal",
    "completed",
    "delay_at",
    "execute",
    "run",
]


@takes(RunOptions, completed)
def run(nic: Runnable, **options: Unpack[RunOptions]) -> Result:
    """Simulate a NIC under traffic, and say what it did.

    The run ends when every frame is accounted for, delivered or dropped, or at `time`, whichever comes first.

    Args:
        nic: A card or a bench: a shipped name, a Python file, a class, or an object that is not built yet.
        options: As `RunOptions` declares them, and `help(run)` lists them.

    Raises:
        SpinachError: If the request is wrong.
        RunError: If the system failed: a `FirmwareFault`, `FrameError` or `StoppedError`, with the result.
        RunInterrupted: If the user interrupts, with the result until then.
    """
    return execute(nic, **options).check()
