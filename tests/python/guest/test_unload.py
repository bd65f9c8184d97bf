"""Linux unloads the driver of RiceNIC and loads it again, and resets the card by command."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest
from tests.python.conftest import Started
from tests.python.guest.driving import DEVICE, PATIENCE_S, a_space, bring_up, kernels, needs

TIMES, RESETS = int(os.environ.get("SPINACH_GUEST_RELOADS", "4")), 3
"""Times that the driver is loaded again, `make soak-guests` asks for ten; and resets."""
SCRIPT = f"""
until ping -c 1 -W 1 10.0.0.1 > /dev/null; do :; done
for number in $(seq {TIMES}); do
    rmmod spinach_rings || echo not unloaded
    insmod /modules/00-spinach_rings.ko
    ip link set eth0 up
    ip addr add 10.0.0.2/24 dev eth0
    until ping -c 1 -W 1 10.0.0.1 > /dev/null; do :; done
    echo loaded again
done
for number in $(seq {RESETS}); do
    ethtool --reset eth0 all > /dev/null || echo not reset
    until ping -c 1 -W 1 10.0.0.1 > /dev/null; do :; done
    echo reset
done
ethtool -S eth0
"""


@pytest.fixture
def space() -> Iterator[None]:
    """Make a network namespace for as long as the test lasts."""
    has_headers = any(Path("/lib/modules", one, "build/Makefile").exists() for one in kernels())
    missing = [] if which("ethtool") else ["ethtool"]
    needs(missing=missing if has_headers else [*missing, "a kernel in /boot with its headers"])
    yield from a_space()


def lines(said: str, line: str) -> int:
    return len(re.findall(rf"^{line}\s*$", said, re.MULTILINE))


@pytest.mark.timeout(PATIENCE_S + 100)
@pytest.mark.usefixtures("space")
def test_linux_loads_the_driver_again_and_resets_the_card(started: Started) -> None:
    options = ["--set", "core=functional", "--program", "ethtool", "--script", SCRIPT]
    process = started.spinach("attach", "ricenic", "--wire", f"tap:{DEVICE}", *options)
    while not Path("/sys/class/net", DEVICE).exists():
        assert process.poll() is None, process.communicate()
    bring_up()
    try:
        said, complaints = process.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        pytest.fail(f"the guest is not done: {process.communicate()}")
    assert process.returncode == 0, (said, complaints)
    assert (lines(said, "loaded again"), lines(said, "reset")) == (TIMES, RESETS), said
    assert "not " not in said
    counts = {name: int(count) for name, count in re.findall(r"^ +(\w+): (\d+)\s*$", said, re.MULTILINE)}
    assert counts["resets"] == RESETS
