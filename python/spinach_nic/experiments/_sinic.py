"""SINIC and the cards that the paper compares it with, on servers under Linux."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spinach_nic.experiments._papers import sinic
from spinach_nic.experiments._servers import STALL, boots_of, quotable
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Extent,
    Point,
    Row,
    Rows,
    at_least,
    at_most,
    figure_of,
    number,
    one_row,
    only,
    with_errors,
)
from spinach_nic.runs.measuring import ServerRun, timing_of
from spinach_nic.runs.server_result import Measurement
from spinach_nic.servers.categories import CATEGORIES
from spinach_nic.support.measured import Measured
from spinach_nic.support.units import KiB

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["sinic"]

PUBLISHED, TODAY = "published", "today"
"""Settings of the network."""
SINGLE = ("stream", "maerts")
MULTI = ("stream-multi", "maerts-multi")
MACRO = ("web", "iscsi-target", "iscsi-initiator")
CONVENTIONAL, SINIC, V_SINIC = "dp83820", "sinic", "v-sinic"
ZERO_COPY = "v-sinic, zero copy"
BRIDGE, MEMORY, CACHE, INTEGRATED = PLACES = (
    (CONVENTIONAL, "io"),
    (CONVENTIONAL, "memory"),
    (CONVENTIONAL, "cache"),
    (SINIC, "cache"),
)
"""The cards of figures 1 to 3, each with where it is."""
KEY = (
    Column("workload", "workload"),
    Column("card", "card"),
    Column("attachment", "attachment"),
    Column("settings", "settings"),
    Column("clock_ghz", "clock, GHz"),
)
BANDWIDTH = (
    Column("gbps", "both ways, Gb/s"),
    Column("sent_gbps", "sent, Gb/s"),
    Column("received_gbps", "received, Gb/s"),
    Column("idle", "idle", digits=3),
    Column("instructions_per_cycle", "instructions per cycle"),
    Column("misses_per_kb", "misses per KB"),
    Column("dropped", "dropped"),
    STALL,
)
SHARES = (*(Column(name, name, digits=3) for name in CATEGORIES), STALL)
BACKLOG, DRAINED = "backlog", "drained"
"""Queues with which receivers begin: full, or empty."""
ZERO_COPY_KEY = (
    Column("card", "card"),
    Column("clock_ghz", "clock, GHz"),
    Column("link_gbps", "link, Gb/s"),
    Column("start", "begins with"),
    Column("queue_kib", "queue of a socket, KiB"),
    Column("second_level_kib", "second level, KiB"),
)
ZERO_COPY_CARDS = (SINIC, V_SINIC, ZERO_COPY)
"""The cards of figures 4 to 6."""
_ZERO_COPY_VNICS = 256
"""Number of the paper (footnote 3)."""
USUAL_QUEUE_KIB, CARD_QUEUE_KIB = 256, 32
"""Queues of sockets: of most rows, and so small that 256 virtual cards hold all packets of eight. The paper
does not give the size."""
CALLS_IN_A_QUEUE = 4
SECOND_LEVEL_KIB = (512, 1024, 2048, 4096, 8192)
QUOTED_KIB = 1024
"""Size at which the text of the paper gives the bandwidth of SINIC."""
_CLAIMED_KIB = (SECOND_LEVEL_KIB[0], QUOTED_KIB, SECOND_LEVEL_KIB[-1])
"""Sizes that claims need; those on every size compare all that were run."""
LINK_SHARE = 1514 / 1538
"""Fraction of a link's rate, for the longest frames without preamble, check sequence and gap."""
LINK_GBPS = 10 * LINK_SHARE
"""Capacity of a 10 Gb/s link for these."""
SATURATED, SATURATED_REASON = 0.95, "saturated is within a twentieth"
"""Fraction of that capacity that counts as saturated, and its reason."""
FIGURE_CLOCK_GHZ, FIGURE_LINK_GBPS = 4, 10
"""Clock of all figures, by their captions, and rate of the link (section 5.1)."""
_CYCLES, _LEAST = (20_000_000, 10_000_000), (10_000_000, 5_000_000)
"""Cycles of warm-up and measurement: of a full run, and at least. A receiver at 2 GHz
with 1 MiB carries 1.5 times as much after 4 million cycles as after 10 or 20."""
_SHORTEST = (4_000_000, 2_000_000)
"""Cycles for runs of single points, whose rates are not warmed up."""
_SECOND_LEVEL_WAYS = 8
NOTES = (
    "Bandwidth is of frames in both directions, without preamble, check sequence and gap, as in the paper's "
    "simulator.",
    "The paper's figures are images, whose numbers its text does not give: claims are those of the text.",
    "Workloads begin functionally. Then they warm up for 20 and are measured for 10 million cycles; table 2 "
    "of the paper has 100 and 50 for single streams, and more for others. The warm-up is timed as well, in "
    "the paper it is simpler.",
    "Rates and shares are means over five boots, whose kernels begin with other random numbers "
    "(`spinach boot --seed`): keys of hash tables, ports and sequence numbers of TCP, addresses of "
    "programs. The error is the larger of two: that of the differences between boots, and that of the ten "
    "batches of each window. A row in which TCP waited after one of the boots is not quoted.",
    "The errors hold for the window: TCP has states that last longer, see the rows by how receivers begin.",
    "The kernel is Linux 6.1 of RV64, not 2.6 of Alpha. The stresser executes an instruction in each cycle "
    "of 16 GHz.",
)
RECEIVER_NOTE = (
    "Eight streams are received in turn to a ring of buffers, as netperf has it: as many as fill the "
    "queue of a socket, which asks for 256 KiB, and one more. Receivers begin with a backlog: they wait "
    "with full queues until the warm-up begins, as the slow warm-up of section 5.2 leaves them; rows that"
    " begin drained do not. V-SINIC has 256 virtual cards (footnote 3). Each virtual card holds a packet: "
    f"all packets of eight queues of {CARD_QUEUE_KIB} KiB fit into them. Calls have a quarter of the queue. "
    "The paper does not give the size of the queues; claims name it. Claims are on 4 GHz and 10 Gb/s, as in "
    "the paper's figure; rows with another clock or link are ours."
)


