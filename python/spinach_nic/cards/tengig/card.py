"""The programmable 10 Gb/s NIC of the thesis, chapter 4, and of HPCA 2005, section 4.

To be read next to figure 4.3 of the thesis (figure 6 of the paper). There are four clock domains: `core` for
cores, scratch pads, crossbar and assists; `memory` for frame memory; `mac` for the link; `host` for the
interconnect to the host.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spinach_nic.cards.base.card import Agent, ByteCounter, Card, Memory, Passage, Probes
from spinach_nic.cards.base.faces import Faces, RingBus, Wire
from spinach_nic.cards.tengig.map import (
    BYTES_OF_REGISTERS,
    CONSTANTS,
    EVENT_COUNTERS,
    EVENT_MAILBOXES,
    EVENT_QUEUE,
    EVENT_SIGNALS,
    EVENT_SOURCES,
    EVENTS,
    FIRMWARE_DATA,
    FIRST_EVENT_MAILBOX,
    FRAME_BUFFERS,
    FRAME_MEMORY,
    HOST_RINGS,
    INSTRUCTIONS,
    RECEIVE_ALIGNMENT,
    REGISTER_BLOCKS,
    REGISTERS,
    SEND_MAILBOX,
    SETTINGS,
    SETTINGS_WORDS,
)
from spinach_nic.firmware import Executable, FirmwareMap, Segment
from spinach_nic.firmware.instruction_sets import DEFAULT_INSTRUCTION_SET, INSTRUCTION_SETS
from spinach_nic.library import (
    AddressMap,
    Arbiter,
    AsynchronousFifo,
    CacheController,
    Crossbar,
    DmaAssist,
    EventQueue,
    FunctionalCore,
    HostInterconnect,
    Interrupt,
    Link,
    MacReceiveAssist,
    MacTransmitAssist,
    MemoryController,
    MultiportedMemory,
    PipelinedCore,
    VliwCore,
    WordBridge,
)
from spinach_nic.model import Bundle, Clock, Component, Module, parameter
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import (
    B,
    Frequency,
    Gbps,
    GHz,
    GiB,
    KiB,
    MHz,
    MiB,
    Rate,
    Size,
    Time,
    ms,
    ns,
    us,
)

FRAMES_IN_FLIGHT = 256
CHECK_SEQUENCE_BYTES = 4
HOST_BUFFER_BYTES = 1536
"""Buffer bytes of the host, for a received frame, unless frames may be longer."""

CORES = ("functional", "pipelined", "composed", "vliw")


BRANCH_UNITS = 1
SLICE = KiB(512)
"""Memory for 16 bytes of each bundle, where 128 KiB hold the instructions."""


CLOCKS = (MHz(1), GHz(100))
"""The slowest and the fastest clock; the counters of the firmware hold the longest time in its cycles."""


class Crossing(Component):
    """Takes requests from one clock domain to another, and the answers back."""

    def build(self) -> None:
        """Put a FIFO into each direction."""
        self.request = AsynchronousFifo()
        self.response = AsynchronousFifo()
        self.initiator = Bundle(
            "initiator", {"request": self.request.input, "response": self.response.output}
        )
        self.target = Bundle("target", {"request": self.request.output, "response": self.response.input})


class Processor(Component):
    """A core with its instruction cache."""

    core: str = parameter(default="pipelined", doc="Timing model of the core.", choices=CORES)
    instruction_set: str = parameter(
        default=DEFAULT_INSTRUCTION_SET, doc="Instruction set of the core.", choices=tuple(INSTRUCTION_SETS)
    )
    identity: int = parameter(default=0, doc="Number of the core.")
    store_buffer: int = parameter(default=1, doc="Number of refused stores that may wait.")
    quantum: int = parameter(default=256, doc="Cycles that a functional core runs ahead of others.")
    integer_units: int = parameter(default=1, doc="Number of integer units of a VLIW core.")
    load_store_units: int = parameter(default=1, doc="Number of load/store units of a VLIW core.")
    cache_size: Size = parameter(default=KiB(8), doc="Size of the instruction cache.")
    event_queue: bool = parameter(default=False, doc="If true, the core has a port to an event queue.")
    profile_start: int = parameter(default=0, doc="First address of the profiled range of instructions.")
    profile_size: Size = parameter(default=B(0), doc="Size of the profiled range of instructions, in bytes.")

    def build(self) -> None:
        """Put the cache between the core and the instruction memory."""
        common: dict[str, Any] = {
            "identity": self.identity,
            "entry": INSTRUCTIONS,
            "profile_start": self.profile_start,
            "profile_bytes": self.profile_size,
        }
        self.model: ComposedCore | FunctionalCore | PipelinedCore | VliwCore
        match self.core:
            case "functional":
                self.model = FunctionalCore(
                    instruction_set=self.instruction_set, quantum=self.quantum, **common
                )
            case "pipelined":
                self.model = PipelinedCore(
                    instruction_set=self.instruction_set, store_buffer=self.store_buffer, **common
                )
            case "composed":
                from spinach_nic.processors import ComposedCore

                self.model = ComposedCore(
                    instruction_set=self.instruction_set, store_buffer=self.store_buffer, **common
                )
            case _:
                self.model = VliwCore(
                    instruction_set=self.instruction_set,
                    store_buffer=self.store_buffer,
                    integer_units=self.integer_units,
                    load_store_units=self.load_store_units,
                    code_base=INSTRUCTIONS,
                    slice_distance=SLICE,
                    **common,
                )
        if isinstance(self.model, VliwCore):
            self._make_wide_cache(self.model)
            return
        self.cache = CacheController(size=self.cache_size, associativity=2, line_size=B(32), fill_bytes=16)
        self.model.fetch >> self.cache.port
        self.instructions = [self.cache.memory]
        self.data = [self._in_order_of_nic(self.model.data)]
        if self.event_queue:
            self._make_port_of_events()

    def _make_port_of_events(self) -> None:
        """Lead the references to the registers of the event queue to a separate port."""
        end = EVENT_QUEUE + BYTES_OF_REGISTERS
        self.map = AddressMap(
            bases=(0, EVENT_QUEUE, end),
            sizes=(EVENT_QUEUE, BYTES_OF_REGISTERS, GiB(4).bytes - end),
            targets=(0, 1, 0),
            subtract_base=False,
        )
        self.data[0] >> self.map.initiator
        self.data = [self.map.target[0]]
        self.events = self.map.target[1]

    def _in_order_of_nic(self, port: Bundle) -> Bundle:
        """Words that cores and NIC exchange have their most significant byte first, on all cores."""
        if INSTRUCTION_SETS[self.instruction_set].byte_order == "big":
            return port
        self.bridge = WordBridge()
        port >> self.bridge.initiator
        return self.bridge.target

    def _make_wide_cache(self, model: VliwCore) -> None:
        """A cache for each slice of a bundle: together they hold as many bundles as one does instructions."""
        slices = slices_of_bundle(self.integer_units, self.load_store_units)
        self.slice = [
            CacheController(size=self.cache_size * 4, associativity=2, line_size=B(128), fill_bytes=16)
            for _ in range(slices)
        ]
        for lane, cache in enumerate(self.slice):
            model.fetch[lane] >> cache.port
        self.instructions = [cache.memory for cache in self.slice]
        self.data = [model.data[lane] for lane in range(self.load_store_units)]

    @property
    def accounts(self) -> Module:
        """The module that keeps the core's registers, counters and profile."""
        return self.model if isinstance(self.model, Module) else self.model.system


