"""Runs of a card in a guest, and replays of their recordings."""

from __future__ import annotations

import json
import time as wall_clock
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from spinach_nic import _native
from spinach_nic.benches.finding import find_nic, name_of
from spinach_nic.benches.guest import GuestBench, check_firmware, linux_driver
from spinach_nic.cards.base.card import Card
from spinach_nic.model.simulation import Simulation, simulate
from spinach_nic.runs.accounting import check_counters, dropped_frames
from spinach_nic.runs.assembly import resolved_configuration
from spinach_nic.runs.console import LIVE_BETWEEN_EXCHANGES, SerialLine, Terminal
from spinach_nic.runs.errors import EndedError, UnwrittenError
from spinach_nic.runs.faults import find_fault
from spinach_nic.runs.guest import emulator
from spinach_nic.runs.guest.guests import Guest
from spinach_nic.runs.guest.holding import POLL_INTERVAL, GuestHold
from spinach_nic.runs.guest.result import AttachedResult, DriverFirmware
from spinach_nic.runs.images import choose_image, known_image, load_image
from spinach_nic.runs.live import Connection, check_same, end_connection
from spinach_nic.runs.observers import Observed, Observer
from spinach_nic.runs.recordings import SavedRecording, read_recording
from spinach_nic.runs.result import Failure
from spinach_nic.runs.simbricks import LOST_HELP, PREFIX, Peer, networks
from spinach_nic.support import signals
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import temporary_folder
from spinach_nic.support.finishing import finish_each
from spinach_nic.support.location import user_code
from spinach_nic.support.units import Time, s

A_LONG_TIME = s(10_000)
INTERRUPTED = ("interrupted", "")
"""End of a run by the user, without details."""
LONGEST_FRAME = 65535
"""Bytes of the longest frame from a network."""
CLIENT_LEFT = tuple(
    f"the guest is gone: {error}"
    for error in (
        *("unexpected end of file", "failed to fill whole buffer"),
        *("Broken pipe", "Connection reset by peer"),
    )
)
"""Beginnings of the reason of a run whose client has left, or was killed amid a message or an access."""


def guest_bench(nic: str | Path | type[Card] | Card) -> GuestBench:
    """Return a card in the bench with a guest, not built yet.

    Raises:
        SpinachError: There is no such card, or Linux has no driver for it.
    """
    found = find_nic(nic) if isinstance(nic, str | Path) else nic
    with user_code():
        card = found() if isinstance(found, type) else found
    if not isinstance(card, Card):
        raise SpinachError(f"{type(card).__name__} is a bench", "give the card in it to the guest")
    linux_driver(card)
    return GuestBench(name=name_of(nic)).insert(card)


def attach(
    bench: GuestBench,
    guest: Guest,
    *,
    firmware: str | Path | None = None,
    wire: str | None = None,
    console: int | None = None,
    record: str | Path | None = None,
    terminal: Terminal | None = None,
    observers: Sequence[Observer] = (),
) -> AttachedResult:
    """Run a guest with the card until the guest powers itself off or the user interrupts.

    Args:
        bench: The card in its bench, not yet built; see `guest_bench`.
        guest: Kernel and initramfs that QEMU boots.
        firmware: Firmware to load before the guest starts, for a card whose driver loads none: name of an
            image or a file; the card's default if not given.
        wire: The device at the wire, as for `run`.
        console: Descriptor for the output of the guest.
        record: Recording of the guest and the wire, which `replay_attached` reads.
        terminal: Console client for the serial line of the card.
        observers: Observers of the card, such as `Timeline(path)`.

    Raises:
        SpinachError: QEMU is not there or fails, a device or file cannot be used, the firmware is not
            for the card, the card has no serial line, or it stops.
    """
    if terminal is not None and record is not None:
        raise SpinachError("recordings cannot contain console input", "record without its console")
    run = _Run.prepare(bench, wire, guest.firmware, firmware, observers)
    line = None if terminal is None else SerialLine(run.simulation, bench, terminal)
    with temporary_folder() as folder:
        test_socket = Path(folder) / "interrupts"
        pin = (emulator.INTERRUPT_CONTROLLER, emulator.INTERRUPT_PIN)
        attached = _native.Attached(
            run.simulation.native, wire, *run.ends(), test_socket, *pin, record, json.dumps(run.made_with())
        )
        started = emulator.start(guest, attached.fileno(), test_socket, console)
        attached.close_guest_end()
        reason, details = INTERRUPTED
        try:
            hold = GuestHold(started.hold)
            reason, details = run.simulate(lambda: run.advance(attached, hold, line))
        finally:
            ended = started.end(is_interrupted=reason == "interrupted")
    failure = None
    if reason == "stopped" and (ended.code or not details.startswith("the guest is gone")):
        message = f"{details}{f'; QEMU said: {ended.complaint}' if ended.complaint else ''}"
        failure = SpinachError(message, "see the previous output of the guest and QEMU")
    elif ended.is_reset:
        message = "the guest rebooted itself, as a kernel does after a panic"
        failure = SpinachError(message, "see the previous output of the guest")
    return run.finish(attached, reason, failure)


