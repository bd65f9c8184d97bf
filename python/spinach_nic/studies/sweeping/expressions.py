"""Arithmetic on the columns of a table, as a search minimises it."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from spinach_nic.runs.result import RATES
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.measured import Measured

_OPERATORS: dict[type[ast.operator], Callable[[float, float], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


@dataclass(frozen=True)
class Expression:
    """A column, as `tx.wire_gbps`, or arithmetic on columns and numbers: `+ - * / **`."""

    text: str
    _tree: ast.expr

    @classmethod
    def of(cls, text: str) -> Expression:
        """Parse an expression.

        Raises:
            SpinachError: It is not arithmetic.
        """
        try:
            tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise SpinachError(f"{text!r} is not a valid expression", _HELP) from error
        expression = cls(text, tree)
        expression._value(tree, lambda _: 1.0, checks=True)
        return expression

    def value(self, row: Mapping[str, Any]) -> float:
        """Return the value in a row.

        Raises:
            SpinachError: The row has no such column, or the result is not a number.
        """
        return self._value(self._tree, lambda column: _figure(row, column))

    def measured(self, row: Mapping[str, Any]) -> Measured | None:
        """Return the value in a row with its 95 % error; `None` if the row has no rates and one is needed.

        The errors of the columns are assumed to be small and independent; a column without one is exact.

        Raises:
            SpinachError: The row has no such column, or the result is not a number.
        """
        columns: dict[str, float] = {}
        rateless = row.get("measured_window.is_steady") is False

        def known(column: str) -> float:
            if rateless and column in RATES and row.get(column) is None:
                raise _NoRateError
            return columns.setdefault(column, _figure(row, column))

        try:
            value = self._value(self._tree, known)
        except _NoRateError:
            return None
        deviations = []
        for name in columns:
            if error := row.get(f"{name}_error"):
                moved = {**columns, name: columns[name] + float(error)}
                deviations.append(self._value(self._tree, moved.__getitem__) - value)
        return Measured(value, math.hypot(*deviations))

    def _value(self, node: ast.expr, column: Callable[[str], float], *, checks: bool = False) -> float:
        match node:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return float(number)
            case ast.Name() | ast.Attribute() | ast.Subscript():
                return column(ast.unparse(node))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._value(operand, column, checks=checks)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                values = [self._value(it, column, checks=checks) for it in (left, right)]
                if checks:
                    return 1.0
                try:
                    return float(_OPERATORS[type(op)](*values))
                except (ArithmeticError, TypeError, ValueError) as error:
                    raise SpinachError(f"{self.text!r} has no value: {error}", _HELP) from error
            case _:
                raise SpinachError(f"{self.text!r} contains more than numbers, columns and + - * / **", _HELP)


class _NoRateError(Exception):
    """The run lacks a rate that the expression needs."""


_HELP = "write a column, as core_mhz, or arithmetic on columns, as core_mhz * (1 + cores / 8) ** 2"


def _figure(row: Mapping[str, Any], column: str) -> float:
    value = row.get(column)
    if not isinstance(value, int | float):
        from spinach_nic import _native

        columns = [name for name, known in row.items() if isinstance(known, int | float)]
        raise SpinachError(f"the results have no figure {column!r}", _native.suggest(column, columns))
    return float(value)
