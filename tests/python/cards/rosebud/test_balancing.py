"""Balancers by flow hash keep the packets of a flow in order, and put the hash in front of packets."""

from collections import Counter
from pathlib import Path

import pytest
from tests.python.cards.rosebud.programs import Program

from spinach_nic import KiB, SpinachError, run, us
from spinach_nic.traffic import UDP_HEADER_BYTES

SPREAD = "flows=256,source_port_step=7,source_address_step=3"
TAGS = """
volatile uint32_t tags[64], count;
int core_main(void) {
    set_slots(SLOTS);
    for (;;) {
        if (is_received()) {
            tags[count++ % 64] = *(volatile uint32_t *)(REGISTER(READ_RECEIVED_HIGH) - TAG_BYTES);
            take_received();
            send();
        }
    }
}
"""


@pytest.mark.parametrize("balancer", ["hash", "hash_dropping"])
def test_flows_stay_in_order_on_several_cores(balancer: str) -> None:
    result = run(
        "rosebud", traffic=f"udp:86,470,{SPREAD}", frames=3000, set={"rpus": 8, "balancer": balancer}
    )
    frames = result.frames
    assert sum(frames.reordered.values()) == sum(frames.corrupted.values()) == 0
    assert min(frames.delivered.values()) >= 3000


@pytest.mark.parametrize("rpus", [4, 8])
def test_a_core_gets_the_flows_whose_hash_names_it(rpus: int, tmp_path: Path) -> None:
    traffic = (f"udp:22,{SPREAD}:tx@10Gbps",)
    ran = Program(tmp_path, TAGS, traffic=traffic, rpus=rpus, balancer="hash").run(20_000)
    seen: Counter[int] = Counter()
    for core in range(rpus):
        for index in range(min(64, ran.word("count", core))):
            seen[core] += 1
            assert ran.word("tags", core, index) >> 14 & (rpus - 1) == core
    assert len(seen) == rpus


@pytest.mark.parametrize(("balancer", "size"), [("hash", 22), ("hash", 214), ("hash_dropping", 22)])
def test_ports_share_the_core_of_a_flow_equally(balancer: str, size: int) -> None:
    result = run(
        "rosebud",
        traffic=f"udp:{size},flows=1",
        time=us(60),
        set={"rpus": 8, "balancer": balancer, "port_fifo": "16 KiB"},
    )
    delivered = result.frames.delivered
    assert delivered["tx"] == pytest.approx(delivered["rx"], rel=0.02)
    assert sum(delivered.values()) > 200


# Fewer packets of an equal share, on the published RTL: 96 % with 128 bytes, 100 % with 256, 93 % with 300.
@pytest.mark.parametrize("balancer", ["hash", "hash_dropping"])
def test_ports_with_the_same_flows_share_their_clusters_equally(balancer: str) -> None:
    """Frames of both ports ask for the same cluster in the same cycle, and go first by turns."""
    result = run(
        "rosebud",
        traffic="udp:258,flows=4096,source_address_step=3,source_port_step=7",
        time=us(100),
        set={"rpus": 8, "balancer": balancer, "port_fifo": "16 KiB"},
    )
    delivered = result.frames.delivered
    assert delivered["tx"] == pytest.approx(delivered["rx"], rel=0.06)


@pytest.mark.parametrize("size", [128, 256, 300])
def test_ports_share_the_core_of_a_flow_if_packets_are_dropped(size: int) -> None:
    result = run(
        "rosebud",
        traffic=f"udp:{size - UDP_HEADER_BYTES},flows=1",
        time=us(60),
        set={"rpus": 8, "balancer": "hash_dropping", "port_fifo": "16 KiB"},
    )
    delivered = result.frames.delivered
    equal_share = sum(delivered.values()) / 2
    assert min(delivered.values()) >= equal_share / 2
    assert equal_share > 200


