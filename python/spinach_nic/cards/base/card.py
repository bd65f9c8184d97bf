"""Base of network interface cards.

A card consists of modules and firmware between its faces. Besides its parts it declares a few
class attributes, and two methods. `faces` exports the ports at its bus and wires, `probes` the modules at
which a bench loads and measures it:

    class Example(Card):
        summary = "One core between a host and a link"
        firmware_folder = "example"
        default_firmware = "plain"

        cores: int = parameter(default=1, doc="Number of processors.")

        def build(self) -> None:
            self.clock = Clock("core", MHz(125))
            ...

        def faces(self) -> Faces:
            bus = RingBus(self.clock, access=self.crossbar.initiator, memory=self.bus.memory, ...)
            return Faces(bus, [Wire(sent=self.link.output, ...)])

        def probes(self) -> Probes:
            return Probes(
                tx=Passage(depth=256),
                rx=Passage(depth=512, drops=[self.mac_receive]),
                cores=self.core,
                memories=[Memory.of(self.scratch_pad, self.core_clock)],
            )

Traffic, hosts and captures belong to the benches, which surround cards.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from msgspec import Struct

from spinach_nic.cards.base.counters import Counter
from spinach_nic.cards.base.drivers import RINGS, DriverModel, LinuxDriver, RingDriver
from spinach_nic.cards.base.faces import Faces
from spinach_nic.cards.base.layout import DEFAULT_INTERLEAVE, layout_of, reached
from spinach_nic.firmware import (
    Executable,
    FirmwareMap,
    ImageDescription,
    Segment,
    read_descriptions,
    shipped_root,
)
from spinach_nic.firmware.instruction_sets import DEFAULT_INSTRUCTION_SET, INSTRUCTION_SETS
from spinach_nic.model import Component, Module, Output, Port, parameter
from spinach_nic.support.arguments import Within
from spinach_nic.support.checked_records import check_record, returning
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.records import Record
from spinach_nic.support.units import Frequency, Rate
from spinach_nic.traffic import Direction, FramePlan

if TYPE_CHECKING:  # the generator of the library runs while a class of it is missing
    from spinach_nic.library import DataCache, MultiportedMemory


@dataclass(frozen=True, eq=False, repr=False)
class Passage(Record):
    """Frames of one direction within a card."""

    depth: Annotated[int, Within(1, 10**9)]
    """Maximum number of frames under way. Once as many were delivered, the direction runs at full depth."""
    drops: Sequence[Module] = ()
    """Modules that drop frames. Each has a counter `dropped_REASON` per reason. Duplicates and reorderings by
    a `WireFaults` among them are expected."""
    discards: Mapping[str, tuple[Module, str]] = field(default_factory=dict)
    """Frames dropped by firmware or a custom block: by reason, the module and its counter. The module of a
    `Verilated` is its `block`."""
    any_order: bool = False
    """True if frames may overtake each other within the card."""
    by_flow: bool = False
    """True if frames of different flows may overtake each other within the card."""
    look_interval: int = 0
    """Deliveries between two polls of the counters, if more than usual: many on a fast card."""
    wire_in: Annotated[int, Within(0, 255)] = 0
    """Wire at which they come in, unless they come from the bus."""
    wire_out: Annotated[int, Within(0, 255)] = 0
    """Wire at which they go out, unless they go to the bus."""

    def __post_init__(self) -> None:
        """Check the fields."""
        check_record(self)

    @property
    def overtaking(self) -> dict[str, bool]:
        """Arguments of `FramePlan.overtaking` for frames that have passed."""
        return {"by_flow": self.by_flow, "any_order": self.any_order}


class ByteCounter(Struct, frozen=True):
    """A counter that counts bytes, or things of `bytes_each` bytes."""

    module: Module
    counter: str
    bytes_each: int = 1

    def __post_init__(self) -> None:
        """Check the fields."""
        check_record(self)


@dataclass(frozen=True, eq=False, repr=False)
class Memory(Record):
    """A memory of the NIC: one module, or several banks."""

    name: str
    """Its name in results, such as `scratch_pad`."""
    banks: Sequence[Module]
    """The modules that hold its contents."""
    peak: Rate
    """Maximum data rate, when every cycle moves data."""
    moved: Sequence[ByteCounter]
    """Counters whose sum is the bytes that it moved."""
    useful: Sequence[ByteCounter] = ()
    """Counters of requested bytes; `moved` if empty."""
    base: int | None = None
    """Its first address as the cores see it; firmware is loaded into memories that have one."""
    controller: Module | None = None
    """Module that counts `busy_cycles`, and `data_cycles` of them."""

    def __post_init__(self) -> None:
        """Check the fields."""
        check_record(self)

    @classmethod
    def of(cls, memory: MultiportedMemory, clock: Frequency, width_bytes: int = 4) -> Memory:
        """Return a memory of one module, under the name of the module.

        Args:
            memory: The module, connected: each lane of its `port` moves data in every cycle.
            clock: Its clock.
            width_bytes: Bytes that a lane moves in a cycle.
        """
        moved = [ByteCounter(memory, counter) for counter in ("read_bytes", "written_bytes")]
        lanes = max(1, memory._lanes.get("port_request", 0))
        peak = Rate(int(8 * width_bytes * lanes * clock.hertz))
        return cls(memory.path, [memory], peak, moved, base=memory.base)


class MappedMemory(Struct, frozen=True):
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
    """The only core that sees it there."""
    start: int = 0
    """Offset of its first byte in the contents of the banks."""
    size: int | None = None
    """Size in bytes; by default the rest of the contents."""


class Agent(Struct, frozen=True):
    """A module other than a core that accesses the memory of the cores, such as an assist."""

    module: Module
    kind: str
    """Kind of the agent; agents of one kind share a cache in studies of caches."""

    def __post_init__(self) -> None:
        """Check the fields."""
        check_record(self)


class IncoherentCaches(Struct, frozen=True):
    """Data caches that ignore writes of others, and the agents that share memory with them."""

    caches: Sequence[DataCache]
    """Caches of the cores, one each."""
    requests: Sequence[Port]
    """Outputs of the cores with requests to them."""
    devices: Mapping[str, Port]
    """Outputs of devices with requests for runs of bytes, by name."""
    aliases: Sequence[tuple[range, int]] = ()
    """Addresses past the caches, and the first address by which caches know the same memory."""


@dataclass(frozen=True, eq=False, repr=False)
class Probes(Record):
    """Points at which a card is loaded and measured."""

    tx: Passage
    """Frames from the bus to the wire; in a card without a bus, frames that arrive at wire 0."""
    rx: Passage
    """Frames from the wire to the bus; in a card without a bus, frames that arrive at the last wire."""
    cores: Sequence[Module] = ()
    """Processors, each with the counters and the state `program` of a core of the library."""
    agents: Mapping[str, Agent] = field(default_factory=dict)
    """Other modules that access the memory of the cores, such as assists, by their names in access traces."""
    metadata: Sequence[range] = ()
    """Memory shared by cores and agents that describes frames: rings, counters and locks, without frames and
    stacks. Addresses as the cores see them."""
    caches: IncoherentCaches | None = None
    """Caches that can be checked for coherence."""
    counters: Mapping[str, Counter] = field(default_factory=dict)
    """Counters of the card, by their names in results."""
    memories: Sequence[Memory] = field(default=())
    """Memories whose traffic is reported, and those that firmware is loaded into."""

    def __post_init__(self) -> None:
        """Check the fields."""
        check_record(self)

    def __getitem__(self, direction: Direction) -> Passage:
        """Frames of a direction."""
        return self.tx if direction == "tx" else self.rx


class Card(Component):
    """A network interface card between a bus and its wires.

    The run gives `image` before the card is built: `build` passes `image.entry` and the range to profile
    (`code_range`) to the cores.
    """

    summary: ClassVar[str] = ""
    """Description in one line."""
    firmware_root: ClassVar[Path | None] = None
    """Folder that holds the firmware folders; that of the shipped firmware by default."""
    firmware_folder: ClassVar[str] = ""
    """Folder of the images; empty for a card without firmware."""
    default_firmware: ClassVar[str] = ""
    """Default image."""
    image_parameters: ClassVar[tuple[str, ...]] = ()
    """Parameters that an image must name in `required_parameters` to run on a card on which they are set."""
    driver_model: ClassVar[type[DriverModel] | None] = RingDriver
    """Driver that a scripted host runs; `None` for a card without a bus, or without such a driver."""
    linux_driver: ClassVar[LinuxDriver | None] = RINGS
    """Driver for guests and servers, by default that of cards with a `RingBus`; `None` if there is none."""
    tag_bytes: ClassVar[int] = 0
    """Bytes by which a frame with the tag of a VLAN may be longer: 4 for one tag (IEEE 802.3, 3.2.7)."""
    instruction_set: str = DEFAULT_INSTRUCTION_SET
    """Instruction set of the cores."""
    largest_frame: int = parameter(
        default=1514, range=(60, 65535), doc="Longest frame that passes, in bytes without check sequence."
    )
    image: Executable | None = parameter(default=None, kind="object", doc="Firmware that the cores execute.")

    @property
    def largest_tagged_frame(self) -> int:
        """Longest frame with the tag of a VLAN that passes, in bytes without check sequence."""
        return self.largest_frame + self.tag_bytes

    def __init_subclass__(cls) -> None:
        """Check the results of the methods by which a card describes itself."""
        super().__init_subclass__()
        for name, kind in (("faces", Faces), ("probes", Probes), ("firmware_map", FirmwareMap)):
            if name in vars(cls):
                setattr(cls, name, returning(vars(cls)[name], kind))

    def _repr_svg_(self) -> str:
        """Draw the block diagram for notebooks, of a copy: the card itself can still be changed."""
        # Diagrams are built on benches, and benches on cards.
        from spinach_nic.report.diagram import draw_nic

        return draw_nic(deepcopy(self))

    def faces(self) -> Faces:
        """Return the ports at which a bench is connected."""
        raise SpinachError(f"{type(self).__name__} exports no faces", "define its method faces()")

    def probes(self) -> Probes:
        """Return the points at which the card is loaded and measured."""
        raise SpinachError(f"{type(self).__name__} declares no probes", "define its method probes()")

    def address_space(self) -> Sequence[MappedMemory]:
        """Return the memories as firmware is loaded into them and a debugger shows them.

        Those of the probes by default. Interleaving, byte order and the cores that see a memory follow from
        the connections.
        """
        is_little = INSTRUCTION_SETS[self.instruction_set].byte_order == "little"
        probes = self.probes()
        seen_by = {core: set(reached([core])) for core in probes.cores}
        mapped = []
        for memory in probes.memories:
            if memory.banks:
                layout = layout_of(self, memory.name, memory.banks, is_little_endian=is_little)
                seeing = [core for core, seen in seen_by.items() if not seen.isdisjoint(memory.banks)]
                mapped.append(
                    MappedMemory(
                        memory.name,
                        memory.base,
                        memory.banks,
                        layout.interleave,
                        layout.reverses_words,
                        core=seeing[0] if len(seeing) == 1 < len(seen_by) else None,
                    )
                )
        return mapped

    def outward(self, plan: FramePlan) -> FramePlan:
        """Return the frames that leave at the wire when the host sends those of `plan`."""
        return plan

    def inward(self, plan: FramePlan) -> FramePlan:
        """Return the frames that reach the host when those of `plan` come in at the wire."""
        return plan

    @property
    def notes(self) -> Sequence[str]:
        """Notes on the card for the result, a sentence each, such as on what its parameters cannot keep."""
        return ()

    def across(self, source: Output) -> Output:
        """Return the output at which `source` arrives in another clock domain, through a FIFO.

        `self.across(self.mac.wire) >> self.link.input` makes the part `mac_wire_crossing`.
        """
        return cross(self, source)

    @classmethod
    def read_image(cls, path: Path) -> Executable:
        """Read firmware from a file that the user names.

        Raises:
            FirmwareError: The file cannot be read or is not firmware.
        """
        return Executable.load(path)

    def firmware_map(self) -> FirmwareMap:
        """Return the addresses, sizes, memories and cores that the firmware is built for.

        The constants are macros of `spinach/card.h`. Called before `build`, so it may use parameters only.
        """
        return FirmwareMap()

    @property
    def usual_firmware(self) -> str:
        """Default image with the present parameters."""
        return self.default_firmware

    def segments(self, image: Executable) -> Sequence[Segment]:
        """Return the segments to load for `image`, or their translation for the cores."""
        return image.segments

    @property
    def code_range(self) -> tuple[int, int]:
        """First address and number of bytes of the firmware's code; no bytes without firmware."""
        code = [] if self.image is None else [part for part in self.image.segments if part.executable]
        if not code:
            return 0, 0
        start = min(segment.address for segment in code)
        return start, max(segment.end for segment in code) - start

    @classmethod
    def images(cls) -> Mapping[str, ImageDescription]:
        """Return the images by name within the folder, in the variant of the default instruction set.

        Raises:
            FirmwareError: The firmware folder is not there, or a description is malformed.
        """
        if not cls.firmware_folder:
            return {}
        start = f"{cls.firmware_folder}/"
        described = read_descriptions(cls.firmware_root or shipped_root(), inside=cls.firmware_folder)
        return {
            name.removeprefix(start): image
            for name, image in described.items()
            if name.startswith(start) and "@" not in name
        }


def cross(component: Component, source: Output) -> Output:
    """Put a FIFO between two clock domains behind `source`, as a part of `component`; return its output."""
    # The generator of the library imports this file while a class of the library is missing.
    from spinach_nic.library import AsynchronousFifo

    crossing = AsynchronousFifo()
    owner = source.module.path.removeprefix(component._prefix)
    owner = re.sub(r"\W+", "_", owner).strip("_")
    setattr(component, f"{owner}_{source.declaration.name}_crossing", crossing)
    source >> crossing.input
    return crossing.output
