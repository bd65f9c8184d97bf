"""Drivers of NICs that a host talks to register by register.

A driver is a generator that yields what the host does next and is sent the results:

    def program(host: Host) -> Program:
        identity = yield read_configuration(0x00)
        yield write(0x500, 1)
        results = yield [read(0x40), wait(for_interrupt=True)]

It runs between two edges of the simulation, whenever what it yielded is done: the host itself, a
`ScriptedHost`, does that in simulated time. Memory of the host it reads and writes at once, through `Host`.
So a driver costs time of the simulator only when something happens.
"""

from spinach_nic.cards.drivers.host import Host
from spinach_nic.cards.drivers.operations import (
    DropReason,
    Operation,
    Program,
    drop,
    enable_pci_function,
    read,
    read_configuration,
    send,
    take,
    wait,
    write,
    write_configuration,
)
from spinach_nic.cards.drivers.running import Driver, DriverError, DriverLog, RunningDriver

__all__ = [
    "Driver",
    "DriverError",
    "DriverLog",
    "DropReason",
    "Host",
    "Operation",
    "Program",
    "RunningDriver",
    "drop",
    "enable_pci_function",
    "read",
    "read_configuration",
    "send",
    "take",
    "wait",
    "write",
    "write_configuration",
]