FORWARD = """
int core_main(void) {
    set_slots(SLOTS);
    for (;;) {
        if (is_received()) {
            take_received();
            send();
        }
    }
}
"""


def test_a_hash_chooses_a_core_five_cycles_after_its_frame_begins(tmp_path: Path) -> None:
    ran = Program(tmp_path, FORWARD, traffic=("udp:1472:tx@10Gbps",), rpus=4, balancer="hash").run(1000)
    given = ran.counter("load_balancer.frames")
    assert given > 0
    taken_at = None
    for cycle in range(1000):
        ran.run(1)
        if taken_at is None and ran.simulation.state(ran.card.load_balancer)["hashed"][0]["frames"]:
            taken_at = cycle
        if ran.counter("load_balancer.frames") > given:
            break
    assert taken_at is not None
    assert cycle - taken_at == 5


def test_frames_get_slots_while_those_before_them_wait(tmp_path: Path) -> None:
    # One cluster takes 64 bytes in a cycle, and 100 Gb/s are 50.
    ran = Program(tmp_path, FORWARD, traffic=(f"udp:1472,{SPREAD}",), rpus=4, balancer="hash").run(1000)
    waiting = []
    for _ in range(200):
        (port, _) = ran.run(1).simulation.state(ran.card.load_balancer)["hashed"]
        waiting += port["decided"]
    assert len(waiting) > 20
    assert all(frame["place"] for frame in waiting)


def test_frames_are_dropped_five_cycles_after_their_port_was_almost_full(tmp_path: Path) -> None:
    parameters = {"rpus": 1, "balancer": "hash_dropping", "port_fifo": KiB(16)}
    ran = Program(tmp_path, "int core_main(void) { for (;;) { } }", traffic=("udp:1472:tx",), **parameters)
    cycle, full_at = 0, None
    while not ran.run(1).counter("load_balancer.refused_port_0"):
        cycle += 1
        lines = ran.simulation.state(ran.card.port_fifo_of[0])["lines"]
        if full_at is None and lines >= 224:
            full_at = cycle
    assert full_at is not None
    # The balancer looks at the port in every second cycle.
    assert cycle + 1 - full_at in (6, 7)


def test_one_flow_fills_one_core_and_the_port_waits_or_drops() -> None:
    counts = {}
    for balancer in ("hash", "hash_dropping"):
        result = run(
            "rosebud",
            traffic="udp:86,flows=1:tx",
            time=us(60),
            set={"rpus": 8, "balancer": balancer, "port_fifo": "32 KiB"},
        )
        dropped = result.frames.dropped["tx"]
        counts[balancer] = {
            reason: number for place in dropped.values() for reason, number in place.items() if number
        }
        assert result.frames.reordered["tx"] == 0
    assert set(counts["hash"]) == {"full"}
    assert set(counts["hash_dropping"]) == {"no_slot"}
    assert counts["hash_dropping"]["no_slot"] == pytest.approx(counts["hash"]["full"], rel=0.2)


def test_a_hash_balancer_that_names_cores_without_packets_is_refused() -> None:
    given = {"rpus": 4, "balancer": "hash", "receivers": 0x3}
    with pytest.raises(SpinachError, match=r"receivers = 0x3 leaves out core 2") as refused:
        run("rosebud", traffic="udp:214,flows=64:tx@1Gbps", frames=10, set=given)
    assert "receivers=0" in refused.value.help
    for allowed in ({"receivers": 0xF}, {"receivers": 0x3, "balancer": "round_robin"}):
        assert run("rosebud", traffic="udp:214:tx@1Gbps", frames=10, set=given | allowed).complete


@pytest.mark.parametrize("rpus", [5, 13, 15])
def test_cores_that_form_no_clusters_are_refused(rpus: int) -> None:
    with pytest.raises(SpinachError, match=f"{rpus} is not a multiple of 4"):
        run("rosebud", frames=10, set={"rpus": rpus})
