"""Custom images below the working folder."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from spinach_nic.firmware.builder import Image, build, source_folders
from spinach_nic.firmware.card_map import FirmwareMap
from spinach_nic.firmware.compilers import DEFAULT_COMPILER
from spinach_nic.firmware.description import (
    DESCRIPTION_FILE,
    SHIPPED_PREFIX,
    ImageDescription,
    full_name,
    read_description_file,
    read_descriptions,
    shipped_root,
)
from spinach_nic.firmware.elf import Executable
from spinach_nic.firmware.errors import FirmwareError

_PLACES = (DESCRIPTION_FILE, f"*/{DESCRIPTION_FILE}", f"*/*/{DESCRIPTION_FILE}")
"""Maximum depth, so that the search is fast in any folder."""


def description_files(folder: Path) -> Iterator[Path]:
    """Yield the `firmware.toml` files down to two folders below `folder`, without shipped ones."""
    shipped = shipped_root().resolve()
    for place in _PLACES:
        for file in sorted(folder.glob(place)):
            is_hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
            if not is_hidden and not file.resolve().is_relative_to(shipped):
                yield file


def local_descriptions(file: Path, folder: Path) -> dict[str, ImageDescription]:
    """Return the images that `file` describes, by their full names as seen from `folder`.

    Raises:
        FirmwareError: The description is malformed.
    """
    place = file.parent.relative_to(folder).as_posix()
    return {image.name: image for image in read_description_file(file, place, folder)}


def build_anywhere(
    name: str,
    folder: Path,
    *,
    compiler: str = DEFAULT_COMPILER,
    card_map: Callable[[str], FirmwareMap] | None = None,
) -> Image:
    """Compile an image that is described in or below `folder`, or a shipped one.

    Args:
        name: Name of the image, in full or for short; `@VARIANT` may follow.
        folder: Folder to search besides the shipped firmware.
        compiler: `zig` or `gcc`.
        card_map: Returns the numbers of the card that a description names.

    Raises:
        FirmwareError: There is no such image or compiler, the name is ambiguous, or the compiler rejects the
            sources.
    """
    described = read_descriptions(shipped_root())
    roots: dict[str, Path] = {}
    mistakes: list[FirmwareError] = []
    for file in description_files(folder):
        try:
            local = local_descriptions(file, folder)
        except FirmwareError as error:
            mistakes.append(error)
            continue
        if name in local and name in described:
            other = roots[name] / DESCRIPTION_FILE if name in roots else "the shipped firmware"
            raise FirmwareError(
                f"{file} and {other} both describe an image {name}",
                "rename the folder or the image, or run the command in the folder of the image",
            )
        described |= local
        roots |= dict.fromkeys(local, file.parent)
    try:
        found = full_name(name, described)
    except FirmwareError as error:
        # The image may be in a file that cannot be read.
        raise (mistakes or [error])[0] from None
    card = described[found].card
    numbers = card_map(card) if card is not None and card_map is not None else None
    if found not in roots:
        return build(found, compiler=compiler, card=numbers)
    short = found.rpartition("/")[2]
    return build(short, compiler=compiler, root=roots[found], within=folder, card=numbers)


def sources_of(executable: Executable) -> Mapping[str, Path]:
    """Return the folders of the sources of an image, by their names in its debug information.

    Those in or below the working folder, or the shipped ones, if this project's builder linked the file.
    Other tools write whole paths.
    """
    if not executable.note:
        return {}
    lines = [executable.source_line_at(function.address) for function in executable.functions]
    files = {line.file for line in lines if line is not None and not line.file.startswith(SHIPPED_PREFIX)}
    local = [file.resolve().parent for file in description_files(Path())]
    for root in (*local, *(folder.parent for folder in local), shipped_root()):
        if all((root / file).is_file() for file in files):
            return source_folders(root)
    return {SHIPPED_PREFIX: shipped_root()}
