"""AddressSanitizer finds no error in the C++ side of blocks, nor in its accesses to memory of the loader.

The sanitizer replaces the allocator of the whole process, so it also sees accesses of the library beyond the
signals that the loader gives it.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from spinach_nic.blocks import verilate

PASSES = Path(__file__).parent / "passes.sv"
CHECKED = """
import sys
from functools import partial
from spinach_nic.blocks import Verilated
from spinach_nic.blocks.checking import check
from spinach_nic.support.errors import SpinachError
for mode in range(8):
    try:
        print(mode, len(check(partial(Verilated, library=sys.argv[1], constants=f"mode={mode}"))))
    except SpinachError as error:
        print(mode, error.message)
"""


def runtime(name: str) -> str:
    """Return the path of a library of the compiler."""
    asked = ["c++", f"-print-file-name={name}"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.skipif(
    not (shutil.which("verilator") and shutil.which("c++")), reason="verilator and g++ are not installed"
)
@pytest.mark.timeout(240)
def test_no_access_is_outside_of_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    libraries = [runtime("libasan.so"), runtime("libstdc++.so")]
    if not all(map(os.path.isabs, libraries)):
        pytest.skip("the AddressSanitizer of g++ is not installed")
    compiler = tmp_path / "c++"
    # The first line of its version distinguishes its object files in the cache.
    compiler.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && printf "AddressSanitizer, without optimisation: "\n'
        f'exec {shutil.which("c++")} -fsanitize=address "$@" -O0\n'
    )
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    library = tmp_path / "passes.spinach"
    verilate([PASSES], "passes", library)
    settings = {"LD_PRELOAD": " ".join(libraries), "ASAN_OPTIONS": "detect_leaks=0"}
    checked = subprocess.run(
        [sys.executable, "-c", CHECKED, str(library)],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stderr
    lines = [line for line in checked.stdout.splitlines() if line[0].isdigit()]
    assert len(lines) == 8
    assert lines[0] == "0 3"
    assert [line.partition(" module.block: ")[0] for line in lines[1:7]] == [
        f"{mode} the simulation stopped:" for mode in range(1, 7)
    ]
