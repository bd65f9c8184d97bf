"""Which frames a run sends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spinach_nic.units import Rate, bps

ENDLESS = 2**64 - 1
"""The number of frames of a source that never runs dry."""

UDP_HEADER_BYTES = 42
"""Of Ethernet, IPv4 and UDP together."""
SHORTEST_FRAME_BYTES = 60
"""IEEE 802.3, without frame check sequence."""
FRAME_OVERHEAD_BYTES = 24
"""What a frame takes on the wire beside its own bytes: preamble 8, check sequence 4, gap 12 (IEEE 802.3)."""


@dataclass(frozen=True)
class FramePlan:
    """The frames of one direction, as the modules of the library take them."""

    sizes: tuple[int, ...] = ()
    """Bytes of UDP payload; several are mixed by chance. None for no traffic, unless `frames` are given."""
    weights: tuple[int, ...] = ()
    """The weight of each size; none for equal weights."""
    frames: bytes = b""
    """Frames to send instead, over and over: each preceded by its length in 32 bits, big-endian."""
    count: int = ENDLESS
    """How many frames are sent."""
    seed: int = 1
    """Decides sizes and contents."""
    rate: Rate = bps(0)  # noqa: RUF009, quantities do not change
    """Bits a second on the wire, with preamble and gap; 0 for as many as possible."""
    frame_rate: int = 0
    """Frames a second; 0 for no limit."""

    def expected(self, prefix: str = "") -> dict[str, Any]:
        """The parameters of a module that receives these frames, each name after `prefix`."""
        values = {"sizes": self.sizes, "weights": self.weights, "frames": self.frames}
        return _prefixed(prefix, values | {"count": self.count, "seed": self.seed})

    def source(self, prefix: str = "") -> dict[str, Any]:
        """The parameters of a module that sends these frames, each name after `prefix`."""
        pace = _prefixed(prefix, {"rate": self.rate, "frame_rate": self.frame_rate})
        return self.expected(prefix) | pace

    @property
    def is_silent(self) -> bool:
        """Whether there are no frames at all."""
        return self.count == 0 or not (self.sizes or self.frames)


NO_FRAMES = FramePlan(count=0)
"""The plan of a direction in which nothing is sent."""


def _prefixed(prefix: str, values: Mapping[str, Any]) -> dict[str, Any]:
    return {prefix + name: value for name, value in values.items()}
