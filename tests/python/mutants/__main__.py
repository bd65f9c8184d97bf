"""`python -m tests.python.mutants [ROOM ...]`: plant random bugs, and find those that the nearest tests miss.

Rust rooms use cargo-mutants, Python rooms Cosmic Ray; both are installed below `target/tools` on first use.
Python tests of a Rust room run on the bugs that its Rust tests miss, each in an extension built with the bug.
Firmware has a table of bugs planted by hand. All bugs are planted in copies of the checkout. `SAMPLE` bugs of
each room are tried, chosen by `SEED`.
"""

import os
import sys
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from tests.python.mutants.firmware import firmware_survivors
from tests.python.mutants.outcome import Outcome
from tests.python.mutants.python import python_survivors
from tests.python.mutants.rust import rust_survivors

ROOMS = Path(__file__).with_name("rooms.toml")
SAMPLE, SEED = int(os.environ.get("SAMPLE", "10")), int(os.environ.get("SEED", "1"))

Attempt = Callable[[], Outcome]


def attempts(described: dict[str, Any]) -> Iterator[tuple[str, Attempt]]:
    """Return the rooms by name, each with what tries it."""
    for name, room in described["rust"].items():
        nearest = room["tests"], SAMPLE, SEED, room.get("python_tests", [])
        yield name, partial(rust_survivors, room["package"], room["files"], *nearest)
    for name, room in described["python"].items():
        yield name, partial(python_survivors, room["files"], room["tests"], SAMPLE, SEED)
    yield "firmware", partial(firmware_survivors, described["firmware"])


def main(asked: list[str]) -> int:
    """Try rooms, all without a name; return 1 if a bug planted by hand survives."""
    rooms = dict(attempts(tomllib.loads(ROOMS.read_text())))
    if unknown := [name for name in asked if name not in rooms]:
        sys.stderr.write(f"error: no room {unknown[0]!r}\nhelp: the rooms are {', '.join(rooms)}\n")
        return 2
    outcomes = {}
    for name in asked or rooms:
        outcomes[name] = rooms[name]()
        for survivor in outcomes[name].survivors:
            print(f"{name}: survived: {survivor}", flush=True)
    print("| room | tried | caught | survived |\n|---|---|---|---|")
    for name, found in outcomes.items():
        print(f"| {name} | {found.tried} | {found.caught} | {len(found.survivors)} |")
    return 1 if "firmware" in outcomes and outcomes["firmware"].survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
