"""Clock domains."""

from spinach_nic.support.location import CompositionError, user_place
from spinach_nic.support.units import Frequency


class Clock:
    """A clock domain: `core = Clock("core", MHz(166))`.

    It is assigned to a part and everything in it by `self.clock = core`, or when the part is made:
    `Core(clock=core)`. A crossing module takes the domains of its neighbours.
    """

    __slots__ = ("_place", "frequency", "name")

    def __init__(self, name: str, frequency: Frequency) -> None:
        """Create a clock domain.

        Args:
            name: Name, unique in the system.
            frequency: Exact frequency.
        """
        self._place = user_place()
        if not isinstance(name, str):
            raise CompositionError(f"{name!r} is not a name", 'give a name, such as Clock("core", MHz(166))')
        if not isinstance(frequency, Frequency):
            unit = "has no unit" if isinstance(frequency, (int, float)) else "is not a frequency"
            raise CompositionError(f"Clock {name!r}: {frequency} {unit}", f"give {Frequency.noun}")
        if not frequency:
            raise CompositionError(f"Clock {name!r}: the frequency is zero", f"give {Frequency.noun}")
        if max(frequency.hertz.numerator, frequency.hertz.denominator) >= 2**64:
            raise CompositionError(
                f"Clock {name!r}: {frequency} cannot be simulated", f"give {Frequency.noun}"
            )
        self.name = name
        self.frequency = frequency

    def __repr__(self) -> str:
        """Return the written form."""
        return f"Clock({self.name!r}, {self.frequency!r})"
