"""Memory that native code allocates: without it, the process would end without an explanation."""

from __future__ import annotations

import mmap

from spinach_nic.support.errors import SpinachError

_BESIDES = 16 << 20
"""Bytes for everything else that native code allocates at the same time."""
_LEAST = 1 << 20
"""Sizes below are not checked."""


def check_memory(size: int, what: str) -> None:
    """Check that the system grants memory before native code allocates it.

    Args:
        size: Number of bytes.
        what: Subject of the error, such as `the server`.

    Raises:
        SpinachError: The system refuses, such as by a limit of `ulimit -v`.
    """
    if size < _LEAST:
        return
    try:
        # A private mapping counts like memory of native code; nothing is written, so no page is used.
        mmap.mmap(-1, size + _BESIDES, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
    except (OSError, OverflowError) as error:
        message = f"{what} needs {-(-size >> 20)} MiB of memory, which the system refuses"
        raise SpinachError(message, "choose less memory, end other programs, or raise ulimit -v") from error
