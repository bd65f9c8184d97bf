"""A run under interactive observation."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from threading import Event, Lock, Thread

from spinach_nic.runs import Finished, Progress


class WatchedRun:
    """A run in a separate thread, which can be paused and ended, and reports its progress."""

    def __init__(self, carry_out: Callable[[Callable[[Progress], None]], Finished]) -> None:
        """Watch a run of `carry_out`, which calls the given function now and then."""
        self._carry_out = carry_out
        # The thread knows the outputs of the command, which no input may be.
        self._thread = Thread(target=copy_context().run, args=(self._run,), daemon=True)
        self._goes_on, self._ends, self._lock = Event(), Event(), Lock()
        self._is_reported = Event()
        self._goes_on.set()
        self._pair: tuple[Progress, Progress] | None = None
        self._start: Progress | None = None
        self._finished: Finished | None = None
        self._failure: BaseException | None = None

    def start(self) -> None:
        """Begin the run."""
        self._thread.start()

    def has_begun(self) -> bool:
        """Wait for the first report; False if the run was refused or has failed before."""
        self._is_reported.wait()
        return self._pair is not None

    @property
    def is_over(self) -> bool:
        """Return true if the run has ended, or could not begin."""
        return self._finished is not None or self._failure is not None

    @property
    def is_paused(self) -> bool:
        """Return true if simulated time is paused."""
        return not self._goes_on.is_set()

    def pause(self) -> None:
        """Pause or resume simulated time."""
        if self.is_paused:
            self._goes_on.set()
        else:
            self._goes_on.clear()

    def end(self) -> None:
        """End the run with its results until then."""
        self._ends.set()
        self._goes_on.set()

    def latest(self) -> tuple[Progress, Progress] | None:
        """Return the last two moments that were reported; of a run that is over, the first and the last."""
        with self._lock:
            if self.is_over and self._start is not None and self._pair is not None:
                return self._start, self._pair[1]
            return self._pair

    def finish(self) -> Finished:
        """Return the run, once it has ended.

        Raises:
            SpinachError: It could not begin.
        """
        self._thread.join()
        if self._failure is not None:
            raise self._failure
        assert self._finished is not None
        return self._finished

    def _run(self) -> None:
        try:
            self._finished = self._carry_out(self._report)
        except BaseException as error:
            self._failure = error
        finally:
            self._is_reported.set()

    def _report(self, progress: Progress) -> None:
        with self._lock:
            self._start = self._start or progress
            before = self._pair[1] if self._pair is not None else self._start
            if progress.simulated > before.simulated or self._pair is None:
                self._pair = (before, progress)
        self._is_reported.set()
        self._goes_on.wait()
        if self._ends.is_set():
            raise KeyboardInterrupt
