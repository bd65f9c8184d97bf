"""`spinach trace` and `spinach study`: from a NIC to tables, and mistakes in two lines."""

import json
import re
import shutil
from pathlib import Path

import pytest

from spinach_nic import cli
from spinach_nic.firmware import build
from spinach_nic.firmware.description import find_description, shipped_root
from spinach_nic.studies import analysis
from spinach_nic.support.errors import SpinachError


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


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory, traced: str) -> dict[str, str]:
    """Folders of traces: of other NICs and firmware, and with a file that lacks its end."""
    found = {"whole": traced}
    cards = {"other firmware": ["tengig", "--firmware", "base"], "ricenic": ["ricenic"]}
    cards |= {
        "split": ["ricenic", "--firmware", "split"],
        "rv32": ["tengig", "--set", "instruction_set=rv32"],
    }
    for name, arguments in cards.items():
        found[name] = str(tmp_path_factory.mktemp("traces"))
        assert cli.carry_out(["trace", *arguments, "--frames", "20", "--quiet", "-o", found[name]]) == 0
    for name in ("instructions", "accesses"):
        folder = tmp_path_factory.mktemp("traces")
        shutil.copytree(traced, folder, dirs_exist_ok=True)
        file = folder / f"{name}.parquet"
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
        found[f"cut {name}"] = str(folder)
    return found


def test_another_image_than_the_traced_firmware_is_refused(
    folders: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    image = f"{folders['other firmware']}/firmware.elf"
    for more in ([], ["--path-blocks", "4"]):
        assert cli.carry_out(["study", "vliw", folders["whole"], "--image", image, *more]) == 2
        problem, help = capsys.readouterr().err.splitlines()
        said = rf"error: {image} is not the firmware of the trace: \d+ of \d+ traced instructions differ"
        assert re.match(rf"{said} from it, the first at 0x[0-9a-f]+$", problem)
        assert help.startswith("help: give the firmware.elf")
    own = f"{folders['whole']}/firmware.elf"
    assert rows_of(capsys, "vliw", folders["whole"], "--image", own) == rows_of(
        capsys, "vliw", folders["whole"]
    )


def test_instructions_outside_the_image_are_counted(
    tmp_path: Path, traced: str, capsys: pytest.CaptureFixture[str]
) -> None:
    image = build("tests/copied_code")
    (memory,) = find_description("tests/copied_code", shipped_root()).memories
    trace = tmp_path / "copied.parquet"
    analysis.record_trace(image.path, trace, memory)
    assert cli.carry_out(["study", "vliw", str(trace), "--all", "--image", str(image.path)]) == 0
    said = capsys.readouterr().err
    note = r"note: [1-9][0-9,]* of [0-9,]+ instructions are not in \S+\.elf, and take no cycles"
    assert re.search(note, said), said
    assert cli.carry_out(["study", "vliw", traced, "--units", "3,3,1"]) == 0
    assert "note:" not in capsys.readouterr().err


def test_firmware_of_another_instruction_set_has_no_vliw_schedules(
    folders: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    trace = f"{folders['rv32']}/instructions.parquet"
    for arguments in (
        [folders["rv32"], "--image", f"{folders['whole']}/firmware.elf"],
        [folders["rv32"]],
        [trace],
    ):
        assert cli.carry_out(["study", "vliw", *arguments]) == 2
        said = capsys.readouterr().err
        assert f"error: the VLIW study takes mips firmware only, and {trace} is of rv32 firmware\n" in said
        assert "help: trace a card with mips cores" in said


def test_frames_of_an_incomplete_trace_are_not_counted(
    folders: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    cut = folders["cut instructions"]
    assert cli.carry_out(["study", "vliw", cut, "--json", "-"]) == 0
    said = capsys.readouterr()
    assert all("frames_per_kilocycle" not in row for row in json.loads(said.out))
    assert "is of a run that did not end, or was cut; these are its first" in said.err
    assert "note: the number of its frames is unknown; --frames gives it" in said.err
    assert all(row["frames_per_kilocycle"] > 0 for row in rows_of(capsys, "vliw", cut, "--frames", "10"))
    with pytest.raises(SpinachError, match=r"is incomplete, so the number of its frames is unknown"):
        _ = analysis.TracedRun(Path(cut)).frames


@pytest.mark.parametrize("name", ["instructions", "accesses"])
def test_traces_are_studied_up_to_the_end_of_an_incomplete_one(
    name: str, folders: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    cut, whole = analysis.TracedRun(Path(folders[f"cut {name}"])), analysis.TracedRun(Path(folders["whole"]))
    rows = {"instructions": whole.instructions, "accesses": whole.accesses}
    kept = {
        "instructions": analysis.describe_trace(cut.instructions).instructions,
        "accesses": analysis.describe_access_trace(cut.accesses).accesses,
    }
    assert 0 < kept[name] < parquet.read_metadata(rows[name]).num_rows
    last = parquet.read_table(rows[name], columns=["cycle"])["cycle"][kept[name] - 1].as_py()
    options = ["--all", "--all-addresses", "--line", "1024", "--size", "1024"]
    capsys.readouterr()
    assert cli.carry_out(["study", "coherence", str(cut.folder), *options, "--json", "-"]) == 0
    said = capsys.readouterr()
    assert f"note: {name}.parquet lacks its end; all traces are studied up to its last access" in said.err
    table = parquet.read_table(whole.instructions, columns=["address", "cycle"])
    pairs = zip(table["address"].to_pylist(), table["cycle"].to_pylist(), strict=True)
    most = sum(address is not None and cycle <= last for address, cycle in pairs)
    cycles = parquet.read_table(whole.accesses, columns=["cycle"])["cycle"].to_pylist()
    most += 2 * sum(cycle <= last for cycle in cycles)  # an access may cross a line
    assert 0 < json.loads(said.out)[0]["accesses"] <= most


@pytest.mark.parametrize(("name", "cores"), [("ricenic", "core0"), ("split", "core0; core1")])
def test_agents_without_accesses_have_no_cache_by_default(
    name: str, cores: str, folders: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.carry_out(["study", "coherence", folders[name], "--size", "64"]) == 0
    said = capsys.readouterr().out
    assert f"caches: {cores}\n" in said
    assert "without references to words, and left out: " in said
    assert "dma_read, dma_write" in said
    assert cli.carry_out(["study", "coherence", folders[name], "--cache", "dma_read"]) == 2
    assert "no access is by an agent called `dma_read`" in capsys.readouterr().err


def test_a_selected_core_needs_no_caches_of_others(traced: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.carry_out(["study", "coherence", traced, "--size", "64", "--core", "0"]) == 0
    assert "left out: core1" in capsys.readouterr().out


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
