"""hundredgig: virtio's network device (virtio 1.2) on a card of RISC-V cores.

The host sees a PCI function with the capabilities of virtio, so that the driver of its system drives the
card. Firmware serves the registers of the function; doorbells reach the core as events. There are two clock
domains: `core` for everything up to the MAC, and `mac`.
"""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.cards.base.card import ByteCounter, Card, Memory, Passage, Probes
from spinach_nic.cards.base.counters import Counter
from spinach_nic.cards.base.drivers import LinuxDriver
from spinach_nic.cards.base.faces import Faces, PciBus
from spinach_nic.cards.base.pcie import LINKS
from spinach_nic.cards.hundredgig import function
from spinach_nic.cards.hundredgig.engine import QueueEngine
from spinach_nic.cards.hundredgig.map import (
    BYTES_OF_REGISTERS,
    COMMON_OFFSET,
    DOORBELL_BYTES,
    DOORBELLS_OFFSET,
    DROPS,
    FRAMES,
    FUNCTION_BYTES,
    INSTRUCTION_BYTES,
    INSTRUCTIONS,
    LARGE_BYTES,
    LARGE_SENDS,
    PAIR_QUEUES,
    PENDING_OFFSET,
    REGISTER_BLOCKS,
    REGISTERS,
    SCRATCH_PAD,
    SCRATCH_PAD_BYTES,
    SHARED,
    SHARED_BLOCKS,
    SHARED_BYTES,
    SHARED_REGISTERS,
    SLOT_ALIGNMENT,
    SLOTS,
    TAG_BYTES,
    VECTORS_OFFSET,
    VIRTIO_HEADER_BYTES,
    WINDOW,
)
from spinach_nic.cards.hundredgig.model import VirtioDriverModel
from spinach_nic.cards.hundredgig.port import NetworkPort, frames_before_pause, mac_clock
from spinach_nic.firmware import FirmwareMap, MemoryRange
from spinach_nic.library import (
    AddressMap,
    Arbiter,
    AsynchronousFifo,
    Crossbar,
    EmulatedFunction,
    FlowSteering,
    HostInterconnect,
    MessageInterrupts,
    MultiportedMemory,
    PciDevice,
    Pipe,
    Tee,
)
from spinach_nic.model import Clock, Module, parameter
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import B, Frequency, Gbps, GHz, KiB, MHz, Rate, Size, Time, bps, ns, us

SCRATCH_PAD_WIDTH = 64
"""Bytes in a cycle that count as full utilization; the model has no limit."""
CONGESTED_BELOW, MOST_CONGESTED_BELOW = SLOTS * 3 // 4, SLOTS - 4
"""Least and largest number of free buffers below which a core asks for a pause."""
RELIEF = 8
"""Free buffers above that number at which the pause ends, if there are as many."""
MAC_ADDRESS = bytes.fromhex("025350494e41")
"""A locally administered address."""


