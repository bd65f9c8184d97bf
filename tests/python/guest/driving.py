"""A guest that sends bytes through its card and takes others, each with their checksum, and its peer."""

import hashlib
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import which

import pytest
from tests.python.conftest import Started
from tests.python.namespaces import namespaces, own

SPACE, DEVICE = own("g"), own("t")
BYTES = int(os.environ.get("SPINACH_GUEST_BYTES", "200000"))
"""Each way; `make soak-guests` asks for more."""
PATIENCE_S = 300 + BYTES // 20_000
NEEDED = ("qemu-system-x86_64", "busybox", "cpio", "ip")

_GUEST = """
mkfifo /tmp/copy
sha256sum < /tmp/copy > /tmp/sum &
until ping -c 1 -W 1 10.0.0.1 > /dev/null; do :; done
head -c {bytes} /dev/urandom | tee /tmp/copy | nc 10.0.0.1 9000
wait
echo sent $(cat /tmp/sum)
echo taken $(nc 10.0.0.1 9001 < /dev/null | sha256sum)
"""
"""Nothing is kept: the memory of the guest has no room for a soak."""
_PEER = """
import hashlib, random, socket
listeners = [socket.create_server(("10.0.0.1", port)) for port in (9000, 9001)]
print("listening", flush=True)
peer, _ = listeners[0].accept()
received = b"".join(iter(lambda: peer.recv(65536), b""))
print(hashlib.sha256(received).hexdigest(), flush=True)
peer.close()
peer, _ = listeners[1].accept()
peer.sendall(random.Random(5).randbytes({bytes}))
peer.close()
"""


_NOISE = """
import socket, time
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
while True:
    try:
        sender.sendto(bytes(700), ("10.0.0.2", 9))
    except OSError:
        pass  # there is no way to the guest yet, or none any more
    time.sleep(0.01)
"""


def needs(*, missing: Sequence[str]) -> None:
    """Skip where programs or what else is missing, or where no TAP device can be made."""
    gone = [*(program for program in NEEDED if which(program) is None), *missing]
    if gone:
        pytest.skip(f"needs {', '.join(gone)}")
    if os.geteuid() != 0:
        pytest.skip("needs root, to make a TAP device and a network namespace")


def a_space() -> Iterator[None]:
    """A network namespace, for as long as the test lasts."""
    with namespaces(SPACE):
        yield


def kernels() -> list[str]:
    """The versions of the kernels of the distribution."""
    return [path.name.removeprefix("vmlinuz-") for path in Path("/boot").glob("vmlinuz-*")]


def bring_up() -> None:
    """Put the device into its namespace and give it an address."""
    for words in (
        ["link", "set", DEVICE, "netns", SPACE],
        ["-n", SPACE, "addr", "add", "10.0.0.1/24", "dev", DEVICE],
        ["-n", SPACE, "link", "set", DEVICE, "mtu", "9000", "up"],
    ):
        subprocess.run(["ip", *words], check=True, capture_output=True, timeout=10)


def exchange(started: Started, nic: str, *options: str, further: str = "", is_noisy: bool = False) -> str:
    """Let a guest send and receive, and see that the bytes are the same at both ends.

    Args:
        started: Starts the processes.
        nic: The card.
        options: Options of `spinach attach`.
        further: Commands of the guest at the end.
        is_noisy: True to send the guest unrelated datagrams all the time.

    Returns:
        Output of the guest and of the command.
    """
    script = guest_script(further)
    # The device is made first, so that it is in its namespace before the guest looks for its peer.
    process = started.spinach("attach", nic, "--wire", f"tap:{DEVICE}", "--script", script, *options)
    said = converse(started, process, is_noisy=is_noisy)
    assert "accesses of the guest" in said
    return said


def guest_script(further: str) -> str:
    """Return what the guest does."""
    return _GUEST.format(bytes=BYTES) + further


def converse(started: Started, process: subprocess.Popen[str], *, is_noisy: bool = False) -> str:
    """Be the peer of the guest on whose console `process` prints; return what it printed."""
    while not Path("/sys/class/net", DEVICE).exists():
        assert process.poll() is None, process.communicate()
    bring_up()
    program = _PEER.format(bytes=BYTES)
    peer = started("ip", "netns", "exec", SPACE, sys.executable, "-c", program)
    if is_noisy:
        started("ip", "netns", "exec", SPACE, sys.executable, "-c", _NOISE)
    said, complaints = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, (said, complaints)
    heard, _ = peer.communicate(timeout=10)
    sums = {line.split()[0]: line.split()[1] for line in said.splitlines() if line[:5] in ("sent ", "taken")}
    assert heard.split() == ["listening", sums["sent"]]
    assert sums["taken"] == hashlib.sha256(random.Random(5).randbytes(BYTES)).hexdigest()
    return said
