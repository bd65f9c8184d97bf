"""Frames that a run sends."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

from spinach_nic import _native
from spinach_nic.support.arguments import Within, check_fields, check_within, checked
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import note_inputs
from spinach_nic.support.limits import shortened
from spinach_nic.support.records import Record
from spinach_nic.support.representations import ShowsChanges, amount
from spinach_nic.traffic.described import Described, LiveFrames, Single, Stretches, resolved
from spinach_nic.traffic.frame_sources import (
    ETHERNET_HEADER_BYTES,
    IMIX,
    IMIX_SIZES,
    IMIX_WEIGHTS,
    SETTINGS,
    SIZES,
    UDP_HEADER_BYTES,
    WEIGHTS,
    Capture,
    Mix,
    Raw,
    Source,
    Tcp,
    Udp,
    captures,
    check_sizes,
    parse_source,
)

__all__ = [
    "DEFAULT_TRAFFIC",
    "DIRECTIONS",
    "ENDLESS",
    "FEWEST_MEASURED",
    "FRAME_OVERHEAD_BYTES",
    "IMIX_SIZES",
    "IMIX_WEIGHTS",
    "NO_FAULTS",
    "NO_FRAMES",
    "SHORTEST_FRAME_BYTES",
    "STANDARD_INPUT",
    "UDP_HEADER_BYTES",
    "Capture",
    "Direction",
    "Faults",
    "FramePlan",
    "Mix",
    "Plans",
    "Raw",
    "Source",
    "Tcp",
    "Traffic",
    "Udp",
    "live_frames",
    "parse_traffic",
    "plan_traffic",
]
from spinach_nic.support.units import Gbps, Rate, bps, parse_quantity

Direction = Literal["tx", "rx"]
"""Direction: from the host to the wire, or from the wire to the host."""
DIRECTIONS: tuple[Direction, ...] = ("tx", "rx")

STANDARD_INPUT = "-"
"""File name of a capture from standard input."""
ENDLESS = 2**64 - 1
"""Number of frames of an endless source."""

FEWEST_MEASURED = 100
"""Minimum deliveries in each direction for a rate: ten batches of ten."""

SHORTEST_FRAME_BYTES = 60
"""IEEE 802.3, without frame check sequence."""
LONGEST_FRAME_BYTES = 65535
"""Maximum length for the modules of the library."""
FRAME_OVERHEAD_BYTES = 24
"""Bytes of a frame on the wire in addition to its own: preamble 8, check sequence 4, gap 12 (IEEE 802.3)."""
TAGGED = b"\x81\x00"
"""Type of a frame with the tag of a VLAN (IEEE 802.1Q)."""


MILLION = 10**6
PER_CENT = 10**4
"""Parts per million of one percent."""
SHARES = Within(0, MILLION)
RATES = Within(bps(1), Gbps(100_000))
FRAME_RATES = Within(1, 10**12)
"""Frames a second."""


@dataclass(frozen=True, eq=False, repr=False)
class Faults(ShowsChanges):
    """Numbers of randomly faulty frames from the wire, per million."""

    bad_crc: Annotated[int, SHARES] = 0
    """One bit is wrong, and with it the frame check sequence: the NIC drops the frame."""
    runt: Annotated[int, SHARES] = 0
    """The frame breaks off before its 64th byte, counting the check sequence: the NIC drops it."""
    oversize: Annotated[int, SHARES] = 0
    """The frame is longer than the longest that the NIC passes, and dropped."""
    lost: Annotated[int, SHARES] = 0
    """The frame does not arrive at the NIC."""
    duplicated: Annotated[int, SHARES] = 0
    """The frame arrives twice."""
    reordered: Annotated[int, SHARES] = 0
    """The next frame overtakes this one."""
    delayed: Annotated[int, SHARES] = 0
    """The frame arrives 10 us later, and those behind it wait for it."""

    def __post_init__(self) -> None:
        """Reject invalid fractions."""
        check_fields(self)

    def __bool__(self) -> bool:
        """Return true if there are any faults."""
        return any(vars(self).values())

    def __str__(self) -> str:
        """Return the form of the command line."""
        shares = {name: per_million / PER_CENT for name, per_million in vars(self).items()}
        return "".join(f",{name}={share:g}%" for name, share in shares.items() if share)


NO_FAULTS = Faults()


@dataclass(frozen=True, eq=False, repr=False)
class FramePlan(ShowsChanges):
    """The frames of one direction, in the form of the library's modules."""

    content: Described | None = None
    """Source of the frames; `None` for `frames`, or for no traffic."""
    frames: bytes = field(default=b"", repr=False)
    """The frames of captures: each preceded by its length in 32 bits, big-endian."""
    count: int = ENDLESS
    """Number of frames to send."""
    measured: int = 0
    """Deliveries that the window of the rates needs, after which the source ends; 0 for any number."""
    seed: int = 1
    """Seed of sizes and contents."""
    rate: Rate = bps(0)  # noqa: RUF009, quantities do not change
    """Bits a second on the wire, with preamble and gap; 0 for as many as possible."""
    frame_rate: int = 0
    """Frames a second; 0 for no limit."""
    faults: Faults = NO_FAULTS
    """Faults of the wire."""
    oversize_bytes: int = field(default=0, repr=False)
    """Length of oversize frames."""
    exports: bool = False
    """True if arrived frames are exported to the outside."""
    by_flow: bool = False
    """True if frames of different flows may overtake each other."""
    any_order: bool = False
    """True if all frames may overtake each other."""

    @property
    def traffic(self) -> str:
        """Return the source in JSON, for the modules of the library; empty without one."""
        return "" if self.content is None else json.dumps(self.content.describe())

    def expected(self, prefix: str = "") -> dict[str, Any]:
        """Return the parameters of a module that receives these frames, each name after `prefix`."""
        set_only = {name: True for name in ("exports", "by_flow", "any_order") if getattr(self, name)}
        return self._plan(prefix) | _prefixed(prefix, set_only)

    def overtaking(self, *, by_flow: bool, any_order: bool = False) -> FramePlan:
        """Return the plan with frames that may overtake each other, besides those that already may."""
        return replace(self, by_flow=self.by_flow or by_flow, any_order=self.any_order or any_order)

    def _plan(self, prefix: str) -> dict[str, Any]:
        values = {"traffic": self.traffic, "frames": self.frames}
        return _prefixed(prefix, values | {"count": self.count, "seed": self.seed})

    def source(self, prefix: str = "") -> dict[str, Any]:
        """Return the parameters of a module that sends these frames, each name after `prefix`."""
        return self._plan(prefix) | _prefixed(prefix, {"rate": self.rate, "frame_rate": self.frame_rate})

    def wire_faults(self) -> dict[str, Any]:
        """Return the parameters of the module that puts the faults into these frames."""
        return {
            "seed": self.seed,
            "damaged_per_million": self.faults.bad_crc,
            "shortened_per_million": self.faults.runt,
            "lengthened_per_million": self.faults.oversize,
            "lengthened_to": max(self.oversize_bytes, SHORTEST_FRAME_BYTES),
            "lost_per_million": self.faults.lost,
            "duplicated_per_million": self.faults.duplicated,
            "reordered_per_million": self.faults.reordered,
            "delayed_per_million": self.faults.delayed,
        }

    def built(self, first: int = 0, count: int = 1) -> list[bytes]:
        """Return the frames from number `first` on, without check sequence."""
        count = max(0, min(count, self.count - first))
        return _native.traffic_frames(self.traffic, self.frames, self.seed, first, count)

    @property
    def sources(self) -> tuple[Single, ...]:
        """The source, or each one in a sequence; none for `frames`, or for no traffic."""
        if isinstance(self.content, Stretches):
            return tuple(part.source for part in self.content.parts)
        return () if self.content is None else (self.content,)

    def with_sources(self, change: Callable[[Single], Single]) -> FramePlan:
        """Return the plan with what `change` makes of its source, or of each one in a sequence."""
        content = self.content
        if content is None:
            return self
        changed = content.changed(change) if isinstance(content, Stretches) else change(content)
        return replace(self, content=changed)

    @property
    def is_live(self) -> bool:
        """True if the frames come from outside the simulation."""
        return isinstance(self.content, LiveFrames)

    @property
    def is_silent(self) -> bool:
        """Return true if there are no frames at all."""
        return self.count == 0 or (self.content is None and not self.frames)


