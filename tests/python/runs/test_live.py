"""Frames from and to this machine: two network namespaces talk through the simulated card."""

import gc
import hashlib
import json
import os
import random
import re
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from typing import Any

import pytest
from tests.python.cards.trouble import timeless_document
from tests.python.conftest import Started
from tests.python.namespaces import namespaces, own

from spinach_nic import SpinachError, ms, run, us
from spinach_nic.runs import Progress
from spinach_nic.runs.live import outside_of
from spinach_nic.runs.recordings import read_recording

WIRE, HOST = own("w"), own("h")
SPACES = {WIRE: "10.9.0.1", HOST: "10.9.0.2"}
"""Addresses by the name of a device, which is also that of its namespace."""
PATIENCE_S = 60

SERVER = """
import hashlib, socket, sys
listener = socket.create_server((sys.argv[1], 9000))
print("listening", flush=True)
peer, _ = listener.accept()
received = b""
while chunk := peer.recv(65536):
    received += chunk
peer.sendall(hashlib.sha256(received).digest() + received[::-1])
"""
CLIENT = """
import hashlib, random, socket, sys
sent = random.Random(5).randbytes(int(sys.argv[2]))
peer = socket.create_connection((sys.argv[1], 9000), timeout=50)
peer.sendall(sent)
peer.shutdown(socket.SHUT_WR)
received = b""
while chunk := peer.recv(65536):
    received += chunk
assert received == hashlib.sha256(sent).digest() + sent[::-1]
print(len(received))
"""


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, timeout=10)


def inside(space: str, *words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = ["ip", "netns", "exec", space, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, **options)


@pytest.fixture
def spaces() -> Iterator[None]:
    """Two network namespaces, for as long as the test lasts."""
    missing = [program for program in ("ip", "ping") if which(program) is None]
    if missing:
        pytest.skip(f"needs {' and '.join(missing)}")
    if os.geteuid() != 0 or not Path("/dev/net/tun").exists():
        pytest.skip("needs root and /dev/net/tun, to make TAP devices and network namespaces")
    with namespaces(*SPACES):
        yield


class LiveCard:
    """`spinach run` with a TAP device on each side, each in its namespace."""

    def __init__(self, started: Started, folder: Path, nic: str, *options: str, command: str = "run") -> None:
        """Start it, and wait until it can be reached."""
        self.document = folder / "live.json"
        devices = ["--wire", f"tap:{WIRE}", "--host", f"tap:{HOST}"]
        files = () if command == "console" else ("--quiet", "--json", str(self.document))
        # The end of its input ends a console.
        stdin = subprocess.PIPE if command == "console" else subprocess.DEVNULL
        self.process = started.spinach(command, nic, *devices, *options, *files, stdin=stdin)
        deadline = time.monotonic() + PATIENCE_S
        while not all(Path("/sys/class/net", device).exists() for device in SPACES):
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        for device, address in SPACES.items():
            ip("link", "set", device, "netns", device)
            inside(device, "sysctl", "-qw", f"net.ipv6.conf.{device}.disable_ipv6=1")
            ip("-n", device, "addr", "add", f"{address}/24", "dev", device)
            ip("-n", device, "link", "set", device, "up")

    def end(self) -> dict[str, Any]:
        """Interrupt it, and read the document that it leaves."""
        self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=PATIENCE_S)
        assert self.process.returncode == 130, said
        document: dict[str, Any] = json.loads(self.document.read_text())
        return document


@pytest.mark.usefixtures("spaces")
def test_a_card_is_asked_on_its_console_while_frames_pass(started: Started, tmp_path: Path) -> None:
    card = LiveCard(started, tmp_path, "ricenic", command="console")
    assert card.process.stderr is not None
    found = re.search(r"/dev/\S+(?=;)", card.process.stderr.readline())
    assert found is not None
    assert "3 received" in inside(WIRE, "ping", "-c", "3", "-i", "0.2", "-W", "10", SPACES[HOST]).stdout
    terminal = os.open(found[0], os.O_RDWR | os.O_NOCTTY)
    os.write(terminal, b"stats\r")
    said, deadline = b"", time.monotonic() + PATIENCE_S
    while b"frames dropped" not in said and time.monotonic() < deadline:
        if select.select([terminal], (), (), 1)[0]:
            said += os.read(terminal, 1024)
    os.close(terminal)
    counts = dict(re.findall(rb"frames (sent|received) (\d+)", said))
    assert min(map(int, counts.values())) >= 3, said
    _, complaint = card.process.communicate(timeout=PATIENCE_S)
    assert card.process.returncode == 0, complaint


