"""The registers of the Tigon-2: where they are, and what follows from what.

The names are those of the public drivers, written out. Cores see them from 0xc0000000 on, the host from the
beginning of its window on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import Any

from spinach_nic.units import KiB


class Register(IntEnum):
    """Offsets in bytes; those that exist once for each core are named for A, B's follow from `of_core_b`."""

    HOST_CONTROL = 0x40
    LOCAL_CONTROL = 0x44
    SEMAPHORE_A = 0x48
    SEMAPHORE_B = 0x4C
    CONFIGURATION = 0x50
    TIMER = 0x54
    TIMER_REFERENCE_A = 0x58
    PCI_STATE = 0x5C
    EVENTS_A = 0x60
    MAILBOX_EVENTS_A = 0x64
    WINDOW_BASE = 0x68
    WINDOW_DATA = 0x6C
    EVENTS_B = 0x70
    MAILBOX_EVENTS_B = 0x74
    TIMER_REFERENCE_B = 0x78
    DMA_WRITE_HOST_HIGH = 0x80
    DMA_WRITE_HOST_LOW = 0x84
    DMA_READ_HOST_HIGH = 0x90
    DMA_READ_HOST_LOW = 0x94
    DMA_READ_LENGTH = 0x9C
    DMA_WRITE_STATE = 0xA0
    DMA_WRITE_LOCAL = 0xA4
    DMA_WRITE_CHECKSUM = 0xA8
    DMA_WRITE_LENGTH = 0xAC
    DMA_READ_STATE = 0xB0
    DMA_READ_LOCAL = 0xB4
    DMA_READ_CHECKSUM = 0xB8
    RECEIVE_BUFFER_BASE = 0xC0
    RECEIVE_BUFFER_PRODUCER = 0xC4
    RECEIVE_BUFFER_CONSUMER = 0xC8
    SEND_BUFFER_BASE = 0xD0
    SEND_BUFFER_PRODUCER = 0xD4
    SEND_BUFFER_CONSUMER = 0xD8
    RECEIVE_RING_PRODUCER = 0xE0
    RECEIVE_RING_REFERENCE = 0xE4
    RECEIVE_RING_CONSUMER = 0xE8
    SEND_RING_PRODUCER = 0xF0
    SEND_RING_FETCHED = 0xF4
    SEND_RING_SENT = 0xF8
    SEND_RING_ROOM = 0xFC
    DMA_READ_PRODUCER = 0x100
    DMA_READ_REFERENCE = 0x104
    DMA_READ_CONSUMER = 0x108
    DMA_READ_ROOM = 0x10C
    DMA_READ_LOW_PRODUCER = 0x110
    DMA_READ_LOW_REFERENCE = 0x114
    DMA_READ_LOW_CONSUMER = 0x118
    DMA_ASSIST = 0x11C
    DMA_WRITE_PRODUCER = 0x120
    DMA_WRITE_REFERENCE = 0x124
    DMA_WRITE_CONSUMER = 0x128
    DMA_WRITE_ROOM = 0x12C
    DMA_WRITE_LOW_PRODUCER = 0x130
    DMA_WRITE_LOW_REFERENCE = 0x134
    DMA_WRITE_LOW_CONSUMER = 0x138
    CPU_STATE_A = 0x140
    CPU_PC_A = 0x144
    CPU_GENERAL_A = 0x180
    STACK_OVERFLOW_A = 0x150
    MAC_SEND_STATE = 0x200
    LINK_SENT_WORD = 0x204
    MAC_STATION = 0x208
    MAC_TAG_TYPE = 0x214
    MAC_RECEIVE_STATE = 0x220
    LINK_RECEIVED_WORD = 0x224
    MAC_HASH = 0x228

    @property
    def of_core_b(self) -> int:
        """The register of core B that corresponds to this one of core A."""
        return self + 0x100


REVISION = 0x6000_0000
"""In the upper bits of `HOST_CONTROL`: the Tigon-2."""
BYTES_STRAIGHT = 0x20
"""In `HOST_CONTROL`: words are swapped and bytes are not, so a little-endian host sees numbers."""
SWAPS = 0x30
INTERRUPT = 0x1
INTERRUPT_MASKED = 0x40
SINGLE_STEP = 0x2
"""In `CPU_STATE_A`, without `HALTED`: one instruction, then the core is halted."""
HALTED = 0x1_0000
STOPPED = 0x4_0000
RING_INDEX = 0x7E0
"""Of the DMA rings: 64 entries of 32 bytes."""
RECEIVE_RING_INDEX = 0xFF8
"""512 entries of 8 bytes."""
SEND_RING_INDEX = 0x7F8
"""256 entries of 8 bytes."""
RECEIVE_ENABLE = 0x2
OBEY_PAUSE = 0x1_0000
"""In `MAC_RECEIVE_STATE`."""
SYNC_ATTENTION = 0x0204_0000
"""In `MAC_RECEIVE_STATE`: synchronization was lost and found, and there is some."""
HARD_RESET = 0x08
"""In `HOST_CONTROL`."""
DMA_ERRORS = 0x7F00_0000
BUSY = 0x4

