"""`python -m spinach_nic.generate [--check]`."""

import sys

import click

from spinach_nic.generate import COMMAND, differences, write


def main() -> int:
    """Write the generated files, or with `--check` print the stale ones."""
    if sys.argv[1:] == ["--check"]:
        stale = sorted(differences())
        for path in stale:
            click.echo(f"{path} is not fresh", err=True)
        if stale:
            click.echo(f"help: run `{COMMAND}`", err=True)
        return 1 if stale else 0
    if sys.argv[1:]:
        click.echo(
            "error: the only option is --check\nhelp: python -m spinach_nic.generate [--check]", err=True
        )
        return 2
    for path in write():
        click.echo(path)
    return 0


sys.exit(main())
