"""Frames of one direction in the form of the library's modules.

Sources that users name become these: captures become parts of the frames that a plan holds. Modules get them
as JSON (`describe`), and only there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec import Struct

from spinach_nic.support.records import Record
from spinach_nic.traffic.frame_sources import SIZED, Capture, Mix, Raw, Source, Tcp, Udp

Load = Callable[[Path], tuple[int, int]]
"""Reads a capture; returns the number of its first frame among all that were read, and how many it has."""


class CapturedFrames(Struct, frozen=True):
    """A part of the frames of a plan, in their order, repeated."""

    first: int
    """Number of the first."""
    count: int
    """Number of frames."""

    def describe(self) -> dict[str, Any]:
        """Return the form of the library's modules."""
        return {"kind": "capture", "first": self.first, "count": self.count}


class LiveFrames(Struct, frozen=True):
    """Frames that come from outside the simulation."""

    longest: int
    """Bytes of the longest frame."""

    def describe(self) -> dict[str, Any]:
        """Return the form of the library's modules."""
        return {"kind": "live", "longest": self.longest}


class AnyFrames(Struct, frozen=True):
    """Frames that are counted and not compared, such as those that firmware creates."""

    longest: int
    """Bytes of the longest frame."""

    def describe(self) -> dict[str, Any]:
        """Return the form of the library's modules."""
        return {"kind": "any", "longest": self.longest}


@dataclass(frozen=True, eq=False, repr=False)
class Choice(Record):
    """Mix of several sources: each frame comes from one of them, at random."""

    parts: tuple[tuple[int, Simple], ...]
    """Sources, each with its weight."""
    apart: bool = False
    """True if only frames of one source keep their order, as with several hosts behind one card."""

    def describe(self) -> dict[str, Any]:
        """Return the form of the library's modules."""
        parts = [{"weight": weight, "source": source.describe()} for weight, source in self.parts]
        return {"kind": "mix"} | ({"apart": True} if self.apart else {}) | {"parts": parts}


class Stretch(Struct, frozen=True):
    """One source of a sequence."""

    source: Single
    seed: int
    """Seed of choices and contents."""
    count: int | None = None
    """Number of frames; all that follow if not given."""

    def describe(self) -> dict[str, Any]:
        """Return the form of the library's modules."""
        count = {} if self.count is None else {"count": self.count}
        return {"seed": self.seed, "source": self.source.describe(), **count}


class Stretches(Struct, frozen=True):
    """The first frames from one source, the next from another, and so on; frames keep their numbers."""

    parts: tuple[Stretch, ...]

    def describe(self) -> dict[str, Any]:
        """Return the form of the library's modules."""
        return {"kind": "sequence", "parts": [part.describe() for part in self.parts]}

    def changed(self, change: Callable[[Single], Single]) -> Stretches:
        """Return the sequence with what `change` makes of each source."""
        return Stretches(tuple(Stretch(change(one.source), one.seed, one.count) for one in self.parts))


Simple = Udp | Tcp | Raw | CapturedFrames
Single = Simple | LiveFrames | AnyFrames | Choice
Described = Single | Stretches


def resolved(source: Source, load: Load) -> Simple | Choice:
    """Return a source with the frames of its captures.

    Args:
        source: Source of frames.
        load: Called for each capture.
    """
    if isinstance(source, Mix):
        return Choice(tuple((weight, _part(part, load)) for weight, part in source.parts))
    return _part(source, load)


def _part(source: Udp | Tcp | Raw | Capture, load: Load) -> Simple:
    return CapturedFrames(*load(source.path)) if isinstance(source, Capture) else source


def read_described(described: Mapping[str, Any]) -> Described:
    """Return what `describe` described.

    Raises:
        ValueError: Its kind is unknown.
        LookupError: It lacks a part.
        TypeError: It has an unknown part.
    """
    if described["kind"] == "sequence":
        parts = [{**part, "source": _single(part["source"])} for part in described["parts"]]
        return Stretches(tuple(Stretch(**part) for part in parts))
    return _single(described)


def _single(
    described: Mapping[str, Any],
) -> Single:
    if described["kind"] == "mix":
        parts = tuple((part["weight"], _simple(part["source"])) for part in described["parts"])
        return Choice(parts, apart=described.get("apart", False))
    if described["kind"] in ("live", "any"):
        longest = described["longest"]
        return LiveFrames(longest) if described["kind"] == "live" else AnyFrames(longest)
    return _simple(described)


def _simple(described: Mapping[str, Any]) -> Simple:
    kind, settings = described["kind"], {name: it for name, it in described.items() if name != "kind"}
    if kind == "capture":
        return CapturedFrames(**settings)
    if kind not in SIZED:
        raise ValueError(f"no frames are of the kind {kind!r}")
    lists = {name: tuple(it) for name, it in settings.items() if isinstance(it, list)}
    return SIZED[kind](**{**settings, **lists})
