"""`python -m spinach_nic.scaffold module NAME FAMILY`, or `nic NAME`, in the root of a checkout."""

import sys
from pathlib import Path

import click

from spinach_nic.scaffold import MODULES, new_module, new_nic
from spinach_nic.support.errors import SpinachError

NEXT = {
    "module": "make generate   # its stub and its page of the book\n"
    "cargo test -p spinach-modules --test {name}",
    "nic": ".venv/bin/spinach run {name}\n.venv/bin/pytest tests/python/cards/test_{name}.py",
}


def main(arguments: list[str]) -> int:
    """Write the requested files, and print the next steps."""
    repository = Path.cwd()
    try:
        if not (repository / MODULES).is_dir():
            raise SpinachError(f"{repository} is not the root of a checkout", "change to it")
        match arguments:
            case ["module", name, family]:
                files = new_module(repository, name, family)
            case ["nic", name]:
                files = new_nic(repository, name)
            case _:
                help = "make new-module NAME=packet_filter FAMILY=interconnect, or make new-nic NAME=mycard"
                raise SpinachError("a name is missing", help)
    except SpinachError as error:
        click.echo(f"error: {error}", err=True)
        return error.exit_code
    for file in files:
        click.echo(file.relative_to(repository))
    click.echo(f"then:\n{NEXT[arguments[0]].format(name=arguments[1])}")
    return 0


sys.exit(main([word for word in sys.argv[1:] if word]))
