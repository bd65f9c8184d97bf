"""Execution of experiments: each request once, in parallel processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from spinach_nic.experiments.runner.claims import expectation
from spinach_nic.experiments.runner.experiment import Experiment, Extent, Point, Request, Row
from spinach_nic.experiments.runner.results import Reproduction
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.parallel import Carried, carry_out_all


@dataclass(frozen=True)
class ReproductionProgress:
    """Progress of the experiments."""

    done: int
    """Requests that have been carried out."""
    total: int


def reproduce(
    experiments: Sequence[Experiment],
    *,
    extent: Extent,
    jobs: int = 1,
    progress: Callable[[ReproductionProgress], None] | None = None,
    known: dict[Request[Any], Carried] | None = None,
) -> Iterator[Reproduction]:
    """Run experiments; each is given as soon as its last point is measured.

    A request that several experiments make is carried out once. Results depend on neither `jobs`
    nor the other experiments.

    Args:
        experiments: Experiments to run.
        extent: Extent of each experiment.
        jobs: Number of parallel processes; with one, everything runs in this process.
        progress: Called at the start and after each request.
        known: Outcomes of requests that are not run again; new outcomes are added.
    """
    missing = {experiment.name: experiment.missing() for experiment in experiments}
    points = {
        experiment.name: [] if missing[experiment.name] else list(experiment.points(extent))
        for experiment in experiments
    }
    carried: dict[Request[Any], Carried] = {} if known is None else known
    asked = dict.fromkeys(point.request for its in points.values() for point in its)
    requests = [request for request in asked if request not in carried]
    waiting = list(experiments)
    done = 0

    def finished() -> Iterator[Reproduction]:
        for experiment in list(waiting):
            if all(point.request in carried for point in points[experiment.name]):
                waiting.remove(experiment)
                if why := missing[experiment.name]:
                    yield Reproduction(experiment, extent, (), failure=f"skipped: {why}")
                    continue
                yield _concluded(experiment, extent, points[experiment.name], carried)

    if progress is not None:
        progress(ReproductionProgress(done, len(requests)))
    yield from finished()
    for request, what in carry_out_all(requests, jobs):
        carried[request] = what
        done += 1
        if progress is not None:
            progress(ReproductionProgress(done, len(requests)))
        yield from finished()


def _concluded(
    experiment: Experiment, extent: Extent, points: Sequence[Point[Any]], carried: dict[Request[Any], Carried]
) -> Reproduction:
    requests = tuple(str(point.request) for point in points)
    failed = [carried[point.request] for point in points if carried[point.request].failure is not None]
    if failed:
        exit_code = max(what.exit_code for what in failed)
        return Reproduction(
            experiment, extent, requests, failure=failed[0].failure, failed_exit_code=exit_code
        )
    rows: list[Row] = []
    try:
        for point in points:
            rows += point.measure(carried[point.request].outcome)
        finished = tuple(experiment.finish(rows))
        claims = tuple(experiment.claims(finished))
        if experiment.is_own:
            claims = tuple(expectation(claim) for claim in claims)
    except ZeroDivisionError:
        error = SpinachError(
            f"{experiment.name} divides by a figure that was measured as zero",
            "divide values of `figure_of`, whose ratio to zero is not known",
        )
        return Reproduction(experiment, extent, requests, failure=str(error))
    return Reproduction(experiment, extent, requests, finished, claims)
