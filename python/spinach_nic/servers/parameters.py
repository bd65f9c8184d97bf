"""Parameters of timed cores, caches and buses from files and the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

from msgspec import Struct

from spinach_nic import _native
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import read_file
from spinach_nic.support.units import Frequency, Quantity, Size, Time, parse_quantity

CORE = "core."
"""Optional prefix of the names of a core's parameters."""
_LARGEST_FILE = 1 << 20
_TIMED_CORE = re.compile(r"node\[([01])\]\.timing\.([\w.]+=.*)")
_TIMING = re.compile(r"node\[[01]\]\.(hart_core|attachment|timing)=")
_ATTACHMENT = re.compile(r"node\[([01])\]\.attachment=(.*)")
_HELP = "write it as core.width=2 or second_level.bytes=1MiB"
_UNITS: tuple[tuple[str, type[Quantity], int], ...] = (
    ("_ns", Time, 10**6),
    ("_hz", Frequency, 1),
    ("bytes", Size, 1),
)
"""Ends of the names of parameters with units: kind of quantity, and unit of the parameter in base units."""


def timing_changes(
    file: Path | None, settings: Sequence[str], earlier: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the parameters that differ from the defaults.

    Args:
        file: A JSON document with names of `_native.Server.timed_parameters`; all others keep their defaults.
        settings: Later changes, as "core.width=2" or "second_level.bytes=1MiB".
        earlier: Changes before those of the settings, in place of a file.

    Raises:
        SpinachError: The file is not such a document, or a name or value is invalid.
    """
    defaults = json.loads(_native.Server.timed_parameters())
    changes = _read(file) if file else deepcopy(dict(earlier or {}))
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


def attachment_of(*places: str | None, default: str | None = None) -> str | None:
    """Return the attachment point of a card, which may be given in several places.

    Args:
        places: Point given in each place; `None` for none.
        default: The attachment point if none is given.

    Raises:
        SpinachError: The places differ.
    """
    given = list(dict.fromkeys(str(place) for place in places if place is not None))
    if len(given) > 1:
        raise SpinachError(f"a card is attached at one point, not at {' and '.join(given)}", "omit one")
    return given[0] if given else default


class ServerSettings(Struct, frozen=True):
    """Settings of servers that are modules: those of timing hold from the moment at which they are ready."""

    always: tuple[str, ...]
    timing: tuple[str, ...]

    @classmethod
    def of(cls, settings: Sequence[str], first: Sequence[str], changes: Mapping[str, Any]) -> ServerSettings:
        """Separate both kinds, and join the parameters of timed cores of each server.

        Args:
            settings: Parameters of servers, cards and cable, as `node[1].timing.width=2`.
            first: Timing of the first server, unless one of the settings differs.
            changes: Parameters of the timed core of the first server that differ from the defaults.

        Raises:
            SpinachError: A parameter of timing is invalid, or is one of functional cores, or the attachment
                points of a card differ.
        """
        always: list[str] = []
        timing, further = [*first], dict[int, list[str]]()
        for setting in settings:
            if found := _TIMED_CORE.fullmatch(setting):
                further.setdefault(int(found[1]), []).append(found[2])
            else:
                (timing if _TIMING.match(setting) else always).append(setting)
        for node, parameters in further.items():
            if f"node[{node}].hart_core=timed" not in timing:
                message = f"{parameters[0]} is for timed cores, and those of server {node + 1} are functional"
                raise SpinachError(message, f"add --set node[{node}].hart_core=timed")
        attached = [(found[1], found[2]) for found in map(_ATTACHMENT.fullmatch, settings) if found]
        for node in range(2):
            joined = timing_changes(None, further.get(node, ()), changes if node == 0 else None)
            places = [place for number, place in attached if number == str(node)]
            if place := attachment_of(*places, joined.pop("attachment", None)):
                timing.append(f"node[{node}].attachment={place}")
            if joined:
                timing.append(f"node[{node}].timing={json.dumps(joined)}")
        return cls(tuple(always), tuple(timing))


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
    path = name.removeprefix(CORE)
    known = dict(_parameters(defaults))
    if path not in known:
        raise SpinachError(f"unknown parameter {name}", _native.suggest(path, list(known)))
    *groups, last = path.split(".")
    for group in groups:
        changes = changes.setdefault(group, {})
    changes[last] = value if isinstance(known[path], str) else _number(path, value)


def _parameters(defaults: Mapping[str, Any], group: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each parameter by path."""
    for name, default in defaults.items():
        if isinstance(default, dict):
            yield from _parameters(default, f"{group}{name}.")
        else:
            yield group + name, default


def _number(path: str, value: str) -> int:
    """Return the value of a parameter in its unit."""
    if value.isdecimal():
        return int(value)
    for end, kind, unit in _UNITS:
        if path.endswith(end):
            number = parse_quantity(value, kind).base / unit
            if number.denominator == 1:
                return int(number)
            raise SpinachError(f"{path} has no fractions of its unit, as in {value}", "give an integer")
    raise SpinachError(f"{path} is an integer, not {value!r}", f"write {CORE}{path}=2")