@pytest.mark.usefixtures("spaces")
def test_progress_says_how_far_behind_wall_time_a_run_is() -> None:
    seen: list[Progress] = []
    run("ricenic", wire=f"tap:{WIRE}", time=ms(200), progress=seen.append)
    assert all(progress.behind is not None for progress in seen)
    seen.clear()
    run("ricenic", frames=5, progress=seen.append)
    assert all(progress.behind is None for progress in seen)


@pytest.mark.usefixtures("spaces")
def test_a_run_that_has_ended_releases_its_devices() -> None:
    def fail(_: Progress) -> None:
        raise ZeroDivisionError

    with without_collection():
        results = [run("ricenic", wire=f"tap:{WIRE}", time=ms(1)) for _ in range(2)]
        assert not Path("/sys/class/net", WIRE).exists()
        with pytest.raises(ZeroDivisionError) as failed:
            run("ricenic", wire=f"tap:{WIRE}", time=ms(1), progress=fail)
        assert not Path("/sys/class/net", WIRE).exists()
    assert (len(results), failed.type) == (2, ZeroDivisionError)


@contextmanager
def without_collection() -> Iterator[None]:
    """Keep what only the garbage collector would free."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@pytest.mark.usefixtures("spaces")
@pytest.mark.parametrize(
    ("nic", "settings"),
    [
        ("ricenic", ("--set", "core=functional")),
        ("tengig", ("--set", "cores=1", "--set", "core=functional")),
        ("tigon2", ()),
    ],
)
def test_namespaces_talk_through_the_card_and_a_replay_is_equal(
    started: Started, tmp_path: Path, nic: str, settings: tuple[str, ...]
) -> None:
    recording, capture = tmp_path / "recording.pcapng", tmp_path / "live.pcapng"
    card = LiveCard(started, tmp_path, nic, *settings, "--record", str(recording), "--pcap-out", str(capture))
    pinged = inside(WIRE, "ping", "-c", "3", "-i", "0.2", "-W", "10", SPACES[HOST])
    assert "3 received" in pinged.stdout, pinged
    server = started("ip", "netns", "exec", HOST, sys.executable, "-c", SERVER, SPACES[HOST])
    assert server.stdout is not None
    assert server.stdout.readline() == "listening\n"
    client = inside(WIRE, sys.executable, "-c", CLIENT, SPACES[HOST], "100000")
    assert client.stdout == "100032\n", client.stderr
    document = card.end()

    frames, live = document["frames"], document["live"]
    for way, (source, sink) in {"rx": ("wire", "host"), "tx": ("host", "wire")}.items():
        dropped = sum(sum(reasons.values()) for reasons in frames["dropped"][way].values())
        assert frames["offered"][way] == frames["delivered"][way] + frames["in_flight"][way] + dropped
        assert 0 <= live[source]["received"] - frames["offered"][way] <= 256
        assert live[sink]["sent"] + sum(live[sink]["dropped_outward"].values()) == frames["delivered"][way]
        assert frames["delivered"][way] > 70
    assert live["most_behind_ns"] >= live["behind_ns"]

    again = tmp_path / "again.pcapng"
    words = [nic, *settings, "--replay", str(recording), "--pcap-out", str(again), "--json", "-", "--quiet"]
    replayed = subprocess.run(
        [sys.executable, "-m", "spinach_nic", "run", *words],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert replayed.returncode == 0, replayed.stderr
    assert timeless_document(json.loads(replayed.stdout)) == timeless_document(document)
    assert hashlib.sha256(again.read_bytes()).digest() == hashlib.sha256(capture.read_bytes()).digest()


@pytest.mark.usefixtures("spaces")
def test_iperf3_measures_the_card(started: Started, tmp_path: Path) -> None:
    if which("iperf3") is None:
        pytest.skip("needs iperf3")
    card = LiveCard(started, tmp_path, "tengig", "--set", "cores=1", "--set", "core=functional")
    server = started("ip", "netns", "exec", HOST, "iperf3", "--server", "--one-off", "--forceflush")
    assert server.stdout is not None
    while "listening" not in server.stdout.readline():
        assert server.poll() is None
    measured = inside(WIRE, "iperf3", "--client", SPACES[HOST], "--time", "2", "--json")
    assert measured.returncode == 0, measured.stdout
    received = json.loads(measured.stdout)["end"]["sum_received"]["bytes"]
    assert received > 0
    assert card.end()["rx"]["frames"] >= received // 1448


@pytest.mark.usefixtures("spaces")
def test_curl_fetches_a_file_through_the_card(started: Started, tmp_path: Path) -> None:
    if which("curl") is None:
        pytest.skip("needs curl")
    page = tmp_path / "page"
    page.write_bytes(random.Random(6).randbytes(300_000))
    card = LiveCard(started, tmp_path, "tengig", "--set", "cores=1", "--set", "core=functional")
    served = ["-m", "http.server", "8080", "--bind", SPACES[HOST], "--directory", str(tmp_path)]
    server = started("ip", "netns", "exec", HOST, sys.executable, "-u", *served)
    assert server.stdout is not None
    assert "Serving" in server.stdout.readline()
    fetched = tmp_path / "fetched"
    address = f"http://{SPACES[HOST]}:8080/{page.name}"
    got = inside(WIRE, "curl", "--silent", "--show-error", "--max-time", "50", "-o", str(fetched), address)
    assert got.returncode == 0, got.stderr
    assert hashlib.sha256(fetched.read_bytes()).digest() == hashlib.sha256(page.read_bytes()).digest()
    assert card.end()["tx"]["frames"] >= 300_000 // 1448


def _silence_and_raise(near: str, far: str) -> None:
    """Raise both ends of a link that carries no frames of the kernel itself, which would be counted."""
    inside(WIRE, "sysctl", "-qw", f"net.ipv6.conf.{far}.disable_ipv6=1")
    Path(f"/proc/sys/net/ipv6/conf/{near}/disable_ipv6").write_text("1")
    ip("link", "set", near, "up")
    ip("-n", WIRE, "link", "set", far, "up")


@pytest.mark.usefixtures("spaces")
def test_a_raw_socket_is_a_wire(started: Started, tmp_path: Path) -> None:
    near, far = own("a"), own("b")
    ip("link", "add", near, "type", "veth", "peer", "name", far, "netns", WIRE)
    try:
        _silence_and_raise(near, far)
        ip("-n", WIRE, "addr", "add", "10.9.1.1/24", "dev", far)
        document = tmp_path / "raw.json"
        traffic = ("--traffic", "udp:100:tx@50kpps", "--quiet", "--json", str(document))
        process = started.spinach("run", "tengig", "--wire", f"interface:{near}", *traffic)
        counter = Path("/sys/class/net", near, "statistics/tx_packets")
        before, deadline = int(counter.read_text()), time.monotonic() + PATIENCE_S
        while int(counter.read_text()) < before + 5:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        inside(WIRE, "ping", "-c", "1", "-W", "1", "10.9.1.2")
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=PATIENCE_S) == 130
        live = json.loads(document.read_text())["live"]["wire"]
        assert live["sent"] >= 5
        assert live["received"] >= 1
    finally:
        subprocess.run(["ip", "link", "del", near], capture_output=True, timeout=10)


FLOOD = """
import socket, sys
peer = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
peer.bind((sys.argv[1], 0))
for number in range(int(sys.argv[2])):
    peer.send(b"\\xff" * 6 + bytes(6) + b"\\x88\\xb5" + number.to_bytes(4, "big") + bytes(1482))
"""


@pytest.mark.usefixtures("spaces")
def test_every_frame_that_the_kernel_dropped_is_counted(started: Started, tmp_path: Path) -> None:
    """The socket overflows while the run is stopped. What was read and what was missed is what was sent."""
    near, far = own("a"), own("b")
    ip("link", "add", near, "type", "veth", "peer", "name", far, "netns", WIRE)
    try:
        _silence_and_raise(near, far)
        document = tmp_path / "raw.json"
        device = ("--wire", f"interface:{near}", "--quiet", "--json", str(document))
        process = started.spinach("run", "ricenic", "--set", "core=functional", *device)
        _wait_for_socket(process, near)
        process.send_signal(signal.SIGSTOP)
        sent = 2000
        assert inside(WIRE, sys.executable, "-c", FLOOD, far, str(sent)).returncode == 0
        process.send_signal(signal.SIGCONT)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=PATIENCE_S) == 130
        live = json.loads(document.read_text())["live"]["wire"]
        assert live["missed"] > 1000
        assert live["received"] > 0
        assert live["received"] + live["missed"] + sum(live["dropped_inward"].values()) == sent
    finally:
        subprocess.run(["ip", "link", "del", near], capture_output=True, timeout=10)


def _wait_for_socket(process: subprocess.Popen[str], device: str) -> None:
    """Wait until a process listens at a device."""
    index = Path("/sys/class/net", device, "ifindex").read_text().strip()
    sockets = Path("/proc/net/packet")
    deadline = time.monotonic() + PATIENCE_S
    # The fifth column is the interface; a short number is in other columns, too.
    while index not in [line.split()[4] for line in sockets.read_text().splitlines()[1:]]:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(0.5)


@pytest.mark.usefixtures("spaces")
def test_a_removed_tap_device_ends_the_run(started: Started, tmp_path: Path) -> None:
    card = LiveCard(started, tmp_path, "tengig", "--set", "cores=1")
    ip("-n", WIRE, "link", "del", WIRE)
    _, err = card.process.communicate(timeout=PATIENCE_S)
    assert card.process.returncode == 3
    assert WIRE in err
    assert "Traceback" not in err


@pytest.mark.usefixtures("spaces")
@pytest.mark.parametrize("traffic", ["udp:100:tx@50kpps", None])
def test_a_removed_interface_ends_the_run(started: Started, traffic: str | None) -> None:
    near, far = own("a"), own("b")
    ip("link", "add", near, "type", "veth", "peer", "name", far, "netns", WIRE)
    try:
        for space, name in (("", near), (WIRE, far)):
            ip(*(["-n", space] if space else []), "link", "set", name, "up")
        sent = ("--traffic", traffic) if traffic else ()
        process = started.spinach("run", "tengig", "--wire", f"interface:{near}", "--quiet", *sent)
        _wait_for_socket(process, near)
        ip("link", "del", near)
        _, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 3
        assert "it was removed" in err
    finally:
        subprocess.run(["ip", "link", "del", near], capture_output=True, timeout=10)


def test_a_replay_with_other_options_is_refused(started: Started, tmp_path: Path, spaces: None) -> None:
    recording = tmp_path / "recording.pcapng"
    LiveCard(started, tmp_path, "tengig", "--set", "cores=1", "--record", str(recording)).end()
    with pytest.raises(SpinachError, match=r'recorded with set \["cores=1"\], not \["cores=2"\]'):
        run("tengig", replay=recording, set={"cores": 2})
    with pytest.raises(SpinachError, match="takes no devices"):
        run("tengig", replay=recording, wire="tap:x")


@pytest.mark.parametrize(
    ("device", "said"),
    [
        ("eth0", 'unknown device "eth0"'),
        ("tap:", 'unknown device "tap:"'),
        ("tap:a name", "cannot be the name of a network device"),
        ("interface:nosuch0", "cannot open a raw socket on the interface nosuch0"),
        ("stream:/nosuch/socket", "cannot use the socket /nosuch/socket"),
    ],
)
def test_a_device_that_cannot_be_used_is_one_line(device: str, said: str) -> None:
    with pytest.raises(SpinachError) as raised:
        run("tengig", wire=device, time=ms(1))
    assert said in raised.value.message
    assert "\n" not in raised.value.message
    assert raised.value.help


def test_what_is_no_recording_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.pcapng"
    run("tengig", frames=5, pcap_out=other)
    with pytest.raises(SpinachError, match="but no recording"):
        run("tengig", replay=other)
    with pytest.raises(SpinachError, match="there is no input"):
        run("tengig", record=tmp_path / "recording")


def test_a_recording_that_was_read_is_not_read_again(tmp_path: Path) -> None:
    path = tmp_path / "session.pcapng"
    run("tengig", wire=f"stream:{tmp_path / 'wire'}", time=us(10), record=path)
    recording = read_recording(path)
    path.unlink()
    conditions = recording.made_with.request
    assert conditions is not None
    outside = outside_of(None, None, None, recording, conditions)
    assert outside is not None
    assert outside.recording is recording


def test_a_peer_that_leaves_ends_the_run(started: Started, tmp_path: Path) -> None:
    path = tmp_path / "wire"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen()
        process = started.spinach("run", "tengig", "--wire", f"stream:{path}", "--time", "10s")
        listening.accept()[0].close()
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 3
    error, help = err.splitlines()[-2:]
    assert error.startswith(f"error: the wire has lost stream:{path}: ")
    assert help == "help: keep the device, or the peer of its socket, until the run ends"
    assert re.search(r"behind wall time: by [\d.]+ s at the end, [\d.]+ s at most|kept up with wall", out)


def test_traffic_cannot_be_asked_for_where_frames_come_from_outside() -> None:
    with pytest.raises(SpinachError, match="frames rx come from the wire"):
        run("tengig", wire="tap:x", traffic="udp:18:rx", time=ms(1))
