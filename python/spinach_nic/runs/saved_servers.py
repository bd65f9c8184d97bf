"""Checkpoints of servers with cards made of modules."""

from __future__ import annotations

import re
from collections.abc import Sequence

from spinach_nic.model.simulation import Simulation
from spinach_nic.runs.differences import ComparedModel, difference, listed
from spinach_nic.runs.saved import Saved
from spinach_nic.runs.server_result import InsertedCard
from spinach_nic.servers import MODULES_MAGIC
from spinach_nic.support.errors import CheckpointError, SpinachError

_SAVE_AGAIN = "boot again, and save a checkpoint there"
_REPEAT = f"repeat the options of the run that saved it, or {_SAVE_AGAIN}"
_ADDRESS = re.compile(r"(?<!\S)address=(\S+)")
"""IP address of a server in the command line of its kernel."""


class SavedServers(Saved, frozen=True, kw_only=True):
    """Servers with cards made of modules at the moment at which they were saved."""

    magic = MODULES_MAGIC
    noun = "a checkpoint of servers with cards made of modules"

    kernel: bytes
    starts: tuple[tuple[bytes, str], ...]
    """Initramfs and command line of each server."""
    state: bytes
    """State of the simulation."""
    model: ComparedModel
    """Model of the servers."""
    cards: tuple[InsertedCard, ...]
    """Card of each server."""

    @classmethod
    def of(cls, name: str, content: bytes) -> SavedServers:
        """Return the content of a file.

        Raises:
            SpinachError: It is not such a file of this version of Spinach, or is damaged.
        """
        return cls.unpacked(name, content, _SAVE_AGAIN)

    def restore(self, simulation: Simulation, now: ComparedModel, cards: Sequence[InsertedCard]) -> None:
        """Put servers into the state that was saved.

        Args:
            simulation: The servers.
            now: Their model.
            cards: Card of each.

        Raises:
            SpinachError: They differ from those that were saved, or the file is damaged.
        """
        found = self._differences(now, cards)
        if not found:
            try:
                return simulation.restore(self.state)
            except CheckpointError as error:
                if error.kind == "state" and (files := self._files_of(error.path, now)):
                    raise self._other_files(error, files, now) from error
                raise
        message = "this is a checkpoint of servers with another configuration"
        raise SpinachError(f"{message}: {listed(found)}", _REPEAT)

    def check_address(self, node: int, arguments: str) -> None:
        """Check the address in the command line that a server would have.

        Raises:
            SpinachError: The saved one has another address.
        """
        then, now = (_ADDRESS.findall(text)[-1:] for text in (self.starts[node][1], arguments))
        if then and now and then != now:
            message = f"this is a checkpoint of a server with the address {then[0]}, not {now[0]}"
            raise SpinachError(message, f"give --address {then[0]}")

    def _files_of(self, server: str, now: ComparedModel) -> list[str]:
        """Return the paths of the disk and shared folder of a server, if it has or had one."""
        then = self.model.config
        paths = [f"{server.rpartition('.')[0]}.{name}" for name in ("disk", "share")]
        return paths if any(then.get(path) or now.config.get(path) for path in paths) else []

    def _other_files(self, error: CheckpointError, files: Sequence[str], now: ComparedModel) -> SpinachError:
        """Return the error of a server whose disk or shared folder is not that of the saved one."""
        then = self.model.config
        pairs = ((path, then.get(path), now.config[path] or "empty") for path in files)
        given = [difference(path, old, new) for path, old, new in pairs if old not in (None, "", new)]
        message = f"cannot restore {error.path}: {error.reason}" + (f": {'; '.join(given)}" if given else "")
        return SpinachError(message, "repeat the --root and --share of the run that saved it")

    def _differences(self, now: ComparedModel, cards: Sequence[InsertedCard]) -> list[str]:
        found = self.model.differences(now)
        if len(self.cards) != len(cards):
            return found
        pairs = list(zip(self.cards, cards, strict=True))
        # A user's card may have another name now.
        others = [
            difference(f"the card of server {node}", then.name, card.name)
            for node, (then, card) in enumerate(pairs, 1)
            if then.name != card.name
        ]
        if found and others:
            return others
        images = [
            difference(f"the firmware of server {node}", *_image_names(then, card))
            for node, (then, card) in enumerate(pairs, 1)
            if then.firmware != card.firmware
        ]
        if images:
            # Other differences of the model may follow from the firmware.
            return [*images, *self.model.changed_parameters(now)]
        return found


def _image_names(*cards: InsertedCard) -> list[str | None]:
    """Return the names of the images of cards, with the beginnings of their digests if they are equal."""
    images = [card.firmware for card in cards]
    is_equal = len({image and image.name for image in images}) == 1
    return [None if image is None else image.name + f" ({image.sha256[:8]})" * is_equal for image in images]
