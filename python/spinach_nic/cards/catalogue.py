"""The shipped cards."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from spinach_nic.cards.base.card import Card

__all__ = ["SHIPPED", "shipped_card", "shipped_cards"]

SHIPPED: Mapping[str, tuple[str, str]] = {
    "dp83820": ("spinach_nic.cards.fixed_function", "Dp83820"),
    "hundredgig": ("spinach_nic.cards.hundredgig", "Hundredgig"),
    "ricenic": ("spinach_nic.cards.ricenic.nic", "Ricenic"),
    "rosebud": ("spinach_nic.cards.rosebud", "Rosebud"),
    "sinic": ("spinach_nic.cards.fixed_function", "Sinic"),
    "tengig": ("spinach_nic.cards.tengig", "Tengig"),
    "tigon2": ("spinach_nic.cards.tigon2", "Tigon2"),
    "v-sinic": ("spinach_nic.cards.fixed_function", "VSinic"),
}
"""Shipped cards by name: the module that defines each, imported on use, and the class in it."""


def shipped_card(name: str) -> type[Card]:
    """Return the class of the shipped card of this name."""
    module, class_name = SHIPPED[name]
    found = getattr(import_module(module), class_name)
    assert isinstance(found, type)
    assert issubclass(found, Card)
    return found


def shipped_cards() -> dict[str, type[Card]]:
    """Return the classes of all shipped cards, by name."""
    return {name: shipped_card(name) for name in SHIPPED}
