"""Errors of firmware, in the user's terms."""

from collections.abc import Iterable
from difflib import get_close_matches

from spinach_nic.support.errors import SpinachError


class FirmwareError(SpinachError):
    """Firmware cannot be found, compiled, loaded or understood."""


def nearest(wrong: str, valid: Iterable[str]) -> str:
    """Return a line of help for a name that does not exist: the names most like it, or else all of them."""
    names = sorted(valid)
    close = get_close_matches(wrong, names, n=3, cutoff=0.5)
    if close:
        return f"did you mean {' or '.join(close)}?"
    return f"valid names: {', '.join(names)}" if names else "there are none"
