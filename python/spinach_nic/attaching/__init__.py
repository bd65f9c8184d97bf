"""A simulated card in a guest of QEMU: a machine that runs Linux is given a card that exists only here."""

from spinach_nic.attaching.attaching import AttachedResult, attach
from spinach_nic.attaching.guests import Guest, linux_guest

__all__ = ["AttachedResult", "Guest", "attach", "linux_guest"]
