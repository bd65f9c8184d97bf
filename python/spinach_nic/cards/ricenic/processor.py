"""A processor of RiceNIC: a PowerPC 405 with its caches."""

from __future__ import annotations

from typing import Any

from spinach_nic.cards.ricenic.registers import CODE
from spinach_nic.library import CacheController, DataCache, FunctionalCore, PipelinedCore
from spinach_nic.model import Component, parameter
from spinach_nic.support.units import B, KiB, Size

INSTRUCTION_SET = "ppc405"
CORES = ("functional", "pipelined")
CACHE = KiB(16)
LINE = B(32)
STORES_QUEUED = 3
MULTIPLY_CYCLES = 5
DIVIDE_CYCLES = 35
SYSTEM_CYCLES = 2
LOADS_UNDER_WAY = 2


class Processor(Component):
    """A core with 16 KiB of instruction cache and 16 KiB of data cache, both with two ways.

    Nothing is cacheable until firmware enables it. The caches know nothing of what devices and the other
    core write, as on the chip.
    """

    core: str = parameter(default="pipelined", doc="Timing model of the core.", choices=CORES)
    quantum: int = parameter(default=256, doc="Cycles that a functional core runs ahead of others.")
    identity: int = parameter(default=0, doc="Number of the core.")
    profile_start: int = parameter(default=0, doc="First address of the profiled range of instructions.")
    profile_size: Size = parameter(default=B(0), doc="Size of the profiled range of instructions, in bytes.")

    def build(self) -> None:
        """Put the caches between the core and the local bus."""
        common: dict[str, Any] = {
            "instruction_set": INSTRUCTION_SET,
            "caches": True,
            "identity": self.identity,
            "entry": CODE,
            "profile_start": self.profile_start,
            "profile_bytes": self.profile_size,
        }
        self.model: FunctionalCore | PipelinedCore
        if self.core == "functional":
            self.model = FunctionalCore(quantum=self.quantum, **common)
        else:
            self.model = PipelinedCore(
                store_buffer=STORES_QUEUED,
                branch_prediction="static",
                multiply_latency=MULTIPLY_CYCLES,
                multiply_by_operand=True,
                divide_latency=DIVIDE_CYCLES,
                system_latency=SYSTEM_CYCLES,
                loads_under_way=LOADS_UNDER_WAY,
                **common,
            )
        self.instruction_cache = CacheController(
            size=CACHE, associativity=2, line_size=LINE, fill_bytes=8, cacheable=0
        )
        self.data_cache = DataCache(
            size=CACHE, associativity=2, line_size=LINE, transfer_bytes=8, cacheable=0
        )
        self.model.fetch >> self.instruction_cache.port
        self.model.data >> self.data_cache.port
        self.data_cache.instructions >> self.instruction_cache.snoop
        self.instructions = self.instruction_cache.memory
        self.data = self.data_cache.memory
