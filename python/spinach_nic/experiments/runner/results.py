"""Results of an experiment, and the document for other programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from spinach_nic._native import version
from spinach_nic.experiments.runner.claims import Claim
from spinach_nic.experiments.runner.experiment import Experiment, Extent, Rows, Source
from spinach_nic.support.documents import Document
from spinach_nic.support.representations import amount

SCHEMA_FILE = Path(__file__).with_name("experiment.schema.json")
"""A JSON Schema of the document of one experiment."""


SCHEMA = "spinach-experiment/1"
PlainRow = Mapping[str, str | int | float | bool | None]


class ExperimentDocument(Document, frozen=True, kw_only=True, tag=SCHEMA):
    """A published table or figure, run again. Everything follows from the request."""

    name: str
    summary: str
    source: Source
    version: str
    extent: str
    complete: bool
    """True if every point was measured."""
    failure: str | None
    rows: tuple[PlainRow, ...]
    """Measured rows; column names contain the unit."""
    published: tuple[PlainRow, ...]
    """Published rows, as far as the publication's text gives them, with the same columns."""
    claims: tuple[Claim, ...]
    notes: tuple[str, ...]
    requests: tuple[str, ...]
    """Requests of the runs."""


class ExperimentsDocument(Document, frozen=True, kw_only=True, tag=SCHEMA):
    """Several published tables and figures."""

    complete: bool
    """True if all requested experiments are there."""
    experiments: tuple[ExperimentDocument, ...]


@dataclass(frozen=True)
class Reproduction:
    """Results of an experiment."""

    experiment: Experiment
    extent: Extent
    requests: tuple[str, ...]
    """Requests, as commands."""
    rows: Rows = ()
    claims: tuple[Claim, ...] = ()
    """Claims of the publication, and our expectations."""
    failure: str | None = None
    """Reason for missing rows: two lines, the error and its remedy."""
    failed_exit_code: int = 0

    def __repr__(self) -> str:
        """Return the experiment and its outcome, in a line."""
        made = self.published_claims
        holding = sum(claim.holds for claim in made)
        undecided = sum(claim.undecided for claim in made)
        came = f"{amount(len(self.rows), 'row')}, {holding} of {len(made)} claims hold"
        came += f", {undecided} undecided" if undecided else ""
        ending = came if self.failure is None else "failed"
        return f"<Reproduction {self.experiment.name} ({self.extent.name}): {ending}>"

    @property
    def published_claims(self) -> tuple[Claim, ...]:
        """Claims that the publication makes."""
        return tuple(claim for claim in self.claims if not claim.own)

    @property
    def expectations(self) -> tuple[Claim, ...]:
        """Claims that are our expectations."""
        return tuple(claim for claim in self.claims if claim.own)

    def document(self) -> ExperimentDocument:
        """Return the document for other programs."""
        experiment = self.experiment
        return ExperimentDocument(
            name=experiment.name,
            summary=experiment.summary,
            source=experiment.source,
            version=version(),
            extent=self.extent.name,
            complete=self.failure is None,
            failure=self.failure,
            rows=tuple(self.rows),
            published=tuple(experiment.published),
            claims=self.claims,
            notes=experiment.notes,
            requests=self.requests,
        )


def document(reproductions: Sequence[Reproduction], *, asked: int) -> Document:
    """Return the document of several experiments, or of one if only one was requested."""
    documents = tuple(reproduction.document() for reproduction in reproductions)
    if asked == 1 and documents:
        return documents[0]
    return ExperimentsDocument(complete=len(documents) == asked, experiments=documents)
