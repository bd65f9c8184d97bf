"""Drivers of RiceNIC: the ring driver, and the hypervisor of the image `cdna` with its guests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spinach_nic.cards.base.counters import Counter
from spinach_nic.cards.base.drivers import RingDriver
from spinach_nic.cards.base.faces import Bus, RingBus
from spinach_nic.cards.drivers import Driver
from spinach_nic.cards.ricenic.guests import BUFFER, GuestSettings, Hypervisor, mac_address
from spinach_nic.cards.ricenic.registers import CDNA_MOST_ENTRIES, CONTENT_BYTES
from spinach_nic.model import parameter
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import B, MiB, Size, Time, fs, s
from spinach_nic.traffic import FramePlan, Raw, Tcp, Udp
from spinach_nic.traffic.described import AnyFrames, Choice, LiveFrames, Single

if TYPE_CHECKING:  # the generator of the library runs while a class of it is missing
    from spinach_nic.cards.base.drivers import HostModule
    from spinach_nic.cards.ricenic.nic import Ricenic
    from spinach_nic.library import ScriptedHost

PAGE = 4096
DESCRIPTOR_BYTES = 16


class RicenicDriver(RingDriver):
    """Driver of the card; with firmware that has contexts, a hypervisor."""

    card: Ricenic
    hypervisor: Hypervisor

    checksums: bool = parameter(
        default=True, doc="True if the card computes checksums of frames to send, and verifies received ones."
    )
    first_index: int = parameter(
        default=0,
        range=(0, 2**32 - 1),
        doc="First value of all indices of the driver, such as shortly before 2^32 to test their "
        "wrap-around.",
    )
    content_cache: Size = parameter(
        default=CONTENT_BYTES,
        range=(B(0), CONTENT_BYTES),
        doc="Memory of the card in which the driver keeps payloads that it sends again; 0 for none (image "
        "cache).",
    )
    guest_entries: int = parameter(
        default=256,
        range=(2, CDNA_MOST_ENTRIES),
        power_of_two=True,
        doc="Entries of each ring of a guest, a power of two (image cdna).",
    )
    guest_period: Time = parameter(
        default=fs(0),
        range=(fs(0), s(10)),
        doc="Period in which each guest runs once, for an equal time of at least a cycle of `host_clock`; "
        "0 if all run always (image cdna).",
    )

    @property
    def variable_parameters(self) -> frozenset[str]:
        """Parameters of rings: the operations of the hypervisor depend on all of its parameters."""
        return frozenset() if self.card.has_contexts else super().variable_parameters

    def settings(self, bus: RingBus) -> dict[str, Any]:
        """Return further parameters of the host."""
        cache = self.content_cache if self.card.keeps_content else B(0)
        return {"checksums": self.checksums, "first_index": self.first_index, "content_cache": cache}

    def counters(self, host: HostModule) -> dict[str, Counter]:
        """Return the counters of the host, by their names in results; with a cache, its savings."""
        found = super().counters(host)
        if self.card.keeps_content:
            found["frames_posted"] = Counter(host, "offered", "frames")
            found["content_kept"] = Counter(host, "kept", "frames")
            found["content_sent"] = Counter(host, "sent_from_content", "frames")
            found["host_bytes_read"] = Counter(host, "read_bytes", "bytes")
        return found

    def make_host(self, bus: Bus, tx: FramePlan, rx: FramePlan) -> HostModule:
        """Make a host with rings, or one that the hypervisor runs on."""
        return self._guest_host(bus, tx, rx) if self.card.has_contexts else super().make_host(bus, tx, rx)

    def _guest_host(self, bus: Bus, tx: FramePlan, rx: FramePlan) -> ScriptedHost:
        # Here, so that the generator of the library runs while a class of it is missing.
        from spinach_nic.library import ScriptedHost

        self._check_period()
        entries, guests = self.guest_entries, self.card.guests
        vars(self)["hypervisor"] = self.make_hypervisor(
            GuestSettings(guests, entries, self.guest_period, self.host_latency)
        )
        rings = 2 * entries * DESCRIPTOR_BYTES
        memory = MiB(1).bytes + guests * (3 * PAGE + 2 * rings + 2 * entries * BUFFER)
        return ScriptedHost(
            clock=bus.clock,
            interrupts="message",
            memory_size=Size(memory),
            **tx.source("send_"),
            **rx.expected("receive_"),
        )

    def _check_period(self) -> None:
        """Check that the turn of each guest has a cycle of the host, in which the hypervisor sees it.

        Raises:
            SpinachError: It is shorter: the phase of the period at the edges of the clock would repeat, or
                drift slowly, and some guests would not run.
        """
        guests, clock = self.card.guests, self.card.host_clock
        shortest = fs(math.ceil(guests * 10**15 / clock.hertz))
        if guests > 1 and fs(0) < self.guest_period < shortest:
            message = (
                f"guest_period = {self.guest_period} is too short for {guests} guests: the turn of each "
                f"lasts less than a cycle of host_clock = {clock}"
            )
            raise SpinachError(message, f"set guest_period to {shortest} or more, or to 0")

    def make_hypervisor(self, settings: GuestSettings) -> Hypervisor:
        """Create the hypervisor driver."""
        return Hypervisor(settings)

    def programs(self, host: HostModule) -> Sequence[Driver]:
        """Return the hypervisor, if the firmware has contexts."""
        return [Driver(host, self.hypervisor.program)] if self.card.has_contexts else ()

    def addressed(self, plan: FramePlan, direction: str) -> FramePlan:
        """Return the frames of a direction with the MAC addresses of guests, chosen at random.

        Raises:
            SpinachError: They are neither UDP nor TCP nor raw.
        """
        if plan.is_silent or not self.card.has_contexts:
            return plan
        if plan.content is None:
            raise _foreign_frames()
        return plan.with_sources(lambda source: self._of_guests(source, direction))

    def _of_guests(self, source: Single, direction: str) -> Single:
        if isinstance(source, AnyFrames | LiveFrames):
            return source
        if not isinstance(source, Udp | Tcp | Raw):
            raise _foreign_frames()
        addresses = [mac_address(number + 1).hex(":") for number in range(self.card.guests)]
        if direction == "tx":
            parts = [(1, replace(source, source_mac=one)) for one in addresses]
        else:
            parts = [(1, replace(source, destination_mac=one)) for one in addresses]
        return Choice(tuple(parts), apart=True)

    def expected(self, plan: FramePlan) -> FramePlan:
        """Return the frames that guests receive; live ones are only counted, as broadcasts reach several."""
        if not self.card.has_contexts or not plan.is_live:
            return plan
        return replace(plan, content=AnyFrames(self.card.largest_frame))


def _foreign_frames() -> SpinachError:
    help = "give udp, tcp or raw, such as udp:1472"
    return SpinachError("guests of the image cdna send and receive UDP, TCP or raw frames", help)
