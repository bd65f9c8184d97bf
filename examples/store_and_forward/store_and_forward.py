"""A store-and-forward bridge: a whole NIC without a host, which passes frames between two ports of 1 Gb/s.

Each port has a MAC. What comes in at one is stored in frame memory, and goes out at the other once it is
whole, so that a frame takes at least twice its time on the wire. `tx` is the way from port 0 to port 1. Run
it with `python examples/store_and_forward/store_and_forward.py` or `spinach run` and that file.

Prints:
    udp:1472 port 0 to 1: 371 frames, 100% of line rate, half of them within 25.7 us
    udp:1472 port 1 to 0: 371 frames, 100% of line rate, half of them within 25.9 us
    udp:1472 dropped: {'tx': {}, 'rx': {}}
    udp:18 port 0 to 1: 377 frames, 100% of line rate, half of them within 5.0 us
    udp:18 port 1 to 0: 376 frames, 100% of line rate, half of them within 5.1 us
    udp:18 dropped: {'tx': {}, 'rx': {}}
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


class StoreAndForward(Card):
    """One core, two ports."""

    summary = "Store-and-forward bridge of two 1 Gb/s ports"
    firmware_root = Path(__file__).parent
    firmware_folder = "firmware"
    default_firmware = "store_and_forward"
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
            cores=1,
        )

    def build(self) -> None:
        """Make the core, the memories and both ports."""
        self.clock = Clock("core", self.core_clock)
        self.mac_clock = Clock("mac", MHz(125))  # one byte a cycle: 1 Gb/s
        start, length = self.code_range
        self.core = PipelinedCore(entry=INSTRUCTIONS, profile_start=start, profile_bytes=B(length))
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
        self.core.fetch >> self.instruction_memory.port
        self.core.data >> self.crossbar.initiator
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
        """Return the points at which frames, the core and memories are counted."""
        there, back = (
            Passage(depth=64, drops=[self.receive[port]], wire_in=port, wire_out=1 - port)
            for port in range(2)
        )
        return Probes(
            tx=there,
            rx=back,
            cores=[self.core],
            memories=[
                Memory.of(part, self.core_clock) for part in (self.instruction_memory, self.scratch_pad)
            ],
        )


if __name__ == "__main__":
    for size in (1472, 18):
        result = run(StoreAndForward, traffic=f"udp:{size}", frames=300)
        for name, way in (("port 0 to 1", result.tx), ("port 1 to 0", result.rx)):
            assert way.latency_ns is not None
            speed = f"{way.frames} frames, {way.line_rate_fraction:.0%} of line rate"
            print(f"udp:{size} {name}: {speed}, half of them within {way.latency_ns.p50 / 1000:.1f} us")
        print(f"udp:{size} dropped: {result.frames.dropped}")
