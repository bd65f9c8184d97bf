"""Addresses and registers of RiceNIC.

No address, register or descriptor of the card is public. These are our own, in the shape that the paper
describes. The firmware's header `ricenic/registers.h` and a page of the book are generated from here.
"""

from __future__ import annotations

from dataclasses import dataclass

from spinach_nic.support.units import KiB, MiB

DDR = 0x0000_0000
DDR_BYTES = MiB(256)
SETTINGS = 0x100
"""Settings of the firmware, in the DDR memory."""
SETTINGS_WORDS = {
    "send_coalescing": "frames sent between two interrupts",
    "receive_coalescing": "frames received between two interrupts",
    "coalescing_cycles": "core cycles after which the host is notified of pending events",
}
"""Words that the firmware reads there."""
NAT_SETTINGS = 0x200
"""Settings of address translation for the image `nat`, in the DDR memory."""
NAT_SETTINGS_WORDS = {
    "external_address": "the card's own IPv4 address",
    "first_port": "the first port that connections get",
    "connections": "largest number, each with a separate port",
    "timeout_udp": "ticks without a packet that end a connection: of UDP",
    "timeout_tcp_open": "of TCP, both ends of which have sent",
    "timeout_tcp_brief": "of TCP that begins or has ended",
    "timeout_icmp": "of ICMP echoes",
}
"""Words that `nat` reads there; forwarded ports follow, each as the words of `NAT_FORWARD_WORDS`."""
NAT_TICK_CYCLES = 1 << 16
"""Core cycles of a tick."""
NAT_FORWARDS = 16
"""Maximum number of forwarded ports."""
NAT_FORWARD_WORDS = {
    "protocol": "6 or 17; 0 in an entry that is free",
    "port": "of the card",
    "address": "of the server",
    "server_port": "its port",
}
NAT_MOST_CONNECTIONS = 16384
CODE = 0x0010_0000
"""Instructions, in the DDR memory."""
SEND_BUFFERS = 0x0100_0000
RECEIVE_BUFFERS = 0x0200_0000
BUFFER_BYTES = 0x4000
"""Distance of two buffers of either kind."""
CONTENT = 0x0600_0000
CONTENT_BYTES = MiB(16)
"""Content that the image `cache` keeps for the host, in the DDR memory."""
CDNA_SETTINGS = 0x400
"""Settings of virtualization contexts for the image `cdna`, in the DDR memory."""
CDNA_SETTINGS_WORDS = {
    "contexts": "how many there are; number 0 is the hypervisor's",
    "slot_bytes": "from one buffer for a frame to the next",
    "send_slots": "buffers of a context for frames to send",
    "receive_slots": "buffers of a context for frames received",
    "longest_frame": "bytes of a frame, without check sequence",
}
CDNA_CONTEXTS = 0x0400_0000
"""State of each context, in the DDR memory."""
CDNA_SEND_BUFFERS = 0x0500_0000
CDNA_RECEIVE_BUFFERS = 0x0A00_0000
CDNA_MOST_BUFFERS = 40960
"""Buffers of all contexts for frames of one direction, and those that the MAC receives into."""
CDNA_MOST_SLOTS = 512
"""Buffers of a context for frames of one direction."""
CDNA_MOST_ENTRIES = 4096
"""Maximum entries of a ring of a guest. Sequence numbers have 16 bits, so that they distinguish turns of
the ring."""
HYPERVISOR_MAILBOXES = ("commands", "vectors")
"""Announcements of context 0's mailboxes: commands, and bit vectors that were read."""
CDNA_COMMANDS = 0x200
"""Ring of commands in context 0: each names a context and an action, or starts to listen to the link."""
CDNA_COMMAND_ENTRIES = 64
CDNA_START, CDNA_STOP, CDNA_LISTEN = 0x100, 0x200, 0x300
CDNA_HYPERVISOR = 0x100
"""Bit vectors for the hypervisor, in context 0."""
CDNA_HYPERVISOR_WORDS = {
    "vectors_high": "ring of bit vectors in host memory, and behind it the count of those written: address",
    "vectors_low": "its lower half",
    "entries": "of the ring, a power of two",
    "ready": "HOST_RINGS_READY; written last",
}
CDNA_SETUPS = 0x8_0000
"""Description of each context, in the SRAM behind all contexts, where only the hypervisor writes."""
CDNA_SETUP_BYTES = 64
CDNA_SETUP_WORDS = {
    "send_high": "ring of protected descriptors to send: address in host memory",
    "send_low": "",
    "send_entries": "a power of two",
    "receive_high": "the same for buffers",
    "receive_low": "",
    "receive_entries": "",
    "returned_high": "ring of descriptors of frames received, with as many entries",
    "returned_low": "",
    "status_high": "where the status words go",
    "status_low": "",
    "mac_address_high": "first two bytes of the Ethernet address",
    "mac_address_low": "the other four",
    "state": "0 off, 1 running, 2 stopped; the card writes it",
    "fault": "why it was stopped; the card writes it",
}
CDNA_STATES = ("off", "running", "stopped")
CDNA_FAULTS = ("none", "producer", "sequence", "length", "mac_address", "command")
"""Reasons to stop a context, by number."""
CDNA_DROPS = ("unknown_mac_address", "buffer_full", "stopped_receiving", "stopped_sending")
"""Drop reasons of `cdna`, in the order of its counts in `TALLY`; the last is of frames to send."""
NAT_CONNECTIONS = 0x0300_0000
"""Connections, followed by the hash table, in the DDR memory."""
SRAM = 0x4000_0000
SRAM_BYTES = MiB(2)
REGISTERS = 0x8000_0000
BLOCK_BYTES = 0x100
BRAM = 0xFFFF_8000
"""The on-chip memory as the data caches know it; it ends with the address at which a PowerPC 405 begins."""
BRAM_UNCACHED = 0xF000_0000
"""The same memory, past the caches."""
BRAM_BYTES = KiB(32)

