"""A guest of QEMU drives the DP83820 with the driver `ns83820` of the distribution."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.python.conftest import Started
from tests.python.guest.driving import PATIENCE_S, a_space, exchange, kernels, needs


@pytest.fixture
def space() -> Iterator[None]:
    """Make a network namespace for as long as the test lasts."""
    has_driver = any(list(Path("/lib/modules", version).rglob("ns83820.ko")) for version in kernels())
    needs(missing=[] if has_driver else ["a kernel in /boot with the module ns83820"])
    yield from a_space()


@pytest.mark.timeout(PATIENCE_S + 100)
@pytest.mark.usefixtures("space")
def test_linux_drives_the_card_with_its_own_driver(started: Started) -> None:
    again = (
        "rmmod ns83820; insmod /modules/*-ns83820.ko; "
        "ip addr add 10.0.0.2/24 dev eth0; ip link set eth0 up; "
        "ping -c 1 10.0.0.1 > /dev/null && echo loaded again; "
        "cat /sys/class/net/eth0/address; dmesg | grep eth0"
    )
    said = exchange(started, "dp83820", further=again)
    assert "loaded again" in said
    assert "DP83820 v1.3: 02:00:00:00:00:01" in said
