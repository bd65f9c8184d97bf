"""Report of a firmware fault, for the author of the firmware."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from spinach_nic import _native
from spinach_nic.firmware import Executable
from spinach_nic.firmware.instruction_sets import DEFAULT_INSTRUCTION_SET, INSTRUCTION_SETS, InstructionSet
from spinach_nic.model import Module
from spinach_nic.model.simulation import Simulation
from spinach_nic.runs.exceptions import EXCEPTION_CODE, exception_of


class CoreFault(Struct, frozen=True):
    """End of a core's program."""

    core: str
    """The path of the core."""
    cause: str
    address: int
    """Address of the instruction."""
    cycle: int
    """Cycle of the core's clock."""
    place: str
    """Function and source line, as far as they are known."""
    details: str
    """Registers and the last instructions; several lines."""

    @property
    def message(self) -> str:
        """Return the event and its place, in one line."""
        return f"{self.core} stopped at 0x{self.address:08x}{self.place}: {self.cause}"


def find_fault(
    simulation: Simulation, cores: Sequence[Module], executable: Executable | None
) -> CoreFault | None:
    """Return the earliest fault of any core, if there is one."""
    faults = []
    for core in cores:
        program = simulation.state(core)["program"]
        stop = program["stop"]
        if stop is not None and stop["is_fault"]:
            faults.append((stop["cycle"], core.path, program, instruction_set_of(simulation, core)))
    if not faults:
        return None
    _, path, program, instruction_set = min(faults, key=lambda fault: fault[:2])
    address, place, cause = _stop(program, executable, instruction_set)
    return CoreFault(
        core=path,
        cause=cause,
        address=address,
        cycle=program["stop"]["cycle"],
        place=place,
        details="\n\n".join(
            [
                _registers(program["registers"], instruction_set),
                _last_instructions(program["history"], executable, instruction_set),
            ]
        ),
    )


def instruction_set_of(simulation: Simulation, core: Module) -> InstructionSet:
    """Return the instruction set of a core: its parameter, or the only set it supports."""
    name = simulation.parameters()[core.path].get("instruction_set", DEFAULT_INSTRUCTION_SET)
    return INSTRUCTION_SETS[name.strip('"')]


def core_places(simulation: Simulation, cores: Sequence[Module], executable: Executable | None) -> str:
    """Return a line for each core, with address, function and source line; empty without cores."""
    lines = []
    for core in cores:
        program = simulation.state(core)["program"]
        completed = _ordered(program["history"])
        if program["stop"] is not None:
            address, place, cause = _stop(program, executable, instruction_set_of(simulation, core))
            lines.append(f"  {core.path} stopped at 0x{address:08x}{place}: {cause}")
            continue
        # The last instruction that was completed; the program counter of a pipeline is ahead of it.
        address = completed[-1]["pc"] if completed else program["registers"]["pc"]
        what = "is at" if completed else "has completed no instruction, and is at"
        lines.append(f"  {core.path} {what} 0x{address:08x}{_place(executable, address)}")
    return "\n".join(["where the cores are:", *lines]) if lines else ""


def _stop(
    program: dict[str, Any], executable: Executable | None, instruction_set: InstructionSet
) -> tuple[int, str, str]:
    """Return address, place and cause of a stop; those of the exception if a handler reports one."""
    stop, registers = program["stop"], program["registers"]
    address, cause = stop["pc"], stop["message"]
    trail = [entry["pc"] for entry in reversed(_ordered(program["history"]))]
    raised = exception_of(registers) if stop["cause"] == {"Break": {"code": EXCEPTION_CODE}} else None
    if raised is not None:
        address, cause = raised
        handler = executable.symbols.get("exception_vector") if executable else None
        before = trail.index(handler.address) + 1 if handler and handler.address in trail else len(trail)
        trail = trail[before:]  # the rest is the handler
    place = _place(executable, address)
    if not place or address % instruction_set.parcel_bytes:
        # A program counter that ran away is in no function, or between instructions; the last instruction in
        # a function says where it left. Without one, the last call does.
        named = dict(_named(registers, instruction_set))
        trail.append(named.get("ra", named.get("lr", 0)) - 1)
        left = next(filter(None, (_place(executable, pc) for pc in trail)), "")
        place += f", reached from{left.removeprefix(' in')}" if left else ""
    return address, place, cause


def _place(executable: Executable | None, address: int) -> str:
    if executable is None:
        return ""
    function, line = executable.function_at(address), executable.source_line_at(address)
    inside = f" in {function.name}" if function else ""
    return f"{inside} ({line})" if line else inside


def _named(registers: dict[str, Any], instruction_set: InstructionSet) -> list[tuple[str, int]]:
    named = list(zip(instruction_set.general_registers, registers["general"], strict=True))
    for name, place in instruction_set.further_registers:
        value: Any = registers
        for key in place.split("."):
            value = value[key]
        named.append((name, value))
    return [*named, ("pc", registers["pc"])]


def _registers(registers: dict[str, Any], instruction_set: InstructionSet) -> str:
    lines, named = ["registers:"], _named(registers, instruction_set)
    for start in range(0, len(named), 4):
        cells = [f"{name:>4} 0x{value:08x}" for name, value in named[start : start + 4]]
        lines.append("  " + "  ".join(cells))
    return "\n".join(lines)


def _ordered(history: dict[str, Any]) -> list[dict[str, int]]:
    """Return the remembered instructions, the oldest first."""
    entries, recorded = history["entries"], history["recorded"]
    # The oldest is where the next one would go, once the ring is full.
    start = recorded % len(entries) if recorded >= len(entries) else 0
    ordered: list[dict[str, int]] = (entries[start:] + entries[:start])[: min(recorded, len(entries))]
    return ordered


def _last_instructions(
    history: dict[str, Any], executable: Executable | None, instruction_set: InstructionSet
) -> str:
    lines = ["the last instructions (cycle, address, instruction, place):"]
    for entry in _ordered(history):
        text = _native.disassemble(instruction_set.name, entry["word"], entry["pc"])
        place = _place(executable, entry["pc"])
        lines.append(f"  {entry['cycle']:>10}  0x{entry['pc']:08x}  {text:<32}{place}")
    return "\n".join(lines)
