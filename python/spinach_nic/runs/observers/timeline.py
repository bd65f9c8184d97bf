"""Timelines of runs, for Perfetto's viewer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self, TypedDict

from spinach_nic.cards.base.card import Probes
from spinach_nic.firmware import Executable
from spinach_nic.firmware.tasks import tasks_of_functions
from spinach_nic.model import Component, Module
from spinach_nic.model.simulation import Simulation, recorder
from spinach_nic.runs.forms import output_file
from spinach_nic.runs.observers.base import Observed, Observer
from spinach_nic.runs.result import Result

_BETWEEN = frozenset({"arbiter", "crossbar", "link", "local_bus"})
"""Kinds of modules between others."""


@dataclass(frozen=True)
class TimelineCard:
    """Card in a timeline."""

    probes: Probes
    executable: Executable | None
    """Firmware of its cores; `None` without."""
    prefix: str = ""
    """Prefix of the names of its rows."""


def begin_timeline(
    simulation: Simulation, path: Path, system: Component, cards: Sequence[TimelineCard]
) -> recorder.Timeline:
    """Begin a timeline. Cores have rows if they execute the same image as the first that has one.

    Args:
        simulation: Simulation of the system.
        path: File to write.
        system: All modules, of which those between others have rows.
        cards: Cards in the system.

    Raises:
        SpinachError: The file cannot be written.
    """
    cores: dict[str, Module] = {}
    memories: dict[str, Sequence[Module]] = {}
    blocks: dict[str, Module] = {}
    executable = next((card.executable for card in cards if card.executable is not None), None)
    for card in cards:
        probes, prefix = card.probes, card.prefix
        if executable is not None and card.executable is not None and card.executable.path == executable.path:
            cores |= {f"{prefix}core {number}": core for number, core in enumerate(probes.cores)}
        blocks |= {prefix + name: agent.module for name, agent in probes.agents.items()}
        for memory in probes.memories:
            modules = (memory.controller,) if memory.controller is not None else memory.banks
            if modules:
                memories[prefix + memory.name] = tuple(modules)
    blocks |= {module.path: module for module in system.modules() if module.kind in _BETWEEN}
    return simulation.timeline(
        path,
        cores=cores,
        image=None if executable is None else executable.path,
        tasks={} if executable is None else tasks_of_functions(executable),
        blocks=blocks,
        memories=memories,
    )


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
        executable = None if observed.image is None else observed.image.executable
        card = TimelineCard(observed.bench.probes(), executable)
        self._file = begin_timeline(observed.simulation, self.path, observed.bench, [card])

    def finish(self, result: Result | None) -> None:
        """Complete the file."""
        if self._file is not None:
            self._file.finish()
