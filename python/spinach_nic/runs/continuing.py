"""Runs restored from a checkpoint, and runs that are saved to one.

A restored run may differ in everything that the state does not depend on: its traffic, its end, and the
parameters that modules and components declare as variable. Everything else must be equal, and is compared.
A run without differences, or with another end alone, is the same run, to the last figure. Otherwise
measuring begins again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from msgspec import structs

from spinach_nic import _native
from spinach_nic.benches.base import Bench
from spinach_nic.cards.drivers import DriverLog
from spinach_nic.model import Component, Module
from spinach_nic.model.simulation import Simulation
from spinach_nic.runs.assembly import settings_of
from spinach_nic.runs.checkpoints import SavedFile, SavedPlan, SavedRun
from spinach_nic.runs.differences import ComparedModel, difference, listed
from spinach_nic.runs.images import ChosenImage
from spinach_nic.runs.session import Restored, SavedSession
from spinach_nic.support.errors import CheckpointError, SpinachError
from spinach_nic.support.representations import amount
from spinach_nic.support.units import Time
from spinach_nic.traffic import DIRECTIONS, FEWEST_MEASURED, Direction, FramePlan, Plans
from spinach_nic.traffic.described import (
    CapturedFrames,
    Choice,
    Described,
    Single,
    Stretch,
    Stretches,
    read_described,
)

SingleSource = TypeVar("SingleSource", bound=Single)
_SENT = ("next", "frames_posted", "frames_sent")
"""Names of the next frame's number in the sources of the library."""
_FEW_FRAMES = (
    f"fewer than {FEWEST_MEASURED} frames count from the start of the saved run: give at least "
    f"{FEWEST_MEASURED}, which are measured from the checkpoint on, or a time instead"
)


