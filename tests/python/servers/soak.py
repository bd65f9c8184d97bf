"""Long byte streams between two servers, both ways at once through each card, whole at the other end.

The tests send a few megabytes; `make soak-server` sends as many bytes as asked for:

    make soak-server BYTES=100000000
"""

import re
import sys
import time

import click

from spinach_nic import _native, servers
from spinach_nic.servers import linux

PORTS = (5000, 5001)
CARDS = ("dp83820", "sinic", "v-sinic")
SLICE_CYCLES = 5_000_000
PATIENCE_S = 60.0
"""Simulated seconds without an end, for each 10 MB."""


def exchange(card: str, count: int) -> str:
    """Send `count` bytes each way through such cards; what is wrong, or nothing."""
    configuration = servers.configuration_of("rv64", wire=servers.wire_of(card=card))
    pair = servers.booted(configuration, linux.needed(), lambda _: None)
    for node in range(2):
        pair.type_in(b"serve %d\n" % PORTS[node], node)
    for node in range(2):
        pair.type_in(f"send {servers.address_of(1 - node)} {PORTS[1 - node]} {count}\n".encode(), node)
    printed = _until_received(pair, PATIENCE_S * max(1, count // 10_000_000))
    sums = [dict(re.findall(rf"(sent|received) {count} bytes, checksum (\w+)", text)) for text in printed]
    for node in range(2):
        sent, received = sums[node].get("sent"), sums[1 - node].get("received")
        if sent is None or sent != received:
            return f"server {node + 1} sent {sent}, the other received {received}: {printed}"
    return ""


def _until_received(pair: _native.Server, patience_s: float) -> list[str]:
    """Return the output of both until both have received everything, or patience is at its end."""
    printed = ["", ""]
    begin, hertz = pair.time()
    while pair.time()[0] - begin < patience_s * hertz:
        pair.run(SLICE_CYCLES)
        for node in range(2):
            printed[node] += pair.take_output(node).decode()
        if all("received" in text and "sent" in text for text in printed):
            break
    return printed


def main() -> int:
    """Let each card carry as many bytes as the argument says."""
    count = int(sys.argv[1])
    failed = False
    for card in CARDS:
        began = time.monotonic()
        wrong = exchange(card, count)
        failed = failed or bool(wrong)
        click.echo(f"{card}: {wrong or f'{count:,} bytes each way'} ({time.monotonic() - began:.0f} s)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
