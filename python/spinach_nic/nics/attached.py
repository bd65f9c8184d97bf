"""Cards without a model of a host: a guest outside has them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import ClassVar

from spinach_nic import _native
from spinach_nic.composition import Component
from spinach_nic.errors import SpinachError
from spinach_nic.firmware import Executable, build, write_container
from spinach_nic.library import GuestHost, LiveWire


class AttachedCard(Component):
    """A card, with the modules that stand for its guest and for the far end of its link."""

    nic: ClassVar[str] = ""
    """What `spinach attach` calls it."""
    summary: ClassVar[str] = ""
    """What it is, in one line."""
    driver: ClassVar[str] = ""
    """The module of the Linux kernel that drives it."""
    driver_sources: ClassVar[str] = ""
    """The folder of that module among the firmware; empty for a module that the kernel has."""
    firmware_name: ClassVar[str] = ""
    """The file that the driver loads into the card; empty if firmware is in place before the guest starts."""
    default_firmware: ClassVar[str] = ""
    """The image in that file, or in place, unless another is asked for."""

    def ends(self) -> tuple[GuestHost, LiveWire]:
        """What stands for the guest, and for the far end of the link."""
        raise SpinachError(f"{type(self).__name__} does not say where it ends", "define its method ends()")

    def check_firmware(self) -> None:
        """See that the driver of a guest can do with what is in place, once it is.

        Raises:
            SpinachError: It is firmware for this card, but not for the driver.
        """


def attached_card(nic: str) -> AttachedCard:
    """The card of a shipped NIC, for a guest.

    Raises:
        SpinachError: No guest can have it.
    """
    from spinach_nic.nics.ricenic.attached import AttachedRicenic
    from spinach_nic.nics.tigon2.attached import AttachedTigon2

    cards: dict[str, type[AttachedCard]] = {card.nic: card for card in (AttachedTigon2, AttachedRicenic)}
    if nic not in cards:
        raise SpinachError(f"no guest can have {nic!r}", _native.suggest(nic, list(cards)))
    return cards[nic]()


def container_of(card: AttachedCard, firmware: str | None, folder: Path) -> Path:
    """The file that the driver loads.

    Args:
        card: For this card.
        firmware: The name of an image, or such a file; the card's own if not given.
        folder: Where it is made.

    Raises:
        SpinachError: There is no such image, or it cannot be built.
    """
    if firmware is not None and os.path.isfile(firmware):
        return Path(firmware)
    default = Path(card.default_firmware)
    image = build(str(default.parent / (firmware or default.name)))
    container = folder / "firmware.bin"
    write_container(Executable.load(image.path), container)
    return container
