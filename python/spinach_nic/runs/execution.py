"""Carrying out a request to run a NIC."""

from __future__ import annotations

import os
import time as wall_clock
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from spinach_nic.benches import Bench, Runnable, make_bench, name_of, nic_inputs
from spinach_nic.model.simulation import Simulation, simulate
from spinach_nic.runs.assembly import assemble
from spinach_nic.runs.checkpoints import SavedFile, SaveRequest
from spinach_nic.runs.coherence import CoherenceCheck, Hazard, begin_coherence_check
from spinach_nic.runs.console import ConsoleRun
from spinach_nic.runs.continuing import Origin, save_run
from spinach_nic.runs.debugging import DebuggedRun
from spinach_nic.runs.delays import apply_delays
from spinach_nic.runs.errors import (
    CoherenceError,
    FirmwareFault,
    FrameError,
    RunError,
    RunInterrupted,
    StoppedError,
)
from spinach_nic.runs.images import ChosenImage, check_image, choose_image, load_image
from spinach_nic.runs.lines import begin_lines
from spinach_nic.runs.live import LiveRun, Outside, outside_of
from spinach_nic.runs.options import DEFAULT_FRAMES, RunOptions, completed, traffic_of
from spinach_nic.runs.result import Result
from spinach_nic.runs.session import Ending, Saving, Session
from spinach_nic.runs.timeline import begin_timeline
from spinach_nic.runs.traced_run import TracedRun
from spinach_nic.runs.traces import begin_traces
from spinach_nic.runs.waves import begin_waves
from spinach_nic.support import signals
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import check_outputs, pipes_opened
from spinach_nic.support.location import user_code
from spinach_nic.support.options import named_files, recorded, takes
from spinach_nic.support.units import Time
from spinach_nic.traffic import DEFAULT_TRAFFIC, Capture, Plans, Traffic, plan_traffic

_ERRORS: Mapping[str, type[RunError]] = {
    "fault": FirmwareFault,
    "stopped": StoppedError,
    "frames": FrameError,
}


