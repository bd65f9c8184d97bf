"""Output of `make new-module` and `make new-nic` works unchanged."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
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
def test_a_new_module_is_formatted_and_passes_its_test() -> None:
    # Always the same place, inside the folder of the repository's builds, so that little is compiled again.
    target = REPOSITORY / "target"
    copy = copy_of_the_repository(target / "scaffold")
    made = make(copy, "new-module", "NAME=packet_filter", "FAMILY=interconnect")
    assert made.returncode == 0, made.stderr
    cargo(copy, target, "fmt", "--all", "--check")
    # The repository's flags of the compiler also hold in folders below it, and would be given twice.
    shutil.rmtree(copy / ".cargo")
    reduce_the_library(copy, "interconnect", ["packet_filter", "sender", "receiver", "gate"])
    # With the features of the whole workspace, the engine is the one that `make test` builds.
    tested = cargo(copy, target, "test", "--quiet", "--offline", "--workspace", "--test", "packet_filter")
    assert "2 passed" in tested, tested


def cargo(copy: Path, target: Path, *words: str) -> str:
    """Return the output of a command of cargo that succeeds."""
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target)}
    done = subprocess.run(["cargo", *words], cwd=copy, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def reduce_the_library(copy: Path, family: str, modules: Sequence[str]) -> None:
    """Keep only these modules of one family in the library, which takes a minute to compile."""
    package = copy / "crates" / "spinach-modules"
    manifest = package / "Cargo.toml"
    sections = re.split(r"^(?=\[)", manifest.read_text(), flags=re.MULTILINE)
    kept = "".join(text for text in sections if "dependencies]" not in text)
    # The version distinguishes what is compiled from the whole library.
    kept = kept.replace("version.workspace = true", 'version = "0.0.0"', 1)
    manifest.write_text(f"{kept}\n[dependencies]\nserde.workspace = true\nspinach-engine.workspace = true\n")
    (package / "src" / "lib.rs").write_text(
        f"pub mod {family};\n\n"
        "pub fn registry() -> spinach_engine::Registry {\n"
        "    let mut registry = spinach_engine::Registry::new();\n"
        f"    {family}::register(&mut registry);\n"
        "    registry\n"
        "}\n"
    )
    registered = package / "src" / family / "mod.rs"
    names = "|".join(modules)
    classes = "|".join(name.title().replace("_", "") for name in modules)
    others = (
        rf"^(pub(\(crate\))? )?(mod|use) (?!({names}|spinach_engine)\b)[^;]+;\n"
        rf"|^ +registry\.register\w*::<(?!({classes})>)\w+>\(\);\n"
    )
    registered.write_text(re.sub(others, "", registered.read_text(), flags=re.MULTILINE))


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
