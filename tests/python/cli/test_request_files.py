"""Request of a run, from a file."""

import json
from pathlib import Path

import pytest
from tests.python.cards.trouble import timeless_document

from spinach_nic import cli
from spinach_nic.runs.result import MEASURED_FIELDS
from spinach_nic.starter import write_nic

TOML = """
nic = "tengig"
[options]
traffic = ["udp:100:tx", "udp:200:rx"]
frames = "tx=20,rx=30"
[parameters]
cores = 1
core = "functional"
"""


def document(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    assert cli.carry_out(["run", *words, "--json", "-"]) == 0
    return timeless_document(json.loads(capsys.readouterr().out))


def test_a_file_says_what_options_say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(TOML)
    words = ["tengig", "--traffic", "udp:100:tx", "--traffic", "udp:200:rx", "--frames", "tx=20,rx=30"]
    asked = document(capsys, *words, "--set", "cores=1", "--set", "core=functional")
    assert document(capsys, "-c", str(file)) == asked
    # The command line takes precedence over the file, even for one parameter.
    changed = document(capsys, "-c", str(file), "--set", "banks=2", "--seed", "4")
    assert changed["seed"] == 4
    config = changed["config"]
    assert isinstance(config, dict)
    assert (config["cores"], config["banks"]) == (1, 2)


def test_a_result_repeats_its_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["tengig", "--traffic", "imix@2Gbps", "--time", "60us", "--set", "cores=2", "--seed", "9"]
    first = document(capsys, *words, "--stall-after", "30ms")
    file = tmp_path / "result.json"
    file.write_text(json.dumps(first | dict.fromkeys(MEASURED_FIELDS, 0)))
    assert document(capsys, "-c", str(file)) == first


def test_a_result_repeats_the_run_of_a_nic_in_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    nic = write_nic(Path("mynic"))[0]
    first = document(capsys, str(nic), "--frames", "20")
    Path("result.json").write_text(json.dumps(first | dict.fromkeys(MEASURED_FIELDS, 0)))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert document(capsys, "-c", "../result.json") == first
    # Moved together, the result and the NIC still belong together.
    Path("../mynic").rename("../moved")
    Path("../result.json").rename("../moved/result.json")
    moved = document(capsys, "-c", "../moved/result.json")
    assert moved | {"nic_file": None} == first | {"nic_file": None}
    Path("../moved/mynic.py").unlink()
    assert cli.carry_out(["run", "-c", "../moved/result.json"]) == 2
    assert f"there is no file {tmp_path}/mynic/mynic.py" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nic = ", "invalid run configuration"),
        ("colour = 1", "unknown field `colour`"),
        ('nic = "tengig"\n[options]\ncolour = 1', "'colour', which is not an option"),
        ('nic = "tengig"\n[options]\nframes = "many"', "not a number of frames"),
        ('nic = "tengig"\n[options]\nseed = [1, 2]', "gives seed 2 values"),
        ("{}", "is not a document spinach-result/1"),
        ("[options]\nseed = 1", "Missing argument 'NIC'"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    file = tmp_path / "wrong"
    file.write_text(text)
    assert cli.carry_out(["run", "-c", str(file)]) == 2
    assert said in capsys.readouterr().err


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.carry_out(["run", "-c", str(tmp_path / "none")]) == 2
    assert "cannot read" in capsys.readouterr().err
