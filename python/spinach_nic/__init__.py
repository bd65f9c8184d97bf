"""Design, program and measure network interface cards in simulation, cycle by cycle."""

from spinach_nic._native import version
from spinach_nic.errors import SpinachError

__version__ = version()

__all__ = ["SpinachError", "__version__"]
