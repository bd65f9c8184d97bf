"""Servers in a simulation of modules, for a console."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.errors import SpinachError
from spinach_nic.library import Server
from spinach_nic.simulation import Simulation
from spinach_nic.units import Frequency, Time

_FEMTOSECONDS = 10**15
"""In a second."""


class ModuleServers:
    """Servers that are modules of a simulation, for `console.converse`."""

    def __init__(self, simulation: Simulation, servers: Sequence[Server], clock: Frequency) -> None:
        """Servers of a simulation, whose harts have this clock."""
        self._simulation = simulation
        self._servers = servers
        self._hertz = int(clock.hertz)
        self._off = 0

    def nodes(self) -> int:
        """Return the number of servers."""
        return len(self._servers)

    def run(self, cycles: int) -> str:
        """Run for a number of cycles of the harts; "time", or "off" if all have switched themselves off.

        Raises:
            SpinachError: A server or a card has failed.
        """
        end = self._simulation.now + Time(cycles * _FEMTOSECONDS // self._hertz)
        while self._off < len(self._servers):
            outcome = self._simulation.run(end - self._simulation.now)
            if outcome.reason == "stopped":
                raise SpinachError(outcome.details, "see what it printed before")
            if outcome.reason != "paused":
                return "time"
            self._off += 1
        return "off"

    def take_output(self, node: int = 0) -> bytes:
        """Take what a server printed."""
        return self._simulation.hand_out(self._servers[node])

    def type_in(self, characters: bytes, node: int = 0) -> None:
        """Type at a server's console."""
        self._simulation.hand_in(self._servers[node], characters)

    def unread(self) -> int:
        """Return the number of typed characters not read yet, which is unknown for modules."""
        return 0

    def time(self) -> tuple[int, int]:
        """Cycles of the harts since the start, and how many of these are a second."""
        return self._simulation.now.femtoseconds * self._hertz // _FEMTOSECONDS, self._hertz
