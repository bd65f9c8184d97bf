"""Counts of a server, of its card and of its link: at a moment, and between two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import astuple


class CountedServers(Protocol):
    """Servers with counts, as `_native.Server` has them."""

    def cycles(self, node: int = 0) -> int:
        """Return the cycles of a server since the start.

        After "called" they are those until the call; of a server that has ended, those until its end.
        """

    def has_ended(self, node: int = 0) -> bool:
        """Return true if a server has ended."""

    def instructions(self, node: int | None = None) -> int:
        """Return the instructions of all harts since the start, or those of a server."""

    def timing(self, node: int = 0) -> dict[str, int] | None:
        """Return the counters of a server's timed cores; `None` for functional cores."""

    def card_counters(self, node: int = 0) -> list[tuple[str, int]]:
        """Return the counters of a server's card."""

    def carried(self, node: int = 0, at: int | None = None) -> tuple[int, int]:
        """Return the frames that a server has put on the link until the time of server `at`, and their bytes.

        That server is itself by default.
        """

    def hertz(self, node: int = 0) -> int:
        """Return the clock of a server's harts, in Hz."""


class Counts(Struct, frozen=True):
    """Counts since the start of a server, or between two moments."""

    cycles: int
    instructions: int
    timing: Mapping[str, int] | None
    """Counters of timed cores and caches; `None` for functional cores."""
    card: Mapping[str, int]
    sent_frames: int
    sent_bytes: int
    received_bytes: int
    """Bytes that the other server has sent."""

    @classmethod
    def of(cls, server: CountedServers, node: int = 0) -> Counts:
        """Return the present counts of a server."""
        frames, size = server.carried(node)
        return cls(
            cycles=server.cycles(node),
            instructions=server.instructions(node),
            timing=server.timing(node),
            card=dict(server.card_counters(node)),
            sent_frames=frames,
            sent_bytes=size,
            received_bytes=server.carried(1 - node, node)[1],
        )

    def __sub__(self, earlier: Counts) -> Counts:
        """Return the counts since an earlier moment."""
        pairs = zip(astuple(self), astuple(earlier), strict=True)
        return Counts(*(_since(now, then) for now, then in pairs))


def _since(now: Any, then: Any) -> Any:
    if isinstance(now, Mapping):
        return {name: count - (then or {}).get(name, 0) for name, count in now.items()}
    return None if now is None else now - then
