"""Self-contained pages: text, tables and pictures in one HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, select_autoescape
from markupsafe import Markup

from spinach_nic._native import version


@dataclass(frozen=True)
class Part:
    """A part of a page, with a table, a picture or both."""

    heading: str
    headings: Sequence[str] = ()
    """Headings of a table's columns; the first names the subject of a row."""
    rows: Sequence[Sequence[str]] = ()
    picture: Markup | None = None
    """An `svg` element."""
    text: str = ""


def environment() -> Environment:
    """Return the template environment; text is escaped."""
    return Environment(
        loader=PackageLoader("spinach_nic.report", "."),
        autoescape=select_autoescape(default=True),
        trim_blocks=True,
        lstrip_blocks=True,
    )


def page(title: str, lead: Sequence[str], parts: Sequence[Part]) -> str:
    """Return a page as text.

    Args:
        title: Title of the page.
        lead: Paragraphs at its beginning.
        parts: Parts of the page, in order.
    """
    template = environment().get_template("page.html.j2")
    return template.render(title=title, lead=lead, parts=parts, version=version())
