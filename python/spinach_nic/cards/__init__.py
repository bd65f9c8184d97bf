"""Network interface cards: what one would solder, with firmware."""

from spinach_nic.cards.base import (
    Agent,
    ByteCounter,
    Card,
    IncoherentCaches,
    MappedMemory,
    Memory,
    Passage,
    Probes,
)
from spinach_nic.cards.counters import Counter
from spinach_nic.cards.drivers import DriverModel, LinuxDriver, ProgramDriver, RingDriver
from spinach_nic.cards.faces import Bus, ChipBus, Faces, PciBus, RingBus, Wire

__all__ = [
    "Agent",
    "Bus",
    "ByteCounter",
    "Card",
    "ChipBus",
    "Counter",
    "DriverModel",
    "Faces",
    "IncoherentCaches",
    "LinuxDriver",
    "MappedMemory",
    "Memory",
    "Passage",
    "PciBus",
    "Probes",
    "ProgramDriver",
    "RingBus",
    "RingDriver",
    "Wire",
]