_ALL = 0xFFFF_FFFF
_SET, _CLEAR, _COPY, _RESET, _SET_ON_FALL = range(5)
_ANY, _DIFFERS, _REACHED = range(3)

# Which event a core sees at which bit, if hardware makes it.
_HARDWARE_EVENTS = (6, 14, 15, 19, 20, 22, 25, 26, 28)


def _hardware_events(events: int, mailbox_events: int, timer_reference: int) -> list[tuple[int, ...]]:
    """What the hardware bits of the event register of a core follow from."""
    r = Register
    return [
        (events, 1 << 6, _DIFFERS, r.RECEIVE_RING_PRODUCER, r.RECEIVE_RING_REFERENCE, RECEIVE_RING_INDEX),
        (events, 1 << 19, _ANY, r.DMA_WRITE_STATE, 0, DMA_ERRORS),
        (events, 1 << 20, _ANY, r.DMA_READ_STATE, 0, DMA_ERRORS),
        (events, 1 << 22, _ANY, mailbox_events, 0, _ALL),
        (events, 1 << 25, _ANY, r.MAC_RECEIVE_STATE, 0, 0xF700_0000),
        (events, 1 << 26, _ANY, r.MAC_SEND_STATE, 0, 0x3F00_0000),
        (events, 1 << 28, _REACHED, r.TIMER, timer_reference, 0),
    ]


def _completion_events(events: int) -> list[tuple[int, ...]]:
    """Firmware may move a consumer ahead of the reference: it hears when that has passed it."""
    r = Register
    writes = (r.DMA_WRITE_CONSUMER, r.DMA_WRITE_REFERENCE, r.DMA_WRITE_PRODUCER)
    reads = (r.DMA_READ_CONSUMER, r.DMA_READ_REFERENCE, r.DMA_READ_PRODUCER)
    return [(events, 1 << 14, *writes, RING_INDEX), (events, 1 << 15, *reads, RING_INDEX)]


def _pointers() -> list[tuple[int, ...]]:
    """Pointers that software may add to without end: their bases follow other registers.

    The rings of the MAC are where the hardware's own pointers are; the DMA rings lie behind that of received
    frames.
    """
    r = Register
    receive, send = 0xFFFF_F000, 0xFFFF_F800
    mac = [
        (offset, base, mask, 0, index)
        for base, mask, index, offsets in (
            (
                r.RECEIVE_RING_PRODUCER,
                receive,
                RECEIVE_RING_INDEX,
                (r.RECEIVE_RING_REFERENCE, r.RECEIVE_RING_CONSUMER),
            ),
            (r.SEND_RING_FETCHED, send, SEND_RING_INDEX, (r.SEND_RING_PRODUCER, r.SEND_RING_SENT)),
        )
        for offset in offsets
    ]
    rings = (
        (r.DMA_READ_PRODUCER, 0x1000),
        (r.DMA_WRITE_PRODUCER, 0x1800),
        (r.DMA_READ_LOW_PRODUCER, 0x2000),
        (r.DMA_WRITE_LOW_PRODUCER, 0x2800),
    )
    dma = [
        (offset, r.RECEIVE_RING_PRODUCER, receive, distance, RING_INDEX)
        for first, distance in rings
        for offset in range(first, first + 12, 4)
    ]
    return [*mac, *dma]


