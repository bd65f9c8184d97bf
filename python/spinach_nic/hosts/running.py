"""Running a driver beside a simulation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from spinach_nic.composition import Module
from spinach_nic.errors import SpinachError
from spinach_nic.hosts.host import Host
from spinach_nic.hosts.operations import (
    MOST_OPERATIONS,
    WORDS_PER_OPERATION,
    Operation,
    Program,
    encoded,
    results,
)
from spinach_nic.simulation import Simulation, Statistics
from spinach_nic.simulation.conditions import Condition, Counted


class DriverError(SpinachError):
    """The NIC did what its driver does not expect."""


@dataclass(frozen=True)
class Driver:
    """A driver of a NIC, and the host that it runs on."""

    host: Module
    """A `ScriptedHost`."""
    program: Callable[[Host], Program]
    """Begins the driver."""


class RunningDriver:
    """A driver beside a simulation: the run loop resumes it when its condition holds."""

    def __init__(self, simulation: Simulation, driver: Driver) -> None:
        """Begin `driver`, at the present moment of `simulation`."""
        self._module = driver.host
        parameters = simulation.parameters()[driver.host.path]
        self._memory = simulation.contents(driver.host)
        self._script = self._memory.size - 8 * (1 + WORDS_PER_OPERATION * MOST_OPERATIONS)
        base = int(str(parameters["memory_base"]))
        host = Host(simulation, driver.host, self._memory, base=base, size=self._script)
        self._program = driver.program(host)
        self._waiting: list[Operation] = []
        self._is_single = False
        self._done = 0
        self._is_over = False
        self._issue(None)

    @property
    def condition(self) -> Condition | None:
        """Holds when the driver is to be resumed; `None` once it is over."""
        return None if self._is_over else Counted(self._module, "scripts", self._done)

    def is_due(self, counters: Statistics) -> bool:
        """Whether what the driver waits for is done, by these counters of now."""
        return not self._is_over and counters[f"{self._module.path}.scripts"] >= self._done

    def resume(self) -> None:
        """Hand the driver the results, and begin what it wants next."""
        count = len(self._waiting)
        size = 8 * (1 + WORDS_PER_OPERATION * count)
        found = results(self._memory.read(self._script, size), count)
        self._issue(found[0] if self._is_single else found)

    def _issue(self, result: Any) -> None:
        while True:
            try:
                wanted = self._program.send(result)
            except StopIteration:
                self._is_over = True
                return
            self._is_single = isinstance(wanted, Operation)
            self._waiting = [wanted] if isinstance(wanted, Operation) else list(wanted)
            if self._waiting:
                break
            result = []
        if len(self._waiting) > MOST_OPERATIONS:
            message = f"{self._module.path}: {len(self._waiting)} operations at once"
            raise SpinachError(message, f"yield at most {MOST_OPERATIONS}")
        self._memory.write(self._script, encoded(self._waiting))
        self._done += 1
