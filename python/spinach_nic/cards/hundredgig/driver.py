"""Driver of virtio's network device on PCI, as a program of a scripted host.

Start-up follows virtio 1.2, sections 3.1 and 4.1.4: find the capabilities, reset the device, negotiate
features, place the rings. Then the driver works as those of Linux do: an interrupt begins a period of polling
without interrupts, which ends when there is nothing to do.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Generator, Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any
from zlib import crc32

from spinach_nic.cards.drivers import (
    DriverError,
    Host,
    Operation,
    Program,
    enable_pci_function,
    read,
    read_configuration,
    send,
    take,
    wait,
    write,
    write_configuration,
)
from spinach_nic.cards.drivers.operations import FRAME_DUE, INTERRUPT
from spinach_nic.cards.hundredgig.function import (
    COMMON,
    DEVICE,
    DEVICE_CONFIGURATION,
    DEVICE_STATUS,
    ISR,
    MESSAGES,
    NOTIFICATION,
    VENDOR,
    VENDOR_SPECIFIC,
)
from spinach_nic.cards.hundredgig.map import LARGE_BYTES, VIRTIO_HEADER_BYTES
from spinach_nic.cards.hundredgig.ring import DEVICE_WRITES, PackedRing, SplitRing, Used
from spinach_nic.cards.hundredgig.segments import (
    HEADER_BYTES,
    Due,
    flow_of,
    frames_of,
    runs,
    without_checksum,
)
from spinach_nic.cards.hundredgig.settings import NEVER, Settings
from spinach_nic.support.units import KiB, ms, us

REGION = 0xE000_0000
"""Base address that the driver gives the card."""
CAPABILITY_POINTER = 0x34
ACKNOWLEDGE, DRIVER, DRIVER_OK, FEATURES_OK, NEEDS_RESET = 1, 2, 4, 8, 64
RECEIVE, SEND = 0, 1
CHECKSUM, GUEST_CHECKSUM, MAC, MERGED_BUFFERS, STATUS = 0, 1, 5, 15, 16
GUEST_TSO4, GUEST_TSO6, HOST_TSO4, HOST_TSO6, HOST_ECN = 7, 8, 11, 12, 13
CONTROL_QUEUE, CONTROL_VLAN, MULTIQUEUE, EVENT_INDEX = 17, 19, 22, 29
VERSION_1, RING_PACKED, RING_RESET = 32, 34, 40
WANTED = 1 << MERGED_BUFFERS | 1 << MAC | 1 << STATUS | 1 << VERSION_1
CHECKSUMS = 1 << CHECKSUM | 1 << GUEST_CHECKSUM
SEGMENTATION = 1 << HOST_TSO4 | 1 << HOST_TSO6 | 1 << HOST_ECN
SEVERAL_PAIRS = 1 << CONTROL_QUEUE | 1 << MULTIQUEUE
CLASS_VLAN, ADD_VLAN, DELETE_VLAN, CLASS_MULTIQUEUE, SET_PAIRS, DONE = 2, 0, 1, 4, 0, 0
CONTROL_ENTRIES = 4
COMMAND_DESCRIPTORS = 3
"""Descriptors of a command: its class and kind, its contents, and the answer."""
PAIRS_OFFSET = 8
"""Offset of the largest number of pairs in the device configuration."""
FLOWS_PER_PAIR = 8
"""Flows of generated traffic for each pair of queues."""
PORTS_PER_FLOW = 64
FIRST_PORT = 1024
LARGE_SENDS = 256
"""Most buffers for large sends."""
OPERATIONS_AT_ONCE = 1024
MESSAGE_BYTES = KiB(4)
"""Page of host memory in which each vector has a word that its messages set."""
VECTOR_BYTES = 16
ENABLE_MESSAGES = 0x8000
CONFIGURATION_VECTOR = 0
"""Vector of changes of the configuration; each queue has the vector after its number."""
PAUSES = (*[us(1)] * 1000, *[ms(1)] * 1000)
"""Pauses between polls of what the card is to complete: on a slow bus a reset may wait for many transfers."""
ONE_BUFFER = b"\1\0"
"""Number of buffers in the header of a frame that fits into one."""

Steps = Generator[Operation | Sequence[Operation], Any, Any]


class _Common:
    """Offsets of the common configuration (virtio 1.2, section 4.1.4.3)."""

    FEATURE_SELECT, FEATURE, DRIVER_FEATURE_SELECT, DRIVER_FEATURE = 0x00, 0x04, 0x08, 0x0C
    VECTOR, STATUS, QUEUE_SELECT, QUEUE_SIZE, QUEUE_VECTOR = 0x10, DEVICE_STATUS, 0x16, 0x18, 0x1A
    QUEUE_ENABLE, NOTIFY_OFFSET = 0x1C, 0x1E
    DESCRIPTORS, DRIVER_AREA, DEVICE_AREA, QUEUE_RESET = 0x20, 0x28, 0x30, 0x3A


class VirtioDriver:
    """The driver of one card."""

    def __init__(self, settings: Settings) -> None:
        """Create a driver that has not begun."""
        self._settings = settings
        self._host: Host
        self._places: dict[int, int] = {}
        self._doorbells: list[int] = []
        self._rings: list[SplitRing | PackedRing] = []
        self._pairs, self._control = 1, 0
        self._leaves_checksums = self._segments = self._has_event_index = self._is_packed = False
        self._coalesces = self._resets = False
        self._sent = 0
        """Number of frames that were taken to be sent."""
        self._pieces: list[int] = []
        """Places of frames that are cut from received ones."""
        self._reset_count = self._vlan_changes = 0
        self._command_places: dict[int, int] = {}
        """Addresses of commands, by their length."""
        self._messages = 0
        """Address of the words that messages set; 0 if interrupts come by the line."""
        self._free: list[int] = []
        """Buffers for frames to send."""
        self._sending: dict[int, Operation] = {}
        """Operation that puts the next frame into each of these buffers."""
        self._large: list[int] = []
        """Buffers for large sends that are free."""
        self._carried: dict[int, list[int]] = {}
        """Buffers of the frames in each large send that the card has, by its buffer."""

    def program(self, host: Host) -> Program:
        """Drive the card, from power-on."""
        self._host = host
        yield from self._find_function()
        yield from self._negotiate()
        yield from self._start_queues()
        yield from self._post_buffers()
        yield from self._work()

    def _find_function(self) -> Steps:
        identity = yield read_configuration(0)
        if identity != DEVICE << 16 | VENDOR:
            message = f"configuration space says 0x{identity:08x}, not virtio's network device"
            raise DriverError(message, f"give the card vendor 0x{VENDOR:04x} and device 0x{DEVICE:04x}")
        multiplier = messages = 0
        at = yield read_configuration(CAPABILITY_POINTER, 1)
        while at:
            kind, following = (yield read_configuration(at, 1)), (yield read_configuration(at + 1, 1))
            if kind == VENDOR_SPECIFIC:
                structure = yield read_configuration(at + 3, 1)
                self._places.setdefault(structure, REGION + (yield read_configuration(at + 8)))
                if structure == NOTIFICATION:
                    multiplier = yield read_configuration(at + 16)
            elif kind == MESSAGES:
                messages = at
            at = following
        missing = {COMMON, NOTIFICATION, ISR, DEVICE_CONFIGURATION} - set(self._places)
        if missing:
            raise DriverError(
                f"the card has no capability of virtio of type {min(missing)}",
                "see virtio 1.2, section 4.1.4",
            )
        self._multiplier = multiplier
        yield enable_pci_function(REGION)
        if messages and self._settings.messages:
            yield from self._enable_messages(messages)

    def _enable_messages(self, at: int) -> Steps:
        """Let each vector of the capability `at` set a word of the page that interrupts."""
        vectors = ((yield read_configuration(at + 2, 2)) & 0x7FF) + 1
        table = REGION + (yield read_configuration(at + 4))
        self._messages = self._host.allocate(MESSAGE_BYTES.bytes, MESSAGE_BYTES.bytes)
        self._host.allow_writes([(self._messages, 4 * vectors)])
        for vector in range(vectors):
            address = self._messages + 4 * vector
            entry = (address & 0xFFFF_FFFF, address >> 32, 1, 0)
            place = table + VECTOR_BYTES * vector
            yield [write(place + 4 * number, word) for number, word in enumerate(entry)]
        yield write_configuration(at + 2, ENABLE_MESSAGES, 2)

    def _choose_vector(self, place: int, vector: int) -> Steps:
        """Give the configuration or the selected queue a vector, if interrupts are messages."""
        if not self._messages:
            return
        yield self._put(place, vector, 2)
        if (yield self._get(place, 2)) != vector:
            raise DriverError(f"the card does not grant vector {vector}", "give it a vector for each queue")

    def _get(self, offset: int, size: int) -> Operation:
        return read(self._places[COMMON] + offset, size)

    def _put(self, offset: int, value: int, size: int) -> Operation:
        return write(self._places[COMMON] + offset, value, size)

    def _negotiate(self) -> Steps:
        c = _Common
        yield self._put(c.STATUS, 0, 1)
        for pause in PAUSES:
            if (yield self._get(c.STATUS, 1)) == 0:
                break
            yield wait(until=self._host.now + pause)
        else:
            raise DriverError("the card does not complete its reset", "look at what its firmware waits for")
        yield [self._put(c.STATUS, ACKNOWLEDGE, 1), self._put(c.STATUS, ACKNOWLEDGE | DRIVER, 1)]
        offered = 0
        for half in (0, 1):
            yield self._put(c.FEATURE_SELECT, half, 4)
            offered |= (yield self._get(c.FEATURE, 4)) << 32 * half
        wanted = WANTED
        if self._settings.pairs > 1:
            wanted |= SEVERAL_PAIRS
        if self._settings.vlans:
            wanted |= 1 << CONTROL_QUEUE | 1 << CONTROL_VLAN
        if self._settings.checksums:
            wanted |= CHECKSUMS
        if self._settings.segmentation:
            wanted |= SEGMENTATION
        if self._settings.coalescing and offered & 1 << GUEST_TSO4:
            wanted |= 1 << GUEST_TSO4 | 1 << GUEST_TSO6 | CHECKSUMS
        if self._settings.event_index:
            wanted |= 1 << EVENT_INDEX
        if self._settings.packed:
            wanted |= 1 << RING_PACKED
        if self._settings.resets > NEVER:
            wanted |= 1 << RING_RESET
        accepted = offered & wanted
        self._leaves_checksums = self._settings.checksums and bool(accepted & 1 << CHECKSUM)
        self._coalesces = bool(accepted & 1 << GUEST_TSO4)
        self._segments = bool(accepted & 1 << HOST_TSO4)
        self._has_event_index = bool(accepted & 1 << EVENT_INDEX)
        self._resets = bool(accepted & 1 << RING_RESET)
        self._is_packed = bool(accepted & 1 << RING_PACKED)
        if accepted & SEVERAL_PAIRS == SEVERAL_PAIRS:
            most = yield read(self._places[DEVICE_CONFIGURATION] + PAIRS_OFFSET, 2)
            self._pairs, self._control = min(self._settings.pairs, most), 2 * most
        elif accepted & 1 << CONTROL_QUEUE:
            self._control = 2
        for half in (0, 1):
            yield [
                self._put(c.DRIVER_FEATURE_SELECT, half, 4),
                self._put(c.DRIVER_FEATURE, accepted >> 32 * half & 0xFFFF_FFFF, 4),
            ]
        yield self._put(c.STATUS, ACKNOWLEDGE | DRIVER | FEATURES_OK, 1)
        if not (yield self._get(c.STATUS, 1)) & FEATURES_OK:
            raise DriverError(f"the card refuses the features 0x{accepted:x}", "look at what it offers")

    def _start_queues(self) -> Steps:
        c, settings = _Common, self._settings
        yield from self._choose_vector(c.VECTOR, CONFIGURATION_VECTOR)
        for queue in range(2 * self._pairs):
            yield from self._start_queue(queue, settings.entries, device_writes=queue % 2 == RECEIVE)
        if self._control:
            yield from self._start_queue(self._control, CONTROL_ENTRIES, device_writes=False)
        yield self._put(c.STATUS, ACKNOWLEDGE | DRIVER | FEATURES_OK | DRIVER_OK, 1)
        for vlan in settings.vlans:
            yield from self._change_vlan(vlan, ADD_VLAN)
        if self._pairs > 1:
            yield from self._set_pairs()

    def _post_buffers(self) -> Steps:
        """Give the card buffers for received frames; from then on its link carries frames."""
        host, size = self._host, self._settings.buffer_bytes
        for pair in range(self._pairs):
            receive, transmit = self._rings[2 * pair : 2 * pair + 2]
            given = [(host.allocate(size, 64), size) for _ in range(receive.entries)]
            host.allow_writes(given)
            receive.add(given)
            buffers = [host.allocate(size, 64) for _ in range(transmit.entries)]
            self._free += buffers
            frames = [buffer + VIRTIO_HEADER_BYTES for buffer in buffers]
            self._sending |= {
                buffer: send(frame, frame, 0) for buffer, frame in zip(buffers, frames, strict=True)
            }
            yield from self._notify(2 * pair)

    def _start_queue(self, queue: int, entries: int, *, device_writes: bool) -> Steps:
        """Place a ring, and enable its queue."""
        c = _Common
        yield self._put(c.QUEUE_SELECT, queue, 2)
        entries = min((yield self._get(c.QUEUE_SIZE, 2)), entries)
        kind = PackedRing if self._is_packed else SplitRing
        ring = kind(self._host, entries, device_writes=device_writes, event_index=self._has_event_index)
        self._rings.append(ring)
        yield from self._enable_queue(queue, ring)
        place = yield self._get(c.NOTIFY_OFFSET, 2)
        self._doorbells.append(self._places[NOTIFICATION] + place * self._multiplier)

    def _enable_queue(self, queue: int, ring: SplitRing | PackedRing) -> Steps:
        """Give the card the ring of the selected queue."""
        c = _Common
        yield from self._choose_vector(c.QUEUE_VECTOR, queue + 1)
        areas = {c.DESCRIPTORS: ring.descriptors, c.DRIVER_AREA: ring.available, c.DEVICE_AREA: ring.used}
        yield [
            self._put(c.QUEUE_SIZE, ring.entries, 2),
            *(
                self._put(offset + 4 * half, address >> 32 * half & 0xFFFF_FFFF, 4)
                for offset, address in areas.items()
                for half in (0, 1)
            ),
            self._put(c.QUEUE_ENABLE, 1, 2),
        ]

    def _reset_queue(self, queue: int) -> Steps:
        """Reset a queue while the device works, and enable it with an empty ring and the same buffers."""
        c = _Common
        yield [self._put(c.QUEUE_SELECT, queue, 2), self._put(c.QUEUE_RESET, 1, 2)]
        for pause in PAUSES:
            if not (yield self._get(c.QUEUE_RESET, 2)):
                break
            yield wait(until=self._host.now + pause)
        else:
            message = f"the card does not complete the reset of queue {queue}"
            raise DriverError(message, "look at what its firmware waits for")
        if (yield self._get(c.QUEUE_ENABLE, 2)):
            raise DriverError(f"queue {queue} is enabled after its reset", "clear queue_enable")
        yield from self._poll_queue(queue)
        ring = self._rings[queue]
        awaited = ring.awaited()
        ring.clear()
        yield from self._enable_queue(queue, ring)
        ring.add(awaited)
        yield self._ring_doorbell(queue)

    def _change_vlan(self, vlan: int, change: int) -> Steps:
        """Add a VLAN to the filter of the card, or delete it."""
        if not (yield from self._command(struct.pack("<BBH", CLASS_VLAN, change, vlan))):
            raise DriverError(f"the card does not change VLAN {vlan}", "look at what its firmware refuses")

    def _set_pairs(self) -> Steps:
        """Tell the card the number of pairs."""
        if not (yield from self._command(struct.pack("<BBH", CLASS_MULTIQUEUE, SET_PAIRS, self._pairs))):
            raise DriverError(
                f"the card does not work with {self._pairs} pairs of queues", "give it fewer: --set pairs=1"
            )

    def _command(self, contents: bytes) -> Steps:
        """Give the card a command by the control queue; return true if it has executed it."""
        host, ring, length = self._host, self._rings[-1], len(contents)
        if ring.entries < COMMAND_DESCRIPTORS:
            raise DriverError(
                f"the control queue has {ring.entries} entries; a command, such as that for several pairs of "
                f"queues, has {COMMAND_DESCRIPTORS} descriptors",
                "set queue_size to 4 or more, or use one pair of queues (pairs=1) without vlans",
            )
        if length not in self._command_places:
            self._command_places[length] = host.allocate(length + 1)
            host.allow_writes([(self._command_places[length] + length, 1)])
        command = self._command_places[length]
        answer = command + length
        host.store(command, contents + b"\xff")
        pieces = [(command, 2, 0), (command + 2, length - 2, 0), (answer, 1, DEVICE_WRITES)]
        ring.add_chain(pieces)
        yield from self._notify(2 * self._pairs)
        for pause in PAUSES:
            if ring.take_used():
                break
            yield wait(until=host.now + pause)
        return host.load(answer, 1) == bytes([DONE])

    def _notify(self, queue: int) -> Steps:
        """Ring the doorbell of a queue, if the card waits for chains in it."""
        if self._rings[queue].needs_doorbell():
            yield self._ring_doorbell(queue)

    def _ring_doorbell(self, queue: int) -> Operation:
        number = self._control if queue == 2 * self._pairs else queue
        return write(self._doorbells[queue], number, 2)

    def _work(self) -> Steps:
        """Sleep until there is work, then poll until there is none, repeatedly to the end."""
        while True:
            reasons = yield wait(for_interrupt=True, for_frame=self._room() > 0)
            if reasons & INTERRUPT:
                yield wait(until=self._host.now + self._settings.latency)
                yield from self._check()
            if reasons & FRAME_DUE:
                yield from self._send()
            yield from self._poll_until_idle()
            yield from self._reset_if_due()
            yield from self._change_vlan_if_due()

    def _reset_if_due(self) -> Steps:
        """Reset the next queue of a pair, if the time has come."""
        due = (self._reset_count + 1) * self._settings.resets
        if self._resets and self._host.now >= due:
            yield from self._reset_queue(self._reset_count % (2 * self._pairs))
            self._reset_count += 1

    def _change_vlan_if_due(self) -> Steps:
        """Delete the next VLAN, or add it again, if the time has come."""
        vlans, interval = self._settings.vlans, self._settings.vlan_changes
        if interval > NEVER and self._host.now >= (self._vlan_changes + 1) * interval:
            turn, is_second = divmod(self._vlan_changes, 2)
            yield from self._change_vlan(vlans[turn % len(vlans)], ADD_VLAN if is_second else DELETE_VLAN)
            self._vlan_changes += 1

    def _poll_until_idle(self) -> Steps:
        """Poll without interrupts until there is nothing to do, and nothing came before they were enabled.

        A chain used before then has passed the index that would cause an interrupt, and the next would not.
        """
        rings = self._rings[: 2 * self._pairs]
        is_busy = True
        while is_busy:
            for ring in rings:
                ring.suppress_interrupts(suppressed=True)
            while (yield from self._poll()):
                yield wait(until=self._host.now + self._settings.poll)
            for ring in rings:
                ring.suppress_interrupts(suppressed=False)
            is_busy = yield from self._poll()

    def _check(self) -> Steps:
        """Check if the card needs a reset, should the interrupt be of its configuration."""
        if self._messages:
            is_configuration = self._host.load_word(self._messages + 4 * CONFIGURATION_VECTOR) != 0
        else:
            is_configuration = (yield read(self._places[ISR], 1)) & 2 != 0
        if is_configuration and (yield self._get(_Common.STATUS, 1)) & NEEDS_RESET:
            raise DriverError("the card needs a reset", "the firmware found an error in the driver's rings")

    def _poll(self) -> Steps:
        """Take used chains, and send due frames; return true if there was any work."""
        is_busy = False
        for queue, ring in enumerate(self._rings[: 2 * self._pairs]):
            if used := ring.take_used():
                is_busy = True
                yield from self._complete(queue, used)
        return (yield from self._send()) or is_busy

    def _poll_queue(self, queue: int) -> Steps:
        """Take the used chains of a queue; return true if there were any."""
        if used := self._rings[queue].take_used():
            yield from self._complete(queue, used)
        return bool(used)

    def _complete(self, queue: int, used: list[Used]) -> Steps | tuple[()]:
        """Take back the buffers of sent frames; return the steps that take received ones."""
        if queue % 2 == RECEIVE:
            return self._receive(queue, used)
        if not self._carried:
            self._free += [one.buffer for one in used]
            return ()
        for one in used:
            if one.buffer in self._carried:
                self._large.append(one.buffer)
                self._free += self._carried.pop(one.buffer)
            else:
                self._free.append(one.buffer)
        return ()

    def _receive(self, queue: int, used: list[Used]) -> Steps:
        ring, size, load = self._rings[queue], self._settings.buffer_bytes, self._host.load
        if self._coalesces:
            yield from self._take_coalesced([(one.buffer, one.length) for one in used])
        else:
            takes = []
            for one in used:
                count = load(one.buffer + 10, 2)
                if count != ONE_BUFFER:
                    spans = f"a frame spans {int.from_bytes(count, 'little')} buffers of {size} bytes"
                    raise DriverError(spans, "give the driver larger buffers")
                takes.append(take(one.buffer + VIRTIO_HEADER_BYTES, one.length - VIRTIO_HEADER_BYTES))
            yield takes
        ring.add([(one.buffer, size) for one in used])
        if ring.needs_doorbell():
            yield self._ring_doorbell(queue)

    def _take_coalesced(self, parts: Sequence[tuple[int, int]]) -> Steps:
        """Take frames from buffers, each with the bytes in it; cut those that the card has made one."""
        takes, at, cut = [], 0, 0
        while at < len(parts):
            buffer, length = parts[at]
            (count,) = struct.unpack("<H", self._host.load(buffer + 10, 2))
            if not 1 <= count <= len(parts) - at:
                raise DriverError(
                    f"a frame spans {count} buffers, of which {len(parts) - at} are here",
                    "look at the order of the used entries",
                )
            if count == 1 and self._host.load(buffer + 1, 1) == b"\0":
                takes.append(take(buffer + VIRTIO_HEADER_BYTES, length - VIRTIO_HEADER_BYTES))
            else:
                contents = b"".join(self._host.load(*part) for part in parts[at : at + count])
                for frame in frames_of(contents):
                    if cut == len(self._pieces):
                        self._pieces.append(self._host.allocate(self._settings.buffer_bytes, 64))
                    self._host.store(self._pieces[cut], frame)
                    takes.append(take(self._pieces[cut], len(frame)))
                    cut += 1
            at += count
        yield takes

    def _room(self) -> int:
        """Number of frames that may be sent, whatever queues they go to."""
        rings = self._rings[SEND : 2 * self._pairs : 2]
        return min(OPERATIONS_AT_ONCE, len(self._free), *[ring.room() for ring in rings])

    def _send(self) -> Steps:
        """Send the frames that are due, as far as there is room; return true if there were any."""
        buffers = self._free[: self._room()]
        if not buffers:
            return False
        lengths = yield [*map(self._sending.__getitem__, buffers)]
        load = self._host.load
        # Once no frame is due, the rest of the operations find none either.
        frames = [
            Due(place, length, load(place + VIRTIO_HEADER_BYTES, HEADER_BYTES), self._keeps_checksum(number))
            for number, (place, length) in enumerate(
                zip(buffers, filter(None, lengths), strict=False), self._sent
            )
        ]
        self._sent += len(frames)
        del self._free[: len(frames)]
        by_pair = defaultdict[int, list[Due]](list)
        for frame in frames:
            by_pair[self._pair_of(frame)].append(frame)
        for pair, own in sorted(by_pair.items()):
            ring = self._rings[2 * pair + 1]
            ring.add(self._chains(own))
            if ring.needs_doorbell():
                yield self._ring_doorbell(2 * pair + 1)
        return bool(frames)

    def _keeps_checksum(self, number: int) -> bool:
        return not any(number in left for left in self._settings.left_checksums)

    def _chains(self, frames: list[Due]) -> list[tuple[int, int]]:
        """Return the buffers that carry frames: one each, or large sends."""
        if not self._segments or len(frames) == 1:
            return [*map(self._alone, frames)]
        chains: list[tuple[int, int]] = []
        for keeps, consecutive in groupby(frames, attrgetter("keeps_checksum")):
            own = [*consecutive]
            chains += map(self._alone, own) if keeps else self._large_sends(own)
        return chains

    def _large_sends(self, frames: Iterable[Due]) -> list[tuple[int, int]]:
        chains = []
        for run in runs(frames, by_flow=self._pairs > 1):
            if len(run.frames) > 1 and self._has_large():
                buffer, contents = self._large.pop(), run.contents(self._host.load)
                self._host.store(buffer, contents)
                self._carried[buffer] = [frame.place for frame in run.frames]
                chains.append((buffer, len(contents)))
            else:
                for frame in run.frames:
                    chains.append(self._alone(frame))
        return chains

    def _alone(self, frame: Due) -> tuple[int, int]:
        if self._leaves_checksums:
            store = self._host.store
            kept = frame.keeps_checksum
            store(frame.place, bytes(VIRTIO_HEADER_BYTES) if kept else without_checksum(frame.headers))
        return frame.place, VIRTIO_HEADER_BYTES + frame.length

    def _has_large(self) -> bool:
        """Return true if there is a buffer for a large send; make one if there are few."""
        if not self._large and len(self._carried) < LARGE_SENDS:
            self._large.append(self._host.allocate(LARGE_BYTES, 64))
        return bool(self._large)

    def _pair_of(self, frame: Due) -> int:
        """Return the pair of queues of a frame: that of its flow."""
        return crc32(flow_of(frame.headers)) % self._pairs
