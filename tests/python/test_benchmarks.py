"""The benchmarks still measure something: programs run, NICs carry frames. How fast is not asked."""

from pathlib import Path

import pytest
from benchmarks import cores, instructions, nics, scaling, training

import spinach_nic
from spinach_nic import us
from spinach_nic.studies.sweeping import Description


@pytest.mark.parametrize("kind", cores.KINDS)
def test_cores_run_the_programs_that_they_are_timed_with(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cores.MOST_CYCLES, kind, 5_000)
    monkeypatch.setattr(cores, "REPETITIONS", 1)
    cycles, instructions = map(float, cores.measure(kind, cores.PROGRAMS[0]).split()[2:4])
    # No core executes two instructions in a cycle; functional ones are ahead by 256 of 5,000 at most.
    assert 0 < instructions <= 1.06 * cycles


@pytest.mark.parametrize("case", nics.CASES, ids=lambda case: case.name)
def test_nics_carry_frames_while_they_are_timed(case: nics.Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nics, "REPETITIONS", 1)
    # Tigon-2 begins after its link has come up, RiceNIC after its firmware has.
    simulated = {"tigon2": case.simulated, "ricenic": us(400)}.get(case.nic, us(100))
    assert nics.measure(case.nic, case.set, simulated).frames > 0


def test_instructions_are_counted_by_function_with_calls_set_apart(tmp_path: Path) -> None:
    (tmp_path / "callgrind.out").write_text(
        "events: Ir\nfn=(1) main\n16 5\n+1 7\ncfn=(2) work\ncalls=3 20\n18 300\n\nfn=(2)\n20 300\n"
    )
    profile = instructions.read(tmp_path / "callgrind.out")
    assert profile.instructions == {"main": 12, "work": 300}
    assert profile.calls == {"work": 3}


@pytest.mark.parametrize("name", instructions.CASES)
def test_instructions_are_counted_of_runs_with_core_cycles(name: str) -> None:
    assert instructions.simulate(name, 20) > 0


@pytest.mark.parametrize("table", scaling.TABLES)
def test_what_scales_has_cycles_to_divide_by(table: str) -> None:
    points = scaling.TABLES[table]
    assert len({(point.name, *point.set.items()) for point in points}) == len(points)
    # The first carries the fewest frames.
    cycles, under_way = points[-1].run(points[-1].lengths[0])
    assert cycles > 0
    assert (under_way > 0) is (points[-1].queues == 0)


def test_a_sweep_is_timed_with_the_processes_that_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    few = Description(nic="tengig", options={"frames": 20}, parameters={"cores": [1, 2]})
    monkeypatch.setattr(scaling, "SWEPT", few)
    wall, processor = scaling.swept(2)
    assert wall > 0
    assert processor > 0


@pytest.mark.parametrize("number", range(len(training.RUNS)))
def test_the_runs_that_tune_the_extension_simulate_core_cycles(number: int) -> None:
    nic, settings, _ = training.RUNS[number]
    assert spinach_nic.run(nic, set=settings, time=us(10)).simulated_cycles["core"] > 0
