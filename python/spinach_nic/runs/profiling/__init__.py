"""Profiling firmware: what each function and source line cost, and where its cycles went."""

from __future__ import annotations

from typing import Unpack

from spinach_nic.benches import Runnable
from spinach_nic.runs import Finished, RunOptions, completed, execute
from spinach_nic.runs.profiling.callgrind import callgrind
from spinach_nic.runs.profiling.comparing import FunctionDifference, ProfileComparison, compare_profiles
from spinach_nic.runs.profiling.flame import flame_svg, folded
from spinach_nic.runs.profiling.gathering import gather
from spinach_nic.runs.profiling.model import (
    CallCost,
    FirmwareCosts,
    FirmwareProfile,
    FunctionCost,
    LineCost,
    Place,
    StackCost,
)
from spinach_nic.support.arguments import checked
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.options import takes

__all__ = [
    "CallCost",
    "FirmwareCosts",
    "FirmwareProfile",
    "FunctionCost",
    "FunctionDifference",
    "LineCost",
    "Place",
    "ProfileComparison",
    "StackCost",
    "callgrind",
    "compare_profiles",
    "flame_svg",
    "folded",
    "profile",
    "profile_of",
]


@takes(RunOptions, completed)
def profile(nic: Runnable, **options: Unpack[RunOptions]) -> FirmwareProfile:
    """Simulate a NIC under traffic, and return the cost of each function of its firmware.

    The costs are those of the measured window, as are the tasks of the result.

    Args:
        nic: NIC, as for `run`.
        options: Options of `run`.

    Raises:
        SpinachError: If the request is wrong, or the NIC runs no firmware.
        RunError: If the system failed.
        RunInterrupted: If the user interrupts.
    """
    # A run that was saved keeps the accounts that it kept.
    options["call_stacks"] = options["call_stacks"] or options["restore"] is None
    finished = execute(nic, **options)
    finished.check()
    return profile_of(finished)


@checked
def profile_of(finished: Finished) -> FirmwareProfile:
    """Return the firmware profile of a run that has ended, well or not.

    Raises:
        SpinachError: The NIC runs no firmware.
    """
    if finished.image is None:
        help = "profile one that has an image, or give an ELF file with --firmware"
        raise SpinachError(f"{finished.result.nic} runs no firmware", help)
    return gather(finished, finished.image.executable)
