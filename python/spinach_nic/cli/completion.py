"""`spinach completion`: completion of commands, NICs, parameters and their values by the shell."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click
from click import shell_completion
from click.shell_completion import BashComplete, CompletionItem

from spinach_nic.support.errors import SpinachError

if TYPE_CHECKING:
    from spinach_nic.benches import Bench
    from spinach_nic.studies.describing import ParameterDescription

VARIABLE = "_SPINACH_COMPLETE"
"""The environment variable by which a shell asks for completions."""

Items = list["CompletionItem[Any]"]

_UNFINISHED = """
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=.] ]]; then
        compopt -o nospace
    fi

    return 0
}
"""


class _Bash(BashComplete):
    """Bash breaks words at `=` and `:`, which are within ours, and replaces the last piece only."""

    source_template = BashComplete.source_template.replace(
        "COMPREPLY+=($value)", 'COMPREPLY+=("$value")'
    ).replace("\n    return 0\n}\n", _UNFINISHED)

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the cursor and the one at it, put together again."""
        before, last = super().get_completion_args()
        words = [os.environ["COMP_WORDS"].split()[0]]
        is_open = False
        for word in (*before, last):
            is_break = bool(word) and not word.strip("=:")
            if (is_break or is_open) and len(words) > 1:
                words[-1] += word
            else:
                words.append(word)
            is_open = is_break
        self._typed = re.match(r".*[=:]|", words[-1]).group()  # type: ignore[union-attr]  # always matches
        return words[1:-1], words[-1]

    def format_completion(self, item: CompletionItem[Any]) -> str:
        """Return the part after the last place at which bash breaks the word."""
        return f"{item.type},{item.value.removeprefix(self._typed)}"


shell_completion.add_completion_class(_Bash, "bash")


@click.command
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    r"""Print the completion script of a shell.

    SHELL then completes commands, NICs, parameters and values.

    \b
    bash, in ~/.bashrc:                   eval "$(spinach completion bash)"
    zsh, in ~/.zshrc:                     eval "$(spinach completion zsh)"
    fish, in ~/.config/fish/config.fish:  spinach completion fish | source

    Example: eval "$(spinach completion bash)"
    """
    from spinach_nic.cli import spinach

    found = shell_completion.get_completion_class(shell)
    assert found is not None
    click.echo(found(spinach, {}, "spinach", VARIABLE).source())


def complete_nic(context: click.Context, parameter: click.Parameter, incomplete: str) -> Items:
    """Return the shipped NICs, and files."""
    from spinach_nic.cards import SHIPPED

    items = _matching(SHIPPED, incomplete)
    return items or [CompletionItem(incomplete, type="file")]


def complete_firmware(context: click.Context, parameter: click.Parameter, incomplete: str) -> Items:
    """Return the images of the NIC that was named, and files."""
    try:
        system = _described(context)
        items = [] if system is None else _matching(system.inserted().images(), incomplete)
    except SpinachError:
        items = []
    return items or [CompletionItem(incomplete, type="file")]


def complete_path(context: click.Context, parameter: click.Parameter, incomplete: str) -> Items:
    """Parts and parameters of the NIC that was named."""
    return _paths(context, incomplete, after_parameter="")


def complete_setting(context: click.Context, parameter: click.Parameter | None, incomplete: str) -> Items:
    """`PATH=VALUE` for the NIC that was named: paths up to the equals sign, then values."""
    path, equals, value = incomplete.partition("=")
    if not equals:
        return _paths(context, incomplete, after_parameter="=")
    described = next((one for one in _parameters(context, path) if one.path == path), None)
    if described is None:
        return []
    values = described.choices or (("true", "false") if described.type == "boolean" else ())
    if not values and described.value is not None:
        values = (str(described.value),)
    return [CompletionItem(f"{path}={one}") for one in values if one.startswith(value)]


def _paths(context: click.Context, incomplete: str, *, after_parameter: str) -> Items:
    from spinach_nic.studies.describing import find_part

    place = incomplete.rpartition(".")[0]
    items = [
        CompletionItem(f"{one.path}{after_parameter}", help=one.meaning)
        for one in _parameters(context, incomplete)
        if one.path.startswith(incomplete)
    ]
    try:
        system = _described(context)
        part = None if system is None else find_part(system, place)[0]
    except SpinachError:
        return items
    prefix = f"{place}." if place else ""
    names = [f"{prefix}{name}." for name in getattr(part, "parts", {})]
    return items + [CompletionItem(name) for name in names if name.startswith(incomplete)]


def _parameters(context: click.Context, path: str) -> list[ParameterDescription]:
    """Return the parameters of the part that holds the last name of a path; empty without such a part."""
    from spinach_nic.studies.describing import describe_parameters, find_part

    place = path.rpartition(".")[0]
    try:
        system = _described(context)
        return [] if system is None else describe_parameters(find_part(system, place)[0], place)
    except SpinachError:
        return []


def _described(context: click.Context) -> Bench | None:
    """Return the NIC that was named, with the settings before the cursor; `None` if none was."""
    from spinach_nic.benches import shown_bench

    # As long as an option lacks its value, click keeps the NIC among the arguments.
    nic = context.params.get("nic") or next(iter(context.args), None)
    if nic is None:
        return None
    system = shown_bench(nic)
    for path, value in context.params.get("set") or ():
        system.set(path, value)
    return system


def _matching(names: Iterable[str], incomplete: str) -> Items:
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]
