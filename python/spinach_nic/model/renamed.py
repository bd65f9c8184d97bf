"""Renamed classes: the error of a former name shows the present one."""

from collections.abc import Mapping

from spinach_nic import _native
from spinach_nic.support.errors import SpinachError


def class_name(kind: str) -> str:
    """Return the class of a kind of modules: `round_robin_arbiter` as `RoundRobinArbiter`."""
    return "".join(word[:1].upper() + word[1:] for word in kind.split("_"))


def renamed_modules() -> dict[str, str]:
    """Former names of the classes of the module library, each with the present one."""
    return {class_name(former): class_name(kind) for former, kind in _native.renamed_kinds().items()}


def missing(package: str, name: str, renamed: Mapping[str, str]) -> Exception:
    """Return the error of an attribute that a package does not have.

    Args:
        package: The package.
        name: The name that was looked for.
        renamed: Former names of classes of the package, each with the present one.
    """
    if name in renamed:
        present = renamed[name]
        return SpinachError(f"{package}.{name} was renamed to {present}", f"write {present} instead")
    return AttributeError(f"module {package!r} has no attribute {name!r}")
