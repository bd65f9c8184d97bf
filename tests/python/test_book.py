"""Promises of the book to its readers: unique numbers, and a complete index."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_a_number_stands_for_one_deviation() -> None:
    numbers = re.findall(r"^\| (\d+) \|", (DOCS / "deviations.md").read_text(), re.MULTILINE)
    assert len(numbers) > 10
    assert [number for number, times in Counter(numbers).items() if times > 1] == []


def test_every_decision_has_a_number_of_its_own_and_a_line_in_the_index() -> None:
    records = sorted(path.name for path in (DOCS / "decisions").glob("[0-9]*.md"))
    index = (DOCS / "decisions" / "index.md").read_text()
    listed = re.findall(r"^\| \[(\d+)\]\((\S+)\)", index, re.MULTILINE)
    assert [name for _, name in listed] == records
    assert [number for number, _ in listed] == [f"{place:04}" for place in range(1, len(records) + 1)]
    assert all(name.startswith(number) for number, name in listed)


def test_snippets_pass_strict_type_checks(tmp_path: Path) -> None:
    pages = []
    for page in sorted(DOCS.glob("*.md")):
        snippets = re.findall(r"^```python[^\n]*\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
        if snippets:
            # Snippets of a page build on those before.
            module = tmp_path / f"{page.stem.replace('-', '_')}.py"
            module.write_text("\n".join(snippets))
            pages.append(module)
    assert len(pages) > 5
    mypy = [sys.executable, "-m", "mypy", "--strict", *map(str, pages)]
    checked = subprocess.run(mypy, cwd=DOCS.parent, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout
