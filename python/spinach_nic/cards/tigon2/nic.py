"""The Tigon-2 with its firmware, and the settings of both."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from msgspec.structs import replace

from spinach_nic.cards.base.card import Agent, ByteCounter, Card, MappedMemory, Memory, Passage, Probes
from spinach_nic.cards.base.drivers import DriverModel, LinuxDriver
from spinach_nic.cards.base.faces import Faces, PciBus, Wire
from spinach_nic.cards.tigon2.card import MAC_ADDRESS, Tigon2Card
from spinach_nic.cards.tigon2.driver_model import Tigon2DriverModel
from spinach_nic.cards.tigon2.frames import CHECK_SEQUENCE_BYTES
from spinach_nic.cards.tigon2.memory import SCRATCH_PAD, MemoryBus
from spinach_nic.cards.tigon2.settings import STANDARD_BUFFER
from spinach_nic.cards.tigon2.sram_map import DESCRIPTORS, IMAGE, MEMORY_END
from spinach_nic.firmware import Executable, loadable_image, read_firmware
from spinach_nic.model import parameter
from spinach_nic.support.units import Frequency, Gbps, GHz, KiB, MHz, MiB, Rate, Size, Time, s, us

FRAMES_TO_SEND = 256
"""About as many as the send ring holds, in two buffers each."""
FRAMES_RECEIVED = 64
"""Frames between two interrupts, and the same number in flight."""

CLOCKS = (MHz(1), GHz(100))
"""The slowest and the fastest clock."""


class Tigon2(Card):
    """The gigabit NIC that Spinach was validated on."""

    summary = "Tigon-2 gigabit NIC: two processor cores, one SRAM for everything (thesis chapters 2 and 3)"
    firmware_folder = "tigon2"
    default_firmware = "parallel"
    driver_model: ClassVar[type[DriverModel] | None] = Tigon2DriverModel
    linux_driver = LinuxDriver("acenic", firmware_file="acenic/tg2.bin")

    core_clock: Frequency = parameter(
        default=MHz(88), range=CLOCKS, doc="Clock of the cores and the registers."
    )
    sram_clock: Frequency = parameter(
        default=MHz(100), range=CLOCKS, doc="Clock of the SRAM, its bus and the assists."
    )
    sram_size: Size = parameter(default=MiB(1), choices=(KiB(512), MiB(1), MiB(2)), doc="Size of the SRAM.")
    arbitration: str = parameter(
        default="prioritized",
        doc="Arbitration of the memory buses.",
        choices=("prioritized", "round_robin", "fixed_priority"),
    )
    descriptor_memory: bool = parameter(
        default=False, doc="True for descriptors in a memory with a separate bus (thesis figure 3.7)."
    )
    negotiation: Time = parameter(
        default=us(100),
        range=(Time(0), s(1)),
        doc="Time for which the receiver must be on until the network considers the link up.",
    )
    host_clock: Frequency = parameter(default=MHz(66.666667), range=CLOCKS, doc="Clock of the PCI bus.")
    host_overhead: int = parameter(
        default=4, range=(0, 1000), doc="Clocks of the PCI bus that each burst takes besides its data."
    )
    mac_address: bytes = parameter(default=MAC_ADDRESS, kind="bytes", doc="MAC address in the EEPROM.")

    @classmethod
    def read_image(cls, path: Path) -> Executable:
        """Read firmware from an ELF file, or from a file that drivers load."""
        return read_firmware(path)

    def build(self) -> None:
        """Assemble the card."""
        self.card = Tigon2Card(
            core_clock=self.core_clock,
            sram_clock=self.sram_clock,
            sram_size=self.sram_size,
            arbitration=self.arbitration,
            descriptor_memory=self.descriptor_memory,
            descriptor_base=self._descriptors,
            descriptor_size=DESCRIPTORS,
            host_clock=self.host_clock,
            host_overhead=self.host_overhead,
            negotiation=self.negotiation,
            largest_frame=self.largest_buffer,
            mac_address=self.mac_address,
            profile=self._code(),
        )

    @property
    def largest_buffer(self) -> int:
        """Largest receive buffer of the driver, in bytes."""
        return max(STANDARD_BUFFER, self.largest_frame + CHECK_SEQUENCE_BYTES)

    def faces(self) -> Faces:
        """Return the PCI function and the wire."""
        card = self.card
        wire = Wire(
            clock=card.mac_clock,
            rate=Gbps(1),
            sent=card.sent,
            received=card.received,
            link_up=card.link_up,
            leaving=card.leaving,
        )
        return Faces(PciBus.of(card.pci, card.pci_clock), [wire])

    @property
    def _descriptors(self) -> int:
        """Return the first address of descriptors: any fitted memory ends at the same address."""
        return MEMORY_END - self.sram_size.bytes + IMAGE.stop

    def _code(self) -> Sequence[int]:
        """Return the ranges of instructions: the scratch pads, and the image at its load address."""
        pads = (SCRATCH_PAD, KiB(16).bytes)
        if self.image is None:
            return pads
        image = loadable_image(self.image)
        return (*pads, image.load, len(image.contents))

    def address_space(self) -> Sequence[MappedMemory]:
        """Return the memories: each core has a separate scratch pad."""
        bases = {"sram": self.card.sram.base, "descriptor_memory": self._descriptors}
        shared = [replace(memory, base=bases[memory.name]) for memory in super().address_space()]
        pads = [
            MappedMemory(f"scratch_pad[{number}]", SCRATCH_PAD, (processor.memory,), core=processor.model)
            for number, processor in enumerate(self.card.processor)
        ]
        return [*shared, *pads]

    def probes(self) -> Probes:
        """Return the points at which the card is measured."""
        mac_receive = self.card.mac_receive
        memories = [self._memory("sram", self.card.sram)]
        if self.descriptor_memory:
            memories.append(self._memory("descriptor_memory", self.card.descriptors))
        return Probes(
            tx=Passage(depth=FRAMES_TO_SEND, drops=(self.card.mac_transmit,)),
            rx=Passage(
                depth=FRAMES_RECEIVED,
                drops=(mac_receive,),
                # They exceed every buffer, make room in a receive buffer that has overflowed, or are damaged.
                discards={
                    "oversize": (mac_receive, "long"),
                    "discarded": (mac_receive, "discarded"),
                    "bad_check_sequence": (mac_receive, "marked"),
                },
            ),
            cores=tuple(processor.model for processor in self.card.processor),
            agents={
                "dma_read": Agent(self.card.dma_read, "dma"),
                "dma_write": Agent(self.card.dma_write, "dma"),
                "mac_transmit": Agent(self.card.mac_transmit, "mac"),
                "mac_receive": Agent(self.card.mac_receive, "mac"),
            },
            metadata=(IMAGE, range(self._descriptors, self._descriptors + DESCRIPTORS.bytes)),
            memories=tuple(memories),
        )

    def _memory(self, name: str, bus: MemoryBus) -> Memory:
        return Memory(
            name,
            banks=(bus.contents,),
            peak=Rate(int(64 * self.sram_clock.hertz)),
            moved=(ByteCounter(bus.contents, "consumed_bytes"),),
            useful=(ByteCounter(bus.contents, "useful_bytes"),),
            controller=bus.contents,
        )
