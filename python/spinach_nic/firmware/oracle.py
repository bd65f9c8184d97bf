"""Expected result of a self-checking program, according to QEMU.

A program of `firmware/tests` exists twice: for a modelled core, and as a Linux user program that differs only
in start-up code and address. QEMU runs the second; a simulated core runs the first; the result blocks must be
equal.
"""

import shutil
import struct
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from spinach_nic.firmware.builder import Image, build
from spinach_nic.firmware.errors import FirmwareError
from spinach_nic.firmware.instruction_sets import DEFAULT_INSTRUCTION_SET, INSTRUCTION_SETS

RESULT_SYMBOL = "spinach_result"
RESULT_BYTES = 256

_HEADER_BYTES = 16
_MAGIC = 0x53504E43
_STATUS_PASSED = 1
_STATUS_FAILED = 2
_TIMEOUT_S = 60


@dataclass(frozen=True)
class ResultBlock:
    """Result of a program at the symbol `spinach_result`; `spinach/result.h` has the layout."""

    passed: bool
    failed_line: int
    """Source line of the first check that failed, or 0."""
    words: tuple[int, ...]

    @classmethod
    def parse(cls, block: bytes, instruction_set: str = DEFAULT_INSTRUCTION_SET) -> "ResultBlock":
        """Read the block's `RESULT_BYTES` bytes, whose words are in the order of the instruction set.

        Raises:
            FirmwareError: The program has not finished, or these bytes are something else.
        """
        if len(block) != RESULT_BYTES:
            raise FirmwareError(
                f"a result block has {RESULT_BYTES} bytes, not {len(block)}", "let the program run to its end"
            )
        order = ">" if INSTRUCTION_SETS[instruction_set].byte_order == "big" else "<"
        magic, status, failed_line, count = struct.unpack_from(f"{order}4I", block)
        room = (RESULT_BYTES - _HEADER_BYTES) // 4
        if magic != _MAGIC or status not in (_STATUS_PASSED, _STATUS_FAILED) or count > room:
            raise FirmwareError(
                f"no finished result block: it begins {block[:_HEADER_BYTES].hex(' ', 4)}",
                "let the program run to its end",
            )
        words = struct.unpack_from(f"{order}{count}I", block, _HEADER_BYTES)
        return cls(status == _STATUS_PASSED, failed_line, words)


def find_qemu(instruction_set: str = DEFAULT_INSTRUCTION_SET) -> str | None:
    """Return the path of QEMU's user emulator for an instruction set, or `None` where it is not installed."""
    return shutil.which(INSTRUCTION_SETS[instruction_set].toolchain.qemu)


def build_pair(name: str, *, instruction_set: str = DEFAULT_INSTRUCTION_SET) -> tuple[Image, Image]:
    """Compile a test program for a modelled core and for QEMU, in this order.

    Raises:
        FirmwareError: The errors of `build`; also if the program has no `linux` variant.
    """
    variant, linux = "", "@linux"
    if instruction_set != DEFAULT_INSTRUCTION_SET:
        variant, linux = f"@{instruction_set}", f"@{instruction_set}-linux"
    bare = build(f"{name}{variant}")
    return bare, build(f"{bare.name.partition('@')[0]}{linux}")


def run_under_qemu(image: Image, *, instruction_set: str = DEFAULT_INSTRUCTION_SET) -> ResultBlock:
    """Run the `linux` variant of a test program and return its result block.

    Args:
        image: The second image of `build_pair`.
        instruction_set: Instruction set that the program is compiled for.

    Raises:
        FirmwareError: QEMU is not installed, the program does not end, or it leaves no result block.
    """
    name = INSTRUCTION_SETS[instruction_set].toolchain.qemu
    qemu = find_qemu(instruction_set)
    if qemu is None:
        raise FirmwareError(f"{name} is not installed", "install qemu-user")
    try:
        # QEMU runs only what may be executed, which a file in the cache may not.
        with tempfile.TemporaryDirectory() as folder:
            program = Path(shutil.copyfile(image.path, Path(folder) / "program"))
            program.chmod(0o755)
            result = subprocess.run([qemu, str(program)], capture_output=True, timeout=_TIMEOUT_S)
    except subprocess.TimeoutExpired as error:
        raise FirmwareError(
            f"{image.name} did not end within {_TIMEOUT_S} s under {name}", "look for a loop or a deadlock"
        ) from error
    if len(result.stdout) != RESULT_BYTES:
        said = result.stderr.decode(errors="replace").strip() or f"exit code {result.returncode}"
        raise FirmwareError(
            f"{image.name} left no result block under {name}: {said}", f"debug it with {name} -g"
        )
    return ResultBlock.parse(result.stdout, instruction_set)
