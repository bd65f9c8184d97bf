"""Which functions the compiler has inlined where, from DWARF."""

from collections.abc import Iterable, Iterator

from elftools.dwarf.compileunit import CompileUnit
from elftools.dwarf.die import DIE
from elftools.dwarf.dwarfinfo import DWARFInfo
from elftools.dwarf.ranges import BaseAddressEntry

INSTRUCTION_BYTES = 4


def inlined_calls(dwarf: DWARFInfo) -> dict[int, tuple[str, ...]]:
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
                # What is inside comes after what is around it, so the innermost call stays.
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
