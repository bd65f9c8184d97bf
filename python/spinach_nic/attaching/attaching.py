"""Running a card beside the guest that has it."""

from __future__ import annotations

import subprocess
import tempfile
import time as wall_clock
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from spinach_nic import _native
from spinach_nic.attaching import emulator
from spinach_nic.attaching.guests import Guest
from spinach_nic.errors import SpinachError
from spinach_nic.nics.attached import AttachedCard
from spinach_nic.result import LiveResult
from spinach_nic.simulation import simulate
from spinach_nic.units import Time, s

PATIENCE_S = 5
"""How long a guest whose card is gone may take to end."""
A_LONG_TIME = s(10_000)


@dataclass(frozen=True)
class AttachedResult:
    """What a guest did with its card."""

    accesses: int
    """Of the guest to the card."""
    interrupts: int
    read_bytes: int
    """Of the guest's memory, by the card."""
    written_bytes: int
    frames_sent: int
    """That left the card at the wire."""
    frames_received: int
    """That reached the card from the wire."""
    simulated: Time
    wall_s: float
    live: LiveResult
    is_interrupted: bool
    """Whether the user ended it, rather than the guest."""


def attach(
    card: AttachedCard, guest: Guest, *, wire: str | None = None, console: int | None = None
) -> AttachedResult:
    """Give a guest the card, until the guest powers itself off or the user interrupts.

    Args:
        card: The card, with the modules that stand for its guest and its wire; not yet built.
        guest: What QEMU boots.
        wire: The device at the wire, as of `run`.
        console: The descriptor for what the guest prints.

    Raises:
        SpinachError: QEMU is not there or fails, the device cannot be used, or the card stops.
    """
    simulation = simulate(card)
    native = simulation.native
    host, far_end = card.ends()
    numbers = (simulation.number(far_end), simulation.number(host))
    with tempfile.TemporaryDirectory(prefix="spinach-") as folder:
        test_socket = Path(folder) / "interrupts"
        controller, pin = emulator.INTERRUPT_CONTROLLER, emulator.INTERRUPT_PIN
        attached = _native.Attached(native, wire, *numbers, test_socket, controller, pin)
        began = wall_clock.perf_counter()
        process = emulator.start(guest, attached.fileno(), test_socket, console)
        attached.close_guest_end()
        reason, details, is_interrupted = "interrupted", "", True
        try:
            with suppress(KeyboardInterrupt):
                reason, details = attached.run(native, A_LONG_TIME.femtoseconds)
                is_interrupted = False
        finally:
            said = _ended(process, is_interrupted=is_interrupted)
    wall_s = wall_clock.perf_counter() - began
    if reason == "stopped" and (process.returncode or not details.startswith("the guest is gone")):
        message = f"{details}{f'; QEMU said: {said}' if said else ''}"
        raise SpinachError(message, "look at what the guest and QEMU printed before")
    counters = simulation.statistics()
    return AttachedResult(
        accesses=counters[f"{host.path}.accesses"],
        interrupts=counters[f"{host.path}.interrupts"],
        read_bytes=counters[f"{host.path}.read_bytes"],
        written_bytes=counters[f"{host.path}.written_bytes"],
        frames_sent=counters[f"{far_end.path}.delivered"],
        frames_received=counters[f"{far_end.path}.offered"],
        simulated=simulation.now,
        wall_s=wall_s,
        live=msgspec.json.decode(attached.finish(native), type=LiveResult),
        is_interrupted=is_interrupted,
    )


def _ended(process: subprocess.Popen[bytes], *, is_interrupted: bool) -> str:
    """Wait for the guest's end, or end it; returns the last line of its complaints."""
    if is_interrupted:
        process.terminate()
    try:
        _, said = process.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        _, said = process.communicate()
    lines = said.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else ""
