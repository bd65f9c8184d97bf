"""Observers: one class in one file for each output, and one registration."""

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self, TypedDict

import pytest

from spinach_nic import Result, SpinachError, run
from spinach_nic.runs import Progress, RunOptions, UnwrittenError, execute, observers
from spinach_nic.runs.observers import OBSERVERS, Observed, Observer
from spinach_nic.support.options import options_of

FOLDER = Path(observers.__file__).parent
OTHERS = {"__init__", "base", "patterns"}
EXCLUSIVE = [one for one in OBSERVERS if one.is_exclusive]


def test_each_file_has_one_observer_that_is_registered() -> None:
    found = []
    for file in sorted(FOLDER.glob("*.py")):
        if file.stem not in OTHERS:
            module = importlib.import_module(f"{observers.__name__}.{file.stem}")
            (own,) = (one for one in vars(module).values() if _is_observer(one, module.__name__))
            found.append(own)
    assert set(found) == set(OBSERVERS)


def _is_observer(value: object, module: str) -> bool:
    return isinstance(value, type) and issubclass(value, Observer) and value.__module__ == module


@pytest.mark.parametrize("observer", OBSERVERS)
def test_the_options_of_an_observer_are_options_of_runs(observer: type[Observer]) -> None:
    options = options_of(observer.Options)
    assert options
    assert {name: options_of(RunOptions)[name] for name in options} == options
    nothing: dict[str, Any] = {name: option.default for name, option in options.items()}
    assert observer.requested(nothing) is None


def test_observers_that_need_the_same_listener_are_refused(tmp_path: Path) -> None:
    assert {one.does for one in EXCLUSIVE} == {"writes a timeline", "writes traces", "checks coherence"}
    with pytest.raises(SpinachError, match="no run writes a timeline and writes traces"):
        run("tengig", timeline=tmp_path / "timeline", traces=tmp_path / "traces")
    assert list(tmp_path.iterdir()) == []


class Noted(Observer):
    """Notes its calls."""

    does = "notes calls"
    notes: list[str]

    class Options(TypedDict, total=False):
        """None."""

    @classmethod
    def requested(cls, options: Mapping[str, Any]) -> Self | None:
        return cls()

    def attach(self, observed: Observed) -> None:
        assert observed.simulation.now.femtoseconds == 0
        self.notes.append("attached")

    def finish(self, result: Result | None) -> None:
        self.notes.append("broken off" if result is None else f"finished {result.complete}")


@pytest.fixture
def notes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Register an observer; return what it notes."""
    noted: list[str] = []
    monkeypatch.setattr(Noted, "notes", noted, raising=False)
    monkeypatch.setattr(observers, "OBSERVERS", (*OBSERVERS, Noted))
    return noted


def test_an_observer_gets_the_result(notes: list[str]) -> None:
    finished = execute("tengig", frames=20, set={"core": "functional"})
    assert notes == ["attached", "finished True"]
    assert [type(one) for one in finished.observers] == [Noted]


@pytest.mark.parametrize(
    ("raised", "note"), [(KeyboardInterrupt, "finished False"), (RuntimeError, "broken off")]
)
def test_an_observer_finishes_whatever_ends_the_run(
    raised: type[BaseException], note: str, notes: list[str]
) -> None:
    def progress(_: Progress) -> None:
        raise raised

    with pytest.raises(raised):
        run("tengig", frames=20, set={"core": "functional"}, progress=progress)
    assert notes == ["attached", note]


def test_other_outputs_are_completed_and_the_result_is_kept(notes: list[str]) -> None:
    with pytest.raises(UnwrittenError, match="No space left on device") as caught:
        run("tengig", frames=1, timeline="/dev/full")
    assert notes == ["attached", "finished True"]
    assert caught.value.result.document()["complete"]
