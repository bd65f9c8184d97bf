"""Experiments are run point by point, claims can fail, and a failure is seen."""

import json
import math
from pathlib import Path

import jsonschema
import pytest
from tests.python.reproduction import tiny

from spinach_nic import SpinachError, cli
from spinach_nic.experiments import runner as reproduction
from spinach_nic.experiments._rates import least, most
from spinach_nic.experiments.runner import (
    FULL,
    QUICK,
    Claim,
    Column,
    Experiment,
    Extent,
    Reproduction,
    ReproductionProgress,
    Rows,
    at_least,
    at_most,
    document,
    expectation,
    figure_of,
    find_experiment,
    near,
    number,
    only,
    reproduce,
    shipped_experiments,
    shown,
    with_errors,
)
from spinach_nic.experiments.runner.report import report
from spinach_nic.experiments.runner.results import SCHEMA_FILE
from spinach_nic.support.measured import Measured

ALL = (tiny.Squares(), tiny.MoreSquares(), tiny.FailingSquares(), tiny.InterruptedSquares())


@pytest.fixture
def tiny_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command finds the tiny experiments, and these alone."""
    shipped: dict[str, Experiment] = {experiment.name: experiment for experiment in ALL}
    monkeypatch.setattr("spinach_nic.experiments.runner.catalog.shipped_experiments", lambda: shipped)
    monkeypatch.setattr(reproduction, "shipped_experiments", lambda: shipped)


def run(*experiments: Experiment, jobs: int = 1) -> dict[str, Reproduction]:
    return {it.experiment.name: it for it in reproduce(experiments, extent=FULL, jobs=jobs)}


def test_a_claim_can_fail() -> None:
    (squares,) = run(tiny.Squares()).values()
    assert [(claim.holds, claim.figure) for claim in squares.claims] == [(False, 4.0), (True, 9.0)]
    assert not at_most("", 1.01, 1).holds
    assert near("", 9, 10).holds
    assert not near("", 8.9, 10).holds
    assert not near("", 11.1, 10).holds
    assert not at_least("", float("nan"), 0).holds
    assert not near("", float("nan"), 1).holds


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (at_least("", Measured(99.0, 1.0), 98.0), "holds"),
        (at_least("", Measured(99.0, 1.0), 98.01), "undecided"),
        (at_least("", Measured(99.0, 1.0), 100.0), "undecided"),
        (at_least("", Measured(99.0, 1.0), 100.01), "does not hold"),
        (at_most("", Measured(99.0, 1.0), 100.0), "holds"),
        (at_most("", Measured(99.0, 1.0), 99.99), "undecided"),
        (at_most("", Measured(99.0, 1.0), 97.99), "does not hold"),
        (near("", Measured(100.0, 10.0), 100.0), "holds"),
        (near("", Measured(100.0, 10.1), 100.0), "undecided"),
        (near("", Measured(88.0, 2.0), 100.0), "undecided"),
        (near("", Measured(88.0, 1.99), 100.0), "does not hold"),
        (near("", Measured(float("nan"), 1.0), 100.0), "undecided"),
        (at_least("", 99.0, 99.0), "holds"),
    ],
)
def test_a_claim_is_decided_beyond_the_error_of_its_figure(claim: Claim, verdict: str) -> None:
    assert claim.verdict == verdict
    assert claim.holds == (verdict == "holds")
    assert claim.undecided == (verdict == "undecided")


def test_errors_of_figures_are_columns_of_their_own() -> None:
    row = with_errors(share=Measured(0.99, 0.01), exact=Measured(2.0))
    assert row == {"share": 0.99, "share_error": 0.01, "exact": 2.0}
    assert figure_of(row, "share") == Measured(0.99, 0.01)
    assert figure_of(row, "exact") == Measured(2.0)


def test_figures_that_are_not_known_decide_no_claim_and_have_a_dash() -> None:
    gain = Measured(3.0, 0.1) / Measured(0.0)
    row = with_errors(gain=gain)
    assert row == {"gain": None}
    assert Column("gain", "gain").show(row["gain"]) == "-"
    claim = at_least("more", figure_of(row, "gain"), 1)
    assert (claim.verdict, claim.measured, claim.figure) == ("undecided", "not measured", None)
    assert math.isnan(number(row, "gain"))
    for extreme in (least, most):
        assert math.isnan(extreme([Measured(1.0), gain, Measured(3.0)]).value)


class Inverses(tiny.Squares):
    """Squares of which one is zero, and is a divisor."""

    name = "tiny-table-2"
    sides = (0, 2)

    def claims(self, rows: Rows) -> list[Claim]:
        return [at_least("inverse", 1 / number(row, "area"), 0) for row in rows]


def test_a_division_by_a_figure_of_zero_fails_its_experiment_and_no_other() -> None:
    found = run(Inverses(), tiny.Squares())
    failure = found["tiny-table-2"].failure
    assert failure is not None
    assert failure.startswith("tiny-table-2 divides by a figure that was measured as zero\nhelp: ")
    assert found["tiny-table-1"].failure is None


def test_a_request_that_two_experiments_make_is_carried_out_once() -> None:
    tiny.carried_out.clear()
    progress: list[ReproductionProgress] = []
    found = list(reproduce([tiny.Squares(), tiny.MoreSquares()], extent=FULL, progress=progress.append))
    assert tiny.carried_out == [2, 3, 4]
    assert [[row["area"] for row in it.rows] for it in found] == [[4, 9], [9, 16]]
    assert progress == [ReproductionProgress(done, 3) for done in range(4)]


def test_processes_give_the_same_as_this_one() -> None:
    experiments = [tiny.Squares(), tiny.MoreSquares(), tiny.FailingSquares()]
    alone, together = run(*experiments), run(*experiments, jobs=3)
    for name, here in alone.items():
        assert together[name].document() == here.document()


def test_a_failed_point_fails_its_experiment_and_no_other() -> None:
    found = run(tiny.FailingSquares(), tiny.Squares())
    failed = found["tiny-table-3"]
    assert failed.failure == "square 13: 13 is not accounted for\nhelp: look at the firmware"
    assert (failed.rows, failed.claims, failed.failed_exit_code) == ((), (), 3)
    assert found["tiny-table-1"].failure is None


class ExpectedSquares(tiny.Squares):
    """Squares with a claim that is not published."""

    name = "tiny-table-2"

    def claims(self, rows: Rows) -> list[Claim]:
        claims = super().claims(rows)
        return [expectation(at_least("own", claims[0].figure or 0, 4, ours="2 x 2")), *claims]


class UnpublishedSquares(tiny.Squares):
    """Squares of which nothing was published."""

    name = "tiny-table-3"
    is_own = True


def test_our_expectations_are_not_counted_among_claims_of_the_publication() -> None:
    found = run(ExpectedSquares(), UnpublishedSquares())
    one, other = found["tiny-table-2"], found["tiny-table-3"]
    assert [claim.own for claim in one.claims] == [True, False, False]
    assert [claim.text for claim in one.expectations] == ["own"]
    assert one.claims[0].criterion == "at least 4 (our bound: 2 x 2)"
    assert one.claims[0].holds
    assert "1 of 2 claims hold" in repr(one)
    assert other.published_claims == ()
    assert all(claim.own for claim in other.claims)
    text = report(list(found.values()), asked=2)
    top = text[: text.index("<section")]
    assert "1 of 2 claims hold" in top
    assert "2 of 3 of our expectations hold, which no publication states" in top
    assert text.count("(our expectation)") == 3


def test_an_interruption_in_a_process_of_its_own_ends_all() -> None:
    with pytest.raises(KeyboardInterrupt):
        run(tiny.InterruptedSquares(), jobs=2)


def test_one_experiment_is_an_object_and_several_are_a_list(tiny_ones: None) -> None:
    found = list(run(tiny.Squares(), tiny.MoreSquares()).values())
    one = document(found[:1], asked=1).document()
    assert list(one["rows"]) == [{"side": 2, "area": 4.0}, {"side": 3, "area": 9.0}]
    assert list(one["published"]) == [{"side": 2, "area": 5.0}]
    assert one["claims"][0] == {
        "text": "2 is large",
        "figure": 4.0,
        "criterion": "at least 9",
        "holds": False,
        "error": None,
        "undecided": False,
        "own": False,
    }
    assert list(one["requests"]) == ["square 2", "square 3"]
    jsonschema.validate(json.loads(json.dumps(one)), json.loads(SCHEMA_FILE.read_text()))
    both = document(found, asked=3).document()
    assert [it["name"] for it in both["experiments"]] == ["tiny-table-1", "tiny-table-2"]
    assert both["complete"] is False


def test_command_prints_published_beside_measured_and_writes_a_report(
    tiny_ones: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.html"
    assert cli.carry_out(["reproduce", "tiny-table-1", "--jobs", "1", "-o", str(report)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[2:5]] == [
        ["side", "area", "published", "ratio"],
        ["2", "4.0", "5.0", "0.80"],
        ["3", "9.0", "-", "-"],
    ]
    assert "does not hold: 2 is large (measured 4, expected at least 9)" in lines
    text = report.read_text()
    assert "<svg" in text
    assert "does not hold" in text
    assert "square 3" in text
    for needs_another_file in ("<script", "<link", "<img", "src=", 'href="http'):
        assert needs_another_file not in text


def test_command_reports_a_failure_and_keeps_the_rest(
    tiny_ones: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["tiny-table-3", "tiny-table-2", "--json", "-", "--jobs", "1"]
    assert cli.carry_out(["reproduce", *arguments, "-o", str(tmp_path / "report.html")]) == 3
    captured = capsys.readouterr()
    failed, kept = json.loads(captured.out)["experiments"]
    assert (failed["complete"], failed["rows"]) == (False, [])
    assert (kept["complete"], len(kept["rows"])) == (True, 2)
    assert "error: tiny-table-3: square 13: 13 is not accounted for\nhelp: " in captured.err
    assert "13 is not accounted for" in (tmp_path / "report.html").read_text()


def test_command_keeps_what_is_finished_when_interrupted(
    tiny_ones: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["tiny-table-1", "tiny-table-4", "--json", "-", "--jobs", "1"]
    assert cli.carry_out(["reproduce", *arguments, "-o", str(tmp_path / "report.html")]) == 130
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    assert (found["complete"], [it["name"] for it in found["experiments"]]) == (False, ["tiny-table-1"])
    assert captured.err.endswith("interrupted: 1 of 2 experiments finished\n")


def test_an_interrupted_report_never_replaces_a_finished_one(
    tiny_ones: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report, beside = tmp_path / "report.html", tmp_path / "report.interrupted.html"
    interrupted = ["reproduce", "tiny-table-1", "tiny-table-4", "--jobs", "1", "-o", str(report)]
    assert cli.carry_out(interrupted) == 130
    assert "Interrupted:</strong> 1 of 2" in report.read_text()
    assert not beside.exists()
    assert cli.carry_out(["reproduce", "tiny-table-1", "--jobs", "1", "-o", str(report)]) == 0
    finished = report.read_text()
    assert "Interrupted" not in finished
    capsys.readouterr()
    assert cli.carry_out(interrupted) == 130
    assert f"report: {beside}" in capsys.readouterr().out
    assert report.read_text() == finished
    assert "Interrupted:</strong> 1 of 2" in beside.read_text()


def test_outputs_are_checked_before_anything_is_run(
    tiny_ones: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tiny.carried_out.clear()
    one = str(tmp_path / "one")
    for outputs in (["-o", str(tmp_path / "no" / "r.html")], ["-o", one, "--json", one], ["--json", "/"]):
        assert cli.carry_out(["reproduce", "tiny-table-1", "--jobs", "1", *outputs]) == 2
        assert capsys.readouterr().err.startswith("error: ")
    assert tiny.carried_out == []


def test_the_report_counts_claims_says_that_it_is_quick_and_draws_what_was_published(
    tiny_ones: None, tmp_path: Path
) -> None:
    report = tmp_path / "report.html"
    assert cli.carry_out(["reproduce", "tiny-table-1", "--quick", "--jobs", "1", "-o", str(report)]) == 0
    text = report.read_text()
    top = text[: text.index("<section")]
    assert "1 of 2 claims hold" in top
    assert "A quick run:" in top
    assert ">published<" in text[text.index("<svg") : text.index("</svg>")]
    assert cli.carry_out(["reproduce", "tiny-table-1", "--jobs", "1", "-o", str(report)]) == 0
    assert "A quick run:" not in report.read_text()


@pytest.mark.parametrize(
    ("figure", "text"),
    [
        (0.0, "0"),
        (4.0, "4"),
        (0.99512, "0.9951"),
        (1234567.8, "1,235,000"),
        (0.000123456, "0.0001235"),
        (-12.3456, "-12.35"),
        (9.99999, "10"),
        (float("nan"), "no number"),
        (1e-20, "1e-20"),
    ],
)
def test_figures_are_for_people(figure: float, text: str) -> None:
    assert shown(figure) == text
    column = Column("x", "x")
    assert [column.show(it) for it in (120000, True, False, 1234.5, None)] == [
        *("120,000", "yes", "no"),
        *("1,234.50", "-"),
    ]
    assert near("", 9, 1000).criterion == "1,000 ± 10 %"


def test_unknown_name_lists_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.carry_out(["reproduce", "thesis-table-4.44"]) == 2
    captured = capsys.readouterr()
    assert "there is no experiment 'thesis-table-4.44'" in captured.err
    assert "thesis-table-4.4" in captured.err.splitlines()[1]


def test_a_report_that_cannot_be_written_is_refused(tiny_ones: None, tmp_path: Path) -> None:
    assert (
        cli.carry_out(["reproduce", "tiny-table-1", "--jobs", "1", "-o", str(tmp_path / "no" / "r.html")])
        == 2
    )


def test_selection_keeps_what_claims_need() -> None:
    assert QUICK.some([1, 2, 4, 6, 8], needed=(6, 8)) == [1, 6, 8]
    assert FULL.some([1, 2, 4]) == [1, 2, 4]
    assert Extent("", 1, 2).some([1, 2, 3, 4], needed=(2, 3, 4)) == [2, 3, 4]


def test_a_row_is_found_by_its_values_or_not_at_all() -> None:
    rows = [{"a": 1, "b": 2}, {"a": 1, "b": 3}]
    assert only(rows, b=3) == {"a": 1, "b": 3}
    for wanted in ({"a": 1}, {"b": 4}):
        with pytest.raises(LookupError):
            only(rows, **wanted)


def test_every_shipped_experiment_declares_what_it_needs() -> None:
    for name, experiment in shipped_experiments().items():
        columns = {column.name for column in (*experiment.key, *experiment.measured)}
        assert experiment.key
        for row in experiment.published:
            assert set(row) <= columns, name
            assert {column.name for column in experiment.key} <= set(row), name
        assert find_experiment(name).points(QUICK), name
    with pytest.raises(SpinachError):
        find_experiment("thesis")
