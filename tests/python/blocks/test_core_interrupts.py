"""Firmware takes interrupts on a core in RTL as on those of the library."""

import importlib.util
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from spinach_nic import Clock, Component, KiB, MHz, parameter, simulate
from spinach_nic.blocks import (
    Edge,
    Outputs,
    PythonModule,
    Response,
    Verilated,
    VerilateOptions,
    register_port,
    verilate,
    words_out,
)
from spinach_nic.firmware import Executable
from spinach_nic.firmware.local import build_anywhere
from spinach_nic.library import Crossbar, FunctionalCore, MultiportedMemory, PipelinedCore

MEMORY, DEVICE = 0x8000_0000, 0xA000_0000
EVENTS, STEPS, CYCLES, DISTANCE = 8, 1000, 30_000, 700
MASK = 0xFFFF_FFFF


class Device(PythonModule):
    """Raises a line at each event, until firmware has written to its register."""

    is_level: bool = parameter(default=False, doc="True to lower the line by a word, False to raise it once.")
    port = register_port("Number of the event, or 0; a write acknowledges it.")
    line = words_out("Levels of the interrupt line.")

    @dataclass
    class State:
        """Events until now, the words for the line, and the response that waits."""

        cycles: int = 0
        events: int = 0
        is_pending: bool = False
        levels: list[int] = field(default_factory=list)
        response: int | None = None

    def settle(self, state: State, outputs: Outputs) -> None:
        outputs.present("line", state.levels[0] if state.levels else None)
        outputs.accept("port", state.response is None)
        outputs.present("port", None if state.response is None else Response(state.response))

    def commit(self, state: State, edge: Edge) -> None:
        state.cycles += 1
        if state.cycles % DISTANCE == 0 and state.events < EVENTS and not state.is_pending:
            state.events += 1
            state.is_pending = True
            state.levels.append(1)
        if edge.sent("line"):
            del state.levels[0]
        if edge.sent("port"):
            state.response = None
        if (reference := edge.received("port")) is not None:
            state.response = 0 if reference.writes or not state.is_pending else event(state.events)
            if reference.writes:
                state.is_pending = False
                state.levels.extend([0] * self.is_level)


class Machine(Component):
    """A core, a memory and the device."""

    library: str = parameter(default="", doc="Library of VexRiscv; empty for a core of the library.")
    kind: Any = parameter(default=PipelinedCore, doc="Class of the core of the library.")

    def build(self) -> None:
        """Connect everything."""
        self.clock = Clock("core", MHz(125))
        self.memory = MultiportedMemory(base=MEMORY, size=KiB(16), byte_order="little")
        self.crossbar = Crossbar(bases=[MEMORY, DEVICE], sizes=[KiB(16).bytes, 16])
        self.device = Device(is_level=bool(self.library))
        if self.library:
            reset_vector = f"externalResetVector={MEMORY:#x}"
            self.rtl = Verilated(library=self.library, constants=reset_vector, inputs="timerInterrupt")
            self.rtl.iBusWishbone >> self.memory.port
            self.rtl.dBusWishbone >> self.crossbar.initiator
            self.device.line >> self.rtl.timerInterrupt
        else:
            self.core = self.kind(instruction_set="rv32", entry=MEMORY)
            self.core.fetch >> self.memory.port
            self.core.data >> self.crossbar.initiator
            self.device.line >> self.core.interrupt
        self.crossbar.target >> self.memory.port
        self.crossbar.target >> self.device.port


def event(number: int) -> int:
    return number * 0x0101_0101


def computed() -> int:
    value = 1
    for _ in range(STEPS):
        value ^= value << 13 & MASK
        value ^= value >> 17
        value ^= value << 5 & MASK
    return value


def results(machine: Machine) -> list[int]:
    """Return what the firmware has left in its memory."""
    executable = Executable.load(build_anywhere("interrupts", Path(__file__).parent / "interrupts").path)
    simulation = simulate(machine)
    for segment in executable.segments:
        simulation.write(machine.memory, segment.address - MEMORY, segment.data)
    simulation.run(cycles=CYCLES)
    address = executable.symbol("results").address - MEMORY
    words = simulation.read(machine.memory, address, 4 * (EVENTS + 1))
    return [int.from_bytes(words[at : at + 4], "little") for at in range(0, len(words), 4)]


EXPECTED = [*(event(number + 1) for number in range(EVENTS)), computed()]


@pytest.mark.parametrize("kind", [FunctionalCore, PipelinedCore])
def test_a_core_of_the_library_takes_interrupts(kind: type) -> None:
    assert results(Machine(kind=kind)) == EXPECTED


@pytest.mark.skipif(
    not (shutil.which("verilator") and shutil.which("c++")), reason="verilator and g++ are not installed"
)
@pytest.mark.timeout(240)
def test_vexriscv_takes_the_same_interrupts(tmp_path: Path) -> None:
    package = importlib.util.find_spec("pythondata_cpu_vexriscv")
    if package is None or package.origin is None:
        pytest.skip("pythondata-cpu-vexriscv is not installed")
    source = Path(package.origin).parent / "verilog/VexRiscv_IMAC.v"
    library = tmp_path / "vexriscv.spinach"
    verilate([source], "VexRiscv", library, VerilateOptions(trace="none"))
    assert results(Machine(library=str(library))) == EXPECTED
