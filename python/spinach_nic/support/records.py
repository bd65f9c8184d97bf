"""Records that are data classes: users copy them with `dataclasses.replace`."""

from __future__ import annotations

from dataclasses import fields
from typing import Any


class Record:
    """Base of frozen data classes with `eq=False` and `repr=False`.

    The classes share equality, hash and representation. Generating these methods for each takes half of the
    time of its definition, at every start.
    """

    def __eq__(self, other: object) -> bool:
        """Return true for equal values of the same class."""
        if type(other) is not type(self):
            return NotImplemented
        return _compared(self) == _compared(other)

    def __hash__(self) -> int:
        """Equal records have equal hashes."""
        return hash(_compared(self))

    def __repr__(self) -> str:
        """Return the class with its fields."""
        shown = (f"{it.name}={getattr(self, it.name)!r}" for it in fields(self) if it.repr)  # type: ignore[arg-type]
        return f"{type(self).__qualname__}({', '.join(shown)})"


def _compared(record: Any) -> tuple[object, ...]:
    return tuple(getattr(record, it.name) for it in fields(record) if it.compare)
