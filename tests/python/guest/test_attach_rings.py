"""Cards with rings in a guest: one driver for all, or one in the folder of the card."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.python.conftest import Started
from tests.python.guest.driving import PATIENCE_S, a_space, exchange, kernels, needs

from spinach_nic.starter import write_nic


@pytest.fixture
def space() -> Iterator[None]:
    """Make a network namespace for as long as the test lasts."""
    has_headers = any(Path("/lib/modules", version, "build/Makefile").exists() for version in kernels())
    needs(missing=[] if has_headers else ["a kernel in /boot with its headers"])
    yield from a_space()


@pytest.mark.timeout(PATIENCE_S + 100)
@pytest.mark.usefixtures("space")
@pytest.mark.parametrize("face", ["rings", "pci"])
def test_a_card_of_ones_own_enters_a_guest(started: Started, tmp_path: Path, face: str) -> None:
    nic, *_ = write_nic(tmp_path / "my-nic", face=face)
    module = {"rings": "spinach_rings", "pci": "my_nic"}[face]
    said = exchange(
        started, str(nic), further=f"grep -c ^{module} /proc/modules; cat /sys/class/net/eth0/speed"
    )
    assert "\n1\n1000\n" in said.replace("\r", "")


@pytest.mark.timeout(PATIENCE_S + 100)
@pytest.mark.usefixtures("space")
def test_frames_longer_than_usual_pass(started: Started) -> None:
    settings = ["--set", "core=functional", "--set", "largest_frame=9014"]
    further = "ip link set eth0 mtu 9000; ping -c 1 -s 1400 10.0.0.1; cat /sys/class/net/eth0/mtu"
    said = exchange(started, "tengig", *settings, further=further)
    assert "\n9000" in said
