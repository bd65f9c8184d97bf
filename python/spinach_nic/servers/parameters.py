"""Parameters of timed cores, caches and buses from files and the command line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spinach_nic import _native
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import read_file
from spinach_nic.support.units import Size, parse_quantity

CORE = "core."
"""Optional prefix of the names of a core's parameters."""
_LARGEST_FILE = 1 << 20
_HELP = "write it as core.width=2 or second_level.bytes=1MiB"


def timing_changes(file: Path | None, settings: Sequence[str]) -> dict[str, Any]:
    """Return the parameters that differ from the defaults.

    Args:
        file: A JSON document with names of `_native.Server.timed_parameters`; all others keep their defaults.
        settings: Later changes, as "core.width=2" or "second_level.bytes=1MiB".

    Raises:
        SpinachError: The file is not such a document, or a name or value is invalid.
    """
    defaults = json.loads(_native.Server.timed_parameters())
    changes = _read(file) if file else {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise SpinachError(f"invalid parameter {setting!r}", _HELP)
        _set(changes, defaults, name, value)
    # A part that is changed keeps its other parameters.
    for name, value in changes.items():
        if isinstance(value, dict) and isinstance(defaults.get(name), dict):
            changes[name] = _merged(defaults[name], value)
    return changes


def _merged(defaults: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    both = defaults | changes
    for name, value in changes.items():
        if isinstance(value, dict) and isinstance(defaults.get(name), dict):
            both[name] = _merged(defaults[name], value)
    return both


def _read(file: Path) -> dict[str, Any]:
    content = read_file(file, "name a JSON document with parameters", limit=_LARGEST_FILE)
    try:
        changes = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise SpinachError(f"{file} is not a JSON document: {error}", _HELP) from None
    if not isinstance(changes, dict):
        raise SpinachError(f"{file} does not contain an object of parameters", 'write {"width": 2}')
    return changes


def _set(changes: dict[str, Any], defaults: dict[str, Any], name: str, value: str) -> None:
    *groups, last = (name.removeprefix(CORE)).split(".")
    for group in groups:
        inner = defaults.get(group)
        if not isinstance(inner, dict):
            raise SpinachError(f"unknown parameter {name}", f"the parameters are {', '.join(defaults)}")
        defaults, changes = inner, changes.setdefault(group, {})
    if last not in defaults or isinstance(defaults[last], dict):
        parameters = [key for key, known in defaults.items() if not isinstance(known, dict)]
        raise SpinachError(f"unknown parameter {name}", f"the parameters there are {', '.join(parameters)}")
    if isinstance(defaults[last], str):
        changes[last] = value
    else:
        changes[last] = int(value) if value.isdecimal() else parse_quantity(value, Size).bytes
