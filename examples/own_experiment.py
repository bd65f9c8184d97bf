"""An experiment of one's own: rows that are measured, claims that are checked, as for the published tables.

An experiment says what is run, what is kept of each result, and which sentences must hold.
`spinach reproduce` runs those that are shipped; this one is run by the same function. Run it with
`python examples/own_experiment.py`.

Prints:
    cores 1: 0.50 of line rate
    cores 2: 0.95 of line rate
    a second core nearly doubles the rate: 1.92, holds
    complete
"""

from collections.abc import Callable, Sequence

from spinach_nic.experiments.runner import (
    FULL,
    Claim,
    Column,
    Experiment,
    Extent,
    NicRun,
    Point,
    Rows,
    Source,
    at_least,
    number,
    only,
    reproduce,
)
from spinach_nic.runs.result import Result


def kept(cores: int) -> Callable[[Result], Rows]:
    """Return a function that makes the row of a run with `cores` cores."""

    def row(result: Result) -> Rows:
        return [{"cores": cores, "line_rate": result.tx.line_rate_fraction}]

    return row


class TwoCoresOrOne(Experiment):
    """Value of a second core for the 10 Gb/s NIC."""

    name = "two-cores-or-one"
    summary = "The 10 Gb/s NIC sends with one core and with two"
    source = Source("our own", "examples/own_experiment.py")
    key = (Column("cores", "cores"),)
    measured = (Column("line_rate", "share of line rate", digits=2),)

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """One run each."""
        return [
            Point(
                NicRun(
                    "tengig",
                    "udp:1472:tx",
                    frames=600,
                    firmware="rmw",
                    settings=(("cores", str(cores)),),
                ),
                kept(cores),
            )
            for cores in (1, 2)
        ]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return the claims."""
        one, two = (number(only(rows, cores=cores), "line_rate") for cores in (1, 2))
        return [at_least("a second core nearly doubles the rate", two / one, 1.8)]


if __name__ == "__main__":
    for reproduction in reproduce([TwoCoresOrOne()], extent=FULL):
        for measured in reproduction.rows:
            print(f"cores {measured['cores']}: {number(measured, 'line_rate'):.2f} of line rate")
        for claim in reproduction.claims:
            print(f"{claim.text}: {claim.figure:.2f}, {claim.verdict}")
        print(reproduction.failure or "complete")
