"""Errors of firmware, in the user's terms."""

from spinach_nic.support.errors import SpinachError


class FirmwareError(SpinachError):
    """Firmware cannot be found, compiled, loaded or understood."""
