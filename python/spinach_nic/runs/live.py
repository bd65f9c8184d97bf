"""Runs connected to the world outside: frames come in from devices of this machine and leave to them.

The wire, the host of the NIC, or both may have a device. What comes in is stamped with simulated time and can
be recorded; a run that replays the recording gives the same result.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

import msgspec
from msgspec import Struct

from spinach_nic import _native
from spinach_nic.benches.base import BenchProbes
from spinach_nic.model import Module
from spinach_nic.model.simulation import Outcome, Simulation
from spinach_nic.model.simulation.conditions import Condition
from spinach_nic.runs.recordings import RecordedEnding, SavedRecording, Subject, read_recording
from spinach_nic.runs.result import LiveResult
from spinach_nic.runs.simbricks import networks
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import Time, ns, us
from spinach_nic.traffic import Direction, FramePlan, Plans, live_frames

WAYS_IN: Mapping[str, Direction] = {"wire": "rx", "host": "tx"}
"""Direction of incoming frames, by the name of the entrance."""

DEVICE_LOST_HELP: Final = "keep the device, or the peer of its socket, until the run ends"
_DEVICE_LOST = re.compile(rf"the ({'|'.join(WAYS_IN)}) has lost ")

_BETWEEN_EXCHANGES: Final = us(200)
"""Interval of a run with a debugger: maximum time that frames wait at a device."""
NEVER: Final = Time(2**63)
"""Time after the end of every run."""


class Entrance(NamedTuple):
    """Modules at which frames come in and go out."""

    source: Module
    """Module that sends frames from outside."""
    sink: Module
    """Module that these frames reach; it compares them, if it is a `PacketSink`."""
    exit: Module
    """Module whose frames go out."""


def is_of_device(details: str) -> bool:
    """Return true if a run stopped because a device, or the peer of its socket, is gone."""
    return _DEVICE_LOST.match(details) is not None


def entrances_of(probes: BenchProbes) -> Mapping[str, Entrance]:
    """Return the entrances of a bench, by name."""
    rx, tx = probes.rx, probes.tx
    return {"wire": Entrance(rx.source, rx.sink, tx.sink), "host": Entrance(tx.source, tx.sink, rx.sink)}


class Outside(Struct, frozen=True):
    """Connections of a run."""

    devices: Mapping[str, str]
    """User's names of the devices, by the name of the entrance."""
    made_with: Mapping[str, Any]
    """Configuration that determines the result together with the input."""
    subject: Subject = "request"
    record: Path | None = None
    """File to record the input in."""
    recording: SavedRecording | None = None
    """Input of a replay."""

    @property
    def end(self) -> Time | None:
        """Return the end of a replay; `None` for a run that continues until it is ended."""
        return None if self.recording is None else Time(self.recording.end_fs)

    @property
    def has_ended_well(self) -> bool:
        """Return true if the replayed run, if any, reached its requested end."""
        ending = self.recording.ending if self.recording else None
        return ending is None or ending.complete

    def connected(self, plans: Plans, largest_frame: int) -> Plans:
        """Return the plans of a run in which frames come from outside."""
        ways = {WAYS_IN[name] for name in self.devices}
        for name in self.devices:
            if not plans[WAYS_IN[name]].is_silent:
                message = f"frames {WAYS_IN[name]} come from the {name}, so traffic cannot be generated there"
                raise SpinachError(message, "omit the traffic of that direction")

        def plan(way: Direction, other: Direction) -> FramePlan:
            given = live_frames(largest_frame) if way in ways else plans[way]
            return replace(given, exports=other in ways)

        return replace(plans, tx=plan("tx", "rx"), rx=plan("rx", "tx"))


def outside_of(
    wire: str | None,
    host: str | None,
    record: str | Path | None,
    replay: str | Path | SavedRecording | None,
    made_with: Mapping[str, Any],
    subject: Subject = "request",
) -> Outside | None:
    """Return the connections that these options request; `None` if there are none.

    Args:
        wire: The device at the wire.
        host: The device at the host.
        record: A file to record the input in.
        replay: A recording, read or not.
        made_with: Configuration that determines the result together with the input; a replay needs the same.
        subject: Bench of the run.

    Raises:
        SpinachError: If the options contradict each other, or the recording is of another run.
    """
    devices = {name: device for name, device in (("wire", wire), ("host", host)) if device is not None}
    if networks(devices) and record is not None:
        message = "a run with SimBricks networks is not recorded, as it repeats itself with its peers"
        raise SpinachError(message, "leave out --record")
    if replay is None:
        if record is not None and not devices:
            raise SpinachError("there is no input to record", "give --wire, --host or both")
        recorded = None if record is None else Path(record)
        return Outside(devices, made_with, subject, recorded) if devices else None
    if devices or record is not None:
        message = "a replay has the inputs of its recording, so it takes no devices"
        raise SpinachError(message, "leave out --wire, --host and --record")
    recording = replay if isinstance(replay, SavedRecording) else read_recording(Path(replay))
    check_same(recording.path, recording.conditions(subject), made_with)
    devices = {str(name): device for name, device in recording.made_with.devices.items()}
    return Outside(devices, made_with, subject, recording=recording)


