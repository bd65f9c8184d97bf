"""Patterns of names, with `*` and `?`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from spinach_nic import _native
from spinach_nic.support.errors import SpinachError

EXAMPLE = "processor[0].*"


def matching(pattern: str, names: Sequence[str]) -> dict[int, str]:
    """Return the names that a pattern matches, by number: `*` is any characters, `?` one."""
    form = re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."))
    return {number: name for number, name in enumerate(names) if form.fullmatch(name)}


def no_match(nouns: str, pattern: str, names: Sequence[str]) -> SpinachError:
    """Return the error of a pattern without a match, with the nearest names."""
    return SpinachError(f"no {nouns} is called {pattern!r}", _native.suggest(pattern, list(names)))
