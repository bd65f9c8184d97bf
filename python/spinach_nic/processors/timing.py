"""Timing presets of pipelined cores: data, shipped or in a custom file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from spinach_nic import _native
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import read_file

_SHIPPED = Path(__file__).with_name("timings.toml")

TIMING_PARAMETERS = (
    "branch_stage",
    "jump_stage",
    "branch_prediction",
    "load_use_delay",
    "annulled_slots",
    "store_buffer",
    "loads_under_way",
    "memory_stages",
    "shift_latency",
    "multiply_latency",
    "multiply_by_operand",
    "system_latency",
    "divide_latency",
)
"""Parameters of a pipelined core that a preset may set."""


@cache
def core_timings() -> Mapping[str, Mapping[str, Any]]:
    """Return the shipped presets by name."""
    return tomllib.loads(_SHIPPED.read_text())


def core_timing(name: str) -> dict[str, Any]:
    """Return the parameters of a pipelined core with a timing.

    Args:
        name: Name of a shipped preset; `FILE.toml`, with the parameters of one; or nothing for the defaults.

    Raises:
        SpinachError: There is no such preset, or the file is malformed or sets other parameters.
    """
    if not name:
        return {}
    if not name.endswith(".toml"):
        presets = core_timings()
        if name not in presets:
            help = _native.suggest(name, list(presets))
            raise SpinachError(f"no timing of cores is called {name}", f"{help}; or name a file FILE.toml")
        return dict(presets[name])
    path = Path(name)
    content = read_file(path, "make it a file to read", what="timing of cores")
    try:
        parameters = tomllib.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise SpinachError(f"{path}: {error}", "correct the file; it is TOML") from error
    for parameter in parameters:
        if parameter not in TIMING_PARAMETERS:
            message = f"{path}: {parameter} is not a timing parameter of a pipelined core"
            raise SpinachError(message, _native.suggest(parameter, list(TIMING_PARAMETERS)))
    return parameters