class Hundredgig(Card):
    """A PCI Express card with ports of 100 Gb/s and virtio's network device in firmware."""

    summary = "100 Gb/s card of RISC-V cores that is virtio's network device"
    firmware_folder = "hundredgig"
    default_firmware = "virtio"
    tag_bytes = TAG_BYTES
    instruction_set = "rv32"
    driver_model = VirtioDriverModel
    linux_driver = LinuxDriver("virtio_net", others=("virtio_pci",))

    largest_frame: int = parameter(
        default=1514,
        range=(60, 9216),
        unit="bytes",
        doc="Longest frame that passes, without check sequence; one with the tag of a VLAN may be 4 bytes "
        "longer.",
    )
    cores: int = parameter(
        default=8, range=(1, 64), unit="cores", doc="Number of cores, each with a pair of queues."
    )
    core_clock: Frequency = parameter(
        default=GHz(1), range=(MHz(1), GHz(100)), doc="Clock of everything up to the MAC."
    )
    timing: str = parameter(
        default="", doc="Timing of the cores: a preset, or a file FILE.toml with parameters."
    )
    link_rate: Rate = parameter(
        default=Gbps(100), range=(Gbps(1), Gbps(400)), doc="Rate of each link in each direction."
    )
    network_ports: int = parameter(
        default=1,
        range=(1, 4),
        unit="ports",
        doc="Number of network ports, which form one aggregated link (IEEE 802.1AX): core `n` sends by port "
        "`n` modulo this number, and frames come in by any.",
    )
    fec_latency: Time = parameter(
        default=ns(0),
        range=(ns(0), us(1)),
        doc="Latency of the decoder of forward error correction, which delays received frames, rounded up "
        "to cycles of 40 bytes on the link; 0 for no correction.",
    )
    queue_size: int = parameter(
        default=256,
        range=(2, 32768),
        power_of_two=True,
        doc="Largest ring that the card offers, a power of two. Linux needs 32 or more: it sends only while "
        "19 descriptors are free.",
    )
    packed_rings: bool = parameter(default=True, doc="True to offer packed rings besides split ones.")
    is_64_bit: bool = parameter(
        default=False, doc="True if the window of the function has an address of 64 bits."
    )
    pcie_link: str = parameter(
        default="gen4x16",
        choices=tuple(LINKS),
        doc="Link of PCI Express: its generation and number of lanes.",
    )
    pcie_rate: Rate = parameter(
        default=bps(0),
        range=(bps(0), Gbps(2000)),
        doc="Rate of the link for packets, in each direction; 0 for that of `pcie_link`.",
    )
    pcie_payload: Size = parameter(
        default=B(256),
        range=(B(128), KiB(4)),
        power_of_two=True,
        doc="Most data bytes of a packet on PCI Express that the card supports, a power of two; the host may "
        "set fewer.",
    )
    pcie_read_request: Size = parameter(
        default=B(512),
        range=(B(128), KiB(4)),
        power_of_two=True,
        doc="Most bytes that a packet on PCI Express asks for, a power of two, until the host sets another "
        "size.",
    )
    pcie_overhead: int = parameter(
        default=0,
        range=(0, 64),
        unit="bytes",
        doc="Bytes of a write or read request besides its data; 0 for those of `pcie_link`.",
    )
    pcie_completion_overhead: int = parameter(
        default=0,
        range=(0, 64),
        unit="bytes",
        doc="Bytes of a packet that brings data of a read, besides the data; 0 for those of `pcie_link`.",
    )
    pcie_read_latency: Time = parameter(
        default=ns(550), range=(ns(0), us(100)), doc="Latency of a read of host memory."
    )
    pcie_reads: int = parameter(default=64, range=(1, 256), doc="Requests of each DMA engine under way.")
    pcie_tags: int = parameter(
        default=0, range=(0, 65536), unit="tags", doc="Read requests of the card under way; 0 for no limit."
    )
    pcie_posted_headers: int = parameter(
        default=0,
        range=(0, 65536),
        unit="credits",
        doc="Packets to write that the host has room for; 0 for no limit.",
    )
    pcie_posted_data: int = parameter(
        default=0,
        range=(0, 65536),
        unit="credits",
        doc="Room of the host for data to write, in units of 16 bytes; 0 for no limit.",
    )
    pcie_read_headers: int = parameter(
        default=0,
        range=(0, 65536),
        unit="credits",
        doc="Read requests that the host has room for; 0 for no limit.",
    )
    pcie_credit_latency: Time = parameter(
        default=ns(250),
        range=(ns(0), us(100)),
        doc="Latency from the arrival of a packet at the host until the card can use its credits again.",
    )
    interrupt_interval: Time = parameter(
        default=ns(0),
        range=(ns(0), us(10_000)),
        doc="Shortest time between two message-signaled interrupts of a vector.",
    )
    checksums: str = parameter(
        default="hardware",
        choices=("hardware", "firmware"),
        doc="Place where checksums are computed: the MACs insert and verify them, or firmware inserts them.",
    )
    segmentation: str = parameter(
        default="hardware",
        choices=("hardware", "firmware", "none"),
        doc="Place where large sends are cut: the MACs, or firmware, as with `checksums=firmware`.",
    )
    coalescing: str = parameter(
        default="none",
        choices=("firmware", "none"),
        doc="Place where received segments of TCP that continue each other become one, with "
        "`checksums=hardware`: firmware, or nowhere.",
    )
    pause_frames: bool = parameter(
        default=False,
        doc="True to send pause frames while a core runs out of buffers for received frames, and to obey "
        "those of the other end.",
    )
    mac_address: bytes = parameter(default=MAC_ADDRESS, kind="bytes", doc="MAC address of the card.")

    def build(self) -> None:
        """Put the cores between the PCI function and the link."""
        if self.coalescing == "firmware" and self.checksums == "firmware":
            raise SpinachError(
                "coalescing=firmware needs checksums=hardware: it joins segments that the MAC has verified",
                "set coalescing=none, or checksums=hardware",
            )
        self.clock = self.core_domain = Clock("core", self.core_clock)
        self.mac_domain = mac_clock(self.link_rate)
        start, length = self.code_range
        congested_below = min(max(self._before_pause + 1, CONGESTED_BELOW), MOST_CONGESTED_BELOW)
        self.engine = [
            QueueEngine(
                identity=number,
                entry=INSTRUCTIONS if self.image is None else self.image.entry,
                timing=self.timing,
                slot=self._slot,
                large_sends=0 if self.segmentation == "none" else LARGE_SENDS,
                largest_frame=self.largest_frame,
                verifies_checksums=self.checksums == "hardware",
                congested_below=congested_below if self.pause_frames else 0,
                relieved_at=min(SLOTS, congested_below + RELIEF),
                profile_start=start,
                profile_size=B(length),
            )
            for number in range(self.cores)
        ]
        self._make_function()
        self._make_shared()
        self._make_links()

    @property
    def _before_pause(self) -> int:
        """Most frames that a core receives after it has asked for a pause."""
        longest = self.largest_tagged_frame
        return frames_before_pause(longest, self.link_rate, self.fec_latency, self.core_clock)

    @property
    def notes(self) -> Sequence[str]:
        """Note on pause frames that may come too late."""
        late, most = self._before_pause, MOST_CONGESTED_BELOW - 1
        if not self.pause_frames or late <= most:
            return ()
        named = "largest_frame, fec_latency or link_rate"
        return (
            f"pauses may come too late: up to {late} of the shortest frames arrive until then, and "
            f"a core has buffers for {most}; lower {named}",
        )

    @property
    def _slot(self) -> int:
        """Bytes of a slot: more than the longest frame with the header of virtio, aligned."""
        longest = self.largest_tagged_frame + VIRTIO_HEADER_BYTES + 1
        return -(-longest // SLOT_ALIGNMENT) * SLOT_ALIGNMENT

    def _make_function(self) -> None:
        queues = self.cores * PAIR_QUEUES + 1
        link = LINKS[self.pcie_link]
        self.pci = PciDevice(
            vendor=function.VENDOR,
            device=function.DEVICE,
            revision=function.REVISION,
            class_code=function.CLASS,
            subsystem_vendor=function.VENDOR,
            subsystem=function.SUBSYSTEM,
            window=WINDOW,
            is_64_bit=self.is_64_bit,
            capabilities=function.capabilities(queues),
            indirect_capability=function.FIRST_CAPABILITY,
            vectors=queues + 1,
            vector_table=VECTORS_OFFSET,
            vector_pending=PENDING_OFFSET,
            express_generation=link.generation,
            express_lanes=link.lanes,
            express_payload=self.pcie_payload.bytes,
            express_read_request=self.pcie_read_request.bytes,
            reset_offset=COMMON_OFFSET + function.DEVICE_STATUS,
            reset_bytes=1,
            is_fast=False,
            minimum_grant=0,
        )
        self.function = EmulatedFunction(
            window=FUNCTION_BYTES,
            doorbells=DOORBELLS_OFFSET,
            doorbell_stride=DOORBELL_BYTES,
            doorbells_per_lane=PAIR_QUEUES,
        )
        self.bus = HostInterconnect(
            preset="custom",
            bandwidth=self.pcie_rate if self.pcie_rate.bits_per_second else link.rate,
            read_latency=self.pcie_read_latency,
            packet=self.pcie_payload.bytes,
            packet_overhead=self.pcie_overhead or link.overhead,
            completion_overhead=self.pcie_completion_overhead or link.completion_overhead,
            read_request=self.pcie_read_request.bytes,
            outstanding=self.pcie_reads,
            tags=self.pcie_tags,
            posted_headers=self.pcie_posted_headers,
            posted_data=self.pcie_posted_data,
            read_headers=self.pcie_read_headers,
            credit_latency=self.pcie_credit_latency,
        )
        self.interrupts = MessageInterrupts(
            vectors=queues + 1,
            table=VECTORS_OFFSET,
            pending=PENDING_OFFSET,
            interval=self.interrupt_interval,
            source=104,
        )
        self.window = AddressMap(
            bases=(0, VECTORS_OFFSET),
            sizes=(FUNCTION_BYTES.bytes, WINDOW.bytes - VECTORS_OFFSET),
            subtract_base=False,
        )
        self.pci.local >> self.window.initiator
        self.window.target[0] >> self.function.access
        self.window.target[1] >> self.interrupts.access
        self.pci.message_control >> self.interrupts.control
        self.pci.sizes >> self.bus.sizes
        self.function.message >> self.interrupts.raised
        self.function.level >> self.pci.written
        self.function.pending >> self.engine[0].events.level
        for engine in self.engine:
            self.function.doorbell >> engine.events.raised
            engine.dma_read.host >> self.bus.device
            engine.dma_write.host >> self.bus.device
        self.interrupts.message >> self.bus.device
        self.bus.memory >> self.pci.dma

    def _make_shared(self) -> None:
        """Create the parts that cores share: a memory, the registers of the function, and flow steering."""
        self.steering = FlowSteering()
        self.shared_memory = MultiportedMemory(base=SHARED, size=SHARED_BYTES)
        blocks = [SHARED_REGISTERS + BYTES_OF_REGISTERS * number for number in range(len(SHARED_BLOCKS))]
        self.shared = Crossbar(
            bases=[SHARED, *blocks],
            sizes=[SHARED_BYTES.bytes, *(BYTES_OF_REGISTERS for _ in blocks)],
        )
        self.stage = [Pipe() for _ in self.engine]
        for engine, stage in zip(self.engine, self.stage, strict=True):
            engine.shared_request >> stage.input
            stage.output >> self.shared.initiator_request
            self.shared.initiator_response >> engine.shared_response
        self.shared.target >> self.shared_memory.port
        self.shared.target >> self.function.registers
        self.shared.target >> self.steering.registers

    def _make_links(self) -> None:
        """Create the ports; the cores send by each in turn, and receive from all."""
        if self.network_ports > self.cores:
            message = f"network_ports = {self.network_ports}, but cores = {self.cores}"
            raise SpinachError(message, "give at least as many cores as ports: each core sends by one")
        self.port = [
            NetworkPort(
                domain=self.mac_domain,
                rate=self.link_rate,
                fec_latency=self.fec_latency,
                pause_frames=self.pause_frames,
                mac_address=self.mac_address,
            )
            for _ in range(self.network_ports)
        ]
        self.link_crossing = [AsynchronousFifo() for _ in self.port]
        for number, engine in enumerate(self.engine):
            engine.mac_transmit.wire >> self.port[number % len(self.port)].merge.initiator_request
            self.steering.output >> engine.mac_receive.wire
            if self.pause_frames:
                self._connect_congestion(engine)
        for engine, crossing in zip(self.engine, self.link_crossing, strict=False):
            engine.mac_receive.link_up >> crossing.input
        if len(self.port) == 1:
            self.port[0].arriving >> self.steering.input
        else:
            self.gather = Arbiter()
            for port in self.port:
                port.arriving >> self.gather.initiator_request
            self.gather.target_request >> self.steering.input

    def _connect_congestion(self, engine: QueueEngine) -> None:
        """Let all ports send pause frames while a core runs out of buffers."""
        congested = self.across(engine.mac_receive.congested)
        if len(self.port) == 1:
            congested >> self.port[0].flow_control.congested
        else:
            tee = Tee(clock=self.mac_domain)
            setattr(self, f"congested_{engine.identity}", tee)
            congested >> tee.input
            for port in self.port:
                tee.output >> port.flow_control.congested

    def faces(self) -> Faces:
        """Return the PCI function and the wires."""
        wires = [
            port.wire(crossing.output) for port, crossing in zip(self.port, self.link_crossing, strict=True)
        ]
        return Faces(PciBus.of(self.pci, self.core_domain), wires, aggregated=len(wires) > 1)

    def firmware_map(self) -> FirmwareMap:
        """Return the addresses and sizes that the firmware is built for."""
        slots = SLOTS * self._slot
        in_hardware = self.segmentation == "hardware" and self.checksums == "hardware"
        constants: dict[str, int | Size] = {
            f"{name.upper()}_REGISTERS": REGISTERS + BYTES_OF_REGISTERS * number
            for number, name in enumerate(REGISTER_BLOCKS)
        }
        constants |= {
            f"{name.upper()}_REGISTERS": SHARED_REGISTERS + BYTES_OF_REGISTERS * number
            for number, name in enumerate(SHARED_BLOCKS)
        }
        constants |= {
            "CORES": self.cores,
            "SHARED_MEMORY": SHARED,
            "SLOT_BYTES": self._slot,
            "SEND_BUFFERS": FRAMES,
            "RECEIVE_BUFFERS": FRAMES + slots,
            "LARGE_BUFFERS": FRAMES + 2 * slots,
            "LARGE_BYTES": LARGE_BYTES,
            "LARGE_SENDS": LARGE_SENDS,
            "LARGEST_FRAME": self.largest_frame,
            "LARGEST_QUEUE": self.queue_size,
            "PACKED_RINGS": int(self.packed_rings),
            "HARDWARE_CHECKSUMS": int(self.checksums == "hardware"),
            "HARDWARE_SEGMENTATION": int(in_hardware),
            "FIRMWARE_SEGMENTATION": int(self.segmentation != "none" and not in_hardware),
            "FIRMWARE_COALESCING": int(self.coalescing == "firmware"),
            "MAC_ADDRESS": int.from_bytes(self.mac_address, "big"),
        }
        memories = [
            MemoryRange("instruction_memory", INSTRUCTIONS, INSTRUCTION_BYTES.bytes),
            MemoryRange("scratch_pad", SCRATCH_PAD, SCRATCH_PAD_BYTES.bytes),
        ]
        return FirmwareMap(constants, memories, cores=1)

    def probes(self) -> Probes:
        """Return the points at which the card is loaded and measured."""
        memories = []
        for engine in self.engine:
            moved = tuple(ByteCounter(engine.scratch_pad, name) for name in ("read_bytes", "written_bytes"))
            memories += [
                Memory.of(engine.instructions, self.core_clock),
                Memory(
                    engine.scratch_pad.path,
                    banks=(engine.scratch_pad,),
                    peak=Rate(int(8 * SCRATCH_PAD_WIDTH * self.core_clock.hertz)),
                    moved=moved,
                    base=SCRATCH_PAD,
                ),
            ]
        several = self.cores > 1
        return Probes(
            tx=Passage(depth=SLOTS * self.cores, discards=self._discards(0, 1), by_flow=several),
            rx=Passage(
                depth=SLOTS * self.cores,
                drops=(
                    *(engine.mac_receive for engine in self.engine),
                    *(port.flow_control for port in self.port if self.pause_frames),
                ),
                discards={**self._discards(1, len(DROPS)), "filtered": (self.steering, "filtered")},
                by_flow=several,
            ),
            cores=tuple(engine.core for engine in self.engine),
            counters={
                "doorbells": Counter(self.function, "doorbells", "writes"),
                "host_read_bytes": Counter(self.bus, "read_bytes", "bytes"),
                "host_written_bytes": Counter(self.bus, "written_bytes", "bytes"),
                "host_reads": Counter(self.bus, "reads", "requests"),
                "host_writes": Counter(self.bus, "writes", "requests"),
                "messages": Counter(self.interrupts, "messages", "interrupts"),
                **self._port_counters(),
            },
            memories=tuple(memories),
        )

    def _port_counters(self) -> dict[str, Counter]:
        """Return the counters of frames that pass each of several ports."""
        if len(self.port) == 1:
            return {}
        return {
            f"{verb}_by_port_{number}": Counter(link, "frames", "frames")
            for number, port in enumerate(self.port)
            for verb, link in (("sent", port.transmit_link), ("received", port.receive_link))
        }

    def _discards(self, first: int, end: int) -> dict[str, tuple[Module, str]]:
        """Return the counters of frames that firmware drops, by reason and core."""
        return {
            f"{DROPS[place]}_{number}": (engine.tally, f"count_{place}")
            for number, engine in enumerate(self.engine)
            for place in range(first, end)
        }
