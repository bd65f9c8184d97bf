"""A guest that waits for a slow card is stopped, clock and all, until the card has had its time."""

import json
import shutil
import socket
import subprocess

import pytest

from spinach_nic import Time, ms
from spinach_nic.runs.guest.emulator import NEGOTIATION, Emulator
from spinach_nic.runs.guest.holding import ENOUGH, PATIENCE_S, GuestHold

SLOWNESS_S = 0.4
"""Wall time of a simulated millisecond; firmware that needs 25 ms takes longer than a driver waits."""


def test_a_guest_never_waits_longer_in_its_own_time_than_a_driver_would() -> None:
    wall_s, guest_s, is_held = 0.0, 0.0, False

    def hold(*, is_stopped: bool) -> None:
        nonlocal is_held
        is_held = is_stopped

    holding = GuestHold(lambda is_stopped: hold(is_stopped=is_stopped), wall_s=lambda: wall_s)
    for simulated_ms in range(100):
        holding.look(7, ms(simulated_ms))
        wall_s += SLOWNESS_S
        guest_s += 0.0 if is_held else SLOWNESS_S
        if simulated_ms + 1 == ENOUGH.femtoseconds // ms(1).femtoseconds:
            assert PATIENCE_S < guest_s <= PATIENCE_S + 2 * SLOWNESS_S
    # Nothing came of it, so the guest runs on; its next access begins another wait.
    assert not is_held
    holding.look(8, ms(100))
    wall_s += PATIENCE_S + SLOWNESS_S
    holding.look(8, ms(101))
    assert is_held
    holding.look(9, ms(101))
    assert not is_held


def test_a_guest_whose_card_keeps_pace_is_not_held() -> None:
    now = Time(0)
    holding = GuestHold(lambda _: pytest.fail("it is held"), wall_s=lambda: now.femtoseconds / 1e15)
    for _ in range(5000):
        holding.look(7, now)
        now += ms(1)


def test_qemu_stops_and_continues() -> None:
    program = shutil.which("qemu-system-x86_64")
    if program is None:
        pytest.skip("needs qemu-system-x86_64")
    here, there = socket.socketpair()
    here.settimeout(20)
    monitor = ["-chardev", f"socket,id=monitor,fd={there.fileno()}", "-mon", "chardev=monitor,mode=control"]
    command = [program, "-M", "none", "-nodefaults", "-no-user-config", "-display", "none", *monitor]
    with there:
        process = subprocess.Popen(command, pass_fds=[there.fileno()], stderr=subprocess.PIPE)
    emulator = Emulator(process, here)
    try:
        here.sendall(NEGOTIATION)
        reader = here.makefile()
        for is_held, expected in ((True, "STOP"), (False, "RESUME")):
            emulator.hold(is_held)
            while json.loads(reader.readline()).get("event") != expected:
                pass
    finally:
        assert emulator.end(is_interrupted=True).code == 0
