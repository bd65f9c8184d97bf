"""Sweeps: many configurations in one table, whatever happens on the way."""

import json
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import FrozenInstanceError, dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from msgspec import structs
from tests.python.conftest import Started

from spinach_nic import MHz, SpinachError, cli, run
from spinach_nic.studies.sweeping import (
    Description,
    Goal,
    Range,
    Search,
    Sweep,
    SweepProgress,
    SweepResult,
    search,
    sweep,
)
from spinach_nic.studies.sweeping.description import Plot
from spinach_nic.studies.sweeping.expressions import Expression
from spinach_nic.studies.sweeping.journal import Journal
from spinach_nic.studies.sweeping.plots import pareto_front, plot_svg
from spinach_nic.studies.sweeping.point import SweepPoint
from spinach_nic.studies.sweeping.space import Axis
from spinach_nic.studies.sweeping.table import may_be_figure
from spinach_nic.support import startup
from spinach_nic.support.measured import Measured
from spinach_nic.support.parallel import Carried, carry_out_all

FILE = """
nic = "tengig"
[options]
frames = 100
traffic = ["udp:18", "udp:1472"]
[parameters]
cores = [1, 2]
core = "functional"
"""
MINE = "from tests.python.runs.systems import Wires\nclass Mine(Wires):\n    summary = 'mine'\n"


@pytest.fixture
def described(tmp_path: Path) -> Path:
    path = tmp_path / "cores.toml"
    path.write_text(FILE)
    return path


@dataclass(frozen=True)
class Grid:
    """A complete sweep of the described file."""

    table: Path
    progress: list[SweepProgress]
    result: SweepResult


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Grid:
    path = tmp_path_factory.mktemp("grid") / "cores.toml"
    path.write_text(FILE)
    progress: list[SweepProgress] = []
    table = path.with_suffix(".parquet")
    return Grid(table, progress, sweep(path, table=table, progress=progress.append))


def test_a_grid_is_a_table_with_a_row_for_each_combination(grid: Grid) -> None:
    table, progress, result = grid.table, grid.progress, grid.result
    rows = pq.read_table(table).to_pylist()
    assert pq.read_schema(table).metadata[b"schema"] == b"spinach-sweep/1"
    assert rows == result.table().to_pylist()
    assert [(row["traffic"], row["cores"]) for row in rows] == [
        ("udp:18", 1),
        ("udp:18", 2),
        ("udp:1472", 1),
        ("udp:1472", 2),
    ]
    assert {row["status"] for row in rows} == {"complete"}
    assert min(row["tx.frames"] for row in rows) >= 100
    # Two cores have twice the cycles of one, at the same clock.
    assert rows[1]["core_mhz"] == 2 * rows[0]["core_mhz"]
    assert rows[1]["request"].startswith("spinach run tengig --traffic udp:18")
    assert [one.done for one in progress] == [0, 1, 2, 3, 4]


def test_arguments_say_what_a_description_says(described: Path, tmp_path: Path) -> None:
    vary: dict[str, Any] = {"traffic": ["udp:18", "udp:1472"], "cores": [1, 2]}
    asked = Description.of("tengig", vary, {"frames": 100, "set": {"core": "functional"}})
    said = Description.read(described)

    def runs(description: Description) -> list[list[tuple[str, Any]]]:
        return sorted(sorted([*point.options, *point.settings]) for point in description.points())

    assert runs(asked) == runs(said)
    both_ways = ["udp:18:tx", "imix:rx"]
    for options in ({"traffic": both_ways}, {}):
        vary = {"cores": Range(1, 4)} | ({} if options else {"traffic": [both_ways]})
        one = Description.of("tengig", vary, options, method="random", samples=1)
        assert [dict(point.options)["traffic"] for point in one.points()] == [tuple(both_ways)]
    found = search("tengig", vary={"cores": [1, 2]}, where={"tx.frames": ">= 1"}, evaluations=6, frames=5)
    assert found.best is not None
    assert found.best["cores"] == 1
    assert not list(tmp_path.glob("*.parquet*"))


def test_a_range_has_only_numbers_that_the_parameter_allows() -> None:
    def tried(nic: str, path: str, given: Range, **options: Any) -> list[str]:
        described = Description.of(nic, {path: given}, {}, **options)
        return sorted({dict(point.settings)[path] for point in described.points()}, key=int)

    drawn: dict[str, Any] = {"method": "random", "samples": 100}
    assert tried("rosebud", "rpus", Range(1, 16), **drawn) == ["1", "2", "3", "4", "8", "12", "16"]
    assert tried("rosebud", "rpus", Range(2, 14, 4)) == ["2", "4", "8", "12"]
    sizes = tried("hundredgig", "queue_size", Range(5, 300, scale="logarithmic"), **drawn)
    assert sizes == ["8", "16", "32", "64", "128", "256"]
    found = Search(Description.of("rosebud", {"rpus": Range(5, 16)}, {}))
    assert {dict(point.settings)["rpus"] for point in found.corners} == {"8", "12", "16"}
    with pytest.raises(SpinachError, match="rpus allows no number from 5 to 7"):
        Description.of("rosebud", {"rpus": Range(5, 7)}, {}).axes()


@pytest.mark.parametrize(
    ("given", "values"),
    [
        (Range("1GHz", "2GHz", 5), ["1GHz", "1.25GHz", "1.5GHz", "1.75GHz", "2GHz"]),
        (Range("1GHz", "2GHz", 4), ["1GHz", "1.33333GHz", "1.66667GHz", "2GHz"]),
        (Range("9999999Hz", "10000000Hz", 3), ["9999999Hz", "9999999.5Hz", "10000000Hz"]),
        (Range("1us", "2us", 4), ["1us", "1.33333us", "1.66667us", "2us"]),
        (Range("1fs", "3fs", 3), ["1fs", "2fs", "3fs"]),
        (Range("1MiB", "2MiB", 4), ["1MiB", "1.328125MiB", "1.671875MiB", "2MiB"]),
        (Range("5B", "11B", 4), ["5B", "7B", "9B", "11B"]),
        (Range("1KiB", "1024KiB", 6, "logarithmic"), ["1KiB", "4KiB", "16KiB", "64KiB", "256KiB", "1024KiB"]),
        (Range(1, 4, 7), [1, 2, 3, 4]),
    ],
)
def test_a_range_has_values_between_integers_of_a_unit_but_not_between_counts(
    given: Range, values: list[Any]
) -> None:
    assert Axis("x", given).values() == values


