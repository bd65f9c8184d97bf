"""Execution of a request to run a NIC."""

from __future__ import annotations

import os
import time as wall_clock
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Unpack, cast

from msgspec import Struct

from spinach_nic.benches import Bench, Runnable, make_bench, name_of, nic_inputs
from spinach_nic.model.simulation import Simulation, simulate
from spinach_nic.runs.assembly import assemble
from spinach_nic.runs.checkpoints import SavedFile, SaveRequest
from spinach_nic.runs.console import ConsoleRun, LiveConsoleRun
from spinach_nic.runs.continuing import Origin, save_run
from spinach_nic.runs.debugging import DebuggedRun
from spinach_nic.runs.delays import apply_delays
from spinach_nic.runs.errors import (
    FirmwareFault,
    FrameError,
    RunError,
    RunInterrupted,
    StoppedError,
    UnwrittenError,
)
from spinach_nic.runs.images import ChosenImage, check_image, choose_image, load_image
from spinach_nic.runs.live import LiveRun, Outside, entrances_of, outside_of
from spinach_nic.runs.observers import CoherenceCheck, Observed, Observer, requested
from spinach_nic.runs.observers.coherence import Hazard
from spinach_nic.runs.options import (
    DEFAULT_FRAMES,
    LIVE,
    RECORDED,
    RunOptions,
    completed,
    options_without,
    refused_by_debugger,
    traffic_of,
)
from spinach_nic.runs.result import Result
from spinach_nic.runs.session import Controller, Ending, Saving, Session
from spinach_nic.runs.wire_notes import wire_notes
from spinach_nic.support import signals
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import check_outputs, pipes_opened
from spinach_nic.support.finishing import finish_each
from spinach_nic.support.location import user_code
from spinach_nic.support.options import named_files, recorded, takes
from spinach_nic.support.representations import microseconds
from spinach_nic.support.units import Rate, Time
from spinach_nic.traffic import (
    DEFAULT_TRAFFIC,
    DIRECTIONS,
    FRAME_OVERHEAD_BYTES,
    Capture,
    Plans,
    Traffic,
    plan_traffic,
)

_SHORTEST_ON_WIRE_BITS = 8 * (60 + FRAME_OVERHEAD_BYTES)
"""Bits on the wire of the shortest frame of Ethernet, with preamble, check sequence and gap."""
_ERRORS: Mapping[str, type[RunError]] = {
    "fault": FirmwareFault,
    "stopped": StoppedError,
    "frames": FrameError,
}


class Finished(Struct, frozen=True):
    """A run that has ended, well or not."""

    result: Result
    ending: Ending
    session: Session
    image: ChosenImage | None
    observers: Sequence[Observer] = ()
    unwritten: SpinachError | None = None
    """Reason why an output, such as the capture, is missing. The result itself is unaffected."""

    def __repr__(self) -> str:
        """Return the ending and the result, in a line."""
        return f"<Finished {self.ending.kind}: {self.result!r}>"

    @property
    def hazards(self) -> tuple[Hazard, ...]:
        """Hazards that the check of coherence has found, if it was requested."""
        checks = (one for one in self.observers if isinstance(one, CoherenceCheck))
        return tuple(hazard for check in checks for hazard in check.hazards)

    def check(self) -> Result:
        """Return the result.

        Raises:
            RunError: If the system failed.
            RunInterrupted: If the user interrupted the run.
            UnwrittenError: If an output could not be written.
        """
        if self.ending.kind == "complete":
            if self.unwritten is not None:
                raise UnwrittenError(self.unwritten, self.result)
            for error in (observer.error(self.result) for observer in self.observers):
                if error is not None:
                    raise error
            return self.result
        if self.ending.kind == "interrupted":
            raise RunInterrupted(self.result)
        message = self.ending.failure.message if self.ending.failure else ""
        raise _ERRORS[self.ending.kind](message, self.ending.help, self.result)


