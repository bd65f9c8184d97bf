"""Rates of a window with their errors by batch means, and the test that the window shows no trend.

The page "Rates and their errors" of the book explains both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from msgspec import Struct

from spinach_nic.runs.accounting import DirectionCounts
from spinach_nic.runs.result import RateName
from spinach_nic.support.measured import BATCHES, Measured, student_quantile
from spinach_nic.support.units import Rate, Time, s
from spinach_nic.traffic import FRAME_OVERHEAD_BYTES, Direction

CONFIDENCE = 0.95
"""Confidence level of errors."""
SIGNIFICANCE = 0.01
"""Probability with which the test takes noise for a trend."""
NEGLIGIBLE = 0.01
"""Negligible change over a window, as a fraction of the deliveries; errors contain it."""

_SECOND = s(1).femtoseconds


class Carried(Struct, frozen=True, array_like=True):
    """Traffic of a direction until a moment."""

    delivered: int
    payload_bits: int
    wire_bits: int
    """Rate on the wire, with preamble, frame check sequence and gap."""
    last_fs: int
    """Time of the last delivery."""
    inside: int
    """Frames offered and neither delivered nor dropped."""
    dropped: int = 0
    """Frames offered and neither delivered nor inside."""
    refused: int = 0
    """Frames dropped for lack of room."""

    @property
    def accepted(self) -> int:
        """Return the number of frames delivered or inside."""
        return self.delivered + self.inside

    @property
    def settled(self) -> int:
        """Return the number of frames delivered or dropped."""
        return self.delivered + self.dropped

    @property
    def has_begun(self) -> bool:
        """True if any frame has come."""
        return self.delivered > 0 or self.inside > 0

    @classmethod
    def of(cls, counts: DirectionCounts) -> Carried:
        """Return the flow of a direction."""
        wire_bits = 8 * (counts.bytes + counts.delivered * FRAME_OVERHEAD_BYTES)
        payload_bits = 8 * counts.payload_bytes
        inside, last = counts.in_flight, counts.last_delivery_fs
        dropped = counts.offered - inside - counts.delivered
        return cls(counts.delivered, payload_bits, wire_bits, last, inside, dropped, counts.refused)


class Moment(Struct, frozen=True):
    """Traffic of all directions until a moment."""

    time_fs: int
    ways: Mapping[Direction, Carried]

    @classmethod
    def of(cls, time: Time, counts: Mapping[Direction, DirectionCounts]) -> Moment:
        """Return the moment at which these were the counts."""
        return cls(time.femtoseconds, {way: Carried.of(count) for way, count in counts.items()})


class Trend(Struct, frozen=True):
    """A significant change over a window."""

    way: Direction
    what: str
    """`deliveries` or `frames inside`."""
    change: float
    """Over the window, as a fraction of the frames delivered in it."""

    def __str__(self) -> str:
        """One clause."""
        return f"{self.way}: {self.what} changed by {100 * self.change:+.1f} % over the window"


class Gap(Struct, frozen=True):
    """A significant gap between deliveries in a window."""

    way: Direction
    length_fs: int
    share: float
    """Fraction of the window."""

    def __str__(self) -> str:
        """One clause."""
        length, share = self.length_fs / 10**12, 100 * self.share
        return f"{self.way}: no delivery for {length:.3f} ms, {share:.0f} % of the window"


class Onset(Struct, frozen=True):
    """A beginning of a window whose frames came before the card dropped any for lack of room."""

    way: Direction
    share: float
    """Fraction of the frames of the window."""

    def __str__(self) -> str:
        """One clause."""
        return f"{self.way}: drops began after {100 * self.share:.0f} % of the frames of the window had come"


def find_trend(
    moments: Sequence[Moment], ways: Sequence[Direction], before: Sequence[Moment] = ()
) -> Trend | Gap | Onset | None:
    """Return the first trend in deliveries or frames inside, over moments from begin to end of a window.

    A straight line is fitted to the batches. It is a trend if its slope is significant and the change over
    the window is not negligible. Steady traffic has no significant gap between deliveries either, and no
    onset of drops.

    Args:
        moments: Moments from begin to end of the window.
        ways: Directions to test.
        before: Moments before the window, in which its first frames came.
    """
    cuts = _cuts(moments)
    for way in ways:
        found = _find_gap(moments, way) or _find_onset([*before, *moments], moments[0], way)
        if found is not None:
            return found
        pairs = [(begin.ways[way], end.ways[way]) for begin, end in pairwise(cuts)]
        spans = [end.last_fs - begin.last_fs for begin, end in pairs]
        frames = [end.delivered - begin.delivered for begin, end in pairs]
        total, mean_span = sum(frames), sum(spans) / len(spans)
        if not all(spans):
            continue  # too slow for separate batches
        paces = [count * mean_span / span for count, span in zip(frames, spans, strict=True)]
        change = _change(paces) * len(paces) / total
        if abs(change) > NEGLIGIBLE:
            return Trend(way, "deliveries", change)
        growth = _change([end.inside for _, end in pairs]) / total
        if abs(growth) > NEGLIGIBLE:
            return Trend(way, "frames inside", growth)
    return None


def _find_gap(moments: Sequence[Moment], way: Direction) -> Gap | None:
    """Return the longest gap between deliveries, if it is longer than a batch and not like the others.

    It is significant if random times of delivery would rarely have one that long (Fisher's test of the
    longest interval). Traffic in bursts has several such gaps, which fill most of the time around it.
    """
    times = [it.ways[way].last_fs for it in moments] + [moments[-1].time_fs]
    gaps = [end - begin for begin, end in pairwise(times) if end > begin]
    longest, total = max(gaps), sum(gaps)
    share = longest / total
    similar = sum(gap for gap in gaps if 2 * gap > longest) - longest
    probability = len(gaps) * (1 - share) ** (len(gaps) - 1)
    is_alone = 2 * similar < total - longest
    if share > 1 / BATCHES and is_alone and probability < SIGNIFICANCE:
        return Gap(way, longest, share)
    return None


def _find_onset(moments: Sequence[Moment], begin: Moment, way: Direction) -> Onset | None:
    """Return the onset of drops for lack of room, if significantly many frames of a window came before it.

    The first frames that a window delivers were inside at its begin. The longest gap between later drops is
    a unit: drops at a distance of more than a unit are taken to be independent. Each of the n units behind
    the first drop has drops, and the c units before it have none. In random order those c units come first
    with a probability of 1 over the number of orders, the binomial coefficient of n + c and c.
    """
    flow = [it.ways[way] for it in moments]
    came = max(begin.ways[way].delivered, flow[0].accepted)
    pairs = [(one, other) for one, other in pairwise(flow) if other.accepted > came]
    drops = [one.accepted for one, other in pairs if other.refused > one.refused]
    end = flow[-1].accepted
    if not drops or flow[-1].refused - pairs[0][0].refused <= NEGLIGIBLE * (end - came):
        return None
    unit = max(later - earlier for earlier, later in pairwise([*drops, end]))
    share = (drops[0] - came) / (end - came)
    if share <= NEGLIGIBLE or not unit:
        return None
    before, behind = (drops[0] - came) / unit, (end - drops[0]) / unit
    orders = math.lgamma(before + behind + 1) - math.lgamma(before + 1) - math.lgamma(behind + 1)
    return Onset(way, share) if math.exp(-orders) < SIGNIFICANCE else None


def measure(moments: Sequence[Moment], way: Direction, link_rate: Rate) -> Mapping[RateName, Measured]:
    """Return the rates of a direction between the first and the last of these moments.

    The window of a direction goes from the last delivery before its begin to the last before its end. It is
    not shorter than what its frames take on the link: a backlog that the card hands over at once was not
    received at once.
    """
    cuts = _cuts(moments)
    pairs = [(begin.ways[way], end.ways[way]) for begin, end in pairwise(cuts)]
    spans = [end.last_fs - begin.last_fs for begin, end in pairs]
    frames = [end.delivered - begin.delivered for begin, end in pairs]
    wire_bits = [end.wire_bits - begin.wire_bits for begin, end in pairs]
    payload_bits = [end.payload_bits - begin.payload_bits for begin, end in pairs]
    span = max(sum(spans), sum(wire_bits) * _SECOND / link_rate.bits_per_second)

    def rate(amounts: Sequence[int], unit: float) -> Measured:
        if not sum(frames):
            return Measured(0.0)
        per_fs = sum(amounts) / span
        left = [amount - per_fs * its for amount, its in zip(amounts, spans, strict=True)]
        # A window resolves no less than a frame.
        error = max(_error_of_sum(left), sum(amounts) / sum(frames))
        return Measured(per_fs, error / span) * (_SECOND / unit)

    return {
        "frames_per_s": rate(frames, 1),
        "udp_payload_gbps": rate(payload_bits, 1e9),
        "wire_gbps": rate(wire_bits, 1e9),
        "line_rate_fraction": rate(wire_bits, link_rate.bits_per_second),
    }


def relative_error(moments: Sequence[Moment], way: Direction) -> float:
    """Return the error of a direction's frames in a window as a fraction of them."""
    cuts = [cut.ways[way] for cut in _cuts(moments)]
    frames, span = cuts[-1].delivered - cuts[0].delivered, cuts[-1].last_fs - cuts[0].last_fs
    left = [
        end.delivered - begin.delivered - (end.last_fs - begin.last_fs) * frames / span
        for begin, end in pairwise(cuts)
    ]
    return _error_of_sum(left) / frames


