"""The benchmarks still measure something: programs run, NICs carry frames. How fast is not asked."""

import pytest
from benchmarks import cores, nics

from spinach_nic import us


@pytest.mark.parametrize("kind", cores.KINDS)
def test_cores_run_the_programs_that_they_are_timed_with(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cores.MOST_CYCLES, kind, 5_000)
    monkeypatch.setattr(cores, "REPETITIONS", 1)
    cycles, instructions = map(float, cores.measure(kind, cores.PROGRAMS[0]).split()[2:4])
    assert 0 < instructions < cycles


@pytest.mark.parametrize("case", nics.CASES, ids=lambda case: case.name)
def test_nics_carry_frames_while_they_are_timed(case: nics.Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nics, "REPETITIONS", 1)
    simulated = case.simulated if case.nic == "tigon2" else us(100)
    assert nics.measure(case.nic, case.set, simulated).frames > 0
