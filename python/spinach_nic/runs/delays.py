"""Pauses of a core at a place of its firmware, to expose races."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from spinach_nic.benches.base import Bench
from spinach_nic.firmware import Executable
from spinach_nic.firmware.instruction_sets import INSTRUCTION_SETS
from spinach_nic.support.errors import SpinachError

LONGEST = 2**62


class Delay(Struct, frozen=True):
    """Pause of a core at a place, with its length; made by `delay_at`."""

    place: str | int
    cycles: int
    core: int | None
    every: int

    def __str__(self) -> str:
        """Return the delay in the form of the result document."""
        place = self.place if isinstance(self.place, str) else f"{self.place:#x}"
        which = "" if self.core is None else f",core={self.core}"
        return f"{place},cycles={self.cycles}{which},every={self.every}"

    def address(self, image: Executable | None, parcel_bytes: int) -> int:
        """Return the address of the instruction.

        Args:
            image: The firmware whose functions places name.
            parcel_bytes: Alignment of instructions, in bytes.

        Raises:
            SpinachError: There is no such function, there are several, or the place is not in it.
        """
        if isinstance(self.place, int):
            if self.place % parcel_bytes:
                problem = f"{self.place:#x} is not the address of an instruction"
                raise SpinachError(problem, f"give a multiple of {parcel_bytes}")
            return self.place
        if image is None:
            raise SpinachError(f"{self.place}: the NIC has no firmware to search", "give an address")
        name, plus, text = self.place.partition("+")
        function = image.function(name)
        offset = _offset(self.place, text) if plus else 0
        if offset % parcel_bytes or offset >= function.bytes:
            raise SpinachError(
                f"{self.place} is not the address of an instruction of {name}",
                f"give a multiple of {parcel_bytes} below {function.bytes:#x}",
            )
        return function.address + offset


def delay_at(place: str | int, cycles: int, *, core: int | None = None, every: int = 1) -> Delay:
    """Pause a core at a place of its firmware, as in `delay_at("update_status+0x48", 2000)`.

    Before the core issues the instruction there it issues nothing for `cycles` cycles, which count as halted.
    Earlier instructions complete meanwhile, and all other modules continue.

    Args:
        place: The name of a function, for its first instruction; a function and an offset in bytes, such as
            `update_status+0x48`; or an address.
        cycles: Length of the pause, in cycles of the core's clock.
        core: The number of the core; all of them by default.
        every: The interval: 100 delays each hundredth time, beginning with the first.

    Raises:
        SpinachError: A number makes no sense.
    """
    for name, value, least in (("cycles", cycles, 1), ("every", every, 1), ("core", core or 0, 0)):
        if type(value) is not int or not least <= value <= LONGEST:
            raise SpinachError(
                f"{name} = {value!r} is not a valid number of a delay", f"give at least {least}"
            )
    if isinstance(place, int) and not 0 <= place < 2**64:
        raise SpinachError(f"{place:#x} is not the address of an instruction", "give one of at most 64 bits")
    return Delay(place, cycles, core, every)


def apply_delays(delays: Sequence[Delay], bench: Bench, image: Executable | None) -> None:
    """Set the parameter `delays` of the cores of a NIC that is not simulated yet.

    Raises:
        SpinachError: A place or a core is not there, or a core cannot be delayed.
    """
    cores = bench.probes().cores
    parcel_bytes = INSTRUCTION_SETS[bench.inserted().instruction_set].parcel_bytes
    for delay in delays:
        if delay.core is not None and delay.core >= len(cores):
            raise SpinachError(f"there is no core {delay.core}", f"the NIC has {len(cores)}, from 0 on")
    for number, core in enumerate(cores):
        rows = {
            delay.address(image, parcel_bytes): (delay.cycles, delay.every)
            for delay in delays
            if delay.core in (None, number)
        }
        if rows:
            words = [word for address, (cycles, every) in rows.items() for word in (address, cycles, every)]
            core.set("delays", words)


def _offset(place: str, text: str) -> int:
    try:
        offset = int(text, 0)
    except ValueError:
        offset = -1
    if offset < 0:
        raise SpinachError(f"{place}: {text!r} is not an offset", "give one in bytes, such as +0x48")
    return offset
