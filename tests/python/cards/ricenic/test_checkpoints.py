"""Checkpoints of a card with 256 MiB of memory: small, as most of it is zero, and whole."""

import pytest

from spinach_nic import ms, us
from spinach_nic.benches import GeneratedTraffic
from spinach_nic.cards.ricenic.nic import Ricenic
from spinach_nic.firmware import Executable, build
from spinach_nic.model.simulation import Simulation, simulate
from spinach_nic.runs.images import load_image
from spinach_nic.traffic import plan_traffic


def begun(firmware: str) -> Simulation:
    image = Executable.load(build(f"ricenic/{firmware}").path)
    plans = plan_traffic(["udp:18,1472,payloads=50@100kpps"], frames=None, seed=1, largest_frame=1514)
    card = Ricenic(image=image)
    bench = GeneratedTraffic(tx=plans.tx, rx=plans.rx).insert(card)
    simulation = simulate(bench)
    load_image(simulation, image, card)
    return simulation


# The card of the second keeps content, of which the host has a directory.
@pytest.mark.parametrize("firmware", ["base", "cache"])
def test_a_checkpoint_is_small_and_goes_on_as_if_nothing_had_been(firmware: str) -> None:
    first = begun(firmware)
    first.run(ms(1))
    saved = first.checkpoint()
    assert len(saved) < 4 << 20
    second = begun(firmware)
    second.restore(saved)
    assert second.checkpoint() == saved
    for simulation in (first, second):
        simulation.run(us(500))
    assert dict(first.statistics()) == dict(second.statistics())
    assert first.checkpoint() == second.checkpoint()
