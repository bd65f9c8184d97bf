"""DPDK's driver of virtio, in a guest without driver in the kernel, drives hundredgig and echoes frames."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest
from tests.python.conftest import Started
from tests.python.guest.driving import DEVICE, PATIENCE_S, SPACE, a_space, kernels, needs

MODULES = "kernel/drivers/uio/uio.ko", "kernel/drivers/uio/uio_pci_generic.ko"
PLUGINS = "librte_net_virtio.so.*", "librte_mempool_ring.so.*"
UNBUFFERED = Path("/usr/libexec/coreutils/libstdbuf.so")
"""Library that makes programs print line by line."""
FRAMES = 60
"""Frames to the address of the card; as many go to another address."""

_GUEST = """
chmod 755 /  # DPDK refuses libraries below a folder that all may write
ip link set eth0 down
echo 0000:00:02.0 > /sys/bus/pci/drivers/virtio-pci/unbind
for module in {modules}; do insmod $module; done
echo 1af4 1041 > /sys/bus/pci/drivers/uio_pci_generic/new_id
mkdir -p /dev/hugepages /var/run
mount -t hugetlbfs none /dev/hugepages
echo 40 > /proc/sys/vm/nr_hugepages
await() {{
    for second in $(seq {patience}); do
        grep -q "$1" /tmp/said && return
        sleep 1
        echo show port stats 0
    done
}}
commands() {{
    printf 'set fwd macswap\nset promisc all off\nstart\n'
    await 'macswap packet forwarding'
    echo forwarding > /dev/console
    await 'TX-packets: {frames} '
    printf 'stop\nquit\n'
}}
export _STDBUF_O=L LD_PRELOAD={unbuffered}
commands | dpdk-testpmd --lcores '(0-1)@0' -m 64 --in-memory --no-telemetry -a 0000:00:02.0 {plugins} \\
    -- -i --total-num-mbufs=4096 --rxq=2 --txq=2 > /tmp/said 2>&1
cat /tmp/said
"""
_PEER = """
import random, socket
from scapy.all import IP, UDP, Ether, Raw
chance = random.Random(3)
card, peer, other = "02:53:50:49:4e:41", "02:00:00:00:00:01", "02:00:00:00:00:02"
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
wire.bind(({device!r}, 0))
wire.settimeout(60)
returned = 0
for number in range({frames}):
    payload = chance.randbytes(chance.randrange(18, 1400))
    packet = IP(src=f"10.0.0.{{100 + number}}", dst="10.0.0.2") / UDP() / Raw(payload)
    wire.send(bytes(Ether(src=peer, dst=other) / packet))
    wire.send(bytes(Ether(src=peer, dst=card) / packet))
    returned += wire.recv(65536) == bytes(Ether(src=card, dst=peer) / packet)
print(returned)
"""


@pytest.fixture
def space() -> Iterator[None]:
    """Make a network namespace for as long as the test lasts."""
    missing = [] if which("dpdk-testpmd") and UNBUFFERED.is_file() else ["dpdk-testpmd"]
    if not all(_modules(version) for version in kernels()[:1]):
        missing.append("a kernel in /boot with the module uio_pci_generic")
    needs(missing=missing)
    yield from a_space()


def _modules(version: str) -> list[Path]:
    paths = [Path("/lib/modules", version, name) for name in MODULES]
    return [path for path in paths if path.is_file()]


def _plugins() -> list[Path]:
    """Return the libraries that DPDK loads at run time."""
    return [sorted(Path("/usr/lib").glob(f"*/dpdk/pmds-*/{name}"))[0] for name in PLUGINS]


@pytest.mark.timeout(PATIENCE_S + 100)
@pytest.mark.usefixtures("space")
def test_dpdk_echoes_frames_through_the_card(started: Started, tmp_path: Path) -> None:
    version, document = kernels()[0], tmp_path / "result.json"
    files = [*_modules(version), *_plugins(), UNBUFFERED]
    script = _GUEST.format(
        modules=" ".join(map(str, _modules(version))),
        plugins=" ".join(f"-d {plugin}" for plugin in _plugins()),
        frames=FRAMES,
        patience=PATIENCE_S // 4,
        unbuffered=UNBUFFERED,
    )
    options = [word for name in ("dpdk-testpmd", *map(str, files)) for word in ("--program", name)]
    options += ["--set", "cores=2", "--json", str(document), "--wire", f"tap:{DEVICE}"]
    guest = started.spinach("attach", "hundredgig", "--script", script, *options)
    while not Path("/sys/class/net", DEVICE).exists():
        assert guest.poll() is None, guest.communicate()
    _bring_up()
    printed = ""
    assert guest.stdout is not None
    while "forwarding" not in printed:
        line = guest.stdout.readline()
        assert line, (printed, guest.communicate())
        printed += line
    program = _PEER.format(device=DEVICE, frames=FRAMES)
    peer = started("ip", "netns", "exec", SPACE, sys.executable, "-c", program)
    rest, complaints = guest.communicate(timeout=PATIENCE_S)
    assert guest.returncode == 0, (rest, complaints)
    heard, complaints = peer.communicate(timeout=10)
    assert heard.split() == [str(FRAMES)], (heard, complaints, rest)
    # Each pair of queues carries some of the flows; the filter drops frames to the other address.
    totals = re.findall(r"Accumulated.*?RX-packets: (\d+) .*?TX-packets: (\d+) ", rest, re.DOTALL)
    assert totals == [(str(FRAMES), str(FRAMES))], rest
    queues = re.findall(r"RX Port= 0/Queue= (\d) .*?\n\s+RX-packets: (\d+)", rest)
    assert [queue for queue, count in queues if int(count) > 0] == ["0", "1"], rest
    assert json.loads(document.read_text())["frames_received"] == 2 * FRAMES


def _bring_up() -> None:
    """Put the device into its namespace, where nothing but the peer sends."""
    for words in (
        ["ip", "link", "set", DEVICE, "netns", SPACE],
        ["ip", "netns", "exec", SPACE, "sysctl", "-qw", f"net.ipv6.conf.{DEVICE}.disable_ipv6=1"],
        ["ip", "-n", SPACE, "link", "set", DEVICE, "up"],
    ):
        subprocess.run(words, check=True, capture_output=True, timeout=10)
