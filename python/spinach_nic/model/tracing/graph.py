"""Effect of a traced function, as a graph of operations."""

import json
from collections.abc import Callable

from spinach_nic import _native

WORD_BITS = 64
ONES = 2**WORD_BITS - 1

_COMMUTATIVE = frozenset({"add", "multiply", "and", "or", "exclusive_or", "equal"})
SEMANTICS: dict[str, Callable[..., int]] = {
    "add": lambda a, b: a + b & ONES,
    "subtract": lambda a, b: a - b & ONES,
    "multiply": lambda a, b: a * b & ONES,
    "divide": lambda a, b: a // b if b else ONES,
    "remainder": lambda a, b: a % b if b else a,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "exclusive_or": lambda a, b: a ^ b,
    "shift_left": lambda a, b: a << b & ONES if b < WORD_BITS else 0,
    "shift_right": lambda a, b: a >> b if b < WORD_BITS else 0,
    "equal": lambda a, b: int(a == b),
    "less": lambda a, b: int(a < b),
    "less_signed": lambda a, b: int(_signed(a) < _signed(b)),
    "select": lambda condition, yes, no: yes if condition else no,
    "trailing_zeros": lambda a: (a & -a).bit_length() - 1 if a else WORD_BITS,
    "count_ones": lambda a: a.bit_count(),
}


def _signed(word: int) -> int:
    return word - 2**WORD_BITS if word >> (WORD_BITS - 1) else word


class Graph:
    """The operations recorded until now, each once."""

    def __init__(self) -> None:
        """Create an empty graph."""
        self.operations: list[tuple[str, tuple[int, ...]]] = []
        self._known: dict[tuple[str, tuple[int, ...]], int] = {}

    def note(self, name: str, operands: tuple[int, ...]) -> int:
        """Return the number of the operation, folded if its operands are constants."""
        semantics = SEMANTICS.get(name)
        if semantics is not None:
            values = [self.constant_value(operand) for operand in operands]
            if all(value is not None for value in values):
                return self.note("constant", (semantics(*values),))
            if name == "select" and values[0] is not None:
                return operands[1] if values[0] else operands[2]
            if name in _COMMUTATIVE:
                operands = tuple(sorted(operands))
        key = (name, operands)
        if key not in self._known:
            self._known[key] = len(self.operations)
            self.operations.append(key)
        return self._known[key]

    def constant_value(self, operation: int) -> int | None:
        """Return the value of an operation that is a constant."""
        name, operands = self.operations[operation]
        return operands[0] if name == "constant" else None

    def expression(self, result: int, states: list[tuple[int, int]]) -> _native.Expression:
        """Return the operations that the result and the next states need, in the order of recording."""
        needed: set[int] = set()
        waiting = [result, *(following for _, following in states)]
        while waiting:
            operation = waiting.pop()
            if operation not in needed:
                needed.add(operation)
                name, operands = self.operations[operation]
                waiting.extend(operands if name in SEMANTICS else ())
        number = {operation: index for index, operation in enumerate(sorted(needed))}
        plain = [self._plain(self.operations[operation], number) for operation in sorted(needed)]
        following = [number[operation] for _, operation in states]
        initial = [word for word, _ in states]
        return _native.Expression(json.dumps(plain), number[result], initial, following)

    @staticmethod
    def _plain(operation: tuple[str, tuple[int, ...]], number: dict[int, int]) -> dict[str, int | list[int]]:
        name, operands = operation
        renumbered = [number[operand] for operand in operands] if name in SEMANTICS else list(operands)
        return {name: renumbered[0] if len(renumbered) == 1 else renumbered}
