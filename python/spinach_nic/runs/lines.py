"""Line traces of runs: for each cycle of a module one line of text."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic import _native
from spinach_nic.model.simulation import Simulation
from spinach_nic.model.simulation.recorder import LineTrace
from spinach_nic.runs.waves import EXAMPLE, form_of
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import Time


def begin_lines(simulation: Simulation, patterns: Sequence[str], start: Time | None) -> LineTrace | None:
    """Begin the line trace of a run; `None` without patterns.

    Args:
        simulation: The simulation of the run.
        patterns: The modules, by name; `*` matches any characters, `?` one.
        start: The time of the first line.

    Raises:
        SpinachError: No module has such a name, or there is a time without a pattern.
    """
    if not patterns:
        if start is not None:
            raise SpinachError("trace_lines_from without modules", f"give --trace-lines '{EXAMPLE}' too")
        return None
    paths = [path for path, _, _ in simulation.native.modules()]
    chosen: set[str] = set()
    for pattern in patterns:
        form = form_of(pattern)
        found = {path for path in paths if form.fullmatch(path)}
        if not found:
            raise SpinachError(f"no module is called {pattern!r}", _native.suggest(pattern, paths))
        chosen |= found
    return simulation.trace_lines(sorted(chosen), start or Time(0))
