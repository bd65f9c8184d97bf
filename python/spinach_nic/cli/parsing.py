"""Kinds of values on the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import click
from click.shell_completion import CompletionItem

from spinach_nic.arguments import Within
from spinach_nic.limits import beyond, parse_whole, shortened
from spinach_nic.traffic import DIRECTIONS, Direction
from spinach_nic.units import Time, parse_quantity


class _Setting(click.ParamType[tuple[str, str]]):
    """`PATH=VALUE`."""

    name = "PATH=VALUE"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Split at the first equals sign."""
        path, equals, text = str(value).partition("=")
        if not (path and equals and text):
            self.fail(f"{shortened(value)} is not PATH=VALUE, such as cores=6", param, ctx)
        return path, text

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[Any]]:
        """The parameters of the NIC, and their values."""
        from spinach_nic.cli.completion import complete_setting

        return complete_setting(ctx, param, incomplete)


class _Time(click.ParamType[Time]):
    """A number and a unit of time."""

    name = "TIME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Time:
        """Read it; the error of the units passes through."""
        return value if isinstance(value, Time) else parse_quantity(str(value), Time)


class _Frames(click.ParamType[int | Mapping[Direction, int]]):
    """`N`, or `tx=N,rx=M`."""

    name = "N|tx=N,rx=M"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | Mapping[Direction, int]:
        """Read a number, or one for each direction."""
        text = str(value)
        if "=" not in text:
            return self._number(text, param, ctx)
        counts: dict[Direction, int] = {}
        for part in text.split(","):
            name, _, number = part.partition("=")
            direction = next((way for way in DIRECTIONS if way == name), None)
            if direction is None or direction in counts:
                self._refuse(text, param, ctx)
            counts[direction] = self._number(number, param, ctx)
        return counts

    def _number(self, text: str, param: click.Parameter | None, ctx: click.Context | None) -> int:
        number = parse_whole(text)
        if number is None:
            self._refuse(text, param, ctx)
        return number

    def _refuse(self, text: str, param: click.Parameter | None, ctx: click.Context | None) -> NoReturn:
        message = f"{shortened(text)} is not a number of frames, such as 4000 or tx=800,rx=4000"
        self.fail(message, param, ctx)


class Whole(click.ParamType[int]):
    """A whole number within bounds."""

    name = "N"

    def __init__(self, smallest: int, largest: int) -> None:
        """From `smallest` to `largest`."""
        self._within = Within(smallest, largest)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read it; a value beyond the bounds is refused with them."""
        number = value if isinstance(value, int) else parse_whole(str(value))
        if number is None:
            self.fail(f"{shortened(value)} is not a whole number; give {self._within}", param, ctx)
        if wrong := beyond(number, self._within.smallest, self._within.largest):
            self.fail(f"{wrong}; give {self._within}", param, ctx)
        return number


FRAMES = _Frames()
SETTING = _Setting()
TIME = _Time()
