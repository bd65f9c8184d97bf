"""Completion of several outputs at the end of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from spinach_nic.support.errors import SpinachError


def finish_each(actions: Iterable[Callable[[], object]]) -> SpinachError | None:
    """Complete every output, even after one that cannot be written; return the first error.

    Args:
        actions: Completes one output each.
    """
    failures = []
    for finish in actions:
        try:
            finish()
        except SpinachError as error:
            failures.append(error)
    return failures[0] if failures else None
