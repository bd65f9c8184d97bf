"""What a run can be asked for: the bounds of its numbers."""

from spinach_nic.arguments import Within
from spinach_nic.units import fs, ms, s, us

FRAMES = Within(1, 10**12)
"""In each direction: at 10 Gb/s the longest run is long over."""
SEEDS = Within(0, 2**62 - 1)
TIMES = Within(fs(1), s(1000))
"""Of simulated time. With everything that a run adds to it, it stays within what can be represented."""
STALLS = Within(us(1), s(1000))

DEFAULT_STALL = ms(20)
"""Longer than hosts pause and timers wait."""
