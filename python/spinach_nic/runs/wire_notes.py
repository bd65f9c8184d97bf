"""Notes on faults of the wire that need more frames on the wire than it holds, or than pass in time."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from spinach_nic.benches.base import Bench
from spinach_nic.runs.session import Session
from spinach_nic.support.representations import amount
from spinach_nic.support.units import Rate, s
from spinach_nic.traffic import FRAME_OVERHEAD_BYTES, FramePlan
from spinach_nic.traffic.plan import MILLION

_MOST_HELD = 64
"""Frames that a `WireFaults` holds at most."""
_LEAST_FULL = 0.9
"""Fraction of the held frames from which a rate that was measured counts as limited by the wire: random
faults do not fill it all the time."""


def wire_notes(session: Session) -> list[str]:
    """Return the notes on the faults of the frames from the wire of a run that has ended."""
    plan = session.plans.get("rx")
    if plan is None or not (plan.faults.delayed or plan.faults.reordered):
        return []
    return list(_Wire(session.bench, plan, session.probes.link_rate, _Offered.by(session)).notes())


class _Offered(Struct, frozen=True):
    """Frames that came from the wire."""

    per_s: float
    """Frames per second of the window, or of the whole run without one."""
    is_steady: bool
    """True if there is a window."""

    @classmethod
    def by(cls, session: Session) -> _Offered:
        """Return the frames of a run that has ended."""
        ends = session.ends()
        begin, end = ends.start.counters, ends.end.counters
        offered = session.counts(end)["rx"].offered - session.counts(begin)["rx"].offered
        span = end.time.femtoseconds - begin.time.femtoseconds
        return cls(offered * s(1).femtoseconds / span if span else 0.0, bool(ends.moments))


class _Wire:
    """The wire of a run, with what it was to carry and what it carried."""

    def __init__(self, bench: Bench, plan: FramePlan, link_rate: Rate, offered: _Offered) -> None:
        parameters = bench.parts["wire_faults"].parameters
        self._delay, self._held_at_most = parameters["delay"], parameters["held_at_most"]
        self._reordered_by: int = parameters["reordered_by"]
        self._plan = plan
        self._offered = offered
        frames = plan.built(0, _MOST_HELD)
        bits = sum(8 * (len(frame) + FRAME_OVERHEAD_BYTES) for frame in frames) / max(1, len(frames))
        on_link = link_rate.bits_per_second / bits if bits else 0.0
        requested = plan.frame_rate or (plan.rate.bits_per_second / bits if plan.rate and bits else 0.0)
        self._is_paced = bool(requested)
        self._requested_per_s = min(requested or on_link, on_link)

    def notes(self) -> Iterator[str]:
        """Yield the notes."""
        than = "requested" if self._is_paced else "the link can carry"
        effect = (
            f"the wire holds {_MOST_HELD} frames and holds back the source: fewer are offered than {than}"
        )
        if self._plan.faults.delayed and self._is_full(self._delay.seconds):
            yield f"rx: while a frame is delayed by {self._delay}, {effect}"
        if not self._plan.faults.reordered:
            return
        share = self._plan.faults.reordered / MILLION
        if self._is_full(share * self._held_at_most.seconds, share * self._reordered_by):
            yield f"rx: while frames are held back to be overtaken, {effect}"
        rate = self._requested_per_s
        if self._offered.is_steady:
            rate = min(rate, self._offered.per_s)
        passing = int(rate * self._passing * self._held_at_most.seconds)
        if passing < self._reordered_by:
            number = f"about {amount(passing, 'frame')}" if passing else "no frame"
            yield (
                f"rx: the wire holds a reordered frame for at most {self._held_at_most}, in which {number} "
                f"can overtake it: fewer than wire_faults.reordered_by = {self._reordered_by}"
            )

    @property
    def _passing(self) -> float:
        """Frames that may overtake another, per frame offered."""
        faults = self._plan.faults
        return (MILLION - faults.reordered - faults.lost + faults.duplicated) / MILLION

    def _is_full(self, seconds: float, frames: float | None = None) -> bool:
        """Return true if the wire was to hold more frames than it can, and did so.

        A wire whose frames stay for a time carries at least 64 of them in it. A source that offers fewer is
        held back by something else, such as a card that sends pause frames.

        Args:
            seconds: Time for which the frames that are offered stay, on average.
            frames: Frames that pass in this time at most, after which the frames leave earlier.
        """
        if self._held(self._requested_per_s, seconds, frames) <= _MOST_HELD:
            return False
        held = self._held(self._offered.per_s, seconds, frames)
        return self._is_paced or held >= _LEAST_FULL * _MOST_HELD

    def _held(self, rate: float, seconds: float, frames: float | None) -> float:
        """Return the frames that stay at a rate."""
        held = rate * seconds
        return held if frames is None or not self._passing else min(held, frames / self._passing)
