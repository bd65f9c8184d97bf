"""Network interface cards, with their firmware."""

from spinach_nic.cards.base.card import (
    Agent,
    ByteCounter,
    Card,
    IncoherentCaches,
    MappedMemory,
    Memory,
    Passage,
    Probes,
)
from spinach_nic.cards.base.counters import Counter
from spinach_nic.cards.base.drivers import DriverModel, LinuxDriver, ProgramDriver, RingDriver
from spinach_nic.cards.base.faces import Bus, ChipBus, Faces, PciBus, RingBus, Wire
from spinach_nic.cards.catalogue import SHIPPED, shipped_card, shipped_cards

__all__ = [
    "SHIPPED",
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
    "shipped_card",
    "shipped_cards",
]
