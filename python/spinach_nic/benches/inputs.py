"""Source files of a NIC: its Python, the modules next to it, and the sources of its firmware."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path

from spinach_nic.cards.base.card import Card
from spinach_nic.firmware import FirmwareError, ImageDescription, description_inputs
from spinach_nic.model import Component
from spinach_nic.support.location import is_inside_package


@cache
def _standard() -> str:
    """Return the folder of Python's modules."""
    import sysconfig

    return os.path.join(os.path.realpath(sysconfig.get_path("stdlib")), "")


def nic_inputs(*classes: type[Component]) -> dict[str, Path]:
    """List the source files of a card and its bench, by their nouns for errors."""
    files: dict[str, Path] = {}
    for one in classes:
        files |= {f"{file.name} of the NIC": file for file in python_inputs(one)}
        own = sys.modules.get(one.__module__)
        if own is not None and (file := getattr(own, "__file__", None)) and not is_inside_package(file):
            files = {"the file of the NIC": Path(file), **files}
        images = _images(one) if issubclass(one, Card) else {}
        for image in images.values():
            files |= {f"{file.name} of the firmware": file for file in description_inputs(image)}
    return files


def _images(card: type[Card]) -> Mapping[str, ImageDescription]:
    try:
        return card.images()
    except FirmwareError:  # raised again where firmware is needed
        return {}


def python_inputs(kind: type[Component]) -> Iterator[Path]:
    """Yield the files of a class and its bases, and of loaded modules in their folders and below.

    Files of Spinach and of installed packages are left out.
    """
    names = [sys.modules.get(part.__module__) for part in kind.__mro__]
    own = [file for module in names if (file := getattr(module, "__file__", None))]
    folders = {os.path.dirname(os.path.realpath(file)) for file in own if not is_inside_package(file)}
    for module in [*sys.modules.values()]:
        file = getattr(module, "__file__", None)
        if file and _is_below(os.path.realpath(file), folders):
            yield Path(file)


def _is_below(file: str, folders: Collection[str]) -> bool:
    """True if a file is in one of the folders or below, and not of an installed package."""
    is_installed = "site-packages" in file or is_inside_package(file) or file.startswith(_standard())
    return not is_installed and any(file.startswith(os.path.join(folder, "")) for folder in folders)