@dataclass(frozen=True, kw_only=True)
class Case:
    """A measurement of figures 1 to 3, as its row names it."""

    workload: str
    card: str
    attachment: str
    settings: str = PUBLISHED
    clock_ghz: int = 4

    @property
    def key(self) -> Row:
        """The columns of `KEY`."""
        return {column.name: getattr(self, column.name) for column in KEY}

    def point(self, extent: Extent, measured: Callable[[Measurement], Row]) -> Point[Measurement]:
        """Return the run, and the row that `measured` completes."""
        run = ServerRun(
            workload=self.workload,
            card=self.card,
            attachment=self.attachment,
            clock=f"{self.clock_ghz}GHz",
            settings=self.settings,
            cycles=windows(extent),
        )
        return one_row(
            boots_of(run, extent), lambda outcome: quotable(outcome, measured(outcome)), **self.key
        )


def cases(workloads: Sequence[str], places: Sequence[tuple[str, str]] = PLACES) -> list[Case]:
    """Each workload with each card at its place."""
    return [
        Case(workload=workload, card=card, attachment=place)
        for workload in workloads
        for card, place in places
    ]


def case_of(rows: Rows, workload: str, where: tuple[str, str]) -> Row:
    """Return the row of a card at its place, as published at 4 GHz."""
    return only(rows, workload=workload, card=where[0], attachment=where[1], settings=PUBLISHED, clock_ghz=4)


def published_workloads(rows: Rows) -> list[str]:
    """Points that were run as published at 4 GHz."""
    found = [row for row in rows if row["settings"] == PUBLISHED and row["clock_ghz"] == 4]
    return list(dict.fromkeys(str(row["workload"]) for row in found))


def windows(extent: Extent) -> tuple[int, int]:
    """Return the numbers of cycles to warm up and to measure."""
    if extent.largest_selection == 1:
        return _SHORTEST
    warm_up, measured = (
        extent.frames(most, least=least) for most, least in zip(_CYCLES, _LEAST, strict=True)
    )
    return warm_up, measured


