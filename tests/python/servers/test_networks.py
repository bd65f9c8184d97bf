"""Two simulated servers under Linux, joined by a link: what they send arrives, always at the same time."""

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from spinach_nic import CheckpointError, SpinachError, _native, cli, servers
from spinach_nic.servers import linux

WIRE = servers.wire_of()
PAIR = servers.configuration_of("rv64", wire=WIRE)
PATIENCE_S = 30.0
STREAM_BYTES = 2_000_000
MASK = (1 << 64) - 1


@dataclass(frozen=True)
class Ready:
    """Two servers that are ready for commands."""

    configuration: servers.Configuration
    checkpoint: bytes


PROBED = {
    "dp83820": b"eth0: link now 1000F mbps, full duplex and up.",
    "sinic": b"eth0: SINIC with 1 VNICs",
    "v-sinic": b"eth0: SINIC with 64 VNICs",
}
"""Messages of a card's driver."""


@pytest.fixture(scope="module", params=PROBED)
def ready(kernel: linux.Linux, request: pytest.FixtureRequest) -> Ready:
    """A checkpoint of two servers with such cards that are ready for commands."""
    configuration = servers.configuration_of("rv64", wire=servers.wire_of(card=request.param))
    pair = servers.start(configuration, kernel)
    printed: list[bytes] = []
    servers.run_until(pair, kernel.ready, printed.append, range(2))
    assert PROBED[request.param] in b"".join(printed)
    assert b"02:00:00:00:00:01" in b"".join(printed)
    return Ready(configuration, pair.save())


def restored(ready: Ready, checkpoint: bytes | None = None) -> _native.Server:
    """The two servers, or what became of them."""
    return servers.restore(ready.configuration, "checkpoint", checkpoint or ready.checkpoint)


def answers(
    pair: _native.Server, commands: dict[int, str], last: str = "# ", times: int = 1
) -> dict[int, str]:
    """Return the output of servers after a command for each until they take the next.

    They do when they have printed `last` a number of times.
    """
    for node, command in commands.items():
        pair.type_in(command.encode() + b"\n", node)
    printed = dict.fromkeys(commands, "")
    begin, hertz = pair.time()
    while not all(output.count(last) >= times for output in printed.values()):
        assert pair.run(1_000_000) in ("time", "idle")
        for node in printed:
            printed[node] += pair.take_output(node).decode()
        assert pair.time()[0] - begin < PATIENCE_S * hertz, printed
    return printed


def checksum_of_stream(count: int) -> str:
    """Return the first program's checksum of a stream of `count` bytes, computed from its definition.

    FNV-1a of 64 bits, over the words of a linear congruential generator that begins with the length.
    """
    state, digest, left = count, 0xCBF29CE484222325, count
    while left > 0:
        state = (state * 6364136223846793005 + 1442695040888963407) & MASK
        for byte in state.to_bytes(8, "little")[:left]:
            digest = (digest ^ byte) * 0x100000001B3 & MASK
        left -= 8
    return f"{digest:016x}"


def counted(pair: _native.Server) -> list[dict[str, int]]:
    """Return the counters of both cards."""
    return [dict(pair.card_counters(node)) for node in range(2)]


def test_a_server_answers_another(ready: Ready) -> None:
    pair = restored(ready)
    printed = answers(pair, {0: "ping 10.0.0.2 5"})[0]
    assert "5 of 5 answered" in printed
    times_us = [float(text) for text in re.findall(r"64 bytes from 10.0.0.2: \d, ([\d.]+) us", printed)]
    assert len(times_us) == 5
    # There and back: the link twice, and on each side the card's delay of interrupts.
    assert all(time_us > 2 * 1 + 2 * 10 for time_us in times_us)
    pair.type_in(b"poweroff\n", 0)
    pair.type_in(b"poweroff\n", 1)
    assert pair.run(10**9) == "off"


@pytest.mark.parametrize("sender", [0, 1])
def test_a_stream_arrives_whole(ready: Ready, sender: int) -> None:
    pair = restored(ready)
    to = servers.address_of(1 - sender)
    commands = {1 - sender: "receive 5000", sender: f"send {to} 5000 {STREAM_BYTES}"}
    printed = answers(pair, commands)
    expected = f"{STREAM_BYTES} bytes, checksum {checksum_of_stream(STREAM_BYTES)}"
    assert f"sent {expected}" in printed[sender]
    assert f"received {expected}" in printed[1 - sender]
    cards = counted(pair)
    for node in range(2):
        dropped = sum(count for name, count in cards[1 - node].items() if name.startswith("dropped"))
        assert cards[node]["sent"] == cards[1 - node]["received"] + dropped
    assert cards[sender]["sent"] > STREAM_BYTES / 1448


