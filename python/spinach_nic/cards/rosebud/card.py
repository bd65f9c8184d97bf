"""Rosebud (ASPLOS 2023, arXiv 2201.08978): cores with packet memories between two 100 Gb/s ports.

A frame waits in the FIFO of its port for a slot of a core. The core, its memories and its packet mover are an
`Rpu`; four of them are a cluster. There are two clock domains: `core` for everything behind the MACs, and
`mac`.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from spinach_nic.cards.base.card import ByteCounter, Card, MappedMemory, Memory, Passage, Probes
from spinach_nic.cards.base.counters import Counter
from spinach_nic.cards.base.faces import Faces, PciBus, Wire
from spinach_nic.cards.base.pcie import LINKS
from spinach_nic.cards.rosebud.host import CLASS, CORE_SHIFT, DEVICE, VENDOR, RosebudDriver
from spinach_nic.cards.rosebud.map import (
    ADDRESSED,
    BROADCAST_BYTES,
    DATA,
    DATA_BYTES,
    INSTRUCTION_BYTES,
    INSTRUCTIONS,
    INTERRUPT_VECTOR,
    PACKET_BYTES,
    PACKETS,
)
from spinach_nic.cards.rosebud.prefixes import read_prefixes
from spinach_nic.firmware import FirmwareMap, MemoryRange
from spinach_nic.library import (
    AddressMap,
    AsynchronousFifo,
    Broadcaster,
    CommandPort,
    FrameFifo,
    HostInterconnect,
    Link,
    MultiportedMemory,
    PacketCollector,
    PacketMover,
    PciDevice,
    Pipe,
    PipelinedCore,
    PrefixMatcher,
    SlotBalancer,
)
from spinach_nic.model import Clock, Component, Module, parameter
from spinach_nic.processors.timing import core_timing
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import B, Frequency, Gbps, GHz, KiB, MHz, Rate, Size, Time, ns, us

PORTS = 2
_PCIE = LINKS["gen3x16"]
"""Link of the published board."""
LOOPBACK_PORT = 3
TAG_BYTES = 4
"""Bytes that a balancer by hash puts in front of a packet."""
CLUSTER_CORES = 4
MAC_BYTES_PER_CYCLE = 40
MAC_CLOCK = MHz(312.5)
"""40 bytes in a cycle are 100 Gb/s. The published MAC has 64 bytes at 322 MHz, not in every cycle."""
BROADCAST_LATENCY = 9
"""Fitted: a store to the broadcast region can be read by another core 16 cycles later at the earliest."""
ZONES = 1 << 40
"""First address of the load balancer and the ports, behind those of the cores, for the host."""
ZONE_BYTES, UNIT_BYTES, LINE_BYTES = 1 << 16, 1 << 8, 16
PORT_ZONE, SENT_REGISTERS = 1, 12
"""Zone of the ports, and their first register of sent frames, which has a line for itself."""
LINE = 64
"""Bytes of a line of a port's FIFO."""
RECEIVE_LATENCY = 14
"""Cycles of the FIFO of a port. With it, the last word of a frame is at the MAC 16 cycles before the first
choice of a slot, as on the published RTL with 8 cores."""
RETURN_LATENCY = 28
"""Cycles from a core to a port. With them, the first word at the MAC is 30 cycles, and one for each 64 bytes,
behind the last word of the core, as on the published RTL."""
CROSSING_FRAMES = 16
FRAMES_IN_FLIGHT = 64
"""Frames between source and sink once a direction runs at full depth, at least."""
LOOK_INTERVAL = 128
"""Deliveries between two looks: a microsecond at the smallest packets."""