NO_FRAMES = FramePlan(count=0)
"""The plan of a direction in which nothing is sent."""


def live_frames(longest: int) -> FramePlan:
    """Return the plan of a direction whose frames come from outside, of at most `longest` bytes."""
    return FramePlan(LiveFrames(longest))


def _prefixed(prefix: str, values: Mapping[str, Any]) -> dict[str, Any]:
    return {prefix + name: value for name, value in values.items()}


@dataclass(frozen=True, eq=False, repr=False)
class Traffic(Record):
    """Traffic requested in one direction or in both, as written or built in Python.

    `Traffic(sizes=(1472,))` is `udp:1472`, `Traffic(source=Tcp((1448,), flows=16))` is `tcp:1448,flows=16`.
    """

    sizes: tuple[Annotated[int, SIZES], ...] = ()
    """Bytes of UDP payload; several sizes are mixed at random. Empty for the frames of a capture."""
    weights: tuple[Annotated[int, WEIGHTS], ...] = ()
    """The weight of each size; none for equal weights."""
    capture: Path | None = None
    """The capture whose frames are sent."""
    directions: tuple[Direction, ...] = DIRECTIONS
    """Directions."""
    rate: Annotated[Rate, RATES] | None = None
    """Bits a second on the wire in each direction, with preamble and gap; as many as possible by default."""
    frame_rate: Annotated[int, FRAME_RATES] | None = None
    """Frames a second in each direction; as many as possible by default."""
    faults: Faults = NO_FAULTS
    """Faults of frames from the wire."""
    source: Source | None = None
    """Source of the frames, in place of `sizes`, `weights` and `capture`."""

    def __post_init__(self) -> None:
        """Reject invalid traffic."""
        check_fields(self)
        if self.source is not None and (self.sizes or self.weights or self.capture is not None):
            help = "give a source, or sizes and weights, or a capture"
            raise SpinachError("Traffic.source excludes sizes, weights and a capture", help)

    @property
    def frame_source(self) -> Source:
        """Return the source of the frames: `source`, or that of `sizes`, `weights` and `capture`."""
        if self.source is not None:
            return self.source
        return Udp(self.sizes, self.weights) if self.capture is None else Capture(self.capture)

    @property
    def captures(self) -> tuple[Path, ...]:
        """The files that it reads."""
        return captures(self.frame_source)

    def __str__(self) -> str:
        """Return the form of the command line."""
        what = "imix" if self.frame_source == IMIX else str(self.frame_source)
        way = f":{self.directions[0]}" if len(self.directions) == 1 else ""
        rate = "" if self.rate is None else f"@{self.rate}".replace(" ", "")
        frame_rate = "" if self.frame_rate is None else f"@{self.frame_rate}pps"
        return f"{what}{way}{rate}{frame_rate}{self.faults}"


