"""The programmable 10 Gb/s NIC: parallel cores, partitioned memory (thesis chapter 4, HPCA 2005)."""

from spinach_nic.cards.tengig.card import Tengig

__all__ = ["Tengig"]
