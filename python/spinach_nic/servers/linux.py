"""The kernel of the server and its initramfs, built from the distribution's source with its cross compiler.

`python -m spinach_nic.servers.linux` builds both and keeps them in the cache; a second time it finds them
there. Nothing is fetched: the packages in `PACKAGES` contain everything.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from spinach_nic.firmware.description import shipped_root
from spinach_nic.servers import symbols
from spinach_nic.servers.archive import archive, character_device, folder, program
from spinach_nic.support.cache import Cache
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import read_file, temporary_folder

PACKAGES = "apt install linux-source gcc-riscv64-linux-gnu libc6-dev-riscv64-cross make bc bison flex patch"
KIND = "linux"
"""Kind of the cache entries."""
KERNEL = "Image"
FILES = "files.cpio.gz"
SYMBOLS = "symbols"
"""File of functions, cached next to the kernel and next to its files."""
PROGRAM = "vmlinux"
"""Kernel as an ELF file with all symbols, for debuggers, kept next to it."""
LINES = "vmlinux-lines"
"""The same with line information, if `make linux-debug` has built it."""
MODULE_TREE = "modules.tar.gz"
"""Headers, configuration and scripts that modules are built with, kept next to it."""
READY = b"server: ready\r\n# "
"""Output of the first program when it takes commands."""
ARGUMENTS = "console=hvc0 earlycon=sbi"

COMMAND = "python -m spinach_nic.servers.linux"
"""Command that builds the kernel and its files; `make linux` in a checkout."""

_SOURCES = Path("/usr/src")
PREFIX = "riscv64-linux-gnu-"
"""Prefix of the cross compiler's programs."""
MAKE = ("make", "ARCH=riscv", f"CROSS_COMPILE={PREFIX}")
"""Command that builds the kernel, and modules for it."""
_NAMELESS = {
    "KBUILD_BUILD_TIMESTAMP": "2026-01-01 00:00 UTC",
    "KBUILD_BUILD_USER": "spinach",
    "KBUILD_BUILD_HOST": "spinach",
}
"""Environment that makes builds reproducible."""
_PROGRAM = ("*.c", "*.h", "guest/*.h")
"""The sources of the first program."""
_PATCHES = "patches/*.patch"
"""Changes of the kernel's source."""
_DRIVERS = "drivers"
"""Folder of drivers for the kernel's source."""
_RINGS_INCLUDE = "rings/include"
"""Folder in it that takes the headers which a driver shares with firmware."""
SHARED_HEADERS = ("driver.h", "layouts.h", "ring_function.h")
"""Headers of firmware for drivers, in the folder `include/spinach`."""
_DRIVERS_FOLDER = "drivers/net/ethernet"
_ARCHITECTURE = Path("arch/riscv")
_MODULE_FILES = (".config", "Makefile", "Module.symvers", f"{_ARCHITECTURE}/Makefile")
_MODULE_FOLDERS = ("include", "scripts", f"{_ARCHITECTURE}/include")
"""Files and folders of a built kernel that the build of a module reads."""
_ARCHIVES = (b"070701", b"070702", b"\x1f\x8b", b"\0")
"""Beginnings of an initramfs: cpio in the forms newc and crc, gzip, and the padding that a kernel skips."""
_SHOWN_LINES = 12
"""Lines shown of a failed build's output."""
_PAGE_BYTES = 4096
_MODULES_BYTES = 2 << 30
"""Size of the area for modules, which ends behind the last page of the kernel (Linux, arch/riscv)."""


