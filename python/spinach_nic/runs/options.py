"""The options of a run, declared once.

The signatures of `run`, `execute` and `profile`, the options of `spinach run`, `trace` and `profile`, the
request in the result document, the commands that reports of experiments show, and the table in the book are
all made from `RunOptions`. A new option is a field here, and a use of it in `execution.py`; an option of an
output is a field of its observer.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, TypedDict

from spinach_nic.runs.checkpoints import SavedFile, SaveRequest
from spinach_nic.runs.console import ConsoleRequest
from spinach_nic.runs.debugging import DebugRequest
from spinach_nic.runs.delays import Delay
from spinach_nic.runs.forms import (
    TIMES,
    output_file,
    read_switch,
    read_time,
    time_flag,
    time_text,
)
from spinach_nic.runs.observers import OBSERVERS, ObserverOptions
from spinach_nic.runs.session import Progress
from spinach_nic.support.arguments import Within
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import output_path
from spinach_nic.support.limits import parse_whole, shortened
from spinach_nic.support.options import Files, Flag, Option, one_text, options_of, read_texts
from spinach_nic.support.units import Quantity, Time, ms, s, us
from spinach_nic.traffic import (
    DEFAULT_TRAFFIC,
    DIRECTIONS,
    FEWEST_MEASURED,
    STANDARD_INPUT,
    Direction,
    Traffic,
    parse_traffic,
)

DEFAULT_FRAMES = 4000
"""Deliveries measured per direction by default: some milliseconds at 10 Gb/s."""
DEFAULT_STALL = ms(20)
"""Exceeds the pauses of hosts and the intervals of timers."""

FRAMES = Within(1, 10**12)
"""Numbers of frames in each direction; the longest run delivers fewer at 10 Gb/s."""
SEEDS = Within(0, 2**62 - 1)
STALLS = Within(us(1), s(1000))


def _read_frames(text: str) -> int | Mapping[Direction, int]:
    if "=" not in text:
        return _read_count(text, text)
    counts: dict[Direction, int] = {}
    for part in text.split(","):
        name, _, number = part.partition("=")
        direction = next((way for way in DIRECTIONS if way == name), None)
        if direction is None or direction in counts:
            raise _no_frames(text)
        counts[direction] = _read_count(number, text)
    return counts


def _read_count(number: str, text: str) -> int:
    count = parse_whole(number)
    if count is None:
        raise _no_frames(text)
    return count


def _no_frames(text: str) -> ValueError:
    return ValueError(f"{shortened(text)} is not a number of frames, such as 4000 or tx=800,rx=4000")


def _frames_text(frames: int | Mapping[Direction, int]) -> str:
    if isinstance(frames, int):
        return str(frames)
    return ",".join(f"{direction}={count}" for direction, count in frames.items())


def _read_seed(text: str) -> int:
    seed = parse_whole(text)
    if seed is None:
        raise ValueError(f"{shortened(text)} is not an integer; give {SEEDS}")
    return seed


def _read_setting(text: str) -> tuple[str, str]:
    """Split at the first equals sign."""
    path, equals, value = text.partition("=")
    if not (path and equals and value):
        raise ValueError(f"{shortened(text)} is not PATH=VALUE, such as cores=6")
    return path, value


def _setting_texts(settings: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(f"{path}={_value_text(value)}" for path, value in settings.items())


def _value_text(value: Any) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return ",".join(map(_value_text, value))
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float | Fraction | Quantity):
        return str(value)
    # Texts of other objects differ from process to process.
    return str(getattr(value, "__qualname__", type(value).__qualname__))


def _read_saving(text: str) -> SaveRequest:
    parts = re.fullmatch(r"([\d.]+ ?\w+) (.+)", text, re.DOTALL)
    if parts is None:
        raise ValueError(f"{shortened(text)} is not TIME FILE, such as 2ms warm.checkpoint")
    return SaveRequest(read_time(parts[1]), output_path(parts[2]))


def _saving_text(saving: SaveRequest) -> str:
    return f"{time_text(saving.time)} {saving.path}"


Asked = Traffic | str | Sequence[Traffic | str]


def _each(asked: Asked) -> list[Traffic | str]:
    return [asked] if isinstance(asked, Traffic | str) else list(asked)


def traffic_of(asked: Asked) -> list[Traffic]:
    """Return the requested traffic, parsed.

    Raises:
        SpinachError: A text is not valid traffic.
    """
    return [parse_traffic(one) if isinstance(one, str) else one for one in _each(asked)]


def _traffic_texts(asked: Asked) -> tuple[str, ...]:
    return tuple(map(str, traffic_of(asked)))


def _captures_of(asked: Asked) -> list[Path]:
    named = (path for item in traffic_of(asked) for path in item.captures)
    return [path for path in dict.fromkeys(named) if str(path) != STANDARD_INPUT]


def _existing(name: str | Path) -> list[str | Path]:
    """Return the file of this name, if there is one; other names are those of images."""
    return [name] if os.path.isfile(name) else []


def _delay_texts(delays: Sequence[Delay]) -> tuple[str, ...]:
    return tuple(map(str, delays))


class _RequestOptions(TypedDict, total=False):
    """Options before those of observers."""

    traffic: Annotated[
        Traffic | str | Sequence[Traffic | str],
        Option(
            "Send this traffic. Repeat it to give each direction its own traffic.",
            default=DEFAULT_TRAFFIC,
            section="Traffic",
            flag=Flag(
                "--traffic",
                "SPEC",
                parse=str,
                show=lambda asked: [str(one) for one in _each(asked)],
                gather=list,
                help="udp:BYTES, imix, pcap:FILE or pcap:FILE:loop; then :tx or :rx for one way; then @RATE, "
                "as @2Gbps or @500kpps; then faults of frames from the wire, as ,bad_crc=1%,lost=1%.",
            ),
            record=_traffic_texts,
            files=Files(is_output=False, what="the capture to send", paths=_captures_of),
        ),
    ]
    frames: Annotated[
        Annotated[int, FRAMES] | Mapping[Direction, Annotated[int, FRAMES]] | None,
        Option(
            "Measure this many deliveries in each direction, or in the given ones; sources send until then, "
            "and a direction without a number sends nothing. "
            f"With fewer than {FEWEST_MEASURED}, exactly that many frames are sent and no rate is reported.",
            default=None,
            default_text=f"{DEFAULT_FRAMES} if no time is given and no capture is sent once",
            section="Limits",
            flag=Flag("--frames", "N|tx=N,rx=M", _read_frames, lambda frames: [_frames_text(frames)]),
            record=_frames_text,
        ),
    ]
    time: Annotated[
        Annotated[Time, TIMES] | str | None,
        Option(
            "Stop after this simulated time.",
            default=None,
            section="Limits",
            flag=time_flag("--time", "Example: 2ms."),
            record=time_text,
        ),
    ]
    seed: Annotated[
        Annotated[int, SEEDS],
        Option(
            "Seed sizes and contents of the frames.",
            default=1,
            section="Traffic",
            flag=Flag("--seed", "N", _read_seed, one_text),
            record=str,
        ),
    ]
    set: Annotated[
        Mapping[str, Any] | None,
        Option(
            "Set a parameter of the NIC or of a part, by path.",
            default=None,
            section="Configuration",
            flag=Flag(
                "--set", "PATH=VALUE", _read_setting, _setting_texts, gather=dict, help="Example: cores=6."
            ),
            record=_setting_texts,
        ),
    ]
    firmware: Annotated[
        str | Path | None,
        Option(
            "Load this firmware: an image of the NIC by name, or a file that the NIC reads.",
            default=None,
            default_text="the NIC's",
            section="Configuration",
            flag=Flag("--firmware", "NAME|FILE", str, one_text),
            record=str,
            files=Files(is_output=False, what="the firmware", paths=_existing),
        ),
    ]
    wire: Annotated[
        str | None,
        Option(
            "Connect the link to a device of this machine: frames leave to it and arrive from it, and "
            "simulated time never overtakes wall time; or to a network of SimBricks, whose time it follows.",
            default=None,
            section="Live devices",
            flag=Flag(
                "--wire",
                "DEVICE",
                str,
                one_text,
                once="the link leads to one device; give one",
                help="tap:NAME, interface:NAME, stream:SOCKET or simbricks:CONNECTION.",
            ),
        ),
    ]
    host: Annotated[
        str | None,
        Option(
            "Connect the driver of the NIC to a device of this machine, in the same way.",
            default=None,
            section="Live devices",
            flag=Flag(
                "--host",
                "DEVICE",
                str,
                one_text,
                once="the driver has one device; give one",
                help="Same form as --wire.",
            ),
        ),
    ]
    record: Annotated[
        str | Path | None,
        output_file(
            "--record",
            "Write the frames that arrive from devices, with their times of arrival (pcapng).",
            "the recording to write",
            section="Live devices",
        ),
    ]
    replay: Annotated[
        str | Path | None,
        Option(
            "Repeat the arrivals of a file that a run wrote with --record, without a device or guest.",
            default=None,
            section="Live devices",
            flag=Flag("--replay", "FILE", Path, one_text),
            files=Files(is_output=False, what="the recording to replay"),
        ),
    ]
    save_at: Annotated[
        SaveRequest | None,
        Option(
            "Save the run to a file at this time, and continue.",
            default=None,
            section="Checkpoints",
            flag=Flag(
                "--save-at",
                "TIME FILE",
                _read_saving,
                lambda saving: [_saving_text(saving)],
                words=2,
                help="Example: 2ms warm.checkpoint.",
            ),
            files=Files(is_output=True, what="the checkpoint to write", paths=lambda saving: [saving.path]),
        ),
    ]
    restore: Annotated[
        str | Path | SavedFile | None,
        Option(
            "Continue a saved run. Options not given are inherited from it; frames and time only if you give "
            "neither.",
            default=None,
            section="Checkpoints",
            flag=Flag("--restore", "FILE", Path, one_text),
            record=str,
            files=Files(is_output=False, what="the checkpoint to restore"),
        ),
    ]


class RunOptions(_RequestOptions, ObserverOptions, total=False):
    """Options of a run, besides the NIC."""

    stall_after: Annotated[
        Annotated[Time, STALLS] | str,
        Option(
            "Fail the run after this simulated time without progress of a direction that has frames.",
            default=DEFAULT_STALL,
            section="Limits",
            flag=time_flag("--stall-after"),
            record=time_text,
        ),
    ]
    progress: Annotated[
        Callable[[Progress], None] | None,
        Option("Callable that receives the progress of the run about twenty times a second.", default=None),
    ]
    sleeping: Annotated[bool, Option("Let idle modules sleep; results are the same.", default=True)]
    debugger: Annotated[
        DebugRequest | None,
        Option("Wait for the client of this debug server, which then controls the run.", default=None),
    ]
    console: Annotated[
        ConsoleRequest | None,
        Option("Connect this console client to the serial line of the card.", default=None),
    ]
    idle_skip: Annotated[
        bool,
        Option(
            "Skip time in which all activity repeats itself, such as polling cores; results are the same.",
            default=True,
            section="Speed and checks",
            flag=Flag(
                "--no-idle-skip",
                "",
                read_switch,
                one_text,
                help="Simulate idle time cycle by cycle; slower.",
            ),
        ),
    ]
    fusing: Annotated[
        bool,
        Option(
            "Fuse modules where possible, such as a crossbar and its banks; results are the same.",
            default=True,
            section="Speed and checks",
            flag=Flag(
                "--no-fusing", "", read_switch, one_text, help="Simulate every module separately; slower."
            ),
        ),
    ]
    delays: Annotated[
        Sequence[Delay],
        Option(
            "Pause cores at these places in the firmware, to find races: `[delay_at(...)]`.",
            default=(),
            record=_delay_texts,
        ),
    ]


RECORDED = ("record", "replay")
"""Options of runs whose input from outside is written or read."""
LIVE = ("wire", "host", *RECORDED)
"""Options of runs that are connected to the outside."""


def options_without(ability: str) -> tuple[str, ...]:
    """Return the options of the observers that lack an ability."""
    return tuple(name for one in OBSERVERS if not getattr(one, ability) for name in options_of(one.Options))


def refused_by_debugger() -> tuple[str, ...]:
    """Return the options that a debugged run refuses.

    It may go back in time: what it does twice is not written or saved twice, nor received from outside.
    """
    return (*options_without("works_with_debugger"), *LIVE, "console", "save_at")


def completed(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the given options, and those inherited from the saved run.

    Frames and time, which end a run, are inherited together or not at all; parameters one by one.

    Raises:
        SpinachError: The checkpoint cannot be read.
    """
    if options.get("restore") is None:
        return options
    asked = {name: value for name, value in options.items() if value is not None}
    kept: dict[str, Any] = {}
    given = options["restore"]
    origin = given if isinstance(given, SavedFile) else SavedFile.read(Path(given))
    known = options_of(RunOptions)
    for name, texts in origin.saved.request.items():
        if name not in known:
            message = f"the checkpoint is of a run with the option {name!r}, which does not exist"
            raise SpinachError(message, "save the run again")
        flag = known[name].flag
        if flag is None or name == "restore":
            continue  # what only Python has cannot be saved; see `SavedRun`
        if texts:
            kept[name] = read_texts(flag, [texts] if isinstance(texts, str) else texts)
    if {"frames", "time"} & asked.keys():
        kept = {name: value for name, value in kept.items() if name not in ("frames", "time")}
    settings = {**kept.get("set", {}), **asked.get("set", {})}
    return {**kept, **asked, "restore": origin} | ({"set": settings} if settings else {})
