"""Compilation of RTL into a library: Verilator, then the C++ compiler of the system."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spinach_nic import _native
from spinach_nic.blocks.binding import Roles, bind
from spinach_nic.blocks.rtl_signals import copies, read_signals
from spinach_nic.support.cache import Cache
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import (
    check_size,
    check_space,
    note_inputs,
    read_file,
    temporary_folder,
    write_output,
)
from spinach_nic.support.limits import cut

ADAPTER = Path(__file__).parent / "block.cpp"
_FLAGS = ("-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-pthread", "-w")
_LARGEST_UNIT_BYTES = 1 << 20
_RTL = (".v", ".sv", ".vh", ".svh")
_INCLUDED = re.compile(r'`include\s+"([^"\n]+)"')
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_GIVE_RTL = "give files in Verilog or SystemVerilog"
_INSTALL = "install Verilator 5.006 or later and a C++ compiler: apt-get install verilator g++"


@dataclass(frozen=True)
class VerilateOptions:
    """Options of a compilation."""

    parameters: Mapping[str, str] = field(default_factory=dict)
    """Values of parameters of the top module."""
    include: Sequence[Path] = ()
    """Folders with included files and other modules."""
    clock: str | None = None
    """Clock, if its name does not show it."""
    reset: str | None = None
    """Reset, if its name does not show it; with `:low` behind it if it is active at 0."""
    idle: str | None = None
    """Output that is 1 while only an input can change the state of the block; it sleeps then."""
    word_addresses: Sequence[str] = ()
    """Ports of Wishbone and OBI whose addresses count words, if the width of the address does not show it."""
    trace: str = "vcd"
    """Format of the waveforms that the library can write: `vcd`, `fst` (needs zlib) or `none`."""
    can_save: bool = True
    """True if checkpoints can hold the state of the block."""
    verilator_options: Sequence[str] = ()
    """More options for Verilator."""

    @property
    def roles(self) -> Roles:
        """Signals whose names may not show their role."""
        return Roles(self.clock, self.reset, self.idle, self.word_addresses)


def verilate(
    sources: Sequence[Path], top: str, output: Path, options: VerilateOptions | None = None
) -> dict[str, Any]:
    """Compile RTL into a library, and return the description of its block.

    Args:
        sources: Files in Verilog or SystemVerilog.
        top: The top module.
        output: The library.
        options: Everything else.

    Raises:
        SpinachError: A tool is missing, or the RTL cannot be used.
    """
    chosen = options or VerilateOptions()
    with temporary_folder("verilate") as folder:
        _run_verilator(_verilator(), sources, top, folder, chosen)
        signals = read_signals((folder / "Vblock.h").read_text(encoding="utf-8"))
        description = {
            **bind(top, signals, chosen.roles),
            "can_save": chosen.can_save,
            "trace": None if chosen.trace == "none" else chosen.trace,
        }
        text = json.dumps(description)
        abilities = {
            "SPINACH_TRACES_VCD": chosen.trace == "vcd",
            "SPINACH_TRACES_FST": chosen.trace == "fst",
            "SPINACH_SAVES": chosen.can_save,
        }
        header = "".join(f"#define {name} {int(value)}\n" for name, value in abilities.items())
        header += f'static const char DESCRIPTION[] = R"spinach({text})spinach";\n\n{copies(signals)}'
        (folder / "block_ports.h").write_text(f"{header}", encoding="utf-8")
        library = _Compilation(folder, chosen).library()
        write_output(output, library)
    return description


def combinational_paths(library: Path) -> list[tuple[str, str]]:
    """Return pairs of an input and an output that follows it within a cycle, found by changing inputs.

    Each path exists; paths that no tried value shows are missing.

    Raises:
        SpinachError: The file is not a library of a block.
    """
    return _native.block_paths(library)


def _verilator() -> str:
    program = shutil.which("verilator")
    if program is None:
        raise SpinachError("the program verilator is not installed", _INSTALL)
    return program


def _run_verilator(
    program: str, sources: Sequence[Path], top: str, folder: Path, options: VerilateOptions
) -> None:
    missing = [source for source in sources if not os.path.isfile(source)]
    if missing:
        raise SpinachError(f"there is no file {missing[0]}", _GIVE_RTL)
    _check_sizes(sources, options.include)
    command = [
        *(program, "--cc", "--prefix", "Vblock", "--top-module", top, "-Mdir", str(folder)),
        *("--assert", "--no-timing", "-Wno-fatal"),
        *(["--savable"] if options.can_save else []),
        *{"vcd": ["--trace"], "fst": ["--trace-fst"], "none": []}[options.trace],
        *(f"-G{name}={value}" for name, value in options.parameters.items()),
        *(f"-I{include}" for include in options.include),
        *options.verilator_options,
        *map(str, sources),
    ]
    result = _run(command)
    # Verilator succeeds on a full disk, and its files are not complete.
    check_space(folder, result.stderr)
    if result.returncode != 0:
        lines = [line for line in result.stderr.splitlines() if line.startswith("%Error")]
        reason = cut((lines or result.stderr.splitlines() or ["no reason is given"])[0])
        raise SpinachError(f"verilator refuses the RTL: {reason}", "correct the RTL or the options")
    # Verilator lists all files that it has read in the form of make.
    read = (folder / "Vblock__ver.d").read_text(encoding="utf-8", errors="surrogateescape")
    files = read.rpartition(" : ")[2].replace("\\\n", " ").split()
    note_inputs({f"{Path(file).name} of the RTL": file for file in files})


def _check_sizes(sources: Sequence[Path], include: Sequence[Path]) -> None:
    """Check the files that Verilator may read: those given or included, and all RTL in folders of `include`.

    Verilator looks for modules and included files in the working folder, too. There only those are checked
    whose names occur in other files.

    Raises:
        SpinachError: One is too large, or not a regular file.
    """
    in_folders = (path for folder in filter(os.path.isdir, include) for path in Path(folder).glob("*"))
    waiting = [*sources, *(path for path in in_folders if path.suffix in _RTL and not path.is_dir())]
    modules = {path.stem: path for path in Path().glob("*") if path.suffix in _RTL and not path.is_dir()}
    seen = set(waiting)
    while waiting:
        file = waiting.pop()
        check_size(file, _GIVE_RTL)
        # Inputs are noted afterwards: Verilator need not read all of these.
        text = read_file(file, _GIVE_RTL, is_updated=True).decode(errors="surrogateescape")
        named = [Path(folder, name) for name in _INCLUDED.findall(text) for folder in (Path(), *include)]
        found = {path for path in named if os.path.exists(path) and not path.is_dir()}
        found |= {modules[name] for name in modules.keys() & set(_WORD.findall(text))}
        waiting += found - seen
        seen |= found


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LC_ALL": "C"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


class _Compilation:
    """C++ code of one block."""

    def __init__(self, folder: Path, options: VerilateOptions) -> None:
        self._folder = folder
        self._compiler = os.environ.get("CXX") or shutil.which("c++") or ""
        if not self._compiler or shutil.which(self._compiler) is None:
            raise SpinachError(f"the C++ compiler {self._compiler or 'c++'} is not installed", _INSTALL)
        root = _run(["verilator", "--getenv", "VERILATOR_ROOT"]).stdout.strip()
        self._runtime = Path(root) / "include"
        is_vcd, is_fst = options.trace == "vcd", options.trace == "fst"
        self._flags = [
            *_FLAGS,
            *(f"-I{path}" for path in (folder, ADAPTER.parent, self._runtime, self._runtime / "vltstd")),
            *("-DVL_USER_FINISH", "-DVL_USER_STOP", "-DVL_USER_FATAL"),
            *("-DVM_COVERAGE=0", "-DVM_SC=0", f"-DVM_TRACE={int(is_vcd or is_fst)}"),
            *(f"-DVM_TRACE_VCD={int(is_vcd)}", f"-DVM_TRACE_FST={int(is_fst)}"),
        ]
        self._libraries = ["-lz"] if is_fst else []
        self._cache = Cache()
        files = [*sorted([*folder.glob("*.h"), *folder.glob("*.cpp")]), ADAPTER]
        self._contents = _digest(*(file.read_bytes() for file in files))
        identity = _run([self._compiler, "--version"]).stdout.splitlines()
        self._identity = [*identity[:1], *_run(["verilator", "--version"]).stdout.splitlines()]

    def library(self) -> bytes:
        """Compile and link."""
        classes = (self._folder / "Vblock_classes.mk").read_text(encoding="utf-8")
        runtime = [self._runtime / f"{name}.cpp" for name in _listed(classes, "VM_GLOBAL_")]
        with self._cache.in_use(), ThreadPoolExecutor(os.cpu_count()) as pool:
            model = pool.map(lambda source: self._object(source, self._contents), self._model_sources())
            objects = [*pool.map(lambda source: self._object(source, ""), runtime), *model]
        library = self._folder / "library.so"
        options = ["-shared", *_FLAGS, "-Wl,--wrap=fopen"]
        command = [*options, "-o", str(library), *map(str, objects), *self._libraries]
        self._run(command, "the library cannot be linked")
        return library.read_bytes()

    def _model_sources(self) -> list[Path]:
        """Return the sources of the model: one file for a small model, which compiles fastest."""
        sources = [*sorted(self._folder.glob("*.cpp")), ADAPTER]
        if sum(source.stat().st_size for source in sources) > _LARGEST_UNIT_BYTES:
            return sources
        unit = self._folder / "model.cpp"
        unit.write_text("".join(f'#include "{source.name}"\n' for source in sources), encoding="utf-8")
        return [unit]

    def _object(self, source: Path, contents: str) -> Path:
        """Return the object file of a source: that of the runtime is the same for all blocks."""
        flags = [flag for flag in self._flags if not flag.startswith("-I")]
        key = _digest(source.read_bytes(), json.dumps([contents, flags, self._identity]).encode())
        name = f"{source.stem}.o"
        if (found := self._cache.find("blocks", key, name)) is not None:
            return found[0]
        path = self._folder / name
        self._run([*self._flags, "-c", str(source), "-o", str(path)], f"{source.name} cannot be compiled")
        return self._cache.keep("blocks", key, name, path.read_bytes())

    def _run(self, arguments: Sequence[str], failure: str) -> None:
        result = _run([self._compiler, *arguments])
        if result.returncode != 0:
            check_space(self._folder, result.stderr)
            lines = [line for line in result.stderr.splitlines() if "error" in line or "undefined" in line]
            reason = cut((lines or result.stderr.splitlines() or [""])[0])
            raise SpinachError(f"{failure}: {reason}", f"check the compiler {self._compiler} and Verilator")


def _listed(classes: str, prefix: str) -> list[str]:
    """Return the names that the lists of a makefile with this prefix contain."""
    names: list[str] = []
    is_listed = False
    for line in classes.splitlines():
        if is_listed or line.startswith(prefix):
            names += line.partition("+=")[2].split() if line.startswith(prefix) else line.split()
            is_listed = line.endswith("\\")
    return [name for name in names if name != "\\"]


def _digest(*contents: bytes) -> str:
    digest = hashlib.sha256()
    for content in contents:
        digest.update(len(content).to_bytes(8, "little") + content)
    return digest.hexdigest()
