"""Drivers next to a simulation: a host performs the operations of a generator, in simulated time."""

from collections.abc import Callable
from typing import Any

import pytest

from spinach_nic.cards.drivers import (
    Driver,
    DropReason,
    Host,
    Operation,
    Program,
    RunningDriver,
    drop,
    read,
    read_configuration,
    send,
    take,
    wait,
    write,
    write_configuration,
)
from spinach_nic.cards.drivers.operations import FRAME_DUE, INTERRUPT
from spinach_nic.cards.tigon2.card import Tigon2Card
from spinach_nic.library import PacketSink, ScriptedHost, TrafficSource
from spinach_nic.model import Component, parameter
from spinach_nic.model.simulation import Simulation, simulate
from spinach_nic.support.units import KiB, Time, ms, us

REGION = 0xE000_0000
BASE = 0x1_2000_0000
HOST_CONTROL, LOCAL_CONTROL, ANY_WORD = 0x040, 0x044, 0x600
STRAIGHT = 0x2000_0020


class Slot(Component):
    """A card that was not started, and a host."""

    settings: dict[str, Any] = parameter(default={}, kind="object", doc="Parameters of the host.")

    def build(self) -> None:
        self.card = Tigon2Card()
        clock = self.card.pci_clock
        self.host = ScriptedHost(clock=clock, memory_base=BASE, memory_size=KiB(64), **self.settings)
        self.host.configuration >> self.card.pci.configuration
        self.host.access >> self.card.pci.target
        self.card.pci.memory >> self.host.memory
        self.card.pci.interrupt >> self.host.interrupt
        self.network = TrafficSource(clock=self.card.mac_clock)
        self.sink = PacketSink(clock=self.card.mac_clock)
        self.network.wire >> self.card.received
        self.card.link_up >> self.network.link_up
        self.card.sent >> self.sink.wire


def drive(program: Callable[[Host], Program], *, sleeping: bool = True, **settings: Any) -> Simulation:
    """Run a driver to its end, or for a millisecond at most."""
    slot = Slot(settings=settings)
    simulation = simulate(slot)
    simulation.set_sleeping(sleeping)
    driver = RunningDriver(simulation, Driver(slot.host, program))
    while not driver.is_over and simulation.now < ms(1):
        simulation.run(ms(1), until=driver.condition)
        if driver.is_due:
            driver.resume()
    return simulation


START = [write_configuration(0x10, REGION), write_configuration(0x04, 6, size=2)]


def test_a_driver_is_sent_what_it_asked_for() -> None:
    seen: list[Any] = []

    def program(host: Host) -> Program:
        seen.append((yield read_configuration(0)))
        seen.append((yield []))
        yield [*START, write(REGION + HOST_CONTROL, STRAIGHT)]
        seen.append((yield [write(REGION + ANY_WORD, 0x1234_5678), read(REGION + ANY_WORD)]))
        seen.append((yield read(REGION + 0x10_0000)))

    simulation = drive(program)
    assert seen == [0x0001_12AE, [], [0, 0x1234_5678], 0xFFFF_FFFF]
    counters = simulation.statistics()
    assert counters["host.register_faults"] == 1
    assert counters["host.scripts"] == 4


def test_time_passes_as_it_is_told_to() -> None:
    moments: list[Time] = []

    def program(host: Host) -> Program:
        moments.append(host.now)
        yield wait(until=us(7))
        moments.append(host.now)
        reasons = yield wait(until=us(9), for_interrupt=True, for_frame=True)
        assert reasons == 0
        moments.append(host.now)

    drive(program)
    period = 15_000_000  # femtoseconds of the host's clock
    assert moments[0] == Time(0)
    for moment, wanted in zip(moments[1:], (us(7), us(9)), strict=True):
        assert wanted <= moment <= wanted + Time(period + 1)


def test_the_interrupt_is_a_level() -> None:
    def program(host: Host) -> Program:
        yield [*START, write(REGION + HOST_CONTROL, STRAIGHT)]
        local = yield read(REGION + LOCAL_CONTROL)
        yield write(REGION + LOCAL_CONTROL, local | 4)
        assert (yield wait(for_interrupt=True)) == INTERRUPT
        assert (yield wait(for_interrupt=True)) == INTERRUPT
        yield write(REGION + 0x504, 0)
        assert (yield wait(until=host.now + us(5), for_interrupt=True)) == 0
        done.append(True)

    done: list[bool] = []
    simulation = drive(program)
    assert done == [True]
    assert simulation.statistics()["host.interrupts"] == 1