def attach_client(
    bench: GuestBench,
    socket: str | Path,
    *,
    firmware: str | Path | None = None,
    wire: str | None = None,
    record: str | Path | None = None,
    observers: Sequence[Observer] = (),
    ready: Callable[[], None] = lambda: None,
) -> AttachedResult:
    """Serve the card to a client of vfio-user, such as QEMU 10.1, until it leaves or the user interrupts.

    Args:
        bench: The card in its bench, not yet built; see `guest_bench`.
        socket: Name of the socket for the client, which is made, and removed when the client has come.
        firmware: Firmware, as for `attach`. A driver that loads firmware finds it on the client.
        wire: The device at the wire, as for `run`.
        record: Recording of the client and the wire, which `replay_attached` reads.
        observers: Observers, as for `attach`.
        ready: Called after all checks, before the wait for the client.

    Raises:
        SpinachError: The socket, a device or a file cannot be used, the firmware is not for the card, the
            client breaks the protocol, or the card stops.
    """
    run = _Run.prepare(bench, wire, None, firmware, observers)
    native, made_with = run.simulation.native, json.dumps(run.made_with())
    attached = _native.Attached.of_client(native, wire, *run.ends(), socket, record, made_with)
    reason, details = run.simulate(lambda: attached.run(native, A_LONG_TIME.femtoseconds), ready)
    has_failed = reason == "stopped" and not details.startswith(CLIENT_LEFT)
    failure = SpinachError(details, "see the previous output of the client") if has_failed else None
    return run.finish(attached, reason, failure)


def attach_simbricks(
    bench: GuestBench,
    pcie: str,
    *,
    firmware: str | Path | None = None,
    wire: str | None = None,
    observers: Sequence[Observer] = (),
    ready: Callable[[], None] = lambda: None,
) -> AttachedResult:
    """Put the card into a simulation by SimBricks, until its host ends or the user interrupts.

    Args:
        bench: The card in its bench, not yet built; see `guest_bench`.
        pcie: Connection to the host, such as `listen:SOCKET:latency=500ns`; see `Peer`.
        firmware: Firmware, as for `attach`. A driver that loads firmware finds it on the host.
        wire: Connection to a network, behind `simbricks:`.
        observers: Observers, as for `attach`.
        ready: Called after all checks, before the wait for the host.

    Raises:
        SpinachError: A connection cannot be used, the firmware is not for the card, a peer leaves or breaks
            the protocol, or the card stops.
    """
    host = Peer.parse(pcie)
    devices = {} if wire is None else {"wire": wire}
    peers = networks({"host": PREFIX + pcie, **devices})
    run = _Run.prepare(bench, wire, None, firmware, observers)
    native = run.simulation.native
    far_end, bus = run.ends()
    entrances = []
    if wire is not None:
        entrance = ("wire", wire, far_end, far_end, far_end, LONGEST_FRAME)
        entrances = [(entrance, peers["wire"].native())]
    attached = _native.Cosimulation.open(native, (bus, host.native()), entrances)
    reason, details = run.simulate(lambda: attached.run(native, A_LONG_TIME.femtoseconds, []), ready)
    help = LOST_HELP if reason == "lost" else "see the previous output of the host"
    failure = SpinachError(details, help) if reason in ("stopped", "lost") else None
    return run.finish(attached, reason, failure)


