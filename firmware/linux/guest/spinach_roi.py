"""Regions of interest of a Python program on a simulated server.

The calls are an extension of the server's firmware, and need the GNU C library. Elsewhere the kernel
refuses them, and the program runs as without.
"""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

_EXTENSION = 0x0A50494E
_BEGIN, _END, _CHECKPOINT = range(3)


def _call(function: int, first: object = None, second: int = 0) -> None:
    # The seventh argument is the number of the function in a6.
    zero = ctypes.c_long(0)
    arguments = (first or zero, ctypes.c_long(second), zero, zero, zero, zero, ctypes.c_long(function))
    ctypes.CDLL(None).syscall(ctypes.c_long(_EXTENSION), *arguments)


def roi_begin(name: str) -> None:
    """Begin a region with a name of at most 128 bytes; regions may nest."""
    text = name.encode()
    _call(_BEGIN, ctypes.c_char_p(text), len(text))


def roi_end() -> None:
    """End the region that began last."""
    _call(_END)


def checkpoint() -> None:
    """Take a checkpoint: the file of `--save`. A restored server continues here."""
    _call(_CHECKPOINT)


@contextmanager
def region(name: str) -> Iterator[None]:
    """Measure the body of a with statement."""
    roi_begin(name)
    try:
        yield
    finally:
        roi_end()
