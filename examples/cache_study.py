"""A study of a cache: how many reads of a loop over 3 KiB hit, by size and associativity.

The loop reads one word after the other and begins again. A cache that is a little too small holds nothing
when the least recently used line goes: each line leaves just before it is wanted. Run it with
`python examples/cache_study.py`.

Prints:
    size   ways  policy  hits
    1 KiB     1  lru     87.5%
    2 KiB     1  lru     91.4%
    2 KiB     4  lru     87.5%
    2 KiB     4  random  92.1%
    4 KiB     1  lru     99.5%
    4 KiB     4  lru     99.5%
"""

from spinach_nic import B, Clock, Component, KiB, MHz, Signal, Size, parameter, simulate
from spinach_nic.library import CacheController, Initiator, MultiportedMemory, Sender

LOOP_BYTES = 3072


class Loop(Component):
    """An initiator that goes round a loop of addresses, a cache, a memory."""

    size: Size = parameter(default=KiB(4), doc="Size of the cache.")
    associativity: int = parameter(default=1, doc="Number of ways.")
    replacement: str = parameter(default="lru", doc="Replacement policy.", choices=("lru", "fifo", "random"))

    def build(self) -> None:
        """Connect them in a row."""
        self.clock = Clock("core", MHz(200))
        self.address = Sender(policy=self.next_address)
        self.initiator = Initiator()
        self.cache = CacheController(
            size=self.size, associativity=self.associativity, line_size=B(32), replacement=self.replacement
        )
        self.memory = MultiportedMemory(size=KiB(64))
        self.address.output >> self.initiator.address
        self.initiator.memory >> self.cache.port
        self.cache.memory >> self.memory.port

    @staticmethod
    def next_address(index: Signal, _cycle: Signal) -> Signal:
        """Word after word, round and round."""
        return index * 4 % LOOP_BYTES


print("size   ways  policy  hits")
for kibibytes, ways, replacement in (
    (1, 1, "lru"),
    (2, 1, "lru"),
    (2, 4, "lru"),
    (2, 4, "random"),
    (4, 1, "lru"),
    (4, 4, "lru"),
):
    simulation = simulate(Loop(size=KiB(kibibytes), associativity=ways, replacement=replacement))
    simulation.run(cycles=20_000)
    counted = simulation.statistics()
    hits, misses = counted["cache.read_hits"], counted["cache.read_misses"]
    print(f"{kibibytes} KiB  {ways:4}  {replacement:6}  {hits / (hits + misses):5.1%}")
