"""A driver of the Tigon-2 that follows the published protocol, in the order in which drivers carry it out.

Start-up: find the card in configuration space, reset it and halt its processors, tell it how large its memory
is, read the MAC address from the EEPROM, load the firmware through the window, describe the rings in the
general information block, start the firmware, wait for its event and post buffers. A little later the
interface is brought up and its filters are set, in the order of Linux's acenic, which reads the
place of each command back first; from there on the driver works whenever the card interrupts.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from spinach_nic.cards.drivers import (
    DriverError,
    Host,
    Operation,
    Program,
    read,
    read_configuration,
    wait,
    write,
    write_configuration,
)
from spinach_nic.cards.drivers.operations import INTERRUPT
from spinach_nic.cards.tigon2 import protocol as card
from spinach_nic.cards.tigon2.eeprom import read_bytes
from spinach_nic.cards.tigon2.receiving import Receiver
from spinach_nic.cards.tigon2.registers import Register
from spinach_nic.cards.tigon2.sending import Sender
from spinach_nic.cards.tigon2.settings import DriverSettings
from spinach_nic.firmware import LoadableImage
from spinach_nic.support.units import ms, us

REGION = 0xE000_0000
"""Base address region of the card, as the driver sets it."""

KNOWN_CARDS = {
    0x0001_12AE: "Alteon AceNIC (fibre)",
    0x0002_12AE: "Alteon AceNIC (copper)",
    0x0001_10B7: "3Com 3C985",
    0x620A_1385: "Netgear GA620",
}
BETWEEN_LOOKS_AT_CORES = ms(10)
AFTER_RESET = us(5)
BEFORE_OPENING = us(100)
"""Time from the event that the firmware runs to the first command, when a user opens the interface."""
OPERATIONS_AT_ONCE = 1024
INDEX_BYTES = 64
"""Distance of indices, each in a separate cache line."""
MASK = 2**32 - 1

Steps = Generator[Operation | Sequence[Operation], Any, None]


def _at(offset: int, value: int) -> Operation:
    return write(REGION + offset, value)


def _get(offset: int) -> Operation:
    return read(REGION + offset)


class Tigon2Driver:
    """The driver of one card."""

    def __init__(self, image: LoadableImage | None, settings: DriverSettings | None = None) -> None:
        """Load `image`; without one the card stays halted."""
        self._image = image
        self.settings = settings or DriverSettings()
        self.mac_address = b""
        self.events: list[card.EventWord] = []
        """The events of the card, apart from interrupts."""
        self._host: Host
        self._sender: Sender
        self._receiver: Receiver
        self._information = 0
        self._event_ring = 0
        self._indices = 0
        self._events_taken = 0

    @property
    def frames_by_ring(self) -> Mapping[str, int]:
        """Return the number of frames that came in buffers of each ring."""
        return self._receiver.frames_by_ring

    @property
    def verified_checksums(self) -> int:
        """Return the number of frames that the card has summed up, all of them correctly."""
        return self._receiver.verified_checksums

    @property
    def tags_taken_out(self) -> int:
        """Return the number of tags delivered separately from their frames."""
        return self._receiver.tags_taken_out

    def statistic(self, statistic: card.Statistic) -> int:
        """Return the statistics that the card last wrote."""
        address = self._information + card.STATISTICS_OFFSET + 4 * statistic
        word = self._host.load_word(address)
        return word << 32 | self._host.load_word(address + 4) if statistic.is_wide else word

    def program(self, host: Host) -> Program:
        """Return the driver, from power-on."""
        self._host = host
        yield from self._find_card()
        yield from self._reset()
        yield from self._read_mac_address()
        if self._image is None:
            return
        yield from self._load(self._image)
        self._lay_out()
        yield from self._tell_card()
        yield from self._start(self._image)
        yield from self._open()
        yield from self._work()

    def _find_card(self) -> Steps:
        identity = yield read_configuration(0)
        if identity not in KNOWN_CARDS:
            raise DriverError(
                f"configuration space reports 0x{identity:08x}, which is not a Tigon-2",
                f"give the card one of {', '.join(f'0x{known:08x}' for known in KNOWN_CARDS)}",
            )
        yield [
            write_configuration(card.BASE_ADDRESS_REGISTER, REGION),
            write_configuration(card.LATENCY_REGISTER, 0x40 << 8),
            write_configuration(
                card.COMMAND_REGISTER, card.COMMAND_MEMORY_SPACE | card.COMMAND_BUS_MASTER, size=2
            ),
        ]

    def _reset(self) -> Steps:
        """Set up the byte order; before that, the host control register is written from both ends."""
        clear = Register.HOST_CONTROL["CLEAR_INTERRUPT"] | Register.HOST_CONTROL["WORD_SWAP"]
        yield _at(
            Register.HOST_CONTROL,
            Register.HOST_CONTROL["HARD_RESET"] | Register.HOST_CONTROL["HARD_RESET"] << 24,
        )
        yield wait(until=self._host.now + AFTER_RESET)
        yield _at(Register.HOST_CONTROL, clear | clear << 24)
        halted = yield _get(Register.CPU_STATE_A)
        yield [
            _at(Register.CPU_STATE_A, halted | Register.CPU_STATE_A["HALTED"]),
            _at(card.MAILBOX_INTERRUPT, 0),
        ]
        revision = yield _get(Register.HOST_CONTROL)
        if revision >> 28 != card.CHIP_TIGON_2:
            raise DriverError(
                f"the chip reports revision {revision >> 28}",
                f"this driver is for the Tigon-2, revision {card.CHIP_TIGON_2}",
            )
        halted = yield _get(Register.CPU_STATE_B)
        mode = card.MODE_LITTLE_ENDIAN_HOST
        if self.settings.keeps_bad_frames:
            mode |= card.Mode.KEEP_BAD_FRAMES
        if self.settings.hardware_assist:
            mode |= card.Mode.HARDWARE_ASSIST
        state = yield _get(Register.PCI_STATE)
        yield [
            _at(Register.CPU_STATE_B, halted | Register.CPU_STATE_A["HALTED"]),
            _at(Register.LOCAL_CONTROL, card.SRAM_BANK_512K),
            _at(Register.CONFIGURATION, Register.CONFIGURATION["SYNCHRONOUS_SRAM"]),
            _at(card.MODE, mode),
            _at(Register.PCI_STATE, card.PCI_STATE_SETTINGS | state & Register.PCI_STATE["IS_66_MHZ"]),
        ]

    def _read_mac_address(self) -> Steps:
        others = yield _get(Register.LOCAL_CONTROL)
        register = REGION + Register.LOCAL_CONTROL
        self.mac_address = yield from read_bytes(card.EEPROM_MAC_ADDRESS, 6, register, others)

    def _load(self, image: LoadableImage) -> Steps:
        """Return the image, over zeros if these are enabled."""
        if self.settings.clears_memory:
            yield from self._fill(card.CLEARED.start, bytes(len(card.CLEARED)))
        yield from self._fill(image.load, image.contents)

    def _fill(self, start: int, contents: bytes) -> Steps:
        """Word by word, through a window of 2 KiB."""
        operations = []
        base = None
        for offset in range(0, len(contents), 4):
            address = start + offset
            if address // card.WINDOW_BYTES != base:
                base = address // card.WINDOW_BYTES
                operations.append(_at(Register.WINDOW_BASE, base * card.WINDOW_BYTES))
            word = int.from_bytes(contents[offset : offset + 4], "big")
            operations.append(_at(card.WINDOW + address % card.WINDOW_BYTES, word))
        for first in range(0, len(operations), OPERATIONS_AT_ONCE):
            yield operations[first : first + OPERATIONS_AT_ONCE]

    def _lay_out(self) -> None:
        """Rings, indices and buffers in host memory, and the block that tells the card about them."""
        host, settings = self._host, self.settings
        self._information = host.allocate(card.INFORMATION_BYTES)
        self._event_ring = host.allocate(card.EVENT_ENTRIES * card.EVENT_BYTES)
        self._indices = host.allocate(3 * INDEX_BYTES)
        self._sender = Sender(host, settings)
        self._receiver = Receiver(host, settings)
        host.allow_writes(
            [
                (self._information + card.STATISTICS_OFFSET, 4 * card.STATISTICS_WORDS),
                (self._event_ring, card.EVENT_ENTRIES * card.EVENT_BYTES),
                (self._indices, 3 * INDEX_BYTES),
            ]
        )
        rings = {
            "event": (self._event_ring, 0, 0),
            "command": (0, 0, 0),
            "send": self._sender.ring_control,
            **self._receiver.ring_controls,
        }
        for name, (address, length, flags) in rings.items():
            words = [address >> 32, address & MASK, length << 16 | flags, 0]
            host.store_words(self._information + card.RING_CONTROL_OFFSETS[name], words)
        pointers = {
            card.EVENT_PRODUCER_OFFSET: self._indices,
            card.RETURN_PRODUCER_OFFSET: self._indices + INDEX_BYTES,
            card.SEND_CONSUMER_OFFSET: self._indices + 2 * INDEX_BYTES,
            card.REFRESH_OFFSET: self._information + card.STATISTICS_OFFSET,
        }
        for offset, address in pointers.items():
            host.store_words(self._information + offset, [address >> 32, address & MASK])

    def _tell_card(self) -> Steps:
        settings, address = self.settings, self.mac_address
        link = card.Link.ENABLE | card.Link.SPEED_1000 | card.Link.FULL_DUPLEX
        if settings.flow_control:
            link |= card.Link.OBEY_PAUSE
        words = {
            card.MAC_ADDRESS: int.from_bytes(address[:2], "big"),
            card.MAC_ADDRESS + 4: int.from_bytes(address[2:], "big"),
            card.INFORMATION_POINTER: self._information >> 32,
            card.INFORMATION_POINTER + 4: self._information & MASK,
            card.EVENT_CONSUMER: 0,
            card.DMA_READ_CONFIGURATION: card.DMA_THRESHOLD,
            card.DMA_WRITE_CONFIGURATION: card.DMA_THRESHOLD,
            card.MASK_INTERRUPTS: 0,
            card.GIGABIT_LINK: link,
            card.INTERFACE_INDEX: 1,
            card.SEND_TICKS: settings.send_ticks,
            card.RECEIVE_TICKS: settings.receive_ticks,
            card.STATISTICS_TICKS: settings.statistics_ticks,
            card.SEND_COALESCING: settings.send_coalescing,
            card.RECEIVE_COALESCING: settings.receive_coalescing,
            card.TRANSMIT_BUFFER_RATIO: settings.transmit_buffer_ratio,
        }
        clear = [_at(card.COMMAND_RING + 4 * entry, 0) for entry in range(card.COMMAND_ENTRIES)]
        clear += [_at(card.MAILBOX_COMMAND, 0), _at(card.COMMAND_CONSUMER, 0)]
        yield clear + [_at(offset, word) for offset, word in words.items()]
        if not settings.send_ring_in_host:
            ring = self._sender.card_ring
            yield from self._fill(ring, bytes(card.CARD_SEND_RING_END - ring))

    def _start(self, image: LoadableImage) -> Steps:
        """Start processor A, and wait for the event that the firmware runs."""
        state = yield _get(Register.CPU_STATE_A)
        yield [
            _at(Register.CPU_PC_A, image.start),
            _at(card.MAILBOX_INTERRUPT, 0),
            _at(card.MAILBOX_SEND, 0),
            _at(Register.DMA_ASSIST, 1),
            _at(
                Register.CPU_STATE_A,
                state & ~(Register.CPU_STATE_A["HALTED"] | Register.CPU_STATE_A["SINGLE_STEP"]),
            ),
        ]
        deadline = self._host.now + self.settings.wait_for_firmware
        while not any(event.event == card.Event.FIRMWARE_RUNS for event in self.events):
            look = min(deadline, self._host.now + BETWEEN_LOOKS_AT_CORES)
            reasons, _ = yield [wait(until=look, for_interrupt=True), _at(card.MAILBOX_INTERRUPT, 0)]
            if not reasons:
                yield from self._look_at_core(is_late=look == deadline)
            yield self._take_events()
        yield self._at_region(self._receiver.post_all())

    def _look_at_core(self, *, is_late: bool) -> Steps:
        """Return the state of firmware that has not reported that it runs.

        Raises:
            DriverError: It has halted, or its time limit has passed.
        """
        yield from self._look_for_errors()
        state = yield _get(Register.CPU_STATE_A)
        if is_late or state & Register.CPU_STATE_A["ANY_HALT"]:
            raise DriverError(
                f"the firmware does not report that it runs; processor A has the state 0x{state:08x}",
                "give firmware for the Tigon-2, such as uni or parallel",
            )

    def _open(self) -> Steps:
        """Bring the interface up, and set the filter of frames."""
        settings = self.settings
        yield wait(until=self._host.now + BEFORE_OPENING)
        yield _at(card.LARGEST_UNIT, settings.longest_frame)
        yield from self._command(card.Command.CLEAR_STATISTICS)
        yield from self._bring_up()
        if settings.promiscuous:
            yield from self._command(card.Command.PROMISCUOUS, card.ON)
        for group in settings.multicast:
            yield from self._listen(group)

    def _bring_up(self) -> Steps:
        yield from self._command(card.Command.HOST_STATE, card.ON)

    def _listen(self, group: bytes) -> Steps:
        """Add a multicast address, which is in shared memory until the card acknowledges it."""
        before = sum(event.event == card.Event.MULTICAST for event in self.events)
        yield [
            _at(card.MULTICAST_ADDRESS, int.from_bytes(group[:2], "big")),
            _at(card.MULTICAST_ADDRESS + 4, int.from_bytes(group[2:], "big")),
        ]
        yield from self._command(card.Command.ADD_MULTICAST)
        while sum(event.event == card.Event.MULTICAST for event in self.events) == before:
            yield [wait(for_interrupt=True), _at(card.MAILBOX_INTERRUPT, 0)]
            yield self._take_events()

    def _command(self, command: card.Command, code: int = 0) -> Steps:
        """Give a command; its place is read over the bus, which separates commands in time."""
        place = yield _get(card.MAILBOX_COMMAND)
        yield [
            _at(card.COMMAND_RING + 4 * place, card.command_word(command, code)),
            _at(card.MAILBOX_COMMAND, (place + 1) % card.COMMAND_ENTRIES),
        ]

    def _take_events(self) -> list[Operation]:
        """Empty the event ring, as far as the card has filled it, and report this to the card."""
        produced = self._host.load_word(self._indices) % card.EVENT_ENTRIES
        if produced == self._events_taken:
            return []
        while self._events_taken != produced:
            word = self._host.load_word(self._event_ring + card.EVENT_BYTES * self._events_taken)
            event = card.EventWord.from_word(word)
            self.events.append(event)
            if event.event == card.Event.ERROR:
                raise DriverError(
                    f"the card reports error {event.code}", "check the driver's commands and rings"
                )
            self._events_taken = (self._events_taken + 1) % card.EVENT_ENTRIES
        return [_at(card.EVENT_CONSUMER, self._events_taken)]

    def _work(self) -> Steps:
        """Main loop: pass frames to the card, wait for it, reclaim sent frames, accept received frames."""
        sender, receiver = self._sender, self._receiver
        announcements: list[Operation] = []
        while True:
            lengths = yield sender.let_go() + receiver.takes()
            announcements += self._at_region(receiver.post_again() + sender.announce(lengths))
            *_, reasons, _ = yield [
                *announcements,
                wait(for_interrupt=True, for_frame=sender.has_room),
                _at(card.MAILBOX_INTERRUPT, 0),
            ]
            announcements = []
            if reasons & INTERRUPT:
                announcements = self._take_events()
                has_sent = sender.take_back(self._host.load_word(self._indices + 2 * INDEX_BYTES))
                has_received = receiver.look(self._host.load_word(self._indices + INDEX_BYTES))
                if not (announcements or has_sent or has_received):
                    yield from self._look_for_errors()

    def _look_for_errors(self) -> Steps:
        """Check for errors that the card may not have been able to report.

        Raises:
            DriverError: A DMA channel has stopped.
        """
        states = yield [_get(Register.DMA_READ_STATE), _get(Register.DMA_WRITE_STATE)]
        for direction, state in zip(("read", "write"), states, strict=True):
            if state & Register.DMA_READ_STATE["ERRORS"]:
                raise DriverError(
                    f"the card could not {direction} host memory: its DMA state is 0x{state:08x}",
                    "check the addresses in rings and descriptors",
                )

    @staticmethod
    def _at_region(mailboxes: Sequence[tuple[int, int]]) -> list[Operation]:
        return [_at(offset, value) for offset, value in mailboxes]
