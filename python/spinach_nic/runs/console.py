"""Runs with a console client at the card's serial line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from spinach_nic.benches.base import Bench
from spinach_nic.model.simulation import Outcome, Simulation
from spinach_nic.model.simulation.conditions import Condition
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import Time, us

BETWEEN_EXCHANGES = us(50)
"""Interval in simulated time; typed characters take effect at multiples of it, so that a script is
repeated exactly."""


class Terminal(Protocol):
    """Console client of the serial line."""

    def exchange(self, output: bytes) -> bytes | None:
        """Take what the card has sent, and give what was typed; nothing at all to end the run."""


@dataclass(frozen=True)
class ConsoleRequest:
    """Request for a console client at the serial line of the card."""

    terminal: Terminal


class ConsoleRun:
    """Runs a simulation with a terminal at the card."""

    is_live: ClassVar[bool] = False
    goes_back: ClassVar[bool] = False

    def __init__(self, simulation: Simulation, bench: Bench, request: ConsoleRequest) -> None:
        """Connect the terminal.

        Raises:
            SpinachError: The NIC has no serial line.
        """
        console = bench.probes().console
        if console is None:
            raise SpinachError(f"{bench.title} has no console", "ricenic has one")
        self._simulation, self._console, self._terminal = simulation, console, request.terminal

    def run(self, span: Time, until: Sequence[Condition]) -> Outcome:
        """Run on for a span of simulated time, or until a condition holds."""
        simulation = self._simulation
        end = simulation.now + span
        while True:
            step = BETWEEN_EXCHANGES.femtoseconds
            next_exchange = Time((simulation.now.femtoseconds // step + 1) * step)
            outcome = simulation.run(min(end, next_exchange) - simulation.now, until=until)
            typed = self._terminal.exchange(simulation.hand_out(self._console))
            if typed is None:
                raise KeyboardInterrupt
            if typed:
                simulation.hand_in(self._console, typed)
            if outcome.reason != "reached" or simulation.now >= end:
                return outcome

    def finish(self, *, is_complete: bool) -> None:
        """Do nothing: the terminal belongs to the caller."""
