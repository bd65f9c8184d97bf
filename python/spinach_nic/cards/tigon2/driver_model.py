"""Model of the Tigon-2's driver: its settings, and the host that it runs on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from spinach_nic.cards.base.drivers import DriverModel
from spinach_nic.cards.base.faces import Bus
from spinach_nic.cards.drivers import Driver
from spinach_nic.cards.tigon2.driver import Tigon2Driver
from spinach_nic.cards.tigon2.frames import CHECK_SEQUENCE_BYTES
from spinach_nic.cards.tigon2.settings import COALESCING, STANDARD_BUFFER, DriverSettings
from spinach_nic.firmware import loadable_image
from spinach_nic.library import ScriptedHost
from spinach_nic.model import parameter
from spinach_nic.support.units import MHz, MiB, Time, ms, s, us
from spinach_nic.traffic import FramePlan

if TYPE_CHECKING:
    from spinach_nic.cards.base.card import Passage
    from spinach_nic.cards.base.drivers import HostModule
    from spinach_nic.cards.tigon2.nic import Tigon2

HOST_MEMORY = MiB(8)
LINK_NEGOTIATION = ms(120)
"""Longest negotiation of the link: two rounds of three link timers of 20 ms (IEEE 802.3, 37.3.1.4)."""


class Tigon2DriverModel(DriverModel):
    """Driver that follows the published protocol of the card."""

    card: Tigon2
    running: Tigon2Driver
    """The driver, once its host is made."""

    send_entries: int = parameter(
        default=512, choices=(128, 256, 512), unit="descriptors", doc="Descriptors of the send ring."
    )
    send_ring_in_host: bool = parameter(
        default=True, doc="True if the send ring is in host memory, false if it is in the memory of the card."
    )
    standard_buffers: int = parameter(default=256, range=(1, 511), doc="Receive buffers of ordinary size.")
    jumbo_buffers: int = parameter(
        default=0, range=(0, 255), doc="Receive buffers for longer frames; 64 if frames may be longer."
    )
    mini_buffers: int = parameter(
        default=0, range=(0, 1023), doc="Receive buffers for frames up to 128 bytes."
    )
    header_bytes: int = parameter(
        default=42, range=(0, 59), doc="Bytes of each frame to send in a separate buffer; 0 for none."
    )
    header_offset: int = parameter(default=2, range=(0, 63), doc="Misalignment of header buffers, in bytes.")
    payload_offset: int = parameter(
        default=6, range=(0, 63), doc="Misalignment of payload buffers, in bytes."
    )
    receive_offset: int = parameter(
        default=2, range=(0, 63), doc="Misalignment of receive buffers, in bytes."
    )
    coalescing: str = parameter(
        default="linux",
        choices=tuple(COALESCING),
        doc="Driver whose coalescing applies where a parameter of it is 0: linux has 400/120 us and 60/25, "
        "freebsd 2000/170 us and 32/64 (send/receive).",
    )
    send_coalescing: int = parameter(
        default=0,
        range=(0, 65535),
        doc="Send descriptors completed between two interrupts; 0 for the driver's.",
    )
    receive_coalescing: int = parameter(
        default=0, range=(0, 65535), doc="Frames received between two interrupts; 0 for the driver's."
    )
    send_ticks: int = parameter(
        default=0,
        range=(0, 1 << 24),
        doc="Microseconds until the host is notified of sent frames; 0 for the driver's.",
    )
    receive_ticks: int = parameter(
        default=0,
        range=(0, 1 << 24),
        doc="Microseconds until the host is notified of received frames; 0 for the driver's.",
    )
    send_checksums: bool = parameter(default=False, doc="True if the card inserts checksums into frames.")
    receive_checksums: bool = parameter(
        default=False, doc="True if the card sums received frames, and the driver verifies the sums."
    )
    vlan: bool = parameter(default=False, doc="True if the card inserts and removes VLAN tags.")
    flow_control: bool = parameter(default=False, doc="True if the card obeys pause frames.")
    clears_memory: bool = parameter(
        default=False,
        doc="True if the driver zeroes the SRAM before it loads the firmware, which takes 20 ms.",
    )
    keeps_bad_frames: bool = parameter(
        default=False, doc="True if the host receives damaged frames too; it drops them."
    )
    hardware_assist: bool = parameter(
        default=False,
        doc="True if firmware that can do the DMA assist in software uses the hardware instead.",
    )
    firmware_wait: Time = parameter(
        default=s(3), range=(us(1), s(1000)), doc="Longest time until the firmware reports that it runs."
    )
    promiscuous: bool = parameter(default=True, doc="True if frames to all addresses are received.")
    multicast: bytes = parameter(
        default=b"", kind="bytes", doc="Multicast groups that are received, six bytes each."
    )

    def make_host(self, bus: Bus, tx: FramePlan, rx: FramePlan) -> ScriptedHost:
        """Make the host that the driver runs on."""
        vars(self)["running"] = self.make_driver()
        return ScriptedHost(
            clock=bus.clock,
            memory_size=HOST_MEMORY,
            **tx.source("send_"),
            **rx.expected("receive_"),
        )

    def make_driver(self) -> Tigon2Driver:
        """Create the driver."""
        image = self.card.image
        return Tigon2Driver(None if image is None else loadable_image(image), self.settings())

    def programs(self, host: HostModule) -> Sequence[Driver]:
        """Return the driver's program."""
        return (Driver(host, self.running.program),)

    @property
    def loads_firmware(self) -> bool:
        """True: the driver loads the firmware through the window of the card."""
        return True

    @property
    def start_up(self) -> Time:
        """Longest start-up of the firmware, and of clearing memory: the bus takes about 0.2 us per word."""
        return self._wait_for_firmware + (ms(50) if self.clears_memory else Time(0))

    @property
    def link_start_up(self) -> Time:
        """Negotiation of the firmware, at its slowest clock, and that of the network."""
        return Time(int(LINK_NEGOTIATION.femtoseconds * self._slowness)) + self.card.negotiation

    def received(self, passage: Passage, host: HostModule) -> Passage:
        """Return the frames from the wire to the host, which drops frames too."""
        discards = dict(passage.discards)
        if self.keeps_bad_frames:
            del discards["bad_check_sequence"]
        return replace(passage, drops=(*passage.drops, host), discards=discards)

    @property
    def _slowness(self) -> Fraction:
        """Slowdown of the slowest clock, times the growth of bursts."""
        card = self.card
        bursts = max(Fraction(1), Fraction(28 + card.host_overhead, 32))
        usual = (MHz(66) / card.host_clock, MHz(88) / card.core_clock, MHz(100) / card.sram_clock)
        return bursts * max(Fraction(1), *usual)

    @property
    def _wait_for_firmware(self) -> Time:
        """Wait of the driver, scaled by the slowdown of the card."""
        return Time(int(self.firmware_wait.femtoseconds * self._slowness))

    def settings(self) -> DriverSettings:
        """Return the settings of the driver."""
        longest = self.card.largest_frame + CHECK_SEQUENCE_BYTES
        is_ordinary = longest <= STANDARD_BUFFER
        preset = COALESCING[self.coalescing]
        return DriverSettings(
            send_entries=self.send_entries,
            send_ring_in_host=self.send_ring_in_host,
            standard_buffers=self.standard_buffers,
            jumbo_buffers=self.jumbo_buffers or (0 if is_ordinary else 64),
            jumbo_bytes=longest,
            mini_buffers=self.mini_buffers,
            longest_frame=longest,
            header_bytes=self.header_bytes,
            header_offset=self.header_offset,
            payload_offset=self.payload_offset,
            receive_offset=self.receive_offset,
            send_coalescing=self.send_coalescing or preset.send_coalescing,
            receive_coalescing=self.receive_coalescing or preset.receive_coalescing,
            send_ticks=self.send_ticks or preset.send_ticks,
            receive_ticks=self.receive_ticks or preset.receive_ticks,
            send_checksums=self.send_checksums,
            receive_checksums=self.receive_checksums,
            vlan=self.vlan,
            flow_control=self.flow_control,
            clears_memory=self.clears_memory,
            keeps_bad_frames=self.keeps_bad_frames,
            hardware_assist=self.hardware_assist,
            promiscuous=self.promiscuous,
            wait_for_firmware=self._wait_for_firmware,
            multicast=tuple(self.multicast[at : at + 6] for at in range(0, len(self.multicast), 6)),
        )
