"""Compilers of firmware, and the flags that restrict each to the instructions of the modelled cores.

`docs/decisions` says why the default is what it is, with numbers.
"""

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from spinach_nic import _native
from spinach_nic.firmware.errors import FirmwareError
from spinach_nic.firmware.instruction_sets import DEFAULT_INSTRUCTION_SET, INSTRUCTION_SETS, Toolchain
from spinach_nic.support.extras import LIBRARIES, is_installed, library_version, require

DEFAULT_COMPILER = "zig"
_ZIG_PACKAGE = LIBRARIES["compiler"]

COMMON_FLAGS = (
    "-std=gnu11",
    "-O2",
    "-gdwarf-4",
    "-ffreestanding",
    "-fomit-frame-pointer",
    "-fno-pic",
    "-fno-common",
    "-fno-stack-protector",
    "-fno-unwind-tables",
    "-fno-asynchronous-unwind-tables",
    "-ffunction-sections",
    "-fdata-sections",
    "-Wall",
    "-Wextra",
    "-Werror",
)


class Compiler(ABC):
    """A C compiler with its linker. Commands are argument lists, run in the folder of the firmware."""

    name: str

    @property
    @abstractmethod
    def identity(self) -> str:
        """Name and version, in one line, for the note of an image and its cache key."""

    def check_installed(self, purpose: str) -> None:  # noqa: B027
        """Check before compiling that the compiler is installed, if its commands did not show it.

        Raises:
            SpinachError: It is not installed, so `purpose` is not possible.
        """

    @abstractmethod
    def compile_command(self, instruction_set: str) -> list[str]:
        """Return the start of a command that compiles or assembles; `-c`, source and output follow."""

    @abstractmethod
    def link_command(self, instruction_set: str) -> list[str]:
        """Return the start of a command that links; script, symbols, objects and output follow."""

    @abstractmethod
    def base_options(self, instruction_set: str) -> Sequence[str]:
        """Return the options for the base instruction set only, which follow those of `compile_command`.

        Raises:
            FirmwareError: The set has no extensions to leave out.
        """

    def environment(self, scratch: Path) -> dict[str, str]:
        """Return the environment of every command. Messages are in one language everywhere.

        Args:
            scratch: A folder for temporary files.
        """
        return {**os.environ, "LC_ALL": "C"}

    def _toolchain(self, instruction_set: str) -> Toolchain:
        if instruction_set not in INSTRUCTION_SETS:
            raise FirmwareError(
                f"compiler {self.name} has no instruction set {instruction_set}",
                _native.suggest(instruction_set, list(INSTRUCTION_SETS)),
            )
        return INSTRUCTION_SETS[instruction_set].toolchain


class Zig(Compiler):
    """Clang and LLD out of the `ziglang` wheel: no system package, the same version for everyone."""

    name = "zig"

    @cached_property
    def _program(self) -> str:
        """Path of the program; its name if it is not installed: keys of images do not contain it."""
        package = find_spec(_ZIG_PACKAGE)
        name = "zig.exe" if os.name == "nt" else "zig"
        return name if package is None or package.origin is None else str(Path(package.origin).parent / name)

    def check_installed(self, purpose: str) -> None:
        """Check that the wheel is installed."""
        require("compiler", purpose=purpose)

    @cached_property
    def identity(self) -> str:
        """Return a name such as `zig 0.17.1`: the version of the wheel, which fixes its Clang and LLD.

        If it is not installed, the version that the package requires: its own images are compiled by it.
        """
        return f"zig {library_version('compiler') if is_installed('compiler') else _required_zig()}"

    def compile_command(self, instruction_set: str) -> list[str]:
        """Clang, without the additions of zig for hosted programs."""
        target = self._toolchain(instruction_set).clang
        # Unrolling would fill the small instruction caches that firmware runs from.
        return [self._program, "cc", *target, *COMMON_FLAGS, "-fno-unroll-loops", "-fno-sanitize=all"]

    def base_options(self, instruction_set: str) -> Sequence[str]:
        """Return the processor without extensions; the last one counts."""
        return (f"-mcpu=generic_{_with_base(instruction_set)}",)

    def link_command(self, instruction_set: str) -> list[str]:
        """Return LLD itself: `zig cc` would add a runtime library."""
        flags = ("-m", self._toolchain(instruction_set).linker_emulation)
        # Lines of discarded functions go where no code is; at 0, the default, a NIC may have code.
        return [self._program, "ld.lld", *flags, "-z", "dead-reloc-in-nonalloc=.debug_*=0xffffffff"]

    def environment(self, scratch: Path) -> dict[str, str]:
        """Zig does not look at what it finds in its cache: it gets an empty one, and ours is the only one."""
        caches = {f"ZIG_{kind}_CACHE_DIR": str(scratch / "zig") for kind in ("GLOBAL", "LOCAL")}
        return {**super().environment(scratch), **caches}


class Gcc(Compiler):
    """GCC and GNU ld from the system's cross-compiler package."""

    name = "gcc"

    def _program(self, tool: str, instruction_set: str) -> str:
        import shutil

        prefix, package = self._toolchain(instruction_set).gcc
        name = prefix + tool
        program = shutil.which(name)
        if program is None:
            raise FirmwareError(
                f"the compiler {name} is not installed", f"install {package}, or leave out --compiler"
            )
        return program

    @cached_property
    def identity(self) -> str:
        """Return a name such as `gcc 12.2.0`."""
        import subprocess

        command = [self._program("gcc", DEFAULT_INSTRUCTION_SET), "-dumpfullversion"]
        return f"gcc {subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()}"

    def compile_command(self, instruction_set: str) -> list[str]:
        """GCC, kept from turning the loops of our memcpy into calls of memcpy."""
        target = self._toolchain(instruction_set).gcc_options
        return [
            self._program("gcc", instruction_set),
            *target,
            *COMMON_FLAGS,
            "-fno-tree-loop-distribute-patterns",
        ]

    def base_options(self, instruction_set: str) -> Sequence[str]:
        """Return the architecture without extensions but that of the control registers."""
        return (f"-march={_with_base(instruction_set)}i_zicsr",)

    def link_command(self, instruction_set: str) -> list[str]:
        """GNU ld."""
        emulation = self._toolchain(instruction_set).linker_emulation
        return [self._program("ld", instruction_set), "-m", emulation]


def _required_zig() -> str:
    """Return the version that the metadata of the package names; nothing if there are no metadata."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        requirements = requires("spinach-nic") or []
    except PackageNotFoundError:
        requirements = []
    found = re.search(rf"\b{_ZIG_PACKAGE}==([^\s;]+)", "\n".join(requirements))
    return found[1] if found else ""


def _with_base(instruction_set: str) -> str:
    if INSTRUCTION_SETS[instruction_set].toolchain.folder != "riscv":
        message = f"instruction set {instruction_set} has no base instruction set"
        raise FirmwareError(message, "leave out base_instructions, which is for RISC-V")
    return instruction_set


COMPILERS: Mapping[str, type[Compiler]] = {compiler.name: compiler for compiler in (Zig, Gcc)}


def find_compiler(name: str) -> Compiler:
    """Return the compiler called `name`.

    Raises:
        FirmwareError: There is no such compiler. Whether it is installed shows when it is used.
    """
    if name not in COMPILERS:
        raise FirmwareError(f"unknown compiler {name}", _native.suggest(name, list(COMPILERS)))
    return COMPILERS[name]()
