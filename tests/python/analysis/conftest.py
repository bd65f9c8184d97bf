from dataclasses import dataclass
from pathlib import Path

import pytest

from spinach_nic.firmware.builder import build
from spinach_nic.firmware.description import find_description, shipped_root
from spinach_nic.firmware.memory_range import MemoryRange
from spinach_nic.studies.analysis import record_trace


@dataclass(frozen=True)
class Recorded:
    """A test program, where it was recorded, and how long it ran."""

    image: Path
    memory: MemoryRange
    trace: Path
    instructions: int


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    description = find_description("tests/hash_table", shipped_root())
    (memory,) = description.memories
    image = build("tests/hash_table").path
    trace = tmp_path_factory.mktemp("traces") / "hash_table.parquet"
    instructions = record_trace(
        image,
        trace,
        memory,
        extensions=["atomic_bit_array"],
        tasks={"test": "test"},
        instructions_maximum=200_000,
    )
    return Recorded(image, memory, trace, instructions)