def register_tables(*, sees_66_mhz: bool, sees_32_bits: bool, starts_stopped: bool) -> dict[str, Any]:
    """The parameters that make a `RegisterFile` the Tigon-2's, but for who is notified.

    Args:
        sees_66_mhz: Whether the bus runs at 66 MHz.
        sees_32_bits: Whether the bus is 32 bits wide.
        starts_stopped: Whether cores say after reset that a halt instruction stopped them.
    """
    r = Register
    events = sum(1 << bit for bit in _HARDWARE_EVENTS)
    bus = (0x8_0000 if sees_66_mhz else 0) | (0x10_0000 if sees_32_bits else 0)
    cpu_state = HALTED | (STOPPED if starts_stopped else 0)
    windows = (r.CPU_GENERAL_A, r.CPU_GENERAL_A.of_core_b)
    read_only = [range(0, 0x40, 4), *(range(window, window + 0x80, 4) for window in windows)]
    registers = [(offset, 0, 0, 0) for offsets in read_only for offset in offsets]
    registers += [
        (r.HOST_CONTROL, REVISION, 0x70, 0),
        (r.LOCAL_CONTROL, 0, _ALL & ~0x88_0004, 0),
        (r.PCI_STATE, bus, _ALL & ~0x18_0000, 0),
        (r.EVENTS_A, 0, _ALL & ~events, 0),
        (r.EVENTS_B, 0, _ALL & ~events, 0),
        (r.MAILBOX_EVENTS_A, 0, 0, _ALL),
        (r.MAILBOX_EVENTS_B, 0, 0, _ALL),
        (r.SEND_RING_ROOM, 0, 0, 0),
        (r.DMA_READ_ROOM, 0, 0, 0),
        (r.DMA_WRITE_ROOM, 0, 0, 0),
        (r.DMA_ASSIST, 0, _ALL & ~0x9900, 0),
        (r.CPU_STATE_A, cpu_state, _ALL, 0),
        (r.CPU_STATE_A.of_core_b, cpu_state, _ALL, 0),
        (r.MAC_SEND_STATE, 0, 0xC0FF_FFFF, 0x3F00_0000),
        (r.MAC_RECEIVE_STATE, 0, 0x08F3_FFFF, 0xF700_0000),
    ]
    derived = [
        *_hardware_events(r.EVENTS_A, r.MAILBOX_EVENTS_A, r.TIMER_REFERENCE_A),
        *_hardware_events(r.EVENTS_B, r.MAILBOX_EVENTS_B, r.TIMER_REFERENCE_B),
        (r.DMA_ASSIST, 0x100, _ANY, r.DMA_WRITE_STATE, 0, BUSY),
        (r.DMA_ASSIST, 0x800, _DIFFERS, r.DMA_WRITE_PRODUCER, r.DMA_WRITE_REFERENCE, RING_INDEX),
        (r.DMA_ASSIST, 0x1000, _ANY, r.DMA_READ_STATE, 0, BUSY),
        (r.DMA_ASSIST, 0x8000, _DIFFERS, r.DMA_READ_PRODUCER, r.DMA_READ_REFERENCE, RING_INDEX),
    ]
    rooms = [
        (r.SEND_RING_ROOM, r.SEND_RING_PRODUCER, r.SEND_RING_SENT, 8, SEND_RING_INDEX),
        (r.DMA_READ_ROOM, r.DMA_READ_PRODUCER, r.DMA_READ_CONSUMER, 32, RING_INDEX),
        (r.DMA_WRITE_ROOM, r.DMA_WRITE_PRODUCER, r.DMA_WRITE_CONSUMER, 32, RING_INDEX),
    ]
    actions = [
        (r.HOST_CONTROL, 0x2, _CLEAR, r.HOST_CONTROL, INTERRUPT),
        (r.HOST_CONTROL, HARD_RESET, _RESET, 0, 0),
        (r.LOCAL_CONTROL, 0x4, _SET, r.HOST_CONTROL, INTERRUPT),
        (r.CPU_STATE_A, 0, _CLEAR, r.CPU_STATE_A, STOPPED),
        (r.CPU_STATE_A.of_core_b, 0, _CLEAR, r.CPU_STATE_A.of_core_b, STOPPED),
        (r.LINK_SENT_WORD, 0, _COPY, r.LINK_RECEIVED_WORD, _ALL),
        (r.MAC_RECEIVE_STATE, RECEIVE_ENABLE, _SET_ON_FALL, r.MAC_RECEIVE_STATE, SYNC_ATTENTION),
    ]
    guards = [(r.CPU_PC_A, r.CPU_STATE_A, HALTED), (r.CPU_PC_A.of_core_b, r.CPU_STATE_A.of_core_b, HALTED)]
    return {
        "size": KiB(1),
        "registers": flat(registers),
        "derived": flat(derived),
        "behind": flat([*_completion_events(r.EVENTS_A), *_completion_events(r.EVENTS_B)]),
        "pointers": flat(_pointers()),
        "rooms": flat(rooms),
        "actions": flat(actions),
        "semaphores": [r.SEMAPHORE_A, r.SEMAPHORE_B],
        "timers": [r.TIMER, r.CONFIGURATION, 0x7F],
        "guards": flat(guards),
    }


def flat(rows: Iterable[Iterable[int]]) -> list[int]:
    """The numbers of a table, row after row."""
    return [int(number) for row in rows for number in row]


class Listeners:
    """Who hears of which registers: collects rows for the parameter `notify` of a `RegisterFile`."""

    def __init__(self) -> None:
        """Nobody hears of anything."""
        self.rows: list[tuple[int, int, int, int]] = []
        self.lanes = 0

    def add(self, *registers: int, hears_all: bool = False, followed: Sequence[int] = ()) -> int:
        """Someone who hears of `registers`; returns the lane of `written` that is his.

        Args:
            registers: What he hears of when it is written.
            hears_all: Whether he hears of changes that others make to these, too.
            followed: Further registers, of whose changes he hears whoever makes them.
        """
        lane = self.lanes
        self.rows += [(register, register, lane, int(hears_all)) for register in registers]
        self.rows += [(register, register, lane, 1) for register in followed]
        self.lanes += 1
        return lane
