"""A simulated card in a guest of QEMU: a machine that runs Linux is given a card that exists only here."""

from spinach_nic.attaching.attaching import attach, replay_attached
from spinach_nic.attaching.guests import Guest, Loaded, linux_guest
from spinach_nic.attaching.result import AttachedResult

__all__ = ["AttachedResult", "Guest", "Loaded", "attach", "linux_guest", "replay_attached"]
