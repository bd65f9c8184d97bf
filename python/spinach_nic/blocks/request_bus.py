"""Ports of a block with one channel for requests and one for responses: Wishbone and OBI.

Names are compared without case, and without `i_`, `o_`, `_i` or `_o` for the direction.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from spinach_nic.blocks.rtl_signals import RtlSignal
from spinach_nic.support.errors import SpinachError

_DIRECTION = re.compile(r"^[io]_|_[io]$", re.IGNORECASE)
_DATA_BITS = (8, 16, 32, 64)
_ADDRESS_BITS = (32, 64)
_REQUEST_ROLES = ("valid", "cycle", "address", "write", "write_data", "select")


@dataclass(frozen=True)
class Protocol:
    """Names of the signals of a bus, by their role; several names are alternatives."""

    name: str
    signals: dict[str, tuple[str, ...]]
    required: tuple[str, ...]
    error_replaces_response: bool


WISHBONE = Protocol(
    "Wishbone",
    {
        "cycle": ("cyc",),
        "valid": ("stb",),
        "stall": ("stall",),
        "address": ("adr", "addr"),
        "write": ("we",),
        "write_data": ("dat_mosi", "dat_w", "wdata", "dat", "data"),
        "select": ("sel",),
        "response": ("ack",),
        "read_data": ("dat_miso", "dat_r", "rdata", "dat", "data"),
        "error": ("err",),
    },
    ("cycle", "valid", "address", "response", "read_data"),
    error_replaces_response=True,
)
"""Wishbone B4; pipelined if it has `stall`. A port that never writes may omit `we`."""

OBI = Protocol(
    "OBI",
    {
        "valid": ("req",),
        "grant": ("gnt",),
        "address": ("addr", "add"),
        "write": ("we",),
        "write_data": ("wdata",),
        "select": ("be",),
        "response": ("rvalid",),
        "read_data": ("rdata",),
        "error": ("err",),
    },
    ("valid", "grant", "address", "response", "read_data"),
    error_replaces_response=False,
)
"""Open Bus Interface without identifiers, as in the cores of lowRISC and the OpenHW Group."""


@dataclass(frozen=True)
class RequestBus:
    """One port."""

    name: str
    protocol: Protocol
    is_initiator: bool


class RequestBuses:
    """Signals of a top module by their names without direction, and those that form buses."""

    def __init__(self, signals: Sequence[RtlSignal]) -> None:
        """Index the signals by name and direction."""
        self._signals = signals
        self.used: set[int] = set()
        self._index = {
            (_DIRECTION.sub("", signal.name).lower(), signal.is_input): index
            for index, signal in enumerate(signals)
        }

    def found(self) -> Iterator[RequestBus]:
        """Yield the buses: those that have a first signal with a second one next to it."""
        for signal in self._signals:
            name = _DIRECTION.sub("", signal.name)
            for protocol, first, second in ((WISHBONE, "_cyc", "_stb"), (OBI, "_req", "_gnt")):
                prefix = name[: -len(first)]
                is_answered = protocol is OBI
                if name.lower() == f"{prefix}{first}".lower() and prefix:
                    other = (f"{prefix}{second}".lower(), signal.is_input != is_answered)
                    if other in self._index:
                        yield RequestBus(prefix, protocol, is_initiator=not signal.is_input)

    def describe(self, bus: RequestBus, word_addresses: Sequence[str]) -> dict[str, Any]:
        """Return a bus as a part of the description of its block.

        Raises:
            SpinachError: A signal is missing, or has another width.
        """
        parts = {role: self._part(bus, role) for role in {**WISHBONE.signals, **OBI.signals}}
        missing = [role for role in bus.protocol.required if parts[role] is None]
        if missing:
            expected = f"{bus.name}_{bus.protocol.signals[missing[0]][0]}"
            raise SpinachError(
                f"{bus.name} has no signal {expected}", f"add it: {bus.protocol.name} needs it"
            )
        data, address = (self._signals[parts[role] or 0] for role in ("read_data", "address"))
        if data.width not in _DATA_BITS:
            raise SpinachError(f"{data.name} has {data.width} bits", "use 8, 16, 32 or 64 bits of data")
        data_bytes = data.width // 8
        unit_bits = data_bytes.bit_length() - 1
        if address.width > max(_ADDRESS_BITS):
            raise SpinachError(f"{address.name} is wider than 64 bits", "use at most 64 bits")
        counts_words = (
            bus.name in word_addresses
            or address.lowest_bit == unit_bits
            or address.width + unit_bits in _ADDRESS_BITS
        )
        self.used.update(index for index in parts.values() if index is not None)
        return {
            "name": bus.name,
            "is_initiator": bus.is_initiator,
            **parts,
            "address_unit": data_bytes if counts_words else 1,
            "error_replaces_response": bus.protocol.error_replaces_response,
        }

    def _part(self, bus: RequestBus, role: str) -> int | None:
        """Return the signal with a role, or None."""
        is_input = (role in _REQUEST_ROLES) != bus.is_initiator
        names = (f"{bus.name}_{suffix}".lower() for suffix in bus.protocol.signals.get(role, ()))
        return next((self._index[name, is_input] for name in names if (name, is_input) in self._index), None)
