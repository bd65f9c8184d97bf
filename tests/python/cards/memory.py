"""Memory of runs of the 10 Gb/s NIC: a million frames take no more than ten thousand.

make soak-memory FRAMES=1000000
"""

import subprocess
import sys

# Not `ru_maxrss`: a new program inherits that from the process that started it.
MEASURE = """
import sys
from pathlib import Path
from spinach_nic.runs import run

run("tengig", traffic=sys.argv[1], frames=int(sys.argv[2]))
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
print(status["VmHWM"].split()[0])
"""
LIMIT_KIB = 300 * 1024
NOISE_KIB = 3 * 1024
"""Difference between two runs of the same length: allocators round, and threads come and go."""


def peak_kib(traffic: str, frames: int) -> int:
    """Return the peak of resident memory of a process that runs `frames` frames each way (Linux)."""
    command = [sys.executable, "-c", MEASURE, traffic, str(frames)]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    return int(done.stdout)


def main() -> int:
    """Compare a run of ten thousand frames with one of as many as asked for."""
    frames = int(sys.argv[1])
    few, many = (peak_kib("udp:18@600kpps", count) for count in (10_000, frames))
    sys.stdout.write(f"10,000 frames: {few:,} KiB; {frames:,} frames: {many:,} KiB\n")
    return int(many > LIMIT_KIB or many - few > NOISE_KIB)


if __name__ == "__main__":
    sys.exit(main())
