"""Random configurations of the 10 Gb/s NIC under random traffic and trouble.

The tests run a few; `make soak` runs as many as asked for, and prints the seed of any that fails:

    make soak FIRST=1 COUNT=500
"""

import random
import sys
from typing import Any

from spinach_nic import SpinachError
from spinach_nic.result import Result
from spinach_nic.running import run


def request(seed: int) -> dict[str, Any]:
    """What to run for this seed: the arguments of `run`."""
    chance = random.Random(seed)
    pauses = sorted(chance.sample(range(20, 600), chance.choice([0, 0, 1, 3])))
    settings = {
        "cores": chance.choice([1, 2, 3, 6, 8]),
        "core_clock": f"{chance.choice([100, 166, 175, 200, 333])}MHz",
        "banks": chance.choice([1, 2, 4, 8]),
        "store_buffer": chance.choice([0, 1, 2]),
        "interconnect": chance.choice(["unlimited", "unlimited", "pcix_133", "pcie_x4", "pcie_x8"]),
        "host_latency": f"{chance.choice([0, 1, 20])}us",
        "send_coalescing": chance.choice([1, 8, 32]),
        "receive_coalescing": chance.choice([1, 8, 32]),
        "host.pauses_us": tuple(part for pause in pauses for part in (pause, chance.randrange(1, 40))),
    }
    sizes = [chance.randrange(18, 1473) for _ in range(2)]
    traffic = chance.choice(
        [
            ["imix"],
            [f"udp:{sizes[0]}"],
            [f"udp:{sizes[0]}:tx", f"udp:{sizes[1]}:rx"],
            [f"udp:{sizes[0]}:tx@2Gbps", f"udp:{sizes[1]}:rx@500kpps"],
            [f"udp:{sizes[0]}:rx"],
            [f"udp:{sizes[0]}:tx"],
        ]
    )
    return {
        "nic": "tengig",
        "set": settings,
        "traffic": traffic,
        "firmware": chance.choice(["base", "optimized", "rmw"]),
        "frames": chance.randrange(1, 400),
        "seed": seed,
    }


def soak(seed: int) -> Result:
    """Run what the seed says. A frame that is lost, damaged or out of order raises an error."""
    return run(**request(seed))


def main() -> int:
    """Run so many seeds from the first on; both are arguments."""
    first, count = (int(argument) for argument in sys.argv[1:3])
    for seed in range(first, first + count):
        try:
            result = soak(seed)
        except SpinachError as error:
            sys.stdout.write(f"seed {seed} fails: {error}\n{request(seed)}\n")
            return 1
        delivered = result.frames.delivered
        sys.stdout.write(f"seed {seed}: {delivered['tx']} frames sent, {delivered['rx']} received\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