def replay_attached(
    bench: GuestBench,
    recording: str | Path,
    *,
    firmware: str | Path | None = None,
    observers: Sequence[Observer] = (),
) -> AttachedResult:
    """Replay a recording of a guest and the wire, without QEMU or a device.

    Args:
        bench: The same card as then; not yet built.
        recording: Recording that `attach` wrote.
        firmware: Firmware, as for `attach`; that of the recording, by its name, if not given.
        observers: Observers, as for `attach`.

    Raises:
        SpinachError: It is not a recording of such a run, or of another card, or the card stops.
    """
    path = Path(recording)
    found = read_recording(path)
    made, conditions = found.made_with, found.conditions("guest")
    recorded = _firmware(made.firmware, path)
    if firmware is None and recorded is not None and not bench.loads_firmware:
        firmware = recorded.name
    run = _Run.prepare(bench, made.wire, recorded, firmware, observers)
    again = run.made_with()
    check_same(
        path, {**conditions, "firmware": made.firmware}, again["guest"] | {"firmware": again["firmware"]}
    )
    native = run.simulation.native
    attached = _native.Attached.replay(native, made.wire, *run.ends(), found.native)
    reason, details = run.simulate(lambda: attached.run(native, found.end_fs))
    if reason == "interrupted":
        raise KeyboardInterrupt
    help = "replay it with the version that recorded it"
    failure = SpinachError(details, help) if reason == "stopped" else None
    return run.finish(attached, reason, failure, found)


def _firmware(made: Mapping[str, str] | None, path: Path) -> DriverFirmware | None:
    try:
        return msgspec.convert(made, DriverFirmware | None)
    except msgspec.ValidationError as error:
        raise SpinachError(f"the recording {path} is damaged: {error}", "make it again") from error


