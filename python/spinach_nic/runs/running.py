"""The call `run`."""

from __future__ import annotations

from typing import Unpack

from spinach_nic.benches import Runnable
from spinach_nic.runs.execution import execute
from spinach_nic.runs.options import RunOptions, completed
from spinach_nic.runs.result import Result
from spinach_nic.support.options import takes


@takes(RunOptions, completed)
def run(nic: Runnable, **options: Unpack[RunOptions]) -> Result:
    """Simulate a NIC under traffic, and return its result.

    The run ends when every frame is accounted for, delivered or dropped, or at `time`, whichever comes first.

    Args:
        nic: A card or a bench: a shipped name, a Python file, a class, or an object that is not built yet.
        options: Options of `RunOptions`; `help(run)` lists them.

    Raises:
        SpinachError: If the request is wrong.
        RunError: If the system failed: a `FirmwareFault`, `FrameError` or `StoppedError`, with the result.
        RunInterrupted: If the user interrupts, with the result until then.
    """
    return execute(nic, **options).check()
