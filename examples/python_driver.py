"""A driver as a generator, for a NIC of one's own: a card without a core, all of whose work the driver does.

The driver yields what the host does next and is sent the results. It puts descriptors for both DMA engines
and both sides of the MAC into the card's memory, tells the engines, and asks how far they are. Run it with
`python examples/python_driver.py` or `spinach run` and that file.

Prints:
    tx: 241 frames, 100% of line rate
    rx: 226 frames, 100% of line rate
    dropped: {'tx': {}, 'rx': {}}
"""

from collections.abc import Generator, Sequence
from typing import Any

from spinach_nic import Clock, Gbps, KiB, MHz, MiB, run, us
from spinach_nic.cards import Card, ChipBus, Faces, Passage, Probes, ProgramDriver, Wire
from spinach_nic.cards.drivers import Host, Operation, Program, read, send, take, wait, write
from spinach_nic.library import (
    Crossbar,
    DmaAssist,
    HostInterconnect,
    Link,
    MacReceiveAssist,
    MacTransmitAssist,
    MultiportedMemory,
    WordBridge,
)

# Address map of the host: the memory of descriptors from 0 on, then the registers of four engines.
READ, WRITE, TRANSMIT, RECEIVE = (0x1_0000 + 0x100 * number for number in range(4))
BASE, ENTRIES, PRODUCER, CONSUMER, CONTROL = 0x00, 0x04, 0x08, 0x0C, 0x14
BUFFER_BASE, BUFFER_SIZE, BUFFER_CONSUMER = 0x20, 0x24, 0x2C
RINGS = {READ: 0x1000, WRITE: 0x2000, TRANSMIT: 0x3000, RECEIVE: 0x4000}
SLOTS = 16
"""Entries of each ring, and frames on their way in each direction."""
SLOT_BYTES = 0x800
FRAMES_TO_SEND, FRAMES_RECEIVED = 0x4000_0000, 0x4010_0000

Steps = Generator[Operation | Sequence[Operation], Any, Any]


class CardDriver:
    """State of the driver of a card."""

    def __init__(self, host: Host) -> None:
        """With a buffer in host memory for each frame on its way."""
        self.to_send = [host.allocate(SLOT_BYTES) for _ in range(SLOTS)]
        self.received = [host.allocate(SLOT_BYTES) for _ in range(SLOTS)]
        host.allow_writes((buffer, SLOT_BYTES) for buffer in self.received)
        self.asked = {READ: 0, WRITE: 0, TRANSMIT: 0}
        self.taken = 0

    def start(self) -> list[Operation]:
        """Tell each engine where its ring lies, and let it go."""
        buffers = {BUFFER_BASE: FRAMES_RECEIVED, BUFFER_CONSUMER: FRAMES_RECEIVED, BUFFER_SIZE: MiB(1).bytes}
        operations = [write(RECEIVE + register, value) for register, value in buffers.items()]
        for engine, ring in RINGS.items():
            for register, value in ((BASE, ring), (ENTRIES, SLOTS), (CONTROL, 1)):
                operations.append(write(engine + register, value))
        return operations

    def ask(self, engine: int, *words: int) -> list[Operation]:
        """Put a descriptor into the ring of an engine, and tell it."""
        place = RINGS[engine] + 4 * len(words) * (self.asked[engine] % SLOTS)
        self.asked[engine] += 1
        filled = [write(place + 4 * number, word) for number, word in enumerate(words)]
        return [*filled, write(engine + PRODUCER, self.asked[engine])]

    def finish(self, engine: int) -> Steps:
        """Wait until an engine has done all that it was asked for."""
        while (yield read(engine + CONSUMER)) != self.asked[engine]:
            pass

    def send(self) -> Steps:
        """Hand over the frames that are due, as many as there is room for; says how many."""
        first, free = self.asked[TRANSMIT], SLOTS - self.asked[TRANSMIT] + (yield read(TRANSMIT + CONSUMER))
        slots = [number % SLOTS for number in range(first, first + free)]
        lengths = yield [send(self.to_send[slot], self.to_send[slot], 0) for slot in slots]
        frames = [(slot, length) for slot, length in zip(slots, lengths, strict=True) if length]
        for slot, length in frames:
            local = FRAMES_TO_SEND + SLOT_BYTES * slot
            yield self.ask(READ, self.to_send[slot] >> 32, self.to_send[slot] & 0xFFFF_FFFF, local, length)
        yield from self.finish(READ)
        for slot, length in frames:
            yield self.ask(TRANSMIT, FRAMES_TO_SEND + SLOT_BYTES * slot, length)
        return len(frames)

    def receive(self) -> Steps:
        """Take the frames that have come; says how many."""
        first, count = self.taken, (yield read(RECEIVE + PRODUCER)) - self.taken
        frames = []
        for slot in (number % SLOTS for number in range(first, first + count)):
            place = RINGS[RECEIVE] + 8 * slot
            local, status_length = yield [read(place), read(place + 4)]
            frames.append((self.received[slot], local, status_length & 0xFFFF))
        for buffer, local, length in frames:
            yield self.ask(WRITE, buffer >> 32, buffer & 0xFFFF_FFFF, local, length)
        yield from self.finish(WRITE)
        yield [take(buffer, length) for buffer, _, length in frames]
        self.taken += count
        if frames:
            _, local, length = frames[-1]
            end = (local + length + 15) // 16 * 16
            yield [write(RECEIVE + BUFFER_CONSUMER, end), write(RECEIVE + CONSUMER, self.taken)]
        return count


