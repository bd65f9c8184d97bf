"""Programs of the host machine on a server: `spinach boot --exec`.

The program, the shared libraries it needs and its arguments are packed into a second archive that the kernel
unpacks over the first. The first program of the server then executes it in front of the console and ends the
simulation with its exit status.
"""

from __future__ import annotations

import os
import shutil
import struct
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from msgspec import Struct

from spinach_nic.firmware.description import shipped_root
from spinach_nic.servers.archive import Entry, archive, document, folder, program
from spinach_nic.servers.linux import ARGUMENTS, Linux
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import read_file

FOLDER = "exec"
"""Folder of the program on the server."""
LIBRARY_FOLDERS = ("/usr/riscv64-linux-gnu/lib", "/usr/lib/riscv64-linux-gnu", "/lib/riscv64-linux-gnu")
"""Folders of the host with shared libraries for RISC-V; the program's folder comes first."""
QUIET_ARGUMENTS = "console=hvc0 loglevel=3"
"""Kernel command line for programs: the console shows their output only."""
LARGEST_PROGRAM = 1 << 30
"""Bytes of the largest program or library."""
ARGUMENTS_BYTES = 64 << 10
"""Maximum bytes of a program's arguments, as in `firmware/linux/program.c`."""
_HELPER = "spinach_roi.py"
_RISCV = 243
_MACHINES = {3: "x86", 62: "x86-64", 40: "Arm", 183: "64-bit Arm", _RISCV: "RISC-V"}
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_TAG = struct.Struct("<QQ")
_LOADED, _DYNAMIC, _INTERPRETER = 1, 2, 3
_NEEDED, _STRINGS = 1, 5


class Task(Struct, frozen=True, kw_only=True):
    """Program, disk and shared folder of a server that reads no commands."""

    words: tuple[str, ...] = ()
    """The program, a file of the host or a name on the disk, and its arguments; a shell if there are none."""
    input: bytes | None = None
    """Content of standard input; a terminal if it is `None`."""
    has_disk: bool = False
    is_shared: bool = False

    @property
    def is_program(self) -> bool:
        """True if a program runs, and no commands are read."""
        return bool(self.words) or self.has_disk

    def linux(self, start: Linux, arguments: str | None = None) -> Linux:
        """Return the boot content of a server with this task.

        Args:
            start: Kernel and initramfs.
            arguments: Kernel command line, if it is not the default.

        Raises:
            SpinachError: The program or a library it needs is missing or not for RISC-V.
        """
        given = arguments or (QUIET_ARGUMENTS if self.is_program else ARGUMENTS)
        files = start.with_files(archive(list(self._entries())))
        variables = [" ".join(self._variables(node)) for node in range(2)]
        return replace(files, arguments=given, arguments_by_node=tuple(variables))

    def _variables(self, node: int) -> Iterator[str]:
        """Environment of a server's first program, from the kernel's command line."""
        if node == 0 and self.is_program:
            yield "program=given"
            yield from () if self.input is None else ("input=1",)
        elif self.has_disk:
            yield "program=shell"
        if self.input is not None:
            yield "plain=1"
        elif sys.stdin.isatty():
            size = shutil.get_terminal_size()
            yield f"rows={size.lines} columns={size.columns}"
        if self.has_disk:
            yield "disk=1"
        if self.is_shared:
            yield "share=1"

    def _entries(self) -> Iterator[Entry]:
        if not self.is_program:
            return
        yield folder(FOLDER)
        words, name = list(self.words) or ["/bin/sh", "-l"], None
        found = Path(words[0])
        if self.words and (os.path.isfile(found) or not self.has_disk):
            content = read_file(found, "name a program for RISC-V", limit=LARGEST_PROGRAM)
            name = found.name
            words[0] = f"/{FOLDER}/{name}"
            yield program(f"{FOLDER}/{name}", content)
            if not self.has_disk:
                yield from _libraries(found, content)
            elif not content.startswith(b"#!"):
                Elf.of(found, content)
        text = b"".join(word.encode(errors="surrogateescape") + b"\0" for word in words)
        if len(text) >= ARGUMENTS_BYTES:
            raise SpinachError(
                f"the arguments of {words[0]} have {len(text)} bytes (at most {ARGUMENTS_BYTES - 1})",
                "pass them in a file",
            )
        yield document(f"{FOLDER}/arguments", text)
        yield document(f"{FOLDER}/{_HELPER}", (shipped_root() / "linux" / "guest" / _HELPER).read_bytes())
        if self.input is not None:
            yield document(f"{FOLDER}/input", self.input)


