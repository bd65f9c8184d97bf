"""Calls of programs on a server to the simulator: regions of interest, checkpoints, exit status.

`firmware/linux/guest/spinach.h` and `spinach_roi.py` make them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from spinach_nic.servers.counts import CountedServers, Counts
from spinach_nic.support.documents import Count
from spinach_nic.support.representations import amount

_NANOSECONDS = 10**9
"""Nanoseconds per second."""


class Callers(CountedServers, Protocol):
    """Servers whose guest software makes calls, as `_native.Server` has them."""

    def nodes(self) -> int:
        """Return the number of servers."""

    def take_calls(self, node: int = 0) -> Iterable[tuple[str, str]]:
        """Take the calls of a server's guest software, oldest first: kind, and name or number."""

    def save(self) -> bytes:
        """Return a checkpoint."""


@dataclass(frozen=True)
class Region:
    """Counts between the begin and the end of a region of interest."""

    name: str
    server: Count
    """Number of the server, from 1 on."""
    begins_ns: Count
    """Simulated time of the begin."""
    simulated_ns: Count
    """Duration in simulated time."""
    cycles: Count
    """Cycles of the server's clock, including those in which its harts waited."""
    instructions: Count
    """Instructions of all its harts, in user and supervisor mode."""
    counters: Mapping[str, Count]
    """Counters of the card."""
    sent_bytes: Count | None
    """Bytes of frames that the server put on the link; `None` for cards made of modules, in documents of
    earlier versions."""
    received_bytes: Count | None
    """Bytes of frames that the other server put on the link. If both servers make calls within the latency of
    the link, frames between the two calls may count later."""
    timing: Mapping[str, Count] | None
    """Counters of the timed core and its caches; `None` for functional cores."""

    def __str__(self) -> str:
        """One line for the terminal."""
        parts = [f"{amount(self.instructions, 'instruction')}", amount(self.cycles, "cycle")]
        if timing := self.timing:
            parts += [
                f"misses of data {timing['data_misses']:,}, of code {timing['code_misses']:,}, "
                f"of the second level {timing['second_level_misses']:,}"
            ]
        if self.sent_bytes or self.received_bytes:
            parts.append(f"{self.sent_bytes:,} bytes sent, {self.received_bytes:,} received")
        return f"region {self.name}: {', '.join(parts)}"


@dataclass
class Calls:
    """Follower of the calls of all servers of a run.

    Args:
        checkpoint: Called with each checkpoint that a program asks for.
    """

    checkpoint: Callable[[bytes], None] | None = None
    regions: list[Region] = field(default_factory=list)
    """Regions that have ended, in the order of their ends."""
    notes: list[str] = field(default_factory=list)
    """Messages about calls without effect."""
    exit_status: int | None = None
    """Exit status of the first server's program, once it has ended."""
    _open: dict[int, list[tuple[str, Counts]]] = field(default_factory=dict)

    def follow(self, server: Callers) -> None:
        """Take and serve the calls made since the last time.

        After "called" of `run`, counters are those of the end of the call's turn: the call itself with one
        hart, up to a turn later with several.
        """
        for node in range(server.nodes()):
            for kind, detail in server.take_calls(node):
                self._serve(server, node, kind, detail)

    def finish(self) -> None:
        """Note the regions that have not ended."""
        for begun in self._open.values():
            self.notes += [f"region {name} has not ended, and is left out" for name, _ in begun]
        self._open.clear()

    def _serve(self, server: Callers, node: int, kind: str, detail: str) -> None:
        begun = self._open.setdefault(node, [])
        if kind == "begin":
            begun.append((detail, Counts.of(server, node)))
        elif kind == "end" and begun:
            self.regions.append(_region(server, node, *begun.pop()))
        elif kind == "end":
            self.notes.append("a program ended a region that had not begun")
        elif kind == "exit" and node == 0:
            self.exit_status = int(detail)
        elif kind == "checkpoint" and self.checkpoint:
            self.checkpoint(server.save())
        elif kind == "checkpoint":
            self.notes.append("a program asked for a checkpoint, but there is no --save FILE")


def _region(server: Callers, node: int, name: str, begin: Counts) -> Region:
    counts, hertz = Counts.of(server, node) - begin, server.hertz(node)
    return Region(
        name=name,
        server=node + 1,
        begins_ns=begin.cycles * _NANOSECONDS // hertz,
        simulated_ns=counts.cycles * _NANOSECONDS // hertz,
        cycles=counts.cycles,
        instructions=counts.instructions,
        counters=counts.card,
        sent_bytes=counts.sent_bytes,
        received_bytes=counts.received_bytes,
        timing=counts.timing,
    )
