"""What a NIC tells those who run it: how to load it, feed it, and read what it did.

A NIC is a component. Beside its parts it has a few class attributes, its firmware and its traffic as
parameters, and one method, `probes`, that says where its frames, cores and memories are counted:

    class Example(Nic):
        summary = "One core between a host and a link"
        firmware_folder = "example"
        default_firmware = "plain"

        cores: int = parameter(default=1, doc="How many processors there are.")

        def build(self) -> None:
            entry = 0 if self.image is None else self.image.entry
            self.host = NicFeeder(**self.tx.source("send_"), **self.rx.expected("receive_"), ...)
            self.network = PacketFeeder(**self.rx.source())
            self.sink = PacketSink(**self.tx.expected())
            ...

        def probes(self) -> Probes:
            return Probes(
                link_rate=Gbps(10),
                tx=FramePath(source=self.host, sink=self.sink, depth=256),
                rx=FramePath(source=self.network, sink=self.host, depth=512, drops=(self.mac_receive,)),
                cores=tuple(self.core),
                memories=(Memory("scratch_pad", ...),),
            )
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from spinach_nic.composition import Clock, Component, Module, Output, Port, parameter
from spinach_nic.errors import SpinachError
from spinach_nic.firmware import (
    Executable,
    FirmwareMap,
    ImageDescription,
    Segment,
    read_descriptions,
    shipped_root,
)
from spinach_nic.hosts import Driver
from spinach_nic.instruction_sets import DEFAULT_INSTRUCTION_SET, INSTRUCTION_SETS
from spinach_nic.nics.layout import DEFAULT_INTERLEAVE, layout_of
from spinach_nic.traffic import NO_FRAMES, FramePlan
from spinach_nic.units import Frequency, Rate, Time

if TYPE_CHECKING:  # the generator of the library runs while a class of it is missing
    from spinach_nic.library import (
        DataCache,
        MultiportedMemory,
        NicFeeder,
        PacketFeeder,
        PacketSink,
        ScriptedHost,
    )


@dataclass(frozen=True)
class FramePath:
    """Where the frames of one direction come from, end, and may be dropped."""

    source: Module
    """Has the counter `offered`: frames that it has sent."""
    sink: Module
    """Has the counters `delivered`, `bytes`, `payload_bytes`, `corrupted`, `reordered`, `duplicated` and
    `skipped`, and in its state a `checker` with a `latency`."""
    depth: int
    """How many frames may be under way: after as many were delivered, the direction runs at full depth."""
    drops: Sequence[Module] = ()
    """The modules that drop frames. Each has a counter `dropped_REASON` for each reason. What a `WireFaults`
    among them doubles and reorders is expected to arrive so."""
    discards: Mapping[str, tuple[Module, str]] = field(default_factory=dict)
    """What firmware drops: by reason, the module that counts the frames with which it does that."""
    capture: Port | None = None
    """Through here pass the frames that a capture records: those about to be on the wire, or taken by the
    host. The module behind the port must keep the frame for at least one cycle."""


@dataclass(frozen=True)
class ByteCounter:
    """A counter that counts bytes, or things of `bytes_each` bytes."""

    module: Module
    counter: str
    bytes_each: int = 1


@dataclass(frozen=True)
class Counter:
    """A counter of the card's own, shown in its results, reports, comparisons and sweeps."""

    module: Module
    counter: str
    """Name among the counters of the module."""
    unit: str
    """Unit of a count, in the plural: `frames`, `bytes`, `cycles`."""


@dataclass(frozen=True)
class Memory:
    """A memory of the NIC: one module, or several banks."""

    name: str
    """Its name in results, such as `scratch_pad`."""
    banks: Sequence[Module]
    """The modules that hold its contents."""
    peak: Rate
    """How much it moves when every cycle moves data."""
    moved: Sequence[ByteCounter]
    """What counts the bytes that it moved, together."""
    useful: Sequence[ByteCounter] = ()
    """What counts those that were asked for; `moved` if empty."""
    base: int | None = None
    """Its first address as the cores see it; firmware is loaded into memories that have one."""
    controller: Module | None = None
    """What counts `busy_cycles`, and `data_cycles` of them."""

    @classmethod
    def of(cls, memory: MultiportedMemory, clock: Frequency, width_bytes: int = 4) -> Memory:
        """A memory of one module, under the name of the module.

        Args:
            memory: The module.
            clock: Its clock.
            width_bytes: What it moves in a cycle.
        """
        moved = [ByteCounter(memory, counter) for counter in ("read_bytes", "written_bytes")]
        peak = Rate(int(8 * width_bytes * clock.hertz))
        return cls(memory.path, [memory], peak, moved, base=memory.base)


