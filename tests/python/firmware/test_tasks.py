"""A task is for the frames, and of the sort, that its linker script declares, whatever it is called."""

import random
from pathlib import Path

import pytest

from spinach_nic.firmware import Executable, build
from spinach_nic.firmware.tasks import FirmwareTask, tasks_of
from spinach_nic.runs.result import Task
from spinach_nic.runs.tasks import Cost, Profile, tasks_per_frame

DIRECTIONS = {
    "fetch_send_bd": ("tx",),
    "send_frame": ("tx",),
    "send_dispatch_ordering": ("tx",),
    "send_locking": ("tx",),
    "fetch_receive_bd": ("rx",),
    "receive_frame": ("rx",),
    "receive_dispatch_ordering": ("rx",),
    "receive_locking": ("rx",),
    "idle": ("tx", "rx"),
}
SORTS = {
    "send_dispatch_ordering": "dispatch",
    "receive_dispatch_ordering": "dispatch",
    "send_locking": "locking",
    "receive_locking": "locking",
    "idle": "waiting",
}
SCRIPT = """
ENTRY(one)
PHDRS { all PT_LOAD FLAGS(7); }
MEMORY { memory (rwx) : ORIGIN = spinach_memory_base, LENGTH = spinach_memory_bytes }
SECTIONS
{
    task_trait_rx = 8; task_trait_locking = 16; task_trait_unheard_of = 32;
    task_send_all_traits = task_trait_rx | task_trait_locking | task_trait_unheard_of;
    .text : {
        task_send_all_start = .; KEEP(*(.text.task.send_all)) task_send_all_end = .;
        task_receive_start = .; KEEP(*(.text.task.receive)) task_receive_end = .;
        task_receive_2_start = .; KEEP(*(.text.task.receive_2)) task_receive_2_end = .;
        *(.text .text.* .note.spinach)
    } > memory :all
    /DISCARD/ : { *(.reginfo .MIPS.abiflags .pdr .eh_frame .gnu.attributes .note.GNU-stack .got .got.*) }
}
"""
SOURCE = """
#include <spinach/task.h>
TASK(send_all) void one(void) { }
TASK(receive) void two(void) { }
TASK(receive_2) void three(void) { }
"""


@pytest.mark.parametrize("name", ["tengig/rmw", "tengig/base", "tigon2/uni", "tigon2/released-style"])
def test_shipped_firmware_declares_its_tasks(name: str) -> None:
    tasks = tasks_of(Executable.load(build(name).path))
    expected = DIRECTIONS | {task: ("tx", "rx") for task in ("dma_assist", "assist_tick") if task in tasks}
    assert {task: declared.directions for task, declared in tasks.items()} == expected
    assert {task: declared.sort for task, declared in tasks.items() if declared.sort != "work"} == SORTS


@pytest.fixture
def executable(tmp_path: Path) -> Executable:
    (tmp_path / "own.ld").write_text(SCRIPT)
    (tmp_path / "own.c").write_text(SOURCE)
    description = tmp_path / "firmware.toml"
    description.write_text(
        'summary = "own"\ninstruction_set = "mips"\nsources = ["own.c"]\nlinker_script = "own.ld"\n'
        'include = ["spinach:include"]\nmemories.memory = { base = 0x1000, bytes = 0x1000 }\n[images.own]\n'
    )
    return Executable.load(build("own", root=tmp_path).path)


def test_names_mean_nothing(executable: Executable) -> None:
    tasks = tasks_of(executable)
    assert {name: (task.directions, task.sort) for name, task in tasks.items()} == {
        "send_all": (("rx",), "locking"),
        "receive": (("tx", "rx"), "work"),
    }
    assert len(tasks["receive"].pieces) == 2


def test_a_task_costs_per_frame_of_its_directions(executable: Executable) -> None:
    tasks: dict[str, FirmwareTask] = tasks_of(executable)
    profile = Profile({piece.start: Cost(12) for task in tasks.values() for piece in task.pieces})
    costs = tasks_per_frame(executable, profile, {"tx": 2, "rx": 4}, 0)
    assert costs == {"send_all": Task(3.0, 0.0, 0.0, 0.0), "receive": Task(4.0, 0.0, 0.0, 0.0)}
    # The polling of a direction without frames is a cost of the others: fractions sum to 1.
    alone = tasks_per_frame(executable, profile, {"tx": 2, "rx": 0}, 0)
    assert alone == {"send_all": Task(6.0, 0.0, 0.0, 0.0), "receive": Task(12.0, 0.0, 0.0, 0.0)}
    assert list(tasks_per_frame(executable, Profile(), {"tx": 2, "rx": 0}, 0)) == ["receive"]
    assert tasks_per_frame(executable, profile, {"tx": 0, "rx": 0}, 0) == {}


def test_a_total_counts_each_address_once_however_ranges_overlap() -> None:
    numbers = random.Random(3)
    costs = {4 * place: Cost(place, (place, 0, 1, 0, 2), 1) for place in range(60)}
    for _ in range(200):
        begins = [4 * numbers.randrange(60) for _ in range(numbers.randrange(5))]
        ranges = [range(begin, begin + 4 * numbers.randrange(20)) for begin in begins]
        inside = [cost for address, cost in costs.items() if any(address in it for it in ranges)]
        assert Profile(costs).total(ranges) == sum(inside, start=Cost())
