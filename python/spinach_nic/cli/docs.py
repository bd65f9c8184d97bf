"""`spinach docs`: the book."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import click

from spinach_nic.support.errors import SpinachError

BOOK = Path(__file__).parents[1] / "data" / "book"


@click.command
@click.option("--path", "is_path_only", is_flag=True, help="Print the path and open nothing.")
def command(is_path_only: bool) -> None:
    """Open the book in a browser.

    Without a browser it prints the path. The book is installed with Spinach and needs no network.

    Example: spinach docs
    """
    page = book() / "index.html"
    if is_path_only or not webbrowser.open(page.as_uri()):
        click.echo(page)


def book() -> Path:
    """Return the folder of the built book: in a checkout a link to `build/docs`.

    Raises:
        SpinachError: It is not built.
    """
    folder = BOOK.resolve()
    if not (folder / "index.html").is_file():
        raise SpinachError(f"the book is not at {folder}", "run `make docs`")
    return folder
