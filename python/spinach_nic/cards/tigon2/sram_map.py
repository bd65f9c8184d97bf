"""Memory map of the Tigon-2's SRAM. The firmware's header is generated from here.

Addresses wrap at 2 MiB, and smaller memories repeat, so that whatever is fitted ends at 2 MiB.
"""

from spinach_nic.support.units import KiB

MEMORY_END = 0x20_0000
IMAGE = range(0x4000, 0x2_E000)
"""Range that an image may fill, as offsets in the lowest repetition of the memory; descriptors follow."""
DESCRIPTORS = KiB(92)
"""Descriptions of all kinds, for the host or for the hardware, lie together here."""
