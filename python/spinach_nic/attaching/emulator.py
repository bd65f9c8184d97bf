"""QEMU with a card that another process has."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from spinach_nic.attaching.guests import PACKAGES, Guest
from spinach_nic.errors import SpinachError

CARD_SLOT = 2
INTERRUPT_CONTROLLER = "/machine/i440fx/ioapic"
INTERRUPT_PIN = 10
"""Of the controller, for a card in that slot of the machine `pc`."""
MEMORY_MIB = 256


def start(guest: Guest, socket: int, test_socket: Path, console: int | None) -> subprocess.Popen[bytes]:
    """Start a guest.

    Args:
        guest: What it boots.
        socket: The descriptor over which it reaches the card.
        test_socket: Where it listens for interrupts.
        console: The descriptor for what it prints; that of this process if not given.

    Raises:
        SpinachError: QEMU is not installed.
    """
    program = shutil.which("qemu-system-x86_64")
    if program is None:
        raise SpinachError("qemu-system-x86_64 is not installed", f"install what a guest needs: {PACKAGES}")
    machine = ["-M", "pc,memory-backend=ram", "-accel", "tcg", "-cpu", "qemu64", "-m", f"{MEMORY_MIB}M"]
    memory = ["-object", f"memory-backend-memfd,id=ram,size={MEMORY_MIB}M,share=on"]
    nothing_else = ["-nodefaults", "-no-user-config", "-vga", "none", "-display", "none", "-no-reboot"]
    system = ["-kernel", str(guest.kernel), "-initrd", str(guest.initial_files), "-append", guest.arguments]
    interrupts = ["-qtest", f"unix:{test_socket},server=on,wait=off", "-qtest-log", os.devnull]
    card = ["-device", f"x-pci-proxy-dev,id=card,fd={socket},addr={CARD_SLOT:#x}"]
    command = [program, *machine, *memory, *nothing_else, "-serial", "stdio", *system, *interrupts, *card]
    # The guest ends with this process, however that ends.
    ended_with = [setpriv, "--pdeathsig", "KILL"] if (setpriv := shutil.which("setpriv")) else []
    return subprocess.Popen(
        [*ended_with, *command], pass_fds=[socket], stdout=console, stderr=subprocess.PIPE
    )
