"""Table of bugs for firmware."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.python.mutants.outcome import Outcome, are_caught, copied_checkout


def firmware_survivors(bugs: Sequence[Mapping[str, Any]]) -> Outcome:
    """Plant each bug and run the tests that must fail.

    Raises:
        ValueError: The text to replace does not occur exactly once.
    """
    outcome = Outcome()
    for bug in bugs:
        with copied_checkout() as copy:
            for file, (before, after) in bug["edits"].items():
                text = (copy / file).read_text()
                if text.count(before) != 1:
                    raise ValueError(f"{file} has {before!r} {text.count(before)} times, not once")
                (copy / file).write_text(text.replace(before, after))
            outcome.tried += 1
            if not are_caught(copy, bug["tests"]):
                outcome.survivors.append(bug["name"])
    return outcome
