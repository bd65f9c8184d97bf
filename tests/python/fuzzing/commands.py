"""Random command lines, and commands that read changed files: no traceback, no hang, no input overwritten.

`python -m tests.python.fuzzing.commands lines|files [FIRST [COUNT]]`
"""

import contextlib
import hashlib
import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from tests.python.fuzzing.harness import limited
from tests.python.fuzzing.mutation import mutated
from tests.python.fuzzing.terminal import at_terminal
from tests.python.runs.systems import MINE

from spinach_nic import cli, run, us
from spinach_nic.cli.files import FileName, FileOption
from spinach_nic.firmware import build
from spinach_nic.runs import SaveRequest

CAPTURE = Path(__file__).parents[3] / "captures" / "web-ping-udp.pcap"
LONGEST_SECONDS = 40
EXIT_CODES = (0, 1, 2, 3)
EXCLUDED = ("cache", "completion", "docs")
"""Commands that touch what is not in the folder of the test."""
AT_TERMINAL = ("watch", "console")
"""Commands that are carried out at a terminal, where keys end them."""
ENDLESS = ("attach", "debug", "reproduce")
"""Commands that wait for a peer, or take hours: they are interrupted."""
INTERRUPTED_AFTER_S = 4.0
INTERRUPTED = 130
"""Exit code of a command that was interrupted."""
NICS = ("mine.py", "mine.py", "tengig", "link.py", "card/card.py", "card/card.py", "ricenic")
"""Values of arguments that are NICs: the card in a folder brings firmware."""
WITH_CONSOLE = ("ricenic",) * 8
USUAL = {
    "--top": "inverter",
    "--send": "help",
    "--expect": ">",
    "--script": "true",
    "--listen": "127.0.0.1:0",
    "--set": "largest_frame=1518",
    "--seed": "7",
    "--traffic": "udp:18",
    "--stall-after": "1ms",
    "--wave": "*",
    "--wave-from": "1us",
    "--trace-lines": "*",
    "--trace-lines-from": "1us",
    "--reset": "reset",
}
"""Values of options that are mostly right."""
EXPERIMENTS = ("thesis-table-4.4", "vliw-table-1", "ricenic-figure-3", "nothing")
RTL = """module inverter(input clk, input a, output logic b);
  always_ff @(posedge clk) b <= !a;
endmodule
"""
ODD = (
    "",
    "-1",
    "0",
    "3",
    "1e99",
    "9" * 30,
    "nan",
    "0x10",
    "1MHz",
    "20us",
    "(1,2)",
    "a" * 300,
    "\x1b[2J",
    "é",
    "..",
    "*",
)
FILES: dict[str, tuple[str, ...]] = {
    "r.toml": ("run -c {}",),
    "r.json": ("compare {} r.json", "run -c {}", "compare r.json {}"),
    "p.json": ("profile --compare {} p.json", "profile --compare p.json {} --json out.json"),
    "s.toml": ("sweep {} --jobs 1 -o out.parquet", "search {} --jobs 1 -o out.parquet"),
    "c.pcap": (
        "run mine.py --frames 5 --traffic pcap:{}",
        "run mine.py --frames 5 --traffic mix:1*pcap:{}+1*udp:18",
    ),
    "saved": ("run mine.py --restore {}",),
    "t.perfetto": ("timeline frames {}",),
    "f.elf": ("run tengig --frames 2 --firmware {} --set cores=1",),
    "traces/instructions.parquet": (
        "study issue-limits {} --width 1",
        "study vliw {} --image f.elf --units 1,1,1",
    ),
    "traces/accesses.parquet": ("study coherence traces --size 1024",),
    "traces/metadata.json": ("study coherence traces --size 1024",),
    "traces/result.json": ("study coherence traces --size 1024", "compare r.json {}"),
    "t.parquet.journal.jsonl": ("sweep s.toml --jobs 1 -o t.parquet",),
    "launch.json": ("debug mine.py --launch-file {} --listen 999.0.0.1:0",),
    "card/firmware/firmware.toml": ("run card/card.py --frames 2", "firmware build card/firmware/card"),
    "card/firmware/main.c": ("run card/card.py --frames 2",),
    "card/card.py": ("run card/card.py --frames 2", "describe card/card.py"),
    "inverter.sv": ("verilate {} --top inverter",),
    "kernel": ("boot rv64 --kernel {} --memory 16MiB --clock 10MHz",),
}
"""Inputs and the commands that read them."""


