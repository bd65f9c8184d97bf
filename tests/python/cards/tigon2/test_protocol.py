"""Messages between the host and the firmware: commands, events, statistics."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from scapy.all import IP, UDP, Ether, Raw  # type: ignore[attr-defined]
from tests.python.cards.tigon2.asking import Asking, nic_that_says
from tests.python.cards.tigon2.test_frames import captured

from spinach_nic import run
from spinach_nic.cards.drivers import Operation, wait, write
from spinach_nic.cards.tigon2 import protocol as card
from spinach_nic.cards.tigon2.driver import INDEX_BYTES, REGION, Steps
from spinach_nic.cards.tigon2.protocol import Command, Event, Statistic
from spinach_nic.cards.tigon2.receiving import Receiver, Returned
from spinach_nic.cards.tigon2.sending import Sender
from spinach_nic.runs import StoppedError
from spinach_nic.runs.execution import execute
from spinach_nic.support.units import ms, ns, us

all_images = pytest.mark.parametrize("firmware", ["uni", "parallel", "released-style"])
MAC_ADDRESS = "00:60:cf:20:00:c5"
ELSEWHERE = "00:60:cf:00:00:01"
GROUP = "01:00:5e:00:00:05"
EVERYBODY = "ff:ff:ff:ff:ff:ff"
HEADERS = 14 + 20 + 8
CHECK_SEQUENCE = 4


def nothing(_: Asking) -> Steps:
    yield []


@all_images
def test_statistics_count_what_went_over_the_wire(firmware: str, tmp_path: Path) -> None:
    frames = [
        Ether(dst=address, src=ELSEWHERE) / IP() / UDP() / Raw(bytes(size))
        for address, size in (
            (MAC_ADDRESS, 18),
            (ELSEWHERE, 700),
            (GROUP, 60),
            (EVERYBODY, 1),
            (MAC_ADDRESS, 1472),
        )
    ]
    capture = captured(tmp_path / "kinds.pcap", frames)
    nic, drivers = nic_that_says(nothing, statistics_ticks=100)
    finished = execute(nic, firmware=firmware, traffic=f"pcap:{capture}:loop@20kpps", frames=50)
    assert finished.check().complete
    finished.session.simulation.run(us(300))
    statistic = drivers[0].statistic
    octets = 10 * sum(max(60, len(frame)) + CHECK_SEQUENCE for frame in frames)
    for side in ("IN", "OUT"):
        counts = {
            kind: statistic(Statistic[f"{side}_{kind}"]) for kind in ("UNICAST", "MULTICAST", "BROADCAST")
        }
        assert counts == {"UNICAST": 30, "MULTICAST": 10, "BROADCAST": 10}, side
        assert statistic(Statistic[f"{side}_OCTETS"]) == octets, side
    assert statistic(Statistic.IN_DISCARDED) == statistic(Statistic.FCS_ERRORS) == 0


@all_images
def test_statistics_describe_the_interface_and_count_what_was_said(firmware: str) -> None:
    def steps(driver: Asking) -> Steps:
        yield from driver.say(Command.HOST_STATE, card.ON)
        yield from driver.say(Command.PROMISCUOUS, card.ON)
        yield from driver.hear(Event.LINK, 1)
        yield from driver.refresh()
        yield from driver.refresh()

    nic, drivers = nic_that_says(steps)
    finished = execute(nic, firmware=firmware, traffic="udp:100@50kpps", frames=5)
    assert finished.check().complete
    statistic = drivers[0].statistic
    assert statistic(Statistic.SPEED) == 10**9
    assert statistic(Statistic.HIGH_SPEED) == 1000
    assert statistic(Statistic.OPERATIONAL_STATE) == statistic(Statistic.PROMISCUOUS) == 1
    assert statistic(Statistic.LARGEST_UNIT) == 1518
    assert statistic(Statistic.PHYSICAL_ADDRESS) == 0x0060
    # The statistics were cleared when the interface was opened; these followed.
    counts = {it.name: statistic(it) for it in Statistic if it.name.startswith(("COMMANDS", "EVENTS"))}
    assert {name: count for name, count in counts.items() if count} == {
        "COMMANDS_PROMISCUOUS": 1,
        "COMMANDS_HOST_STATE": 1,
        "COMMANDS_REFRESH_STATISTICS": 2,
        "EVENTS_LINK": 1,
        "EVENTS_STATISTICS": 2,
    }
    assert statistic(Statistic.INTERRUPTS) > 0


@all_images
def test_statistics_are_cleared(firmware: str) -> None:
    def steps(driver: Asking) -> Steps:
        yield from driver.refresh()
        yield from driver.say(Command.CLEAR_STATISTICS)
        yield from driver.refresh()

    nic, drivers = nic_that_says(steps)
    execute(nic, firmware=firmware, traffic="udp:100@50kpps", frames=5).check()
    statistic = drivers[0].statistic
    assert statistic(Statistic.COMMANDS_PROMISCUOUS) == 0
    assert statistic(Statistic.COMMANDS_REFRESH_STATISTICS) == 1


@all_images
def test_the_command_ring_and_the_event_ring_wrap(firmware: str) -> None:
    def steps(driver: Asking) -> Steps:
        for _ in range(card.EVENT_ENTRIES + 10):
            yield from driver.refresh()

    nic, drivers = nic_that_says(steps)
    execute(nic, firmware=firmware, traffic="udp:100@50kpps", frames=5).check()
    asked = card.EVENT_ENTRIES + 10
    assert sum(event.event == Event.STATISTICS for event in drivers[0].events) == asked
    assert drivers[0].statistic(Statistic.COMMANDS_REFRESH_STATISTICS) == asked


@all_images
def test_returned_descriptors_say_whom_a_frame_was_for(
    firmware: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = (card.Flag.UNICAST, card.Flag.MULTICAST, card.Flag.UNICAST | card.Flag.MULTICAST)
    frames = [Ether(dst=it, src=ELSEWHERE) / IP() / UDP() for it in (MAC_ADDRESS, GROUP, EVERYBODY)]
    seen: list[card.Flag] = []
    take = Receiver._take

    def noted(receiver: Receiver, returned: Returned) -> Operation:
        seen.append(returned.flags & (card.Flag.UNICAST | card.Flag.MULTICAST | card.Flag.END))
        return take(receiver, returned)

    monkeypatch.setattr(Receiver, "_take", noted)
    capture = captured(tmp_path / "kinds.pcap", frames)
    run("tigon2", firmware=firmware, traffic=f"pcap:{capture}:loop:rx@20kpps", frames=6)
    assert seen == 2 * [kind | card.Flag.END for kind in kinds]


@all_images
def test_check_sequences_are_kept_on_demand(firmware: str, monkeypatch: pytest.MonkeyPatch) -> None:
    take = Receiver._take
    checked = []

    def without(receiver: Receiver, returned: Returned) -> Operation:
        frame = receiver._host.load(returned.buffer, returned.length)
        checked.append(zlib.crc32(frame[:-4]).to_bytes(4, "little") == frame[-4:])
        return take(receiver, returned._replace(length=returned.length - 4))

    monkeypatch.setattr(card, "MODE_LITTLE_ENDIAN_HOST", card.MODE_LITTLE_ENDIAN_HOST | 0x400)
    monkeypatch.setattr(Receiver, "_take", without)
    assert run("tigon2", firmware=firmware, traffic="udp:18,100,1470:rx@20kpps", frames=20).complete
    assert checked == [True] * 20


@all_images
def test_the_memory_is_zero_where_the_driver_has_cleared_it(firmware: str) -> None:
    asked = {"clears_memory": True}
    finished = execute("tigon2", firmware=firmware, traffic="udp:100@50kpps", frames=5, set=asked)
    result = finished.check()
    assert result.complete
    assert ms(15) < ns(result.simulated_ns) < ms(60)
    # Half a megabyte goes through the window, word by word.
    claimed = finished.session.simulation.statistics()["card.pci.claimed"]
    assert claimed > len(card.CLEARED) // 4


@all_images
def test_pauses_are_obeyed_when_the_link_is_told_to(firmware: str, tmp_path: Path) -> None:
    pause = Ether(dst="01:80:c2:00:00:01", src=ELSEWHERE, type=0x8808) / Raw(b"\x00\x01" + b"\x03\xe8")
    capture = captured(tmp_path / "pause.pcap", [pause])

    def sent(flow_control: bool) -> float:
        traffic = ["udp:1472:tx", f"pcap:{capture}:loop:rx@1kpps"]
        settings = {"flow_control": flow_control}
        result = run("tigon2", firmware=firmware, traffic=traffic, frames={"tx": 300, "rx": 4}, set=settings)
        frames = result.frames
        assert frames.delivered["tx"] == frames.offered["tx"] >= 300
        pauses = {"card.mac_receive": {"pause": frames.offered["rx"]}}
        assert frames.dropped["rx"] == (pauses if flow_control else {})
        return frames.delivered["tx"] / result.simulated_ns

    # A thousand quanta of 512 ns, each millisecond.
    assert sent(True) < sent(False)


@all_images
@pytest.mark.parametrize("is_masked_by", [card.MAILBOX_INTERRUPT, card.MASK_INTERRUPTS])
def test_a_masked_interrupt_comes_when_the_host_wants_it(firmware: str, is_masked_by: int) -> None:
    reasons: list[int] = []

    def steps(driver: Asking) -> Steps:
        yield write(REGION + is_masked_by, 1)
        yield from driver.say(Command.REFRESH_STATISTICS)
        reasons.append((yield wait(until=driver._host.now + us(200), for_interrupt=True)))
        # The mask in shared memory alone raises no interrupt; the mailbox does.
        yield [write(REGION + card.MASK_INTERRUPTS, 0), write(REGION + card.MAILBOX_INTERRUPT, 0)]
        reasons.append((yield wait(until=driver._host.now + us(200), for_interrupt=True)))
        yield from driver.hear(Event.STATISTICS, 1)
        yield from driver.refresh()

    nic, drivers = nic_that_says(steps)
    execute(nic, firmware=firmware, traffic="udp:100@50kpps", frames=5).check()
    assert reasons == [0, 1]
    assert drivers[0].statistic(Statistic.INTERRUPTS_AVOIDED) > 0


@all_images
def test_new_tuning_is_followed_when_the_host_says_so(firmware: str) -> None:
    def steps(driver: Asking) -> Steps:
        yield write(REGION + card.RECEIVE_COALESCING, 1)
        yield from driver.say(Command.UPDATE_GENERAL)
        yield from driver.refresh()

    def told(steps: Callable[[Asking], Steps]) -> int:
        nic, drivers = nic_that_says(steps, statistics_ticks=100, receive_ticks=5000)
        finished = execute(nic, firmware=firmware, traffic="udp:100:rx@20kpps", frames=10)
        finished.check()
        finished.session.simulation.run(us(300))
        return drivers[0].statistic(Statistic.RETURN_PRODUCER_UPDATES)

    assert told(steps) == 10
    assert told(nothing) == 1


@all_images
@pytest.mark.parametrize("is_urgent", [False, True])
def test_the_host_hears_at_once_of_frames_that_it_marks(
    firmware: str, is_urgent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    describe = Sender._describe

    def marked(sender: Sender, slot: int, length: int) -> list[tuple[int, int, int, int]]:
        mark = card.Flag.COALESCE_NOW if is_urgent else card.Flag(0)
        return [(high, low, word | mark, tag) for high, low, word, tag in describe(sender, slot, length)]

    monkeypatch.setattr(Sender, "_describe", marked)
    nic, drivers = nic_that_says(nothing, statistics_ticks=100, send_ticks=50_000, send_coalescing=1000)
    finished = execute(nic, firmware=firmware, traffic="udp:100:tx@20kpps", frames=10)
    finished.check()
    finished.session.simulation.run(us(300))
    driver = drivers[0]
    consumer = driver._host.load_word(driver._indices + 2 * INDEX_BYTES)
    # Two descriptors for each frame.
    assert consumer == (20 if is_urgent else 0)
    assert bool(driver.statistic(Statistic.SEND_CONSUMER_UPDATES)) == is_urgent


@all_images
def test_no_interrupt_tells_of_what_the_host_does_not_want_to_hear(
    firmware: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupts(mode: int) -> tuple[int, int]:
        monkeypatch.setattr(card, "MODE_LITTLE_ENDIAN_HOST", 0x4000_021C | mode)
        nic, drivers = nic_that_says(nothing, statistics_ticks=100)
        finished = execute(nic, firmware=firmware, traffic="udp:100@50kpps", frames=10, stall_after=ms(6))
        driver = drivers[0]
        finished.session.simulation.run(us(300))
        returned = driver._host.load_word(driver._indices + INDEX_BYTES)
        return driver.statistic(Statistic.INTERRUPTS), returned

    # Frames that have come are returned all the same.
    assert interrupts(0x2000 | 0x4000) == (1, 10)
    some, returned = interrupts(0)
    assert some > 2
    assert returned == 10


@pytest.mark.parametrize(("command", "code", "error"), [(0x06, 0, 2), (0x3F, 0, 2), (0x01, 7, 1)])
def test_wrong_commands_are_events(command: int, code: int, error: int) -> None:
    def steps(driver: Asking) -> Steps:
        yield from driver.say(command, code)
        yield from driver.hear(Event.ERROR, 1)

    nic, _ = nic_that_says(steps)
    with pytest.raises(StoppedError, match=f"reports error {error}"):
        run(nic, firmware="uni", traffic="udp:100@50kpps", frames=5)


@all_images
def test_the_jumbo_ring_begins_anew_after_its_reset(firmware: str) -> None:
    def steps(driver: Asking) -> Steps:
        yield from driver.say(Command.RESET_JUMBO)
        yield from driver.hear(Event.JUMBO_RESET, 1)
        ring = driver._receiver._rings["jumbo"]
        ring.held.clear()
        ring.produced = 0
        # Buffers in another order: descriptors of before would give themselves away.
        ring.buffers.reverse()
        for _ in ring.buffers:
            ring.post(driver._host, card.Flag.JUMBO)
        yield write(REGION + card.MAILBOX_JUMBO, ring.produced)
        yield from driver.refresh()

    nic, drivers = nic_that_says(steps)
    nic.set("largest_frame", 9018)
    result = run(nic, firmware=firmware, traffic="udp:8900@5kpps", frames=80)
    assert result.complete
    assert drivers[0].frames_by_ring["jumbo"] == 80
    assert drivers[0].statistic(Statistic.COMMANDS_RESET_JUMBO) == 1
    assert drivers[0].statistic(Statistic.EVENTS_JUMBO_RESET) == 1


@all_images
def test_groups_are_added_and_deleted_with_their_address_behind_the_command(
    firmware: str, tmp_path: Path
) -> None:
    capture = captured(tmp_path / "group.pcap", [Ether(dst=GROUP, src=ELSEWHERE) / IP() / UDP()])
    address = bytes.fromhex(GROUP.replace(":", ""))
    words = [int.from_bytes(address[:2], "big"), int.from_bytes(address[2:], "big")]

    def steps(driver: Asking, deletes: bool) -> Steps:
        yield from driver.say(Command.ADD_MULTICAST_EXTENDED, words=words)
        if deletes:
            yield from driver.say(Command.DELETE_MULTICAST_EXTENDED, words=words)
        yield from driver.hear(Event.MULTICAST, 1 + deletes)

    for deletes in (False, True):
        said = partial(steps, deletes=deletes)
        nic, _ = nic_that_says(said, promiscuous=False)
        result = run(nic, firmware=firmware, traffic=f"pcap:{capture}:loop:rx@20kpps", frames=10)
        assert result.frames.delivered["rx"] == (0 if deletes else 10)


@all_images
def test_all_groups_are_received_on_demand(firmware: str, tmp_path: Path) -> None:
    capture = captured(tmp_path / "group.pcap", [Ether(dst=GROUP, src=ELSEWHERE) / IP() / UDP()])

    def steps(driver: Asking) -> Steps:
        yield from driver.say(Command.ALL_MULTICAST, card.ON)
        yield from driver.refresh()

    nic, _ = nic_that_says(steps, promiscuous=False)
    result = run(nic, firmware=firmware, traffic=f"pcap:{capture}:loop:rx@20kpps", frames=10)
    assert result.frames.delivered["rx"] == 10


def test_a_slow_bus_is_no_mistake_of_the_firmware() -> None:
    result = run("tigon2", frames=2, set={"host_overhead": 200})
    assert result.frames.delivered == {"tx": 2, "rx": 2}