DEFAULT_TRAFFIC = Traffic(sizes=(1472,))
"""The largest UDP datagrams of ordinary Ethernet, both ways."""

_FAULT = re.compile(r"(.*),([A-Za-z_]+)=([^,=]*)", re.DOTALL)
_LATE_SETTINGS = re.compile(
    r"(?P<source>.*?)(?P<way>(?::(?:tx|rx))?(?:@[^,:@]*)?)(?P<settings>(?:,[^,:@]+)+)", re.DOTALL
)
"""Settings or sizes that follow the direction or the rate."""
_FRAME_RATE = re.compile(r"([0-9.]+)\s*([kM]?)pps")
_FRAME_RATE_UNITS = {"": 1, "k": 10**3, "M": 10**6}


@checked
def parse_traffic(text: str) -> Traffic:
    """Parse a specification, such as `udp:1472`, `imix:rx@2Gbps` or `pcap:office.pcap:tx@500kpps`.

    | specification | frames |
    |---|---|
    | `udp:1472` | UDP datagrams of 1472 bytes of payload |
    | `udp:18,1472` | datagrams of both sizes, in random order |
    | `tcp:1448` | TCP segments of 1448 bytes of payload |
    | `raw:46` | Ethernet frames of a private type, with 46 bytes after the header |
    | `udp:18,flows=1000` | datagrams of 1000 flows in turn; other settings are those of `Udp`, `Tcp`, `Raw` |
    | `mix:3*udp:18+1*tcp:1448` | three datagrams per segment, in random order |
    | `imix` | the simple Internet mix: frames of 64, 594 and 1518 bytes in the ratio 7 to 4 to 1 |
    | `pcap:FILE` | the frames of a capture (pcap or pcapng, also with gzip), once |
    | `pcap:FILE:loop` | the same, repeated |
    | `pcap:-` | the frames of a capture from standard input |

    Frames are sent in both directions, as fast as the link and the host allow. Add `:tx` (host to wire) or
    `:rx` (wire to host) for one direction, then a rate: `@2Gbps` on the wire with preamble, check sequence
    and gap, or `@500kpps`. Frames from the wire may have faults: `udp:1472:rx,bad_crc=1%,lost=0.5%`, one or
    more of those of `Faults`.

    Raises:
        SpinachError: If it is not valid traffic.
    """
    what, faults = _split_faults(text)
    try:
        return _with_faults(what, faults, text)
    except SpinachError as error:
        late = None if what.startswith("pcap:") else _LATE_SETTINGS.fullmatch(what)
        if late is None or not late["way"]:
            raise
        right = f"{late['source']}{late['settings']}{late['way']}"
        try:
            _with_faults(right, faults, text)
        except SpinachError:
            raise error from None
        place = "direction" if late["way"].startswith(":") else "rate"
        help = f"give settings before the {place}: {right}{text.removeprefix(what)}"
        raise SpinachError(error.message, help) from None


