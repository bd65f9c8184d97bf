"""Changing files as damage and malice do, by numbers that decide everything."""

import random
from typing import Literal

INTERESTING = (
    0,
    1,
    2,
    3,
    7,
    8,
    0x7F,
    0x80,
    0xFF,
    0x100,
    0x7FFF,
    0xFFFF,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**63,
    2**64 - 1,
)
"""Numbers at which lengths, offsets and counts go wrong."""

_ORDERS: tuple[Literal["big", "little"], ...] = ("big", "little")


def mutated(seeds: list[bytes], number: int) -> bytes:
    """Input number `number` of the sequence that these seeds begin: one of them with one to six changes."""
    chance = random.Random(number)
    content = bytearray(chance.choice(seeds))
    # Half of the changes of an input lie close together: in one header, or in one record.
    focus = chance.randrange(len(content) or 1) if chance.random() < 0.5 else None
    for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
        if not content:
            break
        at = chance.randrange(len(content))
        if focus is not None:
            at = min(len(content) - 1, max(0, focus + chance.randrange(-32, 33)))
        chance.choice(_CHANGES)(content, at, chance, seeds)
    return bytes(content)


def _flip_a_bit(content: bytearray, at: int, chance: random.Random, seeds: list[bytes]) -> None:
    content[at] ^= 1 << chance.randrange(8)


def _set_a_byte(content: bytearray, at: int, chance: random.Random, seeds: list[bytes]) -> None:
    content[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))


def _set_a_number(content: bytearray, at: int, chance: random.Random, seeds: list[bytes]) -> None:
    width = chance.choice((1, 2, 4, 4, 8))
    at -= at % width if chance.random() < 0.7 else 0
    value = chance.choice((*INTERESTING, len(content), len(content) - at, chance.randrange(2**32)))
    order = chance.choice(_ORDERS)
    content[at : at + width] = (value % 2 ** (8 * width)).to_bytes(width, order)


def _add_to_a_number(content: bytearray, at: int, chance: random.Random, seeds: list[bytes]) -> None:
    width = chance.choice((1, 2, 4))
    at -= at % width
    order = chance.choice(_ORDERS)
    value = int.from_bytes(content[at : at + width], order) + chance.choice((-4, -1, 1, 4, 16))
    content[at : at + width] = (value % 2 ** (8 * width)).to_bytes(width, order)


def _cut(content: bytearray, at: int, chance: random.Random, seeds: list[bytes]) -> None:
    del content[at:]


def _take_out(content: bytearray, at: int, chance: random.Random, seeds: list[bytes]) -> None:
    del content[at : at + chance.choice((1, 2, 4, 8, 64))]


def _repeat(content: bytearray, at: int, chance: random.Random, seeds: list[bytes]) -> None:
    piece = content[at : at + chance.choice((1, 4, 16, 256))]
    content[at:at] = piece * chance.choice((1, 2, 8, 500) if len(piece) <= 16 else (1, 2))


def _copy(content: bytearray, at: int, chance: random.Random, seeds: list[bytes]) -> None:
    """From elsewhere in the file, or from another one."""
    source = chance.choice([bytes(content), *seeds])
    start, length = chance.randrange(len(source) or 1), chance.choice((4, 8, 16, 64))
    content[at : at + length] = source[start : start + length]


_CHANGES = (
    _flip_a_bit,
    _flip_a_bit,
    _set_a_byte,
    _set_a_number,
    _set_a_number,
    _add_to_a_number,
    _cut,
    _take_out,
    _repeat,
    _copy,
)
