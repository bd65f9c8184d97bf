"""A core in RTL in place of one of the library: a bridge of two ports whose firmware VexRiscv executes.

VexRiscv is a RISC-V core of the SpinalHDL project, in Verilog, with caches and two Wishbone buses. The script
takes it from the package `pythondata-cpu-vexriscv`. The same image of the firmware runs on a core of the
library first, and both replay the same capture at both ports. The firmware is that of the example
[store_and_forward](store_and_forward.md), for RISC-V. The script needs Verilator and a C++ compiler,
too; [the page on blocks](../blocks.md) explains it. Run it with `python examples/rtl_core/rtl_core.py`.

Prints:
    core of the library: 88 frames to port 1, 88 to port 0, none dropped
    VexRiscv: 88 frames to port 1, 88 to port 0, none dropped
    the same firmware: True
"""

import importlib.util
from pathlib import Path

from spinach_nic import B, Clock, Gbps, KiB, MHz, MiB, SpinachError, parameter, run
from spinach_nic.blocks import Verilated, VerilateOptions, verilate
from spinach_nic.cards import Card, Faces, Memory, Passage, Probes, Wire
from spinach_nic.firmware import FirmwareMap, MemoryRange
from spinach_nic.library import (
    Crossbar,
    Link,
    MacReceiveAssist,
    MacTransmitAssist,
    MultiportedMemory,
    PipelinedCore,
    WordBridge,
)

CAPTURE = Path(__file__).parents[2] / "captures" / "web-ping-udp.pcap"

# Addresses. VexRiscv caches data below 2^31, and assists share the scratch pad with it.
INSTRUCTIONS, SCRATCH_PAD, REGISTERS, FRAME_MEMORY = 0x1000_0000, 0x8000_0000, 0xA000_0000, 0xC000_0000
MEMORY_SIZE, FRAME_MEMORY_SIZE, REGISTERS_BYTES = KiB(16), MiB(1), 0x100


