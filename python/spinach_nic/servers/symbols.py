"""Functions of a kernel and its programs, with their addresses and object files.

As kept, a function is a line: its address in hexadecimal, the object file that it was linked from, and its
name.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from spinach_nic.support.errors import SpinachError

UNKNOWN = "?"
"""Name of code in no function, and file of code in no known file."""
_CODE = "tTwW"
_WHOLE = re.compile(r"(^|/)(vmlinux|built-in|\.tmp_)")
"""Objects that were linked from others."""


class Function(Struct, frozen=True, order=True):
    """A function of a program."""

    address: int
    file: str
    """The object that it was linked from, as `net/ipv4/tcp.o`."""
    name: str


NOWHERE = Function(0, UNKNOWN, UNKNOWN)


class Symbols:
    """Functions by address."""

    def __init__(self, functions: Iterable[Function]) -> None:
        """Create the table of these functions; of several at one address it keeps the first."""
        self._functions = sorted({it.address: it for it in sorted(functions, reverse=True)}.values())
        self._addresses = [it.address for it in self._functions]

    @classmethod
    @lru_cache(maxsize=4)
    def read(cls, content: bytes) -> Symbols:
        """Cached symbols."""
        lines = (line.split(" ", 2) for line in content.decode().splitlines())
        return cls(Function(int(address, 16), file, name) for address, file, name in lines)

    @property
    def functions(self) -> Sequence[Function]:
        """Functions in the order of their addresses."""
        return self._functions

    def find(self, address: int) -> Function:
        """Return the function that an address is in, or `NOWHERE`."""
        place = bisect_right(self._addresses, address)
        return self._functions[place - 1] if place else NOWHERE


def of_program(program: Path, nm: str) -> bytes:
    """Return the functions of a program, in their cached form.

    Raises:
        SpinachError: They cannot be listed.
    """
    return _written(Function(address, program.name, name) for _, address, name in _listed(nm, [program]))


def of_kernel(tree: Path, nm: str) -> bytes:
    """Return the functions of a kernel that was built in a folder, in their cached form.

    Raises:
        SpinachError: They cannot be listed.
    """
    objects = sorted(path for path in tree.rglob("*.o") if not _WHOLE.search(str(path.relative_to(tree))))
    files: dict[str, list[str]] = {}
    for path, _, name in _listed(nm, objects):
        files.setdefault(name, []).append(str(Path(path).relative_to(tree)))
    functions, last = [], UNKNOWN
    for _, address, name in sorted(_listed(nm, [tree / "vmlinux"])):
        # Static functions of one name lie next to others of their file.
        candidates = files.get(name, [UNKNOWN])
        last = last if last in candidates else candidates[0]
        functions.append(Function(address, last, name))
    return _written(functions)


def of_module(module: Path, address: int, objdump: str) -> bytes:
    """Return the functions of a module whose code the kernel has placed at an address, in their cached form.

    Raises:
        SpinachError: They cannot be listed.
    """
    found = re.findall(
        r"^([0-9a-f]+) .* F \.text\t[0-9a-f]+ (?:\.hidden )?(\S+)$",
        _printed([objdump, "--syms", str(module)]),
        re.MULTILINE,
    )
    return _written(Function(address + int(place, 16), module.name, name) for place, name in found)


def address_of(program: Path, symbol: str, nm: str) -> int:
    """Return the address of a symbol of a program.

    Raises:
        SpinachError: There is no such symbol.
    """
    if found := re.search(rf"^([0-9a-f]+) \w {symbol}$", _printed([nm, str(program)]), re.MULTILINE):
        return int(found[1], 16)
    raise SpinachError(f"there is no symbol {symbol} in {program}", "build it again")


def _printed(command: Sequence[str]) -> str:
    import subprocess

    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SpinachError(f"there is no list of functions: {done.stderr.strip()}", "build it again")
    return done.stdout


def _listed(nm: str, paths: Sequence[Path]) -> list[tuple[str, int, str]]:
    """Return the functions that `nm` lists: the file, the address, the name."""
    listed = []
    for line in _printed([nm, "--defined-only", "--print-file-name", *map(str, paths)]).splitlines():
        place, kind, name = line.split(" ", 2)
        path, _, address = place.rpartition(":")
        # Local labels of the assembler and of the compiler are not functions.
        if kind in _CODE and not name.startswith((".L", "$", "__riscv_")):
            listed.append((path, int(address, 16), name))
    return listed


def _written(functions: Iterable[Function]) -> bytes:
    return b"".join(b"%x %s %s\n" % (it.address, it.file.encode(), it.name.encode()) for it in functions)
