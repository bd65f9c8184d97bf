"""iperf3 of Debian measures streams between two servers with hundredgig."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.python.conftest import Started

from spinach_nic.servers import linux, root
from spinach_nic.servers.archive import archive, folder, program

PROGRAMS = {"sh": "dash", "iperf3": "iperf3", "sleep": "sleep"}
FOLDER = "/usr/lib/riscv64-linux-gnu"
LIBRARIES = (
    "ld-linux-riscv64-lp64d.so.1",
    *("libc.so.6", "libm.so.6", "libgcc_s.so.1", "libcrypto.so.3", "libssl.so.3"),
    *("libsctp.so.1", "libiperf.so.0", "libz.so.1", "libzstd.so.1"),
)


def debugfs(command: str) -> str:
    """Execute a command on the root file system of Debian."""
    words = ["debugfs", "-R", command, str(root.image())]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Return an initramfs with iperf3, a shell and their libraries."""
    if not root.image().exists():
        pytest.skip("there is no root file system of Debian: `make root` builds it")
    if shutil.which("debugfs") is None:
        pytest.skip("debugfs is not installed (Debian package e2fsprogs)")
    plain = re.findall(r"/\d+/100\d+/\d+/\d+/([^/]+)/", debugfs(f"ls -p {FOLDER}"))
    places = {f"bin/{name}": f"/usr/bin/{found}" for name, found in PROGRAMS.items()}
    for name in LIBRARIES:
        # A library may be a link to a file whose name begins in the same way.
        places[f"lib/{name}"] = f"{FOLDER}/{next(found for found in plain if found.startswith(name))}"
    entries = [folder("bin"), folder("lib")]
    for place, source in places.items():
        debugfs(f"dump {source} {tmp_path / 'one'}")
        entries.append(program(place, (tmp_path / "one").read_bytes()))
    made = tmp_path / "iperf3.cpio"
    made.write_bytes(archive(entries))
    return made


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("kernel")
def test_iperf3_measures_streams_between_two_servers(started: Started, files: Path) -> None:
    cards = ("--nodes=2", "--card=hundredgig", "--set=node[0].cores=1", "--set=node[1].cores=1")
    start = (f"--files={files}", f"--arguments={linux.ARGUMENTS} program=shell")
    process = started.spinach("boot", "rv64", *cards, *start, stdin=-1)
    # A conversation ends after a silence of 0.3 s, so iperf3 prints more often.
    typed = "sleep 0.05\niperf3 -c 10.0.0.2 -n 1M -P 2 -i 0.1\n@2 iperf3 -s -1 -i 0.1\n"
    printed, messages = process.communicate(typed, timeout=250)
    assert process.returncode == 0, messages
    assert "iperf Done." in printed, printed
    # The server reports the bytes of both streams that it has received.
    received = re.findall(r"2\| \[SUM\].* ([\d.]+) MBytes .*receiver", printed)
    assert [float(megabytes) >= 1 for megabytes in received] == [True], printed
