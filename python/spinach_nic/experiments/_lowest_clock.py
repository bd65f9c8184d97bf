"""Lowest core clock that fills the link."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from spinach_nic.experiments._tengig import LINE_RATE, line_rate_fraction, thesis_nic
from spinach_nic.experiments.runner import Extent, NicRun
from spinach_nic.runs import RunError
from spinach_nic.support.errors import SpinachError

STEP_MHZ = 25
"""The publication's clocks are multiples of this."""
COARSE_STEP_MHZ = 100
"""Frames of a run that need not be exact."""
FASTEST_MHZ = 1000
_MORE_FRAMES = (1, 2, 4, 8)


def lowest(holds: Callable[[int], bool], most: int) -> int | None:
    """Halve the range up to `most` between a number that does not hold and one that does.

    Returns:
        The lowest number that holds, if it holds for all above; `None` if `most` does not.
    """
    too_low, enough = 0, most
    while enough - too_low > 1:
        middle = (too_low + enough) // 2
        if holds(middle):
            enough = middle
        else:
            too_low = middle
    return None if enough == most and not holds(most) else enough


@dataclass(frozen=True)
class LowestClock:
    """Request for the lowest core clock at which a number of cores of the thesis's NIC reaches line rate."""

    cores: int
    extent: Extent
    firmware: str = "optimized"
    settings: tuple[tuple[str, str], ...] = ()
    """Further parameters of the card."""

    def carry_out(self) -> int:
        """Search for the clock, in MHz.

        Raises:
            SpinachError: A run fails, or the fastest clock is not enough.
        """
        step_mhz = self._step_mhz
        found = lowest(lambda step: self._fills_the_link(step * step_mhz), FASTEST_MHZ // step_mhz)
        if found is None:
            raise SpinachError(f"{FASTEST_MHZ} MHz are not enough", "the search must begin at a faster clock")
        return found * step_mhz

    def _fills_the_link(self, core_clock_mhz: int) -> bool:
        """Return true if the clock is enough. A run that was not steady is repeated with more frames.

        A full link is measured as 1 within a percent or two: only the value itself tells it from 0.98.
        """
        run = self._run(core_clock_mhz)
        for more in _MORE_FRAMES[:-1]:
            try:
                return (
                    line_rate_fraction(replace(run, frames=more * run.frames).carry_out()).value >= LINE_RATE
                )
            except RunError as error:
                if error.result.measured_window.is_steady:
                    raise
        longest = replace(run, frames=_MORE_FRAMES[-1] * run.frames)
        return line_rate_fraction(longest.carry_out()).value >= LINE_RATE

    def _run(self, core_clock_mhz: int) -> NicRun:
        run = thesis_nic(self.extent, cores=self.cores, core_clock_mhz=core_clock_mhz, firmware=self.firmware)
        return replace(run, settings=run.settings + self.settings)

    @property
    def _step_mhz(self) -> int:
        return STEP_MHZ if self.extent.largest_selection is None else COARSE_STEP_MHZ

    def __str__(self) -> str:
        """Return the subject of the search."""
        example = str(self._run(STEP_MHZ)).replace(f"core_clock={STEP_MHZ}MHz", "core_clock=...")
        return f"the lowest clock (in steps of {self._step_mhz} MHz) that reaches {LINE_RATE:.0%}: {example}"
