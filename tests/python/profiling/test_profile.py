"""A profile says where every cycle of the firmware went: its parts sum to what the cores counted."""

import json
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from shutil import which
from xml.etree import ElementTree

import jsonschema
import pytest
from tests.python.cards.trouble import timeless
from tests.python.runs.systems import Wires

from spinach_nic import SpinachError, cli, profile
from spinach_nic.cards.tigon2 import Tigon2
from spinach_nic.runs import execute, run
from spinach_nic.runs.profiling import FirmwareProfile, callgrind, compare_profiles, flame_svg, folded
from spinach_nic.runs.profiling.document import SCHEMA_FILE, ProfileDocument
from spinach_nic.runs.profiling.model import sum_costs
from spinach_nic.runs.tasks import CAUSES, Cost, take_profile


@pytest.fixture(scope="module")
def profiled() -> FirmwareProfile:
    return profile("tengig", frames=700)


def together(costs: list[Cost]) -> Cost:
    return sum(costs, start=Cost())


def test_the_parts_sum_to_the_whole(profiled: FirmwareProfile) -> None:
    assert profiled.window.is_steady
    assert profiled.total.instructions > 100_000
    assert together([it.cost for it in profiled.functions]) == profiled.total
    assert together([cost for _, cost in profiled.places]) == profiled.total
    assert together([it.cost for it in profiled.lines]) == profiled.total
    unnamed = together([it.cost for it in profiled.lines if not it.line])
    assert 0 < unnamed.cycles < profiled.total.cycles / 10


def test_the_whole_is_every_cycle_of_every_core(profiled: FirmwareProfile) -> None:
    nanoseconds = profiled.window.ends_ns - profiled.window.begins_ns
    assert profiled.total.cycles == pytest.approx(6 * 0.166 * nanoseconds, rel=1e-4)


def test_what_the_cores_spent_is_what_a_function_cost(profiled: FirmwareProfile) -> None:
    for function in profiled.functions:
        assert len(function.by_core) == len(profiled.result.cores)
        assert sum_costs(function.by_core) == function.cost


@pytest.mark.parametrize(
    ("nic", "halted"), [("tengig", 0), ("ricenic", 0.5), ("hundredgig", 0), ("rosebud", 0)]
)
def test_tasks_add_up_to_every_cycle_of_running_cores(nic: str, halted: float) -> None:
    result = run(nic, traffic="udp:400", frames=150)
    assert sum(task.share_of_cycles for task in result.tasks.values()) == pytest.approx(1 - halted)


def test_functions_belong_to_the_tasks_of_the_result(profiled: FirmwareProfile) -> None:
    tasks = {it.task for it in profiled.functions} - {"elsewhere"}
    assert {"send_frame", "receive_frame", "send_locking"} <= tasks <= set(profiled.result.tasks)
    per_frame = profiled.result.tasks
    sums = {task: together([it.cost for it in profiled.functions if it.task == task]) for task in tasks}
    frames = sums["send_frame"].instructions / per_frame["send_frame"].instructions
    for task in ("fetch_send_bd", "send_dispatch_ordering", "send_locking"):
        assert sums[task].instructions == pytest.approx(frames * per_frame[task].instructions)
        assert sums[task].cycles == pytest.approx(frames * per_frame[task].cycles)
        assert sums[task].memory_accesses == pytest.approx(frames * per_frame[task].memory_accesses)


def test_inlined_functions_stand_in_the_function_that_they_went_to(profiled: FirmwareProfile) -> None:
    found = {place.function for place, _ in profiled.places if place.inlined[:1] == ("whole_frames",)}
    assert found == {"fetch_frames"}
    assert any(place.line.startswith("tengig/send.c:") for place, _ in profiled.places)


def test_code_that_the_cores_keep_no_accounts_of_is_not_forgotten() -> None:
    # These cores keep no accounts of what runs from the SRAM. The assembly has no functions.
    class Half(Tigon2):
        def _code(self) -> Sequence[int]:
            return super()._code()[:2]

    profiled = profile(Half, frames=10)
    assert together([it.cost for it in profiled.functions]) == profiled.total
    assert together([cost for _, cost in profiled.places]) == profiled.total
    names = {it.function for it in profiled.functions}
    assert {"elsewhere", "tigon2/dispatch.S", "handle_send_descriptors"} <= names


