"""RiceNIC with the host that drives it and the network at its other end."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from spinach_nic.composition import Module, parameter
from spinach_nic.firmware import Executable, Segment
from spinach_nic.hosts import Driver
from spinach_nic.library import (
    AsynchronousFifo,
    NicFeeder,
    PacketFeeder,
    PacketSink,
    Pipe,
    ScriptedHost,
)
from spinach_nic.nics.base import Agent, ByteCounter, FramePath, IncoherentCaches, Memory, Probes
from spinach_nic.nics.ricenic.card import RicenicCard
from spinach_nic.nics.ricenic.contexts import SharedNic
from spinach_nic.nics.ricenic.processor import CORES, INSTRUCTION_SET
from spinach_nic.nics.ricenic.registers import (
    BRAM,
    BRAM_BYTES,
    BRAM_UNCACHED,
    CDNA_DROPS,
    CDNA_SETTINGS,
    DDR,
    FUNCTION_NAME_BYTES,
    FUNCTION_TABLE,
    HOST_RINGS,
    MAILBOXES,
    NAT_DROPS,
    NAT_SETTINGS,
    QUEUE_ENTRIES,
    SETTINGS,
    SETTINGS_WORDS,
    SRAM,
)
from spinach_nic.traffic import Direction
from spinach_nic.units import B, Frequency, Gbps, GHz, KiB, MHz, Rate, Size, Time, fs, ms, ns, us

CLOCKS = (MHz(1), GHz(100))
"""The slowest and the fastest clock; the counters of the firmware hold the longest time in its cycles."""
CYCLES = (1, 1000)
"""The shortest and the longest latency, in clocks."""
HOST_BUFFER = 1536
CHECK_SEQUENCE_BYTES = 4


class Ricenic(SharedNic):
    """The reconfigurable gigabit NIC, by default with firmware that runs on one of its two processors."""

    summary = "RiceNIC: a gigabit NIC for experiments, two PowerPC 405 (ExpCS 2007)"
    firmware_folder = "ricenic"
    default_firmware = "base"
    instruction_set = INSTRUCTION_SET

    largest_frame: int = parameter(
        default=1514,
        range=(60, 9216),
        unit="bytes",
        doc="The longest frame that passes, without check sequence.",
    )
    cores: int = parameter(default=2, range=(1, 2), unit="cores", doc="How many processors there are.")
    core: str = parameter(
        default="pipelined",
        doc="How the cores are modelled: an instruction after the other, or five stages.",
        choices=CORES,
    )
    core_clock: Frequency = parameter(default=MHz(300), range=CLOCKS, doc="The clock of the processors.")
    bus_clock: Frequency = parameter(
        default=MHz(100), range=CLOCKS, doc="The clock of the local bus, its devices and the DDR memory."
    )
    host_clock: Frequency = parameter(
        default=MHz(66.666667), range=CLOCKS, doc="The clock of the PCI bus and the SRAM."
    )
    core_stages: int = parameter(
        default=1, range=(1, 8), doc="Flip-flops between the processors and the local bus, each way."
    )
    ddr_activation: int = parameter(
        default=3, range=CYCLES, unit="clocks", doc="Of the local bus, to open a row of the DDR memory."
    )
    ddr_precharge: int = parameter(
        default=3, range=CYCLES, unit="clocks", doc="Of the local bus, to close a row of the DDR memory."
    )
    ddr_column: int = parameter(
        default=8, range=CYCLES, unit="clocks", doc="Of the local bus, from a column to its first data."
    )
    bram_latency: int = parameter(
        default=3, range=CYCLES, unit="clocks", doc="Of the local bus, until the on-chip memory answers."
    )
    bridge_stages: int = parameter(
        default=3, range=(1, 8), doc="Flip-flops between the two chips of the card, each way."
    )
    sram_latency: int = parameter(
        default=8, range=CYCLES, unit="clocks", doc="Of the PCI bus, until the SRAM answers."
    )
    pci_burst: Size = parameter(
        default=B(2048), range=(B(8), KiB(64)), doc="What one burst moves on the PCI bus, at most."
    )
    pci_overhead: int = parameter(
        default=16, range=(0, 1000), unit="clocks", doc="Of the PCI bus, for each burst beside its data."
    )
    host_latency: Time = parameter(
        default=us(1), range=(fs(0), ms(10)), doc="From an interrupt until the driver acts."
    )
    checksums: bool = parameter(
        default=True, doc="Whether the card puts checksums into frames and verifies those of received frames."
    )
    send_coalescing: int = parameter(
        default=16, range=(1, 65536), unit="frames", doc="Frames sent between two interrupts."
    )
    receive_coalescing: int = parameter(
        default=16, range=(1, 65536), unit="frames", doc="Frames received between two interrupts."
    )
    coalescing_time: Time = parameter(
        default=us(30), range=(ns(1), ms(10)), doc="After which the host hears of whatever there is."
    )
    first_index: int = parameter(
        default=0,
        range=(0, 2**32 - 1),
        doc="Where all indices of the driver begin, such as shortly before 2^32 to see them wrap around.",
    )

    def build(self) -> None:
        """Put the card between a host and a network."""
        start, length = self.code_range
        self.card = RicenicCard(
            core=self.core,
            cores=self.cores,
            core_clock=self.core_clock,
            bus_clock=self.bus_clock,
            host_clock=self.host_clock,
            core_stages=self.core_stages,
            ddr_activation=self.ddr_activation,
            ddr_precharge=self.ddr_precharge,
            ddr_column=self.ddr_column,
            bram_latency=self.bram_latency,
            bridge_stages=self.bridge_stages,
            sram_latency=self.sram_latency,
            pci_burst=self.pci_burst,
            pci_overhead=self.pci_overhead,
            largest_frame=self.largest_frame,
            contexts=self.context_count,
            settings=self._settings(),
            profile_start=start,
            profile_size=B(length),
        )
        self.host: NicFeeder | ScriptedHost
        if self.has_contexts:
            self.host = self.make_guests(self.card.pci_clock)
            self.host.access >> self.card.programmed
        else:
            self.host = self._make_driver()
            self.host.doorbell >> self.card.programmed
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
            **(self.left_inward(self.rx) if self._translates else self.rx).expected("receive_"),
        )

    def drivers(self) -> Sequence[Driver]:
        """The hypervisor, if the firmware has contexts; else the host has its driver within."""
        return self.guest_drivers(self.host) if isinstance(self.host, ScriptedHost) else ()

    @property
    def is_loaded_by_drivers(self) -> bool:
        """Firmware is in place when a run begins."""
        return False

    @property
    def hypervisor_latency(self) -> Time:
        """From an interrupt until the hypervisor acts."""
        return self.host_latency

    def segments(self, image: Executable) -> Sequence[Segment]:
        """The firmware, and beside it the table of its functions, by which its profiler names them."""
        functions = [one for one in image.functions if one.bytes > 0]
        entries = [
            struct.pack(
                f">II{FUNCTION_NAME_BYTES}s",
                function.address,
                function.bytes,
                function.name.encode()[: FUNCTION_NAME_BYTES - 1],
            )
            for function in functions
        ]
        table = struct.pack(">I", len(entries)) + b"".join(entries)
        return [*super().segments(image), Segment.of(FUNCTION_TABLE, table)]

    def _settings(self) -> bytes:
        # At most 10^9 cycles, which fit into the word that the firmware reads.
        interval = self.coalescing_time.femtoseconds * self.core_clock.hertz // 10**15
        words = {
            "send_coalescing": self.send_coalescing,
            "receive_coalescing": self.receive_coalescing,
            "coalescing_cycles": int(interval),
        }
        settings = b"".join(struct.pack(">I", words[name]) for name in SETTINGS_WORDS)
        if self.has_contexts:
            return settings.ljust(CDNA_SETTINGS - SETTINGS, b"\0") + self.context_settings()
        if not self._translates:
            return settings
        return settings.ljust(NAT_SETTINGS - SETTINGS, b"\0") + self.translation_settings(self.core_clock)

    @property
    def _translates(self) -> bool:
        """Whether the firmware translates addresses, so that frames do not come out as they went in."""
        return self.image is not None and "translate_outward" in self.image.symbols

    def _make_network(self) -> None:
        clock = self.card.mac_clock
        self.network = PacketFeeder(clock=clock, **self.of_guests(self.rx, "rx").source())
        expected = self.left_outward(self.tx) if self._translates else self.of_guests(self.tx, "tx")
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
        if self._translates:
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
        bus_bytes = Rate(int(8 * 16 * self.bus_clock.hertz))
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
            memories=(
                Memory(
                    "ddr",
                    banks=(card.ddr,),
                    peak=bus_bytes,
                    moved=(ByteCounter(card.ddr_controller, "consumed_bytes"),),
                    useful=(ByteCounter(card.ddr_controller, "useful_bytes"),),
                    base=DDR,
                    controller=card.ddr_controller,
                ),
                Memory(
                    "bram",
                    banks=(card.bram,),
                    peak=bus_bytes,
                    moved=tuple(ByteCounter(card.bram, name) for name in ("read_bytes", "written_bytes")),
                    base=BRAM,
                ),
                Memory(
                    "local_bus",
                    banks=(),
                    peak=bus_bytes,
                    moved=tuple(ByteCounter(card.bus, name) for name in ("read_bytes", "written_bytes")),
                ),
                Memory(
                    "sram",
                    banks=(card.sram,),
                    peak=Rate(int(8 * 8 * self.host_clock.hertz)),
                    moved=(ByteCounter(card.sram, "consumed_bytes"),),
                    useful=(ByteCounter(card.sram, "useful_bytes"),),
                    controller=card.sram,
                ),
            ),
        )
