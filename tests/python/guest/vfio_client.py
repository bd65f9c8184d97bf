"""A client of vfio-user, written from the protocol's description, with a host for drivers of `cards.drivers`.

As a hypervisor does, the client keeps the table of message-signaled interrupts itself, and gives the device
an event descriptor for each vector.
"""

from __future__ import annotations

import mmap
import os
import select
import socket
import struct
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.python.guest.stepping import SteppedDriver

from spinach_nic import Time
from spinach_nic.cards.drivers import Host, Operation, Program
from spinach_nic.cards.drivers.codes import ScriptOperation, ScriptWake
from spinach_nic.cards.hundredgig.driver import REGION

VERSION, MAP, UNMAP, INFO, REGION_INFO, IRQ_INFO, SET_IRQS, READ, WRITE, RESET = (
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    9,
    10,
    13,
)
CONFIGURATION = 7
LINE, MESSAGES = 0, 2
NO_DATA, EVENTS, UNMASK, TRIGGER = 1, 4, 16, 32
CAPABILITY_POINTER, MESSAGE_CAPABILITY = 0x34, 0x11
PATIENCE_S = 40


class RefusedError(Exception):
    """The device has answered a command by an error; its argument is the number of the error."""


class Client:
    """The connection to a device."""

    def __init__(self, path: Path) -> None:
        """Connect and agree on the version."""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(PATIENCE_S)
        try:
            self._socket.connect(str(path))
        except OSError:
            self._socket.close()
            raise
        self._identity = 0
        answer = self.command(VERSION, struct.pack("<HH", 0, 0) + b'{"capabilities":{"max_msg_fds":16}}\0')
        assert struct.unpack("<HH", answer[:4]) == (0, 0)

    def command(self, command: int, payload: bytes = b"", descriptors: Sequence[int] = ()) -> bytes:
        """Send a command and return the payload of its answer.

        Raises:
            RefusedError: The answer is an error.
        """
        self.begin(command, payload, descriptors)
        identity, of_command, size, flags, error = struct.unpack("<HHIII", self._take(16))
        assert (identity, of_command, flags & 0xF) == (self._identity, command, 1)
        answer = self._take(size - 16)
        if flags & 0x20:
            raise RefusedError(error)
        return answer

    def begin(
        self, command: int, payload: bytes, descriptors: Sequence[int] = (), *, left_out: int = 0
    ) -> None:
        """Send a command without its last bytes, and leave the answer."""
        self._identity += 1
        header = struct.pack("<HHIII", self._identity, command, 16 + len(payload), 0, 0)
        message = header + payload
        socket.send_fds(self._socket, [message[: len(message) - left_out]], list(descriptors))

    def wait(self) -> None:
        """Wait for an answer without taking it."""
        assert self._socket.recv(1, socket.MSG_PEEK)

    def post(self, region: int, offset: int, contents: bytes) -> None:
        """Write to a region without waiting for an answer."""
        self._identity += 1
        payload = struct.pack("<QII", offset, region, len(contents)) + contents
        self._socket.sendall(
            struct.pack("<HHIII", self._identity, WRITE, 16 + len(payload), 0x10, 0) + payload
        )

    def read(self, region: int, offset: int, count: int) -> bytes:
        """Read bytes of a region."""
        answer = self.command(READ, struct.pack("<QII", offset, region, count))
        assert struct.unpack("<QII", answer[:16]) == (offset, region, count)
        return answer[16:]

    def write(self, region: int, offset: int, contents: bytes) -> None:
        """Write bytes of a region."""
        self.command(WRITE, struct.pack("<QII", offset, region, len(contents)) + contents)

    def set_interrupts(self, kind: int, flags: int, *, count: int, descriptors: Sequence[int] = ()) -> None:
        """Command interrupts from the first one on."""
        self.command(SET_IRQS, struct.pack("<5I", 20, flags, kind, 0, count), descriptors)

    def close(self) -> None:
        """Leave."""
        self._socket.close()

    def _take(self, count: int) -> bytes:
        taken = b""
        while len(taken) < count:
            more = self._socket.recv(count - len(taken))
            assert more, "the device has closed the connection"
            taken += more
        return taken