@takes(RunOptions, completed)
def execute(
    nic: Runnable,
    *,
    written_later: Mapping[str, str | Path] | None = None,
    **options: Unpack[RunOptions],
) -> Finished:
    """Execute `run` up to its end, whatever that is.

    `written_later` are files that the caller writes afterwards, by what a person calls them: they are checked
    before the run. Everything else is as for `run`.

    Raises:
        SpinachError: If the request is wrong.
    """
    with signals.let_in():
        run = _begin(nic, written_later or {}, options)
    began = wall_clock.perf_counter()
    try:
        ending = run.session.run(options["progress"])
    except BaseException:
        # Whatever ended the run, its outputs up to there are written, and its devices are released.
        run.session.finish(is_complete=False)
        finish_each(partial(one.finish, None) for one in run.observers)
        raise
    wall_s = wall_clock.perf_counter() - began
    unwritten = run.session.finish(is_complete=ending.kind == "complete")
    of_image = run.image.notes if run.image is not None else ()
    result = assemble(
        name=run.name,
        nic_file=_file_of(nic),
        session=run.session,
        ending=ending,
        image=run.image,
        seed=options["seed"],
        traffic=tuple(map(str, run.traffic)),
        request=recorded(RunOptions, options),
        notes=(*run.notes, *wire_notes(run.session), *of_image),
        wall_s=wall_s,
    )
    unwritten = finish_each(partial(one.finish, result) for one in run.observers) or unwritten
    if run.session.is_unsaved:
        message = f"the run ended at {microseconds(run.session.simulation.now)}, before the time of --save-at"
        unwritten = SpinachError(message, "save it earlier, or run longer")
    return Finished(result, ending, run.session, run.image, run.observers, unwritten)


class _Begun(Struct, frozen=True):
    """A run that is ready."""

    name: str
    traffic: Sequence[Traffic]
    notes: Sequence[str]
    image: ChosenImage | None
    session: Session
    observers: Sequence[Observer]


def _beyond_link(plans: Plans, link_rate: Rate) -> list[str]:
    """Return a note for each direction that is to carry more than the link can, whatever the frames."""
    notes = []
    for way in DIRECTIONS:
        plan = plans[way]
        least = plan.rate.bits_per_second or plan.frame_rate * _SHORTEST_ON_WIRE_BITS
        if least > link_rate.bits_per_second:
            asked = plan.rate or f"{plan.frame_rate:,} frames per second"
            notes.append(f"{way}: the requested {asked} exceed the rate of the link, {link_rate}")
    return notes


def _begin(nic: Runnable, written_later: Mapping[str, str | Path], options: RunOptions) -> _Begun:
    """Check the request, describe the system, and open the output files."""
    system, name, restored_file = make_bench(nic), name_of(nic), options["restore"]
    if not isinstance(restored_file, SavedFile):
        return _described(system, name, None, written_later, options)
    origin = Origin(restored_file.path, restored_file.saved)
    with origin.blaming_nic(system, name):
        return _described(system, name, origin, written_later, options)


