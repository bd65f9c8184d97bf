"""Running a NIC: `run` takes a description and a request, and gives a result."""

from typing import TYPE_CHECKING

from spinach_nic.support.lazy import imported_when_used

if TYPE_CHECKING:
    from spinach_nic.runs.checkpoints import SaveRequest
    from spinach_nic.runs.console import ConsoleRequest, Terminal
    from spinach_nic.runs.debugging import DebugRequest
    from spinach_nic.runs.delays import Delay, delay_at
    from spinach_nic.runs.errors import (
        CoherenceError,
        EndedError,
        FirmwareFault,
        FrameError,
        RunError,
        RunInterrupted,
        StoppedError,
        UnwrittenError,
    )
    from spinach_nic.runs.execution import Finished, execute
    from spinach_nic.runs.observers.coherence import Hazard
    from spinach_nic.runs.options import DEFAULT_FRAMES, DEFAULT_STALL, RunOptions, completed
    from spinach_nic.runs.running import run
    from spinach_nic.runs.session import Progress, Sample

_MODULES = {
    "checkpoints": "SaveRequest",
    "console": "ConsoleRequest Terminal",
    "debugging": "DebugRequest",
    "delays": "Delay delay_at",
    "errors": "CoherenceError EndedError FirmwareFault FrameError RunError RunInterrupted StoppedError "
    "UnwrittenError",
    "execution": "Finished execute",
    "observers.coherence": "Hazard",
    "options": "DEFAULT_FRAMES DEFAULT_STALL RunOptions completed",
    "running": "run",
    "session": "Progress Sample",
}
"""Exported names by module, which is imported when one of them is used."""
__getattr__, __dir__ = imported_when_used(__name__, _MODULES)

__all__ = [
    "DEFAULT_FRAMES",
    "DEFAULT_STALL",
    "CoherenceError",
    "ConsoleRequest",
    "DebugRequest",
    "Delay",
    "EndedError",
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
    "UnwrittenError",
    "completed",
    "delay_at",
    "execute",
    "run",
]
