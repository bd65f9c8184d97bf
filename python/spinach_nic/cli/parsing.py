"""Kinds of values on the command line."""

from __future__ import annotations

from ipaddress import IPv4Interface
from pathlib import Path
from typing import Any, get_args

import click
from click.shell_completion import CompletionItem

from spinach_nic.cli.completion import complete_firmware, complete_setting
from spinach_nic.cli.files import check_name
from spinach_nic.support.arguments import Within
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.limits import beyond, parse_whole, shortened
from spinach_nic.support.options import Flag, Option
from spinach_nic.support.units import Quantity, parse_quantity


class Whole(click.ParamType[int]):
    """An integer within bounds."""

    name = "N"

    def __init__(self, smallest: int, largest: int) -> None:
        """Accept integers from `smallest` to `largest`."""
        self._within = Within(smallest, largest)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read it; a value beyond the bounds is refused with them."""
        number = value if isinstance(value, int) else parse_whole(str(value))
        if number is None:
            self.fail(f"{shortened(value)} is not an integer; give {self._within}", param, ctx)
        if wrong := beyond(number, self._within.smallest, self._within.largest):
            self.fail(f"{wrong}; give {self._within}", param, ctx)
        return number


class QuantityText(click.ParamType[str]):
    """Text of a quantity with a unit, or of several with commas between them."""

    name = "quantity"

    def __init__(self, kind: type[Quantity]) -> None:
        """Accept quantities of this kind."""
        self._kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check the text, and return it."""
        for part in str(value).split(","):
            try:
                parse_quantity(part, self._kind)
            except SpinachError as error:
                option = param.opts[0] if param else self.name
                raise SpinachError(f"{option}: {error.message}", error.help) from error
        return str(value)


class ListeningAddress(click.ParamType[str]):
    """Address on which to wait for gdb."""

    name = "HOST:PORT"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check the form, and return the text."""
        host, _, port = str(value).rpartition(":")
        number = parse_whole(port)
        if not host or number is None or beyond(number, 0, 2**16 - 1):
            option = param.opts[0] if param else self.name
            help = "give HOST:PORT, such as 127.0.0.1:3333"
            raise SpinachError(f"invalid address {shortened(value)} in {option}", help)
        return str(value)


def interface_of(address: str) -> IPv4Interface:
    """Return an IP address with the length of its network.

    Raises:
        SpinachError: It is not such an address.
    """
    help = "give an IPv4 address and the length of its network, such as 10.0.0.2/24"
    try:
        found = IPv4Interface(address)
    except ValueError as error:
        raise SpinachError(f"invalid address {address!r}", help) from error
    if "/" not in address:
        raise SpinachError(f"the address {address} has no length of its network", help)
    return found


class OptionValue(click.ParamType[Any]):
    """One value of an option that is declared in `spinach_nic.support.options`."""

    def __init__(self, option: Option, flag: Flag) -> None:
        """Create the parameter of this option, which has this flag."""
        self.name = flag.metavar
        self._flag = flag
        self._is_file = Path in get_args(option.type)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read it; errors other than of the form pass through."""
        if self._is_file:
            check_name(str(value))
        try:
            return self._flag.parse(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[Any]]:
        """Return the completions that the NIC and the settings before the cursor allow, or files."""
        if self._flag.name in _COMPLETIONS:
            return _COMPLETIONS[self._flag.name](ctx, param, incomplete)
        return [CompletionItem(incomplete, type="file")] if self._is_file else []


_COMPLETIONS = {"--firmware": complete_firmware, "--set": complete_setting}
