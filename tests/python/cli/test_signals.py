"""Interrupted, terminated or killed: what was there stays whole, and what came before can be read."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from shutil import which

import pytest
from tests.python.conftest import Started, names

from spinach_nic import _native
from spinach_nic.servers import linux
from spinach_nic.studies.analysis import describe_trace

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are others elsewhere")

ENDLESS = ("--quiet", "--time", "3s")


def partial_of(process: subprocess.Popen[str], file: Path) -> Path:
    """Return the temporary file of the process, once it has some length."""
    partial = file.with_name(f"{file.name}.partial-{process.pid}")
    while not (partial.exists() and partial.stat().st_size > 100_000):
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    return partial


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_leaves_a_whole_document_and_a_whole_capture(
    wires: str, tmp_path: Path, started: Started, number: int, code: int
) -> None:
    out, capture = tmp_path / "out.json", tmp_path / "out.pcapng"
    process = started.spinach("run", wires, *ENDLESS, "--json", str(out), "--pcap-out", str(capture))
    partial = partial_of(process, capture)
    assert not capture.exists()
    process.send_signal(number)
    _, err = process.communicate(timeout=50)
    assert (process.returncode, err.strip()) == (code, "interrupted")
    document = json.loads(out.read_text())
    assert document["complete"] is False
    frames, _, _, is_cut_short = _native.read_capture(capture)
    delivered = sum(document["frames"]["delivered"].values())
    assert 0 <= len(frames) - delivered < 50  # a few are captured that have not reached the counter
    assert not is_cut_short
    assert not partial.exists()
    assert [name for name in names(tmp_path) if "partial" in name] == []


def test_a_killed_run_leaves_a_capture_beside_the_old_one(
    wires: str, tmp_path: Path, started: Started
) -> None:
    out, capture = tmp_path / "out.json", tmp_path / "out.pcapng"
    out.write_text("old document")
    capture.write_text("old capture")
    process = started.spinach("run", wires, *ENDLESS, "--json", str(out), "--pcap-out", str(capture))
    partial = partial_of(process, capture)
    process.kill()
    process.communicate()
    assert (out.read_text(), capture.read_text()) == ("old document", "old capture")
    # A kill in the midst of a write leaves a part of it: the capture is read as far as it goes.
    frames, _, _, _ = _native.read_capture(partial)
    assert len(frames) > 60
    assert names(tmp_path) == ["out.json", "out.pcapng", partial.name, "wires.py"]
    tshark = which("tshark")
    if tshark is not None:
        shown, _ = started(tshark, "-r", str(partial), "-T", "fields", "-e", "frame.number").communicate()
        assert len(shown.split()) == len(frames)


def test_a_killed_run_leaves_traces_that_can_be_studied(tmp_path: Path, started: Started) -> None:
    folder = tmp_path / "traces"
    process = started.spinach("trace", "tengig", "--set", "cores=1", *ENDLESS, "-o", str(folder))
    partial = partial_of(process, folder / "instructions.parquet")
    process.kill()
    process.communicate()
    described = describe_trace(partial)
    assert not described.is_complete
    assert described.instructions >= 4096
    study = started.spinach("study", "issue-limits", str(partial), "--all", "--width", "1")
    out, err = study.communicate()
    assert study.returncode == 0
    assert f"note: {partial} is of a run that did not end" in err
    assert "in order" in out


def test_a_second_signal_ends_at_once(tmp_path: Path, started: Started) -> None:
    # A program that does not care for the first.
    program = (
        "import time\nfrom spinach_nic.support import signals\n"
        "signals.end_in_order()\nsaying = 'ready'\n"
        "while True:\n    try:\n        print(saying, flush=True)\n        time.sleep(60)\n"
        "    except KeyboardInterrupt:\n        saying = 'first'\n"
    )
    process = started(sys.executable, "-c", program)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "first\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, "interrupted\n")


STARTING = """
import os, signal, sys, threading

class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "spinach_nic._native":
            sys.meta_path.remove(self)
            threading.Timer(float(os.environ["DELAY"]), os.kill, [os.getpid(), signal.SIGINT]).start()

sys.meta_path.insert(0, Watch())
"""
"""Interrupts some time after the process begins to load the package: before that it is the interpreter's."""


