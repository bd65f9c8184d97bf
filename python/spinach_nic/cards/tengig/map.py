"""Addresses of the 10 Gb/s NIC. The firmware's header of addresses is generated from here."""

from spinach_nic.support.units import B, MiB

INSTRUCTIONS = 0x1000_0000
REGISTERS = 0x2000_0000
BYTES_OF_REGISTERS = 0x100
REGISTER_BLOCKS = ("dma_read", "dma_write", "transmit", "receive", "interrupt")
"""Blocks with registers, in the order of the register bus."""
FRAME_MEMORY = 0x4000_0000
TRANSMIT_BUFFER_BYTES = 0x4000
"""The place of a frame to send, by its first buffer descriptor."""
TRANSMIT_BUFFERS = 256
RECEIVE_BUFFER = FRAME_MEMORY + TRANSMIT_BUFFERS * TRANSMIT_BUFFER_BYTES
"""A circular buffer for received frames."""
RECEIVE_BUFFER_BYTES = MiB(1).bytes
RECEIVE_ALIGNMENT = 8
"""Received frames begin at multiples of it."""
FRAME_BUFFERS = B(RECEIVE_BUFFER + RECEIVE_BUFFER_BYTES - FRAME_MEMORY)
"""Size of the firmware's frame buffers."""

STATE = 0x40
"""Shared state of the cores; the mailboxes of host and assists come first."""
SEND_MAILBOX = STATE
RECEIVE_MAILBOX = STATE + 4
HOST_RINGS = 0x60
SETTINGS = 0x94
SETTINGS_WORDS = {
    "send_coalescing": "send descriptors between two status updates",
    "receive_coalescing": "received frames between two status updates",
    "timer_interval": "core cycles after which the host is notified of pending events",
    "cores": "how many there are",
}
"""Words that the firmware reads there."""
RINGS = 0x4000
FIRMWARE_DATA = 0xA000
"""Constants, private data and stacks; the shared state and the rings lie below."""

CONSTANTS = {
    **{
        f"{name.upper()}_REGISTERS": REGISTERS + BYTES_OF_REGISTERS * number
        for number, name in enumerate(REGISTER_BLOCKS)
    },
    "FRAME_MEMORY": FRAME_MEMORY,
    "TRANSMIT_BUFFER_BYTES": TRANSMIT_BUFFER_BYTES,
    "RECEIVE_BUFFER": RECEIVE_BUFFER,
    "RECEIVE_BUFFER_BYTES": RECEIVE_BUFFER_BYTES,
    "RECEIVE_ALIGNMENT": RECEIVE_ALIGNMENT,
    "STATE_ADDRESS": STATE,
    "HOST_RINGS_ADDRESS": HOST_RINGS,
    "SETTINGS_ADDRESS": SETTINGS,
    "RINGS_ADDRESS": RINGS,
}
"""Macros of the firmware."""
