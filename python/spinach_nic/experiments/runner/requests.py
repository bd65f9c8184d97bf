"""Requests that experiments share."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from spinach_nic.runs import RunError, RunOptions, run
from spinach_nic.runs.result import Result
from spinach_nic.studies.analysis import TracedRun
from spinach_nic.support.files import temporary_folder
from spinach_nic.support.options import command_words

Outcome = TypeVar("Outcome")


@dataclass(frozen=True)
class NicRun:
    """A run of a NIC until every frame is accounted for, measured over a steady window."""

    nic: str
    traffic: str | tuple[str, ...]
    """One specification, or one for each direction."""
    frames: int
    """Deliveries to measure in each direction."""
    firmware: str
    settings: tuple[tuple[str, str], ...] = ()
    """Parameters by path, in order."""
    seed: int = 1

    def carry_out(self, traces: Path | None = None) -> Result:
        """Run the NIC, with traces in a folder if one is given.

        Raises:
            RunError: A frame is not accounted for, the firmware faults, or no rates were measured.
        """
        result = run(self.nic, **(self.options | RunOptions(traces=traces)))
        if not result.measured_window.is_steady:
            message = f"no rates were measured: {result.measured_window.reason}"
            raise RunError(message, "the experiment must measure more frames", result)
        return result

    @property
    def options(self) -> RunOptions:
        """The options of the run."""
        return RunOptions(
            traffic=self.traffic,
            frames=self.frames,
            seed=self.seed,
            set=dict(self.settings),
            firmware=self.firmware,
        )

    def __str__(self) -> str:
        """Return the equivalent command."""
        return self.command("run")

    def command(self, verb: str) -> str:
        """Return the command, `run` or `trace`."""
        return shlex.join(["spinach", verb, self.nic, *command_words(RunOptions, self.options)])


def as_settings(parameters: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """Return parameters by path as `NicRun.settings`."""
    return tuple((path, str(value)) for path, value in parameters.items())


@dataclass(frozen=True)
class TraceStudy(Generic[Outcome]):
    """A study of the traces of a run."""

    traced: NicRun
    study: Callable[[TracedRun], Outcome]
    """Function of a module, so that it can be pickled."""
    command: str
    """Equivalent command after `spinach study`."""

    def carry_out(self) -> Outcome:
        """Trace the run and study the traces; they are not kept."""
        with temporary_folder() as folder:
            self.traced.carry_out(traces=Path(folder))
            return self.study(TracedRun(Path(folder)))

    def __str__(self) -> str:
        """Return the equivalent commands."""
        study, *options = self.command.split()
        words = " ".join([study, "traces", *options])
        return f"{self.traced.command('trace')} -o traces && spinach study {words}"
