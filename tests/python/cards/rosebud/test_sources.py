"""Images that make packets themselves: their rate, their bytes, and the time that they measure."""

from typing import Any

import pytest

from spinach_nic import Component, simulate
from spinach_nic.cards.rosebud import Rosebud
from spinach_nic.cards.rosebud.map import DATA
from spinach_nic.firmware import Executable, build
from spinach_nic.library import PacketSink, Receiver, TrafficSource
from spinach_nic.model import Module
from spinach_nic.model.simulation import Simulation
from spinach_nic.runs.images import load_image

ANY = '{"kind": "any", "longest": 9000}'


class Sinks(Component):
    """A card whose ports lead to sinks that take any frame."""

    def __init__(self, card: Rosebud) -> None:
        """Take the card."""
        super().__init__()
        self.card = card

    def build(self) -> None:
        """Connect the ports."""
        wires = self.card.faces().wires
        self.sinks = [PacketSink(clock=wire.clock, traffic=ANY) for wire in wires]
        self.feeders = [TrafficSource(clock=wire.clock, count=0) for wire in wires]
        for wire, sink, feeder in zip(wires, self.sinks, self.feeders, strict=True):
            wire.sent >> sink.wire
            feeder.wire >> wire.received
            wire.link_up >> feeder.link_up


class Cable(Component):
    """A card whose port 0 leads to its port 1."""

    def __init__(self, card: Rosebud) -> None:
        """Take the card."""
        super().__init__()
        self.card = card

    def build(self) -> None:
        """Connect the ports."""
        near, far = self.card.faces().wires
        self.feeder, self.sink = TrafficSource(clock=near.clock, count=0), PacketSink(clock=far.clock)
        self.light = Receiver(clock=far.clock)
        near.sent >> far.received
        self.feeder.wire >> near.received
        near.link_up >> self.feeder.link_up
        far.sent >> self.sink.wire
        far.link_up >> self.light.input


def loaded(image: str, bench: type[Sinks] | type[Cable], **given: Any) -> tuple[Simulation, Any, Executable]:
    """Return a simulation of a card that runs an image between the given ends."""
    card = Rosebud(**given)
    found = Executable.load(build(f"rosebud/{image}", card=card.firmware_map()).path)
    around = bench(Rosebud(**given, image=found))
    simulation = simulate(around)
    load_image(simulation, found, around.card)
    return simulation, around, found


def word(simulation: Simulation, mover: Module, image: Executable, name: str) -> int:
    """Return a global word of a core."""
    return int.from_bytes(simulation.read(mover, image.symbol(name).address - DATA, 4), "little")


@pytest.mark.parametrize("size", [64, 65, 256])
def test_cores_generate_packets_as_fast_as_their_senders_allow(size: int) -> None:
    simulation, _, _ = loaded("generate", Sinks, rpus=4, generated_bytes=size)
    simulation.run(cycles=12_000, of="core")
    before = simulation.statistics()
    simulation.run(cycles=6000, of="core")
    after = simulation.statistics()
    for core in range(4):
        sent, conflicts = (
            after[f"card.rpu[{core}].mover.{name}"] - before[f"card.rpu[{core}].mover.{name}"]
            for name in ("sent", "read_conflicts")
        )
        # Nothing arrives; only the word that the firmware writes into each packet is in the way.
        cycles = 11 + -(-size // 16)
        assert sent * cycles + conflicts == pytest.approx(6000, abs=2 * cycles)
        assert conflicts <= sent
    for name in ("sinks[0].delivered", "sinks[1].delivered"):
        assert after[name] - before[name] == pytest.approx(2 * sent, abs=8)


def test_a_cable_is_measured_by_the_time_in_packets() -> None:
    least = []
    for latency in (20, 40):
        simulation, around, image = loaded("latency", Cable, rpus=4, switch_latency=latency)
        simulation.run(cycles=20_000, of="core")
        measured = [rpu.mover for rpu in around.card.rpu if counted(simulation, rpu.mover, image)]
        assert sum(counted(simulation, mover, image) for mover in measured) >= 10
        least.append(min(word(simulation, mover, image, "least_cycles") for mover in measured))
    # The way to a core is twenty cycles longer; the polling loop takes six.
    assert least[1] - least[0] == pytest.approx(20, abs=6)


def counted(simulation: Simulation, mover: Module, image: Executable) -> int:
    """Return the packets that a core has measured."""
    return word(simulation, mover, image, "packets_measured")
