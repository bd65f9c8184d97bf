"""Small programs for a core of Rosebud, and runs of them."""

from pathlib import Path
from typing import Any, Self

from spinach_nic import simulate
from spinach_nic.benches import GeneratedTraffic
from spinach_nic.cards.rosebud import Rosebud
from spinach_nic.cards.rosebud.map import DATA
from spinach_nic.firmware import Executable, build
from spinach_nic.runs.images import load_image
from spinach_nic.traffic import plan_traffic

DESCRIPTION = """
instruction_set = "rv32"
base_instructions = true
include = ["spinach:include"]
sources = ["spinach:start/rv32.S", "spinach:runtime/memory.c"]
card = "rosebud"
linker_script = "spinach:link/nic.ld"
cores = 1
idle_cores = true
stack_bytes = 1024
memories.instruction_memory = { base = 0x02000000, bytes = 0x10000 }
memories.scratch_pad = { base = 0x00800000, bytes = 0x4000 }
[images.program]
sources = ["program.c"]
"""


class Program:
    """A program in C on the cores of a card, and its global words afterwards."""

    def __init__(self, folder: Path, source: str, traffic: tuple[str, ...] = (), **parameters: Any) -> None:
        """Build `source`; `traffic` comes in at the ports, with `frames` of them unless it has no end."""
        (folder / "firmware.toml").write_text(DESCRIPTION)
        (folder / "program.c").write_text(f'#include "rosebud/packets.h"\n{source}')
        card = Rosebud(**parameters)
        self.image = Executable.load(build("program", root=folder, card=card.firmware_map()).path)
        self.card = Rosebud(**parameters, image=self.image)
        plans = plan_traffic(traffic, frames=None, seed=1, largest_frame=9000)
        self.simulation = simulate(GeneratedTraffic(tx=plans.tx, rx=plans.rx).insert(self.card))
        load_image(self.simulation, self.image, self.card)

    def run(self, cycles: int) -> Self:
        """Run the card for `cycles` more of the cores' clock."""
        self.ending = self.simulation.run(cycles=cycles, of="core")
        return self

    def counter(self, name: str) -> int:
        """Return a counter of a module of the card."""
        return self.simulation.statistics()[name]

    def word(self, name: str, core: int = 0, index: int = 0) -> int:
        """Return a global word of a core."""
        place = self.image.symbol(name).address - DATA + 4 * index
        return int.from_bytes(self.simulation.read(self.card.rpu[core].mover, place, 4), "little")
