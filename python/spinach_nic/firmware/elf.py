"""What an ELF file holds: segments to load, functions and source lines to name addresses by.

pyelftools reads the file; this module adds the questions that a simulator asks and the errors that a person
reads.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from pathlib import Path

from elftools.common.exceptions import DWARFError, ELFError
from elftools.dwarf.dwarfinfo import DWARFInfo
from elftools.dwarf.lineprogram import LineProgram
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import NoteSection, SymbolTableSection

from spinach_nic.firmware.description import MemoryRange
from spinach_nic.firmware.errors import FirmwareError, nearest
from spinach_nic.firmware.inlining import inlined_calls

NOTE_NAME = "Spinach"
"""The owner of the note in which an image says what made it."""

_EXECUTABLE_FLAG = 1
_WRITABLE_FLAG = 2

_MIPS_ARCHITECTURE_MASK = 0xF0000000
_MIPS_32_BIT_MODE = 0x100
_MIPS_ARCHITECTURES = {0: "MIPS I", 1: "MIPS II", 2: "MIPS III", 3: "MIPS IV", 4: "MIPS V"} | {
    5: "MIPS32",
    6: "MIPS64",
    7: "MIPS32 release 2",
    8: "MIPS64 release 2",
    9: "MIPS32 release 6",
    10: "MIPS64 release 6",
}


@dataclass(frozen=True)
class InstructionSetFormat:
    """How ELF files of an instruction set are marked."""

    machine: str
    bits: int
    big_endian: bool


FORMATS: Mapping[str, InstructionSetFormat] = {"mips": InstructionSetFormat("EM_MIPS", 32, big_endian=True)}


@dataclass(frozen=True)
class Segment:
    """A part of memory as it is before the first instruction."""

    address: int
    data: bytes = field(repr=False)
    """What the file holds; the rest up to `memory_bytes` is zero."""
    memory_bytes: int
    executable: bool
    writable: bool
    load_address: int
    """Where it is put at first; firmware may copy it to `address` itself."""

    @property
    def end(self) -> int:
        """The first address after the segment."""
        return self.address + self.memory_bytes

    def __str__(self) -> str:
        """First and last address, as errors show them."""
        return f"0x{self.address:08x}-0x{self.end - 1:08x}"


@dataclass(frozen=True)
class Symbol:
    """A name for an address. `bytes` is 0 where the file does not say how long the thing is."""

    name: str
    address: int
    bytes: int
    is_function: bool


@dataclass(frozen=True)
class SourceLine:
    """A line of source. `file` is as the compiler was told it."""

    file: str
    line: int

    def __str__(self) -> str:
        """As compilers print it."""
        return f"{self.file}:{self.line}"


class Executable:
    """An ELF executable, read whole."""

    def __init__(self, path: Path, elf: ELFFile) -> None:
        """Use `Executable.load`."""
        self._elf = elf
        symbols = {symbol.name: symbol for symbol in _symbols(elf)}
        self._describe(path, elf["e_entry"], tuple(_segments(elf)), symbols)

    def __repr__(self) -> str:
        """The file and its entry."""
        return f"<Executable {self.path.name}, entry 0x{self.entry:08x}>"

    def _describe(
        self, path: Path, entry: int, segments: tuple[Segment, ...], symbols: Mapping[str, Symbol]
    ) -> None:
        self.path = path
        self.entry = entry
        self.segments = segments
        self.symbols = symbols

    @classmethod
    def load(cls, path: Path) -> "Executable":
        """Read `path`.

        Raises:
            FirmwareError: The file cannot be read, or is not an ELF executable.
        """
        try:
            content = path.read_bytes()
        except OSError as error:
            raise FirmwareError(f"cannot read {path}: {error.strerror}", "name an ELF file") from error
        try:
            elf = ELFFile(BytesIO(content))
            if elf["e_type"] != "ET_EXEC":
                raise FirmwareError(
                    f"{path} is not an executable: its type is {elf['e_type']}",
                    "link it at fixed addresses first",
                )
            return cls(path, elf)
        except ELFError as error:
            help = "give the linked image, not a source or a raw binary"
            raise FirmwareError(f"{path} is not an ELF file: {error}", help) from error
        except (ValueError, TypeError, KeyError, UnicodeDecodeError, OverflowError) as error:
            raise FirmwareError(f"{path} is a damaged ELF file: {error}", "build the image again") from error

    def check(self, instruction_set: str, memories: Sequence[MemoryRange]) -> None:
        """See that cores of `instruction_set` with these memories can run the file.

        Args:
            instruction_set: As in `FORMATS`.
            memories: Where segments may lie.

        Raises:
            FirmwareError: Wrong machine, byte order or word size; a segment outside every memory; no code at
                the entry.
        """
        self._check_format(instruction_set)
        if not self.segments:
            raise FirmwareError(f"{self.path} has nothing to load", "link it with program headers")
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

    def _check_format(self, instruction_set: str) -> None:
        if instruction_set not in FORMATS:
            raise FirmwareError(
                f"no instruction set is called {instruction_set}", nearest(instruction_set, FORMATS)
            )
        expected = FORMATS[instruction_set]
        machine = self._elf["e_machine"]
        if machine != expected.machine:
            raise FirmwareError(
                f"{self.path} is for machine {machine}; the cores are {expected.machine}",
                f"compile it for {instruction_set}",
            )
        if self._elf.little_endian == expected.big_endian:
            found, wanted = ("little", "big") if self._elf.little_endian else ("big", "little")
            raise FirmwareError(
                f"{self.path} is {found}-endian; the cores are {wanted}-endian", f"compile it {wanted}-endian"
            )
        if self._elf.elfclass != expected.bits:
            raise FirmwareError(
                f"{self.path} is a {self._elf.elfclass}-bit file; the cores have {expected.bits} bits",
                f"compile it for {expected.bits} bits",
            )
        if instruction_set == "mips":
            self._check_mips_architecture()

    def _check_mips_architecture(self) -> None:
        flags = self._elf["e_flags"]
        architecture = (flags & _MIPS_ARCHITECTURE_MASK) >> 28
        # MIPS III restricted to 32 bits has no instructions beyond MIPS II.
        if architecture > 1 and not (architecture == 2 and flags & _MIPS_32_BIT_MODE):
            name = _MIPS_ARCHITECTURES.get(architecture, f"architecture {architecture}")
            raise FirmwareError(
                f"{self.path} is compiled for {name}; the cores execute MIPS II",
                "compile it with -march=mips2",
            )

    def symbol(self, name: str) -> Symbol:
        """The symbol called `name`.

        Raises:
            FirmwareError: There is none.
        """
        if name not in self.symbols:
            raise FirmwareError(f"{self.path} has no symbol {name}", nearest(name, self.symbols))
        return self.symbols[name]

    def function_at(self, address: int) -> Symbol | None:
        """The function whose code holds `address`, or `None`."""
        addresses, functions = self._functions
        index = bisect_right(addresses, address) - 1
        if index < 0:
            return None
        function = functions[index]
        return function if address < function.address + function.bytes else None

    def source_line_at(self, address: int) -> SourceLine | None:
        """The source line of the instruction at `address`, or `None` where DWARF says nothing."""
        addresses, lines = self._lines
        index = bisect_right(addresses, address) - 1
        return lines[index] if index >= 0 else None

    @property
    def functions(self) -> Sequence[Symbol]:
        """The functions that have a length, by address."""
        return self._functions[1]

    def inlined_at(self, address: int) -> tuple[str, ...]:
        """The functions inlined into the function at `address` that the instruction there belongs to.

        The outermost first; nothing where DWARF says nothing.
        """
        return self._inlined.get(address, ())

    @cached_property
    def note(self) -> Mapping[str, str]:
        """What made the file: `image`, `compiler` and `inputs`, if this project's builder linked it."""
        section = self._elf.get_section_by_name(".note.spinach")
        if not isinstance(section, NoteSection):
            return {}
        texts = [note["n_desc"] for note in section.iter_notes() if note["n_name"] == NOTE_NAME]
        lines = [line for text in texts for line in text.decode(errors="replace").splitlines()]
        return {key: value for key, equals, value in (line.partition("=") for line in lines) if equals}

    @cached_property
    def _functions(self) -> tuple[list[int], list[Symbol]]:
        functions = sorted(
            (s for s in self.symbols.values() if s.is_function and s.bytes), key=lambda s: s.address
        )
        return [function.address for function in functions], functions

    @cached_property
    def _inlined(self) -> Mapping[int, tuple[str, ...]]:
        if not self._elf.has_dwarf_info():
            return {}
        try:
            return inlined_calls(self._elf.get_dwarf_info())
        except (DWARFError, ELFError, KeyError, ValueError, IndexError, TypeError) as error:
            raise self._damaged(error) from error

    def _damaged(self, error: Exception) -> FirmwareError:
        return FirmwareError(f"{self.path}: damaged debug information: {error}", "build the image again")

    @cached_property
    def _lines(self) -> tuple[list[int], list[SourceLine | None]]:
        """Addresses where the source line changes, ascending, and the line from each on."""
        if not self._elf.has_dwarf_info():
            return [], []
        try:
            sequences = [s for s in _line_sequences(self._elf.get_dwarf_info()) if self._is_code(s[0][0])]
        except (DWARFError, ELFError, KeyError, ValueError, IndexError, TypeError) as error:
            raise self._damaged(error) from error
        # Linkers leave the lines of discarded functions behind, often at address 0. Where several sequences
        # begin at one address, no one can tell which is alive.
        claims = Counter(sequence[0][0] for sequence in sequences)
        alive = [sequence for sequence in sequences if claims[sequence[0][0]] == 1]
        # The end of one sequence never hides the start of the next at the same address.
        changes: dict[int, SourceLine | None] = {sequence[-1][0]: None for sequence in alive}
        for sequence in alive:
            changes.update(sequence[:-1])
        addresses = sorted(changes)
        return addresses, [changes[address] for address in addresses]

    def _is_code(self, address: int) -> bool:
        return any(s.executable and s.address <= address < s.end for s in self.segments)


