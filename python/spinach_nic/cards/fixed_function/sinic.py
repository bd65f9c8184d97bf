"""A driver model of SINIC: it polls, and interrupts wake it when there is nothing to do."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from spinach_nic.cards.base.drivers import ProgramDriver
from spinach_nic.cards.drivers import (
    Host,
    Operation,
    Program,
    enable_pci_function,
    read,
    send,
    wait,
    write,
)

REGION = 0xE000_0000
"""Base address that the host gives the card."""
CONFIG, INTERRUPT_STATUS = 0x00, 0x08
RX_DATA, RX_DONE, RX_WAIT, TX_DATA, TX_WAIT = 0x40, 0x48, 0x50, 0x58, 0x68
"""Registers of 8 bytes, of virtual card 0."""
RX_ENABLE, TX_ENABLE, INTERRUPT_ENABLE = 1, 2, 4
LENGTH = (1 << 20) - 1
LENGTH_SHIFT = 8
"""Place of the length in the upper half of `RX_DATA` and `TX_DATA`."""
PACKETS = 0xFFFF
BATCH = 16
"""Most frames that are sent, and received, before the driver looks at the other direction."""
BUFFER_BYTES = 2048
LONGEST = 1514

Steps = Generator[Operation | Sequence[Operation], Any, Any]


def read_wide(register: int) -> list[Operation]:
    """Read a register of 8 bytes, the lower half first."""
    return [read(REGION + register), read(REGION + register + 4)]


def post(register: int, address: int, length: int) -> list[Operation]:
    """Write address and length of a piece of a packet or of a buffer."""
    upper = address >> 32 | length << LENGTH_SHIFT
    return [write(REGION + register, address & 0xFFFF_FFFF), write(REGION + register + 4, upper)]


def send_batch(buffers: Sequence[int]) -> Steps:
    """Send the frames that are due, as many as there are buffers; return how many.

    The load of `TX_WAIT` is answered when the card has copied the packet into its queue.
    """
    lengths = yield [send(buffer, buffer, 0) for buffer in buffers]
    due = [(buffer, length) for buffer, length in zip(buffers, lengths, strict=True) if length]
    for buffer, length in due:
        yield [*post(TX_DATA, buffer, length), *read_wide(TX_WAIT)]
    return len(due)


class SinicDriver(ProgramDriver):
    """Driver that sends and receives through one virtual card."""

    def program(self, host: Host) -> Program:
        """Start the card, then send and receive forever."""
        outward, inward = ([host.allocate(BUFFER_BYTES) for _ in range(BATCH)] for _ in range(2))
        host.allow_writes((buffer, BUFFER_BYTES) for buffer in inward)
        yield [*enable_pci_function(REGION), write(REGION + CONFIG, RX_ENABLE | TX_ENABLE | INTERRUPT_ENABLE)]
        while True:
            sent = yield from send_batch(outward)
            received = yield from self._receive_batch(inward)
            if not sent and not received:
                yield wait(for_interrupt=True, for_frame=True)
                yield read(REGION + INTERRUPT_STATUS)

    def _receive_batch(self, buffers: Sequence[int]) -> Steps:
        """Receive the packets in the card's queue, as many as there are buffers; return how many."""
        _, packets = yield read_wide(RX_DONE)
        count = min(packets & PACKETS, len(buffers))
        taken = []
        for buffer in buffers[:count]:
            *_, done, _ = yield [*post(RX_DATA, buffer, LONGEST), *read_wide(RX_WAIT)]
            taken.append(self.take_or_drop(buffer, done & LENGTH))
        if taken:
            yield taken
        return count
