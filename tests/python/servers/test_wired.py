"""A simulated server has a card whose wire leads out of the simulation."""

import contextlib
import json
import re
import select
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from scapy.all import ARP, ICMP, IP, Ether, Raw, rdpcap  # type: ignore[attr-defined]
from tests.python.conftest import Started
from tests.python.gdb import Session, needs_gdb
from tests.python.servers.test_networks import checksum_of_stream

from spinach_nic import SpinachError, ms, us
from spinach_nic.model.simulation import Outcome
from spinach_nic.runs import debugging
from spinach_nic.runs.profiling.cards import CardsProfile
from spinach_nic.runs.saved_servers import SavedServers
from spinach_nic.runs.server_modules import module_servers
from spinach_nic.servers import configuration_of, linux
from spinach_nic.servers.linux import Linux
from spinach_nic.support.units import Time

MINE = "02:00:00:00:00:99"
PAYLOAD = bytes(range(200))
STREAM_BYTES = 50_000
PATIENCE_S = 60


class Peer:
    """Network at a socket of QEMU's netdev `stream`: each frame is preceded by its length, in 4 bytes."""

    def __init__(self, path: Path) -> None:
        """Connect, once there is a listener."""
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(PATIENCE_S)
        deadline = time.monotonic() + PATIENCE_S
        while self._socket.connect_ex(str(path)):
            assert time.monotonic() < deadline, f"no listener at {path}"
            time.sleep(0.05)

    def close(self) -> None:
        """Disconnect."""
        self._socket.close()

    def answer(self, request: Any, kind: Any) -> Any:
        """Send a frame, and return the next frame that has a layer."""
        self.send(request)
        return self.next(kind)

    def send(self, frame: Any) -> None:
        """Send a frame."""
        content = bytes(frame)
        self._socket.sendall(struct.pack(">I", len(content)) + content)

    def is_silent(self, wall_s: float) -> bool:
        """Return true if nothing comes for a time."""
        return not select.select([self._socket], [], [], wall_s)[0]

    def next(self, kind: Any) -> Any:
        """Return the next frame that has a layer."""
        while True:
            (length,) = struct.unpack(">I", self._exactly(4))
            frame = Ether(self._exactly(length))
            if kind in frame:
                return frame

    def _exactly(self, length: int) -> bytes:
        found = b""
        while len(found) < length:
            piece = self._socket.recv(length - len(found))
            assert piece, "the server has left"
            found += piece
        return found


@pytest.mark.timeout(200)
@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("card", ["ricenic", None])
def test_a_server_answers_frames_of_this_machine(started: Started, tmp_path: Path, card: str | None) -> None:
    wire, capture, document = tmp_path / "wire", tmp_path / "wire.pcapng", tmp_path / "result.json"
    chosen = ("--card", card) if card else ()
    outputs = ("--pcap-out", str(capture), "--json", str(document))
    options = ("--wire", f"stream:{wire}", "--address", "10.3.0.7/24", *chosen, *outputs)
    server = started.spinach("boot", *options)
    with contextlib.closing(Peer(wire)) as peer:
        asking = Ether(src=MINE, dst="ff:ff:ff:ff:ff:ff") / ARP(hwsrc=MINE, psrc="10.3.0.1", pdst="10.3.0.7")
        found = peer.answer(asking, ARP)
        assert found[ARP].psrc == "10.3.0.7"
        echo = IP(src="10.3.0.1", dst="10.3.0.7") / ICMP(id=5, seq=1) / Raw(PAYLOAD)
        answer = peer.answer(Ether(src=MINE, dst=found.src) / echo, ICMP)
    assert (answer[ICMP].type, answer[Raw].load, answer.dst) == (0, PAYLOAD, MINE)
    server.send_signal(signal.SIGINT)
    server.communicate(timeout=PATIENCE_S)
    assert server.returncode == 130
    result = json.loads(document.read_text())
    assert result["ending"] == "interrupted"
    # The last byte of the MAC address follows the address: servers of one network differ.
    assert (result["servers"][0]["card"], found.src[-2:]) == (card or "dp83820", "06")
    passed = result["live"]["wire"]
    assert (passed["device"], passed["received"]) == (f"stream:{wire}", 2)
    assert passed["sent"] >= 2
    frames = rdpcap(str(capture))
    assert [bytes(frame)[:14] for frame in frames if frame.src == MINE] == [
        bytes(asking)[:14],
        bytes(Ether(src=MINE, dst=found.src, type=0x0800)),
    ]
    assert sum(ICMP in frame for frame in frames) == 2


