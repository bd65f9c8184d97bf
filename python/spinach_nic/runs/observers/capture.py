"""Captures of runs: frames at the wire and at the host; in a guest, both directions at the wire."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self, TypedDict

from spinach_nic.model.simulation import recorder
from spinach_nic.runs.forms import output_file
from spinach_nic.runs.observers.base import Observed, Observer
from spinach_nic.runs.result import Result
from spinach_nic.support.errors import SpinachError


class Capture(Observer):
    """Frames that leave on the wire and frames that reach the host, with simulated times (pcapng)."""

    does = "captures frames"
    bench_parameters: ClassVar = {"captured": True}

    class Options(TypedDict, total=False):
        """Options of a capture."""

        pcap_out: Annotated[
            str | Path | None,
            output_file(
                "--pcap-out",
                "Write the frames that left on the wire and those that reached the host (pcapng).",
                "the capture to write",
            ),
        ]

    def __init__(self, path: Path) -> None:
        """Create the observer that writes the file `path`."""
        self.path = path
        self._file: recorder.Capture | None = None

    @classmethod
    def requested(cls, options: Mapping[str, Any]) -> Self | None:
        """Return the observer that options of a run request."""
        return None if options["pcap_out"] is None else cls(Path(options["pcap_out"]))

    def attach(self, observed: Observed) -> None:
        """Begin the file."""
        ports = observed.captured
        known = {name: port for name, port in ports.items() if port is not None}
        if len(known) < len(ports):
            missing = " and ".join(name for name in ports if name not in known)
            raise SpinachError(
                f"{observed.title} declares no place to capture frames at the {missing}",
                "give `capture` in the paths of its probes",
            )
        self._file = observed.simulation.capture(self.path, known)

    def finish(self, result: Result | None) -> None:
        """Complete the file."""
        if self._file is not None:
            self._file.finish()
