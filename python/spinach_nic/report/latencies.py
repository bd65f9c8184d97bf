"""Distribution of latencies, as a plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from markupsafe import Markup

from spinach_nic.report.plots import picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BARS = 24
"""Bars of a histogram. Each is wider than the widest bucket of a result, which is 3 % of its latency."""

Distribution = Sequence[tuple[int, int]]
"""Distribution of a result: pairs of a latency in ns, and the number of frames up to it."""


def latency_picture(distributions: Mapping[str, Distribution]) -> Markup | None:
    """Return histograms of some distributions, next to their cumulative fractions.

    `None` if there is nothing to draw.
    """
    known = {name: found for name, found in distributions.items() if found}

    def draw(figure: Figure) -> None:
        if not known:
            return
        shares, until = figure.subplots(1, 2)
        for name, found in known.items():
            edges, heights = joined(found)
            total = sum(heights)
            shares.stairs([100 * height / total for height in heights], edges, label=name, fill=False)
            counts = list(accumulate(count for _, count in found))
            latencies = [latency / 1e3 for latency, _ in found]
            until.step(latencies, [100 * count / counts[-1] for count in counts], where="post", label=name)
        shares.set(xlabel="latency, us", ylabel="% of frames", ylim=(0, None))
        until.set(xlabel="latency, us", ylabel="% of frames, up to", ylim=(0, 101))
        until.legend()

    return picture(draw, (8, 3))


def joined(found: Distribution) -> tuple[list[float], list[int]]:
    """Buckets of equal width: their edges in us, one more than buckets, and how many frames each has."""
    longest = max(latency for latency, _ in found)
    shortest = min(latency for latency, _ in found)
    width = max((longest - shortest) / BARS, 1.0)
    heights = [0] * BARS
    for latency, count in found:
        heights[min(int((latency - shortest) / width), BARS - 1)] += count
    return [(shortest + width * place) / 1e3 for place in range(BARS + 1)], heights