def test_frames_are_let_go_of_when_they_are_due_and_checked_when_they_come() -> None:
    plan: dict[str, Any] = {"traffic": '{"kind": "udp", "sizes": [18, 100]}', "count": 5, "seed": 3}
    settings = {f"{way}_{name}": value for way in ("send", "receive") for name, value in plan.items()}
    verdicts: list[int] = []

    def program(host: Host) -> Program:
        place = host.allocate(2048) + 64
        for number in range(5):
            assert (yield wait(for_frame=True)) == FRAME_DUE
            assert host.now >= us(10 * number)
            early, length, late = yield [
                wait(until=host.now),
                send(place, place + 14, 14),
                send(place, place + 14, 14),
            ]
            assert (early, late) == (0, 0), "the next frame is not due yet"
            frame = host.load(place, length)
            if number == 3:
                host.store(place + 50, bytes([frame[50] ^ 1]))
            verdicts.append((yield take(place, length)))
        host.store(place, frame)
        verdicts.append((yield take(place, length)))
        assert (yield wait(until=host.now + us(50), for_frame=True)) == 0

    simulation = drive(program, send_frame_rate=100_000, **settings)
    assert verdicts == [0, 0, 0, 1, 0, 3]
    counters = simulation.statistics()
    found = {name: counters[f"host.{name}"] for name in ("offered", "delivered", "corrupted", "duplicated")}
    assert found == {"offered": 5, "delivered": 4, "corrupted": 1, "duplicated": 1}


def test_frames_are_dropped_for_a_reason() -> None:
    def program(host: Host) -> Program:
        results = yield [drop(reason) for reason in DropReason for _ in range(1 + reason)]
        assert results == [0] * 6

    counters = drive(program).statistics()
    assert [counters[f"host.dropped_{reason.name.lower()}"] for reason in DropReason] == [1, 2, 3]


def test_there_is_no_other_reason() -> None:
    def program(host: Host) -> Program:
        yield Operation(7, 3)

    slot = Slot()
    simulation = simulate(slot)
    RunningDriver(simulation, Driver(slot.host, program))
    outcome = simulation.run(us(1))
    assert (outcome.reason, outcome.details) == (
        "stopped",
        "host: there is no reason 3 to drop a frame",
    )


def test_an_access_takes_as_long_as_it_must() -> None:
    moments: list[Time] = []

    def program(host: Host) -> Program:
        yield START
        moments.append(host.now)
        yield [read(REGION + ANY_WORD), read(REGION + ANY_WORD)]
        moments.append(host.now)
        yield write(REGION + ANY_WORD, 1)
        moments.append(host.now)

    drive(program, read_time=us(3), write_time=us(1))
    assert us(6) <= moments[1] - moments[0] < us(6.2)
    assert us(1) <= moments[2] - moments[1] < us(1.2)


def test_sleeping_changes_nothing() -> None:
    def program(host: Host) -> Program:
        yield [*START, write(REGION + HOST_CONTROL, STRAIGHT)]
        for number in range(5):
            yield [
                wait(until=us(20 * (number + 1))),
                write(REGION + ANY_WORD, number),
                read(REGION + ANY_WORD),
            ]
            log.append(host.now)

    logs: list[list[Time]] = []
    for sleeping in (True, False):
        log: list[Time] = []
        drive(program, sleeping=sleeping)
        logs.append(log)
    assert logs[0] == logs[1]
    assert len(logs[0]) == 5


def endless(host: Host) -> Program:
    yield [wait(until=us(1))] * 5000


def greedy(host: Host) -> Program:
    host.allocate(1 << 20)
    yield []


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (endless, "host: 5000 operations at once\nhelp: yield at most 4096"),
        (greedy, "host: the driver needs more than the shared memory"),
    ],
)
def test_a_driver_that_wants_too_much(program: Any, said: str, refusal: Callable[..., str]) -> None:
    assert refusal(lambda: drive(program)).startswith(said)
