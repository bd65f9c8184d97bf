"""What may end a run early."""

from dataclasses import dataclass

from spinach_nic.composition import Part, Port


@dataclass(frozen=True)
class Counted:
    """A counter has reached a value."""

    part: Part | str
    counter: str
    at_least: int


@dataclass(frozen=True)
class Transferred:
    """So many values have moved through a channel since the run began."""

    port: Port
    count: int


Condition = Counted | Transferred


def counted(part: Part | str, counter: str, at_least: int) -> Condition:
    """That the counter `counter` of a module has reached `at_least`.

    Args:
        part: The module or its path.
        counter: One of the counters that its kind declares.
        at_least: The value.
    """
    return Counted(part, counter, at_least)


def transferred(port: Port, count: int = 1) -> Condition:
    """That `count` values have moved through a port since the run began.

    Args:
        port: The port; one lane of it if it has several.
        count: How many.
    """
    return Transferred(port, count)
