"""Timelines of runs, for Perfetto's viewer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self, TypedDict

from spinach_nic.firmware.tasks import tasks_of_functions
from spinach_nic.model.simulation import recorder
from spinach_nic.runs.forms import output_file
from spinach_nic.runs.observers.base import Observed, Observer
from spinach_nic.runs.result import Result

_BETWEEN = frozenset({"arbiter", "crossbar", "link", "local_bus"})
"""Kinds of modules between others."""


@dataclass
class Timeline(Observer):
    """Cores by task, agents and interconnects, memories, and frames, over time."""

    does = "writes a timeline"
    is_exclusive = True

    class Options(TypedDict, total=False):
        """Options of a timeline."""

        timeline: Annotated[
            str | Path | None,
            output_file(
                "--timeline",
                "Write the activity of cores, assists, memories and frames over time, for Perfetto's viewer.",
                "the timeline to write",
            ),
        ]

    path: Path
    _file: recorder.Timeline | None = None

    @classmethod
    def requested(cls, options: Mapping[str, Any]) -> Self | None:
        """Return the observer that options of a run request."""
        return None if options["timeline"] is None else cls(Path(options["timeline"]))

    def attach(self, observed: Observed) -> None:
        """Begin the file."""
        bench, probes = observed.bench, observed.bench.probes()
        memories = {}
        for memory in probes.memories:
            modules = (memory.controller,) if memory.controller is not None else memory.banks
            if modules:
                memories[memory.name] = tuple(modules)
        between = {module.path: module for module in bench.modules() if module.kind in _BETWEEN}
        executable = None if observed.image is None else observed.image.executable
        self._file = observed.simulation.timeline(
            self.path,
            cores=probes.cores if executable is not None else (),
            image=None if executable is None else executable.path,
            tasks={} if executable is None else tasks_of_functions(executable),
            blocks={name: agent.module for name, agent in probes.agents.items()} | between,
            memories=memories,
        )

    def finish(self, result: Result | None) -> None:
        """Complete the file."""
        if self._file is not None:
            self._file.finish()
