from pathlib import Path

import pytest


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A firmware folder `nic` with the image `echo`, code and data in separate memories."""
    folder = tmp_path / "firmware" / "nic"
    folder.mkdir(parents=True)
    (folder / "echo.c").write_text(
        "static int twice(int x)\n{\n    return FACTOR * x;\n}\n\n"
        'static const char greeting[] = "hello";\n\n'
        "int core_main(unsigned core)\n{\n    volatile int y = greeting[core];\n    return twice(y);\n}\n"
    )
    (folder / "firmware.toml").write_text(
        """
summary = "A NIC"
instruction_set = "mips"
include = ["spinach:include"]
sources = ["spinach:start/bare.S"]
linker_script = "spinach:link/nic.ld"
cores = 2
stack_bytes = 1024
defines.FACTOR = 2
memories.instruction_memory = { base = 0x0, bytes = 0x20000 }
memories.scratch_pad = { base = 0x100000, bytes = 0x10000 }

[images.echo]
sources = ["echo.c"]
"""
    )
    return tmp_path / "firmware"


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"
