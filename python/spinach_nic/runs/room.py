"""Check of the sizes of memories: an image that is built for a card needs as much as it was linked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spinach_nic.cards.base.card import Card, MappedMemory
from spinach_nic.firmware import Executable, MemoryRange
from spinach_nic.model import Component, Module
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import KiB, Size

_STACKS, _STACK_BYTES, _LINKED_CORES = "spinach_stacks", "spinach_stack_bytes", "spinach_core_count"
"""Symbols of the linker scripts: place of the first stack, its size, and the cores that have one."""


def check_room(
    executable: Executable, card: Card, memories: Sequence[tuple[MappedMemory, MemoryRange]]
) -> None:
    """Check that the memories of a card have room for the segments and stacks of an image.

    Images linked by other tools are not checked: their addresses may be for another card.

    Raises:
        SpinachError: A memory is too small.
    """
    if not executable.built_for:
        return
    for begin, end in _extents(executable, len(card.probes().cores)):
        below = max((place.base for _, place in memories if place.base <= begin), default=None)
        # Private memories of several cores have the same addresses.
        small = [(memory, place) for memory, place in memories if place.base == below and place.end < end]
        if not small:
            continue
        memory, place = small[0]
        parameter = _size_parameter(card, memory, place.bytes)
        if parameter is None:
            continue
        needed = KiB(-(-(end - place.base) // 1024))
        raise SpinachError(
            f"{executable.path.name}: 0x{begin:08x}-0x{end - 1:08x} is outside every memory: {place} is too "
            "small",
            f"set {parameter}={str(needed).replace(' ', '')} or more, or leave it at its default",
        )


def _extents(executable: Executable, cores: int) -> Iterator[tuple[int, int]]:
    """Yield the addresses that an image needs, each with the next one: stacks first, as they lie highest."""
    symbols = executable.symbols
    if {_STACKS, _STACK_BYTES, _LINKED_CORES} <= symbols.keys():
        stacks = max(1, min(cores, symbols[_LINKED_CORES].address))
        begin = symbols[_STACKS].address
        yield begin, begin + stacks * symbols[_STACK_BYTES].address
    for segment in executable.segments:
        yield segment.address, segment.end


def _size_parameter(card: Card, memory: MappedMemory, size: int) -> str | None:
    """Return the path of the parameter that is the size of a memory, the innermost one, if there is any."""
    bank = memory.banks[0]
    for part in (bank, *reversed(list(_holders(card, bank))), card):
        for name, value in part.parameters.items():
            if isinstance(value, Size) and value.bytes == size:
                return name if part is card else f"{part.path}.{name}"
    return None


def _holders(component: Component, module: Module) -> Iterator[Component]:
    """Yield the components inside that hold a module, the outer ones first."""
    for part in component.parts.values():
        if isinstance(part, Component) and any(one is module for one in part.modules()):
            yield part
            yield from _holders(part, module)
