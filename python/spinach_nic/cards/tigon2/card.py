"""The card: the Tigon-2 with its SRAM and EEPROM, from the bus of the host to both ends of the link."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spinach_nic.cards.base.datasheet import register_tables
from spinach_nic.cards.tigon2.listeners import Listeners, flat
from spinach_nic.cards.tigon2.memory import MemoryBus, Processor
from spinach_nic.cards.tigon2.registers import (
    BYTES_STRAIGHT,
    HARD_RESET,
    INTERRUPT,
    INTERRUPT_MASKED,
    OBEY_PAUSE,
    SWAPS,
    Register,
)
from spinach_nic.library import (
    AddressMap,
    Arbiter,
    AsynchronousFifo,
    Bridge,
    DmaChannel,
    HostInterconnect,
    Link,
    MemoryWindow,
    PciDevice,
    RegisterFile,
    RingReceive,
    RingTransmit,
    SerialEeprom,
)
from spinach_nic.model import Clock, Component, parameter
from spinach_nic.support.units import B, Frequency, Gbps, KiB, MHz, MiB, Rate, Size, Time, fs, us

LINK_RATE = Gbps(1)
MAILBOXES = 32
SLOTS = 6
MAC_ADDRESS_IN_EEPROM = 0x8C
# Counts of received frames in the SRAM, for `RingReceive`.
STATISTICS = (0xE0, 0xE4, 0xEC, 0xF4, 0xF8, 0xFC, 0xC8, 0xE8)
MAC_ADDRESS = bytes.fromhex("0060cf2000c5")


def eeprom_contents(mac_address: bytes) -> bytes:
    """Return the content of the serial EEPROM: two bytes, then the MAC address."""
    return bytes(MAC_ADDRESS_IN_EEPROM + 2) + mac_address


def mailbox_messages() -> list[int]:
    """Return the effects of mailbox writes: an event for both cores; the first releases the interrupt."""
    set_bits, clear_bits = 1, 2
    rows = [
        (0x504 + 8 * number, set_bits, events, 1 << number)
        for number in range(MAILBOXES)
        for events in (Register.MAILBOX_EVENTS_A, Register.MAILBOX_EVENTS_B)
    ]
    return flat([(0x504, clear_bits, Register.HOST_CONTROL, INTERRUPT), *rows])


class Tigon2Card(Component):
    """Two cores, two DMA channels and a gigabit MAC around an SRAM, behind a PCI bus.

    Towards the host: `configuration` and `target` (bundles of the memory protocol), `host_memory` (a bundle
    of the block protocol), `interrupt` (1 and 0 when the line is asserted and released) and `reset` (a word
    resets the card, as the bus does), all of the clock `host`. Towards the network: `sent`, `received` and
    `link_up` (1 and 0 when the link goes up and down), of the clock `mac`.
    """

    core_clock: Frequency = parameter(default=MHz(88), doc="Clock of the cores and the registers.")
    sram_clock: Frequency = parameter(default=MHz(100), doc="Clock of the SRAM, its bus and the assists.")
    sram_size: Size = parameter(default=MiB(1), doc="Size of the SRAM: 512 KiB, 1 MiB or 2 MiB.")
    arbitration: str = parameter(
        default="prioritized",
        doc="Arbitration of the memory buses.",
        choices=("prioritized", "round_robin", "fixed_priority"),
    )
    starvation_timeout: int = parameter(
        default=64, range=(1, 1 << 20), doc="Cycles after which a waiting requester of a bus has priority."
    )
    crossing_stages: int = parameter(
        default=0,
        range=(0, 8),
        doc="Flip-flops between the clocks of cores and SRAM; no source gives a number (thesis 2.1.2, 4.4).",
    )
    sram_registered: bool = parameter(
        default=False,
        doc="True if data passes a column access and a register; false: in the second cycle (thesis 2.1.2).",
    )
    stream_piece: int = parameter(
        default=32,
        choices=(8, 16, 32),
        doc="Bytes per transfer of a stream: a burst of the SRAM (thesis 2.1.2); assumed.",
    )
    dma_streams: bool = parameter(
        default=True,
        doc="True if DMA moves words at the speed of the PCI bus (thesis 3.2.3), false for whole chunks.",
    )
    dma_fifo: Size = parameter(
        default=B(128),
        doc="FIFO of a DMA channel: 32 words, the largest threshold of its control word (public drivers).",
    )
    send_streams: bool = parameter(
        default=True,
        doc="True if the transmit MAC reads frames at the speed of the wire (thesis 3.2.3), false"
        " for whole frames.",
    )
    send_fifo: Size = parameter(
        default=B(128), doc="FIFO of the transmit MAC; assumed: that of a DMA channel."
    )
    receive_streams: bool = parameter(
        default=True,
        doc="True if the receive MAC stores frames at the speed of the wire (thesis 3.2.3), false"
        " for whole frames.",
    )
    poll_interval: int = parameter(
        default=0,
        range=(0, 1_000_000),
        unit="cycles",
        doc="Rest between reads of a pointer in memory, by which DMA channels and transmit MAC learn of"
        " descriptors (thesis 3.2.3); 0 if registers tell them, as on the chip.",
    )
    descriptor_memory: bool = parameter(
        default=False, doc="True for descriptors in a memory with a separate bus (thesis figure 3.7)."
    )
    descriptor_base: int = parameter(default=0x12E000, doc="First address of that memory.")
    descriptor_size: Size = parameter(default=KiB(92), doc="Size of that memory.")
    event_priority: str = parameter(
        default="highest_first",
        doc="Order in which the priority decode finds events.",
        choices=("highest_first", "lowest_first"),
    )
    starts_stopped: bool = parameter(
        default=True, doc="True if cores report after reset that a halt instruction stopped them."
    )
    host_clock: Frequency = parameter(default=MHz(66.666667), doc="Clock of the PCI bus.")
    host_width: int = parameter(default=64, range=(32, 64), doc="Bits of the PCI bus.")
    host_overhead: int = parameter(
        default=4, range=(0, 1000), doc="Clocks of the PCI bus that each burst takes besides its data."
    )
    host_latency: int = parameter(
        default=16, range=(0, 1000), doc="Clocks of the PCI bus from a read until its first data."
    )
    host_burst: int = parameter(
        default=512, range=(8, 65536), doc="Bytes of the longest burst on the PCI bus."
    )
    largest_frame: int = parameter(
        default=65535,
        range=(60, 65535),
        doc="Bytes of the longest frame that the host has buffers for; longer ones are counted.",
    )
    negotiation: Time = parameter(
        default=us(100),
        doc="Time for which the receiver must be on until the network considers the link up.",
    )
    receive_fifo: Size = parameter(default=KiB(8), doc="Bytes of received frames that wait for the SRAM.")
    vendor: int = parameter(default=0x12AE, doc="Vendor ID in configuration space.")
    device: int = parameter(default=0x0001, doc="Device ID in configuration space.")
    mac_address: bytes = parameter(default=MAC_ADDRESS, kind="bytes", doc="MAC address in the EEPROM.")
    profile: Sequence[int] = parameter(
        default=(),
        kind="integers",
        doc="Profiled ranges of instructions: first addresses and sizes in bytes.",
    )

    def build(self) -> None:
        """Assemble the chip from the registers outwards."""
        self.clock = Clock("core", self.core_clock)
        self.memory_clock = Clock("memory", self.sram_clock)
        self.pci_clock = Clock("host", self.host_clock)
        # Frames that follow each other begin at whole bytes of time, others at whole cycles of 8 bytes.
        self.mac_clock = Clock("mac", MHz(15.625))
        self.listeners = Listeners()
        self._make_memories()
        self._make_processors()
        self._make_host_side()
        self._make_dma()
        self._make_mac()
        self._make_registers()

    def _make_memories(self) -> None:
        common: dict[str, Any] = {
            "clock": self.memory_clock,
            "policy": self.arbitration,
            "starvation_timeout": self.starvation_timeout,
            "registered": self.sram_registered,
        }
        self.sram = MemoryBus(size=self.sram_size, **common)
        if self.descriptor_memory:
            self.descriptors = MemoryBus(
                size=self.descriptor_size, base=self.descriptor_base, repeats=False, **common
            )
            self.filters = [self._make_filter() for _ in range(SLOTS)]

    def _make_filter(self) -> AddressMap:
        """Leads an initiator to the bus that an address is on."""
        base, size = self.descriptor_base, self.descriptor_size.bytes
        beyond = base + size
        return AddressMap(
            clock=self.memory_clock,
            bases=(0, base, beyond),
            sizes=(base, size, (1 << 32) - beyond),
            targets=(0, 1, 0),
            subtract_base=False,
        )

    def _make_processors(self) -> None:
        self.processor = [
            Processor(
                identity=number,
                scratch_pad=KiB(16 if number == 0 else 8),
                priority=self.event_priority,
                profile=self.profile,
            )
            for number in range(2)
        ]
        # Both cores share one slot on the bus.
        self.core_slot = Arbiter(policy="round_robin")
        for processor in self.processor:
            processor.data >> self.core_slot.initiator
            processor.instructions >> self.core_slot.initiator
        self.to_memory = Bridge(stages=self.crossing_stages)
        self.core_slot.target >> self.to_memory.initiator

    def _make_host_side(self) -> None:
        self.pci = PciDevice(
            clock=self.pci_clock,
            vendor=self.vendor,
            device=self.device,
            revision=1,
            class_code=0x020000,
            window=KiB(16),
            interrupt_register=Register.HOST_CONTROL,
            interrupt_bits=INTERRUPT,
            interrupt_inhibit=INTERRUPT_MASKED,
            reset_offset=Register.HOST_CONTROL,
            # The same from both ends, since the order of bytes may be either.
            reset_word=HARD_RESET << 24 | HARD_RESET,
            reset_bytes=4,
        )
        self.window = MemoryWindow(
            fixed=(0x400, 0x400, 0),
            view_register=Register.WINDOW_BASE,
            view_port=Register.WINDOW_DATA,
            order_register=Register.HOST_CONTROL,
            order_mask=SWAPS,
            order_value=BYTES_STRAIGHT,
            messages=mailbox_messages(),
        )
        self.from_host = Bridge()
        self.pci.local >> self.from_host.initiator
        self.from_host.target >> self.window.host
        self.window.memory >> self.to_memory.initiator
        # A burst is longer than its data by the overhead; a read waits for the latency.
        width = self.host_width // 8
        self.bus = HostInterconnect(
            clock=self.pci_clock,
            preset="custom",
            bandwidth=self._bus_rate,
            is_duplex=False,
            read_latency=_cycles(self.host_latency, self.host_clock),
            packet=self.host_burst,
            packet_overhead=self.host_overhead * width,
        )
        self.bus.memory >> self.pci.dma
        self.pci.carried >> self.bus.others

    def _make_dma(self) -> None:
        r = Register
        common: dict[str, Any] = {
            "clock": self.memory_clock,
            "rate": self._bus_rate if self.dma_streams else Rate(0),
            "fifo": self.dma_fifo,
            "burst": self.stream_piece,
            "assist": r.DMA_ASSIST,
            "poll_interval": self.poll_interval,
            "buffer_bases": (r.RECEIVE_BUFFER_BASE, r.SEND_BUFFER_BASE),
        }
        self.dma_read = DmaChannel(
            direction="read",
            host_high=r.DMA_READ_HOST_HIGH,
            host_low=r.DMA_READ_HOST_LOW,
            local=r.DMA_READ_LOCAL,
            length=r.DMA_READ_LENGTH,
            control=r.DMA_READ_STATE,
            checksum=r.DMA_READ_CHECKSUM,
            producer=r.DMA_READ_PRODUCER,
            reference=r.DMA_READ_REFERENCE,
            low_producer=r.DMA_READ_LOW_PRODUCER,
            low_reference=r.DMA_READ_LOW_REFERENCE,
            end_copy=r.SEND_BUFFER_PRODUCER,
            end_copy_bit=r.DMA_READ_STATE["TRANSMIT_PRODUCER"],
            source=100,
            **common,
        )
        self.dma_write = DmaChannel(
            direction="write",
            host_high=r.DMA_WRITE_HOST_HIGH,
            host_low=r.DMA_WRITE_HOST_LOW,
            local=r.DMA_WRITE_LOCAL,
            length=r.DMA_WRITE_LENGTH,
            control=r.DMA_WRITE_STATE,
            checksum=r.DMA_WRITE_CHECKSUM,
            producer=r.DMA_WRITE_PRODUCER,
            reference=r.DMA_WRITE_REFERENCE,
            low_producer=r.DMA_WRITE_LOW_PRODUCER,
            low_reference=r.DMA_WRITE_LOW_REFERENCE,
            end_copy=r.RECEIVE_BUFFER_CONSUMER,
            end_copy_bit=r.DMA_WRITE_STATE["RECEIVE_CONSUMER"],
            source=101,
            **common,
        )
        self.to_host = Bridge(stages=self.crossing_stages)
        for channel in (self.dma_read, self.dma_write):
            channel.host >> self.to_host.initiator
            self.to_host.target >> self.bus.device

    def _make_mac(self) -> None:
        r = Register
        bases = (r.RECEIVE_BUFFER_BASE, r.SEND_BUFFER_BASE)
        self.mac_transmit = RingTransmit(
            clock=self.memory_clock,
            control=r.MAC_SEND_STATE,
            producer=r.SEND_RING_PRODUCER,
            fetched=r.SEND_RING_FETCHED,
            sent=r.SEND_RING_SENT,
            consumer=r.SEND_BUFFER_CONSUMER,
            buffer_producer=r.SEND_BUFFER_PRODUCER,
            tag_type=r.MAC_TAG_TYPE,
            buffer_bases=bases,
            rate=LINK_RATE if self.send_streams else Rate(0),
            fifo=self.send_fifo,
            burst=self.stream_piece,
            poll_interval=self.poll_interval,
            source=102,
        )
        self.mac_receive = RingReceive(
            clock=self.memory_clock,
            control=r.MAC_RECEIVE_STATE,
            buffer_producer=r.RECEIVE_BUFFER_PRODUCER,
            buffer_consumer=r.RECEIVE_BUFFER_CONSUMER,
            read_end=r.DMA_WRITE_LOCAL,
            producer=r.RECEIVE_RING_PRODUCER,
            consumer=r.RECEIVE_RING_CONSUMER,
            mac_address=r.MAC_ADDRESS,
            hash=r.MAC_HASH,
            buffer_bases=bases,
            obey_pause=OBEY_PAUSE,
            negotiation=self.negotiation,
            statistics=STATISTICS,
            largest_frame=self.largest_frame,
            fifo=self.receive_fifo,
            rate=LINK_RATE if self.receive_streams else Rate(0),
            burst=self.stream_piece,
            source=103,
        )
        self.transmit_link = self._make_link(streams=self.send_streams)
        self.receive_link = self._make_link(streams=self.receive_streams)
        # Few frames, so that one that the MAC is done with is nearly on the wire.
        self.to_wire = Bridge(depth=2)
        self.link_up_crossing = AsynchronousFifo()
        self.pause_crossing = AsynchronousFifo()
        self.mac_transmit.wire >> self.to_wire.initiator_request
        self.leaving = self.to_wire.target_request[0]
        self.leaving >> self.transmit_link.input
        self.receive_link.output >> self.to_wire.target_response
        self.to_wire.initiator_response >> self.mac_receive.wire
        self.mac_receive.link_up >> self.link_up_crossing.input
        self.mac_receive.pause >> self.pause_crossing.input
        self.pause_crossing.output >> self.transmit_link.pause
        self.sent = self.transmit_link.output
        self.received = self.receive_link.input
        self.link_up = self.link_up_crossing.output
        self._connect_memories()

    def _make_link(self, *, streams: bool) -> Link:
        """Return a direction of the link; a MAC at wire speed keeps a frame while its bytes pass."""
        presents = "first_byte" if streams else "whole"
        return Link(clock=self.mac_clock, bytes_per_cycle=8, lanes=1, presents=presents)

    @property
    def _bus_rate(self) -> Rate:
        return Rate(int(self.host_clock.hertz * self.host_width))

    def _connect_memories(self) -> None:
        """Give each initiator a slot, in the order of their priority: the assists, the host, the cores."""
        slots = (
            self.mac_receive.memory,
            self.mac_transmit.memory,
            self.dma_write.memory,
            self.dma_read.memory,
            self.to_memory.target[1],
            self.to_memory.target[0],
        )
        if not self.descriptor_memory:
            for initiator in slots:
                initiator >> self.sram.initiator
            return
        for initiator, chosen in zip(slots, self.filters, strict=True):
            initiator >> chosen.initiator
            chosen.target[0] >> self.sram.initiator
            chosen.target[1] >> self.descriptors.initiator
        for assist in (self.mac_receive, self.mac_transmit, self.dma_write, self.dma_read):
            assist.descriptors >> self.descriptors.initiator

    def _make_registers(self) -> None:
        r = Register
        listen = self.listeners.add
        common = (r.RECEIVE_BUFFER_BASE, r.SEND_BUFFER_BASE)
        control = [listen(r.CPU_STATE_A, r.CPU_PC_A), listen(r.CPU_STATE_B, r.CPU_PC_B)]
        relocation = [listen(r.STACK_OVERFLOW_A), listen(r.STACK_OVERFLOW_B)]
        window = listen(r.HOST_CONTROL, r.WINDOW_BASE, hears_all=True)
        interrupt = listen(r.HOST_CONTROL, hears_all=True)
        wires = listen(r.LOCAL_CONTROL)
        assists: list[tuple[DmaChannel | RingTransmit | RingReceive, int]] = [
            (self.dma_read, listen(*_read_registers(), *common)),
            (self.dma_write, listen(*_write_registers(), *common)),
            (
                self.mac_transmit,
                listen(
                    r.MAC_SEND_STATE,
                    r.MAC_TAG_TYPE,
                    r.SEND_RING_PRODUCER,
                    r.SEND_RING_FETCHED,
                    r.SEND_RING_SENT,
                    r.SEND_BUFFER_CONSUMER,
                    *common,
                    followed=[r.SEND_BUFFER_PRODUCER],
                ),
            ),
            (
                self.mac_receive,
                listen(
                    *_receive_registers(), *common, followed=[r.RECEIVE_BUFFER_CONSUMER, r.DMA_WRITE_LOCAL]
                ),
            ),
        ]
        straps = {
            "sees_66_mhz": self.host_clock.hertz > 33_500_000,
            "sees_32_bits": self.host_width == 32,
            "starts_stopped": self.starts_stopped,
        }
        tables = register_tables(Register, straps)
        self.registers = RegisterFile(size=KiB(1), notify=flat(self.listeners.rows), **tables)
        for number, processor in enumerate(self.processor):
            processor.registers >> self.registers.port
            processor.said >> self.registers.update
            self.registers.written[control[number]] >> processor.control
            self.registers.written[relocation[number]] >> processor.relocation
        self.window.registers >> self.registers.port
        self.registers.written[window] >> self.window.written
        self.window.update >> self.registers.update
        self.bus_words = Bridge()
        self.registers.written[interrupt] >> self.bus_words.initiator_request
        self.bus_words.target_request >> self.pci.written
        self.pci.shadow >> self.bus_words.target_response
        self.bus_words.initiator_response >> self.registers.update
        self.eeprom = SerialEeprom(
            contents=eeprom_contents(self.mac_address),
            register=r.LOCAL_CONTROL,
            clock_bit=r.LOCAL_CONTROL.bit("EEPROM_CLOCK"),
            enable_bit=r.LOCAL_CONTROL.bit("EEPROM_WRITE_ENABLE"),
            output_bit=r.LOCAL_CONTROL.bit("EEPROM_DATA_OUT"),
            input_bit=r.LOCAL_CONTROL.bit("EEPROM_DATA_IN"),
        )
        self.registers.written[wires] >> self.eeprom.written
        self.eeprom.update >> self.registers.update
        self.assist_words = Bridge(depth=64)
        for assist, lane in assists:
            self.registers.written[lane] >> self.assist_words.initiator_request
            self.assist_words.target_request >> assist.written
            assist.update >> self.assist_words.target_response
            self.assist_words.initiator_response >> self.registers.update


def _cycles(count: int, clock: Frequency) -> Time:
    return fs(int(count * 10**15 / clock.hertz))


def _read_registers() -> tuple[int, ...]:
    r = Register
    return (
        r.DMA_READ_HOST_HIGH,
        r.DMA_READ_HOST_LOW,
        r.DMA_READ_LENGTH,
        r.DMA_READ_STATE,
        r.DMA_READ_LOCAL,
        r.DMA_READ_CHECKSUM,
        r.DMA_READ_PRODUCER,
        r.DMA_READ_REFERENCE,
        r.DMA_READ_LOW_PRODUCER,
        r.DMA_READ_LOW_REFERENCE,
        r.DMA_ASSIST,
    )


def _write_registers() -> tuple[int, ...]:
    r = Register
    return (
        r.DMA_WRITE_HOST_HIGH,
        r.DMA_WRITE_HOST_LOW,
        r.DMA_WRITE_LENGTH,
        r.DMA_WRITE_STATE,
        r.DMA_WRITE_LOCAL,
        r.DMA_WRITE_CHECKSUM,
        r.DMA_WRITE_PRODUCER,
        r.DMA_WRITE_REFERENCE,
        r.DMA_WRITE_LOW_PRODUCER,
        r.DMA_WRITE_LOW_REFERENCE,
        r.DMA_ASSIST,
    )


def _receive_registers() -> tuple[int, ...]:
    r = Register
    return (
        r.MAC_RECEIVE_STATE,
        r.RECEIVE_BUFFER_PRODUCER,
        r.RECEIVE_RING_PRODUCER,
        r.RECEIVE_RING_CONSUMER,
        r.MAC_ADDRESS,
        r.MAC_ADDRESS + 4,
        *range(r.MAC_HASH, r.MAC_HASH + 16, 4),
    )