CONTEXT_BYTES = 0x1000
"""A page of the SRAM, which the driver of one guest owns. The first words of each are mailboxes."""
MAILBOXES = ("send", "receive")
"""Announcements of the mailboxes: descriptors to send, buffers for frames received."""
MAILBOX_WORDS = 24
RESET = 0x80
"""Word of context 0 that resets the firmware when the host writes it: no mailbox, and no ring."""
HOST_RINGS = 0x100
"""Addresses of the driver's rings, in a context."""

NAT_DROPS = (
    "not_ip",
    "malformed",
    "bad_checksum",
    "fragment",
    "protocol",
    "no_port",
    "not_ours",
    "no_connection",
    "icmp",
)
"""Drop reasons of `nat`, in the order of its counts in `TALLY`: those sent, then those received."""

QUEUE_ENTRIES = 64
"""Entries of each queue of descriptors."""


@dataclass(frozen=True)
class QueueRegister:
    """A register of a block."""

    name: str
    offset: int
    meaning: str
    words: int = 1


@dataclass(frozen=True)
class Block:
    """A device on the local bus."""

    name: str
    module: str
    """Its module of the library, whose page describes the registers in full."""
    registers: tuple[QueueRegister, ...]


_DMA = (
    QueueRegister("HOST_HIGH", 0x00, "upper half of the host address"),
    QueueRegister("HOST_LOW", 0x04, "lower half of the host address"),
    QueueRegister("LOCAL", 0x08, "address on the card"),
    QueueRegister("LENGTH", 0x0C, "bytes; puts the descriptor into the queue"),
    QueueRegister("FREE", 0x10, "room, in descriptors"),
    QueueRegister("DONE", 0x14, "transfers done, modulo 2^32"),
    QueueRegister("CONTROL", 0x18, "bit 0: enabled"),
    QueueRegister("FAILED", 0x1C, "transfers done without effect, modulo 2^32"),
    QueueRegister("FAULT", 0x20, "number of the oldest of them that was not read here; 0 if there is none"),
)

_EVENT_UNIT = (
    QueueRegister("CONTEXTS", 0x00, "a bit for each context that has events", words=4),
    QueueRegister("CONTEXT", 0x10, "the context that `MAILBOXES` is about"),
    QueueRegister("MAILBOXES", 0x14, "a bit for each mailbox written; reading clears them"),
)