@dataclass(frozen=True, kw_only=True)
class Receiver:
    """A measurement of figures 4 to 6, as its row names it: several received streams."""

    card: str
    """One of `ZERO_COPY_CARDS`."""
    second_level_kib: int
    clock_ghz: int = 4
    link_gbps: int = 10
    start: str = BACKLOG
    queue_kib: int = USUAL_QUEUE_KIB

    @property
    def is_claimed(self) -> bool:
        """Return true if claims of figures 4 to 6 need it."""
        place = (self.clock_ghz, self.link_gbps, self.start)
        if place != (FIGURE_CLOCK_GHZ, FIGURE_LINK_GBPS, BACKLOG):
            return False
        if self.queue_kib == USUAL_QUEUE_KIB:
            return self.card != ZERO_COPY and self.second_level_kib in _CLAIMED_KIB
        sizes = _CLAIMED_KIB if self.card == ZERO_COPY else _CLAIMED_KIB[:1]
        return self.second_level_kib in sizes

    @property
    def key(self) -> Row:
        """The columns of `ZERO_COPY_KEY`."""
        return {column.name: getattr(self, column.name) for column in ZERO_COPY_KEY}

    def point(self, extent: Extent, measured: Callable[[Measurement], Row]) -> Point[Measurement]:
        """Return the run, and the row that `measured` completes."""
        shape = {"bytes": KiB(self.second_level_kib).bytes, "ways": _SECOND_LEVEL_WAYS}
        run = ServerRun(
            workload="maerts-multi",
            card=SINIC if self.card == SINIC else V_SINIC,
            card_parameters=() if self.card == SINIC else (f"vnics={_ZERO_COPY_VNICS}",),
            attachment="cache",
            clock=f"{self.clock_ghz}GHz",
            link_rate=f"{self.link_gbps}Gbps",
            zero_copy=self.card == ZERO_COPY,
            queue_bytes=KiB(self.queue_kib).bytes,
            call_bytes=KiB(self.queue_kib).bytes // CALLS_IN_A_QUEUE,
            ring=0,
            has_backlog=self.start == BACKLOG,
            timing=timing_of(second_level=shape),
            cycles=windows(extent),
        )
        return one_row(
            boots_of(run, extent), lambda outcome: quotable(outcome, measured(outcome)), **self.key
        )


def zero_copy_points(extent: Extent, measured: Callable[[Measurement], Row]) -> list[Point[Measurement]]:
    """Return the runs of figures 4 to 6.

    Each card and size of the second level at two clocks, the faster one with a faster link as well; zero copy
    and SINIC with queues whose packets fit into the card, too; and SINIC from another start.
    """
    sizes = extent.some(SECOND_LEVEL_KIB, needed=_CLAIMED_KIB)
    places = ((2, 10), (4, 10), (4, 40))
    lines = [(card, *place, BACKLOG, USUAL_QUEUE_KIB) for place in places for card in ZERO_COPY_CARDS]
    lines += [(ZERO_COPY, *place, BACKLOG, CARD_QUEUE_KIB) for place in places]
    lines += [(SINIC, 2, 10, DRAINED, USUAL_QUEUE_KIB)]
    small = [(SINIC, *place, BACKLOG, CARD_QUEUE_KIB) for place in places]
    receivers = [
        Receiver(
            card=card, clock_ghz=clock, link_gbps=link, start=start, queue_kib=queue, second_level_kib=size
        )
        for chosen, of_lines in ((sizes, lines), (sizes[:1], small))
        for card, clock, link, start, queue in of_lines
        for size in chosen
    ]
    is_reduced = extent.largest_selection == 1
    return [it.point(extent, measured) for it in receivers if not is_reduced or it.is_claimed]


def receiver_of(rows: Rows, card: str, second_level_kib: int, *, queue_kib: int = USUAL_QUEUE_KIB) -> Row:
    """Return the row of a receiver with the clock and the link of the paper's figures."""
    return only(
        rows,
        card=card,
        second_level_kib=second_level_kib,
        clock_ghz=FIGURE_CLOCK_GHZ,
        link_gbps=FIGURE_LINK_GBPS,
        start=BACKLOG,
        queue_kib=queue_kib,
    )


def sizes_of(rows: Rows) -> list[int]:
    """Return the sizes of the second level that were run, in KiB."""
    return sorted({int(number(row, "second_level_kib")) for row in rows})


def bandwidth_of(measured: Measurement) -> Row:
    """Return the columns of `BANDWIDTH`."""
    own = ("idle", "dropped", STALL.name)
    figures = {column.name: getattr(measured, column.name) for column in BANDWIDTH if column.name not in own}
    return {**with_errors(idle=measured.shares["idle"], **figures), "dropped": measured.dropped}


