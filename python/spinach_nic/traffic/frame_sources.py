"""Sources of frames: UDP datagrams, TCP segments, raw Ethernet frames, captures, and mixes of these.

A source determines the frames; `spinach_nic.traffic` adds direction, rate and number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from ipaddress import AddressValueError, IPv4Address
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, get_args

from spinach_nic import _native
from spinach_nic.support.arguments import Within, check_fields
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.limits import parse_whole, shortened
from spinach_nic.support.records import Record
from spinach_nic.support.representations import ShowsChanges

Payload = Literal["random", "zeros", "counting"]
"""Content of frames: random bytes that differ from frame to frame, zeros, or bytes that count up from 0."""

SIZES = Within(0, 999_999)
"""Sizes of payloads; the checks of a plan reject those that a NIC does not pass."""
WEIGHTS = Within(0, 10**9)
FLOWS = Within(1, 2**32 - 1)
PAYLOADS = Within(1, 2**16)
PUSHES = Within(1, 2**32 - 1)
PORTS = Within(0, 65535)
STEPS = Within(0, 2**32 - 1)

ETHERNET_HEADER_BYTES = 14
UDP_HEADER_BYTES = 42
"""Header bytes of Ethernet, IPv4 and UDP together."""
TCP_HEADER_BYTES = 54
"""Header bytes of Ethernet, IPv4 and TCP without options together."""

_LOOP = ":loop"
_MAC_ADDRESS = re.compile(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}")


@dataclass(frozen=True, init=False, repr=False, eq=False)
class _Sized(ShowsChanges):
    """Common settings of sources of generated frames."""

    kind: ClassVar[str]
    header_bytes: ClassVar[int]

    sizes: tuple[Annotated[int, SIZES], ...]
    """Bytes after the headers; one of several sizes is chosen at random for each frame."""
    weights: tuple[Annotated[int, WEIGHTS], ...] = ()
    """Weight of each size; empty for equal weights."""
    payload: Payload = "random"
    """Content of the payload."""
    source_mac: str = "02:00:00:00:00:01"
    """Source MAC address of frames."""
    destination_mac: str = "02:00:00:00:00:02"
    """Destination MAC address of frames."""

    def __post_init__(self) -> None:
        """Reject invalid sources."""
        check_fields(self)
        name = type(self).__name__
        for which in ("source_mac", "destination_mac"):
            _check_mac_address(f"{name}.{which}", getattr(self, which))

    def __str__(self) -> str:
        """Return the form of the command line."""
        settings = _settings_of(self, leaving=("sizes", "weights"))
        said = "".join(f",{name}={value}" for name, value in settings.items())
        sizes = ",".join(map(str, self.sizes))
        weights = f",weights={'/'.join(map(str, self.weights))}" if self.weights else ""
        return f"{self.kind}:{sizes}{weights}{said}"

    def describe(self) -> dict[str, Any]:
        """Return the form of the library's modules, in JSON."""
        return {"kind": self.kind, "sizes": list(self.sizes), **_settings_of(self, leaving=("sizes",))}


@dataclass(frozen=True, init=False, repr=False, eq=False)
class _Datagrams(_Sized):
    """Common settings of UDP and TCP: IPv4 addresses, ports and flows."""

    payloads: Annotated[int, PAYLOADS] | None = None
    """Number of different random payloads, of which each frame carries one at random, as those of a server
    do; 65,536 if not given."""
    flows: Annotated[int, FLOWS] | None = None
    """Over how many flows frames go in turn. Without it there is one, whose source port goes up by 1 every
    65,536 frames, so that each frame says which it is."""
    source_address: str = "10.0.0.1"
    """Addresses and ports are those of the first flow. Each step is added from one flow to the next."""
    source_address_step: Annotated[int, STEPS] = 0
    destination_address: str = "10.0.0.2"
    destination_address_step: Annotated[int, STEPS] = 0
    source_port: Annotated[int, PORTS] = 49152
    source_port_step: Annotated[int, PORTS] = 1
    destination_port: Annotated[int, PORTS] = 9
    destination_port_step: Annotated[int, PORTS] = 0

    def __post_init__(self) -> None:
        """Reject invalid sources."""
        super().__post_init__()
        for which in ("source_address", "destination_address"):
            address = getattr(self, which)
            try:
                IPv4Address(address)
            except AddressValueError:
                name = f"{type(self).__name__}.{which}"
                raise SpinachError(
                    f"{name} = {shortened(address)} is not an IPv4 address", "give one such as 10.0.0.1"
                ) from None