def test_draws_and_searches_take_values_between_integers_of_a_unit() -> None:
    described = Description.of(
        "tengig", {"core_clock": Range("1GHz", "3GHz")}, {}, method="random", samples=9
    )
    drawn = {dict(point.settings)["core_clock"] for point in described.points()}
    assert len(drawn) == 9
    tried = search("tengig", vary={"core_clock": Range("1GHz", "3GHz")}, evaluations=9, frames=1).tried
    assert len({row["core_clock"] for row in tried.rows}) == 9


def test_a_range_of_quantities_has_only_those_that_the_parameter_allows(tmp_path: Path) -> None:
    (tmp_path / "sized.py").write_text(
        f"from spinach_nic import KiB, Size, parameter\n{MINE}"
        "    room: Size = parameter(default=KiB(4), power_of_two=True, doc='Room.')\n"
    )
    described = Description.of(tmp_path / "sized.py", {"room": Range("3KiB", "40KiB")}, {}, method="list")
    assert [dict(point.settings)["room"] for point in described.points()] == [
        "4KiB",
        "8KiB",
        "16KiB",
        "32KiB",
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"nic": Description("tengig"), "frames": 3}, "both define the runs: frames"),
        ({"nic": "cores.toml", "vary": {"cores": [1]}}, "both define the runs: vary"),
        (
            {"vary": {"cores": [1, 2]}, "set": {"cores": 1}},
            "'cores' has several values and a value for all runs",
        ),
        ({"vary": {"cores": "123"}}, "vary"),
        ({"vary": {"cores": []}}, "cores has no values"),
        ({"vary": {"frames": [None]}}, "frames"),
        ({"pcap_out": "x.pcapng"}, "has no option 'pcap_out'"),
        ({"draw_seed": -1}, "draw_seed: -1 is below the smallest, 0"),
        ({"samples": 0}, "samples: 0 is below the smallest, 1"),
        ({"jobs": 0}, "jobs: 0 is below the smallest, 1"),
        ({"nic": Description("tengig", samples=-5)}, "Expected `int` >= 1 - at `$.samples`"),
        ({"nic": Description("tengig", parameters={"cores": Range(1, 2, 1)})}, "Expected `int` >= 2"),
    ],
)
def test_arguments_that_cannot_be_are_refused(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(SpinachError) as refused:
        sweep(**{"nic": "tengig", **arguments})
    assert said in str(refused.value)


@pytest.mark.parametrize(
    "name", ["point", "request", "core_mhz", "tx.wire_gbps", "frames.dropped.rx.mac.full"]
)
def test_a_parameter_with_the_name_of_another_column_is_refused(name: str) -> None:
    with pytest.raises(SpinachError, match=f"the parameter {name} has the name of another column") as refused:
        Description("tengig", parameters={"cores": [1, 2], name: 3}).axes()
    assert refused.value.help == "rename the parameter in the file of the NIC"


def test_figures_are_known_before_any_run(grid: Grid) -> None:
    row = grid.result.rows[0]
    names = [*row]
    assert all(map(may_be_figure, names[names.index("request") :]))
    asked = ["cores", "seed", "nic", "tx", "tx.latency_ns", "frames", "memories.sram", "counters.drops.unit"]
    assert not any(map(may_be_figure, asked))


@pytest.mark.parametrize("arguments", [{"evaluations": 0}, {"draw_seed": -5}, {"jobs": -3}])
def test_a_search_refuses_numbers_below_the_smallest(arguments: dict[str, Any]) -> None:
    (name,) = arguments
    with pytest.raises(SpinachError, match=f"^{name}: -?[0-9] is below the smallest, [01]"):
        search("tengig", vary={"cores": [1, 2]}, frames=3, **arguments)
    with pytest.raises(SpinachError, match=r"at `\$\.search\.evaluations`"):
        Search(Description("tengig", parameters={"cores": [1, 2]}, search=Goal(evaluations=0)))
    with pytest.raises(SpinachError, match="jobs: 0 is below the smallest, 1"):
        list(carry_out_all([Scarce(0)], 0))


def test_a_range_takes_quantities() -> None:
    assert Axis("x", Range(MHz(100), MHz(200), 3)).values() == ["100MHz", "150MHz", "200MHz"]  # type: ignore[arg-type]


def test_results_are_data_frames_by_the_arrow_interface(grid: Grid) -> None:
    result = run("tengig", frames=100, traffic="udp:18", set={"cores": 1, "core": "functional"})
    (row,) = pa.table(result).to_pylist()
    assert row["tx.frames"] >= 100
    same = {name: row[name] for name in row if "wall_s" not in name}
    (first, *_) = pa.table(grid.result).to_pylist()
    assert {name: first[name] for name in same} == same


def test_a_sweep_goes_on_where_it_was(described: Path, tmp_path: Path, grid: Grid) -> None:
    table = tmp_path / "cores.parquet"

    def interrupt(progress: SweepProgress) -> None:
        if progress.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep(described, table=table, progress=interrupt)
    assert len(pq.read_table(table)) == 2
    # A line that a kill cut off is ignored.
    journal = table.with_name("cores.parquet.journal.jsonl")
    whole = journal.read_bytes()
    journal.write_bytes(whole[:-40])
    progress: list[SweepProgress] = []
    result = sweep(described, table=table, progress=progress.append)
    assert [one.done for one in progress] == [1, 2, 3, 4]
    assert len(result.rows) == 4
    without_wall = [
        {name: value for name, value in row.items() if "wall_s" not in name} for row in result.rows
    ]
    assert without_wall == [
        {name: value for name, value in row.items() if "wall_s" not in name} for row in grid.result.rows
    ]


def test_a_point_is_another_once_a_file_that_it_reads_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a sweep would take over rows that no longer hold."""
    monkeypatch.chdir(tmp_path)
    nic, main = tmp_path / "own" / "own.py", tmp_path / "own" / "firmware" / "main.c"
    assert cli.carry_out(["new", "own"]) == 0
    body, more, library = (
        main.with_name("body.inc"),
        nic.with_name("pieces") / "further.py",
        tmp_path / "block",
    )
    # Modules of one name; the second is not next to the NIC.
    shared = tmp_path / "shared" / "shared_with_others" / "further.py"
    table, constants = nic.with_name("table.txt"), nic.with_name("constants.txt")
    for file in (more, shared):
        file.parent.mkdir(parents=True)
    monkeypatch.syspath_prepend(shared.parent.parent)
    read = "from pieces import further\n\nfrom spinach_nic.support.files import read_file\n"
    read += "from shared_with_others import further as shared\n"
    named = '    table: str = parameter(default="own.py", doc="File next to this one.")\n'
    build = "    def build(self) -> None:\n"
    reads = f'        read_file("{library}", "")\n        Path(__file__).with_name(self.table).read_bytes()\n'
    text = nic.read_text().replace("from pathlib import Path\n", f"{read}from pathlib import Path\n", 1)
    text = text.replace(build, f"{named}{build}{reads}", 1)
    text += 'open(Path(__file__).with_name("constants.txt")).close()\n'
    nic.write_text(text)
    main.write_text(f'#include "body.inc"\n{main.read_text()}')
    files = (nic, main, body, more, shared, library, table, constants, tmp_path / "prefixes")
    keys = set()
    assert "import further" in text
    for number, changed in enumerate((None, *files)):
        for file in files:
            if file is changed or not file.exists():
                text = file.read_text() if file in (nic, main) else ""
                file.write_text(f"{text}\n{'#' if file.suffix == '.py' else '//'} {number}\n")
        own = SweepPoint.of(nic, {"set": {"table": "table.txt"}})
        for point in (own, SweepPoint.of("rosebud", {"set": {"prefixes": "prefixes"}})):
            keys.add(point.key)
    # Nine kinds of files, and both as they were at first.
    assert len(keys) == 2 + len(files)


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_edit_while_a_sweep_runs_never_counts_as_the_nic_that_was_asked_for(
    tmp_path: Path, jobs: int
) -> None:
    """The journal would have results of the edited file under the key of the earlier one."""
    file, table = tmp_path / "mine.py", tmp_path / "mine.parquet"
    first = MINE + "    latency = 1\n"
    file.write_text(first)
    asked: dict[str, Any] = {"vary": {"seed": [1, 2, 3, 4, 5, 6]}, "table": table, "jobs": jobs}

    def edit(progress: SweepProgress) -> None:
        if progress.done == 1:
            file.write_text(MINE)

    edited = sweep(file, progress=edit, frames=2000, **asked)
    assert "complete" in [row["status"] for row in edited.rows]
    assert edited.rows[-1]["status"] == "failed"
    assert f"{file} changed while the runs were made" in edited.rows[-1]["failure"]
    file.write_text(first)
    known = len(
        Journal(table).known([SweepPoint.of(file, {"seed": seed, "frames": 2000}) for seed in range(1, 7)])
    )
    assert 1 <= known < 6
    assert {row["status"] for row in sweep(file, frames=2000, **asked).rows} == {"complete"}


def test_a_point_that_fails_is_a_row_with_its_reason(tmp_path: Path) -> None:
    described = tmp_path / "many.toml"
    described.write_text(FILE.replace("cores = [1, 2]", "cores = [1, 400]"))
    result = sweep(described, table=tmp_path / "many.parquet", jobs=2)
    assert [row["status"] for row in result.rows] == ["complete", "failed", "complete", "failed"]
    assert "cores: 400 is above the largest, 16" in result.rows[1]["failure"]
    assert ".py:" not in result.rows[1]["failure"]
    assert result.rows[1]["tx.frames"] is None if "tx.frames" in result.rows[1] else True


def test_a_point_that_failed_is_run_again_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    described, table = tmp_path / "many.toml", tmp_path / "many.parquet"
    # The same point twice is run once.
    described.write_text(FILE.replace("cores = [1, 2]", "cores = [1, 400, 1]"))
    asked: list[SweepPoint] = []

    def counted(points: Sequence[SweepPoint], jobs: int) -> Iterator[tuple[SweepPoint, Carried]]:
        asked.extend(points)
        return carry_out_all(points, jobs)

    monkeypatch.setattr(import_module("spinach_nic.studies.sweeping.sweep"), "carry_out_all", counted)
    first = sweep(described, table=table)
    assert [row["status"] for row in first.rows] == ["complete", "failed", "complete"] * 2
    assert [dict(point.settings)["cores"] for point in asked] == ["1", "400"] * 2
    asked.clear()
    second = sweep(described, table=table)
    assert [dict(point.settings)["cores"] for point in asked] == ["400"] * 2
    assert second.rows == first.rows
    # A point that failed for an outside reason is complete the next time.
    journal = Journal(table)
    found = journal.known(list(Description.read(described).points()))
    (outcome, *_) = found.values()
    journal.add(asked[0], outcome)
    assert len(Journal(table).known(asked)) == 1


@pytest.mark.parametrize(
    ("parameters", "exit_code"),
    [
        ("loses = ['a', 'b']", 2),  # invalid requests
        ("loses = [true]", 3),  # the simulated system fails
        ("loses = [true, 'a']", 3),
        ("loses = [true, false]", 0),
    ],
)
def test_a_sweep_or_search_without_any_complete_point_fails_as_its_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], parameters: str, exit_code: int
) -> None:
    (tmp_path / "mine.py").write_text(
        "from tests.python.runs.systems import Wires\nclass Mine(Wires):\n    summary = 'mine'\n"
    )
    described = tmp_path / "many.toml"
    text = f"nic = '{tmp_path}/mine.py'\n[options]\nframes = [2, 50]\nstall_after = '100us'\n"
    text += f"[parameters]\n{parameters}\n"
    described.write_text(text)
    assert cli.carry_out(["sweep", str(described), "--jobs", "1", "--quiet"]) == exit_code
    described.write_text(f"{text}[search]\nminimise = 'simulated_ns'\n")
    assert cli.carry_out(["search", str(described), "--jobs", "1"]) == exit_code
    assert ("no conclusion: every run failed" in capsys.readouterr().out) == bool(exit_code)


def test_a_search_prints_rates_with_their_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    described = tmp_path / "cheapest.toml"
    described.write_text(
        "nic = 'tengig'\n[options]\nframes = 100\n[parameters]\ncores = [4, 5]\n"
        "[search]\nminimise = 'core_mhz * cores ** 2'\n[search.where]\n'tx.line_rate_fraction' = '>= 0.5'\n"
        "'tx.wire_gbps + rx.wire_gbps' = '>= 8'\n"
    )
    assert cli.carry_out(["search", str(described), "--jobs", "1"]) == 0
    shown = capsys.readouterr().out
    assert "\ncore_mhz * cores ** 2 = 10624\n" in shown
    for text in ("tx.line_rate_fraction", "tx.wire_gbps + rx.wire_gbps"):
        assert re.search(rf"^{re.escape(text)} = [\d.]+ ± [\d.]+$", shown, re.MULTILINE)


def test_a_search_needs_a_goal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    described = tmp_path / "sweep.toml"
    described.write_text("nic = 'tengig'\n[options]\nframes = 100\n[parameters]\ncores = [4, 5]\n")
    assert cli.carry_out(["search", str(described), "--jobs", "1"]) == 2
    error, help = capsys.readouterr().err.splitlines()
    assert error == f"error: {described} has no table [search] with a goal"
    assert help == "help: name what to minimise there, and conditions in [search.where]"


class Crash:
    """A request that ends its process, if it is asked to."""

    def __init__(self, number: int, crashes: bool) -> None:
        """Create the request."""
        self.number, self.crashes = number, crashes

    def carry_out(self) -> int:
        """Its number."""
        import os

        if self.crashes:
            os._exit(9)
        return self.number


def test_a_process_that_ends_takes_no_other_point_along() -> None:
    requests = [Crash(number, number == 1) for number in range(8)]
    found = {request.number: carried for request, carried in carry_out_all(requests, 2)}
    assert [found[number].outcome for number in range(8)] == [0, None, 2, 3, 4, 5, 6, 7]
    assert "its process ended" in (found[1].failure or "")


@dataclass(frozen=True)
class Scarce:
    """A request for which another process lacks memory, at a step."""

    number: int
    step: str = ""

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Arrive in the other process."""
        self.__dict__.update(state)
        if self.step == "request":
            raise MemoryError

    def __getstate__(self) -> dict[str, Any]:
        """Leave for another process."""
        if self.step == "packed":
            raise MemoryError
        return self.__dict__

    def carry_out(self) -> Any:
        """Return the number if there is memory."""

        def fail() -> None:
            raise MemoryError

        if self.step == "outcome":
            return Scarce(self.number, "packed")
        if self.step == "thread":
            threading.Thread(target=fail).start()
            threading.Event().wait()
        return self.number


@pytest.mark.parametrize("step", ["request", "outcome", "thread"])
def test_a_process_without_memory_fails_its_request_alone(
    step: str, capfd: pytest.CaptureFixture[str]
) -> None:
    requests = [Scarce(number, step if number == 1 else "") for number in range(6)]
    found = {request.number: carried for request, carried in carry_out_all(requests, 2)}
    assert [found[number].outcome for number in range(6)] == [0, None, 2, 3, 4, 5]
    assert found[1].exit_code == 2
    assert f"{requests[1]}: there is not enough memory for this\nhelp: " in (found[1].failure or "")
    assert capfd.readouterr().err == ""


def test_no_process_is_begun_without_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(startup, "lacks_memory", lambda size: True)
    with pytest.raises(MemoryError):
        list(carry_out_all([Scarce(number) for number in range(2)], 2))


def test_a_defect_in_another_process_names_its_place() -> None:
    with pytest.raises(ZeroDivisionError) as raised:
        list(carry_out_all([Defective(number) for number in range(2)], 2))
    assert "return 1 // 0" in "".join(raised.value.__notes__)


@dataclass(frozen=True)
class Defective:
    """A request that raises an unexpected error."""

    number: int

    def carry_out(self) -> int:
        """Fail."""
        return 1 // 0


def test_axes_are_lists_ranges_and_draws(tmp_path: Path) -> None:
    def points(text: str) -> list[dict[str, str]]:
        path = tmp_path / "axes.toml"
        path.write_text('nic = "tengig"\n' + text)
        return [dict(point.settings) for point in Description.read(path).points()]

    clocks = 'core_clock = { from = "100MHz", to = "200MHz", count = 3 }'
    grid = points(f"[parameters]\n{clocks}\ncores = [1, 2]")
    assert [point["core_clock"] for point in grid[::2]] == ["100MHz", "150MHz", "200MHz"]
    listed = points('method = "list"\n[parameters]\ncores = [1, 2]\ncore_clock = ["1MHz", "2MHz"]\nbanks = 4')
    assert listed[1] == {"cores": "2", "core_clock": "2MHz", "banks": "4"}
    drawn = points(
        'method = "latin_hypercube"\nsamples = 8\n[parameters]\ncores = { from = 1, to = 8 }\n'
        'core_clock = { from = "100MHz", to = "200MHz" }'
    )
    # Each eighth of an axis has one point.
    assert sorted(int(point["cores"]) for point in drawn) == list(range(1, 9))
    ratios = points('[parameters]\ncores = { from = 1, to = 8, count = 4, scale = "logarithmic" }')
    assert [point["cores"] for point in ratios] == ["1", "2", "4", "8"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('nic = "tengig"\nmethode = "grid"', "methode"),
        ("nic = 3", "Expected `str`"),
        ("nic =", "is not a valid sweep"),
        ('nic = "tengig"\n[options]\ncolour = 1', "'colour' is not an option"),
        ('nic = "tengig"\n[options]\nframes = "many"', "not a number of frames"),
        ('nic = "tengig"\n[parameters]\ncores = []', "has no values"),
        ('nic = "tengig"\n[parameters]\ncores = { from = 4, to = 1, count = 2 }', "invalid range of cores"),
        ('nic = "tengig"\n[parameters]\ncores = { from = 1, to = 4 }', "has no count"),
        (
            'nic = "tengig"\n[parameters]\ncore_clock = { from = "1GHz", to = "4MHz", count = 2 }',
            "begins in GHz and ends in MHz",
        ),
        ('nic = "tengig"\nmethod = "list"\n[parameters]\na = [1, 2]\nb = [1, 2, 3]', "differ in length"),
    ],
)
def test_a_description_that_cannot_be_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(SpinachError, match=said):
        list(Description.read(path).points())


