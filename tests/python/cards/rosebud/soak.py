"""Random configurations of Rosebud under random traffic, with all faults of the wire and a slow host.

The tests run a few; `make soak NIC=rosebud` runs as many as asked for.
"""

import random
import sys
from typing import Any

from tests.python.cards.trouble import CAPTURE, NONE, run_at_most

from spinach_nic.runs.result import Result

DROPS = {"full", "bad_check_sequence", "runt", "oversize", "no_slot"}
WIRE_DROPS = {"lost"}
IMAGES = ("forward", "forward", "count", "drop", "firewall", "pipeline")
FAULTS = (
    "",
    ",bad_crc=5%,runt=2%,oversize=2%",
    ",bad_crc=30%,runt=30%,oversize=30%",
    ",lost=5%,duplicated=5%,reordered=5%,delayed=2%",
)


def request(seed: int) -> dict[str, Any]:
    """Return the arguments of `run` for this seed."""
    chance = random.Random(seed)
    firmware = chance.choice(IMAGES)
    settings = _card(chance) | _image(chance, firmware)
    largest = settings["largest_frame"] - 42
    return {
        "nic": "rosebud",
        "set": settings,
        "traffic": _traffic(chance, largest),
        "firmware": firmware,
        "frames": chance.randrange(1, 400),
        "seed": seed,
    }


def _card(chance: random.Random) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "rpus": chance.choice([1, 2, 3, 4, 8, 12, 16]),
        "core_clock": f"{chance.choice([100, 250, 250, 400])}MHz",
        "slots": chance.choice([1, 2, 8, 16, 16, 32]),
        "sender_cycles": chance.choice([0, 5, 11, 11]),
        "port_fifo": chance.choice(["16KiB", "64KiB", "256KiB"]),
        "port_cycles": chance.choice([1, 2, 2, 7]),
        "port_choices": chance.choice([1, 1, 2]),
        "switch_bytes": chance.choice([16, 64, 64, 4096]),
        "switch_latency": chance.choice([0, 20, 20, 100]),
        "message_latency": chance.choice([0, 12, 12, 100]),
        "return_latency": chance.choice([1, 28, 28, 100]),
        "balancer": chance.choice(["round_robin", "round_robin", "hash", "hash_dropping"]),
        "largest_frame": chance.choice([600, 1514, 1514, 9000]),
    }
    if chance.random() < 0.4:
        slow = {"pcie_rate": chance.choice(["1Gbps", "113.7Gbps"])}
        settings |= {"host": True, "pcie_read_latency": chance.choice(["0us", "550ns", "20us"])} | slow
    return settings


def _image(chance: random.Random, firmware: str) -> dict[str, Any]:
    """Return what an image asks of the card."""
    if firmware == "firewall":
        return {"prefixes": "documentation"}
    if firmware == "pipeline":
        # Packets between cores have a slot at each end; the order of a flow follows the second.
        rpus = chance.choice([2, 4, 8])
        return {"rpus": rpus, "receivers": (1 << rpus // 2) - 1, "slots": 16, "balancer": "round_robin"}
    return {}


def _traffic(chance: random.Random, largest: int) -> list[str]:
    sizes = [chance.randrange(18, largest + 1) for _ in range(2)]
    mix = ",".join(str(chance.randrange(18, largest + 1)) for _ in range(10))
    flows = chance.choice(["", ",flows=1", ",flows=64,source_port_step=7,source_address_step=3"])
    rate = chance.choice(["", "@100Gbps", "@3Gbps", "@500kpps"])
    faults = chance.choice(FAULTS)
    return chance.choice(
        [
            [f"udp:{mix}{flows}:tx{rate}", f"udp:{mix}{flows}:rx{rate}{faults}"],
            [f"udp:{sizes[0]}{flows}:tx", f"udp:{sizes[1]}{flows}:rx{faults}"],
            [f"udp:{sizes[0]}{flows}:rx{rate}{faults}"],
            [f"udp:{sizes[0]}{flows}:tx{rate}"],
            [f"pcap:{CAPTURE}:tx", f"pcap:{CAPTURE}:rx{faults}"],
        ]
    )


def assert_accounted(result: Result) -> None:
    """Nothing is wrong, nothing is left inside, and every drop has its place and reason."""
    frames = result.frames
    assert frames.corrupted == NONE
    assert frames.in_flight == NONE
    for places in frames.dropped.values():
        for place, reasons in places.items():
            by_firmware = {reason for reason in reasons if reason.startswith("discarded_by_core_")}
            assert by_firmware == set() or ".mover" in place
            assert set(reasons) - by_firmware <= DROPS | WIRE_DROPS


def soak(seed: int, most_frames: int = sys.maxsize) -> Result:
    """Run what the seed says, with at most `most_frames` frames each way.

    A frame that is lost, damaged or out of order raises an error.
    """
    result = run_at_most(most_frames, request(seed))
    assert_accounted(result)
    return result
