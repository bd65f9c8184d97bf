"""Traces of a run: a folder with what its cores executed, what its assists accessed, and what it gave."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from spinach_nic.benches.base import Bench
from spinach_nic.firmware import Executable
from spinach_nic.firmware.container import ContainedExecutable
from spinach_nic.firmware.tasks import tasks_of
from spinach_nic.model.simulation import Simulation
from spinach_nic.runs.images import ChosenImage
from spinach_nic.runs.result import Result
from spinach_nic.runs.traced_run import TracedRun, TraceMetadata
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import temporary_folder, write_output


def begin_traces(
    simulation: Simulation, bench: Bench, image: ChosenImage | None, folder: Path
) -> Callable[[Result], None]:
    """Trace a run that is about to begin; what is returned completes the folder with the run's result.

    Until then the folder holds what it held before, and the traces as far as they are written.

    Raises:
        SpinachError: The NIC runs no firmware, or the folder cannot be written.
    """
    probes = bench.probes()
    if image is None or not probes.cores:
        raise SpinachError(
            f"{bench.title} runs no firmware, so there is nothing to trace", "trace a NIC with cores"
        )
    traced = TracedRun(folder)
    kinds: dict[str, list[str]] = {}
    for name, agent in probes.agents.items():
        kinds.setdefault(agent.kind, []).append(name)
    metadata = TraceMetadata(
        shared=tuple((addresses.start, addresses.stop - 1) for addresses in probes.metadata),
        agents=tuple(tuple(names) for names in kinds.values()),
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        firmware = _elf(image.executable)
    except OSError as error:
        raise SpinachError(f"cannot write to {folder}: {error.strerror}", "name another folder") from error
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
            overhead_tasks=[name for name, task in tasks_of(image.executable).items() if task.sort != "work"],
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

    return complete


def _elf(executable: Executable) -> bytes:
    """The firmware as an ELF file, which studies read; the image of a container becomes one."""
    if isinstance(executable, ContainedExecutable):
        return executable.image.to_elf()
    return executable.path.read_bytes()


def tasks_of_functions(executable: Executable) -> dict[str, str]:
    """Return the task that each function begins, as the linker has marked them."""
    tasks = tasks_of(executable)
    return {
        function.name: name
        for function in executable.functions
        for name, task in tasks.items()
        if any(function.address in piece for piece in task.pieces)
    }
