"""Ports of a block: signals of its top module that belong together, recognised by their names.

`NAME_tvalid`, `NAME_tready`, `NAME_tdata`, `NAME_tkeep`, `NAME_tlast` and `NAME_tuser` form an AXI4-Stream;
the same names without `t` form a stream too. A stream with a last beat carries frames, another one words.
`NAME_awaddr` and the other signals of AXI4 or AXI4-Lite form a port to memory or registers, and so do those
of Wishbone and OBI.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spinach_nic import _native
from spinach_nic.blocks.request_bus import RequestBuses
from spinach_nic.blocks.rtl_signals import RtlSignal, places
from spinach_nic.support.errors import SpinachError

_VALID = re.compile(r"(?P<name>\w+)_(?P<t>t?)valid")
_MEMORY = re.compile(r"(?P<name>\w+)_awaddr")
_CHANNELS = {
    "write_address": ("awaddr", "awvalid", "awready"),
    "write_data": ("wdata", "wvalid", "wready"),
    "write_response": ("bresp", "bvalid", "bready"),
    "read_address": ("araddr", "arvalid", "arready"),
    "read_data": ("rdata", "rvalid", "rready"),
}
"""Channels of AXI4-Lite: value, valid, ready."""
_ANSWERS = ("write_response", "read_data")
_CLOCKS = ("clk", "clock", "aclk", "clk_i", "i_clk")
_RESETS = ("rst", "reset", "areset", "rst_i", "i_rst")
_RESETS_LOW = ("rst_n", "rstn", "reset_n", "resetn", "aresetn", "rst_ni", "nreset")
_WORD_BITS = 64
_LENGTH_BITS = 8
"""Width of the length of a burst."""


@dataclass(frozen=True)
class Roles:
    """Signals whose names may not show their role."""

    clock: str | None = None
    reset: str | None = None
    """The reset, with `:low` behind it if it is active at 0."""
    idle: str | None = None
    """Output that is 1 while only inputs can change the state of the block."""
    word_addresses: Sequence[str] = ()
    """Ports of Wishbone and OBI whose addresses count words of data."""


def bind(top: str, signals: Sequence[RtlSignal], roles: Roles) -> dict[str, Any]:
    """Return the description of a block, without the abilities of its library.

    Raises:
        SpinachError: There is no clock, a name is unknown, or a stream is incomplete.
    """
    binder = _Binder(top, signals)
    clocking = binder.clocking(roles)
    idle = None if roles.idle is None else binder.named(roles.idle, is_input=False)
    memories = [binder.memory(name) for name in binder.memories()]
    memories += binder.request_buses(roles.word_addresses)
    streams = [binder.stream(match["name"], match["t"]) for match in binder.valids()]
    place = places(list(signals))
    return {
        "name": top,
        "signals": [
            {
                "name": signal.name,
                "is_input": signal.is_input,
                "width": signal.width,
                "word": place[signal.name],
            }
            for signal in signals
        ],
        "clocking": clocking,
        "streams": streams,
        "memories": memories,
        "values": [index for index in binder.unused() if signals[index].width <= _WORD_BITS],
        "idle": idle,
    }


class _Binder:
    """Signals of one top module, and those that have a role already."""

    def __init__(self, top: str, signals: Sequence[RtlSignal]) -> None:
        self._top = top
        self._signals = signals
        self._index = {signal.name: index for index, signal in enumerate(signals)}
        self._used: set[int] = set()

    def named(self, name: str, *, is_input: bool) -> int:
        known = [signal.name for signal in self._signals if signal.is_input == is_input and signal.width == 1]
        if name not in known:
            direction = "input" if is_input else "output"
            message = f"{self._top} has no {direction} of one bit called {name!r}"
            raise SpinachError(message, _native.suggest(name, known))
        return self._index[name]

    def clocking(self, roles: Roles) -> Mapping[str, Any]:
        clock = roles.clock or self._first(_CLOCKS)
        if clock is None:
            message = f"no input of {self._top} is called like a clock: {', '.join(_CLOCKS)}"
            raise SpinachError(message, "name it with --clock NAME")
        if roles.reset is None:
            reset = self._first((*_RESETS, *_RESETS_LOW))
            is_active_high = reset not in _RESETS_LOW
        else:
            reset, _, level = roles.reset.partition(":")
            if level not in ("", "low", "high"):
                raise SpinachError(f"{level!r} is not a level of a reset", "give NAME, NAME:high or NAME:low")
            is_active_high = level != "low"
        found = {
            "clock": self.named(clock, is_input=True),
            "reset": None if reset is None else self.named(reset, is_input=True),
        }
        self._used.update(index for index in found.values() if index is not None)
        return {**found, "is_active_high": is_active_high}

    def _first(self, names: Sequence[str]) -> str | None:
        inputs = {signal.name: signal.name for signal in self._signals if signal.is_input}
        lower = {name.lower(): name for name in inputs}
        return next((lower[name] for name in names if name in lower), None)

    def valids(self) -> list[re.Match[str]]:
        found = (_VALID.fullmatch(signal.name) for signal in self._signals)
        return [match for match in found if match and f"{match['name']}_{match['t']}data" in self._index]

    def stream(self, name: str, t: str) -> dict[str, Any]:
        valid = self._index[f"{name}_{t}valid"]
        is_input = self._signals[valid].is_input
        part = {
            role: self._part(f"{name}_{t}{role}", is_input=is_input != (role == "ready"))
            for role in ("ready", "data", "keep", "last", "user")
        }
        carries_frames = part["last"] is not None
        data = self._signals[self._index[f"{name}_{t}data"]]
        if carries_frames and data.width % 8:
            raise SpinachError(
                f"{data.name} has {data.width} bits, which are not whole bytes", "make it a multiple of 8"
            )
        if not carries_frames and data.width > _WORD_BITS:
            raise SpinachError(
                f"{data.name} is wider than 64 bits, and {name} has no last beat",
                f"add {name}_{t}last, or use at most 64 bits",
            )
        self._used.add(valid)
        self._used.update(index for index in part.values() if index is not None)
        return {
            "name": name,
            "is_input": is_input,
            "carries_frames": carries_frames,
            "valid": valid,
            **part,
        }

    def memories(self) -> list[str]:
        """Return the prefixes of the ports of AXI4 and AXI4-Lite."""
        found = (_MEMORY.fullmatch(signal.name) for signal in self._signals)
        return [match["name"] for match in found if match]

    def memory(self, name: str) -> dict[str, Any]:
        """Return the port to memory or registers with this prefix."""
        is_initiator = not self._signals[self._index[f"{name}_awaddr"]].is_input
        channels = {}
        for channel, signals in _CHANNELS.items():
            # A target receives requests, an initiator receives answers; `ready` goes the other way.
            is_input = (channel in _ANSWERS) == is_initiator
            parts = [
                self._part(f"{name}_{signal}", is_input=is_input != (signal == signals[-1]))
                for signal in signals
            ]
            if None in parts:
                missing = signals[parts.index(None)]
                raise SpinachError(f"{name} has no signal {name}_{missing}", "add it: AXI4 needs it")
            channels[channel] = parts
        width = self._signals[self._index[f"{name}_wdata"]].width
        if width not in (32, 64) or width != self._signals[self._index[f"{name}_rdata"]].width:
            raise SpinachError(f"{name}_wdata and {name}_rdata do not both have 32 or 64 bits", "correct it")
        optional = {
            "write_strobe": self._part(f"{name}_wstrb", is_input=not is_initiator),
            "read_response": self._part(f"{name}_rresp", is_input=is_initiator),
        }
        self._used.update(index for parts in channels.values() for index in parts if index is not None)
        self._used.update(index for index in optional.values() if index is not None)
        bursts = self._bursts(name, is_initiator=is_initiator) if f"{name}_awlen" in self._index else None
        return {"name": name, "is_initiator": is_initiator, **channels, **optional, "bursts": bursts}

    def _bursts(self, name: str, *, is_initiator: bool) -> dict[str, Any]:
        """Return the signals that AXI4 has besides those of AXI4-Lite."""
        length = self._signals[self._index[f"{name}_awlen"]]
        if f"{name}_wid" in self._index or length.width != _LENGTH_BITS:
            help = f"use AXI4, with 8 bits of {length.name} and without {name}_wid"
            raise SpinachError(f"{name} is AXI3, which is not supported", help)
        roles = {"length": "len", "size": "size", "kind": "burst", "id": "id", "lock": "lock"}
        bursts: dict[str, Any] = {
            access: {
                role: self._part(f"{name}_{prefix}{suffix}", is_input=not is_initiator)
                for role, suffix in roles.items()
            }
            for access, prefix in (("write", "aw"), ("read", "ar"))
        }
        for role, suffix, is_input in (
            ("write_last", "wlast", not is_initiator),
            ("read_last", "rlast", is_initiator),
            ("write_response_id", "bid", is_initiator),
            ("read_data_id", "rid", is_initiator),
        ):
            bursts[role] = self._part(f"{name}_{suffix}", is_input=is_input)
        for suffix, found in (
            ("wlast", bursts["write_last"]),
            ("rlast", bursts["read_last"]),
            ("arlen", bursts["read"]["length"]),
        ):
            if found is None:
                raise SpinachError(f"{name} has no signal {name}_{suffix}", "add it: AXI4 needs it")
        parts = [*bursts["write"].values(), *bursts["read"].values(), *list(bursts.values())[2:]]
        self._used.update(index for index in parts if index is not None)
        return bursts

    def request_buses(self, word_addresses: Sequence[str]) -> list[dict[str, Any]]:
        """Return the ports of Wishbone and OBI."""
        buses = RequestBuses(self._signals)
        found = [buses.describe(bus, word_addresses) for bus in buses.found()]
        self._used.update(buses.used)
        names = [bus["name"] for bus in found]
        for name in word_addresses:
            if name not in names:
                message = f"{self._top} has no port of Wishbone or OBI called {name!r}"
                raise SpinachError(message, _native.suggest(name, names))
        return found

    def _part(self, name: str, *, is_input: bool) -> int | None:
        index = self._index.get(name)
        if index is not None and self._signals[index].is_input != is_input:
            direction = "an input" if is_input else "an output"
            raise SpinachError(f"{name} is not {direction}, as its stream needs", "check its direction")
        return index

    def unused(self) -> list[int]:
        return [index for index in range(len(self._signals)) if index not in self._used]
