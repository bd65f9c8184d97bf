"""The Tigon-2 gigabit NIC (thesis sections 2.1.2 and 2.1.3, and chapter 3)."""

from spinach_nic.cards.tigon2.nic import Tigon2

__all__ = ["Tigon2"]
