"""The document `spinach-cards-profile/1`: costs of the cards of servers, and of the harts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from spinach_nic.runs.guest.result import DriverFirmware
from spinach_nic.runs.profiling.document import Costs, FunctionCosts, LineCosts, PlaceCosts, Window
from spinach_nic.servers.profile import ServerProfile
from spinach_nic.support.documents import Count, Document

SCHEMA_FILE = Path(__file__).with_suffix(".schema.json")
"""A JSON Schema of the document."""


@dataclass(frozen=True, kw_only=True)
class CardCosts:
    """Firmware costs of a card, all its cores together."""

    server: Count
    """Number of its server, from 1."""
    card: str
    firmware: DriverFirmware
    cores: Count
    """Number of its cores."""
    sent_frames: Count
    """Frames that it sent over the link."""
    received_frames: Count
    """Frames that the other card sent over the link."""
    total: Costs
    """Costs as the cores counted them: the sum of all functions, and of all places."""
    functions: tuple[FunctionCosts, ...]
    """Functions, the most expensive first."""
    lines: tuple[LineCosts, ...]
    """Source lines, the most expensive first."""
    places: tuple[PlaceCosts, ...]
    """Places, sorted by name."""

    def shown(self, count: int = 8) -> Iterator[str]:
        """Return the most expensive functions, as lines of text."""
        everything = self.total.cycles["all"]
        yield (
            f"firmware of the card of server {self.server} ({self.card}, {self.firmware.name}): "
            f"{self.total.instructions:,} instructions in {everything:,} cycles of its cores"
        )
        for it in self.functions[:count] if everything else ():
            task = it.task.replace("_", " ")
            yield f"    {it.cycles['all'] / everything:6.1%}  {it.function}  ({task})"


class CardsProfile(Document, frozen=True, kw_only=True, tag="spinach-cards-profile/1"):
    """Costs of servers in a run: firmware of the cards, and software of the harts."""

    server: str
    """Configuration of the servers."""
    version: str
    """Version of Spinach."""
    window_ns: Window
    cards: tuple[CardCosts, ...]
    """Cards with firmware."""
    servers: tuple[ServerProfile, ...] = ()
    """Time of the harts of each server; none in documents of earlier versions."""
