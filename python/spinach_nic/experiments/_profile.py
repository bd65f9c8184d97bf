"""Time of the firmware by function, divided as in the thesis."""

from __future__ import annotations

from spinach_nic.runs.result import Result

FUNCTIONS = {
    "dispatch": ("send_dispatch_ordering", "receive_dispatch_ordering", "idle"),
    "dispatch_locking": (),
    "send": ("fetch_send_bd", "send_frame"),
    "send_locking": ("send_locking",),
    "receive": ("fetch_receive_bd", "receive_frame"),
    "receive_locking": ("receive_locking",),
    "miscellaneous": (),
    "miscellaneous_locking": (),
}
"""Our tasks in each. What belongs to no task, such as code that several share, is miscellaneous."""


def execution_time(result: Result) -> dict[str, float]:
    """Return the percentage of all cycles of all cores of each function."""
    shares = {
        function: sum(100 * result.tasks[task].share_of_cycles for task in tasks)
        for function, tasks in FUNCTIONS.items()
    }
    shares["miscellaneous"] = 100 - sum(shares.values())
    return shares
