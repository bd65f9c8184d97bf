"""A defect ends in an error that asks for a report, and in nothing else."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from spinach_nic import DefectError, SpinachError, _native

BINDING = Path(__file__).parents[2] / "crates" / "spinach-python" / "src"
# A request that ends in a panic. No real one is known, so the command is made to provoke it.
PROGRAM = """
import sys
from spinach_nic import _native, benches, cli
benches.finding.find_nic = lambda name: _native.provoke_defect("index 3 of 2")
sys.exit(cli.carry_out(["graph", "two words", "-o", "x.svg"]))
"""


def test_a_panic_is_an_error_with_its_place() -> None:
    with pytest.raises(DefectError) as caught:
        _native.provoke_defect("index 3 of 2\nand more")
    assert isinstance(caught.value, SpinachError)
    assert re.fullmatch(
        r"Spinach has a defect: index 3 of 2; and more "
        r"\(at crates/spinach-python/src/defects\.rs:\d+:\d+, in provoke_defect, version \d+\.\d+\.\d+\)",
        caught.value.message,
    )
    assert "please report" in caught.value.help


def test_the_command_line_shows_the_request_and_no_traceback() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.returncode == DefectError.exit_code == 70
    request, error, help = done.stderr.splitlines()
    assert request == "request: spinach graph 'two words' -o x.svg"
    assert error.startswith("error: Spinach has a defect: index 3 of 2 (at crates/")
    assert help.startswith("help: please report")


@pytest.mark.parametrize("file", sorted(BINDING.rglob("*.rs")), ids=lambda file: file.name)
def test_every_function_of_the_binding_is_guarded(file: Path) -> None:
    lines = file.read_text().splitlines()
    for number, line in enumerate(lines):
        if line.strip() in ("#[pyfunction]", "#[pymethods]") and not lines[number + 1].startswith(
            "fn version"
        ):
            assert lines[number - 1].strip() == "#[guarded]", f"{file}:{number + 1}"
