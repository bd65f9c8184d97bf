"""Errors for users."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from msgspec import Struct
from msgspec.structs import astuple


class SpinachError(Exception):
    """A mistake of the user, or in the user's input; never one of Spinach.

    The command line shows it as two lines, without a traceback.
    """

    exit_code: ClassVar[int] = 2
    """Exit code of the command when this error ends it."""

    def __init__(self, message: str, help: str) -> None:
        """Create the error from its two lines.

        Args:
            message: One line: the problem and its place.
            help: One line: the remedy.
        """
        super().__init__(message, help)
        self.message = message
        self.help = help

    def __str__(self) -> str:
        """Return the two lines as the command line shows them, without the leading ``error:``."""
        return f"{self.message}\nhelp: {self.help}"


class Problem(Struct, frozen=True):
    """One mistake in a design."""

    found_by: str
    """The elaboration pass that found it."""
    message: str
    """Problem."""
    help: str
    """Instruction that solves it."""
    place: tuple[str, int] | None
    """File and line of the description."""

    def __str__(self) -> str:
        """Return the problem and its place, then the instruction."""
        where = f"{self.place[0]}:{self.place[1]}: " if self.place else ""
        return f"{where}{self.message}\nhelp: {self.help}"


class ElaborationError(SpinachError):
    """A design that cannot be simulated, with every mistake that the first failing pass found."""

    def __init__(self, problems: list[tuple[str, str, str, tuple[str, int] | None]]) -> None:
        """Each problem is a pass, a message, an instruction and a place."""
        self.problems = tuple(Problem(*problem) for problem in problems)
        first = str(self.problems[0])
        message, _, help = first.rpartition("\nhelp: ")
        super().__init__(message, help)
        self.args = (problems,)

    def preceded_by(self, problems: Sequence[Problem]) -> ElaborationError:
        """Return the same error with other problems before its own."""
        return ElaborationError([astuple(problem) for problem in (*problems, *self.problems)])

    def __str__(self) -> str:
        """Every problem, two lines each."""
        return "\n".join(str(problem) for problem in self.problems)


CheckpointProblem = Literal["unknown", "version", "model", "state", "damaged", "unsaved"]
"""Kind of a `CheckpointError`.

No checkpoint; one of another version, of another model, with a state that a module refuses, or damaged; a
state that cannot be saved.
"""


class CheckpointError(SpinachError):
    """A checkpoint that does not belong to the simulation, or is damaged."""

    def __init__(
        self, message: str, help: str, kind: CheckpointProblem, path: str = "", reason: str = ""
    ) -> None:
        """Create the error.

        Args:
            message: One line: the problem and its place.
            help: One line: the remedy.
            kind: Kind of the problem.
            path: Path of the module whose state is refused, or cannot be saved.
            reason: Its reason, or the differences of another model.
        """
        super().__init__(message, help)
        self.args = (message, help, kind, path, reason)
        self.kind = kind
        self.path = path
        self.reason = reason


class DefectError(SpinachError):
    """A defect of Spinach: the native part has failed. Its objects may be unusable afterwards."""

    exit_code = 70  # as `sysexits.h` numbers an internal software error

    def __init__(self, what: str, place: str, call: str) -> None:
        """Create the error of a failed assumption.

        Args:
            what: The text of the failed assumption.
            place: File and line of our source.
            call: The native function that was called.
        """
        from spinach_nic._native import version

        super().__init__(
            f"Spinach has a defect: {what} (at {place}, in {call}, version {version()})",
            "please report these lines, and the files that the request names",
        )
        self.args = (what, place, call)
