"""Settings of the driver of virtio's network device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spinach_nic.support.units import Time, fs
from spinach_nic.traffic import ENDLESS

NEVER = fs(0)
"""Interval between events that do not occur."""


@dataclass(frozen=True)
class Settings:
    """Settings of the driver."""

    pairs: int
    entries: int
    buffer_bytes: int
    latency: Time
    """Time from an interrupt to the driver's reaction."""
    poll: Time
    """Time between two polls."""
    checksums: bool = False
    """True if checksums of TCP and UDP are left to the card."""
    left_checksums: tuple[range, ...] = (range(ENDLESS),)
    """Numbers of the frames whose checksums are left; others keep theirs."""
    segmentation: bool = False
    """True if frames that continue each other are given to the card as one large send."""
    coalescing: bool = False
    """True if the card may give segments that continue each other as one."""
    event_index: bool = False
    """True if interrupts and doorbells are asked for by index, not by flags."""
    packed: bool = False
    """True to use packed rings, if the card offers them."""
    messages: bool = False
    """True if interrupts are messages, not levels of the line."""
    resets: Time = NEVER
    """Time between two resets of a queue; 0 for none."""
    vlans: Sequence[int] = ()
    """VLANs whose tagged frames the card passes; empty if it does not filter by VLAN."""
    vlan_changes: Time = NEVER
    """Time between two changes of the filter, which delete a VLAN and add it again; 0 for none."""