class Origin(SavedFile, frozen=True):
    """The saved run that a run continues."""

    @property
    def note(self) -> str:
        """Return the note about the run."""
        return f"continued from {self.path}, a run of {self.saved.nic} that was saved at {self.saved.at}"

    def notes(self, restored: Restored) -> tuple[str, ...]:
        """Return the notes on a run that begins so."""
        measured = "measuring began at the checkpoint, as the request differs from that of the saved run"
        return (self.note,) if restored.session is not None else (self.note, measured)

    @contextmanager
    def blaming_nic(self, system: Component, name: str) -> Iterator[None]:
        """Explain errors in the request of another NIC by the NIC: its parameters have other ranges.

        Args:
            system: The system, before it has the parameters of the saved run.
            name: Name of its NIC.

        Raises:
            SpinachError: The request is wrong.
        """
        known = settings_of(system)
        try:
            yield
        except SpinachError as error:
            saved = {path for path in self.saved.config if "." not in path}
            # A user's NIC may have another name now.
            is_other = bool(known.keys() - saved or saved - system.declarations.keys())
            if is_other and name != self.saved.nic:
                raise self._other_nic(name) from error
            raise

    def _other_nic(self, name: str) -> SpinachError:
        message = f"{self.path} is a checkpoint of {self.saved.nic}, not of {name}"
        return SpinachError(message, f"continue it with {self.saved.nic}")

    def plans(self, plans: Plans, end: Time | None) -> Plans:
        """Return the plans, with the frames that the saved run has made.

        Raises:
            SpinachError: The run would end before it begins.
        """
        if end is not None and end <= self.saved.at:
            message = f"the run would end at {end}, but was saved at {self.saved.at}"
            if end == self.saved.at:
                message = f"the run would end at {end}, when it was saved; --time is inherited unless given"
            raise SpinachError(message, "time counts from the start: give a longer time, or frames instead")
        try:
            return _continued_plans(self.saved, plans)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise SpinachError(f"the checkpoint {self.path} is damaged", "save it again") from error

    def restore(
        self,
        simulation: Simulation,
        bench: Bench,
        plans: Plans,
        image: ChosenImage | None,
        name: str,
        *,
        end: Time | None,
    ) -> Restored:
        """Put a simulation into the state that was saved.

        Raises:
            SpinachError: It is not a simulation of the same, or the file is damaged; or another run than the
                saved one would have neither frames to send nor an end.
        """
        now = ComparedModel.of(bench, simulation)
        self._check(now, image, name)
        try:
            simulation.restore(self.saved.state)
        except CheckpointError as error:
            if error.kind != "state" or error.path != bench.probes().tx.source.path:
                raise
            help = "give traffic whose frames from the host are no longer than those of the saved run"
            raise SpinachError(f"{self.path} does not fit {error.path}: {error.reason}", help) from error
        is_same = self.saved.config == now.config and self.saved.parameters == simulation.parameters()
        # Deliveries to measure are not a parameter: sources of the saved run may have ended with its window.
        if is_same and all(self.saved.plans[way].measured == plans[way].measured for way in DIRECTIONS):
            session = self.saved.session
            return Restored(session, self.saved.drivers, {*DIRECTIONS} - session.counts.keys())
        ended = {way for way in DIRECTIONS if plans[way].count <= self.saved.plans[way].made}
        if end is None and len(ended) == len(DIRECTIONS):
            message = f"no more frames requested than {self.path} has sent already"
            raise SpinachError(message, _FEW_FRAMES)
        return Restored(None, self.saved.drivers, ended)

    def _check(self, now: ComparedModel, image: ChosenImage | None, name: str) -> None:
        """Check that the state of the saved run is one of this NIC, firmware and model."""
        saved = self.saved
        then = ComparedModel(saved.model, saved.config)
        found = then.differences(now)
        is_other = _digest(image) != saved.firmware
        # A user's NIC may have another name now.
        if (found or is_other) and name != saved.nic:
            raise self._other_nic(name)
        if is_other:
            known = saved.firmware_name or "none"
            given = "none" if image is None else image.firmware.name
            changed = then.changed_parameters(now)
            if not changed:
                what = f"content of {known}" if known == given else f"firmware: {known}, not {given}"
                help = f"give the firmware that it was saved with: {known}"
                raise SpinachError(f"{self.path} was saved with other {what}", help)
            # The default image may follow from parameters.
            named = [difference("firmware", known, given)] if known != given else []
            found = [*named, *changed]
        if found:
            help = (
                "a run continues only with the same structure, clocks and captures; traffic and variable "
                "parameters may differ"
            )
            raise SpinachError(f"{self.path} is a checkpoint of another model: {listed(found)}", help)


def save_run(
    path: Path,
    simulation: Simulation,
    bench: Bench,
    plans: Plans,
    session: SavedSession,
    drivers: tuple[DriverLog, ...],
    *,
    name: str,
    image: ChosenImage | None,
    request: Mapping[str, str | tuple[str, ...]],
) -> None:
    """Save a run at the present moment.

    Raises:
        SpinachError: It cannot be saved, or the file cannot be written.
    """
    described = ComparedModel.of(bench, simulation)
    SavedRun(
        version=_native.version(),
        nic=name,
        at_fs=simulation.now.femtoseconds,
        model=described.model,
        config=described.config,
        firmware=_digest(image),
        firmware_name=None if image is None else image.firmware.name,
        request=request,
        parameters=simulation.parameters(),
        plans=_saved_plans(simulation, bench, plans),
        session=session,
        drivers=drivers,
        state=simulation.checkpoint(),
    ).write(path)


def _digest(image: ChosenImage | None) -> str | None:
    return None if image is None else image.firmware.sha256


def _continued_plans(saved: SavedRun, plans: Plans) -> Plans:
    tx, rx = (_continued(way, saved.plans[way], plans[way]) for way in DIRECTIONS)
    return replace(plans, tx=tx, rx=rx)


