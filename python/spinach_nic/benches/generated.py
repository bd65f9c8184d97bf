"""The default bench: generated traffic at the wires, and a scripted host at the bus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spinach_nic.benches.base import Bench, BenchProbes, FramePath, links_faster_than_wires, notes_on_links
from spinach_nic.cards.base.faces import Bus, Faces, Wire
from spinach_nic.cards.drivers import Driver
from spinach_nic.library import FlowControl, PacketSink, TrafficSource
from spinach_nic.model import Module
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import bps
from spinach_nic.traffic import DIRECTIONS, NO_FRAMES, Direction

if TYPE_CHECKING:
    from spinach_nic.cards.base.drivers import HostModule


PAUSE_BYTES_PER_CYCLE = 64
"""Bytes in a cycle of the fastest wire whose other end obeys pause frames."""


class GeneratedTraffic(Bench):
    """Generated traffic through a card.

    At a bus, the card's driver model sends the frames of `tx` and expects those of `rx`, and a network does
    the opposite at the wire. A card without a bus has networks at its wires only, and a host that controls it
    if it has a bus for that.
    """

    def build(self) -> None:
        """Connect a host and a network, or two networks."""
        faces = self.inserted().faces()
        if faces.bus is None:
            self._connect_wires(faces)
        else:
            self._connect_bus(faces.bus)

    def _connect_bus(self, bus: Bus) -> None:
        card, driver = self.inserted(), self.driver_model
        if driver is None:
            message = f"{type(card).__name__} has a bus, but no driver model for a scripted host"
            raise SpinachError(
                message,
                "set its driver_model, or use spinach attach or spinach boot --card",
            )
        tx, rx = driver.addressed(self.tx, "tx"), driver.addressed(self.rx, "rx")
        self.host: HostModule = driver.make_host(bus, tx, driver.expected(card.inward(rx)))
        driver.connect(self.host, bus)
        probes = card.probes()
        wires = self.wires()
        inward, outward = wires[probes.rx.wire_in], wires[probes.tx.wire_out]
        self.network = TrafficSource(clock=inward.clock, **rx.source())
        self.sink = PacketSink(
            clock=outward.clock,
            **card.outward(tx).overtaking(**driver.sent(probes.tx).overtaking).expected(),
        )
        arriving = self.wire_from(self.network.wire, self.rx, inward.clock)
        if inward is outward and inward.pause_bytes_per_cycle:
            _check_pace(inward)
            self.far_control = FlowControl(clock=inward.clock, bytes_per_cycle=inward.pause_bytes_per_cycle)
            arriving >> self.far_control.send
            self.far_control.sent >> inward.received
            outward.sent >> self.far_control.arriving
            self.far_control.received >> self.sink.wire
        else:
            outward.sent >> self.sink.wire
            arriving >> inward.received
        inward.link_up >> self.network.link_up
        self.add_instruments(self.host, self.network, self.sink)
        self.close_wires(wires, sending={probes.tx.wire_out}, receiving={probes.rx.wire_in})

    def _connect_wires(self, faces: Faces) -> None:
        """Let each direction come in at a wire, and go out at the same or at another."""
        probes, wires = self.inserted().probes(), self.wires()
        plans = [(probes.tx, self.tx), (probes.rx, self.rx)]
        entering = {passage.wire_in: plan for passage, plan in plans if not plan.is_silent}
        leaving = {passage.wire_out: plan for passage, plan in plans if not plan.is_silent}
        if len(entering) < sum(not plan.is_silent for _, plan in plans):
            message = f"both directions of {type(self.card).__name__} arrive at the same wire"
            raise SpinachError(message, "give traffic for one direction, such as udp:1472:tx")
        self.networks = [
            TrafficSource(clock=wire.clock, **entering.get(number, NO_FRAMES).source())
            for number, wire in enumerate(wires)
        ]
        unordered = {passage.wire_out for passage, _ in plans if passage.any_order}
        by_flow = {passage.wire_out for passage, _ in plans if passage.by_flow}
        self.sinks = [
            PacketSink(
                clock=wire.clock,
                any_order=number in unordered,
                by_flow=number in by_flow,
                **leaving.get(number, NO_FRAMES).expected(),
            )
            for number, wire in enumerate(wires)
        ]
        for number, wire in enumerate(wires):
            sent, faulty = self.networks[number].wire, number == probes.rx.wire_in
            (self.wire_from(sent, self.rx, wire.clock) if faulty else sent) >> wire.received
            wire.sent >> self.sinks[number].wire
            wire.link_up >> self.networks[number].link_up
        for way in DIRECTIONS:
            source, sink = self.networks[probes[way].wire_in], self.sinks[probes[way].wire_out]
            if source.clock is sink.clock:
                source.departures >> sink.departures
            else:
                self.across(source.departures) >> sink.departures
        if faces.management is not None and self.driver_model is not None:
            self.host = self.driver_model.make_host(faces.management, NO_FRAMES, NO_FRAMES)
            self.driver_model.connect(self.host, faces.management)

    def drivers(self) -> Sequence[Driver]:
        """Return the programs of the driver model."""
        faces = self.inserted().faces()
        if self.driver_model is None or faces.bus is faces.management:
            return ()
        return self.driver_model.programs(self.host)

    @property
    def link_partners(self) -> tuple[Module, ...]:
        """Modules of the bench that obey pause frames of the card; those among its traffic go no further."""
        return (*super().link_partners, *((self.far_control,) if "far_control" in self._parts else ()))

    @property
    def link_notes(self) -> Sequence[str]:
        """Notes on the links of the card."""
        return notes_on_links(self.inserted())

    def faster_links(self, way: Direction) -> Sequence[str]:
        """Return clauses on the links of a direction that carry more than the rate of their wire."""
        card = self.inserted()
        passes = card.faces().bus is None
        return links_faster_than_wires(card, sent=passes or way == "tx", received=passes or way == "rx")

    def probes(self) -> BenchProbes:
        """Return the points at which the card and both directions are measured."""
        card = self.inserted()
        faces, within = card.faces(), card.probes()
        self._ensure_built()
        wires = self.wires()
        out = wires[within.tx.wire_out].captured
        if faces.bus is not None and self.driver_model is not None:
            tx = FramePath.through(
                within.tx, source=self.host, sink=self.sink, capture=out, drops=self.link_partners
            )
            rx = FramePath.through(
                self.driver_model.received(within.rx, self.host),
                source=self.network,
                sink=self.host,
                capture=self.host.received,
                drops=self.wire_drops,
            )
            counters = self.driver_model.counters(self.host)
            return BenchProbes.of(card, tx=tx, rx=rx, counters=counters)
        back = wires[within.rx.wire_out].captured
        tx, rx = (
            FramePath.through(
                passage,
                source=self.networks[passage.wire_in],
                sink=self.sinks[passage.wire_out],
                capture=capture,
                drops=self.wire_drops if passage is within.rx else (),
            )
            for passage, capture in ((within.tx, out), (within.rx, back))
        )
        return BenchProbes.of(card, tx=tx, rx=rx)


def _check_pace(wire: Wire) -> None:
    """Check that the other end of a wire keeps up with pause frames.

    Raises:
        SpinachError: More bytes pass in a cycle than it counts.
    """
    if wire.pause_bytes_per_cycle > PAUSE_BYTES_PER_CYCLE:
        clock = wire.clock.frequency
        most = bps(8 * PAUSE_BYTES_PER_CYCLE * clock.hertz)
        message = (
            f"link_rate = {wire.rate} is too high for pause frames: a wire at {clock} has at most {most}"
        )
        raise SpinachError(
            message, f"set link_rate to at most {most}, raise that clock, or set flow_control=false"
        )
