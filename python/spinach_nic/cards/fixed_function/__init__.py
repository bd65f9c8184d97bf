"""Cards without firmware: SINIC and V-SINIC of the SINIC paper, and the conventional DP83820."""

from spinach_nic.cards.fixed_function.card import Dp83820, Sinic, VSinic

__all__ = ["Dp83820", "Sinic", "VSinic"]
