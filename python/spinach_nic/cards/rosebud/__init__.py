"""A 200 Gb/s card of RISC-V cores, each with private packet memories (ASPLOS 2023)."""

from spinach_nic.cards.rosebud.card import Rosebud

__all__ = ["Rosebud"]
