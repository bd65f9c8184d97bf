"""Running experiments: each request once, in parallel processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from spinach_nic.cache import CacheWarning
from spinach_nic.errors import SpinachError
from spinach_nic.reproduction.experiment import Experiment, Extent, Point, Request, Row
from spinach_nic.reproduction.results import Reproduction


@dataclass(frozen=True)
class ReproductionProgress:
    """How far the experiments are."""

    done: int
    """Requests that have been carried out."""
    total: int


@dataclass(frozen=True)
class Carried:
    """What came of a request: an outcome, or the error that ended it."""

    outcome: Any = None
    failure: str | None = None
    exit_code: int = 0


def reproduce(
    experiments: Sequence[Experiment],
    *,
    extent: Extent,
    jobs: int = 1,
    progress: Callable[[ReproductionProgress], None] | None = None,
    known: dict[Request[Any], Carried] | None = None,
) -> Iterator[Reproduction]:
    """Run experiments; each is given as soon as its last point is measured.

    A request that several experiments make is carried out once. What is measured depends on neither `jobs`
    nor the other experiments.

    Args:
        experiments: What to run.
        extent: How much of each.
        jobs: How many processes run at once; with one, everything runs in this process.
        progress: Called at the start and after each request.
        known: What requests came to that need not be carried out again; those that are carried out are added.
    """
    points = {experiment.name: list(experiment.points(extent)) for experiment in experiments}
    carried: dict[Request[Any], Carried] = {} if known is None else known
    asked = dict.fromkeys(point.request for its in points.values() for point in its)
    requests = [request for request in asked if request not in carried]
    waiting = list(experiments)
    steps = _in_this_process(requests) if min(jobs, len(requests)) <= 1 else _in_processes(requests, jobs)
    done = 0

    def finished() -> Iterator[Reproduction]:
        for experiment in list(waiting):
            if all(point.request in carried for point in points[experiment.name]):
                waiting.remove(experiment)
                yield _concluded(experiment, extent, points[experiment.name], carried)

    if progress is not None:
        progress(ReproductionProgress(done, len(requests)))
    yield from finished()
    for request, what in steps:
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
    for point in points:
        rows += point.measure(carried[point.request].outcome)
    finished = tuple(experiment.finish(rows))
    return Reproduction(experiment, extent, requests, finished, tuple(experiment.claims(finished)))


def _carry_out(request: Request[Any]) -> Carried:
    """Errors come back as text: they may hold what cannot travel between processes."""
    try:
        return Carried(request.carry_out())
    except SpinachError as error:
        return Carried(failure=f"{request}: {error}", exit_code=error.exit_code)


def _in_this_process(requests: Sequence[Request[Any]]) -> Iterator[tuple[Request[Any], Carried]]:
    for request in requests:
        yield request, _carry_out(request)


def _in_processes(requests: Sequence[Request[Any]], jobs: int) -> Iterator[tuple[Request[Any], Carried]]:
    # Spawned, not forked: a fork copies locks that other threads hold.
    context = multiprocessing.get_context("spawn")
    before = set(multiprocessing.active_children())
    executor = ProcessPoolExecutor(min(jobs, len(requests)), mp_context=context, initializer=_begin_worker)
    try:
        asked: dict[Future[Carried], Request[Any]] = {
            executor.submit(_carry_out, request): request for request in requests
        }
        pending = set(asked)
        while pending:
            finished, pending = wait(pending, return_when=FIRST_COMPLETED)
            for future in finished:
                yield asked[future], future.result()
    except BaseException:
        # Requests in flight are abandoned.
        executor.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - before:
            child.terminate()
        raise
    executor.shutdown()


def _begin_worker() -> None:
    """An interruption is the business of the process that asked; what is asked for ends with that process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore", CacheWarning)  # that process has said it
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
