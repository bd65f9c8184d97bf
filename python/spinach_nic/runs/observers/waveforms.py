"""Waveforms of runs, for GTKWave and Surfer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Self, TypedDict

from spinach_nic.model.simulation import Simulation, recorder
from spinach_nic.runs.forms import OUTPUTS, TIMES, output_file, patterns_flag, time_flag
from spinach_nic.runs.observers.base import Observed, Observer, check_reached
from spinach_nic.runs.observers.patterns import EXAMPLE, matching, no_match
from spinach_nic.runs.result import Result
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.options import Option
from spinach_nic.support.units import Time


class Waveforms(Observer):
    """Values of channels, and of the states of modules, in each cycle (FST)."""

    does = "writes waveforms"

    class Options(TypedDict, total=False):
        """Options of waveforms."""

        wave: Annotated[
            Sequence[str],
            Option(
                "Write the waveforms of these channels and states, by name, with `*` and `?`.",
                default=(),
                section=OUTPUTS,
                flag=patterns_flag("--wave"),
            ),
        ]
        wave_out: Annotated[
            str | Path | None,
            output_file(
                "--wave-out",
                "Write waveforms to this file, for GTKWave and Surfer (FST).",
                "the waveforms to write",
            ),
        ]
        wave_from: Annotated[
            Annotated[Time, TIMES] | str | None,
            Option(
                "Begin the waveforms at this time.",
                default=None,
                default_text="the start",
                section=OUTPUTS,
                flag=time_flag("--wave-from", "Example: 10us."),
            ),
        ]

    def __init__(self, patterns: Sequence[str], path: Path, start: Time) -> None:
        """Create the observer that writes the matching signals to the file `path`, from `start` on."""
        self.patterns, self.path, self.start = patterns, path, start
        self._file: recorder.Waves | None = None
        self._simulation: Simulation | None = None

    @classmethod
    def requested(cls, options: Mapping[str, Any]) -> Self | None:
        """Return the observer that options of a run request."""
        patterns, path, start = options["wave"], options["wave_out"], options["wave_from"]
        if not patterns and path is None:
            if start is not None:
                raise SpinachError(
                    "wave_from needs channels or states to show", f"give --wave '{EXAMPLE}' too"
                )
            return None
        if path is None:
            raise SpinachError("the waveforms need a file", "give --wave-out FILE")
        if not patterns:
            help = f"give --wave with the names of channels, as '{EXAMPLE}'"
            raise SpinachError("the waveforms need channels or states to show", help)
        if Path(path).suffix == ".vcd":
            raise SpinachError(f"cannot write VCD: {path}", "waveforms are FST: use the ending .fst")
        return cls(patterns, Path(path), start or Time(0))

    def attach(self, observed: Observed) -> None:
        """Begin the file."""
        self._simulation = observed.simulation
        channels, states = chosen_signals(observed.simulation, self.patterns)
        self._file = observed.simulation.waves(self.path, channels, self.start, states)

    def finish(self, result: Result | None) -> None:
        """Complete the file."""
        if self._file is not None and self._simulation is not None:
            self._file.finish()
            check_reached(self._simulation, self.start, "--wave-from")


def chosen_signals(simulation: Simulation, patterns: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return the numbers of the channels and of the states that any pattern names, by name.

    Raises:
        SpinachError: A pattern names nothing.
    """
    kinds = (simulation.native.output_names(), simulation.native.state_names())
    chosen: tuple[dict[int, str], dict[int, str]] = ({}, {})
    for pattern in patterns:
        found = [matching(pattern, names) for names in kinds]
        if not any(found):
            raise no_match("channel and no state", pattern, [*kinds[0], *kinds[1]])
        for numbers, more in zip(chosen, found, strict=True):
            numbers.update(more)
    channels, states = (sorted(numbers, key=numbers.__getitem__) for numbers in chosen)
    return channels, states
