"""A producer, a memory behind an arbiter, and a consumer, in two clock domains.

The producer runs at 133 MHz, everything else at 200 MHz. A word is written to memory, and once the memory has
confirmed that, the consumer reads it back. Two references compete for the memory's one port: the arbiter lets
reads go first, by a policy that is a Python function, lifted once and evaluated natively.
Run it with `python examples/two_domains.py`.

Prints:
    TwoDomains @ memory 200 MHz
    ├─ producer: Sender (policy = lift(squares), count = 8) @ producer 133 MHz
    ├─ crossing: AsynchronousFifo
    ├─ write_address: Function (policy = lift(next_word))
    ├─ writer: Initiator
    ├─ written: Fifo
    ├─ read_address: Function (policy = lift(next_word_after))
    ├─ reader: Initiator
    ├─ arbiter: Arbiter (policy = lift(reads_first))
    ├─ memory: MultiportedMemory (size = 4 KiB)
    └─ consumer: Receiver
    the consumer got [0, 1, 4, 9, 16, 25, 36, 49]
    the memory holds 00000000 00000001 00000004 00000009 00000010 00000019 00000024 00000031
    the last word came after 95 ns, in cycle 19 of 200 MHz
    both asked the memory in 5 cycles
"""

from spinach_nic import Clock, Component, KiB, MHz, Signal, State, select, simulate, transferred, tree, us
from spinach_nic.library import (
    Arbiter,
    AsynchronousFifo,
    Fifo,
    Function,
    Initiator,
    MultiportedMemory,
    Receiver,
    Sender,
)


def squares(index: Signal, _cycle: Signal) -> Signal:
    """Return the values that the producer sends."""
    return index * index


def next_word(address: State = State(0)) -> Signal:
    """Return the addresses 0, 4, 8, and so on: one for each word that is asked for."""
    address.next = address + 4
    return address


def next_word_after(_done: Signal, address: State = State(0)) -> Signal:
    """Return the same, one for each write that is done."""
    address.next = address + 4
    return address


def reads_first(requests: Signal, _last: Signal, _goes_on: Signal) -> Signal:
    """Lane 1, where the reader is connected, before lane 0."""
    return select(requests[1], 1, 0)


class TwoDomains(Component):
    """Values of the producer pass through the memory to the consumer."""

    def build(self) -> None:
        """Make the parts, then connect them in the order in which a word passes."""
        self.clock = Clock("memory", MHz(200))
        self.producer = Sender(policy=squares, count=8, clock=Clock("producer", MHz(133)))
        self.crossing = AsynchronousFifo()
        self.write_address = Function(policy=next_word)
        self.writer = Initiator()
        self.written = Fifo()
        self.read_address = Function(policy=next_word_after)
        self.reader = Initiator()
        self.arbiter = Arbiter(policy=reads_first)
        self.memory = MultiportedMemory(size=KiB(4))
        self.consumer = Receiver()

        self.producer.output >> self.crossing.input
        self.crossing.output >> self.writer.data
        self.write_address.output >> self.writer.address
        self.writer.output >> self.written.input
        self.written.output >> self.read_address.input[0]
        self.read_address.output >> self.reader.address
        self.reader.output >> self.consumer.input
        self.writer.memory >> self.arbiter.initiator
        self.reader.memory >> self.arbiter.initiator
        self.arbiter.target >> self.memory.port


system = TwoDomains()
simulation = simulate(system)
print(tree(system))
recorder = simulation.record(system.reader.output)
simulation.run(us(1), until=transferred(system.reader.output, 8))
print("the consumer got", recorder.words())
print("the memory holds", simulation.read(system.memory, 0, 32).hex(" ", 4))
last = recorder.transfers()[-1]
print(f"the last word came after {last.time}, in cycle {last.cycle} of 200 MHz")
print("both asked the memory in", simulation.statistics()["arbiter.conflicts"], "cycles")