def test_a_search_finds_what_a_grid_finds(tmp_path: Path) -> None:
    text = FILE.replace('traffic = ["udp:18", "udp:1472"]', 'traffic = "udp:1472"')
    condition = '\n[search]\nevaluations = 12\n[search.where]\n"tx.frames_per_s" = ">= 450000"\n'
    path = tmp_path / "search.toml"
    path.write_text(text.replace("cores = [1, 2]", "cores = [1, 2, 3, 4]") + condition)
    search = Search(Description.read(path), tmp_path / "search.parquet")
    search.run()
    found = search.write()
    path.write_text(text.replace("cores = [1, 2]", "cores = [1, 2, 3, 4]"))
    rows = sweep(path, table=tmp_path / "grid.parquet").rows
    cheapest = min((row for row in rows if row["tx.frames_per_s"] >= 450000), key=lambda row: row["core_mhz"])
    assert found.best is not None
    assert found.best["cores"] == cheapest["cores"]
    assert cheapest["cores"] > 1


@pytest.mark.parametrize(
    ("where", "best"),
    [
        ('cores = ">= 2"', 2),
        ('cores = ">= 1.999"', 2),
        ('cores = ">= 2.001"', 3),
        ('cores = "<= 2"', 1),
        ('cores = ">= 4"', None),
        ('cores = ">= 2"\n"core_mhz / cores" = "<= 0"', None),
    ],
)
def test_a_search_accepts_exactly_what_meets_every_condition(
    tmp_path: Path, where: str, best: int | None
) -> None:
    # 400 cores would cost least, and fail.
    text = FILE.replace('traffic = ["udp:18", "udp:1472"]', 'traffic = "udp:18"')
    text = text.replace("cores = [1, 2]", "cores = [1, 2, 3, 400]")
    path = tmp_path / "search.toml"
    path.write_text(f'{text}\n[search]\nminimise = "cores / (500 - cores)"\n[search.where]\n{where}\n')
    search = Search(Description.read(path), tmp_path / "search.parquet")
    search.run()
    found = search.write()
    assert len(found.tried.rows) == len({row["cores"] for row in found.tried.rows})
    assert (None if found.best is None else found.best["cores"]) == best


