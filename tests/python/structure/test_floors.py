"""Crates depend only on the floors below them."""

import tomllib
from pathlib import Path

CRATES = Path(__file__).parents[3] / "crates"

FLOORS: dict[str, set[str]] = {
    "spinach-trials": set(),
    "spinach-engine": {"spinach-trials"},
    "spinach-isa": set(),
    "spinach-elf": set(),
    "spinach-net": set(),
    "spinach-io": set(),
    "spinach-block": set(),
    "spinach-plugin": {"spinach-block"},
    "spinach-python-macros": set(),
    "spinach-server": {"spinach-elf", "spinach-isa", "spinach-trials"},
    "spinach-analysis": {"spinach-elf", "spinach-io", "spinach-isa"},
    "spinach-cards": {"spinach-server", "spinach-net"},
    "spinach-modules": {
        "spinach-cards",
        "spinach-engine",
        "spinach-isa",
        "spinach-net",
        "spinach-plugin",
        "spinach-server",
    },
}
"""Crates that each crate of the lower floors may know. Those above may know all of them."""
ABOVE = {"spinach-engine-bench", "spinach-live", "spinach-observe", "spinach-python"}


def test_a_crate_knows_only_the_floors_below() -> None:
    names = {folder.name for folder in CRATES.iterdir() if (folder / "Cargo.toml").is_file()}
    assert names == FLOORS.keys() | ABOVE, "a new crate belongs on a floor"
    for name, known in FLOORS.items():
        manifest = tomllib.loads((CRATES / name / "Cargo.toml").read_text())
        needed = {one for one in manifest.get("dependencies", {}) if one.startswith("spinach-")}
        assert needed <= known, f"{name} must not know {needed - known}"
