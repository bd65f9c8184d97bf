"""A packet passes an idle core in the cycles of the RTL, at each phase of the polling loop."""

import pytest

from spinach_nic import simulate
from spinach_nic.benches import GeneratedTraffic
from spinach_nic.cards.rosebud import Rosebud
from spinach_nic.firmware import Executable, build
from spinach_nic.runs.images import load_image
from spinach_nic.traffic import plan_traffic

IDLE_LATENCY = {64: (37, 41), 1500: (217, 221)}
"""Cycles from the first word in to the last word out, by size: 31 and two for each word, and up to two more
or less with the phase. Measured on the published RTL."""


@pytest.mark.parametrize("size", IDLE_LATENCY)
def test_an_idle_core_forwards_a_packet_in_the_published_cycles(size: int) -> None:
    image = Executable.load(build("rosebud/forward", card=Rosebud(rpus=1).firmware_map()).path)
    card = Rosebud(rpus=1, image=image)
    plans = plan_traffic((f"udp:{size - 42}:tx@987kpps",), frames=None, seed=1, largest_frame=9000)
    simulation = simulate(GeneratedTraffic(tx=plans.tx, rx=plans.rx).insert(card))
    load_image(simulation, image, card)
    mover = card.rpu[0].mover
    recorder = simulation.record(mover.input, mover.output)
    simulation.run(cycles=20_000, of="core")
    came, left = (recorder.transfers(port) for port in (mover.input, mover.output))
    cycles = [out.cycle - into.cycle for into, out in zip(came, left, strict=False)]
    # Frames that come while the firmware sets its slots follow each other.
    cycles = cycles[3:]
    least, most = IDLE_LATENCY[size]
    assert len(cycles) > 50
    assert least <= min(cycles) <= max(cycles) <= most
    assert sum(cycles) / len(cycles) == pytest.approx((least + most) / 2, abs=1)
