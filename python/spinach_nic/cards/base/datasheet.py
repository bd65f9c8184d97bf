"""Registers of a data sheet: names, fields, access, reset values, and rules between registers.

A sheet is a class whose attributes are `HardwareRegister`s. Rules name other registers and their fields as
text: `"HOST_CONTROL"`, `"HOST_CONTROL.INTERRUPT"`, `"MAC_STATE.ENABLE|STOP"`. `register_tables` makes the
parameters of a `RegisterFile` of it; headers for firmware and pages of the book are generated from it too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

Access = Literal["read-write", "read-only", "write-1-to-clear", "write-only"]
"""Access of software to bits. Write-only bits read as 0, and have an effect."""

ALL_BITS = 0xFFFF_FFFF


@dataclass(frozen=True)
class AnySet:
    """A bit that is set while any bit of another field is."""

    field: str

    def __str__(self) -> str:
        """Return the text for the reference page."""
        return f"set while any bit of `{self.field}` is"


@dataclass(frozen=True)
class Differs:
    """A bit that is set while two pointers differ."""

    first: str
    second: str
    index_bits: int

    def __str__(self) -> str:
        """Return the text for the reference page."""
        return f"set while `{self.first}` and `{self.second}` differ in {self.index_bits:#x}"


@dataclass(frozen=True)
class Reached:
    """A bit that is set while a counter is not before a reference; both wrap around."""

    counter: str
    reference: str

    def __str__(self) -> str:
        """Return the text for the reference page."""
        return f"set while `{self.counter}` is not before `{self.reference}`"


@dataclass(frozen=True)
class Behind:
    """A bit that is set while a consumer is behind a reference, which a producer leads."""

    consumer: str
    reference: str
    producer: str
    index_bits: int

    def __str__(self) -> str:
        """Return the text for the reference page."""
        order = f"`{self.consumer}` is behind `{self.reference}`, on the way to `{self.producer}`"
        return f"set while {order}"


@dataclass(frozen=True)
class Changes:
    """Effect of writing on other bits, named by `does`."""

    does: Literal["sets", "clears", "copies to", "resets all"]
    target: str = ""
    on: Literal["one", "fall"] = "one"
    """Trigger: writing a one, or a zero over a one."""

    def __str__(self) -> str:
        """Return the text for the reference page."""
        when = "writing 1" if self.on == "one" else "writing 0 after 1"
        target = f" `{self.target}`" if self.target else " registers"
        return f"{when} {self.does}{target}"


Source = AnySet | Differs | Reached | Behind


@dataclass(frozen=True)
class Field:
    """Some bits of a register."""

    name: str
    bits: int
    """Bits as a mask."""
    meaning: str = ""
    access: Access = "read-write"
    reset: int = 0
    """The word that these bits have after a reset, in their place."""
    strap: str = ""
    """Strap of the card: the bits are set after a reset if it is present."""
    source: Source | None = None
    """Source of the bits."""
    effect: Changes | None = None


@dataclass(frozen=True)
class Pointer:
    """Read view of a pointer into a ring: its own index bits, and a base from another register."""

    base: str
    base_bits: int
    distance: int
    index_bits: int

    def __str__(self) -> str:
        """Return the text for the reference page."""
        behind = f" + {self.distance:#x}" if self.distance else ""
        return f"the bits {self.index_bits:#x} are its own; the others are those of `{self.base}`{behind}"


@dataclass(frozen=True)
class Room:
    """Read view of a ring's room: the producer, or 0 if the ring is full."""

    producer: str
    consumer: str
    entry_bytes: int
    index_bits: int

    def __str__(self) -> str:
        """Return the text for the reference page."""
        return f"`{self.producer}`, or 0 while an entry more would make it equal to `{self.consumer}`"


@dataclass(frozen=True)
class SemaphoreSide:
    """One of the two registers of a semaphore; a write takes the semaphore if it is free, and releases it."""

    other: str

    def __str__(self) -> str:
        """Return the text for the reference page."""
        return f"1 for the side that has the semaphore, else 0; `{self.other}` is the other side"


@dataclass(frozen=True)
class Counter:
    """A register that counts up, with a period in cycles of a field's value plus one."""

    prescale: str

    def __str__(self) -> str:
        """Return the text for the reference page."""
        return f"counts up every `{self.prescale}` + 1 cycles"


Reading = Pointer | Room | SemaphoreSide | Counter