def check_same(path: Path, recorded: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
    """Check that a replay has the configuration of its recording.

    Raises:
        SpinachError: Something differs; the message shows both values.
    """
    # As JSON has them: without the difference between lists and tuples.
    asked = json.loads(json.dumps(asked))
    for name in {**recorded, **asked}:
        if recorded.get(name) != asked.get(name):
            message = (
                f"{path} was recorded with {name} {_said(recorded.get(name))}, not {_said(asked.get(name))}"
            )
            raise SpinachError(message, "replay it with the options that it was recorded with")


def _said(value: Any) -> str:
    return "not given" if value is None else json.dumps(value)


Connection = _native.Live | _native.Attached | _native.Cosimulation
"""Connection of a simulation to devices, to a guest, or to other simulators."""


def end_connection(
    connection: Connection, simulation: Simulation, recording: SavedRecording | None, *, is_complete: bool
) -> RecordedEnding:
    """Close the devices of a run and complete its recording.

    Returns:
        Ending of the run; in a replay, that of the recorded run.

    Raises:
        SpinachError: A device is lost, or the recording cannot be written.
    """
    passed: dict[str, Any] = json.loads(connection.finish(simulation.native))
    if recording is not None and recording.ending is not None:
        return recording.ending
    ending = {"complete": is_complete and recording is None, "live": passed}
    if not isinstance(connection, _native.Cosimulation):
        connection.end_recording(simulation.native, json.dumps(ending))
    return msgspec.convert(ending, RecordedEnding)


class LiveRun:
    """Controller of a run that is connected to devices."""

    _connection: _native.Live | _native.Cosimulation
    is_live: ClassVar[bool] = True
    goes_back: ClassVar[bool] = False
    passed: LiveResult | None = None
    """Traffic of the devices, once the run has ended; in a replay, that of the recorded run."""

    def __init__(
        self, outside: Outside, simulation: Simulation, ends: Mapping[str, Entrance], longest: int
    ) -> None:
        """Open the devices, or begin the replay.

        Args:
            outside: Connections of the run.
            simulation: The simulation.
            ends: Entrances by name.
            longest: Bytes of the longest frame that comes in.

        Raises:
            SpinachError: If a device does not exist or may not be used, or a NIC has no such entrance.
        """
        self._outside = outside
        self._simulation = simulation
        entrances = []
        for name, device in outside.devices.items():
            source, sink, exit = map(simulation.number, ends[name])
            entrances.append((name, device, source, sink, exit, longest))
        native = simulation.native
        if outside.recording is not None:
            self._connection = _native.Live.replay(native, entrances, outside.recording.native)
        elif peers := networks(outside.devices):
            wires = [(entrance, peers[entrance[0]].native()) for entrance in entrances]
            self._connection = _native.Cosimulation.open(native, None, wires)
        else:
            made = {outside.subject: outside.made_with, "devices": dict(outside.devices)}
            self._connection = _native.Live.open(native, entrances, outside.record, json.dumps(made))

    def run(self, span: Time, until: Sequence[Condition]) -> Outcome:
        """Run on for a span of simulated time, or until a condition holds."""
        simulation = self._simulation
        counters = simulation.counters_of(until)
        end = simulation.now.femtoseconds + span.femtoseconds
        reason, details = self._connection.run(simulation.native, end, counters)
        return Outcome(reason, details)  # type: ignore[arg-type]

    @property
    def behind(self) -> Time:
        """Return the lag of simulated time behind wall time; none in a replay."""
        return ns(self._connection.behind_ns(self._simulation.native))

    @property
    def replays_a_part(self) -> bool:
        """Return true if the replayed run, if any, did not reach its requested end."""
        return not self._outside.has_ended_well

    @property
    def is_paced(self) -> bool:
        """Return true if simulated time follows wall time, as with devices."""
        return isinstance(self._connection, _native.Live) and self._outside.recording is None

    def exchange(self) -> tuple[Outcome, Time]:
        """Exchange frames of a debugged run; return the outcome, and the time of the next exchange.

        In a replay it is that of the next arrival. In a network of SimBricks it is the end of the peer's
        promise that nothing arrives: the present time if it is awaited.
        """
        if isinstance(self._connection, _native.Cosimulation):
            reason, details, next_fs = self._connection.exchange(self._simulation.native)
            return Outcome(reason, details), Time(next_fs)  # type: ignore[arg-type]
        outcome, now = self.run(Time(0), ()), self._simulation.now
        if self._outside.recording is None:
            return outcome, now + _BETWEEN_EXCHANGES
        arrivals_fs = self._outside.recording.arrivals_fs
        following = bisect_right(arrivals_fs, now.femtoseconds)
        return outcome, Time(arrivals_fs[following]) if following < len(arrivals_fs) else NEVER

    def finish(self, *, is_complete: bool) -> None:
        """End the connection.

        Raises:
            SpinachError: The recording cannot be written.
        """
        recording = self._outside.recording
        ended = end_connection(self._connection, self._simulation, recording, is_complete=is_complete)
        self.passed = ended.live