@dataclass(frozen=True)
class Finished:
    """A run that has ended, well or not."""

    result: Result
    ending: Ending
    session: Session
    image: ChosenImage | None
    unwritten: SpinachError | None = None
    """Reason why the capture or the traces are missing. The result itself is unaffected."""
    hazards: tuple[Hazard, ...] = ()
    """Hazards that the check of coherence has found, if it was requested."""

    def __repr__(self) -> str:
        """Return the ending and the result, in a line."""
        return f"<Finished {self.ending.kind}: {self.result!r}>"

    def check(self) -> Result:
        """The result.

        Raises:
            RunError: If the system failed.
            RunInterrupted: If the user interrupted the run.
            SpinachError: If the capture or the traces could not be written.
        """
        if self.ending.kind == "complete":
            if self.unwritten is not None:
                raise self.unwritten
            if self.hazards:
                first, *others = self.hazards
                message = f"{first}" + (f"; {len(others)} more" if others else "")
                raise CoherenceError(message, first.help, self.result)
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
    """Do what `run` describes, up to its end, whatever that is.

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
        # Whatever ended the run, the frames up to there are captured.
        _finish(run.capture)
        _finish(run.timeline)
        _finish(run.waves)
        _finish(run.lines)
        raise
    wall_s = wall_clock.perf_counter() - began
    unwritten = _finish(run.capture)
    unwritten = _finish(run.timeline) or unwritten
    unwritten = _finish(run.waves) or unwritten
    unwritten = _finish(run.lines) or unwritten
    passed = None
    if run.live is not None:
        passed, unrecorded = run.live.finish(is_complete=ending.kind == "complete")
        unwritten = unrecorded or unwritten
    if run.debugged is not None:
        unwritten = run.debugged.finish(is_complete=ending.kind == "complete") or unwritten
    result = assemble(
        name=run.name,
        nic_file=_file_of(nic),
        bench=run.system,
        session=run.session,
        ending=ending,
        image=run.image,
        seed=options["seed"],
        traffic=tuple(map(str, run.traffic)),
        request=recorded(RunOptions, options),
        notes=(*run.notes, *(run.image.notes if run.image is not None else ())),
        wall_s=wall_s,
        live=passed,
        replays_a_part=run.live is not None and run.live.replays_a_part,
    )
    if run.record is not None:
        unwritten = _finish(partial(run.record, result)) or unwritten
    if run.session.is_unsaved:
        message = f"the run ended at {run.session.simulation.now}, before it was to be saved"
        unwritten = SpinachError(message, "save it earlier, or let it run longer")
    hazards = () if run.coherence is None else run.coherence.hazards()
    return Finished(result, ending, run.session, run.image, unwritten, hazards)


@dataclass(frozen=True)
class _Begun:
    """A run that is ready, and what completes the files that it writes."""

    system: Bench
    name: str
    traffic: Sequence[Traffic]
    notes: Sequence[str]
    image: ChosenImage | None
    session: Session
    live: LiveRun | None
    debugged: DebuggedRun | None
    capture: Callable[[], object] | None
    timeline: Callable[[], object] | None
    waves: Callable[[], object] | None
    lines: Callable[[], object] | None
    record: Callable[[Result], object] | None
    coherence: CoherenceCheck | None


def _begin(nic: Runnable, written_later: Mapping[str, str | Path], options: RunOptions) -> _Begun:
    """Check what is asked for, describe the system, and open the files to write."""
    system, name = make_bench(nic), name_of(nic)
    for path, value in (options["set"] or {}).items():
        system.set(path, value)
    outside = _asked_outside(name, options)
    traffic, time = traffic_of(options["traffic"]), options["time"]
    firmware, pcap_out, traces = options["firmware"], options["pcap_out"], options["traces"]
    if options["frames"] is None and time is None and outside is None and not _ends_by_itself(traffic):
        options["frames"] = DEFAULT_FRAMES
    plans = plan_traffic(
        traffic, frames=options["frames"], seed=options["seed"], largest_frame=system.largest_frame
    )
    restored_file = options["restore"]
    origin = Origin(restored_file.path, restored_file.saved) if isinstance(restored_file, SavedFile) else None
    if origin is not None:
        _check_alone("a run restored from a checkpoint", _OUTSIDE, options)
        plans = origin.plans(plans, time)
    if outside is not None:
        plans = outside.connected(plans, system.largest_frame)
    if plans.tx.is_silent and plans.rx.is_silent and (traffic or time is None):
        raise SpinachError("no frames are asked for", "give traffic such as udp:1472, and at least one frame")
    listening = {
        "writes traces": traces is not None,
        "writes a timeline": options["timeline"] is not None,
        "checks coherence": options["check_coherence"],
    }
    if sum(listening.values()) > 1:
        both = " and ".join(what for what, is_asked in listening.items() if is_asked)
        raise SpinachError(f"no run {both}", "ask for one of them at a time")
    outputs = _outputs(options) | dict(written_later)
    if outputs:
        check_outputs(outputs, _inputs(system, options))
    written_now = (path for _, path in named_files(RunOptions, options, outputs=True))
    with pipes_opened(tuple(written_now)), user_code():
        image = _image(system, firmware)
        simulation = _prepared(system, plans, image, options)
        restored = None if origin is None else origin.restore(simulation, system, plans, image)
        simulation.set_sleeping(options["sleeping"])
        simulation.set_idle_skip(options["idle_skip"])
        simulation.set_fusing(options["fusing"])
        live = None
        if outside is not None:
            live = LiveRun(outside, simulation, system.probes(), system.largest_frame)
        end = time if outside is None else _sooner(time, outside.end)
        stall_after = options["stall_after"]
        debugged = _debugged(simulation, system, image, options)
        console = _console(simulation, system, options)
        session = Session(
            system,
            simulation,
            image,
            plans,
            end=end,
            stall_after=stall_after,
            live=live,
            debugged=debugged,
            console=console,
            restored=restored,
            saving=_saving(simulation, system, image, plans, name, options),
        )
        capture = None if pcap_out is None else _capture(simulation, system, Path(pcap_out))
        timeline = None
        if options["timeline"] is not None:
            timeline = begin_timeline(simulation, system, image, Path(options["timeline"])).finish
        shown = begin_waves(simulation, options["wave"], options["wave_out"], options["wave_from"])
        waves = None if shown is None else shown.finish
        printed = begin_lines(simulation, options["trace_lines"], options["trace_lines_from"])
        lines = None if printed is None else printed.finish
        record = None if traces is None else begin_traces(simulation, system, image, Path(traces))
        checked = None
        if options["check_coherence"]:
            checked = begin_coherence_check(simulation, system, image)
    notes = plans.notes if origin is None else (*plans.notes, origin.note)
    return _Begun(
        system,
        name,
        traffic,
        notes,
        image,
        session,
        live,
        debugged,
        capture,
        timeline,
        waves,
        lines,
        record,
        checked,
    )


def _ends_by_itself(traffic: Sequence[Traffic]) -> bool:
    """Return whether a capture is sent once."""
    sources = [one.frame_source for one in traffic]
    return any(isinstance(source, Capture) and not source.loops for source in sources)


_OUTSIDE = ("wire", "host", "record", "replay", "console")


def _check_alone(what: str, names: Sequence[str], options: RunOptions) -> None:
    for name in names:
        if options.get(name) not in (None, False, ()):
            raise SpinachError(f"{what} takes no {name}", f"leave {name} away, or run without the other")


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
    _check_alone("a run that is saved", (*_OUTSIDE, "debugger", "check_coherence"), options)
    if request.time <= simulation.now:
        message = f"{request.time} is not after {simulation.now}, where the run begins"
        raise SpinachError(f"the run cannot be saved: {message}", "save it later")
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


def _debugged(
    simulation: Simulation, system: Bench, image: ChosenImage | None, options: RunOptions
) -> DebuggedRun | None:
    request = options["debugger"]
    if request is None:
        return None
    # Outputs of a debugged run, which may go back in time, are not written twice.
    written = ("pcap_out", "timeline", "wave_out", "wire", "host", "record", "replay", "traces")
    _check_alone("a run that is debugged", (*written, "trace_lines", "check_coherence"), options)
    return DebuggedRun(simulation, system, image, request)


def _console(simulation: Simulation, system: Bench, options: RunOptions) -> ConsoleRun | None:
    if options["console"] is None:
        return None
    _check_alone("a run with a console", ("debugger", "wire", "host", "record", "replay"), options)
    return ConsoleRun(simulation, system, options["console"])


def _asked_outside(name: str, options: RunOptions) -> Outside | None:
    """Return the connection of the run; without any traffic then, unless some is requested."""
    connections = (options["wire"], options["host"], options["record"], options["replay"])
    if any(connections) and options["traffic"] is DEFAULT_TRAFFIC:
        options["traffic"] = ()
    return outside_of(*connections, {"nic": name, **recorded(RunOptions, options)})


def _finish(writing: Callable[[], object] | None) -> SpinachError | None:
    """Complete a file; says why it cannot be."""
    try:
        if writing is not None:
            writing()
    except SpinachError as error:
        return error
    return None


def _prepared(system: Bench, plans: Plans, image: ChosenImage | None, options: RunOptions) -> Simulation:
    given: dict[str, Any] = {"tx": plans.tx, "rx": plans.rx, "captured": options["pcap_out"] is not None}
    for path, value in given.items():
        system.set(path, value)
    if image is not None:
        system.inserted().set("image", image.executable)
    if options["delays"]:
        apply_delays(options["delays"], system, None if image is None else image.executable)
    if options["call_stacks"]:
        for core in system.probes().cores:
            core.set("calls", value=True)
    simulation = simulate(system)
    if plans.rx.faults and not hasattr(system, "wire_faults"):
        help = "let frames come through its method wire_from, or leave the faults away"
        raise SpinachError(f"{system.title} puts no faults on its wire", help)
    if image is not None:
        check_image(image.executable, system.inserted())
    if image is not None and not system.loads_firmware:
        load_image(simulation, image.executable, system.inserted())
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


def _file_of(nic: Runnable) -> str | None:
    return os.path.abspath(nic) if isinstance(nic, str | Path) and Path(nic).suffix == ".py" else None


def _sooner(one: Time | None, other: Time | None) -> Time | None:
    return min((time for time in (one, other) if time is not None), default=None)


def _outputs(options: RunOptions) -> dict[str, str | Path]:
    outputs: dict[str, str | Path] = dict(named_files(RunOptions, options, outputs=True))
    traces = options["traces"]
    if traces is not None and Path(traces).is_dir():
        outputs |= {f"{file.name} of the traces": file for file in TracedRun(Path(traces)).files}
    return outputs


def _inputs(system: Bench, options: RunOptions) -> dict[str, str | Path]:
    named = named_files(RunOptions, options, outputs=False)
    return {**nic_inputs(*system.classes), **{f"{noun} {path}": path for noun, path in named}}


def _capture(simulation: Simulation, system: Bench, path: Path) -> Callable[[], object]:
    """Begin a capture; returns what ends it."""
    probes = system.probes()
    ports = {"wire": probes.tx.capture, "host": probes.rx.capture}
    known = {name: port for name, port in ports.items() if port is not None}
    if len(known) < len(ports):
        missing = " and ".join(name for name in ports if name not in known)
        raise SpinachError(
            f"{system.title} does not say where to capture frames at the {missing}",
            "give `leaving` in the wires of the card",
        )
    return simulation.capture(path, known).finish
