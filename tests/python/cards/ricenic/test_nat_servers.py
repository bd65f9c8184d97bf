"""Address translation in closed loop: servers with Linux at both ends, and TCP streams both ways."""

import pytest
from tests.python.servers.conftest import kernel

from spinach_nic import ms, ns
from spinach_nic.benches.pair import joined
from spinach_nic.benches.server import ServerBench
from spinach_nic.cards.ricenic.nic import Ricenic
from spinach_nic.firmware import Executable, build
from spinach_nic.model.simulation import simulate
from spinach_nic.runs.images import load_image
from spinach_nic.servers import linux
from spinach_nic.support.units import GHz

__all__ = ["kernel"]
STREAMS = 4
WINDOW_MS = 10
FULL_BYTES = 125_000 * WINDOW_MS * 1514 / 1538
"""Bytes of the longest frames that the link carries, besides preamble, check sequence and gap."""


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_one_core_translates_tcp_both_ways_at_the_capacity_of_the_link(kernel: linux.Linux) -> None:
    # The inner node has the address of the card, so that only ports change, and no route is needed.
    forward = "tcp:5001:10.0.0.1:5001"
    images = [Executable.load(build(f"ricenic/{name}").path) for name in ("nat", "base")]
    cards = [Ricenic(image=image, nat_address="10.0.0.1", nat_forwards=forward) for image in images]
    commands = (
        f"sink,5001,{STREAMS};sleep,5;stream,10.0.0.2,5000,{STREAMS}",
        f"sink,5000,{STREAMS};sleep,5;stream,10.0.0.1,5001,{STREAMS}",
    )
    pair = joined(
        *(
            ServerBench(
                kernel=kernel.kernel,
                files=kernel.files,
                hart_clock=GHz(4),
                arguments=f"console=hvc0 earlycon=sbi address=10.0.0.{number}/24 run={run}",
                latency=ns(400),
                mac_address=bytes([2, 0, 0, 0, 0, number]),
            ).insert(card)
            for number, (card, run) in enumerate(zip(cards, commands, strict=True), start=1)
        )
    )
    simulation = simulate(pair)
    for card, image in zip(cards, images, strict=True):
        load_image(simulation, image, card)
    simulation.run(ms(45))
    before = simulation.statistics()
    simulation.run(ms(WINDOW_MS))
    counted = simulation.statistics() - before
    printed = [simulation.hand_out(node.server).decode() for node in pair.node]
    assert all(f"stream: {STREAMS} streams are open" in text for text in printed), printed
    for way in ("transmit_link", "receive_link"):
        assert counted[f"{getattr(cards[0].card, way).path}.bytes"] > 0.97 * FULL_BYTES
    # The firmware drops nothing.
    assert not any(counted[f"{cards[0].card.tally.path}.count_{reason}"] for reason in range(18))
