"""A host whose guests share RiceNIC, for the image `cdna` (ExpCS 2007, section 3.1).

Each guest has a context of the card: it writes its mailboxes itself, and frames go between its memory and the
card. The hypervisor does what protects: it writes the descriptors of a guest, once it has seen that they name
memory of that guest, and numbers them; it takes the card's bit vectors and interrupts guests.
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

from spinach_nic.cards.drivers import DriverError, Host, Operation, Program, read, send, take, wait, write
from spinach_nic.cards.drivers.operations import INTERRUPT
from spinach_nic.cards.ricenic.registers import (
    CDNA_COMMAND_ENTRIES,
    CDNA_COMMANDS,
    CDNA_FAULTS,
    CDNA_HYPERVISOR,
    CDNA_LISTEN,
    CDNA_SETUP_BYTES,
    CDNA_SETUP_WORDS,
    CDNA_SETUPS,
    CDNA_START,
    CONTEXT_BYTES,
    HYPERVISOR_MAILBOXES,
    MAILBOXES,
    SRAM,
)
from spinach_nic.support.units import Time, fs, ns, us

PAGE = 4096
BUFFER = 2048
DESCRIPTOR_BYTES = 16
END_OF_FRAME = 0x4
READY = 0x53504E31
VECTOR_ENTRIES = 64
VECTOR_BYTES = 32
FRAMES_AT_ONCE = 32
BACKLOG = 64
"""Frames of a guest that wait for room in its ring; this number keeps the others supplied while one is
slow."""
SHORTEST_FRAME = ns(672)
"""Time of the shortest frame on the link. It limits the frames that can wait for the turn of a guest."""

Steps = Generator[Operation | Sequence[Operation], Any, None]


def mac_address(guest: int) -> bytes:
    """Return the Ethernet address of a guest, which are numbered from 1."""
    return bytes([2, 0, 0, 0, 1, guest])


def card_word(address: int, word: int) -> Operation:
    """Write a word of the card's memory as its processors see it: the other end first."""
    return write(address, int.from_bytes(struct.pack(">I", word), "little"))


@dataclass(frozen=True)
class GuestSettings:
    """Settings of guests."""

    guests: int
    entries: int
    """Entries of each ring of a guest."""
    period: Time
    """Period in which each guest runs once, for an equal time; 0 if all run all the time."""
    latency: Time
    """Latency from an interrupt until the hypervisor acts."""


class RefusedError(Exception):
    """The hypervisor refuses the request of a guest."""


@dataclass
class Ring:
    """Descriptors that the hypervisor writes and the card reads."""

    address: int
    entries: int
    produced: int = 0
    consumed: int = 0

    def put(self, host: Host, address: int, length: int, flags: int, opaque: int) -> None:
        """Write the next descriptor, with its number."""
        sequence = (self.produced + 1) & 0xFFFF
        place = self.address + self.produced % self.entries * DESCRIPTOR_BYTES
        high = sequence << 16 | address >> 32
        host.store(place, struct.pack(">4I", high, address & 0xFFFFFFFF, flags << 16 | length, opaque))
        self.produced = (self.produced + 1) & 0xFFFFFFFF

    @property
    def room(self) -> int:
        """Wait for room for more entries."""
        return self.entries - (self.produced - self.consumed & 0xFFFFFFFF)


@dataclass
class Guest:
    """A guest as the hypervisor knows it, and its driver."""

    number: int
    base: int
    """First address of its memory."""
    size: int
    send_ring: Ring
    receive_ring: Ring
    returned: int
    status: int
    sent: int = 0
    received: int = 0
    faults: list[str] = field(default_factory=list)
    backlog: deque[bytes] = field(default_factory=deque)
    has_news: bool = True
    taken: int = 0
    """Descriptors of the return ring."""

    def owns(self, address: int, length: int) -> bool:
        """Return true if all of a range belongs to the guest."""
        return length > 0 and self.base <= address and address + length <= self.base + self.size

    def mailbox(self, name: str) -> int:
        """Return the address of a mailbox."""
        return SRAM + self.number * CONTEXT_BYTES + 4 * MAILBOXES.index(name)