def _with_faults(text: str, faults: Faults, within: str) -> Traffic:
    """Parse a specification without its faults; errors of the source quote `within`."""
    what, pace = _split_rate(text)
    if faults:
        pace["faults"] = faults
    what, directions = _split_direction(what)
    return _traffic(parse_source(what, within), directions, pace)


def _traffic(source: Source, directions: tuple[Direction, ...], pace: Mapping[str, Any]) -> Traffic:
    """Return traffic from a source, in the shortest form."""
    if isinstance(source, Capture) and not source.loops:
        return Traffic(capture=source.path, directions=directions, **pace)
    if isinstance(source, Udp) and source == Udp(source.sizes, source.weights):
        return Traffic(sizes=source.sizes, weights=source.weights, directions=directions, **pace)
    return Traffic(source=source, directions=directions, **pace)


def _split_faults(text: str) -> tuple[str, Faults]:
    what, shares = text, dict[str, int]()
    while found := _FAULT.fullmatch(what):
        # The name of a capture may have commas and equals signs in it.
        if found[1].startswith("pcap:") and not found[3].endswith("%"):
            break
        what, name, share = found.groups()
        if name in SETTINGS:
            return found[0], Faults(**shares)
        if name not in vars(NO_FAULTS):
            help = _native.suggest(name, list(vars(NO_FAULTS)))
            raise SpinachError(f"traffic {text!r}: {name!r} is not a fault", help)
        if name in shares:
            raise SpinachError(f"traffic {text!r}: {name} is given twice", "give it once")
        shares[name] = _per_million(text, share)
    return what, Faults(**shares)


def _per_million(text: str, share: str) -> int:
    percent = re.fullmatch(r"([0-9]{1,3}(?:\.[0-9]{1,4})?)%", share)
    if percent is None or Fraction(percent[1]) > 100:
        help = "give percent with at most four decimals, such as bad_crc=1%"
        raise SpinachError(f"traffic {text!r}: {share!r} is not a percentage of the frames", help)
    return int(Fraction(percent[1]) * PER_CENT)


