"""Output of `make new-module` and `make new-nic` works unchanged."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
ENVIRONMENT = Path(sys.executable).parents[1]


def copy_of_the_repository(place: Path) -> Path:
    """Its tracked and new files, with their times, and the built extension."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    shutil.rmtree(place, ignore_errors=True)
    built = (str(file.relative_to(REPOSITORY)) for file in REPOSITORY.glob("python/spinach_nic/*.so"))
    for name in [*listed.stdout.splitlines(), *built]:
        if (REPOSITORY / name).exists():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPOSITORY / name, place / name, follow_symlinks=False)
    return place


def make(copy: Path, *words: str) -> subprocess.CompletedProcess[str]:
    # Setting up is not what is tested: the environment of the repository serves its copy.
    command = ["make", "--old-file=setup", f"VENV={ENVIRONMENT}", *words]
    return subprocess.run(command, cwd=copy, capture_output=True, text=True)


pytestmark = pytest.mark.skipif(
    shutil.which("git") is None or not (REPOSITORY / ".git").exists(), reason="not a git checkout"
)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_new_nic_passes_its_test_and_the_checks_of_the_source(tmp_path: Path) -> None:
    copy = copy_of_the_repository(tmp_path / "copy")
    made = make(copy, "new-nic", "NAME=mycard")
    assert made.returncode == 0, made.stderr
    assert "tests/python/cards/test_mycard.py" in made.stdout
    environment = {**os.environ, "PYTHONPATH": str(copy / "python")}
    for command in (
        ["ruff", "check", "python/spinach_nic/cards", "tests/python/cards"],
        ["ruff", "format", "--check", "python/spinach_nic/cards", "tests/python/cards"],
        ["pytest", "-q", "tests/python/cards/test_mycard.py"],
    ):
        done = subprocess.run(
            [sys.executable, "-m", *command], cwd=copy, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert (copy / "docs" / "mycard.md").read_text().startswith("# Mycard\n")
    again = make(copy, "new-nic", "NAME=mycard")
    assert again.returncode != 0
    assert "the name mycard is taken" in again.stderr


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not installed")
def test_a_new_module_compiles_with_its_test_and_is_formatted() -> None:
    # Always the same place, inside the folder of the repository's builds, so that little is compiled again.
    target = REPOSITORY / "target"
    copy = copy_of_the_repository(target / "scaffold")
    made = make(copy, "new-module", "NAME=packet_filter", "FAMILY=interconnect")
    assert made.returncode == 0, made.stderr
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target)}
    for command in (
        ["fmt", "--all", "--check"],
        ["check", "--quiet", "--offline", "-p", "spinach-modules", "--test", "packet_filter"],
    ):
        done = subprocess.run(["cargo", *command], cwd=copy, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("words", "message", "help"),
    [
        (["module", "fifo", "interconnect"], "the name fifo is taken", "another name"),
        (["module", "new", "interconect"], "unknown family 'interconect'", "interconnect"),
        (["module", "New", "memory"], "'New' is not a valid name", "packet_filter"),
        (["module", "", ""], "a name is missing", "NAME=packet_filter"),
        (["nic", "tengig"], "the name tengig is taken", "another name"),
    ],
)
def test_mistakes_change_nothing(words: list[str], message: str, help: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "spinach_nic.scaffold", *words], cwd=REPOSITORY, capture_output=True, text=True
    )
    assert done.returncode == 2
    error, helped = done.stderr.splitlines()
    assert error == f"error: {message}"
    assert help in helped
