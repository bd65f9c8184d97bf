"""Peers of SimBricks, written from its headers: a network, and a host for drivers of `cards.drivers`.

The host has configuration space and the table of message-signaled interrupts, as hosts of SimBricks do.
"""

from __future__ import annotations

import mmap
import os
import socket
import struct
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tests.python.guest.stepping import SteppedDriver

from spinach_nic import Time
from spinach_nic.cards.drivers import Host, Operation, Program
from spinach_nic.cards.drivers.codes import ScriptOperation, ScriptWake
from spinach_nic.cards.drivers.operations import NEVER
from spinach_nic.cards.hundredgig.driver import REGION
from spinach_nic.cards.hundredgig.function import FIRST_CAPABILITY, capabilities

PATIENCE_S = 60
LISTENER, CONNECTER = "<10Q", "<4Q"
SLOTS = 64
ETHERNET, PCIE = 1, 2
SYNC, TERMINATE, FRAME = 0, 1, 0x40
DEVICE_READ, DEVICE_WRITE, INTERRUPT, READ_DONE, WRITE_DONE = range(0x40, 0x45)
HOST_READ, HOST_WRITE, HOST_READ_DONE, HOST_WRITE_DONE, CONTROL, HOST_POST = range(0x60, 0x66)
LEGACY_HIGH, LEGACY_LOW, MSI, MSIX = range(4)
DEVICE_INTRO = struct.Struct("<12Q 2H 4B BH 2B 2I H")


class Message(NamedTuple):
    """Message from the other side."""

    arrival: int
    """Picoseconds."""
    kind: int
    fields: bytes
    payload: bytes


class Link:
    """Connection to a simulator; times are in picoseconds."""

    def __init__(
        self, path: Path, protocol: int, latency: int, interval: int, *, sync: bool = True, payload: int = 0
    ) -> None:
        """Introduce this side, and map the queues.

        With `payload` this side listens, and makes slots with that number of bytes behind the header.
        """
        self._latency, self._interval = latency, interval
        (self._listen if payload else self._connect)(path, protocol, sync, payload)
        self._in_next = self._out_next = 0
        self.next_sync = 0
        self.log: list[Message] = []

    def _connect(self, path: Path, protocol: int, sync: bool, _: int) -> None:
        self.socket = _connected(path)
        self.socket.settimeout(PATIENCE_S)
        intro, descriptors, _, _ = socket.recv_fds(self.socket, 2048, 1)
        words = struct.unpack_from(LISTENER, intro)
        assert words[0] == 1
        assert words[8:] == (protocol, 80)
        self.flags, self.intro = words[1], intro[80:]
        self._in, self._out = words[2:5], words[5:8]
        self._memory = mmap.mmap(descriptors[0], os.fstat(descriptors[0]).st_size)
        os.close(descriptors[0])
        self.socket.sendall(struct.pack(CONNECTER, 1, int(sync), protocol, 32) + bytes(4))

    def _listen(self, path: Path, protocol: int, sync: bool, payload: int) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
            door.bind(str(path))
            door.listen()
            door.settimeout(PATIENCE_S)
            self.socket, _ = door.accept()
        path.unlink()
        self.socket.settimeout(PATIENCE_S)
        slot = 64 + payload
        self._out, self._in = (0, slot, SLOTS), (SLOTS * slot, slot, SLOTS)
        memory = os.memfd_create("peer")
        os.ftruncate(memory, 2 * SLOTS * slot)
        self._memory = mmap.mmap(memory, 2 * SLOTS * slot)
        intro = struct.pack(LISTENER, 1, int(sync), *self._out, *self._in, protocol, 80) + bytes(4)
        socket.send_fds(self.socket, [intro], [memory])
        os.close(memory)
        heard = self.socket.recv(2048)
        version, self.flags, *upper = struct.unpack_from(CONNECTER, heard)
        assert (version, *upper) == (1, protocol, 32)
        self.intro = heard[32:]

    def send(self, now: int, kind: int, fields: bytes = b"", payload: bytes = b"") -> None:
        """Put a message into the next slot, which must be free."""
        offset, size, count = self._out
        at = offset + self._out_next * size
        self._out_next = (self._out_next + 1) % count
        assert not self._memory[at + 63] & 0x80
        assert len(payload) <= size - 64
        body = fields.ljust(48, b"\0") + struct.pack("<Q", now + self._latency) + bytes(7)
        self._memory[at : at + 63] = body
        self._memory[at + 64 : at + 64 + len(payload)] = payload
        self._memory[at + 63] = kind | 0x80
        self.next_sync = now + self._interval

    def head(self) -> int | None:
        """Return the arrival of the next message, if it is there."""
        at = self._in[0] + self._in_next * self._in[1]
        if not self._memory[at + 63] & 0x80:
            return None
        return int.from_bytes(self._memory[at + 48 : at + 56], "little")

    def take(self) -> Message:
        """Take the next message, which is there."""
        offset, size, count = self._in
        at = offset + self._in_next * size
        self._in_next = (self._in_next + 1) % count
        kind = self._memory[at + 63] & 0x7F
        arrival = int.from_bytes(self._memory[at + 48 : at + 56], "little")
        message = Message(arrival, kind, self._memory[at : at + 48], self._memory[at + 64 : at + size])
        self._memory[at + 63] = kind
        return message

    def close(self) -> None:
        """Leave without a word."""
        self.socket.close()
        self._memory.close()