def _split_rate(text: str) -> tuple[str, dict[str, Any]]:
    what, at, rate = text.rpartition("@")
    if not at:
        return text, {}
    # The name of a capture may have an @ in it.
    if what.startswith("pcap:") and not re.match(r"\s*[0-9.]", rate):
        return text, {}
    frames = _FRAME_RATE.fullmatch(rate.strip())
    if frames is None:
        try:
            parsed = parse_quantity(rate, Rate)
        except SpinachError as error:
            help = "give a rate on the wire such as @2Gbps, or in frames such as @500kpps"
            if late := re.fullmatch(r"(.*):(tx|rx)", rate.strip()):
                help = f"give the direction before the rate: {what}:{late[2]}@{late[1]}"
            raise SpinachError(f"traffic {shortened(text)}: {error.message}", help) from None
        if not parsed:
            raise SpinachError(f"traffic {text!r}: the rate is zero", "omit the traffic instead")
        check_within(f"traffic {text!r}", parsed, RATES)
        return what, {"rate": parsed}
    try:
        # No more digits than a rate can have: the check of the range says what is too large.
        frame_rate = Fraction(frames[1] if len(frames[1]) <= 40 else "0") * _FRAME_RATE_UNITS[frames[2]]
    except ValueError:
        frame_rate = Fraction(0)
    if frame_rate < 1 or frame_rate.denominator != 1:
        help = "give an integer number of frames per second, such as @500kpps"
        raise SpinachError(f"traffic {shortened(text)}: {rate[:40]} is not a frame rate", help)
    check_within(f"traffic {text!r}", frame_rate.numerator, FRAME_RATES)
    return what, {"frame_rate": frame_rate.numerator}


def _split_direction(what: str) -> tuple[str, tuple[Direction, ...]]:
    for direction in DIRECTIONS:
        if what.endswith(f":{direction}"):
            return what.removesuffix(f":{direction}"), (direction,)
    return what, DIRECTIONS


@dataclass(frozen=True, eq=False, repr=False)
class Plans(Record):
    """The frames of both directions, and notes for the user."""

    tx: FramePlan = NO_FRAMES
    rx: FramePlan = NO_FRAMES
    notes: tuple[str, ...] = ()
    """Frames of captures that were padded or left out, and why; one sentence each."""

    def __getitem__(self, direction: Direction) -> FramePlan:
        """Return the plan of one direction."""
        return self.tx if direction == "tx" else self.rx


def plan_traffic(
    asked: Sequence[Traffic | str],
    *,
    frames: int | Mapping[Direction, int] | None,
    seed: int,
    largest_frame: int,
    largest_tagged_frame: int = 0,
) -> Plans:
    """Return the frames of both directions, as parameters of modules.

    Args:
        asked: Traffic, or specifications as text; at most one for each direction.
        frames: Deliveries to measure in each direction, or by direction. Below `FEWEST_MEASURED`,
            exactly this many frames are sent and no rate is measured. `None` for no end.
        seed: Seed of sizes and contents.
        largest_frame: Bytes of the longest frame that the NIC passes, without frame check sequence.
        largest_tagged_frame: The same of frames with the tag of a VLAN; 0 if a tag makes no difference.

    Raises:
        SpinachError: If traffic is invalid, impossible, or given twice.
    """
    plans: dict[Direction, FramePlan] = {}
    notes: dict[str, None] = {}
    longest = max(largest_frame, largest_tagged_frame)
    library = _Captures(largest_frame, longest, notes)
    for item in asked:
        traffic = parse_traffic(item) if isinstance(item, str) else item
        check_sizes(traffic.frame_source, largest_frame)
        base = library.plan(traffic.frame_source)
        base = replace(base, rate=traffic.rate or bps(0), frame_rate=traffic.frame_rate or 0)
        if traffic.faults:
            _check_faults(traffic, longest)
            base = replace(base, faults=traffic.faults, oversize_bytes=longest + 1)
        for direction in traffic.directions:
            if direction in plans:
                help = "give one specification for each direction, such as udp:18:tx and imix:rx"
                raise SpinachError(f"traffic {traffic}: {direction} has traffic already", help)
            # Both directions carry different frames.
            own_seed = 2 * seed + DIRECTIONS.index(direction)
            wanted = frames.get(direction, 0) if isinstance(frames, Mapping) else frames
            if wanted is not None and wanted < FEWEST_MEASURED:
                planned = replace(base, count=min(base.count, wanted))
            else:
                planned = replace(base, measured=wanted or 0)
            plans[direction] = replace(planned, seed=own_seed)
    return Plans(plans.get("tx", NO_FRAMES), plans.get("rx", NO_FRAMES), tuple(notes))


