"""The card with its firmware, whatever it is plugged into: what a person sets of both."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from spinach_nic.composition import parameter
from spinach_nic.firmware import Executable, Segment
from spinach_nic.nics.base import ByteCounter, Memory
from spinach_nic.nics.ricenic.card import RicenicCard
from spinach_nic.nics.ricenic.nat import TranslatingNic
from spinach_nic.nics.ricenic.processor import CORES, INSTRUCTION_SET
from spinach_nic.nics.ricenic.registers import (
    BRAM,
    DDR,
    FUNCTION_NAME_BYTES,
    FUNCTION_TABLE,
    NAT_SETTINGS,
    SETTINGS,
    SETTINGS_WORDS,
)
from spinach_nic.units import B, Frequency, GHz, KiB, MHz, Rate, Size, Time, ms, ns, us

CLOCKS = (MHz(1), GHz(100))
"""The slowest and the fastest clock; the counters of the firmware hold the longest time in its cycles."""
CYCLES = (1, 1000)
"""The shortest and the longest latency, in clocks."""
USUAL_CONTEXTS = 32


class RicenicBoard(TranslatingNic):
    """The reconfigurable gigabit NIC, without what stands at its two ends."""

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
        doc="Model of the cores: pipelined, or functional (no pipeline; faster to simulate with small frames "
        "only).",
        choices=CORES,
    )
    quantum: int = parameter(
        default=256,
        range=(0, 65536),
        unit="cycles",
        doc="How far functional cores run ahead of each other: the further, the faster; 0 for in step.",
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
    send_coalescing: int = parameter(
        default=16, range=(1, 65536), unit="frames", doc="Frames sent between two interrupts."
    )
    receive_coalescing: int = parameter(
        default=16, range=(1, 65536), unit="frames", doc="Frames received between two interrupts."
    )
    coalescing_time: Time = parameter(
        default=us(30), range=(ns(1), ms(10)), doc="After which the host hears of whatever there is."
    )

    def make_card(self, contexts: int = USUAL_CONTEXTS) -> RicenicCard:
        """The card as it is set, with contexts for so many drivers."""
        start, length = self.code_range
        return RicenicCard(
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
            contexts=contexts,
            settings=self.settings(),
            profile_start=start,
            profile_size=B(length),
        )

    @property
    def is_loaded_by_drivers(self) -> bool:
        """Firmware is in place when a run begins."""
        return False

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

    def settings(self) -> bytes:
        """The words that the firmware reads."""
        # At most 10^9 cycles, which fit into the word that the firmware reads.
        interval = self.coalescing_time.femtoseconds * self.core_clock.hertz // 10**15
        words = {
            "send_coalescing": self.send_coalescing,
            "receive_coalescing": self.receive_coalescing,
            "coalescing_cycles": int(interval),
        }
        settings = b"".join(struct.pack(">I", words[name]) for name in SETTINGS_WORDS)
        if not self.translates:
            return settings
        return settings.ljust(NAT_SETTINGS - SETTINGS, b"\0") + self.translation_settings(self.core_clock)

    @property
    def translates(self) -> bool:
        """Whether the firmware translates addresses, so that frames do not come out as they went in."""
        return self.image is not None and "translate_outward" in self.image.symbols

    def memories(self, card: RicenicCard) -> tuple[Memory, ...]:
        """The memories of the card, of which firmware is loaded into those with an address."""
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
                "sram",
                banks=(card.sram,),
                peak=Rate(int(8 * 8 * self.host_clock.hertz)),
                moved=(ByteCounter(card.sram, "consumed_bytes"),),
                useful=(ByteCounter(card.sram, "useful_bytes"),),
                controller=card.sram,
            ),
        )
