"""Two cards at one cable, each with a scripted host."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spinach_nic import SpinachError, run
from spinach_nic.benches import BackToBack
from spinach_nic.cards import shipped_card
from spinach_nic.cards.base.card import Probes
from spinach_nic.cards.ricenic.nic import Ricenic
from spinach_nic.runs.execution import execute
from spinach_nic.starter import write_nic
from spinach_nic.traffic import Direction, FramePlan, Udp


class TwoKinds(BackToBack):
    """The 10 Gb/s NIC, and RiceNIC at the other end."""

    card_class = shipped_card("tengig")
    far_class = shipped_card("ricenic")


class OneKind(BackToBack):
    """RiceNIC twice."""

    card_class = far_class = shipped_card("ricenic")


class NoHost(BackToBack):
    """RiceNIC, and an end without a card."""

    card_class = shipped_card("ricenic")


@pytest.mark.parametrize("bench", [TwoKinds, OneKind])
def test_frames_pass_both_ways(bench: type[BackToBack]) -> None:
    # `run` raises where a frame is damaged, lost, doubled or out of order.
    result = run(bench, traffic="udp:1000", frames=150)
    assert result.frames.in_flight == {"tx": 0, "rx": 0}
    assert min(result.frames.delivered.values()) >= 150


def test_frames_are_lost_on_the_cable_and_counted() -> None:
    result = run(OneKind, traffic="udp:1000:rx,lost=10%", frames=200, set={"far.core_clock": "200MHz"})
    assert result.frames.dropped["rx"]["wire_faults"]["lost"] > 0
    assert result.config["far.core_clock"] == "200 MHz"
    assert result.config["core_clock"] == "300 MHz"


def test_a_card_of_ones_own_meets_another_in_a_file(tmp_path: Path) -> None:
    write_nic(tmp_path / "mine")
    bench = tmp_path / "both.py"
    bench.write_text(
        "from spinach_nic.benches import BackToBack, find_nic\n"
        "from spinach_nic.cards import shipped_card\n"
        "class Both(BackToBack):\n"
        f"    card_class = find_nic({str(tmp_path / 'mine/mine.py')!r})\n"
        "    far_class = shipped_card('ricenic')\n"
    )
    result = run(bench, frames=100, pcap_out=tmp_path / "frames.pcapng")
    assert result.firmware is not None
    assert result.firmware.name == "mine"
    assert result.complete


class Counting(Ricenic):
    """RiceNIC that counts what passes its MAC as discarded, for one reason both ways."""

    def probes(self) -> Probes:
        """Name the counters."""
        probes, card = super().probes(), self.card
        return replace(
            probes,
            tx=replace(probes.tx, discards={"passed": (card.mac_transmit, "frames")}),
            rx=replace(probes.rx, discards={"passed": (card.mac_receive, "frames")}),
        )


class TwoOfThem(BackToBack):
    """Two cards that discard for the same reason."""

    card_class = far_class = Counting


def test_discards_of_both_cards_for_one_reason_are_counted_apart() -> None:
    # The run fails: frames that have arrived count as discarded, too.
    result = execute(TwoOfThem, traffic="udp:1000", frames=20).result
    assert result.failure is not None
    places: dict[Direction, set[str]] = {
        "tx": {"card.mac_transmit", "far.card.mac_receive"},
        "rx": {"far.card.mac_transmit", "card.mac_receive"},
    }
    for way, expected in places.items():
        found = result.frames.dropped[way]
        assert set(found) == expected
        assert all(set(reasons) == {"passed"} for reasons in found.values())


def test_ends_of_a_cable_with_different_rates_are_noted() -> None:
    expected = (
        "the ends of the cable have different rates, 10 Gbps at Tengig, 1 Gbps at Ricenic: "
        "frames pass as by a lossless switch"
    )
    for bench, notes in ((TwoKinds, [expected]), (OneKind, [])):
        result = run(bench, traffic="udp:1000", frames=50)
        assert [note for note in result.notes if "cable" in note] == notes


class ToQueues(BackToBack):
    """The 10 Gb/s NIC, and a card whose queues keep the order of a flow only."""

    card_class = shipped_card("tengig")
    far_class = shipped_card("hundredgig")


class Queues(BackToBack):
    """The card with queues twice."""

    card_class = far_class = shipped_card("hundredgig")


@pytest.mark.parametrize(
    ("bench", "traffic", "settings"),
    [
        (ToQueues, "udp:1000,flows=4:rx@2Gbps", {"far.link_rate": "10Gbps"}),
        (Queues, "udp:1460,flows=2:rx@20Gbps", {"cores": 1, "far.cores": 2}),
        (Queues, "udp:1460,flows=2:tx@20Gbps", {"cores": 2, "far.cores": 1}),
    ],
)
def test_frames_of_a_card_with_queues_keep_the_order_of_flows(
    bench: type[BackToBack], traffic: str, settings: dict[str, Any]
) -> None:
    frames = run(bench, traffic=traffic, frames=300, set=settings).frames
    assert max(frames.delivered.values()) >= 300
    assert frames.reordered == {"tx": 0, "rx": 0}


@pytest.mark.parametrize(("far_pairs", "by_flow"), [(1, [False, False]), (2, [True, True])])
def test_cards_that_use_one_queue_keep_the_order_of_all_frames(far_pairs: int, by_flow: list[bool]) -> None:
    bench = Queues()
    for name, pairs in (("pairs", 1), ("far.pairs", far_pairs)):
        bench.set(name, pairs)
    bench.set("tx", FramePlan(Udp((18,)), count=10))
    bench.probes()
    assert bench.far is not None
    assert [host.parameters["receive_by_flow"] for host in (bench.host, bench.far.host)] == by_flow


@pytest.mark.parametrize(
    ("settings", "name"),
    [({"far.pause_frames": True}, "ignored_pauses"), ({"pause_frames": True}, "far_ignored_pauses")],
)
def test_pause_frames_that_a_card_does_not_obey_are_noted_and_counted(
    settings: dict[str, Any], name: str
) -> None:
    slow = {"core_clock": "100MHz", "cores": 1, "far.core_clock": "100MHz", "far.cores": 1}
    result = run(Queues, traffic="udp:18@5Gbps", frames=300, set=slow | settings)
    assert result.counters[name].value > 0
    assert result.frames.corrupted == {"tx": 0, "rx": 0}
    assert [note for note in result.notes if "sends pause frames" in note]
    both = run(
        Queues, traffic="udp:18@5Gbps", frames=300, set={"pause_frames": True, "far.pause_frames": True}
    )
    assert not [one for one in both.counters if "ignored" in one]
    assert not [note for note in both.notes if "sends pause frames" in note]


def test_an_empty_end_is_one_line() -> None:
    with pytest.raises(SpinachError, match="there is no card at the far end of NoHost"):
        run(NoHost, frames=10)
