"""Running a NIC: `run` takes a description and a request, and gives a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from spinach_nic.arguments import checked
from spinach_nic.nics import Nic
from spinach_nic.result import Result
from spinach_nic.running.delays import Delay, delay_at
from spinach_nic.running.errors import FirmwareFault, FrameError, RunError, RunInterrupted, StoppedError
from spinach_nic.running.execution import DEFAULT_FRAMES, Finished, RunOptions, execute
from spinach_nic.running.request import DEFAULT_STALL, FRAMES, SEEDS, STALLS, TIMES
from spinach_nic.running.session import Progress
from spinach_nic.traffic import DEFAULT_TRAFFIC, Direction, Traffic
from spinach_nic.units import Time

__all__ = [
    "DEFAULT_FRAMES",
    "DEFAULT_STALL",
    "Delay",
    "Finished",
    "FirmwareFault",
    "FrameError",
    "Progress",
    "RunError",
    "RunInterrupted",
    "RunOptions",
    "StoppedError",
    "delay_at",
    "execute",
    "run",
]


@checked
def run(
    nic: str | Path | type[Nic] | Nic,
    *,
    traffic: Traffic | str | Sequence[Traffic | str] = DEFAULT_TRAFFIC,
    frames: Annotated[int, FRAMES] | Mapping[Direction, Annotated[int, FRAMES]] | None = None,
    time: Annotated[Time, TIMES] | None = None,
    seed: Annotated[int, SEEDS] = 1,
    set: Mapping[str, Any] | None = None,
    firmware: str | Path | None = None,
    pcap_out: str | Path | None = None,
    traces: str | Path | None = None,
    progress: Callable[[Progress], None] | None = None,
    stall_after: Annotated[Time, STALLS] = DEFAULT_STALL,
    sleeping: bool = True,
    delays: Sequence[Delay] = (),
) -> Result:
    """Simulate a NIC under traffic, and say what it did.

    The run ends when every frame is accounted for, delivered or dropped, or at `time`, whichever comes first.

    Args:
        nic: A shipped name, a Python file that defines a NIC, a class, or a NIC that is not built yet.
        traffic: What is sent, as `udp:1472` or as `Traffic`; several for different traffic each way.
        frames: How many frames are sent in each direction, or by direction as `{"tx": 800, "rx": 4000}`; 4000
            if no time is given either.
        time: How much time is simulated at most.
        seed: Decides sizes and contents of the frames.
        set: Parameters by path, such as `{"cores": 6, "core_clock": "166MHz"}`.
        firmware: The name of an image, or a file that the NIC reads; the NIC's default if not given.
        pcap_out: A pcapng file to write: the frames that left on the wire, and those that reached the host.
        traces: A folder for what the cores execute and the assists access; `RecordedRun` reads it.
        progress: Told how far the run is, about twenty times a second.
        stall_after: For how long nothing may happen to any frame before the run counts as failed.
        sleeping: Whether parts that rest are skipped; never changes a result.
        delays: Places in the firmware at which cores stand still, to look for races: `[delay_at(...)]`.

    Raises:
        SpinachError: If the request is wrong.
        RunError: If the system failed: a `FirmwareFault`, `FrameError` or `StoppedError`, with the result.
        RunInterrupted: If the user interrupts, with the result so far.
    """
    return execute(
        nic,
        traffic=traffic,
        frames=frames,
        time=time,
        seed=seed,
        set=set,
        firmware=firmware,
        pcap_out=pcap_out,
        traces=traces,
        progress=progress,
        stall_after=stall_after,
        sleeping=sleeping,
        delays=delays,
    ).check()
