"""Outputs of servers with cards made of modules: profile and timeline, and those of observers of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from spinach_nic import _native
from spinach_nic.model.simulation import Statistics
from spinach_nic.runs.observers import Observer
from spinach_nic.runs.observers.timeline import Timeline
from spinach_nic.runs.profiling.cards import CardCosts, CardsProfile
from spinach_nic.runs.profiling.document import Window
from spinach_nic.runs.profiling.gathering import costs_of
from spinach_nic.runs.server_modules import ModuleServers
from spinach_nic.runs.tasks import Profile, take_profile
from spinach_nic.servers.outputs import Output
from spinach_nic.servers.profile import ServerProfile, profile_of, shown
from spinach_nic.support.files import write_output
from spinach_nic.support.representations import amount
from spinach_nic.support.units import Time


@dataclass
class ServersProfile(Output[ModuleServers]):
    """Firmware costs of both cards, and time of the harts of both servers."""

    path: Path
    server: str
    """Name of the run in the document."""
    _began: Statistics | None = field(default=None, init=False)
    _before: dict[int, Profile] = field(default_factory=dict, init=False)
    """Accounts of the cores of each card with firmware at the beginning, by number of the server."""

    def begin(self, machine: ModuleServers) -> None:
        """Note the present accounts, and count the time of the harts from now on."""
        self._began = machine.simulation.statistics()
        for node, inserted in enumerate(machine.inserted):
            if inserted.image is not None:
                self._before[node] = take_profile(machine.simulation, inserted.card.probes().cores)
        for node in range(machine.nodes()):
            machine.set_profiled(True, node)

    def finish(self, machine: ModuleServers) -> Sequence[str]:
        """Write the document; return lines with the largest costs."""
        if self._began is None:
            return ()
        now = machine.simulation.statistics()
        profile = CardsProfile(
            server=self.server,
            version=_native.version(),
            window_ns=Window(*(moment.time.femtoseconds // 10**6 for moment in (self._began, now))),
            cards=tuple(self._costs(machine, node, now - self._began) for node in self._before),
            servers=tuple(self._harts(machine, node) for node in range(machine.nodes())),
        )
        write_output(self.path, profile.to_json())
        lines = [line for card in profile.cards for line in card.shown()]
        for number, server in enumerate(profile.servers, 1):
            lines += shown(server, of=f"the harts of server {number}").splitlines()
        return lines

    def _harts(self, machine: ModuleServers, node: int) -> ServerProfile:
        is_timed = machine.timing(node) is not None
        return profile_of(
            machine, machine.starts[node].functions, node, name=f"{self.server} {node + 1}", is_timed=is_timed
        )

    def _costs(self, machine: ModuleServers, node: int, counted: Statistics) -> CardCosts:
        inserted, described = machine.inserted[node], machine.cards[node]
        assert inserted.image is not None
        assert described.firmware is not None
        cores = inserted.card.probes().cores
        spent = take_profile(machine.simulation, cores) - self._before[node]
        costs = costs_of(inserted.image.executable, cores, counted, spent).documented()
        sent, received = machine.exchanged(counted, node)
        return CardCosts(
            server=node + 1,
            card=described.name,
            firmware=described.firmware,
            cores=len(cores),
            sent_frames=sent,
            received_frames=received,
            **{name: costs[name] for name in ("total", "functions", "lines", "places")},
        )


@dataclass(frozen=True)
class Observation(Output[ModuleServers]):
    """Output of an observer of runs, from the beginning to the end."""

    observer: Observer

    def begin(self, machine: ModuleServers) -> None:
        """Begin to observe both cards."""
        self.observer.attach(machine.observed())

    def finish(self, machine: ModuleServers) -> Sequence[str]:
        """Complete the output."""
        self.observer.finish(None)
        return self.observer.findings


@dataclass
class ServersTimeline(Output[ModuleServers]):
    """Activity of both servers in a window of simulated time: harts, and cards with their frames."""

    timeline: Timeline
    begin_after: Time
    length: Time
    _began: Time | None = field(default=None, init=False)
    _ended: Time | None = field(default=None, init=False)

    def begin(self, machine: ModuleServers) -> None:
        """Arrange for the window."""
        begin = machine.simulation.now + self.begin_after
        machine.call_at(begin, lambda: self._open(machine))
        machine.call_at(begin + self.length, lambda: self._close(machine))

    def finish(self, machine: ModuleServers) -> Sequence[str]:
        """Complete the file; return a summary."""
        if self._began is None:
            self._open(machine)
        if self._ended is None:
            self._close(machine)
        assert self._began is not None
        assert self._ended is not None
        covered = self._ended - self._began
        text = f"timeline: {amount(self.timeline.frames, 'frame')} in {covered.seconds * 1e3:.3f} ms"
        return [f"{text}, and not of all {self.length}: the run ended" if covered < self.length else text]

    def _open(self, machine: ModuleServers) -> None:
        self.timeline.attach(machine.observed())
        self._began = machine.simulation.now
        for node in range(machine.nodes()):
            machine.record_harts(self.length, node)

    def _close(self, machine: ModuleServers) -> None:
        for node in range(machine.nodes()):
            machine.add_harts(self.timeline, node)
        self.timeline.finish(None)
        self._ended = machine.simulation.now
