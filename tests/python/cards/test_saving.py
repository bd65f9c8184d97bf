"""A checkpoint holds the whole state: a simulation that is restored from it saves the same bytes."""

from typing import Any

import pytest

from spinach_nic import Time, ms, us
from spinach_nic.runs import execute

RUNS: dict[str, tuple[str, Time, dict[str, Any]]] = {
    "tengig": ("tengig", us(150), {"traffic": "udp:200,1472"}),
    "functional cores": ("tengig", us(150), {"set": {"core": "functional"}}),
    "composed cores": ("tengig", us(60), {"set": {"core": "composed", "cores": 1}}),
    "vliw cores": ("tengig", us(60), {"set": {"core": "vliw", "cores": 2}}),
    "rv32": ("tengig", us(100), {"set": {"instruction_set": "rv32"}}),
    "faults of the wire": ("tengig", us(150), {"traffic": "udp:200:rx,bad_crc=5%,duplicated=5%,delayed=5%"}),
    "tigon2": ("tigon2", ms(3), {"traffic": "udp:200,1472"}),
    "ricenic": ("ricenic", us(900), {"traffic": "udp:200,1472"}),
    "split": ("ricenic", us(900), {"firmware": "split"}),
    "cdna": ("ricenic", ms(2), {"firmware": "cdna"}),
    "hundredgig": ("hundredgig", us(30), {"traffic": "udp:200,1472"}),
    "packed rings": ("hundredgig", us(30), {"traffic": "udp:200,1472", "set": {"rings": "packed"}}),
    "rosebud": ("rosebud", us(20), {}),
    "rosebud by hash": ("rosebud", us(20), {"set": {"balancer": "hash_dropping", "rpus": 4}}),
    "rosebud with the firewall": (
        "rosebud",
        us(20),
        {"firmware": "firewall", "set": {"rpus": 4, "prefixes": "documentation"}},
    ),
    "sinic": ("sinic", us(100), {}),
    "dp83820": ("dp83820", us(100), {}),
    "nat": ("ricenic", us(900), {"firmware": "nat"}),
}


@pytest.mark.parametrize("name", list(RUNS))
def test_a_restored_simulation_saves_the_same_bytes(name: str) -> None:
    nic, time, options = RUNS[name]
    saved, other = (execute(nic, time=end, **options).session.simulation for end in (time, time / 2))
    assert other.now < saved.now
    checkpoint = saved.checkpoint()
    # Nothing of the state of the other one may be left.
    assert other.checkpoint() != checkpoint
    other.restore(checkpoint)
    assert other.checkpoint() == checkpoint
