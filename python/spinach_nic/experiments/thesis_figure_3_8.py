"""Thesis, figure 3.8: modified Tigon-2 architectures with the shortest frames."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

from spinach_nic.experiments._papers import thesis
from spinach_nic.experiments._rates import ONE
from spinach_nic.experiments._tigon2 import (
    PARALLEL,
    RELEASED_STYLE,
    SHORTEST_PAYLOAD,
    UNI,
    instructions_per_s,
    of_image,
    stalls_per_instruction,
)
from spinach_nic.experiments._two_cores import two_cores
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Experiment,
    Extent,
    Point,
    Row,
    Rows,
    at_most,
    figure_of,
    near,
    number,
    one_row,
    only,
    with_errors,
)
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GAINS = {88: 0.475, 200: 0.34}
"""Published gains of a descriptor memory, by clock of the cores in MHz."""
CLOCKS_MHZ = tuple(GAINS)
IMAGES = (PARALLEL, RELEASED_STYLE, UNI)
ARCHITECTURES = {
    "base": {},
    "base + round robin": {"arbitration": "round_robin"},
    "descriptor memory": {"descriptor_memory": "true"},
    "descriptor memory + round robin": {"descriptor_memory": "true", "arbitration": "round_robin"},
}
"""Parameters of the NIC for each."""
NEEDED = ("base", "base + round robin", "descriptor memory")
"""Points that claims compare."""


class ModifiedArchitectures(Experiment):
    """Round-robin arbitration and a separate memory for descriptors, with cores of two clocks."""

    name = "thesis-figure-3.8"
    summary = "Tigon-2 with round-robin arbitration and a descriptor memory, shortest frames"
    source = thesis("figures 3.8 (a) and (b), section 3.5.2")
    key = (
        Column("firmware", "firmware"),
        Column("architecture", "architecture"),
        Column("core_clock_mhz", "cores, MHz"),
    )
    measured = (
        Column("frames_per_s", "frames/s", digits=0),
        Column("speedup", "speedup"),
        Column("stalls_per_instruction", "memory stalls per instruction", digits=3),
        Column("instructions_per_s", "instructions/s", digits=0),
        Column("sram_efficiency", "SRAM efficiency", digits=3),
    )
    notes = (
        "Memory stalls are cycles that wait for a load, for a refused reference or for an instruction.",
        "SRAM efficiency is the share of the cycles in which the SRAM was busy that moved data.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Result]]:
        """Return a run for each image, architecture and clock."""
        images = extent.some(IMAGES, needed=(PARALLEL, RELEASED_STYLE))
        architectures = extent.some(ARCHITECTURES, needed=NEEDED)
        return [
            one_row(
                two_cores(
                    extent,
                    SHORTEST_PAYLOAD,
                    ARCHITECTURES[architecture],
                    firmware=firmware,
                    core_clock_mhz=clock,
                ),
                partial(_measure, clock),
                firmware=firmware,
                architecture=architecture,
                core_clock_mhz=clock,
            )
            for firmware, clock, architecture in product(images, CLOCKS_MHZ, architectures)
        ]

    def finish(self, rows: Rows) -> Rows:
        """Speedups are over the real card with the same image."""
        bases = [
            row for row in rows if (row["architecture"], row["core_clock_mhz"]) == ("base", CLOCKS_MHZ[0])
        ]
        reference = {base["firmware"]: number(base, "frames_per_s") for base in bases}
        return [{**row, "speedup": number(row, "frames_per_s") / reference[row["firmware"]]} for row in rows]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Section 3.5.2."""
        return [claim for firmware in (PARALLEL, RELEASED_STYLE) for claim in self._claims_of(firmware, rows)]

    @staticmethod
    def _claims_of(firmware: str, rows: Rows) -> Sequence[Claim]:
        its = [row for row in rows if row["firmware"] == firmware]
        who = of_image(firmware, PARALLEL)

        def figure(name: str, architecture: str, clock: int) -> Measured:
            return figure_of(only(its, architecture=architecture, core_clock_mhz=clock), name)

        def ratio(name: str, changed: str, base: str, clock: int) -> Measured:
            return figure(name, changed, clock) / figure(name, base, clock)

        separate, robin = "descriptor memory", "base + round robin"
        claims = []
        for clock in CLOCKS_MHZ:
            faster = ratio("frames_per_s", separate, "base", clock)
            stalls = ratio("stalls_per_instruction", separate, "base", clock)
            efficiency = ratio("sram_efficiency", robin, "base", clock)
            claims += [
                near(
                    f"{who}a descriptor memory gains {100 * GAINS[clock]:g} % with small frames, {clock} MHz",
                    faster - ONE,
                    GAINS[clock],
                ),
                at_most(
                    f"{who}it dramatically reduces memory stalls per instruction at {clock} MHz",
                    stalls,
                    0.5,
                    ours="dramatically is a half",
                ),
                at_most(
                    f"{who}round robin reduces SRAM efficiency by more than 20 % at {clock} MHz",
                    efficiency,
                    0.8,
                ),
            ]
        fast = CLOCKS_MHZ[-1]
        return [
            *claims,
            at_most(
                f"{who}round robin makes the base slower at 200 MHz",
                ratio("frames_per_s", robin, "base", fast),
                1.0,
            ),
            at_most(
                f"{who}a descriptor memory helps less at 200 MHz than at 88 MHz",
                ratio("frames_per_s", separate, "base", fast)
                / ratio("frames_per_s", separate, "base", CLOCKS_MHZ[0]),
                1.0,
            ),
        ]

    def plot(self, figure: Figure, rows: Rows) -> None:
        """Speedups, then stalls."""
        names = list(ARCHITECTURES)
        parts = (("speedup", "speedup"), ("stalls_per_instruction", "memory stalls per instruction"))
        for axes, (column, label) in zip(figure.subplots(1, 2), parts, strict=True):
            for number_of_clock, clock in enumerate(CLOCKS_MHZ):
                its = [row for row in rows if (row["firmware"], row["core_clock_mhz"]) == (PARALLEL, clock)]
                places = [names.index(str(row["architecture"])) + 0.4 * number_of_clock for row in its]
                axes.bar(places, [number(row, column) for row in its], width=0.4, label=f"{clock} MHz")
            axes.set_xticks([place + 0.2 for place in range(len(names))], names, rotation=20, ha="right")
            axes.set_ylabel(label)
            axes.legend()


def _measure(clock: int, result: Result) -> Row:
    return {
        **with_errors(frames_per_s=result.both("frames_per_s")),
        "speedup": None,
        "stalls_per_instruction": stalls_per_instruction(result),
        "instructions_per_s": instructions_per_s(result, clock),
        "sram_efficiency": result.memories["sram"].efficiency,
    }