@dataclass(frozen=True)
class MappedMemory:
    """A memory as a debugger shows it, at the addresses of the cores."""

    name: str
    base: int | None
    """Its first address as cores see it; `None` if no core addresses it."""
    banks: Sequence[Module]
    """The modules that hold its contents."""
    interleave: int = DEFAULT_INTERLEAVE
    """Number of consecutive bytes in one bank."""
    reverses_words: bool = False
    """True if the bytes of each 32-bit word are stored in reverse order, as behind a `WordBridge`."""
    core: Module | None = None
    """The core that alone sees it there."""


@dataclass(frozen=True)
class Agent:
    """A module other than a core that refers to the memory of the cores, as an assist does."""

    module: Module
    kind: str
    """Agents of one kind share a cache where caches are studied."""


@dataclass(frozen=True)
class IncoherentCaches:
    """Data caches that take no notice of what others write, and who shares memory with them."""

    caches: Sequence[DataCache]
    """Those of the cores, one each."""
    requests: Sequence[Port]
    """The outputs at which the cores ask them."""
    devices: Mapping[str, Port]
    """The outputs at which devices ask for runs of bytes, by name."""
    aliases: Sequence[tuple[range, int]] = ()
    """Addresses past the caches, and the first address by which caches know the same memory."""


@dataclass(frozen=True)
class Probes:
    """Where a NIC is loaded and measured."""

    link_rate: Rate
    """Of the link in each direction."""
    tx: FramePath
    """From the host to the wire."""
    rx: FramePath
    """From the wire to the host."""
    cores: Sequence[Module] = ()
    """The processors, each with the counters and the `program` in its state of a core of the library."""
    agents: Mapping[str, Agent] = field(default_factory=dict)
    """The other modules that refer to the memory of the cores, as assists do, by the names that access traces
    call them."""
    metadata: Sequence[range] = ()
    """Where the data on frames lies that cores and agents share: rings, counters and locks, but neither
    frames nor stacks. Addresses as the cores see them."""
    caches: IncoherentCaches | None = None
    """What can be checked for coherence."""
    console: Module | None = None
    """The serial line at which a person may sit, a `Uart`."""
    counters: Mapping[str, Counter] = field(default_factory=dict)
    """Counters of the card's own, by the names that results give them."""
    memories: Sequence[Memory] = field(default=())
    """The memories whose traffic is reported, and those that firmware is loaded into."""