def test_operations_on_caches_are_accesses_of_their_functions() -> None:
    ricenic = profile("ricenic", frames=60)
    assert min(it.cost.memory_accesses for it in ricenic.functions) >= 0
    assert together([it.cost for it in ricenic.functions]) == ricenic.total
    assert "elsewhere" not in {it.function for it in ricenic.functions}


def test_watching_does_not_change_the_result(profiled: FirmwareProfile) -> None:
    ran, watched = run("tengig", frames=700), profiled.result
    assert timeless(ran) == timeless(watched)


def test_folded_stacks_hold_every_cycle(profiled: FirmwareProfile) -> None:
    cycles: Counter[str] = Counter()
    for line in folded(profiled).splitlines():
        stack, _, number = line.rpartition(" ")
        names = stack.split(";")
        assert names[-1].strip("[]") in CAUSES
        cycles[names[0]] += int(number)
    assert cycles.total() == profiled.total.cycles
    # Every core begins at the entry of the image, and all that it does is done on behalf of it.
    assert len(cycles) == 1


def test_stacks_hold_what_functions_cost(profiled: FirmwareProfile) -> None:
    for function in profiled.functions:
        own = [it.cost for it in profiled.stacks if it.place.function == function.function]
        assert together(own) == function.cost
        assert function.inclusive is not None
        called = [it.inclusive.cycles for it in profiled.calls if it.caller == function.function]
        assert function.inclusive.cycles == function.cost.cycles + sum(called)
    assert together([it.cost for it in profiled.stacks]) == profiled.total


def check_sums(profiled: FirmwareProfile) -> None:
    """No part of a window is negative, and the parts sum to the whole, per core too."""
    functions = [it.cost for it in profiled.functions]
    stacks = [it.cost for it in profiled.stacks]
    per_core = [cost for it in profiled.functions for cost in it.by_core]
    for parts in (functions, stacks, per_core, [it.cost for it in profiled.lines]):
        assert min(min(it.causes) for it in parts) >= 0
        assert together(parts).cycles == profiled.total.cycles


def test_cycles_before_the_window_belong_to_no_stack() -> None:
    """At its beginning instructions are under way that complete in other functions."""
    check_sums(profile("ricenic", frames=200, firmware="split"))


def test_functional_cores_and_their_counters_are_measured_at_the_same_time() -> None:
    profiled = profile("tengig", frames=400, set={"core": "functional"})
    check_sums(profiled)
    assert "elsewhere" not in {it.function for it in profiled.functions}


def test_bundles_are_called_and_return_as_instructions() -> None:
    scalar, bundles = (profile("tengig", frames=100, set={"core": kind}) for kind in ("pipelined", "vliw"))
    check_sums(bundles)
    depths = [max(len(it.callers) for it in one.stacks) for one in (scalar, bundles)]
    assert depths[0] == depths[1]
    calls = [{(it.caller, it.callee) for it in one.calls} for one in (scalar, bundles)]
    assert calls[0] == calls[1]


def test_calls_are_counted_as_often_as_their_instructions_complete() -> None:
    """A direct call arrives where it goes, so that its own account says how often it was made."""
    finished = execute("tengig", frames=200, call_stacks=True)
    image, session = finished.image, finished.session
    assert image is not None
    taken = take_profile(session.simulation, session.probes.cores)
    counts: Counter[int] = Counter()
    targets: dict[int, set[int]] = {}
    for (core, context), count in taken.calls.items():
        _, site, entry = taken.contexts[core][context]
        counts[site] += count
        targets.setdefault(site, set()).add(entry)
    direct = [site for site, entries in targets.items() if len(entries) == 1]
    assert len(direct) > 10
    for site in direct:
        # A call that has completed may not have arrived yet, on each core.
        assert 0 <= taken.costs[site].instructions - counts[site] <= len(session.probes.cores)
    for contexts in taken.contexts:
        for called in contexts[1:]:
            found = image.executable.function_at(called.entry)
            assert found is None or found.address == called.entry


