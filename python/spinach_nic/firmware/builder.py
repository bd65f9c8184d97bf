"""Compilation of described images into ELF files, once per content.

Objects and images live in the user's cache under a hash of everything that goes into them: the compiler and
its version, the flags, the contents of sources, headers and linker script. Nothing is rebuilt unless one of
these changes, or what is kept is damaged. A wheel contains images of the shipped cards in the same form, so
that these are used without a compiler.
"""

import hashlib
import json
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path

from msgspec import Struct

from spinach_nic.firmware.card_map import HEADER, FirmwareMap
from spinach_nic.firmware.compilers import DEFAULT_COMPILER, Compiler, find_compiler
from spinach_nic.firmware.description import (
    SHIPPED_PREFIX,
    ImageDescription,
    find_description,
    shipped_root,
)
from spinach_nic.firmware.elf import CARD_NOTE_SECTION, NOTE_NAME, NOTE_SECTION, Executable
from spinach_nic.firmware.errors import FirmwareError
from spinach_nic.firmware.instruction_sets import INSTRUCTION_SETS
from spinach_nic.support.arguments import checked
from spinach_nic.support.cache import Cache
from spinach_nic.support.files import check_space, note_inputs, read_file, temporary_folder, write_output

_LINK_FLAGS = ("-static", "--gc-sections", "--build-id=none", "-z", "noexecstack")

_SHIPPED_IMAGES = Path(__file__).parents[1] / "data" / "images"
"""Images that `spinach_nic.generate.images` compiled for a wheel; a checkout has none."""
_NOTE_TYPE = 1
_INCLUDES = re.compile(
    rb'^[ \t]*#[ \t]*(?:include|embed)[ \t]*["<]([^">\n]+)[">]|\.(?:include|incbin)[ \t]+\\?"([^"\\\n]+)',
    re.MULTILINE,
)
"""Names of files that a source includes, by the preprocessor or the assembler."""
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 =._-+/@():,")


class Image(Struct, frozen=True):
    """A compiled image and its origin."""

    name: str
    path: Path
    sha256: str
    """Digest of the ELF file, in hexadecimal."""
    compiler: str
    """Name and version, as `zig 0.17.1`."""
    inputs_sha256: str
    """Digest of all inputs of the image. The ELF file carries it in its note."""


@checked
def build(
    name: str,
    *,
    compiler: str = DEFAULT_COMPILER,
    defines: Mapping[str, str] | None = None,
    root: Path | None = None,
    cache: Path | None = None,
    within: Path | None = None,
    card: FirmwareMap | None = None,
) -> Image:
    """Compile an image, or find it in the cache.

    Args:
        name: `FOLDER/IMAGE`, or only `IMAGE` where one folder has it; `@VARIANT` may follow.
        compiler: `zig` or `gcc`.
        defines: Preprocessor macros to add to those of the description.
        root: The folder that holds the firmware folders; the shipped firmware by default.
        within: The folder that paths of its descriptions may not leave; `root` by default.
        cache: Folder for results; the user's cache folder by default.
        card: Numbers of the card that the image is for.

    Raises:
        FirmwareError: No such image or compiler, or the compiler refuses the sources.
    """
    folder = (root or shipped_root()).resolve()
    description = find_description(name, folder, within).with_defines(defines or {})
    return build_described(description, compiler=compiler, root=root, cache=cache, card=card)


def build_described(
    description: ImageDescription,
    *,
    compiler: str = DEFAULT_COMPILER,
    root: Path | None = None,
    cache: Path | None = None,
    card: FirmwareMap | None = None,
) -> Image:
    """Compile an image that was described already, or find it in the cache, as `build`.

    Raises:
        FirmwareError: No such compiler, or the compiler refuses the sources.
    """
    folder = (root or shipped_root()).resolve()
    if card is not None:
        description = description.for_card(card)
    kept = Cache(cache)
    with kept.in_use():
        return _Builder(description, find_compiler(compiler), folder, kept).image()


def source_folders(root: Path | None = None) -> Mapping[str, Path]:
    """Return the folders of images' sources, by their names in debug information.

    Args:
        root: The folder that holds the firmware folders; the shipped firmware by default.
    """
    shipped = shipped_root()
    folder = (root or shipped).resolve()
    return {".": folder} if folder == shipped else {".": folder, SHIPPED_PREFIX: shipped}


