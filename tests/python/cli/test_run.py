"""`spinach run` prints what `run` returns, and exits as it ended."""

import json
import shutil
from pathlib import Path

import pytest
from tests.python.runs.systems import MINE

from spinach_nic import cli

CAPTURE = Path(__file__).parents[3] / "captures" / "web-ping-udp.pcap"


@pytest.fixture
def faulty(tmp_path: Path) -> str:
    file = tmp_path / "faulty.py"
    file.write_text(MINE.replace("Wires", "WiresAndCore"))
    return str(file)


def test_a_table_for_a_person_and_no_progress_bar_in_a_pipe(
    wires: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.carry_out(["run", wires, "--frames", "100", "--traffic", "imix"]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("wires, imix\nsteady window: ")
    rates, whole_run = captured.out.split("of the whole run:")
    assert "share of line rate" in rates
    assert "latency p50, us" in whole_run
    assert "frames delivered" in whole_run
    assert captured.err == ""


@pytest.mark.parametrize("command", ["run", "profile"])
def test_names_in_the_headline_are_no_markup(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(CAPTURE, "[red]a.pcap")
    given = ["--frames", "5", "--traffic", "raw:100:rx", "--traffic", "pcap:[red]a.pcap:tx"]
    assert cli.carry_out([command, "tengig", *given, "--set", "cores=1"]) == 0
    (first, *_) = capsys.readouterr().out.splitlines()
    assert first.endswith(", raw:100:rx, pcap:[red]a.pcap:tx")


def test_memories_of_many_cores_share_a_row_and_tasks_without_instructions_have_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "result.json"
    wanted = ["--set", "rpus=4", "--frames", "20", "--json", str(kept)]
    assert cli.carry_out(["run", "rosebud", *wanted]) == 0
    lines = capsys.readouterr().out.splitlines()
    (row,) = [line for line in lines if line.startswith("rpu") and "mover" in line]
    memories = json.loads(kept.read_text())["memories"]
    rates = [memories[f"rpu[{number}].mover"]["gbps"] for number in range(4)]
    least, most = f"{min(rates):.2f}", f"{max(rates):.2f}"
    assert row.startswith("rpu[*].mover")
    assert (least if least == most else f"{least} to {most}") in row
    assert any(line.startswith("elsewhere") for line in lines)
    assert not any(line.startswith("send locking") for line in lines)


def test_the_document_on_standard_output_is_alone_there(
    wires: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.carry_out(["run", wires, "--frames", "10", "--json", "-", "--seed", "5"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "spinach-result/1"
    assert (document["nic"], document["seed"]) == ("wires", 5)


def test_quiet_writes_files_and_nothing_else(
    wires: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    json_out, pcap_out = tmp_path / "result.json", tmp_path / "frames.pcapng"
    arguments = ["--quiet", "--json", str(json_out), "--pcap-out", str(pcap_out), "--time", "20us"]
    assert cli.carry_out(["run", wires, *arguments]) == 0
    assert json.loads(json_out.read_text())["simulated_ns"] == 20_000
    assert pcap_out.stat().st_size > 10_000
    assert capsys.readouterr() == ("", "")


def test_settings_reach_the_parts(wires: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--set", "core_clock=312.5MHz", "--set", "out.gap=20", "--frames", "5", "--json", "-"]
    assert cli.carry_out(["run", wires, *arguments]) == 0
    config = json.loads(capsys.readouterr().out)["config"]
    assert (config["core_clock"], config["out.gap"]) == ("312.5 MHz", "20")


def test_a_fault_shows_registers_and_writes_the_partial_document(
    faulty: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.carry_out(["run", faulty, "--json", "-"]) == 3
    captured = capsys.readouterr()
    assert json.loads(captured.out)["complete"] is False
    assert captured.err.startswith("registers:\n")
    assert "error: core[0] stopped at 0x" in captured.err
    assert "(faults/misaligned_load.c:" in captured.err


def test_lost_frames_exit_with_3(wires: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.carry_out(["run", wires, "--frames", "10", "--set", "damaged=3"]) == 3
    captured = capsys.readouterr()
    assert "frames corrupted" in captured.out
    assert "error: tx: of 9 frames offered, 1 corrupted" in captured.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--set", "cores"],
        ["--set", "=3"],
        ["--set", "cors=3"],
        ["--time", "2"],
        ["--time", "2MHz"],
        ["--frames", "many"],
        ["--traffic", "udp:1472:tx", "--traffic", "imix"],
        ["--json", "/nowhere/result.json", "--frames", "1"],
    ],
)
def test_a_wrong_request_exits_with_2(
    wires: str, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.carry_out(["run", wires, *arguments]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["error", "help"]


def test_who_gives_a_command_is_told_no_line_of_a_source(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.carry_out(["run", "tengig", "--set", "cores=0"]) == 2
    assert capsys.readouterr().err.startswith("error: cores: 0 is below the smallest, 1\n")


def test_an_unknown_nic_exits_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.carry_out(["run", "no-such-nic"]) == 2
    assert "there is no NIC 'no-such-nic'" in capsys.readouterr().err


def test_an_interruption_exits_with_130_and_writes_what_there_is(
    wires: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from spinach_nic.runs.session import Session

    looks = iter(range(100))

    def interrupted(self: Session, *_: object) -> None:
        if next(looks) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(Session, "_ending", interrupted)
    out = tmp_path / "result.json"
    assert cli.carry_out(["run", wires, "--quiet", "--json", str(out)]) == 130
    document = json.loads(out.read_text())
    assert document["complete"] is False
    assert 20_000 < document["simulated_ns"] < 40_000


def test_list_names_what_is_shipped(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.carry_out(["list"]) == 0
    assert capsys.readouterr().err == ""
