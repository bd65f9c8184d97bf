"""A simulated card in a guest of QEMU: a machine that runs Linux is given a card that exists only here."""

from spinach_nic.runs.attaching.attaching import attach, guest_bench, replay_attached
from spinach_nic.runs.attaching.guests import Guest, Loaded, container_of, linux_guest
from spinach_nic.runs.attaching.result import AttachedResult

__all__ = [
    "AttachedResult",
    "Guest",
    "Loaded",
    "attach",
    "container_of",
    "guest_bench",
    "linux_guest",
    "replay_attached",
]
