"""Catalogue of experiments: every file of `spinach_nic.experiments` with a name without a leading `_`."""

from __future__ import annotations

import re
from importlib import import_module
from pkgutil import iter_modules

from spinach_nic import _native, experiments
from spinach_nic.experiments.runner.experiment import Experiment
from spinach_nic.support.errors import SpinachError


def shipped_experiments() -> dict[str, Experiment]:
    """Return all experiments, by name, in the order of their sources."""
    found = [
        _load(module.name)
        for module in iter_modules(experiments.__path__)
        if module.name[0] != "_" and not module.ispkg
    ]
    return {experiment.name: experiment for experiment in sorted(found, key=lambda it: _order(it.name))}


def find_experiment(name: str) -> Experiment:
    """Return the experiment of this name.

    Raises:
        SpinachError: There is none.
    """
    shipped = shipped_experiments()
    if name not in shipped:
        message = f"there is no experiment {name!r}"
        raise SpinachError(message, f"{_native.suggest(name, list(shipped))}; `spinach list` shows all")
    return shipped[name]


def module_name(name: str) -> str:
    """Return the name of the file, without its suffix, that defines the experiment of this name."""
    return name.replace("-", "_").replace(".", "_")


def _load(module_stem: str) -> Experiment:
    module = import_module(f"{experiments.__name__}.{module_stem}")
    defined = [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Experiment)
        and value.__module__ == module.__name__
        and "name" in vars(value)
    ]
    if len(defined) != 1 or module_name(defined[0].name) != module_stem:
        raise TypeError(f"{module.__name__} must define one Experiment, named after the file")
    experiment: Experiment = defined[0]()
    return experiment


def _order(name: str) -> list[tuple[str, int]]:
    """Numbers in names sort as numbers: table 4.10 follows table 4.9."""
    return [(text, int(digits or 0)) for text, digits in re.findall(r"(\D*)(\d*)", name)]
