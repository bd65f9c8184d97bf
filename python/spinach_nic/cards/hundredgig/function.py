"""Configuration space of virtio's network device on PCI (virtio 1.2, sections 4.1.2 and 4.1.4)."""

from __future__ import annotations

import struct

from spinach_nic.cards.hundredgig.map import (
    COMMON_OFFSET,
    DEVICE_OFFSET,
    DOORBELL_BYTES,
    DOORBELLS_OFFSET,
    ISR_OFFSET,
)

VENDOR = 0x1AF4
DEVICE = 0x1041
"""0x1040, and the number of the network device, 1."""
SUBSYSTEM = 0x0040
REVISION = 1
CLASS = 0x020000
DEVICE_STATUS = 0x14
"""Offset of the status of the device in the common configuration."""
MESSAGES = 0x11
"""Capability of message-signaled interrupts (MSI-X)."""
FIRST_CAPABILITY = 0x40
VENDOR_SPECIFIC = 0x09
COMMON, NOTIFICATION, ISR, DEVICE_CONFIGURATION, CONFIGURATION_ACCESS = range(1, 6)
COMMON_BYTES, ISR_BYTES, DEVICE_BYTES = 64, 4, 64


def capabilities(queues: int) -> bytes:
    """Return the list of capabilities, with the places of the structures of virtio in the window.

    The first is that of configuration access, which the function implements.
    """
    notification = struct.pack("<I", DOORBELL_BYTES)
    described = [
        (CONFIGURATION_ACCESS, 0, 0, bytes(4)),
        (COMMON, COMMON_OFFSET, COMMON_BYTES, b""),
        (NOTIFICATION, DOORBELLS_OFFSET, DOORBELL_BYTES * queues, notification),
        (ISR, ISR_OFFSET, ISR_BYTES, b""),
        (DEVICE_CONFIGURATION, DEVICE_OFFSET, DEVICE_BYTES, b""),
    ]
    space = b""
    for number, (kind, offset, length, further) in enumerate(described):
        size = 16 + len(further)
        is_last = number + 1 == len(described)
        following = 0 if is_last else FIRST_CAPABILITY + len(space) + size
        space += struct.pack("<8BII", VENDOR_SPECIFIC, following, size, kind, 0, 0, 0, 0, offset, length)
        space += further
    return space