def slices_of_bundle(integer_units: int, load_store_units: int) -> int:
    """Return the number of 16-byte slices of a VLIW core's bundle, including the header."""
    words = 1 + integer_units + load_store_units + BRANCH_UNITS
    return max(4, 1 << (words - 1).bit_length()) // 4


class ScratchPad(Component):
    """On-chip memory for control data: banks, word by word, behind a crossbar with two more targets."""

    size: Size = parameter(default=KiB(256), doc="Total size of the banks.")
    banks: int = parameter(default=4, doc="Number of banks.", range=(1, 16))
    contents: bytes = parameter(default=b"", doc="Initial contents, from address 0.")
    frame_memory_size: Size = parameter(default=MiB(8), doc="Size of the memory behind `external`.")

    def build(self) -> None:
        """Spread the words over the banks."""
        self.crossbar = Crossbar(
            bases=(0, FRAME_MEMORY, REGISTERS),
            sizes=(self.size.bytes, self.frame_memory_size.bytes, 0x1000),
            interleave=(self.banks, 1, 1),
            addressing="banked",
        )
        self.bank = [
            MultiportedMemory(
                size=B(self.size.bytes // self.banks), contents=words_of_bank(self.contents, bank, self.banks)
            )
            for bank in range(self.banks)
        ]
        for bank in self.bank:
            self.crossbar.target >> bank.port
        self.initiator = self.crossbar.initiator
        self.external = self.crossbar.target[self.banks]
        self.registers = self.crossbar.target[self.banks + 1]


def words_of_bank(contents: bytes, bank: int, banks: int) -> bytes:
    """Return the 32-bit words of `contents` that lie in one of several banks."""
    whole = contents + bytes(-len(contents) % 4)
    return b"".join(whole[at : at + 4] for at in range(4 * bank, len(whole), 4 * banks))


class FrameMemory(Component):
    """An external DDR SDRAM for frames, with its controller."""

    size: Size = parameter(default=MiB(8), doc="Size of the memory.")

    def build(self) -> None:
        """Reach the contents through the controller: whole frames for the assists, words for the cores."""
        self.controller = MemoryController()
        self.contents = MultiportedMemory(size=self.size, base=FRAME_MEMORY)
        self.controller.memory >> self.contents.port
        self.controller.memory_block >> self.contents.block
        self.blocks = self.controller.block
        self.words = self.controller.port


class Tengig(Card):
    """The programmable 10 Gb/s NIC; by default the best configuration of HPCA 2005."""

    summary = "Programmable 10 Gb/s NIC: parallel cores, partitioned memory (thesis chapter 4, HPCA 2005)"
    firmware_folder = "tengig"
    default_firmware = "rmw"
    tag_bytes = 4
    image_parameters = ("event_queue",)

    largest_frame: int = parameter(
        default=1514,
        range=(60, 9216),
        unit="bytes",
        doc="Longest frame that passes, without check sequence.",
    )
    cores: int = parameter(default=6, range=(1, 16), unit="cores", doc="Number of processors.")
    instruction_set: str = parameter(
        default=DEFAULT_INSTRUCTION_SET,
        doc="Instruction set of the cores; functional and pipelined cores also execute others "
        "than the default.",
        choices=tuple(INSTRUCTION_SETS),
    )
    core: str = parameter(
        default="pipelined",
        doc="Model of the cores: functional (no pipeline; a run at line rate takes 0.6 of the host "
        "instructions), pipelined, composed, or VLIW, for whose bundles the firmware is scheduled.",
        choices=CORES,
    )
    quantum: int = parameter(
        default=256,
        range=(0, 65536),
        unit="cycles",
        doc="Cycles that functional cores may run ahead of each other: more is faster; 0 for in step.",
    )
    integer_units: int = parameter(
        default=3, range=(1, 6), unit="units", doc="Number of integer units of a VLIW core."
    )
    load_store_units: int = parameter(
        default=3, range=(1, 6), unit="units", doc="Number of load/store units of a VLIW core."
    )
    core_clock: Frequency = parameter(
        default=MHz(166), range=CLOCKS, doc="Clock of cores, scratch pads and assists."
    )
    store_buffer: int = parameter(
        default=1,
        range=(0, 64),
        unit="stores",
        doc="Number of refused stores that a core may leave behind: 0 thesis, 1 HPCA 2005.",
    )
    cache_size: Size = parameter(
        default=KiB(8),
        range=(B(64), MiB(1)),
        power_of_two=True,
        doc="Size of the instruction cache of a core, a power of two.",
    )
    banks: int = parameter(default=4, range=(1, 16), unit="banks", doc="Number of scratch pad banks.")
    memory_clock: Frequency = parameter(
        default=MHz(500), range=CLOCKS, doc="Clock of frame memory and its bus."
    )
    frame_memory_size: Size = parameter(
        default=MiB(8), range=(FRAME_BUFFERS, GiB(1)), doc="Size of frame memory."
    )
    host_clock: Frequency = parameter(
        default=MHz(250), range=CLOCKS, doc="Clock of the interconnect to the host."
    )
    interconnect: str = parameter(
        default="unlimited",
        doc="Interconnect to the host.",
        choices=("unlimited", "pci_32_33", "pci_64_66", "pcix_133", "pcie_x4", "pcie_x8"),
    )
    send_coalescing: int = parameter(
        default=32, range=(1, 65536), unit="frames", doc="Frames sent between two interrupts."
    )
    receive_coalescing: int = parameter(
        default=32, range=(1, 65536), unit="frames", doc="Frames received between two interrupts."
    )
    coalescing_time: Time = parameter(
        default=us(20),
        range=(ns(1), ms(10)),
        doc="Longest time until the host is interrupted for a pending event.",
    )
    event_queue: bool = parameter(
        default=False,
        doc="Event queue in hardware that gives work to waiting cores, in place of the dispatch loop of the "
        "firmware: the future work of the thesis.",
    )
    first_index: int = parameter(
        default=0,
        range=(0, 2**32 - 1),
        doc="First value of all indices, such as shortly before 2^32 to test their wrap-around.",
    )

    def build(self) -> None:
        """Assemble the chip."""
        if self.instruction_set != DEFAULT_INSTRUCTION_SET and self.core in ("composed", "vliw"):
            raise SpinachError(
                f"a {self.core} core executes {DEFAULT_INSTRUCTION_SET}, not {self.instruction_set}",
                "set core to functional or pipelined, or leave out instruction_set",
            )
        if self.event_queue and self.core == "vliw":
            raise SpinachError("a vliw core has no port to an event queue", "set event_queue to false")
        self.clock = Clock("core", self.core_clock)
        self._make_processors()
        self._make_memories()
        if self.event_queue:
            self._make_event_queue()
        self._make_assists()
        self._make_bus()
        self._make_link()

    def _make_processors(self) -> None:
        start, length = self.code_range
        self.processor = [
            Processor(
                core=self.core,
                instruction_set=self.instruction_set,
                identity=number,
                store_buffer=self.store_buffer,
                quantum=self.quantum,
                integer_units=self.integer_units,
                load_store_units=self.load_store_units,
                cache_size=self.cache_size,
                event_queue=self.event_queue,
                profile_start=start,
                profile_size=B(length),
            )
            for number in range(self.cores)
        ]
        self.instruction_bus = Arbiter(policy="round_robin")
        size = KiB(128)
        if self.core == "vliw":
            size = SLICE * slices_of_bundle(self.integer_units, self.load_store_units)
        self.instruction_memory = MultiportedMemory(size=size, base=INSTRUCTIONS)
        for processor in self.processor:
            for port in processor.instructions:
                port >> self.instruction_bus.initiator
        self.instruction_bus.target >> self.instruction_memory.port

    def _make_memories(self) -> None:
        # At most 10^9 cycles, which fit into the word that the firmware reads.
        interval = self.coalescing_time.femtoseconds * self.core_clock.hertz // 10**15
        values = {
            "send_coalescing": 2 * self.send_coalescing,
            "receive_coalescing": self.receive_coalescing,
            "timer_interval": int(interval),
            "cores": self.cores,
        }
        settings = b"".join(values[name].to_bytes(4, "big") for name in SETTINGS_WORDS)
        self.scratch_pad = ScratchPad(
            banks=self.banks, frame_memory_size=self.frame_memory_size, contents=bytes(SETTINGS) + settings
        )
        for processor in self.processor:
            for port in processor.data:
                port >> self.scratch_pad.initiator
        self.frame_memory = FrameMemory(size=self.frame_memory_size, clock=Clock("memory", self.memory_clock))
        self.external = Crossing()
        self.scratch_pad.external >> self.external.initiator
        self.external.target >> self.frame_memory.words

    def _make_event_queue(self) -> None:
        """Give each core its port, and the host its two mailboxes among the sources."""
        self.events = EventQueue(
            elements=list(EVENT_COUNTERS.values()),
            signals=len(EVENT_SIGNALS),
            capacity=EVENTS,
            first_index=self.first_index,
        )
        for processor in self.processor:
            processor.events >> self.events.core
        end = FIRST_EVENT_MAILBOX + 4 * len(EVENT_MAILBOXES)
        self.host_map = AddressMap(
            bases=(0, FIRST_EVENT_MAILBOX, end),
            sizes=(FIRST_EVENT_MAILBOX, end - FIRST_EVENT_MAILBOX, self.scratch_pad.size.bytes - end),
            targets=(0, 1, 0),
            subtract_base=False,
        )
        self.host_map.target[0] >> self.scratch_pad.initiator
        self.host_map.target[1] >> self.events.registers

    def _make_assists(self) -> None:
        first = self.first_index
        self.dma_read = DmaAssist(
            direction="read", frame_memory_base=FRAME_MEMORY, source=100, first_index=first
        )
        self.dma_write = DmaAssist(
            direction="write", frame_memory_base=FRAME_MEMORY, source=101, first_index=first
        )
        two_frames = B(2 * (self.largest_frame + CHECK_SEQUENCE_BYTES))
        self.mac_transmit = MacTransmitAssist(source=102, fifo=two_frames, first_index=first)
        self.mac_receive = MacReceiveAssist(
            source=103,
            largest_frame=self.largest_frame,
            tag_bytes=self.tag_bytes,
            fifo=two_frames,
            alignment=RECEIVE_ALIGNMENT,
            first_index=first,
        )
        self.interrupt = Interrupt()
        assists: list[DmaAssist | MacTransmitAssist | MacReceiveAssist] = [
            self.dma_read,
            self.dma_write,
            self.mac_transmit,
            self.mac_receive,
        ]
        blocks = [REGISTERS + BYTES_OF_REGISTERS * block for block in range(len(REGISTER_BLOCKS))]
        if self.event_queue:
            blocks.append(EVENT_SOURCES)
        self.register_bus = AddressMap(bases=blocks, sizes=[BYTES_OF_REGISTERS] * len(blocks))
        self.scratch_pad.registers >> self.register_bus.initiator
        for assist in assists:
            self.register_bus.target >> assist.registers
        self.register_bus.target >> self.interrupt.registers
        if self.event_queue:
            self.register_bus.target >> self.events.registers
        self.frame_bus = Arbiter(policy="round_robin")
        self.frame_crossing = Crossing()
        for assist in assists:
            assist.control >> self.scratch_pad.initiator
            assist.frame >> self.frame_bus.initiator
        self.frame_bus.target >> self.frame_crossing.initiator
        self.frame_crossing.target >> self.frame_memory.blocks

    def _make_bus(self) -> None:
        self.host_domain = Clock("host", self.host_clock)
        self.interconnect_to_host = HostInterconnect(clock=self.host_domain, preset=self.interconnect)
        self.dma_crossing = [Crossing(), Crossing()]
        for assist, crossing in zip([self.dma_read, self.dma_write], self.dma_crossing, strict=True):
            assist.host >> crossing.initiator
            crossing.target >> self.interconnect_to_host.device
        self.doorbell = Crossing()
        self.doorbell.target >> (self.host_map.initiator if self.event_queue else self.scratch_pad.initiator)
        self.interrupt_line = AsynchronousFifo()
        self.interrupt.raised >> self.interrupt_line.input

    def _make_link(self) -> None:
        self.mac_domain = Clock("mac", MHz(156.25))
        self.transmit_link = Link(clock=self.mac_domain)
        self.receive_link = Link(clock=self.mac_domain)
        self.transmit_crossing = AsynchronousFifo()
        self.receive_crossing = AsynchronousFifo()
        self.mac_transmit.wire >> self.transmit_crossing.input
        self.transmit_crossing.output >> self.transmit_link.input
        self.receive_link.output >> self.receive_crossing.input
        self.receive_crossing.output >> self.mac_receive.wire
        self.link_up = AsynchronousFifo()
        self.mac_receive.link_up >> self.link_up.input

    def faces(self) -> Faces:
        """Return the bus to the host, with its rings, and the wire."""
        mailbox = FIRST_EVENT_MAILBOX if self.event_queue else SEND_MAILBOX
        bus = RingBus(
            clock=self.host_domain,
            access=self.doorbell.initiator,
            memory=self.interconnect_to_host.memory,
            interrupt=self.interrupt_line.output,
            configuration=HOST_RINGS,
            send_mailbox=mailbox,
            receive_mailbox=mailbox + 4,
            receive_buffer=B(max(HOST_BUFFER_BYTES, self.largest_frame + CHECK_SEQUENCE_BYTES)),
            first_index=self.first_index,
            memory_window=range(self.scratch_pad.size.bytes),
        )
        wire = Wire(
            clock=self.mac_domain,
            rate=Gbps(10),
            sent=self.transmit_link.output,
            received=self.receive_link.input,
            link_up=self.link_up.output,
            leaving=self.transmit_crossing.output,
        )
        return Faces(bus, [wire])

    @property
    def usual_firmware(self) -> str:
        """Image that works with the parameters of the card."""
        return "event-queue" if self.event_queue else self.default_firmware

    def firmware_map(self) -> FirmwareMap:
        """Return the addresses of registers, buffers and rings."""
        return FirmwareMap(CONSTANTS)

    def segments(self, image: Executable) -> Sequence[Segment]:
        """Return the segments of an image; for VLIW cores, its code is scheduled for their units."""
        if self.core != "vliw":
            return image.segments
        from spinach_nic.firmware.vliw import VliwMachine, vliw_code

        machine = VliwMachine.of(self.integer_units, self.load_store_units, BRANCH_UNITS)
        code = vliw_code(image.path, machine, extensions=["atomic_bit_array"])
        places = (code.base + lane * SLICE.bytes for lane in range(len(code.slices)))
        scheduled = [
            Segment(at, held, len(held), executable=True, writable=False, load_address=at)
            for at, held in zip(places, code.slices, strict=True)
        ]
        return [*scheduled, *(segment for segment in image.segments if not segment.executable)]

    def probes(self) -> Probes:
        """Return the points at which the card is loaded and measured."""
        core_hertz, memory_hertz = self.core_clock.hertz, self.memory_clock.hertz
        return Probes(
            tx=Passage(depth=FRAMES_IN_FLIGHT),
            rx=Passage(depth=FRAMES_IN_FLIGHT, drops=(self.mac_receive,)),
            cores=tuple(processor.accounts for processor in self.processor),
            agents={
                "dma_read": Agent(self.dma_read, "dma"),
                "dma_write": Agent(self.dma_write, "dma"),
                "mac_transmit": Agent(self.mac_transmit, "mac"),
                "mac_receive": Agent(self.mac_receive, "mac"),
            },
            metadata=(range(FIRMWARE_DATA),),
            memories=(
                Memory(
                    "instruction_memory",
                    banks=(self.instruction_memory,),
                    peak=Rate(int(8 * 16 * core_hertz)),
                    moved=(ByteCounter(self.instruction_memory, "read_bytes"),),
                    base=INSTRUCTIONS,
                ),
                Memory(
                    "scratch_pad",
                    banks=tuple(self.scratch_pad.bank),
                    peak=Rate(int(8 * 4 * self.banks * core_hertz)),
                    moved=tuple(
                        ByteCounter(bank, counter, 4)
                        for bank in self.scratch_pad.bank
                        for counter in ("reads", "writes", "atomics")
                    ),
                    base=0,
                ),
                Memory(
                    "assist_registers",
                    banks=(),
                    peak=Rate(int(8 * 4 * core_hertz)),
                    moved=(ByteCounter(self.register_bus, "references", 4),),
                ),
                Memory(
                    "frame_memory",
                    banks=(self.frame_memory.contents,),
                    peak=Rate(int(8 * 16 * memory_hertz)),
                    moved=(ByteCounter(self.frame_memory.controller, "consumed_bytes"),),
                    useful=(ByteCounter(self.frame_memory.controller, "useful_bytes"),),
                    base=FRAME_MEMORY,
                ),
            ),
        )
