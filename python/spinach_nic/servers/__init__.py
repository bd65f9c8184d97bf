"""Servers that boot an operating system: what there is, what they start with, and their console."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace

from spinach_nic import __version__, _native
from spinach_nic.cache import Cache
from spinach_nic.errors import SpinachError
from spinach_nic.servers.linux import Linux
from spinach_nic.units import MiB, Size

SLICE_CYCLES = 5_000_000
"""How long a server runs before somebody looks at its console."""
PATIENCE_S = 60.0
"""How many simulated seconds a kernel may take to say that it is ready."""
CHECKPOINTS = "servers"
"""The kind of entries of the cache."""


@dataclass(frozen=True)
class Configuration:
    """What a server consists of."""

    harts: int
    memory: Size


SERVERS = {"rv64": Configuration(harts=1, memory=MiB(128))}
"""The servers, by name."""


def configuration_of(name: str, harts: int | None = None, memory: Size | None = None) -> Configuration:
    """The server called `name`, with other harts or another memory if these are given.

    Raises:
        SpinachError: There is no such server.
    """
    if name not in SERVERS:
        raise SpinachError(f"no server is called {name}", f"the servers are {', '.join(SERVERS)}")
    found = SERVERS[name]
    return replace(found, harts=harts or found.harts, memory=memory or found.memory)


def start(configuration: Configuration, linux: Linux) -> _native.Server:
    """A server about to execute the first instruction of a kernel.

    Raises:
        SpinachError: The kernel is none, or the server is too small for it.
    """
    return _native.Server.boot(
        linux.name,
        linux.kernel,
        linux.files,
        linux.arguments,
        configuration.harts,
        configuration.memory.bytes,
    )


def run_until(server: _native.Server, text: bytes, show: Callable[[bytes], None]) -> None:
    """Run until the server has printed `text`; `show` is given all that it prints.

    Raises:
        SpinachError: It ends before that, or does not print it in `PATIENCE_S` simulated seconds.
    """
    printed = b""
    begin, hertz = server.time()
    while text not in printed:
        state = server.run(SLICE_CYCLES)
        output = server.take_output()
        show(output)
        printed += output
        if text in printed:
            return
        asked = f"it had printed {text.decode(errors='replace')!r}"
        if state in ("off", "failed"):
            raise SpinachError(f"the server ended before {asked}", "see what it printed")
        if server.time()[0] - begin > PATIENCE_S * hertz:
            message = f"the server ran for {PATIENCE_S:g} simulated seconds before {asked}"
            raise SpinachError(message, "see what it printed")


def booted(configuration: Configuration, linux: Linux, show: Callable[[bytes], None]) -> _native.Server:
    """A server that is ready for commands: from the checkpoint that is kept of it, or booted, and then kept.

    Args:
        configuration: What it consists of.
        linux: What it starts with.
        show: Is given what it prints while it boots.

    Raises:
        SpinachError: It cannot be started, or does not become ready.
    """
    cache, size = Cache(), (configuration.harts, configuration.memory.bytes)
    made_from = repr((__version__, size, linux.arguments)).encode()
    for content in (made_from, linux.kernel, linux.files):
        made_from = hashlib.sha256(made_from + hashlib.sha256(content).digest()).digest()
    with cache.in_use():
        if found := cache.find(CHECKPOINTS, made_from.hex(), "checkpoint"):
            return _native.Server.restore(str(found[0]), found[1], *size)
        server = start(configuration, linux)
        run_until(server, linux.ready, show)
        cache.keep(CHECKPOINTS, made_from.hex(), "checkpoint", server.save())
    return server