class LoadedModule(Struct, frozen=True, dict=True):
    """First module that a kernel loads, such as a driver.

    The kernel places its code at the beginning of its area for modules.
    """

    file: Path
    kernel: Path
    """Kernel as an ELF file with symbols."""

    @cached_property
    def address(self) -> int:
        """Address of its code in the kernel."""
        end = symbols.address_of(self.kernel, "_end", f"{PREFIX}nm")
        return -(-end // _PAGE_BYTES) * _PAGE_BYTES - _MODULES_BYTES

    @cached_property
    def functions(self) -> bytes:
        """Its functions, in the form of `spinach_nic.servers.symbols`."""
        return symbols.of_module(self.file, self.address, f"{PREFIX}objdump")


@dataclass(frozen=True)
class Linux:
    """Boot content of a server."""

    name: str
    """Name of the kernel, for messages."""
    kernel: bytes
    files: bytes = b""
    arguments: str = ARGUMENTS
    arguments_by_node: tuple[str, ...] = ()
    """Additional command line of each server."""
    ready: bytes = READY
    """Output when it is ready."""
    symbols: bytes = b""
    """Functions of the kernel and of its programs, in the form of `spinach_nic.servers.symbols`."""
    module: LoadedModule | None = None
    """Driver from a folder; `None` with the drivers in the kernel."""

    @property
    def functions(self) -> bytes:
        """Functions of the kernel, its driver and its programs, in the same form."""
        return self.symbols + (self.module.functions if self.module else b"")

    def with_files(self, more: bytes) -> Linux:
        """Return this boot content with another archive that is unpacked over its files."""
        return replace(self, files=self.files + bytes(-len(self.files) % 4) + more) if more else self

    def words_of(self, node: int) -> tuple[str, ...]:
        """Return the command line of a server, in parts."""
        return self.arguments, *self.arguments_by_node[node : node + 1]

    def with_seed(self, seed: int) -> Linux:
        """Return this boot content with another random seed in the command line; 0 adds nothing.

        The kernel ignores the word: its name is that of a parameter of a module.
        """
        return replace(self, arguments=f"{self.arguments} spinach.seed={seed}") if seed else self


def kept() -> Linux | None:
    """Return the kernel and the files that `make linux` built from these sources, if they exist."""
    try:
        source = _source()
    except SpinachError:
        return None
    cache = Cache()
    keys = {KERNEL: _kernel_key(source), FILES: _files_key()}
    found = {name: cache.find(KIND, key, name) for name, key in keys.items()}
    if not ((kernel := found[KERNEL]) and (files := found[FILES])):
        return None
    functions = [cache.find(KIND, key, SYMBOLS) for key in keys.values()]
    return Linux(
        str(kernel[0]), kernel[1], files[1], symbols=b"".join(entry[1] for entry in functions if entry)
    )


def for_debuggers() -> Path | None:
    """Return the kernel that `make linux` made as an ELF file with symbols, if it is there."""
    return _kept_path(PROGRAM)


def with_lines() -> Path:
    """Return the same with line information.

    Raises:
        SpinachError: `make linux-debug` has not made it.
    """
    if (path := _kept_path(LINES)) is None:
        raise SpinachError(
            "the kernel of the server is not built with line information", f"build it: `{COMMAND} --lines`"
        )
    return path


def _kept_path(name: str) -> Path | None:
    try:
        found = Cache().find(KIND, _kernel_key(_source()), name)
    except SpinachError:
        return None
    return found[0] if found else None


def for_modules() -> bytes | None:
    """Return the archive that modules of the kernel are built with, if `make linux` made it."""
    return path.read_bytes() if (path := _kept_path(MODULE_TREE)) else None


def is_complete() -> bool:
    """Return true if the kernel and its files are cached."""
    return kept() is not None and for_debuggers() is not None and for_modules() is not None


def needed() -> Linux:
    """Return the same.

    Raises:
        SpinachError: They were not made.
    """
    if (linux := kept()) is None:
        raise SpinachError("the kernel of the server is not built", f"build it: `{COMMAND}`")
    return linux


def build() -> Linux:
    """Build the kernel and its files, unless they are cached.

    Raises:
        SpinachError: A package is not installed, or a build fails.
    """
    source, cache = _source(), Cache()
    _compiler()
    with cache.in_use():
        for names, key, built in (
            ((FILES, SYMBOLS), _files_key(), _built_files),
            (
                (KERNEL, SYMBOLS, PROGRAM, MODULE_TREE),
                _kernel_key(source),
                lambda: _built_kernel(source),
            ),
        ):
            if not all(cache.find(KIND, key, name) for name in names):
                for name, content in zip(names, built(), strict=True):
                    cache.keep(KIND, key, name, content)
    return needed()


def build_lines() -> Path:
    """Build the kernel with line information for debuggers, and cache it next to the one without.

    Raises:
        SpinachError: The kernel is not cached, a build fails, or its functions have other addresses.
    """
    functions, source, cache = needed().symbols, _source(), Cache()
    if found := _kept_path(LINES):
        return found
    with cache.in_use(), temporary_folder() as place:
        tree = _prepared(source, Path(place))
        lines = f"-g -fdebug-prefix-map={tree}={_SOURCES / source.name.removesuffix('.tar.xz')}"
        _execute([*_make(), f"KCFLAGS={lines}", f"KAFLAGS={lines}", "Image"], "the kernel", tree)
        if symbols.of_kernel(tree, f"{PREFIX}nm") not in functions:
            raise SpinachError(
                "the kernel with line information has functions at other addresses", "report this"
            )
        _execute(
            [f"{PREFIX}objcopy", "--compress-debug-sections", "vmlinux"], "the lines of the kernel", tree
        )
        return cache.keep(KIND, _kernel_key(source), LINES, (tree / "vmlinux").read_bytes())


LARGEST_KERNEL = LARGEST_FILES = 1 << 30
"""Bytes of the largest kernel and of the largest initramfs."""


def custom(kernel: Path, files: Path | None, arguments: str | None) -> Linux:
    """Return a custom kernel with its files.

    Raises:
        SpinachError: A file cannot be read.
    """
    content = read_file(files, "name the initramfs", limit=LARGEST_FILES) if files else b""
    linux = Linux(str(kernel), read_file(kernel, "name a kernel", limit=LARGEST_KERNEL), content)
    return linux if arguments is None else replace(linux, arguments=arguments)


def chosen(kernel: Path | None, files: Path | None, arguments: str | None) -> Linux:
    """Return a custom kernel with its files, or the shipped one with more files and another command line.

    Raises:
        SpinachError: A file cannot be read, or there is no shipped kernel.
    """
    if kernel is not None:
        return custom(kernel, files, arguments)
    start = needed()
    more = read_file(files, "name the initramfs", limit=LARGEST_FILES) if files else b""
    if more and not more.startswith(_ARCHIVES):
        message = f"{files} is not an archive that the kernel unpacks"
        raise SpinachError(message, "make one with cpio --format=newc, which gzip may compress")
    return replace(start.with_files(more), arguments=arguments or start.arguments)


def _source() -> Path:
    """Return the source package's archive, the newest if there are several."""
    archives = _SOURCES.glob("linux-source-*.tar.xz")
    newest = max(archives, key=lambda path: [int(part) for part in _version(path).split(".")], default=None)
    if newest is None:
        raise SpinachError(f"there is no source of the kernel in {_SOURCES}", PACKAGES)
    return newest


def _version(path: Path) -> str:
    return path.name.removeprefix("linux-source-").removesuffix(".tar.xz")


def _compiler() -> str:
    name = f"{PREFIX}gcc"
    if shutil.which(name) is None:
        raise SpinachError(f"{name} is not installed", PACKAGES)
    return name


def _recipe(name: str) -> Path:
    return shipped_root() / "linux" / name


def _key(*parts: bytes) -> str:
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def _kernel_key(source: Path) -> str:
    # A package's archive changes only with its version, which its length and time identify.
    status = source.stat()
    identity = f"{source.name} {status.st_size} {int(status.st_mtime)}"
    recipes = [_recipe("server.config"), *_driver_files().values(), *_patches()]
    return _key(identity.encode(), *(path.read_bytes() for path in recipes), repr(_NAMELESS).encode())


def _driver_files() -> dict[Path, Path]:
    """Return the files of drivers, by their path in the folder of drivers."""
    folder, headers = _recipe(_DRIVERS), shipped_root() / "include"
    files = {path.relative_to(folder): path for path in sorted(folder.rglob("*")) if path.is_file()}
    shared = (headers / "spinach" / name for name in SHARED_HEADERS)
    return files | {Path(_RINGS_INCLUDE, path.relative_to(headers)): path for path in shared}


def _patches() -> list[Path]:
    return sorted(_recipe("").glob(_PATCHES))


def _program() -> list[Path]:
    return sorted(path for pattern in _PROGRAM for path in _recipe("").glob(pattern))


def _files_key() -> str:
    return _key(*(path.name.encode() + b"\n" + path.read_bytes() for path in _program()))


def _execute(command: list[str], what: str, cwd: Path | None = None) -> None:
    """Raise SpinachError with the end of the output if the command fails."""
    import subprocess

    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **_NAMELESS},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode:
        printed = done.stdout.decode(errors="replace").strip().splitlines()[-_SHOWN_LINES:]
        raise SpinachError(
            "\n".join((f"{what} cannot be built:", *printed)),
            f"check that everything is installed: {PACKAGES}",
        )


