"""Value of more banks behind a crossbar: eight initiators read at random addresses.

Consecutive words lie in consecutive banks. In each cycle a bank answers one reference, so that eight
initiators that address the same one wait for each other. Run it with `python examples/crossbar_banks.py`.

Prints:
    banks  references a cycle  refused
        1                1.00    87.5%
        2                1.89    76.4%
        4                3.29    58.8%
        8                4.92    38.5%
       16                6.23    22.1%
"""

from collections.abc import Callable

from spinach_nic import Clock, Component, KiB, MHz, Signal, State, parameter, simulate
from spinach_nic.library import Crossbar, Initiator, MultiportedMemory, Sender

INITIATORS = 8
CYCLES = 2000


def anywhere(start: int) -> Callable[..., Signal]:
    """Word addresses from a linear congruential generator that begins at `start`."""

    def address(_index: Signal, _cycle: Signal, state: State = State(start)) -> Signal:
        state.next = state * 6364136223846793005 + 1442695040888963407
        return (state >> 33) & 0x3FFC

    return address


class Banks(Component):
    """Initiators, a crossbar, and banks that hold 16 KiB together."""

    banks: int = parameter(default=1, range=(1, 16), doc="Number of banks.")

    def build(self) -> None:
        """Give every initiator separate addresses, and every bank a lane of the crossbar."""
        self.clock = Clock("core", MHz(200))
        self.crossbar = Crossbar(
            bases=[0], sizes=[KiB(16).bytes], interleave=[self.banks], addressing="compact"
        )
        self.bank = [MultiportedMemory(size=KiB(16)) for _ in range(self.banks)]
        self.address = [Sender(policy=anywhere(99 * number + 1)) for number in range(INITIATORS)]
        self.initiator = [Initiator(source=number) for number in range(INITIATORS)]
        for bank in self.bank:
            self.crossbar.target >> bank.port
        for address, initiator in zip(self.address, self.initiator, strict=True):
            address.output >> initiator.address
            initiator.memory >> self.crossbar.initiator


print("banks  references a cycle  refused")
for banks in (1, 2, 4, 8, 16):
    simulation = simulate(Banks(banks=banks))
    simulation.run(cycles=CYCLES)
    counted = simulation.statistics()
    rate = counted["crossbar.references"] / CYCLES
    refused = counted["crossbar.conflict_cycles"] / CYCLES / INITIATORS
    print(f"{banks:5}  {rate:18.2f}  {refused:7.1%}")
