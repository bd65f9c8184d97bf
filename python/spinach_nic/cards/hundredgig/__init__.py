"""A 100 Gb/s card whose firmware is virtio's network device."""

from spinach_nic.cards.hundredgig.card import Hundredgig

__all__ = ["Hundredgig"]
