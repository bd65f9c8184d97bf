"""A test that never returns to the interpreter ends with its process."""

import os
import subprocess
import sys
from pathlib import Path

from tests.python import conftest

HANGS = """
import ctypes

def test_that_hangs():
    library, mutex = ctypes.PyDLL(None), ctypes.create_string_buffer(64)
    library.pthread_mutex_lock(mutex)
    library.pthread_mutex_lock(mutex)
"""


def test_a_native_loop_does_not_outlive_its_timeout(tmp_path: Path) -> None:
    # The foreign function keeps the interpreter's lock and waits for ever: no handler of a signal runs.
    shared = Path(conftest.__file__).read_text().replace(f"GRACE_S = {conftest.GRACE_S}", "GRACE_S = 1.0")
    (tmp_path / "conftest.py").write_text(shared)
    (tmp_path / "test_hangs.py").write_text(HANGS)
    (tmp_path / "pytest.ini").write_text("[pytest]\ntimeout = 1\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=40,
        check=False,
    )
    assert done.returncode == 1
    assert "Timeout (0:00:02)!" in done.stderr
    assert "in test_that_hangs" in done.stderr
