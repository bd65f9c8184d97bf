"""Documents name files and folders that there are."""

import re
import subprocess
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[3]
NAMED = re.compile(r"`([\w.-]+/[\w./-]*)`")
SUFFIXES = {".c", ".h", ".md", ".py", ".rs", ".toml"}
WRITTEN_LATER = {"spinach/card.h"}
"""Headers that are written when firmware is built."""


def tracked_files() -> list[PurePosixPath]:
    """Return the files of the repository."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this is no checkout of git")
    return [PurePosixPath(line) for line in listed.stdout.splitlines()]


def test_paths_in_documents_exist() -> None:
    files = tracked_files()
    known = {str(path) for file in files for path in (file, *file.parents)}
    ends = {
        "/".join(parts[start:])
        for parts in (path.split("/") for path in known)
        for start in range(len(parts))
    } | WRITTEN_LATER
    missing = []
    for document in files:
        if document.suffix != ".md" or document.name == "CHANGELOG.md":
            continue
        for number, line in enumerate((ROOT / document).read_text(encoding="utf-8").splitlines(), start=1):
            for path in NAMED.findall(line):
                is_path = path.endswith("/") or PurePosixPath(path).suffix in SUFFIXES
                if is_path and "NAME" not in path and path.rstrip("/") not in ends:
                    missing.append(f"{document}:{number}: {path}")
    assert not missing, "\n".join(missing)
