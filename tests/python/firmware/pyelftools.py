"""Reading of an image by pyelftools, an independent reader of ELF and DWARF."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO

from elftools.dwarf.compileunit import CompileUnit
from elftools.dwarf.die import DIE
from elftools.dwarf.dwarfinfo import DWARFInfo
from elftools.dwarf.lineprogram import LineProgram
from elftools.dwarf.ranges import BaseAddressEntry
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import NoteSection, SymbolTableSection


@dataclass(frozen=True)
class Reading:
    """An image as pyelftools reads it."""

    segments: list[tuple[int, bytes, int, bool, bool, int]]
    symbols: list[tuple[str, int, int, bool]]
    notes: list[tuple[str, str, bytes]]
    lines: dict[int, str | None]
    """Changes of the source line, and the line from each on."""
    inlined: dict[int, tuple[str, ...]]
    """Inlined functions by the address of an instruction."""


def read(content: bytes) -> Reading:
    """Read an executable with pyelftools."""
    elf = ELFFile(BytesIO(content))
    segments = [
        (
            segment["p_vaddr"],
            segment.data(),
            segment["p_memsz"],
            bool(segment["p_flags"] & 1),
            bool(segment["p_flags"] & 2),
            segment["p_paddr"],
        )
        for segment in elf.iter_segments("PT_LOAD")
        if segment["p_memsz"]
    ]
    return Reading(
        segments=segments,
        symbols=list(_symbols(elf)),
        notes=[
            (section.name, note["n_name"], note["n_desc"])
            for section in elf.iter_sections()
            if isinstance(section, NoteSection)
            for note in section.iter_notes()
        ],
        lines=_lines(elf.get_dwarf_info(), segments),
        inlined=_inlined_calls(elf.get_dwarf_info()),
    )


def _symbols(elf: ELFFile) -> Iterator[tuple[str, int, int, bool]]:
    table = elf.get_section_by_name(".symtab")
    assert isinstance(table, SymbolTableSection)
    for symbol in table.iter_symbols():
        kind = symbol["st_info"]["type"]
        named = symbol.name and symbol["st_shndx"] != "SHN_UNDEF"
        if named and kind in ("STT_NOTYPE", "STT_OBJECT", "STT_FUNC"):
            yield symbol.name, symbol["st_value"], symbol["st_size"], kind == "STT_FUNC"


def _lines(
    dwarf: DWARFInfo, segments: list[tuple[int, bytes, int, bool, bool, int]]
) -> dict[int, str | None]:
    code = [range(address, address + size) for address, _, size, executable, *_ in segments if executable]
    sequences = [s for s in _line_sequences(dwarf) if any(s[0][0] in piece for piece in code)]
    claims = Counter(sequence[0][0] for sequence in sequences)
    alive = [sequence for sequence in sequences if claims[sequence[0][0]] == 1]
    changes = {sequence[-1][0]: sequence[-1][1] for sequence in alive}
    for sequence in alive:
        changes.update(sequence[:-1])
    return dict(sorted(changes.items()))


def _line_sequences(dwarf: DWARFInfo) -> Iterable[list[tuple[int, str | None]]]:
    """Runs of contiguous code: the lines from each address on, and `None` at the end."""
    for unit in dwarf.iter_CUs():
        program = dwarf.line_program_for_CU(unit)
        if program is None:
            continue
        sequence: list[tuple[int, str | None]] = []
        for entry in program.get_entries():
            state = entry.state
            if state is None:
                continue
            if not state.end_sequence:
                # Line 0 is what compilers give code that comes from no line.
                line = f"{_file_name(program, state.file)}:{state.line}" if state.line else None
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


INSTRUCTION_BYTES = 4


def _inlined_calls(dwarf: DWARFInfo) -> dict[int, tuple[str, ...]]:
    """The inlined functions that each instruction belongs to, the outermost first; nothing for the others."""
    calls: dict[int, tuple[str, ...]] = {}
    for unit in dwarf.iter_CUs():
        for die in unit.get_top_DIE().iter_children():
            if die.tag == "DW_TAG_subprogram":
                _note(unit, die, (), calls)
    return calls


def _note(unit: CompileUnit, die: DIE, outer: tuple[str, ...], calls: dict[int, tuple[str, ...]]) -> None:
    for child in die.iter_children():
        inside = outer
        if child.tag == "DW_TAG_inlined_subroutine":
            inside = (*outer, _name(child))
            for addresses in _ranges(unit, child):
                # Inner calls come after outer ones, so the innermost call stays.
                calls.update(dict.fromkeys(addresses, inside))
        if child.tag in ("DW_TAG_inlined_subroutine", "DW_TAG_lexical_block"):
            _note(unit, child, inside, calls)


def _name(die: DIE) -> str:
    while "DW_AT_name" not in die.attributes:
        if "DW_AT_abstract_origin" not in die.attributes:
            return "?"
        die = die.get_DIE_from_attribute("DW_AT_abstract_origin")
    name: bytes = die.attributes["DW_AT_name"].value
    return name.decode(errors="replace")


def _ranges(unit: CompileUnit, die: DIE) -> Iterator[Iterable[int]]:
    attributes = die.attributes
    if "DW_AT_ranges" in attributes:
        base = unit.get_top_DIE().attributes.get("DW_AT_low_pc")
        start = base.value if base else 0
        lists = unit.dwarfinfo.range_lists()
        if lists is None:
            return
        for entry in lists.get_range_list_at_offset(attributes["DW_AT_ranges"].value, cu=unit):
            if isinstance(entry, BaseAddressEntry):
                start = entry.base_address
            else:
                offset = 0 if entry.is_absolute else start
                yield range(offset + entry.begin_offset, offset + entry.end_offset, INSTRUCTION_BYTES)
    elif "DW_AT_low_pc" in attributes and "DW_AT_high_pc" in attributes:
        low, high = attributes["DW_AT_low_pc"].value, attributes["DW_AT_high_pc"]
        end = high.value if high.form == "DW_FORM_addr" else low + high.value
        yield range(low, end, INSTRUCTION_BYTES)