class Memory(Host):
    """Shared memory of the client, as a driver sees it."""

    def __init__(self, client: Client, base: int, size: int) -> None:
        """Make memory, and let the device reach it at `base`. Time begins now."""
        self._began_ns = time.monotonic_ns()
        self._base = self._free = base
        self._end = base + size
        descriptor = os.memfd_create("guest")
        os.ftruncate(descriptor, size)
        self.bytes = mmap.mmap(descriptor, size)
        client.command(MAP, struct.pack("<IIQQQ", 32, 3, 0, base, size), [descriptor])
        os.close(descriptor)

    @property
    def now(self) -> Time:
        return Time((time.monotonic_ns() - self._began_ns) * 10**6)

    def close(self) -> None:
        """Unmap the memory on this side."""
        self.bytes.close()

    def load(self, address: int, size: int) -> bytes:
        place = address - self._base
        return self.bytes[place : place + size]

    def store(self, address: int, contents: bytes) -> None:
        place = address - self._base
        self.bytes[place : place + len(contents)] = contents

    def allow_writes(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Ignore them: the card may write all of this memory."""


class ClientHost(SteppedDriver):
    """Executes the operations of a driver: accesses by messages, and waits for event descriptors."""

    def __init__(self, client: Client, memory: Memory, program: Program) -> None:
        """Drive the device of `client` by `program`."""
        super().__init__(program)
        self._client, self.memory = client, memory
        self._events: list[int] = []
        self._line = os.eventfd(0, os.EFD_NONBLOCK)
        client.set_interrupts(LINE, EVENTS | TRIGGER, count=1, descriptors=[self._line])
        self._is_line_seen = False
        at = client.read(CONFIGURATION, CAPABILITY_POINTER, 1)[0]
        while client.read(CONFIGURATION, at, 1)[0] != MESSAGE_CAPABILITY:
            at = client.read(CONFIGURATION, at + 1, 1)[0]
        self._capability = at
        control, table = struct.unpack("<HI", client.read(CONFIGURATION, at + 2, 6))
        self._table_at = table
        self._table = bytearray(16 * ((control & 0x7FF) + 1))

    def perform(self, *, until: int) -> None:
        """Send all frames and receive `until`, up to the program's next wait for an interrupt."""
        deadline = time.monotonic() + PATIENCE_S
        while self.to_send or len(self.received) < until or not self.is_at_rest():
            assert time.monotonic() < deadline, (len(self.to_send), len(self.received))
            self.step()

    def close(self) -> None:
        """Close the event descriptors."""
        for event in (self._line, *self._events):
            os.close(event)

    def _perform(self, operation: Operation) -> int:
        code, first, second, third = operation
        match code:
            case ScriptOperation.READ_CONFIGURATION:
                return int.from_bytes(self._client.read(CONFIGURATION, first, second), "little")
            case ScriptOperation.WRITE_CONFIGURATION:
                self._client.write(CONFIGURATION, first, second.to_bytes(third, "little"))
                if first == self._capability + 2 and second & 0x8000:
                    self._enable_messages()
            case ScriptOperation.READ:
                return int.from_bytes(self._client.read(0, first - REGION, second), "little")
            case ScriptOperation.WRITE:
                self._write(first - REGION, second.to_bytes(third, "little"))
            case ScriptOperation.WAIT:
                return self._wait(Time(first), second)
            case ScriptOperation.SEND if self.to_send:
                frame = self.to_send.popleft()
                self.memory.store(second, frame)
                return len(frame)
            case ScriptOperation.TAKE:
                self.received.append(self.memory.load(first, second))
        return 0

    def _write(self, offset: int, contents: bytes) -> None:
        place = offset - self._table_at
        if 0 <= place < len(self._table):
            self._table[place : place + len(contents)] = contents
        else:
            self._client.post(0, offset, contents)

    def _enable_messages(self) -> None:
        self._client.set_interrupts(LINE, NO_DATA | TRIGGER, count=0)
        self._events = [os.eventfd(0, os.EFD_NONBLOCK) for _ in range(len(self._table) // 16)]
        count = len(self._events)
        self._client.set_interrupts(MESSAGES, EVENTS | TRIGGER, count=count, descriptors=self._events)

    def _wait(self, until: Time, reasons: int) -> int:
        if self._is_line_seen:
            # The driver has served the line that this side had masked.
            self._client.set_interrupts(LINE, NO_DATA | UNMASK, count=1)
            self._is_line_seen = False
        if reasons & ScriptWake.FRAME_DUE and self.to_send:
            return ScriptWake.FRAME_DUE
        left = (until.femtoseconds - self.memory.now.femtoseconds) / 1e15
        events = [self._line, *self._events] if reasons & ScriptWake.INTERRUPT else []
        ready, _, _ = select.select(events, [], [], max(0, min(left, PATIENCE_S)))
        assert ready or left < PATIENCE_S, f"no interrupt within {PATIENCE_S} s"
        for event in ready:
            os.eventfd_read(event)
            self.interrupts += 1
            if event == self._line:
                self._is_line_seen = True
            else:
                self._deliver(self._events.index(event))
        return ScriptWake.INTERRUPT if ready else 0

    def _deliver(self, vector: int) -> None:
        address, data, control = struct.unpack_from("<QII", self._table, 16 * vector)
        assert control == 0, f"vector {vector} is masked"
        self.memory.store(address, struct.pack("<I", data))