def test_a_search_prices_what_misses_its_conditions_by_how_far_it_misses_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    found: list[float] = []

    def evolve(function: object, bounds: Sequence[tuple[float, float]], **settings: Any) -> None:
        assert bounds == [(0, 5)]
        found.extend(settings["workers"](function, [[place] for place in range(6)]))

    monkeypatch.setattr("scipy.optimize.differential_evolution", evolve)
    search(
        str(tmp_path / "mine.py"),
        vary={"damaged": [1000, 2000, 3000, 6000, 8000, 1]},  # the second frame is damaged, which fails
        frames=3,
        minimise="damaged / 2",
        where={"damaged": ">= 3000", "damaged / 3": "<= 2000"},
    )
    price = 1e15
    assert found == pytest.approx([price * (5 / 3), price * (4 / 3), 1500, 3000, price * (4 / 3), 1e30])


def test_a_journal_has_a_limit(tmp_path: Path) -> None:
    with open(tmp_path / "t.parquet.journal.jsonl", "wb") as file:
        file.truncate((4 << 30) + 1)
    with pytest.raises(SpinachError, match="is larger than 4096 MiB, the limit"):
        Journal(tmp_path / "t.parquet")


def test_a_result_counts_failed_points_and_does_not_change() -> None:
    rows = [
        {"cores": cores, "status": status, "failure": None, "request": "", "core_mhz": 2 * cores}
        for cores, status in ((1, "failed"), (2, "complete"), (3, "failed"))
    ]
    result = SweepResult(rows, 4, 3)
    # Requested values that vary, without the results.
    assert re.findall("<th[^>]*>(.*?)</th>", result._repr_html_()) == ["cores", "status", "core_mhz"]
    assert (result.failed, result.exit_code) == (2, 0)
    assert repr(result) == "<SweepResult 3 of 4 points, 2 failed>"
    assert SweepResult(rows[::2], 4, 3).exit_code == 3
    with pytest.raises(FrozenInstanceError):
        result.total = 5  # type: ignore[misc]


