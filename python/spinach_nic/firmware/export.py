"""The test programs as plain files, for tests that are not written in Python.

`python -m spinach_nic.firmware.export FOLDER` compiles every program of `firmware/tests` and of
`firmware/faults`. Of each it writes the image, as `tests/NAME.elf` or `faults/NAME.elf`, and the memory from
`base` on, as `tests/NAME.bin` or `faults/NAME.bin`; and `programs.json`, a list of `ExportedProgram`.
"""

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from spinach_nic.firmware.builder import build
from spinach_nic.firmware.description import ImageDescription, read_descriptions, shipped_root
from spinach_nic.firmware.elf import Executable
from spinach_nic.firmware.oracle import RESULT_SYMBOL, build_pair, find_qemu, run_under_qemu
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import write_output

INDEX_FILE = "programs.json"

_FOLDERS = ("tests/", "faults/")


@dataclass(frozen=True)
class ExportedProgram:
    """One program. Addresses are in bytes."""

    name: str
    """Name, as `tests/crc32`."""
    cores: int
    base: int
    memory_bytes: int
    entry: int
    exception_record_address: int
    result_address: int | None
    """Address of the result block; `None` for a fault, which has none."""
    words: tuple[int, ...] | None
    """The result words according to QEMU; `None` for a fault, and where QEMU is not installed."""


def export(folder: Path) -> list[ExportedProgram]:
    """Write all test programs to `folder`, which is made if it is missing.

    Raises:
        FirmwareError: A program does not compile, or fails under QEMU.
    """
    for kind in _FOLDERS:
        (folder / kind).mkdir(parents=True, exist_ok=True)
    descriptions = read_descriptions(shipped_root())
    programs = [
        _export_one(description, folder)
        for name, description in descriptions.items()
        if name.startswith(_FOLDERS) and "@" not in name
    ]
    write_output(folder / INDEX_FILE, json.dumps([asdict(program) for program in programs], indent=1))
    return programs


def _export_one(description: ImageDescription, folder: Path) -> ExportedProgram:
    has_result = description.name.startswith("tests/")
    words = None
    if has_result and find_qemu() is not None:
        words = run_under_qemu(build_pair(description.name)[1]).words
    image = build(description.name)
    write_output(folder / f"{description.name}.elf", image.path.read_bytes())
    executable = Executable.load(image.path)
    (memory,) = description.memories
    content = bytearray(memory.bytes)
    for segment in executable.segments:
        start = segment.address - memory.base
        content[start : start + len(segment.data)] = segment.data
    write_output(folder / f"{description.name}.bin", bytes(content.rstrip(b"\0")))
    return ExportedProgram(
        name=description.name,
        cores=description.cores,
        base=memory.base,
        memory_bytes=memory.bytes,
        entry=executable.entry,
        exception_record_address=executable.symbol("spinach_exception_record").address,
        result_address=executable.symbol(RESULT_SYMBOL).address if has_result else None,
        words=words,
    )


if __name__ == "__main__":
    try:
        export(Path(sys.argv[1]))
    except SpinachError as error:
        sys.exit(f"error: {error}")
