"""Bugs planted in Rust by cargo-mutants."""

import json
import os
import random
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.python.mutants.outcome import CHECKOUT, TOOLS, Outcome

_BUILD_TIMEOUT_S = 3600
"""A slow build does not count as a caught bug."""
_LEAST_TEST_TIMEOUT_S = 120
_TEST_TIMEOUT_RATIO = 4
"""A test has this many times the time of the run without a bug, so that a loaded machine catches no bug."""


def _program() -> Path:
    """Return cargo-mutants, installed if it is not there."""
    program = TOOLS / "bin" / "cargo-mutants"
    if not program.exists():
        install = ["cargo", "install", "--locked", "--quiet", "--root", str(TOOLS), "cargo-mutants"]
        subprocess.run(install, check=True, cwd=TOOLS.parent)
    return program


def rust_survivors(
    package: str, files: Sequence[str], tests: Sequence[str], sample: int, seed: int
) -> Outcome:
    """Try a random sample of the bugs that cargo-mutants would plant in some files of a package."""
    chosen_files = [word for file in files for word in ("--file", file)]
    command = [str(_program()), "mutants", "--package", package, *chosen_files]
    listed = subprocess.run(
        [*command, "--list", "--json"], cwd=CHECKOUT, check=True, capture_output=True, text=True
    )
    names = sorted(mutant["name"] for mutant in json.loads(listed.stdout))
    chosen = random.Random(seed).sample(names, min(sample, len(names)))
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
        built = os.environ | {"CARGO_TARGET_DIR": str(TOOLS / "mutants"), "CARGO_INCREMENTAL": "1"}
        subprocess.run([*command, *options], cwd=_copy(), check=False, env=built, stdout=subprocess.DEVNULL)
        outcomes = json.loads((found / "outcomes.json").read_text())["outcomes"]
        if outcomes[0]["summary"] != "Success":
            raise RuntimeError(f"cargo test --package {package} {' '.join(tests)} fails without a bug")
        lines = {
            name: (found / f"{name}.txt").read_text().splitlines() for name in ("caught", "missed", "timeout")
        }
    return Outcome(sum(len(names) for names in lines.values()), lines["missed"])


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
