"""Addresses of the 10 Gb/s NIC. The firmware's header of addresses is generated from here."""

from spinach_nic.support.units import B, MiB

INSTRUCTIONS = 0x1000_0000
REGISTERS = 0x2000_0000
BYTES_OF_REGISTERS = 0x100
REGISTER_BLOCKS = ("dma_read", "dma_write", "transmit", "receive", "interrupt")
"""Blocks with registers, in the order of the register bus."""
EVENT_SOURCES = REGISTERS + BYTES_OF_REGISTERS * len(REGISTER_BLOCKS)
"""Registers of the sources of the event queue, of a card that has one."""
EVENT_QUEUE = EVENT_SOURCES + BYTES_OF_REGISTERS
"""Registers of the event queue for each core."""
EVENT_COUNTERS = {"dma_reads_done": 16, "dma_writes_done": 16, "frames_received": 4}
"""Sources that devices count, with the maximum number of elements in an event."""
EVENT_MAILBOXES = ("send_bd_produced", "receive_bd_produced")
"""Sources that the host writes, in the order of its two mailboxes."""
EVENT_SIGNALS = (
    *EVENT_MAILBOXES,
    "frames_transmitted",
    "commit_frames",
    "fetch_frames",
    "publish_reads",
    "publish_writes",
    "commit_received",
    "update_status",
)
"""Sources that are raised. The timer raises the last one."""
EVENTS = 512
"""Added events that may wait: more than there can be unfinished pieces of work."""
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
FIRST_EVENT_MAILBOX = 4 * len(EVENT_COUNTERS)
"""The mailboxes of a card with an event queue: its sources, below the shared state."""
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
    "EVENT_SOURCES": EVENT_SOURCES,
    "EVENT_QUEUE": EVENT_QUEUE,
    **{f"EVENT_{name.upper()}": number for number, name in enumerate((*EVENT_COUNTERS, *EVENT_SIGNALS))},
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
