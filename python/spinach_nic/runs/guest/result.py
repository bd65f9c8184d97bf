"""Result of a guest with a card, as typed data and as the document `spinach-attached/1`.

Everything but `wall_s` and `live` follows from the input of the guest and the wire; a replay gives the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from msgspec import field

from spinach_nic.runs.result import (
    Drops,
    Failure,
    Figure,
    LiveResult,
    Passage,
    ResultDocument,
    Setting,
    Sha256,
    flat,
)
from spinach_nic.support.documents import Count, Number
from spinach_nic.support.representations import amount

__all__ = ["AttachedResult", "DriverFirmware", "LiveResult", "Passage"]


@dataclass(frozen=True)
class DriverFirmware:
    """Firmware that the guest's driver loads into the card, or that is loaded before the guest starts."""

    name: str
    """Name of the file for the driver, or the name of the image."""
    sha256: Sha256
    """Digest of the file."""


class AttachedResult(ResultDocument, frozen=True, kw_only=True, tag="spinach-attached/1"):
    """Result of a guest with a card."""

    nic: str
    config: Mapping[str, bool | int | str]
    """Values of all settable parameters, by the path that `set` takes."""
    version: str
    firmware: DriverFirmware | None
    """`None` if the caller made the guest's files."""
    complete: bool
    """True if the guest ended itself, and neither failed nor was interrupted."""
    accesses: Count
    """Accesses of the guest to the card."""
    interrupts: Count
    read_bytes: Count
    """Bytes of the guest's memory read by the card."""
    written_bytes: Count
    """Bytes of the guest's memory written by the card."""
    frames_sent: Count
    """Frames that left the card at the wire."""
    frames_received: Count
    """Frames that reached the card from the wire, dropped or not."""
    dropped: Drops = field(default_factory=dict)
    """Frames that the card dropped, by place and reason; zeros are left out."""
    simulated_ns: Count
    wall_s: Number
    """Duration of the simulation, without set-up."""
    live: LiveResult
    """Outcome of the recorded run, in a replay."""
    failure: Failure | None = None
    """Reason of the end, if the card or the guest failed."""

    def asked(self) -> dict[str, Setting]:
        """Return the card, its firmware and its configuration, by path."""
        firmware: dict[str, Setting] = {}
        if self.firmware is not None:
            firmware = {"firmware": self.firmware.name, "firmware.sha256": self.firmware.sha256}
        return {"nic": self.nic, "version": self.version, **firmware, **self.config}

    def figures(self) -> dict[str, Figure]:
        """Return the counts of the guest and the wire, by name."""
        return flat(
            {name: value for name, value in self.document().items() if name not in ("config", "live")}
        )

    def __repr__(self) -> str:
        """Return the traffic in a line; the fields have everything."""
        frames = f"{amount(self.frames_sent, 'frame')} out, {self.frames_received} in"
        return f"<AttachedResult {self.nic}: {frames}, {self.simulated_ns / 1e6:.3f} ms>"
