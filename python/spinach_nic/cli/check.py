"""`spinach check`: the contract of a custom module."""

from collections.abc import Callable
from pathlib import Path

import click

from spinach_nic.cli.files import INPUT

_COMPILERS = {".v": "spinach verilate", ".sv": "spinach verilate", ".rs": "cargo build --release"}


@click.command
@click.argument("file", type=INPUT, metavar="FILE")
def command(file: Path) -> None:
    """Check a module of your own with random traffic.

    FILE is a Python file with classes derived from PythonModule, or a library of a block: from
    spinach verilate, or from cargo build. The check finds state that a checkpoint misses, hidden inputs, and
    wrong sleep.

    Example: spinach check my_module.py
    """
    from functools import partial

    from spinach_nic.benches.finding import imported
    from spinach_nic.blocks import Verilated
    from spinach_nic.blocks.checking import check, checked_kinds
    from spinach_nic.model import Component
    from spinach_nic.support.errors import SpinachError
    from spinach_nic.support.limits import cut

    made: dict[str, Callable[[], Component]]
    if file.suffix in _COMPILERS:
        help = f"compile it with {_COMPILERS[file.suffix]}, and give the library that this writes"
        raise SpinachError(f"{file} is a source, not a library", help)
    if file.suffix != ".py":
        made = {file.name: partial(Verilated, library=str(file))}
    else:
        module = imported(file, "give a Python file with a PythonModule, or a library of a block")
        classes = [value for value in vars(module).values() if isinstance(value, type)]
        kinds = checked_kinds(kind for kind in classes if kind.__module__ == module.__name__)
        if not kinds:
            raise SpinachError(
                f"{file} defines no module", "derive a class from spinach_nic.blocks.PythonModule"
            )
        made = {kind.__name__: kind for kind in kinds}
    for name, make in made.items():
        click.echo(f"{cut(name)}:")
        for fact in check(make):
            click.echo(f"  {fact}")