@pytest.mark.timeout(200)
@pytest.mark.usefixtures("kernel")
def test_a_recording_is_complete_if_the_peer_leaves(started: Started, tmp_path: Path) -> None:
    wire, recording, document = (tmp_path / name for name in ("wire", "session.pcapng", "result.json"))
    with socket.socket(socket.AF_UNIX) as listening:
        listening.settimeout(PATIENCE_S)
        listening.bind(str(wire))
        listening.listen()
        words = (
            "--card",
            "ricenic",
            "--wire",
            f"stream:{wire}",
            "--record",
            str(recording),
            "--json",
            str(document),
        )
        live = started.spinach("boot", *words, stdin=-1)
        assert live.stdin is not None
        live.stdin.write("sleep 60000\n")
        live.stdin.close()
        live.stdin = None
        listening.accept()[0].close()
    _, messages = live.communicate(timeout=PATIENCE_S)
    error, help = messages.splitlines()[-2:]
    assert live.returncode == 3
    assert error.startswith(f"error: the wire has lost stream:{wire}: ")
    result = json.loads(document.read_text())
    assert (result["ending"], result["complete"]) == ("failed", False)
    assert result["failure"]["message"] == error.removeprefix("error: ")
    assert help == "help: keep the device, or the peer of its socket, until the run ends"
    again = started.spinach("boot", "--card", "ricenic", "--replay", str(recording))
    _, messages = again.communicate(timeout=PATIENCE_S)
    assert again.returncode == 0, messages


@dataclass
class Wired:
    """Runs of a server with a wire, and their outputs in a folder."""

    started: Started
    folder: Path

    def boot(self, name: str, *words: str, **options: Any) -> subprocess.Popen[str]:
        """Begin a run that writes a document and a capture called `name`."""
        document, capture = (str(self.folder / f"{name}.{ending}") for ending in ("json", "pcapng"))
        outputs = ("--json", document, "--pcap-out", capture)
        return self.started.spinach("boot", "--card", "ricenic", *words, *outputs, **options)

    def outputs(self, name: str) -> tuple[dict[str, Any], bytes]:
        """Return the document and the capture of a run."""
        document, capture = (self.folder / f"{name}.{ending}" for ending in ("json", "pcapng"))
        return json.loads(document.read_text()), capture.read_bytes()


def recorded(wired: Wired, recording: Path) -> str:
    """Record the run `live`, in which a server is asked for its address and pinged; return its console."""
    wire = recording.with_suffix(".wire")
    live = wired.boot("live", "--wire", f"stream:{wire}", "--record", str(recording), stdin=-1)
    assert live.stdin is not None
    live.stdin.write("sleep 600\necho awake\npoweroff\n")
    live.stdin.close()
    live.stdin = None
    with contextlib.closing(Peer(wire)) as peer:
        asking = Ether(src=MINE, dst="ff:ff:ff:ff:ff:ff") / ARP(hwsrc=MINE, psrc="10.0.0.9", pdst="10.0.0.1")
        found = peer.answer(asking, ARP)
        for number in range(3):
            echo = IP(src="10.0.0.9", dst="10.0.0.1") / ICMP(seq=number) / Raw(PAYLOAD[number:])
            peer.answer(Ether(src=MINE, dst=found.src) / echo, ICMP)
        printed, messages = live.communicate(timeout=PATIENCE_S)
    assert (live.returncode, "awake" in printed) == (0, True), messages
    assert f"stream:{wire}: 4 frames in, " in messages
    assert "card of server 1: " in messages
    return printed


