"""`python -m tests.python.fuzzing [FIRST [COUNT [READER]]]`: feed all readers, or one, with changed files."""

import sys

from tests.python.fuzzing.harness import fuzz, work
from tests.python.fuzzing.readers import READERS


def main(words: list[str]) -> int:
    """Carry out the command; 1 if there was a finding."""
    if words[:1] == ["--worker"]:
        name, begin, end, seconds = words[1:]
        work(name, int(begin), int(end), float(seconds) if seconds else None)
        return 0
    first, count = int((words[:1] or ["1"])[0]), int((words[1:2] or ["1000"])[0])
    names = words[2:] or list(READERS)
    found = 0
    for name in names:
        outcome = fuzz(name, first, count)
        found += len(outcome.findings)
        print(
            f"{name}: {outcome.read} read, {outcome.refused} refused, {len(outcome.findings)} findings; "
            f"the slowest took {outcome.slowest_seconds:.2f} s",
            flush=True,
        )
        for finding in outcome.findings:
            print(f"  {finding}", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
