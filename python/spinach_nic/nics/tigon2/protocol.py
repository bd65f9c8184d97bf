"""What hosts and cards of the Tigon-2 agree on: registers, shared words, and the layout of host memory."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, IntFlag

# Configuration space (PCI 2.2).
COMMAND_REGISTER = 0x04
BASE_ADDRESS_REGISTER = 0x10
LATENCY_REGISTER = 0x0C
COMMAND_MEMORY_SPACE = 0x2
COMMAND_BUS_MASTER = 0x4
BASE_ADDRESS_BYTES = 0x4000

WINDOW = 0x800
"""The part of the memory that `WINDOW_BASE` names, as an offset in the base address region."""
WINDOW_BYTES = 0x800

CLEARED = range(0x2000, 0x8_0000)
"""The memory of the card that drivers fill with zeros before they load firmware."""

CHIP_TIGON_2 = 6
SRAM_BANK_512K = 0x200
PCI_STATE_SETTINGS = 0x7602_0000

EEPROM_DEVICE = 0xA0
EEPROM_STATION_ADDRESS = 0x8E

# Shared memory, by offset in the base address region.
MAILBOX_INTERRUPT = 0x504
MAILBOX_COMMAND = 0x50C
MAILBOX_SEND = 0x514
MAILBOX_STANDARD = 0x51C
MAILBOX_JUMBO = 0x524
MAILBOX_MINI = 0x52C
STATION_ADDRESS = 0x600
INFORMATION_POINTER = 0x608
MULTICAST_ADDRESS = 0x610
MODE = 0x618
DMA_READ_CONFIGURATION = 0x61C
DMA_WRITE_CONFIGURATION = 0x620
TRANSMIT_BUFFER_RATIO = 0x624
EVENT_CONSUMER = 0x628
COMMAND_CONSUMER = 0x62C
RECEIVE_TICKS = 0x630
SEND_TICKS = 0x634
STATISTICS_TICKS = 0x638
SEND_COALESCING = 0x63C
RECEIVE_COALESCING = 0x640
GIGABIT_LINK = 0x648
INTERFACE_INDEX = 0x65C
LARGEST_UNIT = 0x660
MASK_INTERRUPTS = 0x664
COMMAND_RING = 0x700
COMMAND_ENTRIES = 64

MODE_LITTLE_ENDIAN_HOST = 0x4000_021C
"""Report what is fatal or odd, no fragments of jumbo frames; a host that keeps words the other way round."""
MODE_KEEP_BAD_FRAMES = 0x0000_0800
MODE_HARDWARE_ASSIST = 0x0000_0040
"""The DMA rings are left to the hardware, rather than to the software of one of the cores."""
DMA_THRESHOLD = 0x80


LINK_1000 = 0x0004_0000
LINK_FULL_DUPLEX = 0x0008_0000
LINK_OBEY_PAUSE = 0x0080_0000
LINK_ENABLE = 0x4000_0000


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
    VLAN = 0x0200
    ERROR = 0x0400
    COALESCE_NOW = 0x0800
    MINI = 0x1000


class ReceiveError(IntEnum):
    """What is wrong with a received frame whose descriptor has `Flag.ERROR`; all else is damage."""

    RUNT = 0x0040
    GIANT = 0x0100


class Event(IntEnum):
    """What the card tells the host."""

    FIRMWARE_RUNS = 1
    STATISTICS = 4
    LINK = 6
    ERROR = 7
    MULTICAST = 8
    JUMBO_RESET = 9


class Command(IntEnum):
    """What the host tells the card."""

    HOST_STATE = 0x01
    UPDATE_GENERAL = 0x04
    RESET_JUMBO = 0x05
    ADD_MULTICAST = 0x08
    DELETE_MULTICAST = 0x09
    PROMISCUOUS = 0x0A
    NEGOTIATE = 0x0B
    SET_ADDRESS = 0x0C
    ALL_MULTICAST = 0x0E
    CLEAR_STATISTICS = 0x0F
    REFRESH_STATISTICS = 0x11
    ADD_MULTICAST_EXTENDED = 0x12
    DELETE_MULTICAST_EXTENDED = 0x13


class Statistic(IntEnum):
    """Words of the statistics block.

    RFC 1643, 1213 and 1573 define the first 56; the others count what host and card say to each other. From
    `IN_OCTETS` to `OUT_BROADCAST` they have 64 bits, the upper half first.
    """

    FCS_ERRORS = 1
    FRAMES_TOO_LONG = 10
    LARGEST_UNIT = 14
    SPEED = 15
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
    COMMANDS_HOST_STATE = 56
    COMMANDS_RESET_JUMBO = 60
    COMMANDS_ADD_MULTICAST = 61
    COMMANDS_DELETE_MULTICAST = 62
    COMMANDS_PROMISCUOUS = 63
    COMMANDS_CLEAR_STATISTICS = 68
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
        """Whether it has 64 bits."""
        return Statistic.IN_OCTETS <= self <= Statistic.OUT_BROADCAST


ON, OFF = 1, 2
"""Codes of commands that switch something."""

EVENT_ENTRIES = 256
STANDARD_ENTRIES = 512
JUMBO_ENTRIES = 256
MINI_ENTRIES = 1024
RETURN_ENTRIES = 2048
SEND_DESCRIPTOR_BYTES = 16
RECEIVE_DESCRIPTOR_BYTES = 32
EVENT_BYTES = 8

CARD_SEND_RING_END = 0x4000
"""Where a send ring in the memory of the card ends. Its control block names the address on the card."""

INFORMATION_BYTES = 0x490
STATISTICS_OFFSET = 0x000
RING_CONTROL_OFFSETS = {
    "event": 0x400,
    "command": 0x410,
    "send": 0x420,
    "standard": 0x430,
    "jumbo": 0x440,
    "mini": 0x450,
    "returned": 0x460,
}
EVENT_PRODUCER_OFFSET = 0x470
RETURN_PRODUCER_OFFSET = 0x478
SEND_CONSUMER_OFFSET = 0x480
REFRESH_OFFSET = 0x488


def command_word(command: Command, code: int = 0, index: int = 0) -> int:
    """A command as it stands in the ring."""
    return command << 24 | code << 12 | index


@dataclass(frozen=True)
class EventWord:
    """An event as it stands in the ring."""

    event: int
    code: int
    index: int

    @classmethod
    def from_word(cls, word: int) -> EventWord:
        """Take it apart."""
        return cls(word >> 24, word >> 12 & 0xFFF, word & 0xFFF)
