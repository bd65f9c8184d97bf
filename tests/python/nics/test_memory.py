"""What a run takes does not grow with the number of frames."""

import subprocess
import sys

import pytest

MEASURE = """
import resource
import sys
from spinach_nic.running import run

def peak_kib(frames):
    run("tengig", traffic=sys.argv[1], frames=frames)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

few, many = int(sys.argv[2]), int(sys.argv[3])
print(peak_kib(few), peak_kib(many))
"""


def peaks_kib(traffic: str, few: int, many: int) -> tuple[int, int]:
    """The peak of resident memory after a run with few frames, and after another with many."""
    command = [sys.executable, "-c", MEASURE, traffic, str(few), str(many)]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    first, second = map(int, done.stdout.split())
    return first, second


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is in other units elsewhere")
def test_memory_stays_flat() -> None:
    # 4,000 frames more of 1472 bytes are 12 MB both ways: none of them stays.
    few, many = peaks_kib("udp:1472", 500, 4500)
    assert many < 300 * 1024
    assert many - few < 3 * 1024
