"""The prose of code, documents and messages keeps to plain English."""

from collections import Counter

from tests.python.prose.english import findings

LIMITS = {
    "question": 1,
    "preposition": 0,
    "pronoun": 0,
    "noun": 0,
    "is no": 6,
    "stand": 10,
    "told": 6,
    "go on": 5,
    "so many": 6,
    "its own": 9,
    "as one": 0,
    "beside": 4,
    "somebody": 4,
    "whoever": 1,
    "whole number": 1,
    "hand out": 11,
    "by itself": 10,
    "book": 2,
    "leave away": 0,
    "any more": 13,
    "tell of": 0,
    "by chance": 1,
    "wants": 0,
}
"""Largest number of findings by category. Lower a limit when the count falls; never raise one."""


def test_avoided_openings_and_phrases_do_not_come_back() -> None:
    found = findings()
    counts = Counter(finding.category for finding in found)
    above = {name: counts[name] for name, limit in LIMITS.items() if counts[name] > limit}
    shown = "\n".join(str(finding) for finding in found if finding.category in above)
    assert not above, f"more than the limits: {above}\n{shown}"