@dataclass(frozen=True, eq=False, repr=False)
class Udp(_Datagrams):
    """UDP datagrams over IPv4. `Udp((1472,))` makes the longest frames of ordinary Ethernet."""

    kind: ClassVar[str] = "udp"
    header_bytes: ClassVar[int] = UDP_HEADER_BYTES


@dataclass(frozen=True, eq=False, repr=False)
class Tcp(_Datagrams):
    """TCP segments with data over IPv4, without options.

    The sequence number goes up, from one segment of a flow to the next, by the longest size: with one size
    the segments of a flow follow each other without gaps.
    """

    kind: ClassVar[str] = "tcp"
    header_bytes: ClassVar[int] = TCP_HEADER_BYTES

    push: Annotated[int, PUSHES] = 1
    """Number of segments of a flow of which the last has the flag PSH, as the end of what a program sends."""


@dataclass(frozen=True, eq=False, repr=False)
class Raw(_Sized):
    """Ethernet frames of a private type, the first 8 bytes behind the header the frame's number."""

    kind: ClassVar[str] = "raw"
    header_bytes: ClassVar[int] = ETHERNET_HEADER_BYTES

    ether_type: Annotated[int, PORTS] = 0x88B5
    """The type field; the default is set aside for experiments (IEEE 802)."""


@dataclass(frozen=True, eq=False, repr=False)
class Capture(Record):
    """The frames of a capture (pcap or pcapng, also with gzip); `-` is standard input."""

    path: Path
    loops: bool = False
    """True to repeat them, as a mix always does; otherwise they are sent once."""

    def __post_init__(self) -> None:
        """Reject invalid sources."""
        check_fields(self)

    def __str__(self) -> str:
        """Return the form of the command line."""
        return f"pcap:{self.path}{_LOOP if self.loops else ''}"


@dataclass(frozen=True, eq=False, repr=False)
class Mix(Record):
    """Mix of several sources: each frame comes from one of them, at random.

    `Mix(((3, Udp((18,))), (1, Tcp((1460,)))))` sends three datagrams per segment.
    """

    parts: tuple[tuple[Annotated[int, WEIGHTS], Udp | Tcp | Raw | Capture], ...]
    """The sources, each with its weight."""

    def __post_init__(self) -> None:
        """Reject invalid sources."""
        check_fields(self)
        if not self.parts:
            raise SpinachError("a mix without parts sends nothing", "give weights and sources")

    def __str__(self) -> str:
        """Return the form of the command line."""
        return "mix:" + "+".join(f"{weight}*{source}" for weight, source in self.parts)


Source = Udp | Tcp | Raw | Capture | Mix
"""Source of frames."""


def captures(source: Source | None) -> tuple[Path, ...]:
    """Return the files that a source reads."""
    if isinstance(source, Mix):
        return tuple(path for _, part in source.parts for path in captures(part))
    return (source.path,) if isinstance(source, Capture) else ()


def check_sizes(source: Source, largest_frame: int) -> None:
    """Reject frames that a NIC does not pass.

    Raises:
        SpinachError: Names the source and the size.
    """
    for part in (part for _, part in source.parts) if isinstance(source, Mix) else (source,):
        if isinstance(part, Capture):
            continue
        if not part.sizes:
            raise SpinachError(
                f"traffic {part} has no sizes and sends nothing", "give bytes of payload, such as udp:1472"
            )
        largest = largest_frame - part.header_bytes
        for size in part.sizes:
            if size > largest:
                what = f"traffic {part}: a payload of {size} bytes makes frames of {size + part.header_bytes}"
                help = f"give at most {largest} bytes of payload, or set largest_frame"
                raise SpinachError(f"{what}; the NIC passes at most {largest_frame}", help)
        # The rest of the checks is the library's: it builds the frames.
        _native.traffic_frames(json.dumps(part.describe()), b"", 0, 0, 0)


def parse_source(text: str, within: str | None = None) -> Source:
    """Parse a source, such as `udp:1472`, `tcp:1448,flows=16` or `mix:3*udp:18+1*tcp:1460`.

    Args:
        text: Text to parse.
        within: Text that an error quotes; `text` by default.

    Raises:
        SpinachError: If it is not a valid source.
    """
    quoted = shortened(text if within is None else within)
    name, colon, argument = text.partition(":")
    if name == "mix" and argument:
        return Mix(tuple(_part(part, quoted, within or text) for part in argument.split("+")))
    if name == "imix" and not colon:
        return IMIX
    if name == "pcap" and argument:
        path = argument.removesuffix(_LOOP)
        return Capture(Path(path), loops=path != argument)
    if name in SIZED and argument:
        return _sized(quoted, SIZED[name], argument)
    raise SpinachError(f"traffic {quoted} is not valid", f"give {FORMS}")


