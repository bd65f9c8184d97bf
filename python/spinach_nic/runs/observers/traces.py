"""Traces of a run: a folder with its instruction trace, its access trace and its result."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Self, TypedDict

from spinach_nic.firmware import Executable
from spinach_nic.firmware.container import ContainedExecutable
from spinach_nic.firmware.tasks import code_without_functions, tasks_of, tasks_of_functions
from spinach_nic.runs.observers.base import Observed, Observer
from spinach_nic.runs.result import Result
from spinach_nic.runs.traced_run import TracedRun, TraceMetadata
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import temporary_folder, write_output
from spinach_nic.support.options import Option


class Traces(Observer):
    """Folder with the instructions of cores, the accesses of assists, the firmware and the result.

    Until the run ends the folder holds what it held before, and the traces as far as they are written.
    """

    does = "writes traces"
    is_exclusive = True
    works_in_guests = False

    class Options(TypedDict, total=False):
        """Options of traces."""

        traces: Annotated[
            str | Path | None,
            Option(
                "Write the instructions of the cores and the references of the assists to words to this "
                "folder, as `spinach trace -o` does; `TracedRun` reads it.",
                default=None,
            ),
        ]

    def __init__(self, folder: Path) -> None:
        """Create the observer that writes to `folder`."""
        self.folder = folder
        self._complete: Callable[[Result], None] | None = None

    @classmethod
    def requested(cls, options: Mapping[str, Any]) -> Self | None:
        """Return the observer that options of a run request."""
        return None if options["traces"] is None else cls(Path(options["traces"]))

    @property
    def outputs(self) -> Mapping[str, Path]:
        """Files of the folder, if it exists."""
        if not os.path.isdir(self.folder):
            return {}
        return {f"{file.name} of the traces": file for file in TracedRun(self.folder).files}

    def attach(self, observed: Observed) -> None:
        """Begin both traces."""
        simulation, probes, image = observed.simulation, observed.card.probes, observed.card.image
        if image is None or not probes.cores:
            raise SpinachError(
                f"{observed.title} runs no firmware, so there is nothing to trace", "trace a NIC with cores"
            )
        traced = TracedRun(self.folder)
        kinds: dict[str, list[str]] = {}
        for name, agent in probes.agents.items():
            kinds.setdefault(agent.kind, []).append(name)
        metadata = TraceMetadata(
            shared=tuple((addresses.start, addresses.stop - 1) for addresses in probes.metadata),
            agents=tuple(tuple(names) for names in kinds.values()),
        )
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            firmware = _elf(image.executable)
        except OSError as error:
            message = f"cannot write to {self.folder}: {error.strerror}"
            raise SpinachError(message, "name another folder") from error
        tasks = tasks_of(image.executable)
        with temporary_folder() as place:
            elf = place / traced.image.name
            elf.write_bytes(firmware)
            traces = simulation.trace(
                traced.instructions,
                traced.accesses,
                probes.cores,
                agents={name: agent.module for name, agent in probes.agents.items()},
                image=elf,
                tasks=tasks_of_functions(image.executable),
                code=code_without_functions(image.executable),
                overhead_tasks=[name for name, task in tasks.items() if task.sort != "work"],
            )

        def complete(result: Result) -> None:
            # While files of two runs lie in the folder it must not look like a complete one.
            with suppress(OSError):
                traced.result_path.unlink()
            traces.finish()
            for path, content in (
                (traced.image, firmware),
                (traced.metadata_path, metadata.to_json()),
                (traced.result_path, result.to_json()),
            ):
                write_output(path, content, help="name another folder")

        self._complete = complete

    def finish(self, result: Result | None) -> None:
        """Complete the folder with the result; without one it stays incomplete."""
        if self._complete is not None and result is not None:
            self._complete(result)


def _elf(executable: Executable) -> bytes:
    """Return the firmware as an ELF file, which studies read; the image of a container becomes one."""
    if isinstance(executable, ContainedExecutable):
        return executable.image.to_elf()
    return executable.path.read_bytes()
