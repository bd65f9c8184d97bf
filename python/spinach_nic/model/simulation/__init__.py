"""Simulations of described systems."""

from spinach_nic.model.simulation.conditions import Condition, counted, transferred
from spinach_nic.model.simulation.contents import Contents
from spinach_nic.model.simulation.recorder import Capture, Recorder, TracedRows, Traces, Transfer
from spinach_nic.model.simulation.simulation import ChannelValue, Outcome, Simulation, simulate
from spinach_nic.model.simulation.statistics import Statistics

__all__ = [
    "Capture",
    "ChannelValue",
    "Condition",
    "Contents",
    "Outcome",
    "Recorder",
    "Simulation",
    "Statistics",
    "TracedRows",
    "Traces",
    "Transfer",
    "counted",
    "simulate",
    "transferred",
]