@pytest.mark.timeout(200)
@pytest.mark.usefixtures("kernel")
def test_a_replay_repeats_a_live_run(started: Started, tmp_path: Path) -> None:
    wired, recording, profile = Wired(started, tmp_path), tmp_path / "session", tmp_path / "profile"
    printed = recorded(wired, recording)
    again = wired.boot("again", "--replay", str(recording), "--profile", str(profile))
    said, messages = again.communicate(timeout=PATIENCE_S)
    assert again.returncode == 0, messages
    # The first of both may have booted, and then shows that, too.
    assert printed.endswith(said)
    assert "awake" in said
    documents, captures = zip(*(wired.outputs(name) for name in ("live", "again")), strict=True)
    assert captures[0] == captures[1]
    assert {name for name in documents[0] if documents[0][name] != documents[1][name]} == {"wall_s"}
    assert documents[1]["live"]["wire"]["received"] == 4
    (server,) = CardsProfile.read(profile).servers
    assert "icmp_rcv" in {it.function for it in server.functions}

    other = ("--card", "ricenic", "--set", "node[0].cores=1", "--replay", str(recording))
    for command, words, message in (
        ("boot", other, "was recorded with node[0].cores 2, not 1"),
        ("run", ("ricenic", "--replay", str(recording)), "is a recording of a simulated server"),
        ("attach", ("ricenic", "--replay", str(recording)), "is a recording of a simulated server"),
    ):
        refused = started.spinach(command, *words)
        _, complaints = refused.communicate(timeout=PATIENCE_S)
        assert refused.returncode == 2
        assert message in complaints


@needs_gdb
@pytest.mark.timeout(200)
@pytest.mark.usefixtures("kernel")
def test_a_replay_under_gdb_has_the_same_result(started: Started, tmp_path: Path) -> None:
    if linux.for_debuggers() is None:
        pytest.skip("there is no kernel with symbols for the server: `make linux` builds it")
    wired, recording = Wired(started, tmp_path), tmp_path / "session"
    recorded(wired, recording)
    again = wired.boot("again", "--replay", str(recording))
    _, messages = again.communicate(timeout=PATIENCE_S)
    assert again.returncode == 0, messages
    session = Session(wired.boot("debugged", "--replay", str(recording), "--gdb"))
    stops = ("hbreak *icmp_rcv", *["continue", "stepi"] * 2, "backtrace 1", "delete", "continue")
    said = session.gdb(*stops)
    _, messages = session.process.communicate(timeout=PATIENCE_S)
    assert session.process.returncode == 0, messages
    assert len(re.findall(r"^Breakpoint 1, 0x\w+ in icmp_rcv", said, re.MULTILINE)) == 2, said
    assert "exited normally" in said
    (document, capture), (debugged, recaptured) = (wired.outputs(name) for name in ("again", "debugged"))
    assert {name for name in document if document[name] != debugged[name]} == {"wall_s"}
    assert capture == recaptured


@needs_gdb
@pytest.mark.timeout(200)
@pytest.mark.usefixtures("kernel")
def test_frames_pass_while_gdb_lets_a_server_run(started: Started, tmp_path: Path) -> None:
    if linux.for_debuggers() is None:
        pytest.skip("there is no kernel with symbols for the server: `make linux` builds it")
    names = ("wire", "recording", "live.json", "again.json", "typed", "is_stopped", "may_continue")
    wire, recording, first, again, typed, is_stopped, may_continue = (tmp_path / name for name in names)
    typed.write_text("sleep 1000\npoweroff\n")
    words = ("--wire", f"stream:{wire}", "--record", str(recording), "--json", str(first), "--gdb")
    with typed.open() as commands:
        session = Session(started.spinach("boot", "--card", "ricenic", *words, stdin=commands))
    with contextlib.closing(Peer(wire)) as peer, ThreadPoolExecutor() as pool:
        asking = Ether(src=MINE, dst="ff:ff:ff:ff:ff:ff") / ARP(hwsrc=MINE, psrc="10.0.0.9", pdst="10.0.0.1")
        peer.send(asking)
        # The server is stopped until gdb continues it.
        assert peer.is_silent(0.5)
        waiting = f"shell touch {is_stopped}; while test ! -e {may_continue}; do sleep 0.05; done"
        stops = ("hbreak *icmp_rcv", "continue", waiting, "continue", "backtrace 1", "delete", "continue")
        debugging = pool.submit(session.gdb, *stops)
        found = peer.next(ARP)
        pings = [
            Ether(src=MINE, dst=found.src) / IP(src="10.0.0.9", dst="10.0.0.1") / ICMP(seq=number) / PAYLOAD
            for number in range(2)
        ]
        peer.send(pings[0])
        deadline = time.monotonic() + PATIENCE_S
        while not is_stopped.exists():
            assert time.monotonic() < deadline, "the breakpoint is not reached"
            time.sleep(0.05)
        # Frames that arrive meanwhile wait.
        peer.send(pings[1])
        assert peer.is_silent(0.5)
        may_continue.touch()
        assert [peer.next(ICMP)[ICMP].seq for _ in pings] == [0, 1]
        _, messages = session.process.communicate(timeout=PATIENCE_S)
        said = debugging.result(timeout=PATIENCE_S)
    assert session.process.returncode == 0, messages
    assert len(re.findall(r"^Breakpoint 1, 0x\w+ in icmp_rcv", said, re.MULTILINE)) == 2, said
    assert "exited normally" in said
    # Neither the stops nor the intervals between exchanges are part of the result.
    replay = ("--card", "ricenic", "--replay", str(recording), "--json", str(again))
    _, messages = started.spinach("boot", *replay).communicate(timeout=PATIENCE_S)
    documents = [json.loads(file.read_text()) for file in (first, again)]
    assert {name for name in documents[0] if documents[0][name] != documents[1][name]} == {"wall_s"}, messages
    assert documents[0]["live"]["wire"]["received"] == 3


