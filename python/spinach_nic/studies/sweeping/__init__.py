"""Studies of many configurations: sweeps, and searches for the cheapest that meets conditions."""

from spinach_nic.studies.sweeping.description import Description, Goal, Plot
from spinach_nic.studies.sweeping.plots import draw_plots
from spinach_nic.studies.sweeping.point import SweepPoint
from spinach_nic.studies.sweeping.search import Found, Search, search
from spinach_nic.studies.sweeping.space import Range
from spinach_nic.studies.sweeping.sweep import Sweep, SweepProgress, SweepResult, sweep

__all__ = [
    "Description",
    "Found",
    "Goal",
    "Plot",
    "Range",
    "Search",
    "Sweep",
    "SweepPoint",
    "SweepProgress",
    "SweepResult",
    "draw_plots",
    "search",
    "sweep",
]
