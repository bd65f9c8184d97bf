"""Address translation between two network namespaces: the kernel's own TCP, UDP and ping through the card."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.python.conftest import Started
from tests.python.runs.test_live import HOST, SPACES, WIRE, LiveCard, inside, ip, spaces

__all__ = ["spaces"]
INNER = "192.168.77.9"
SERVER = """
import socket, sys
listener = socket.create_server((sys.argv[1], int(sys.argv[2])))
print("listening", flush=True)
peer, address = listener.accept()
received = b""
while chunk := peer.recv(65536):
    received += chunk
peer.sendall(repr(address).encode() + b"|" + received[::-1])
"""
CLIENT = """
import random, socket, sys
sent = random.Random(7).randbytes(60000)
peer = socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=40, source_address=(sys.argv[3], 0))
peer.sendall(sent)
peer.shutdown(socket.SHUT_WR)
received = b""
while chunk := peer.recv(65536):
    received += chunk
address, _, echoed = received.partition(b"|")
assert echoed == sent[::-1]
print(address.decode())
"""


def serve(started: Started, space: str, address: str, port: int) -> None:
    words = ["ip", "netns", "exec", space, sys.executable, "-c", SERVER, address, str(port)]
    server = started(*words)
    assert server.stdout is not None
    assert server.stdout.readline() == "listening\n"


def connect(space: str, address: str, port: int, source: str) -> str:
    done = inside(space, sys.executable, "-c", CLIENT, address, str(port), source)
    assert done.returncode == 0, done.stderr
    return str(eval(done.stdout)[0])


@pytest.mark.usefixtures("spaces")
def test_an_inner_node_talks_to_the_outer_network(started: Started, tmp_path: Path) -> None:
    own = SPACES[HOST]
    forward = f"nat_forwards=tcp:8080:{INNER}:80"
    options = [
        "--firmware",
        "nat",
        "--set",
        f"nat_address={own}",
        "--set",
        forward,
        "--set",
        "core=functional",
    ]
    card = LiveCard(started, tmp_path, "ricenic", *options)
    ip("-n", HOST, "link", "set", "lo", "up")
    ip("-n", HOST, "addr", "add", f"{INNER}/32", "dev", "lo")
    serve(started, WIRE, SPACES[WIRE], 9000)
    assert connect(HOST, SPACES[WIRE], 9000, INNER) == own, "the outer node sees the card's address"
    serve(started, HOST, INNER, 80)
    assert connect(WIRE, own, 8080, SPACES[WIRE]) == SPACES[WIRE]
    pinged = inside(HOST, "ping", "-c", "2", "-i", "0.2", "-W", "10", "-I", INNER, SPACES[WIRE])
    assert "2 received" in pinged.stdout, pinged
    refused = subprocess.run(
        ["ip", "netns", "exec", WIRE, "ping", "-c", "1", "-W", "1", own], capture_output=True, text=True
    )
    assert "0 received" in refused.stdout, "outer nodes begin no connection"
    document = card.end()
    assert document["frames"]["dropped"]["rx"]["card.tally"]["icmp"] >= 1
