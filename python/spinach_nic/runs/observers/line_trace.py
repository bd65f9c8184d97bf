"""Line traces of runs: a line of text for each cycle of a module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Self, TypedDict

from spinach_nic.model.simulation import Simulation, recorder
from spinach_nic.runs.forms import OUTPUTS, TIMES, patterns_flag, time_flag
from spinach_nic.runs.observers.base import Observed, Observer, check_reached
from spinach_nic.runs.observers.patterns import EXAMPLE, matching, no_match
from spinach_nic.runs.result import Result
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import has_no_reader
from spinach_nic.support.options import Option
from spinach_nic.support.units import Time

_STANDARD_OUTPUT = 1
"""Descriptor that the lines are written to."""


class LineTrace(Observer):
    """A line for each cycle of the chosen modules, on standard output."""

    does = "prints lines"
    uses_standard_output = True

    class Options(TypedDict, total=False):
        """Options of a line trace."""

        trace_lines: Annotated[
            Sequence[str],
            Option(
                "Print a line for each cycle of these modules, by name, with `*` and `?`.",
                default=(),
                section=OUTPUTS,
                flag=patterns_flag("--trace-lines"),
            ),
        ]
        trace_lines_from: Annotated[
            Annotated[Time, TIMES] | str | None,
            Option(
                "Begin the lines at this time.",
                default=None,
                default_text="the start",
                section=OUTPUTS,
                flag=time_flag("--trace-lines-from", "Example: 10us."),
            ),
        ]

    def __init__(self, patterns: Sequence[str], start: Time) -> None:
        """Create the observer that prints the matching modules from `start` on."""
        self.patterns, self.start = patterns, start
        self._lines: recorder.LineTrace | None = None
        self._simulation: Simulation | None = None

    @classmethod
    def requested(cls, options: Mapping[str, Any]) -> Self | None:
        """Return the observer that options of a run request."""
        patterns, start = options["trace_lines"], options["trace_lines_from"]
        if not patterns:
            if start is not None:
                help = f"give --trace-lines '{EXAMPLE}' too"
                raise SpinachError("trace_lines_from without modules", help)
            return None
        return cls(patterns, start or Time(0))

    def attach(self, observed: Observed) -> None:
        """Begin the lines."""
        self._simulation = observed.simulation
        paths = [path for path, _, _ in observed.simulation.native.modules()]
        chosen: set[str] = set()
        for pattern in self.patterns:
            found = matching(pattern, paths)
            if not found:
                raise no_match("module", pattern, paths)
            chosen.update(found.values())
        self._lines = observed.simulation.trace_lines(sorted(chosen), self.start)

    def finish(self, result: Result | None) -> None:
        """Print the rest."""
        if self._lines is None or self._simulation is None:
            return
        try:
            self._lines.finish()
        except SpinachError:
            # A reader that closes early is satisfied.
            if not has_no_reader(_STANDARD_OUTPUT):
                raise
        check_reached(self._simulation, self.start, "--trace-lines-from")
