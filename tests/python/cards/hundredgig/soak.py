"""Random configurations of `hundredgig` under random traffic, with wire faults, slow hosts and queue resets.

The tests run a few; `make soak NIC=hundredgig` runs as many as asked for.
"""

import random
import sys
from typing import Any

from tests.python.cards.places import image_of, random_delays
from tests.python.cards.trouble import CAPTURE, NONE, run_at_most

from spinach_nic.cards.hundredgig import Hundredgig
from spinach_nic.runs.result import Result

DROPS = {
    "no_buffer",
    "fifo_full",
    "bad_check_sequence",
    "runt",
    "oversize",
    "driver_stopped",
    "filtered",
    "disabled",
}
FAULTS = (
    "",
    "",
    ",bad_crc=5%,runt=2%,oversize=2%",
    ",bad_crc=30%,runt=30%,oversize=30%",
)


def request(seed: int) -> dict[str, Any]:
    """Return the arguments of `run` for this seed."""
    chance = random.Random(seed)
    card = card_settings(chance)
    settings = card | _driver(chance)
    settings["pairs"] = chance.choice([0, 0, chance.randrange(1, settings["cores"] + 1)])
    settings["network_ports"] = min(settings["cores"], chance.choice([1, 1, 2, 4]))
    settings["ring_entries"] = min(settings["queue_size"], 2 ** chance.choice([1, 3, 6, 8, 8, 10]))
    return {
        "nic": "hundredgig",
        "set": settings,
        "traffic": _traffic(chance, settings["largest_frame"] - 42),
        "frames": chance.randrange(1, 400),
        "seed": seed,
        "delays": random_delays(seed, image_of(Hundredgig, "virtio", card), settings["cores"]),
    }


def card_settings(chance: random.Random) -> dict[str, Any]:
    """Parameters of the card in any bench."""
    return _engines(chance) | _pci_express(chance)


def _engines(chance: random.Random) -> dict[str, Any]:
    checksums = chance.choice(["hardware", "hardware", "firmware"])
    return {
        "cores": chance.choice([1, 2, 3, 4, 8, 8, 16, 33]),
        "core_clock": f"{chance.choice([100, 333, 1000, 1000, 2500])}MHz",
        "link_rate": f"{chance.choice([1, 10, 100, 100, 400])}Gbps",
        "fec_latency": f"{chance.choice([0, 0, 57, 1000])}ns",
        "queue_size": 2 ** chance.choice([3, 8, 8, 12]),
        "packed_rings": chance.choice([True, True, False]),
        "is_64_bit": chance.choice([True, False]),
        "checksums": checksums,
        "segmentation": chance.choice(["hardware", "hardware", "firmware", "none"]),
        "coalescing": "none" if checksums == "firmware" else chance.choice(["none", "firmware"]),
        "pause_frames": chance.choice([True, False, False]),
        "largest_frame": chance.choice([600, 1514, 1514, 9014]),
    }


def _pci_express(chance: random.Random) -> dict[str, Any]:
    """A link with tags and credits for some packets at least, or for all."""
    return {
        "pcie_link": chance.choice(["gen3x8", "gen4x16", "gen4x16", "gen5x8", "gen6x16"]),
        "pcie_rate": chance.choice(["0bps", "0bps", "0bps", "2Gbps"]),
        "pcie_payload": chance.choice(["128B", "256B", "256B", "4KiB"]),
        "pcie_read_request": chance.choice(["128B", "512B", "512B", "4KiB"]),
        "pcie_read_latency": f"{chance.choice([0, 550, 550, 20_000])}ns",
        "pcie_reads": chance.choice([1, 4, 64, 64]),
        "pcie_tags": chance.choice([0, 0, 0, 64]),
        "pcie_posted_headers": chance.choice([0, 0, 0, 1, 16]),
        "pcie_posted_data": chance.choice([0, 0, 0, 256]),
        "pcie_read_headers": chance.choice([0, 0, 0, 1, 16]),
        "interrupt_interval": f"{chance.choice([0, 0, 1, 30])}us",
    }


def _driver(chance: random.Random) -> dict[str, Any]:
    """A driver that is fast or slow, with any of the features, and that resets queues now and then."""
    return {
        "host_memory": "1GiB",
        "host_latency": f"{chance.choice([0, 1, 1, 50])}us",
        "poll_interval": f"{chance.choice([100, 1000, 1000, 20_000])}ns",
        "rings": chance.choice(["split", "packed"]),
        "large_sends": chance.choice([True, False]),
        "large_receives": chance.choice([True, False]),
        "event_index": chance.choice([True, False]),
        "messages": chance.choice([True, True, False]),
        "queue_resets": f"{chance.choice([0, 0, 0, 10, 50])}us",
    }


def _traffic(chance: random.Random, largest: int) -> list[str]:
    sizes = [chance.randrange(18, largest + 1) for _ in range(2)]
    mix = ",".join(str(chance.randrange(18, largest + 1)) for _ in range(10))
    flows = chance.choice(["", ",flows=1", ",flows=300"])
    rate = chance.choice(["", "", "@1Gbps", "@500kpps"])
    faults = chance.choice(FAULTS)
    segments = f"tcp:{chance.randrange(100, largest - 20)},push={chance.choice([1, 4, 44])}"
    return chance.choice(
        [
            [f"udp:{mix}{flows}:tx{rate}", f"udp:{mix}{flows}:rx{rate}{faults}"],
            [f"udp:{sizes[0]}{flows}:tx", f"udp:{sizes[1]}{flows}:rx{faults}"],
            [f"{segments}:tx{rate}", f"{segments}:rx{rate}{faults}"],
            [f"{segments}:tx"],
            [f"udp:{sizes[0]}{flows}:rx{rate}{faults}"],
            [f"udp:{sizes[0]}{flows}:tx{rate}"],
            [f"pcap:{CAPTURE}:tx", f"pcap:{CAPTURE}:rx{faults}"],
        ]
    )


def assert_accounted(result: Result) -> None:
    """Nothing is wrong, nothing is left inside, and every drop has its reason."""
    frames = result.frames
    for wrong in (frames.corrupted, frames.reordered, frames.duplicated, frames.in_flight):
        assert wrong == NONE, wrong
    for places in frames.dropped.values():
        for reasons in places.values():
            assert set(reasons) <= DROPS, reasons


def soak(seed: int, most_frames: int = sys.maxsize) -> Result:
    """Run what the seed says, with at most `most_frames` frames each way.

    A frame that is lost, damaged or out of order raises an error.
    """
    result = run_at_most(most_frames, request(seed))
    assert_accounted(result)
    return result
