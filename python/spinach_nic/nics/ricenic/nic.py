"""RiceNIC with the host that drives it and the network at its other end."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.composition import Module, parameter
from spinach_nic.hosts import Driver
from spinach_nic.library import (
    AsynchronousFifo,
    NicFeeder,
    PacketFeeder,
    PacketSink,
    Pipe,
    ScriptedHost,
)
from spinach_nic.nics.base import Agent, Counter, FramePath, IncoherentCaches, Probes
from spinach_nic.nics.ricenic.board import RicenicBoard
from spinach_nic.nics.ricenic.contexts import SharedNic
from spinach_nic.nics.ricenic.registers import (
    BRAM,
    BRAM_BYTES,
    BRAM_UNCACHED,
    CDNA_DROPS,
    CDNA_SETTINGS,
    HOST_RINGS,
    MAILBOXES,
    NAT_DROPS,
    QUEUE_ENTRIES,
    SETTINGS,
    SRAM,
)
from spinach_nic.traffic import Direction
from spinach_nic.units import B, Gbps, Time, fs, ms, us

HOST_BUFFER = 1536
CHECK_SEQUENCE_BYTES = 4


class Ricenic(SharedNic, RicenicBoard):
    """The reconfigurable gigabit NIC, by default with firmware that runs on one of its two processors."""

    summary = "RiceNIC: a gigabit NIC for experiments, two PowerPC 405 (ExpCS 2007)"

    host_latency: Time = parameter(
        default=us(1), range=(fs(0), ms(10)), doc="From an interrupt until the driver acts."
    )
    checksums: bool = parameter(
        default=True, doc="Whether the card puts checksums into frames and verifies those of received frames."
    )
    first_index: int = parameter(
        default=0,
        range=(0, 2**32 - 1),
        doc="Where all indices of the driver begin, such as shortly before 2^32 to see them wrap around.",
    )

    def build(self) -> None:
        """Put the card between a host and a network."""
        self.card = self.make_card(self.context_count)
        self.host: NicFeeder | ScriptedHost
        if self.has_contexts:
            self.host = self.make_guests(self.card.pci_clock)
            self.host.access >> self.card.programmed
        else:
            self.host = self._make_driver()
            self.host.doorbell >> self.card.programmed
        self.card.programmed_bytes >> self.card.pci.others
        self.card.host_memory >> self.host.memory
        self.card.interrupt >> self.host.interrupt
        self._make_network()
        self._make_instruments()

    def _make_driver(self) -> NicFeeder:
        return NicFeeder(
            clock=self.card.pci_clock,
            configuration_address=SRAM + HOST_RINGS,
            send_mailbox=SRAM + 4 * MAILBOXES.index("send"),
            receive_mailbox=SRAM + 4 * MAILBOXES.index("receive"),
            service_latency=self.host_latency,
            receive_buffer=B(max(HOST_BUFFER, self.largest_frame + CHECK_SEQUENCE_BYTES)),
            checksums=self.checksums,
            first_index=self.first_index,
            **self.tx.source("send_"),
            **(self.left_inward(self.rx) if self.translates else self.rx).expected("receive_"),
        )

    def drivers(self) -> Sequence[Driver]:
        """The hypervisor, if the firmware has contexts; else the host has its driver within."""
        return self.guest_drivers(self.host) if isinstance(self.host, ScriptedHost) else ()

    @property
    def hypervisor_latency(self) -> Time:
        """From an interrupt until the hypervisor acts."""
        return self.host_latency

    def settings(self) -> bytes:
        """The words that the firmware reads."""
        settings = super().settings()
        if not self.has_contexts:
            return settings
        return settings.ljust(CDNA_SETTINGS - SETTINGS, b"\0") + self.context_settings()

    def _make_network(self) -> None:
        clock = self.card.mac_clock
        self.network = PacketFeeder(clock=clock, **self.of_guests(self.rx, "rx").source())
        expected = self.left_outward(self.tx) if self.translates else self.of_guests(self.tx, "tx")
        self.sink = PacketSink(clock=clock, **expected.expected())
        self.card.sent >> self.sink.wire
        self.wire_from(self.network.wire, self.rx, clock) >> self.card.received
        self.card.link_up >> self.network.link_up

    def _make_instruments(self) -> None:
        """What no card has: notes on when frames left, and copies of received frames for a capture."""
        self.notes = [AsynchronousFifo(), AsynchronousFifo()]
        self.host.departures >> self.notes[0].input
        self.notes[0].output >> self.sink.departures
        self.network.departures >> self.notes[1].input
        self.notes[1].output >> self.host.arriving
        if self.captured:
            clock = self.card.pci_clock
            self.copies = Pipe(clock=clock)
            self.copies_end = PacketSink(clock=clock)
            self.host.received >> self.copies.input
            self.copies.output >> self.copies_end.wire

    def _discards(self, way: Direction) -> dict[str, tuple[Module, str]]:
        """What firmware drops: by reason, the count in the card."""
        reasons: dict[str, int] = {}
        if self.translates:
            first = 0 if way == "tx" else len(NAT_DROPS)
            reasons = {reason: first + place for place, reason in enumerate(NAT_DROPS)}
        elif self.has_contexts:
            own = {reason: place for place, reason in enumerate(CDNA_DROPS)}
            reasons = {
                name: place for name, place in own.items() if (name == "stopped_sending") == (way == "tx")
            }
        return {reason: (self.card.tally, f"count_{place}") for reason, place in reasons.items()}

    def probes(self) -> Probes:
        """Where it is measured."""
        card = self.card
        return Probes(
            link_rate=Gbps(1),
            tx=FramePath(
                source=self.host,
                sink=self.sink,
                depth=QUEUE_ENTRIES // 2,
                discards=self._discards("tx"),
                capture=card.leaving,
            ),
            rx=FramePath(
                source=self.network,
                sink=self.host,
                depth=QUEUE_ENTRIES,
                drops=(card.mac_receive, *self.wire_drops),
                discards=self._discards("rx"),
                capture=self.host.received,
            ),
            console=card.uart,
            counters={"interrupts": Counter(self.host, "interrupts", "interrupts")},
            cores=tuple(processor.model for processor in card.processor),
            agents={
                "dma_read": Agent(card.dma_read, "dma"),
                "dma_write": Agent(card.dma_write, "dma"),
                "mac_transmit": Agent(card.mac_transmit, "mac"),
                "mac_receive": Agent(card.mac_receive, "mac"),
            },
            caches=IncoherentCaches(
                [processor.data_cache for processor in card.processor],
                [processor.model.data_request for processor in card.processor],
                {
                    "dma_read": card.dma_read.local_request,
                    "dma_write": card.dma_write.local_request,
                    "mac_transmit": card.mac_transmit.frame_request,
                    "mac_receive": card.mac_receive.frame_request,
                },
                [(range(BRAM_UNCACHED, BRAM_UNCACHED + BRAM_BYTES.bytes), BRAM)],
            ),
            metadata=(range(BRAM, 1 << 32), range(BRAM_UNCACHED, BRAM_UNCACHED + (1 << 15))),
            memories=self.memories(card),
        )
