"""Files of a crate import one way: no two of them need each other."""

from pathlib import Path

import pytest
from tests.python.structure.rust_imports import Crate, circles

CRATES = Path(__file__).parents[3] / "crates"


@pytest.mark.parametrize(
    "name", sorted(folder.name for folder in CRATES.iterdir() if (folder / "src").is_dir())
)
def test_no_files_import_each_other(name: str) -> None:
    source = CRATES / name / "src"
    assert circles(Crate(source).imports()) == []


@pytest.mark.parametrize("name", ["spinach-engine", "spinach-modules"])
def test_no_rooms_import_each_other(name: str) -> None:
    source = CRATES / name / "src"
    rooms: dict[Path, set[Path]] = {}
    for file, targets in Crate(source).imports().items():
        room = Path(file.relative_to(source).parts[0])
        if room.suffix == "":
            rooms.setdefault(room, set()).update(
                Path(target.relative_to(source).parts[0]) for target in targets
            )
    assert len(rooms) > 2
    assert circles(rooms) == []


def test_a_circle_is_found(tmp_path: Path) -> None:
    (tmp_path / "room").mkdir()
    (tmp_path / "lib.rs").write_text("mod first;\nmod room;\npub use room::Second;\n")
    (tmp_path / "first.rs").write_text("use crate::Second;\npub struct First(Second);\n")
    (tmp_path / "room" / "mod.rs").write_text("mod second;\npub use second::Second;\n")
    second = tmp_path / "room" / "second.rs"
    second.write_text("use std::fmt;\npub struct Second;\n")
    assert circles(Crate(tmp_path).imports()) == []
    second.write_text("use super::super::first::{self, First};\npub struct Second(Box<First>);\n")
    assert circles(Crate(tmp_path).imports()) == [[tmp_path / "first.rs", second]]
