"""Checkpoints of servers with cards made of modules."""

from __future__ import annotations

import re
from collections.abc import Sequence

from spinach_nic.benches.server import ServerBench
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
_OTHER_MODEL = "this checkpoint was taken of another model"
"""Beginning of the error of the engine for a checkpoint with another fingerprint."""

_OTHER_FILES = re.compile(r"node\[(\d)\]\.server: its server has (.*)")
"""Number of a server whose disk or shared folder differs, and what it has, in an error of the engine."""


class SavedServers(Saved, frozen=True, kw_only=True):
    """Servers with cards made of modules at the moment at which they were saved."""

    magic = MODULES_MAGIC
    noun = "a checkpoint of servers with cards made of modules"

    kernel: bytes
    starts: tuple[tuple[bytes, str], ...]
    """Initramfs and command line of each server."""
    state: bytes
    """State of the simulation."""
    model: ComparedModel | None = None
    """Model of the servers, if it is recorded."""
    cards: tuple[InsertedCard, ...] = ()
    """Card of each server, if they are recorded."""

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
                if has := _OTHER_FILES.search(error.message):
                    raise self._other_files(has[1], has[2], now) from error
                # A checkpoint without a model has only its fingerprint.
                if self.model is not None or not error.message.startswith(_OTHER_MODEL):
                    raise
        message = "this is a checkpoint of servers with another configuration"
        raise SpinachError(f"{message}: {listed(found)}" if found else message, _REPEAT)

    def check_address(self, node: int, arguments: str) -> None:
        """Check the address in the command line that a server would have.

        Raises:
            SpinachError: The saved one has another address.
        """
        then, now = (_ADDRESS.findall(text)[-1:] for text in (self.starts[node][1], arguments))
        if then and now and then != now:
            message = f"this is a checkpoint of a server with the address {then[0]}, not {now[0]}"
            raise SpinachError(message, f"give --address {then[0]}")

    def _other_files(self, node: str, has: str, now: ComparedModel) -> SpinachError:
        """Return the error of a server whose disk or shared folder is not that of the saved one."""
        paths = [f"node[{node}].{name}" for name in ("disk", "share")]
        then = self.model.config if self.model else {}
        pairs = [(then.get(path), now.config[path] or "empty") for path in paths]
        given = "; ".join(
            difference(path, old, new)
            for path, (old, new) in zip(paths, pairs, strict=True)
            if old not in (None, "", new)
        )
        message = f"this is a checkpoint of a server that has {has}" + (f": {given}" if given else "")
        return SpinachError(message, "repeat the --root and --share of the run that saved it")

    def _differences(self, now: ComparedModel, cards: Sequence[InsertedCard]) -> list[str]:
        variable = [f"node[{node}].{name}" for node in range(len(cards)) for name in ServerBench.variable]
        found = self.model.differences(now, variable) if self.model else []
        if len(self.cards) != len(cards):
            return found
        pairs = list(zip(self.cards, cards, strict=True))
        # A card may have been renamed.
        others = [
            difference(f"the card of server {node}", then.name, card.name)
            for node, (then, card) in enumerate(pairs, 1)
            if then.name != card.name
        ]
        if found and others:
            return others
        images = [
            difference(f"the firmware of server {node}", _image_name(then), _image_name(card))
            for node, (then, card) in enumerate(pairs, 1)
            if then.firmware != card.firmware
        ]
        if images and self.model:
            # Other differences of the model may follow from the firmware.
            return [*images, *self.model.changed_parameters(now, variable)]
        return found


def _image_name(card: InsertedCard) -> str | None:
    return None if card.firmware is None else card.firmware.name
