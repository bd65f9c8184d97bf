"""The errors that a person reads."""

from typing import ClassVar


class SpinachError(Exception):
    """A mistake of the person who asked, or of what they gave us; never one of ours.

    The command line shows it as two lines, without a traceback.
    """

    exit_code: ClassVar[int] = 2
    """What the command exits with when this error ends it."""

    def __init__(self, message: str, help: str) -> None:
        """Say what is wrong and what to do about it.

        Args:
            message: One line: what is wrong, and where.
            help: One line: what to do.
        """
        super().__init__(message, help)
        self.message = message
        self.help = help

    def __str__(self) -> str:
        """The two lines as the command line shows them, without the leading ``error:``."""
        return f"{self.message}\nhelp: {self.help}"
