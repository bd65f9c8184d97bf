"""Peers of a run by SimBricks: other simulators, with which it exchanges messages over shared memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, Self, get_args

from msgspec import Struct

from spinach_nic import _native
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import Time, ns, parse_quantity, ps, s

PREFIX = "simbricks:"
"""Beginning of the name of a device that is a SimBricks network."""
FORM = "listen:SOCKET or connect:SOCKET, then options such as :latency=500ns:sync_interval=500ns:sync=on"
LOST_HELP: Final = (
    "see the output of the peer; both sides need the same protocol and agree on synchronisation"
)

DEFAULT_LATENCY: Final = ns(500)
DEFAULT_TIMEOUT: Final = s(60)

Role = Literal["listen", "connect"]
Synchronisation = Literal["auto", "on", "off"]


class Peer(Struct, frozen=True):
    """Connection to another simulator."""

    role: Role
    """Side that makes the socket and the memory, or the one that finds them."""
    socket: str
    """Path of the Unix socket of the handshake."""
    latency: Time = DEFAULT_LATENCY
    """Time from sending a message to its arrival."""
    sync_interval: Time = DEFAULT_LATENCY
    """Maximum time between two messages to the peer."""
    sync: Synchronisation = "auto"
    """`auto` for synchronisation if the peer offers it."""
    timeout: Time = DEFAULT_TIMEOUT
    """Wall time for which a peer is awaited that does not listen yet or does not introduce itself."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the connection that a user describes.

        Raises:
            SpinachError: The description is invalid.
        """
        role, _, rest = text.partition(":")
        socket, *options = rest.split(":")
        if role not in get_args(Role) or not socket:
            raise SpinachError(f"{text!r} is not a SimBricks connection", f"give {FORM}")
        given = dict(option.partition("=")[::2] for option in options)
        if "latency" in given:
            given = {"sync_interval": given["latency"], **given}
        for name in given:
            if name not in PARSERS:
                message = f"a SimBricks connection has no option {name!r}"
                raise SpinachError(message, _native.suggest(name, list(PARSERS)))
        peer = cls(role, socket, **{name: PARSERS[name](value) for name, value in given.items()})  # type: ignore[arg-type]
        if not ps(1) <= peer.sync_interval <= peer.latency:
            message = f"invalid sync_interval {peer.sync_interval} (1 ps to the latency, {peer.latency})"
            raise SpinachError(message, "give a latency, and at most this as sync_interval")
        return peer

    def native(self) -> tuple[bool, str, int, int, str, float]:
        """Return the connection as the extension takes it."""
        latency, interval = (time.femtoseconds // 1000 for time in (self.latency, self.sync_interval))
        return self.role == "listen", self.socket, latency, interval, self.sync, self.timeout.seconds


def _synchronisation(text: str) -> str:
    if text not in get_args(Synchronisation):
        choices = ", ".join(get_args(Synchronisation))
        raise SpinachError(f"invalid sync {text!r} of a SimBricks connection", f"give one of {choices}")
    return text


def _time(text: str) -> Time:
    time = parse_quantity(text, Time)
    if time.femtoseconds % 1000:
        raise SpinachError(f"{text} is not an integer number of picoseconds", "round it")
    return time


PARSERS = {"latency": _time, "sync_interval": _time, "sync": _synchronisation, "timeout": _time}
"""Readers of options, by name."""


def networks(devices: Mapping[str, str]) -> dict[str, Peer]:
    """Return the SimBricks networks among devices, by the name of the entrance: all of them or none.

    Raises:
        SpinachError: There are others, too, whose time is wall time.
    """
    found = {
        name: Peer.parse(device.removeprefix(PREFIX))
        for name, device in devices.items()
        if device.startswith(PREFIX)
    }
    if found and len(found) < len(devices):
        other = next(device for name, device in devices.items() if name not in found)
        message = f"{other} follows wall time, and a SimBricks network its peer"
        raise SpinachError(message, "give devices of one kind")
    return found
