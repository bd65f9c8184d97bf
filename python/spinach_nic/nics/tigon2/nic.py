"""The Tigon-2 with the host that drives it and the network at its other end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from spinach_nic.composition import Module, parameter
from spinach_nic.firmware import Executable, loadable_image, read_firmware
from spinach_nic.hosts import Driver
from spinach_nic.library import PacketFeeder, PacketSink, ScriptedHost
from spinach_nic.nics.base import Agent, ByteCounter, Counter, FramePath, MappedMemory, Memory, Nic, Probes
from spinach_nic.nics.tigon2.card import Tigon2Card
from spinach_nic.nics.tigon2.driver import Tigon2Driver
from spinach_nic.nics.tigon2.frames import CHECK_SEQUENCE_BYTES
from spinach_nic.nics.tigon2.memory import SCRATCH_PAD, MemoryBus
from spinach_nic.nics.tigon2.settings import COALESCING, DriverSettings
from spinach_nic.nics.tigon2.sram_map import DESCRIPTORS, IMAGE, MEMORY_END
from spinach_nic.units import Frequency, Gbps, GHz, KiB, MHz, MiB, Rate, Size, Time, ms, s, us

FRAMES_TO_SEND = 256
"""About as many as the send ring holds, in two buffers each."""
FRAMES_RECEIVED = 64
"""Between two interrupts, and as many on their way."""
ORDINARY_FRAME = 1514
LINK_NEGOTIATION = ms(120)
"""Longest negotiation of the link: two rounds of three link timers of 20 ms (IEEE 802.3, 37.3.1.4)."""

CLOCKS = (MHz(1), GHz(100))
"""The slowest and the fastest clock."""


class Tigon2(Nic):
    """The gigabit NIC that Spinach was validated on, with a driver that follows its published protocol."""

    summary = "Tigon-2 gigabit NIC: two processor cores, one SRAM for everything (thesis chapters 2 and 3)"
    firmware_folder = "tigon2"
    default_firmware = "parallel"

    core_clock: Frequency = parameter(
        default=MHz(88), range=CLOCKS, doc="The clock of the cores and the registers."
    )
    sram_clock: Frequency = parameter(
        default=MHz(100), range=CLOCKS, doc="The clock of the SRAM, its bus and the assists."
    )
    sram_size: Size = parameter(
        default=MiB(1), choices=(KiB(512), MiB(1), MiB(2)), doc="What the SRAM holds."
    )
    arbitration: str = parameter(
        default="prioritized",
        doc="Who goes first on the memory buses.",
        choices=("prioritized", "round_robin", "fixed_priority"),
    )
    descriptor_memory: bool = parameter(
        default=False, doc="Whether descriptors are in a memory with a bus of its own (thesis figure 3.7)."
    )
    negotiation: Time = parameter(
        default=us(100),
        range=(Time(0), s(1)),
        doc="For how long the receiver must be on without a break until the network takes the link for up.",
    )
    host_clock: Frequency = parameter(default=MHz(66.666667), range=CLOCKS, doc="The clock of the PCI bus.")
    host_overhead: int = parameter(
        default=4, range=(0, 1000), doc="Clocks of the PCI bus that each burst takes beside its data."
    )
    send_entries: int = parameter(
        default=512, choices=(128, 256, 512), unit="descriptors", doc="Descriptors of the send ring."
    )
    send_ring_in_host: bool = parameter(
        default=True, doc="Whether the send ring is in host memory, rather than in that of the card."
    )
    standard_buffers: int = parameter(default=256, range=(1, 511), doc="Receive buffers of ordinary size.")
    jumbo_buffers: int = parameter(
        default=0, range=(0, 255), doc="Receive buffers for longer frames; 64 if frames may be longer."
    )
    mini_buffers: int = parameter(
        default=0, range=(0, 1023), doc="Receive buffers for frames up to 128 bytes."
    )
    header_bytes: int = parameter(
        default=42, range=(0, 59), doc="Bytes of each frame to send in a buffer of their own; 0 for none."
    )
    header_offset: int = parameter(
        default=2, range=(0, 63), doc="By how many bytes header buffers are out of line."
    )
    payload_offset: int = parameter(
        default=6, range=(0, 63), doc="By how many bytes payload buffers are out of line."
    )
    receive_offset: int = parameter(
        default=2, range=(0, 63), doc="By how many bytes receive buffers are out of line."
    )
    coalescing: str = parameter(
        default="linux",
        choices=tuple(COALESCING),
        doc="Driver whose coalescing applies where a parameter of it is 0: linux has 400/120 us and 60/25, "
        "freebsd 2000/170 us and 32/64 (send/receive).",
    )
    send_coalescing: int = parameter(
        default=0,
        range=(0, 65535),
        doc="Send descriptors completed between two interrupts; 0 for the driver's.",
    )
    receive_coalescing: int = parameter(
        default=0, range=(0, 65535), doc="Frames received between two interrupts; 0 for the driver's."
    )
    send_ticks: int = parameter(
        default=0,
        range=(0, 1 << 24),
        doc="Microseconds until the host is notified of sent frames; 0 for the driver's.",
    )
    receive_ticks: int = parameter(
        default=0,
        range=(0, 1 << 24),
        doc="Microseconds until the host is notified of received frames; 0 for the driver's.",
    )
    send_checksums: bool = parameter(default=False, doc="Whether the card puts checksums into frames.")
    receive_checksums: bool = parameter(
        default=False, doc="Whether the card sums up received frames, and the driver verifies the sums."
    )
    vlan: bool = parameter(default=False, doc="Whether the card puts tags in and takes them out.")
    flow_control: bool = parameter(default=False, doc="Whether the card obeys pause frames.")
    clears_memory: bool = parameter(
        default=False,
        doc="Whether the driver zeroes the SRAM before it loads the firmware, which takes 20 ms.",
    )
    keeps_bad_frames: bool = parameter(
        default=False, doc="Whether the host is handed damaged frames too; it drops them."
    )
    hardware_assist: bool = parameter(
        default=False,
        doc="Whether firmware that can do the DMA assist in software leaves it to the hardware.",
    )
    firmware_wait: Time = parameter(
        default=s(3), range=(us(1), s(1000)), doc="How long the firmware may take until it says that it runs."
    )
    promiscuous: bool = parameter(default=True, doc="Whether frames to all addresses are received.")
    multicast: bytes = parameter(
        default=b"", kind="bytes", doc="The groups that are listened to, six bytes each."
    )

    @classmethod
    def read_image(cls, path: Path) -> Executable:
        """Firmware out of an ELF file, or out of the file that drivers load."""
        return read_firmware(path)

    def build(self) -> None:
        """Put the card between a host and a network."""
        settings = self._settings()
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
            largest_frame=settings.largest_buffer,
            profile=self._code(),
        )
        self.host = ScriptedHost(
            clock=self.card.pci_clock,
            memory_size=MiB(8),
            **self.tx.source("send_"),
            **self.rx.expected("receive_"),
        )
        self.host.configuration >> self.card.configuration
        self.host.access >> self.card.target
        self.card.host_memory >> self.host.memory
        self.card.interrupt >> self.host.interrupt
        self._make_network()
        self.add_instruments(self.host, self.network, self.sink)
        image = None if self.image is None else loadable_image(self.image)
        self.driver = Tigon2Driver(image, settings)

    @property
    def _descriptors(self) -> int:
        """Where descriptors begin: whatever is fitted ends at the same address."""
        return MEMORY_END - self.sram_size.bytes + IMAGE.stop

    def _code(self) -> Sequence[int]:
        """Where instructions can be: the scratch pads, and the image where it is loaded."""
        pads = (SCRATCH_PAD, KiB(16).bytes)
        if self.image is None:
            return pads
        image = loadable_image(self.image)
        return (*pads, image.load, len(image.contents))

    @property
    def _slowness(self) -> Fraction:
        """Factor by which the slowest clock is slower than usual, times that by which bursts are longer."""
        bursts = max(Fraction(1), Fraction(28 + self.host_overhead, 32))
        usual = (MHz(66) / self.host_clock, MHz(88) / self.core_clock, MHz(100) / self.sram_clock)
        return bursts * max(Fraction(1), *usual)

    @property
    def _wait_for_firmware(self) -> Time:
        """The wait of the driver, longer by as much as the card is slower than usual."""
        return Time(int(self.firmware_wait.femtoseconds * self._slowness))

    def _settings(self) -> DriverSettings:
        is_ordinary = self.largest_frame <= ORDINARY_FRAME
        preset = COALESCING[self.coalescing]
        return DriverSettings(
            send_entries=self.send_entries,
            send_ring_in_host=self.send_ring_in_host,
            standard_buffers=self.standard_buffers,
            jumbo_buffers=self.jumbo_buffers or (0 if is_ordinary else 64),
            jumbo_bytes=self.largest_frame + CHECK_SEQUENCE_BYTES,
            mini_buffers=self.mini_buffers,
            longest_frame=self.largest_frame + CHECK_SEQUENCE_BYTES,
            header_bytes=self.header_bytes,
            header_offset=self.header_offset,
            payload_offset=self.payload_offset,
            receive_offset=self.receive_offset,
            send_coalescing=self.send_coalescing or preset.send_coalescing,
            receive_coalescing=self.receive_coalescing or preset.receive_coalescing,
            send_ticks=self.send_ticks or preset.send_ticks,
            receive_ticks=self.receive_ticks or preset.receive_ticks,
            send_checksums=self.send_checksums,
            receive_checksums=self.receive_checksums,
            vlan=self.vlan,
            flow_control=self.flow_control,
            clears_memory=self.clears_memory,
            keeps_bad_frames=self.keeps_bad_frames,
            hardware_assist=self.hardware_assist,
            promiscuous=self.promiscuous,
            wait_for_firmware=self._wait_for_firmware,
            multicast=tuple(self.multicast[at : at + 6] for at in range(0, len(self.multicast), 6)),
        )

    def _make_network(self) -> None:
        clock = self.card.mac_clock
        self.network = PacketFeeder(clock=clock, **self.rx.source())
        self.sink = PacketSink(clock=clock, **self.tx.expected())
        self.card.sent >> self.sink.wire
        self.wire_from(self.network.wire, self.rx, clock) >> self.card.received
        self.card.link_up >> self.network.link_up

    def drivers(self) -> Sequence[Driver]:
        """The driver of the card."""
        return (Driver(self.host, self.driver.program),)

    @property
    def start_up(self) -> Time:
        """The wait for the firmware; zeros for half a megabyte take the bus about 0.2 us a word."""
        return self._wait_for_firmware + (ms(50) if self.clears_memory else Time(0))

    @property
    def link_start_up(self) -> Time:
        """The negotiation of the firmware, at its slowest clock, and that of the network."""
        return Time(int(LINK_NEGOTIATION.femtoseconds * self._slowness)) + self.negotiation

    def address_space(self) -> Sequence[MappedMemory]:
        """Each core has a scratch pad of its own."""
        bases = {"sram": self.card.sram.base, "descriptor_memory": self._descriptors}
        shared = [replace(memory, base=bases[memory.name]) for memory in super().address_space()]
        pads = [
            MappedMemory(f"scratch_pad[{number}]", SCRATCH_PAD, (processor.memory,), core=processor.model)
            for number, processor in enumerate(self.card.processor)
        ]
        return [*shared, *pads]

    def probes(self) -> Probes:
        """Where it is measured."""
        memories = [self._memory("sram", self.card.sram)]
        if self.descriptor_memory:
            memories.append(self._memory("descriptor_memory", self.card.descriptors))
        return Probes(
            link_rate=Gbps(1),
            tx=FramePath(
                source=self.host,
                sink=self.sink,
                depth=FRAMES_TO_SEND,
                capture=self.card.leaving,
            ),
            rx=FramePath(
                source=self.network,
                sink=self.host,
                depth=FRAMES_RECEIVED,
                drops=(self.card.mac_receive, self.host, *self.wire_drops),
                discards=self._discards(),
                capture=self.host.received,
            ),
            cores=tuple(processor.model for processor in self.card.processor),
            agents={
                "dma_read": Agent(self.card.dma_read, "dma"),
                "dma_write": Agent(self.card.dma_write, "dma"),
                "mac_transmit": Agent(self.card.mac_transmit, "mac"),
                "mac_receive": Agent(self.card.mac_receive, "mac"),
            },
            counters={"interrupts": Counter(self.host, "interrupts", "interrupts")},
            metadata=(IMAGE, range(self._descriptors, self._descriptors + DESCRIPTORS.bytes)),
            memories=tuple(memories),
        )

    def _discards(self) -> dict[str, tuple[Module, str]]:
        """Frames that firmware drops.

        They exceed every buffer, are damaged, or make room in a receive buffer that has overflowed.
        """
        discards: dict[str, tuple[Module, str]] = {
            "oversize": (self.card.mac_receive, "long"),
            "discarded": (self.card.mac_receive, "discarded"),
        }
        if not self.keeps_bad_frames:
            discards["bad_check_sequence"] = (self.card.mac_receive, "marked")
        return discards

    def _memory(self, name: str, bus: MemoryBus) -> Memory:
        return Memory(
            name,
            banks=(bus.contents,),
            peak=Rate(int(64 * self.sram_clock.hertz)),
            moved=(ByteCounter(bus.contents, "consumed_bytes"),),
            useful=(ByteCounter(bus.contents, "useful_bytes"),),
            controller=bus.contents,
        )
