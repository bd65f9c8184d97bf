"""Virtualization contexts on RiceNIC: settings of the image `cdna`."""

from __future__ import annotations

import struct

from spinach_nic.cards.ricenic.guests import BUFFER
from spinach_nic.cards.ricenic.nat import TranslatingCard
from spinach_nic.cards.ricenic.registers import (
    CDNA_MOST_BUFFERS,
    CDNA_MOST_SLOTS,
    CDNA_SETTINGS_WORDS,
    QUEUE_ENTRIES,
)
from spinach_nic.model import parameter
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import KiB, MiB, Size

MOST_GUESTS = 127


class SharedCard(TranslatingCard):
    """Card with a context for each guest of its host, if its firmware has contexts."""

    guests: int = parameter(
        default=4, range=(1, MOST_GUESTS), doc="Number of guests, each with a separate context (image cdna)."
    )
    guest_buffer: Size = parameter(
        default=KiB(64),
        range=(KiB(2), MiB(1)),
        doc="Memory of the card for frames of a guest, in each direction (image cdna).",
    )

    @property
    def has_contexts(self) -> bool:
        """Return true if the firmware knows contexts."""
        return self.image is not None and "start_context" in self.image.symbols

    @property
    def context_count(self) -> int:
        """Contexts of the event unit: one more than guests, for the hypervisor."""
        return max(32, self.guests + 1)

    def context_settings(self) -> bytes:
        """Return the words that the firmware reads.

        Raises:
            SpinachError: Frames are too long, or buffers of all guests too large together.
        """
        slots = min(CDNA_MOST_SLOTS, self.guest_buffer.bytes // BUFFER)
        most = (CDNA_MOST_BUFFERS - QUEUE_ENTRIES) // (self.guests + 1)
        if slots > most:
            message = f"guest_buffer = {self.guest_buffer} is too large for {self.guests} guests"
            raise SpinachError(message, f"set guest_buffer to at most {KiB(most * BUFFER // 1024)}")
        if self.largest_frame > BUFFER - 4:
            message = f"largest_frame = {self.largest_frame}: buffers of contexts have {BUFFER} bytes"
            raise SpinachError(message, f"set largest_frame to at most {BUFFER - 4}")
        words = {
            "contexts": self.guests + 1,
            "slot_bytes": BUFFER,
            "send_slots": slots,
            "receive_slots": slots,
            "longest_frame": self.largest_frame,
        }
        return b"".join(struct.pack(">I", words[name]) for name in CDNA_SETTINGS_WORDS)
