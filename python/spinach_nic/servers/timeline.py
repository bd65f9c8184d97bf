"""Activity of servers over time, for Perfetto's viewer."""

from __future__ import annotations

from pathlib import Path

from spinach_nic import _native
from spinach_nic.servers.categories import IDLE, OTHER, USER, category_of
from spinach_nic.servers.symbols import Symbols
from spinach_nic.support.units import Rate, Time

_PICOSECOND_FS = 1000
CATEGORY_NAMES = (IDLE, USER, OTHER)
"""Categories of waiting, of user mode, and of other code of the kernel."""


def functions_of(symbols: bytes) -> list[tuple[int, str, str]]:
    """Return address, name and category of each function, as timelines need them.

    Args:
        symbols: The functions of kernel and programs, as `spinach_nic.servers.symbols` keeps them.
    """
    return [(it.address, it.name, category_of(it)) for it in Symbols.read(symbols).functions]


def record(
    server: _native.Server, symbols: bytes, begin: Time, length: Time, rate: Rate | None = None
) -> None:
    """Record the activity of harts and the link in a window of simulated time.

    Args:
        server: The server, or two.
        symbols: The functions of kernel and programs, as `spinach_nic.servers.symbols` keeps them.
        begin: Beginning of the window, from now on.
        length: Length of the window.
        rate: Rate of the link between two servers.
    """
    window = (begin.femtoseconds // _PICOSECOND_FS, length.femtoseconds // _PICOSECOND_FS)
    server.record(window, functions_of(symbols), CATEGORY_NAMES, rate.bits_per_second if rate else 1)


def write(server: _native.Server, path: Path, length: Time) -> str:
    """Write the recorded activity to a file, and return a summary.

    Args:
        server: The recorded server or servers.
        path: Path of the file.
        length: Requested length of the window.

    Raises:
        SpinachError: The file cannot be written.
    """
    slices, covered_ps = server.write_timeline(path) or (0, 0)
    said = f"timeline: {slices:,} slices of {covered_ps / 1e9:.3f} ms"
    if covered_ps < length.femtoseconds // _PICOSECOND_FS:
        said += f", and not of all {length}: the servers ended, or more happened than a timeline keeps"
    return said
