"""Execution of requests in parallel processes. The outcome of each depends on that request alone."""

from __future__ import annotations

import ast
import atexit
import multiprocessing
import os
import signal
import sys
import threading
import traceback
import warnings
from collections import deque
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Protocol, TypeVar

from spinach_nic import _native
from spinach_nic.support import signals, startup
from spinach_nic.support.arguments import Within, check_within
from spinach_nic.support.cache import CacheWarning
from spinach_nic.support.errors import SpinachError

_SAFE_PATH = "PYTHONSAFEPATH"
CRASHED = 1
"""The exit code of a request that ended its process."""
_LAUNCH_BYTES = 4 << 20
"""Bytes for a new process in the one that asks: without them, both could break halfway."""


class Carryable(Hashable, Protocol):
    """Request that can be pickled. Its text is the equivalent command."""

    def carry_out(self) -> Any:
        """Return the outcome, which must be picklable."""


R = TypeVar("R", bound=Carryable)
JOBS = Within(1, 1024)
"""Numbers of parallel processes."""


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
        SpinachError: Worker processes would run the calling script again, or their number is invalid.
    """
    check_within("jobs", jobs, JOBS)
    if min(jobs, len(requests)) <= 1:
        for request in requests:
            yield request, carry_out(request)
        return
    _check_script()
    ended = []
    for request, outcome in _in_processes(requests, jobs):
        if isinstance(outcome, Carried):
            yield request, outcome
        else:
            ended.append(request)
    # Alone, each has the memory that it shared before.
    for alone in ended:
        for request, outcome in _in_processes([alone], 1):
            yield request, outcome if isinstance(outcome, Carried) else _ended(request, outcome)


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
        return _ended(request, startup.EXIT_NO_MEMORY)


def _ended(request: Carryable, exit_code: int | None) -> Carried:
    """Return the failure of a request that ended with an exit code and without an outcome."""
    if exit_code == startup.EXIT_NO_MEMORY:
        failure = f"{request}: {startup.NO_MEMORY}\nhelp: {startup.MORE_MEMORY}"
        return Carried(failure=failure, exit_code=startup.EXIT_NO_MEMORY)
    failure = f"{request}: its process ended without a word, as one that runs out of memory"
    return Carried(failure=failure, exit_code=CRASHED)


def _in_processes(requests: Sequence[R], jobs: int) -> Iterator[tuple[R, Carried | int | None]]:
    """Give the outcome of each request, or the exit code of the process that it ended.

    All processes are served by this thread: threads of a pool would show a lack of memory as tracebacks, or
    wait for ever.
    """
    waiting = deque(requests)
    busy: dict[Connection, tuple[BaseProcess, R]] = {}
    terminate = partial(_terminate, busy)
    atexit.register(terminate)

    def ask(connection: Connection, process: BaseProcess) -> None:
        request = waiting.popleft()
        busy[connection] = process, request
        with suppress(ConnectionError):  # a process that has ended gives no answer
            connection.send(request)

    try:
        while waiting or busy:
            while waiting and len(busy) < jobs:
                ask(*_launch())
            for connection in wait([*busy]):
                assert isinstance(connection, Connection)
                process, request = busy.pop(connection)
                outcome = _answer(connection, process)
                if waiting and process.exitcode is None:
                    ask(connection, process)
                else:
                    connection.close()
                    process.join()
                yield request, outcome
    finally:
        # Requests in flight are abandoned.
        terminate()
        atexit.unregister(terminate)


def _terminate(busy: Mapping[Connection, tuple[BaseProcess, object]]) -> None:
    for process, _ in busy.values():
        process.terminate()


def _launch() -> tuple[Connection, BaseProcess]:
    """Start a process that waits for requests."""
    # Spawned, not forked: a fork copies locks that other threads hold.
    context = multiprocessing.get_context("spawn")
    if startup.lacks_memory(_LAUNCH_BYTES):
        raise MemoryError
    ours, its = context.Pipe()
    with its, _launching():
        process = context.Process(target=_work, args=(its,))
        process.start()
    return ours, process


def _answer(connection: Connection, process: BaseProcess) -> Carried | int | None:
    """Return the outcome that a process gives, or its exit code if it ended."""
    try:
        outcome = connection.recv()
    except (EOFError, ConnectionError):
        process.join()
        return process.exitcode
    if isinstance(outcome, BaseException):
        raise outcome
    assert isinstance(outcome, Carried)
    return outcome


def _work(connection: Connection) -> None:
    """Carry out requests in another process. A lack of memory is left to the one that asks."""
    begin_worker()
    try:
        while True:
            connection.send(_outcome(connection.recv()))
    except (EOFError, ConnectionError):
        return
    except startup.MEMORY_ERRORS as error:
        if not startup.is_lack_of_memory(error):
            raise
        os._exit(startup.EXIT_NO_MEMORY)


def _outcome(request: Carryable) -> Carried | BaseException:
    try:
        return carry_out(request)
    except BaseException as error:
        if startup.is_lack_of_memory(error):
            raise
        error.add_note(f"In another process:\n{traceback.format_exc()}")
        return error


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
    _native.explain_shortage("", startup.EXIT_NO_MEMORY)
    threading.excepthook = _end_without_memory
    try:
        threading.Thread(target=_end_with_parent, daemon=True).start()
    except RuntimeError:  # there is no memory for a thread
        os._exit(startup.EXIT_NO_MEMORY)


def _end_without_memory(failed: threading.ExceptHookArgs) -> None:
    if failed.exc_value is not None and startup.is_lack_of_memory(failed.exc_value):
        os._exit(startup.EXIT_NO_MEMORY)
    threading.__excepthook__(failed)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
