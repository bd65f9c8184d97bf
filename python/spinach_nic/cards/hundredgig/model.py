"""Model of the driver: its parameters, and the frames that it is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from spinach_nic.cards.base.drivers import ProgramDriver
from spinach_nic.cards.drivers import Host, Program
from spinach_nic.cards.hundredgig.driver import (
    FIRST_PORT,
    FLOWS_PER_PAIR,
    MESSAGE_BYTES,
    PORTS_PER_FLOW,
    VirtioDriver,
)
from spinach_nic.cards.hundredgig.map import VIRTIO_HEADER_BYTES
from spinach_nic.cards.hundredgig.settings import NEVER, Settings
from spinach_nic.model import parameter
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import B, MiB, Size, Time, fs, ms, us
from spinach_nic.traffic import ENDLESS, FramePlan, Tcp, Udp
from spinach_nic.traffic.described import Choice, Described, Single, Stretches

if TYPE_CHECKING:
    from spinach_nic.cards.base.card import Passage
    from spinach_nic.cards.base.faces import Bus
    from spinach_nic.cards.hundredgig.card import Hundredgig
    from spinach_nic.library import ScriptedHost

VLANS = 4096
"""Number of VLANs that a tag can name."""


def _has_right_checksums(content: object) -> bool:
    """Return true if all frames of a source are generated TCP and UDP."""
    if isinstance(content, Choice):
        return all(_has_right_checksums(part) for _, part in content.parts)
    return isinstance(content, Udp | Tcp)


def _left_checksums(content: Described | None) -> tuple[range, ...]:
    """Return the numbers of the frames whose checksums the card may compute."""
    if not isinstance(content, Stretches):
        return (range(ENDLESS),) if _has_right_checksums(content) else ()
    found, first = [], 0
    for part in content.parts:
        end = ENDLESS if part.count is None else first + part.count
        if _has_right_checksums(part.source):
            found.append(range(first, end))
        first = end
    return tuple(found)


class VirtioDriverModel(ProgramDriver):
    """Driver of virtio's network device."""

    card: Hundredgig

    host_memory: Size = parameter(
        default=MiB(64), range=(MiB(1), MiB(1024)), doc="Memory that host and card share."
    )
    host_latency: Time = parameter(
        default=us(1),
        range=(fs(0), ms(10)),
        doc="Latency from an interrupt to the driver's reaction.",
        variable=True,
    )
    poll_interval: Time = parameter(
        default=us(1),
        range=(fs(1), ms(10)),
        doc="Time between two polls while there is work.",
        variable=True,
    )
    ring_entries: int = parameter(
        default=256,
        range=(2, 32768),
        power_of_two=True,
        doc="Entries of each ring, a power of two; at most what the card offers.",
    )

    rings: str = parameter(
        default="split", choices=("split", "packed"), doc="Kind of the rings, if the card offers both."
    )
    checksums: bool = parameter(
        default=True,
        doc="True to leave checksums of generated TCP and UDP to the card. Captured frames keep theirs.",
    )
    large_sends: bool = parameter(
        default=True,
        doc="True to give segments of generated TCP that continue each other to the card as one large send.",
    )
    large_receives: bool = parameter(
        default=True,
        doc="True to take received segments of TCP that the card has made one, if it offers that; the driver "
        "cuts them again.",
    )
    event_index: bool = parameter(
        default=True, doc="True if driver and card ask for interrupts and doorbells by index, not by flags."
    )
    messages: bool = parameter(
        default=True,
        doc="True to use message-signaled interrupts (MSI-X) if the card has them, else the line.",
    )
    pairs: int = parameter(
        default=0, range=(0, 64), doc="Pairs of queues that the driver uses; 0 for all that the card has."
    )
    queue_resets: Time = parameter(
        default=NEVER,
        range=(NEVER, ms(10)),
        doc="Time between two resets of a queue by the driver, each queue in turn; 0 for none.",
    )
    vlans: Sequence[int] = parameter(
        default=(),
        kind="integers",
        doc="VLANs whose tagged frames the card passes, 0 to 4095; empty for no filter by VLAN.",
    )
    vlan_changes: Time = parameter(
        default=NEVER,
        range=(NEVER, ms(10)),
        doc="Time between two changes of that filter by the driver, which deletes a VLAN and adds it again, "
        "each in turn; 0 for none.",
    )

    @property
    def receives_by_flow(self) -> bool:
        """True if received frames of different flows may overtake each other: with several pairs or ports."""
        return max(self.pairs or self.card.cores, self.card.network_ports) > 1

    def sent(self, passage: Passage) -> Passage:
        """Return the frames from the host to the wire: those of one pair of queues keep their order."""
        return replace(passage, by_flow=(self.pairs or self.card.cores) > 1)

    @property
    def message_area(self) -> Size:
        """The page that messages write to."""
        return MESSAGE_BYTES if self.messages else B(0)

    def make_host(self, bus: Bus, tx: FramePlan, rx: FramePlan) -> ScriptedHost:
        """Make the host that the program runs on."""
        self._left = _left_checksums(tx.content)
        return super().make_host(bus, tx, rx)

    def program(self, host: Host) -> Program:
        """Drive the card."""
        longest = self.card.largest_tagged_frame + VIRTIO_HEADER_BYTES
        pairs = self.pairs or self.card.cores
        settings = Settings(
            pairs=pairs,
            entries=self.ring_entries,
            buffer_bytes=longest,
            latency=self.host_latency,
            poll=self.poll_interval,
            checksums=self.checksums,
            left_checksums=self._left,
            segmentation=self.large_sends and self.checksums,
            coalescing=self.large_receives,
            event_index=self.event_index,
            packed=self.rings == "packed",
            messages=self.messages,
            resets=self.queue_resets,
            vlans=self._checked_vlans(),
            vlan_changes=self.vlan_changes,
        )
        return VirtioDriver(settings).program(host)

    def _checked_vlans(self) -> Sequence[int]:
        for vlan in self.vlans:
            if not 0 <= vlan < VLANS:
                raise SpinachError(f"invalid VLAN {vlan} in vlans", f"give numbers from 0 to {VLANS - 1}")
        if self.vlan_changes > NEVER and not self.vlans:
            raise SpinachError(
                "vlan_changes is set, but there are no vlans", "give VLANs, such as --set vlans=5,37"
            )
        return self.vlans

    def addressed(self, plan: FramePlan, direction: str) -> FramePlan:
        """Return the frames in several flows, each of which keeps its order, unless the plan has flows."""
        pairs = self.pairs or self.card.cores
        if plan.is_silent or pairs == 1:
            return plan
        return plan.with_sources(lambda source: _in_flows(source, FLOWS_PER_PAIR * pairs))


def _in_flows(source: Single, flows: int) -> Single:
    """Return the frames in a number of flows, unless they have flows, or are not generated TCP or UDP."""
    if not isinstance(source, Udp | Tcp) or source.flows is not None:
        return source
    parts = [
        (1, replace(source, flows=1, source_port=FIRST_PORT + PORTS_PER_FLOW * flow)) for flow in range(flows)
    ]
    return Choice(tuple(parts), apart=True)
