"""Virtualization contexts on RiceNIC: what a person sets for the image `cdna`, its host and its traffic."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from spinach_nic.composition import Clock, parameter
from spinach_nic.errors import SpinachError
from spinach_nic.hosts import Driver
from spinach_nic.nics.ricenic.guests import BUFFER, GuestSettings, Hypervisor, station
from spinach_nic.nics.ricenic.nat import TranslatingNic
from spinach_nic.nics.ricenic.registers import CDNA_MOST_ENTRIES, CDNA_SETTINGS_WORDS
from spinach_nic.traffic import FramePlan
from spinach_nic.units import KiB, MiB, Size, Time, fs, s

if TYPE_CHECKING:  # the generator of the library runs while a class of it is missing
    from spinach_nic.library import ScriptedHost

MOST_GUESTS = 127
MOST_SLOTS = 64
"""Buffers of a context for frames of one direction."""


class SharedNic(TranslatingNic):
    """A NIC with a context for each guest of its host, if its firmware has them."""

    guests: int = parameter(
        default=4, range=(1, MOST_GUESTS), doc="Of the image cdna: guests, each with a context of its own."
    )
    guest_buffer: Size = parameter(
        default=KiB(64),
        range=(KiB(2), KiB(128)),
        doc="Of the image cdna: memory of the card for frames of a guest, in each direction.",
    )
    guest_entries: int = parameter(
        default=256,
        range=(2, CDNA_MOST_ENTRIES),
        doc="Of the image cdna: entries of each ring of a guest, a power of two.",
    )
    guest_period: Time = parameter(
        default=fs(0),
        range=(fs(0), s(10)),
        doc="Of the image cdna: in which each guest runs once, for an equal part; 0 if all run all the time.",
    )

    @property
    def has_contexts(self) -> bool:
        """Whether the firmware knows contexts."""
        return self.image is not None and "start_context" in self.image.symbols

    @property
    def context_count(self) -> int:
        """Contexts of the event unit: one more than guests, for the hypervisor."""
        return max(32, self.guests + 1)

    def context_settings(self) -> bytes:
        """The words that the firmware reads.

        Raises:
            SpinachError: Frames are too long, or a ring is none.
        """
        slots = min(MOST_SLOTS, self.guest_buffer.bytes // BUFFER)
        if self.largest_frame > BUFFER - 4:
            message = f"largest_frame = {self.largest_frame}: buffers of contexts have {BUFFER} bytes"
            raise SpinachError(message, f"set largest_frame to at most {BUFFER - 4}")
        if self.guest_entries & (self.guest_entries - 1):
            raise SpinachError(f"guest_entries = {self.guest_entries} is no power of two", "give one")
        words = {
            "contexts": self.guests + 1,
            "slot_bytes": BUFFER,
            "send_slots": slots,
            "receive_slots": slots,
            "longest_frame": self.largest_frame,
        }
        return b"".join(struct.pack(">I", words[name]) for name in CDNA_SETTINGS_WORDS)

    def of_guests(self, plan: FramePlan, way: Literal["tx", "rx"]) -> FramePlan:
        """The frames of a direction. Guests share them by chance: each has a station of its own.

        Raises:
            SpinachError: They are neither UDP nor TCP nor raw.
        """
        if plan.is_silent or not self.has_contexts:
            return plan
        described: Mapping[str, Any] = json.loads(plan.traffic) if plan.traffic else {}
        if described.get("kind") in ("any", "live"):
            return plan
        if described.get("kind") not in ("udp", "tcp", "raw"):
            help = "give udp, tcp or raw, such as udp:1472"
            raise SpinachError("guests of the image cdna send and receive UDP, TCP or raw frames", help)
        side = "source_station" if way == "tx" else "destination_station"
        parts = [
            {"weight": 1, "source": {**described, side: station(number + 1).hex(":")}}
            for number in range(self.guests)
        ]
        return replace(plan, traffic=json.dumps({"kind": "mix", "apart": True, "parts": parts}))

    def make_guests(self, clock: Clock) -> ScriptedHost:
        """The host with the guests' traffic."""
        # Here, so that the generator of the library runs while a class of it is missing.
        from spinach_nic.library import ScriptedHost

        self.hypervisor = self.make_hypervisor()
        rings = 2 * self.guest_entries * 16
        memory = MiB(1).bytes + self.guests * (3 * 4096 + 2 * rings + 2 * self.guest_entries * BUFFER)
        return ScriptedHost(
            clock=clock,
            interrupts="message",
            memory_size=Size(memory),
            **self.of_guests(self.tx, "tx").source("send_"),
            **self._expected().expected("receive_"),
        )

    def _expected(self) -> FramePlan:
        """What guests are to receive; live frames are counted only, as those for all reach several guests."""
        plan = self.of_guests(self.rx, "rx")
        if '"live"' not in plan.traffic:
            return plan
        return replace(plan, traffic=json.dumps({"kind": "any", "longest": self.largest_frame}))

    def make_hypervisor(self) -> Hypervisor:
        """Who manages the guests."""
        return Hypervisor(
            GuestSettings(self.guests, self.guest_entries, self.guest_period, self.hypervisor_latency)
        )

    @property
    def hypervisor_latency(self) -> Time:
        """From an interrupt until the hypervisor acts."""
        return fs(0)

    def guest_drivers(self, host: ScriptedHost) -> Sequence[Driver]:
        """What runs on the host."""
        return [Driver(host, self.hypervisor.program)]
