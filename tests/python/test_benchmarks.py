"""The benchmarks still measure something: programs run, NICs carry frames. How fast is not asked."""

from pathlib import Path

import pytest
from benchmarks import cores, instructions, nics, training

import spinach_nic
from spinach_nic import us


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


@pytest.mark.parametrize("number", range(len(training.RUNS)))
def test_the_runs_that_tune_the_extension_simulate_core_cycles(number: int) -> None:
    nic, settings, _ = training.RUNS[number]
    assert spinach_nic.run(nic, set=settings, time=us(10)).simulated_cycles["core"] > 0
