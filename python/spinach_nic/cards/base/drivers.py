"""Models of drivers: programs of a scripted host at the bus of a card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spinach_nic.cards.base.counters import Counter
from spinach_nic.cards.base.faces import Bus, PciBus, RingBus
from spinach_nic.cards.drivers import Driver, DropReason, Host, Operation, Program, drop, take
from spinach_nic.model import Component, parameter
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.records import Record
from spinach_nic.support.units import B, GiB, KiB, MiB, Size, Time, fs, ms, us
from spinach_nic.traffic import FramePlan

if TYPE_CHECKING:  # the generator of the library runs while a class of it is missing
    from spinach_nic.cards.base.card import Passage
    from spinach_nic.library import RingHost, ScriptedHost

    HostModule = RingHost | ScriptedHost

_SHORTEST_FRAME = 60


@dataclass(frozen=True, eq=False, repr=False)
class LinuxDriver(Record):
    """Driver of a card in a guest or a server that runs Linux."""

    module: str
    """Name of the kernel module."""
    sources: str | Path = ""
    """Folder of its sources: a path, or a name among the shipped firmware; empty if the kernel has it."""
    firmware_file: str = ""
    """File that the driver loads into the card; empty if firmware is in place when the kernel starts."""
    starts: str = ""
    """Function of firmware for this driver, by which firmware for another one is recognized."""
    others: tuple[str, ...] = ()
    """Further modules of the kernel that the driver works with, such as that of its bus."""
    largest_frame: int = 65535
    """Longest frame that it receives, in bytes without check sequence."""
    missing_help: str = ""
    """Help if no kernel for guests has the module; empty if the distribution's kernel does."""


RINGS = LinuxDriver("spinach_rings", sources="linux/drivers/rings")
"""Driver of every card with a `RingBus`. It reads from the card where its rings are."""


class _Held:
    # Annotated outside of `Described`, as attributes of instances are not arguments.
    card: Any
    """Card that it drives, given by the bench."""


class DriverModel(_Held, Component):
    """A driver and the host that it runs on. Its parameters are the settings of the driver."""

    def make_host(self, bus: Bus, tx: FramePlan, rx: FramePlan) -> HostModule:
        """Create the host that sends frames of `tx` and expects those of `rx`, on the clock of the bus."""
        raise SpinachError(
            f"{type(self).__name__} creates no host", "define its method make_host(), as ProgramDriver does"
        )

    def connect(self, host: HostModule, bus: Bus) -> None:
        """Connect the host to the bus of the card."""
        from spinach_nic.library import RingHost

        (host.doorbell if isinstance(host, RingHost) else host.access) >> bus.access
        bus.memory >> host.memory
        if bus.interrupt is not None:
            bus.interrupt >> host.interrupt
        if bus.carried is not None and bus.others is not None:
            bus.carried >> bus.others
        if isinstance(bus, PciBus) and not isinstance(host, RingHost):
            host.configuration >> bus.configuration

    def programs(self, host: HostModule) -> Sequence[Driver]:
        """Return the drivers in Python, which begin before the first cycle."""
        return ()

    @property
    def loads_firmware(self) -> bool:
        """True if the driver loads the firmware, rather than the run before it begins."""
        return False

    @property
    def start_up(self) -> Time:
        """Longest time until the first frame is under way, besides the usual."""
        return Time(0)

    @property
    def link_start_up(self) -> Time:
        """Longest time from the first frame offered until the link carries frames."""
        return Time(0)

    def addressed(self, plan: FramePlan, direction: str) -> FramePlan:
        """Return a plan whose frames have the addresses that this driver uses."""
        return plan

    def counters(self, host: HostModule) -> dict[str, Counter]:
        """Return the counters of the host, by their names in results."""
        return {"interrupts": Counter(host, "interrupts", "interrupts")}

    def sent(self, passage: Passage) -> Passage:
        """Return the frames from the host to the wire, in the order in which the driver sends them."""
        return passage

    def received(self, passage: Passage, host: HostModule) -> Passage:
        """Return the frames from the wire to the host, with what the host drops."""
        return passage

    def expected(self, plan: FramePlan) -> FramePlan:
        """Return the frames that reach the host, of those of `plan` that leave the card."""
        return plan


class RingDriver(DriverModel):
    """Driver of cards that work on rings in host memory (HPCA 2005, section 2.1)."""

    host_latency: Time = parameter(
        default=us(1),
        range=(fs(0), ms(10)),
        doc="Latency from an interrupt to the driver's reaction.",
        variable=True,
    )

    def make_host(self, bus: Bus, tx: FramePlan, rx: FramePlan) -> HostModule:
        """Make a host with rings and mailboxes where the card expects them."""
        from spinach_nic.library import RingHost

        if not isinstance(bus, RingBus):
            message = f"{type(self.card).__name__} has no rings for the driver {type(self).__name__}"
            raise SpinachError(message, "give the card a RingBus, or a driver_model that knows its bus")
        return RingHost(
            clock=bus.clock,
            configuration_address=bus.configuration,
            send_mailbox=bus.send_mailbox,
            receive_mailbox=bus.receive_mailbox,
            service_latency=self.host_latency,
            receive_buffer=bus.receive_buffer,
            header_bytes=bus.header_bytes,
            **self.settings(bus),
            **tx.source("send_"),
            **rx.expected("receive_"),
        )

    def counters(self, host: HostModule) -> dict[str, Counter]:
        """Return the counters of the host, by their names in results."""
        found = super().counters(host)
        if "doorbells" in host.counters:
            found["doorbells"] = Counter(host, "doorbells", "writes")
        return found

    def settings(self, bus: RingBus) -> dict[str, Any]:
        """Return further parameters of the host, a `RingHost`."""
        return {"first_index": bus.first_index}


class ProgramDriver(DriverModel):
    """Driver written in Python, on a host that executes its operations one by one.

    A derived class defines `program`: see `spinach_nic.cards.drivers`.
    """

    host_memory: Size = parameter(
        default=MiB(8), range=(KiB(4), GiB(1)), doc="Memory that host and card share."
    )

    def program(self, host: Host) -> Program:
        """Drive the card."""
        raise SpinachError(f"{type(self).__name__} has no program", "define its method program(host)")

    @property
    def receives_by_flow(self) -> bool:
        """True if received frames of different flows may overtake each other."""
        return False

    @property
    def message_area(self) -> Size:
        """Bytes at the beginning of host memory where a write of the card is an interrupt."""
        return B(0)

    def make_host(self, bus: Bus, tx: FramePlan, rx: FramePlan) -> ScriptedHost:
        """Make the host that the program runs on."""
        from spinach_nic.library import ScriptedHost

        return ScriptedHost(
            clock=bus.clock,
            memory_size=self.host_memory,
            message_area=self.message_area,
            **tx.source("send_"),
            **rx.overtaking(by_flow=self.receives_by_flow).expected("receive_"),
        )

    def programs(self, host: HostModule) -> Sequence[Driver]:
        """Return the program."""
        return (Driver(host, self.program),)

    def received(self, passage: Passage, host: HostModule) -> Passage:
        """Return the frames from the wire to the host, whose program may `drop` some."""
        return replace(passage, drops=(*passage.drops, host))

    def take_or_drop(self, address: int, length: int) -> Operation:
        """Take a received frame, or drop it if its length is not that of a frame of the card."""
        if length < _SHORTEST_FRAME:
            return drop(DropReason.RUNT)
        return drop(DropReason.OVERSIZE) if length > self.card.largest_frame else take(address, length)
