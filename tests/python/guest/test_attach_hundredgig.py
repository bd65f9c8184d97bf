"""A guest of QEMU drives hundredgig with the driver `virtio_net` of the distribution."""

import re
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest
from tests.python.conftest import Started
from tests.python.guest.driving import PATIENCE_S, a_space, exchange, kernels, needs


@pytest.fixture
def space() -> Iterator[None]:
    """Make a network namespace for as long as the test lasts."""
    has_driver = any(list(Path("/lib/modules", version).rglob("virtio_net.ko")) for version in kernels())
    missing = [] if has_driver else ["a kernel in /boot with the module virtio_net"]
    needs(missing=missing + ([] if which("ethtool") else ["ethtool"]))
    yield from a_space()


@pytest.mark.timeout(PATIENCE_S + 100)
@pytest.mark.usefixtures("space")
def test_linux_drives_the_card_with_its_own_driver(started: Started) -> None:
    again = (
        "ethtool -G eth0 rx 64 tx 32; ethtool -g eth0; ping -c 1 10.0.0.1 > /dev/null && echo resized; "
        "for time in $(seq 10); do ip link set eth0 down; ip link set eth0 up; done; "
        "ping -c 1 10.0.0.1 > /dev/null && echo up again; "
        "ip link set eth0 mtu 9000; ping -c 1 -s 8972 10.0.0.1 > /dev/null && echo jumbo frames pass; "
        "cat /sys/class/net/eth0/address; ethtool -k eth0 | grep rx-gro-hw; "
        "cd /sys/bus/pci/devices/*/virtio*/..; cat current_link_speed current_link_width max_link_width; "
        "cat reset_method; function=${PWD##*/}; cd /sys/bus/pci/drivers/virtio-pci; "
        "echo $function > unbind; echo 1 > ../../devices/$function/reset && echo function is reset; "
        "echo $function > bind; ip addr add 10.0.0.2/24 dev eth0; ip link set eth0 up; "
        "ping -c 1 10.0.0.1 > /dev/null && echo bound again; "
        "cd /; rmmod virtio_net; insmod /modules/*-virtio_net.ko; "
        "ip addr add 10.0.0.2/24 dev eth0; ip link set eth0 up; "
        "ping -c 1 10.0.0.1 > /dev/null && echo loaded again"
    )
    said = exchange(
        started,
        "hundredgig",
        "--set",
        "cores=2",
        "--set",
        "largest_frame=9018",
        "--set",
        "coalescing=firmware",
        "--program",
        "ethtool",
        further=f"{again}; cat /proc/interrupts",
    )
    # A vector for each of the two queues of each core, and one for changes of the configuration.
    messages = [line for line in said.splitlines() if "PCI-MSI" in line and "virtio" in line]
    assert len(messages) == 5
    assert int(messages[1].split()[1]) > 0
    # Linux resets each queue, and gives it a ring of another size.
    assert re.search(r"Current.*RX:\s+64\s.*TX:\s+32\s", said, re.DOTALL)
    assert "resized" in said
    assert "up again" in said
    assert "jumbo frames pass" in said
    assert "02:53:50:49:4e:41" in said
    assert re.search(r"^flr", said, re.MULTILINE)
    assert "function is reset" in said
    assert "bound again" in said
    assert "loaded again" in said
    assert "rx-gro-hw: on" in said
    # The capability of PCI Express says what `pcie_link` is, gen4x16.
    assert re.search(r"16\.0 GT/s PCIe\s+16\s+16\s", said)
