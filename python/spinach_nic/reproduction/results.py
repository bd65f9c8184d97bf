"""What came of an experiment, and the document that other programs read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from spinach_nic._native import version
from spinach_nic.reproduction.claims import Claim
from spinach_nic.reproduction.experiment import Experiment, Extent, Rows

SCHEMA = "spinach-experiment/1"
SCHEMA_FILE = Path(__file__).with_name("experiment.schema.json")
"""A JSON Schema of the document of one experiment."""


@dataclass(frozen=True)
class Reproduction:
    """What came of an experiment."""

    experiment: Experiment
    extent: Extent
    requests: tuple[str, ...]
    """What was run, as a person would type it."""
    rows: Rows = ()
    claims: tuple[Claim, ...] = ()
    failure: str | None = None
    """Why there are no rows: two lines, what went wrong and what to do."""
    failed_exit_code: int = 0

    def __repr__(self) -> str:
        """What came of which experiment, in a line."""
        holding = sum(claim.holds for claim in self.claims)
        came = f"{len(self.rows)} rows, {holding} of {len(self.claims)} claims hold"
        ending = came if self.failure is None else "failed"
        return f"<Reproduction {self.experiment.name} ({self.extent.name}): {ending}>"

    def document(self) -> dict[str, Any]:
        """As plain data."""
        experiment = self.experiment
        return {
            "schema": SCHEMA,
            "name": experiment.name,
            "summary": experiment.summary,
            "source": asdict(experiment.source),
            "version": version(),
            "extent": self.extent.name,
            "complete": self.failure is None,
            "failure": self.failure,
            "rows": [dict(row) for row in self.rows],
            "published": [dict(row) for row in experiment.published],
            "claims": [asdict(claim) for claim in self.claims],
            "notes": list(experiment.notes),
            "requests": list(self.requests),
        }


def document(reproductions: Sequence[Reproduction], *, asked: int) -> dict[str, Any]:
    """The document of several experiments, or of the one if one was asked for."""
    documents = [reproduction.document() for reproduction in reproductions]
    if asked == 1 and documents:
        return documents[0]
    return {"schema": SCHEMA, "complete": len(documents) == asked, "experiments": documents}
