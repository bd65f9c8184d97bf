"""What a guest did with its card, as typed data and as the document `spinach-attached/1`.

Everything but `wall_s` and `live` follows from what the guest and the wire did; a replay gives the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from spinach_nic.documents import Count, Document, Number
from spinach_nic.result import LiveResult, Passage, Sha256

__all__ = ["SCHEMA_FILE", "AttachedResult", "DriverFirmware", "LiveResult", "Passage"]

SCHEMA_FILE = Path(__file__).with_name("attached.schema.json")
"""A JSON Schema of the document."""


@dataclass(frozen=True)
class DriverFirmware:
    """What the guest's driver loads into the card, or what is in place before the guest starts."""

    name: str
    """What the driver calls it, or the name of the image."""
    sha256: Sha256
    """Of the file."""


class AttachedResult(Document, frozen=True, kw_only=True, tag="spinach-attached/1"):
    """What a guest did with its card."""

    nic: str
    config: Mapping[str, bool | int | str]
    """Every parameter that a person can set, by the path that `set` takes, as it was."""
    version: str
    firmware: DriverFirmware | None
    """`None` if the caller made the guest's files."""
    complete: bool
    """Whether the guest ended by itself, rather than the user."""
    accesses: Count
    """Of the guest to the card."""
    interrupts: Count
    read_bytes: Count
    """Of the guest's memory, by the card."""
    written_bytes: Count
    """To the guest's memory, by the card."""
    frames_sent: Count
    """That left the card at the wire."""
    frames_received: Count
    """That reached the card from the wire."""
    simulated_ns: Count
    wall_s: Number
    """How long the simulation took, without set-up."""
    live: LiveResult
    """In a replay, how the run went that was recorded."""

    def __repr__(self) -> str:
        """What passed, in a line; the fields have everything."""
        frames = f"{self.frames_sent} frames out, {self.frames_received} in"
        return f"<AttachedResult {self.nic}: {frames}, {self.simulated_ns / 1e6:.3f} ms>"