class _Builder:
    def __init__(self, description: ImageDescription, compiler: Compiler, root: Path, cache: Cache) -> None:
        self._description = description
        self._card_header = FirmwareMap(description.constants).header() if description.constants else ""
        self._compiler = compiler
        self._root = root
        self._cache = cache
        compile_command = compiler.compile_command(description.instruction_set)
        if description.base_instructions:
            compile_command += compiler.base_options(description.instruction_set)
        include = [*description.include, _architecture_folder(description.instruction_set)]
        # Relative paths keep the sources' place out of the image, so that equal sources make equal images.
        self._compile_command = [
            *compile_command,
            *(f"-ffile-prefix-map={folder}={name}" for name, folder in source_folders(root).items()),
            *(f"-I{self._relative(folder)}" for folder in include),
            *(f"-D{name}={value}" for name, value in sorted(description.defines.items())),
            *description.flags,
        ]
        headers = _headers_of(include, description.sources)
        self._headers_hash = _hash_contents(root, headers)
        note_inputs({f"{file.name} of the firmware": file for file in _inputs(description, headers)})

    def image(self) -> Image:
        inputs_hash = self._inputs_hash()
        name = f"{self._description.name.rpartition('/')[2]}.elf"
        found = self._cache.find("firmware", inputs_hash, name) or Cache(_SHIPPED_IMAGES).find(
            "firmware", inputs_hash, name
        )
        if found is None:
            content = self._linked(inputs_hash)
            found = self._cache.keep("firmware", inputs_hash, name, content), content
        path, content = found
        return Image(
            name=self._description.name,
            path=path,
            sha256=hashlib.sha256(content).hexdigest(),
            compiler=self._compiler.identity,
            inputs_sha256=inputs_hash,
        )

    def _inputs_hash(self) -> str:
        description = self._description
        return _hash_json(
            {
                "name": description.name,
                "compiler": self._compiler.identity,
                "compile": self._portable(self._compile_command),
                "link": self._compiler.link_command(description.instruction_set)[1:],
                "link_flags": [*_LINK_FLAGS, description.linker_symbols()],
                "sources": _hash_files(self._root, description.sources),
                "headers": self._headers_hash,
                "card": [self._card_header, _built_for(description)],
                "script": _hash_files(self._root, [description.linker_script]),
            }
        )

    def _linked(self, inputs_hash: str) -> bytes:
        description = self._description
        self._compiler.check_installed(f"compiling {description.name}")
        with temporary_folder("firmware") as scratch:
            objects = [self._object(source, scratch) for source in description.sources]
            note_source = scratch / "note.S"
            made = {
                "image": description.name,
                "compiler": self._compiler.identity,
                "inputs": inputs_hash,
            }
            note_source.write_text(
                _note(NOTE_SECTION, "a", made) + _note(CARD_NOTE_SECTION, "", _built_for(description))
            )
            note = scratch / "note.o"
            command = [*self._compile_command, "-c", str(note_source), "-o", str(note)]
            self._run(command, "assemble the note of", scratch)
            linked = scratch / "linked.elf"
            command = [
                *self._compiler.link_command(description.instruction_set),
                *_LINK_FLAGS,
                *(f"--defsym={name}=0x{value:x}" for name, value in description.linker_symbols().items()),
                "-T",
                self._relative(description.linker_script),
                *map(str, [*objects, note]),
                "-o",
                str(linked),
            ]
            self._run(command, "link", scratch)
            Executable.load(linked).check(description.instruction_set, description.memories)
            return linked.read_bytes()

    def _object(self, source: Path, scratch: Path) -> Path:
        key = _hash_json(
            {
                "compiler": self._compiler.identity,
                "compile": self._portable(self._compile_command),
                "source": _hash_files(self._root, [source]),
                "headers": self._headers_hash,
                "card": self._card_header,
            }
        )
        name = f"{source.stem}.o"
        found = self._cache.find("objects", key, name)
        if found is not None:
            return found[0]
        made = scratch / "made.o"
        generated = self._generated_headers(scratch)
        command = [*self._compile_command, *generated, "-c", self._relative(source), "-o", str(made)]
        self._run(command, f"compile {self._relative(source)} of", scratch)
        return self._cache.keep("objects", key, name, made.read_bytes())

    def _generated_headers(self, scratch: Path) -> Sequence[str]:
        """Write the header of the card and return the flags by which the compiler finds it."""
        if not self._card_header:
            return ()
        header = scratch / "include" / HEADER
        header.parent.mkdir(parents=True, exist_ok=True)
        header.write_text(self._card_header)
        return (f"-I{scratch}/include", f"-ffile-prefix-map={scratch}/include=card")

    def _run(self, command: Sequence[str], step: str, scratch: Path) -> None:
        import subprocess

        environment = self._compiler.environment(scratch)
        result = subprocess.run(
            command, cwd=self._root, env=environment, capture_output=True, text=True, errors="replace"
        )
        if result.returncode != 0:
            said = (result.stderr + result.stdout).strip() or f"exit code {result.returncode}"
            check_space(scratch, said, FirmwareError)
            help = "correct the sources; paths are relative to the firmware folder"
            if HEADER in said and not self._card_header:
                help = f'name the card that {HEADER} comes from in firmware.toml: card = "../mynic.py"'
            raise FirmwareError(
                f"{self._compiler.name} could not {step} {self._description.name}:\n{said}", help
            )

    def _relative(self, path: Path) -> str:
        """Path for the compiler: relative to the root; absolute for shipped files outside the root."""
        return str(path) if _is_shipped(self._root, path) else os.path.relpath(path, self._root)

    def _portable(self, command: Sequence[str]) -> list[str]:
        """Return the command without the paths of program and sources, which do not affect the output."""
        shipped = f"-I{shipped_root()}/"
        words = [word for word in command[1:] if not word.startswith("-ffile-prefix-map=")]
        return [word.replace(shipped, f"-I{SHIPPED_PREFIX}") for word in words]