def test_streams_pass_both_ways_at_once(ready: Ready) -> None:
    pair = restored(ready)
    answers(pair, {0: "serve 5000", 1: "serve 5001"})
    commands = {0: f"send 10.0.0.2 5001 {STREAM_BYTES}", 1: f"send 10.0.0.1 5000 {STREAM_BYTES}"}
    printed = answers(pair, commands, "Gb/s")
    expected = f"{STREAM_BYTES} bytes, checksum {checksum_of_stream(STREAM_BYTES)}"
    for output in printed.values():
        assert expected in output


def test_neither_step_nor_threads_matter(ready: Ready) -> None:
    def end(step: int | None, slice_cycles: int, threads: int) -> tuple[bytes, bytes, list[dict[str, int]]]:
        pair = restored(ready)
        pair.set_threads(threads)
        if step:
            pair.shorten_step(step)
        pair.type_in(b"ping 10.0.0.2 2\nsend 10.0.0.2 5000 60000\n", 0)
        pair.type_in(b"receive 5000\n", 1)
        for _ in range(300_000_000 // slice_cycles):
            pair.run(slice_cycles)
        return pair.take_output(0), pair.take_output(1), counted(pair)

    # Steps of a divisor of the slices, so that all stop at the same time.
    usual, again, short = end(1000, 5_000_000, 2), end(1000, 1_000_000, 1), end(100, 5_000_000, 2)
    assert b"received 60000 bytes" in usual[1]
    assert usual == again == short


def test_the_capture_has_every_frame(ready: Ready, tmp_path: Path) -> None:
    pair = restored(ready)
    before = counted(pair)
    file = tmp_path / "link.pcapng"
    capture = pair.capture(file)
    answers(pair, {0: "ping 10.0.0.2 2"})
    frames = capture.finish()
    assert frames == [now["sent"] - then["sent"] for now, then in zip(counted(pair), before, strict=True)]
    kinds = [frame[12:14] for frame in _native.read_capture(str(file))[0]]
    # Requests and answers, and questions for addresses.
    assert kinds.count(b"\x08\x00") == 4
    assert set(kinds) <= {b"\x08\x00", b"\x08\x06"}


def test_a_checkpoint_of_two_goes_on_as_they_would_have(ready: Ready) -> None:
    pair = restored(ready)
    pair.type_in(b"send 10.0.0.2 5000 300000\n", 0)
    pair.type_in(b"receive 5000\n", 1)
    begin = counted(pair)[0]["sent"]
    for _ in range(100_000):
        pair.run(1_000)
        sender, receiver = counted(pair)
        if sender["sent"] >= begin + 50 and receiver["received"] < sender["sent"]:
            break
    else:
        pytest.fail("no frame was on the link between two looks")
    checkpoint = pair.save()
    other = restored(ready, checkpoint)
    assert other.save() == checkpoint
    for running in (pair, other):
        running.take_output(1)
        running.run(100_000_000)
    printed = pair.take_output(1)
    assert b"received 300000 bytes" in printed
    assert other.take_output(1) == printed
    assert other.save() == pair.save()


def test_servers_with_several_harts_are_joined(kernel: linux.Linux) -> None:
    configuration = servers.configuration_of("rv64", harts=2, wire=WIRE)
    pair = servers.start(configuration, kernel)
    servers.run_until(pair, kernel.ready, lambda _: None, range(2))
    assert "2 of 2 answered" in answers(pair, {1: "ping 10.0.0.1 2"})[1]
    checkpoint = pair.save()
    with pytest.raises(
        SpinachError, match=r"node\[0\]\.harts was 2 and is 1; node\[1\]\.harts was 2 and is 1"
    ):
        servers.restore(PAIR, "checkpoint", checkpoint)


def test_a_script_talks_to_both(kernel: linux.Linux, tmp_path: Path) -> None:
    file = tmp_path / "link.pcapng"
    typed = "@2 serve 5000\nping 10.0.0.2 1\nsend 10.0.0.2 5000 1000\npoweroff\n@2 sleep 100\n@2 poweroff\n"
    command = [sys.executable, "-m", "spinach_nic", "boot", "rv64", "--nodes", "2", "--pcap-out", str(file)]
    done = subprocess.run(command, input=typed, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^1\|.* 64 bytes from 10\.0\.0\.2", done.stdout, re.MULTILINE)
    assert "received 1000 bytes" in done.stdout
    assert re.search(r"card of server 1: sent \d+, received \d+", done.stderr)
    assert len(_native.read_capture(str(file))[0]) > 4


def test_checkpoints_of_other_servers_are_refused(kernel: linux.Linux) -> None:
    one = servers.configuration_of("rv64")
    alone, pair = servers.start(one, kernel).save(), servers.start(PAIR, kernel).save()
    with pytest.raises(SpinachError, match="of 1 server, not of 2 servers"):
        servers.restore(PAIR, "checkpoint", alone)
    with pytest.raises(SpinachError, match="of 2 servers, not of 1 server"):
        servers.restore(one, "checkpoint", pair)
    with pytest.raises(SpinachError, match="it is truncated"):
        servers.restore(PAIR, "checkpoint", pair[: len(pair) // 2])


@pytest.mark.parametrize(
    ("options", "differences"),
    [
        ({"card": "v-sinic", "latency": "2us"}, "link.latency was 1 us and is 2 us"),
        (
            {"card": "v-sinic", "rate": "1Gbps"},
            "node[0].card.link_rate was 10 Gbps and is 1 Gbps; "
            "node[1].card.link_rate was 10 Gbps and is 1 Gbps",
        ),
        (
            {"card": "v-sinic", "settings": ["node[1].card.vnics=16", "node[1].card.flow_control=0"]},
            "node[1].card.flow_control was 1 and is 0; node[1].card.vnics was 64 and is 16",
        ),
        (
            {"card": "v-sinic", "settings": ["node[0].card.receive_fifo=64KiB"]},
            "node[0].card.receive_fifo was 512 KiB (low below 384 KiB, high from 384 KiB) "
            "and is 64 KiB (low below 48 KiB, high from 48 KiB)",
        ),
        ({"card": "v-sinic,dp83820"}, "node[1].card was sinic and is dp83820"),
    ],
)
def test_what_differs_from_the_saved_servers_is_named(
    kernel: linux.Linux, options: dict[str, Any], differences: str
) -> None:
    saved = servers.configuration_of("rv64", wire=servers.wire_of(card="v-sinic"))
    checkpoint = servers.start(saved, kernel).save()
    other = servers.configuration_of("rv64", wire=servers.wire_of(**options))
    with pytest.raises(CheckpointError) as caught:
        servers.restore(other, "checkpoint", checkpoint)
    assert caught.value.message == f"cannot restore checkpoint: it is of another configuration: {differences}"


def test_a_checkpoint_that_describes_its_cards_as_a_text_is_restored(kernel: linux.Linux) -> None:
    checkpoint = servers.start(PAIR, kernel).save()
    old, count = re.subn(
        rb'"described":(\{[^{}]*\{[^{}]*\}\})',
        lambda found: b'"described":null'.ljust(len(found[0])),
        checkpoint,
    )
    assert count == 2
    assert servers.restore(PAIR, "checkpoint", old).save() == checkpoint
    slower = servers.configuration_of("rv64", wire=servers.wire_of(rate="1Gbps"))
    with pytest.raises(CheckpointError) as caught:
        servers.restore(slower, "checkpoint", old)
    assert "node[0].card was dp83820 02:00:00:00:00:01 of 10 Gb/s" in caught.value.message


def test_an_unknown_card_is_compared_with_the_names_of_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.carry_out(["boot", "--nodes", "2", "--card", "tengg"]) == 2
    help = capsys.readouterr().err.splitlines()[-1]
    assert help == "help: did you mean tengig?; or give a Python file of your own"


@pytest.mark.parametrize(
    ("magic", "cards", "message"),
    [
        (servers.MODULES_MAGIC, "sinic", "its servers have cards made of modules"),
        (servers.CHECKPOINT_MAGICS[0], "ricenic", "its servers have no cards made of modules"),
    ],
)
def test_a_checkpoint_with_cards_of_the_other_kind_is_refused(
    magic: bytes, cards: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "saved"
    saved.write_bytes(magic + bytes(100))
    assert cli.carry_out(["boot", "--nodes", "2", "--card", cards, "--restore", str(saved)]) == 2
    error, help = capsys.readouterr().err.splitlines()
    assert error == f"error: cannot restore {saved}: {message}"
    assert help == "help: repeat the --nodes, --card and --wire of the run that saved it"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--pcap-out", "x"], "there is one"),
        (["--link-rate", "1Gbps"], "there is one"),
        (["--nodes", "3"], "3"),
        (["--card", "sinic"], "there is one"),
        (["--nodes", "2", "--card", "e1000"], "unknown card e1000 of a server"),
        (["--nodes", "2", "--card", "sinic,sinic,sinic"], "3 cards for two servers"),
        (["--nodes", "2", "--card", "dp83820,sinic,tigon2"], "3 cards for two servers"),
        (["--nodes", "2", "--card", "dp83820,"], "a card of --card has no name"),
        (["--nodes", "2", "--card", ""], "a card of --card has no name"),
        (["--nodes", "2", "--timeline", "x", "--timeline-for", "5"], "--timeline-for: 5 has no unit"),
        (["--set", "node[0].card.vnics=2"], "there is one"),
        (["--nodes", "2", "--set", "vnics=2"], "for timed cores"),
        (["--nodes", "2", "--set", "node[2].card.vnics=2"], "node[0] or node[1]"),
        (["--nodes", "2", "--set", "node[1].card.vnics=2"], "dp83820 has no parameter vnics"),
        (["--nodes", "2", "--set", "node[1].card.receive_fifo"], "receive_fifo"),
        (
            ["--nodes", "2", "--card", "dp83820,v-sinic", "--set", "node[1].card.vnics=0"],
            "invalid vnics 0 of v-sinic (1 to 256)",
        ),
        (["--nodes", "2", "--link-rate", "1kbps"], "1kbps"),
        (["--nodes", "2", "--link-latency", "2s"], "2s"),
        (["--nodes", "2", "--link-latency", "5"], "--link-latency: 5 has no unit"),
        (["--nodes", "2", "--harts", "2", "--link-latency", "0.5us"], "turn of a hart"),
        (["--nodes", "2", "--attachment", "cache"], "--attachment"),
        (["--clock", "1GHz,2GHz"], "clocks of 2 servers"),
        (["--nodes", "2", "--clock", "1GHz,1.5MHz"], "1.5 MHz"),
    ],
)
def test_mistakes_are_two_lines(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], kernel: linux.Linux
) -> None:
    assert cli.carry_out(["boot", "rv64", *arguments]) == 2
    error, help = capsys.readouterr().err.splitlines()[-2:]
    assert message in error
    assert help.startswith("help: ")


def test_the_rates_in_a_help_are_accepted() -> None:
    with pytest.raises(SpinachError, match="1001Gbps cannot be simulated") as caught:
        servers.wire_of(rate="1001Gbps")
    least, most = re.findall(r"\d+\wbps", caught.value.help)
    for rate in (least, most):
        assert str(servers.wire_of(rate=rate).rate).replace(" ", "") == rate


@pytest.mark.parametrize("attachment", servers.ATTACHMENTS)
def test_a_stream_arrives_whole_at_a_timed_server(kernel: linux.Linux, attachment: str) -> None:
    wire = servers.wire_of(card={"io": "dp83820", "memory": "v-sinic", "cache": "sinic"}[attachment])
    pair = servers.booted(servers.configuration_of("rv64", wire=wire, clocks="4GHz,8GHz"), kernel, print)
    pair.set_timed(True, parameters=servers.timed_parameters(attachment))
    count = 200_000
    answers(pair, {0: "serve 5000", 1: "serve 5001"})
    # Each sends, and receives in the background.
    sends = {0: f"send 10.0.0.2 5001 {count}", 1: f"send 10.0.0.1 5000 {count}"}
    printed = answers(pair, sends, "Gb/s", 2)
    for output in printed.values():
        assert output.count(f"{count} bytes, checksum {checksum_of_stream(count)}") == 2
    timing = pair.timing()
    assert timing is not None
    # Each byte passed memory or caches, and lines in no cache pass the bus.
    assert timing["device_references"] > 2 * count / 64
    assert (timing["device_misses"] > 0) == (attachment == "cache")
    assert timing["memory_bus_cycles"] >= 16 * timing["memory_lines"]
    pair.set_timed(False)
    assert "1 of 1 answered" in answers(pair, {0: "ping 10.0.0.2 1"})[0]
