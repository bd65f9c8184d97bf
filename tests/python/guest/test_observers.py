"""Observers of runs in guests: outputs of a card that a client of vfio-user drives, and of its replay."""

import json
import struct
from contextlib import closing
from pathlib import Path

import pytest
from scapy.utils import PcapNgReader
from tests.python.conftest import Started
from tests.python.guest.driving import PATIENCE_S
from tests.python.guest.test_vfio_user import BASE, SIZE, Far, connected, frame
from tests.python.guest.vfio_client import CONFIGURATION, Client, ClientHost, Memory

from spinach_nic import us
from spinach_nic.cards.fixed_function.dp83820 import (
    COMMAND,
    COMMAND_REGISTER,
    MEMORY_AND_MASTER,
    OWN,
    STATUS,
    TX_POINTER,
    TX_START,
)
from spinach_nic.cards.hundredgig.driver import VirtioDriver
from spinach_nic.cards.hundredgig.settings import Settings
from spinach_nic.runs.timelines import journeys

FRAMES = 5
TOO_LONG = bytes(9000)
LOW = 1 << 20
"""Address of memory that 32 bits reach."""
SHORT_DESCRIPTOR_BYTES = 16
"""Size of a descriptor of the DP83820 with addresses of 32 bits."""
ABORTED = 1 << 18
"""Bit of its interrupt status after a transfer that nothing answered (RMABT)."""


def frames_of(capture: Path) -> list[bytes]:
    """The frames of a capture."""
    with PcapNgReader(str(capture)) as packets:
        return [bytes(packet) for packet in packets]


@pytest.mark.timeout(PATIENCE_S + 100)
def test_a_replay_in_a_guest_is_observed_as_the_guest_was(started: Started, tmp_path: Path) -> None:
    door, recording = tmp_path / "card", tmp_path / "recording.pcapng"
    captured, recaptured = tmp_path / "first.pcapng", tmp_path / "again.pcapng"
    first, again = tmp_path / "first.pftrace", tmp_path / "again.pftrace"
    live = ("--vfio-user", str(door), "--wire", f"stream:{tmp_path / 'wire'}", "--record", str(recording))
    with closing(Far(tmp_path / "wire")) as far:
        observed = ("--timeline", str(first), "--pcap-out", str(captured), "--json", "-")
        process = started.spinach("attach", "hundredgig", *live, *observed)
        far.accept()
        with closing(connected(door)) as client, closing(Memory(client, BASE, SIZE)) as memory:
            driver = VirtioDriver(Settings(1, 64, 2048, us(1), us(1), messages=True, event_index=True))
            with closing(ClientHost(client, memory, driver.program(memory))) as host:
                host.to_send.extend(frame(number, 0) for number in range(FRAMES))
                host.perform(until=0)
                assert [far.take() for _ in range(FRAMES)] == [frame(number, 0) for number in range(FRAMES)]
                far.send(TOO_LONG)
                far.send(frame(0, 1))
                host.perform(until=1)
        printed, complaints = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, complaints
    waves = (
        "--wave",
        "host.configuration_request",
        "--wave",
        "wire.sent",
        "--wave-out",
        str(tmp_path / "waves.fst"),
    )
    shown = ("--timeline", str(again), "--pcap-out", str(recaptured), *waves, "--json", "-")
    replayed = started.spinach("attach", "hundredgig", "--replay", str(recording), *shown)
    document, complaints = replayed.communicate(timeout=PATIENCE_S)
    assert replayed.returncode == 0, complaints
    assert json.loads(document) | {"wall_s": 0} == json.loads(printed) | {"wall_s": 0}
    counts = json.loads(document)
    assert (counts["frames_sent"], counts["frames_received"]) == (FRAMES, 2)
    [dropped] = counts["dropped"]["rx"].values()
    assert dropped == {"oversize": 1}
    assert len(journeys(first)) >= FRAMES
    assert journeys(first) == journeys(again)
    assert captured.read_bytes() == recaptured.read_bytes()
    sent = [frame(number, 0) for number in range(FRAMES)]
    assert frames_of(captured) == [*sent, TOO_LONG, frame(0, 1)]
    assert (tmp_path / "waves.fst").stat().st_size > 0
    others = ("--timeline", "/dev/full", *waves[:-1], str(tmp_path / "last.fst"), "--json", "-")
    unwritten = started.spinach("attach", "hundredgig", "--replay", str(recording), *others)
    document, complaints = unwritten.communicate(timeout=PATIENCE_S)
    assert unwritten.returncode == 2
    assert "cannot be written: No space left on device" in complaints
    assert json.loads(document) | {"wall_s": 0} == json.loads(printed) | {"wall_s": 0}
    assert (tmp_path / "last.fst").read_bytes() == (tmp_path / "waves.fst").read_bytes()


def start_sending(client: Client, descriptor: int) -> None:
    """Let a DP83820 send the frame of a descriptor."""
    for register, value in ((TX_POINTER, descriptor), (COMMAND, TX_START)):
        client.write(1, register, value.to_bytes(4, "little"))


def test_a_replay_captures_frames_of_a_card_that_names_no_channel(started: Started, tmp_path: Path) -> None:
    door, recording, captured = (tmp_path / name for name in ("card", "recording.pcapng", "frames.pcapng"))
    live = ("--vfio-user", str(door), "--wire", f"stream:{tmp_path / 'wire'}", "--record", str(recording))
    with closing(Far(tmp_path / "wire")) as far:
        process = started.spinach("attach", "dp83820", *live, "--json", "-")
        far.accept()
        with closing(connected(door)) as client, closing(Memory(client, LOW, SIZE)) as memory:
            ring, buffer, beyond = LOW, LOW + 64, LOW + SIZE
            memory.store(buffer, frame(0, 0))
            memory.store(ring, struct.pack("<4I", 0, buffer, OWN | len(frame(0, 0)), 0))
            client.write(CONFIGURATION, COMMAND_REGISTER, MEMORY_AND_MASTER.to_bytes(2, "little"))
            start_sending(client, ring)
            assert far.take() == frame(0, 0)
            start_sending(client, beyond)
            while not int.from_bytes(client.read(1, STATUS, 4), "little") & ABORTED:
                pass
        printed, complaints = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, complaints
    # Nothing moves beyond the memory.
    assert json.loads(printed)["read_bytes"] == SHORT_DESCRIPTOR_BYTES + len(frame(0, 0))
    again = ("--replay", str(recording), "--pcap-out", str(captured), "--json", "-")
    replayed = started.spinach("attach", "dp83820", *again)
    document, complaints = replayed.communicate(timeout=PATIENCE_S)
    assert replayed.returncode == 0, complaints
    assert json.loads(document) | {"wall_s": 0} == json.loads(printed) | {"wall_s": 0}
    assert frames_of(captured) == [frame(0, 0)]


def test_outputs_without_a_result_are_offered(started: Started) -> None:
    process = started.spinach("attach", "--help")
    printed, _ = process.communicate(timeout=60)
    options = {"--timeline", "--wave-out", "--trace-lines", "--check-coherence", "--pcap-out"}
    assert options <= set(printed.split())
