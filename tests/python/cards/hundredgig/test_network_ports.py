"""Several ports of the card form one aggregated link."""

from __future__ import annotations

import pytest

from spinach_nic import SpinachError, run
from spinach_nic.benches import BackToBack
from spinach_nic.cards import shipped_card
from spinach_nic.traffic import DIRECTIONS


def test_two_ports_carry_what_one_cannot() -> None:
    settings = {"cores": 8, "link_rate": "25Gbps", "network_ports": 2}
    result = run("hundredgig", traffic="udp:1472", frames=600, set=settings)
    for way in DIRECTIONS:
        assert 45 < getattr(result, way).rate("wire_gbps") <= 50
        assert result.frames.corrupted[way] == result.frames.reordered[way] == 0


@pytest.mark.parametrize("pairs", [1, 2])
def test_a_core_sends_by_its_port_and_receives_by_all(pairs: int) -> None:
    settings = {"cores": 2, "network_ports": 2, "pairs": pairs}
    result = run("hundredgig", traffic="udp:200,flows=500", frames=600, set=settings)

    def passed(verb: str) -> list[int]:
        return [result.counters[f"{verb}_by_port_{port}"].value for port in (0, 1)]

    sent, received = passed("sent"), passed("received")
    assert sum(sent) >= result.frames.delivered["tx"] >= 600
    assert sum(received) >= result.frames.delivered["rx"] >= 600
    assert min(received) > 200
    assert (sent[1] > 200) == (pairs == 2)
    assert (sent[1] == 0) == (pairs == 1)


@pytest.mark.parametrize("pauses", [False, True])
def test_a_card_with_two_ports_meets_one_with_one_port(pauses: bool) -> None:
    class Pair(BackToBack):
        card_class = far_class = shipped_card("hundredgig")

    settings = {"cores": 2, "far.cores": 1, "network_ports": 2, "link_rate": "25Gbps"}
    settings |= {"far.link_rate": "40Gbps", "pause_frames": pauses}
    result = run(Pair, traffic="udp:1000", frames=200, set=settings)
    for way in DIRECTIONS:
        assert result.frames.delivered[way] >= 200
        assert result.frames.corrupted[way] == 0


def test_an_overload_of_two_ports_waits_on_both_wires() -> None:
    settings = {"cores": 2, "network_ports": 2, "link_rate": "40Gbps", "core_clock": "500MHz"}
    lost = {}
    for pauses in (False, True):
        result = run("hundredgig", traffic="udp:18:rx", frames=300, set={**settings, "pause_frames": pauses})
        lost[pauses] = sum(reasons.get("no_buffer", 0) for reasons in result.frames.dropped["rx"].values())
    assert lost[False] > 100
    assert lost[True] == 0


def test_each_port_needs_a_core() -> None:
    with pytest.raises(SpinachError, match="network_ports = 2, but cores = 1"):
        run("hundredgig", frames=10, set={"cores": 1, "network_ports": 2})