def make_inputs(folder: Path) -> None:
    """Write a file of every kind that commands read."""
    os.chdir(folder)
    Path("mine.py").write_text(MINE)
    shutil.copy(CAPTURE, "c.pcap")
    Path("inverter.sv").write_text(RTL)
    assert _carry_out(["new", "card"])[0] == 0
    Path("r.toml").write_text(
        "nic = 'mine.py'\n[options]\nframes = 3\ntraffic = ['imix:tx', 'pcap:c.pcap:rx']\n"
    )
    plot = "[[plots]]\nfile = 'p.svg'\nx = 'frames'\ny = 'tx.frames'\n"
    goal = "[search]\nminimise = 'simulated_ns'\nwhere = { 'tx.frames' = '>= 1' }\nevaluations = 3\n"
    Path("s.toml").write_text(f"nic = 'mine.py'\n[options]\nframes = [1, 2]\ntime = '20us'\n{plot}{goal}")
    saved = run("mine.py", frames=20, save_at=SaveRequest(us(2), Path("saved")), timeline="t.perfetto")
    Path("r.json").write_text(saved.to_json())
    shutil.copy(build("tengig/base").path, "f.elf")
    run("tengig", frames=2, set={"cores": 1}, traces="traces")
    for line in (
        "profile tengig --frames 60 --set cores=1 --quiet --json p.json",
        "sweep s.toml --jobs 1 -o t.parquet",
    ):
        assert _carry_out(line.split())[0] == 0, line
    Path("launch.json").write_text(json.dumps({"configurations": [{"name": "mine"}]}))
    head = (0x10500073).to_bytes(8, "little") + bytes(8) + (64).to_bytes(8, "little")
    Path("kernel").write_bytes(head.ljust(0x38, b"\0") + b"RSC\x05" + bytes(64))