class Stopping:
    """Simulation, debugger and live run in one: stops once, for 100 s of a simulated wall clock."""

    native = None
    is_paced = True

    def __init__(self, stop: Time) -> None:
        """Begin at time 0 of both clocks."""
        self.now, self.wall_s, self.exchanged = Time(0), 0.0, list[Time]()
        self._stop: Time | None = stop

    def run(self, simulation: Any, end: Any) -> Any:
        """Run until a time, as a debugger."""
        if self._stop is not None and end >= self._stop.femtoseconds:
            self.now, self._stop = self._stop, None
            self.wall_s += 100
            return "held", ""
        self.now = Time(end)
        return "reached", ""

    def exchange(self) -> tuple[Outcome, Time]:
        """Exchange frames, as a live run."""
        self.exchanged.append(self.now)
        return Outcome("reached", ""), self.now + us(200)

    def monotonic(self) -> float:
        """Return the wall time."""
        return self.wall_s

    def sleep(self, wall_s: float) -> None:
        """Sleep."""
        self.wall_s += wall_s


def test_a_stop_is_not_caught_up(monkeypatch: pytest.MonkeyPatch) -> None:
    one: Any = Stopping(us(4100))
    monkeypatch.setattr(debugging, "time", one)
    debugged = debugging.DebuggedServer(one, one, one)
    assert debugged.run(ms(10)) == ("held", "")
    assert one.now == us(4100)
    assert one.exchanged == [us(200) * number for number in range(21)]
    begun_s = one.wall_s
    assert debugged.run(ms(10)) == ("reached", "")
    assert one.now == ms(10)
    # Simulated time is never ahead of wall time, and frames pass at the intervals of a run without the stop.
    assert (ms(10) - us(4100)).seconds <= one.wall_s - begun_s < 0.01
    assert one.exchanged == [us(200) * number for number in range(51)]


