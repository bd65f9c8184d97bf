"""`spinach attach --vfio-user` with QEMU as the client: Linux in its guest drives the card."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.python.conftest import Started
from tests.python.guest.driving import DEVICE, PATIENCE_S, a_space, converse, guest_script, kernels, needs

from spinach_nic.benches.guest import linux_driver
from spinach_nic.runs.guest import Loaded, container_of, guest_bench, linux_guest, qemu

MEMORY_MIB = 256
AGAIN = """
ip link set eth0 down; ip link set eth0 up; ping -c 1 10.0.0.1 > /dev/null && echo up again
cd /sys/bus/pci/devices/*/virtio*/..; function=${PWD##*/}; cd /sys/bus/pci/drivers/virtio-pci
echo $function > unbind; echo 1 > ../../devices/$function/reset && echo function is reset
echo $function > bind
ip addr add 10.0.0.2/24 dev eth0; ip link set eth0 up; ping -c 1 10.0.0.1 > /dev/null && echo bound again
cd /; rmmod virtio_net; insmod /modules/*-virtio_net.ko
ip addr add 10.0.0.2/24 dev eth0; ip link set eth0 up; ping -c 1 10.0.0.1 > /dev/null && echo loaded again
echo features $(cat /sys/bus/virtio/devices/virtio0/features)
cat /proc/interrupts
"""
RING_PACKED = 34
"""Bit of the feature in virtio 1.2, section 6."""


@pytest.fixture(scope="session")
def emulator() -> str:
    """Find a QEMU with devices of vfio-user: `SPINACH_QEMU`, that of `make qemu`, or the installed one."""
    named = os.environ.get("SPINACH_QEMU")
    for program in [named] if named else [str(qemu.program()), qemu.NAME]:
        if path := shutil.which(program):
            asked = [path, "-device", "vfio-user-pci,help"]
            if subprocess.run(asked, capture_output=True).stdout:
                return path
    pytest.skip("there is no QEMU with vfio-user-pci (10.1 or later): `make qemu` gets one")


@pytest.fixture
def space() -> Iterator[None]:
    """Make a network namespace for as long as the test lasts."""
    folders = [Path("/lib/modules", version) for version in kernels()]
    with_headers = [folder for folder in folders if (folder / "build/Makefile").exists()]
    missing = [
        f"a kernel in /boot with its headers and the module {name}"
        for name in ("virtio_net", "acenic")
        if not any(any(folder.rglob(f"{name}.ko")) for folder in with_headers)
    ]
    needs(missing=missing)
    yield from a_space()


class Attached:
    """A card, and the guest of a QEMU that is its client."""

    def __init__(
        self,
        started: Started,
        folder: Path,
        emulator: str,
        nic: str,
        *options: str,
        script: str,
        kernel: str = "",
    ) -> None:
        """Start both."""
        door = folder / "card"
        self.card = started.spinach("attach", nic, "--vfio-user", str(door), *options, "--json", "-")
        card = guest_bench(nic).inserted()
        driver = linux_driver(card)
        firmware = None
        if driver.firmware_file:
            firmware = Loaded(container_of(card, None, folder), driver.firmware_file)
        guest = linux_guest(
            folder,
            driver=driver.module,
            others=driver.others,
            sources=driver.sources,
            address="10.0.0.2/24",
            script=script,
            firmware=firmware,
        )
        while not door.exists():
            assert self.card.poll() is None, self.card.communicate()
            time.sleep(0.02)
        device = {
            "driver": "vfio-user-pci",
            "socket": {"path": str(door), "type": "unix"},
            # A load of the guest waits for the simulation.
            "x-msg-timeout": 60_000,
        }
        memory = f"memory-backend-memfd,id=ram,size={MEMORY_MIB}M,share=on"
        command = [emulator, "-M", "q35,memory-backend=ram", "-accel", "tcg", "-m", f"{MEMORY_MIB}M"]
        command += ["-object", memory, "-nodefaults", "-display", "none", "-no-reboot", "-serial", "stdio"]
        command += ["-kernel", str(guest.kernel), "-initrd", str(guest.initial_files)]
        command += ["-append", f"{guest.arguments} {kernel}", "-device", json.dumps(device)]
        self.guest = started(*command)


@pytest.mark.timeout(PATIENCE_S + 100)
@pytest.mark.usefixtures("space")
@pytest.mark.parametrize(("kernel", "packed"), [("", True), ("pci=nomsi", False)])
def test_linux_in_qemu_drives_the_card(
    started: Started, tmp_path: Path, emulator: str, kernel: str, *, packed: bool
) -> None:
    settings = ("cores=2", f"packed_rings={packed}", f"network_ports={2 if packed else 1}")
    options = (*(word for setting in settings for word in ("--set", setting)), "--wire", f"tap:{DEVICE}")
    script = guest_script(AGAIN)
    attached = Attached(started, tmp_path, emulator, "hundredgig", *options, script=script, kernel=kernel)
    said = converse(started, attached.guest)
    assert {"up again", "function is reset", "bound again", "loaded again"} <= set(said.splitlines())
    (features,) = (line.split()[1] for line in said.splitlines() if line.startswith("features "))
    assert features[RING_PACKED] == str(int(packed))
    # A vector for each of the two queues of each core, and one for changes of the configuration; or the line.
    lines = [line.split() for line in said.splitlines() if "virtio" in line]
    kinds = [words[2] for words in lines if words[0][:-1].isdigit()]
    assert kinds == (["IO-APIC"] if kernel else ["PCI-MSI"] * 5)
    document, complaints = attached.card.communicate(timeout=PATIENCE_S)
    assert attached.card.returncode == 0, complaints
    assert json.loads(document)["interrupts"] > 0


@pytest.mark.timeout(PATIENCE_S + 100)
@pytest.mark.usefixtures("space")
@pytest.mark.parametrize("nic", ["ricenic", "tigon2"])
def test_linux_in_qemu_drives_other_cards(started: Started, tmp_path: Path, emulator: str, nic: str) -> None:
    wire = ("--wire", f"tap:{DEVICE}")
    attached = Attached(started, tmp_path, emulator, nic, *wire, script=guest_script(""))
    converse(started, attached.guest)
    document, complaints = attached.card.communicate(timeout=PATIENCE_S)
    assert attached.card.returncode == 0, complaints
    assert json.loads(document)["interrupts"] > 0


@pytest.mark.timeout(PATIENCE_S)
@pytest.mark.usefixtures("space")
def test_a_killed_qemu_ends_the_run(started: Started, tmp_path: Path, emulator: str) -> None:
    script = "echo ready; while true; do ip link set eth0 down; ip link set eth0 up; done"
    attached = Attached(started, tmp_path, emulator, "hundredgig", "--set", "cores=1", script=script)
    assert attached.guest.stdout is not None
    for line in attached.guest.stdout:
        if "ready" in line:
            break
    attached.guest.kill()
    document, complaints = attached.card.communicate(timeout=PATIENCE_S)
    assert attached.card.returncode == 0, complaints
    assert json.loads(document)["complete"]
    assert len(complaints.splitlines()) == 1
