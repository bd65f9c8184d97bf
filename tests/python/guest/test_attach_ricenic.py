"""A QEMU guest drives the simulated RiceNIC with the project's driver."""

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest
from tests.python.conftest import Started
from tests.python.guest.driving import PATIENCE_S, a_space, exchange, kernels, needs

from spinach_nic import SpinachError
from spinach_nic.cards.base.drivers import RINGS
from spinach_nic.firmware import FirmwareError, build
from spinach_nic.runs.guest import Guest, attach, guest_bench, linux_guest, replay_attached

DOWN_AND_UP = """
cat /sys/class/net/eth0/speed
until [ $(cat /sys/class/net/eth0/statistics/rx_dropped) -gt 0 ]
do ip link set eth0 down; sleep 0.1; ip link set eth0 up
done
ip link set eth0 down; ip link set eth0 up
ip route add default dev eth0
until ping -c 1 -W 1 10.0.0.1 > /dev/null; do :; done; echo up again
ethtool -S eth0
ip link set eth0 mtu 9000
until ping -c 1 -W 3 -s 8972 10.0.0.1 > /dev/null; do :; done; echo jumbo frames pass
"""
"""Frames that came in while the interface was down are dropped when it comes up again, here under traffic."""
NO_GUEST = Guest(Path("none"), Path("none"))


@pytest.fixture
def space() -> Iterator[None]:
    """A network namespace, for as long as the test lasts."""
    has_headers = any(Path("/lib/modules", version, "build/Makefile").exists() for version in kernels())
    needs(missing=[] if has_headers else ["a kernel in /boot with its headers"])
    yield from a_space()


@pytest.mark.timeout(PATIENCE_S + 100)
@pytest.mark.usefixtures("space")
def test_a_driver_of_ours_drives_the_card(started: Started, tmp_path: Path) -> None:
    recording, document = str(tmp_path / "recording.pcapng"), tmp_path / "attached.json"
    needs(missing=[] if which("ethtool") else ["ethtool"])
    fast = ["--set", "core=functional", "--set", "largest_frame=9014"]
    options = [*fast, "--program", "ethtool", "--record", recording, "--json", str(document)]
    said = exchange(started, "ricenic", *options, further=DOWN_AND_UP, is_noisy=True)
    assert "\n1000" in said
    assert "up again" in said
    assert "jumbo frames pass" in said
    counts = {name: int(count) for name, count in re.findall(r"^ +(\w+): (\d+)\s*$", said, re.MULTILINE)}
    assert counts["checksums_wrong"] == 0
    assert min(counts[name] for name in ("interrupts", "send_doorbells", "checksums_right")) > 0
    recorded = json.loads(document.read_text())
    assert recorded["complete"]
    assert recorded["interrupts"] > 0
    assert recorded["firmware"]["name"] == "base"
    # The window is not cleared word by word: the driver does little besides frames.
    frames = recorded["frames_sent"] + recorded["frames_received"]
    assert recorded["accesses"] < 500 + 6 * frames
    # Without guest and wire the card does the same again; with other firmware it would not.
    again = started.spinach("attach", "ricenic", *fast, "--replay", recording, "--json", "-")
    replayed, complaints = again.communicate(timeout=PATIENCE_S)
    assert again.returncode == 0, complaints
    assert json.loads(replayed) | {"wall_s": 0} == recorded | {"wall_s": 0}
    with pytest.raises(SpinachError, match="was recorded with"):
        replay_attached(guest_bench("ricenic"), recording, firmware="split")


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("space")
@pytest.mark.parametrize("death", ["killed", "panics"])
def test_a_guest_that_dies_midway_is_one_line_and_until_then_the_card_answers_its_console(
    started: Started, tmp_path: Path, death: str
) -> None:
    script = {"killed": "echo up; sleep 200", "panics": "echo c > /proc/sysrq-trigger"}[death]
    out = tmp_path / "result.json"
    options = ["--set", "core=functional", "--script", script, "--console", "--json", str(out)]
    process = started.spinach("attach", "ricenic", *options)
    assert process.stdout is not None
    assert process.stderr is not None
    notice = process.stderr.readline()
    if death == "killed":
        assert process.stdout.readline(), process.communicate()  # of the script: the kernel is quiet
        assert "frames received " in answer_of_console(notice.split()[-1], "stats", last="interrupts ")
        [guest] = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        os.kill(int(guest), signal.SIGKILL)
    _, complaints = process.communicate(timeout=200)
    assert process.returncode == 3
    assert complaints.splitlines()[0].startswith("error: the guest")
    assert len(complaints.splitlines()) == 2
    document = json.loads(out.read_text())
    assert document["complete"] is False
    assert complaints.startswith(f"error: {document['failure']['message']}\n")


def answer_of_console(device: str, command: str, *, last: str) -> str:
    """Type a command at the serial line, and return what comes until `last` and a number."""
    with open(device, "r+b", buffering=0) as line:
        line.write(f"{command}\r".encode())
        said = ""
        while not re.search(rf"{last}\d+\r\n", said):
            said += line.read(4096).decode()
        return said


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("no-such-program", "the program no-such-program for the guest is not installed"),
        ("/no/such.so", "the file /no/such.so for the guest does not exist"),
    ],
)
def test_a_program_that_is_not_here_is_one_line(tmp_path: Path, name: str, complaint: str) -> None:
    with pytest.raises(SpinachError) as raised:
        linux_guest(tmp_path, driver="acenic", address="10.0.0.2/24", script="", programs=("sh", name))
    assert raised.value.message == complaint


def test_missing_headers_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "boot").mkdir()
    for version in ("6.1.0-9-amd64", "6.1.0-56-amd64"):
        (tmp_path / "boot" / f"vmlinuz-{version}").touch()
    with pytest.raises(SpinachError, match=r"the kernel 6\.1\.0-56-amd64 are not installed") as raised:
        linux_guest(
            tmp_path,
            driver=RINGS.module,
            sources=RINGS.sources,
            address="10.0.0.2/24",
            script="",
            root=tmp_path,
        )
    assert "apt install linux-headers-amd64" in raised.value.help


def test_firmware_of_another_instruction_set_is_one_line() -> None:
    with pytest.raises(FirmwareError, match="is for machine EM_MIPS") as raised:
        attach(guest_bench("ricenic"), NO_GUEST, firmware=build("tengig/base").path)
    assert "compile it for ppc405" in raised.value.help


def test_firmware_for_a_hypervisor_is_one_line() -> None:
    with pytest.raises(SpinachError, match="needs a driver other than") as raised:
        attach(guest_bench("ricenic"), NO_GUEST, firmware="cdna")
    assert "base, split or nat" in raised.value.help