def _check_faults(traffic: Traffic, largest_frame: int) -> None:
    if traffic.directions != ("rx",):
        help = "give faults to :rx only, and separate traffic to :tx"
        raise SpinachError(f"traffic {traffic}: only frames from the wire can have faults", help)
    shares = vars(traffic.faults).values()
    if min(shares) < 0 or sum(shares) > MILLION:
        raise SpinachError(
            f"traffic {traffic}: the percentages add up to more than 100 %", "give 0% to 100% in all"
        )
    if traffic.faults.oversize and largest_frame >= LONGEST_FRAME_BYTES:
        raise SpinachError(f"traffic {traffic}: the NIC accepts the longest frames", "omit oversize")


class _Captures:
    """The captures of a run, each read once for both directions: a pipe gives its frames only once."""

    def __init__(self, largest_frame: int, largest_tagged_frame: int, notes: dict[str, None]) -> None:
        self._largest, self._notes = (largest_frame, largest_tagged_frame), notes
        self._read: dict[Path, list[bytes]] = {}

    def plan(self, source: Source) -> FramePlan:
        """Return the frames of a source, with those of its captures."""
        frames: list[bytes] = []

        def load(path: Path) -> tuple[int, int]:
            if path not in self._read:
                self._read[path] = _captured_frames(path, *self._largest, self._notes)
            first = len(frames)
            frames.extend(self._read[path])
            return first, len(self._read[path])

        if isinstance(source, Capture):
            load(source.path)
            return FramePlan(frames=_framed(frames), count=ENDLESS if source.loops else len(frames))
        return FramePlan(resolved(source, load), _framed(frames))


def _captured_frames(
    path: Path, largest_frame: int, largest_tagged_frame: int, notes: dict[str, None]
) -> list[bytes]:
    if str(path) == STANDARD_INPUT and sys.stdin is not None and sys.stdin.isatty():
        help = "pipe a capture into it: tcpdump -w - | spinach run tengig --traffic pcap:-"
        raise SpinachError("traffic pcap:-: standard input is a terminal", help)
    note_inputs({f"the capture {path} to send": path})
    captured, cut_off, not_ethernet, is_cut_short = _native.read_capture(path)
    passing = [
        frame
        for frame in captured
        if len(frame) <= (largest_tagged_frame if frame[12:14] == TAGGED else largest_frame)
    ]
    frames = [frame for frame in passing if len(frame) >= ETHERNET_HEADER_BYTES]
    too_long = len(captured) - len(passing)
    too_short = len(captured) - len(frames) - too_long
    padded = sum(len(frame) < SHORTEST_FRAME_BYTES for frame in frames)
    whole = len(captured) + cut_off + not_ethernet
    for count, said in (
        (cut_off, "left out: the capture holds only their beginning"),
        (not_ethernet, "left out: they are not from an Ethernet interface"),
        (too_long, f"left out: longer than the {largest_frame} bytes that the NIC passes"),
        (too_short, "left out: shorter than an Ethernet header"),
        (padded, f"padded to {SHORTEST_FRAME_BYTES} bytes"),
    ):
        if count:
            notes[f"{path}: {count} of {amount(whole, 'frame')} {said}"] = None
    if is_cut_short:
        notes[f"{path}: the capture breaks off after {amount(whole, 'frame')}"] = None
    if not frames:
        why = "; ".join(notes) or "it is empty"
        raise SpinachError(f"{path} has no frames to send: {why}", "give a capture of Ethernet frames")
    return frames


def _framed(frames: Sequence[bytes]) -> bytes:
    return b"".join(len(frame).to_bytes(4, "big") + frame for frame in frames)
