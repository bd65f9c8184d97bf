"""Workloads of two joined servers, one of which is measured (SINIC paper, section 5.2)."""

from __future__ import annotations

from dataclasses import dataclass

from spinach_nic import servers

UNDER_TEST, STRESSER = 0, 1
"""Numbers of the servers."""
MULTI = 8
"""Number of streams in the variants with several. The paper does not state its number."""
APART = 4
"""Streams of a workload in which each has a separate process."""
_PORT = 5000
_WEB_CLIENTS = 32
_READS = "50 8192"
"""Reads of a disk: parallel reads, and bytes of each, as in the published runs."""


@dataclass(frozen=True)
class Step:
    """A command for one of the servers."""

    node: int
    command: str
    expected: str
    """Output that precedes the next command."""


def _streams(kind: str, other: str, count: int) -> tuple[Step, ...]:
    """Return the steps of streams whose client, as netperf's, is the server under test."""
    address = servers.address_of(STRESSER)
    return (
        Step(STRESSER, f"{other} {_PORT} {count}", "streams may come"),
        Step(UNDER_TEST, f"{kind} {address} {_PORT} {count}", "streams are open"),
    )


def _disk(target: int, initiator: int) -> tuple[Step, ...]:
    return (
        Step(target, "iscsi-target", "offers iqn"),
        Step(initiator, f"iscsi-login {servers.address_of(target)}", "the disk is"),
        Step(initiator, f"reads {_READS}", " at once"),
    )


WORKLOADS = {
    "stream": _streams("stream", "sink", 1),
    "maerts": _streams("maerts", "source", 1),
    "stream-multi": _streams("stream", "sink", MULTI),
    "maerts-multi": _streams("maerts", "source", MULTI),
    "streams-apart": (
        *(Step(STRESSER, f"sink {_PORT + number} 1", "streams may come") for number in range(APART)),
        Step(UNDER_TEST, f"streams-apart {servers.address_of(STRESSER)} {_PORT} {APART}", "processes send"),
    ),
    "web": (
        Step(UNDER_TEST, f"web-server 80 {_WEB_CLIENTS}", " workers"),
        Step(STRESSER, f"web-clients {servers.address_of(UNDER_TEST)} 80 {_WEB_CLIENTS}", " ask"),
    ),
    "iscsi-target": _disk(UNDER_TEST, STRESSER),
    "iscsi-initiator": _disk(STRESSER, UNDER_TEST),
}
"""The steps of each, by name. In the first four the server under test is the client of netperf."""