class Nic(Component):
    """A network interface card between a host and a network.

    `image`, `tx`, `rx` and `captured` are given by the run before it is built: `build` passes
    `image.entry` and the range to profile (`code_range`) to the cores, `tx.source(...)` and
    `rx.expected(...)` to the host, and `rx.source()` and `tx.expected()` to the network.
    """

    summary: ClassVar[str] = ""
    """What it is, in one line."""
    firmware_root: ClassVar[Path | None] = None
    """The folder that holds the firmware folders; that of the shipped firmware by default."""
    firmware_folder: ClassVar[str] = ""
    """The folder of its images; empty for a NIC that runs no firmware."""
    default_firmware: ClassVar[str] = ""
    """The image that runs unless another is asked for."""
    instruction_set: str = DEFAULT_INSTRUCTION_SET
    """Of its cores."""
    largest_frame: int = parameter(
        default=1514, range=(60, 65535), doc="Bytes of the longest frame that passes, without check sequence."
    )
    image: Executable | None = parameter(default=None, kind="object", doc="The firmware that the cores run.")
    tx: FramePlan = parameter(default=NO_FRAMES, kind="object", doc="The frames that the host sends.")
    rx: FramePlan = parameter(default=NO_FRAMES, kind="object", doc="The frames that the network sends.")
    captured: bool = parameter(default=False, kind="object", doc="Whether frames are captured on both sides.")

    def _repr_svg_(self) -> str:
        """The block diagram, for notebooks, of a copy: the NIC itself can still be changed."""
        # Diagrams stand on NICs.
        from spinach_nic.diagram import draw_nic

        return draw_nic(deepcopy(self))

    def probes(self) -> Probes:
        """Where it is loaded and measured."""
        raise SpinachError(
            f"{type(self).__name__} does not say where it is measured", "define its method probes()"
        )

    def address_space(self) -> Sequence[MappedMemory]:
        """Return the memories as firmware is loaded into them and a debugger shows them.

        Those of the probes by default. Interleaving and byte order follow from the connections.
        """
        is_little = INSTRUCTION_SETS[self.instruction_set].byte_order == "little"
        mapped = []
        for memory in self.probes().memories:
            if memory.banks:
                layout = layout_of(self, memory.name, memory.banks, is_little_endian=is_little)
                mapped.append(
                    MappedMemory(
                        memory.name, memory.base, memory.banks, layout.interleave, layout.reverses_words
                    )
                )
        return mapped

    def wire_from(self, source: Output, plan: FramePlan, clock: Clock | None) -> Output:
        """Where the frames of a source come out of the wire, which puts the faults of their plan into them.

        The wire is a module if there are any faults, else nothing. `wire_drops` is among what drops frames.
        """
        if not plan.faults:
            return source
        # Here, so that the generator of the library runs while a class of it is missing.
        from spinach_nic.library import WireFaults

        self.wire_faults = WireFaults(clock=clock, **plan.wire_faults())
        source >> self.wire_faults.input
        return self.wire_faults.output

    def across(self, source: Output) -> Output:
        """Where what comes out of `source` arrives in another clock domain, through a FIFO between the two.

        `self.across(self.mac.wire) >> self.link.input` makes the part `mac_wire_crossing`.
        """
        from spinach_nic.library import AsynchronousFifo

        crossing = AsynchronousFifo()
        owner = re.sub(r"\W+", "_", source.module.path).strip("_")
        setattr(self, f"{owner}_{source.declaration.name}_crossing", crossing)
        source >> crossing.input
        return crossing.output

    def add_instruments(
        self, host: NicFeeder | ScriptedHost, network: PacketFeeder, sink: PacketSink
    ) -> None:
        """Connect what no card has: notes on when frames left, and copies of received frames for a capture.

        Args:
            host: Sends `departures` and takes `arriving`; what it has `received` is copied.
            network: Sends `departures` of the frames that come to the card.
            sink: Takes those of the host.
        """
        from spinach_nic.library import AsynchronousFifo, PacketSink, Pipe

        self.notes = [AsynchronousFifo(), AsynchronousFifo()]
        host.departures >> self.notes[0].input
        self.notes[0].output >> sink.departures
        network.departures >> self.notes[1].input
        self.notes[1].output >> host.arriving
        if self.captured:
            self.copies = Pipe(clock=host.clock)
            self.copies_end = PacketSink(clock=host.clock)
            host.received >> self.copies.input
            self.copies.output >> self.copies_end.wire

    @property
    def wire_drops(self) -> tuple[Module, ...]:
        """The module that loses, doubles and reorders frames on the wire, if there are any faults."""
        return (self.wire_faults,) if self.rx.faults else ()

    def drivers(self) -> Sequence[Driver]:
        """The drivers of its hosts, begun before its first cycle."""
        return ()

    @property
    def is_loaded_by_drivers(self) -> bool:
        """Whether its drivers bring the firmware, rather than the run before it begins."""
        return bool(self.drivers())

    @property
    def start_up(self) -> Time:
        """For how long its drivers may be busy before the first frame is under way, beside the usual."""
        return Time(0)

    @property
    def link_start_up(self) -> Time:
        """Longest time from the first frame offered until the link carries frames."""
        return Time(0)

    @classmethod
    def read_image(cls, path: Path) -> Executable:
        """Firmware out of a file that a person names.

        Raises:
            FirmwareError: The file cannot be read or is not firmware.
        """
        return Executable.load(path)

    def firmware_map(self) -> FirmwareMap:
        """Return the addresses, sizes, memories and cores that the firmware is built for.

        The constants are macros of `spinach/card.h`. Called before `build`, so it may use parameters only.
        """
        return FirmwareMap()

    def segments(self, image: Executable) -> Sequence[Segment]:
        """What is loaded for `image`: its own segments, unless the cores execute something made of them."""
        return image.segments

    @property
    def code_range(self) -> tuple[int, int]:
        """The first address and the number of bytes of the firmware's code; no bytes without firmware."""
        code = [] if self.image is None else [part for part in self.image.segments if part.executable]
        if not code:
            return 0, 0
        start = min(segment.address for segment in code)
        return start, max(segment.end for segment in code) - start

    @classmethod
    def images(cls) -> Mapping[str, ImageDescription]:
        """The images that it has, by name within its folder, in the variant of the usual instruction set.

        Raises:
            FirmwareError: The firmware folder is not there, or a description is malformed.
        """
        if not cls.firmware_folder:
            return {}
        start = f"{cls.firmware_folder}/"
        described = read_descriptions(cls.firmware_root or shipped_root())
        return {
            name.removeprefix(start): image
            for name, image in described.items()
            if name.startswith(start) and "@" not in name
        }
