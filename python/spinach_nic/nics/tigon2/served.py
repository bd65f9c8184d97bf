"""The Tigon-2 card in a simulated server: its kernel finds the card and drives it with its own driver."""

from __future__ import annotations

from dataclasses import replace

from spinach_nic.composition import Component, parameter
from spinach_nic.library import AsynchronousFifo, Receiver, Server
from spinach_nic.nics.tigon2.card import STATION, Tigon2Card
from spinach_nic.servers.archive import archive, document, folder
from spinach_nic.servers.linux import Linux
from spinach_nic.units import Frequency, GHz, MiB, Size, Time, ns

FIRMWARE = "lib/firmware/acenic/tg2.bin"
"""The file that the driver loads into the card."""


def with_firmware(linux: Linux, container: bytes) -> Linux:
    """The same kernel, with firmware among its first files.

    Args:
        linux: What a server starts with.
        container: The content of the file, as `spinach_nic.firmware.write_container` writes it.
    """
    parts = FIRMWARE.split("/")
    folders = [folder("/".join(parts[:count])) for count in range(1, len(parts))]
    # A kernel unpacks archives that follow each other, each compressed or not.
    padding = bytes(-len(linux.files) % 4)
    return replace(linux, files=linux.files + padding + archive([*folders, document(FIRMWARE, container)]))


class ServedTigon2(Component):
    """A server with the card in its slot.

    Towards the network: `sent` and `received`, of the clock `mac` of the card.
    """

    kernel: bytes = parameter(kind="bytes", doc="The `Image` of a kernel, or a program as an ELF file.")
    files: bytes = parameter(default=b"", kind="bytes", doc="An archive of the kernel's first files.")
    arguments: str = parameter(default="console=hvc0 earlycon=sbi", doc="The kernel's command line.")
    harts: int = parameter(default=1, range=(1, 4), doc="How many harts the server has.")
    hart_clock: Frequency = parameter(default=GHz(1), doc="The clock of the harts, a multiple of 10 MHz.")
    memory: Size = parameter(default=MiB(128), doc="The server's memory.")
    core: str = parameter(
        default="functional", choices=("functional", "timed"), doc="What says how long instructions take."
    )
    latency: Time = parameter(default=ns(200), doc="How long the way from the card into the server takes.")
    step: Time = parameter(default=Time(0), doc="How far harts run at once; no result depends on it.")
    station: bytes = parameter(default=STATION, kind="bytes", doc="The card's station address.")
    clock_prefix: str = parameter(default="", doc="As that of the card.")

    def build(self) -> None:
        """Put the card into the server."""
        self.card = Tigon2Card(station=self.station, clock_prefix=self.clock_prefix)
        self.server = Server(
            clock=self.card.pci_clock,
            kernel=self.kernel,
            files=self.files,
            arguments=self.arguments,
            harts=self.harts,
            hart_clock=self.hart_clock,
            memory_size=self.memory,
            core=self.core,
            latency=self.latency,
            step=self.step,
        )
        self.server.configuration >> self.card.configuration
        self.server.access >> self.card.target
        self.card.host_memory >> self.server.memory
        self.card.interrupt >> self.server.interrupt
        # Frames are on the wire whether or not there is light at the other end.
        self.light = Receiver(clock=self.card.mac_clock)
        self.card.link_up >> self.light.input
        self.sent = self.card.sent
        self.received = self.card.received


class JoinedTigon2(Component):
    """Two such servers, and a cable between their cards."""

    kernel: bytes = parameter(kind="bytes", doc="Of both: as of `ServedTigon2`.")
    files: bytes = parameter(default=b"", kind="bytes", doc="Of both.")
    arguments: str = parameter(default="console=hvc0 earlycon=sbi", doc="Of both, before their own.")
    first_arguments: str = parameter(default="", doc="The first kernel's own arguments.")
    second_arguments: str = parameter(default="", doc="The second kernel's own arguments.")
    harts: int = parameter(default=1, range=(1, 4), doc="How many harts each has.")
    hart_clock: Frequency = parameter(default=GHz(1), doc="Of both.")
    memory: Size = parameter(default=MiB(128), doc="Of both.")
    latency: Time = parameter(default=ns(200), doc="Of both.")
    step: Time = parameter(default=Time(0), doc="Of both.")

    def build(self) -> None:
        """Join the two. Each end of the cable is of the clock of the card there."""
        given = (self.first_arguments, self.second_arguments)
        self.node = [
            ServedTigon2(
                kernel=self.kernel,
                files=self.files,
                arguments=f"{self.arguments} {arguments}",
                harts=self.harts,
                hart_clock=self.hart_clock,
                memory=self.memory,
                latency=self.latency,
                step=self.step,
                station=STATION[:-1] + bytes([number]),
                clock_prefix=f"node{number}.",
            )
            for number, arguments in enumerate(given)
        ]
        self.cable = [AsynchronousFifo(), AsynchronousFifo()]
        for number, cable in enumerate(self.cable):
            self.node[number].sent >> cable.input
            cable.output >> self.node[1 - number].received