class Rpu(Component):
    """A core with its instruction memory, and the packet mover with its data and packet memories."""

    identity: int = parameter(default=0, doc="Number of the core.")
    entry: int = parameter(default=INSTRUCTIONS, doc="Address at which execution begins.")
    timing: str = parameter(default="vexriscv-smallest", doc="Timing of the core: a preset, or FILE.toml.")
    slots: int = parameter(default=16, doc="Number of slots for packets.")
    sender_cycles: int = parameter(default=11, doc="Cycles of the sender for a packet besides its words.")
    prefixes: str = parameter(default="", doc="File with the prefixes of the accelerator; empty for none.")
    hosted: bool = parameter(default=False, doc="True if a host loads and starts the core.")
    profile_start: int = parameter(default=0, doc="First instruction address of the profile.")
    profile_size: Size = parameter(
        default=B(0), doc="Number of bytes of instructions that the profile covers."
    )

    def build(self) -> None:
        """Connect the core to its memories."""
        self.core = PipelinedCore(
            instruction_set="rv32",
            identity=self.identity,
            entry=self.entry,
            exception_vector=INTERRUPT_VECTOR,
            starts_halted=self.hosted,
            profile_start=self.profile_start,
            profile_bytes=self.profile_size,
            **core_timing(self.timing),
        )
        self.instructions = MultiportedMemory(
            base=INSTRUCTIONS, size=INSTRUCTION_BYTES, latency=0, repeats=True, reported=ADDRESSED
        )
        self.mover = PacketMover(
            identity=self.identity,
            slots=self.slots,
            instruction_memory=INSTRUCTION_BYTES,
            data_memory=DATA_BYTES,
            broadcast_region=BROADCAST_BYTES,
            packet_memory=PACKET_BYTES,
            sender_cycles=self.sender_cycles,
            entry=self.entry,
        )
        self.core.fetch >> self.instructions.port
        self.core.data >> self.mover.core
        self.instructions.beyond >> self.mover.fetch_beyond
        self.mover.interrupt >> self.core.interrupt
        self.mover.timer_interrupt >> self.core.interrupt
        if self.hosted:
            start, size = INSTRUCTIONS, INSTRUCTION_BYTES.bytes
            self.window = AddressMap(bases=[0, start], sizes=[start, size], subtract_base=False)
            self.window.target >> self.mover.control
            self.stage = Pipe()
            self.window.target_request >> self.stage.input
            self.stage.output >> self.instructions.port_request
            self.instructions.port_response >> self.window.target_response
            self.mover.reset >> self.core.control
        if self.prefixes:
            self.matcher = PrefixMatcher(prefixes=read_prefixes(self.prefixes))
            self.mover.accelerator >> self.matcher.registers