def _segments(elf: ELFFile) -> Iterable[Segment]:
    for segment in elf.iter_segments("PT_LOAD"):
        if segment["p_memsz"] == 0:
            continue
        flags = segment["p_flags"]
        yield Segment(
            address=segment["p_vaddr"],
            data=segment.data(),
            memory_bytes=segment["p_memsz"],
            executable=bool(flags & _EXECUTABLE_FLAG),
            writable=bool(flags & _WRITABLE_FLAG),
            load_address=segment["p_paddr"],
        )


def _symbols(elf: ELFFile) -> Iterable[Symbol]:
    table = elf.get_section_by_name(".symtab")
    if not isinstance(table, SymbolTableSection):
        return
    for symbol in table.iter_symbols():
        kind = symbol["st_info"]["type"]
        if (
            symbol.name
            and symbol["st_shndx"] != "SHN_UNDEF"
            and kind in ("STT_NOTYPE", "STT_OBJECT", "STT_FUNC")
        ):
            yield Symbol(symbol.name, symbol["st_value"], symbol["st_size"], kind == "STT_FUNC")


def _line_sequences(dwarf: DWARFInfo) -> Iterable[list[tuple[int, SourceLine | None]]]:
    """Runs of contiguous code: the lines from each address on, and `None` at the end."""
    for unit in dwarf.iter_CUs():
        program = dwarf.line_program_for_CU(unit)
        if program is None:
            continue
        sequence: list[tuple[int, SourceLine | None]] = []
        for entry in program.get_entries():
            state = entry.state
            if state is None:
                continue
            if not state.end_sequence:
                # Line 0 is what compilers give code that comes from no line.
                line = SourceLine(_file_name(program, state.file), state.line) if state.line else None
                sequence.append((state.address, line))
                continue
            if sequence:
                yield [*sequence, (state.address, None)]
            sequence = []


def _file_name(program: LineProgram, index: int) -> str:
    """The file with its folder, numbered as the version of DWARF in use does: from 1 before version 5."""
    header = program.header
    first = 0 if header.version >= 5 else 1
    entry = header.file_entry[index - first]
    name: str = entry.name.decode(errors="replace")
    folder_index: int = entry.dir_index
    if folder_index == 0 and first == 1:
        return name
    folder: str = header.include_directory[folder_index - first].decode(errors="replace")
    return name if folder in ("", ".") else f"{folder}/{name}"
