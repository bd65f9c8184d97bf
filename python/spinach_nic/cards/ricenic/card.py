"""The card: two processors on a local bus, from the PCI bus to both ends of the link.

To be read next to figure 2 of the paper. There are four clock domains: `core` for the processors, `bus` for
the local bus and its devices, `pci` for the parts of the second chip, `mac` for the link.
"""

from __future__ import annotations

from spinach_nic.cards.ricenic.processor import Processor
from spinach_nic.cards.ricenic.registers import (
    BLOCK_BYTES,
    BLOCKS,
    BRAM,
    BRAM_BYTES,
    BRAM_UNCACHED,
    CONTEXT_BYTES,
    DDR,
    DDR_BYTES,
    INTERRUPT_SOURCES,
    MAILBOX_WORDS,
    QUEUE_ENTRIES,
    RESET,
    SETTINGS,
    SRAM,
    SRAM_BYTES,
    block_address,
)
from spinach_nic.library import (
    AsynchronousFifo,
    Bridge,
    EventUnit,
    HostInterconnect,
    Interrupt,
    InterruptController,
    Link,
    LocalBus,
    MemoryController,
    MultiportedMemory,
    QueueDma,
    QueueReceive,
    QueueTransmit,
    SharedMemory,
    Tally,
    Uart,
    WriteWatch,
)
from spinach_nic.model import Bundle, Clock, Component, parameter
from spinach_nic.support.units import B, Frequency, MHz, Rate, Size, bps, fs

PCI_BYTES = 8
INTERRUPT_LINES = ("external", "critical")
"""Interrupt lines of each processor."""
Device = QueueDma | QueueTransmit | QueueReceive | Interrupt | EventUnit | Uart | Tally | InterruptController
MEMORIES = (DDR_BYTES.bytes, BRAM_BYTES.bytes, SRAM_BYTES.bytes, BRAM_BYTES.bytes)