def _part(text: str, quoted: str, within: str) -> tuple[int, Udp | Tcp | Raw | Capture]:
    weight, star, source = text.partition("*")
    is_weighted = star and weight.isascii() and weight.isdigit() and len(weight) <= 9
    parsed = parse_source(source if is_weighted else text, within)
    if isinstance(parsed, Mix):
        raise SpinachError(f"traffic {quoted}: a mix cannot contain a mix", "give the parts instead")
    return int(weight) if is_weighted else 1, parsed


def _sized(quoted: str, kind: type[Udp | Tcp | Raw], argument: str) -> Udp | Tcp | Raw:
    items = argument.split(",")
    sizes = [item for item in items if "=" not in item]
    for size in sizes:
        # Not more digits than a size can have: the checks of the plan say what is too large.
        if not (size.isascii() and size.isdigit() and len(size) <= 6):
            help = f"give bytes of payload, such as {kind.kind}:1472"
            raise SpinachError(f"traffic {quoted}: {shortened(size)} is not a size", help)
    settings: dict[str, Any] = {}
    for name, _, value in (item.partition("=") for item in items if "=" in item):
        known = settings_of(kind)
        if name not in known:
            help = _native.suggest(name, known)
            raise SpinachError(f"traffic {quoted}: {name!r} is not a setting of {kind.kind}", help)
        if name in settings:
            raise SpinachError(f"traffic {quoted}: {name} is given twice", "give it once")
        settings[name] = _setting(quoted, kind, name, value)
    try:
        return kind(tuple(map(int, sizes)), **settings)
    except SpinachError as error:
        message = error.message.removeprefix(f"{kind.__name__}.")
        raise SpinachError(f"traffic {quoted}: {message}", error.help) from None


def _setting(quoted: str, kind: type[Udp | Tcp | Raw], name: str, value: str) -> Any:
    if name == "payload":
        if value not in get_args(Payload):
            help = _native.suggest(value, list(get_args(Payload)))
            raise SpinachError(f"traffic {quoted}: {value!r} is not a kind of payload", help)
        return value
    if isinstance(_default(kind, name), str):
        return value
    numbers = value.split("/") if name == "weights" else [value]
    parsed = tuple(map(parse_whole, numbers))
    if None in parsed:
        raise SpinachError(
            f"traffic {quoted}: {name} = {shortened(value)} is not an integer", f"give {name}=1"
        )
    return parsed if name == "weights" else parsed[0]


def settings_of(kind: type[Udp | Tcp | Raw]) -> list[str]:
    """Return the names of the settings that follow the sizes."""
    return [field.name for field in fields(kind) if field.name != "sizes"]


def _default(kind: type[Udp | Tcp | Raw], name: str) -> Any:
    return next(field.default for field in fields(kind) if field.name == name)


def _settings_of(source: _Sized, leaving: tuple[str, ...]) -> Mapping[str, Any]:
    """Settings that differ from their defaults."""
    values = {
        field.name: getattr(source, field.name)
        for field in fields(source)
        if field.name not in leaving
        and field.default is not MISSING
        and getattr(source, field.name) != field.default
    }
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _check_mac_address(name: str, address: str) -> None:
    if not _MAC_ADDRESS.fullmatch(address):
        help = "give six bytes such as 02:00:00:00:00:01"
        raise SpinachError(f"{name} = {shortened(address)} is not a MAC address", help)


SIZED: Mapping[str, type[Udp | Tcp | Raw]] = {kind.kind: kind for kind in (Udp, Tcp, Raw)}
"""Sources of generated frames, by kind."""
SETTINGS = frozenset(name for kind in SIZED.values() for name in settings_of(kind))
"""The names that may follow the sizes of some source."""

# Payloads that make frames of 64, 594 and 1518 bytes with check sequence, as 7 to 4 to 1: the mix that test
# equipment calls simple IMIX (RFC 6985 names the practice).
IMIX_SIZES = (18, 548, 1472)
IMIX_WEIGHTS = (7, 4, 1)
IMIX = Udp(IMIX_SIZES, IMIX_WEIGHTS)

FORMS = (
    "udp:1472, tcp:1448, raw:46, imix, pcap:FILE, pcap:FILE:loop or mix:3*udp:18+1*tcp:1448, "
    "then :tx or :rx for one direction, then @2Gbps or @500kpps, then faults such as ,bad_crc=1%"
)
