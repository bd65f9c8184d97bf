"""Fixtures shared by several tests."""

import faulthandler
import gc
import inspect
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key
from hypothesis import HealthCheck, settings

from spinach_nic import SpinachError
from spinach_nic.support.location import shown_file

# Tests on random values assert no times: a busy machine is slow.
settings.register_profile("spinach", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("spinach")

IS_LONG = bool(os.environ.get("SPINACH_LONG"))
"""True to run the long form of tests that have one."""
GRACE_S = 20.0
"""Seconds after its timeout in which a test may still end."""


def allowed_s(item: pytest.Item) -> float:
    """Return the timeout of a test in seconds."""
    mark = item.get_closest_marker("timeout")
    asked = item.config.getoption("timeout", None)
    return float(mark.args[0] if mark else asked or item.config.getini("timeout"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Exclude modules and tests from garbage collection: there are too many to visit again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files whose tests may take longest, so that no process is left with one at the end."""
    longest: dict[Path, float] = {}
    for item in items:
        longest[item.path] = max(allowed_s(item), longest.get(item.path, 0.0))
    items.sort(key=lambda item: -longest[item.path])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """End the process of a test that outlives its timeout, as in a native loop that holds the interpreter."""
    stderr = item.config.stash[fault_handler_stderr_fd_key]
    faulthandler.dump_traceback_later(allowed_s(item) + GRACE_S, exit=True, file=stderr)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


@pytest.fixture
def refusal() -> Callable[[Callable[[], object]], str]:
    """Return a function that gives the refusal of an action, as a user reads it.

    `HERE` in it represents the file and the line of the action that ends in `# at fault`, or its first.
    """

    def refusal(action: Callable[[], object]) -> str:
        lines, first = inspect.getsourcelines(action)
        marked = [first + index for index, line in enumerate(lines) if line.rstrip().endswith("# at fault")]
        with pytest.raises(SpinachError) as raised:
            action()
        here = f"{shown_file(inspect.getfile(action))}:{marked[0] if marked else first}: "
        return str(raised.value).replace(here, "HERE: ")

    return refusal


def names(folder: Path) -> list[str]:
    """Return the content of a folder, except Python's compiled modules."""
    return sorted(path.name for path in folder.iterdir() if path.name != "__pycache__")


@contextmanager
def small_disk(folder: Path, size: str = "512k") -> Iterator[Path]:
    """Mount a file system of this size on a folder; skip the test where that is not possible."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("file systems cannot be mounted")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


class Started:
    """Starts processes that do not outlive the test, whatever becomes of it."""

    def __init__(self) -> None:
        """None yet."""
        self._processes: list[subprocess.Popen[str]] = []

    def __call__(self, *command: str, **options: Any) -> subprocess.Popen[str]:
        """Start a command in a separate process group.

        It heeds interrupts and hang-ups, even if this process does not.
        """
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        heeded = ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL))
        old = {number: signal.signal(number, handler) for number, handler in heeded}
        try:
            process = subprocess.Popen(command, start_new_session=True, text=True, **{**pipes, **options})
        finally:
            for number, handler in old.items():
                signal.signal(number, handler)
        self._processes.append(process)
        return process

    def spinach(self, *words: str, **options: Any) -> subprocess.Popen[str]:
        """Start `spinach`."""
        return self(sys.executable, "-m", "spinach_nic", *words, **options)

    def end(self) -> None:
        """End what is left of every group."""
        for process in self._processes:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            with process:
                pass


@pytest.fixture
def started() -> Iterator[Started]:
    """Starts processes; ends them after the test."""
    started = Started()
    try:
        yield started
    finally:
        started.end()
