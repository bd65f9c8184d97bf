"""Source files of a NIC: its Python, the modules next to it, and the sources of its firmware."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterator, Mapping, Set
from functools import cache, lru_cache
from pathlib import Path
from types import ModuleType

from spinach_nic.cards.base.card import Card
from spinach_nic.firmware import FirmwareError, ImageDescription, description_inputs
from spinach_nic.model import Component
from spinach_nic.support.location import is_inside_package

NOT_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)
"""Errors of a parser for an invalid source."""
_SCRIPTS = ("__main__", "__mp_main__")


@cache
def _standard() -> str:
    """Return the folder of Python's modules."""
    import sysconfig

    return os.path.join(os.path.realpath(sysconfig.get_path("stdlib")), "")


def nic_inputs(*classes: type[Component]) -> dict[str, Path]:
    """List the source files of a card and its bench, by their nouns for errors."""
    files: dict[str, Path] = {}
    for one in classes:
        files |= {f"{file} of the NIC": file for file in python_inputs(one)}
        own = sys.modules.get(one.__module__)
        if own is not None and (file := getattr(own, "__file__", None)) and not is_inside_package(file):
            files = {"the file of the NIC": Path(file), **files}
        images = _images(one) if issubclass(one, Card) else {}
        files |= {f"{file} of the firmware": file for file in description_inputs(images.values())}
    return files


def _images(card: type[Card]) -> Mapping[str, ImageDescription]:
    try:
        return card.images()
    except FirmwareError:  # raised again where firmware is needed
        return {}


def python_inputs(kind: type[Component]) -> Iterator[Path]:
    """Yield the files of a class and its bases, and of modules that they are made from.

    Files of Spinach and of installed packages are left out.
    """
    names = [sys.modules.get(part.__module__) for part in kind.__mro__]
    own = [file for module in names if (file := getattr(module, "__file__", None))]
    for file in own:
        if own_file(file):
            yield Path(file)
            yield from (Path(str(module.__file__)) for module in own_modules(file).values())


def own_modules(file: str | Path, *, neighbours: bool = True) -> Mapping[str, ModuleType]:
    """Return the loaded modules that a file of a user is made from, by name.

    They are those that it imports, directly or not; without those of Python, of installed packages and of
    this one, and without the script that is run.

    Args:
        file: The file.
        neighbours: True to add those next to it and below, which it may import under computed names.
    """
    loaded = {
        name: module
        for name, module in [*sys.modules.items()]
        if name not in _SCRIPTS and (source := getattr(module, "__file__", None)) and own_file(source)
    }
    folder = os.path.join(os.path.dirname(os.path.realpath(file)), "")
    found = {
        name: module
        for name, module in loaded.items()
        if neighbours and own_file(str(module.__file__)).startswith(folder)
    }
    waiting = [(str(file), ""), *((str(it.__file__), it.__package__ or "") for it in found.values())]
    while waiting:
        source, package = waiting.pop()
        try:
            names = imported_names(Path(source).read_bytes(), package)
        except (OSError, *NOT_PYTHON):  # an extension module, or a source that has been removed
            continue
        for name in names & (loaded.keys() - found.keys()):
            module = found[name] = loaded[name]
            waiting.append((str(module.__file__), module.__package__ or ""))
    return found


@lru_cache(maxsize=1024)
def imported_names(source: bytes, package: str = "") -> Set[str]:
    """Return the modules and packages that a Python source may import, with names that it takes from them.

    Raises:
        NOT_PYTHON: The source is invalid.
    """
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: package.count(".") + 2 - node.level] if node.level else []
            names |= {".".join(filter(None, [*above, node.module, alias.name])) for alias in node.names}
    split = [name.split(".") for name in names]
    return {".".join(parts[:count]) for parts in split for count in range(1, len(parts) + 1)}


@cache
def own_file(file: str) -> str:
    """Return the real path of a file; empty for one of Python, of installed packages and of this one."""
    if "site-packages" in file or "dist-packages" in file or is_inside_package(file):
        return ""
    real = os.path.realpath(file)
    return "" if real.startswith(_standard()) else real
