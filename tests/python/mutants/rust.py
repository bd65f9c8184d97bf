"""Bugs planted in Rust by cargo-mutants."""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.python.mutants.outcome import CHECKOUT, TOOLS, Outcome, are_caught

_BUILD_TIMEOUT_S = 3600
"""A slow build does not count as a caught bug."""
_LEAST_TEST_TIMEOUT_S = 120
_TEST_TIMEOUT_RATIO = 4
"""A test has this many times the time of the run without a bug, so that a loaded machine catches no bug."""
_BUILT = {"CARGO_TARGET_DIR": str(TOOLS / "mutants"), "CARGO_INCREMENTAL": "1"}


def _program() -> Path:
    """Return cargo-mutants, installed if it is not there."""
    program = TOOLS / "bin" / "cargo-mutants"
    if not program.exists():
        install = ["cargo", "install", "--locked", "--quiet", "--root", str(TOOLS), "cargo-mutants"]
        subprocess.run(install, check=True, cwd=TOOLS.parent)
    return program


def rust_survivors(
    package: str,
    files: Sequence[str],
    tests: Sequence[str],
    sample: int,
    seed: int,
    python_tests: Sequence[str] = (),
) -> Outcome:
    """Try a random sample of the bugs that cargo-mutants would plant in some files of a package.

    Python tests run on the bugs that the Rust tests miss.
    """
    chosen_files = [word for file in files for word in ("--file", file)]
    command = [str(_program()), "mutants", "--package", package, *chosen_files]
    listed = subprocess.run(
        [*command, "--list", "--json"], cwd=CHECKOUT, check=True, capture_output=True, text=True
    )
    bugs = {bug["name"]: bug for bug in json.loads(listed.stdout)}
    names = sorted(bugs)
    chosen = random.Random(seed).sample(names, min(sample, len(names)))
    copy = _copy()
    with tempfile.TemporaryDirectory(prefix="spinach-mutants-") as folder:
        found = Path(folder) / "mutants.out"
        found.mkdir()
        # `--re` does not exclude bugs that omit a field: all but the chosen ones are marked as caught before.
        (found / "caught.txt").write_text("".join(f"{name}\n" for name in names if name not in chosen))
        # The tests must pass without a bug, or every bug would seem caught.
        options = ["--iterate", "--in-place", "--no-shuffle", "--baseline", "run", "--output", folder]
        options += ["--timeout-multiplier", str(_TEST_TIMEOUT_RATIO)]
        options += ["--minimum-test-timeout", str(_LEAST_TEST_TIMEOUT_S)]
        options += ["--build-timeout", str(_BUILD_TIMEOUT_S)]
        # Nothing but the nearest tests is built.
        options += [f"--cargo-arg={word}" for word in tests]
        subprocess.run(
            [*command, *options], cwd=copy, check=False, env=os.environ | _BUILT, stdout=subprocess.DEVNULL
        )
        outcomes = json.loads((found / "outcomes.json").read_text())["outcomes"]
        if outcomes[0]["summary"] != "Success":
            raise RuntimeError(f"cargo test --package {package} {' '.join(tests)} fails without a bug")
        lines = {
            name: (found / f"{name}.txt").read_text().splitlines() for name in ("caught", "missed", "timeout")
        }
    missed = lines["missed"]
    if missed and python_tests:
        missed = _missed_from_python(copy, [bugs[name] for name in missed], python_tests)
    return Outcome(sum(len(names) for names in lines.values()), missed)


def _missed_from_python(copy: Path, bugs: Sequence[Mapping[str, Any]], tests: Sequence[str]) -> list[str]:
    """Return the names of the bugs that Python tests miss in an extension with the bug."""
    _build_extension(copy)
    if are_caught(copy, tests):
        raise RuntimeError(f"pytest {' '.join(tests)} fails without a bug")
    missed = []
    for bug in bugs:
        file = copy / bug["file"]
        text = file.read_text()
        file.write_text(_planted(text, bug["span"], bug["replacement"]))
        _build_extension(copy)
        if not are_caught(copy, tests):
            missed.append(bug["name"])
        file.write_text(text)
    return missed


def _planted(text: str, span: Mapping[str, Mapping[str, int]], replacement: str) -> str:
    """Return the text of a file with a replaced span of lines and columns, which are counted from one."""
    lines = text.split("\n")
    start, end = (
        sum(len(line) + 1 for line in lines[: place["line"] - 1]) + place["column"] - 1
        for place in (span["start"], span["end"])
    )
    return text[:start] + replacement + text[end:]


def _build_extension(copy: Path) -> None:
    """Build the extension of a copy, in place."""
    maturin = Path(sys.executable).with_name("maturin")
    command = [str(maturin), "develop", "--release", "--skip-install"]
    variables = os.environ | _BUILT | {"VIRTUAL_ENV": sys.prefix}
    done = subprocess.run(command, cwd=copy, env=variables, capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(
            f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr.decode()[-2000:]}"
        )


def _copy() -> Path:
    """Return a copy of the checkout, always in the same place: what one room has built, the next reuses."""
    place = TOOLS / "checkout"
    shutil.rmtree(place, ignore_errors=True)
    ignored = shutil.ignore_patterns(
        "target", "build", "dist", ".git", ".venv", ".*_cache", "__pycache__", "*.so"
    )
    # Without the times of the files: what was built of a bug in an earlier copy would seem newer.
    shutil.copytree(CHECKOUT, place, symlinks=True, ignore=ignored, copy_function=shutil.copy)
    return place