def _commands(
    group: click.Command, words: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if not isinstance(group, click.Group):
        yield words, group
        return
    context = click.Context(group)
    for name in group.list_commands(context):
        part = group.get_command(context, name)
        if part is not None and (words or name not in EXCLUDED):
            yield from _commands(part, (*words, name))


def all_commands() -> list[tuple[tuple[str, ...], click.Command]]:
    """Return the commands to try, each with its words."""
    return list(_commands(cli.spinach))


def random_line(
    chance: random.Random, commands: Sequence[tuple[tuple[str, ...], click.Command]]
) -> list[str]:
    """Make a command line: mostly sensible options, with inputs among the outputs."""
    words, command = chance.choice(commands)
    line = [*words]
    often = 0.05 if words[0] in AT_TERMINAL else 0.1 if words[0] in ENDLESS else 0.3
    nics = (*NICS, *WITH_CONSOLE) if words[0] == "console" else NICS
    inputs = [*FILES, "mine.py", "tengig", "nothing", "/dev/null", "."]
    outputs = [*FILES, "mine.py", "out.json", "out.svg", "none/out", "out/", "/dev/null", "-", "link"]

    def value(parameter: click.Parameter) -> str:
        if parameter.name == "sources" and chance.random() < 0.8:
            return "inverter.sv"
        if isinstance(parameter.type, FileName):
            return chance.choice(outputs if parameter.type.is_output else inputs)
        if isinstance(parameter, FileOption) and parameter.files is not None and chance.random() < 0.8:
            name = chance.choice(outputs if parameter.files.is_output else inputs)
            return f"pcap:{name}" if parameter.opts[0] == "--traffic" else name
        if parameter.opts[0] in USUAL and chance.random() < 0.8:
            return USUAL[parameter.opts[0]]
        if words == ("reproduce",) and parameter.name == "names" and chance.random() < 0.8:
            return chance.choice(EXPERIMENTS)
        if isinstance(parameter.type, click.Choice) and chance.random() < 0.8:
            return str(chance.choice(parameter.type.choices))
        return chance.choice(ODD)

    for parameter in command.params:
        is_argument = isinstance(parameter, click.Argument)
        names_file = isinstance(parameter, FileOption) and parameter.files is not None
        is_file = names_file or isinstance(parameter.type, FileName)
        # A value that is refused hides what comes after it.
        if is_argument or parameter.required or chance.random() < (often if is_file else 0.05):
            if parameter.name == "nic" or (is_argument and chance.random() < 0.1):
                given = [chance.choice((*nics, chance.choice(ODD)))]
            elif isinstance(parameter, click.Option) and parameter.is_flag:
                given = []
            elif parameter.opts[0] == "--save-at":
                given = ["2us", value(parameter)]
            else:
                given = [value(parameter) for _ in range(max(parameter.nargs, 1))]
            line += given if is_argument else [parameter.opts[0], *given]
    names = {parameter.opts[0] for parameter in command.params}
    # Nothing takes long.
    bounds = (
        ("--time", "20us"),
        ("--frames", "3"),
        ("--jobs", "1"),
        ("--vary", "largest_frame"),
        ("--memory", "16MiB"),
        ("--clock", "10MHz"),
    )
    if "--wave-out" in line and "--wave" not in line:
        line += ["--wave", "*"]
    if words != ("verilate",):
        line += [word for bound in bounds if bound[0] in names for word in bound]
    return line


def _digests() -> dict[str, str]:
    files = [
        path
        for path in Path().rglob("*")
        if path.is_file() and not path.is_symlink() and "__pycache__" not in path.parts
    ]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def _carry_out(line: Sequence[str]) -> tuple[int, str]:
    said = io.TextIOWrapper(io.BytesIO(), "utf-8", errors="backslashreplace", write_through=True)
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = cli.carry_out(line)
    return code, said.buffer.getvalue().decode(errors="replace")


def _finding(line: Sequence[str]) -> str | None:
    """Carry a command line out; what is wrong with the outcome, if anything."""
    try:
        with limited(LONGEST_SECONDS), interrupted_later(line) as interruption:
            is_at_terminal = bool(line) and line[0] in AT_TERMINAL
            code, said = at_terminal(line) if is_at_terminal else _carry_out(line)
    except BaseException as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {str(error)[:200]} at {where.filename}:{where.lineno}"
    if "Traceback" in said:
        return f"traceback: {said[-300:]}"
    if code not in EXIT_CODES and not (code == INTERRUPTED and (is_at_terminal or interruption.is_set())):
        return f"exit code {code}: {said[-300:]}"
    if code == 2 and not ("error: " in said and "help: " in said):
        return f"no explanation: {said[-300:]}"
    return None


@contextlib.contextmanager
def interrupted_later(line: Sequence[str]) -> Iterator[threading.Event]:
    """Interrupt an endless command, as a user does; yield the event that this has happened."""
    happened, lock, is_over = threading.Event(), threading.Lock(), False

    def interrupt() -> None:
        with lock:
            if not is_over:
                happened.set()
                os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(INTERRUPTED_AFTER_S, interrupt)
    timer.daemon = True
    if line and line[0] in ENDLESS:
        timer.start()
    try:
        yield happened
    finally:
        # The command has ended before this interruption.
        with contextlib.suppress(KeyboardInterrupt), lock:
            is_over = True
        timer.cancel()


def try_lines(numbers: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Carry random command lines out; yield those with findings."""
    commands = all_commands()
    before = _digests()
    for number in numbers:
        line = random_line(random.Random(number), commands)
        _note(number)
        wrong = _finding(line)
        after = _digests()
        lost = [name for name in before if after.get(name) != before[name]]
        # A file that the command line names twice was read too, if anything.
        overwritten = [name for name in lost if sum(word.removeprefix("pcap:") == name for word in line) > 1]
        if wrong is not None or overwritten:
            yield number, f"{wrong or f'overwritten: {overwritten}'}: spinach {' '.join(line)}"
        if lost:
            _restore()


def try_files(numbers: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Carry commands out on changed files; yield those with findings."""
    originals = {name: Path(name).read_bytes() for name in FILES}
    for number in numbers:
        chance = random.Random(number)
        name = chance.choice([*FILES])
        file = Path(name)
        file.write_bytes(mutated([originals[name]], number))
        line = [word.format(name) for word in chance.choice(FILES[name]).split()]
        _note(number)
        if (wrong := _finding(line)) is not None:
            yield number, f"{wrong}: spinach {' '.join(line)}"
        _restore()


def _restore() -> None:
    for path in Path().iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    shutil.copytree(Path("..") / "kept", ".", symlinks=True, dirs_exist_ok=True)


def _note(number: int) -> None:
    print(json.dumps({"number": number}), flush=True)


def work(what: str, first: int, end: int) -> None:
    """In a separate process: try numbers and report on standard output, a line before each."""
    # A process in the background of a script ignores interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as place:
        folder = Path(place) / "now"
        folder.mkdir()
        make_inputs(folder)
        Path("link").symlink_to("r.json")
        Path("link.py").symlink_to("mine.py")
        shutil.copytree(".", Path("..") / "kept", symlinks=True)
        tried = try_lines(range(first, end)) if what == "lines" else try_files(range(first, end))
        for number, wrong in tried:
            print(json.dumps({"number": number, "what": wrong}), flush=True)
        os.chdir("/")


def main(words: list[str]) -> int:
    """Carry out the command; 1 if there was a finding."""
    if words[:1] == ["--worker"]:
        work(words[1], int(words[2]), int(words[3]))
        return 0
    what, first, count = words[0], int((words[1:2] or ["1"])[0]), int((words[2:3] or ["100"])[0])
    found, end = 0, first + count
    while first < end:
        command = [
            sys.executable,
            "-m",
            "tests.python.fuzzing.commands",
            "--worker",
            what,
            str(first),
            str(end),
        ]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        report = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"number"')]
        findings = [entry for entry in report if "what" in entry]
        last = report[-1]["number"] if report else first
        if done.returncode != 0:
            why = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
            findings.append({"number": last, "what": f"the process died: {done.returncode} {why[0]}"})
            first = last + 1
        else:
            first = end
        for entry in findings:
            print(f"{what} {entry['number']}: {entry['what']}", flush=True)
        found += len(findings)
    print(f"{count} {what}: {found} findings", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
