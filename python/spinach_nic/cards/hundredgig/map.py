"""Addresses of a core of hundredgig, and of the window that the host sees."""

from spinach_nic.support.units import KiB

INSTRUCTIONS = 0x1000_0000
INTERRUPT_VECTOR = INSTRUCTIONS + 4
"""Address of the handler of exceptions."""
INSTRUCTION_BYTES = KiB(64)
SCRATCH_PAD = 0x0010_0000
SCRATCH_PAD_BYTES = KiB(32)
"""Data of the firmware; the slots for frames follow in the same memory."""
REGISTERS = 0x2000_0000
BYTES_OF_REGISTERS = 0x100
REGISTER_BLOCKS = ("events", "dma_read", "dma_write", "mac_transmit", "mac_receive", "tally")
"""Blocks of registers of a core, in the order of its register bus."""
SHARED = 0x3000_0000
"""Shared by the cores: a memory, then blocks of registers."""
SHARED_BYTES = KiB(16)
SHARED_REGISTERS = SHARED + SHARED_BYTES.bytes
SHARED_BLOCKS = ("function", "steering")
FRAMES = SCRATCH_PAD + SCRATCH_PAD_BYTES.bytes
"""Slots for frames to send, then as many for received ones."""
SLOTS = 64
"""Frames of each direction on the card; entries of each queue of the hardware (`SLOTS` of the firmware)."""
LARGE_SENDS = 4
"""Buffers for large sends, behind the slots."""
LARGE_BYTES = 65_600
"""A packet of IP with the headers of Ethernet, a tag and virtio, aligned."""
VIRTIO_HEADER_BYTES = 12
TAG_BYTES = 4
"""Bytes of the tag of a VLAN, by which a frame that has one may be longer (IEEE 802.3, section 3.2.7)."""
SLOT_ALIGNMENT = 64

WINDOW = KiB(32)
"""Base address register 0: a page for each structure of virtio, then the table of interrupts."""
COMMON_OFFSET, ISR_OFFSET, DEVICE_OFFSET, DOORBELLS_OFFSET = 0x0000, 0x1000, 0x2000, 0x3000
FUNCTION_BYTES = KiB(16)
"""Part of the window that firmware serves."""
VECTORS_OFFSET, PENDING_OFFSET = 0x4000, 0x6000
"""Table of message-signaled interrupts, and their pending bits."""
DOORBELL_BYTES = 4
PAIR_QUEUES = 2
"""Receive and send queue of a core. A control queue follows those of all cores, if there are several."""

DROPS = ("invalid_frame", "driver_stopped", "no_buffer_fits")
"""Reasons for which firmware drops frames, in the order of its counts."""
