"""The cores of the Tigon-2 tell the host nothing before it is so, however far apart they are in time."""

from __future__ import annotations

import pytest
from tests.python.cards.places import image_of
from tests.python.cards.tigon2.asking import Asking, nic_that_says

from spinach_nic import delay_at
from spinach_nic.cards.drivers import wait, write
from spinach_nic.cards.drivers.operations import INTERRUPT
from spinach_nic.cards.tigon2 import Tigon2
from spinach_nic.cards.tigon2 import protocol as card
from spinach_nic.cards.tigon2.driver import INDEX_BYTES, REGION, Steps
from spinach_nic.cards.tigon2.protocol import Command, Event, Statistic
from spinach_nic.runs.execution import execute
from spinach_nic.support.units import us

FIRMWARE = "parallel"
FRAMES = 40
WINDOW = 20_000
"""Cycles in which the host gives two commands, and the other core carries them out."""
SENDING, RECEIVING = 0, 1
LOAD_WORD = 0x23
"""The upper 6 bits of the instruction."""


def before_load(function: str, number: int) -> str:
    """The place of a load of a function."""
    image = image_of(Tigon2, FIRMWARE)
    symbol = image.symbol(function)
    segment = next(held for held in image.segments if held.address <= symbol.address < held.end)
    code = segment.data[symbol.address - segment.address :][: symbol.bytes]
    return f"{function}+{[at for at in range(0, len(code), 4) if code[at] >> 2 == LOAD_WORD][number]:#x}"


def look(driver: Asking) -> None:
    """See which frames are in the buffers of the host."""
    driver._receiver.look(driver._host.load_word(driver._indices + INDEX_BYTES))


def receive_all(driver: Asking) -> Steps:
    """Bring the interface up, and wait until the frames must be in the buffers of the host."""
    yield from driver.say(Command.PROMISCUOUS, card.ON)
    yield from driver.say(Command.HOST_STATE, card.ON)
    yield from driver.hear(Event.LINK, 1)
    yield wait(until=driver._host.now + us(600))
    look(driver)


@pytest.mark.parametrize("load", range(8))
def test_statistics_that_the_host_hears_of_follow_the_commands_before_them(load: int) -> None:
    received: list[int] = []

    def steps(driver: Asking) -> Steps:
        yield from receive_all(driver)
        # While the receiving core is about to report the first command, the other core carries out two more.
        yield from driver.say(Command.REFRESH_STATISTICS)
        yield from driver.say(Command.CLEAR_STATISTICS, words=[Command.REFRESH_STATISTICS << 24])
        yield from driver.hear(Event.STATISTICS, 2)
        received.append(driver.statistic(Statistic.IN_OCTETS))

    nic, _ = nic_that_says(steps)
    delays = [delay_at(before_load("handle_tell_host", load), WINDOW, core=RECEIVING)]
    finished = execute(nic, firmware=FIRMWARE, traffic="udp:18:rx@400kpps", frames=FRAMES, delays=delays)
    assert finished.check().cores[RECEIVING].cycles["halted"] > 0
    assert received == [0]


def test_counts_that_are_cleared_are_not_taken_for_wrapped() -> None:
    told: list[int] = []

    def steps(driver: Asking) -> Steps:
        yield from receive_all(driver)
        yield from driver.refresh()
        # The other core carries out the second command before the receiving one counts for the first.
        yield from driver.say(Command.REFRESH_STATISTICS, words=[Command.CLEAR_STATISTICS << 24])
        yield from driver.hear(Event.STATISTICS, 2)
        told.append(driver.statistic(Statistic.IN_UNICAST))

    nic, _ = nic_that_says(steps)
    delays = [delay_at("statistics_of_receiving", WINDOW, core=RECEIVING)]
    finished = execute(nic, firmware=FIRMWARE, traffic="udp:18:rx@400kpps", frames=FRAMES, delays=delays)
    assert finished.check().complete
    assert told == [FRAMES]


def test_a_ring_that_begins_anew_has_no_descriptors_until_the_host_fills_it() -> None:
    buffers, frames = 4, 12

    def steps(driver: Asking) -> Steps:
        yield from driver.say(Command.PROMISCUOUS, card.ON)
        yield from driver.say(Command.HOST_STATE, card.ON)
        receiver, host = driver._receiver, driver._host
        ring = receiver._rings["jumbo"]
        while ring.held:
            yield wait(until=host.now + us(50))
            look(driver)
        # All buffers hold frames. The next comes before the receiving core knows that the ring begins anew.
        yield receiver.takes()
        receiver._returned = []
        yield from driver.say(Command.RESET_JUMBO)
        yield from driver.hear(Event.JUMBO_RESET, 1)
        ring.produced = 0
        for _ in ring.buffers:
            ring.post(host, card.Flag.JUMBO)
        yield write(REGION + card.MAILBOX_JUMBO, ring.produced)

    nic, drivers = nic_that_says(steps, jumbo_buffers=buffers)
    nic.set("largest_frame", 9018)
    delays = [delay_at("host_event", 3 * WINDOW, core=SENDING)]
    finished = execute(nic, firmware=FIRMWARE, traffic="udp:8900:rx@2kpps", frames=frames, delays=delays)
    assert finished.check().complete
    assert drivers[0].frames_by_ring["jumbo"] == frames


@pytest.mark.parametrize("load", range(4))
def test_an_interrupt_that_waits_is_not_forgotten_with_an_earlier_one(load: int) -> None:
    reasons: list[int] = []
    mailbox = REGION + card.MAILBOX_INTERRUPT

    def steps(driver: Asking) -> Steps:
        host = driver._host
        yield from driver.say(Command.PROMISCUOUS, card.ON)
        yield from driver.say(Command.HOST_STATE, card.ON)
        while not driver._receiver._returned:
            yield wait(until=host.now + us(50))
            look(driver)
        first = host.now
        # One interrupt waits, since the host masks interrupts.
        yield write(mailbox, 1)
        yield from driver.say(Command.REFRESH_STATISTICS)
        yield wait(until=first + us(4000))
        # The sending core is about to assert it when the host masks them again, and the next frame comes.
        yield [wait(until=first + us(4800)), write(mailbox, 0)]
        yield [wait(until=host.now + us(20)), write(mailbox, 1)]
        yield [wait(until=first + us(6000)), write(mailbox, 0)]
        reasons.append((yield wait(until=host.now + us(3000), for_interrupt=True)))
        look(driver)
        yield driver._take_events()

    nic, drivers = nic_that_says(steps)
    delays = [delay_at(before_load("mailbox_interrupt", load), 3 * WINDOW, core=SENDING)]
    finished = execute(nic, firmware=FIRMWARE, traffic="udp:18:rx@200pps", frames=2, delays=delays)
    assert finished.check().complete
    assert reasons == [INTERRUPT]
    assert drivers[0].frames_by_ring["standard"] == 2