def test_two_profiles_compare_by_function(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [tmp_path / "base.json", tmp_path / "rmw.json"]
    for file, firmware in zip(files, ("base", "rmw"), strict=True):
        file.write_text(profile("tengig", frames=700, firmware=firmware).to_json())
    compared = compare_profiles(*files)
    assert sum(it.growth for it in compared.functions) == pytest.approx(compared.total.growth)
    growths = [abs(it.growth) for it in compared.functions]
    assert growths == sorted(growths, reverse=True)
    for it in compared.functions:
        assert sum(it.causes) == pytest.approx(it.growth, abs=1e-9)
    assert cli.carry_out(["profile", "--compare", *map(str, files)]) == 0
    out = capsys.readouterr().out
    assert compared.functions[0].function in out
    assert f"{compared.total.growth:+.1f}" in out
    assert cli.carry_out(["profile", "--compare", str(files[0]), str(tmp_path / "missing.json")]) == 2
    assert "cannot read" in capsys.readouterr().err


def test_the_picture_is_as_wide_as_its_parts(profiled: FirmwareProfile) -> None:
    svg = ElementTree.fromstring(flame_svg(profiled))
    space = {"svg": "http://www.w3.org/2000/svg"}
    rows: dict[float, float] = {}
    for group in svg.findall("svg:g", space):
        box = group.find("svg:rect", space)
        assert box is not None
        row = float(box.attrib["y"])
        rows[row] = rows.get(row, 0) + float(box.attrib["width"])
    bottom, outermost, *_ = (rows[row] for row in sorted(rows, reverse=True))
    assert outermost == pytest.approx(bottom, abs=1)


def test_the_command_prints_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    svg, stacks, document = tmp_path / "f.svg", tmp_path / "f.folded", tmp_path / "f.json"
    arguments = ["profile", "tengig", "--frames", "60", "--lines", "3", "--json", str(document)]
    assert cli.carry_out([*arguments, "-o", str(svg), "-o", str(stacks)]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert captured.out.startswith("tengig, firmware rmw, udp:1472\nno steady window")
    assert "send_pass " in captured.out
    written = json.loads(document.read_text())
    assert written["schema"] == "spinach-profile/1"
    jsonschema.Draft202012Validator(json.loads(SCHEMA_FILE.read_text())).validate(written)
    assert ProfileDocument.read(document).to_json() == document.read_text()
    assert sum(it["cycles"]["all"] for it in written["functions"]) == written["total"]["cycles"]["all"]
    assert written["result"]["schema"] == "spinach-result/1"
    assert svg.read_text().startswith("<svg ")
    assert stacks.read_text().count("\n") > 100


@pytest.mark.parametrize("arguments", [["-o", "flame.gif"], ["-o", "/nowhere/f.svg"], ["--lines", "-1"]])
def test_wrong_requests_exit_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.carry_out(["profile", "tengig", "--frames", "1", *arguments]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["error", "help"]


def test_a_nic_without_firmware_has_no_profile() -> None:
    with pytest.raises(SpinachError, match="Wires runs no firmware"):
        profile(Wires, frames=3)


@pytest.mark.skipif(
    which("callgrind_annotate") is None, reason="callgrind_annotate of the package valgrind is missing"
)
def test_the_tool_of_callgrind_reads_a_profile(profiled: FirmwareProfile, tmp_path: Path) -> None:
    path = tmp_path / "profile.callgrind"
    path.write_text(callgrind(profiled))
    command = ["callgrind_annotate", "--threshold=100", "--auto=no", str(path)]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=50)
    assert not said.stderr
    numbers = {}
    for line in said.stdout.splitlines():
        words = line.split()
        if words and words[0].replace(",", "").isdigit():
            numbers[line.split(")")[-1].strip() or "total"] = int(words[0].replace(",", ""))
    assert any(value == profiled.total.cycles for name, value in numbers.items() if "TOTALS" in name)
    for function in profiled.functions[:5]:
        found = [value for name, value in numbers.items() if name.endswith(f":{function.function}")]
        assert sum(found) == function.cost.cycles
