"""The self-checking programs compile for a modelled core, and QEMU agrees with what the host expects."""

import zlib
from collections.abc import Callable

import pytest

from spinach_nic.firmware import Executable, read_descriptions, shipped_root
from spinach_nic.firmware.oracle import QEMU, ResultBlock, build_pair, find_qemu, run_under_qemu

PROGRAMS = [
    name for name in read_descriptions(shipped_root()) if name.startswith("tests/") and "@" not in name
]

MASK = 0xFFFF_FFFF


def random_words(count: int, state: int = 1) -> list[int]:
    """What `next_random` of check.c returns."""
    words = []
    for _ in range(count):
        state ^= state << 13 & MASK
        state ^= state >> 17
        state ^= state << 5 & MASK
        words.append(state)
    return words


def random_bytes(count: int, state: int = 1) -> bytes:
    return bytes(word & 0xFF for word in random_words(count, state))


def expected_crc32() -> list[int]:
    frame = random_bytes(300)
    return [zlib.crc32(frame[:length]) for length in range(0, 301, 60)]


EXPECTED: dict[str, Callable[[], list[int]]] = {"crc32": expected_crc32}
"""What the host computes in other ways than the program does."""


@pytest.fixture(scope="module")
def qemu() -> None:
    if find_qemu() is None:
        pytest.skip(f"{QEMU} is not installed")


@pytest.fixture(params=PROGRAMS)
def program(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def test_compiles_for_both_targets_with_the_same_symbols(program: str) -> None:
    bare, linux = (Executable.load(image.path) for image in build_pair(program))
    for executable in (bare, linux):
        result = executable.symbol("spinach_result").address
        assert executable.symbol("spinach_bss_start").address == result
        assert executable.function_at(executable.symbol("core_main").address) is not None


@pytest.mark.usefixtures("qemu")
def test_qemu_agrees_with_the_host(program: str) -> None:
    block = run_under_qemu(build_pair(program)[1])
    assert block.failed_line == 0
    assert block == ResultBlock(passed=True, failed_line=0, words=block.words)
    short_name = program.removeprefix("tests/")
    if short_name in EXPECTED:
        assert list(block.words) == EXPECTED[short_name]()
