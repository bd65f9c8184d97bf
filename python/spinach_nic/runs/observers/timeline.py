"""Timelines of runs, for Perfetto's viewer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self, TypedDict

from spinach_nic.cards.base.card import Memory
from spinach_nic.firmware.tasks import code_without_functions, tasks_of_functions
from spinach_nic.model import Module
from spinach_nic.model.simulation import Simulation, recorder
from spinach_nic.runs.forms import output_file
from spinach_nic.runs.observers.base import Observed, Observer
from spinach_nic.runs.occupancy import Lanes, Place, occupancy
from spinach_nic.runs.result import Result
from spinach_nic.support.units import Rate

_BETWEEN = frozenset({"arbiter", "crossbar", "link", "local_bus"})
"""Kinds of modules between others."""
_MEGABITS_PER_BYTE = 8e-6


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
        memories: dict[str, recorder.CountedRate] = {}
        blocks: dict[str, recorder.CountedRate] = {}
        images = [card.image.executable for card in observed.cards if card.image is not None]
        executable = images[0] if images else None
        activity = _Activity(observed.simulation)
        for card in observed.cards:
            probes, prefix = card.probes, card.prefix
            if executable and card.image and card.image.executable.path == executable.path:
                cores |= {f"{prefix}core {number}": core for number, core in enumerate(probes.cores)}
            agents = {prefix + name: agent.module for name, agent in probes.agents.items()}
            blocks |= activity.of(agents, card.link_rate)
            memories |= {prefix + memory.name: _bandwidth(memory) for memory in probes.memories}
        between = {module.path: module for module in observed.system.modules() if module.kind in _BETWEEN}
        if observed.cards:
            blocks |= activity.of(between, min(card.link_rate for card in observed.cards))
        self.file = observed.simulation.timeline(
            self.path,
            cores=cores,
            image=None if executable is None else executable.path,
            tasks={} if executable is None else tasks_of_functions(executable),
            code=[] if executable is None else code_without_functions(executable),
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


class _Activity:
    """Activity of modules by their counters, as reports show it."""

    def __init__(self, simulation: Simulation) -> None:
        self._hertz = simulation.clock_rates()
        self._lanes = Lanes(simulation)

    def of(self, modules: Mapping[str, Module], link_rate: Rate) -> dict[str, recorder.CountedRate]:
        """Return how busy modules are, by name; what others move, if they count it."""
        found: dict[str, recorder.CountedRate] = {}
        for name, module in modules.items():
            path, counters = module.path, module.counters
            place = Place(module.kind, self._hertz[path], link_rate, *self._lanes.of(path))
            measured = occupancy(place, counters)
            if measured is not None:
                shares = [(module, counter, 100 * seconds) for counter, seconds in measured.busy.items()]
                found[name] = recorder.CountedRate(shares, "%", 100.0)
            elif "bytes" in counters:
                found[name] = recorder.CountedRate([(module, "bytes", _MEGABITS_PER_BYTE)], "Mb/s")
        return found


def _bandwidth(memory: Memory) -> recorder.CountedRate:
    counters = [
        (it.module, it.counter, it.bytes_each * _MEGABITS_PER_BYTE) for it in memory.useful or memory.moved
    ]
    return recorder.CountedRate(counters, "Mb/s", memory.peak.bits_per_second / 1e6)
