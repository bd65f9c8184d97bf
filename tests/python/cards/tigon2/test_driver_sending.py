"""Send ring of the driver, with a card that completes descriptors at will."""

from __future__ import annotations

from typing import Any, cast

import pytest

from spinach_nic.cards.drivers import Host
from spinach_nic.cards.tigon2 import protocol as card
from spinach_nic.cards.tigon2.sending import Sender
from spinach_nic.cards.tigon2.settings import DriverSettings


class Memory:
    """Host memory that gives addresses and forgets what is stored."""

    def __init__(self) -> None:
        """Nothing is given yet."""
        self._next = 0x1000

    def allocate(self, size: int) -> int:
        """The next address."""
        self._next += size
        return self._next - size

    def store(self, *_: Any) -> None:
        """Forget it."""


def sender(**settings: Any) -> Sender:
    return Sender(cast(Host, Memory()), DriverSettings(**settings))


def test_the_buffers_of_a_frame_are_in_use_until_all_its_descriptors_are_done() -> None:
    sending = sender(send_entries=128)
    offered = len(sending.let_go())
    assert offered == 63, "two descriptors a frame, and one entry stays free"
    sending.announce([100] * offered)
    assert not sending.has_room
    for consumer, free in ((1, 0), (2, 1), (3, 1), (5, 2), (6, 3), (125, 62), (126, 63)):
        assert sending.take_back(consumer)
        assert len(sending.let_go()) == free, consumer


@pytest.mark.parametrize(("entries", "address"), [(128, 0x3800), (256, 0x3000), (512, 0x2000)])
def test_a_ring_on_the_card_is_named_by_its_address_there(entries: int, address: int) -> None:
    ring, length, flags = sender(send_entries=entries, send_ring_in_host=False).ring_control
    assert (ring, length) == (address, entries)
    assert not flags & card.RingFlag.IN_HOST
    ring, _, flags = sender(send_entries=entries).ring_control
    assert ring >= 0x1000
    assert flags & card.RingFlag.IN_HOST
