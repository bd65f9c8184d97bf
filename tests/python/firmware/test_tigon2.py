"""Layering rules of the Tigon-2's firmware."""

import struct

import pytest

from spinach_nic import _native
from spinach_nic.firmware import COMPILERS, Executable, build

ALLOWED = {
    *(
        "sll",
        "srl",
        "sra",
        "sllv",
        "srlv",
        "srav",
        "jr",
        "jalr",
        "break",
        "addu",
        "subu",
        "and",
        "or",
        "xor",
        "nor",
    ),
    *(
        "slt",
        "sltu",
        "addiu",
        "slti",
        "sltiu",
        "andi",
        "ori",
        "xori",
        "lui",
        "lw",
        "lhu",
        "lbu",
        "sw",
        "sh",
        "sb",
    ),
    *("j", "jal", "b", "bal", "beq", "bne", "beqz", "bnez", "blez", "bgtz", "bltz", "bgez"),
    *("beql", "bnel", "beqzl", "bnezl", "blezl", "bgezl", "bltzl", "move", "li", "nop", "negu", "not"),
}
"""MIPS I and II without multiplier, unaligned accesses, coprocessors and traps."""

PRIORITY_DECODE, JUMP_OFFSET = 0x0B, 0x0A


def code(executable: Executable) -> list[tuple[int, int]]:
    """All instructions: addresses and words."""
    functions = [symbol for symbol in executable.symbols.values() if symbol.is_function and symbol.bytes]
    found = []
    for segment in executable.segments:
        for function in functions:
            if segment.address <= function.address < segment.address + len(segment.data):
                first = function.address - segment.address
                words = segment.data[first : first + function.bytes]
                found += [
                    (function.address + at, word[0])
                    for at, word in zip(range(0, len(words), 4), struct.iter_unpack(">I", words), strict=True)
                ]
    return found


@pytest.mark.parametrize("image", ["uni", "parallel", "released-style"])
@pytest.mark.parametrize("compiler", list(COMPILERS))
def test_only_instructions_that_the_cores_have(image: str, compiler: str) -> None:
    from shutil import which

    if compiler == "gcc" and which("mips-linux-gnu-gcc") is None:
        pytest.skip("mips-linux-gnu-gcc is not installed")
    instructions = code(Executable.load(build(f"tigon2/{image}", compiler=compiler).path))
    assert len(instructions) > 1000
    used = {_native.disassemble("mips", word, address).split()[0] for address, word in instructions}
    assert used <= ALLOWED


def test_the_loops_use_both_special_instructions_once_a_core() -> None:
    for image, cores in (("uni", 1), ("parallel", 2), ("released-style", 1)):
        executable = Executable.load(build(f"tigon2/{image}").path)
        counts = dict.fromkeys((PRIORITY_DECODE, JUMP_OFFSET), 0)
        for loop in [name for name in ("loop_a", "loop_b") if name in executable.symbols]:
            address = executable.symbols[loop].address
            segment = next(it for it in executable.segments if it.address <= address < it.end)
            offset = address - segment.address
            for (word,) in struct.iter_unpack(">I", segment.data[offset : offset + 20]):
                if word >> 26 == 0 and word & 0x7FF in counts:
                    counts[word & 0x7FF] += 1
        assert set(counts.values()) == {cores}


@pytest.mark.parametrize(
    ("image", "core_b_receives"), [("uni", False), ("parallel", True), ("released-style", False)]
)
def test_what_runs_all_the_time_runs_from_a_scratch_pad(image: str, core_b_receives: bool) -> None:
    executable = Executable.load(build(f"tigon2/{image}").path)
    for handler in ("send_descriptors", "reads_done", "mailbox", "received", "writes_done"):
        address = executable.symbol(f"handle_{handler}").address
        assert 0xC0_1000 <= address < 0xC0_4000
        # Core B has 8 KiB.
        is_receiving = handler in ("received", "writes_done")
        assert (address < 0xC0_2000) == is_receiving
    assert ("loop_b" in executable.symbols) == core_b_receives
