"""A row of queues in PyMTL3: prints the cycles that passed and the processor time.

Runs where PyMTL3 is installed.
"""

import json
import sys
import time

from pymtl3 import Bits32, Component, DefaultPassGroup
from pymtl3.stdlib.stream.ifcs import RecvIfcRTL, SendIfcRTL
from pymtl3.stdlib.stream.queues import NormalQueueRTL


class Row(Component):  # type: ignore[misc]
    """Queues of two entries, one behind the other."""

    def construct(s, count: int) -> None:  # noqa: D102, N805
        s.recv, s.send = RecvIfcRTL(Bits32), SendIfcRTL(Bits32)
        s.queue = [NormalQueueRTL(Bits32, 2) for _ in range(count)]
        s.recv //= s.queue[0].recv
        for one, other in zip(s.queue, s.queue[1:], strict=False):
            one.send //= other.recv
        s.queue[-1].send //= s.send


def main() -> None:
    """Simulate a number of queues, for a number of cycles."""
    count, cycles = (int(argument) for argument in sys.argv[1:])
    row = Row(count)
    row.elaborate()
    row.apply(DefaultPassGroup())
    row.sim_reset()
    row.recv.val @= 1
    row.send.rdy @= 1
    for _ in range(100):
        row.sim_tick()
    began = time.process_time()
    for cycle in range(cycles):
        row.recv.msg @= cycle
        row.sim_tick()
    print(json.dumps({"cycles": cycles, "seconds": time.process_time() - began}))


main()
