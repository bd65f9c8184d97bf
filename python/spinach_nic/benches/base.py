"""Base of benches: the surroundings of cards.

A bench is a component that holds a card and connects something to its faces. It declares where frames come
from and where they end. The parts and parameters of its card, and the parameters of the card's driver, are
named without a prefix: `cores`, `processor[0].cache.size`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Self

from spinach_nic.benches.aggregation import Aggregation
from spinach_nic.cards.base.card import Card, MappedMemory, Passage, Probes, cross
from spinach_nic.cards.base.counters import Counter
from spinach_nic.cards.base.drivers import DriverModel
from spinach_nic.cards.base.faces import Wire
from spinach_nic.cards.drivers import Driver
from spinach_nic.library import AsynchronousFifo, Link, PacketSink, TrafficSource, WireFaults
from spinach_nic.model import Clock, Component, Module, Output, Port, parameter
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import Rate, Time, bps
from spinach_nic.traffic import DIRECTIONS, NO_FRAMES, Direction, FramePlan

if TYPE_CHECKING:
    from spinach_nic.cards.base.drivers import HostModule

NO_COUNTERS: Mapping[str, Counter] = {}
LARGEST_FRAME = 1514
"""Longest frame in a bench without a card, in bytes."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FramePath(Passage):
    """Frames of one direction, from end to end."""

    source: Module
    """Module with the counter `offered`: frames sent."""
    sink: Module
    """Module with the counters `delivered`, `bytes`, `payload_bytes`, `corrupted`, `reordered`, `duplicated`
    and `skipped`, and in its state a `checker` with a `latency`."""
    capture: Port | None = None
    """Port whose frames a capture records: about to be on the wire, or taken by the host."""
    further_discards: Sequence[Mapping[str, tuple[Module, str]]] = ()
    """`discards` of further cards on the path, one mapping for each."""

    @classmethod
    def through(
        cls,
        passage: Passage,
        *,
        source: Module,
        sink: Module,
        capture: Port | None,
        drops: Sequence[Module] = (),
        further_discards: Sequence[Mapping[str, tuple[Module, str]]] = (),
    ) -> FramePath:
        """Return the path through a card; `drops` are modules of the bench that drop frames."""
        within = {one.name: getattr(passage, one.name) for one in fields(Passage)}
        within["drops"] = (*passage.drops, *drops)
        return cls(**within, source=source, sink=sink, capture=capture, further_discards=further_discards)

    @property
    def all_discards(self) -> Sequence[tuple[str, Module, str]]:
        """Reason, module and counter of the frames that firmware or custom blocks of all cards drop."""
        return [
            (reason, module, counter)
            for discards in (self.discards, *self.further_discards)
            for reason, (module, counter) in discards.items()
        ]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BenchProbes(Probes):
    """Points at which a bench is measured: those of its card, and the ends of both directions."""

    link_rate: Rate
    """Rate of the link in each direction."""
    tx: FramePath
    """Path from the host to the wire."""
    rx: FramePath
    """Path from the wire to the host."""
    console: Module | None = None
    """Serial line of the card, a `Uart`."""

    @property
    def paths(self) -> Mapping[Direction, FramePath]:
        """Paths of frames, by direction."""
        return {"tx": self.tx, "rx": self.rx}

    @classmethod
    def of(
        cls, card: Card, *, tx: FramePath, rx: FramePath, counters: Mapping[str, Counter] = NO_COUNTERS
    ) -> BenchProbes:
        """Return the probes of a card, with the ends of both directions and counters of the bench."""
        probes, faces = card.probes(), card.faces()
        within: dict[str, Any] = {one.name: getattr(probes, one.name) for one in fields(Probes)}
        return cls(
            **within | {"tx": tx, "rx": rx, "counters": {**probes.counters, **counters}},
            link_rate=min(faces.link_rates),
            console=faces.console,
        )


_CLOCK_TOLERANCE = 1e-4
"""Deviation of a clock of Ethernet from its nominal frequency that a rate may leave out."""


def notes_on_rates(ends: Mapping[str, Card]) -> list[str]:
    """Return a note on a cable between cards whose links have different rates, by the names of its ends.

    No cable has two rates. The modules of this one pass a frame when both ends have time for it, as a switch
    with flow control does.
    """
    rates = {name: card.faces().link_rates[0] for name, card in ends.items()}
    if len(set(rates.values())) == 1:
        return []
    shown = ", ".join(f"{rate} at {name}" for name, rate in rates.items())
    return [f"the ends of the cable have different rates, {shown}: frames pass as by a lossless switch"]


def notes_on_links(card: Card) -> list[str]:
    """Return the notes of a built card, and one for each link with less or more than the rate of its wire."""
    slower = [
        f"{_difference(card, number, wire, link)}: shares of line rate are of {wire.rate}"
        for number, wire, link in _links(card, sent=True, received=True)
        if wire.rate.bits_per_second > _carried(wire, link).bits_per_second * (1 + _CLOCK_TOLERANCE)
    ]
    faster = links_faster_than_wires(card, sent=True, received=True)
    help = "lower its bytes_per_cycle, or raise the rate of the wire of your own card"
    return [*slower, *(f"{link}: {help}" for link in faster), *card.notes]


