"""Runs controlled by a debugger."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from msgspec import Struct

from spinach_nic import _native
from spinach_nic.benches.base import Bench
from spinach_nic.library import FunctionalCore
from spinach_nic.model.simulation import Outcome, Simulation
from spinach_nic.model.simulation.conditions import Condition
from spinach_nic.runs.images import ChosenImage
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import Time


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
