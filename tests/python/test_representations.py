"""Texts for people have the right number."""

from pathlib import Path

import pytest

from spinach_nic import cli, run
from spinach_nic.support.representations import amount, latency_us


def test_nouns_follow_their_number() -> None:
    assert [amount(number, "core") for number in (0, 1, 2000)] == ["0 cores", "1 core", "2,000 cores"]
    assert [amount(number, "access", "accesses") for number in (1, 2)] == ["1 access", "2 accesses"]


def test_latencies_have_three_digits() -> None:
    shown = [latency_us(it) for it in (0, 65, 6143, 9999, 33791, 303103, 6422527)]
    assert shown == ["0.00", "0.065", "6.14", "10.0", "33.8", "303", "6,420"]


def test_one_core_is_one_in_summaries(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["tengig", "--set", "cores=1", "--frames", "5"]
    assert cli.carry_out(["trace", *given, "-o", str(tmp_path / "traces")]) == 0
    assert capsys.readouterr().out.endswith(" instructions of 1 core\n")
    assert cli.carry_out(["profile", *given]) == 0
    assert "; one core\n" in capsys.readouterr().out
    result = run("tengig", frames=5, set={"cores": 1})
    assert "<p>1 core, " in result._repr_html_()
