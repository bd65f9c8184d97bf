"""Random configurations of RiceNIC under random traffic, with faults on the wire.

The tests run a few; `make soak NIC=ricenic` runs as many as asked for.
"""

import random
import sys
from typing import Any

from tests.python.cards.places import image_of, random_delays
from tests.python.cards.trouble import CAPTURE, NONE, assert_nothing_wrong, run_at_most

from spinach_nic.cards.ricenic.nic import Ricenic
from spinach_nic.runs import DEFAULT_STALL
from spinach_nic.runs.result import Result
from spinach_nic.support.units import Time, us

IMAGES = ("base", "split", "nat", "nat-split", "cache")
DROPPING = ("nat", "nat-split", "cdna")
"""The images that drop frames, and say why."""
REASONS = {"fifo_full", "no_buffer", "bad_check_sequence", "runt", "oversize"}


def request(seed: int) -> dict[str, Any]:
    """Return the arguments of `run` for this seed."""
    chance = random.Random(seed)
    if chance.random() < 0.25:
        return _of_guests(seed, chance)
    largest_payload = chance.choice([558, 1472, 1472, 1472, 8972])
    firmware = chance.choice(IMAGES)
    asked = card_settings(chance) | _host(chance, largest_payload)
    if firmware == "cache":
        asked |= {"content_cache": f"{chance.choice([0, 4, 64, 1024])}KiB"}
        asked["host.header_bytes"] = asked["host.header_bytes"] or 42
    return {
        "nic": "ricenic",
        "set": asked,
        "traffic": _traffic(chance, largest_payload),
        "firmware": firmware,
        "frames": chance.randrange(1, 150),
        "seed": seed,
        "delays": random_delays(seed, image_of(Ricenic, firmware), 2),
        "stall_after": DEFAULT_STALL + _until_announced(asked),
    }


def _of_guests(seed: int, chance: random.Random) -> dict[str, Any]:
    """Return the arguments for the image cdna: guests that share the card."""
    mix = ",".join(str(chance.randrange(18, 1461)) for _ in range(10))
    faults = chance.choice(["", ",bad_crc=5%,runt=2%,oversize=2%", ",bad_crc=30%,runt=30%,oversize=30%"])
    rate = chance.choice(["@50Mbps", "@10kpps", "@300Mbps"])
    settings = card_settings(chance) | {
        "guests": chance.choice([1, 2, 5, 16, 60]),
        "guest_buffer": chance.choice(["2KiB", "6KiB", "64KiB", "128KiB"]),
        "guest_entries": 2 ** chance.choice([1, 3, 8, 10]),
        "guest_period": chance.choice(["0us", "0us", "100us", "700us"]),
        "host_latency": f"{chance.choice([0, 1, 20])}us",
        "receive_coalescing": chance.choice([1, 8, 32]),
        "send_coalescing": chance.choice([1, 8, 32]),
        "coalescing_time": f"{chance.choice([1, 30, 200])}us",
    }
    kind = chance.choice(["udp", "tcp"])
    ways = [f"{kind}:{mix}:tx{rate}", f"{kind}:{mix}:rx{rate}{faults}"]
    return {
        "nic": "ricenic",
        "set": settings,
        "traffic": chance.choice([ways, ways[:1], ways[1:]]),
        "firmware": "cdna",
        "frames": chance.randrange(1, 150),
        "seed": seed,
        "delays": random_delays(seed, image_of(Ricenic, "cdna"), 1),
    }


