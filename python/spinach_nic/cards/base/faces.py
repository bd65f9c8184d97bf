"""Faces of a card: the ports at which a bench is connected.

At the bus, requests go both ways: the host accesses the card's memory and registers, and the card accesses
host memory. The kinds of bus differ in what a driver relies on:

- `ChipBus`: registers, DMA and an interrupt, for a driver that knows the card.
- `RingBus`: a chip bus whose registers are mailboxes, for the ring driver of HPCA 2005, section 2.1.
- `PciBus`: a PCI function with configuration space, as a guest or a server enumerates it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spinach_nic.model import Bundle, Clock, Input, Module, Output, Port
from spinach_nic.support.checked_records import check_record
from spinach_nic.support.location import CompositionError
from spinach_nic.support.records import Record
from spinach_nic.support.units import B, KiB, Rate, Size, bps

if TYPE_CHECKING:
    from spinach_nic.library import FixedFunctionCard, PciDevice


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ChipBus(Record):
    """Bus without configuration space."""

    clock: Clock
    access: Bundle
    """Takes the accesses of the host: a bundle of the memory protocol."""
    memory: Bundle
    """Accesses host memory: a bundle of the block protocol."""
    interrupt: Output | None = None
    """Raises interrupts."""
    others: Input | None = None
    """Takes the number of bytes of each access of the host, where these share a bus with the card's own."""
    carried: Output | None = None
    """Numbers of bytes for `others`, as the card counts them; a PCI function in front counts its own."""

    def __post_init__(self) -> None:
        """Check the fields."""
        check_record(self)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RingBus(ChipBus):
    """Bus of a card whose firmware works on rings in host memory, as the module `RingHost` does."""

    configuration: int
    """Address of the configuration block."""
    send_mailbox: int
    """Address of the producer of the send ring."""
    receive_mailbox: int
    """Address of the producer of the receive ring."""
    receive_buffer: Size = KiB(1.5)  # noqa: RUF009, quantities do not change
    """Size of the host's buffers for received frames."""
    header_bytes: int = 42
    """Bytes of each frame to send in a separate buffer; 0 for a card that takes one buffer per frame."""
    computes_checksums: bool = False
    """True if the card inserts checksums into frames to send and verifies those of received ones."""
    first_index: int = 0
    """First index of each ring."""
    content: Size = B(0)  # noqa: RUF009, quantities do not change
    """Memory of the card for content of the host; 0 for a card that keeps none."""
    reset: int | None = None
    """Address of a word that resets the firmware when the host writes it; then the card clears `ready` of the
    configuration block. `None` for a card that the host cannot reset."""
    memory_window: range = range(0)
    """Addresses that the host reaches through a PCI function: the configuration block and the mailboxes."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PciBus(ChipBus):
    """PCI function."""

    configuration: Bundle
    """Takes accesses to configuration space: a bundle of the memory protocol."""
    interrupt: Output
    """Level of the interrupt line: 1 when it is asserted, 0 when it is released."""
    reset: Input
    """A word resets the card, as the bus does."""

    @classmethod
    def of(cls, function: PciDevice | FixedFunctionCard, clock: Clock) -> PciBus:
        """Return the bus of a module with the host side of a PCI function."""
        return cls(
            clock=clock,
            configuration=function.configuration,
            access=function.target,
            memory=function.memory,
            interrupt=function.interrupt,
            reset=function.reset,
        )


Bus = ChipBus | RingBus | PciBus


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Wire(Record):
    """One end of a link."""

    clock: Clock
    rate: Rate
    """Rate of the link in each direction."""
    sent: Output
    """Frames out."""
    received: Input
    """Frames in."""
    link_up: Output
    """1 when the link comes up, 0 when it goes down."""
    leaving: Port | None = None
    """Port whose frames a capture records; `sent` by default."""
    pause_bytes_per_cycle: int = 0
    """Bytes that pass in a cycle, if the card sends pause frames and obeys them; else 0."""

    def __post_init__(self) -> None:
        """Check the fields."""
        check_record(self)

    @property
    def captured(self) -> Port:
        """Port whose frames a capture records."""
        return self.sent if self.leaving is None else self.leaving


@dataclass(frozen=True, eq=False, repr=False)
class Faces(Record):
    """Faces of a card."""

    bus: Bus | None
    """Bus; `None` for a card without a host."""
    wires: Sequence[Wire]
    """Wires, the first of which carries traffic unless the bench chooses another."""
    console: Module | None = None
    """Serial line, a `Uart`."""
    management: PciBus | None = None
    """Bus of a host that controls a card without a `bus`: no traffic passes it."""
    aggregated: bool = False
    """True if the wires, all of one clock, are one aggregated link (IEEE 802.1AX): frames take any of them,
    those of a flow the same."""

    def __post_init__(self) -> None:
        """Check the fields."""
        check_record(self)
        if not self.wires:
            raise CompositionError("a card has no wires", "give a list with one Wire at least")

    @property
    def link_rates(self) -> Sequence[Rate]:
        """Rate of each link in each direction; the wires of an aggregated link are one."""
        rates = [wire.rate for wire in self.wires]
        return [bps(sum(rate.bits_per_second for rate in rates))] if self.aggregated else rates