class Bridge(Card):
    """One core, two ports."""

    summary = "Bridge of two 1 Gb/s ports, with a core of the library or in RTL"
    firmware_root = Path(__file__).parents[1] / "store_and_forward"
    firmware_folder = "firmware"
    default_firmware = "store_and_forward"
    driver_model = None
    instruction_set = "rv32"

    rtl_core: str = parameter(default="", doc="Library of the core in RTL; empty for one of the library.")

    def firmware_map(self) -> FirmwareMap:
        """Macros of the header spinach/card.h, and what the linker needs."""
        return FirmwareMap(
            {
                "RECEIVE_REGISTERS": REGISTERS,
                "TRANSMIT_REGISTERS": REGISTERS + 2 * REGISTERS_BYTES,
                "REGISTERS_BYTES": REGISTERS_BYTES,
                "FRAME_MEMORY": FRAME_MEMORY,
                "FRAME_MEMORY_BYTES": FRAME_MEMORY_SIZE,
            },
            memories=[
                MemoryRange("instruction_memory", INSTRUCTIONS, MEMORY_SIZE.bytes),
                MemoryRange("scratch_pad", SCRATCH_PAD, MEMORY_SIZE.bytes),
            ],
            cores=1,
        )

    def build(self) -> None:
        """Make the core, the memories and both ports."""
        self.clock = Clock("core", MHz(125))
        self.mac_clock = Clock("mac", MHz(125))  # one byte a cycle: 1 Gb/s
        self.instruction_memory = MultiportedMemory(base=INSTRUCTIONS, size=MEMORY_SIZE)
        self.scratch_pad = MultiportedMemory(base=SCRATCH_PAD, size=MEMORY_SIZE)
        self.frame_memory = MultiportedMemory(base=FRAME_MEMORY, size=FRAME_MEMORY_SIZE)
        self.receive = [MacReceiveAssist() for _ in range(2)]
        self.transmit = [MacTransmitAssist() for _ in range(2)]
        assists: list[MacReceiveAssist | MacTransmitAssist] = [*self.receive, *self.transmit]
        self.crossbar = Crossbar(
            bases=[SCRATCH_PAD, *(REGISTERS + REGISTERS_BYTES * number for number in range(4))],
            sizes=[MEMORY_SIZE.bytes, *[REGISTERS_BYTES] * 4],
        )
        self.data_bridge = WordBridge()  # the NIC has the most significant byte of a word first
        self.data_bridge.target >> self.crossbar.initiator
        if self.rtl_core:
            reset_vector = f"externalResetVector={INSTRUCTIONS:#x}"
            self.core = Verilated(library=self.rtl_core, constants=reset_vector)
            self.core.iBusWishbone >> self.instruction_memory.port
            self.core.dBusWishbone >> self.data_bridge.initiator
        else:
            start, length = self.code_range
            self.own_core = PipelinedCore(
                instruction_set="rv32", entry=INSTRUCTIONS, profile_start=start, profile_bytes=B(length)
            )
            self.own_core.fetch >> self.instruction_memory.port
            self.own_core.data >> self.data_bridge.initiator
        self.crossbar.target >> self.scratch_pad.port
        for assist in assists:
            self.crossbar.target >> assist.registers
            assist.control >> self.crossbar.initiator
            assist.frame >> self.frame_memory.block

        self.wire_in = [Link(bytes_per_cycle=1, lanes=1, clock=self.mac_clock) for _ in range(2)]
        self.wire_out = [Link(bytes_per_cycle=1, lanes=1, clock=self.mac_clock) for _ in range(2)]
        self.leaving = [self.across(transmit.wire) for transmit in self.transmit]
        for port in range(2):
            self.across(self.wire_in[port].output) >> self.receive[port].wire
            self.leaving[port] >> self.wire_out[port].input
        self.link_up = [self.across(receive.link_up) for receive in self.receive]

    def faces(self) -> Faces:
        """Return both wires; there is no bus."""
        wires = [
            Wire(
                clock=self.mac_clock,
                rate=Gbps(1),
                sent=self.wire_out[port].output,
                received=self.wire_in[port].input,
                link_up=self.link_up[port],
                leaving=self.leaving[port],
            )
            for port in range(2)
        ]
        return Faces(None, wires)

    def probes(self) -> Probes:
        """Return the points at which frames, the core of the library and memories are counted."""
        there, back = (
            Passage(depth=64, drops=[self.receive[port]], wire_in=port, wire_out=1 - port)
            for port in range(2)
        )
        memories = [Memory.of(part, MHz(125)) for part in (self.instruction_memory, self.scratch_pad)]
        return Probes(tx=there, rx=back, cores=[] if self.rtl_core else [self.own_core], memories=memories)


def compile_vexriscv(library: Path) -> None:
    """Compile VexRiscv with compressed instructions, as firmware uses them.

    Raises:
        SpinachError: Its package is not installed.
    """
    package = importlib.util.find_spec("pythondata_cpu_vexriscv")
    if package is None or package.origin is None:
        raise SpinachError("the package pythondata-cpu-vexriscv is not installed", "install it with pip")
    sources = [Path(package.origin).parent / "verilog" / "VexRiscv_IMAC.v"]
    verilate(sources, "VexRiscv", library, VerilateOptions(trace="none"))


if __name__ == "__main__":
    compile_vexriscv(Path("vexriscv.spinach"))
    firmware = set()
    for core, library in (("core of the library", ""), ("VexRiscv", "vexriscv.spinach")):
        result = run(Bridge, traffic=f"pcap:{CAPTURE}", set={"rtl_core": library})
        there, back = result.frames.delivered.values()
        dropped = "some" if any(result.frames.dropped.values()) else "none"
        print(f"{core}: {there} frames to port 1, {back} to port 0, {dropped} dropped")
        firmware.add(result.firmware)
    print(f"the same firmware: {len(firmware) == 1}")
