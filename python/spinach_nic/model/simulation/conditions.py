"""Conditions that end a run early."""

from typing import Annotated

from msgspec import Struct

from spinach_nic.model import Part, Port
from spinach_nic.support.arguments import Within, check_fields

COUNTS = Within(0, 2**64 - 1)


class Counted(Struct, frozen=True):
    """A counter has reached a value."""

    part: Part | str
    counter: str
    at_least: Annotated[int, COUNTS]

    @property
    def path(self) -> str:
        """Return the path of the counting module."""
        return self.part if isinstance(self.part, str) else self.part.path


class Transferred(Struct, frozen=True):
    """A number of values has moved through a channel since the run began."""

    port: Port
    count: Annotated[int, COUNTS]

    def __post_init__(self) -> None:
        """Reject invalid conditions."""
        check_fields(self)


Condition = Counted | Transferred


def counted(part: Part | str, counter: str, at_least: int) -> Condition:
    """Condition that the counter `counter` of a module has reached `at_least`.

    Args:
        part: The module or its path.
        counter: One of the counters that its kind declares.
        at_least: The value.
    """
    condition = Counted(part, counter, at_least)
    check_fields(condition)
    return condition


def transferred(port: Port, count: int = 1) -> Condition:
    """Condition that `count` values have moved through a port since the run began.

    Args:
        port: The port; one lane of it if it has several.
        count: Number of values.
    """
    return Transferred(port, count)
