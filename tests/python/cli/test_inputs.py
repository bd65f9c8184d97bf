"""No command writes over a file that it reads, directly or indirectly; every reader has a limit."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from tests.python.runs.systems import MINE

from spinach_nic import SpinachError, cli, run
from spinach_nic.blocks import Verilated
from spinach_nic.cli.files import FileName, FileOption
from spinach_nic.model.simulation import simulate
from spinach_nic.runs import RunOptions, execute
from spinach_nic.runs.tui import WatchedRun
from spinach_nic.support.files import command_outputs
from spinach_nic.support.options import options_of

CAPTURE = Path(__file__).parents[3] / "captures" / "web-ping-udp.pcap"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file of every kind that commands read."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "helper", raising=False)
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "helper.py").write_text("GAP = 1\n")
    (tmp_path / "helped.py").write_text(MINE + "\nimport helper\n")
    monkeypatch.delitem(sys.modules, "parts.more", raising=False)
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "more.py").write_text("GAP = 1\n")
    (tmp_path / "packaged.py").write_text(MINE + "\nimport parts.more\n")
    shutil.copy(CAPTURE, tmp_path / "c.pcap")
    (tmp_path / "r.toml").write_text("nic = 'mine.py'\n[options]\nframes = 1\ntraffic = 'pcap:c.pcap'\n")
    (tmp_path / "s.toml").write_text("nic = 'mine.py'\n[options]\nframes = [1, 2]\ntraffic = 'pcap:c.pcap'\n")
    result = run("mine.py", frames=1)
    (tmp_path / "r.json").write_text(result.to_json())
    assert cli.carry_out(["new", "own"]) == 0
    (tmp_path / "own" / "firmware" / "body.inc").write_text("")
    main = tmp_path / "own" / "firmware" / "main.c"
    main.write_text(f'#include "body.inc"\n{main.read_text()}')
    shutil.copytree("own/firmware", "own/copy")
    (tmp_path / "own" / "link").symlink_to("firmware")
    (tmp_path / "p.txt").write_text("10.0.0.0/8\n")
    firewall = "nic = 'rosebud'\n[options]\nfirmware = 'firewall'\n[parameters]\nprefixes = 'p.txt'\n"
    (tmp_path / "p.toml").write_text(firewall)
    (tmp_path / "j.parquet.journal.jsonl").write_bytes(b"firmware")
    (tmp_path / "j.toml").write_text("nic = 'tengig'\n[options]\nfirmware = 'j.parquet.journal.jsonl'\n")
    (tmp_path / "traces").mkdir()
    shutil.copy("r.json", "traces/result.json")
    (tmp_path / "k").write_bytes(b"kernel")
    (tmp_path / "f").write_bytes(b"files")
    return tmp_path


NIC_FILE = "own/own.py"
REFUSED = [
    "describe mine.py --json mine.py",
    "describe helped.py --json helper.py",
    "describe packaged.py --json parts/more.py",
    "run packaged.py --json parts/more.py --time 1000s",
    f"run {NIC_FILE} --json own/firmware/body.inc --time 1000s",
    "sweep p.toml -o p.txt",
    "sweep j.toml",
    "trace -c traces/result.json -o traces",
    "graph mine.py -o mine.py",
    "explain mine.py --json mine.py --frames 1",
    "explain mine.py --traffic pcap:c.pcap --json c.pcap",
    "explain mine.py --traffic pcap:c.pcap --report c.pcap",
    "explain tengig --firmware k --report k",
    "boot rv64 --kernel k --save k",
    "boot rv64 --kernel k --profile k",
    "boot rv64 --kernel k --timeline k",
    "boot rv64 --kernel k --files f --save f",
    "boot rv64 --restore k --save k",
    "run -c r.toml --json r.toml",
    "run -c r.json --json r.json",
    "run -c r.toml --json c.pcap",
    "run -c r.toml --report mine.py",
    "run mine.py --json mine.py --time 1000s",
    "run helped.py --pcap-out helper.py --time 1000s",
    "trace helped.py --pcap-out helper.py --time 1000s -o traces",
    "profile mine.py -o mine.py --time 1000s",
    "watch mine.py --json mine.py --time 1000s",
    "debug mine.py --json mine.py",
    "compare r.json r.json --json r.json",
    "sweep s.toml -o s.toml",
    "sweep s.toml -o c.pcap",
    "sweep s.toml -o mine.py",
    "search s.toml -o c.pcap",
    f"run {NIC_FILE} --json own/firmware/main.c",
    f"run {NIC_FILE} --json own/firmware/firmware.toml",
    f"describe {NIC_FILE} --json own/firmware/main.c",
    f"explain {NIC_FILE} --json own/firmware/main.c",
    f"run {NIC_FILE} --save-at 1us own/firmware/main.c",
    "firmware build own/firmware/own -o own/firmware/main.c",
    "firmware build own -o own/firmware/firmware.toml",
    "firmware build own -o own/copy/firmware.toml",
    "firmware build own/firmware/own -o own/copy/firmware.toml",
    "firmware build own/link/own -o own/firmware/firmware.toml",
    "firmware build own/firmware/own -o own/link/main.c",
]


@pytest.mark.parametrize("line", REFUSED)
def test_no_output_is_an_input(folder: Path, capsys: pytest.CaptureFixture[str], line: str) -> None:
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    capsys.readouterr()
    assert cli.carry_out(line.split()) == 2
    said = capsys.readouterr().err
    assert {file: file.read_bytes() for file in before} == before
    assert "would overwrite" in said or "use the ending" in said or "is not a picture" in said, said


@pytest.mark.parametrize(
    "option", ["--json", "--pcap-out", "--profile", "--timeline", "--save", "--wave-out"]
)
@pytest.mark.parametrize("file", ["own/a", "own/firmware/a", "link/a", "inner/a"])
def test_no_output_is_in_a_folder_that_a_server_writes(
    folder: Path, capsys: pytest.CaptureFixture[str], option: str, file: str
) -> None:
    (folder / "link").symlink_to("own")
    (folder / "inner").symlink_to("own/firmware")
    nodes = "--nodes 2 " if option == "--pcap-out" else ""
    if option == "--wave-out":
        nodes = "--nodes 2 --card ricenic --wave * "
    for shared in ("own", "link", "."):
        words = f"boot rv64 {nodes}--kernel k --share {shared} {option} {file}".split()
        assert cli.carry_out(words) == 2
        assert f"{option} {file} is in {shared}, the folder of --share" in capsys.readouterr().err
    assert not (folder / file).exists()


def commands(group: click.Command, words: tuple[str, ...] = ()) -> list[tuple[str, click.Command]]:
    """List all commands, those of groups included."""
    if not isinstance(group, click.Group):
        return [(" ".join(words), group)]
    context = click.Context(group)
    found = [(name, group.get_command(context, name)) for name in group.list_commands(context)]
    return [one for name, part in found if part is not None for one in commands(part, (*words, name))]


def test_every_option_that_names_a_file_says_so() -> None:
    for name, command in commands(cli.spinach):
        for parameter in command.params:
            metavar = parameter.metavar or ""
            if "FILE" in metavar and not isinstance(parameter, FileOption):
                assert isinstance(parameter.type, FileName), f"{name} {parameter.opts}"
    for name, option in options_of(RunOptions).items():
        if option.flag is not None and "FILE" in option.flag.metavar:
            assert option.files is not None, name


SLASHED = (
    "run mine.py --frames 1 --json a.json/",
    "run mine.py --frames 1 --pcap-out a.json/",
    "run mine.py --frames 1 --save-at 1us a.json/",
    "graph mine.py -o a.svg/",
)


@pytest.mark.parametrize("line", SLASHED)
def test_a_name_that_ends_in_a_slash_is_none_of_a_file(
    folder: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    assert cli.carry_out(line.split()) == 2
    assert "names a folder" in capsys.readouterr().err
    assert not (folder / "a.json").exists()


FILES_ONLY = (
    ("run mine.py --frames 1 --pcap-out -", "--pcap-out"),
    ("run mine.py --frames 1 --timeline -", "--timeline"),
    ("run mine.py --frames 1 --wave * --wave-out -", "--wave-out"),
    ("run mine.py --frames 1 --record -", "--record"),
    ("run mine.py --frames 1 --save-at 1us -", "--save-at"),
    ("boot --nodes 2 --pcap-out -", "--pcap-out"),
    ("attach tigon2 --record -", "--record"),
    ("graph mine.py -o -", "-o"),
)


@pytest.mark.parametrize(("line", "option"), FILES_ONLY)
def test_an_output_that_must_be_a_file_is_not_standard_output(
    folder: Path, capsys: pytest.CaptureFixture[str], line: str, option: str
) -> None:
    assert cli.carry_out(line.split()) == 2
    reason = "this output cannot be written to standard output (-); name a file"
    assert f"'{option}': {reason}\n" in capsys.readouterr().err
    assert not (folder / "-").exists()


def test_an_input_of_a_watched_run_or_of_a_composition_is_no_output(folder: Path) -> None:
    main, library = folder / "own" / "firmware" / "main.c", folder / "k"
    with command_outputs([("--json", main)]):
        watched = WatchedRun(lambda report: execute(NIC_FILE, frames=1, progress=report))
        watched.start()
        with pytest.raises(SpinachError, match=r"--json would overwrite main\.c of the"):
            watched.finish()
    with command_outputs([("--json", library)]), pytest.raises(SpinachError, match="would overwrite"):
        simulate(Verilated(library=str(library)))


ENDLESS = [
    "run mine.py --restore /dev/zero",
    "run -c /dev/zero",
    "compare /dev/zero r.json",
    "sweep /dev/zero -o t.parquet",
    "search /dev/zero -o t.parquet",
    "profile mine.py --compare /dev/zero /dev/zero",
    "boot rv64 --restore /dev/zero",
    "boot rv64 --kernel /dev/zero",
    "boot rv64 --kernel k --files /dev/zero",
    "boot rv64 --exec /dev/zero",
    "debug mine.py --launch-file /dev/zero",
    "timeline frames /dev/zero",
    "run tengig --firmware /dev/zero",
    "run mine.py --traffic pcap:/dev/zero",
    "run mine.py --replay /dev/zero",
    "attach tigon2 --replay /dev/zero",
]


@pytest.mark.parametrize("line", ENDLESS)
def test_every_reader_has_a_limit(folder: Path, capsys: pytest.CaptureFixture[str], line: str) -> None:
    """Memory is bounded: a reader without a limit would be killed."""
    assert_refused_in_little_memory(line)


SPARSE = [
    ("run library.py --frames 1", "large", "large is larger than 256 MiB, the limit"),
    ("run library.py --frames 1", "/dev/zero", "/dev/zero is not a regular file"),
    ("verilate large --top a", "large", "large is larger than 64 MiB, the limit"),
    ("verilate mine.py --top a --include rtl", "large", "rtl/large.v is larger than 64 MiB, the limit"),
    ("sweep files.toml -o u.parquet", "large", "large is larger than 8192 MiB, the limit"),
    ("sweep s.toml -o t.parquet", "/dev/zero", "t.parquet.journal.jsonl is larger than 16 MiB, the limit"),
]


@pytest.mark.parametrize(("line", "file", "message"), SPARSE)
def test_a_sparse_file_is_refused_at_once(folder: Path, line: str, file: str, message: str) -> None:
    if line.startswith("verilate") and not (shutil.which("verilator") and shutil.which("c++")):
        pytest.skip("verilator and g++ are not installed")
    with (folder / "large").open("wb") as large:
        large.truncate(1 << 40)
    (folder / "rtl").mkdir()
    (folder / "rtl" / "large.v").symlink_to(folder / file)
    (folder / "t.parquet.journal.jsonl").symlink_to(file)
    (folder / "files.toml").write_text("nic = 'mine.py'\n[options]\nframes = [1, 2]\nrestore = 'large'\n")
    made = f"    def build(self):\n        self.block = Verilated(library='{file}')\n"
    (folder / "library.py").write_text(f"from spinach_nic.blocks import Verilated\n{MINE}{made}")
    assert message in assert_refused_in_little_memory(line)


def assert_refused_in_little_memory(line: str) -> str:
    """Carry a command line out in another process; return its errors."""
    words = [sys.executable, "-c", _BOUNDED, *line.split()]
    paths = os.pathsep.join([str(Path(__file__).parents[3]), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run(words, capture_output=True, text=True, timeout=50, env=environment)
    assert done.returncode == 2, done.stderr[-500:]
    assert "No module named" not in done.stderr
    *said, memory = done.stderr.splitlines()
    assert [part.partition(": ")[0] for part in said[-2:]] == ["error", "help"]
    assert int(memory.split()[1]) < 300 << 10, memory
    return "\n".join(said)


_BOUNDED = """
import re, resource, sys
from spinach_nic import cli
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
code = cli.carry_out(sys.argv[1:])
sys.stderr.write(re.search("VmHWM:.*", open("/proc/self/status").read())[0])
sys.exit(code)
"""


def test_workers_import_nothing_from_the_current_folder(folder: Path) -> None:
    for name in ("signal", "types", "random", "json"):
        (folder / f"{name}.py").write_text(f"open('{folder}/imported-{name}', 'w')\nraise SystemExit(9)\n")
    (folder / "gap.py").write_text("GAP = 1\n")
    (folder / "needy.py").write_text(MINE.replace("from tests", "import gap\nfrom tests", 1))
    spinach = str(Path(sys.executable).parent / "spinach")
    for nic in ("tengig", "needy.py"):
        (folder / "t.toml").write_text(f"nic = '{nic}'\n[options]\nframes = [1, 2]\n")
        words = [spinach, "sweep", "t.toml", "--jobs", "2"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=100, env=_environment())
        assert not [file.name for file in folder.glob("imported-*")]
        assert (done.returncode, done.stderr) == (0, "")
        assert "2 of 2 points: t.parquet" in done.stdout


def _environment() -> dict[str, str]:
    """The environment of a command whose NIC is made from those of these tests."""
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
