"""gdb, as the commands of `spinach` ask for it."""

import shlex
import subprocess
from shutil import which

import pytest

GDB = which("gdb-multiarch")
needs_gdb = pytest.mark.skipif(GDB is None, reason="gdb-multiarch is not installed")


class Session:
    """A process that waits for gdb, and a gdb that carries out commands."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        """Read how the process asks for gdb, after its notes."""
        self.process = process
        assert process.stderr is not None
        said = process.stderr.readline()
        while said.startswith("note: "):
            said = process.stderr.readline()
        before, _, call = said.partition("gdb-multiarch ")
        assert before == "waiting for gdb: ", said + process.stderr.read()
        self.words = shlex.split(call)

    def gdb(self, *commands: str) -> str:
        """Return gdb's output, called as the process asks."""
        assert GDB is not None
        quiet = ("-batch", "-nx", "-iex", "set pagination off", "-iex", "set confirm off")
        words = [word for command in commands for word in ("-ex", command)]
        run = subprocess.run(
            [GDB, *quiet, *self.words, *words], capture_output=True, text=True, timeout=50, check=False
        )
        return run.stdout + run.stderr
