"""Images of the shipped cards for a wheel: `python -m spinach_nic.generate.images FOLDER [IMAGE ...]`."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from spinach_nic.cards import Card
from spinach_nic.cards.catalogue import shipped_cards
from spinach_nic.firmware import FirmwareMap, build, read_descriptions, shipped_root
from spinach_nic.support.cache import Cache
from spinach_nic.support.location import CompositionError

COMMON_CORES = (1, 2, 4, 8, 16, 32, 64)


def main(folder: Path, names: Collection[str] = ()) -> None:
    """Compile images into a folder that has the form of a cache; all of `images_of_cards` by default."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, card in images_of_cards():
        if not names or name in names:
            image = build(name, card=card)
            Cache(folder).keep("firmware", image.inputs_sha256, image.path.name, image.path.read_bytes())


def images_of_cards() -> Iterator[tuple[str, FirmwareMap]]:
    """Yield each image of a shipped card, in all variants, with the numbers of the card by default.

    The same for common numbers of cores, if the firmware depends on them.
    """
    cards = {card.firmware_folder: _maps(card) for card in shipped_cards().values()}
    for name in read_descriptions(shipped_root()):
        for map in cards.get(name.partition("/")[0], []):
            yield name, map


def _maps(card: type[Card]) -> list[FirmwareMap]:
    found = [card().firmware_map()]
    for cores in COMMON_CORES:
        settings: dict[str, Any] = {"cores": cores}
        try:
            map = card(**settings).firmware_map()
        except CompositionError:  # the card has no such parameter, or not so many cores
            continue
        if map not in found:
            found.append(map)
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
