"""QEMU process with an out-of-process PCI device."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from spinach_nic.runs.guest.guests import Guest
from spinach_nic.runs.guest.packages import PACKAGES
from spinach_nic.support.errors import SpinachError

CARD_SLOT = 2
INTERRUPT_CONTROLLER = "/machine/i440fx/ioapic"
INTERRUPT_PIN = 10
"""Interrupt pin of the controller, for a card in that slot of the machine `pc`."""
MEMORY_MIB = 256
CPU = "qemu64,+ssse3,+sse4.1,+sse4.2,+popcnt"
"""Processor of the guest: x86-64-v2, for which programs such as DPDK are compiled."""
PATIENCE_S = 5
"""Maximum time until a guest whose card is gone has ended."""
NEGOTIATION = b'{"execute": "qmp_capabilities"}\n'
"""Command without which the monitor of QEMU reports no events."""
STOP, CONTINUE = b'{"execute": "stop"}\n', b'{"execute": "cont"}\n'


@dataclass(frozen=True)
class Emulator:
    """Running QEMU process."""

    process: subprocess.Popen[bytes]
    monitor: socket.socket

    def hold(self, is_held: bool) -> None:
        """Stop the guest and its clock, or continue both. The device can be served meanwhile."""
        with suppress(OSError):  # a guest that is gone ends the run elsewhere
            self.monitor.sendall(STOP if is_held else CONTINUE)

    def end(self, *, is_interrupted: bool) -> Ending:
        """Wait for its end, or end it."""
        if is_interrupted:
            self.process.terminate()
        try:
            _, said = self.process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            _, said = self.process.communicate()
        lines = said.decode(errors="replace").strip().splitlines()
        return Ending(self.process.returncode, lines[-1] if lines else "", is_reset=self._is_reset())

    def _is_reset(self) -> bool:
        """Return true if its last message reports a reset of the guest, which is not allowed."""
        with self.monitor, suppress(OSError):
            said = b"".join(iter(lambda: self.monitor.recv(65536), b""))
            events = [json.loads(line) for line in said.splitlines() if line.strip()]
            reasons = [one["data"].get("reason") for one in events if one.get("event") == "SHUTDOWN"]
            return "guest-reset" in reasons
        return False


@dataclass(frozen=True)
class Ending:
    """Ending of QEMU."""

    code: int
    complaint: str
    """Last line of its error output."""
    is_reset: bool
    """True if the guest reset itself, as after a panic of its kernel."""


def start(guest: Guest, card_socket: int, test_socket: Path, console: int | None) -> Emulator:
    """Start a guest.

    Args:
        guest: Kernel and initramfs that it boots.
        card_socket: The descriptor over which it reaches the card.
        test_socket: Socket on which it listens for interrupts.
        console: The descriptor for what it prints; that of this process if not given.

    Raises:
        SpinachError: QEMU is not installed.
    """
    program = shutil.which("qemu-system-x86_64")
    if program is None:
        raise SpinachError("qemu-system-x86_64 is not installed", f"install what a guest needs: {PACKAGES}")
    machine = ["-M", "pc,memory-backend=ram", "-accel", "tcg", "-cpu", CPU, "-m", f"{MEMORY_MIB}M"]
    memory = ["-object", f"memory-backend-memfd,id=ram,size={MEMORY_MIB}M,share=on"]
    nothing_else = ["-nodefaults", "-no-user-config", "-vga", "none", "-display", "none", "-no-reboot"]
    system = ["-kernel", str(guest.kernel), "-initrd", str(guest.initial_files), "-append", guest.arguments]
    interrupts = ["-qtest", f"unix:{test_socket},server=on,wait=off", "-qtest-log", os.devnull]
    card = ["-device", f"x-pci-proxy-dev,id=card,fd={card_socket},addr={CARD_SLOT:#x}"]
    here, there = socket.socketpair()
    here.sendall(NEGOTIATION)
    monitor = ["-chardev", f"socket,id=monitor,fd={there.fileno()}", "-mon", "chardev=monitor,mode=control"]
    outside = ["-serial", "stdio", *monitor, *interrupts, *card]
    command = [program, *machine, *memory, *nothing_else, *system, *outside]
    # The guest ends with this process, however that ends.
    ended_with = [setpriv, "--pdeathsig", "KILL"] if (setpriv := shutil.which("setpriv")) else []
    with there:
        process = subprocess.Popen(
            [*ended_with, *command],
            pass_fds=[card_socket, there.fileno()],
            stdout=console,
            stderr=subprocess.PIPE,
        )
    return Emulator(process, here)