def _until_announced(asked: dict[str, Any]) -> Time:
    """Return the time in which the host writes mailboxes, one word after the other.

    A nuisance of a host announces each buffer separately, and repeats that.
    """
    storm = asked["host.mailbox_storm"]
    entries = asked["host.receive_entries"] + asked["host.send_entries"]
    words = entries * (1 + storm) if storm else 1
    clocks = asked["sram_latency"] + asked["pci_overhead"] + 10
    return us(words * clocks // int(asked["host_clock"].removesuffix("MHz")))


def card_settings(chance: random.Random) -> dict[str, Any]:
    """Parameters of the card in any bench."""
    return {
        "core": chance.choice(["functional", "pipelined", "pipelined"]),
        "core_clock": f"{chance.choice([100, 300, 300, 400])}MHz",
        "bus_clock": f"{chance.choice([66, 100, 100, 133])}MHz",
        "host_clock": f"{chance.choice([33, 66])}MHz",
        "core_stages": chance.choice([1, 2, 4]),
        "ddr_column": chance.choice([2, 8, 30]),
        "bram_latency": chance.choice([1, 1, 4]),
        "sram_latency": chance.choice([1, 8, 60]),
        "bridge_stages": chance.choice([1, 3, 8]),
        "pci_burst": chance.choice(["64B", "512B", "2KiB"]),
        "pci_overhead": chance.choice([0, 16, 64]),
    }


def _host(chance: random.Random, largest_payload: int) -> dict[str, Any]:
    """A host with rings of any size, that pauses, and that writes its mailboxes more or less often."""
    pauses = sorted(chance.sample(range(20, 600), chance.choice([0, 0, 1, 3])))
    lengths = [chance.choice([chance.randrange(1, 40), chance.randrange(500, 3000)]) for _ in pauses]
    return {
        "largest_frame": largest_payload + 42,
        "checksums": chance.choice([True, True, False]),
        "send_coalescing": chance.choice([1, 8, 32]),
        "receive_coalescing": chance.choice([1, 8, 32]),
        "coalescing_time": f"{chance.choice([1, 30, 500])}us",
        "first_index": chance.choice([0, chance.randrange(2**32), 2**32 - chance.randrange(1, 200)]),
        "host_latency": f"{chance.choice([0, 1, 20])}us",
        "host.pauses_us": tuple(part for pause in zip(pauses, lengths, strict=True) for part in pause),
        "host.header_bytes": chance.choice([0, 14, 42, 59]),
        "host.send_entries": 2 ** chance.choice([1, 3, 9, 9, 12]),
        "host.receive_entries": 2 ** chance.choice([0, 2, 9, 9, 12]),
        "host.receive_buffer": f"{largest_payload + 64}B",
        "host.mailbox_storm": chance.choice([0, 0, 0, 1, 10]),
    }


def _traffic(chance: random.Random, largest_payload: int) -> list[str]:
    kind = chance.choice(["udp", "tcp"])
    mix = ",".join(str(chance.randrange(18, largest_payload - 20)) for _ in range(10))
    mix += chance.choice(["", ",payloads=3"])
    faults = chance.choice(["", ",bad_crc=5%,runt=2%,oversize=2%", ",bad_crc=30%,runt=30%,oversize=30%"])
    rate = chance.choice(["", "@300Mbps", "@30kpps"])
    return chance.choice(
        [
            [f"{kind}:{mix}:tx", f"{kind}:{mix}:rx{rate}{faults}"],
            [f"{kind}:{mix}:rx{rate}{faults}"],
            [f"{kind}:{mix}:tx{rate}"],
            [f"pcap:{CAPTURE}:tx", f"pcap:{CAPTURE}:rx{rate}{faults}"],
        ]
    )


def assert_accounted(result: Result) -> None:
    """Nothing is wrong, nothing is left inside, and frames were dropped by the MAC for its reasons."""
    counts = result.frames
    assert_nothing_wrong(counts)
    assert counts.in_flight == NONE
    own = {"card.tally"} if result.firmware is not None and result.firmware.name in DROPPING else set()
    assert set(counts.dropped["tx"]) <= own
    assert set(counts.dropped["rx"]) <= {"card.mac_receive"} | own
    assert set(counts.dropped["rx"].get("card.mac_receive", {})) <= REASONS


def soak(seed: int, most_frames: int = sys.maxsize) -> Result:
    """Run what the seed says, with at most `most_frames` frames each way.

    A frame that is lost, damaged or out of order raises an error.
    """
    result = run_at_most(most_frames, request(seed))
    assert_accounted(result)
    return result