def _built_files() -> tuple[bytes, ...]:
    """Return the archive, and the functions of the program in it."""
    with temporary_folder() as place:
        output = Path(place) / "init"
        options = ["-O2", "-Wall", "-Wextra", "-Werror", "-static", "-o", str(output)]
        sources = [str(path) for path in _program() if path.suffix == ".c"]
        _execute([_compiler(), *options, *sources], "the first program of the server")
        functions = symbols.of_program(output, f"{PREFIX}nm")
        _execute([f"{PREFIX}strip", str(output)], "the first program of the server")
        init = output.read_bytes()
    entries = [folder("dev"), character_device("dev/console", 5, 1), program("init", init)]
    import gzip

    return gzip.compress(archive(entries), 9, mtime=0), functions


def _add_drivers(tree: Path) -> None:
    """Add our drivers to a source of the kernel."""
    place = tree / _DRIVERS_FOLDER
    for driver_file, path in _driver_files().items():
        copy = place / "spinach" / driver_file
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    for name, line in (
        ("Makefile", "obj-y += spinach/"),
        ("Kconfig", f'source "{_DRIVERS_FOLDER}/spinach/Kconfig"'),
    ):
        with (place / name).open("a") as file:
            file.write(f"\n{line}\n")


def _apply_patches(tree: Path) -> None:
    for path in _patches():
        _execute(
            ["patch", "-p1", "-s", "--no-backup-if-mismatch", "-i", str(path)],
            f"{path.name} of the kernel",
            tree,
        )


