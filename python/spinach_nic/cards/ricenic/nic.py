"""RiceNIC: the card with its firmware, and the settings of both."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from spinach_nic.cards.base.card import Agent, ByteCounter, IncoherentCaches, Memory, Passage, Probes
from spinach_nic.cards.base.drivers import RINGS, DriverModel
from spinach_nic.cards.base.faces import Faces, RingBus, Wire
from spinach_nic.cards.ricenic.card import PCI_BYTES, RicenicCard
from spinach_nic.cards.ricenic.contexts import SharedCard
from spinach_nic.cards.ricenic.driver import RicenicDriver
from spinach_nic.cards.ricenic.processor import CORES, INSTRUCTION_SET
from spinach_nic.cards.ricenic.registers import (
    BRAM,
    BRAM_BYTES,
    BRAM_UNCACHED,
    CDNA_DROPS,
    CDNA_SETTINGS,
    CONTENT_BYTES,
    DDR,
    FUNCTION_NAME_BYTES,
    FUNCTION_TABLE,
    HOST_RINGS,
    MAILBOXES,
    NAT_DROPS,
    NAT_SETTINGS,
    QUEUE_ENTRIES,
    RESET,
    SETTINGS,
    SETTINGS_WORDS,
    SRAM,
    SRAM_BYTES,
)
from spinach_nic.firmware import Executable, Segment
from spinach_nic.model import Module, parameter
from spinach_nic.support.units import B, Frequency, Gbps, GHz, KiB, MHz, Rate, Size, Time, ms, ns, us
from spinach_nic.traffic import Direction

CLOCKS = (MHz(1), GHz(100))
"""The slowest and the fastest clock; the counters of the firmware hold the longest time in its cycles."""
CYCLES = (1, 1000)
"""The shortest and the longest latency, in clocks."""
HOST_BUFFER = 1536
CHECK_SEQUENCE_BYTES = 4


class Ricenic(SharedCard):
    """The reconfigurable gigabit NIC, by default with firmware that runs on one of its two processors."""

    summary = "RiceNIC: a gigabit NIC for experiments, two PowerPC 405 (ExpCS 2007)"
    driver_model: ClassVar[type[DriverModel] | None] = RicenicDriver
    linux_driver = replace(RINGS, starts="host_start")
    firmware_folder = "ricenic"
    default_firmware = "base"
    instruction_set = INSTRUCTION_SET

    largest_frame: int = parameter(
        default=1514,
        range=(60, 9216),
        unit="bytes",
        doc="Longest frame that passes, without check sequence.",
    )
    cores: int = parameter(default=2, range=(1, 2), unit="cores", doc="Number of processors.")
    core: str = parameter(
        default="pipelined",
        doc="Model of the cores: pipelined, or functional (no pipeline; faster to simulate with small frames "
        "only).",
        choices=CORES,
    )
    quantum: int = parameter(
        default=256,
        range=(0, 65536),
        unit="cycles",
        doc="Cycles that functional cores may run ahead of each other: more is faster; 0 for in step.",
    )
    core_clock: Frequency = parameter(default=MHz(300), range=CLOCKS, doc="Clock of the processors.")
    bus_clock: Frequency = parameter(
        default=MHz(100), range=CLOCKS, doc="Clock of the local bus, its devices and the DDR memory."
    )
    host_clock: Frequency = parameter(
        default=MHz(66.666667), range=CLOCKS, doc="Clock of the PCI bus and the SRAM."
    )
    core_stages: int = parameter(
        default=1, range=(1, 8), doc="Flip-flops between the processors and the local bus, each way."
    )
    ddr_activation: int = parameter(
        default=3, range=CYCLES, unit="clocks", doc="Local bus clocks to open a row of the DDR memory."
    )
    ddr_precharge: int = parameter(
        default=3, range=CYCLES, unit="clocks", doc="Local bus clocks to close a row of the DDR memory."
    )
    ddr_column: int = parameter(
        default=8,
        range=CYCLES,
        unit="clocks",
        doc="Local bus clocks from a column address to its first data.",
    )
    bram_latency: int = parameter(
        default=3, range=CYCLES, unit="clocks", doc="Local bus clocks until the on-chip memory responds."
    )
    bridge_stages: int = parameter(
        default=3, range=(1, 8), doc="Flip-flops between the two chips of the card, each way."
    )
    sram_latency: int = parameter(
        default=8, range=CYCLES, unit="clocks", doc="PCI bus clocks until the SRAM responds."
    )
    pci_burst: Size = parameter(default=B(2048), range=(B(8), KiB(64)), doc="Longest burst on the PCI bus.")
    pci_overhead: int = parameter(
        default=16, range=(0, 1000), unit="clocks", doc="PCI bus clocks of each burst, without its data."
    )
    send_coalescing: int = parameter(
        default=16, range=(1, 65536), unit="frames", doc="Frames sent between two interrupts."
    )
    receive_coalescing: int = parameter(
        default=16, range=(1, 65536), unit="frames", doc="Frames received between two interrupts."
    )
    coalescing_time: Time = parameter(
        default=us(30),
        range=(ns(1), ms(10)),
        doc="Longest time until the host is interrupted for a pending event.",
    )

    @property
    def can_reset(self) -> bool:
        """True if the host can reset the firmware."""
        return self.image is not None and "resets_start" in self.image.symbols

    @property
    def keeps_content(self) -> bool:
        """True if the firmware keeps content of the host on the card, and sends it from there."""
        return self.image is not None and "give_content" in self.image.symbols

    def build(self) -> None:
        """Assemble the card."""
        start, length = self.code_range
        self.card = RicenicCard(
            core=self.core,
            quantum=self.quantum,
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
            settings=self.settings(),
            profile_start=start,
            profile_size=B(length),
        )

    def faces(self) -> Faces:
        """Return the PCI bus with its rings, the wire and the serial line."""
        card = self.card
        bus = RingBus(
            clock=card.pci_clock,
            access=card.programmed,
            memory=card.host_memory,
            interrupt=card.interrupt,
            carried=card.programmed_bytes,
            others=card.pci.others,
            memory_window=range(SRAM, SRAM + SRAM_BYTES.bytes),
            configuration=SRAM + HOST_RINGS,
            send_mailbox=SRAM + 4 * MAILBOXES.index("send"),
            receive_mailbox=SRAM + 4 * MAILBOXES.index("receive"),
            receive_buffer=B(max(HOST_BUFFER, self.largest_frame + CHECK_SEQUENCE_BYTES)),
            computes_checksums=True,
            reset=SRAM + RESET if self.can_reset else None,
            content=CONTENT_BYTES if self.keeps_content else B(0),
        )
        wire = Wire(
            clock=card.mac_clock,
            rate=Gbps(1),
            sent=card.sent,
            received=card.received,
            link_up=card.link_up,
            leaving=card.leaving,
        )
        return Faces(bus, [wire], console=card.uart)

    def segments(self, image: Executable) -> Sequence[Segment]:
        """Return the firmware, and the table of its functions, by which its profiler names them."""
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

    def settings(self) -> bytes:
        """Return the words that the firmware reads."""
        # At most 10^9 cycles, which fit into the word that the firmware reads.
        interval = self.coalescing_time.femtoseconds * self.core_clock.hertz // 10**15
        words = {
            "send_coalescing": self.send_coalescing,
            "receive_coalescing": self.receive_coalescing,
            "coalescing_cycles": int(interval),
        }
        settings = b"".join(struct.pack(">I", words[name]) for name in SETTINGS_WORDS)
        translation = self.translation_settings(self.core_clock)  # checked with every image
        if self.translates:
            return settings.ljust(NAT_SETTINGS - SETTINGS, b"\0") + translation
        if self.has_contexts:
            return settings.ljust(CDNA_SETTINGS - SETTINGS, b"\0") + self.context_settings()
        return settings

    def _discards(self, way: Direction) -> dict[str, tuple[Module, str]]:
        """Return the counters of frames that firmware drops, by reason."""
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
        """Return the points at which the card is loaded and measured."""
        card = self.card
        return Probes(
            tx=Passage(depth=QUEUE_ENTRIES // 2, discards=self._discards("tx")),
            rx=Passage(depth=QUEUE_ENTRIES, drops=(card.mac_receive,), discards=self._discards("rx")),
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
            memories=self._memories(card),
        )

    def _memories(self, card: RicenicCard) -> tuple[Memory, ...]:
        """Return the memories of the card, of which firmware is loaded into those with an address."""
        bus_bytes = Rate(int(8 * 16 * self.bus_clock.hertz))
        return (
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
                "pci",
                banks=(),
                peak=Rate(int(8 * PCI_BYTES * self.host_clock.hertz)),
                moved=tuple(ByteCounter(card.pci, name) for name in ("read_bytes", "written_bytes")),
            ),
            Memory(
                "sram",
                banks=(card.sram,),
                peak=Rate(int(8 * 8 * self.host_clock.hertz)),
                moved=(ByteCounter(card.sram, "consumed_bytes"),),
                useful=(ByteCounter(card.sram, "useful_bytes"),),
                controller=card.sram,
            ),
        )
