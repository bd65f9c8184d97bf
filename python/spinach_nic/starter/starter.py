"""Starter: a 1 Gb/s network interface card with one core.

    spinach run starter.py

The core runs the firmware `main.c`. Four assists move frames: DMA reads and writes of host memory, and both
directions of the MAC. Control data lies in a scratch pad, frames in frame memory.
"""

from pathlib import Path

from spinach_nic import B, Clock, Frequency, Gbps, KiB, MHz, MiB, Size, library, parameter
from spinach_nic.cards import Agent, Card, Faces, Memory, Passage, Probes, RingBus, Wire
from spinach_nic.firmware import FirmwareMap, MemoryRange

# Addresses and sizes. The firmware gets them from firmware_map below.
MAILBOXES, HOST_RINGS, FIRMWARE_DATA = 0x100, 0x108, 0x1000  # in the scratch pad
INSTRUCTIONS, REGISTERS, FRAME_MEMORY = 0x1000_0000, 0x2000_0000, 0x4000_0000
INSTRUCTIONS_SIZE, SCRATCH_PAD_SIZE, FRAME_MEMORY_SIZE = KiB(16), KiB(32), MiB(2)
REGISTER_BLOCKS = {  # 0x100 bytes each
    name: REGISTERS + 0x100 * number
    for number, name in enumerate(("dma_read", "dma_write", "mac_transmit", "mac_receive", "interrupt"))
}


class Starter(Card):
    """One core and four assists between a host and a wire."""

    summary = "1 Gb/s NIC with one core"
    firmware_root = Path(__file__).parent
    firmware_folder = "firmware"
    default_firmware = "starter"

    core_clock: Frequency = parameter(default=MHz(125), range=(MHz(1), MHz(10_000)), doc="Clock of the card.")
    largest_frame: int = parameter(default=1514, range=(60, 16_000), doc="Longest frame, in bytes.")

    def firmware_map(self) -> FirmwareMap:
        """Macros of the header spinach/card.h, and memories for the linker."""
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
        """Create the parts and connect them."""
        self.domain = self.clock = Clock("core", self.core_clock)
        self.mac_clock = Clock("mac", MHz(125))  # one byte a cycle: 1 Gb/s
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

        self.bus = library.HostInterconnect()
        self.dma_read.host >> self.bus.device
        self.dma_write.host >> self.bus.device

        self.wire_out = library.Link(bytes_per_cycle=1, lanes=1, clock=self.mac_clock)
        self.wire_in = library.Link(bytes_per_cycle=1, lanes=1, clock=self.mac_clock)
        self.leaving = self.across(self.mac_transmit.wire)
        self.leaving >> self.wire_out.input
        self.across(self.wire_in.output) >> self.mac_receive.wire
        self.link_up = self.across(self.mac_receive.link_up)

    def faces(self) -> Faces:
        """Return the bus, at which a driver fills rings, and the wire."""
        bus = RingBus(
            clock=self.domain,
            access=self.crossbar.initiator,
            memory=self.bus.memory,
            interrupt=self.interrupt.raised,
            configuration=HOST_RINGS,
            send_mailbox=MAILBOXES,
            receive_mailbox=MAILBOXES + 4,
            header_bytes=0,  # a frame to send lies in one buffer
            receive_buffer=B(self.largest_frame),
            memory_window=range(SCRATCH_PAD_SIZE.bytes),  # what a PCI function shows of the card
        )
        wire = Wire(
            clock=self.mac_clock,
            rate=Gbps(1),
            sent=self.wire_out.output,
            received=self.wire_in.input,
            link_up=self.link_up,
            leaving=self.leaving,
        )
        return Faces(bus, [wire])

    def probes(self) -> Probes:
        """Return the points at which frames, the core and memories are counted."""
        depth = 64  # frames under way in one direction, at most: the firmware's RING_ENTRIES
        return Probes(
            tx=Passage(depth=depth),
            rx=Passage(depth=depth, drops=[self.mac_receive]),
            cores=[self.core],
            agents={  # traced by spinach trace
                "dma_read": Agent(self.dma_read, "dma"),
                "dma_write": Agent(self.dma_write, "dma"),
                "mac_transmit": Agent(self.mac_transmit, "mac"),
                "mac_receive": Agent(self.mac_receive, "mac"),
            },
            memories=[
                Memory.of(part, self.core_clock) for part in (self.instruction_memory, self.scratch_pad)
            ],
        )