def links_faster_than_wires(card: Card, *, sent: bool, received: bool) -> list[str]:
    """Return a clause for each link of a built card that carries more than the rate of its wire.

    Args:
        card: The card.
        sent: True to include links of sent frames.
        received: True to include links of received frames.
    """
    return [
        _difference(card, number, wire, link)
        for number, wire, link in _links(card, sent=sent, received=received)
        if _carried(wire, link).bits_per_second > wire.rate.bits_per_second * (1 + _CLOCK_TOLERANCE)
    ]


def _links(card: Card, *, sent: bool, received: bool) -> list[tuple[int, Wire, Link]]:
    """Return the links at the wires of a card, which may connect other modules in between."""
    found: list[tuple[int, Wire, Link]] = []
    for number, wire in enumerate(card.faces().wires):
        ports = (*((wire.sent,) if sent else ()), *((wire.received,) if received else ()))
        links = {port.module: None for port in ports}
        found += [(number, wire, link) for link in links if isinstance(link, Link)]
    return found


def _carried(wire: Wire, link: Link) -> Rate:
    return bps(round(8 * int(link.parameters["bytes_per_cycle"]) * wire.clock.frequency.hertz))


def _difference(card: Card, number: int, wire: Wire, link: Link) -> str:
    return (
        f"wire {number} of {type(card).__name__} has a rate of {wire.rate}, but {link.path} "
        f"carries {_carried(wire, link)}"
    )


class _Held:
    # Annotated outside of `Described`, as attributes of instances are not arguments.
    card: Card | None = None
    """Card in the bench."""
    driver_model: DriverModel | None = None
    """Driver of the card, if the bench has a scripted host."""


CAPTURING_PARTS = ("copies_end",)
"""Parts of benches that only a capture adds. No result depends on them."""


