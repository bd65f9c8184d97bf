"""Workloads of servers in experiments: streams, a web server, and receiving without a copy."""

import re
from collections.abc import Callable

import pytest

from spinach_nic import _native, servers
from spinach_nic.servers import linux
from spinach_nic.servers.profile import profile_of

BYTES = 400_000
SLICE = 1_000_000
PATIENCE = 60
MS = 1_000_000
"""Cycles."""


@pytest.fixture(scope="module")
def pair_of(kernel: linux.Linux) -> Callable[[str], _native.Server]:
    """Two servers with such a card that are ready for commands."""

    def made(card: str) -> _native.Server:
        configuration = servers.configuration_of("rv64", wire=servers.wire_of(card=card))
        return servers.booted(configuration, kernel, lambda _: None)

    return made


def until(pair: _native.Server, node: int, pattern: str) -> re.Match[str]:
    """Run until a server prints something."""
    printed = ""
    for _ in range(PATIENCE * 10):
        assert pair.run(10 * SLICE) in ("time", "idle")
        printed += pair.take_output(node).decode()
        if found := re.search(pattern, printed, re.DOTALL):
            return found
    raise AssertionError(printed)


@pytest.mark.parametrize("kind", ["stream", "maerts"])
@pytest.mark.parametrize("count", [1, 3])
def test_streams_are_counted_over_a_measured_time(
    pair_of: Callable[[str], _native.Server], kind: str, count: int
) -> None:
    pair = pair_of("sinic")
    other = {"stream": "sink", "maerts": "source"}[kind]
    pair.type_in(b"settings published\n", 0)
    pair.type_in(f"settings published\n{other} 5000 {count}\n".encode(), 1)
    pair.type_in(f"{kind} 10.0.0.2 5000 {count} 2 5\n".encode(), 0)
    found = until(pair, 0, r"(\d+) bytes in ([\d.]+) us, ([\d.]+) Gb/s")
    taken, us, gbps = int(found[1]), float(found[2]), float(found[3])
    assert us == pytest.approx(5000, rel=0.4)
    assert gbps == pytest.approx(8e-3 * taken / us, abs=0.001)
    assert 0.5 < gbps < 10
    frames, sent = pair.carried(0 if kind == "stream" else 1)
    assert sent > taken
    assert sent / frames > 1000


def test_calls_of_streams_have_the_chosen_size(pair_of: Callable[[str], _native.Server]) -> None:
    pair = pair_of("sinic")
    pair.type_in(b"stream-buffers 32768 0 0 65537\n", 0)
    assert until(pair, 0, r"up to (\d+) bytes of a call")[1] == "65536"
    for node in range(2):
        pair.type_in(b"settings published\nstream-buffers 32768 0 0 8000\n", node)
    pair.type_in(b"source 5000 2\n", 1)
    pair.type_in(b"maerts 10.0.0.2 5000 2 2 5\n", 0)
    # Calls wait for all their bytes, and each turn has one of each stream.
    assert int(until(pair, 0, r"(\d+) bytes in")[1]) % (2 * 8000) == 0


def test_zero_copy_delivers_the_same_bytes(pair_of: Callable[[str], _native.Server]) -> None:
    pair = pair_of("v-sinic")
    for node in range(2):
        pair.type_in(b"settings published\n", node)
    pair.type_in(b"zerocopy on\nreceive 5000\n", 0)
    pair.type_in(f"send 10.0.0.1 5000 {BYTES}\n".encode(), 1)
    received = until(pair, 0, r"received (\d+) bytes, checksum (\w+)")
    sent = until(pair, 1, r"sent (\d+) bytes, checksum (\w+)")
    assert received.groups() == sent.groups()
    counted = dict(pair.card_counters(0))
    assert counted["deferred copies"] > BYTES / 1448 / 2
    # Switched off, the driver copies whole packets again.
    pair.type_in(b"zerocopy off\nreceive 5001\n", 0)
    pair.type_in(f"send 10.0.0.1 5001 {BYTES}\n".encode(), 1)
    assert until(pair, 0, r"received (\d+) bytes")[1] == str(BYTES)
    assert dict(pair.card_counters(0))["deferred copies"] == counted["deferred copies"]


def test_zero_copy_from_several_streams_goes_on(pair_of: Callable[[str], _native.Server]) -> None:
    # Both streams come as fast as they can and are read in turn: packets of one wait in the card for their
    # reader, and keep the room of those of the other behind them.
    pair = pair_of("v-sinic")
    pair.type_in(b"settings published\nsource 5000 2\n", 1)
    pair.type_in(b"settings published\nzerocopy on\nmaerts 10.0.0.2 5000 2 10 20\n", 0)
    found = until(pair, 0, r"(\d+) bytes in ([\d.]+) us, ([\d.]+) Gb/s")
    assert float(found[2]) == pytest.approx(20_000, rel=0.1)
    assert float(found[3]) > 1
    counted = dict(pair.card_counters(0))
    assert counted["deferred copies"] > 100
    assert counted["dropped: no room"] == 0


def test_each_process_sends_a_stream_of_its_own(pair_of: Callable[[str], _native.Server]) -> None:
    pair = pair_of("v-sinic")
    pair.type_in(b"sink 5000 1\nsink 5001 1\n", 1)
    pair.type_in(b"streams-apart 10.0.0.2 5000 2\n", 0)
    until(pair, 0, "2 processes send")
    before = pair.carried(0)[1]
    pair.run(20 * MS)
    assert pair.carried(0)[1] - before > 1_000_000


def test_payload_that_others_look_at_is_copied_at_once(pair_of: Callable[[str], _native.Server]) -> None:
    pair = pair_of("v-sinic")
    # With timestamps, headers are longer than what the card copies of a packet.
    pair.type_in(b"zerocopy on\nreceive 5000\n", 0)
    pair.type_in(f"send 10.0.0.1 5000 {BYTES}\n".encode(), 1)
    received = until(pair, 0, r"received (\d+) bytes, checksum (\w+)")
    assert received.groups() == until(pair, 1, r"sent (\d+) bytes, checksum (\w+)").groups()


def test_a_web_server_answers(kernel: linux.Linux, pair_of: Callable[[str], _native.Server]) -> None:
    pair = pair_of("sinic")
    pair.type_in(b"web-server 80 4\n", 1)
    until(pair, 1, "4 workers")
    pair.type_in(b"web-clients 10.0.0.2 80 4 5 20\n", 0)
    until(pair, 0, "4 ask")
    pair.set_profiled(True, 1)
    found = until(pair, 0, r"(\d+) answers in ([\d.]+) us, (\d+) each second, (\d+) failed")
    assert int(found[1]) > 50
    assert found[4] == "0"
    shares = profile_of(pair, kernel.symbols, 1).categories
    assert all(shares[name] > 0 for name in ("user", "copy", "buffer", "stack", "driver", "interrupt"))


def test_a_disk_is_read_over_the_network(pair_of: Callable[[str], _native.Server]) -> None:
    pair = pair_of("sinic")
    pair.type_in(b"iscsi-target\n", 1)
    until(pair, 1, "offers iqn")
    pair.type_in(b"iscsi-login 10.0.0.2\nreads 50 8192\n", 0)
    until(pair, 0, "4.10 GB.*50 at once")
    before = pair.carried(1)[1]
    pair.run(20 * MS)
    # A queue that is always full: all that the target's processor can do, some hundred reads.
    assert pair.carried(1)[1] - before > 100 * 8192