def _make() -> list[str]:
    return [*MAKE, "-s", f"-j{os.cpu_count() or 1}"]


def _prepared(source: Path, place: Path) -> Path:
    """Return the kernel's source with our changes and configuration, unpacked into a folder."""
    _execute(["tar", "-xf", str(source), "-C", str(place)], "the source of the kernel")
    tree = next(path for path in place.iterdir() if path.is_dir())
    _apply_patches(tree)
    _add_drivers(tree)
    settings = f"KCONFIG_ALLCONFIG={_recipe('server.config')}"
    _execute([*_make(), settings, "allnoconfig"], "the kernel", tree)
    return tree


def _built_kernel(source: Path) -> tuple[bytes, ...]:
    """Return the kernel, its functions, the kernel with all symbols, and the archive for modules."""
    with temporary_folder() as place:
        tree = _prepared(source, Path(place))
        _execute([*_make(), "Image", "modules"], "the kernel", tree)
        kernel = (tree / "arch" / "riscv" / "boot" / "Image").read_bytes()
        functions = symbols.of_kernel(tree, f"{PREFIX}nm")
        _execute([f"{PREFIX}strip", "--strip-debug", "vmlinux"], "the symbols of the kernel", tree)
        return kernel, functions, (tree / "vmlinux").read_bytes(), _module_archive(tree)


def _module_archive(tree: Path) -> bytes:
    """Return the files of a built kernel that the build of a module needs."""
    import tarfile

    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz", compresslevel=6) as tar:
        for path in _module_paths(tree):
            tar.add(path, str(path.relative_to(tree)), recursive=False)
    return content.getvalue()


def _module_paths(tree: Path) -> Iterator[Path]:
    yield from (tree / name for name in _MODULE_FILES)
    for name in _MODULE_FOLDERS:
        for path in sorted((tree / name).rglob("*")):
            if not path.is_dir() and path.suffix not in (".cmd", ".o"):
                yield path


def main(arguments: Sequence[str] = ()) -> None:
    """Build the kernel unless it is cached, and print its path; `--lines` adds the kernel for debuggers."""
    import click

    try:
        if not is_complete():
            click.echo("building the kernel of the server: about 5 minutes on two processors")
        linux = build()
        lines = build_lines() if "--lines" in arguments else None
    except SpinachError as error:
        click.echo(f"error: {error.message}\nhelp: {error.help}", err=True)
        raise SystemExit(error.exit_code) from None
    click.echo(f"kernel: {linux.name}, {len(linux.kernel):,} bytes; initramfs: {len(linux.files):,} bytes")
    if lines:
        click.echo(f"with line information: {lines}, {lines.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