class Rosebud(Card):
    """Two 100 Gb/s ports, and up to 16 cores that packets are spread over."""

    summary = "200 Gb/s card of RISC-V cores with packet memories (Rosebud, ASPLOS 2023)"
    firmware_folder = "rosebud"
    default_firmware = "forward"
    instruction_set = "rv32"
    driver_model = RosebudDriver

    largest_frame: int = parameter(
        default=9000,
        range=(60, 16_000),
        unit="bytes",
        doc="Longest frame that passes, without check sequence.",
    )
    rpus: int = parameter(
        default=16,
        range=(1, 16),
        unit="cores",
        multiple_of=CLUSTER_CORES,
        doc="Number of cores; from 4 on, a multiple of 4.",
    )
    core_clock: Frequency = parameter(
        default=MHz(250), range=(MHz(1), GHz(100)), doc="Clock of everything behind the MACs."
    )
    timing: str = parameter(
        default="vexriscv-smallest", doc="Timing of the cores: a preset, or a file FILE.toml with parameters."
    )
    slots: int = parameter(default=16, range=(1, 32), unit="slots", doc="Slots for packets of each core.")
    sender_cycles: int = parameter(
        default=11,
        range=(0, 11),
        unit="cycles",
        doc="Cycles of a core's sender for a packet besides one for each 16 bytes. With fewer than the "
        "published 11 it begins a packet before the one before has left.",
    )
    port_fifo: Size = parameter(
        default=KiB(256), range=(KiB(16), KiB(65536)), doc="Memory of a port for received frames."
    )
    port_cycles: int = parameter(
        default=2,
        range=(1, 64),
        unit="cycles",
        doc="Fewest cycles between two looks of the load balancer at a port.",
    )
    port_choices: int = parameter(
        default=1,
        range=(1, PORTS),
        unit="slots",
        doc="Ports that the load balancer looks at in a cycle, by free slots.",
    )
    balancer: str = parameter(
        default="round_robin",
        choices=("round_robin", "hash", "hash_dropping"),
        doc="Choice of the core for a packet: the one with most free slots, clusters in turn; or the one "
        "that a hash of the flow names, waiting for a slot or dropping the packet.",
    )
    receivers: int = parameter(
        default=0,
        range=(0, (1 << 16) - 1),
        doc="Cores that receive packets of the ports, core 0 in bit 0; 0 for all.",
    )
    prefixes: str = parameter(
        default="",
        doc="File with the prefixes that the accelerator of each core looks for, such as 10.0.0.0/8, one a "
        "line; `documentation` for those of RFC 5737; empty for no accelerator.",
    )
    switch_bytes: int = parameter(
        default=64,
        range=(16, 4096),
        unit="bytes",
        doc="Bytes of a packet that a port, or the switch of a cluster, moves in a cycle.",
    )
    switch_latency: int = parameter(
        default=20,
        range=(0, 1024),
        unit="cycles",
        doc="Cycles from the choice of a slot for a packet to its core, besides one for each `switch_bytes`.",
    )
    message_latency: int = parameter(
        default=12,
        range=(0, 1024),
        unit="cycles",
        doc="Cycles from a core's message until the load balancer can choose the slot that it frees.",
    )
    return_latency: int = parameter(
        default=RETURN_LATENCY,
        range=(1, 1024),
        unit="cycles",
        doc="Cycles from a core to a port, besides one for each `switch_bytes`.",
    )

    generated_bytes: int = parameter(
        default=64,
        range=(60, 16_000),
        unit="bytes",
        doc="Packets that the images `generate` and `latency` send, without check sequence.",
    )
    host: bool = parameter(
        default=False,
        doc="True if a host behind PCI Express loads the firmware, starts the cores and reads counters. The "
        "firmware is in place otherwise, and cannot reach host memory.",
    )
    pcie_rate: Rate = parameter(
        default=_PCIE.rate,
        range=(Gbps(1), Gbps(2000)),
        doc="Rate of PCI Express for packets, in each direction: Gen3 with 16 lanes.",
    )
    pcie_read_latency: Time = parameter(
        default=ns(550), range=(ns(0), us(100)), doc="Latency of a read of host memory."
    )

    def build(self) -> None:
        """Put the cores between load balancer and collector, and both between the ports."""
        self._check_receivers()
        self.clock = self.core_domain = Clock("core", self.core_clock)
        self.mac_domain = Clock("mac", MAC_CLOCK)
        start, length = self.code_range
        self.rpu = [
            Rpu(
                identity=number,
                entry=INSTRUCTIONS if self.image is None else self.image.entry,
                timing=self.timing,
                slots=self.slots,
                sender_cycles=self.sender_cycles,
                prefixes=self.prefixes,
                hosted=self.host,
                profile_start=start,
                profile_size=B(length),
            )
            for number in range(self.rpus)
        ]
        clusters = max(1, self.rpus // CLUSTER_CORES)
        self.load_balancer = SlotBalancer(
            clusters=clusters,
            port_cycles=self.port_cycles,
            choices=self.port_choices,
            bytes_per_cycle=self.switch_bytes,
            latency=self.switch_latency,
            message_latency=self.message_latency,
            policy=self.balancer,
            receivers=self.receivers or (1 << self.rpus) - 1,
            drop_limit=self.port_fifo.bytes // LINE // 8 * 7,
            loopback_port=LOOPBACK_PORT,
        )
        self.collector = PacketCollector(
            clusters=clusters, bytes_per_cycle=self.switch_bytes, latency=self.return_latency
        )
        self.broadcaster = Broadcaster(clusters=clusters, latency=BROADCAST_LATENCY)
        for rpu in self.rpu:
            self.load_balancer.packet >> rpu.mover.input
            rpu.mover.message >> self.load_balancer.message
            self.load_balancer.command >> rpu.mover.command
            rpu.mover.output >> self.collector.packet
            rpu.mover.broadcast >> self.broadcaster.input
            self.broadcaster.output >> rpu.mover.heard
        self.collector.loopback >> self.load_balancer.loopback
        self.receive_link = [self._link() for _ in range(PORTS)]
        self.transmit_link = [self._link() for _ in range(PORTS)]
        self.receive_crossing = [AsynchronousFifo(depth=CROSSING_FRAMES) for _ in range(PORTS)]
        self.transmit_crossing = [AsynchronousFifo(depth=CROSSING_FRAMES) for _ in range(PORTS)]
        self.link_up_crossing = [AsynchronousFifo() for _ in range(PORTS)]
        self.port_fifo_of = [
            FrameFifo(
                size=self.port_fifo, line_bytes=LINE, latency=RECEIVE_LATENCY, longest=self.largest_frame
            )
            for _ in range(PORTS)
        ]
        for port in range(PORTS):
            self.receive_link[port].output >> self.receive_crossing[port].input
            self.receive_crossing[port].output >> self.port_fifo_of[port].input
            self.port_fifo_of[port].output >> self.load_balancer.frame
            if self.host or self.balancer == "hash_dropping":
                self.port_fifo_of[port].fill >> self.load_balancer.fill
            self.collector.frame >> self.transmit_crossing[port].input
            self.transmit_crossing[port].output >> self.transmit_link[port].input
            self.port_fifo_of[port].link_up >> self.link_up_crossing[port].input

        if self.host:
            self._make_host_port()

    def _check_receivers(self) -> None:
        """Check that a balancer that waits for the core of a flow waits for cores that receive.

        Raises:
            SpinachError: Packets of some flows would wait for ever, and all behind them.
        """
        missing = [core for core in range(self.rpus) if not self.receivers >> core & 1]
        if self.balancer == "hash" and self.receivers and missing:
            message = (
                f"balancer=hash names every core, but receivers = {self.receivers:#x} leaves out core "
                f"{missing[0]}: the first packet for it blocks its port for ever"
            )
            raise SpinachError(message, "set receivers=0 for all cores, or balancer=round_robin")

    def _make_host_port(self) -> None:
        """Put a PCI function in front of the cores, the load balancer and the ports."""
        self.pci = PciDevice(
            vendor=VENDOR, device=DEVICE, class_code=CLASS, window=KiB(64), is_fast=False, minimum_grant=0
        )
        self.commands = CommandPort(unit_bits=CORE_SHIFT, zones=ZONES)
        self.pcie = HostInterconnect(
            preset="custom",
            bandwidth=self.pcie_rate,
            read_latency=self.pcie_read_latency,
            packet=256,
            packet_overhead=_PCIE.overhead,
            completion_overhead=_PCIE.completion_overhead,
            outstanding=16,
        )
        self.pci.local >> self.commands.access
        self.commands.memory >> self.pcie.device
        self.pcie.memory >> self.pci.dma
        window = 1 << CORE_SHIFT
        self.windows = AddressMap(
            bases=[*(window * core for core in range(self.rpus)), ZONES],
            sizes=[*(window for _ in self.rpu), 4 * ZONE_BYTES],
        )
        self.commands.card >> self.windows.initiator
        for rpu in self.rpu:
            self.windows.target >> rpu.window.initiator
            rpu.mover.host >> self.pcie.device
        sent = [PORT_ZONE * ZONE_BYTES + port * UNIT_BYTES + SENT_REGISTERS * 4 for port in range(PORTS)]
        edges = [0, *(edge for line in sent for edge in (line, line + LINE_BYTES)), 4 * ZONE_BYTES]
        pieces = len(edges) - 1
        self.zones = AddressMap(
            bases=edges[:-1],
            sizes=[edges[piece + 1] - edges[piece] for piece in range(pieces)],
            targets=[piece % 2 for piece in range(pieces)],
            subtract_base=False,
        )
        self.windows.target >> self.zones.initiator
        self.zones.target >> self.load_balancer.control
        self.zones.target >> self.collector.control

    def _link(self) -> Link:
        return Link(clock=self.mac_domain, bytes_per_cycle=MAC_BYTES_PER_CYCLE, lanes=8)

    def faces(self) -> Faces:
        """Return the wires of the two ports."""
        wires = [
            Wire(
                clock=self.mac_domain,
                rate=Gbps(100),
                sent=self.transmit_link[port].output,
                received=self.receive_link[port].input,
                link_up=self.link_up_crossing[port].output,
                leaving=self.transmit_crossing[port].output,
            )
            for port in range(PORTS)
        ]
        return Faces(None, wires, management=PciBus.of(self.pci, self.core_domain) if self.host else None)

    def firmware_map(self) -> FirmwareMap:
        """Return the memories of a core."""
        usable = DATA_BYTES.bytes - BROADCAST_BYTES.bytes
        memories = [
            MemoryRange("instruction_memory", INSTRUCTIONS, INSTRUCTION_BYTES.bytes),
            MemoryRange("data_memory", DATA, usable),
        ]
        tag_bytes = 0 if self.balancer == "round_robin" else TAG_BYTES
        numbers: dict[str, int | Size] = {
            "SLOTS": self.slots,
            "TAG_BYTES": tag_bytes,
            "CORES": self.rpus,
            "GENERATED_BYTES": self.generated_bytes,
        }
        return FirmwareMap(numbers, memories, cores=self.rpus)

    def address_space(self) -> Sequence[MappedMemory]:
        """Return the memories: a packet mover holds the data memory, and behind it the packet memory."""
        movers = {rpu.mover.path for rpu in self.rpu}
        mapped: list[MappedMemory] = []
        for memory in super().address_space():
            if memory.name not in movers:
                mapped.append(memory)
                continue
            data, packets = DATA_BYTES.bytes, PACKET_BYTES.bytes
            mapped.append(replace(memory, name=f"{memory.name}.data", size=data))
            mapped.append(
                replace(memory, name=f"{memory.name}.packets", base=PACKETS, start=data, size=packets)
            )
        return mapped

    def probes(self) -> Probes:
        """Return the points at which the card is loaded and measured."""
        hertz = self.core_clock.hertz
        memories = []
        for rpu in self.rpu:
            memories += [
                Memory(
                    f"{rpu.instructions.path}",
                    banks=(rpu.instructions,),
                    peak=Rate(int(8 * 4 * hertz)),
                    moved=(ByteCounter(rpu.instructions, "read_bytes"),),
                    base=INSTRUCTIONS,
                ),
                Memory(
                    f"{rpu.mover.path}",
                    banks=(rpu.mover,),
                    peak=Rate(int(8 * 32 * hertz)),
                    moved=(
                        ByteCounter(rpu.mover, "received_bytes"),
                        ByteCounter(rpu.mover, "sent_bytes"),
                    ),
                    base=DATA,
                ),
            ]
        return Probes(
            tx=self._passage(0),
            rx=self._passage(1),
            cores=tuple(rpu.core for rpu in self.rpu),
            counters={
                "slots_given": Counter(self.load_balancer, "frames", "frames"),
                "balancer_waiting": Counter(self.load_balancer, "waiting", "cycles"),
                **{
                    f"packets_of_core_{rpu.identity}": Counter(rpu.mover, "received", "packets")
                    for rpu in self.rpu
                },
                "looped": Counter(self.load_balancer, "looped", "packets"),
                "broadcasts": Counter(self.broadcaster, "words", "words"),
            },
            memories=tuple(memories),
        )

    def _passage(self, port: int) -> Passage:
        discards: dict[str, tuple[Module, str]] = {
            f"discarded_by_core_{rpu.identity}": (rpu.mover, f"discarded_port_{port}") for rpu in self.rpu
        }
        discards["no_slot"] = (self.load_balancer, f"refused_port_{port}")
        # Cores that take turns finish packets of any flow in any order.
        keeps_flows = self.balancer != "round_robin"
        return Passage(
            depth=FRAMES_IN_FLIGHT,
            look_interval=LOOK_INTERVAL,
            drops=(self.port_fifo_of[port],),
            discards=discards,
            any_order=self.rpus > 1 and not keeps_flows,
            by_flow=self.rpus > 1 and keeps_flows,
            wire_in=port,
            wire_out=port,
        )
