"""Choice and loading of the firmware of a run."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from spinach_nic import _native
from spinach_nic.cards.base.card import Card, MappedMemory
from spinach_nic.firmware import (
    Executable,
    FirmwareError,
    ImageDescription,
    MemoryRange,
    build,
    build_described,
    read_descriptions,
    shipped_root,
    source_folders,
)
from spinach_nic.model.simulation import Simulation
from spinach_nic.runs.result import Firmware
from spinach_nic.runs.room import check_room
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.limits import parse_whole


class ChosenImage(Struct, frozen=True):
    """Chosen image, with its description for the result."""

    executable: Executable
    firmware: Firmware
    notes: tuple[str, ...] = ()
    """Notes on the file, a sentence each."""
    sources: Mapping[str, Path] = {}
    """Folders of the sources, by their names in the debug information."""

    def __repr__(self) -> str:
        """Leave out the folders of the sources."""
        return (
            f"ChosenImage(executable={self.executable!r}, firmware={self.firmware!r}, notes={self.notes!r})"
        )


def choose_image(card: Card, asked: str | Path | None) -> ChosenImage | None:
    """Return the requested image, or the NIC's default; `None` for a NIC without firmware.

    Args:
        card: Card whose images to choose from.
        asked: The name of an image of the NIC, or the path of a file with firmware.

    Raises:
        SpinachError: There is no such image or file, or it cannot be compiled.
    """
    if asked is None and not card.usual_firmware:
        return None
    wanted = str(asked if asked is not None else card.usual_firmware)
    images = card.images()
    name = wanted.removeprefix(f"{card.firmware_folder}/")
    if name in images:
        return _built(card, name, images[name])
    path = Path(wanted)
    if not os.path.isfile(path):
        message = f"{type(card).__name__} has no firmware {wanted!r}, and there is no such file"
        if images or not card.firmware_folder:
            known = f"{_native.suggest(wanted, sorted(images))}; or " if images else ""
            raise FirmwareError(message, f"{known}give an ELF file")
        folder = (card.firmware_root or shipped_root()) / card.firmware_folder
        raise FirmwareError(
            f"{message}: no firmware.toml is in {folder}",
            "correct firmware_root and firmware_folder of the card, or give an ELF file",
        )
    executable = card.read_image(path)
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    compiler = executable.note.get("compiler", "unknown")
    made = Firmware(executable.note.get("image", path.name), sha256, compiler)
    return ChosenImage(executable, made, tuple(executable.damages))


def known_image(card: Card, asked: str | Path | None) -> ChosenImage | None:
    """Return the image, as `choose_image`, or `None` for a file that only the driver of the card reads."""
    try:
        return choose_image(card, asked)
    except FirmwareError:
        return None


def _built(card: Card, name: str, image: ImageDescription) -> ChosenImage:
    root, firmware_map = card.firmware_root, card.firmware_map()
    if image.instruction_set == card.instruction_set:
        built = build_described(image, root=root, card=firmware_map)
    else:
        variant = f"{card.firmware_folder}/{name}@{card.instruction_set}"
        _check_variant(card, variant, image)
        built = build(variant, root=root, card=firmware_map)
    made = Firmware(name, built.sha256, built.compiler)
    return ChosenImage(Executable.load(built.path), made, sources=source_folders(card.firmware_root))


def _check_variant(card: Card, variant: str, image: ImageDescription) -> None:
    """Check that an image has a variant for the instruction set of a card.

    Raises:
        FirmwareError: It has none.
    """
    folder = card.firmware_folder
    if variant in read_descriptions(card.firmware_root or shipped_root(), inside=folder):
        return
    name, found, wanted = variant.partition("@")[0], image.instruction_set, card.instruction_set
    kind = type(card).__name__
    raise FirmwareError(
        f"{name} is for {found}; {kind} has instruction_set = {wanted!r}",
        f"state instruction_set = {found!r} in the class {kind} if its cores execute it, or describe a "
        f"variant of the image for {wanted} in firmware.toml",
    )


def check_image(executable: Executable, card: Card) -> None:
    """Check that an image is built for this card: for its number of cores and its addresses.

    Raises:
        SpinachError: It is not. Images linked by other tools state no numbers and pass.
    """
    built_for = executable.built_for
    image = executable.path.name
    cores = len(card.probes().cores)
    stated = parse_whole(built_for.get("cores", "")) or cores
    if cores > stated and "idle_cores" not in built_for:
        halted = f"{cores - stated} of them would stay halted"
        raise SpinachError(
            f"{image} is built for cores = {stated}; the card has {cores}, and {halted}",
            "build it for as many (cores in firmware.toml), or state idle_cores = true there",
        )
    least = parse_whole(built_for.get("least_cores", "")) or 1
    if 0 < cores < least:  # a card with cores in RTL alone has none that are probed
        raise SpinachError(
            f"{image} needs at least {least} cores; the card has {cores}",
            f"set cores={least}, or choose another image",
        )
    required = built_for.get("required_parameters", "").split()
    for name in required:
        if not getattr(card, name, None):
            raise SpinachError(f"{image} needs the parameter {name} of the card", f"set {name}=VALUE")
    for name in card.image_parameters:
        if built_for and name not in required and getattr(card, name):
            raise SpinachError(
                f"{image} does not work on a card with {name}",
                f"leave out {name}, or choose another image, such as {card.usual_firmware}",
            )
    for name, number in card.firmware_map().numbers.items():
        if built_for.get(name, hex(number)) != hex(number):
            raise SpinachError(
                f"{image} is built for {name} = {built_for[name]}; the card has {hex(number)}",
                "build it for this card: spinach firmware build IMAGE --set PATH=VALUE",
            )


def load_image(simulation: Simulation, executable: Executable, card: Card) -> None:
    """Load the segments of an image into the memories of the NIC.

    Raises:
        SpinachError: The image is not for this NIC's cores or memories.
    """
    memories = [memory for memory in card.address_space() if memory.base is not None]
    ranges = {memory.name: _range(simulation, memory) for memory in memories}
    executable.check_format(card.instruction_set)
    check_room(executable, card, [(memory, ranges[memory.name]) for memory in memories])
    executable.check(card.instruction_set, list(ranges.values()))
    segments = card.segments(executable)
    for memory in memories:
        start, end = ranges[memory.name].base, ranges[memory.name].end
        inside = [(at.address - start, at.data) for at in segments if start <= at.address < end]
        for offset, contents in _with_reversed_words(inside) if memory.reverses_words else inside:
            write_memory(simulation, memory, offset, contents)


def _range(simulation: Simulation, memory: MappedMemory) -> MemoryRange:
    rest = sum(simulation.size(bank).bytes for bank in memory.banks) - memory.start
    size = rest if memory.size is None else min(memory.size, rest)
    return MemoryRange(memory.name, memory.base or 0, size)


def _with_reversed_words(pieces: Sequence[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
    """Contents of a memory behind a bridge between byte orders: the bytes of each 32-bit word reversed."""
    runs: list[tuple[int, bytearray]] = []
    for offset, data in sorted(pieces):
        start = offset & ~3
        if not runs or start >= runs[-1][0] + len(runs[-1][1]):
            runs.append((start, bytearray()))
        begin, run = runs[-1]
        run.extend(bytes((offset + len(data) + 3 & ~3) - begin - len(run)))
        run[offset - begin : offset - begin + len(data)] = data
    return [(begin, b"".join(run[at : at + 4][::-1] for at in range(0, len(run), 4))) for begin, run in runs]


def write_memory(simulation: Simulation, memory: MappedMemory, offset: int, contents: bytes) -> None:
    """Overwrite bytes of a memory, from `offset` on, across its banks."""
    banks, piece = len(memory.banks), memory.interleave
    offset += memory.start
    if banks == 1:
        simulation.write(memory.banks[0], offset, contents)
        return
    if offset % piece:
        raise SpinachError(
            f"{memory.name}: offset {offset} is not a multiple of its interleaving of {piece} bytes",
            "align the segments of the image",
        )
    # Of each bank one run, so that it is written once: every `banks`-th piece.
    pieces = [contents[start : start + piece] for start in range(0, len(contents), piece)]
    for index, bank in enumerate(memory.banks):
        first = (index - offset // piece) % banks
        run = b"".join(pieces[first::banks])
        if run:
            simulation.write(bank, (offset // piece + first) // banks * piece, run)
