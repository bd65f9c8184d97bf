"""A guest of QEMU has the simulated Tigon-2, and Linux drives it with its own driver."""

import hashlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import jsonschema
import pytest
from tests.python.conftest import Started
from tests.python.namespaces import namespaces, own

from spinach_nic import SpinachError
from spinach_nic.attaching import linux_guest, replay_attached
from spinach_nic.attaching.result import SCHEMA_FILE
from spinach_nic.nics.attached import attached_card

SPACE, DEVICE = own("g"), own("t")
BYTES = 200_000
NEEDED = ("qemu-system-x86_64", "busybox", "cpio", "ip")

# What the guest does: it sends bytes and says their checksum, then takes bytes and says theirs.
SCRIPT = f"""
head -c {BYTES} /dev/urandom > /tmp/sent
echo sent $(sha256sum < /tmp/sent)
until ping -c 1 -W 1 10.0.0.1 > /dev/null; do :; done
nc 10.0.0.1 9000 < /tmp/sent
nc 10.0.0.1 9001 > /tmp/taken < /dev/null
echo taken $(sha256sum < /tmp/taken)
"""
PEER = """
import hashlib, random, socket
listeners = [socket.create_server(("10.0.0.1", port)) for port in (9000, 9001)]
print("listening", flush=True)
peer, _ = listeners[0].accept()
received = b"".join(iter(lambda: peer.recv(65536), b""))
print(hashlib.sha256(received).hexdigest(), flush=True)
peer.close()
peer, _ = listeners[1].accept()
peer.sendall(random.Random(5).randbytes(BYTES))
peer.close()
"""


def has_guest_kernel() -> bool:
    kernels = (path.name.removeprefix("vmlinuz-") for path in Path("/boot").glob("vmlinuz-*"))
    return any(list(Path("/lib/modules", version).rglob("acenic.ko")) for version in kernels)


@pytest.fixture
def space() -> Iterator[None]:
    """A network namespace, for as long as the test lasts."""
    missing = [program for program in NEEDED if which(program) is None]
    if missing or not has_guest_kernel():
        pytest.skip(f"needs {', '.join([*missing, 'a kernel in /boot with the module acenic'])}")
    if os.geteuid() != 0:
        pytest.skip("needs root, to make a TAP device and a network namespace")
    with namespaces(SPACE):
        yield


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, timeout=10)


# Each of the driver's 137,000 accesses waits for a processor, so that a busy machine takes minutes for it.
@pytest.mark.timeout(400)
@pytest.mark.usefixtures("space")
def test_linux_drives_the_card_with_its_own_driver(started: Started, tmp_path: Path) -> None:
    recording, document = str(tmp_path / "recording.pcapng"), tmp_path / "attached.json"
    options = ["--wire", f"tap:{DEVICE}", "--script", SCRIPT, "--record", recording, "--json", str(document)]
    # The device is made first, so that it is in its namespace before the guest looks for its peer.
    process = started.spinach("attach", "tigon2", *options)
    while not Path("/sys/class/net", DEVICE).exists():
        assert process.poll() is None, process.communicate()
    ip("link", "set", DEVICE, "netns", SPACE)
    ip("-n", SPACE, "addr", "add", "10.0.0.1/24", "dev", DEVICE)
    ip("-n", SPACE, "link", "set", DEVICE, "up")
    program = f"BYTES = {BYTES}\n{PEER}"
    peer = started("ip", "netns", "exec", SPACE, sys.executable, "-c", program)
    said, complaints = process.communicate(timeout=300)
    assert process.returncode == 0, (said, complaints)
    heard, _ = peer.communicate(timeout=10)
    sums = {line.split()[0]: line.split()[1] for line in said.splitlines() if line[:5] in ("sent ", "taken")}
    assert heard.split() == ["listening", sums["sent"]]
    assert sums["taken"] == hashlib.sha256(random.Random(5).randbytes(BYTES)).hexdigest()
    assert "accesses of the guest" in said
    schema = json.loads(SCHEMA_FILE.read_text())
    recorded = json.loads(document.read_text())
    jsonschema.validate(recorded, schema)
    assert recorded["complete"]
    assert recorded["interrupts"] > 0
    # Without guest and wire the card does the same again; with another card it would not.
    again = started.spinach("attach", "tigon2", "--replay", recording, "--json", "-")
    replayed, complaints = again.communicate(timeout=300)
    assert again.returncode == 0, complaints
    assert json.loads(replayed) | {"wall_s": 0} == recorded | {"wall_s": 0}
    other = ["--replay", recording, "--set", "card.core_clock=44MHz"]
    refused = started.spinach("attach", "tigon2", *other)
    _, complaints = refused.communicate(timeout=60)
    assert refused.returncode == 2
    assert "was recorded with card.core_clock" in complaints


def test_a_missing_driver_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SpinachError, match="has the driver acenic as a module") as raised:
        linux_guest(
            tmp_path,
            driver="acenic",
            firmware=tmp_path / "none",
            firmware_name="acenic/tg2.bin",
            address="10.0.0.2/24",
            script="",
            root=tmp_path,
        )
    assert "apt install" in raised.value.help


def test_a_card_that_no_guest_can_have_is_refused() -> None:
    with pytest.raises(SpinachError, match="no guest can have 'tengig'"):
        attached_card("tengig")


def test_a_recording_of_another_sort_is_refused(tmp_path: Path) -> None:
    capture = tmp_path / "no.pcapng"
    capture.write_bytes(b"nothing")
    with pytest.raises(SpinachError, match="cannot replay"):
        replay_attached(attached_card("tigon2"), capture)


def test_a_replay_takes_nothing_from_devices(started: Started, tmp_path: Path) -> None:
    refused = started.spinach("attach", "tigon2", "--replay", str(tmp_path / "any"), "--wire", "tap:any")
    _, complaints = refused.communicate(timeout=60)
    assert refused.returncode == 2
    assert "--wire has no effect" in complaints
