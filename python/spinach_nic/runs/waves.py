"""Waveforms of runs, for GTKWave and Surfer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from spinach_nic import _native
from spinach_nic.model.simulation import Simulation
from spinach_nic.model.simulation.recorder import Waves
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import Time

EXAMPLE = "processor[0].*"


def begin_waves(
    simulation: Simulation, patterns: Sequence[str], path: str | Path | None, start: Time | None
) -> Waves | None:
    """Begin the waveforms that a run is asked for; `None` if none are.

    Args:
        simulation: The simulation of the run.
        patterns: Names of channels' outputs, and of values in the states of modules; `*` matches anything,
            `?` one character.
        path: The file to write.
        start: The first moment that is written.

    Raises:
        SpinachError: No channel and no state has such a name, only one of patterns and file is given, or the
            file cannot be written.
    """
    if not patterns and path is None:
        if start is not None:
            raise SpinachError("wave_from is given, but nothing to show", f"give --wave '{EXAMPLE}' too")
        return None
    if path is None:
        raise SpinachError("where to write the waveforms is not said", "give --wave-out FILE")
    if not patterns:
        help = f"give --wave with the names of channels, as '{EXAMPLE}'"
        raise SpinachError("what the waveforms are to show is not said", help)
    channels, states = chosen_signals(simulation, patterns)
    return simulation.waves(path, channels, start or Time(0), states)


def form_of(pattern: str) -> re.Pattern[str]:
    """Return the names that a pattern matches: `*` is any characters, `?` one."""
    return re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."))


def chosen_signals(simulation: Simulation, patterns: Sequence[str]) -> tuple[list[int], list[int]]:
    """The numbers of the channels and of the states that any pattern names, in the order of their names."""
    kinds = (simulation.native.output_names(), simulation.native.state_names())
    chosen: tuple[dict[int, str], dict[int, str]] = ({}, {})
    for pattern in patterns:
        form = form_of(pattern)
        is_known = False
        for names, numbers in zip(kinds, chosen, strict=True):
            found = {number: name for number, name in enumerate(names) if form.fullmatch(name)}
            is_known = is_known or bool(found)
            numbers.update(found)
        if not is_known:
            help = _native.suggest(pattern, [*kinds[0], *kinds[1]])
            raise SpinachError(f"no channel and no state is called {pattern!r}", help)
    channels, states = (sorted(numbers, key=numbers.__getitem__) for numbers in chosen)
    return channels, states
