"""Runs with a console client at the card's serial line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol

from msgspec import Struct

from spinach_nic.benches.base import Bench
from spinach_nic.model.simulation import Outcome, Simulation
from spinach_nic.model.simulation.conditions import Condition
from spinach_nic.runs.live import LiveRun, Outside, entrances_of
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import Time, ms, us

BETWEEN_EXCHANGES = us(50)
"""Interval in simulated time; typed characters take effect at multiples of it, so that a script is
repeated exactly."""
LIVE_BETWEEN_EXCHANGES = ms(5)
"""Interval of a live run, which is not repeated."""


class Terminal(Protocol):
    """Console client of the serial line."""

    def exchange(self, output: bytes) -> bytes | None:
        """Take the output of the card, and return the typed input; `None` ends the run."""


class ConsoleRequest(Struct, frozen=True):
    """Request for a console client at the serial line of the card."""

    terminal: Terminal


class SerialLine:
    """The serial line of a card, with a terminal at it."""

    def __init__(self, simulation: Simulation, bench: Bench, terminal: Terminal) -> None:
        """Connect the terminal.

        Raises:
            SpinachError: The NIC has no serial line.
        """
        console = bench.probes().console
        if console is None:
            raise SpinachError(f"{bench.title} has no console", "ricenic has one")
        self._simulation, self._console, self._terminal = simulation, console, terminal

    def exchange(self) -> None:
        """Pass output to the terminal, and typed input to the card.

        Raises:
            KeyboardInterrupt: The terminal ends the run.
        """
        typed = self._terminal.exchange(self._simulation.export(self._console))
        if typed is None:
            raise KeyboardInterrupt
        if typed:
            self._simulation.inject(self._console, typed)

    def run(
        self,
        run: Callable[[Time, Sequence[Condition]], Outcome],
        step: Time,
        span: Time,
        until: Sequence[Condition],
    ) -> Outcome:
        """Let `run` simulate a span, and exchange at multiples of `step`."""
        end = self._simulation.now + span
        while True:
            now = self._simulation.now
            next_exchange = Time((now.femtoseconds // step.femtoseconds + 1) * step.femtoseconds)
            outcome = run(min(end, next_exchange) - now, until)
            self.exchange()
            if outcome.reason != "reached" or self._simulation.now >= end:
                return outcome


class ConsoleRun:
    """Controller of a run with a terminal at the card."""

    is_live: ClassVar[bool] = False
    goes_back: ClassVar[bool] = False

    def __init__(self, simulation: Simulation, bench: Bench, request: ConsoleRequest) -> None:
        """Connect the terminal.

        Raises:
            SpinachError: The NIC has no serial line.
        """
        self._simulation, self._line = simulation, SerialLine(simulation, bench, request.terminal)

    def run(self, span: Time, until: Sequence[Condition]) -> Outcome:
        """Run on for a span of simulated time, or until a condition holds."""
        return self._line.run(self._advance, BETWEEN_EXCHANGES, span, until)

    def _advance(self, span: Time, until: Sequence[Condition]) -> Outcome:
        return self._simulation.run(span, until=until)

    def finish(self, *, is_complete: bool) -> None:
        """Do nothing: the terminal belongs to the caller."""


class LiveConsoleRun(LiveRun):
    """Controller of a run with a terminal at the card, connected to devices."""

    def __init__(
        self, outside: Outside, simulation: Simulation, bench: Bench, request: ConsoleRequest
    ) -> None:
        """Connect the terminal, and open the devices.

        Raises:
            SpinachError: The NIC has no serial line, or a device cannot be used.
        """
        self._line = SerialLine(simulation, bench, request.terminal)
        super().__init__(outside, simulation, entrances_of(bench.probes()), bench.largest_tagged_frame)

    def run(self, span: Time, until: Sequence[Condition]) -> Outcome:
        """Run on for a span of simulated time, or until a condition holds."""
        return self._line.run(super().run, LIVE_BETWEEN_EXCHANGES, span, until)
