"""Results of planted bugs, and the copies of the checkout that they are planted in."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

CHECKOUT = Path(__file__).parents[3]
TOOLS = CHECKOUT / "target" / "tools"
_COPIED = (
    "benchmarks",
    "captures",
    "docs",
    "examples",
    "firmware",
    "python",
    "tests",
    "pyproject.toml",
    "README.md",
)


@dataclass
class Outcome:
    """Number of bugs that were tried, and those that survived. What does not compile is not tried."""

    tried: int = 0
    survivors: list[str] = field(default_factory=list)

    @property
    def caught(self) -> int:
        """Number of bugs that a test noticed."""
        return self.tried - len(self.survivors)


@contextmanager
def copied_checkout() -> Iterator[Path]:
    """Return a copy of the Python part of the checkout, its extension included."""
    with tempfile.TemporaryDirectory(prefix="spinach-mutants-") as folder:
        for name in _COPIED:
            source, target = CHECKOUT / name, Path(folder) / name
            if source.is_dir():
                shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, target)
        yield Path(folder)


def pytest_command(tests: Sequence[str]) -> list[str]:
    """Return the command that runs tests until the first fails."""
    return [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]


def environment(copy: Path) -> dict[str, str]:
    """Return the environment in which a copy is imported, not the checkout."""
    return os.environ | {"PYTHONPATH": str(copy / "python"), "PYTHONDONTWRITEBYTECODE": "1"}


def are_caught(copy: Path, tests: Sequence[str]) -> bool:
    """Return true if the tests fail, crash or do not end in a copy."""
    command = pytest_command(tests)
    try:
        done = subprocess.run(
            command, cwd=copy, env=environment(copy), capture_output=True, check=False, timeout=600
        )
    except subprocess.TimeoutExpired:
        return True
    if done.returncode > 1:
        raise RuntimeError(
            f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout.decode()[-2000:]}"
        )
    return done.returncode != 0
