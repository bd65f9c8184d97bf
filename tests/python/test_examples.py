"""Every script in `examples/` runs, and prints what its docstring says it prints."""

import ast
import inspect
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples"
EXAMPLES = sorted([*FOLDER.glob("*.py"), *FOLDER.glob("*/*.py")])

PROGRAMS = {"rtl_checksum.py": ("verilator", "c++"), "rtl_core.py": ("verilator", "c++")}
"""Programs that an example needs besides the package."""
PACKAGES = {"rtl_core.py": "pythondata_cpu_vexriscv"}
"""Python package that an example needs."""


def promised_output(script: Path) -> str:
    """The indented block after the line `Prints:`, which ends the docstring of an example."""
    docstring = ast.get_docstring(ast.parse(script.read_text())) or ""
    _, found, block = docstring.partition("\nPrints:\n")
    assert found, f"{script.name}: the docstring must end with `Prints:` and the output, indented"
    return inspect.cleandoc(block)


@pytest.mark.timeout(240)  # the first run of one compiles C++, the others take it from the cache
@pytest.mark.parametrize("script", EXAMPLES, ids=lambda script: script.name)
def test_example_prints_what_it_promises(script: Path, tmp_path: Path) -> None:
    for program in PROGRAMS.get(script.name, ()):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    if script.name in PACKAGES:
        pytest.importorskip(PACKAGES[script.name])
    finished = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True)
    assert finished.stderr == ""
    assert finished.returncode == 0
    assert inspect.cleandoc(finished.stdout) == promised_output(script)
