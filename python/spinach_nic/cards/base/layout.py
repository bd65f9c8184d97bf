"""Layout of memories, as it follows from their connections.

References of cores pass crossbars, which spread consecutive bytes over banks, and bridges between byte
orders, which reverse the bytes of each word. Loading firmware and debugging need both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from spinach_nic.model import Component, Module
from spinach_nic.model.ports import PortOwner
from spinach_nic.support.errors import SpinachError

DEFAULT_INTERLEAVE = 4
"""Bytes per bank and turn of a memory without a crossbar."""


class Layout(Struct, frozen=True):
    """Places of the bytes of a memory."""

    interleave: int
    """Number of consecutive bytes in one bank."""
    reverses_words: bool
    """True if the bytes of each 32-bit word are stored in reverse order."""


def layout_of(system: Component, name: str, banks: Sequence[Module], *, is_little_endian: bool) -> Layout:
    """Return the layout of a memory.

    Args:
        system: The card, built.
        name: Name of the memory, for errors.
        banks: The modules that hold its contents.
        is_little_endian: Byte order of the cores.

    Raises:
        SpinachError: Two crossbars spread the memory in different ways.
    """
    wanted = set(banks)
    modules = list(system.modules())
    spread = {
        module.parameters["interleave_bytes"].bytes
        for module in modules
        if len(wanted) > 1 and module.kind == "crossbar" and wanted <= set(reached([module]))
    }
    if len(spread) > 1:
        sizes = " and ".join(map(str, sorted(spread)))
        raise SpinachError(
            f"crossbars spread the memory {name} by {sizes} bytes", "give them the same interleave_bytes"
        )
    bridges = [module for module in modules if is_little_endian and module.kind == "word_bridge"]
    reverses = not wanted.isdisjoint(reached(bridges))
    return Layout(min(spread, default=DEFAULT_INTERLEAVE), reverses)


def reached(sources: Iterable[PortOwner]) -> Iterator[PortOwner]:
    """Yield the modules that references from `sources` reach. Registers of a module end the way."""
    waiting, seen = list(sources), set(sources)
    while waiting:
        module = waiting.pop()
        yield module
        for output, _, to, entry, _, _ in module._connections:
            carries = getattr(type(module), output).carries
            # Ports of general modules, such as FIFOs, carry any type, written as a letter.
            is_reference = carries == "reference" or len(carries) == 1
            if is_reference and to not in seen and entry != "registers_request":
                seen.add(to)
                waiting.append(to)