def _continued(way: Direction, old: SavedPlan, new: FramePlan) -> FramePlan:
    if new.is_silent and old.made:
        return FramePlan(_content(old), old.frames, count=old.made, seed=old.seed)
    is_same = (old.traffic, old.frames, old.seed) == (new.traffic, new.frames, new.seed)
    if is_same or not old.made:
        continued = new
    else:
        first = _cut(_stretches(_content(old), old.frames, old.seed, 0), old.made)
        continued = _same_after_others(old, new) or _after(first, old.frames, old.seed, new)
    if continued.count < old.made:
        message = (
            f"{way}: {amount(new.count, 'frame')} requested, but the saved run has sent {old.made} already"
        )
        raise SpinachError(message, _FEW_FRAMES)
    return continued


def _same_after_others(old: SavedPlan, new: FramePlan) -> FramePlan | None:
    """Return the whole plan of a restored run that was saved again, if its own frames are those of `new`."""
    content = _content(old)
    if not isinstance(content, Stretches):
        return None
    before = old.frames[: len(old.frames) - len(new.frames)]
    whole = _after(content.parts[:-1], before, old.seed, new)
    return whole if (whole.traffic, whole.frames) == (old.traffic, old.frames) else None


def _after(first: Sequence[Stretch], frames: bytes, seed: int, new: FramePlan) -> FramePlan:
    """Return the plan that sends the frames of `first`, and then those of `new`.

    Frames of a sequence keep their numbers: the first of a capture that is sent once gets that of its turn.
    """
    sent, captured, count = sum(part.count or 0 for part in first), new.frames, new.count
    if new.content is None and count == len(_records(captured)):
        captured, count = _turned(captured, sent), sent + count
    rest = _stretches(new.content, captured, new.seed, len(_records(frames)))
    content = Stretches((*first, *rest))
    return replace(new, content=content, frames=frames + captured, count=count, seed=seed)


def _turned(frames: bytes, places: int) -> bytes:
    """Return the frames of a capture with the first at a later place, and the last at the beginning."""
    records = _records(frames)
    split = len(records) - places % len(records)
    return b"".join([*records[split:], *records[:split]])


def _content(saved: SavedPlan) -> Described | None:
    return read_described(json.loads(saved.traffic)) if saved.traffic else None


def _stretches(content: Described | None, frames: bytes, seed: int, first: int) -> Sequence[Stretch]:
    """Return an equal sequence whose captured frames begin with number `first`."""
    match content:
        case None if not frames:
            return ()
        case None:
            return (Stretch(CapturedFrames(first, len(_records(frames))), seed),)
        case Stretches(parts):
            return parts
        case Choice(parts):
            shifted = tuple((weight, _shifted(source, first)) for weight, source in parts)
            return (Stretch(replace(content, parts=shifted), seed),)
        case _:
            return (Stretch(_shifted(content, first), seed),)


def _shifted(source: SingleSource, first: int) -> SingleSource:
    if isinstance(source, CapturedFrames):
        return structs.replace(source, first=source.first + first)
    return source


def _cut(parts: Sequence[Stretch], made: int) -> list[Stretch]:
    """Return the same for the first `made` frames."""
    kept = []
    for part in parts:
        count = min(made, part.count or made)
        if count:
            kept.append(Stretch(part.source, part.seed, count))
        made -= count
    return kept


def _records(frames: bytes) -> list[bytes]:
    """Return frames, each with its length in 32 bits before it."""
    records, place = [], 0
    while place < len(frames):
        end = place + 4 + int.from_bytes(frames[place : place + 4], "big")
        records.append(frames[place:end])
        place = end
    return records


def _saved_plans(simulation: Simulation, bench: Bench, plans: Plans) -> dict[Direction, SavedPlan]:
    sources = {way: path.source for way, path in bench.probes().paths.items()}
    return {
        way: SavedPlan(plan.traffic, plan.frames, plan.seed, _made(simulation, sources[way]), plan.measured)
        for way, plan in ((way, plans[way]) for way in DIRECTIONS)
    }


def _made(simulation: Simulation, source: Module) -> int:
    state = simulation.state(source)
    for name in _SENT:
        if name in state:
            return int(state[name])
    message = f"{source.path} does not report its number of frames"
    raise SpinachError(message, "save runs whose frames come from the library's hosts and feeders")
