"""Compiles a source file, or takes the object file of one of Verilator's runtime from the cache.

A program for `OBJCACHE` of Verilator's makefiles: `python cached_object.py c++ -c ... -o OBJECT SOURCE`.
"""

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from spinach_nic.support.cache import Cache


def answer(*command: str) -> str:
    """Return the output of a command."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main(command: Sequence[str]) -> int:
    """Run the command of a compiler."""
    runtime = Path(answer("verilator", "--getenv", "VERILATOR_ROOT").strip()) / "include"
    source = Path(command[-1])
    if "-o" not in command or source.parent != runtime:
        return subprocess.call(command)
    versions = [answer(command[0], "--version"), answer("verilator", "--version")]
    key = hashlib.sha256(source.read_bytes() + json.dumps([*command, *versions]).encode()).hexdigest()
    made = Path(command[command.index("-o") + 1])
    cache = Cache()
    with cache.in_use():
        if (found := cache.find("blocks", key, made.name)) is not None:
            shutil.copy(found[0], made)
            return 0
        code = subprocess.call(command)
        if code == 0:
            cache.keep("blocks", key, made.name, made.read_bytes())
        return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
