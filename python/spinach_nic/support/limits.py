"""Numbers of users, within bounds: one parser, and one form of errors."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

_LONGEST_NUMBER = 80
"""Characters of the longest integer that is read: one of 64 binary digits, and some more."""
_LONGEST_SHOWN = 60
_LONGEST_LINE = 2000
_DIRECTIONS = (0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A))
"""Characters that turn the direction of text, or separate lines."""
_COMMANDING = {
    code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
    for code in (*range(0x20), *range(0x7F, 0xA0), *_DIRECTIONS)
    if chr(code) not in "\n\t"
}
_COMMANDING_BUT_RETURN = {code: shown for code, shown in _COMMANDING.items() if chr(code) != "\r"}


def shortened(value: Any) -> str:
    """Return a user's value in a short form for messages."""
    if isinstance(value, int) and value.bit_length() > 8 * _LONGEST_SHOWN:
        # Python refuses to write out a number of thousands of digits.
        return f"a number of {value.bit_length()} binary digits"
    shown = written(value)
    return shown if len(shown) <= _LONGEST_SHOWN else f"{shown[: _LONGEST_SHOWN - 3]}..."


def printable(text: str) -> str:
    """Escape characters that command a terminal, which names and documents may hold."""
    return text.translate(_COMMANDING)


def printable_console(text: str) -> str:
    """Escape the output of a console as `printable` does, except carriage returns, part of its line ends."""
    return text.translate(_COMMANDING_BUT_RETURN)


def cut(text: str) -> str:
    """Shorten very long lines in the middle, such as those of an error with a name of 100 KB."""
    return "\n".join(_cut_line(line) for line in text.split("\n"))


def _cut_line(line: str) -> str:
    half = _LONGEST_LINE // 2
    return line if len(line) <= _LONGEST_LINE else f"{line[:half]} ... {line[-half:]}"


@singledispatch
def written(value: Any) -> str:
    """Return a value in its written form; types that differ from Python register a function."""
    return repr(value)


def parse_whole(text: str) -> int | None:
    """Return the integer in a text, decimal, or after `0x`, `0o` or `0b`; `None` without one."""
    if len(text) > _LONGEST_NUMBER:
        return None
    try:
        return int(text, 0)
    except ValueError:
        return None


def beyond(value: Any, smallest: Any, largest: Any) -> str | None:
    """Return the error of a value outside of `smallest` to `largest`; `None` if it is inside."""
    if value < smallest:
        return f"{shortened(value)} is below the smallest, {bound(smallest)}"
    if value > largest:
        return f"{shortened(value)} is above the largest, {bound(largest)}"
    return None


def bound(value: Any) -> str:
    """Return the end of a range in its written form."""
    is_power = isinstance(value, int) and value > 2**48 and not value & (value + 1)
    return f"2^{value.bit_length()} - 1" if is_power else str(value)
