"""The self-checking programs compile for a modelled core, and QEMU agrees with what the host expects."""

from functools import cache

import pytest
from tests.python.firmware.expected import WORDS

from spinach_nic.firmware import Executable, read_descriptions, shipped_root
from spinach_nic.firmware.builder import Image
from spinach_nic.firmware.instruction_sets import DEFAULT_INSTRUCTION_SET, INSTRUCTION_SETS
from spinach_nic.firmware.oracle import build_pair, find_qemu, run_under_qemu

ALL = read_descriptions(shipped_root())
DESCRIPTIONS = {
    name.removeprefix("tests/"): description
    for name, description in ALL.items()
    if name.startswith("tests/") and "@" not in name
}


@cache
def pair(program: str, instruction_set: str) -> tuple[Image, Image]:
    """Images of a program for a modelled core and for QEMU."""
    return build_pair(f"tests/{program}", instruction_set=instruction_set)


@pytest.fixture(params=DESCRIPTIONS)
def program(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def test_there_are_at_least_thirty() -> None:
    assert len(DESCRIPTIONS) >= 30
    assert {description.cores for description in DESCRIPTIONS.values()} >= {1, 2, 3, 4, 5, 6}


def test_compiles_for_a_core_and_for_qemu(program: str) -> None:
    for image in pair(program, DEFAULT_INSTRUCTION_SET):
        executable = Executable.load(image.path)
        assert executable.symbol("spinach_core_count").address == DESCRIPTIONS[program].cores
        assert executable.function_at(executable.symbol("core_main").address) is not None


@pytest.mark.parametrize("instruction_set", INSTRUCTION_SETS)
def test_qemu_agrees_with_the_host(program: str, instruction_set: str) -> None:
    if find_qemu(instruction_set) is None:
        pytest.skip(f"{INSTRUCTION_SETS[instruction_set].toolchain.qemu} is not installed")
    described = {
        description.instruction_set
        for name, description in ALL.items()
        if name.partition("@")[0] == f"tests/{program}"
    }
    if instruction_set not in described:
        pytest.skip(f"{program} is not for {instruction_set}")
    _, linux = pair(program, instruction_set)
    block = run_under_qemu(linux, instruction_set=instruction_set)
    assert block.failed_line == 0
    assert block.passed
    assert block.words
    if program in WORDS:
        expected = WORDS[program]()
        assert list(block.words[: len(expected)]) == expected
