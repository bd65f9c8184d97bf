"""Starter: a 1 Gb/s network interface card with one core, between a host and a network.

    spinach run starter.py

The core runs the firmware `main.c`. Four assists move frames: DMA reads and writes of host memory, and both
directions of the MAC. Control data lies in a scratch pad, frames in frame memory.
"""

from pathlib import Path

from spinach_nic import B, Clock, Frequency, Gbps, KiB, MHz, MiB, Size, Time, library, parameter, us
from spinach_nic.firmware import FirmwareMap, MemoryRange
from spinach_nic.nics import FramePath, Memory, Nic, Probes

# Addresses and sizes. The firmware gets them from firmware_map below.
MAILBOXES, HOST_RINGS, FIRMWARE_DATA = 0x100, 0x108, 0x1000  # in the scratch pad
INSTRUCTIONS, REGISTERS, FRAME_MEMORY = 0x1000_0000, 0x2000_0000, 0x4000_0000
INSTRUCTIONS_SIZE, SCRATCH_PAD_SIZE, FRAME_MEMORY_SIZE = KiB(16), KiB(32), MiB(2)
REGISTER_BLOCKS = {  # 0x100 bytes each
    name: REGISTERS + 0x100 * number
    for number, name in enumerate(("dma_read", "dma_write", "mac_transmit", "mac_receive", "interrupt"))
}


class Starter(Nic):
    """One core, four assists, a host and a network."""

    summary = "1 Gb/s NIC with one core"
    firmware_root = Path(__file__).parent
    firmware_folder = "firmware"
    default_firmware = "starter"

    core_clock: Frequency = parameter(default=MHz(125), range=(MHz(1), MHz(10_000)), doc="The card's clock.")
    host_latency: Time = parameter(default=us(1), range=(us(0), us(10_000)), doc="From interrupt to driver.")
    largest_frame: int = parameter(default=1514, range=(60, 16_000), doc="Bytes of the longest that passes.")

    def firmware_map(self) -> FirmwareMap:
        """Macros of the header spinach/card.h, and what the linker needs."""
        constants: dict[str, int | Size] = {"MAILBOXES": MAILBOXES, "HOST_RINGS": HOST_RINGS}
        constants |= {"FRAME_MEMORY": FRAME_MEMORY, "FRAME_MEMORY_BYTES": FRAME_MEMORY_SIZE}
        constants |= {f"{name.upper()}_REGISTERS": base for name, base in REGISTER_BLOCKS.items()}
        data_size = SCRATCH_PAD_SIZE - B(FIRMWARE_DATA)
        memories = [
            MemoryRange("instruction_memory", INSTRUCTIONS, INSTRUCTIONS_SIZE.bytes),
            MemoryRange("scratch_pad", FIRMWARE_DATA, data_size.bytes),
        ]
        return FirmwareMap(constants, memories, cores=1)

    def build(self) -> None:
        """Make the parts and connect them."""
        self.clock = Clock("core", self.core_clock)
        mac_clock = Clock("mac", MHz(125))  # one byte a cycle: 1 Gb/s
        start, length = self.code_range
        self.core = library.PipelinedCore(entry=INSTRUCTIONS, profile_start=start, profile_bytes=B(length))
        self.instruction_memory = library.MultiportedMemory(base=INSTRUCTIONS, size=INSTRUCTIONS_SIZE)
        self.scratch_pad = library.MultiportedMemory(size=SCRATCH_PAD_SIZE)
        self.frame_memory = library.MultiportedMemory(base=FRAME_MEMORY, size=FRAME_MEMORY_SIZE)
        self.dma_read = library.DmaAssist(direction="read", frame_memory_base=FRAME_MEMORY)
        self.dma_write = library.DmaAssist(direction="write", frame_memory_base=FRAME_MEMORY)
        two_frames = B(2 * (self.largest_frame + 4))
        self.mac_transmit = library.MacTransmitAssist(fifo=two_frames)
        self.mac_receive = library.MacReceiveAssist(largest_frame=self.largest_frame, fifo=two_frames)
        self.interrupt = library.Interrupt()
        assists = (self.dma_read, self.dma_write, self.mac_transmit, self.mac_receive)
        with_registers = (*assists, self.interrupt)

        # Loads and stores go to the scratch pad, to frame memory or to registers.
        registers = [*REGISTER_BLOCKS.values()]
        self.crossbar = library.Crossbar(
            bases=[0, FRAME_MEMORY, *registers],
            sizes=[SCRATCH_PAD_SIZE.bytes, FRAME_MEMORY_SIZE.bytes, *[0x100] * len(registers)],
        )
        self.core.fetch >> self.instruction_memory.port
        self.core.data >> self.crossbar.initiator
        self.crossbar.target >> self.scratch_pad.port
        self.crossbar.target >> self.frame_memory.port
        for one in with_registers:
            self.crossbar.target >> one.registers
        for assist in assists:
            assist.control >> self.crossbar.initiator
            assist.frame >> self.frame_memory.block

        self.host = library.NicFeeder(
            configuration_address=HOST_RINGS,
            send_mailbox=MAILBOXES,
            receive_mailbox=MAILBOXES + 4,
            service_latency=self.host_latency,
            header_bytes=0,  # a frame to send lies in one buffer
            receive_buffer=B(self.largest_frame),
            **self.tx.source("send_"),
            **self.rx.expected("receive_"),
        )
        self.bus = library.HostInterconnect()
        self.dma_read.host >> self.bus.device
        self.dma_write.host >> self.bus.device
        self.bus.memory >> self.host.memory
        self.host.doorbell >> self.crossbar.initiator
        self.interrupt.raised >> self.host.interrupt

        self.wire_out = library.Link(bytes_per_cycle=1, lanes=1, clock=mac_clock)
        self.wire_in = library.Link(bytes_per_cycle=1, lanes=1, clock=mac_clock)
        self.network = library.PacketFeeder(clock=mac_clock, **self.rx.source())
        self.sink = library.PacketSink(clock=mac_clock, **self.tx.expected())
        self.leaving = self.across(self.mac_transmit.wire)
        self.leaving >> self.wire_out.input
        self.wire_out.output >> self.sink.wire
        self.wire_from(self.network.wire, self.rx, mac_clock) >> self.wire_in.input
        self.across(self.wire_in.output) >> self.mac_receive.wire
        self.across(self.mac_receive.link_up) >> self.network.link_up
        self.add_instruments(self.host, self.network, self.sink)

    def probes(self) -> Probes:
        """Where frames, the core and memories are counted."""
        depth = 64  # frames under way in one direction, at most: the firmware's RING_ENTRIES
        drops = [self.mac_receive, *self.wire_drops]
        memories = (self.instruction_memory, self.scratch_pad)
        return Probes(
            link_rate=Gbps(1),
            tx=FramePath(self.host, self.sink, depth=depth, capture=self.leaving),
            rx=FramePath(self.network, self.host, depth=depth, drops=drops, capture=self.host.received),
            cores=[self.core],
            memories=[Memory.of(memory, self.core_clock) for memory in memories],
        )
