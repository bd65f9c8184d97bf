"""The prose of code, documents and messages keeps to plain English."""

from collections import Counter
from pathlib import Path

import pytest
from tests.python.prose.english import findings, findings_in

LIMITS = {
    "question": 1,
    "preposition": 0,
    "pronoun": 0,
    "noun": 0,
    "is no": 5,
    "stand": 8,
    "told": 5,
    "go on": 3,
    "so many": 4,
    "its own": 8,
    "as one": 0,
    "beside": 2,
    "somebody": 3,
    "whoever": 1,
    "whole number": 1,
    "hand out": 7,
    "by itself": 5,
    "book": 2,
    "leave away": 0,
    "any more": 4,
    "tell of": 0,
    "by chance": 1,
    "wants": 0,
}
"""Largest number of findings by category. Lower a limit when the count falls; never raise one."""
PYTHON = '''"""Counts."""


def add(first, second):
    """Add numbers.

    Args:
        first: What is added.
        second: Number to add,
            Of the same kind.

    Returns:
        Of both
        What they are together.

    Raises:
        ValueError: As `number`.
    """
    # Those that are known.
    # What follows continues the comment.
    total = first + second  # Whether it fits is not checked.
    return total  # of both
'''
RUST = """// What goes first.
// Where it continues is not counted.
fn add() {
    let total = 1; // How many.
    // As before: prepositions count in documentation alone.
    /// Of a field.
    of();
}
"""
C = """/*
 * What is counted.
 * Where it continues is not counted.
 */
int total; /* How many. */
/* Those of all
   What continues is not counted. */
"""


def test_avoided_openings_and_phrases_do_not_come_back() -> None:
    found = findings()
    counts = Counter(finding.category for finding in found)
    above = {name: counts[name] for name, limit in LIMITS.items() if counts[name] > limit}
    shown = "\n".join(str(finding) for finding in found if finding.category in above)
    assert not above, f"more than the limits: {above}\n{shown}"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "counts.py",
            PYTHON,
            {
                (8, "question"),
                (13, "preposition"),
                (17, "preposition"),
                (19, "pronoun"),
                (21, "question"),
            },
        ),
        ("counts.rs", RUST, {(1, "question"), (4, "question"), (6, "preposition")}),
        ("counts.c", C, {(1, "question"), (5, "question"), (6, "pronoun")}),
    ],
)
def test_openings_of_entries_and_of_comments_count(
    tmp_path: Path, name: str, text: str, expected: set[tuple[int, str]]
) -> None:
    file = tmp_path / name
    file.write_text(text)
    assert {(found.passage.line, found.category) for found in findings_in(file)} == expected
