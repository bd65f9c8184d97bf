"""Connection of an editor to a run that waits for gdb: the launch file of Visual Studio Code."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import cannot_read, cannot_write, read_file, write_output

NAME = "Spinach"


def write_launch_file(file: Path, address: str, program: Path | None, commands: Sequence[str]) -> None:
    """Add a configuration to a launch file, or update ours there. Others are kept.

    It is of the type `gdbtarget`, that of the extension CDT GDB Debug Adapter of Eclipse.

    Args:
        file: The launch file, usually `.vscode/launch.json`; it need not exist.
        address: Host and port at which the run waits.
        program: The ELF file that the cores execute.
        commands: gdb commands before it connects.

    Raises:
        SpinachError: The file cannot be read or written, or is not JSON.
    """
    launches = _read(file)
    host, _, port = address.rpartition(":")
    configuration = {
        "name": NAME,
        "type": "gdbtarget",
        "request": "attach",
        "gdb": "gdb-multiarch",
        **({"program": str(program)} if program else {}),
        "preConnectCommands": [*commands],
        "target": {"type": "remote", "host": host, "port": port},
    }
    others = [one for one in launches.get("configurations", []) if one.get("name") != NAME]
    launches = {"version": "0.2.0", **launches, "configurations": [configuration, *others]}
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(file, error, "name another file") from error
    write_output(file, json.dumps(launches, indent=2) + "\n")


def _read(file: Path) -> dict[str, Any]:
    if not os.path.exists(file):
        return {}
    help = "remove its comments, or name another file"
    try:
        found = json.loads(read_file(file, help, is_updated=True))
    except (ValueError, RecursionError) as error:
        raise cannot_read(file, ValueError(str(error)), help) from error
    if not isinstance(found, dict) or not _are_objects(found.get("configurations", [])):
        raise SpinachError(f"{file} is not a launch file", "name another file")
    return found


def _are_objects(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)
