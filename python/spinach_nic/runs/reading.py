"""Reader of result documents of any bench."""

from __future__ import annotations

from pathlib import Path

import msgspec

from spinach_nic.runs.guest.result import AttachedResult
from spinach_nic.runs.result import Result, ResultDocument
from spinach_nic.runs.server_result import BootResult
from spinach_nic.support.documents import MALFORMED
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import read_file

HELP = "give a file that --json wrote"


def read_result(path: Path) -> ResultDocument:
    """Read the result document of a run, a guest or a server.

    Raises:
        SpinachError: The file cannot be read or is not such a document.
    """
    content = read_file(path, HELP)
    try:
        return msgspec.json.decode(content, type=Result | AttachedResult | BootResult)
    except MALFORMED as error:
        kinds = " or ".join(str(kind.__struct_config__.tag) for kind in (Result, AttachedResult, BootResult))
        raise SpinachError(f"{path} is not a document {kinds}: {error}", HELP) from error