class RicenicCard(Component):
    """The card between a PCI bus and a link. All its latencies are parameters here."""

    core: str = parameter(default="pipelined", doc="Timing model of the cores.")
    quantum: int = parameter(default=256, doc="Cycles that functional cores run ahead of others.")
    cores: int = parameter(default=2, doc="Number of processors.")
    core_clock: Frequency = parameter(default=MHz(300), doc="Clock of the processors.")
    bus_clock: Frequency = parameter(default=MHz(100), doc="Clock of the local bus.")
    host_clock: Frequency = parameter(default=MHz(66.666667), doc="Clock of the PCI bus.")
    core_stages: int = parameter(default=1, doc="Flip-flops between processors and local bus.")
    ddr_activation: int = parameter(default=3, doc="Clocks of the bus to open a row.")
    ddr_precharge: int = parameter(default=3, doc="Clocks of the bus to close a row.")
    ddr_column: int = parameter(default=8, doc="Clocks of the bus from a column to its data.")
    bram_latency: int = parameter(default=3, doc="Clocks of the bus from a request to its answer.")
    bridge_stages: int = parameter(default=3, doc="Flip-flops between the two chips, each way.")
    sram_latency: int = parameter(default=8, doc="Clocks of the PCI bus from a request to its answer.")
    pci_burst: Size = parameter(default=B(2048), doc="Longest burst on the PCI bus.")
    pci_overhead: int = parameter(default=16, doc="Clocks of each burst besides its data.")
    console_rate: Rate = parameter(
        default=bps(0), doc="Rate of the serial line in bits per second; 0 for no limit."
    )
    contexts: int = parameter(default=32, doc="Contexts of the event unit.")
    largest_frame: int = parameter(default=1514, doc="Longest frame that is received.")
    settings: bytes = parameter(default=b"", kind="bytes", doc="Settings of the firmware, as words.")
    profile_start: int = parameter(default=0, doc="First address of the profiled range of instructions.")
    profile_size: Size = parameter(default=B(0), doc="Size of the profiled range of instructions, in bytes.")

    def build(self) -> None:
        """Assemble both chips and the memories."""
        self.clock = Clock("core", self.core_clock)
        self.bus_domain = Clock("bus", self.bus_clock)
        self.pci_clock = Clock("pci", self.host_clock)
        self.mac_clock = Clock("mac", MHz(125))
        self._make_bus()
        self._make_processors()
        self._make_memories()
        self._make_devices()
        self._make_pci()
        self._make_link()

    def _make_bus(self) -> None:
        blocks = [block_address(block.name) for block in BLOCKS]
        self.bus = LocalBus(
            clock=self.bus_domain,
            bases=[DDR, BRAM, SRAM, BRAM_UNCACHED, *blocks],
            sizes=[*MEMORIES, *[BLOCK_BYTES] * len(blocks)],
            targets=[0, 1, 2, 1, *range(3, 3 + len(blocks))],
        )

    def _make_processors(self) -> None:
        self.processor = [
            Processor(
                core=self.core,
                quantum=self.quantum,
                identity=number,
                profile_start=self.profile_start,
                profile_size=self.profile_size,
            )
            for number in range(self.cores)
        ]
        self.to_bus = Bridge(stages=self.core_stages)
        for processor in self.processor:
            for port in (processor.instructions, processor.data):
                port >> self.to_bus.initiator
                self.to_bus.target >> self.bus.initiator

    def _make_memories(self) -> None:
        clock = self.bus_domain
        self.ddr_controller = MemoryController(
            clock=clock,
            word_bytes=8,
            words_per_cycle=2,
            activation_latency=self.ddr_activation,
            precharge_latency=self.ddr_precharge,
            column_latency=self.ddr_column,
        )
        self.ddr = MultiportedMemory(
            clock=clock, base=DDR, size=DDR_BYTES, contents=self.settings, contents_offset=SETTINGS
        )
        self.ddr_controller.memory >> self.ddr.port
        self.ddr_controller.memory_block >> self.ddr.block
        self.bram = MultiportedMemory(
            clock=clock, base=BRAM_UNCACHED, size=BRAM_BYTES, repeats=True, latency=self.bram_latency
        )
        self.bus.target >> self.ddr_controller.port
        self.bus.target >> self.bram.port
        self.bus.target_block >> self.ddr_controller.block
        self.bus.target_block >> self.bram.block
        self.sram = SharedMemory(
            clock=self.pci_clock, base=SRAM, size=SRAM_BYTES, column_latency=self.sram_latency
        )
        self.to_sram = Bridge(stages=self.bridge_stages)
        self.bus.target >> self.to_sram.initiator
        self.to_sram.target >> self.sram.initiator

    def _make_devices(self) -> None:
        clock, entries = self.bus_domain, QUEUE_ENTRIES
        self.dma_read = QueueDma(clock=clock, direction="read", descriptors=entries, source=100)
        self.dma_write = QueueDma(clock=clock, direction="write", descriptors=entries, source=101)
        two_frames = B(max(4096, 2 * self.largest_frame))
        self.mac_transmit = QueueTransmit(clock=clock, descriptors=entries, fifo=two_frames, source=102)
        self.mac_receive = QueueReceive(
            clock=clock,
            descriptors=entries,
            largest_frame=self.largest_frame,
            fifo=two_frames,
            verifies=False,
            source=103,
        )
        self.host_interrupt = Interrupt(clock=clock)
        self.events = EventUnit(
            clock=clock, contexts=self.contexts, page=B(CONTEXT_BYTES), mailboxes=MAILBOX_WORDS
        )
        self.resets = EventUnit(clock=clock, contexts=1, page=B(4), mailboxes=1)
        self.uart = Uart(clock=clock, rate=self.console_rate, fifo=64)
        self.tally = Tally(clock=clock)
        self.interrupts = InterruptController(clock=clock)
        devices: dict[str, Device] = {
            "DMA_READ": self.dma_read,
            "DMA_WRITE": self.dma_write,
            "MAC_TRANSMIT": self.mac_transmit,
            "MAC_RECEIVE": self.mac_receive,
            "HOST_INTERRUPT": self.host_interrupt,
            "EVENTS": self.events,
            "UART": self.uart,
            "TALLY": self.tally,
            "INTERRUPTS": self.interrupts,
            "RESET": self.resets,
        }
        for block in BLOCKS:
            self.bus.target >> devices[block.name].registers
        self.dma_read.local >> self.bus.block
        self.dma_write.local >> self.bus.block
        self.mac_transmit.frame >> self.bus.block
        self.mac_receive.frame >> self.bus.block
        asking = {
            "events": self.events.pending,
            "uart": self.uart.pending,
            "mac_receive": self.mac_receive.pending,
            "reset": self.resets.pending,
        }
        for name in INTERRUPT_SOURCES:
            asking[name] >> self.interrupts.source
        self.to_processors = Bridge()
        for processor in self.processor:
            for _ in INTERRUPT_LINES:
                self.interrupts.output >> self.to_processors.initiator_request
                self.to_processors.target_request >> processor.model.interrupt

    def _make_pci(self) -> None:
        clock, overhead = self.pci_clock, self.pci_overhead
        hertz = self.host_clock.hertz
        self.pci = HostInterconnect(
            clock=clock,
            preset="custom",
            bandwidth=Rate(int(8 * PCI_BYTES * hertz)),
            is_duplex=False,
            read_latency=fs(int(overhead * 10**15 / hertz)),
            packet=self.pci_burst.bytes,
            packet_overhead=overhead * PCI_BYTES,
        )
        self.to_host = Bridge(stages=self.bridge_stages)
        for dma in (self.dma_read, self.dma_write):
            dma.host >> self.to_host.initiator
            self.to_host.target >> self.pci.device
        self.host_memory = self.pci.memory
        # Writes of the host into the SRAM; the event unit receives those to mailboxes.
        self.watch = WriteWatch(clock=clock, base=SRAM, size=B(self.contexts * CONTEXT_BYTES))
        self.watch.memory >> self.sram.initiator
        self.written = AsynchronousFifo(stages=self.bridge_stages)
        self.watch.written >> self.written.input
        self.written.output >> self.events.written
        self.interrupt_line = AsynchronousFifo(stages=self.bridge_stages)
        self.host_interrupt.raised >> self.interrupt_line.input
        # The same for the word that resets the firmware.
        self.reset_watch = WriteWatch(clock=clock, base=SRAM + RESET, size=B(4))
        self.reset_watch.memory >> self.watch.port
        self.reset_written = AsynchronousFifo(stages=self.bridge_stages)
        self.reset_watch.written >> self.reset_written.input
        self.reset_written.output >> self.resets.written
        self.programmed: Bundle = self.reset_watch.port
        # Bytes of each reference, for the bus; a PCI device before the card reports its own.
        self.programmed_bytes = self.watch.carried
        self.interrupt = self.interrupt_line.output

    def _make_link(self) -> None:
        self.transmit_link = Link(clock=self.mac_clock, bytes_per_cycle=1, lanes=1)
        self.receive_link = Link(clock=self.mac_clock, bytes_per_cycle=1, lanes=1)
        # Few frames, so that one that the MAC is done with is nearly on the wire.
        self.to_wire = Bridge(depth=2)
        self.mac_transmit.wire >> self.to_wire.initiator_request
        self.leaving = self.to_wire.target_request[0]
        self.leaving >> self.transmit_link.input
        self.receive_link.output >> self.to_wire.target_response
        self.to_wire.initiator_response >> self.mac_receive.wire
        self.link_up_crossing = AsynchronousFifo()
        self.mac_receive.link_up >> self.link_up_crossing.input
        self.sent = self.transmit_link.output
        self.received = self.receive_link.input
        self.link_up = self.link_up_crossing.output
