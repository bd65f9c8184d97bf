"""Lists of IPv4 prefixes for the accelerator of a firewall."""

from __future__ import annotations

from ipaddress import IPv4Network
from pathlib import Path

from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import read_file

DOCUMENTATION = ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")
"""Prefixes that RFC 5737 sets aside for documentation; no packet of the Internet has them."""


def read_prefixes(name: str) -> list[int]:
    """Return the prefixes of a list, as rows of 2 numbers: address, and bits that count.

    Args:
        name: Path of a file with a prefix a line and comments behind `#`; or `documentation`.

    Raises:
        SpinachError: The file cannot be read, or a line is not a prefix.
    """
    if name == "documentation":
        lines = list(DOCUMENTATION)
    else:
        content = read_file(Path(name), "make it a file with a prefix a line", what="list of prefixes")
        lines = content.decode("utf-8", errors="replace").splitlines()
    numbers: list[int] = []
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        try:
            network = IPv4Network(text, strict=False)
        except ValueError:
            raise SpinachError(
                f"{name}, line {number}: {text[:40]!r} is not an IPv4 prefix", "write one such as 10.0.0.0/8"
            ) from None
        numbers += [int(network.network_address), network.prefixlen]
    return numbers
