"""Reader of the serial EEPROM of the card through its two wires, which the host drives."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from spinach_nic.cards.drivers import DriverError, Operation, read, write
from spinach_nic.cards.tigon2.protocol import EEPROM_DEVICE
from spinach_nic.cards.tigon2.registers import Register

EEPROM_CLOCK = Register.LOCAL_CONTROL["EEPROM_CLOCK"]
EEPROM_WRITE_ENABLE = Register.LOCAL_CONTROL["EEPROM_WRITE_ENABLE"]
EEPROM_DATA_OUT = Register.LOCAL_CONTROL["EEPROM_DATA_OUT"]
EEPROM_DATA_IN = Register.LOCAL_CONTROL["EEPROM_DATA_IN"]
_READS = 1
_ALL_WIRES = EEPROM_CLOCK | EEPROM_WRITE_ENABLE | EEPROM_DATA_OUT | EEPROM_DATA_IN


class _Wires:
    """Operations of the host on the wires; the other bits of the register are kept."""

    def __init__(self, register: int, others: int) -> None:
        self._register = register
        self._others = others
        self.operations: list[Operation] = []

    def set(self, wires: int) -> None:
        self.operations.append(write(self._register, self._others | wires))

    def look(self) -> None:
        self.operations.append(read(self._register))

    def start(self) -> None:
        """Start condition: data falls while the clock is high."""
        held = EEPROM_WRITE_ENABLE
        for wires in (EEPROM_DATA_OUT, EEPROM_DATA_OUT | EEPROM_CLOCK, EEPROM_CLOCK, 0):
            self.set(held | wires)

    def stop(self) -> None:
        """Stop condition: data rises while the clock is high."""
        held = EEPROM_WRITE_ENABLE
        for wires in (0, EEPROM_CLOCK, EEPROM_CLOCK | EEPROM_DATA_OUT):
            self.set(held | wires)

    def put(self, byte: int) -> None:
        """Write eight bits, the highest first, and read the acknowledgement."""
        for bit in range(7, -1, -1):
            wires = EEPROM_WRITE_ENABLE | (EEPROM_DATA_OUT if byte >> bit & 1 else 0)
            for clock in (0, EEPROM_CLOCK, 0):
                self.set(wires | clock)
        self._clocked_look()

    def get(self) -> None:
        """Read eight bits, and end the read."""
        for _ in range(8):
            self._clocked_look()
        for clock in (0, EEPROM_CLOCK, 0):
            self.set(EEPROM_WRITE_ENABLE | EEPROM_DATA_OUT | clock)

    def _clocked_look(self) -> None:
        self.set(0)
        self.set(EEPROM_CLOCK)
        self.look()
        self.set(0)


def read_bytes(
    address: int, count: int, register: int, others: int
) -> Generator[Sequence[Operation], list[int], bytes]:
    """Read some bytes, one after the other as drivers do.

    Args:
        address: Address of the first byte.
        count: Number of bytes.
        register: Address of the register that drives the wires.
        others: Other bits of that register, which are kept.

    Raises:
        DriverError: The EEPROM does not answer.
    """
    found = bytearray()
    for place in range(address, address + count):
        wires = _Wires(register, others & ~_ALL_WIRES)
        wires.start()
        for byte in (EEPROM_DEVICE, place >> 8, place & 0xFF):
            wires.put(byte)
        wires.start()
        wires.put(EEPROM_DEVICE | _READS)
        wires.get()
        wires.stop()
        results = yield wires.operations
        looks = [
            bool(result & EEPROM_DATA_IN)
            for result, operation in zip(results, wires.operations, strict=True)
            if operation.code == read(0).code
        ]
        answers, bits = looks[:4], looks[4:]
        if any(answers):
            raise DriverError(
                f"the EEPROM of the card does not answer at 0x{place:x}",
                "connect an EEPROM to the bits 0x100000 to 0x800000 of the local control register",
            )
        found.append(sum(bit << 7 - number for number, bit in enumerate(bits)))
    return bytes(found)
