"""A guest of stock QEMU is at the wire of a simulated card: a netdev `stream`, and a card of QEMU's own."""

import hashlib
import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest
from tests.python.conftest import Started
from tests.python.namespaces import namespaces, own

from spinach_nic import SpinachError
from spinach_nic.runs.guest import linux_guest

HOST = own("s")
BYTES = 200_000
PATIENCE_S = 120
SCRIPT = """
until ping -c 1 -W 1 10.0.0.1 > /dev/null; do :; done
wget -q -O /tmp/page http://10.0.0.1:8080/page
echo fetched $(sha256sum < /tmp/page)
"""


@pytest.fixture
def space() -> Iterator[None]:
    """A network namespace, for as long as the test lasts."""
    missing = [
        program for program in ("qemu-system-x86_64", "busybox", "cpio", "ip") if which(program) is None
    ]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    if os.geteuid() != 0:
        pytest.skip("needs root, to make a TAP device and a network namespace")
    with namespaces(HOST):
        yield


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, timeout=10)


@pytest.mark.timeout(2 * PATIENCE_S)
@pytest.mark.usefixtures("space")
def test_a_guest_at_the_wire_fetches_a_page(started: Started, tmp_path: Path) -> None:
    try:
        guest = linux_guest(
            tmp_path,
            driver="e1000",
            address="10.0.0.2/24",
            script=SCRIPT,
        )
    except SpinachError as error:
        pytest.skip(f"needs a guest: {error.message}")
    page = tmp_path / "page"
    page.write_bytes(random.Random(7).randbytes(BYTES))
    wire = tmp_path / "wire"
    options = [
        "--wire",
        f"stream:{wire}",
        "--host",
        f"tap:{HOST}",
        "--set",
        "cores=1",
        "--set",
        "core=functional",
    ]
    card = started.spinach("run", "tengig", *options, "--quiet")
    while not (wire.exists() and Path("/sys/class/net", HOST).exists()):
        assert card.poll() is None, card.communicate()
        time.sleep(0.05)
    ip("link", "set", HOST, "netns", HOST)
    ip("-n", HOST, "addr", "add", "10.0.0.1/24", "dev", HOST)
    ip("-n", HOST, "link", "set", HOST, "up")
    started("ip", "netns", "exec", HOST, "busybox", "httpd", "-f", "-p", "10.0.0.1:8080", "-h", str(tmp_path))
    system = ["-kernel", str(guest.kernel), "-initrd", str(guest.initial_files), "-append", guest.arguments]
    socket = f"stream,id=wire,server=off,addr.type=unix,addr.path={wire}"
    nothing_else = ["-nodefaults", "-display", "none", "-no-reboot", "-serial", "stdio"]
    network = ["-netdev", socket, "-device", "e1000,netdev=wire"]
    machine = started("qemu-system-x86_64", "-m", "256M", *nothing_else, *system, *network)
    said, complaints = machine.communicate(timeout=PATIENCE_S)
    assert f"fetched {hashlib.sha256(page.read_bytes()).hexdigest()}" in said, (said, complaints)
    card.send_signal(signal.SIGINT)
    card.communicate(timeout=30)
    assert card.returncode == 130
    assert not wire.exists()
