"""Cards without firmware: SINIC and V-SINIC of the SINIC paper, and the conventional DP83820.

Simulated servers also have these cards without modules, which is faster (`spinach boot --card sinic`). As
modules they meet any other card, and guests.
"""

from __future__ import annotations

from typing import Any, ClassVar

from spinach_nic.cards.base.card import Card, Passage, Probes
from spinach_nic.cards.base.counters import Counter
from spinach_nic.cards.base.drivers import LinuxDriver
from spinach_nic.cards.base.faces import Faces, PciBus, Wire
from spinach_nic.cards.fixed_function.dp83820 import Dp83820Driver
from spinach_nic.cards.fixed_function.sinic import SinicDriver
from spinach_nic.library import FixedFunctionCard
from spinach_nic.model import Clock, parameter
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import Frequency, Gbps, GiB, KiB, MHz, Rate, Size, bps

VNICS = (
    "Number of virtual cards. They have an effect in servers, whose driver receives through all of them and "
    "sends through one for each hart; the driver of `spinach run` uses one."
)
"""Documentation of the parameter `vnics`."""

_SHORTEST_FRAME = 60


class FixedFunction(Card):
    """A chip on a PCI bus, with one wire."""

    chip_name: ClassVar[str] = ""
    """Parameter `chip` of the module."""

    bus_clock: Frequency = parameter(default=MHz(66), doc="Clock of the bus.")
    link_rate: Rate = parameter(
        default=Gbps(10), range=(bps(1), Gbps(100_000)), doc="Rate of the wire in each direction."
    )
    mac_address: bytes = parameter(default=bytes([2, 0, 0, 0, 0, 1]), kind="bytes", doc="MAC address.")
    receive_fifo: Size = parameter(default=KiB(512), range=(KiB(4), GiB(1)), doc="Queue of received frames.")
    transmit_fifo: Size = parameter(default=KiB(512), range=(KiB(32), GiB(1)), doc="Queue of frames to send.")

    def build(self) -> None:
        """Create the chip.

        Raises:
            SpinachError: The longest frame would never fit into the queue of frames to send.
        """
        if self.transmit_fifo.bytes < self.largest_frame:
            least = KiB(-(-self.largest_frame // 1024))
            raise SpinachError(
                f"transmit_fifo = {self.transmit_fifo} is too small for frames of {self.largest_frame} bytes",
                f"set transmit_fifo to at least {least}, or reduce largest_frame",
            )
        self.pci_clock = Clock("bus", self.bus_clock)
        self.chip = FixedFunctionCard(
            clock=self.pci_clock,
            chip=self.chip_name,
            mac_address=self.mac_address,
            link_rate=self.link_rate,
            receive_fifo=self.receive_fifo,
            transmit_fifo=self.transmit_fifo,
            **self.settings(),
        )

    def settings(self) -> dict[str, Any]:
        """Return further parameters of the module."""
        return {}

    def faces(self) -> Faces:
        """Return the ports at which a bench is connected."""
        wire = Wire(
            clock=self.pci_clock,
            rate=self.link_rate,
            sent=self.chip.sent,
            received=self.chip.received,
            link_up=self.chip.link_up,
            pause_bytes_per_cycle=self.pause_bytes_per_cycle,
        )
        return Faces(PciBus.of(self.chip, self.pci_clock), [wire])

    @property
    def pause_bytes_per_cycle(self) -> int:
        """Bytes that pass in a cycle, if the card sends pause frames; else 0."""
        return 0

    def probes(self) -> Probes:
        """Return the points at which the card is measured."""
        dropped = [name for name in self.chip.counters if name.startswith("dropped_")]
        return Probes(
            tx=Passage(depth=self.transmit_fifo.bytes // _SHORTEST_FRAME),
            rx=Passage(
                depth=self.receive_fifo.bytes // _SHORTEST_FRAME,
                drops=[self.chip],
                discards={"bad_check_sequence": (self.chip, "damaged")},
            ),
            counters={name: Counter(self.chip, name, "frames") for name in ("sent", "received", *dropped)},
        )


class Dp83820(FixedFunction):
    """DP83820, a conventional gigabit chip; its wire has 10 Gb/s, as in the SINIC paper (section 5.1)."""

    summary = "The conventional DP83820, without firmware (SINIC paper)"
    chip_name = "dp83820"
    driver_model = Dp83820Driver
    linux_driver = LinuxDriver("ns83820")


class Sinic(FixedFunction):
    """SINIC, which exposes its queues to the driver (SINIC paper, section 3)."""

    summary = "The integrated SINIC, without firmware (SINIC paper)"
    chip_name = "sinic"
    driver_model = SinicDriver
    linux_driver = LinuxDriver(
        "sinic",
        missing_help="use spinach boot with --card, whose kernel has this driver, or serve the card with "
        "--vfio-user to a guest that has it",
    )

    largest_frame: int = parameter(
        default=1514, range=(60, 1514), doc="Longest frame that passes, in bytes without check sequence."
    )
    bus_clock: Frequency = parameter(default=MHz(312.5), doc="Clock of the bus.")
    vnics: int = parameter(default=1, range=(1, 256), doc=VNICS)
    header_bytes: int = parameter(
        default=0,
        range=(0, 1024),
        doc="Bytes of a packet that are copied when the rest is deferred; 0 for all its headers.",
    )
    flow_control: bool = parameter(default=True, doc="True if the card sends pause frames.")

    def settings(self) -> dict[str, Any]:
        """Return further parameters of the module."""
        return {
            "vnics": self.vnics,
            "header_bytes": self.header_bytes,
            "flow_control": self.flow_control,
        }

    @property
    def pause_bytes_per_cycle(self) -> int:
        """Bytes that pass in a cycle, if the card sends pause frames; else 0.

        Pause frames need a wire that moves whole bytes in each cycle of `bus_clock`.
        """
        in_a_cycle = self.link_rate.bits_per_second / 8 / self.bus_clock.hertz
        return int(in_a_cycle) if self.flow_control and in_a_cycle.is_integer() else 0


class VSinic(Sinic):
    """V-SINIC: SINIC with virtual cards, which may defer copies (SINIC paper, section 4)."""

    summary = "SINIC with 64 virtual cards, without firmware (SINIC paper)"

    vnics: int = parameter(default=64, range=(1, 256), doc=VNICS)
