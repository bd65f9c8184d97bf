"""Random configurations of the 10 Gb/s NIC under random traffic and trouble.

In half of them cores pause at random places of the firmware. The tests run a few; `make soak` runs as many as
requested, and prints the seed of any that fails:

    make soak FIRST=1 COUNT=500
    make soak NIC=tigon2
    make soak NIC=ricenic
    make soak NIC=rosebud
    make soak NIC=hundredgig
"""

import random
import sys
from collections.abc import Sequence
from typing import Any

from tests.python.cards.hundredgig import soak as hundredgig
from tests.python.cards.places import image_of, random_delays
from tests.python.cards.ricenic import soak as ricenic
from tests.python.cards.rosebud import soak as rosebud
from tests.python.cards.tigon2 import soak as tigon2
from tests.python.cards.trouble import (
    CAPTURE,
    IMAGES,
    NO_ROOM,
    OneCoreHalts,
    OneCoreIsSlow,
    assert_accounted,
    run_at_most,
    settings_for,
)

from spinach_nic import SpinachError
from spinach_nic.cards.tengig import Tengig
from spinach_nic.runs.result import Result

REASONS = (*NO_ROOM, "bad_check_sequence", "runt", "oversize")


def request(seed: int) -> dict[str, Any]:
    """Return the arguments of `run` for this seed."""
    chance = random.Random(seed)
    nic, trouble = _trouble(chance)
    largest_payload = chance.choice([1472, 1472, 1472, 8972])
    settings = (
        trouble
        | card_settings(chance, (1, 2, 3, 6, 8) if nic is Tengig else (2, 6))
        | {"largest_frame": largest_payload + 42}
        | _host(chance, largest_payload)
    )
    traffic = _traffic(chance, largest_payload)
    firmware = chance.choice(IMAGES)
    return {
        "nic": nic,
        "set": settings_for(firmware, settings),
        "traffic": traffic,
        "firmware": firmware,
        "frames": chance.randrange(1, 400),
        "seed": seed,
        "delays": random_delays(seed, image_of(Tengig, firmware), settings["cores"]),
    }


def card_settings(chance: random.Random, cores: Sequence[int] = (1, 2, 3, 6, 8)) -> dict[str, Any]:
    """Parameters of `tengig` in any bench."""
    return {
        "cores": chance.choice(cores),
        "core_clock": f"{chance.choice([100, 166, 175, 200, 333])}MHz",
        "banks": chance.choice([1, 2, 4, 8]),
        "store_buffer": chance.choice([0, 1, 2]),
        "interconnect": chance.choice(["unlimited", "unlimited", "pcix_133", "pcie_x4", "pcie_x8"]),
        "send_coalescing": chance.choice([1, 8, 32]),
        "receive_coalescing": chance.choice([1, 8, 32]),
        "first_index": chance.choice([0, chance.randrange(2**32), 2**32 - chance.randrange(1, 400)]),
    }


def _trouble(chance: random.Random) -> tuple[type[Tengig], dict[str, Any]]:
    """Return the NIC and its troubles."""
    nic = chance.choice([Tengig, Tengig, Tengig, OneCoreHalts, OneCoreIsSlow])
    if nic is Tengig:
        return nic, {}
    settings = {"victim": chance.randrange(2)}
    if nic is OneCoreHalts:
        settings |= {"after": chance.randrange(1, 60), "steps": chance.randrange(1, 200)}
    return nic, settings


def _host(chance: random.Random, largest_payload: int) -> dict[str, Any]:
    """A host with rings of any size, that pauses, and that writes its mailboxes more or less often."""
    pauses = sorted(chance.sample(range(20, 600), chance.choice([0, 0, 1, 3])))
    lengths = [chance.choice([chance.randrange(1, 40), chance.randrange(500, 3000)]) for _ in pauses]
    return {
        "host_latency": f"{chance.choice([0, 1, 20])}us",
        "host.pauses_us": tuple(part for pause in zip(pauses, lengths, strict=True) for part in pause),
        "host.send_entries": 2 ** chance.choice([1, 3, 9, 9, 9, 12]),
        "host.receive_entries": 2 ** chance.choice([0, 2, 9, 9, 9, 12]),
        "host.receive_buffer": f"{largest_payload + 64}B",
        "host.mailbox_storm": chance.choice([0, 0, 0, 1, 10]),
    }


def _traffic(chance: random.Random, largest_payload: int) -> list[str]:
    sizes = [chance.randrange(18, largest_payload + 1) for _ in range(2)]
    mix = ",".join(str(chance.randrange(18, largest_payload + 1)) for _ in range(40))
    faults = chance.choice(["", "", ",bad_crc=5%,runt=2%,oversize=2%", ",bad_crc=30%,runt=30%,oversize=30%"])
    return chance.choice(
        [
            ["imix:tx", f"imix:rx{faults}"],
            [f"udp:{mix}:tx", f"udp:{mix}:rx{faults}"],
            [f"udp:{sizes[0]}:tx", f"udp:{sizes[1]}:rx{faults}"],
            [f"udp:{sizes[0]}:tx@2Gbps", f"udp:{sizes[1]}:rx@500kpps{faults}"],
            [f"udp:{sizes[0]}:rx{faults}"],
            [f"udp:{sizes[0]}:tx"],
            [f"pcap:{CAPTURE}:tx", f"pcap:{CAPTURE}:rx{faults}"],
        ]
    )


def soak(seed: int, most_frames: int = sys.maxsize) -> Result:
    """Run what the seed says, with at most `most_frames` frames each way.

    A frame that is lost, damaged or out of order raises an error.
    """
    result = run_at_most(most_frames, request(seed))
    assert_accounted(result, *REASONS)
    return result


def main() -> int:
    """Run a NIC with consecutive seeds from the first on, given as arguments."""
    requested, run_seed = {
        "hundredgig": (hundredgig.request, hundredgig.soak),
        "ricenic": (ricenic.request, ricenic.soak),
        "rosebud": (rosebud.request, rosebud.soak),
        "tengig": (request, soak),
        "tigon2": (tigon2.request, tigon2.soak),
    }[sys.argv[1]]
    first, count = (int(argument) for argument in sys.argv[2:4])
    for seed in range(first, first + count):
        try:
            result = run_seed(seed)
        except (SpinachError, AssertionError) as error:
            sys.stdout.write(f"seed {seed} fails: {error}\n{requested(seed)}\n")
            return 1
        delivered = result.frames.delivered
        sys.stdout.write(f"seed {seed}: {delivered['tx']} frames sent, {delivered['rx']} received\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
