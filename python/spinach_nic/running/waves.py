"""Waveforms of runs, for GTKWave and Surfer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from spinach_nic import _native
from spinach_nic.errors import SpinachError
from spinach_nic.simulation import Simulation
from spinach_nic.simulation.recorder import Waves
from spinach_nic.units import Time

EXAMPLE = "processor[0].*"


def begin_waves(
    simulation: Simulation, patterns: Sequence[str], path: str | Path | None, start: Time | None
) -> Waves | None:
    """Begin the waveforms that a run is asked for; `None` if none are.

    Args:
        simulation: Of the run.
        patterns: Which channels, by the names of their outputs; `*` stands for anything, `?` for one
            character.
        path: The file to write.
        start: Nothing before this moment is written.

    Raises:
        SpinachError: No channel has such a name, only one of patterns and file is given, or the file
            cannot be written.
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
    return simulation.waves(path, chosen_channels(simulation, patterns), start or Time(0))


def chosen_channels(simulation: Simulation, patterns: Sequence[str]) -> list[int]:
    """The numbers of the channels that any of the patterns names, in the order of their names."""
    names = simulation.native.output_names()
    chosen: dict[int, str] = {}
    for pattern in patterns:
        form = re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."))
        found = {number: name for number, name in enumerate(names) if form.fullmatch(name)}
        if not found:
            raise SpinachError(f"no channel is called {pattern!r}", _native.suggest(pattern, names))
        chosen |= found
    return sorted(chosen, key=chosen.__getitem__)
