from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.python.analysis.conftest import Recorded

from spinach_nic import SpinachError
from spinach_nic.studies.analysis import (
    ScheduledBlock,
    VliwEvaluation,
    VliwMachine,
    schedule_blocks,
    schedule_paths,
    vliw_code,
    vliw_listing,
)

INSTRUCTIONS_MAXIMUM = 20


def test_wider_machines_need_fewer_cycles(recorded: Recorded) -> None:
    narrow, _ = schedule_blocks(recorded.image, recorded.trace, VliwMachine.of(1, 1, 1))
    wide, blocks = schedule_blocks(recorded.image, recorded.trace, VliwMachine.of(6, 6, 1))
    assert wide.cycles < narrow.cycles
    assert wide.operations == narrow.operations == recorded.instructions - wide.source_nops
    assert narrow.utilisation > wide.utilisation
    assert wide.slots == 13 * wide.cycles == wide.nops + wide.operations
    assert sum(block.entries * (len(block.bundles) + block.wait_cycles) for block in blocks) == wide.cycles
    assert wide.frames_per_kilocycle(10) == pytest.approx(10_000 / wide.cycles)


def test_the_listing_shows_source_and_bundles(recorded: Recorded) -> None:
    machine = VliwMachine.of(2, 1, 1)
    _, blocks = schedule_blocks(recorded.image, recorded.trace, machine)
    text = vliw_listing(recorded.image, recorded.trace, machine, blocks_maximum=1)
    assert text.startswith(f"0x{blocks[0].address:08x} in {blocks[0].function}+")
    assert all(instruction in text for instruction in blocks[0].instructions)
    assert text.splitlines()[1].split("|")[1].split() == ["integer", "integer", "load/store", "branch"]


def test_a_machine_without_a_unit_is_refused(recorded: Recorded) -> None:
    with pytest.raises(SpinachError, match="no unit for `jr k0` at 0x00001008, of class Jump") as raised:
        schedule_blocks(recorded.image, recorded.trace, VliwMachine.of(1, 1, 0))
    assert raised.value.help == "give it one"


def shortest(block: ScheduledBlock, machine: VliwMachine, cp_model: Any) -> int:
    """Number of bundles in the shortest schedule, as a constraint solver proves it."""
    model = cp_model.CpModel()
    horizon = 2 * len(block.instructions) + 2
    length = model.new_int_var(0, horizon, "length")
    working = [index for index, unit in enumerate(block.units) if unit is not None]
    at = {index: model.new_int_var(0, horizon, f"at{index}") for index in working}
    for index in working:
        model.add(at[index] < length)
    for edge in block.dependences:
        model.add(at[edge.to] >= at[edge.from_] + edge.latency)
    if block.exit is not None:
        model.add(at[block.exit] == length - 1 - block.delay_slots)
        if block.annuls:
            for index in working:
                in_slot = index > block.exit
                model.add(at[index] > at[block.exit] if in_slot else at[index] <= at[block.exit])
    for kind, unit in enumerate(machine.units):
        members = [index for index in working if block.units[index] == kind]
        slots = [model.new_fixed_size_interval_var(at[index], 1, f"slot{index}") for index in members]
        model.add_cumulative(slots, [1] * len(slots), unit.count)
    model.minimize(length)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    assert solver.solve(model) == cp_model.OPTIMAL
    return int(solver.objective_value)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_schedules_of_short_blocks_are_close_to_optimal(recorded: Recorded) -> None:
    cp_model = pytest.importorskip("ortools.sat.python.cp_model", reason="ortools is not installed")
    checked = optimal = 0
    for units in ((1, 1, 1), (2, 1, 1), (3, 3, 1)):
        machine = VliwMachine.of(*units)
        _, blocks = schedule_blocks(recorded.image, recorded.trace, machine)
        for block in blocks:
            if len(block.instructions) > INSTRUCTIONS_MAXIMUM:
                continue
            best = shortest(block, machine, cp_model)
            assert best <= len(block.bundles) <= best + 1, block
            checked += 1
            optimal += len(block.bundles) == best
    assert optimal >= 0.95 * checked > 100


def test_paths_bound_what_blocks_leave(recorded: Recorded) -> None:
    machine = VliwMachine.of(3, 3, 1)
    blocks, _ = schedule_blocks(recorded.image, recorded.trace, machine)

    def paths(blocks_maximum: int, machine: VliwMachine = machine) -> VliwEvaluation:
        return schedule_paths(recorded.image, recorded.trace, machine, blocks_maximum=blocks_maximum)

    assert replace(paths(1), blocks=blocks.blocks) == blocks
    four, renamed = paths(4), paths(4, machine.with_options(register_renaming=True))
    assert renamed.operations == four.operations == blocks.operations
    assert renamed.cycles <= four.cycles < blocks.cycles
    with pytest.raises(SpinachError, match="blocks_maximum: 0 is below the smallest, 1"):
        paths(0)


def test_a_core_has_no_registers_to_rename_to(recorded: Recorded) -> None:
    machine = VliwMachine.of(3, 3, 1).with_options(register_renaming=True)
    with pytest.raises(SpinachError, match="no others") as raised:
        vliw_code(recorded.image, machine)
    assert raised.value.help == "schedule without register renaming"


def test_code_that_is_scattered_over_memory_is_refused(recorded: Recorded, tmp_path: Path) -> None:
    """Memory follows from the code that is there, not from the distance of its sections."""
    content = bytearray(Path(recorded.image).read_bytes())
    table, size, count = (
        int.from_bytes(content[at : at + n], "big") for at, n in ((32, 4), (46, 2), (48, 2))
    )
    for section in range(table, table + size * count, size):
        kind, flags = (int.from_bytes(content[section + at : section + at + 4], "big") for at in (4, 8))
        if kind == 1 and flags & 2:  # allocated content: marked executable, as data may be by mistake
            content[section + 8 : section + 12] = (flags | 4).to_bytes(4, "big")
            if not flags & 4:
                content[section + 12 : section + 16] = (0x7000_0000).to_bytes(4, "big")
    scattered = tmp_path / "scattered.elf"
    scattered.write_bytes(content)
    with pytest.raises(SpinachError, match="fills only"):
        vliw_code(scattered, VliwMachine.of(1, 1, 1))
