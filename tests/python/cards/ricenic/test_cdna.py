"""Contexts of guests: frames, turns, memory, and what becomes of guests that break the rules."""

from pathlib import Path
from typing import Any

import pytest
from tests.python.cards.ricenic.hostile import Pen, Zoo, fuzz
from tests.python.cards.ricenic.test_console import console, script
from tests.python.cards.trouble import NONE, assert_nothing_wrong

from spinach_nic import Result, SpinachError, ms, run, us
from spinach_nic.benches import make_bench
from spinach_nic.cards.drivers import Operation
from spinach_nic.cards.ricenic.driver import RicenicDriver
from spinach_nic.cards.ricenic.guests import BUFFER, END_OF_FRAME, Guest, RefusedError, card_word, mac_address
from spinach_nic.cards.ricenic.nic import Ricenic
from spinach_nic.runs import execute


def cdna(**options: Any) -> Result:
    return run("ricenic", firmware="cdna", **options)


MODES: dict[str, dict[str, Any]] = {
    "four guests": {},
    "one guest": {"guests": 1},
    "many guests": {"guests": 100, "guest_entries": 4, "guest_buffer": "8KiB"},
    "functional cores": {"core": "functional"},
    "a buffer for one frame": {"guest_buffer": "2KiB"},
    "small rings": {"guest_entries": 2},
    "guests in turns": {"guest_period": "300us"},
    "a slow hypervisor": {"host_latency": "50us"},
    "slow memories": {"ddr_column": 40, "bram_latency": 9, "sram_latency": 90, "bridge_stages": 8},
}


@pytest.mark.parametrize("mode", list(MODES))
def test_every_mode_passes_frames_of_all_sizes(mode: str) -> None:
    # The sink and the host compare every byte, and the order of the frames of each guest.
    result = cdna(traffic="udp:18,60,333,1472@15kpps", frames=99, set=MODES[mode])
    assert_nothing_wrong(result.frames)
    assert result.frames.in_flight == NONE
    dropped = result.frames.dropped["rx"].get("card.tally", {})
    assert set(dropped) <= {"buffer_full"}
    assert result.frames.delivered["tx"] == 99
    assert result.frames.delivered["rx"] == 99 - sum(dropped.values())
    if mode in ("four guests", "many guests", "one guest", "functional cores"):
        assert not dropped


def test_guests_share_the_link_evenly() -> None:
    bench = make_bench(Ricenic(guests=6))
    result = execute(bench, firmware="cdna", traffic="udp:1472:tx", time=ms(4)).check()
    assert result.tx.rate("line_rate_fraction") > 0.97
    assert isinstance(bench.driver_model, RicenicDriver)
    sent = [guest.sent for guest in bench.driver_model.hypervisor.guests]
    # A turn more or less, and what waits in the buffers.
    assert max(sent) - min(sent) <= 34, sent


def test_turns_count_bytes_and_not_frames() -> None:
    pen = Uneven(1, guests=2, hostile=(), capture=None, guest_entries=256, frames=0)
    pen.run(ms(1))
    before = [pen.sent_bytes(number) for number in (1, 2)]
    pen.run(ms(2))
    wire = [pen.sent_bytes(number) - then for number, then in zip((1, 2), before, strict=True)]
    assert sum(wire) > 200_000
    assert max(wire) / min(wire) < 1.1, wire


def test_a_frame_for_all_reaches_every_guest() -> None:
    pen = Pen(1, guests=3, hostile=(), capture=None, frames=0)
    pen.run(us(300))
    pen.receive(b"\xff" * 6 + mac_address(9) + b"\x88\xb5" + bytes(46))
    pen.run(us(100))
    assert [guest.received for guest in pen.zoo.guests] == [1, 1, 1]
    pen.receive(mac_address(9) + mac_address(8) + b"\x88\xb5" + bytes(46))
    pen.run(us(100))
    assert pen.counter("card.tally.count_0") == 1


class Rogue(Zoo):
    """Guest 2 does one thing that it must not, once."""

    kind = ""

    def transmit(self, guest: Guest) -> list[Operation]:
        """Do it when the others are at work."""
        if guest.number != 2 or self.host.now < us(600):
            return super(Zoo, self).transmit(guest)
        if self.steps and self.kind != "buffers without descriptors":
            return []  # a right announcement would take the wrong one's place
        self.steps = 1
        ring, base = guest.send_ring, guest.base
        if self.kind == "far ahead":
            return [card_word(guest.mailbox("send"), ring.produced + 17)]
        if self.kind == "backwards":
            return [card_word(guest.mailbox("send"), ring.consumed - 1 & 0xFFFFFFFF)]
        if self.kind == "more than there are":
            return [card_word(guest.mailbox("send"), ring.produced + ring.room)]
        if self.kind == "buffers without descriptors":
            return self._announce_stale(guest)
        if self.kind == "more buffers than there are":
            # Whatever the card has used: what the ring holds beyond those that are announced is too much.
            ring = guest.receive_ring
            return [card_word(guest.mailbox("receive"), ring.produced + ring.entries + 1)]
        if self.kind == "too long":
            self.enqueue(guest, "send", base, 1000, 0, 0)
            self.enqueue(guest, "send", base, 1000, END_OF_FRAME, 0)
        elif self.kind == "too short":
            self.enqueue(guest, "send", base, 13, END_OF_FRAME, 0)
        elif self.kind == "a checksum outside":
            self.enqueue(guest, "send", base, 60, END_OF_FRAME | 0x10, 59 << 8 | 59)
        elif self.kind == "another's address":
            place = base + guest.size - BUFFER
            self.host.store(place, bytes(6) + mac_address(1) + bytes(48))
            self.enqueue(guest, "send", place, 60, END_OF_FRAME, 0)
        return [card_word(guest.mailbox("send"), ring.produced)]

    def _announce_stale(self, guest: Guest) -> list[Operation]:
        """Announce a buffer without a descriptor, once the card has used some, so that the ring has room."""
        ring = guest.receive_ring
        if self.host.now < us(800) or self.steps > 1:
            return []
        self.steps = 2
        returned = int.from_bytes(self.host.load(guest.status + 4, 4), "big")
        assert ring.entries > ring.produced - returned, "the card has used buffers"
        return [card_word(guest.mailbox("receive"), ring.produced + 1)]

    def receive(self, guest: Guest) -> Any:
        """Post no buffers once the rule is broken: a valid announcement would replace the wrong one."""
        if guest.number == 2 and self.steps and "buffers" in self.kind:
            return []
        return super(Zoo, self).receive(guest)

    def is_stopped(self, guest: Guest) -> None:
        """Noted."""
        assert guest.number == 2

    def restart(self, guest: Guest) -> Any:
        """Never."""
        return iter(())


