"""Benches: the surroundings of cards."""

from spinach_nic.benches.back_to_back import BackToBack
from spinach_nic.benches.base import Bench, BenchProbes, FramePath
from spinach_nic.benches.finding import Runnable, find_nic, make_bench, name_of, shown_bench
from spinach_nic.benches.generated import GeneratedTraffic
from spinach_nic.benches.inputs import nic_inputs, python_inputs

__all__ = [
    "BackToBack",
    "Bench",
    "BenchProbes",
    "FramePath",
    "GeneratedTraffic",
    "Runnable",
    "find_nic",
    "make_bench",
    "name_of",
    "nic_inputs",
    "python_inputs",
    "shown_bench",
]
