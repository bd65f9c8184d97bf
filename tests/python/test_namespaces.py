"""Leftovers of a killed test are gone when the next begins."""

import os
import subprocess
import sys
from shutil import which

import pytest
from tests.python.namespaces import MADE, namespaces, own

KILLED = """
import os, signal
from tests.python.namespaces import namespaces, own
with namespaces(own("k")):
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_namespace_of_a_killed_test_is_removed() -> None:
    if which("ip") is None or os.geteuid() != 0:
        pytest.skip("needs root and ip, to make network namespaces")
    with namespaces(own("k")):
        pass  # skips where none can be made
    killed = subprocess.Popen([sys.executable, "-c", KILLED])
    left = MADE / f"sk{killed.pid}"
    assert killed.wait() < 0
    assert left.exists()
    with namespaces(own("k")):
        assert not left.exists()
        assert (MADE / own("k")).exists()
    assert not (MADE / own("k")).exists()
