"""Traces of a run: a folder with what its cores executed, what its assists accessed, and what it gave."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from spinach_nic.analysis.recorded import RecordedRun
from spinach_nic.errors import SpinachError
from spinach_nic.files import write_output
from spinach_nic.firmware import Executable
from spinach_nic.nics.base import Nic
from spinach_nic.result import Result
from spinach_nic.running.images import ChosenImage
from spinach_nic.running.tasks import task_ranges
from spinach_nic.simulation import Simulation


def begin_traces(
    simulation: Simulation, nic: Nic, image: ChosenImage | None, folder: Path
) -> Callable[[Result], None]:
    """Trace a run that is about to begin; what is returned completes the folder with the run's result.

    Until then the folder holds what it held before, and the traces as far as they are written.

    Raises:
        SpinachError: The NIC runs no firmware, or the folder cannot be written.
    """
    probes = nic.probes()
    if image is None or not probes.cores:
        raise SpinachError(
            f"{type(nic).__name__} runs no firmware, so there is nothing to trace", "trace a NIC with cores"
        )
    recorded = RecordedRun(folder)
    shared = [[addresses.start, addresses.stop - 1] for addresses in probes.metadata]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        firmware = image.executable.path.read_bytes()
    except OSError as error:
        raise SpinachError(f"cannot write to {folder}: {error.strerror}", "name another folder") from error
    traces = simulation.trace(
        recorded.instructions,
        recorded.accesses,
        probes.cores,
        agents=probes.agents,
        image=image.executable.path,
        tasks=tasks_of_functions(image.executable),
    )

    def complete(result: Result) -> None:
        # While files of two runs lie in the folder it must not look like a complete one.
        with suppress(OSError):
            recorded.result_path.unlink()
        traces.finish()
        for path, content in (
            (recorded.image, firmware),
            (recorded.metadata_path, json.dumps(shared) + "\n"),
            (recorded.result_path, result.to_json()),
        ):
            write_output(path, content, help="name another folder")

    return complete


def tasks_of_functions(executable: Executable) -> dict[str, str]:
    """By function, the task that it begins, as the linker has marked them."""
    ranges = task_ranges(executable)
    return {
        function.name: task
        for function in executable.functions
        for task, pieces in ranges.items()
        if any(function.address in piece for piece in pieces)
    }