class Hypervisor:
    """Starts the guests, and then works whenever the card interrupts or a guest may run."""

    def __init__(self, settings: GuestSettings) -> None:
        """Create the hypervisor of such guests."""
        self.settings = settings
        self.guests: list[Guest] = []
        self.refused = 0
        self.host: Host
        self._vectors = self._vectors_taken = self._commands = 0
        self._stage = 0

    # Requests of guests to the hypervisor.

    def enqueue(self, guest: Guest, way: str, address: int, length: int, flags: int, opaque: int) -> None:
        """Write a descriptor for a guest.

        Raises:
            RefusedError: It names memory that is not the guest's, or its ring is full.
        """
        ring = guest.send_ring if way == "send" else guest.receive_ring
        if not guest.owns(address, length) or length > 0xFFFF or not ring.room:
            self.refused += 1
            raise RefusedError
        ring.put(self.host, address, length, flags, opaque & 0xFFFFFFFF)

    # The program.

    def program(self, host: Host) -> Program:
        """Run all guests."""
        self.host = host
        self._stage = host.allocate(FRAMES_AT_ONCE * BUFFER, PAGE)
        self._vectors = host.allocate(VECTOR_ENTRIES * VECTOR_BYTES + 4, PAGE)
        host.allow_writes([(self._vectors, VECTOR_ENTRIES * VECTOR_BYTES + 4)])
        self.guests = [self.make_guest(number + 1) for number in range(self.settings.guests)]
        yield from self._begin()
        while True:
            yield from self._run_guests()
            reasons = yield wait(until=self._next_look(), for_interrupt=True, for_frame=self._wants_frames())
            if reasons & INTERRUPT:
                if self.settings.latency:
                    yield wait(until=host.now + self.settings.latency)
                yield from self._take_vectors()

    def make_guest(self, number: int) -> Guest:
        """Allocate memory: rings that the guest cannot write, and the guest's own memory."""
        entries = self.settings.entries
        rings = self.host.allocate(2 * entries * DESCRIPTOR_BYTES, PAGE)
        send_ring, receive_ring = Ring(rings, entries), Ring(rings + entries * DESCRIPTOR_BYTES, entries)
        own = -(-(entries * DESCRIPTOR_BYTES + 64) // PAGE) * PAGE
        size = own + 2 * entries * BUFFER
        base = self.host.allocate(size, PAGE)
        self.host.allow_writes([(base, size)])
        returned, status = base, base + entries * DESCRIPTOR_BYTES
        return Guest(number, base, size, send_ring, receive_ring, returned, status)

    def setup(self, guest: Guest) -> list[Operation]:
        """Describe a context to the card."""
        address = guest.returned, guest.status
        values = {
            "send_high": guest.send_ring.address >> 32,
            "send_low": guest.send_ring.address & 0xFFFFFFFF,
            "send_entries": guest.send_ring.entries,
            "receive_high": guest.receive_ring.address >> 32,
            "receive_low": guest.receive_ring.address & 0xFFFFFFFF,
            "receive_entries": guest.receive_ring.entries,
            "returned_high": address[0] >> 32,
            "returned_low": address[0] & 0xFFFFFFFF,
            "status_high": address[1] >> 32,
            "status_low": address[1] & 0xFFFFFFFF,
            "mac_address_high": int.from_bytes(mac_address(guest.number)[:2], "big"),
            "mac_address_low": int.from_bytes(mac_address(guest.number)[2:], "big"),
        }
        place = SRAM + CDNA_SETUPS + guest.number * CDNA_SETUP_BYTES
        names = list(CDNA_SETUP_WORDS)
        return [card_word(place + 4 * names.index(name), value) for name, value in values.items()]

    def command(self, what: int, context: int = 0) -> list[Operation]:
        """Command the card to start or stop a context, or to listen."""
        entry = SRAM + CDNA_COMMANDS + 4 * (self._commands % CDNA_COMMAND_ENTRIES)
        self._commands += 1
        mailbox = SRAM + 4 * HYPERVISOR_MAILBOXES.index("commands")
        return [card_word(entry, what | context), card_word(mailbox, self._commands)]

    def _begin(self) -> Steps:
        own = SRAM + CDNA_HYPERVISOR
        words = (self._vectors >> 32, self._vectors & 0xFFFFFFFF, VECTOR_ENTRIES, READY)
        yield [card_word(own + 4 * place, word) for place, word in enumerate(words)]
        for guest in self.guests:
            yield self.setup(guest)
            yield self.command(CDNA_START, guest.number)
            while (yield from self._state_of(guest))[0] == 0:
                yield wait(until=self.host.now + us(5))
        for guest in self.guests:
            yield from self.post(guest)
        yield self.command(CDNA_LISTEN)

    def _state_of(self, guest: Guest) -> Generator[Any, Any, tuple[int, int]]:
        place = SRAM + CDNA_SETUPS + guest.number * CDNA_SETUP_BYTES
        at = list(CDNA_SETUP_WORDS).index("state")
        found = yield [read(place + 4 * at), read(place + 4 * at + 4)]
        state, fault = (int.from_bytes(struct.pack("<I", word), "big") for word in found)
        return state, fault

    # Guests run one after the other.

    def running(self) -> list[Guest]:
        """Guests that run now."""
        period, guests = self.settings.period.femtoseconds, len(self.guests)
        if not period or guests == 1:
            return self.guests
        return [self.guests[self.host.now.femtoseconds % period * guests // period]]

    def _next_look(self) -> Time | None:
        period, guests = self.settings.period.femtoseconds, len(self.guests)
        if not period or guests == 1:
            return None
        part = self.host.now.femtoseconds * guests // period + 1
        return fs(-(-part * period // guests))

    def _run_guests(self) -> Steps:
        for guest in self.running():
            if guest.faults:
                continue
            if guest.has_news:
                guest.has_news = False
                yield from self.receive(guest)
        yield from self._take_frames()
        ringing: list[Operation] = []
        for guest in self.running():
            if not guest.faults:
                ringing += self.transmit(guest)
        if ringing:
            yield ringing

    def _wants_frames(self) -> bool:
        total = sum(len(guest.backlog) for guest in self.guests)
        few = any(len(guest.backlog) < BACKLOG // 2 for guest in self.running())
        turn = self.settings.period.femtoseconds // len(self.guests)
        return few and total < (BACKLOG + turn // SHORTEST_FRAME.femtoseconds) * len(self.guests)

    def _take_frames(self) -> Steps:
        by_address = {mac_address(guest.number): guest for guest in self.guests}
        while self._wants_frames():
            places = [self._stage + number * BUFFER for number in range(FRAMES_AT_ONCE)]
            lengths = yield [send(place, place, BUFFER) for place in places]
            for place, length in zip(places, lengths, strict=True):
                if length:
                    frame = self.host.load(place, length)
                    by_address[frame[6:12]].backlog.append(frame)
            if not lengths[-1]:
                return

    def transmit(self, guest: Guest) -> list[Operation]:
        """Pass frames to the card, as far as there is room."""
        ring, before = guest.send_ring, guest.send_ring.produced
        first = guest.base + guest.size - ring.entries * BUFFER
        while guest.backlog and ring.room:
            frame = guest.backlog.popleft()
            place = first + ring.produced % ring.entries * BUFFER
            self.host.store(place, frame)
            self.enqueue(guest, "send", place, len(frame), END_OF_FRAME, 0)
        return [] if ring.produced == before else [card_word(guest.mailbox("send"), ring.produced)]

    def receive(self, guest: Guest) -> Steps:
        """Take received frames, and return their buffers."""
        consumed, returned = struct.unpack(">2I", self.host.load(guest.status, 8))
        guest.sent += consumed - guest.send_ring.consumed & 0xFFFFFFFF
        guest.send_ring.consumed = consumed
        taken: list[Operation] = []
        while guest.taken != returned:
            place = guest.returned + guest.taken % guest.receive_ring.entries * DESCRIPTOR_BYTES
            high, low, flags_length, _ = struct.unpack(">4I", self.host.load(place, DESCRIPTOR_BYTES))
            taken.append(take(high << 32 | low, flags_length & 0xFFFF))
            guest.taken = guest.taken + 1 & 0xFFFFFFFF
        guest.receive_ring.consumed = returned
        if taken:
            guest.received += len(taken)
            yield taken
        yield from self.post(guest)

    def post(self, guest: Guest) -> Steps:
        """Give the card buffers for frames."""
        ring, before = guest.receive_ring, guest.receive_ring.produced
        first = guest.base + guest.size - 2 * ring.entries * BUFFER
        while ring.room:
            place = first + ring.produced % ring.entries * BUFFER
            self.enqueue(guest, "receive", place, BUFFER, 0, ring.produced)
        if ring.produced != before:
            yield card_word(guest.mailbox("receive"), ring.produced)

    def _take_vectors(self) -> Steps:
        """Turn the bits of the card's vectors into interrupts of guests."""
        written = int.from_bytes(self.host.load(self._vectors + VECTOR_ENTRIES * VECTOR_BYTES, 4), "big")
        if self._vectors_taken == written:
            return
        while self._vectors_taken != written:
            place = self._vectors + self._vectors_taken % VECTOR_ENTRIES * VECTOR_BYTES
            news, stopped = (int.from_bytes(self.host.load(place + part, 16), "big") for part in (0, 16))
            for guest in self.guests:
                bit = 1 << 127 - guest.number
                guest.has_news |= bool(news & bit)
                if stopped & bit:
                    _, fault = yield from self._state_of(guest)
                    guest.faults.append(CDNA_FAULTS[fault])
                    self.is_stopped(guest)
            self._vectors_taken = self._vectors_taken + 1 & 0xFFFFFFFF
        yield card_word(SRAM + 4 * HYPERVISOR_MAILBOXES.index("vectors"), self._vectors_taken)

    def is_stopped(self, guest: Guest) -> None:
        """The card has stopped a guest.

        Raises:
            DriverError: The guests here keep the rules.
        """
        message = f"the card has stopped guest {guest.number}: {guest.faults[-1]}"
        raise DriverError(message, "check the firmware: all guests obeyed the rules")