@dataclass
class _Run:
    """Run of a card in its bench, from the description to the result."""

    bench: GuestBench
    wire: str | None
    firmware: DriverFirmware | None
    asked: str | Path | None
    """Firmware that the user named."""
    observers: Sequence[Observer]
    simulation: Simulation
    wall_s: float = field(default=0.0, init=False)
    unwritten: SpinachError | None = field(default=None, init=False)
    """Reason why an output of an observer is missing."""

    @classmethod
    def prepare(
        cls,
        bench: GuestBench,
        wire: str | None,
        brought: DriverFirmware | None,
        asked: str | Path | None,
        observers: Sequence[Observer],
    ) -> _Run:
        """Return a run of the card, with the firmware of its driver, or else with the given image loaded."""
        card = bench.inserted()
        chosen = None if bench.loads_firmware else choose_image(card, asked)
        found = brought if bench.loads_firmware else None
        if chosen is not None:
            card.set("image", chosen.executable)
            found = DriverFirmware(chosen.firmware.name, chosen.firmware.sha256)
        simulation = simulate(bench)
        check_counters(bench.probes())
        if chosen is not None:
            load_image(simulation, chosen.executable, card)
            check_firmware(card)
        return cls(bench, wire, found, asked, observers, simulation)

    def simulate(
        self, advance: Callable[[], tuple[str, str]], ready: Callable[[], None] = lambda: None
    ) -> tuple[str, str]:
        """Observe the card until the run ends, and complete all outputs, whatever ends it.

        Args:
            advance: Runs the simulation until the other side ends it; returns the reason with its details.
            ready: Called once the card is observed.

        Returns:
            This reason, or `INTERRUPTED` if the user ended the run.

        Raises:
            SpinachError: An output cannot be opened, or the card has nothing to observe.
        """
        began = wall_clock.perf_counter()
        try:
            if self.observers:
                image = known_image(self.bench.inserted(), self.asked)
                subject = Observed.of(self.simulation, self.bench, image)
                for observer in self.observers:
                    observer.attach(subject)
            with signals.let_in():
                ready()
                return advance()
        except KeyboardInterrupt:
            return INTERRUPTED
        finally:
            self.wall_s = wall_clock.perf_counter() - began
            self.unwritten = finish_each(partial(one.finish, None) for one in self.observers)

    def ends(self) -> tuple[int, int]:
        """Return the numbers of the modules at the wire and at the bus."""
        return self.simulation.number(self.bench.wire), self.simulation.number(self.bench.host)

    def advance(
        self, attached: _native.Attached, hold: GuestHold, line: SerialLine | None
    ) -> tuple[str, str]:
        """Run until the guest or the terminal at the serial line ends it."""
        native, accesses = self.simulation.native, f"{self.bench.host.path}.accesses"
        exchange_at = Time(0)
        while True:
            reason, details = attached.run(native, (self.simulation.now + POLL_INTERVAL).femtoseconds)
            if reason != "reached":
                return reason, details
            now = self.simulation.now
            hold.look(self.simulation.statistics()[accesses], now)
            if line is not None and now >= exchange_at:
                exchange_at = now + LIVE_BETWEEN_EXCHANGES
                line.exchange()

    def made_with(self) -> dict[str, Any]:
        """Return the configuration that determines the result together with the recording."""
        guest = {"nic": self.bench.name, **resolved_configuration(self.bench, self.simulation)}
        return {"guest": guest, "wire": self.wire, "firmware": msgspec.to_builtins(self.firmware)}

    def finish(
        self,
        connection: Connection,
        reason: str,
        failure: SpinachError | None,
        recording: SavedRecording | None = None,
    ) -> AttachedResult:
        """Complete the recording, and return the result.

        Args:
            connection: Connection to the guest or its host.
            reason: End of the run, as `simulate` returned it.
            failure: Error of the run, raised with the result.
            recording: Recording that is replayed.

        Raises:
            EndedError: The run failed.
            UnwrittenError: An output cannot be written.
        """
        is_complete = failure is None and reason != "interrupted"
        ending = end_connection(connection, self.simulation, recording, is_complete=is_complete)
        host, far_end = self.bench.host, self.bench.wire
        counters = self.simulation.statistics()
        result = AttachedResult(
            nic=self.bench.name,
            config=resolved_configuration(self.bench, self.simulation),
            version=_native.version(),
            firmware=self.firmware,
            complete=ending.complete and failure is None,
            accesses=counters.of(host, "accesses"),
            interrupts=counters.of(host, "interrupts"),
            read_bytes=counters.of(host, "read_bytes"),
            written_bytes=counters.of(host, "written_bytes"),
            frames_sent=counters.of(far_end, "delivered"),
            frames_received=counters.of(far_end, "offered"),
            dropped=dropped_frames(self.bench.probes(), counters),
            simulated_ns=self.simulation.now.femtoseconds // 10**6,
            wall_s=self.wall_s,
            live=ending.live,
            failure=None if failure is None else self._failure(failure),
        )
        if failure is not None:
            raise EndedError(failure, result)
        if self.unwritten is not None:
            raise UnwrittenError(self.unwritten, result)
        return result

    def _failure(self, error: SpinachError) -> Failure:
        """Return the failure, with registers and the last instructions of a core that stopped."""
        image = known_image(self.bench.inserted(), self.asked)
        cores = self.bench.inserted().probes().cores
        fault = find_fault(self.simulation, cores, None if image is None else image.executable)
        return Failure(error.message, "" if fault is None else f"{fault.message}\n\n{fault.details}")
