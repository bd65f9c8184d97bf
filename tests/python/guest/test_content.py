"""A program in a guest keeps content on RiceNIC, and sends it from there."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest
from tests.python.conftest import Started
from tests.python.guest.driving import DEVICE, PATIENCE_S, SPACE, a_space, bring_up, kernels, needs

PORT, BYTES, CHANGED, ROUNDS = 9000, 60_000, 7_000, 4
SOURCE = Path(__file__).with_name("send_content.c")
SCRIPT = """
until ping -c 1 -W 1 10.0.0.1 > /dev/null; do :; done
{program} 10.0.0.1 || poweroff -f
until ping -c 1 -W 1 10.0.0.1 > /dev/null; do :; done
ethtool -S eth0
"""
_PEER = f"""
import socket
peer, _ = socket.create_server(("10.0.0.1", {PORT})).accept()
print(b"".join(iter(lambda: peer.recv(65536), b"")).hex())
"""


@pytest.fixture
def space() -> Iterator[None]:
    """Make a network namespace for as long as the test lasts."""
    missing = (
        [] if any(Path("/lib/modules", one, "build/Makefile").exists() for one in kernels()) else ["headers"]
    )
    needs(missing=missing + [name for name in ("gcc", "ethtool") if which(name) is None])
    yield from a_space()


def content(count: int, seed: int = 0) -> bytes:
    """Return the bytes that the program in the guest writes."""
    return bytes(((i + seed) * 2654435761 & 0xFFFFFFFF) >> 13 & 0xFF for i in range(count))


@pytest.mark.timeout(PATIENCE_S + 100)
@pytest.mark.usefixtures("space")
def test_a_program_sends_content_from_the_card(started: Started, tmp_path: Path) -> None:
    program, document = tmp_path / "send_content", tmp_path / "attached.json"
    values = {"PORT": PORT, "COUNT": BYTES, "CHANGED": CHANGED, "ROUNDS": ROUNDS}
    defines = [f"-D{name}={value}" for name, value in values.items()]
    subprocess.run(["gcc", "-O1", "-Wall", "-Werror", *defines, "-o", program, SOURCE], check=True)
    options = [
        "--set",
        "core=functional",
        "--firmware",
        "cache",
        "--program",
        str(program),
        "--json",
        str(document),
    ]
    script = SCRIPT.format(program=program)
    process = started.spinach(
        "attach", "ricenic", "--wire", f"tap:{DEVICE}", "--script", script, "--program", "ethtool", *options
    )
    while not Path("/sys/class/net", DEVICE).exists():
        assert process.poll() is None, process.communicate()
    bring_up()
    peer = started("ip", "netns", "exec", SPACE, sys.executable, "-c", _PEER)
    said, complaints = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, (said, complaints)
    assert "content is written and sent" in said, (said, complaints)
    first = content(BYTES)
    last = first[:CHANGED] + first[:CHANGED] + first[2 * CHANGED :]
    heard, _ = peer.communicate(timeout=10)
    assert bytes.fromhex(heard) == first * (ROUNDS - 1) + last
    counts = {name: int(count) for name, count in re.findall(r"^ +(\w+): (\d+)\s*$", said, re.MULTILINE)}
    assert counts["content_sent"] > counts["content_kept"] > 0
    # Of each round but the first, the card reads headers only, and what was changed.
    assert BYTES < json.loads(document.read_text())["read_bytes"] < ROUNDS * BYTES // 2