BLOCKS = (
    Block("DMA_READ", "queue_dma", _DMA),
    Block("DMA_WRITE", "queue_dma", _DMA),
    Block(
        "MAC_TRANSMIT",
        "queue_transmit",
        (
            QueueRegister("ADDRESS", 0x00, "upper half of a descriptor: address of a piece"),
            QueueRegister("DESCRIPTOR", 0x04, "lower half; puts the descriptor into the queue"),
            QueueRegister("FREE", 0x08, "room, in descriptors"),
            QueueRegister("DONE", 0x0C, "frames sent, modulo 2^32"),
            QueueRegister("CONTROL", 0x10, "bit 0: enabled"),
        ),
    ),
    Block(
        "MAC_RECEIVE",
        "queue_receive",
        (
            QueueRegister("ADDRESS", 0x00, "upper half of a descriptor: address of a buffer"),
            QueueRegister("DESCRIPTOR", 0x04, "lower half; puts the descriptor into the queue"),
            QueueRegister("FREE", 0x08, "room, in descriptors"),
            QueueRegister("COMPLETION", 0x0C, "takes the word on the oldest frame received; 0 without one"),
            QueueRegister("CONTROL", 0x10, "bit 0: enabled"),
            QueueRegister("DROPPED", 0x14, "frames dropped, modulo 2^32"),
            QueueRegister("SUM", 0x18, "one's complement sum of the frame whose word was taken last"),
        ),
    ),
    Block(
        "HOST_INTERRUPT",
        "interrupt",
        (
            QueueRegister("RAISE", 0x00, "write to interrupt the host"),
            QueueRegister("MASK", 0x04, "bit 0: interrupts wait"),
            QueueRegister("HOLD_OFF", 0x08, "microseconds between two interrupts, at least"),
        ),
    ),
    Block(
        "EVENTS",
        "event_unit",
        _EVENT_UNIT,
    ),
    Block(
        "UART",
        "uart",
        (
            QueueRegister("TRANSMIT", 0x00, "sends a byte"),
            QueueRegister("RECEIVE", 0x04, "takes the oldest byte received, with bit 31; 0 without one"),
            QueueRegister("FREE", 0x08, "room, in bytes"),
        ),
    ),
    Block(
        "TALLY",
        "tally",
        (QueueRegister("COUNTS", 0x00, "what firmware has counted; a write adds to a word", words=32),),
    ),
    Block(
        "INTERRUPTS",
        "interrupt_controller",
        (
            QueueRegister("ENABLED", 0x00, "of each line: a bit for each source that interrupts", words=4),
            QueueRegister("PENDING", 0x10, "of each line: a bit for each that asks", words=4),
            QueueRegister("DONE", 0x20, "of each line: write when served; the next may come", words=4),
            QueueRegister("SOURCES", 0x30, "a bit for each source that asks"),
        ),
    ),
    Block("RESET", "event_unit", _EVENT_UNIT),
)
"""The devices in the order of their addresses, from `REGISTERS` on."""


INTERRUPT_SOURCES = ("events", "uart", "mac_receive", "reset")
"""Interrupt sources of the processors, in the order of its bits. Lines 0 and 1 are the external and the
critical interrupt of the first processor, 2 and 3 those of the second."""
FUNCTION_TABLE = 0x0F00_0000
"""Table of the firmware's functions by address, in the DDR memory, loaded with the firmware: a word
with their number, then address, size and name of each."""
FUNCTION_NAME_BYTES = 24
"""Maximum length; longer names are truncated."""
PROFILE_COUNTS = 0x0F10_0000
"""Number of samples of each instruction, in the DDR memory."""
PROFILE_TOTALS = 0x0F18_0000
"""Number of samples of each function, in the DDR memory, computed for display."""


def block_address(name: str) -> int:
    """Return the first address of a block's registers."""
    return REGISTERS + BLOCK_BYTES * [block.name for block in BLOCKS].index(name)
