"""Random configurations of the Tigon-2 under random traffic, with faults on the wire.

The tests run a few; `make soak NIC=tigon2` runs as many as asked for.
"""

import random
import sys
from typing import Any

from tests.python.cards.places import image_of, random_delays
from tests.python.cards.trouble import CAPTURE, NO_ROOM, NONE, assert_nothing_wrong, run_at_most

from spinach_nic.cards.tigon2 import Tigon2
from spinach_nic.runs.result import Result

REASONS = {
    # A core that pauses has not learned yet that all addresses are wanted.
    # A released-style image stops the MAC while it recovers from an overflow.
    "card.mac_receive": {*NO_ROOM, "bad_check_sequence", "oversize", "address", "stopped"},
    "host": {"damaged", "runt", "oversize"},
}


def request(seed: int) -> dict[str, Any]:
    """Return the arguments of `run` for this seed."""
    chance = random.Random(seed)
    largest_payload = chance.choice([558, 1472, 1472, 1472, 1476, 8972])
    settings = card_settings(chance) | _driver(chance, largest_payload)
    traffic = _traffic(chance, largest_payload)
    firmware = chance.choice(["uni", "parallel", "released-style"])
    return {
        "nic": "tigon2",
        "set": settings,
        "traffic": traffic,
        "firmware": firmware,
        "frames": chance.randrange(1, 150),
        "seed": seed,
        "delays": random_delays(seed, image_of(Tigon2, firmware), 2),
    }


def card_settings(chance: random.Random) -> dict[str, Any]:
    """Parameters of the card in any bench."""
    return {
        "core_clock": f"{chance.choice([66, 88, 88, 200])}MHz",
        "sram_clock": f"{chance.choice([50, 100, 100, 250])}MHz",
        "sram_size": chance.choice(["512KiB", "1MiB", "1MiB", "2MiB"]),
        "arbitration": chance.choice(["prioritized", "round_robin", "fixed_priority"]),
        "descriptor_memory": chance.choice([False, False, True]),
        "host_clock": f"{chance.choice([33, 66])}MHz",
    }


def _driver(chance: random.Random, largest_payload: int) -> dict[str, Any]:
    """A driver with rings of any size, that asks for this and that."""
    header_bytes = chance.choice([0, 14, 42, 59])
    return {
        "largest_frame": largest_payload + 42,
        "send_entries": chance.choice([128, 256, 512]),
        "send_ring_in_host": chance.choice([True, True, False]),
        "hardware_assist": chance.choice([False, False, True]),
        "negotiation": f"{chance.choice([20, 100, 100, 700])}us",
        "standard_buffers": chance.choice([1, 2, 16, 256, 511]),
        "jumbo_buffers": chance.choice([0, 0, 1, 64, 255]),
        "mini_buffers": chance.choice([0, 0, 1, 64, 1023]),
        "header_bytes": header_bytes,
        "header_offset": chance.randrange(8),
        "payload_offset": chance.randrange(8),
        "receive_offset": chance.randrange(8),
        "send_coalescing": chance.choice([1, 8, 32]),
        "receive_coalescing": chance.choice([1, 8, 32]),
        "send_ticks": chance.choice([1, 100, 1000]),
        "receive_ticks": chance.choice([1, 50, 1000]),
        "send_checksums": chance.choice([False, True]),
        "receive_checksums": chance.choice([False, True]),
        "vlan": chance.choice([False, True]),
        "keeps_bad_frames": chance.choice([False, True]),
    }


def _traffic(chance: random.Random, largest_payload: int) -> list[str]:
    mix = ",".join(str(chance.randrange(18, largest_payload + 1)) for _ in range(10))
    faults = chance.choice(["", ",bad_crc=5%,runt=2%,oversize=2%", ",bad_crc=30%,runt=30%,oversize=30%"])
    rate = chance.choice(["", "@300Mbps", "@30kpps"])
    return chance.choice(
        [
            [f"udp:{mix}:tx", f"udp:{mix}:rx{rate}{faults}"],
            [f"udp:{mix}:rx{rate}{faults}"],
            [f"udp:{mix}:tx{rate}"],
            [f"pcap:{CAPTURE}:tx", f"pcap:{CAPTURE}:rx{rate}{faults}"],
        ]
    )


def soak(seed: int, most_frames: int = sys.maxsize) -> Result:
    """Run what the seed says, with at most `most_frames` frames each way.

    A frame that is lost, damaged or out of order raises an error.
    """
    arguments = request(seed)
    result = run_at_most(most_frames, arguments)
    counts = result.frames
    assert_nothing_wrong(counts)
    assert counts.in_flight == NONE
    assert counts.dropped["tx"] == {}
    for place, numbers in counts.dropped["rx"].items():
        assert set(numbers) <= REASONS[place], (place, numbers)
        assert "stopped" not in numbers or arguments["firmware"] == "released-style"
    return result
