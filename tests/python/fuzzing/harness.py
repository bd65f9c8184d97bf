"""Feeding readers with changed files, in processes that may die, within bounds of time and memory."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.python.fuzzing.mutation import mutated
from tests.python.fuzzing.readers import READERS

from spinach_nic import DefectError, SpinachError

LONGEST_SECONDS = 10
"""Maximum seconds of processor time for one input: on a busy machine, time passes without it."""
PATIENCE_S = 120
"""Maximum seconds for one input, also if its reader waits."""
LARGEST_MEMORY = 1 << 30
"""Maximum bytes of memory for one input, in addition to those of the process."""


@dataclass(frozen=True)
class Finding:
    """An input that breaks a reader."""

    reader: str
    number: int
    what: str

    def __str__(self) -> str:
        """The number, as `make fuzz FIRST=number COUNT=1` takes it, and what happened."""
        return f"{self.reader} {self.number}: {self.what}"


@dataclass(frozen=True)
class Outcome:
    """Outcome of a reader on its inputs."""

    read: int
    refused: int
    slowest_seconds: float
    findings: list[Finding]


def fuzz(reader: str, first: int, count: int, seconds: float | None = None) -> Outcome:
    """Feed inputs `first` to `first + count - 1`, or as many as there is time for, in another process."""
    read = refused = 0
    slowest = 0.0
    findings: list[Finding] = []
    end, until = first + count, None if seconds is None else time.monotonic() + seconds
    while first < end and (until is None or time.monotonic() < until) and len(findings) < 20:
        left = "" if until is None else str(until - time.monotonic())
        command = [
            sys.executable,
            "-m",
            "tests.python.fuzzing",
            "--worker",
            reader,
            str(first),
            str(end),
            left,
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        report = [json.loads(line) for line in done.stdout.splitlines()]
        findings += [Finding(reader, entry["number"], entry["what"]) for entry in report if "what" in entry]
        last = report[-1] if report else {"number": first, "read": 0, "refused": 0}
        read, refused = read + last["read"], refused + last["refused"]
        if "slowest" in last:
            slowest = max(slowest, last["slowest"])
            break
        # The process died: at the input that it began last.
        why = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        if done.returncode < 0:
            why = [f"{signal.Signals(-done.returncode).name}; {' '.join(why)}"]
        findings.append(Finding(reader, last["number"], f"the process died: {why[0]}"))
        first = last["number"] + 1
    return Outcome(read, refused, slowest, findings)


def work(name: str, first: int, end: int, seconds: float | None) -> None:
    """Read inputs in a separate process and report on standard output, a line before each."""
    reader = READERS[name]
    seeds = reader.seeds()
    _bound_memory()
    counts = {"read": 0, "refused": 0}
    slowest = 0.0
    until = None if seconds is None else time.monotonic() + seconds
    with TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        path = Path(folder) / reader.file
        path.parent.mkdir(exist_ok=True)
        for number in range(first, end):
            if until is not None and time.monotonic() > until:
                break
            path.write_bytes(mutated(seeds, number))
            _report({"number": number} | counts)
            began = time.perf_counter()
            try:
                with limited(LONGEST_SECONDS):
                    reader.read(path)
                counts["read"] += 1
            except DefectError as error:
                _report({"number": number, "what": error.message} | counts)
            except SpinachError:
                counts["refused"] += 1
            except BaseException as error:
                where = traceback.extract_tb(error.__traceback__)[-1]
                what = f"{type(error).__name__}: {error} at {where.filename}:{where.lineno}"
                _report({"number": number, "what": what[:300]} | counts)
            slowest = max(slowest, time.perf_counter() - began)
    _report({"number": end} | counts | {"slowest": slowest})


@contextmanager
def limited(processor_seconds: float) -> Iterator[None]:
    """End the process if the block takes longer, or on a busy machine `PATIENCE_S` seconds of real time."""
    limits = {signal.SIGPROF: signal.ITIMER_PROF, signal.SIGALRM: signal.ITIMER_REAL}
    # A handler in Python would wait for native code to return; the default ends the process.
    for limit in limits:
        signal.signal(limit, signal.SIG_DFL)
    for timer, seconds in zip(limits.values(), (processor_seconds, PATIENCE_S), strict=True):
        signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        for timer in limits.values():
            signal.setitimer(timer, 0)


def _report(entry: Mapping[str, object]) -> None:
    sys.stdout.write(json.dumps(entry) + "\n")
    sys.stdout.flush()


def _bound_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if sys.platform == "linux" else 0
    limit = pages * resource.getpagesize() + LARGEST_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