def drive(host: Host) -> Program:
    """Start the card, then send and receive for good."""
    card = CardDriver(host)
    yield card.start()
    while True:
        sent = yield from card.send()
        received = yield from card.receive()
        if not sent and not received:
            yield wait(until=host.now + us(1), for_frame=True)


class Drive(ProgramDriver):
    """Driver that does all the work."""

    def program(self, host: Host) -> Program:
        """Start the card, then send and receive forever."""
        return drive(host)


class PythonDriven(Card):
    """Two DMA engines and a MAC, without a core."""

    summary = "1 Gb/s NIC without a core, worked by its driver"
    driver_model = Drive

    def build(self) -> None:
        """Make the engines and memories."""
        self.domain = self.clock = Clock("core", MHz(125))  # a byte a cycle on the link
        self.descriptors = MultiportedMemory(size=KiB(32))
        self.frames = MultiportedMemory(base=FRAMES_TO_SEND, size=MiB(2))
        self.read = DmaAssist(direction="read", frame_memory_base=FRAMES_TO_SEND)
        self.write = DmaAssist(direction="write", frame_memory_base=FRAMES_TO_SEND)
        self.transmit, self.receive = MacTransmitAssist(), MacReceiveAssist()
        engines = (self.read, self.write, self.transmit, self.receive)

        # The engines order the bytes of a word as the network does, the host the other way round.
        self.bridge = WordBridge()
        self.crossbar = Crossbar(bases=[0, *RINGS], sizes=[KiB(32).bytes, *[0x100] * len(RINGS)])
        self.bridge.target >> self.crossbar.initiator
        self.crossbar.target >> self.descriptors.port
        for engine in engines:
            self.crossbar.target >> engine.registers
            engine.control >> self.crossbar.initiator
            engine.frame >> self.frames.block
        self.bus = HostInterconnect()
        self.read.host >> self.bus.device
        self.write.host >> self.bus.device

        self.wire_out, self.wire_in = (Link(bytes_per_cycle=1, lanes=1) for _ in range(2))
        self.transmit.wire >> self.wire_out.input
        self.wire_in.output >> self.receive.wire

    def faces(self) -> Faces:
        """Return the bus and the wire."""
        bus = ChipBus(clock=self.domain, access=self.bridge.initiator, memory=self.bus.memory)
        wire = Wire(
            clock=self.domain,
            rate=Gbps(1),
            sent=self.wire_out.output,
            received=self.wire_in.input,
            link_up=self.receive.link_up,
        )
        return Faces(bus, [wire])

    def probes(self) -> Probes:
        """Return the points at which frames are counted."""
        return Probes(tx=Passage(depth=SLOTS), rx=Passage(depth=SLOTS, drops=[self.receive]))


if __name__ == "__main__":
    result = run(PythonDriven, traffic="udp:1472", frames=200)
    for name, way in (("tx", result.tx), ("rx", result.rx)):
        print(f"{name}: {way.frames} frames, {way.line_rate_fraction:.0%} of line rate")
    print(f"dropped: {result.frames.dropped}")