class HardwareRegister(int):
    """A register of 32 bits, or several in a row: an offset in bytes, with its entry in the data sheet."""

    name: str
    meaning: str
    access: Access
    """Access of the bits outside of every field."""
    fields: tuple[Field, ...]
    reading: Reading | None
    effect: Changes | None
    """Effect of any write."""
    writable_while: str
    """The field of which a bit must be set, or a write is ignored; empty for always."""
    count: int
    prefix: str
    """Prefix of the names of its fields as constants of firmware."""

    def __new__(
        cls,
        offset: int,
        meaning: str,
        *fields: Field,
        access: Access = "read-write",
        reading: Reading | None = None,
        effect: Changes | None = None,
        writable_while: str = "",
        count: int = 1,
        prefix: str = "",
    ) -> Self:
        """Return the register at an offset."""
        register = super().__new__(cls, offset)
        register.name, register.meaning, register.fields = "", meaning, fields
        register.access = "read-only" if isinstance(reading, Room) else access
        register.reading, register.effect, register.writable_while = reading, effect, writable_while
        register.count, register.prefix = count, prefix
        return register

    def __set_name__(self, owner: type, name: str) -> None:
        """Take the name of the attribute."""
        self.name = name
        self.prefix = self.prefix or name

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        """Pickle support: the offset."""
        return int, (int(self),)

    def __getitem__(self, field: str) -> int:
        """Return the bits of a field, as a mask."""
        return next(one.bits for one in self.fields if one.name == field)

    def bit(self, field: str) -> int:
        """Return the number of the lowest bit of a field."""
        mask = self[field]
        return (mask & -mask).bit_length() - 1

    def bits(self, access: Access) -> int:
        """Return the bits that software may use so."""
        listed = sum_bits(field.bits for field in self.fields)
        found = sum_bits(field.bits for field in self.fields if field.access == access)
        return found | (ALL_BITS & ~listed if self.access == access else 0)

    def reset_word(self, straps: Mapping[str, bool]) -> int:
        """Return the value after a reset of a card with these straps."""
        return sum_bits(one.bits if straps.get(one.strap, False) else one.reset for one in self.fields)


def sum_bits(masks: Iterable[int]) -> int:
    """Return all bits of some masks."""
    word = 0
    for mask in masks:
        word |= mask
    return word


def registers_of(sheet: type) -> list[HardwareRegister]:
    """Return the registers of a sheet, by offset."""
    return sorted(value for value in vars(sheet).values() if isinstance(value, HardwareRegister))


_EFFECTS = {("sets", "one"): 0, ("clears", "one"): 1, ("copies to", "one"): 2, ("resets all", "one"): 3}
_EFFECTS[("sets", "fall")] = 4


class _Tables:
    """Rows of the parameters of a `RegisterFile`."""

    def __init__(self, sheet: type) -> None:
        self._sheet = sheet
        names = "registers derived behind pointers rooms actions semaphores timers guards"
        self.rows: dict[str, list[tuple[int, ...]]] = {name: [] for name in names.split()}

    def place(self, name: str) -> tuple[int, int]:
        """Return the offset of a register, and the bits of its field that is named, or all."""
        register_name, _, fields = name.partition(".")
        register: HardwareRegister = getattr(self._sheet, register_name)
        bits = sum_bits([register[field] for field in fields.split("|")]) if fields else ALL_BITS
        return int(register), bits

    def offset(self, name: str) -> int:
        return self.place(name)[0]

    def add(self, register: HardwareRegister, straps: Mapping[str, bool]) -> None:
        reset, writable = register.reset_word(straps), register.bits("read-write")
        cleared = register.bits("write-1-to-clear")
        if (reset, writable, cleared) != (0, ALL_BITS, 0):
            offsets = range(register, register + 4 * register.count, 4)
            self.rows["registers"] += [(offset, reset, writable, cleared) for offset in offsets]
        if register.effect is not None:
            self._add_effect(register, 0, register.effect)
        for field in register.fields:
            if field.source is not None:
                self._add_source(register, field.bits, field.source)
            if field.effect is not None:
                self._add_effect(register, field.bits, field.effect)
        if register.writable_while:
            self.rows["guards"].append((register, *self.place(register.writable_while)))
        if register.reading is not None:
            self._add_reading(register, register.reading)

    def _add_source(self, register: int, bits: int, source: Source) -> None:
        match source:
            case AnySet(field):
                offset, mask = self.place(field)
                self.rows["derived"].append((register, bits, 0, offset, 0, mask))
            case Differs(first, second, index_bits):
                pointers = self.offset(first), self.offset(second)
                self.rows["derived"].append((register, bits, 1, *pointers, index_bits))
            case Reached(counter, reference):
                pointers = self.offset(counter), self.offset(reference)
                self.rows["derived"].append((register, bits, 2, *pointers, 0))
            case Behind(consumer, reference, producer, index_bits):
                ring = (self.offset(consumer), self.offset(reference), self.offset(producer))
                self.rows["behind"].append((register, bits, *ring, index_bits))

    def _add_effect(self, register: int, trigger: int, effect: Changes) -> None:
        target = self.place(effect.target) if effect.target else (0, 0)
        self.rows["actions"].append((register, trigger, _EFFECTS[effect.does, effect.on], *target))

    def _add_reading(self, register: int, reading: Reading) -> None:
        match reading:
            case Pointer(base, base_bits, distance, index_bits):
                row = (register, self.offset(base), base_bits, distance, index_bits)
                self.rows["pointers"].append(row)
            case Room(producer, consumer, entry_bytes, index_bits):
                ring = self.offset(producer), self.offset(consumer)
                self.rows["rooms"].append((register, *ring, entry_bytes, index_bits))
            case SemaphoreSide(other):
                if register < self.offset(other):
                    self.rows["semaphores"].append((register, self.offset(other)))
            case Counter(prescale):
                self.rows["timers"].append((register, *self.place(prescale)))


def register_tables(sheet: type, straps: Mapping[str, bool]) -> dict[str, Any]:
    """Return the parameters of a `RegisterFile` with these registers, without its size and listeners.

    Args:
        sheet: The data sheet.
        straps: Strap options that the card is built with, by name.
    """
    tables = _Tables(sheet)
    for register in registers_of(sheet):
        tables.add(register, straps)
    return {name: [int(number) for row in rows for number in row] for name, rows in tables.rows.items()}
