"""Settable parameters of a system's parts, as text and as data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from spinach_nic import _native
from spinach_nic.model import Component, Module, Part
from spinach_nic.model.parameters import MISSING, Parameter
from spinach_nic.model.ports import PortDeclaration
from spinach_nic.model.tracing import Called, Lifted
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import Quantity

_INDEX = re.compile(r"\[([0-9]+)\]")


Plain = bool | int | str


@dataclass(frozen=True)
class ParameterDescription:
    """One parameter of a part of a system."""

    path: str
    """Path as `--set` takes it."""
    type: str
    """The kind of value, such as `integer` or `frequency`."""
    unit: str
    """Unit of a number, or the units in which a quantity is written; empty if neither."""
    default: Plain | None
    """A quantity or a list is as it is written; `None` if the parameter must be set."""
    value: Plain | None
    """Value in this system."""
    minimum: Plain | None
    maximum: Plain | None
    choices: tuple[str, ...]
    """Allowed values, if only some are."""
    meaning: str

    @property
    def allowed(self) -> str:
        """Choices or range, as text."""
        if self.choices:
            return ", ".join(self.choices)
        return "" if self.minimum is None else f"{shown(self.minimum)} to {shown(self.maximum)}"

    def mentions(self, word: str) -> bool:
        """Return true if the path, the meaning or a choice contains a word, in any case."""
        texts = (self.path, self.path.replace("_", " "), self.meaning, *self.choices)
        return any(word.lower() in text.lower() for text in texts)


@dataclass(frozen=True)
class PartDescription:
    """A part of a part, or all elements of an array of them."""

    path: str
    """Path of the part; of an array, of its first element."""
    count: int
    """Number of elements of the array; 1 if it is not an array."""
    kind: str
    """Class of the part."""
    summary: str
    """First line of the docstring of the class."""


@dataclass(frozen=True)
class PortDescription:
    """A port of a module."""

    name: str
    direction: str
    """`input` or `output`."""
    carries: str
    """Type of its values, or a letter if the connections decide."""
    lanes: str
    """Number of channels: `one`, `optional`, `many` (at least one) or `any`."""
    meaning: str


@dataclass(frozen=True)
class ModuleDescription:
    """A module of the library."""

    name: str
    documentation: str
    parameters: list[ParameterDescription]
    ports: list[PortDescription]
    counters: dict[str, str]
    """Meanings of the counters, by name."""


def describe_module(name: str) -> ModuleDescription | None:
    """Describe the module of the library with this class or kind; `None` if there is none."""
    from spinach_nic import library

    module = next((one for one in library.__all__ if name in (one, _kind_name(one))), None)
    if module is None:
        return None
    described: type[Module] = getattr(library, module)
    ports = [port for port in described._connectable.values() if isinstance(port, PortDeclaration)]
    return ModuleDescription(
        name=module,
        documentation=(described.__doc__ or "").strip(),
        parameters=[
            _described(declared, name, declared.default) for name, declared in described._declared.items()
        ],
        ports=[
            PortDescription(
                port.name,
                "output" if port.is_output else "input",
                port.carries,
                port.lanes,
                port.documentation,
            )
            for port in ports
        ],
        counters=dict(described.counters),
    )


def _kind_name(module: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", module).lower()


def find_part(system: Part, path: str) -> tuple[Part, str]:
    """Return the part of a system that a path leads to, and the name of a parameter of it if it leads there.

    Args:
        system: System in which the path begins.
        path: The names of parts, as in `core[0].cache`, perhaps with that of a parameter at the end; empty
            for the system itself.

    Raises:
        SpinachError: There is nothing of that name; the nearest names are in the help.
    """
    part = system
    names = path.split(".") if path else []
    for number, name in enumerate(names):
        parts = part.parts if isinstance(part, Component) else {}
        if name in parts:
            part = parts[name]
            continue
        is_last = number == len(names) - 1
        if is_last and name in part.declarations:
            return part, name
        where = ".".join(names[:number]) or system.path
        known = [*parts, *(part.declarations if is_last else ())]
        raise SpinachError(
            f"{where} has no part {'or parameter ' * is_last}{name!r}", _native.suggest(name, known)
        )
    return part, ""


def describe_parameters(part: Part, path: str) -> list[ParameterDescription]:
    """Return the parameters of one part that can be written as text.

    Args:
        part: The part.
        path: Path of the part in its system; empty for the system itself.
    """
    prefix = f"{path}." if path else ""
    values = part.parameters
    return [
        _described(declared, prefix + name, values[name])
        for name, declared in part.declarations.items()
        if _can_be_written(declared)
    ]


def describe_all(part: Part, path: str) -> Iterator[ParameterDescription]:
    """Yield the parameters of a part and of everything in it; of arrays, those of the first element."""
    yield from describe_parameters(part, path)
    for described, inner in _first_parts(part, path):
        yield from describe_all(inner, described.path)


def describe_parts(part: Part, path: str) -> list[PartDescription]:
    """Return the parts of a part, arrays as one."""
    return [described for described, _ in _first_parts(part, path)]


def _first_parts(part: Part, path: str) -> Iterator[tuple[PartDescription, Part]]:
    if not isinstance(part, Component):
        return
    prefix = f"{path}." if path else ""
    arrays: dict[str, list[str]] = {}
    for name in part.parts:
        arrays.setdefault(_INDEX.sub("[]", name), []).append(name)
    for names in arrays.values():
        first = part.parts[names[0]]
        summary = (type(first).__doc__ or "").strip().partition("\n")[0]
        yield PartDescription(prefix + names[0], len(names), type(first).__name__, summary), first


def _can_be_written(declared: Parameter) -> bool:
    return declared.kind not in ("object", "bytes") or bool(declared.choices)


def _described(declared: Parameter, path: str, value: Any) -> ParameterDescription:
    lowest, highest = declared.range or (None, None)
    return ParameterDescription(
        path=path,
        type=declared.kind or "object",
        unit=declared.unit,
        default=_plain(declared, declared.default),
        value=_plain(declared, value),
        minimum=_plain(declared, lowest),
        maximum=_plain(declared, highest),
        choices=tuple(declared.choices),
        meaning=declared.documentation,
    )


def shown(value: Plain | None) -> str:
    """Return a value as it is written on the command line; empty for none."""
    if isinstance(value, bool):
        return str(value).lower()
    is_word = isinstance(value, int) and value > 2**48 and not value & (value + 1)
    return (
        f"2^{value.bit_length()} - 1"
        if is_word and isinstance(value, int)
        else str("" if value is None else value)
    )


def _plain(declared: Parameter, value: Any) -> Plain | None:
    for name, meant in declared.choices.items():
        if meant is value or (type(meant) is type(value) and meant == value):
            return name
    if value is None or value is MISSING:
        return None
    if isinstance(value, bool | int):
        return value
    if isinstance(value, Quantity):
        return str(value).replace(" ", "")
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return f"a function: {value.name}" if isinstance(value, Lifted | Called) else str(value)
