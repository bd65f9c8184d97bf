"""Failed endings of a run. Each error keeps the result up to there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from spinach_nic.runs.result import Result, ResultDocument
from spinach_nic.support.errors import SpinachError


class EndedError(SpinachError):
    """Error of a run that has ended, with its result."""

    exit_code: ClassVar[int] = 3

    def __init__(self, reason: SpinachError, result: ResultDocument) -> None:
        """Create the exception from the error and the result of the run."""
        super().__init__(reason.message, reason.help)
        self.result = result
        self.args = (reason, result)


class RunError(EndedError):
    """The simulated system failed."""

    result: Result

    def __init__(self, message: str, help: str, result: Result) -> None:
        """Create the exception with its message, its help, and the result until the failure."""
        super().__init__(SpinachError(message, help), result)
        self.args = (message, help, result)

    @property
    def details(self) -> str:
        """Registers, the last instructions, or the waits of modules for each other; may be empty."""
        return self.result.failure.details if self.result.failure else ""


class FirmwareFault(RunError):  # noqa: N818, it is what people call it
    """The firmware executed an operation that its core does not support."""


class StoppedError(RunError):
    """A part of the system stopped the simulation, such as a host that received an impossible report."""


class FrameError(RunError):
    """Frames were lost or damaged."""


class CoherenceError(RunError):
    """Firmware did not keep its data caches in step with devices or other cores."""

    def __init__(self, message: str, help: str, result: Result, others: Sequence[str] = ()) -> None:
        """Say the first hazard, and the others in the details."""
        super().__init__(message, help, result)
        self._others = others
        self.args = (message, help, result, others)

    @property
    def details(self) -> str:
        """Other hazards, a line each."""
        return "\n".join(f"also: {other}" for other in self._others)


class UnwrittenError(EndedError):
    """An output of a run is missing; the result itself is unaffected."""

    exit_code: ClassVar[int] = 2


class RunInterrupted(KeyboardInterrupt):
    """The user interrupted the run."""

    def __init__(self, result: Result) -> None:
        """Create the exception with the results up to the interrupt."""
        super().__init__("interrupted")
        self.result = result
