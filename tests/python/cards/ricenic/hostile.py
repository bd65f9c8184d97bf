"""Guests that break the rules together with guests that keep them; `make fuzz-guests` runs them for long.

The hypervisor is the shipped one; a hostile guest acts at random within its means: it writes its page of the
card and its memory, and asks the hypervisor for descriptors. Unassigned memory, and memory that honest guests
do not use, holds a secret: no byte of it may leave, or change.
"""

import random
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from spinach_nic import B, Time, us
from spinach_nic.benches import GeneratedTraffic
from spinach_nic.cards.drivers import Operation, RunningDriver, write
from spinach_nic.cards.ricenic.driver import RicenicDriver
from spinach_nic.cards.ricenic.guests import (
    BUFFER,
    END_OF_FRAME,
    PAGE,
    Guest,
    GuestSettings,
    Hypervisor,
    RefusedError,
    Ring,
    card_word,
    mac_address,
)
from spinach_nic.cards.ricenic.nic import Ricenic
from spinach_nic.cards.ricenic.registers import CDNA_START, CONTEXT_BYTES, SRAM
from spinach_nic.firmware import Executable, build
from spinach_nic.model.simulation import simulate
from spinach_nic.runs.images import load_image
from spinach_nic.traffic import FramePlan, Plans, live_frames, plan_traffic
from spinach_nic.traffic.described import AnyFrames

SECRET = bytes(range(0xA0, 0xB0))
STEPS_AT_ONCE = 1