def _connected(path: Path) -> socket.socket:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        found = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            found.connect(str(path))
        except (FileNotFoundError, ConnectionRefusedError):
            found.close()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        else:
            return found


class Memory(Host):
    """Memory of the host, as a driver sees it."""

    def __init__(self, owner: World, base: int, size: int) -> None:
        """Make memory."""
        self._owner = owner
        self._base = self._free = base
        self._end = base + size
        self.bytes = bytearray(size)

    @property
    def now(self) -> Time:
        return Time(self._owner.now * 1000)

    def load(self, address: int, size: int) -> bytes:
        place = address - self._base
        assert 0 <= place <= len(self.bytes) - size
        return bytes(self.bytes[place : place + size])

    def store(self, address: int, contents: bytes) -> None:
        place = address - self._base
        assert 0 <= place <= len(self.bytes) - len(contents)
        self.bytes[place : place + len(contents)] = contents

    def allow_writes(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Ignore them: the card may write all of this memory."""


class World:
    """Simulation of a host and a network, both connected to a card."""

    def __init__(self, host: Link, network: Link | None = None) -> None:
        """Begin at time 0."""
        self.now = 0
        self._host, self._network = host, network
        self.log = host.log
        self._links = [link for link in (host, network) if link is not None]
        self.memory = Memory(self, 1 << 32, 1 << 22)
        self.frames: list[bytes] = []
        """Frames that the network has received."""
        self.vectors: list[int] = []
        """Interrupts that the host has received and not looked at."""
        self.line: list[int] = []
        """Levels of the interrupt line, as codes of the protocol."""
        self._answers: dict[int, bytes] = {}
        self._requests = 0
        words = DEVICE_INTRO.unpack(host.intro)
        self.windows = [(words[2 * bar], words[2 * bar + 1]) for bar in range(6)]
        self.identity = words[12:18]
        self.vector_count, self.table_window, _, self.table, pending, at = words[19:]
        self._capability = at
        self._configuration = bytearray(256)
        struct.pack_into("<2H", self._configuration, 0, *self.identity[:2])
        chain = capabilities(2)
        self._configuration[FIRST_CAPABILITY : FIRST_CAPABILITY + len(chain)] = chain
        self._configuration[0x34] = at
        if self.vector_count:
            entry = (0x11, FIRST_CAPABILITY, self.vector_count - 1, self.table, pending)
            struct.pack_into("<BBHII", self._configuration, at, *entry)
        self._table = bytearray(16 * self.vector_count)

    def run(self, until: int) -> None:
        """Continue to a moment, or until the host has something new."""
        known = (len(self._answers), len(self.vectors), len(self.line))
        deadline = time.monotonic() + PATIENCE_S
        while self.now < until and known == (len(self._answers), len(self.vectors), len(self.line)):
            for link in self._links:
                if self.now >= link.next_sync:
                    link.send(self.now, SYNC)
            heads = [link.head() for link in self._links]
            ready = [head for head in heads if head is not None]
            if len(ready) < len(heads):
                assert time.monotonic() < deadline, f"no message at {self.now} ps"
                time.sleep(0)
                continue
            # A message at this very moment is processed before time continues.
            next_at = min([until, *ready, *(link.next_sync for link in self._links)])
            assert next_at >= self.now
            self.now = next_at
            for link, head in zip(self._links, ready, strict=True):
                if head <= self.now:
                    self._process(link, link.take())

    def _process(self, link: Link, message: Message) -> None:
        payload = b""
        if link is self._network:
            if message.kind == FRAME:
                (length,) = struct.unpack_from("<H", message.fields)
                payload = message.payload[:length]
                self.frames.append(payload)
        elif message.kind != SYNC:
            payload = self._serve(message)
        link.log.append(
            message._replace(payload=payload, fields=message.fields[:18] if message.kind else b"")
        )

    def _serve(self, message: Message) -> bytes:
        request, address, length = struct.unpack_from("<QQH", message.fields)
        identity, payload = message.fields[:8], b""
        match message.kind:
            case 0x40:
                self._host.send(self.now, HOST_READ_DONE, identity, self.memory.load(address, length))
            case 0x41:
                payload = message.payload[:length]
                self.memory.store(address, payload)
                self._host.send(self.now, HOST_WRITE_DONE, identity)
            case 0x42:
                vector, kind = struct.unpack_from("<HB", message.fields)
                (self.vectors if kind == MSIX else self.line).append(vector if kind == MSIX else kind)
            case 0x43 | 0x44:
                payload = message.payload[:8]
                self._answers[request] = payload
            case kind:
                raise AssertionError(f"message of type {kind:#x}")
        return payload

    def read(self, window: int, offset: int, size: int) -> bytes:
        """Read bytes of a window."""
        fields = struct.pack("<QQHB", self._requests, offset, size, window)
        return self._ask(HOST_READ, fields, b"")[:size]

    def write(self, window: int, offset: int, contents: bytes, *, is_posted: bool = True) -> None:
        """Write bytes of a window."""
        fields = struct.pack("<QQHB", self._requests, offset, len(contents), window)
        if is_posted:
            self._host.send(self.now, HOST_POST, fields, contents)
        else:
            self._ask(HOST_WRITE, fields, contents)

    def _ask(self, kind: int, fields: bytes, payload: bytes) -> bytes:
        request = self._requests
        self._requests += 1
        self._host.send(self.now, kind, fields, payload)
        while request not in self._answers:
            self.run(NEVER)
        return self._answers.pop(request)

    def send_frame(self, frame: bytes) -> None:
        """Send a frame to the card, now."""
        assert self._network is not None
        self._network.send(self.now, FRAME, struct.pack("<HB", len(frame), 0), frame)

    def end(self) -> None:
        """Say to the card that this is the end."""
        for link in self._links:
            link.send(self.now, TERMINATE)
            link.close()

    def configure(self, offset: int, contents: bytes) -> None:
        """Write to configuration space; tell the card if this enables messages."""
        self._configuration[offset : offset + len(contents)] = contents
        if offset == self._capability + 2:
            flags = 4 if self._configuration[offset + 1] & 0x80 else 0
            self._host.send(self.now, CONTROL, struct.pack("<Q", flags))

    def configuration(self, offset: int, size: int) -> int:
        """Read configuration space."""
        return int.from_bytes(self._configuration[offset : offset + size], "little")

    def put_entry(self, offset: int, contents: bytes) -> bool:
        """Write to the table of messages; false if the offset is elsewhere."""
        place = offset - self.table
        if not 0 <= place < len(self._table):
            return False
        self._table[place : place + len(contents)] = contents
        return True

    def is_interrupted(self) -> bool:
        """Return true if a message has come, or the line is asserted."""
        return bool(self.vectors) or self.line[-1:] == [LEGACY_HIGH]

    def deliver(self) -> None:
        """Let messages that have come write to memory."""
        while self.vectors:
            address, data, control = struct.unpack_from("<QII", self._table, 16 * self.vectors.pop(0))
            assert control == 0
            self.memory.store(address, struct.pack("<I", data))


class Driving(SteppedDriver):
    """Executes the operations of a driver in a world."""

    def __init__(self, world: World, program: Program) -> None:
        """Begin the program."""
        super().__init__(program)
        self._world = world

    def perform(self, *, frames_out: int, frames_in: int) -> None:
        """Continue until these numbers of frames have left the card and reached the driver."""
        world = self._world
        while len(world.frames) < frames_out or len(self.received) < frames_in or not self.is_at_rest():
            self.step()

    def _perform(self, operation: Operation) -> int:
        code, first, second, third = operation
        world = self._world
        match code:
            case ScriptOperation.READ_CONFIGURATION:
                return world.configuration(first, second)
            case ScriptOperation.WRITE_CONFIGURATION:
                world.configure(first, second.to_bytes(third, "little"))
            case ScriptOperation.READ:
                return int.from_bytes(world.read(0, first - REGION, second), "little")
            case ScriptOperation.WRITE:
                contents = second.to_bytes(third, "little")
                if not world.put_entry(first - REGION, contents):
                    world.write(0, first - REGION, contents)
            case ScriptOperation.WAIT:
                return self._wait(first // 1000, second)
            case ScriptOperation.SEND if self.to_send:
                frame = self.to_send.popleft()
                world.memory.store(second, frame)
                return len(frame)
            case ScriptOperation.TAKE:
                self.received.append(world.memory.load(first, second))
        return 0

    def _wait(self, until: int, reasons: int) -> int:
        world = self._world
        if reasons & ScriptWake.FRAME_DUE and self.to_send:
            return ScriptWake.FRAME_DUE
        is_wanted = bool(reasons & ScriptWake.INTERRUPT)
        while world.now < until and not (is_wanted and world.is_interrupted()):
            world.run(until)
        if not (is_wanted and world.is_interrupted()):
            return 0
        self.interrupts += len(world.vectors) or 1
        world.deliver()
        return ScriptWake.INTERRUPT
