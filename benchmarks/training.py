"""Training workload of `make tuned`, from which the compiler learns the frequent paths.

Both shipped NICs as people run them, and the other cores for a moment: what is never run here is laid out
as if it never ran.
"""

from collections.abc import Mapping

import spinach_nic
from spinach_nic import Time, us

RUNS: tuple[tuple[str, Mapping[str, str], Time], ...] = (
    ("tengig", {"cores": "6", "core_clock": "200MHz"}, us(1500)),
    ("tengig", {"core": "vliw"}, us(300)),
    ("tengig", {"core": "functional"}, us(300)),
    ("tengig", {"core": "composed"}, us(60)),
    ("tigon2", {}, us(4000)),
)

if __name__ == "__main__":
    for nic, settings, simulated in RUNS:
        spinach_nic.run(nic, set=settings, time=simulated)
