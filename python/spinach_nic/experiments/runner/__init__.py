"""Reproduction of published tables and figures: declaration and execution of experiments.

An experiment is a file of `spinach_nic.experiments`; `reproduce` runs experiments, each as independent points
in parallel processes, and returns measured next to published figures.
"""

from spinach_nic.experiments.runner.catalog import find_experiment, shipped_experiments
from spinach_nic.experiments.runner.claims import Claim, at_least, at_most, expectation, near, shown
from spinach_nic.experiments.runner.experiment import (
    ERROR,
    FULL,
    QUICK,
    Column,
    Experiment,
    Extent,
    Point,
    Request,
    Row,
    Rows,
    Source,
    figure_of,
    number,
    one_row,
    only,
    with_errors,
)
from spinach_nic.experiments.runner.requests import NicRun, TraceStudy, as_settings
from spinach_nic.experiments.runner.results import Reproduction, document
from spinach_nic.experiments.runner.runner import ReproductionProgress, reproduce
from spinach_nic.support.parallel import Carried

__all__ = [
    "ERROR",
    "FULL",
    "QUICK",
    "Carried",
    "Claim",
    "Column",
    "Experiment",
    "Extent",
    "NicRun",
    "Point",
    "Reproduction",
    "ReproductionProgress",
    "Request",
    "Row",
    "Rows",
    "Source",
    "TraceStudy",
    "as_settings",
    "at_least",
    "at_most",
    "document",
    "expectation",
    "figure_of",
    "find_experiment",
    "near",
    "number",
    "one_row",
    "only",
    "reproduce",
    "shipped_experiments",
    "shown",
    "with_errors",
]
