"""Kinds of values on the command line."""

from __future__ import annotations

from typing import Any

import click

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
            self.fail(f"{value!r} is not PATH=VALUE, such as cores=6", param, ctx)
        return path, text


class _Time(click.ParamType[Time]):
    """A number and a unit of time."""

    name = "TIME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Time:
        """Read it; the error of the units passes through."""
        return value if isinstance(value, Time) else parse_quantity(str(value), Time)


SETTING = _Setting()
TIME = _Time()
