"""The commands of the page on servers run as written, from a clean folder."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.python.servers.test_programs import compiled

from spinach_nic.firmware.description import shipped_root
from spinach_nic.servers import root

PAGE = Path(__file__).parents[3] / "docs" / "servers.md"
COMMANDS = ("printf ", "spinach ", "riscv64-")
ELSEWHERE = ("--gdb", "--wire", "--replay", "spinach reproduce")
"""Commands with separate tests: they wait for gdb or a peer, or take minutes."""
HELLO = r"""
#include "spinach.h"
#include <stdio.h>
int main(int count, char **words) {
    spinach_checkpoint();
    printf("hello %s\n", words[count - 1]);
    return 0;
}
"""
SCRIPT = 'print("a script")\n'


def sections() -> dict[str, list[str]]:
    """Return the commands of each section of the page, in their order."""
    found: dict[str, list[str]] = {}
    heading, is_continued = "Servers", False
    for line in PAGE.read_text().splitlines():
        if match := re.match(r"#+ (.*)", line):
            heading = match[1]
        command = line.strip().partition("  #")[0].rstrip()
        if is_continued:
            found[heading][-1] += f" {command}"
        elif line.startswith("    ") and command.startswith(COMMANDS):
            if any(words in command for words in ELSEWHERE):
                continue
            found.setdefault(heading, []).append(command)
        else:
            continue
        is_continued = command.endswith("|")
    return found


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("section", sections())
def test_commands_of_a_section_run(section: str, tmp_path: Path) -> None:
    compiled(tmp_path, HELLO).rename(tmp_path / "hello")
    (tmp_path / "hello.c").write_text(HELLO)
    shutil.copy(shipped_root() / "linux" / "guest" / "spinach.h", tmp_path)
    (tmp_path / "script.py").write_text(SCRIPT)
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for command in sections()[section]:
        if "debian" in command and not root.image().exists():
            continue
        done = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {command}"],
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        assert "error: " not in done.stderr, f"{command}\n{done.stderr}"


def test_the_page_has_commands_in_its_sections() -> None:
    found = sections()
    assert len(found) >= 8
    assert sum(map(len, found.values())) >= 15
    assert not any(command.endswith("|") for commands in found.values() for command in commands)