def test_a_search_runs_no_point_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[SweepPoint] = []

    def counted(points: Sequence[SweepPoint], jobs: int) -> Iterator[tuple[SweepPoint, Carried]]:
        asked.extend(points)
        return carry_out_all(points, jobs)

    monkeypatch.setattr(import_module("spinach_nic.studies.sweeping.search"), "carry_out_all", counted)
    path = tmp_path / "search.toml"
    text = FILE.replace('traffic = ["udp:18", "udp:1472"]', 'traffic = "udp:18"')
    path.write_text(text + "\n[search]\nevaluations = 8\n")
    for _ in range(2):
        search = Search(Description.read(path), tmp_path / "search.parquet")
        search.run()
        assert search.write().best is not None
    assert sorted(dict(point.settings)["cores"] for point in asked) == ["1", "2"]


def test_counters_of_drops_without_any_are_0(tmp_path: Path) -> None:
    full, lost = "frames.dropped.rx.mac_receive.ring_full", "frames.dropped.rx.wire_faults.lost"
    found = search(
        "tengig",
        vary={
            "core_clock": ["100MHz", "500MHz"],
            "traffic": ["udp:1472:rx@8Gbps,lost=0.0001%", "udp:1472:rx@8Gbps"],
        },
        where={full: "<= 0"},
        table=tmp_path / "drops.parquet",
        frames=500,
        set={"cores": 1},
    )
    assert found.best is not None
    assert (found.best["core_clock"], found.best[full]) == ("500MHz", 0)
    rows = pq.read_table(tmp_path / "drops.parquet").to_pylist()
    assert {row[lost] for row in rows if "lost" in row["traffic"]} == {0}
    assert {row[lost] for row in rows if "lost" not in row["traffic"]} == {None}
    assert {row["core_clock"]: row[full] > 0 for row in rows} == {"100MHz": True, "500MHz": False}


