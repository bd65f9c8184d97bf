"""Two cards at one cable, each with a scripted host."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from spinach_nic.benches.base import (
    Bench,
    BenchProbes,
    FramePath,
    links_faster_than_wires,
    notes_on_links,
    notes_on_rates,
)
from spinach_nic.cards.base.card import Card, Passage
from spinach_nic.cards.base.counters import Counter
from spinach_nic.cards.base.drivers import DriverModel
from spinach_nic.cards.base.faces import Bus
from spinach_nic.cards.drivers import Driver
from spinach_nic.library import AsynchronousFifo, PacketSink, Receiver
from spinach_nic.model import Component
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import Time
from spinach_nic.traffic import Direction, FramePlan

if TYPE_CHECKING:
    from spinach_nic.cards.base.drivers import HostModule


class HostBench(Bench):
    """A card with a scripted host; its wires lead out of the bench."""

    def build(self) -> None:
        """Connect the host, which sends the frames of `tx` and expects those of `rx`."""
        self._connect_host(self.tx, self.rx)

    def _connect_host(self, sent: FramePlan, arriving: FramePlan) -> None:
        driver, bus = self.driven()
        self.host: HostModule = driver.make_host(bus, sent, driver.expected(self.inserted().inward(arriving)))
        driver.connect(self.host, bus)

    def driven(self) -> tuple[DriverModel, Bus]:
        """Return the driver model, and the bus of the card.

        Raises:
            SpinachError: The card lacks one of them.
        """
        bus = self.inserted().faces().bus
        if bus is None or self.driver_model is None:
            message = f"{type(self.card).__name__} has no host: it lacks a bus or a driver model"
            raise SpinachError(message, "give both ends of the cable a card with both")
        return self.driver_model, bus

    def drivers(self) -> Sequence[Driver]:
        """Return the programs of the driver model."""
        return self.driven()[0].programs(self.host)


class _Ends:
    # Annotated outside of `Described`, as attributes of instances are not arguments.
    far: HostBench | None = None
    """Card and host at the other end of the cable."""


class BackToBack(_Ends, HostBench):
    """A card, and another at the other end of the cable, which may be of a different kind.

    The host of the card sends the frames of `tx`, the far host those of `rx`. Results are about the card; the
    far card runs its default firmware, and `far.` is the prefix of its parameters. The cable carries a frame
    when the slower end takes it.

        class TwoKinds(BackToBack):
            card_class = Tengig
            far_class = Ricenic
    """

    far_class: ClassVar[type[Card] | None] = None
    """Card at the other end."""

    if not TYPE_CHECKING:

        def __init__(self, **given: Any) -> None:
            """Set parameters, and insert the cards of the class."""
            super().__init__(**given)
            if self.far_class is not None:
                self.insert_far(self.far_class())

    @property
    def _far(self) -> HostBench:
        if self.far is None:
            message = f"there is no card at the far end of {type(self).__name__}"
            raise SpinachError(message, "name it as far_class, or insert one with insert_far")
        return self.far

    @classmethod
    def card_classes(cls) -> Sequence[type[Card]]:
        """Return the cards of both ends."""
        return (*super().card_classes(), *(() if cls.far_class is None else (cls.far_class,)))

    def insert_far(self, card: Card) -> Self:
        """Put a card at the other end of the cable; return the bench."""
        self.far = HostBench().insert(card)
        return self

    def build(self) -> None:
        """Connect both hosts, the cable between the cards, and the measurement of latency."""
        near, far = self.inserted(), self._far.inserted()
        driver, _ = self.driven()
        sent, answered = driver.addressed(self.tx, "tx"), driver.addressed(self.rx, "rx")
        self._far.set("tx", answered)
        near_order, far_order = (
            end.driven()[0].sent(end.inserted().probes().tx).overtaking for end in (self, self._far)
        )
        self._far.set("rx", near.outward(sent).overtaking(**near_order))
        self._connect_host(sent, far.outward(answered).overtaking(**far_order))
        (wire, *others), (far_wire, *far_others) = self.wires(), self._far.wires()
        wires = [wire, far_wire]
        self.cable = [AsynchronousFifo(), AsynchronousFifo()]
        # Frames are on the wire whether or not the other end receives.
        self.link_signal = [Receiver(clock=wire.clock) for wire in wires]
        for wire, cable, signal in zip(wires, self.cable, self.link_signal, strict=True):
            wire.sent >> cable.input
            wire.link_up >> signal.input
        self.close_wires([*others, *far_others])
        self.cable[0].output >> wires[1].received
        self.wire_from(self.cable[1].output, self.rx, wires[0].clock) >> wires[0].received
        self.notes = [AsynchronousFifo(), AsynchronousFifo()]
        hosts = [self.host, self._far.host]
        for note, sender, receiver in zip(self.notes, hosts, reversed(hosts), strict=True):
            sender.departures >> note.input
            note.output >> receiver.arriving
        if self.captured:
            self.copies_end = PacketSink(clock=self.host.clock)
            self.host.received >> self.copies_end.wire

    def probes(self) -> BenchProbes:
        """Return the points at which the card and both directions are measured."""
        near, far = self.inserted(), self._far.inserted()
        self._ensure_built()
        within, beyond = near.probes(), far.probes()
        driver, _ = self.driven()
        far_driver, _ = self._far.driven()
        near_rx = driver.received(within.rx, self.host)
        far_rx = far_driver.received(beyond.rx, self._far.host)
        wires = [self.wires()[0], self._far.wires()[0]]
        tx = FramePath.through(
            _joined(within.tx, far_rx),
            source=self.host,
            sink=self._far.host,
            capture=wires[0].captured,
            drops=self.link_partners,
            further_discards=[far_rx.discards],
        )
        rx = FramePath.through(
            _joined(beyond.tx, near_rx),
            source=self._far.host,
            sink=self.host,
            capture=self.host.received,
            drops=(*self.wire_drops, *self._far.link_partners),
            further_discards=[near_rx.discards],
        )
        counters = {**driver.counters(self.host), **self._ignored_pauses()}
        found = BenchProbes.of(near, tx=tx, rx=rx, counters=counters)
        return replace(found, link_rate=min(wire.rate for wire in wires))

    def _ignored_pauses(self) -> dict[str, Counter]:
        """Return the counters of pause frames that hosts get, because their cards do not obey them."""
        ends = {"": (self, self._far), "far_": (self._far, self)}
        return {
            f"{name}ignored_pauses": Counter(end.host, "pauses", "frames")
            for name, (end, other) in ends.items()
            if _sends_pauses(other) and not _sends_pauses(end)
        }

    @property
    def link_notes(self) -> Sequence[str]:
        """Notes on the links of both cards, and on ends of the cable that differ."""
        near, far = self.inserted(), self._far.inserted()
        names = (self.title, type(far).__name__)
        # Two cards of a kind differ by their parameters.
        far_name = names[1] if names[0] != names[1] else f"the far {names[1]}"
        rates = notes_on_rates({names[0]: near, far_name: far})
        pausing = [_sends_pauses(self), _sends_pauses(self._far)]
        sender, other = (names[0], far_name) if pausing[0] else (far_name, names[0])
        ignored = f"{sender} sends pause frames, and {other} none: its host ignores those that it gets"
        differing = [ignored] if pausing[0] != pausing[1] else []
        return (*notes_on_links(near), *notes_on_links(far), *rates, *differing)

    def faster_links(self, way: Direction) -> Sequence[str]:
        """Return clauses on the links of a direction that carry more than the rate of their wire."""
        cards = self.inserted(), self._far.inserted()
        sender, receiver = cards if way == "tx" else reversed(cards)
        return (
            *links_faster_than_wires(sender, sent=True, received=False),
            *links_faster_than_wires(receiver, sent=False, received=True),
        )

    def drivers(self) -> Sequence[Driver]:
        """Return the programs of both driver models."""
        return (*super().drivers(), *self._far.drivers())

    @property
    def peers(self) -> Sequence[Bench]:
        """The far end, whose card runs its default firmware."""
        return (self._far,)

    @property
    def largest_frame(self) -> int:
        """Longest frame that both cards pass, in bytes without check sequence."""
        return min(self.inserted().largest_frame, self._far.inserted().largest_frame)

    @property
    def largest_tagged_frame(self) -> int:
        """Longest frame with the tag of a VLAN that both cards pass, in bytes without check sequence."""
        return min(self.inserted().largest_tagged_frame, self._far.inserted().largest_tagged_frame)

    @property
    def classes(self) -> list[type[Component]]:
        """Classes of the bench and of both cards."""
        return [*super().classes, *self._far.classes]

    @property
    def start_up(self) -> Time:
        """Longest time until the first frame is under way, besides the usual."""
        return max(super().start_up, self._far.start_up)

    @property
    def link_start_up(self) -> Time:
        """Longest time from the first frame offered until the link carries frames."""
        return max(super().link_start_up, self._far.link_start_up)


def _sends_pauses(bench: Bench) -> bool:
    return bench.inserted().faces().wires[0].pause_bytes_per_cycle > 0


def _joined(first: Passage, second: Passage) -> Passage:
    """Return the passage through two cards, one after the other, with the discards of the first."""
    drops = (*first.drops, *second.drops)
    return Passage(depth=first.depth + second.depth, drops=drops, discards=first.discards)
