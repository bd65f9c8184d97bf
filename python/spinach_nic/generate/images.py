"""Images of the shipped cards for a wheel: `python -m spinach_nic.generate.images FOLDER [IMAGE ...]`."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

from spinach_nic.cards.catalogue import shipped_cards
from spinach_nic.firmware import FirmwareMap, build, read_descriptions, shipped_root
from spinach_nic.support.cache import Cache


def main(folder: Path, names: Collection[str] = ()) -> None:
    """Compile images into a folder that has the form of a cache; all of `images_of_cards` by default."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, card in images_of_cards():
        if not names or name in names:
            image = build(name, card=card)
            Cache(folder).keep("firmware", image.inputs_sha256, image.path.name, image.path.read_bytes())


def images_of_cards() -> Iterator[tuple[str, FirmwareMap]]:
    """Yield each image of a shipped card, in all variants, with the numbers of the card by default."""
    cards = {card.firmware_folder: card().firmware_map() for card in shipped_cards().values()}
    for name in read_descriptions(shipped_root()):
        if (folder := name.partition("/")[0]) in cards:
            yield name, cards[folder]


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
