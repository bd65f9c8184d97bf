"""Timelines of runs, for Perfetto's viewer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Self, TypedDict

from spinach_nic.firmware.tasks import tasks_of_functions
from spinach_nic.model import Module
from spinach_nic.model.simulation import recorder
from spinach_nic.runs.forms import output_file
from spinach_nic.runs.observers.base import Observed, Observer
from spinach_nic.runs.result import Result

_BETWEEN = frozenset({"arbiter", "crossbar", "link", "local_bus"})
"""Kinds of modules between others."""


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

    def __init__(self, path: Path) -> None:
        """Create the observer that writes the file `path`."""
        self.path = path
        self.file: recorder.Timeline | None = None
        """The open timeline, once attached."""
        self._frames = 0

    @classmethod
    def requested(cls, options: Mapping[str, Any]) -> Self | None:
        """Return the observer that options of a run request."""
        return None if options["timeline"] is None else cls(Path(options["timeline"]))

    def attach(self, observed: Observed) -> None:
        """Begin the file. Cores have rows if they execute the same image as the first card that has one."""
        cores: dict[str, Module] = {}
        memories: dict[str, Sequence[Module]] = {}
        blocks: dict[str, Module] = {}
        images = [card.image.executable for card in observed.cards if card.image is not None]
        executable = images[0] if images else None
        for card in observed.cards:
            probes, prefix = card.probes, card.prefix
            if executable and card.image and card.image.executable.path == executable.path:
                cores |= {f"{prefix}core {number}": core for number, core in enumerate(probes.cores)}
            blocks |= {prefix + name: agent.module for name, agent in probes.agents.items()}
            for memory in probes.memories:
                modules = (memory.controller,) if memory.controller is not None else memory.banks
                if modules:
                    memories[prefix + memory.name] = tuple(modules)
        blocks |= {module.path: module for module in observed.system.modules() if module.kind in _BETWEEN}
        self.file = observed.simulation.timeline(
            self.path,
            cores=cores,
            image=None if executable is None else executable.path,
            tasks={} if executable is None else tasks_of_functions(executable),
            blocks=blocks,
            memories=memories,
        )

    @property
    def frames(self) -> int:
        """Number of frames that the complete timeline follows."""
        return self._frames

    def finish(self, result: Result | None) -> None:
        """Complete the file."""
        if self.file is not None:
            self._frames = self.file.finish()
