"""Frames of the 10 Gb/s NIC, by frame size and number of cores, to the last frame and nanosecond.

No figure here is right or wrong. A change of simulated behaviour or of the firmware shows as a difference to
review: `SPINACH_BLESS=1 .venv/bin/pytest tests/python/cards/test_tengig_snapshot.py` accepts it.
"""

from pathlib import Path

import pytest
from tests.python.cards.snapshots import assert_unchanged

from spinach_nic.experiments._tengig import hpca_nic
from spinach_nic.experiments.runner import Extent

SNAPSHOT = Path(__file__).with_name("tengig.snapshot.txt")
CORES = (1, 2, 6)
PAYLOADS = (18, 400, 1472)
SHORT = Extent("snapshot", share_of_frames=0.0)
HEADINGS = (
    *("cores", "payload", "tx frames/s", "rx frames/s", "rx dropped", "simulated ns", "instructions"),
    *("ipc", "miss", "load", "conflict", "pipeline"),
)


def measure(cores: int, payload: int) -> list[object]:
    """The row of a configuration: the default one, but for the number of cores and the size of frames."""
    nic = hpca_nic(SHORT, cores=cores, core_clock_mhz=166, payload=payload, firmware="rmw")
    result = nic.carry_out()
    mean = result.cores_mean
    assert mean is not None
    causes = [mean.cycles[cause] for cause in ("instruction_miss", "load", "conflict", "pipeline")]
    return [
        cores,
        payload,
        round(result.tx.rate("frames_per_s")),
        round(result.rx.rate("frames_per_s")),
        sum(sum(reasons.values()) for reasons in result.frames.dropped["rx"].values()),
        result.simulated_ns,
        result.instructions,
        *(f"{share:.3f}" for share in (mean.ipc, *causes)),
    ]


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_throughput_is_that_of_the_snapshot() -> None:
    rows = (measure(cores, payload) for cores in CORES for payload in PAYLOADS)
    assert_unchanged(SNAPSHOT, HEADINGS, rows)
