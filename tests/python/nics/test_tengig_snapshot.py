"""What the 10 Gb/s NIC carries, by frame size and number of cores, to the last frame and nanosecond.

No figure here is right or wrong. A change of simulated behaviour or of the firmware shows as a difference that a
person reviews: `SPINACH_BLESS=1 .venv/bin/pytest tests/python/nics/test_tengig_snapshot.py` accepts it.
"""

import os
from pathlib import Path

import pytest

from spinach_nic.experiments._tengig import rmw_enhanced
from spinach_nic.reproduction import Extent
from spinach_nic.result import Result
from spinach_nic.running import run

SNAPSHOT = Path(__file__).with_name("tengig.snapshot.txt")
CORES = (1, 2, 6)
PAYLOADS = (18, 400, 1472)
SHORT = Extent("snapshot", share_of_frames=0.0)
HEADINGS = "cores payload tx_frames/s rx_frames/s rx_dropped    ns instructions   ipc  miss  load  conflict  pipeline"


def line(cores: int, payload: int, result: Result) -> str:
    """What a run did, as a row of the snapshot."""
    assert result.cores_mean is not None
    cycles = result.cores_mean.cycles
    dropped = sum(sum(reasons.values()) for reasons in result.frames.dropped["rx"].values())
    return (
        f"{cores:5} {payload:7} {result.tx.frames_per_s:11.0f} {result.rx.frames_per_s:11.0f} {dropped:10} "
        f"{result.simulated_ns:8} {result.instructions:9} {result.cores_mean.ipc:.3f} "
        f"{cycles['instruction_miss']:.3f} {cycles['load']:.3f}     {cycles['conflict']:.3f}     {cycles['pipeline']:.3f}"
    )


def measure(cores: int, payload: int) -> str:
    """The row of a configuration: the default one, but for the number of cores and the size of frames."""
    frames = rmw_enhanced(SHORT, payload)
    count = {"tx": frames.tx_frames, "rx": frames.rx_frames}
    return line(cores, payload, run("tengig", traffic=f"udp:{payload}", frames=count, set={"cores": cores}))


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_throughput_is_that_of_the_snapshot() -> None:
    rows = [measure(cores, payload) for cores in CORES for payload in PAYLOADS]
    text = "\n".join([HEADINGS, *rows]) + "\n"
    if os.environ.get("SPINACH_BLESS"):
        SNAPSHOT.write_text(text, encoding="utf-8")
    assert text == SNAPSHOT.read_text(encoding="utf-8"), "SPINACH_BLESS=1 accepts what came out"
