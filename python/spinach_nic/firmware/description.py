"""Content of a `firmware.toml`: the images and their parts.

A firmware folder holds one `firmware.toml`. Its top level holds for every image; a variant and then an image
add to it: lists are appended, tables merged, single values replaced. Paths are relative to the folder and
stay inside the firmware root that holds it; those that begin with `spinach:` are in the shipped firmware, as
`spinach:start/bare.S`. Names of images and variants are letters, digits, `_`, `-` and `.`; those of memories
and macros are identifiers of C.

| key | where | meaning |
|---|---|---|
| `summary` | top, image | one line for the list of images |
| `instruction_set` | any | name of the instruction set, as `rv32` |
| `base_instructions` | any | true for the base instruction set only, without extensions: of RV32, `rv32i` |
| `sources`, `include` | any | C and assembly files; folders of headers |
| `linker_script` | any | a GNU linker script |
| `defines` | any | preprocessor macros |
| `flags` | any | further options of the compiler, which follow `-O2` and the others, such as `-Os` |
| `card` | any | Python file or shipped name of the card that `spinach firmware build` takes numbers from |
| `cores` | any | number of cores that run it (default: the card's); the linker symbol `spinach_core_count` |
| `idle_cores` | any | true if the card may have more cores, which stay halted |
| `least_cores` | any | minimum number of cores of the card |
| `required_parameters` | any | parameters of the card that must be set, such as the list of an accelerator |
| `stack_bytes` | any | stack per core; the linker symbol `spinach_stack_bytes` |
| `memories.NAME` | any | `base` and `bytes` of a memory; an image must stay inside its memories |
| `variants.NAME` | top | a way to build every image; the first is the default |
| `images.NAME` | top | an image; its `variants` lists those it exists in (all by default) |

A memory is known to the linker by the symbols `spinach_NAME_base` and `spinach_NAME_bytes`.
"""

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from spinach_nic import _native
from spinach_nic.firmware.card_map import FirmwareMap
from spinach_nic.firmware.errors import FirmwareError
from spinach_nic.firmware.instruction_sets import INSTRUCTION_SETS
from spinach_nic.firmware.memory_range import MemoryRange
from spinach_nic.support.arguments import checked
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import note_inputs, read_file
from spinach_nic.support.limits import beyond, shortened

DESCRIPTION_FILE = "firmware.toml"

SHIPPED_PREFIX = "spinach:"
"""Prefix of a path in a description that refers to the shipped firmware, wherever that is installed."""

LARGEST_ADDRESS = 2**64 - 1
"""Largest address of any instruction set; those of an image have as many bits as its words."""
CORES_MAXIMUM = 1024
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_FLAG = re.compile(r"-([OfgmW]|std=)[\w.,=+-]*")
"""Options of the compiler that name no file, which would be no input of the cache."""
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_LISTING = "`spinach firmware list` shows all"

_T = TypeVar("_T")


