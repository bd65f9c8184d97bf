"""Addresses of Rosebud, as its cores see them."""

from spinach_nic import _native
from spinach_nic.support.units import KiB, MiB

DESCRIBED = dict(_native.packet_mover_registers())
"""Regions, registers, flags and types of descriptors: names, values and meanings, by group."""

_REGIONS = {name: value for name, value, _ in DESCRIBED["region"]}
DATA, PACKETS = _REGIONS["DATA"], _REGIONS["PACKETS"]

STATUS, COMMANDS = ({name: number for name, number, _ in DESCRIBED[group]} for group in ("status", "command"))
"""Registers of a core that the host reads and writes, by name."""

INSTRUCTIONS = 0x0200_0000
"""Link address of the instruction memory."""
INTERRUPT_VECTOR = INSTRUCTIONS + 4
"""Address of the handler of interrupts and exceptions."""
INSTRUCTION_BYTES = KiB(64)
ADDRESSED = MiB(32)
"""Region that the address bits of a core tell apart."""
DATA_BYTES = KiB(32)
BROADCAST_BYTES = KiB(8)
PACKET_BYTES = MiB(1)
