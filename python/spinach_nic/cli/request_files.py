"""Requests in files for `-c FILE`, as TOML or as the result document of a run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec import Struct

from spinach_nic.runs import RunOptions
from spinach_nic.runs.result import Result
from spinach_nic.support.documents import MALFORMED
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import read_file
from spinach_nic.support.options import options_of, plain_text, read_texts

Text = bool | int | float | str
HELP = "the page Running a NIC of the book has an example"


class _RequestFile(Struct, forbid_unknown_fields=True):
    """A request, as TOML."""

    nic: str | None = None
    options: Mapping[str, Text | list[Text]] = msgspec.field(default_factory=dict)
    """Options by their names in Python, written as on the command line; a list is the option given several
    times."""
    parameters: Mapping[str, Text] = msgspec.field(default_factory=dict)
    """Parameters by the path that `--set` takes."""


def read_request(path: Path) -> tuple[str | None, RunOptions]:
    """Return the NIC and the options of a request file. A NIC's file is looked up next to it.

    Raises:
        SpinachError: It cannot be read, or contains an unknown option.
    """
    content = read_file(path, "name a TOML file or a result", what="the request")
    if content.lstrip()[:1] == b"{":
        return _of_result(path, content)
    try:
        asked = msgspec.toml.decode(content, type=_RequestFile)
    except MALFORMED as error:
        raise SpinachError(f"{path}: invalid run configuration: {error}", HELP) from error
    nic = asked.nic
    if nic is not None and nic.endswith(".py"):
        nic = str(path.parent / nic)
    texts = {name: value if isinstance(value, list) else [value] for name, value in asked.options.items()}
    options = {name: _read(path, name, list(map(plain_text, values))) for name, values in texts.items()}
    settings = {name: plain_text(value) for name, value in asked.parameters.items()}
    return nic, cast(RunOptions, options | ({"set": settings} if settings else {}))


def _of_result(path: Path, content: bytes) -> tuple[str, RunOptions]:
    """Return the request of a run from its result document."""
    result = Result.parse(content, path)
    options = {
        name: _read(path, name, [texts] if isinstance(texts, str) else list(texts))
        for name, texts in result.request.items()
        if texts
    }
    return _nic_of(path, result), cast(RunOptions, options)


def _nic_of(path: Path, result: Result) -> str:
    """Return the NIC of a result: a shipped name, or its file where it was, or else next to the result."""
    if result.nic_file is None:
        return result.nic
    places = (Path(result.nic_file), path.parent / Path(result.nic_file).name)
    return next((str(place) for place in places if os.path.isfile(place)), result.nic_file)


def _read(path: Path, name: str, texts: list[str]) -> Any:
    flags = {known: option.flag for known, option in options_of(RunOptions).items() if option.flag}
    if name not in flags:
        help = f"the options are {', '.join(flags)}; parameters of the NIC are under [parameters]"
        raise SpinachError(f"{path} has {name!r}, which is not an option of the command", help)
    if flags[name].gather is None and len(texts) != 1:
        raise SpinachError(f"{path} gives {name} {len(texts)} values", "give one")
    try:
        return read_texts(flags[name], texts)
    except ValueError as error:
        raise SpinachError(f"{path}: {name}: {error}", "write it as on the command line") from error