def description_inputs(descriptions: Collection[ImageDescription]) -> list[Path]:
    """List the source files of images: their descriptions, sources, headers and linker scripts."""
    include = {folder for description in descriptions for folder in description.include}
    sources = [source for description in descriptions for source in description.sources]
    described = [file for description in descriptions for file in _inputs(description, ())]
    return [*described, *_headers_of(include, sources)]


def _inputs(description: ImageDescription, headers: Iterable[Path]) -> list[Path]:
    described = [description.file] if description.file else []
    return [*described, *description.sources, *headers, description.linker_script]


def copy_image(image: Image, destination: Path) -> None:
    """Copy the ELF file of an image to `destination`.

    Raises:
        SpinachError: The file cannot be written.
    """
    write_output(destination, image.path.read_bytes(), help="name another file with -o")


def _architecture_folder(instruction_set: str) -> Path:
    """Start-up code, and headers of operations that C cannot express, in the instructions of a set."""
    return shipped_root() / "architecture" / INSTRUCTION_SETS[instruction_set].toolchain.folder


def _headers_of(include: Iterable[Path], sources: Iterable[Path]) -> dict[Path, bytes]:
    """Return the contents of all files that the sources may include, in the order of their paths."""
    folders = {*include, *(source.parent for source in sources)}
    # Assembly may be included too.
    found = {file for folder in folders for file in folder.rglob("*.[hS]")}
    waiting = [*found, *sources]
    known = {*map(str, waiting)}
    searched: set[tuple[str, str]] = set()
    contents: dict[Path, bytes] = {}
    while waiting:
        file = waiting.pop()
        contents[file] = _content(file)
        included = (match[1] or match[2] for match in _INCLUDES.finditer(contents[file]))
        asked = {*product(map(str, (file.parent, *folders)), map(os.fsdecode, included))} - searched
        searched |= asked
        for folder, name in asked:
            place = os.path.normpath(os.path.join(folder, name))
            if place not in known and os.path.isfile(place):
                known.add(place)
                waiting.append(Path(place))
    return {file: contents[file] for file in sorted(contents.keys() - {*sources})}


def _content(file: Path) -> bytes:
    """Return the content of a source."""
    what = f"{file.name} of the firmware"
    return read_file(file, "name sources of firmware", what=what) if file.is_file() else b""


def _hash_files(root: Path, files: Sequence[Path]) -> list[list[str]]:
    return _hash_contents(root, {file: _content(file) for file in files})


def _hash_contents(root: Path, contents: Mapping[Path, bytes]) -> list[list[str]]:
    return [
        [_portable_name(root, file), hashlib.sha256(content).hexdigest()]
        for file, content in contents.items()
    ]


def _is_shipped(root: Path, path: Path) -> bool:
    """Return true if a file belongs to the shipped firmware while `root` is another folder."""
    shipped = shipped_root()
    return root != shipped and path.is_relative_to(shipped)


def _portable_name(root: Path, path: Path) -> str:
    if _is_shipped(root, path):
        return f"{SHIPPED_PREFIX}{path.relative_to(shipped_root()).as_posix()}"
    return os.path.relpath(path, root)


def _hash_json(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _built_for(description: ImageDescription) -> dict[str, str]:
    """Properties of the card that the image is built for."""
    built_for = {"cores": str(description.cores), **{n: f"0x{v:x}" for n, v in description.constants.items()}}
    if description.idle_cores:
        built_for["idle_cores"] = "true"
    if description.least_cores > 1:
        built_for["least_cores"] = str(description.least_cores)
    if description.required_parameters:
        built_for["required_parameters"] = " ".join(description.required_parameters)
    return built_for


def _note(section: str, flags: str, values: Mapping[str, str]) -> str:
    """Return assembly of an ELF note with `key=value` lines."""
    text = "".join(f"{key}={value}\n" for key, value in values.items()).encode()
    # Nothing in a name can end the string: bytes that mean something to an assembler are written as numbers.
    escaped = "".join(chr(byte) if chr(byte) in _PLAIN else f"\\{byte:03o}" for byte in text)
    return f"""\
    .section {section}, "{flags}", @note
    .balign 4
    .long {len(NOTE_NAME) + 1}, {len(text)}, {_NOTE_TYPE}
    .asciz "{NOTE_NAME}"
    .balign 4
    .ascii "{escaped}"
    .balign 4
"""
