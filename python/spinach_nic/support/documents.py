"""Documents that other programs read: JSON written from typed data, and read into it.

A document is a class derived from `Document`; its tag is the name of its schema. Its parts are data classes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Self

import msgspec
from msgspec import Meta, Struct

from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import read_file

MALFORMED = (msgspec.DecodeError, ValueError, RecursionError)
"""Errors of content that is not what it should be, nested too deeply included."""

Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Number = Annotated[float, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, le=1)]


class Document(Struct, frozen=True, kw_only=True, tag_field="schema"):
    """A JSON document with a schema."""

    def document(self) -> dict[str, Any]:
        """Return the document as plain data."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain

    def to_json(self) -> str:
        """Return the document as ASCII text; standard output may take no other characters."""
        return json.dumps(self.document(), indent=2) + "\n"

    @classmethod
    def read(cls, path: Path, help: str = "write it again") -> Self:
        """Read a document of this class.

        Args:
            path: The file.
            help: Instruction for a file that cannot be read.

        Raises:
            SpinachError: The file cannot be read or is not such a document.
        """
        return cls.parse(read_file(path, help), path)

    @classmethod
    def parse(cls, content: bytes, path: Path) -> Self:
        """Parse the content of the file `path`.

        Raises:
            SpinachError: It is not such a document; the message names the place.
        """
        try:
            return msgspec.json.decode(content, type=cls)
        except MALFORMED as error:
            schema = cls.__struct_config__.tag
            message = f"{path} is not a document {schema}: {error}"
            raise SpinachError(message, "write it again") from error
