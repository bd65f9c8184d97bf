"""The memories of the Tigon-2: cores with their scratch pads, and the bus to the external SRAM."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spinach_nic.cards.tigon2.registers import HALTED, SINGLE_STEP, STOPPED, Register
from spinach_nic.library import CacheController, Function, PipelinedCore, PrivateMemory, SharedMemory
from spinach_nic.model import Component, parameter
from spinach_nic.model.tracing import Signal, select
from spinach_nic.support.units import B, KiB, MiB, Size

SCRATCH_PAD = 0xC0_0000
REGISTERS = 0xC000_0000
SRAM_SPACE = MiB(8)
STACK_OVERFLOW = 0x80_0000
CODE = 0x4000
LOCAL_ADDRESS = 0x1F_FFFF
"""The bits of an address in the SRAM that hardware decodes."""


def command(message: Signal) -> Signal:
    """Return the `PipelinedCore.control` command for a write of a core's state or program counter."""
    register, word = message[47:32], message[31:0]
    is_program_counter = (register & 0xFF) == (Register.CPU_PC_A & 0xFF)
    halt, resume, jump, step = 1 << 32, 2 << 32, 3 << 32, 4 << 32
    stands = (word & (HALTED | 1)) != 0
    goes = select((word & SINGLE_STEP) != 0, step, resume)
    return select(is_program_counter, word | jump, select(stands, halt, goes))


def report(core: int) -> Callable[[Signal], Signal]:
    """Return the registers' view of a halted core, from its `PipelinedCore.report`."""
    state, pc, general = Register.CPU_STATE_A, Register.CPU_PC_A, Register.CPU_GENERAL_A
    offset = 0x100 * core

    def message(said: Signal) -> Signal:
        number, word = said[63:32], said[31:0]
        set_bits = 1 << 48
        reason = select(word != 0, HALTED | STOPPED, HALTED)
        about_state = reason | set_bits | (state + offset) << 32
        about_pc = word | (pc + offset) << 32
        about_general = word | ((number << 2) + (general + offset)) << 32
        return select(number == 33, about_state, select(number == 32, about_pc, about_general))

    return message


class Processor(Component):
    """A core with its scratch pad and its instruction buffer of one line."""

    identity: int = parameter(default=0, doc="Number of the core.")
    scratch_pad: Size = parameter(default=KiB(16), doc="Size of the scratch pad.")
    priority: str = parameter(default="highest_first", doc="Priority order of events.")
    profile: Sequence[int] = parameter(
        default=(),
        kind="integers",
        doc="Profiled ranges of instructions: first addresses and sizes in bytes.",
    )

    def build(self) -> None:
        """Put the scratch pad between the core and everything else."""
        self.model = PipelinedCore(
            identity=self.identity,
            entry=CODE,
            bit_array=False,
            priority_decode=self.priority,
            starts_halted=True,
            profile_further=self.profile,
        )
        self.memory = PrivateMemory(
            size=self.scratch_pad,
            base=SCRATCH_PAD,
            registers_base=REGISTERS,
            registers_size=KiB(1),
            beyond_size=SRAM_SPACE,
            window_base=STACK_OVERFLOW,
            window_size=MiB(4),
            window_mask=LOCAL_ADDRESS,
        )
        self.line = CacheController(size=B(128), associativity=1, line_size=B(128), fill_bytes=16)
        self.command = Function(policy=command)
        self.model.fetch >> self.memory.instructions
        self.model.data >> self.memory.data
        self.memory.instructions_beyond >> self.line.port
        self.command.output >> self.model.control
        self.report = Function(policy=report(self.identity))
        self.model.report >> self.report.input
        self.instructions = self.line.memory
        self.data = self.memory.data_beyond
        self.registers = self.memory.registers
        self.control = self.command.input
        self.said = self.report.output
        self.relocation = self.memory.relocation


class MemoryBus(Component):
    """An SRAM with its 64-bit bus and the arbiter of that."""

    size: Size = parameter(default=MiB(1), doc="Size of the SRAM.")
    base: int = parameter(default=0, doc="Base address.")
    repeats: bool = parameter(default=True, doc="True if only the low bits of addresses are decoded.")
    policy: str = parameter(default="prioritized", doc="Arbitration policy.")
    starvation_timeout: int = parameter(
        default=64, doc="Cycles after which a waiting requester has priority."
    )
    registered: bool = parameter(default=False, doc="True if data passes a column access and a register.")

    def build(self) -> None:
        """One access after the other; a burst of 32 bytes takes one cycle of latency and four of data.

        The first data is there in the second cycle: "initial latency of 2 memory cycles" (thesis 2.1.2).
        """
        self.contents = SharedMemory(
            size=self.size,
            base=self.base,
            repeats=self.repeats,
            policy=self.policy,
            starvation_timeout=self.starvation_timeout,
            word_bytes=8,
            words_per_cycle=1,
            burst_size=B(32),
            burst_latency=1,
            column_latency=int(self.registered),
            registered=self.registered,
        )
        self.initiator = self.contents.initiator
