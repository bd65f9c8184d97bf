"""A core of hundredgig with private memories, DMA engines, and both sides of a MAC."""

from __future__ import annotations

from spinach_nic.cards.hundredgig.map import (
    BYTES_OF_REGISTERS,
    INSTRUCTION_BYTES,
    INSTRUCTIONS,
    INTERRUPT_VECTOR,
    LARGE_BYTES,
    REGISTER_BLOCKS,
    REGISTERS,
    SCRATCH_PAD,
    SCRATCH_PAD_BYTES,
    SHARED,
    SHARED_BLOCKS,
    SHARED_BYTES,
    SLOTS,
    TAG_BYTES,
)
from spinach_nic.library import (
    AddressMap,
    EventFlags,
    MultiportedMemory,
    Pipe,
    PipelinedCore,
    QueueDma,
    QueueReceive,
    QueueTransmit,
    Tally,
    WordBridge,
)
from spinach_nic.model import Bundle, Component, parameter
from spinach_nic.processors.timing import core_timing
from spinach_nic.support.units import B, KiB, Size

SHARED_SIZE = SHARED_BYTES.bytes + BYTES_OF_REGISTERS * len(SHARED_BLOCKS)


class QueueEngine(Component):
    """A core, its memories, and the hardware that it commands.

    `shared_request` leads to the shared parts. Levels of `events` have the order of the firmware's flags;
    that of the host's accesses comes last, at core 0 only.
    """

    identity: int = parameter(default=0, doc="Number of the core.")
    entry: int = parameter(default=INSTRUCTIONS, doc="Address at which execution begins.")
    timing: str = parameter(default="", doc="Timing of the core: a preset, or FILE.toml.")
    slot: int = parameter(default=2048, doc="Bytes of a slot for a frame.")
    large_sends: int = parameter(default=0, doc="Number of buffers for large sends.")
    largest_frame: int = parameter(default=1514, doc="Longest frame that is received, in bytes.")
    verifies_checksums: bool = parameter(default=True, doc="True if the MAC verifies checksums.")
    congested_below: int = parameter(
        default=0, doc="Number of free buffers below which the MAC is congested; 0 for never."
    )
    relieved_at: int = parameter(default=0, doc="Number of free buffers from which on it is no longer.")
    transfers: Size = parameter(default=KiB(64), doc="Bytes that a DMA engine may have under way.")
    profile_start: int = parameter(default=0, doc="First instruction address of the profile.")
    profile_size: Size = parameter(
        default=B(0), doc="Number of bytes of instructions that the profile covers."
    )

    def build(self) -> None:
        """Connect the core to its memories and its devices."""
        self.core = PipelinedCore(
            instruction_set="rv32",
            identity=self.identity,
            entry=self.entry,
            exception_vector=INTERRUPT_VECTOR,
            profile_start=self.profile_start,
            profile_bytes=self.profile_size,
            **core_timing(self.timing),
        )
        size = SCRATCH_PAD_BYTES + B(2 * SLOTS * self.slot + self.large_sends * LARGE_BYTES)
        self.instructions = MultiportedMemory(base=INSTRUCTIONS, size=INSTRUCTION_BYTES, latency=0)
        self.scratch_pad = MultiportedMemory(base=SCRATCH_PAD, size=size)
        self._make_devices()
        self.map = AddressMap(
            bases=(SCRATCH_PAD, REGISTERS),
            sizes=(size.bytes, SHARED + SHARED_SIZE - REGISTERS),
            subtract_base=False,
        )
        self.map.target[0] >> self.scratch_pad.port
        self._connect_registers()
        self.core.fetch >> self.instructions.port
        self.core.data >> self.map.initiator

    def _connect_registers(self) -> None:
        """Connect the blocks of registers: big-endian words, as the library has them."""
        blocks = range(len(REGISTER_BLOCKS))
        self.bridge = WordBridge()
        self.registers = AddressMap(
            bases=[*(REGISTERS + BYTES_OF_REGISTERS * number for number in blocks), SHARED],
            sizes=[*(BYTES_OF_REGISTERS for _ in blocks), SHARED_SIZE],
            subtract_base=False,
        )
        self.register_stage = Pipe()
        self.map.target_request[1] >> self.register_stage.input
        self.register_stage.output >> self.bridge.initiator_request
        self.bridge.initiator_response >> self.map.target_response[1]
        self.bridge.target >> self.registers.initiator
        blocks_in_order: tuple[Bundle, ...] = (
            self.events.registers,
            self.dma_read.registers,
            self.dma_write.registers,
            self.mac_transmit.registers,
            self.mac_receive.registers,
            self.tally.registers,
        )
        for number, block in enumerate(blocks_in_order):
            self.registers.target[number] >> block
        self.shared_request = self.registers.target_request[len(blocks_in_order)]
        self.shared_response = self.registers.target_response[len(blocks_in_order)]

    def _make_devices(self) -> None:
        self.events = EventFlags()
        self.dma_read = QueueDma(
            direction="read", descriptors=SLOTS, fifo=self.transfers, stops_on_fault=False, source=100
        )
        self.dma_write = QueueDma(
            direction="write", descriptors=SLOTS, fifo=self.transfers, stops_on_fault=False, source=101
        )
        frames = B(max(16384, 8 * self.slot))
        self.mac_transmit = QueueTransmit(descriptors=4 * SLOTS, fifo=frames, source=102)
        self.mac_receive = QueueReceive(
            descriptors=SLOTS,
            largest_frame=self.largest_frame,
            tag_bytes=TAG_BYTES,
            fifo=frames,
            verifies=self.verifies_checksums,
            verifies_ipv6=True,
            congested_below=self.congested_below,
            relieved_at=self.relieved_at,
            source=103,
        )
        self.tally = Tally()
        for level in (
            self.dma_read.pending,
            self.dma_write.pending,
            self.mac_receive.pending,
            self.mac_transmit.pending,
        ):
            level >> self.events.level
        for port in (
            self.dma_read.local,
            self.dma_write.local,
            self.mac_transmit.frame,
            self.mac_receive.frame,
        ):
            port >> self.scratch_pad.block
