"""Streams of TCP between two servers that run Linux: one with the RiceNIC under test, and its peer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from spinach_nic.cards.ricenic.nic import CHECK_SEQUENCE_BYTES, Ricenic
from spinach_nic.experiments._linux_pairs import await_streams, linux_pair
from spinach_nic.experiments._ricenic import LINK_BITS_PER_S
from spinach_nic.experiments.runner import Extent
from spinach_nic.firmware import Executable, build
from spinach_nic.firmware.tasks import tasks_of
from spinach_nic.library import Link
from spinach_nic.model.simulation import Simulation, Statistics, simulate
from spinach_nic.runs.images import load_image
from spinach_nic.runs.tasks import take_profile
from spinach_nic.servers.stalls import packets_of, stall_of
from spinach_nic.support.files import temporary_folder
from spinach_nic.support.measured import Measured, ratio_of
from spinach_nic.support.units import GHz, ms, ns
from spinach_nic.traffic import DIRECTIONS, FRAME_OVERHEAD_BYTES, Direction

ETHERNET_BYTES = 14
WARM_UP_MS, WINDOW_MS, WINDOWS = 20, 3, 6
SHORTEST_WARM_UP_MS = 15
"""Time from the start of the servers until the windows; boot and slow start take most of it."""
SHORTEST = (4, 1, 13)
"""Number of windows, and the milliseconds of each and of the warm-up, of runs of single points."""
BEGINS_AFTER_MS = 5
"""Time for which each sender waits for its peer."""
SERIES_TERMS = 100_000
"""Terms of a series that the sender of the first direction computes before its streams, times the number of
the boot: about 50 us. Random numbers alone hardly change the times of functional harts."""
HOST_CLOCK, PEER_CLOCK = GHz(16), GHz(1)
"""Clocks of the servers' harts and of the peer's card, so fast that neither limits."""
NOTE = (
    f"The harts of both servers execute an instruction in each cycle of {HOST_CLOCK}, so that hosts do not "
    f"limit. The peer is a RiceNIC with two processors at {PEER_CLOCK}, in the paper a commercial card. "
    "Figures are means over five boots. Their kernels begin with other random numbers, and the streams of "
    "one direction begin about 50 us later in each. The error is the larger of two: that of the differences "
    "between boots, and that of the windows. A row in which TCP waited for a timeout in one boot is not "
    "quoted."
)
_NO_ROOM = ("no_buffer", "fifo_full", "buffer_too_small")
_FIRST_PORTS: Mapping[Direction, int] = {"tx": 5000, "rx": 6000}
"""Port of the first stream of each direction; the others follow."""


def periods(extent: Extent) -> tuple[int, int, int]:
    """Return the number of windows, and the milliseconds of each window and of the warm-up."""
    if extent.largest_selection == 1:
        return SHORTEST
    warm_up_ms = extent.frames(WARM_UP_MS, least=SHORTEST_WARM_UP_MS)
    return extent.frames(WINDOWS, least=2), WINDOW_MS, warm_up_ms


@dataclass(frozen=True)
class Carried:
    """Measurements of the streams, by direction as the card under test sees them."""

    line_rate_fraction: Mapping[Direction, Measured]
    """Fraction of the link, computed with the longest frames."""
    idle: float
    """Fraction of its first processor's time spent polling or waiting."""
    dropped: int
    """Frames that the card under test dropped, for lack of room or in its translation."""
    dropped_before: int
    """Frames that it dropped before the windows."""
    stall: str = ""
    """Reason why the windows give no rates; empty if they give them."""


