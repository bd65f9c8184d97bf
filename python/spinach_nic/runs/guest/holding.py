"""Holding a guest whose card falls behind: drivers give a card seconds of the guest's time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

from spinach_nic.support.units import Time, ms

POLL_INTERVAL = ms(1)
"""Interval in simulated time between two polls."""
PATIENCE_S = 1.0
"""Wall time for which a guest runs after an access with a slow card; drivers wait for 3 s at least."""
ENOUGH = ms(30)
"""Simulated time in which a card reacts to an access: released firmware of the Tigon-2 starts in 25 ms."""


@dataclass
class GuestHold:
    """Stop of a guest that has waited, until its card has had the simulated time to react.

    A guest that waits without an access to the card runs as fast as the machine, the card as fast as it is
    simulated. After `ENOUGH` the guest runs on, so that a guest with nothing to do is not slowed down.
    """

    hold: Callable[[bool], None]
    """Stop the guest and its clock, or continue it."""
    wall_s: Callable[[], float] = monotonic
    is_held: bool = False
    _accesses: int = -1
    _since: tuple[float, Time] = field(default=(0.0, Time(0)))

    def look(self, accesses: int, now: Time) -> None:
        """Hold the guest or let it continue.

        Args:
            accesses: Number of accesses of the guest to the card until now.
            now: Simulated time.
        """
        if accesses != self._accesses:
            self._accesses, self._since = accesses, (self.wall_s(), now)
        began_s, began = self._since
        is_slow = now - began < ENOUGH and self.wall_s() - began_s > PATIENCE_S
        if is_slow != self.is_held:
            self.is_held = is_slow
            self.hold(is_slow)
