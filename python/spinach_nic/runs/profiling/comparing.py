"""Difference between two profiles."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from spinach_nic.runs.profiling.document import Costs, ProfileDocument
from spinach_nic.runs.tasks import CAUSES
from spinach_nic.support.errors import SpinachError


@dataclass(frozen=True)
class FunctionDifference:
    """A function in two profiles. All numbers are per frame."""

    function: str
    task: str
    cycles: tuple[float, float]
    """Cycles in the first and in the second profile; 0 if absent."""
    instructions: tuple[float, float]
    causes: tuple[float, ...]
    """Growth of the cycles of each stall reason, in the order of `CAUSES`."""

    @property
    def growth(self) -> float:
        """Return the growth in cycles per frame."""
        return self.cycles[1] - self.cycles[0]

    @property
    def most_changed(self) -> str:
        """The cause whose cycles changed the most."""
        changes = dict(zip(CAUSES, self.causes, strict=True))
        return max(changes, key=lambda cause: abs(changes[cause]))


@dataclass(frozen=True)
class ProfileComparison:
    """Two profiles side by side."""

    total: FunctionDifference
    functions: tuple[FunctionDifference, ...]
    """Functions, the largest difference first."""
    frames: tuple[int, int]
    """Frames of both directions in the measured windows."""


def compare_profiles(first: ProfileDocument | Path, second: ProfileDocument | Path) -> ProfileComparison:
    """Compare two profiles, function by function, per frame.

    Raises:
        SpinachError: A file cannot be read, or a run measured no frames.
    """
    one, other = (_read(it) if isinstance(it, Path) else it for it in (first, second))
    frames = _frames(one), _frames(other)
    before = {(it.function, it.task): it for it in one.functions}
    after = {(it.function, it.task): it for it in other.functions}
    differences = [_difference(*key, before.get(key), after.get(key), frames) for key in {**before, **after}]
    return ProfileComparison(
        total=_difference("all", "", one.total, other.total, frames),
        functions=tuple(sorted(differences, key=lambda it: (-abs(it.growth), it.function))),
        frames=frames,
    )


def _read(path: Path) -> ProfileDocument:
    return ProfileDocument.read(path, "name a file that `spinach profile --json` wrote")


def _frames(profile: ProfileDocument) -> int:
    frames = profile.result.tx.measured_frames + profile.result.rx.measured_frames
    if not frames:
        message = f"the profile of {profile.result.nic} measured no frames"
        raise SpinachError(message, "profile a longer run")
    return frames


def _difference(
    function: str, task: str, before: Costs | None, after: Costs | None, frames: tuple[int, int]
) -> FunctionDifference:
    def per_frame(cost: Costs | None, name: str, count: int) -> float:
        return 0.0 if cost is None else cost.cycles[name] / count

    def pair(name: str) -> tuple[float, float]:
        return per_frame(before, name, frames[0]), per_frame(after, name, frames[1])

    instructions = tuple(
        0.0 if cost is None else cost.instructions / count
        for cost, count in zip((before, after), frames, strict=True)
    )
    causes = (pair(cause) for cause in CAUSES)
    growth = tuple(second - first for first, second in causes)
    return FunctionDifference(function, task, pair("all"), (instructions[0], instructions[1]), growth)
