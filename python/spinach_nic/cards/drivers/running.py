"""Execution of a driver next to a simulation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct, field

from spinach_nic.cards.drivers.host import Hearsay, Host
from spinach_nic.cards.drivers.operations import (
    MOST_OPERATIONS,
    WORDS_PER_OPERATION,
    Operation,
    Program,
    encoded,
    results,
)
from spinach_nic.model import Module
from spinach_nic.model.simulation import Simulation
from spinach_nic.model.simulation.conditions import Counted
from spinach_nic.support.errors import SpinachError

_COUNTER = "scripts"
"""Counter of the operations, or groups of them, that a `ScriptedHost` has finished."""


class DriverError(SpinachError):
    """The NIC has violated the expectation of its driver."""


class Driver(Struct, frozen=True):
    """A driver of a NIC, and the host that it runs on."""

    host: Module
    """A `ScriptedHost`."""
    program: Callable[[Host], Program]
    """Begins the driver."""


class DriverLog(Struct):
    """All input of a driver: the state of a program in Python, which follows from it."""

    results: list[list[int]] = field(default_factory=list)
    """Results of the operations that it yielded, one after the other."""
    told: list[bytes | int] = field(default_factory=list)
    """Bytes that it read of its memory, and the moments at which it asked for the time, in femtoseconds."""


class RunningDriver:
    """A driver next to a simulation: the run loop resumes it when its condition holds."""

    def __init__(
        self,
        simulation: Simulation,
        driver: Driver,
        *,
        log: DriverLog | None = None,
        saved: DriverLog | None = None,
    ) -> None:
        """Begin `driver`, at the present moment of `simulation`.

        Args:
            simulation: Simulation of the host.
            driver: Driver to begin.
            log: Record of all input of the driver, if it is to be kept.
            saved: Input until `simulation` was saved, to be replayed up to that moment.
        """
        self._simulation = simulation
        self._module = driver.host
        self._path, self._number = driver.host.path, simulation.number(driver.host)
        parameters = simulation.parameters()[driver.host.path]
        base = int(str(parameters["memory_base"]))
        self._memory = simulation.contents(driver.host, base)
        size = self._memory.size - 8 * (1 + WORDS_PER_OPERATION * MOST_OPERATIONS)
        self._script = base + size
        heard = Hearsay(log.told if log is not None else None, saved.told if saved is not None else None)
        host = Host(simulation, driver.host, self._memory, base=base, size=size, heard=heard)
        self._program = driver.program(host)
        self._log = log
        self._heard = heard
        self._count = 0
        """Number of operations that the driver waits for."""
        self._is_single = False
        self._done = 0
        self.awaited = (self._path, _COUNTER, 0)
        """Condition that holds when the driver is to be resumed, in the form of the binding."""
        self.is_over = False
        """True once the driver waits for nothing."""
        self._issue(None)
        for found in saved.results if saved is not None else ():
            self._tell(found)
        if saved is not None:
            heard.end_repeating()

    @property
    def condition(self) -> Counted:
        """The same condition in the form of a run."""
        return Counted(self._module, _COUNTER, self._done)

    @property
    def is_due(self) -> bool:
        """True if the driver's condition holds."""
        done = self._simulation.native.counter(self._number, _COUNTER)
        return not self.is_over and done is not None and done >= self._done

    def resume(self) -> None:
        """Pass the results to the driver, and begin its next operations."""
        size = 8 * (1 + WORDS_PER_OPERATION * self._count)
        self._tell(results(self._memory.read(self._script, size)))

    def _tell(self, found: list[int]) -> None:
        if self._log is not None:
            self._log.results.append(found)
        self._issue(found[0] if self._is_single else found)

    def _issue(self, result: Any) -> None:
        while True:
            try:
                wanted = self._program.send(result)
            except StopIteration:
                self.is_over = True
                return
            operations = [wanted] if isinstance(wanted, Operation) else wanted
            self._is_single = operations is not wanted
            self._count = len(operations)
            if self._count:
                break
            result = []
        if self._count > MOST_OPERATIONS:
            message = f"{self._module.path}: {self._count} operations at once"
            raise SpinachError(message, f"yield at most {MOST_OPERATIONS}")
        if not self._heard.is_repeating:
            self._memory.write(self._script, encoded(operations))
        self._done += 1
        self.awaited = (self._path, _COUNTER, self._done)
