"""Commands among pipes, terminals that go away, full disks and few resources: no traceback, no hang."""

import json
import os
import pty
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from tests.python.conftest import Started, names
from tests.python.fuzzing.terminal import at_terminal, read_until
from tests.python.runs.systems import MINE

from spinach_nic import SpinachError, cli, profile, run
from spinach_nic.runs.checkpoints import MAGIC
from spinach_nic.studies.sweeping import Description, Sweep
from spinach_nic.support import parallel
from spinach_nic.support.files import temporary_folder

LONG = "n" * 300
HUGE = "h" * 100_000


@pytest.fixture
def wires(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "wires.py"
    file.write_text(MINE)
    return file


def spinach(*words: str, **options: object) -> subprocess.CompletedProcess[str]:
    """Carry out a command; modules of the tests can be imported."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    command = [sys.executable, "-m", "spinach_nic", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=55, env=environment, **options)  # type: ignore[call-overload, no-any-return]


def explained(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 2, done.stderr[-300:]
    assert [line.partition(": ")[0] for line in done.stderr.splitlines()[-2:]] == ["error", "help"]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "option", ["--pcap-out", "--json", "--timeline", "--wave-out", "--restore", "--replay", "-c"]
)
def test_the_first_signal_ends_the_wait_for_a_pipe(wires: Path, started: Started, option: str) -> None:
    pipe = wires.with_name("pipe")
    os.mkfifo(pipe)
    waves = ("--wave", "*") if option == "--wave-out" else ()
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    process = started.spinach(
        "run", str(wires), "--frames", "5", "--quiet", option, str(pipe), *waves, env=environment
    )
    until = time.monotonic() + 30
    while (
        "wait_for_partner" not in (state := Path(f"/proc/{process.pid}/wchan").read_text()) and state != "0"
    ):
        assert time.monotonic() < until, state
        time.sleep(0.05)
    time.sleep(3.0 if state == "0" else 0.2)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert (process.returncode, err.strip()) == (130, "interrupted")


def test_a_pipe_takes_what_a_file_takes(wires: Path, started: Started) -> None:
    pipe = wires.with_name("pipe")
    os.mkfifo(pipe)
    reader = started("cat", str(pipe))
    run(wires, frames=5, pcap_out=pipe)
    run(wires, frames=5, pcap_out=wires.with_name("file"))
    assert reader.stdout is not None
    reader.wait(timeout=20)
    assert reader.returncode == 0


def test_a_checkpoint_may_come_through_a_pipe(wires: Path, started: Started) -> None:
    from spinach_nic import us
    from spinach_nic.runs import SaveRequest

    saved, pipe = wires.with_name("saved"), wires.with_name("pipe")
    whole = run(wires, frames=20, save_at=SaveRequest(us(2), saved))
    os.mkfifo(pipe)
    started("sh", "-c", f"cat {saved} > {pipe}")
    assert run(wires, restore=pipe).simulated_ns == whole.simulated_ns


ESCAPE = "\x1b]0;owned\x07"


def test_no_document_commands_the_terminal(wires: Path) -> None:
    result = json.loads(run(wires, frames=5).to_json())
    for name, nic in (("a.json", ESCAPE), ("b.json", "plain\x1b[2J\u202e")):
        wires.with_name(name).write_text(json.dumps({**result, "nic": nic}))
    profiled = json.loads(profile("tengig", frames=20).to_json())
    for name, function in (("p.json", ESCAPE), ("q.json", "plain")):
        profiled["functions"][0]["function"] = function
        wires.with_name(name).write_text(json.dumps(profiled))
    wires.with_name(f"c{ESCAPE}.pcap").write_bytes(b"none")
    for words in (
        ("compare", "a.json", "b.json"),
        ("profile", "--compare", "p.json", "q.json"),
        ("run", "wires.py", "--traffic", f"pcap:c{ESCAPE}.pcap"),
        ("run", f"n{ESCAPE}.py"),
        ("describe", "tengig", f"x{ESCAPE}"),
    ):
        done = spinach(*words)
        assert "\x1b" not in done.stdout + done.stderr, words
        assert "\u202e" not in done.stdout
        assert "\\x1b" in done.stdout + done.stderr, words
    reader, writer = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "spinach_nic", "compare", "a.json", "b.json"], stdout=writer, stderr=writer
    )
    os.close(writer)
    shown = b""
    try:
        while piece := os.read(reader, 4096):
            shown += piece
    except OSError:  # the other end is closed
        pass
    process.wait(timeout=20)
    os.close(reader)
    assert b"\x1b]" not in shown
    assert b"\x1b[2J" not in shown
    assert b"\\x1b]0;owned\\x07" in shown


TOML = {
    "nic": f"nic = '{LONG}.py'",
    "firmware": f"nic = 'tengig'\n[options]\nfirmware = '{LONG}'\nframes = 1",
    "restore": f"nic = 'wires.py'\n[options]\nrestore = '{LONG}'\nframes = 1",
    "traffic": f"nic = 'wires.py'\n[options]\ntraffic = 'pcap:{LONG}'\nframes = 1",
}


@pytest.mark.parametrize("which", TOML)
def test_a_sweep_takes_names_that_no_file_can_have(wires: Path, which: str) -> None:
    wires.with_name("s.toml").write_text(TOML[which])
    done = spinach("sweep", "s.toml", "--jobs", "1")
    assert done.returncode in (0, 2)
    assert "Traceback" not in done.stderr
    assert "failed" in done.stdout or done.returncode == 2


@pytest.mark.parametrize(
    "words",
    [
        ("debug", "tengig", "--launch-file", LONG),
        ("debug", "tengig", "--launch-file", f"{LONG}/launch.json"),
        ("boot", "rv64", "--kernel", LONG),
        ("boot", "rv64", "--root", LONG),
        ("boot", "rv64", "--exec", LONG),
        ("boot", "rv64", "--nodes", "2", "--card", "tengig", "--driver", LONG),
        ("verilate", f"{LONG}.sv", "--top", "x"),
        ("trace", "tengig", "--frames", "5", "-o", LONG),
        ("new", LONG),
        ("run", HUGE),
        ("run", "-c", HUGE),
        ("run", "tengig", "--firmware", HUGE),
        ("run", "tengig", "--traffic", f"pcap:{HUGE}"),
        ("compare", HUGE, HUGE),
        ("describe", "tengig", HUGE),
    ],
    ids=lambda words: f"{words[0]} {words[1][:10]} {words[-1][0]}",
)
def test_an_error_is_short_whatever_the_name(wires: Path, words: Sequence[str]) -> None:
    done = spinach(*words)
    explained(done)
    assert len(done.stderr) < 10_000


def test_integers_of_any_length_in_a_result(wires: Path) -> None:
    document = json.loads(run(wires, frames=5).to_json())
    wires.with_name("a.json").write_text(json.dumps(document))
    huge = json.dumps(document).replace('"in_flight": {"tx": 0', '"in_flight": {"tx": 1' + "0" * 400)
    huge = huge.replace('"seed": 1,', '"seed": 1' + "0" * 400 + ",", 1)
    wires.with_name("b.json").write_text(huge)
    name, value = next(
        (name, value) for name, value in document["config"].items() if type(value) is int and value > 0
    )
    config = {**document["config"], name: 10**400}
    wires.with_name("c.json").write_text(json.dumps({**document, "config": config}))
    wires.with_name("d.json").write_text(json.dumps({**document, "config": config, "seed": value}))
    for first, second in (("a", "b"), ("a", "c"), ("c", "d")):
        done = spinach("compare", f"{first}.json", f"{second}.json")
        assert done.returncode in (0, 2), done.stderr[-300:]
        assert "Traceback" not in done.stderr


def test_a_journal_with_bytes_that_are_no_text_is_read(wires: Path) -> None:
    wires.with_name("t.parquet.journal.jsonl").write_bytes(b'{"key": "\xff", "request": ""}\n\xfe\xff\n{}\n')
    sweep = Sweep(Description(nic=str(wires), options={"frames": [1, 2]}), Path("t.parquet"))
    sweep.run()
    assert [row["status"] for row in sweep.write().rows] == ["complete", "complete"]


@pytest.mark.parametrize("value", [2**63, 2**64, 10**30, -(2**63) - 1])
def test_integers_beyond_64_bits_cost_no_table(wires: Path, value: int) -> None:
    sweep = Sweep(
        Description(nic=str(wires), options={"frames": 1}, parameters={"damaged": [1514, value]}),
        Path("t.parquet"),
    )
    sweep.run()
    written = sweep.write()
    # The module takes numbers of 64 bits without a sign.
    second = "complete" if 0 <= value < 2**64 else "failed"
    assert [row["status"] for row in written.rows] == ["complete", second]
    import pyarrow.parquet as pq

    assert pq.read_table("t.parquet")["damaged"].to_pylist() == ["1514", str(value)]


@pytest.mark.parametrize(
    "text", ["seed = 9223372036854775808", "seed = -1", "[options]\nseed = 9223372036854775808"]
)
def test_seeds_beyond_their_bounds_are_refused_before_anything_runs(wires: Path, text: str) -> None:
    wires.with_name("s.toml").write_text(f"nic = 'wires.py'\n{text}\n")
    explained(spinach("sweep", "s.toml", "--jobs", "1"))
    assert not wires.with_name("s.parquet").exists()


@pytest.mark.parametrize("file", ["../../x.svg", "/tmp/x.svg", "a/../../x.svg"])
def test_a_plot_stays_in_the_folder_of_the_table(wires: Path, file: str) -> None:
    plot = f"[[plots]]\nfile = '{file}'\nx = 'frames'\ny = 'tx.frames'\n"
    wires.with_name("s.toml").write_text(f"nic = 'wires.py'\n[options]\nframes = [1, 2]\n{plot}")
    done = spinach("sweep", "s.toml", "--jobs", "1")
    explained(done)
    assert "would be outside the folder" in done.stderr


@pytest.mark.parametrize("end", ["1" + "0" * 400, "inf", "nan", "'1" + "0" * 400 + "MHz'"])
def test_a_range_has_finite_ends(wires: Path, end: str) -> None:
    axis = f"gap = {{ from = 1, to = {end}, count = 2 }}"
    wires.with_name("s.toml").write_text(f"nic = 'wires.py'\n[parameters]\n{axis}\n")
    explained(spinach("sweep", "s.toml", "--jobs", "1"))


def test_a_condition_has_a_finite_bound(wires: Path) -> None:
    goal = "[search]\nwhere = { 'tx.wire_gbps' = '>= 1e999' }\n"
    wires.with_name("s.toml").write_text(f"nic = 'wires.py'\n[options]\nframes = [1, 2]\n{goal}")
    explained(spinach("search", "s.toml", "--jobs", "1"))


def test_two_profiles_are_compared_into_a_file(wires: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["profile", "tengig", "--frames", "60", "--set", "cores=2", "--quiet", "--json"]
    assert cli.carry_out([*words, "a.json"]) == 0
    assert cli.carry_out(["profile", "--compare", "a.json", "a.json", "--json", "c.json"]) == 0
    assert json.loads(wires.with_name("c.json").read_text())["total"]["function"] == "all"
    assert cli.carry_out(["profile", "--compare", "a.json", "a.json", "--json", "a.json"]) == 2
    assert cli.carry_out(["profile", "--compare", "a.json", "a.json", "--frames", "3"]) == 2
    assert "--frames has no effect" in capsys.readouterr().err


def test_a_folder_among_the_sources_is_refused(wires: Path) -> None:
    assert cli.carry_out(["new", "own"]) == 0
    file = wires.with_name("own") / "firmware" / "firmware.toml"
    file.write_text(file.read_text().replace('sources = ["main.c"', 'sources = ["."'))
    explained(spinach("run", "own/own.py", "--frames", "1"))


@pytest.mark.parametrize(
    ("resource", "limit"), [("RLIMIT_NOFILE", 16), ("RLIMIT_NOFILE", 10), ("RLIMIT_AS", 400 << 20)]
)
def test_few_files_and_little_memory_are_explained(wires: Path, resource: str, limit: int) -> None:
    done = limited(resource, limit, "run", "tengig", "--frames", "20", "--json", "out.json")
    assert "Traceback" not in done.stderr, done.stderr[-600:]
    assert done.returncode in (0, 2)


def limited(resource: str, limit: int, *words: str) -> subprocess.CompletedProcess[str]:
    program = (
        "import resource, sys\n"
        f"resource.setrlimit(resource.{resource}, ({limit}, {limit}))\n"
        "sys.argv = ['spinach', *sys.argv[1:]]\nfrom spinach_nic.cli import main\nmain()\n"
    )
    command = [sys.executable, "-c", program, *words]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=55)


def with_memory(mebibytes: int, *words: str) -> subprocess.CompletedProcess[str]:
    """Carry out a command that the system grants little memory from its start."""
    command = [sys.executable, "-m", "spinach_nic", *words]
    limit = ["sh", "-c", f'ulimit -v {mebibytes << 10}; exec "$@"', "sh"]
    return subprocess.run(
        [*limit, *command], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=55
    )


@pytest.mark.parametrize("mebibytes", [24, 40, 50, 70])
@pytest.mark.parametrize("command", ["run", "compare", "sweep"])
def test_a_lack_of_memory_is_explained(wires: Path, command: str, mebibytes: int) -> None:
    """Modules, threads and libraries are what fails, and allocations of native code."""
    lines = {
        "run": ("run", "tengig", "--frames", "20", "--json", "out.json"),
        "compare": ("compare", "a.json", "b.json"),
        "sweep": ("sweep", "s.toml", "--jobs", "2", "--quiet"),
    }
    wires.with_name("s.toml").write_text("nic = 'tengig'\n[options]\nframes = [20, 21]\n")
    for name in ("a.json", "b.json"):
        wires.with_name(name).write_text(run(wires, frames=5).to_json())
    done = with_memory(mebibytes, *lines[command])
    assert "Traceback" not in done.stderr
    if (command, done.returncode) != ("compare", 0):  # which needs little
        explained(done)
        assert "memory" in done.stderr
        assert done.stderr.count("\n") == 2
    assert not wires.with_name("out.json").exists()


@pytest.mark.parametrize("mebibytes", [160, 290, 440])
def test_a_table_without_memory_keeps_the_points(wires: Path, mebibytes: int) -> None:
    wires.with_name("s.toml").write_text("nic = 'tengig'\n[options]\nframes = [2, 3]\ntime = '5us'\n")
    done = with_memory(mebibytes, "sweep", "s.toml", "--jobs", "2", "-o", "t.parquet", "--quiet")
    explained(done)
    assert done.stderr.startswith(
        "error: the table t.parquet needs 512 MiB of memory, which the system refuses"
    )
    entries = wires.with_name("t.parquet.journal.jsonl").read_text().splitlines()
    assert len(entries) == 2
    assert not any("failure" in json.loads(entry) for entry in entries)


def test_a_thread_without_memory_ends_the_command() -> None:
    program = (
        "import threading\nfrom spinach_nic import cli\n"
        "def fail(): raise MemoryError\n"
        "def wait(*words):\n"
        "    threading.Thread(target=fail).start()\n"
        "    threading.Event().wait()\n"
        "cli.carry_out = wait\ncli.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=20)
    explained(done)
    assert done.stderr.startswith("error: there is not enough memory for this\n")


def test_a_request_without_memory_has_failed_alone() -> None:
    class Greedy:
        def carry_out(self) -> None:
            raise MemoryError

        def __str__(self) -> str:
            return "spinach run x"

    carried = parallel.carry_out(Greedy())
    assert (carried.outcome, carried.exit_code) == (None, 2)
    assert (carried.failure or "").startswith("spinach run x: there is not enough memory for this\nhelp: ")


@pytest.mark.parametrize(
    ("line", "needed"),
    [
        ("run ricenic --frames 5", "Ricenic needs 259 MiB of memory"),
        ("boot rv64 --kernel kernel", "the server needs 128 MiB of memory"),
        ("boot rv64 --kernel kernel --nodes 2 --memory 96MiB", "the pair of servers needs 192 MiB of memory"),
    ],
)
def test_memory_that_the_system_refuses_is_no_defect(wires: Path, line: str, needed: str) -> None:
    head = (0x10500073).to_bytes(8, "little") + bytes(8) + (64).to_bytes(8, "little")
    Path("kernel").write_bytes(head.ljust(0x38, b"\0") + b"RSC\x05" + bytes(64))
    done = limited("RLIMIT_AS", 200 << 20, *line.split())
    explained(done)
    assert f"error: {needed}, which the system refuses" in done.stderr


def test_arrow_is_refused_without_the_memory_that_it_needs_to_load(wires: Path) -> None:
    Path("result.json").write_text(run(wires, frames=5).to_json())
    program = "import spinach_nic; spinach_nic.Result.read('result.json').__arrow_c_stream__()"
    limit = ["sh", "-c", 'ulimit -v 400000; exec "$@"', "sh"]
    command = [*limit, sys.executable, "-c", program]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=55)
    assert (
        "SpinachError: the Arrow interface needs 512 MiB of memory, which the system refuses" in done.stderr
    )


def test_a_checkpoint_whose_digest_is_right_and_whose_frames_are_not(wires: Path) -> None:
    import hashlib
    import zlib

    import msgspec

    from spinach_nic import us
    from spinach_nic.runs import SaveRequest

    saved = wires.with_name("saved")
    run(wires, frames=20, save_at=SaveRequest(us(2), saved))
    plain = msgspec.msgpack.decode(zlib.decompress(saved.read_bytes()[len(MAGIC) + 32 :]))
    for frames in (b"\xff\xff\xff\xff", b"\0\0\0", b"\0\0\0\1", b"\0\0\0\4abcd", b"\0" * 100):
        for plan in plain["plans"].values():
            plan["frames"] = frames
            plan["traffic"] = ""
        packed = zlib.compress(msgspec.msgpack.encode(plain))
        saved.write_bytes(MAGIC + hashlib.sha256(packed).digest() + packed)
        with pytest.raises(SpinachError):
            run(wires, restore=saved)


def test_watch_ends_with_its_terminal(started: Started) -> None:
    reader, writer = pty.openpty()
    termios.tcsetwinsize(writer, (50, 120))
    words = (sys.executable, "-m", "spinach_nic", "watch", "tengig", "--time", "100s")
    process = subprocess.Popen(words, stdin=writer, stdout=writer, stderr=writer, start_new_session=True)
    os.close(writer)
    try:
        read_until(reader, b"memories")
        os.close(reader)  # without a SIGHUP: the terminal does not control the process
        assert process.wait(timeout=20) == 130
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_watch_with_the_results_until_then(
    started: Started, tmp_path: Path, number: signal.Signals
) -> None:
    reader, writer = pty.openpty()
    termios.tcsetwinsize(writer, (50, 120))
    file = tmp_path / "watched.json"
    words = (sys.executable, "-m", "spinach_nic", "watch", "tengig", "--time", "100s", "--json", str(file))
    process = started(*words, stdin=writer, stdout=writer, stderr=writer)
    os.close(writer)
    try:
        # By then, frames have left.
        read_until(reader, rb"[1-9]\d\d\.\d us simulated")
        process.send_signal(number)
        with suppress(OSError):  # the terminal goes away with the process
            while os.read(reader, 1 << 16):
                pass
        assert process.wait(timeout=20) == 128 + number
    finally:
        process.kill()
        process.wait()
        os.close(reader)
    assert json.loads(file.read_text())["frames"]["delivered"]["tx"] > 0


def test_watch_ignores_keys_that_are_no_text(wires: Path) -> None:
    # A key that ends a run which is not over gives another exit code.
    keys: list[bytes | tuple[bytes, bytes]]
    keys = [b"\xff", b"\xc3", (b"over; rates are those of the whole run", b"q")]
    code, said = at_terminal(["watch", wires.name, "--frames", "5"], keys=keys, size=(50, 120))
    assert code == 0
    assert "Traceback" not in said
    assert "frames delivered" in said


def test_watch_has_no_commands_of_another_program(wires: Path) -> None:
    # Control and P opens the command palette of Textual, which fails at the arrow key.
    keys = [b" ", b"\x10", b"\x1b[A", b"\x1b[6~", b"\x1b[A", b"q"]
    code, said = at_terminal(["watch", str(wires), "--time", "100s"], keys=keys)
    assert code in (0, 130)
    assert "palette" not in said
    assert "Traceback" not in said


def test_watch_without_a_terminal_is_refused(wires: Path) -> None:
    done = spinach("watch", str(wires), "--frames", "5", stdin=subprocess.DEVNULL)
    explained(done)
    assert "needs a terminal" in done.stderr


@pytest.mark.parametrize("option", ["--timeline", "--pcap-out"])
def test_a_signal_ends_the_wait_of_a_server_for_a_pipe(tmp_path: Path, started: Started, option: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    process = started.spinach("boot", "rv64", "--nodes", "2", option, str(pipe), stdin=-1)
    time.sleep(3)  # it waits for the reader of the pipe by then, or the signal comes earlier
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=20)
    assert (process.returncode, "Traceback" in err) == (128 + signal.SIGTERM, False)


def test_folders_of_killed_processes_are_removed_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    program = (
        "import os, signal, tempfile\nfrom spinach_nic.support.files import temporary_folder\n"
        f"tempfile.tempdir = {str(tmp_path)!r}\n"
        "with temporary_folder() as folder:\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    (tmp_path / "spinach-mine").mkdir()  # no lock in it: another program's
    subprocess.run([sys.executable, "-c", program], check=False)
    assert len(names(tmp_path)) == 2
    with temporary_folder() as first, temporary_folder() as second:
        assert names(tmp_path) == sorted(["spinach-mine", first.name, second.name])
    assert names(tmp_path) == ["spinach-mine"]


@pytest.mark.parametrize("after_s", [0, 0.3, 0.6, 0.9])
def test_an_interrupt_while_workers_start_leaves_no_traceback(
    wires: Path, started: Started, after_s: float
) -> None:
    wires.with_name("s.toml").write_text("nic = 'tengig'\n[options]\nframes = [400, 401, 402, 403]\n")
    process = started.spinach("sweep", "s.toml", "--jobs", "4")
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while not children.read_text():
        time.sleep(0.01)
    time.sleep(after_s)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=40)
    assert "Traceback" not in err
    assert "Fatal" not in err
    assert "KeyboardInterrupt" not in err
    assert process.returncode in (0, 130)


def test_listening_beyond_this_machine_warns(started: Started) -> None:
    process = started.spinach("debug", "tengig", "--listen", "0.0.0.0:0")
    assert process.stderr is not None
    assert "note: every machine can control this run" in process.stderr.readline()


@pytest.mark.parametrize(
    "line",
    [
        "debug nothing --listen 0.0.0.0:0",
        "debug tengig --listen 256.0.0.1:0",
        "attach tengig --vfio-user none/socket",
        "attach tengig --vfio-user socket --timeline none/timeline",
        "attach tengig --simbricks-pcie socket",
        "attach tengig --simbricks-pcie listen:none/socket",
    ],
)
def test_a_refused_run_announces_nothing(wires: Path, capfd: pytest.CaptureFixture[str], line: str) -> None:
    assert cli.carry_out(line.split()) == 2
    assert [said.partition(": ")[0] for said in capfd.readouterr().err.splitlines()] == ["error", "help"]


HUGE_NAMES = {
    "parameter": f"nic = 'tengig'\n[options]\nframes = 1\n[parameters]\n{HUGE} = [1, 2]",
    "nic": f"nic = '{HUGE}'\n[options]\nframes = [1, 2]",
    "firmware": f"nic = 'tengig'\n[options]\nfirmware = '{HUGE}'\nframes = [1, 2]",
    "option": f"nic = 'tengig'\n[options]\n{HUGE} = [1, 2]",
    "plot": f"nic = 'tengig'\n[options]\nframes = 1\n[[plots]]\nfile = 'p.svg'\nx = '{HUGE}'\ny = 'seed'",
}


@pytest.mark.parametrize("which", [*HUGE_NAMES, "check"])
def test_huge_names_are_cut_in_errors(wires: Path, capfd: pytest.CaptureFixture[str], which: str) -> None:
    wires.with_name("s.toml").write_text(HUGE_NAMES.get(which, ""))
    cli.carry_out(["check", HUGE] if which == "check" else ["sweep", "s.toml", "--jobs", "1"])
    printed, said = capfd.readouterr()
    assert "hhh ... hhh" in said
    assert len(printed + said) < 12_000