def _described(
    system: Bench,
    name: str,
    origin: Origin | None,
    written_later: Mapping[str, str | Path],
    options: RunOptions,
) -> _Begun:
    for path, value in (options["set"] or {}).items():
        system.set(path, value)
    outside = _asked_outside(name, options)
    traffic, time = traffic_of(options["traffic"]), cast(Time | None, options["time"])
    if options["frames"] is None and time is None and outside is None and not _ends_by_itself(traffic):
        options["frames"] = DEFAULT_FRAMES
    plans = plan_traffic(
        traffic,
        frames=options["frames"],
        seed=options["seed"],
        largest_frame=system.largest_frame,
        largest_tagged_frame=system.largest_tagged_frame,
    )
    if origin is not None:
        _check_alone("a run restored from a checkpoint", _OUTSIDE, options)
        plans = origin.plans(plans, time)
    if outside is not None:
        plans = outside.connected(plans, system.largest_tagged_frame)
    if plans.tx.is_silent and plans.rx.is_silent and (traffic or time is None):
        raise SpinachError("no frames requested", "give traffic such as udp:1472, and at least one frame")
    observers = requested(options)
    outputs = _outputs(options, observers) | dict(written_later)
    if outputs:
        check_outputs(outputs, _inputs(system, options))
    written_now = (path for _, path in named_files(RunOptions, options, outputs=True))
    with pipes_opened(tuple(written_now)), user_code():
        image = _image(system, options["firmware"])
        simulation = _prepared(system, plans, image, observers, options)
        _check_not_planned(system, options["set"] or {})
        restored = (
            None if origin is None else origin.restore(simulation, system, plans, image, name, end=time)
        )
        simulation.set_sleeping(options["sleeping"])
        simulation.set_idle_skip(options["idle_skip"])
        simulation.set_fusing(options["fusing"])
        session = Session(
            system,
            simulation,
            image,
            plans,
            end=time if outside is None else _sooner(time, outside.end),
            stall_after=cast(Time, options["stall_after"]),
            controller=_controller(simulation, system, image, outside, options),
            restored=restored,
            saving=_saving(simulation, system, image, plans, name, options),
        )
        for observer in observers:
            observer.attach(Observed.of(simulation, system, image))
    beyond_link = _beyond_link(plans, session.probes.link_rate)
    notes = (*plans.notes, *beyond_link, *system.link_notes)
    if origin is not None and restored is not None:
        notes = (*notes, *origin.notes(restored))
    return _Begun(name, traffic, notes, image, session, observers)


def _ends_by_itself(traffic: Sequence[Traffic]) -> bool:
    """Return true if a capture is sent once."""
    sources = [one.frame_source for one in traffic]
    return any(isinstance(source, Capture) and not source.loops for source in sources)


_OUTSIDE = (*LIVE, "console")


def _check_alone(what: str, names: Sequence[str], options: RunOptions) -> None:
    for name in names:
        if options.get(name) not in (None, False, ()):
            raise SpinachError(f"{what} does not work with {name}", f"omit {name}, or run without the other")


def _saving(
    simulation: Simulation,
    system: Bench,
    image: ChosenImage | None,
    plans: Plans,
    name: str,
    options: RunOptions,
) -> Saving | None:
    request: SaveRequest | None = options["save_at"]
    if request is None:
        return None
    others = (*_OUTSIDE, "debugger", *options_without("works_with_saving"))
    _check_alone("a run that is saved", others, options)
    if request.time <= simulation.now:
        message = f"{request.time} is not after {simulation.now}, the start of the run"
        raise SpinachError(f"the run cannot be saved: {message}", "save it later")
    end = cast(Time | None, options["time"])
    if end is not None and request.time > end:
        message = f"the run would end at {end}, before {request.time}, the time of --save-at"
        raise SpinachError(message, "save it earlier, or run longer")
    save = partial(
        save_run,
        request.path,
        simulation,
        system,
        plans,
        name=name,
        image=image,
        request=recorded(RunOptions, options),
    )
    return Saving(request.time, save)


def _controller(
    simulation: Simulation,
    system: Bench,
    image: ChosenImage | None,
    outside: Outside | None,
    options: RunOptions,
) -> Controller | None:
    """Return the controller of the run, if it has one besides itself."""
    if options["debugger"] is not None:
        _check_alone("a run that is debugged", refused_by_debugger(), options)
        return DebuggedRun(simulation, system, image, options["debugger"])
    if options["console"] is not None:
        _check_alone("a run with a console", RECORDED, options)
        if outside is not None:
            return LiveConsoleRun(outside, simulation, system, options["console"])
        return ConsoleRun(simulation, system, options["console"])
    if outside is not None:
        return LiveRun(outside, simulation, entrances_of(system.probes()), system.largest_tagged_frame)
    return None


def _asked_outside(name: str, options: RunOptions) -> Outside | None:
    """Return the connection of the run; without any traffic then, unless some is requested."""
    connections = (options["wire"], options["host"], options["record"], options["replay"])
    if any(connections) and options["traffic"] is DEFAULT_TRAFFIC:
        options["traffic"] = ()
    return outside_of(*connections, {"nic": name, **recorded(RunOptions, options)})


