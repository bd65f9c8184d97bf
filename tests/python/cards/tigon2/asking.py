"""A driver of the Tigon-2 that says something to the card before it brings the interface up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from spinach_nic.cards.drivers import Operation, read, wait, write
from spinach_nic.cards.tigon2 import Tigon2
from spinach_nic.cards.tigon2 import protocol as card
from spinach_nic.cards.tigon2.driver import REGION, Steps, Tigon2Driver
from spinach_nic.cards.tigon2.driver_model import Tigon2DriverModel
from spinach_nic.cards.tigon2.protocol import Command, Event
from spinach_nic.cards.tigon2.settings import DriverSettings
from spinach_nic.firmware import loadable_image


class Asking(Tigon2Driver):
    """Says something to the card before it brings the interface up."""

    steps: Callable[[Asking], Steps]

    def _bring_up(self) -> Steps:
        yield from self.steps(self)
        yield from super()._bring_up()

    def say(self, command: Command | int, code: int = 0, words: Sequence[int] = ()) -> Steps:
        """Give a command, with the words that follow it in the ring."""
        said = [int(command) << 24 | code << 12, *words]
        operations: list[Operation] = []
        place = yield read(REGION + card.MAILBOX_COMMAND)
        for word in said:
            operations.append(write(REGION + card.COMMAND_RING + 4 * place, word))
            place = (place + 1) % card.COMMAND_ENTRIES
        yield [*operations, write(REGION + card.MAILBOX_COMMAND, place)]

    def hear(self, event: Event, count: int) -> Steps:
        """Wait until the card has reported an event `count` times."""
        while sum(told.event == event for told in self.events) < count:
            yield [wait(for_interrupt=True), write(REGION + card.MAILBOX_INTERRUPT, 0)]
            yield self._take_events()

    def refresh(self) -> Steps:
        """Request a refresh of the statistics."""
        before = sum(told.event == Event.STATISTICS for told in self.events)
        yield from self.say(Command.REFRESH_STATISTICS)
        yield from self.hear(Event.STATISTICS, before + 1)


def nic_that_says(steps: Callable[[Asking], Steps], **settings: Any) -> tuple[Tigon2, list[Asking]]:
    """A NIC whose driver does `steps` first, and a list with that driver once it runs."""
    drivers: list[Asking] = []

    class Model(Tigon2DriverModel):
        def settings(self) -> DriverSettings:
            return replace(super().settings(), **settings)

        def make_driver(self) -> Asking:
            assert self.card.image is not None
            drivers.append(Asking(loadable_image(self.card.image), self.settings()))
            drivers[0].steps = steps
            return drivers[0]

    class Said(Tigon2):
        driver_model = Model

    return Said(), drivers
