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
    remembering(tmp_path / "bin", Path(sys.executable).parent / "cocotb-config")
    path = os.pathsep.join([str(tmp_path / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]])
    cached = f"{sys.executable} {Path(__file__).parent / 'cached_object.py'}"
    # Without optimisation the compiler takes a third less.
    command = ["make", *(f"OPT_{part}=-O0" for part in ("FAST", "SLOW", "GLOBAL"))]
    environment = {**os.environ, "PATH": path, "OBJCACHE": cached}
    made = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    cases = ElementTree.parse(tmp_path / "results.xml").findall(".//testcase")
    assert [case.get("name") for case in cases] == ["damaged_headers_are_marked"]
    assert not list(cases[0]), made.stdout


def remembering(folder: Path, program: Path) -> None:
    """Put a program into a folder that runs another once for each question, which make asks many times."""
    folder.mkdir()
    script = folder / program.name
    script.write_text(
        f'#!/bin/sh\n[ -e "$0 $*" ] || "{program}" "$@" >"$0 $*" || {{ rm "$0 $*"; exit 1; }}\ncat "$0 $*"\n'
    )
    script.chmod(0o755)
