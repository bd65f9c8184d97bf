"""`spinach compare`: differences between two results."""

import json
import math
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs
from tests.python.conftest import Started

from spinach_nic import Result, cli, run
from spinach_nic.studies.comparing import Difference, compare


def results() -> list[Result]:
    return [
        run("tengig", frames=100, set={"cores": cores, "core": "functional"}, traffic="udp:100")
        for cores in (1, 2)
    ]


def test_what_was_asked_and_what_came_out_is_listed() -> None:
    first, second = results()
    found = compare(first, second)
    (cores,) = [one for one in found.configuration if one.name == "cores"]
    assert (cores.first, cores.second, cores.change) == (1, 2, 1.0)
    (core,) = [one for one in found.configuration if one.name.startswith("processor[1]")]
    own = [name for name in second.config if name.startswith("processor[1].")]
    assert core == Difference("processor[1]", None, f"{len(own)} parameters")
    sizes = [one.size for one in found.results]
    assert sizes == sorted(sizes, reverse=True)
    names = {one.name for one in found.results}
    assert "tx.wire_gbps" in names
    assert not {"wall_s", "core_cycles_per_wall_s"} & names
    again = compare(first, first)
    assert not [*again.configuration, *again.results]


@pytest.mark.parametrize(
    ("first", "second", "change", "size"),
    [(2, 1, -0.5, 0.693), (1.0, 2.0, 1.0, 0.693), (0, 3, None, float("inf")), (None, 3, None, float("inf"))],
)
def test_the_half_is_as_different_as_the_double(
    first: float | None, second: float, change: float | None, size: float
) -> None:
    difference = Difference("any", first, second)
    assert difference.change == change
    assert difference.size == pytest.approx(size, abs=1e-3)


def test_rates_within_their_errors_are_no_measurable_difference() -> None:
    first, _ = results()
    tx = replace(first.tx, wire_gbps=5.0, wire_gbps_error=0.03, frames_per_s=100.0, frames_per_s_error=3.0)
    one = structs.replace(first, tx=tx)
    other = structs.replace(
        first,
        tx=replace(tx, wire_gbps=5.05, wire_gbps_error=0.04, frames_per_s=106.0, frames_per_s_error=4.0),
    )
    found = compare(one, other)
    assert [it.name for it in found.within_error] == ["tx.wire_gbps"]  # exactly the error of the difference
    (rate,) = found.results
    assert (rate.name, rate.first_error, rate.second_error) == ("tx.frames_per_s", 3.0, 4.0)


def test_figures_without_errors_are_listed_separately(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = results()
    found = compare(first, second)
    assert "simulated_ns" in {it.name for it in found.without_error}
    assert all(
        None not in (it.first_error, it.second_error) for it in found.measurable if it.change is not None
    )
    for name, result in (("one", first), ("two", second)):
        (tmp_path / name).write_text(result.to_json())
    assert cli.carry_out(["compare", str(tmp_path / "one"), str(tmp_path / "two"), "--all"]) == 0
    _, _, unknown = capsys.readouterr().out.partition("error not known")
    assert "simulated_ns" in unknown
    assert not any(it.is_measurable for it in found.without_error)
    assert "error not known" in (compare(first, second)._repr_html_())


def test_the_command_compares_documents(started: Started, tmp_path: Path) -> None:
    paths = [tmp_path / "one.json", tmp_path / "two.json"]
    for path, result in zip(paths, results(), strict=True):
        path.write_text(result.to_json())
    said, complaints = started.spinach("compare", *map(str, paths)).communicate(timeout=30)
    assert not complaints
    assert any(line.split() == ["cores", "1", "2", "+100.00", "%"] for line in said.splitlines())
    document, _ = started.spinach("compare", *map(str, paths), "--json", "-").communicate(timeout=30)
    assert {one["name"] for one in json.loads(document)["configuration"]} >= {"cores"}
    same, _ = started.spinach("compare", str(paths[0]), str(paths[0])).communicate(timeout=30)
    assert same == "nothing differs\n"


def test_values_are_shown_to_the_digits_of_their_errors(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / name for name in ("first.json", "second.json")]
    result = results()[0]
    for file, (value, error) in zip(files, [(9.12345, 0.317), (4.0, 0.0213)], strict=True):
        tx = replace(result.tx, wire_gbps=value, wire_gbps_error=error)
        file.write_text(structs.replace(result, tx=tx).to_json())
    assert cli.carry_out(["compare", *map(str, files), "--json", str(tmp_path / "differences")]) == 0
    (row,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("tx.wire_gbps")]
    assert row.split()[1:] == ["9.12", "±", "0.32", "4", "±", "0.021", "-56.16", "%"]
    document = json.loads((tmp_path / "differences").read_text())
    (one,) = [it for it in document["results"] if it["name"] == "tx.wire_gbps"]
    assert (one["first"], one["second"]) == (9.12345, 4.0)


def test_results_without_a_known_error_are_not_said_to_be_equal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / name for name in ("first.json", "second.json")]
    result = results()[0]
    for file, instructions in zip(files, (100, 200), strict=True):
        file.write_text(structs.replace(result, instructions=instructions).to_json())
    assert cli.carry_out(["compare", *map(str, files)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["configuration: nothing differs", "results with a known error: nothing differs"]
    assert lines[2].startswith("error not known")


def test_what_is_no_result_is_refused(started: Started, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.json"
    wrong.write_text("{}")
    for path, said in (
        (wrong, "is not a document spinach-result/1"),
        (tmp_path / "none.json", "cannot read"),
    ):
        process = started.spinach("compare", str(path), str(wrong))
        _, complaints = process.communicate(timeout=30)
        assert process.returncode == 2
        assert said in complaints


def test_half_and_double_differ_by_as_much() -> None:
    assert Difference("rate", 3, 12).size == pytest.approx(math.log(4))
    assert Difference("rate", 12, 3).size == pytest.approx(math.log(4))
    assert Difference("rate", 3, None).size == Difference("rate", 3, 0).size == math.inf


def test_numbers_beyond_the_largest_float_are_compared() -> None:
    huge = 10**400
    assert Difference("count", huge, -huge).change == -2
    assert Difference("count", -huge, huge // 10).change == -2
    assert Difference("count", huge, sys.float_info.max / 2).change == -0.5


def test_values_are_shown_to_the_second_digit_of_their_error() -> None:
    one = Difference("tx.wire_gbps", 9.123456, 12345.678, 0.0312, 210.0)
    assert one.shown == ("9.123 ± 0.031", "12350 ± 210")
    assert Difference("latency", 9.1234567, None).shown == ("9.12346", "-")
    assert Difference("frames", 1234567, 7).shown == ("1234567", "7")
