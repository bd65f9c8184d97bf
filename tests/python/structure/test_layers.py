"""Python packages import one way, from the ground up; lazy imports are among them."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from spinach_nic.generate.rooms import PACKAGES

PACKAGE = Path(__file__).parents[3] / "python/spinach_nic"
NOTEBOOKS = {("cards/base/card.py", "report"), ("benches/base.py", "report")}
"""Notebooks draw a card or a bench when they show it."""


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield our packages that a file imports anywhere."""
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            names = [module] if module != "spinach_nic" else [f"spinach_nic.{one.name}" for one in node.names]
        elif isinstance(node, ast.Import):
            names = [one.name for one in node.names]
        yield from (name.split(".")[1] for name in names if name.startswith("spinach_nic."))


def test_every_package_has_its_place() -> None:
    folders = {file.parent.name for file in PACKAGE.glob("*/__init__.py")}
    assert folders | {"library"} == set(PACKAGES)
    files = {file.stem for file in PACKAGE.glob("*.py")}
    assert files == {"__init__", "__main__", "library"}, "a file belongs into one of the packages"


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_none_above_it(package: str) -> None:
    place = PACKAGES.index(package)
    folder = PACKAGE / package
    files = list(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]
    assert files
    wrong = {
        (file.relative_to(PACKAGE).as_posix(), name)
        for file in files
        for name in imported(ast.parse(file.read_text()))
        if name in PACKAGES[place + 1 :]
    }
    assert wrong - NOTEBOOKS == set()


def test_lazy_imports_are_seen() -> None:
    source = "def f():\n    from spinach_nic.benches import Bench\n    from spinach_nic import runs\n"
    assert set(imported(ast.parse(source))) == {"benches", "runs"}
