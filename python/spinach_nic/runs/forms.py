"""Types of values that several options of a run share."""

from __future__ import annotations

from typing import Any

from spinach_nic.support.arguments import Within
from spinach_nic.support.files import output_path
from spinach_nic.support.limits import shortened
from spinach_nic.support.options import Files, Flag, Option, one_text
from spinach_nic.support.units import Time, fs, parse_quantity, s

OUTPUTS = "Outputs"
"""Section of options that write files."""
TIMES = Within(fs(1), s(1000))
"""Range of simulated times; leaves room for everything that a run adds."""


def read_time(text: str) -> Time:
    """Read a simulated time."""
    return parse_quantity(text, Time)


def time_text(time: Time) -> str:
    """Return a simulated time in one word."""
    return str(time).replace(" ", "")


def time_flag(name: str, help: str = "") -> Flag:
    """Return the flag of a simulated time."""
    return Flag(name, "TIME", read_time, _time_texts, help=help)


def _time_texts(time: Time) -> list[str]:
    return [time_text(time)]


def patterns_flag(name: str) -> Flag:
    """Return the flag of names with `*` and `?`, which may be repeated."""
    return Flag(name, "PATTERN", str, list, gather=tuple, help="Example: 'processor[0].*'.")


def output_file(flag: str, meaning: str, noun: str, **others: Any) -> Option:
    """Return the option of a file that a run writes.

    Args:
        flag: The flag, with its dashes.
        meaning: Help in a sentence.
        noun: Noun in errors, such as `the capture to write`.
        others: Further fields of the option.
    """
    return Option(
        meaning,
        **{"section": OUTPUTS, **others},
        default=None,
        flag=Flag(flag, "FILE", output_path, one_text),
        files=Files(is_output=True, what=noun),
    )


def read_switch(text: str) -> bool:
    """Read a switch.

    Raises:
        ValueError: It is neither true nor false.
    """
    if text.lower() not in ("true", "false"):
        raise ValueError(f"{shortened(text)} is neither true nor false")
    return text.lower() == "true"
