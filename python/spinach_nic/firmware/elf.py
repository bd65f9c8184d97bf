"""Content of an ELF file: segments to load, functions and source lines to name addresses by.

The native part reads the file; this module adds the questions that a simulator asks and the errors that a
person reads.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Self

from msgspec import Struct

from spinach_nic import _native
from spinach_nic.firmware.errors import FirmwareError
from spinach_nic.firmware.instruction_sets import INSTRUCTION_SETS
from spinach_nic.firmware.memory_range import MemoryRange
from spinach_nic.support import files
from spinach_nic.support.errors import DefectError, SpinachError

NOTE_NAME = "Spinach"
"""Owner of the note with the origin of an image."""

NOTE_SECTION = ".note.spinach"
CARD_NOTE_SECTION = ".note.spinach.card"
"""Section of the note with the card that the image is built for. It is not loaded, so it takes no memory."""
LONGEST_FILE_BYTES = 256 << 20
"""Larger files are rejected."""


class Segment(Struct, frozen=True):
    """Initial content of a part of memory."""

    address: int
    data: bytes
    """Content in the file; the rest up to `memory_bytes` is zero."""
    memory_bytes: int
    executable: bool
    writable: bool
    load_address: int
    """Load address; firmware may copy it to `address` itself."""

    @classmethod
    def of(cls, address: int, data: bytes) -> Self:
        """Bytes beyond those of any image."""
        return cls(address, data, len(data), executable=False, writable=True, load_address=address)

    @property
    def end(self) -> int:
        """The first address after the segment."""
        return self.address + self.memory_bytes

    def __repr__(self) -> str:
        """Addresses without the content."""
        return f"Segment({self})"

    def __str__(self) -> str:
        """First and last address, as errors show them."""
        return f"0x{self.address:08x}-0x{self.end - 1:08x}"


class Symbol(Struct, frozen=True):
    """A name for an address. `bytes` is 0 if the file states no length."""

    name: str
    address: int
    bytes: int
    is_function: bool


class SourceLine(Struct, frozen=True):
    """A line of source. `file` is as given to the compiler."""

    file: str
    line: int

    def __str__(self) -> str:
        """Return the form that compilers print."""
        return f"{self.file}:{self.line}"


class Executable:
    """An ELF executable, read whole."""

    def __init__(self, path: Path, file: _native.Executable) -> None:
        """Use `Executable.load`."""
        symbols = [Symbol(*symbol) for symbol in file.symbols()]
        segments = tuple(Segment(*segment) for segment in file.segments())
        self._describe(path, file.entry, segments, symbols, file)

    def __repr__(self) -> str:
        """Return the file and its entry."""
        return f"<Executable {self.path.name}, entry 0x{self.entry:08x}>"

    def _describe(
        self,
        path: Path,
        entry: int,
        segments: tuple[Segment, ...],
        symbols: Sequence[Symbol],
        file: _native.Executable | None = None,
    ) -> None:
        self.path = path
        self.entry = entry
        self.segments = segments
        self.symbols = {symbol.name: symbol for symbol in symbols}
        self._all_symbols = symbols
        self._file = file

    @classmethod
    def load(cls, path: Path) -> "Executable":
        """Read `path`.

        Raises:
            FirmwareError: The file cannot be read, or is not an ELF executable.
        """
        content = read_file(path, "an ELF file")
        try:
            file = _native.Executable(str(path), content)
        except DefectError:
            raise
        except SpinachError as error:
            raise FirmwareError(error.message, error.help) from None
        if file.kind != "ET_EXEC":
            message = f"{path} is not an executable: its type is {file.kind}"
            raise FirmwareError(message, "link it at fixed addresses first")
        return cls(path, file)

    def check(self, instruction_set: str, memories: Sequence[MemoryRange]) -> None:
        """Check that cores of `instruction_set` with these memories can run the file.

        Args:
            instruction_set: Name of an instruction set in `INSTRUCTION_SETS`.
            memories: Address ranges that segments may occupy.

        Raises:
            FirmwareError: Wrong machine, byte order or word size; a segment outside every memory; no code at
                the entry.
        """
        self.check_format(instruction_set)
        if not self.segments:
            raise FirmwareError(f"{self.path} has no segments to load", "link it with program headers")
        places = " or ".join(map(str, memories)) or "a memory; the system has none"
        for segment in self.segments:
            if not any(memory.base <= segment.address and segment.end <= memory.end for memory in memories):
                raise FirmwareError(
                    f"{self.path}: segment {segment} is outside every memory", f"link it into {places}"
                )
        if not self._is_code(self.entry):
            raise FirmwareError(
                f"{self.path}: no code at the entry address 0x{self.entry:08x}",
                "link it with an entry symbol",
            )

    def check_format(self, instruction_set: str) -> None:
        """Check that cores of an instruction set can execute the file, wherever its segments are.

        Raises:
            FirmwareError: Wrong machine, byte order, word size or level of the instruction set.
        """
        file = self._file
        if file is None:
            return
        if instruction_set not in INSTRUCTION_SETS:
            raise FirmwareError(
                f"unknown instruction set {instruction_set}",
                _native.suggest(instruction_set, list(INSTRUCTION_SETS)),
            )
        expected = INSTRUCTION_SETS[instruction_set].elf
        machine = file.machine
        if machine != expected.name:
            raise FirmwareError(
                f"{self.path} is for machine {machine}; the cores are {expected.name}",
                f"compile it for {instruction_set}",
            )
        found, wanted = "big" if file.is_big_endian else "little", expected.byte_order
        if found != wanted:
            raise FirmwareError(
                f"{self.path} is {found}-endian; the cores are {wanted}-endian", f"compile it {wanted}-endian"
            )
        if file.bits != expected.bits:
            raise FirmwareError(
                f"{self.path} is a {file.bits}-bit file; the cores have {expected.bits} bits",
                f"compile it for {expected.bits} bits",
            )
        compiled_for = _native.unsuitable_elf(instruction_set, file.flags)
        if compiled_for is not None:
            level, option = expected.level
            raise FirmwareError(
                f"{self.path} is compiled for {compiled_for}; the cores execute {level}",
                f"compile it with {option}",
            )

    def symbol(self, name: str) -> Symbol:
        """Return the symbol called `name`.

        Raises:
            FirmwareError: There is none, or there are several at different addresses.
        """
        if name not in self.symbols:
            raise FirmwareError(
                f"{self.path} has no symbol {name}", _native.suggest(name, sorted(self.symbols))
            )
        return self._only([symbol for symbol in self._all_symbols if symbol.name == name])

    def function(self, name: str) -> Symbol:
        """Return the function called `name`.

        Raises:
            FirmwareError: There is none, or there are several, as in several files.
        """
        found = [function for function in self.functions if function.name == name]
        if not found:
            names = sorted(function.name for function in self.functions)
            raise FirmwareError(f"{self.path.name} has no function {name!r}", _native.suggest(name, names))
        return self._only(found)

    def _only(self, found: Sequence[Symbol]) -> Symbol:
        places = {symbol.address: self.source_line_at(symbol.address) for symbol in found}
        if len(places) > 1:
            listed = ", ".join(f"0x{at:08x}" + f" ({line})" * bool(line) for at, line in places.items())
            message = f"{self.path.name} has {len(places)} symbols {found[0].name}: {listed}"
            raise FirmwareError(message, "give the address of one of them")
        return found[0]

    def function_at(self, address: int) -> Symbol | None:
        """Return the function whose code holds `address`, or `None`."""
        addresses, functions = self._functions
        index = bisect_right(addresses, address) - 1
        if index < 0:
            return None
        function = functions[index]
        return function if address < function.address + function.bytes else None

    def source_line_at(self, address: int) -> SourceLine | None:
        """Return the source line of the instruction at `address`, or `None` where DWARF says nothing."""
        found = None if self._file is None else self._file.source_line_at(address)
        return None if found is None else SourceLine(*found)

    def label_of(self, function: Symbol) -> str:
        """Return the name of a function, with its source file if others have the same name."""
        line = self.source_line_at(function.address) if function.name in self._shared_names else None
        return function.name if line is None else f"{function.name} ({line.file})"

    @property
    def functions(self) -> Sequence[Symbol]:
        """The functions that have a length, by address."""
        return self._functions[1]

    def inlined_at(self, address: int) -> tuple[str, ...]:
        """Return the functions inlined into the function at `address` that the instruction there belongs to.

        The outermost first; nothing where DWARF says nothing.
        """
        return () if self._file is None else tuple(self._file.inlined_at(address))

    @property
    def damages(self) -> Sequence[str]:
        """Return the damaged parts of the debug information, a sentence each; missing parts are unknown."""
        return () if self._file is None else self._file.damages()

    @cached_property
    def note(self) -> Mapping[str, str]:
        """Origin of the file: `image`, `compiler` and `inputs`, if this project's builder linked it."""
        return self._note_in(NOTE_SECTION)

    @cached_property
    def built_for(self) -> Mapping[str, str]:
        """Cores and constants of the card that the file is built for, if this project's builder linked it."""
        return self._note_in(CARD_NOTE_SECTION)

    def _note_in(self, wanted: str) -> Mapping[str, str]:
        notes = [] if self._file is None else self._file.notes()
        texts = [text for section, owner, text in notes if (section, owner) == (wanted, NOTE_NAME)]
        lines = [line for text in texts for line in text.decode(errors="replace").splitlines()]
        return {key: value for key, equals, value in (line.partition("=") for line in lines) if equals}

    @cached_property
    def _functions(self) -> tuple[list[int], list[Symbol]]:
        functions = sorted(
            (s for s in self._all_symbols if s.is_function and s.bytes), key=lambda s: s.address
        )
        return [function.address for function in functions], functions

    @cached_property
    def _shared_names(self) -> set[str]:
        counts = Counter(function.name for function in self.functions)
        return {name for name, count in counts.items() if count > 1}

    def _is_code(self, address: int) -> bool:
        return any(s.executable and s.address <= address < s.end for s in self.segments)


def read_file(path: Path, what: str) -> bytes:
    """Return the content of a file with firmware.

    Raises:
        FirmwareError: It cannot be read, or is too long; the help says to name `what`.
    """
    try:
        return files.read_file(path, f"name {what}", limit=LONGEST_FILE_BYTES, what="the firmware")
    except SpinachError as error:
        raise FirmwareError(error.message, error.help) from error
