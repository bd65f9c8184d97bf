"""Random NICs with little to do, with and without what leaves out time in which cores only poll.

The tests run a few, `make fuzz` ten times as many as it is asked for. Every case that differs is named.
"""

import random
import sys
from collections.abc import Mapping
from typing import Any

from tests.python.cards.trouble import timeless

from spinach_nic.runs import execute
from spinach_nic.runs.profiling import profile_of


def request(seed: int) -> dict[str, Any]:
    """Return the arguments of `execute` for this seed."""
    chance = random.Random(seed)
    nic = chance.choice(["tengig"] * 4 + ["ricenic"])
    size, way = chance.choice([18, 100, 700, 1472]), chance.choice(["", ":tx", ":rx"])
    rate = chance.choice(["2kpps", "10Mbps", "50Mbps", "100Mbps", "300Mbps", "777Mbps"])
    return {
        "nic": nic,
        "set": _settings_of_tengig(chance) if nic == "tengig" else {},
        "traffic": f"udp:{size}{way}@{rate}",
        "frames": chance.randrange(2, 16),
    }


def _settings_of_tengig(chance: random.Random) -> Mapping[str, Any]:
    return {
        "cores": chance.randrange(1, 9),
        "core": chance.choice(["pipelined", "pipelined", "functional"]),
        "core_clock": f"{chance.choice([100, 137, 166, 200, 333])}MHz",
        "banks": chance.choice([1, 2, 3, 4, 5, 8]),
        "store_buffer": chance.choice([0, 1, 2]),
        "cache_size": chance.choice(["2KiB", "8KiB"]),
        "instruction_set": chance.choice(["mips", "mips", "rv32", "ppc405"]),
        "coalescing_time": chance.choice(["5us", "20us", "100us"]),
    }


def compare(arguments: Mapping[str, Any]) -> int:
    """Run these arguments of `execute` both ways: nothing may differ. How many cycles were left out."""

    def outcome(*, idle_skip: bool) -> tuple[int, Any, Any]:
        finished = execute(**arguments, idle_skip=idle_skip)
        skipped = finished.session.simulation.repeated_cycles()
        return skipped, timeless(finished.check()), profile_of(finished).functions

    skipped, *with_skips = outcome(idle_skip=True)
    none, *without = outcome(idle_skip=False)
    assert none == 0
    assert with_skips == without, f"{arguments} differ"
    return skipped


def main() -> int:
    """Run consecutive seeds from the first on, given as arguments."""
    first, count = (int(argument) for argument in sys.argv[1:3])
    differing = skipped = 0
    for seed in range(first, first + count):
        try:
            skipped += compare(request(seed))
        except AssertionError as error:
            differing += 1
            sys.stdout.write(f"seed {seed}: {error}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{count} quiet NICs: {differing} differ, {skipped} cycles were left out\n")
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())
