"""The file in which drivers of the Tigon-2 keep firmware: written, read, and refused when it is bad."""

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from spinach_nic import run
from spinach_nic.cli import carry_out
from spinach_nic.firmware import Executable, build, loadable_image, read_firmware, write_container

IMAGES = ("tigon2/uni", "tigon2/parallel")


def container(start: int = 0x4000, load: int = 0x4000, image: bytes = bytes(64)) -> bytes:
    return struct.pack(">BBBBII", 12, 4, 11, 0, start, load) + image


@pytest.mark.parametrize("name", IMAGES)
def test_a_container_holds_what_the_elf_file_loads(name: str, tmp_path: Path) -> None:
    executable = Executable.load(build(name).path)
    file = tmp_path / "tg2.bin"
    write_container(executable, file)
    content = file.read_bytes()
    assert content[:3] == bytes([12, 4, 11])
    start, load = struct.unpack_from(">II", content, 4)
    assert (start, load) == (executable.entry, 0x4000)
    for segment in executable.segments:
        offset = 12 + segment.load_address - load
        assert content[offset : offset + len(segment.data)] == segment.data
    again = loadable_image(read_firmware(file))
    assert again == loadable_image(executable)


def test_the_command_writes_a_container_that_runs(tmp_path: Path) -> None:
    file = tmp_path / "tg2.bin"
    assert carry_out(["firmware", "build", "tigon2/uni", "--container", str(file)]) == 0
    result = run("tigon2", firmware=file, traffic="udp:100@50kpps", frames=5)
    assert result.frames.delivered == {"tx": 5, "rx": 5}
    assert result.firmware is not None
    assert result.firmware.name == "tg2.bin"


RANGE = "drivers take multiples of 4 from 0x4000 to 0x7fffc"
BAD = {
    "empty": (b"", "is 0 bytes long, too short for a header and an image"),
    "header only": (container(image=b""), "is 12 bytes long, too short for a header and an image"),
    "start too low": (container(start=0x3FFC), f"its start address is 0x3ffc; {RANGE}"),
    "start too high": (container(start=0x80000), f"its start address is 0x80000; {RANGE}"),
    "start between instructions": (container(start=0x4002), f"its start address is 0x4002; {RANGE}"),
    "load too low": (container(load=0), f"its load address is 0x0; {RANGE}"),
    "load too high": (container(start=0x4000, load=0xFFFFFFFC), f"its load address is 0xfffffffc; {RANGE}"),
    "too long": (container(image=bytes(0x80000)), "its image ends at 0x84000, beyond 0x80000"),
    "cut off in a word": (container(image=bytes(63)), "is truncated: its image has 63 bytes from 0x4000 on"),
    "cut off before its start": (
        container(start=0x5000),
        "is truncated: its image has 64 bytes from 0x4000 on",
    ),
    "text": (b"#!/bin/sh\necho this is not firmware\n", "its start address is 0x"),
}


@pytest.mark.parametrize("case", list(BAD))
def test_a_bad_container_is_refused(case: str, tmp_path: Path, refusal: Callable[..., str]) -> None:
    content, said = BAD[case]
    file = tmp_path / "bad.bin"
    file.write_bytes(content)
    message = refusal(lambda: run("tigon2", firmware=file, traffic="udp:100", frames=1))
    assert said in message
    assert message.count("\n") == 1
