"""The prose of code, documents and messages keeps to plain English."""

from collections import Counter

from tests.python.prose.english import findings

LIMITS = {
    "question": 0,
    "preposition": 0,
    "is no": 40,
    "stand": 23,
    "told": 20,
    "go on": 25,
    "so many": 10,
    "its own": 40,
    "as one": 1,
    "beside": 14,
    "somebody": 13,
    "whoever": 4,
}
"""Largest number of findings by category. Lower a limit when the count falls; never raise one."""


def test_avoided_openings_and_phrases_do_not_come_back() -> None:
    found = findings()
    counts = Counter(finding.category for finding in found)
    above = {name: counts[name] for name, limit in LIMITS.items() if counts[name] > limit}
    shown = "\n".join(str(finding) for finding in found if finding.category in above)
    assert not above, f"more than the limits: {above}\n{shown}"
