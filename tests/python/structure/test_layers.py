"""Cards know no bench, and benches no run: imports of Python packages go one way, lazy ones included."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[3] / "python/spinach_nic"
RUNS = {
    *("running", "attaching", "profiling", "watching", "sweeping", "explaining", "comparing"),
    *("diagram", "report", "experiments", "reproduction", "cli", "parallel"),
}
ABOVE = {
    "cards": {"benches", "nics", "servers", *RUNS},
    "nics": {"benches", "servers", *RUNS},
    "benches": RUNS,
}
"""Packages that a package must not import."""
NOTEBOOKS = {("cards/base.py", "diagram"), ("benches/base.py", "diagram")}
"""Notebooks draw a card when they show it."""


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield the packages of ours that a file imports anywhere in it."""
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            names = [module] if module != "spinach_nic" else [f"spinach_nic.{one.name}" for one in node.names]
        elif isinstance(node, ast.Import):
            names = [one.name for one in node.names]
        yield from (name.split(".")[1] for name in names if name.startswith("spinach_nic."))


@pytest.mark.parametrize("package", ABOVE)
def test_a_package_imports_none_above_it(package: str) -> None:
    wrong = {
        (file.relative_to(PACKAGE).as_posix(), name)
        for file in (PACKAGE / package).rglob("*.py")
        for name in imported(ast.parse(file.read_text()))
        if name in ABOVE[package]
    }
    assert wrong - NOTEBOOKS == set()


def test_lazy_imports_are_seen() -> None:
    source = "def f():\n    from spinach_nic.benches import Bench\n    from spinach_nic import running\n"
    assert set(imported(ast.parse(source))) == {"benches", "running"}
