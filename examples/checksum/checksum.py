"""Checksums in firmware: a NIC that checks the IPv4 header of each frame it receives, and what that costs.

The hardware is that of the starter NIC, which `spinach new` writes; only the firmware is its own. It reads
the header out of frame memory, word by word, adds it up, and counts. Run it with
`python examples/checksum/checksum.py` or `spinach run` and that file.

Prints:
    headers_right: 270
    headers_wrong: 0
    without checks: 125 instructions and 260 cycles per frame received
    with checks: 182 instructions and 378 cycles per frame received
"""

from pathlib import Path

from spinach_nic.runs import execute
from spinach_nic.starter.starter import Starter


class Checksum(Starter):
    """The starter NIC with firmware that checks headers."""

    summary = "1 Gb/s NIC that checks IPv4 headers in firmware"
    firmware_root = Path(__file__).parent
    firmware_folder = "firmware"
    default_firmware = "checksum"


if __name__ == "__main__":
    without = execute(Starter, traffic="udp:300:rx@500Mbps", frames=200)
    with_checks = execute(Checksum, traffic="udp:300:rx@500Mbps", frames=200)
    image, session = with_checks.image, with_checks.session
    assert image is not None
    scratch_pad = session.probes.memories[1].banks[0]
    for name in ("headers_right", "headers_wrong"):
        word = session.simulation.read(scratch_pad, image.executable.symbol(name).address, 4)
        print(f"{name}: {int.from_bytes(word, 'big')}")
    for name, finished in (("without", without), ("with", with_checks)):
        task = finished.result.tasks["receive_frame"]
        cost = f"{task.instructions:.0f} instructions and {task.cycles:.0f} cycles"
        print(f"{name} checks: {cost} per frame received")