class ImageDescription(Struct, frozen=True):
    """One image in one variant, everything resolved. Paths are absolute."""

    name: str
    """`FOLDER/IMAGE`, or `FOLDER/IMAGE@VARIANT` where it is not the default variant."""
    summary: str
    instruction_set: str
    sources: tuple[Path, ...]
    include: tuple[Path, ...]
    linker_script: Path
    defines: Mapping[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    """Further options of the compiler."""
    memories: tuple[MemoryRange, ...] = ()
    stated_cores: int | None = None
    """Number of cores that run it, if the description states one."""
    stack_bytes: int = 4096
    file: Path | None = None
    """The `firmware.toml` that describes it."""
    base_instructions: bool = False
    """True if the image uses the base instruction set only."""
    idle_cores: bool = False
    """True if the image may run on a card with more cores, which stay halted."""
    least_cores: int = 1
    """Minimum number of cores of the card."""
    required_parameters: tuple[str, ...] = ()
    """Parameters of the card that must be set."""
    card: str | None = None
    """Card that the image is for: the absolute path of its Python file, or the name of a shipped one."""
    constants: Mapping[str, int] = field(default_factory=dict)
    """Numbers of the card that the image is built with."""

    @property
    def cores(self) -> int:
        """Number of cores that run it."""
        return self.stated_cores or 1

    def linker_symbols(self) -> dict[str, int]:
        """Return the absolute symbols that the linker script and the firmware may use."""
        symbols = {"spinach_core_count": self.cores, "spinach_stack_bytes": self.stack_bytes}
        for memory in self.memories:
            symbols[f"spinach_{memory.name}_base"] = memory.base
            symbols[f"spinach_{memory.name}_bytes"] = memory.bytes
        return symbols

    def with_defines(self, defines: Mapping[str, str]) -> "ImageDescription":
        """Return the same image with macros added or replaced."""
        return replace(self, defines={**self.defines, **defines})

    def for_card(self, card: FirmwareMap) -> "ImageDescription":
        """Return the same image with the numbers of a card; those of the description take precedence."""
        memories = {memory.name: memory for memory in (*card.memories, *self.memories)}
        return replace(
            self,
            memories=tuple(memories.values()),
            stated_cores=self.stated_cores or card.cores,
            constants=card.numbers,
        )


@cache
def shipped_root() -> Path:
    """Return the folder of the shipped firmware: data of the package, in a checkout a link to `firmware`.

    Raises:
        FirmwareError: It is not there, because the installation is incomplete.
    """
    root = (Path(__file__).parents[1] / "data" / "firmware").resolve()
    if not root.is_dir():
        raise FirmwareError(
            f"no firmware sources at {root}",
            "install the package again, or name an ELF file instead",
        )
    return root


@checked
def read_descriptions(
    root: Path, within: Path | None = None, *, inside: str = "."
) -> dict[str, ImageDescription]:
    """Every image described below `root`, by full name, in the order of the files.

    Args:
        root: The folder that holds the firmware folders.
        within: The folder that paths may not leave; `root` by default.
        inside: The firmware folder to read; all by default.

    Raises:
        FirmwareError: A description is malformed.
    """
    images: dict[str, ImageDescription] = {}
    for file in sorted((root / inside).glob(f"**/{DESCRIPTION_FILE}")):
        folder = file.parent.relative_to(root).as_posix()
        for image in read_description_file(file, folder, within or root):
            images[image.name] = image
    return images


def find_description(name: str, root: Path, within: Path | None = None) -> ImageDescription:
    """Return the image called `name` below `root`.

    Args:
        name: `FOLDER/IMAGE`, or only `IMAGE` where one folder has it; `@VARIANT` may follow either.
        root: The folder that holds the firmware folders.
        within: The folder that paths may not leave; `root` by default.

    Raises:
        FirmwareError: There is no such image, or several folders have it.
    """
    folder = name.rpartition("/")[0]
    is_folder = re.fullmatch(r"[\w-]+(/[\w-]+)*", folder)
    images = read_descriptions(root, within, inside=folder) if is_folder else {}
    if name not in images:
        images = read_descriptions(root, within)
    return images[full_name(name, images)]


def full_name(name: str, images: Collection[str]) -> str:
    """Return the full name, among those of `images`, of the image that is called `name` in full or for short.

    Raises:
        FirmwareError: There is no such image, or several folders have it.
    """
    if name in images:
        return name
    in_folders = [full for full in images if full.rpartition("/")[2] == name]
    if len(in_folders) == 1:
        return in_folders[0]
    if in_folders:
        raise FirmwareError(f"there are several firmware images {name}", f"say {' or '.join(in_folders)}")
    raise FirmwareError(f"unknown firmware image {name}", _nearest_image(name, images))


def _nearest_image(name: str, images: Collection[str]) -> str:
    """Return a line of help for an image that does not exist: the most similar ones, and how to list all."""
    folders = {full.rpartition("/")[0]: full for full in sorted(images, reverse=True)}
    if name in folders:
        return f"{name} is a folder: name an image in it, such as {folders[name]}; {_LISTING}"
    known = set(images) if "/" in name else {full.rpartition("/")[2] for full in images} | folders.keys()
    if "@" not in name:
        known = {one for one in known if one.partition("@")[0] == one or one.partition("@")[0] not in known}
    close = _native.similar(name, sorted(known))
    return f"did you mean {' or '.join(close)}? {_LISTING}" if close else _LISTING


class _Layer(Struct, frozen=True):
    """Contribution of one table of the file; `None` leaves a value alone."""

    instruction_set: str | None
    base_instructions: bool | None
    sources: tuple[Path, ...]
    include: tuple[Path, ...]
    linker_script: Path | None
    defines: Mapping[str, str]
    flags: tuple[str, ...]
    memories: Mapping[str, MemoryRange]
    cores: int | None
    stack_bytes: int | None
    idle_cores: bool | None
    least_cores: int | None
    required_parameters: tuple[str, ...] | None
    card: str | None


_LAYER_KEYS = frozenset(
    {
        "instruction_set",
        "base_instructions",
        "sources",
        "include",
        "linker_script",
        "defines",
        "flags",
        "memories",
        "cores",
        "stack_bytes",
        "idle_cores",
        "least_cores",
        "required_parameters",
        "card",
    }
)


class _Table:
    """A table of the file, read with the types that are expected; errors name the file and the key."""

    def __init__(
        self, file: Path, root: Path, where: str, values: Mapping[str, Any], valid: frozenset[str]
    ) -> None:
        self._file = file
        self._root = root
        self._where = where
        self._values = values
        for key in values:
            if key not in valid:
                raise self.error(key, "is not a known key", _native.suggest(key, sorted(valid)))

    def error(self, key: str, problem: str, help: str) -> FirmwareError:
        return FirmwareError(f"{self._file}: {self._where}{key} {problem}", help)

    def _typed(self, key: str, kind: type[_T], what: str) -> _T | None:
        value = self._values.get(key)
        is_of_kind = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
        if value is not None and not is_of_kind:
            raise self.error(key, f"is {value!r}", f"give {what}")
        return value

    def text(self, key: str) -> str | None:
        return self._typed(key, str, "a string")

    def truth(self, key: str) -> bool | None:
        return self._typed(key, bool, "true or false")

    def card(self, key: str) -> str | None:
        text = self.text(key)
        if text is None or not text.endswith(".py"):
            return text
        return str((self._file.parent / text).resolve())

    def number(self, key: str, smallest: int, largest: int) -> int | None:
        value = self._typed(key, int, "an integer")
        if value is not None and (wrong := beyond(value, smallest, largest)):
            raise self.error(key, f"= {wrong}", f"give an integer from {smallest} to {largest}")
        return value

    def texts(self, key: str) -> tuple[str, ...] | None:
        values = self._typed(key, list, "a list of strings")
        if values is None:
            return None
        for value in values:
            if not isinstance(value, str):
                raise self.error(key, f"holds {value!r}", "give a list of strings")
        return tuple(values)

    def table(self, key: str) -> dict[str, Any]:
        return self._typed(key, dict, "a table") or {}

    def tables(self, key: str, names: re.Pattern[str] = _NAME) -> dict[str, dict[str, Any]]:
        values = self.table(key)
        for name, value in values.items():
            self.check_name(key, name, names)
            if not isinstance(value, dict):
                raise self.error(f"{key}.{name}", f"is {value!r}", "give a table")
        return values

    def check_name(self, key: str, name: str, names: re.Pattern[str]) -> None:
        if not names.fullmatch(name):
            further = ", digits and _" if names is _IDENTIFIER else ", digits, _, - and ."
            raise self.error(key, f"has the name {shortened(name)}", f"use letters{further}")

    def path(self, key: str) -> Path | None:
        text = self.text(key)
        return None if text is None else self._existing(key, text, is_file=True)

    def paths(self, key: str, *, are_files: bool) -> tuple[Path, ...]:
        return tuple(self._existing(key, text, is_file=are_files) for text in self.texts(key) or ())

    def _existing(self, key: str, text: str, *, is_file: bool) -> Path:
        is_shipped = text.startswith(SHIPPED_PREFIX)
        folder = shipped_root() if is_shipped else self._file.parent
        root = shipped_root() if is_shipped else self._root
        try:
            path = (folder / text.removeprefix(SHIPPED_PREFIX)).resolve()
            is_there = path.is_file() if is_file else path.is_dir()
        except (OSError, ValueError):
            # Names that no file can have.
            is_there = False
        if not is_there:
            help = "paths are relative to the file, or to the shipped firmware after `spinach:`"
            kind = "file" if is_file else "folder"
            raise self.error(key, f"names {shortened(text)}, but there is no such {kind}", help)
        if not path.is_relative_to(root):
            help = "name a file inside that folder; the shipped firmware is inside `spinach:`"
            raise self.error(key, f"names {shortened(text)}, which is outside {root}", help)
        return path

    def layer(self) -> _Layer:
        return _Layer(
            instruction_set=self.text("instruction_set"),
            base_instructions=self.truth("base_instructions"),
            sources=self.paths("sources", are_files=True),
            include=self.paths("include", are_files=False),
            linker_script=self.path("linker_script"),
            defines=self._defines(),
            flags=self._flags(),
            memories={
                name: self._memory(name, value)
                for name, value in self.tables("memories", _IDENTIFIER).items()
            },
            cores=self.number("cores", 1, CORES_MAXIMUM),
            stack_bytes=self.number("stack_bytes", 16, LARGEST_ADDRESS),
            idle_cores=self.truth("idle_cores"),
            least_cores=self.number("least_cores", 1, CORES_MAXIMUM),
            required_parameters=self._identifiers("required_parameters"),
            card=self.card("card"),
        )

    def _identifiers(self, key: str) -> tuple[str, ...] | None:
        values = self.texts(key)
        for value in values or ():
            self.check_name(key, value, _IDENTIFIER)
        return values

    def _flags(self) -> tuple[str, ...]:
        flags = self.texts("flags") or ()
        for flag in flags:
            if not _FLAG.fullmatch(flag):
                help = "give options such as -Os, -fno-inline, -g3 or -Wno-unused; macros belong to defines"
                raise self.error("flags", f"holds {shortened(flag)}", help)
        return flags

    def _defines(self) -> dict[str, str]:
        defines = self.table("defines")
        for name, value in defines.items():
            self.check_name("defines", name, _IDENTIFIER)
            if not isinstance(value, int | str) or isinstance(value, bool):
                raise self.error(f"defines.{name}", f"is {value!r}", "give an integer or a string")
        return {name: str(value) for name, value in defines.items()}

    def _memory(self, name: str, values: Mapping[str, Any]) -> MemoryRange:
        where = f"{self._where}memories.{name}."
        table = _Table(self._file, self._root, where, values, frozenset({"base", "bytes"}))
        base = table.number("base", 0, LARGEST_ADDRESS)
        size = table.number("bytes", 1, LARGEST_ADDRESS + 1)
        if base is None or size is None:
            missing = "base" if base is None else "bytes"
            raise table.error(missing, "is missing", "give the memory's base address and its bytes")
        return MemoryRange(name, base, size)


def read_description_file(file: Path, folder: str, root: Path) -> list[ImageDescription]:
    """Return the images that one file describes, in its order.

    Args:
        file: A `firmware.toml`.
        folder: Prefix of the names of its images; `.` for none.
        root: The folder that its paths may not leave.

    Raises:
        SpinachError: The file is an output of the command.
        FirmwareError: The description is malformed.
    """
    root = root.resolve()
    # A search leaves out descriptions with mistakes; that of a file which is an output must not.
    what = f"{file.name} of the firmware"
    note_inputs({what: file})
    try:
        content = read_file(file, "make it a file to read", what=what)
    except SpinachError as error:
        raise FirmwareError(error.message, error.help) from error
    try:
        values = tomllib.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise FirmwareError(f"{file}: {error}", "correct the file; it is TOML") from error
    top = _Table(file, root, "", values, _LAYER_KEYS | {"summary", "variants", "images"})
    common = top.layer()
    summary = top.text("summary") or ""
    variants = {
        name: _Table(file, root, f"variants.{name}.", table, _LAYER_KEYS).layer()
        for name, table in top.tables("variants").items()
    }
    images = []
    for image_name, values in top.tables("images").items():
        table = _Table(file, root, f"images.{image_name}.", values, _LAYER_KEYS | {"summary", "variants"})
        layer = table.layer()
        full_name = image_name if folder == "." else f"{folder}/{image_name}"
        image_summary = table.text("summary") or summary
        if not variants:
            images.append(_resolve(file, full_name, image_summary, (common, layer)))
        for variant_name in _variants_of(table, variants):
            is_default = variant_name == next(iter(variants))
            name = full_name if is_default else f"{full_name}@{variant_name}"
            images.append(_resolve(file, name, image_summary, (common, variants[variant_name], layer)))
    return images


def _variants_of(table: _Table, variants: Mapping[str, _Layer]) -> tuple[str, ...]:
    chosen = table.texts("variants")
    if chosen is None:
        return tuple(variants)
    for name in chosen:
        if name not in variants:
            raise table.error(
                "variants", f"names {name}, which is not a variant", _native.suggest(name, list(variants))
            )
    return chosen


def _resolve(file: Path, name: str, summary: str, layers: Sequence[_Layer]) -> ImageDescription:
    def last(values: Iterable[_T | None]) -> _T | None:
        return next((value for value in reversed([*values]) if value is not None), None)

    def stated(key: str, values: Iterable[_T | None]) -> _T:
        found = last(values)
        if found is None:
            raise FirmwareError(
                f"{file}: image {name} has no {key}", f"add {key} to the image or to the file's top"
            )
        return found

    memories: dict[str, MemoryRange] = {}
    defines: dict[str, str] = {}
    for layer in layers:
        memories |= layer.memories
        defines |= layer.defines
    described = ImageDescription(
        name=name,
        summary=summary,
        instruction_set=stated("instruction_set", (layer.instruction_set for layer in layers)),
        sources=tuple(source for layer in layers for source in layer.sources),
        include=tuple(folder for layer in layers for folder in layer.include),
        linker_script=stated("linker_script", (layer.linker_script for layer in layers)),
        defines=defines,
        flags=tuple(flag for layer in layers for flag in layer.flags),
        memories=tuple(memories.values()),
        stated_cores=last(layer.cores for layer in layers),
        stack_bytes=last(layer.stack_bytes for layer in layers) or 4096,
        idle_cores=last(layer.idle_cores for layer in layers) or False,
        least_cores=last(layer.least_cores for layer in layers) or 1,
        required_parameters=last(layer.required_parameters for layer in layers) or (),
        base_instructions=last(layer.base_instructions for layer in layers) or False,
        card=last(layer.card for layer in layers),
        file=file,
    )
    _check_addresses(file, described)
    return described


def _check_addresses(file: Path, image: ImageDescription) -> None:
    known = INSTRUCTION_SETS.get(image.instruction_set)
    if known is None:  # what there is instead is said where the image is built
        return
    for memory in image.memories:
        if memory.base + memory.bytes > 2**known.word_bits:
            raise FirmwareError(
                f"{file}: image {image.name}: memory {memory.name} ends beyond the addresses of {known.name}",
                f"give a base and bytes that add up to {2**known.word_bits:#x} at most",
            )
