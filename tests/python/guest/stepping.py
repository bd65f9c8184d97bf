"""Execution of a driver's operations by a peer in a test, step by step."""

from abc import ABC, abstractmethod
from collections import deque

from spinach_nic.cards.drivers import Operation, Program
from spinach_nic.cards.drivers.codes import ScriptOperation
from spinach_nic.cards.drivers.operations import NEVER


class SteppedDriver(ABC):
    """A driver whose operations a subclass performs."""

    def __init__(self, program: Program) -> None:
        """Begin the program."""
        self._program = program
        self._wanted = next(program)
        self.to_send: deque[bytes] = deque()
        self.received: list[bytes] = []
        self.interrupts = 0

    def step(self) -> None:
        """Perform the operations that the driver waits for, and continue it with their results."""
        wanted = self._wanted
        if isinstance(wanted, Operation):
            self._wanted = self._program.send(self._perform(wanted))
        else:
            self._wanted = self._program.send([self._perform(one) for one in wanted])

    def is_at_rest(self) -> bool:
        """Return true if the driver waits for an interrupt."""
        wanted = self._wanted
        return isinstance(wanted, Operation) and wanted[:2] == (ScriptOperation.WAIT, NEVER)

    @abstractmethod
    def _perform(self, operation: Operation) -> int:
        """Perform an operation; return its result."""