class Elf(Struct, frozen=True):
    """Dynamic linking information of an ELF file for RV64."""

    interpreter: str
    """Path of the dynamic linker; empty for a static program."""
    needed: tuple[str, ...]
    """Names of shared libraries."""

    @classmethod
    def of(cls, path: Path, content: bytes) -> Elf:
        """Read the information of a file.

        Raises:
            SpinachError: It is not a complete ELF file for RV64.
        """
        if not content.startswith(b"\x7fELF"):
            raise SpinachError(f"{path} is not an ELF program", "compile it with riscv64-linux-gnu-gcc")
        try:
            return cls._parsed(path, content)
        except (struct.error, ValueError, IndexError):
            raise SpinachError(f"{path} is a damaged ELF file", "compile the program again") from None

    @classmethod
    def _parsed(cls, path: Path, content: bytes) -> Elf:
        identity, _, machine, _, _, segments_at, _, _, _, size, count, *_ = _HEADER.unpack_from(content)
        if machine != _RISCV or identity[4] != 2:
            bits = {1: 32, 2: 64}.get(identity[4], "unknown")
            name = _MACHINES.get(machine, f"machine {machine}")
            raise SpinachError(
                f"{path} is a program for {name} of {bits} bits, not for RISC-V of 64 bits",
                "compile it with riscv64-linux-gnu-gcc",
            )
        # Type, flags, offset, virtual and physical address, bytes in the file and in memory, alignment.
        segments = [_SEGMENT.unpack_from(content, segments_at + size * number) for number in range(count)]
        interpreter, tags = "", list[tuple[int, int]]()
        for kind, _, offset, _, _, length, *_ in segments:
            if kind == _INTERPRETER:
                interpreter = _text(content, offset)
            elif kind == _DYNAMIC:
                tags = list(_TAG.iter_unpack(content[offset : offset + length // _TAG.size * _TAG.size]))
        strings = next((value for tag, value in tags if tag == _STRINGS), 0)
        for kind, _, offset, address, _, length, *_ in segments:
            if kind == _LOADED and address <= strings < address + length:
                strings += offset - address
                break
        return cls(
            interpreter, tuple(_text(content, strings + value) for tag, value in tags if tag == _NEEDED)
        )


def _text(content: bytes, offset: int) -> str:
    return content[offset : content.index(0, offset)].decode()


def _libraries(path: Path, content: bytes) -> Iterator[Entry]:
    """Yield the dynamic linker of a program and all libraries that it needs, directly or not."""
    elf = Elf.of(path, content)
    if not elf.interpreter:
        return
    yield folder("lib")
    waiting, known = [Path(elf.interpreter).name, *elf.needed], set[str]()
    while waiting:
        name = waiting.pop()
        if name in known:
            continue
        known.add(name)
        folders = [path.parent, *map(Path, LIBRARY_FOLDERS)]
        found = next((place / name for place in folders if os.path.isfile(place / name)), None)
        if found is None:
            raise SpinachError(
                f"{path} needs the shared library {name}, which is not in {', '.join(map(str, folders))}",
                "link the program with -static, or copy the library next to it",
            )
        library = read_file(found, "name a library", limit=LARGEST_PROGRAM)
        waiting += Elf.of(found, library).needed
        yield program(f"lib/{name}", library)