def test_an_interrupt_while_the_command_starts_leaves_no_traceback(tmp_path: Path, started: Started) -> None:
    (tmp_path / "sitecustomize.py").write_text(STARTING)
    for step in range(10):
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "DELAY": str(0.02 + step * 0.05)}
        process = started.spinach("run", "tengig", *ENDLESS, env=environment)
        _, err = process.communicate(timeout=50)
        assert (process.returncode, err.strip()) == (130, "interrupted")


AT_IMPORT = """
import os, signal, sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["MODULE"]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
"""
"""Interrupts the process when it begins to load a module."""


@pytest.mark.parametrize(
    "module", ["spinach_nic.support.signals", "spinach_nic._native", "click", "spinach_nic.cli.run"]
)
def test_an_interrupt_at_the_first_imports_leaves_no_traceback(
    tmp_path: Path, started: Started, module: str
) -> None:
    (tmp_path / "sitecustomize.py").write_text(AT_IMPORT)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "MODULE": module}
    process = started.spinach("run", "tengig", *ENDLESS, env=environment)
    _, err = process.communicate(timeout=50)
    assert (process.returncode, err.strip()) == (130, "interrupted")


def test_a_signal_ends_the_process_while_a_module_is_half_loaded(started: Started) -> None:
    program = (
        "import signal, sys, types\nfrom spinach_nic.support import signals\n"
        "for name in ('spinach_nic.support.files', 'multiprocessing'):\n"
        "    sys.modules[name] = types.ModuleType(name)\n"
        "signals.end_at_once()\nsignal.raise_signal(signal.SIGTERM)\n"
    )
    process = started(sys.executable, "-c", program)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (143, "interrupted\n")


AFTER_THE_RUN = """
import os, signal

def interrupted(function):
    def with_interrupt(*arguments, **named):
        os.kill(os.getpid(), signal.SIGINT)
        return function(*arguments, **named)
    return with_interrupt

import {module} as module
module.{maker} = interrupted(module.{maker})
from spinach_nic.cli import main
main()
"""
"""The command, interrupted when the run has ended and there is no document yet."""


@pytest.mark.parametrize("command", ["run", "profile"])
def test_an_interrupt_after_the_run_leaves_its_document(
    tmp_path: Path, started: Started, command: str
) -> None:
    out = tmp_path / "out.json"
    words = (command, "tengig", "--frames", "20", "--quiet", "--json", str(out))
    program = AFTER_THE_RUN.format(module="spinach_nic.runs.execution", maker="assemble")
    process = started(sys.executable, "-c", program, *words)
    _, err = process.communicate(timeout=50)
    assert (process.returncode, err.strip()) == (130, "interrupted")
    assert json.loads(out.read_text())


def test_an_interrupt_after_a_server_leaves_its_document(tmp_path: Path, started: Started) -> None:
    if linux.kept() is None:
        pytest.skip("there is no kernel for the server: `make linux` builds it")
    out = tmp_path / "out.json"
    program = AFTER_THE_RUN.format(module="spinach_nic.runs.server_session", maker="BootResult")
    process = started(sys.executable, "-c", program, "boot", "--json", str(out), stdin=subprocess.PIPE)
    _, err = process.communicate("poweroff\n", timeout=50)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "interrupted"
    assert json.loads(out.read_text())["complete"]


def test_a_signal_that_is_ignored_from_the_start_stays_ignored(started: Started) -> None:
    program = (
        "import signal\nfor number in (signal.SIGINT, signal.SIGHUP):\n"
        "    signal.signal(number, signal.SIG_IGN)\n"
        "from spinach_nic.support import signals\nsignals.end_in_order()\n"
        "for number in (signal.SIGINT, signal.SIGHUP):\n    signal.raise_signal(number)\n"
        "print('still here')\n"
    )
    out, _ = started(sys.executable, "-c", program).communicate(timeout=30)
    assert out == "still here\n"


def test_workers_end_with_the_process_that_asked(started: Started) -> None:
    program = (
        "import multiprocessing, time\nfrom spinach_nic.support.parallel import begin_worker\n"
        "if __name__ == '__main__':\n"
        "    context = multiprocessing.get_context('spawn')\n"
        "    from concurrent.futures import ProcessPoolExecutor\n"
        "    pool = ProcessPoolExecutor(1, mp_context=context, initializer=begin_worker)\n"
        "    print(pool.submit(__import__('os').getpid).result(), flush=True)\n"
        "    time.sleep(60)\n"
    )
    process = started(sys.executable, "-c", program)
    assert process.stdout is not None
    worker = int(process.stdout.readline())
    process.kill()
    while _lives(worker):
        time.sleep(0.02)


def _lives(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
