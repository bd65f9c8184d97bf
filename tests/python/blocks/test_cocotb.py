"""The test bench of the page on blocks passes with cocotb, on the RTL that the example puts into a card."""

import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from textwrap import dedent

import pytest

ROOT = Path(__file__).parents[3]
FILES = {"Makefile": "    # Makefile of cocotb\n", "test_ipv4_checksum.py": "    # test_ipv4_checksum.py\n"}
"""Files that the page shows, and the first line of each."""


@pytest.mark.skipif(
    not (shutil.which("verilator") and shutil.which("c++")), reason="verilator and g++ are not installed"
)
@pytest.mark.timeout(240)
def test_the_bench_of_the_page_passes(tmp_path: Path) -> None:
    pytest.importorskip("cocotb")
    page = (ROOT / "docs/blocks.md").read_text()
    for name, first in FILES.items():
        shown = re.search(re.escape(first) + r"(?:(?:    .*)?\n)+", page)
        assert shown is not None
        (tmp_path / name).write_text(dedent(shown.group()))
    shutil.copy(ROOT / "examples/rtl_checksum/ipv4_checksum.sv", tmp_path)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    # Without optimisation the compiler takes a third less.
    command = ["make", *(f"OPT_{part}=-O0" for part in ("FAST", "SLOW", "GLOBAL"))]
    made = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    cases = ElementTree.parse(tmp_path / "results.xml").findall(".//testcase")
    assert [case.get("name") for case in cases] == ["damaged_headers_are_marked"]
    assert not list(cases[0]), made.stdout