class RoguePen(Pen):
    """With such a guest."""

    hypervisor = Rogue


class Backlogged(Zoo):
    """Guests that always have frames to send: the first shorter ones than the second."""

    def _take_frames(self) -> Any:
        for guest in self.guests:
            size = 714 if guest.number == 1 else 1514
            while len(guest.backlog) < 256:
                guest.backlog.append(bytes(6) + mac_address(guest.number) + b"\x88\xb5" + bytes(size - 14))
        return iter(())


class Uneven(Pen):
    """Bench with these guests, whose frames are not expected."""

    hypervisor = Backlogged

    def sent_bytes(self, number: int) -> int:
        """Return the bytes that the card took from a guest, on the wire."""
        size = 714 if number == 1 else 1514
        return self.zoo.guests[number - 1].sent * (size + 24)


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        ("far ahead", "producer"),
        ("backwards", "producer"),
        ("more than there are", "sequence"),
        ("more buffers than there are", "producer"),
        ("buffers without descriptors", "sequence"),
        ("too long", "length"),
        ("too short", "length"),
        ("a checksum outside", "length"),
        ("another's address", "mac_address"),
    ],
)
def test_a_guest_that_breaks_a_rule_stops_alone(kind: str, fault: str) -> None:
    pen = RoguePen(3, guests=3, hostile=(2,), capture=None)
    assert isinstance(pen.zoo, Rogue)
    pen.zoo.kind = kind
    pen.run(ms(2))
    assert pen.zoo.guests[1].faults == [fault]
    before = [(guest.sent, guest.received) for guest in pen.zoo.guests]
    pen.run(us(500))
    after = [(guest.sent, guest.received) for guest in pen.zoo.guests]
    assert after[1] == before[1]
    for place in (0, 2):
        assert all(new > old for new, old in zip(after[place], before[place], strict=True))
    assert pen.counter("sink.corrupted") == pen.counter("host.corrupted") == 0


def test_what_a_guest_does_not_own_is_refused() -> None:
    pen = Pen(1, guests=2, hostile=(), capture=None, frames=0)
    pen.run(us(200))
    one, other = pen.zoo.guests
    for address, length in [
        (other.base, 60),
        (one.base - 1, 60),
        (one.base + one.size - 59, 60),
        (one.send_ring.address, 16),
        (one.base, 0),
    ]:
        before = pen.zoo.refused
        with pytest.raises(RefusedError):
            pen.zoo.enqueue(one, "send", address, length, 0, 0)
        assert pen.zoo.refused == before + 1


def test_hostile_guests_disturb_nobody(tmp_path: Path) -> None:
    for seed in (1, 2):
        counted = fuzz(seed, 3000, tmp_path / "wire.pcapng")
        assert counted["restarts"] > 3
        assert counted["refused"] > 50


def test_the_console_shows_guests() -> None:
    code, said, complaint = console(
        "ricenic", "--firmware", "cdna", "--time", "8ms", *script("help", "contexts")
    )
    assert code == 0, complaint
    assert "4 running, descriptors sent" in said


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"guest_entries": 3}, "is not a power of two"),
        ({"largest_frame": 9000}, "buffers of contexts have 2048 bytes"),
        ({"guests": 127, "guest_buffer": "1MiB"}, "too large for 127 guests"),
        ({"guests": 8, "guest_period": "1ns"}, "guest_period = 1 ns is too short for 8 guests"),
        ({"guests": 8, "guest_period": "119ns"}, "less than a cycle of host_clock = 66.666667 MHz"),
    ],
)
def test_settings_that_cannot_be_are_one_line(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(SpinachError, match=said):
        cdna(frames=1, set=settings)


@pytest.mark.parametrize(
    "settings", [{"guests": 8, "guest_period": "120ns"}, {"guests": 1, "guest_period": "1ns"}]
)
def test_a_turn_lasts_a_cycle_of_the_host_at_least(settings: dict[str, Any]) -> None:
    assert cdna(time="20us", set=settings).complete


def test_traffic_that_guests_cannot_share_is_one_line() -> None:
    with pytest.raises(SpinachError, match=r"UDP, TCP or raw"):
        cdna(frames=1, traffic="mix:1*udp:18+1*tcp:18")
