"""Changed firmware, and places in compiled firmware at which a core can pause."""

import random
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from spinach_nic import delay_at
from spinach_nic.cards import Card
from spinach_nic.firmware import Executable, build
from spinach_nic.firmware.elf import Symbol
from spinach_nic.runs import Delay
from spinach_nic.runs.images import choose_image

STORE_CONDITIONAL = 0x38
"""The upper 6 bits of the instruction."""


FIRMWARE = Path(__file__).parents[3] / "firmware"


def changed(
    folder: Path, image: str, source: str, before: str, after: str = "", card: Card | None = None
) -> Path:
    """A shipped image, built in `folder` with something replaced in one of the sources of the firmware.

    A card whose firmware depends on its parameters must be given.
    """
    root = folder / "firmware"
    shutil.copytree(FIRMWARE, root)
    text = (root / source).read_text(encoding="utf-8")
    assert text.count(before) == 1
    (root / source).write_text(text.replace(before, after), encoding="utf-8")
    return build(image, root=root, card=None if card is None else card.firmware_map()).path


def image_of(
    nic: type[Card], firmware: str, settings: Mapping[str, Any] = MappingProxyType({})
) -> Executable:
    """A shipped image, compiled for a card with some settings."""
    card = nic()
    for name, value in settings.items():
        card.set(name, value)
    chosen = choose_image(card, firmware)
    assert chosen is not None
    return chosen.executable


def after_store_conditional(image: Executable, function: str) -> str:
    """The place behind the branch that follows the last `sc` of a function: the store has succeeded."""
    symbol = image.symbol(function)
    segment = next(held for held in image.segments if held.address <= symbol.address < held.end)
    start = symbol.address - segment.address
    code = segment.data[start : start + symbol.bytes]
    places = [at for at in range(0, len(code), 4) if code[at] >> 2 == STORE_CONDITIONAL]
    return f"{function}+{places[-1] + 8:#x}"


def random_delays(seed: int, image: Executable, cores: int) -> list[Delay]:
    """For half of the seeds none, else some places at random, for some cycles to many microseconds."""
    chance = random.Random(f"delays {seed}")
    functions = [function for function in image.functions if function.bytes >= 4]
    return [_random_delay(chance, functions, cores) for _ in range(chance.choice([0, 0, 0, 1, 3, 9]))]


def _random_delay(chance: random.Random, functions: Sequence[Symbol], cores: int) -> Delay:
    function = chance.choice(functions)
    offset = 4 * chance.randrange(function.bytes // 4)
    core = chance.choice([None, chance.randrange(cores)])
    # So that a place in a loop costs no more time than one that is seldom reached.
    cycles, every = chance.choice([(20, 1), (300, 7), (300, 50), (3000, 101), (20_000, 1009)])
    return delay_at(f"{function.name}+{offset}", cycles, core=core, every=every)
