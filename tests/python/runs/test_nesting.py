"""Files whose content is nested too deeply are refused as any other damage."""

import hashlib
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from spinach_nic import SpinachError
from spinach_nic.cli.request_files import read_request
from spinach_nic.runs.reading import read_result
from spinach_nic.runs.saved_servers import SavedServers
from spinach_nic.servers import MODULES_MAGIC
from spinach_nic.studies.sweeping import Description

DEPTH = 100_000
ARRAY_OF_ONE = b"\x91"
"""Begins an array in MessagePack."""


def _packed(content: bytes) -> bytes:
    packed = zlib.compress(content)
    return MODULES_MAGIC + hashlib.sha256(packed).digest() + packed


READERS: dict[str, tuple[bytes, Callable[[Path], object]]] = {
    "result": (b"[" * DEPTH, read_result),
    "request of a result": (b'{"schema": "spinach-result/1", "tx": ' + b"[" * DEPTH, read_request),
    "request": (b"x = " + b"[" * DEPTH, read_request),
    "sweep": (b"x = " + b"[" * DEPTH, Description.read),
    "saved servers": (
        _packed(b"\x81\xa7version" + ARRAY_OF_ONE * DEPTH),
        lambda path: SavedServers.of(str(path), path.read_bytes()),
    ),
    "saved servers, unknown field": (
        _packed(b"\x81\xa7unknown" + ARRAY_OF_ONE * DEPTH),
        lambda path: SavedServers.of(str(path), path.read_bytes()),
    ),
}


@pytest.mark.parametrize("reader", READERS)
def test_content_nested_too_deeply_is_refused(tmp_path: Path, reader: str) -> None:
    content, read = READERS[reader]
    file = tmp_path / "input"
    file.write_bytes(content)
    with pytest.raises(SpinachError):
        read(file)
