"""Timelines of runs, for Perfetto's viewer."""

from __future__ import annotations

from pathlib import Path

from spinach_nic.benches.base import Bench
from spinach_nic.model import Module
from spinach_nic.model.simulation import Simulation
from spinach_nic.model.simulation.recorder import Timeline
from spinach_nic.runs.images import ChosenImage
from spinach_nic.runs.traces import tasks_of_functions

_BETWEEN = frozenset({"arbiter", "crossbar", "link", "local_bus"})
"""Kinds of modules between others."""


def begin_timeline(simulation: Simulation, bench: Bench, image: ChosenImage | None, path: Path) -> Timeline:
    """Begin the timeline of a run: cores by task, agents and what connects them, memories, frames.

    Raises:
        SpinachError: The file cannot be written.
    """
    probes = bench.probes()
    memories = {}
    for memory in probes.memories:
        modules = (memory.controller,) if memory.controller is not None else memory.banks
        if modules:
            memories[memory.name] = tuple(modules)
    executable = None if image is None else image.executable
    return simulation.timeline(
        path,
        cores=probes.cores if executable is not None else (),
        image=None if executable is None else executable.path,
        tasks={} if executable is None else tasks_of_functions(executable),
        blocks={name: agent.module for name, agent in probes.agents.items()} | _between(bench),
        memories=memories,
    )


def _between(bench: Bench) -> dict[str, Module]:
    """The modules that pass references and frames on, by their paths."""
    return {module.path: module for module in bench.modules() if module.kind in _BETWEEN}
