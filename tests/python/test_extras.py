"""Commands work without the libraries of extras, or name the missing extra before their work."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from spinach_nic.support.extras import LIBRARIES, is_installed, library_version

REPOSITORY = Path(__file__).parents[2]
PACKAGE = REPOSITORY / "python/spinach_nic"
WITHOUT_LIBRARIES = """
import contextlib, io, json, sys
sys.modules.update(dict.fromkeys(json.loads(sys.argv[1])))
from spinach_nic import cli
said = []
for words in json.loads(sys.argv[2]):
    with contextlib.redirect_stderr(io.StringIO()) as errors, contextlib.redirect_stdout(io.StringIO()):
        code = cli.carry_out(words)
    said.append([code, errors.getvalue()])
print(json.dumps(said))
"""
SWEEP = "nic = 'tengig'\n[options]\nframes = [1, 2]\n"
COMMANDS = {
    ("firmware", "build", "nic/echo", "-o", "echo.elf"): ("compiling echo", "compiler"),
    ("sweep", "sweep.toml"): ("the table sweep.parquet", "tables"),
    ("sweep", "plotted.toml"): ("the plot of a sweep", "plots"),
    ("search", "search.toml"): ("the search", "search,tables"),
    ("run", "tengig", "--report", "report.html"): ("the report", "graphs,plots"),
    ("explain", "tengig", "--report", "report.html"): ("the report", "plots"),
    ("compare", "a.json", "b.json", "--report", "report.html"): ("the report", "plots"),
    ("reproduce", "thesis-table-4.4"): ("the report", "plots"),
    ("graph", "tengig", "-o", "tengig.svg"): ("the diagram", "graphs"),
    ("profile", "tengig", "-o", "flame.png"): ("the picture flame.png", "plots"),
}
"""Commands, the part of each that is not possible, and the extras to install."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {
        "sweep.toml": SWEEP,
        "plotted.toml": f"{SWEEP}[[plots]]\nfile = 'x.svg'\nx = 'frames'\ny = 'tx.frames'\n",
        "search.toml": f"{SWEEP}[search.where]\n'tx.frames' = '>= 1'\n",
        "a.json": "{}",
        "b.json": "{}",
        "nic/echo.c": "void core_main(unsigned core) { (void)core; }\n",
        "nic/firmware.toml": 'instruction_set = "mips"\nlinker_script = "spinach:link/flat.ld"\n'
        'include = ["spinach:include"]\nmemories.memory = { base = 0x1000, bytes = 0xff000 }\n'
        '[images.echo]\nsources = ["spinach:start/bare.S", "echo.c"]\n',
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_commands_name_the_missing_extra_before_their_work(folder: Path) -> None:
    before = sorted(folder.rglob("*"))
    words = [json.dumps([*LIBRARIES.values()]), json.dumps([*COMMANDS])]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_LIBRARIES, *words],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    for (purpose, extras), (code, said) in zip(COMMANDS.values(), json.loads(done.stdout), strict=True):
        libraries = " and ".join(LIBRARIES[extra] for extra in extras.split(","))
        verb = "are" if "," in extras else "is"
        assert said == (
            f"error: {purpose} needs {libraries}, which {verb} not installed\n"
            f"help: pip install 'spinach-nic[{extras}]'\n"
        )
        assert code == 2
    assert sorted(folder.rglob("*")) == before


def test_each_extra_installs_its_library() -> None:
    with (REPOSITORY / "pyproject.toml").open("rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"]
    for extra, library in LIBRARIES.items():
        (requirement,) = extras[extra]
        assert re.split(r"\W", requirement)[0] == library
    (everything,) = extras["all"]
    assert everything == f"spinach-nic[{','.join(sorted(LIBRARIES.keys() - {'cluster'}))}]"


def test_every_import_of_an_optional_library_has_its_check() -> None:
    extras = {library: extra for extra, library in LIBRARIES.items()} | {"numpy": "search"}
    checked = set()
    for file in PACKAGE.rglob("*.py"):
        if "data" in file.relative_to(PACKAGE).parts:
            continue
        text = file.read_text(encoding="utf-8")
        needed = {extras[name] for name in _imported_at_run_time(ast.parse(text)) if name in extras}
        checks = {extra: rf'require\([^)]*"{extra}"' for extra in LIBRARIES} | {"tables": r"require_arrow\("}
        required = {extra for extra in needed if re.search(checks[extra], text)}
        assert needed == required, file
        checked |= needed
    assert checked == LIBRARIES.keys() - {"compiler"}


def _imported_at_run_time(tree: ast.Module) -> Iterator[str]:
    """Yield the top-level names of imported modules, without those for type checkers only."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]
        waiting.extend(ast.iter_child_nodes(node))


def test_versions_are_those_that_metadata_name() -> None:
    installed = [extra for extra in LIBRARIES if is_installed(extra)]
    assert "compiler" in installed
    assert [library_version(extra) for extra in installed] == [
        version(LIBRARIES[extra]) for extra in installed
    ]