def pair(
    started: Started, tmp_path: Path, stops: Sequence[str] = ()
) -> tuple[list[dict[str, Any]], list[str], str]:
    """Return the documents and outputs of two servers that are two processes, and that of gdb.

    Args:
        started: Starts processes.
        tmp_path: Folder for files.
        stops: Commands for gdb, which debugs the second; without any there is no gdb.
    """
    cable, files = tmp_path / "cable", [tmp_path / name for name in ("first.json", "second.json")]
    options = (
        ("--card", "ricenic", "--wire", f"simbricks:listen:{cable}:latency=2us"),
        ("--card", "dp83820", "--wire", f"simbricks:connect:{cable}:latency=2us", "--address=10.0.0.2/24"),
    )
    inputs = (f"ping 10.0.0.2 2\nsend 10.0.0.2 5000 {STREAM_BYTES}\npoweroff\n", "serve 5000\n")
    debuggers = ((), ("--gdb",) if stops else ())
    servers = []
    for words, debugger, text, file in zip(options, debuggers, inputs, files, strict=True):
        typed = file.with_suffix(".typed")
        typed.write_text(text)
        with typed.open() as commands:
            servers.append(started.spinach("boot", *words, *debugger, "--json", str(file), stdin=commands))
    said = Session(servers[1]).gdb(*stops) if stops else ""
    printed = [server.communicate(timeout=120) for server in servers]
    assert [server.returncode for server in servers] == [0, 0], printed
    return [json.loads(file.read_text()) for file in files], [text for text, _ in printed], said


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("kernel")
def test_two_servers_are_two_processes(started: Started, tmp_path: Path) -> None:
    documents, printed, _ = pair(started, tmp_path)
    assert "2 of 2 answered" in printed[0]
    sums = [
        re.search(rf"{word} {STREAM_BYTES} bytes, checksum (\w+)", text)
        for word, text in zip(("sent", "received"), printed, strict=True)
    ]
    assert [found and found[1] for found in sums] == [checksum_of_stream(STREAM_BYTES)] * 2
    assert [one["ending"] for one in documents] == ["off", "ended"]
    wires = [one["live"]["wire"] for one in documents]
    assert [wire["received"] for wire in wires] == [wire["sent"] for wire in reversed(wires)]
    assert [one["servers"][0]["sent_frames"] for one in documents] == [wire["sent"] for wire in wires]
    # Time follows the peer, so both repeat themselves.
    again, *_ = pair(started, tmp_path)
    for one, other in zip(documents, again, strict=True):
        assert {name for name in one if one[name] != other[name]} == {"wall_s"}


@needs_gdb
@pytest.mark.timeout(300)
@pytest.mark.usefixtures("kernel")
def test_the_peer_waits_while_gdb_has_stopped_a_server(started: Started, tmp_path: Path) -> None:
    if linux.for_debuggers() is None:
        pytest.skip("there is no kernel with symbols for the server: `make linux` builds it")
    documents, *_ = pair(started, tmp_path)
    stops = ("hbreak *icmp_rcv", "continue", "shell sleep 1", "continue", "stepi", "delete", "continue")
    debugged, _, said = pair(started, tmp_path, stops)
    assert len(re.findall(r"^Breakpoint 1, 0x\w+ in icmp_rcv", said, re.MULTILINE)) == 2, said
    for one, other in zip(documents, debugged, strict=True):
        assert {name for name in one if one[name] != other[name]} == {"wall_s"}


@pytest.mark.timeout(120)
def test_a_checkpoint_fits_its_number_of_servers(kernel: Linux) -> None:
    cards, configuration = ("dp83820", "dp83820"), configuration_of("rv64")
    for count in (1, 2):
        content = module_servers(cards[:count], kernel, configuration).save()
        saved = SavedServers.of("servers.checkpoint", content)
        module_servers(cards[:count], kernel, configuration, saved=saved)
        with pytest.raises(SpinachError, match=f"a checkpoint of {count} server"):
            module_servers(cards[: 3 - count], kernel, configuration, saved=saved)


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--wire", "tap:w", "--nodes", "2"), "--wire and --replay are for one server"),
        (("--wire", "tap:w", "--card", "ricenic,tengig"), "one server has one card"),
        (("--wire", "tap:w", "--link-latency", "1us"), "--link-latency is that of a cable"),
        (("--wire", "tap:w", "--address", "10.0.0.2"), "the address 10.0.0.2 has no length of its network"),
        (("--wire", "tap:w", "--address", "10.0.0.256/24"), "invalid address '10.0.0.256/24'"),
        (
            (
                "--address",
                "10.0.0.2/24",
            ),
            "--address is for a server with a device at its wire",
        ),
        (("--card", "ricenic"), "a link connects two servers, but there is one"),
    ],
)
def test_options_that_do_not_fit_are_refused(started: Started, words: tuple[str, ...], message: str) -> None:
    server = started.spinach("boot", *words)
    _, complaints = server.communicate(timeout=60)
    assert server.returncode == 2, complaints
    assert message in complaints
