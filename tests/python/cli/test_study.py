"""`spinach trace` and `spinach study`: from a NIC to tables, and mistakes in two lines."""

import json
from pathlib import Path

import pytest

from spinach_nic import cli


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("traced")
    arguments = ["trace", "tengig", "--set", "cores=2", "--frames", "100", "--quiet", "-o", str(folder)]
    assert cli.carry_out(arguments) == 0
    return str(folder)


def rows_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, float]]:
    capsys.readouterr()
    assert cli.carry_out(["study", *arguments, "--json", "-"]) == 0
    rows: list[dict[str, float]] = json.loads(capsys.readouterr().out)
    return rows


def test_trace_says_what_it_wrote(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.carry_out(["trace", "tengig", "--frames", "5", "-o", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "instructions.parquet" in said
    assert "instructions of 6 cores" in said


def test_issue_limits_are_the_whole_table(traced: str, capsys: pytest.CaptureFixture[str]) -> None:
    rows = rows_of(capsys, "issue-limits", traced)
    assert len(rows) == 30
    assert {row["issue_width"] for row in rows} == {1, 2, 4}
    assert cli.carry_out(["study", "issue-limits", traced]) == 0
    assert "out of order" in capsys.readouterr().out
    assert len(rows_of(capsys, "issue-limits", traced, "--width", "3", "--all", "--core", "1")) == 10


def test_vliw_tables_and_listings(traced: str, capsys: pytest.CaptureFixture[str]) -> None:
    rows = rows_of(capsys, "vliw", traced)
    assert [row["issue_width"] for row in rows] == [3, 4, 6, 7, 9, 11, 13]
    assert all(row["frames_per_kilocycle"] > 0 for row in rows)
    assert cli.carry_out(["study", "vliw", traced, "--units", "2,1,1", "--blocks", "3"]) == 0
    listing = capsys.readouterr().out
    assert listing.count("bundles\n") == 3
    assert "integer" in listing


def test_coherence_sweeps_the_sizes_of_the_figure(traced: str, capsys: pytest.CaptureFixture[str]) -> None:
    rows = rows_of(capsys, "coherence", traced)
    assert [row["cache_bytes"] for row in rows] == [16 << power for power in range(12)]
    ratios = [row["hit_ratio"] for row in rows]
    assert ratios == sorted(ratios)
    (one,) = rows_of(capsys, "coherence", traced, "--cache", "core0,core1", "--size", "64", "--all-addresses")
    assert one["invalidating_write_ratio"] == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["issue-limits", "{}/nowhere"], "cannot read the trace"),
        (["issue-limits", "{}", "--task", "idel"], "has no task called `idel`"),
        (["issue-limits", "{}/accesses.parquet"], "is not the kind of trace that was asked for"),
        (["vliw", "{}", "--units", "3,0,1"], "the machine has no unit for"),
        (["vliw", "{}", "--units", "three"], "is not a number of"),
        (["vliw", "{}/instructions.parquet"], "is a trace without firmware"),
        (["vliw", "{}", "--image", "{}/result.json"], "result.json"),
        (["coherence", "{}", "--cache", "dma_reed"], "no access is by an agent called"),
        (["coherence", "{}", "--size", "24"], "24"),
        (["coherence", "{}/instructions.parquet"], "not a folder of traces"),
    ],
)
def test_mistakes_are_two_lines(
    traced: str, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.carry_out(["study", *(argument.format(traced) for argument in arguments)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.splitlines()[-1].startswith("help: ")
