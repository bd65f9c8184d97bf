"""Names that a package exports and imports when they are used, so that commands start fast."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from sys import modules
from typing import Any


def imported_when_used(
    package: str, exported: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package.

    Args:
        package: Name of the package.
        exported: Names, separated by spaces, by module without the name of the package.
    """
    names = {name: module for module, listed in exported.items() for name in listed.split()}

    def get(name: str) -> Any:
        module = names.get(name)
        if module is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{module}"), name)
        setattr(modules[package], name, value)
        return value

    return get, lambda: sorted({*vars(modules[package]), *names})
