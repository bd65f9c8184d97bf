"""Benches with simulated servers, which boot an operating system that drives the card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from spinach_nic.benches.base import Bench
from spinach_nic.benches.guest import check_length, linux_driver
from spinach_nic.benches.pci import NO_ADDRESS, pci_function
from spinach_nic.cards.base.faces import Wire
from spinach_nic.library import AsynchronousFifo, CableInput, Server
from spinach_nic.model import Component, Port, parameter
from spinach_nic.servers.archive import archive, document, folder
from spinach_nic.servers.linux import Linux
from spinach_nic.support.units import Frequency, GHz, MiB, Size, Time, ns


def with_firmware(linux: Linux, file: str, content: bytes) -> Linux:
    """Return the same kernel, with firmware in its initramfs.

    Args:
        linux: Kernel and initramfs that a server starts with.
        file: Name of the firmware, as the driver of the card requests it.
        content: Content of the file, as `spinach_nic.firmware.write_container` writes it.
    """
    path = f"lib/firmware/{file}"
    parts = path.split("/")
    folders = [folder("/".join(parts[:count])) for count in range(1, len(parts))]
    # A kernel unpacks archives that follow each other, each compressed or not.
    padding = bytes(-len(linux.files) % 4)
    return replace(linux, files=linux.files + padding + archive([*folders, document(path, content)]))


class ServerBench(Bench):
    """A server with a card in its slot; its wires lead out of the bench."""

    has_driver_model = False

    kernel: bytes = parameter(
        default=b"", kind="bytes", doc="`Image` of a kernel, or a program as an ELF file."
    )
    files: bytes = parameter(default=b"", kind="bytes", doc="Initramfs of the kernel.")
    arguments: str = parameter(default="console=hvc0 earlycon=sbi", doc="Command line of the kernel.")
    harts: int = parameter(default=1, range=(1, 4), doc="Number of harts.")
    hart_clock: Frequency = parameter(default=GHz(1), doc="Clock of the harts, a multiple of 10 MHz.")
    memory: Size = parameter(default=MiB(128), doc="Size of the server's memory.")
    hart_core: str = parameter(
        default="functional", choices=("functional", "timed"), doc="Timing model of the harts.", variable=True
    )
    attachment: str = parameter(
        default="io",
        choices=("io", "memory", "cache"),
        doc="Attachment point of the card, for timed harts: behind an I/O bridge, at the memory, or at the "
        "last-level cache.",
        variable=True,
    )
    timing: str = parameter(
        default="",
        doc="Parameters of timed harts, caches and buses that differ from their defaults, as a JSON object.",
        variable=True,
    )
    disk: str = parameter(default="", doc="Path of the disk image, which is never written.", variable=True)
    share: str = parameter(
        default="", doc="Path of a folder that the server shares with this machine.", variable=True
    )
    latency: Time = parameter(default=ns(200), doc="Latency from the card into the server.")
    mac_address: bytes = parameter(
        default=NO_ADDRESS, kind="bytes", doc="MAC address of a card that works on rings."
    )
    step: Time = parameter(
        default=Time(0), doc="Time that harts run ahead; no result depends on it.", variable=True
    )

    def build(self) -> None:
        """Put the card into the server."""
        card = self.inserted()
        check_length(card, linux_driver(card))
        bus = pci_function(self, card, self.mac_address)
        self.server = Server(
            clock=bus.clock,
            kernel=self.kernel,
            files=self.files,
            arguments=self.arguments,
            harts=self.harts,
            hart_clock=self.hart_clock,
            memory_size=self.memory,
            core=self.hart_core,
            attachment=self.attachment,
            timing=self.timing,
            disk=self.disk,
            share=self.share,
            latency=self.latency,
            step=self.step,
        )
        self.server.configuration >> bus.configuration
        self.server.access >> bus.access
        bus.memory >> self.server.memory
        bus.interrupt >> self.server.interrupt
        self.close_wires(self.wires()[1:])

    @property
    def loads_firmware(self) -> bool:
        """True if the driver of the server loads the firmware."""
        return bool(linux_driver(self.inserted()).firmware_file)

    def open_wire(self) -> Wire:
        """Return the wire that leads out of the bench."""
        return self.wires()[0]


class _Joined:
    # Annotated outside of `Described`, as attributes of instances are not arguments.
    node: list[ServerBench]
    """The servers, with their cards."""
    cable: Sequence[AsynchronousFifo | CableInput]
    """Both directions of the link: first from server 1."""


class ServerSystem(_Joined, Component):
    """Servers, and the surroundings of the wires of their cards."""

    ends: ClassVar[tuple[str, str]]
    """Names of both ends of the link."""

    @property
    def captured_ports(self) -> Mapping[str, Port]:
        """Ports at which frames enter the cable, by name."""
        return {f"from {end}": cable.input for end, cable in zip(self.ends, self.cable, strict=True)}