@dataclass(frozen=True)
class ClosedLoop:
    """Streams between the servers, measured in windows of equal length."""

    firmware: str
    packet: int
    """Bytes of the longest IP packet: the MTU."""
    directions: tuple[Direction, ...]
    """Directions with streams; acknowledgements go the other way."""
    streams: int
    """In each direction."""
    windows: int
    window_ms: int
    warm_up_ms: int
    seed: int = 0
    """Number of the boot."""

    def carry_out(self) -> Carried:
        """Measure the streams.

        Raises:
            SpinachError: There is no kernel, or a stream does not open.
        """
        images = [Executable.load(build(f"ricenic/{name}").path) for name in (self.firmware, "split")]
        cards = self._cards(images)
        pair = linux_pair(cards, [self._commands(node) for node in (1, 2)], HOST_CLOCK, seed=self.seed)
        simulation = simulate(pair)
        for card, image in zip(cards, images, strict=True):
            load_image(simulation, image, card)
        with temporary_folder("link") as folder:
            link = folder / "link.pcapng"
            capture = simulation.capture(link, pair.captured_ports)
            begun = f"streams-apart: {self.streams} processes send"
            await_streams(simulation, pair, self.warm_up_ms, begun, len(self.directions))
            begins = simulation.now
            carried = self._measured(simulation, cards[0], images[0])
            capture.finish()
            has_lost = any(_dropped(simulation.statistics(), card) for card in cards)
            window = [moment.femtoseconds // ns(1).femtoseconds for moment in (begins, simulation.now)]
            return replace(carried, stall=stall_of(packets_of(link), *window, has_lost=has_lost))

    def _cards(self, images: Sequence[Executable]) -> list[Ricenic]:
        """Return the card under test and its peer."""
        longest = self.packet + ETHERNET_BYTES
        tested = Ricenic(image=images[0], largest_frame=longest)
        if self.firmware.startswith("nat"):
            # The inner node has the address of the card, so that only ports change, and no route is needed.
            tested.set("nat_address", "10.0.0.1")
            tested.set("nat_forwards", " ".join(f"tcp:{port}:10.0.0.1:{port}" for port in self._ports("rx")))
        return [tested, Ricenic(image=images[1], largest_frame=longest, core_clock=PEER_CLOCK)]

    def _ports(self, way: Direction) -> range:
        """Return the ports of the streams of a direction."""
        return range(_FIRST_PORTS[way], _FIRST_PORTS[way] + self.streams)

    def _commands(self, node: int) -> str:
        """Return the commands of a server: sinks first, then the streams that it sends.

        Each stream has separate programs: one that served all in turn would wait for the slowest.
        """
        sends: Direction = "tx" if node == 1 else "rx"
        pause = f"sleep,{BEGINS_AFTER_MS};"
        if self.seed and sends == self.directions[0]:
            pause += f"pi,{self.seed * SERIES_TERMS};"
        sinks = [f"sink,{port},1" for way in self.directions if way != sends for port in self._ports(way)]
        streams = [
            f"{pause}streams-apart,10.0.0.{3 - node},{_FIRST_PORTS[way]},{self.streams}"
            for way in self.directions
            if way == sends
        ]
        return ";".join([*sinks, *streams])

    def _measured(self, simulation: Simulation, card: Ricenic, image: Executable) -> Carried:
        links: Mapping[Direction, Link] = {"tx": card.card.transmit_link, "rx": card.card.receive_link}
        cores = card.probes().cores[:1]
        moved: dict[Direction, list[float]] = {way: [] for way in DIRECTIONS}
        started, profile = simulation.statistics(), take_profile(simulation, cores)
        for _ in range(self.windows):
            before = simulation.statistics()
            simulation.run(ms(self.window_ms))
            counted = simulation.statistics() - before
            for way, link in links.items():
                moved[way].append(counted.of(link, "bytes"))
        counted = simulation.statistics() - started
        spent = take_profile(simulation, cores) - profile
        # Cycles in which the processor waits for an interrupt are in no account.
        busy = spent.total([range(1 << 64)]) - spent.total(tasks_of(image)["idle"].pieces)
        cycles = card.core_clock.hertz * self.window_ms * 1e-3 * self.windows
        frame = self.packet + ETHERNET_BYTES
        # Links count check sequences, which belong to the overhead.
        counted_bytes = frame + CHECK_SEQUENCE_BYTES
        full = LINK_BITS_PER_S / 8e3 * self.window_ms * counted_bytes / (frame + FRAME_OVERHEAD_BYTES)
        fractions = {way: ratio_of(bytes_, [full] * self.windows) for way, bytes_ in moved.items()}
        return Carried(
            line_rate_fraction={way: fraction or Measured(0.0) for way, fraction in fractions.items()},
            idle=1 - busy.cycles / cycles,
            dropped=_dropped(counted, card),
            dropped_before=_dropped(started, card),
        )

    def __str__(self) -> str:
        """Describe the run: no single command joins servers with different cards."""
        return (
            f"two servers, MTU {self.packet}, {self.streams} streams in {' and '.join(self.directions)}: "
            f"ricenic --firmware {self.firmware}, and a peer"
        )


def _dropped(counted: Statistics, card: Ricenic) -> int:
    """Return the frames that a card dropped."""
    names = (f"dropped_{reason}" for reason in _NO_ROOM)
    reasons = (f"count_{reason}" for reason in range(18))
    counts = [counted.of(card.card.mac_receive, name) for name in names]
    return sum(counts) + sum(counted.of(card.card.tally, name) for name in reasons)
