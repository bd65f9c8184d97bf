"""Small NICs for the tests of the run layer: links without a card, and with a core next to them."""

from dataclasses import replace

from spinach_nic import Clock, Gbps, KiB, MHz, Size, parameter
from spinach_nic.benches import Bench, BenchProbes, FramePath
from spinach_nic.cards import ByteCounter, Card, Faces, Memory, Passage, Probes
from spinach_nic.firmware.instruction_sets import DEFAULT_INSTRUCTION_SET, INSTRUCTION_SETS
from spinach_nic.library import (
    Demux,
    Link,
    MultiportedMemory,
    PacketSink,
    PipelinedCore,
    Sender,
    TrafficSource,
    WireFaults,
)
from spinach_nic.model import Output

MINE = "from tests.python.runs.systems import Wires as Base\nclass Mine(Base):\n    summary = 'mine'\n"
"""File of a user with `Wires`."""
NONE = 2**32
"""The number of a frame that no test sends."""


class Wires(Bench):
    """A link of 10 Gb/s in each direction, and nothing between: every frame arrives."""

    summary = "Two links"

    core_clock = parameter(default=MHz(156.25), doc="The frequency of the links.")
    damaged: int = parameter(default=NONE, doc="The number of the sent frame that is damaged.")
    loses: bool = parameter(default=False, doc="True if sent frames go to another network.")

    def build(self) -> None:
        """Connect the host's feeder to the network's sink, and the other way."""
        self.clock = Clock("core", self.core_clock)
        self.host = TrafficSource(**self.tx.source())
        self.sink = PacketSink(**self.tx.expected())
        self.network = TrafficSource(**self.rx.source())
        self.end = PacketSink(**self.rx.expected())
        self.out, self.back = Link(), Link()
        self._join(self.host, self.out, self._elsewhere() if self.loses else self.sink)
        self._join(self.network, self.back, self.end)

    def _join(self, source: TrafficSource, link: Link, sink: PacketSink) -> None:
        source.wire >> link.input
        self._arriving(source, link) >> sink.wire
        source.departures >> sink.departures

    def _arriving(self, source: TrafficSource, link: Link) -> Output:
        if source is self.network:
            return self.wire_from(link.output, self.rx, self.clock)
        if source is not self.host or self.damaged == NONE:
            return link.output
        self.fault = WireFaults(damaged=[self.damaged])
        link.output >> self.fault.input
        return self.fault.output

    def _elsewhere(self) -> PacketSink:
        self.silent, self.silence, self.other = TrafficSource(), Link(), PacketSink(**self.tx.expected())
        self._join(self.silent, self.silence, self.sink)
        return self.other

    def probes(self) -> BenchProbes:
        """Both directions are alike."""
        return BenchProbes(
            link_rate=Gbps(10),
            tx=FramePath(source=self.host, sink=self.sink, depth=8, capture=self.host.wire),
            rx=FramePath(
                source=self.network,
                sink=self.end,
                depth=8,
                drops=self.wire_drops,
                capture=self.network.wire,
            ),
        )


class LosesOne(Wires):
    """One of the sent frames goes to another network, which is counted nowhere."""

    summary = "Two links that lose a frame"
    lost: int = parameter(default=10, doc="The number of the frame.")

    def build(self) -> None:
        """Put a switch between the link and the sink."""
        self.switch = Demux()
        super().build()
        self.positions = Sender(values=[0] * self.lost + [1] + [0] * 1000)
        self.other = PacketSink(**self.tx.expected())
        self.positions.output >> self.switch.select
        self.switch.output >> self.sink.wire
        self.switch.output >> self.other.wire

    def _join(self, source: TrafficSource, link: Link, sink: PacketSink) -> None:
        if sink is not self.sink:
            super()._join(source, link, sink)
            return
        source.wire >> link.input
        self._arriving(source, link) >> self.switch.input
        source.departures >> sink.departures


class OneCore(Card):
    """A core that runs a program out of a separate memory."""

    summary = "A core"
    firmware_folder = "faults"
    default_firmware = "misaligned_load"
    driver_model = None

    instruction_set: str = parameter(
        default=DEFAULT_INSTRUCTION_SET, doc="Program of the core.", choices=tuple(INSTRUCTION_SETS)
    )
    memory_size: Size = parameter(default=KiB(1024), doc="Size of the core's memory.")

    def build(self) -> None:
        """Make the core and its memory."""
        assert self.image is not None
        start, length = self.code_range
        self.memory = MultiportedMemory(size=self.memory_size)
        self.core = [
            PipelinedCore(
                instruction_set=self.instruction_set,
                entry=self.image.entry,
                profile_start=start,
                profile_bytes=Size(length),
            ),
        ]
        self.core[0].fetch >> self.memory.port
        self.core[0].data >> self.memory.port

    def faces(self) -> Faces:
        """There are none."""
        return Faces(None, [])

    def probes(self) -> Probes:
        """The core and its memory."""
        memory = Memory(
            name="memory",
            banks=[self.memory],
            peak=Gbps(10),
            moved=[ByteCounter(self.memory, name, 4) for name in ("reads", "writes")],
            base=0,
        )
        return Probes(Passage(1), Passage(1), cores=self.core, memories=[memory])


class WiresAndCore(Wires):
    """The same, and a core."""

    card_class = OneCore

    def probes(self) -> BenchProbes:
        """Add the core and its memory."""
        wires, core = super().probes(), self.inserted().probes()
        return replace(wires, cores=core.cores, memories=core.memories)
