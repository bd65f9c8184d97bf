"""One instruction set is named where it is written down, where it is chosen, and nowhere else."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
NAME = re.compile("mips", re.IGNORECASE)

PLACES = {
    "crates/spinach-isa/README.md": "made of the former",
    "crates/spinach-isa/src/mips/": "the instruction set itself",
    "crates/spinach-isa/src/lib.rs": "declares its module",
    "crates/spinach-isa/src/registered.rs": "registers it",
    "firmware/architecture/mips/": "its start-up code and headers",
    "firmware/tests/branches.c": "a test program whose subject is its branches",
    "firmware/tests/firmware.toml": "says so of that program",
    "firmware/tests/self_modifying.c": "a test program that writes instructions: some of each set",
    ".ci/run": "names the system's packages of its compiler",
    "CHANGELOG.md": "history",
    "examples/notebooks/": "what profiles show: the names of source files",
    "docs/": "prose: decisions, what the papers' firmware was compiled for",
    "python/spinach_nic/experiments/": "the same, in notes on experiments",
    "tests/": "tests name the set that their programs are for",
}
"""Files and folders that may name it, and why."""

TESTS_OF_CRATES = re.compile(r"crates/[\w-]+/(tests|benches)/|crates/[\w-]+/src/.*\btests\.rs$")
CHOICE = re.compile(
    r"""^\s*((instruction_set\w*(: str)? = |default=|choices=).*"mips".*|\[variants\.mips\])$""", re.MULTILINE
)
"""A parameter that chooses it, or a variant of firmware that is compiled for it."""
TITLES = re.compile(r"MIPS R4000 User's Manual|\(Functional MIPS\)|\(MIPS Decoder\)")
"""Titles that sources of declarations cite."""
UNIT_TESTS = re.compile(r"^#\[cfg\(test\)\]\nmod \w+ \{.*", re.MULTILINE | re.DOTALL)


def mentions(path: str, text: str) -> list[str]:
    """The lines of a file that name the set where they may not."""
    if path.startswith(tuple(PLACES)) or TESTS_OF_CRATES.match(path):
        return []
    if path.endswith(".rs"):
        text = UNIT_TESTS.sub("", text)
    lines = TITLES.sub("", CHOICE.sub("", text)).splitlines()
    return [line for line in lines if NAME.search(line)]


def tracked() -> list[str]:
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode != 0:
        pytest.skip("the sources are not in a git checkout")
    return listing.stdout.split()


def test_only_these_places_name_an_instruction_set() -> None:
    found = {}
    for path in tracked():
        try:
            text = (ROOT / path).read_text()
        except (FileNotFoundError, IsADirectoryError, UnicodeDecodeError):
            continue
        if lines := [*mentions(path, text), *mentions(path, path)]:
            found[path] = lines
    assert found == {}


def test_every_place_is_still_needed() -> None:
    paths = tracked()
    unused = [
        place
        for place in PLACES
        if not any(
            path.startswith(place) and NAME.search((ROOT / path).read_text(errors="ignore") + path)
            for path in paths
            if (ROOT / path).is_file()
        )
    ]
    assert unused == []


@pytest.mark.parametrize(
    ("path", "text", "count"),
    [
        ("python/spinach_nic/cards/mine.py", 'instruction_set = "mips"\n', 0),
        ("python/spinach_nic/cards/mine.py", "class MipsCore:\n", 1),
        ("crates/spinach-modules/src/new.rs", "use spinach_isa::mips::Mips;\n", 1),
        (
            "crates/spinach-modules/src/new.rs",
            "#[cfg(test)]\nmod tests {\n    use spinach_isa::mips;\n}\n",
            0,
        ),
        ("crates/spinach-modules/tests/new.rs", "use spinach_isa::mips::Mips;\n", 0),
    ],
)
def test_a_mention_is_found(path: str, text: str, count: int) -> None:
    assert len(mentions(path, text)) == count