def _prepared(
    system: Bench,
    plans: Plans,
    image: ChosenImage | None,
    observers: Sequence[Observer],
    options: RunOptions,
) -> Simulation:
    given: dict[str, Any] = {"tx": plans.tx, "rx": plans.rx}
    for observer in observers:
        given |= observer.bench_parameters
    for path, value in given.items():
        system.set(path, value)
    if image is not None:
        system.inserted().set("image", image.executable)
    peers = [(peer, choose_image(peer.inserted(), None)) for peer in system.peers]
    for peer, chosen in peers:
        if chosen is not None:
            peer.inserted().set("image", chosen.executable)
    if options["delays"]:
        apply_delays(options["delays"], system, None if image is None else image.executable)
    for name, value in ((name, value) for one in observers for name, value in one.core_parameters.items()):
        for core in system.probes().cores:
            core.set(name, value)
    simulation = simulate(system)
    if plans.rx.faults and not hasattr(system, "wire_faults"):
        help = "pass its frames through its method wire_from, or omit the faults"
        raise SpinachError(f"{system.title} does not support faults on its wire", help)
    if image is not None:
        check_image(image.executable, system.inserted())
    if image is not None and not system.loads_firmware:
        load_image(simulation, image.executable, system.inserted())
    for peer, chosen in peers:
        if chosen is not None and not peer.loads_firmware:
            load_image(simulation, chosen.executable, peer.inserted())
    return simulation


def _image(system: Bench, firmware: str | Path | None) -> ChosenImage | None:
    """Choose the firmware of the card.

    Raises:
        SpinachError: There is no such firmware, or no card to execute it.
    """
    if system.card is not None:
        return choose_image(system.card, firmware)
    if firmware is not None:
        raise SpinachError(f"{system.title} has no firmware {str(firmware)!r}", "leave out the firmware")
    return None


_OPTION_OF_PLAN = {
    "traffic": "--traffic (`traffic`)",
    "frames": "--traffic (`traffic`), such as pcap:FILE",
    "count": "--frames N (`frames`)",
    "seed": "--seed N (`seed`)",
    "rate": "a rate of the traffic, such as udp:1472@2Gbps",
    "frame_rate": "a rate of the traffic, such as udp:1472@500kpps",
}
"""Options that decide the parameters of sources and sinks of frames."""


def _check_not_planned(system: Bench, settings: Mapping[str, Any]) -> None:
    """Check that no setting contradicts the plans of the frames, which sources and sinks share.

    Raises:
        SpinachError: A setting does.
    """
    probes = system.probes()
    ends = [(path.source, "send_") for path in (probes.tx, probes.rx)]
    ends += [(path.sink, "receive_") for path in (probes.tx, probes.rx)]
    owned = {
        f"{module.path}.{name}": option
        for module, prefix in ends
        for plain, option in _OPTION_OF_PLAN.items()
        for name in (plain, prefix + plain)
        if name in module.declarations
    }
    for path in settings.keys() & owned.keys():
        message = f"{path} cannot be set: it follows from the traffic of the run"
        raise SpinachError(message, f"give {owned[path]}")


def _file_of(nic: Runnable) -> str | None:
    return os.path.abspath(nic) if isinstance(nic, str | Path) and Path(nic).suffix == ".py" else None


def _sooner(one: Time | None, other: Time | None) -> Time | None:
    return min((time for time in (one, other) if time is not None), default=None)


def _outputs(options: RunOptions, observers: Sequence[Observer]) -> dict[str, str | Path]:
    outputs: dict[str, str | Path] = dict(named_files(RunOptions, options, outputs=True))
    for observer in observers:
        outputs |= observer.outputs
    return outputs


def _inputs(system: Bench, options: RunOptions) -> dict[str, str | Path]:
    named = named_files(RunOptions, options, outputs=False)
    return {**nic_inputs(*system.classes), **{f"{noun} {path}": path for noun, path in named}}
