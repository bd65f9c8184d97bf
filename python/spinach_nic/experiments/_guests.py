"""Runs of RiceNIC with guests, with counts per guest."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from spinach_nic.benches import make_bench
from spinach_nic.cards.ricenic.driver import RicenicDriver
from spinach_nic.cards.ricenic.nic import Ricenic
from spinach_nic.experiments._rates import carried
from spinach_nic.runs import execute
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured
from spinach_nic.support.units import Time
from spinach_nic.traffic import DIRECTIONS, Direction


@dataclass(frozen=True)
class Shared:
    """Measurements of a run with guests."""

    result: Result
    frames_per_s: Mapping[Direction, Measured]
    of_guests: Mapping[Direction, tuple[int, ...]]
    """Frames of each guest that the card took to send, and that it received, in the whole run."""

    def fairness(self, direction: Direction) -> float:
        """Return the fairness among guests: 1 if all are equal, 1/n if one takes everything.

        The index of Jain, Chiu and Hawe (1984).
        """
        frames = self.of_guests[direction]
        return sum(frames) ** 2 / (len(frames) * sum(number**2 for number in frames))


@dataclass(frozen=True)
class GuestRun:
    """A run for some simulated time."""

    traffic: tuple[str, ...]
    guests: int
    time: Time
    settings: tuple[tuple[str, str], ...] = ()

    def carry_out(self, traces: Path | None = None) -> Shared:
        """Run it.

        Raises:
            RunError: A frame is not accounted for, the firmware faults, or a guest was stopped.
            SpinachError: No rates were measured.
        """
        bench = make_bench(Ricenic(guests=self.guests))
        settings = dict(self.settings)
        finished = execute(
            bench, firmware="cdna", traffic=self.traffic, time=self.time, set=settings, traces=traces
        )
        assert isinstance(bench.driver_model, RicenicDriver)
        result, guests = finished.check(), bench.driver_model.hypervisor.guests
        rates = {way: carried(result, way, "frames_per_s") for way in DIRECTIONS}
        frames: dict[Direction, tuple[int, ...]] = {
            "tx": tuple(guest.sent for guest in guests),
            "rx": tuple(guest.received for guest in guests),
        }
        return Shared(result, rates, frames)

    def __str__(self) -> str:
        """Return the equivalent command."""
        return self.command("run")

    def command(self, verb: str) -> str:
        """Return a command of `spinach` on it."""
        words = [f"spinach {verb} ricenic --firmware cdna --set guests={self.guests}"]
        words += [f"--set {shlex.quote(f'{path}={value}')}" for path, value in self.settings]
        words += [f"--traffic {shlex.quote(one)}" for one in self.traffic]
        return " ".join([*words, f"--time {shlex.quote(str(self.time))}"])