def excess(
    moments: Sequence[Moment],
    way: Direction,
    link_rate: Rate,
    longest_frame: int,
    *,
    with_backlog: bool = True,
) -> float:
    """Return the deliveries of a window over the most that can be; above 1 something is wrong.

    In a window a direction delivers what its link carries, and what was inside at its begin.

    Args:
        moments: Counts from the begin of the window to its end.
        way: Direction.
        link_rate: Rate of the link.
        longest_frame: Length of the longest frame in bytes, without check sequence.
        with_backlog: False if the frames inside at the begin are not to explain more deliveries.
    """
    begin, end = moments[0].ways[way], moments[-1].ways[way]
    frames, wire_bits = end.delivered - begin.delivered, end.wire_bits - begin.wire_bits
    if not frames:
        return 0.0
    carried = (end.last_fs - begin.last_fs) * link_rate.bits_per_second / _SECOND
    backlog = begin.inside * wire_bits / frames if with_backlog else 0
    inside = backlog + 8 * (longest_frame + FRAME_OVERHEAD_BYTES)
    return wire_bits / (carried + inside)


def _cuts(moments: Sequence[Moment]) -> Sequence[Moment]:
    """Return the samples that divide the time between the first and the last into nearly equal batches."""
    first, last = moments[0], moments[-1]
    cuts, place = [first], 0
    for number in range(1, BATCHES):
        due = first.time_fs + number * (last.time_fs - first.time_fs) // BATCHES
        while place < len(moments) - 1 and moments[place].time_fs < due:
            place += 1
        if moments[place].time_fs > cuts[-1].time_fs:
            cuts.append(moments[place])
    if last.time_fs == cuts[-1].time_fs:
        return cuts
    # A short rest, in which perhaps nothing comes, belongs to the batch before.
    if len(cuts) > 1 and 2 * BATCHES * (last.time_fs - cuts[-1].time_fs) < last.time_fs - first.time_fs:
        del cuts[-1]
    return [*cuts, last]


def _error_of_sum(left: Sequence[float]) -> float:
    """Half width of the confidence interval of a sum, from what is left of its parts without their mean."""
    number = len(left)
    if number < 2:
        return math.inf
    variance = sum(value * value for value in left) * number / (number - 1)
    return student_quantile(0.5 + CONFIDENCE / 2, number - 1) * math.sqrt(variance)


def _change(values: Sequence[float]) -> float:
    """Return the change along a straight line fitted to values; 0 if its slope is not significant."""
    number = len(values)
    if number < 3:
        return 0.0
    middle, mean = (number - 1) / 2, sum(values) / number
    square = sum((place - middle) ** 2 for place in range(number))
    slope = sum((place - middle) * value for place, value in enumerate(values)) / square
    left = [value - mean - slope * (place - middle) for place, value in enumerate(values)]
    error = math.sqrt(sum(value * value for value in left) / (number - 2) / square)
    is_significant = abs(slope) > student_quantile(1 - SIGNIFICANCE / 2, number - 2) * error
    return slope * (number - 1) if is_significant else 0.0