class Bench(_Held, Component):
    """Surroundings of a card. The run gives `tx`, `rx` and `captured` before the bench is built."""

    _transparent = ("card", "driver_model")
    card_class: ClassVar[type[Card] | None] = None
    """Card that the bench is made with; `None` if it is inserted later, or if there is none."""
    has_driver_model: ClassVar[bool] = True
    """True if the bench has a host that the model of a driver runs on."""

    tx: FramePlan = parameter(default=NO_FRAMES, kind="object", doc="Frames that the host sends.")
    rx: FramePlan = parameter(default=NO_FRAMES, kind="object", doc="Frames that the network sends.")
    captured: bool = parameter(default=False, kind="object", doc="True if frames are captured on both sides.")

    if not TYPE_CHECKING:

        def __init__(self, **given: Any) -> None:
            """Set parameters, and insert the card of the class."""
            super().__init__(**given)
            if self.card_class is not None:
                self.insert(self.card_class())

    @classmethod
    def card_classes(cls) -> Sequence[type[Card]]:
        """Return the cards that the bench is made with."""
        return () if cls.card_class is None else (cls.card_class,)

    def insert(self, card: Card) -> Self:
        """Put a card into the bench, with the model of its driver; return the bench."""
        self.card = card
        if self.has_driver_model and card.driver_model is not None:
            driver = card.driver_model()
            vars(driver)["card"] = card
            self.driver_model = driver
        return self

    def _repr_svg_(self) -> str:
        """Draw the block diagram for notebooks, of a copy: the bench itself can still be changed."""
        # Diagrams are built on benches.
        from spinach_nic.report.diagram import draw_nic

        return draw_nic(deepcopy(self))

    @property
    def summary(self) -> str:
        """Description in one line."""
        return self.card.summary if self.card is not None else ""

    @property
    def title(self) -> str:
        """Name of the class that the user chose: that of the card, or of a bench without one."""
        return type(self.card or self).__name__

    @property
    def largest_frame(self) -> int:
        """Longest frame that passes, in bytes without check sequence."""
        return LARGEST_FRAME if self.card is None else self.card.largest_frame

    @property
    def largest_tagged_frame(self) -> int:
        """Longest frame with the tag of a VLAN that passes, in bytes without check sequence."""
        return LARGEST_FRAME if self.card is None else self.card.largest_tagged_frame

    @property
    def peers(self) -> Sequence[Bench]:
        """Benches in this one, whose cards run their default firmware."""
        return ()

    @property
    def classes(self) -> list[type[Component]]:
        """Classes of the bench and of its card."""
        return [type(part) for part in (self, self.card) if part is not None]

    def inserted(self) -> Card:
        """Return the card.

        Raises:
            SpinachError: The bench is empty.
        """
        if self.card is None:
            raise SpinachError(f"there is no card in {type(self).__name__}", "insert one before it is built")
        return self.card

    def probes(self) -> BenchProbes:
        """Return the points at which the bench is measured."""
        raise SpinachError(f"{type(self).__name__} declares no probes", "define its method probes()")

    def captured_ports(self) -> Mapping[str, Port | None]:
        """Return the ports whose frames a capture records, by the name of the interface in the file."""
        probes = self.probes()
        return {"wire": probes.tx.capture, "host": probes.rx.capture}

    def address_space(self) -> Sequence[MappedMemory]:
        """Return the memories for a debugger."""
        return () if self.card is None else self.card.address_space()

    def drivers(self) -> Sequence[Driver]:
        """Return the drivers in Python, which begin before the first cycle."""
        return ()

    @property
    def loads_firmware(self) -> bool:
        """True if the driver loads the firmware, rather than the run before it begins."""
        return self.driver_model is not None and self.driver_model.loads_firmware

    @property
    def start_up(self) -> Time:
        """Longest time until the first frame is under way, besides the usual."""
        return Time(0) if self.driver_model is None else self.driver_model.start_up

    @property
    def link_start_up(self) -> Time:
        """Longest time from the first frame offered until the link carries frames."""
        return Time(0) if self.driver_model is None else self.driver_model.link_start_up

    def across(self, source: Output) -> Output:
        """Return the output at which `source` arrives in another clock domain, as `Card.across` does."""
        return cross(self, source)

    def wire_from(self, source: Output, plan: FramePlan, clock: Clock | None) -> Output:
        """Return the output at which the frames of a source leave the wire, with the faults of their plan.

        The wire is a module if there are any faults. `wire_drops` has it then.
        """
        if not plan.faults:
            return source
        self.wire_faults = WireFaults(clock=clock, **plan.wire_faults())
        source >> self.wire_faults.input
        return self.wire_faults.output

    def wires(self) -> Sequence[Wire]:
        """Return the wires of the card; an aggregated link is one wire.

        Raises:
            SpinachError: Frames come in or go out at a wire that the card does not have.
        """
        card = self.inserted()
        faces, probes = card.faces(), card.probes()
        for way in DIRECTIONS:
            for name in ("wire_in", "wire_out"):
                number, last = getattr(probes[way], name), len(faces.link_rates) - 1
                if number > last:
                    message = f"{type(card).__name__} has no wire {number}, which {name} of {way} names"
                    raise SpinachError(message, f"give 0 to {last} in probes()" if last else "give 0")
        if not faces.aggregated:
            return faces.wires
        if "aggregation" not in self._parts:
            self.aggregation = Aggregation(card_wires=faces.wires)
        return [self.aggregation.wire(rate) for rate in faces.link_rates]

    def close_wires(
        self, wires: Sequence[Wire], *, sending: Collection[int] = (), receiving: Collection[int] = ()
    ) -> None:
        """Put silent networks at the ends of wires without traffic.

        Args:
            wires: Wires of the card.
            sending: Numbers of those whose sent frames another part takes.
            receiving: Numbers of those that receive frames of another part.
        """
        idle = [wire for number, wire in enumerate(wires) if number not in receiving]
        self.closed_sources = [TrafficSource(clock=wire.clock, count=0) for wire in idle]
        for feeder, wire in zip(self.closed_sources, idle, strict=True):
            feeder.wire >> wire.received
            wire.link_up >> feeder.link_up
        unread = [wire for number, wire in enumerate(wires) if number not in sending]
        self.closed_sinks = [PacketSink(clock=wire.clock) for wire in unread]
        for sink, wire in zip(self.closed_sinks, unread, strict=True):
            wire.sent >> sink.wire

    @property
    def link_notes(self) -> Sequence[str]:
        """Notes on the links of a built bench, for the result."""
        return ()

    def faster_links(self, way: Direction) -> Sequence[str]:
        """Return clauses on the links of a direction that carry more than the rate of their wire."""
        return ()

    @property
    def wire_drops(self) -> tuple[Module, ...]:
        """Module that loses, duplicates and reorders frames on the wire, if there are any faults."""
        return (self.wire_faults,) if self.rx.faults else ()

    @property
    def link_partners(self) -> tuple[Module, ...]:
        """Modules of the bench that obey pause frames of the card; those among its traffic go no further."""
        return (*self.aggregation.control,) if "aggregation" in self._parts else ()

    def add_instruments(self, host: HostModule, network: TrafficSource, sink: PacketSink) -> None:
        """Connect measurement: times of departure, and copies of received frames for a capture.

        Args:
            host: Sends `departures` and takes `arriving`; a copy is made of what it has `received`.
            network: Sends `departures` of the frames that come to the card.
            sink: Takes those of the host.
        """
        self.notes = [AsynchronousFifo(), AsynchronousFifo()]
        host.departures >> self.notes[0].input
        self.notes[0].output >> sink.departures
        network.departures >> self.notes[1].input
        self.notes[1].output >> host.arriving
        if self.captured:
            self.copies_end = PacketSink(clock=host.clock)
            host.received >> self.copies_end.wire
