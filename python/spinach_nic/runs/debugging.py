"""Runs controlled by a debugger: of cards, and of servers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from msgspec import Struct

from spinach_nic import _native
from spinach_nic.benches.base import Bench
from spinach_nic.library import FunctionalCore
from spinach_nic.model.simulation import Outcome, Simulation
from spinach_nic.model.simulation.conditions import Condition
from spinach_nic.runs.images import ChosenImage
from spinach_nic.runs.live import NEVER, LiveRun
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import Time

_SHORTEST_REST_S: Final = 1e-3
"""Shortest sleep of a live run that is as far as wall time: shorter ones cost more than they wait."""


class DebugRequest(Struct, frozen=True):
    """Request to wait for the client of a debugger."""

    address: str = "127.0.0.1:0"
    """Host and port; port 0 chooses a free one."""
    ready: Callable[[str, ChosenImage | None], None] = lambda address, image: None
    """Called with the listening address and the loaded firmware image."""
    note: Callable[[str], None] = lambda sentence: None
    """Called with the possible difference between the debugged run and the same run alone, if any."""


class DebuggedRun:
    """Controller of a run for a debugger client."""

    is_live: ClassVar[bool] = False
    goes_back: ClassVar[bool] = True

    def __init__(
        self, simulation: Simulation, bench: Bench, image: ChosenImage | None, request: DebugRequest
    ) -> None:
        """Wait for a client.

        Raises:
            SpinachError: The NIC has no cores to debug, or the address cannot be used.
        """
        probes = bench.probes()
        if not probes.cores:
            raise SpinachError(f"{bench.title} has no cores to debug", "debug a NIC with firmware")
        self._simulation = simulation
        cores = [simulation.number(core) for core in probes.cores]
        memories = [
            (
                memory.name,
                memory.base,
                [simulation.number(bank) for bank in memory.banks],
                memory.interleave,
                memory.reverses_words,
                None if memory.core is None else cores.index(simulation.number(memory.core)),
                memory.start,
                memory.size,
            )
            for memory in bench.address_space()
        ]
        caches = [simulation.number(cache) for cache in probes.caches.caches] if probes.caches else []
        # Operations of drivers in Python cannot be replayed.
        can_go_back = not bench.drivers()
        native = simulation.native
        self._native = _native.Debugger.listen(native, cores, memories, caches, request.address, can_go_back)
        request.ready(self._native.address(), image)
        ahead = max((core.quantum for core in probes.cores if isinstance(core, FunctionalCore)), default=0)
        if ahead > 0:
            request.note(
                f"functional cores run ahead of each other by up to {ahead} cycles, which a stop divides: "
                "what follows it may differ from the run without a debugger"
            )

    def run(self, span: Time, until: Sequence[Condition]) -> Outcome:
        """Run on for a span of simulated time, or until a condition holds."""
        simulation = self._simulation
        end = simulation.now.femtoseconds + span.femtoseconds
        reason, details = self._native.run(simulation.native, end, simulation.counters_of(until))
        if reason == "interrupted":  # the client ended it
            raise KeyboardInterrupt
        return Outcome(reason, details)  # type: ignore[arg-type]

    def finish(self, *, is_complete: bool) -> None:
        """Tell the client that the run has ended.

        Raises:
            SpinachError: The connection broke.
        """
        lost = self._native.finish(self._simulation.native, 0 if is_complete else 1)
        if lost is not None:
            message = f"lost the connection to the debugger: {lost}"
            raise SpinachError(message, "connect again in a new run")


class DebuggedServer:
    """Server of a simulation whose harts a debugger controls.

    Frames of a live run pass at intervals, while the server is not stopped; in a replay and in a network of
    SimBricks they arrive at the times of the same run without a debugger.
    """

    def __init__(
        self, simulation: Simulation, live: LiveRun | None, debugger: _native.ServerDebugger
    ) -> None:
        """Take the connection to devices, if there is one, and a debugger that waits for its client."""
        self._simulation, self._live, self._debugger = simulation, live, debugger
        self._due = NEVER if live is None else simulation.now
        """Time of the next exchange."""
        self._pace: tuple[Time, float] | None = None
        """Simulated and wall time at which the run began or continued; `None` while it is stopped."""

    def run(self, end: Time) -> tuple[str, str]:
        """Run until a time; return the reason and details of `ServerDebugger.run`, or of a lost device."""
        simulation = self._simulation
        while True:
            stop = min(end, self._due)
            self._wait(stop)
            reason, details = self._debugger.run(simulation.native, stop.femtoseconds)
            if reason == "held":
                # The time of a stop is not caught up.
                self._pace = None
            if reason not in ("reached", "held"):
                return reason, details
            # Also while a client is awaited: the peer in a network expects a greeting.
            if self._live is not None and simulation.now >= self._due:
                outcome, self._due = self._live.exchange()
                if outcome.reason != "reached":
                    return outcome.reason, outcome.details
            if reason == "held" or simulation.now >= end:
                return reason, details

    def _wait(self, until: Time) -> None:
        """Sleep as long as the simulated time of a run with devices would overtake wall time."""
        if self._live is None or not self._live.is_paced:
            return
        if self._pace is None:
            self._pace = self._simulation.now, time.monotonic()
        began, wall_began_s = self._pace
        ahead_s = (until - began).seconds - (time.monotonic() - wall_began_s)
        if ahead_s > 0:
            time.sleep(max(ahead_s, _SHORTEST_REST_S))

    def finish(self, code: int) -> str | None:
        """Report the end of the run to the client; return why the connection broke, if it did."""
        return self._debugger.finish(self._simulation.native, code)
