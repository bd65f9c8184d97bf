"""Images in folders of a person's own, found below the working folder."""

from collections.abc import Iterator
from pathlib import Path

from spinach_nic.firmware.builder import Image, build
from spinach_nic.firmware.compilers import DEFAULT_COMPILER
from spinach_nic.firmware.description import (
    DESCRIPTION_FILE,
    ImageDescription,
    full_name,
    read_description_file,
    read_descriptions,
    shipped_root,
)

_PLACES = (DESCRIPTION_FILE, f"*/{DESCRIPTION_FILE}", f"*/*/{DESCRIPTION_FILE}")
"""Not deeper, so that the search takes no time wherever it begins."""


def description_files(folder: Path) -> Iterator[Path]:
    """The `firmware.toml` files in `folder`, in the folders in it, and in those in these; no shipped ones."""
    shipped = shipped_root().resolve()
    for place in _PLACES:
        for file in sorted(folder.glob(place)):
            is_hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
            if not is_hidden and not file.resolve().is_relative_to(shipped):
                yield file


def local_descriptions(file: Path, folder: Path) -> dict[str, ImageDescription]:
    """The images that `file` describes, by their full names as seen from `folder`.

    Raises:
        FirmwareError: The description is malformed.
    """
    place = file.parent.relative_to(folder).as_posix()
    return {image.name: image for image in read_description_file(file, place, folder)}


def build_anywhere(name: str, folder: Path, *, compiler: str = DEFAULT_COMPILER) -> Image:
    """Compile a shipped image, or one that is described in or below `folder`.

    Args:
        name: Of the image, in full or for short; `@VARIANT` may follow. Shipped images go first.
        folder: Where to look beside the shipped firmware.
        compiler: `zig` or `gcc`.

    Raises:
        FirmwareError: No such image or compiler, or the compiler refuses the sources.
    """
    shipped = read_descriptions(shipped_root())
    if name in shipped or any(full.rpartition("/")[2] == name for full in shipped):
        return build(name, compiler=compiler)
    roots: dict[str, Path] = {}
    for file in description_files(folder):
        roots |= dict.fromkeys(local_descriptions(file, folder), file.parent)
    found = full_name(name, [*shipped, *roots])
    return build(found.rpartition("/")[2], compiler=compiler, root=roots[found], within=folder)
