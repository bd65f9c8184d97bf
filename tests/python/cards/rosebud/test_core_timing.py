"""Cycles of instructions on a core of Rosebud are those of its RTL."""

from pathlib import Path

import pytest

from spinach_nic import SpinachError, simulate
from spinach_nic.benches import GeneratedTraffic
from spinach_nic.cards.rosebud import Rosebud
from spinach_nic.firmware import Executable, build
from spinach_nic.processors.timing import core_timing
from spinach_nic.runs.images import load_image

REPEATED = 16
TIMER = 0x94
DESCRIPTION = """
instruction_set = "rv32"
base_instructions = true
include = ["spinach:include"]
sources = ["spinach:start/rv32.S"]
linker_script = "spinach:link/nic.ld"
cores = 1
memories.instruction_memory = { base = 0x02000000, bytes = 0x10000 }
memories.scratch_pad = { base = 0x00800000, bytes = 0x4000 }
[images.timing]
sources = ["timing.S"]
"""
PROGRAM = """
    .option norvc
    .section .text.core_main, "ax", @progbits
    .globl core_main
core_main:
    lui s1, 0x801
    lui s2, 0x1001
    sw s1, 0(s1)
    lw t0, {timer}(zero)
    nop
    nop
{body}
    nop
    lw t1, {timer}(zero)
    nop
    nop
    sub t1, t1, t0
    lui t2, %hi(result)
    sw t1, %lo(result)(t2)
1:  ebreak
    j 1b
    .section .bss.result, "aw", @nobits
    .balign 4
    .globl result
result:
    .space 4
"""
ROWS = {
    "addi t4, t4, 1": 1,
    "sw t4, 4(s1)": 1,
    "sw t4, 0(s2)": 1,
    "sw t4, 0x40(zero)": 1,
    "bne zero, zero, 1f\n1:": 1,
    "lw t4, 0(s1)": 1,
    "lw t4, 0(s1)\nadd t5, t4, t4": 3,
    "lw t4, 0(s1)\nnop\nadd t5, t4, t4": 3,
    "lw t4, 0(s1)\nsw t4, 4(s1)": 3,
    "lw t4, 0(s1)\nlw t5, 0(t4)": 3,
    "lbu t4, 0x8c(zero)": 1,
    "lbu t4, 0x8c(zero)\nbne t4, t4, 1f\n1:": 3,
    "slli t4, t5, 1": 1,
    "slli t4, t5, 1\nadd t6, t4, t4": 3,
    "sra t4, t5, t5\nnop\nadd t6, t4, t4": 3,
    "beq zero, zero, 1f\n1:": 3,
    "j 1f\n1:": 3,
    "jal ra, 1f\n1:": 3,
    "auipc ra, 0\naddi ra, ra, 12\nret": 5,
    "lw t4, 0(s2)": 3,
    "lw t4, 0(s2)\nadd t5, t4, t4": 5,
}
"""Cycles of sequences of instructions. `s1` points to data memory, `s2` to packet memory."""


def cycles(folder: Path, body: str) -> int:
    """Return the cycles between two loads of the timer with `body` between them."""
    folder.mkdir(exist_ok=True)
    (folder / "firmware.toml").write_text(DESCRIPTION)
    (folder / "timing.S").write_text(PROGRAM.format(timer=TIMER, body=body))
    image = Executable.load(build("timing", root=folder).path)
    card = Rosebud(rpus=1, image=image)
    simulation = simulate(GeneratedTraffic().insert(card))
    load_image(simulation, image, card)
    simulation.run(cycles=1000, of="core")
    place = image.symbol("result").address - 0x0080_0000
    return int.from_bytes(simulation.read(card.rpu[0].mover, place, 4), "little")


@pytest.mark.parametrize("body", ROWS, ids=lambda body: body.replace("\n", "; "))
def test_a_sequence_takes_the_published_cycles(body: str, tmp_path: Path) -> None:
    empty = cycles(tmp_path / "empty", "")
    repeated = cycles(tmp_path / "repeated", "\n".join([body] * REPEATED))
    assert repeated - empty == REPEATED * ROWS[body]


def test_a_timing_of_ones_own_is_a_file(tmp_path: Path) -> None:
    file = tmp_path / "slow.toml"
    file.write_text("shift_latency = 3\n")
    assert core_timing(str(file)) == {"shift_latency": 3}
    file.write_text("size = 3\n")
    with pytest.raises(SpinachError, match="size is not a timing parameter"):
        core_timing(str(file))
    with pytest.raises(SpinachError, match="no timing of cores is called vexriscv") as refused:
        core_timing("vexriscv")
    assert "vexriscv-smallest" in refused.value.help