def shares_of(measured: Measurement) -> Row:
    """Return the columns of `SHARES`."""
    return with_errors(**measured.shares)


def at_least_in_all(text: str, figures: Iterable[Measured], bound: float, *, ours: str = "") -> Claim:
    """Return the claim that no figure is below a bound; one that is refutes it, whichever stalled."""
    return _in_all([at_least(text, figure, bound, ours=ours) for figure in figures], min)


def at_most_in_all(text: str, figures: Iterable[Measured], bound: float, *, ours: str = "") -> Claim:
    """Return the claim that no figure is above a bound; one that is refutes it, whichever stalled."""
    return _in_all([at_most(text, figure, bound, ours=ours) for figure in figures], max)


def _in_all(claims: Sequence[Claim], worst: Callable[[Iterable[float]], float]) -> Claim:
    """Return the claim of the worst figure: of one that refutes it, else of one that does not decide it."""
    refuted = [claim for claim in claims if not claim.holds and not claim.undecided]
    chosen = refuted or [claim for claim in claims if claim.undecided] or claims
    figures = [math.nan if claim.figure is None else claim.figure for claim in chosen]
    unknown = [claim for claim in chosen if claim.figure is None]
    return unknown[0] if unknown else chosen[figures.index(worst(figures))]


def draw_bandwidth(figure: Figure, rows: Rows) -> None:
    """A bar for each card and place, in groups by workload, as the paper's figures of bandwidth."""
    axes, names = figure.subplots(), ("card", "attachment")
    groups = list(dict.fromkeys(str(row["workload"]) for row in rows))
    series = list(dict.fromkeys(_label(row, names) for row in rows))
    width = 0.8 / len(series)
    for place, label in enumerate(series):
        own = {
            str(row["workload"]): figure_of(row, "gbps").value for row in rows if _label(row, names) == label
        }
        at = [groups.index(name) + place * width for name in own]
        axes.bar(at, list(own.values()), width, label=label, align="edge")
    axes.axhline(LINK_GBPS, ls=":", color="grey")
    axes.set_xticks([at + 0.4 for at in range(len(groups))], groups)
    axes.set_ylabel("Gb/s")
    axes.legend(fontsize=7)


def draw_shares(figure: Figure, rows: Rows, names: Sequence[str]) -> None:
    """A stack of categories for each configuration, as the paper's figures of CPU time."""
    axes = figure.subplots()
    bottom = [0.0] * len(rows)
    for category in CATEGORIES:
        heights = [figure_of(row, category).value for row in rows]
        axes.bar(range(len(rows)), heights, bottom=bottom, label=category)
        bottom = [below + height for below, height in zip(bottom, heights, strict=True)]
    labels = [_label(row, names) for row in rows]
    axes.set_xticks(range(len(rows)), labels, rotation=45, ha="right", fontsize=7)
    axes.set_ylabel("share of the time")
    axes.set_xlim(right=len(rows) + 2)
    axes.legend(fontsize=7)


def draw_lines(figure: Figure, rows: Rows, column: str, label: str) -> None:
    """A line for each card and queue by the second level, next to each other by clock, link and start."""
    names, lines = ("clock_ghz", "link_gbps", "start"), ("card", "queue_kib")
    groups = list(dict.fromkeys(_label(row, names) for row in rows))
    for place, group in enumerate(groups):
        axes = figure.add_subplot(1, len(groups), place + 1)
        of_group = [row for row in rows if _label(row, names) == group]
        for line in dict.fromkeys(_label(row, lines) for row in of_group):
            own = [row for row in of_group if _label(row, lines) == line]
            at = [number(row, "second_level_kib") for row in own]
            axes.plot(at, [figure_of(row, column).value for row in own], marker="o", label=f"{line} KiB")
        axes.set_xscale("log", base=2)
        axes.set_xlabel("second level of caches, KiB")
        axes.set_title(f"GHz, Gb/s, start: {group}", fontsize=7)
        axes.set_ylabel(label)
        axes.set_ylim(bottom=0)
        axes.legend(fontsize=7)


def _label(row: Row, names: Sequence[str]) -> str:
    return ", ".join(str(row[name]) for name in names)
