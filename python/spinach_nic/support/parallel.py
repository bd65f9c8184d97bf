"""Execution of requests in parallel processes. The outcome of each depends on that request alone."""

from __future__ import annotations

import ast
import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections.abc import Hashable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from typing import Any, Protocol, TypeVar

from spinach_nic.support import signals, startup
from spinach_nic.support.cache import CacheWarning
from spinach_nic.support.errors import SpinachError

_SAFE_PATH = "PYTHONSAFEPATH"
CRASHED = 1
"""The exit code of a request that ended its process."""


class Carryable(Hashable, Protocol):
    """Request that can be pickled. Its text is the equivalent command."""

    def carry_out(self) -> Any:
        """Return the outcome, which must be picklable."""


R = TypeVar("R", bound=Carryable)


@dataclass(frozen=True)
class Carried:
    """Outcome of a request: a value, or the error that ended it."""

    outcome: Any = None
    failure: str | None = None
    exit_code: int = 0


def carry_out_all(requests: Sequence[R], jobs: int) -> Iterator[tuple[R, Carried]]:
    """Carry out requests; each is given with its outcome as soon as it is done.

    A request that ends its process, as by running out of memory, has failed; the others continue.

    Args:
        requests: Requests, all different.
        jobs: Number of parallel processes; with one, everything runs in this process.

    Raises:
        SpinachError: Worker processes would run the calling script again.
    """
    if min(jobs, len(requests)) <= 1:
        for request in requests:
            yield request, carry_out(request)
        return
    _check_script()
    rest = list(requests)
    while rest:
        done = set()
        for request, carried in _in_processes(rest, jobs):
            done.add(request)
            yield request, carried
        rest = [request for request in rest if request not in done]
        # A process has ended, and with it all others. One of the next requests did that: each runs alone.
        suspects, rest = rest[: 2 * jobs + 1], rest[2 * jobs + 1 :]
        for suspect in suspects:
            found = dict(_in_processes([suspect], 1))
            yield suspect, found.get(suspect, _crashed(suspect))


def _check_script() -> None:
    """Check that the script of this process has a part for it alone: worker processes import the script."""
    main = sys.modules["__main__"]
    file, spec = getattr(main, "__file__", None), getattr(main, "__spec__", None)
    # Without a file there is nothing to import, and `__main__` of a package is left out.
    if file is None or not os.path.isfile(file) or (spec is not None and spec.name.endswith("__main__")):
        return
    try:
        with open(file, "rb") as source:
            statements = ast.parse(source.read()).body
    except (OSError, SyntaxError, ValueError):
        return
    conditions = (one.test for one in statements if isinstance(one, ast.If))
    names = (node.id for test in conditions for node in ast.walk(test) if isinstance(node, ast.Name))
    if "__name__" not in names:
        raise SpinachError(
            f'{file} runs in every worker process, because it has no `if __name__ == "__main__":`',
            "put that line above what the script does, and indent the rest below it; or leave jobs at 1",
        )


def carry_out(request: Carryable) -> Carried:
    """Carry out one request. Errors come back as text: they may hold objects that cannot be pickled."""
    try:
        return Carried(request.carry_out())
    except SpinachError as error:
        return Carried(failure=f"{request}: {error}", exit_code=error.exit_code)
    except startup.MEMORY_ERRORS as error:
        if not startup.is_lack_of_memory(error):
            raise
        failure = f"{request}: {startup.NO_MEMORY}\nhelp: {startup.MORE_MEMORY}"
        return Carried(failure=failure, exit_code=startup.EXIT_NO_MEMORY)


def _crashed(request: Carryable) -> Carried:
    failure = f"{request}: its process ended without a word, as one that runs out of memory"
    return Carried(failure=failure, exit_code=CRASHED)


def _in_processes(requests: Sequence[R], jobs: int) -> Iterator[tuple[R, Carried]]:
    """Ends early if a process ends unexpectedly."""
    # Spawned, not forked: a fork copies locks that other threads hold.
    context = multiprocessing.get_context("spawn")
    before = set(multiprocessing.active_children())
    with _launching():
        executor = ProcessPoolExecutor(min(jobs, len(requests)), mp_context=context, initializer=begin_worker)
    try:
        with _launching():
            asked: dict[Future[Carried], R] = {
                executor.submit(carry_out, request): request for request in requests
            }
        pending = set(asked)
        while pending:
            finished, pending = wait(pending, return_when=FIRST_COMPLETED)
            for future in finished:
                yield asked[future], future.result()
    except BrokenProcessPool:
        executor.shutdown(wait=False, cancel_futures=True)
        return
    except BaseException:
        # Requests in flight are abandoned.
        executor.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - before:
            child.terminate()
        raise
    executor.shutdown()


@contextmanager
def _launching() -> Iterator[None]:
    """Prepare what new processes inherit.

    They do not import modules from the current folder, as `python -c` does, and interrupts wait until
    `begin_worker`: one that arrives while Python starts would end it with a traceback.
    """
    with _variable(_SAFE_PATH, "1"):
        # Started later, the tracker would unblock interrupts. It removes what a process leaves that ends at
        # once, which needs no warning.
        with _variable("PYTHONWARNINGS", "ignore"):
            resource_tracker.ensure_running()
        with signals.kept_off():
            signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
            try:
                yield
            finally:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT,))


@contextmanager
def _variable(name: str, value: str) -> Iterator[None]:
    """Set a variable of the environment for a while."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def begin_worker() -> None:
    """Leave interrupts to the process that asked, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT,))
    warnings.simplefilter("ignore", CacheWarning)  # that process has said it
    try:
        threading.Thread(target=_end_with_parent, daemon=True).start()
    except RuntimeError:  # there is no memory for a thread: that of the parent sees the end
        os._exit(CRASHED)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
