"""Two cores, two ports, an echo: a whole NIC in which each core sends back what comes in at its port.

Both cores run the same image and share the scratch pad and frame memory. The firmware asks which core it is
and serves that port, so that nothing is shared that both write. `tx` is the echo of port 0, `rx` that of
port 1. Run it with `python examples/two_core_echo/two_core_echo.py` or `spinach run` and that file.

Prints:
    port 0: 100% of line rate
    port 1: 100% of line rate
    core 0: 0.45 instructions a cycle, 0.9% of its cycles lost to conflicts
    core 1: 0.45 instructions a cycle, 0.9% of its cycles lost to conflicts
"""

from pathlib import Path

from spinach_nic import B, Clock, Frequency, Gbps, KiB, MHz, MiB, parameter, run
from spinach_nic.cards import Card, Faces, Memory, Passage, Probes, Wire
from spinach_nic.firmware import FirmwareMap, MemoryRange
from spinach_nic.library import (
    Crossbar,
    Link,
    MacReceiveAssist,
    MacTransmitAssist,
    MultiportedMemory,
    PipelinedCore,
)

# Addresses. The firmware gets them from firmware_map below.
INSTRUCTIONS, REGISTERS, FRAME_MEMORY = 0x1000_0000, 0x2000_0000, 0x4000_0000
MEMORY_SIZE, FRAME_MEMORY_SIZE, REGISTERS_BYTES = KiB(16), MiB(1), 0x100
FIRMWARE_DATA = 0x100  # in the scratch pad


class TwoCoreEcho(Card):
    """Two cores, two ports."""

    summary = "Echo at two 1 Gb/s ports, a core for each"
    firmware_root = Path(__file__).parent
    firmware_folder = "firmware"
    default_firmware = "two_core_echo"
    driver_model = None

    core_clock: Frequency = parameter(
        default=MHz(125), range=(MHz(1), MHz(10_000)), doc="Clock of all but the links."
    )

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
                MemoryRange("scratch_pad", FIRMWARE_DATA, MEMORY_SIZE.bytes - FIRMWARE_DATA),
            ],
            cores=2,
        )

    def build(self) -> None:
        """Make the cores, the memories and both ports."""
        self.clock = Clock("core", self.core_clock)
        self.mac_clock = Clock("mac", MHz(125))  # one byte a cycle: 1 Gb/s
        start, length = self.code_range
        self.core = [
            PipelinedCore(identity=number, entry=INSTRUCTIONS, profile_start=start, profile_bytes=B(length))
            for number in range(2)
        ]
        self.instruction_memory = MultiportedMemory(base=INSTRUCTIONS, size=MEMORY_SIZE)
        self.scratch_pad = MultiportedMemory(size=MEMORY_SIZE)
        self.frame_memory = MultiportedMemory(base=FRAME_MEMORY, size=FRAME_MEMORY_SIZE)
        self.receive = [MacReceiveAssist() for _ in range(2)]
        self.transmit = [MacTransmitAssist() for _ in range(2)]
        assists: list[MacReceiveAssist | MacTransmitAssist] = [*self.receive, *self.transmit]
        self.crossbar = Crossbar(
            bases=[0, *(REGISTERS + REGISTERS_BYTES * number for number in range(4))],
            sizes=[MEMORY_SIZE.bytes, *[REGISTERS_BYTES] * 4],
        )
        for core in self.core:
            core.fetch >> self.instruction_memory.port
            core.data >> self.crossbar.initiator
        self.crossbar.target >> self.scratch_pad.port
        for assist in assists:
            self.crossbar.target >> assist.registers
            assist.control >> self.crossbar.initiator
            assist.frame >> self.frame_memory.block

        self.wire_in = [Link(bytes_per_cycle=1, lanes=1, clock=self.mac_clock) for _ in range(2)]
        self.wire_out = [Link(bytes_per_cycle=1, lanes=1, clock=self.mac_clock) for _ in range(2)]
        for port in range(2):
            self.across(self.wire_in[port].output) >> self.receive[port].wire
            self.across(self.transmit[port].wire) >> self.wire_out[port].input
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
            )
            for port in range(2)
        ]
        return Faces(None, wires)

    def probes(self) -> Probes:
        """Return the points at which frames, the cores and memories are counted."""
        first, second = (
            Passage(depth=64, drops=[self.receive[port]], wire_in=port, wire_out=port) for port in range(2)
        )
        return Probes(
            tx=first,
            rx=second,
            cores=self.core,
            memories=[
                Memory.of(part, self.core_clock) for part in (self.instruction_memory, self.scratch_pad)
            ],
        )


if __name__ == "__main__":
    result = run(TwoCoreEcho, traffic="udp:200", frames=400)
    for port, way in enumerate((result.tx, result.rx)):
        print(f"port {port}: {way.line_rate_fraction:.0%} of line rate")
    for number, core in enumerate(result.cores):
        conflicts = f"{core.cycles['conflict']:.1%} of its cycles lost to conflicts"
        print(f"core {number}: {core.ipc:.2f} instructions a cycle, {conflicts}")