class Zoo(Hypervisor):
    """A hypervisor with some hostile guests."""

    def __init__(self, settings: Any, hostile: Sequence[int], chance: random.Random) -> None:
        """Let the guests in `hostile` break the rules at random, by `chance`."""
        super().__init__(settings)
        self.hostile, self.chance = set(hostile), chance
        self.guards: list[int] = []
        self.steps = self.restarts = 0
        self.limit = 0
        """Maximum number of hostile steps."""

    def make_guest(self, number: int) -> Guest:
        """Make a guest with an unassigned page before and behind, and secrets in its memory."""
        self._guard()
        guest = super().make_guest(number)
        self.host.store(guest.base, SECRET * (guest.size // len(SECRET)))
        self.host.store(guest.status, bytes(8))
        self._guard()
        if number in self.hostile:
            self.host.store(guest.base, bytes([0xE0 + number % 16]) * guest.size)
            self.host.store(guest.status, bytes(8))
        return guest

    def _guard(self) -> None:
        page = self.host.allocate(PAGE, PAGE)
        self.host.store(page, SECRET * (PAGE // len(SECRET)))
        self.guards.append(page)

    def check_memory(self) -> None:
        """Check that unassigned memory is unwritten."""
        for page in self.guards:
            assert self.host.load(page, PAGE) == SECRET * (PAGE // len(SECRET)), hex(page)

    def transmit(self, guest: Guest) -> list[Operation]:
        """A hostile guest does as it likes."""
        if guest.number not in self.hostile:
            return super().transmit(guest)
        guest.backlog.clear()
        operations = []
        for _ in range(STEPS_AT_ONCE):
            if self.steps < self.limit:
                self.steps += 1
                operations += self.misbehave(guest)
        return operations

    def receive(self, guest: Guest) -> Any:
        """Ignore messages: a hostile guest does."""
        return super().receive(guest) if guest.number not in self.hostile else iter(())

    def is_stopped(self, guest: Guest) -> None:
        """Only those that break the rules are."""
        assert guest.number in self.hostile, f"guest {guest.number} was stopped: {guest.faults}"

    def _run_guests(self) -> Any:
        for guest in self.guests:
            if guest.faults and self.chance.random() < 0.3:
                yield from self.restart(guest)
        yield from super()._run_guests()

    def _next_look(self) -> Time | None:
        return None if self.steps >= self.limit else self.host.now + us(2)

    def restart(self, guest: Guest) -> Any:
        """Begin anew with a guest that was stopped."""
        self.restarts += 1
        guest.faults.clear()
        for ring in (guest.send_ring, guest.receive_ring):
            ring.produced = ring.consumed = 0
            self.host.store(ring.address, bytes(16 * ring.entries))
        yield self.setup(guest)
        yield self.command(CDNA_START, guest.number)

    def misbehave(self, guest: Guest) -> list[Operation]:
        """One thing that a guest can do, right or wrong."""
        chance, page = self.chance, SRAM + guest.number * CONTEXT_BYTES
        kind = chance.randrange(8)
        if kind == 0:
            return [write(page + 4 * chance.randrange(1024), chance.randrange(2**32))]
        if kind == 1:
            return [write(page + 4 * chance.randrange(24), chance.randrange(2**32))]
        if kind == 2:
            place = guest.base + chance.randrange(guest.size - 64)
            self.host.store(place, chance.randbytes(chance.choice([1, 4, 16, 64])))
            return []
        if kind == 3:
            ring, name = chance.choice([(guest.send_ring, "send"), (guest.receive_ring, "receive")])
            lie = chance.choice([0, 0, 0, 1, 2, -1, ring.entries, chance.randrange(2**32)])
            return [card_word(guest.mailbox(name), ring.produced + lie & 0xFFFFFFFF)]
        if kind == 4:
            # It could know that its descriptors are done with.
            ring = chance.choice([guest.send_ring, guest.receive_ring])
            ring.consumed = ring.produced
            return []
        if kind == 5:
            self.send_own(guest)
            return [card_word(guest.mailbox("send"), guest.send_ring.produced)]
        self.ask(guest, chance.choice(["send", "receive"]), self.somewhere(guest), self.length())
        return []

    def somewhere(self, guest: Guest) -> int:
        """Return an address, often in the guest's memory, sometimes in another's."""
        chance = self.chance
        other = chance.choice(self.guests)
        places = [
            guest.base + chance.randrange(guest.size),
            other.base + chance.randrange(other.size),
            other.send_ring.address,
            chance.choice(self.guards),
            chance.randrange(2**48),
            guest.base - 1,
            guest.base + guest.size - 1,
        ]
        return chance.choice([places[0], places[0], *places])

    def length(self) -> int:
        """Return the length of a piece or a buffer."""
        return self.chance.choice([0, 1, 14, 60, 300, 1514, 1515, 2048, 65535, self.chance.randrange(70000)])

    def ask(self, guest: Guest, way: str, address: int, length: int) -> None:
        """Ask for a descriptor; it may be refused."""
        flags = self.chance.choice([0, END_OF_FRAME, END_OF_FRAME, 0x10, 0x14, self.chance.randrange(2**16)])
        try:
            self.enqueue(guest, way, address, length, flags, self.chance.randrange(2**32))
        except RefusedError:
            assert not guest.owns(address, length) or length > 0xFFFF or not self.ring(guest, way).room

    @staticmethod
    def ring(guest: Guest, way: str) -> Ring:
        """Return the ring of a direction."""
        return guest.send_ring if way == "send" else guest.receive_ring

    def send_own(self, guest: Guest) -> None:
        """Send a frame that is as it should be, but for its address at times."""
        own = mac_address(self.chance.choice([guest.number, guest.number, guest.number, 1]))
        place = guest.base + guest.size - BUFFER
        self.host.store(place, bytes(6) + own + b"\x88\xb5")
        self.ask_frame(guest, place, self.chance.choice([14, 60, 1514]))

    def ask_frame(self, guest: Guest, place: int, length: int) -> None:
        """Ask for the one descriptor of a frame."""
        try:
            self.enqueue(guest, "send", place, length, END_OF_FRAME, 0)
        except RefusedError:
            assert not guest.send_ring.room


class ZooDriver(RicenicDriver):
    """A hypervisor with such guests."""

    _zoo: Callable[[GuestSettings], Zoo]

    def make_hypervisor(self, settings: GuestSettings) -> Hypervisor:
        """One with hostile guests."""
        return self._zoo(settings)


class ZooNic(Ricenic):
    """The card with such guests."""

    driver_model = ZooDriver


class Pen:
    """A simulation of such guests that is run step by step."""

    hypervisor: type[Zoo] = Zoo

    def __init__(
        self, seed: int, guests: int, hostile: Sequence[int], capture: Path | None, **settings: Any
    ) -> None:
        """With random traffic for all guests."""
        image = Executable.load(build("ricenic/cdna").path)
        traffic = ["udp:18,300:tx@200Mbps", "udp:18,300:rx@200Mbps"]
        plans = plan_traffic(traffic, frames=None, seed=seed, largest_frame=1514)
        if settings.pop("frames", None) == 0:
            live = live_frames(1514)
            any_frames = FramePlan(AnyFrames(1514), count=0)
            plans = Plans(any_frames, live)
        common: dict[str, Any] = {"guest_entries": 16, "coalescing_time": us(5), "host_latency": us(0)}
        self.nic = ZooNic(image=image, guests=guests)
        self.bench = GeneratedTraffic(tx=plans.tx, rx=plans.rx)
        self.bench.insert(self.nic)
        for name, value in (common | settings).items():
            self.bench.set(name, value)
        assert isinstance(self.bench.driver_model, ZooDriver)
        self.driver = self.bench.driver_model
        self.driver._zoo = lambda given: self.hypervisor(given, hostile, random.Random(seed))
        self.simulation = simulate(self.bench)
        load_image(self.simulation, image, self.nic)
        if capture is not None:
            self.capture = self.simulation.capture(capture, {"wire": self.nic.card.leaving})
        self._driver = RunningDriver(self.simulation, self.bench.drivers()[0])

    @property
    def zoo(self) -> Zoo:
        """Hypervisor of the guests."""
        assert isinstance(self.driver.hypervisor, Zoo)
        return self.driver.hypervisor

    def run(self, span: Time) -> None:
        """Run on."""
        end = self.simulation.now + span
        while self.simulation.now < end:
            assert not self._driver.is_over
            outcome = self.simulation.run(end - self.simulation.now, until=[self._driver.condition])
            assert outcome.reason in ("reached", "condition"), outcome
            if outcome.reason == "condition":
                self._driver.resume()

    def receive(self, frame: bytes) -> None:
        """Let a frame come from the network, which must send live ones."""
        self.simulation.inject(self.bench.network, frame)

    def counter(self, name: str) -> int:
        """One of the counters."""
        return self.simulation.statistics()[name]


def fuzz(seed: int, steps: int, capture: Path) -> dict[str, int]:
    """Take hostile steps next to two honest guests, which must not notice."""
    from scapy.utils import RawPcapNgReader

    chance = random.Random(seed)
    pen = Pen(
        seed,
        guests=5,
        hostile=(2, 3, 5),
        capture=capture,
        guest_buffer=B(BUFFER * chance.choice([1, 2, 7, 32])),
        core=chance.choice(["pipelined", "functional"]),
    )
    pen.zoo.limit = steps
    honest = (1, 4)
    moved = dict.fromkeys(honest, (0, 0))
    pen.run(us(500))  # to begin
    while pen.zoo.steps < steps:
        pen.run(us(1000))
        pen.zoo.check_memory()
        for number in honest:
            guest = pen.zoo.guests[number - 1]
            now = (guest.sent, guest.received)
            assert all(new > old for new, old in zip(now, moved[number], strict=True)), (
                "an honest guest is stuck"
            )
            moved[number] = now
    pen.run(us(200))
    assert (
        pen.counter("host.corrupted") == pen.counter("host.reordered") == pen.counter("host.duplicated") == 0
    )
    assert pen.counter("host.memory_faults") == pen.counter("host.register_faults") == 0
    pen.zoo.check_memory()
    pen.capture.finish()
    strangers = 0
    with RawPcapNgReader(str(capture)) as frames:
        for frame, _ in frames:
            if frame[6:12] not in (mac_address(1), mac_address(4)):
                strangers += 1
                assert frame[6:12] in (mac_address(2), mac_address(3), mac_address(5))
                assert SECRET[:8] not in frame
    assert pen.counter("sink.corrupted") == strangers, "frames of others are as they were sent"
    return {
        "steps": pen.zoo.steps,
        "restarts": pen.zoo.restarts,
        "refused": pen.zoo.refused,
        "own frames": strangers,
    }


def main(first: int, steps: int) -> None:
    """Take `steps` steps, each tenth part of them with a separate seed."""
    for number in range(10):
        with tempfile.TemporaryDirectory() as folder:
            counted = fuzz(first + number, steps // 10, Path(folder) / "wire.pcapng")
        sys.stdout.write(f"seed {first + number}: {counted}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
