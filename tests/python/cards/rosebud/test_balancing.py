"""Balancers by flow hash keep the packets of a flow in order, and put the hash in front of packets."""

from collections import Counter
from pathlib import Path

import pytest
from tests.python.cards.rosebud.programs import Program

from spinach_nic import run, us

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
