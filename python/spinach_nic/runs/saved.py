"""Saved simulations as files: a line that names the kind, a digest, and a packed structure."""

from __future__ import annotations

import hashlib
import zlib
from typing import ClassVar, Self

import msgspec
from msgspec import Struct

from spinach_nic import _native
from spinach_nic.support.documents import MALFORMED
from spinach_nic.support.errors import SpinachError

MOST_BYTES = 2**31
"""Maximum size of the structure in bytes, packed and unpacked."""


class Saved(Struct, frozen=True, kw_only=True):
    """Structure that only the version which wrote it can read."""

    magic: ClassVar[bytes]
    """Beginning of the file."""
    noun: ClassVar[str]
    """Noun in errors, such as `a checkpoint of a run`."""

    version: str
    """Version of Spinach."""

    def packed(self) -> bytes:
        """Return the content of a file.

        Raises:
            SpinachError: The structure is too large.
        """
        structure = msgspec.msgpack.encode(self)
        if len(structure) > MOST_BYTES:
            raise SpinachError(
                f"{self.noun} of {len(structure):,} bytes is larger than {MOST_BYTES:,}",
                "simulate less memory, or save before that much is written",
            )
        packed = zlib.compress(structure, 1)
        return self.magic + hashlib.sha256(packed).digest() + packed

    @classmethod
    def unpacked(cls, name: str, content: bytes, help: str) -> Self:
        """Return the structure in the content of a file.

        Args:
            name: File in errors.
            content: Its content.
            help: Instruction in errors.

        Raises:
            SpinachError: It is not such a file of this version, or is damaged.
        """
        if not content.startswith(cls.magic):
            raise SpinachError(f"{name} is not {cls.noun}", help)
        start = len(cls.magic)
        digest, packed = content[start : start + 32], content[start + 32 :]
        damaged = SpinachError(f"the checkpoint {name} is damaged", "copy it again, or save it again")
        if hashlib.sha256(packed).digest() != digest:
            raise damaged
        try:
            unpacked = zlib.decompressobj().decompress(packed, MOST_BYTES)
            saved = msgspec.msgpack.decode(unpacked, type=cls)
        except (zlib.error, *MALFORMED) as error:
            raise damaged from error
        if saved.version != _native.version():
            message = f"{name} was saved by version {saved.version}, this is {_native.version()}"
            raise SpinachError(message, "save it again with this version")
        return saved
