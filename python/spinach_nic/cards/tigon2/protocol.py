"""Interface of hosts and cards of the Tigon-2: registers, shared words, and the layout of host memory."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, IntFlag

# Configuration space (PCI 2.2).
COMMAND_REGISTER = 0x04
BASE_ADDRESS_REGISTER = 0x10
LATENCY_REGISTER = 0x0C
COMMAND_MEMORY_SPACE = 0x2
COMMAND_BUS_MASTER = 0x4

WINDOW = 0x800
"""The part of the memory that `WINDOW_BASE` names, as an offset in the base address region."""
WINDOW_BYTES = 0x800

CLEARED = range(0x2000, 0x8_0000)
"""The memory of the card that drivers fill with zeros before they load firmware."""

CHIP_TIGON_2 = 6
SRAM_BANK_512K = 0x200
PCI_STATE_SETTINGS = 0x7602_0000

EEPROM_DEVICE = 0xA0
EEPROM_MAC_ADDRESS = 0x8E

MAILBOXES = ("interrupt", "command", "send", "standard", "jumbo", "mini")
"""Purpose of the mailboxes, from the first on. 0 in the first enables interrupts, else they are masked."""
COMMUNICATION = (
    "address_high",
    "address_low",
    "information_high",
    "information_low",
    "multicast_high",
    "multicast_low",
    "mode",
    "read_configuration",
    "write_configuration",
    "transmit_buffer_ratio",
    "event_consumer",
    "command_consumer",
    "receive_ticks",
    "send_ticks",
    "statistics_ticks",
    "send_coalescing",
    "receive_coalescing",
    "trace_mask",
    "gigabit_link",
    "fast_link",
    "trace_pointer",
    "trace_start",
    "trace_bytes",
    "interface_index",
    "largest_unit",
    "mask_interrupts",
    "gigabit_link_state",
    "fast_link_state",
)
"""Words of host and firmware that either may read at any time, in their order in shared memory."""


def _mailbox(name: str) -> int:
    """Return the offset of a mailbox in the base address region: the lower word of two."""
    return 0x504 + 8 * MAILBOXES.index(name)


def _word(name: str) -> int:
    """Return the offset of a word of the communication in the base address region."""
    return 0x600 + 4 * COMMUNICATION.index(name)


MAILBOX_INTERRUPT = _mailbox("interrupt")
MAILBOX_COMMAND = _mailbox("command")
MAILBOX_SEND = _mailbox("send")
MAILBOX_STANDARD = _mailbox("standard")
MAILBOX_JUMBO = _mailbox("jumbo")
MAILBOX_MINI = _mailbox("mini")
MAC_ADDRESS = _word("address_high")
INFORMATION_POINTER = _word("information_high")
MULTICAST_ADDRESS = _word("multicast_high")
MODE = _word("mode")
DMA_READ_CONFIGURATION = _word("read_configuration")
DMA_WRITE_CONFIGURATION = _word("write_configuration")
TRANSMIT_BUFFER_RATIO = _word("transmit_buffer_ratio")
"""Transmit share of the packet buffers, in 64ths."""
EVENT_CONSUMER = _word("event_consumer")
COMMAND_CONSUMER = _word("command_consumer")
RECEIVE_TICKS = _word("receive_ticks")
SEND_TICKS = _word("send_ticks")
STATISTICS_TICKS = _word("statistics_ticks")
SEND_COALESCING = _word("send_coalescing")
RECEIVE_COALESCING = _word("receive_coalescing")
GIGABIT_LINK = _word("gigabit_link")
INTERFACE_INDEX = _word("interface_index")
LARGEST_UNIT = _word("largest_unit")
MASK_INTERRUPTS = _word("mask_interrupts")
COMMAND_RING = 0x700
COMMAND_ENTRIES = 64

DMA_THRESHOLD = 0x80


class Mode(IntFlag):
    """Bits of the mode, with which the host selects options."""

    NATIVE_WORDS = 0x2
    """The host keeps descriptors as the firmware does: their bytes are not swapped."""
    SWAPPED_WORDS = 0x4
    WARN = 0x8
    SWAPPED_BYTES = 0x10
    HARDWARE_ASSIST = 0x40
    """The DMA rings are left to the hardware, rather than to the software of one of the cores."""
    NO_JUMBO_FRAGMENTS = 0x200
    KEEP_CHECK_SEQUENCE = 0x400
    KEEP_BAD_FRAMES = 0x800
    NO_EVENT_INTERRUPTS = 0x1000
    NO_SEND_INTERRUPTS = 0x2000
    NO_RECEIVE_INTERRUPTS = 0x4000
    FATAL = 0x4000_0000


MODE_LITTLE_ENDIAN_HOST = (
    Mode.SWAPPED_WORDS | Mode.WARN | Mode.SWAPPED_BYTES | Mode.NO_JUMBO_FRAGMENTS | Mode.FATAL
)
"""Report fatal errors and warnings, no fragments of jumbo frames; a host of the other byte order."""


class Link(IntFlag):
    """Bits of the configuration and of the state of the link."""

    SPEED_1000 = 0x0004_0000
    FULL_DUPLEX = 0x0008_0000
    OBEY_PAUSE = 0x0080_0000
    ENABLE = 0x4000_0000
    UP = 0x8000_0000


class RingFlag(IntFlag):
    """Flags of a ring control block."""

    CHECKSUM = 0x001
    IP_CHECKSUM = 0x002
    NO_PSEUDO_HEADER = 0x008
    VLAN = 0x010
    IN_HOST = 0x040
    EXTENDED = 0x100
    DISABLED = 0x200


class Flag(IntFlag):
    """Flags of a buffer descriptor."""

    CHECKSUM = 0x0001
    IP_CHECKSUM = 0x0002
    END = 0x0004
    JUMBO = 0x0010
    UNICAST = 0x0020
    MULTICAST = 0x0040
    BROADCAST = 0x0060
    VLAN = 0x0200
    ERROR = 0x0400
    COALESCE_NOW = 0x0800
    MINI = 0x1000


class ReceiveError(IntEnum):
    """Error of a received frame whose descriptor has `Flag.ERROR`; all else is damage."""

    RUNT = 0x0040
    GIANT = 0x0100


class Event(IntEnum):
    """Event from the card to the host: the upper byte of the word in the ring."""

    FIRMWARE_RUNS = 1
    STATISTICS = 4
    LINK = 6
    ERROR = 7
    MULTICAST = 8
    JUMBO_RESET = 9


EVENT_WORDS = {
    "FIRMWARE_RUNS": (Event.FIRMWARE_RUNS, 0),
    "STATISTICS": (Event.STATISTICS, 0),
    "LINK_GIGABIT": (Event.LINK, 1),
    "LINK_DOWN": (Event.LINK, 2),
    "ERROR_INVALID": (Event.ERROR, 1),
    "ERROR_UNIMPLEMENTED": (Event.ERROR, 2),
    "ERROR_CONFIGURATION": (Event.ERROR, 3),
    "MULTICAST_ADDED": (Event.MULTICAST, 1),
    "MULTICAST_DELETED": (Event.MULTICAST, 2),
    "JUMBO_RESET": (Event.JUMBO_RESET, 0),
}
"""Codes of the firmware, below the event."""


class Command(IntEnum):
    """Command from the host to the card."""

    HOST_STATE = 0x01
    FILTER = 0x02
    STANDARD_PRODUCER = 0x03
    UPDATE_GENERAL = 0x04
    RESET_JUMBO = 0x05
    PARTIAL_RECEIVE = 0x06
    ADD_MULTICAST = 0x08
    DELETE_MULTICAST = 0x09
    PROMISCUOUS = 0x0A
    NEGOTIATE = 0x0B
    SET_ADDRESS = 0x0C
    CLEAR_PROFILE = 0x0D
    ALL_MULTICAST = 0x0E
    CLEAR_STATISTICS = 0x0F
    JUMBO_PRODUCER = 0x10
    REFRESH_STATISTICS = 0x11
    ADD_MULTICAST_EXTENDED = 0x12
    DELETE_MULTICAST_EXTENDED = 0x13


class Statistic(IntEnum):
    """Words of the statistics block.

    RFC 1643, 1213 and 1573 define the first 56; the others count commands and events. From
    `IN_OCTETS` to `OUT_BROADCAST` they have 64 bits, the upper half first.
    """

    FCS_ERRORS = 1
    FRAMES_TOO_LONG = 10
    INTERFACE_INDEX = 12
    INTERFACE_TYPE = 13
    LARGEST_UNIT = 14
    SPEED = 15
    ADMINISTRATIVE_STATE = 16
    OPERATIONAL_STATE = 17
    IN_DISCARDED = 19
    IN_ERRORS = 20
    PHYSICAL_ADDRESS = 25
    IN_OCTETS = 36
    IN_UNICAST = 38
    IN_MULTICAST = 40
    IN_BROADCAST = 42
    OUT_OCTETS = 44
    OUT_UNICAST = 46
    OUT_MULTICAST = 48
    OUT_BROADCAST = 50
    HIGH_SPEED = 53
    PROMISCUOUS = 54
    HAS_CONNECTOR = 55
    COMMANDS_HOST_STATE = 56
    COMMANDS_FILTER = 57
    COMMANDS_STANDARD_PRODUCER = 58
    COMMANDS_UPDATE_GENERAL = 59
    COMMANDS_RESET_JUMBO = 60
    COMMANDS_ADD_MULTICAST = 61
    COMMANDS_DELETE_MULTICAST = 62
    COMMANDS_PROMISCUOUS = 63
    COMMANDS_NEGOTIATE = 64
    COMMANDS_SET_ADDRESS = 65
    COMMANDS_CLEAR_PROFILE = 66
    COMMANDS_ALL_MULTICAST = 67
    COMMANDS_CLEAR_STATISTICS = 68
    COMMANDS_JUMBO_PRODUCER = 69
    COMMANDS_REFRESH_STATISTICS = 71
    COMMANDS_UNKNOWN = 72
    EVENTS_FIRMWARE_RUNS = 73
    EVENTS_STATISTICS = 74
    EVENTS_LINK = 75
    EVENTS_ERROR = 76
    EVENTS_MULTICAST = 77
    EVENTS_JUMBO_RESET = 78
    SEND_PRODUCER_UPDATES = 79
    SEND_CONSUMER_UPDATES = 80
    RETURN_PRODUCER_UPDATES = 81
    INTERRUPTS = 82
    INTERRUPTS_AVOIDED = 83
    SEND_THRESHOLDS = 85
    RECEIVE_THRESHOLDS = 86

    @property
    def is_wide(self) -> bool:
        """Return true if it has 64 bits."""
        return Statistic.IN_OCTETS <= self <= Statistic.OUT_BROADCAST


ON, OFF = 1, 2
"""Codes of commands that switch something."""

EVENT_ENTRIES = 256
STANDARD_ENTRIES = 512
JUMBO_ENTRIES = 256
MINI_ENTRIES = 1024
RETURN_ENTRIES = 2048
EVENT_BYTES = 8

CARD_SEND_RING_END = 0x4000
"""End of a send ring in the memory of the card. Its control block names the address on the card."""

STATISTICS_WORDS = 256
RING_CONTROLS = ("event", "command", "send", "standard", "jumbo", "mini", "returned")
"""The rings that the information of a driver describes, in their order behind the statistics."""
RING_CONTROL = ("host_high", "host_low", "length_flags", "reserved")
"""The words that describe a ring."""
INDEX_POINTERS = ("event_producer", "return_producer", "send_consumer", "refresh_statistics")
"""Words in host memory that the card updates: two words each, behind `RING_CONTROLS`."""
SEND_DESCRIPTOR = ("host_high", "host_low", "length_flags", "vlan")
RECEIVE_DESCRIPTOR = (
    "host_high",
    "host_low",
    "index_length",
    "type_flags",
    "checksums",
    "error_vlan",
    "reserved",
    "opaque",
)
"""`checksums` has that of IP in its upper half, and that of TCP or UDP in its lower."""
SEND_DESCRIPTOR_BYTES = 4 * len(SEND_DESCRIPTOR)
RECEIVE_DESCRIPTOR_BYTES = 4 * len(RECEIVE_DESCRIPTOR)

STATISTICS_OFFSET = 0
RING_CONTROL_OFFSETS = {
    name: 4 * (STATISTICS_WORDS + len(RING_CONTROL) * number) for number, name in enumerate(RING_CONTROLS)
}


def _pointer(name: str) -> int:
    """Return the offset of a pointer in the information of a driver."""
    rings = STATISTICS_WORDS + len(RING_CONTROL) * len(RING_CONTROLS)
    return 4 * (rings + 2 * INDEX_POINTERS.index(name))


EVENT_PRODUCER_OFFSET = _pointer("event_producer")
RETURN_PRODUCER_OFFSET = _pointer("return_producer")
SEND_CONSUMER_OFFSET = _pointer("send_consumer")
REFRESH_OFFSET = _pointer("refresh_statistics")
INFORMATION_BYTES = _pointer(INDEX_POINTERS[-1]) + 8


def command_word(command: Command, code: int) -> int:
    """Return a command as a word of the ring."""
    return command << 24 | code << 12


@dataclass(frozen=True)
class EventWord:
    """Event as a word of the ring."""

    event: int
    code: int
    index: int

    @classmethod
    def from_word(cls, word: int) -> EventWord:
        """Decode an event."""
        return cls(word >> 24, word >> 12 & 0xFFF, word & 0xFFF)
