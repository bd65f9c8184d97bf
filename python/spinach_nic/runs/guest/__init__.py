"""A simulated card in a guest of QEMU: Linux in the guest drives a card that is simulated here."""

from typing import TYPE_CHECKING

from spinach_nic.support.lazy import imported_when_used

if TYPE_CHECKING:
    from spinach_nic.runs.guest.attached import (
        attach,
        attach_client,
        attach_simbricks,
        guest_bench,
        replay_attached,
    )
    from spinach_nic.runs.guest.guests import Guest, Loaded, container_of, linux_guest
    from spinach_nic.runs.guest.result import AttachedResult

_MODULES = {
    "attached": "attach attach_client attach_simbricks guest_bench replay_attached",
    "guests": "Guest Loaded container_of linux_guest",
    "result": "AttachedResult",
}
"""Exported names by module, which is imported when one of them is used."""
__getattr__, __dir__ = imported_when_used(__name__, _MODULES)

__all__ = [
    "AttachedResult",
    "Guest",
    "Loaded",
    "attach",
    "attach_client",
    "attach_simbricks",
    "container_of",
    "guest_bench",
    "linux_guest",
    "replay_attached",
]
