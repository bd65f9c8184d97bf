"""Cost of a frame without the cost of parallel cores: the first table of both publications."""

from __future__ import annotations

from spinach_nic.experiments._tengig import FULL_PAYLOAD, line_frames_per_s
from spinach_nic.experiments.runner import Rows, number, only

TASKS = ("fetch_send_bd", "send_frame", "fetch_receive_bd", "receive_frame")
"""The tasks that any such NIC has. Dispatching, ordering and locking come with parallel cores."""
SEND_TASKS, RECEIVE_TASKS = TASKS[:2], TASKS[2:]

SINGLE_CORE_CLOCK_MHZ = 200
"""Too slow for the line: a core that always finds work does much at a time, and does not poll."""


def total(rows: Rows, tasks: tuple[str, ...], column: str) -> float:
    """Return a column, summed over tasks."""
    return sum(number(only(rows, task=task), column) for task in tasks)


def million_instructions_per_s(rows: Rows, tasks: tuple[str, ...]) -> float:
    """Return the instruction rate of the tasks at line rate with the longest frames."""
    return total(rows, tasks, "instructions") * line_frames_per_s(FULL_PAYLOAD) / 1e6


def access_gbps(rows: Rows, tasks: tuple[str, ...]) -> float:
    """Return the data rate of 32-bit accesses at line rate with the longest frames."""
    return total(rows, tasks, "data_accesses") * 32 * line_frames_per_s(FULL_PAYLOAD) / 1e9


def required_frame_memory_gbps() -> float:
    """Every frame of 1518 bytes is stored once and read once in each direction (thesis, section 4.1.1)."""
    return 4 * 8 * 1518 * line_frames_per_s(FULL_PAYLOAD) / 1e9
