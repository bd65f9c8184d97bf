"""Errors of firmware, in the user's terms."""

from collections.abc import Iterable

from spinach_nic.support.errors import SpinachError


class FirmwareError(SpinachError):
    """Firmware cannot be found, compiled, loaded or understood."""


MOST_LISTED = 20
"""Maximum names in a line of help."""


def similar(wrong: str, valid: Iterable[str]) -> list[str]:
    """Return the valid names most like a name that does not exist, the most similar first."""
    from difflib import get_close_matches

    return get_close_matches(wrong, sorted(valid), n=3, cutoff=0.5)


def nearest(wrong: str, valid: Iterable[str]) -> str:
    """Return a line of help for a name that does not exist: the names most like it, or else valid names."""
    names = sorted(valid)
    close = similar(wrong, names)
    if close:
        return f"did you mean {' or '.join(close)}?"
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return f"valid names: {', '.join(names[:MOST_LISTED])}{more}" if names else "there are none"
