"""Module classes, made from the declarations of their kinds in Rust."""

import keyword
import textwrap
from collections.abc import Sequence
from typing import Any

from spinach_nic.model.class_name import class_name
from spinach_nic.model.clocks import Clock
from spinach_nic.model.module import Module
from spinach_nic.model.parameters import MISSING, parameter
from spinach_nic.model.ports import PortBundle, input_port, output_port
from spinach_nic.model.tracing import Policy
from spinach_nic.support.units import Frequency, Rate, Size, Time

WIDTH = 110
Declaration = dict[str, Any]
"""Declaration of a kind of module, as `_native.declaration` returns it."""

TYPES: dict[str, Any] = {
    "boolean": bool,
    "integer": int,
    "time": Time,
    "frequency": Frequency,
    "size": Size,
    "rate": Rate,
    "text": str,
    "integers": Sequence[int],
    "bytes": bytes,
    "policy": Policy,
}
"""Python type of each kind of parameter."""

_ORDERED = ("integer", "time", "size", "rate")
_RESERVED = frozenset(name for name in dir(Module) if not name.startswith("__")) | frozenset(keyword.kwlist)


def module_class(declaration: Declaration, package: str) -> type[Module]:
    """Return a new module class.

    Args:
        declaration: The declaration of its kind.
        package: The package that the class belongs to, for pickle and documentation.
    """
    parameters = {python_name(one["name"]): one for one in declaration["parameters"]}
    clocks = clock_names(declaration)
    types = {name: TYPES[one["parameter_type"]] for name, one in parameters.items()}
    if len(clocks) > 1:
        types |= dict.fromkeys(clocks, Clock | None)
    namespace = {
        "__module__": package,
        "__doc__": _Documentation(declaration),
        "__annotations__": types,
        "kind": declaration["kind"],
        "counters": dict(declaration["counters"]),
        "engine_names": _engine_names(declaration),
        **{name: _parameter(one) for name, one in parameters.items()},
        **_ports(declaration),
    }
    if len(clocks) > 1:
        namespace |= {"_clock_names": clocks, **dict.fromkeys(clocks)}
    return type(class_name(declaration["kind"]), (Module,), namespace)


def python_name(name: str) -> str:
    """Return the Python name of a parameter, port or bundle: a reserved name gets an underscore."""
    return f"{name}_" if name in _RESERVED else name


def clock_names(declaration: Declaration) -> tuple[str, ...]:
    """Return the attributes that assign the clocks of a kind of module."""
    if len(declaration["clocks"]) == 1:
        return ("clock",)
    return tuple(name if name.endswith("clock") else f"{name}_clock" for name in declaration["clocks"])


def python_value(kind: str, value: Any) -> Any:
    """Return a declared default or bound of a parameter of this kind as a Python value."""
    match kind:
        case "time":
            return Time(value)
        case "frequency":
            return Frequency(value["numerator"]) / value["denominator"]
        case "size":
            return Size(value)
        case "rate":
            return Rate(value)
        case "integers":
            return tuple(value)
        case "bytes":
            return bytes(value)
    return value


class _Documentation:
    """The docstring of a class, made when it is read: filling its lines takes time."""

    def __init__(self, declaration: Declaration) -> None:
        self._declaration = declaration

    def __get__(self, instance: object, owner: type) -> str:
        return documentation(self._declaration)


def documentation(declaration: Declaration) -> str:
    """Return the docstring of a kind of module."""
    paragraphs = declaration["documentation"].split("\n\n")
    sections = [*paragraphs, f"Timing: {declaration['timing']}", f"Source: {declaration['source']}"]
    return "\n\n".join(map(_wrapped, sections))


def _wrapped(text: str) -> str:
    # A row of a table is a line.
    return text if text.startswith("|") else textwrap.fill(" ".join(text.split()), WIDTH - 4)


def _engine_names(declaration: Declaration) -> dict[str, str]:
    names = {python_name(one["name"]): one["name"] for one in declaration["parameters"]}
    if len(declaration["clocks"]) > 1:
        names |= zip(clock_names(declaration), declaration["clocks"], strict=True)
    return {new: old for new, old in names.items() if new != old}


def _parameter(one: dict[str, Any]) -> Any:
    kind = one["parameter_type"]
    default, bounds = one["default"], None
    if one["range"] is not None and kind in _ORDERED:
        lowest, highest = (python_value(kind, bound) for bound in one["range"])
        bounds = (lowest, highest)
    return parameter(
        MISSING if default is None else python_value(kind, default["value"]),
        doc=one["documentation"],
        kind=kind,
        range=bounds,
        power_of_two=one["is_power_of_two"],
        choices=one["choices"],
    )


def _ports(declaration: Declaration) -> dict[str, Any]:
    ports: dict[str, Any] = {}
    bundles: dict[str, dict[str, Any]] = {}
    for one in declaration["ports"]:
        ((form, carried),) = one["port_type"].items()
        port = (output_port if one["direction"] == "output" else input_port)(
            one["name"],
            one["documentation"],
            carries=carried["name"] if form == "fixed" else carried,
            lanes=one["lanes"],
        )
        ports[python_name(one["name"])] = port
        if one["bundle"] is not None:
            bundle, _, role = one["bundle"].partition(".")
            bundles.setdefault(bundle, {})[python_name(role)] = port
    return ports | {python_name(name): PortBundle(name, **roles) for name, roles in bundles.items()}