def test_a_search_for_a_figure_that_is_not_there_is_refused(described: Path, tmp_path: Path) -> None:
    described.write_text(FILE + '\n[search]\nminimise = "core_mhs"\n')
    search = Search(Description.read(described), tmp_path / "search.parquet")
    with pytest.raises(SpinachError, match="no figure 'core_mhs'") as raised:
        search.run()
    assert "core_mhz" in raised.value.help


def test_a_search_takes_no_rate_that_meets_its_condition_by_chance(
    described: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = run("tengig", frames=60, set={"core": "functional"}, traffic="udp:1472")
    rates = {"1": (290.0, 5.0), "2": (301.0, 2.0), "3": (304.0, 4.0), "4": (310.0, 9.0)}

    def carried(points: list[SweepPoint], jobs: int) -> Iterator[tuple[SweepPoint, Carried]]:
        for point in points:
            rate, error = rates[dict(point.settings)["cores"]]
            tx = replace(real.tx, frames_per_s=rate, frames_per_s_error=error)
            yield point, Carried(structs.replace(real, tx=tx), None, 0)

    monkeypatch.setattr(import_module("spinach_nic.studies.sweeping.search"), "carry_out_all", carried)
    described.write_text(
        FILE.replace("[1, 2]", "[1, 2, 3, 4]").replace('["udp:18", "udp:1472"]', '"udp:1472"')
        + '\n[search]\nminimise = "cores"\n[search.where]\n"tx.frames_per_s" = ">= 300"\n'
    )
    search = Search(Description.read(described), tmp_path / "search.parquet")
    search.run()
    found = search.write()
    assert found.best is not None
    assert found.best["cores"] == 3  # exactly at the bound
    assert [row["cores"] for row in found.undecided] == [2]
    assert found.undecided[0]["frames"] == 16 * 100


def test_a_search_repeats_cheap_undecided_runs_with_more_frames(
    described: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = run("tengig", frames=60, set={"core": "functional"}, traffic="udp:1472")
    rates = {"1": 290.0, "2": 298.0, "3": 303.0, "4": 400.0}
    asked: list[tuple[str, str]] = []

    def carried(points: list[SweepPoint], jobs: int) -> Iterator[tuple[SweepPoint, Carried]]:
        for point in points:
            cores, (frames,) = dict(point.settings)["cores"], dict(point.options)["frames"]
            asked.append((cores, frames))
            tx = replace(real.tx, frames_per_s=rates[cores], frames_per_s_error=500 / int(frames))
            yield point, Carried(structs.replace(real, tx=tx), None, 0)

    monkeypatch.setattr(import_module("spinach_nic.studies.sweeping.search"), "carry_out_all", carried)
    described.write_text(
        FILE.replace("[1, 2]", "[1, 2, 3, 4]").replace('["udp:18", "udp:1472"]', '"udp:1472"')
        + '\n[search]\nminimise = "cores"\nevaluations = 9\n[search.where]\n"tx.frames_per_s" = ">= 300"\n'
    )
    assert cli.carry_out(["search", str(described), "--jobs", "1"]) == 0
    assert "cores = 3" in capsys.readouterr().out.splitlines()
    assert asked[4:] == [("2", "200"), ("2", "400"), ("3", "200")]
    search = Search(Description.read(described))
    monkeypatch.setattr(search, "_to_repeat", interrupt)
    with pytest.raises(KeyboardInterrupt):
        search.run()
    assert repr(search.write().tried) == "<SweepResult 4 of 9 points, 0 failed>"


def test_a_search_without_a_completed_run_has_no_conclusion(
    described: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(points: list[SweepPoint], jobs: int) -> Iterator[tuple[SweepPoint, Carried]]:
        raise KeyboardInterrupt

    monkeypatch.setattr(import_module("spinach_nic.studies.sweeping.search"), "carry_out_all", interrupted)
    described.write_text(FILE + '\n[search]\nminimise = "cores"\n')
    assert cli.carry_out(["search", str(described), "--jobs", "1"]) == 130
    said = capsys.readouterr().out
    assert "no conclusion: no run was completed" in said
    assert "meets the conditions" not in said


def interrupt(most: int) -> list[SweepPoint]:
    raise KeyboardInterrupt


def test_arithmetic_has_the_error_of_its_columns_and_runs_without_rates_none() -> None:
    row = {"tx.frames_per_s": 30.0, "tx.frames_per_s_error": 3.0, "rx.frames_per_s": 40.0, "cores": 2}
    assert Expression.of("cores").measured(row) == Measured(2.0)
    both = Expression.of("tx.frames_per_s / cores + rx.frames_per_s").measured(row)
    assert both == Measured(55.0, 1.5)
    rateless = {"measured_window.is_steady": False, "cores": 2}
    assert Expression.of("tx.frames_per_s / cores").measured(rateless) is None
    with pytest.raises(SpinachError, match=r"no figure 'tx\.frames_per_s'"):
        Expression.of("tx.frames_per_s").measured({"measured_window.is_steady": True})


def test_a_search_minimises_arithmetic_on_columns(described: Path, tmp_path: Path) -> None:
    # The more cores, the better.
    described.write_text(
        FILE.replace("[1, 2]", "[1, 3, 2]") + '\n[search]\nminimise = "1 / cores - core_mhz * 0"\n'
    )
    search = Search(Description.read(described), tmp_path / "search.parquet")
    search.run()
    best = search.write().best
    assert best is not None
    assert best["cores"] == 3


@pytest.mark.parametrize(
    ("text", "value"),
    [("core_mhz", 400.0), ("tx.rate / -2", -1.5), ("(core_mhz + processor[0].size) ** 0.5 - 1", 20.0)],
)
def test_arithmetic_on_a_row(text: str, value: float) -> None:
    row = {"core_mhz": 400, "tx.rate": 3.0, "processor[0].size": 41}
    assert Expression.of(text).value(row) == value


@pytest.mark.parametrize("text", ["", "a +", "f(1)", "'a' * 2", "1 if a else 2", "True", "a < b", "(" * 500])
def test_what_is_not_arithmetic_is_refused(text: str) -> None:
    with pytest.raises(SpinachError):
        Expression.of(text)


@pytest.mark.parametrize("text", ["1 / a", "b", "c", "10 ** 400 ** 10.0", "(0 - 1) ** 0.5"])
def test_what_has_no_value_is_refused(text: str) -> None:
    with pytest.raises(SpinachError):
        Expression.of(text).value({"a": 0, "c": "166MHz"})


def test_the_front_is_what_nothing_beats() -> None:
    points = [(1.0, 1.0), (1.0, 2.0), (2.0, 1.5), (3.0, 4.0), (4.0, 4.0)]
    assert pareto_front(points) == [(1.0, 2.0), (3.0, 4.0)]


CLOCKED: list[dict[str, Any]] = [
    {"status": "complete", "clock": clock, "cores": cores, "rate": rate, "core": "functional"}
    for clock, cores, rate in (("200MHz", 1, 3.0), ("1GHz", 2, 4.0), ("80MHz", 1, 1.0), ("90 MHz", 2, 2.0))
]


def test_plots_order_quantities_by_size(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Any] = []
    for name in ("errorbar", "step"):
        monkeypatch.setattr(
            f"matplotlib.axes.Axes.{name}", lambda _, *points, **style: drawn.append(points[:2])
        )
    result = SweepResult(CLOCKED, 4)
    result.plot(x="clock", y="rate")
    result.plot(kind="pareto", x="clock", y="rate", by="core")
    assert drawn[0] == ([80, 90, 200, 1000], [1, 2, 3, 4])
    assert drawn[1] == ((80, 90, 200, 1000), (1, 2, 3, 4))
    monkeypatch.undo()
    image = result.plot(kind="heat_map", x="clock", y="cores", colour="rate")._repr_svg_()
    assert re.findall("<text[^>]*>([^<]*)</text>", image)[:5] == ["80", "90", "200", "1000", "clock (MHz)"]
    names = re.findall("clock ([^<]*)</text>", result.plot(x="cores", y="rate", by="clock")._repr_svg_())
    assert names == ["80MHz", "90 MHz", "200MHz", "1GHz"]


def test_a_heat_map_averages_points_at_the_same_place(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Any] = []

    real = import_module("matplotlib.axes").Axes.imshow

    def shown(axes: Any, cells: Any, **style: Any) -> Any:
        drawn.append(cells)
        return real(axes, cells, **style)

    monkeypatch.setattr("matplotlib.axes.Axes.imshow", shown)
    rows = [
        {"status": "complete", "cores": cores, "banks": 4, "seed": seed, "rate": rate}
        for cores, seed, rate in ((1, 1, 4.0), (1, 2, 6.0), (2, 1, 9.0), (2, 2, None))
    ]
    SweepResult(rows, 4).plot(kind="heat_map", x="cores", y="banks", colour="rate")
    assert drawn == [[[5.0, 9.0]]]


@pytest.mark.parametrize(
    ("kind", "x", "y"), [("pareto", "core", "rate"), ("pareto", "rate", "core"), ("lines", "rate", "core")]
)
def test_a_plot_that_needs_numbers_refuses_other_columns(kind: Any, x: str, y: str) -> None:
    with pytest.raises(SpinachError, match=r"plot\.svg needs numbers in core, which has 'functional'"):
        SweepResult(CLOCKED, 4).plot(kind=kind, x=x, y=y)


@pytest.mark.parametrize("kind", ["lines", "multiples", "heat_map", "pareto"])
def test_a_plot_leaves_out_points_without_a_value(kind: Any) -> None:
    complete = {"status": "complete", "tx.line_rate_fraction": 0.5, "cache": "1KiB"}
    rows: list[dict[str, Any]] = [
        {**complete, "cores": 1, "rate": 2.0},
        {**complete, "cores": 2},
        {"status": "failed"},
    ]
    plot = Plot(file="plot.svg", kind=kind, x="cores", y="rate", by="cache", panels="cache")
    assert "not drawn: 1 point without cores or rate" in plot_svg(plot, rows)
    assert "not drawn" not in plot_svg(plot, rows[:1])
    nowhere: list[dict[str, Any]] = [{**complete, "cores": 1}, {**complete, "rate": 2.0}]
    with pytest.raises(SpinachError, match="no point with both cores and rate"):
        plot_svg(plot, nowhere)


def test_the_command_draws_what_the_file_asks_for(started: Started, described: Path) -> None:
    plots = [("lines", "by"), ("multiples", "panels"), ("heat_map", "by"), ("pareto", "by")]
    for kind, group in plots:
        y = "traffic" if kind == "heat_map" else "tx.wire_gbps"
        lines = [
            f'kind = "{kind}"',
            f'file = "{kind}.svg"',
            'x = "cores"',
            f'y = "{y}"',
            f'{group} = "traffic"',
        ]
        with described.open("a") as file:
            file.write("\n[[plots]]\n" + "\n".join(lines) + "\n")
    process = started.spinach("sweep", str(described), "--jobs", "1")
    said, complaints = process.communicate(timeout=50)
    assert process.returncode == 0, complaints
    assert "4 of 4 points" in said
    for kind, _ in plots:
        assert "<svg" in described.with_name(f"{kind}.svg").read_text()


@pytest.mark.parametrize(
    ("column", "alike"), [("tx.wire_gpbs", "tx.wire_gbps"), ("coers", "cores"), ("core_mhs", "core_mhz")]
)
def test_a_misspelt_column_of_a_plot_is_refused_before_any_run(
    described: Path, capsys: pytest.CaptureFixture[str], column: str, alike: str
) -> None:
    described.write_text(f"{FILE}[[plots]]\nfile = 'x.svg'\nx = 'cores'\ny = '{column}'\n")
    assert cli.carry_out(["sweep", str(described), "--jobs", "1"]) == 2
    error, help = capsys.readouterr().err.splitlines()
    assert error == f"error: the plot x.svg uses '{column}', which is not a column of the table"
    assert alike in help
    assert not described.with_name("cores.parquet.journal.jsonl").exists()


def test_lines_average_points_at_the_same_place(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Any] = []
    monkeypatch.setattr("matplotlib.axes.Axes.errorbar", lambda _, *points, **style: drawn.append(points))
    rows = [
        {"status": "complete", "cores": cores, "seed": seed, "rate": rate, "rate_error": 0.3}
        for cores, seed, rate in ((1, 1, 4.0), (1, 2, 6.0), (2, 1, 9.0), (2, 2, None))
    ]
    SweepResult(rows, 4).plot(x="cores", y="rate")
    assert drawn == [([1, 2], [5.0, 9.0], pytest.approx([0.3 / 2**0.5, 0.3]))]


INTERRUPTED = """
import signal, sys
from pathlib import Path
from spinach_nic.studies.sweeping import Description, Sweep
from spinach_nic.studies.sweeping.journal import Journal
from spinach_nic.support import signals

def interrupted(journal, point, carried, add=Journal.add):
    signal.raise_signal(signal.SIGINT)
    add(journal, point, carried)

Journal.add = interrupted
signal.signal(signal.SIGINT, signal.SIG_DFL)  # a suite in the background ignores it
signals.end_in_order()
running = Sweep(Description.read(Path(sys.argv[1])), Path(sys.argv[2]))
try:
    running.run()
except KeyboardInterrupt:
    print(len(running.write().rows))
"""


def test_an_interrupt_before_a_line_of_the_journal_waits_for_it(described: Path, tmp_path: Path) -> None:
    table = tmp_path / "cores.parquet"
    words = [sys.executable, "-c", INTERRUPTED, str(described), str(table)]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=50)
    assert ran.stdout == "1\n", ran.stderr
    assert len(table.with_name(f"{table.name}.journal.jsonl").read_text().splitlines()) == 1


def test_an_interrupt_leaves_the_table_of_what_was_run(started: Started, tmp_path: Path) -> None:
    path = tmp_path / "long.toml"
    path.write_text(
        FILE.replace("cores = [1, 2]", "cores = [1, 2, 3, 4, 5, 6]").replace("frames = 100", "frames = 3000")
    )
    process = started.spinach("sweep", str(path), "--jobs", "1", "--quiet")
    journal = tmp_path / "long.parquet.journal.jsonl"
    while not journal.exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=50)
    assert process.returncode == 130
    rows = pq.read_table(tmp_path / "long.parquet").to_pylist()
    assert 1 <= len(rows) < 12
    assert len(rows) == len([json.loads(line) for line in journal.read_text().splitlines()])


def test_a_cluster_that_loses_a_worker_completes_the_sweep(described: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
    ) as cluster:
        running = Sweep(Description.read(described), tmp_path / "cores.parquet")
        victims = [worker.pid for worker in cluster.workers.values()]

        def kill(progress: SweepProgress) -> None:
            if progress.done == 1 and victims:
                subprocess.run(["kill", "-9", str(victims.pop())], check=True)
                victims.clear()

        running.run(cluster=cluster.scheduler_address, progress=kill)
    result = running.write()
    assert (len(result.rows), result.failed) == (4, 0)


def test_a_cluster_that_does_not_answer_is_one_line(started: Started, described: Path) -> None:
    pytest.importorskip("distributed")
    process = started.spinach("sweep", str(described), "--cluster", "tcp://127.0.0.1:1")
    _, complaints = process.communicate(timeout=50)
    assert process.returncode == 2
    assert "no scheduler answers at tcp://127.0.0.1:1" in complaints
    assert "Traceback" not in complaints


@pytest.mark.parametrize(("count", "note"), [(30, None), (31, "and 1 more"), (47, "and 17 more")])
def test_a_notebook_shows_exactly_the_first_rows(count: int, note: str | None) -> None:
    rows = [{"cores": number, "status": "complete", "request": "run", "seed": 1} for number in range(count)]
    shown = SweepResult(rows, count)._repr_html_()
    assert len(re.findall("<tr", shown)) == 1 + 30
    assert re.findall(r"and \d+ more", shown) == ([] if note is None else [note])
