"""Folder of a traced run."""

from __future__ import annotations

import json
import os
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from spinach_nic import _native
from spinach_nic.runs.result import Result
from spinach_nic.support.documents import Count, Document
from spinach_nic.support.errors import SpinachError


class TraceMetadata(Document, frozen=True, kw_only=True, tag="spinach-trace/1"):
    """Metadata of a traced run."""

    shared: tuple[tuple[Count, Count], ...]
    """The ranges of addresses of the data on frames that cores and assists share: first and last address.
    None if all that was traced is such data."""
    agents: tuple[tuple[str, ...], ...]
    """The agents other than cores, those of a kind together."""


class TracedRun(Struct, frozen=True, dict=True):
    """Traced run: the folder written by `spinach trace` and `run(..., traces=FOLDER)`."""

    folder: Path

    @property
    def instructions(self) -> Path:
        """The instruction trace of all cores."""
        return self.folder / "instructions.parquet"

    @property
    def accesses(self) -> Path:
        """The access trace of everything else that shares the memory of the cores, such as assists."""
        return self.folder / "accesses.parquet"

    @cached_property
    def incomplete(self) -> tuple[Path, ...]:
        """Traces without their end: the process that wrote them was killed, or the file was cut.

        Raises:
            SpinachError: A trace cannot be read.
        """
        accesses = json.loads(_native.describe_access_trace(self.accesses))
        complete = {self.instructions: self.has_all_instructions, self.accesses: accesses["is_complete"]}
        return tuple(path for path in complete if not complete[path])

    @cached_property
    def has_all_instructions(self) -> bool:
        """True if the instruction trace has its end.

        Raises:
            SpinachError: It cannot be read.
        """
        return bool(json.loads(_native.describe_trace(self.instructions))["is_complete"])

    @property
    def files(self) -> tuple[Path, ...]:
        """Paths of all access traces."""
        return self.instructions, self.accesses, self.image, self.metadata_path, self.result_path

    @property
    def image(self) -> Path:
        """The firmware, an ELF file."""
        return self.folder / "firmware.elf"

    @property
    def metadata_path(self) -> Path:
        """The document of `TraceMetadata`."""
        return self.folder / "metadata.json"

    @cached_property
    def metadata(self) -> TraceMetadata:
        """Metadata that the traces do not contain.

        Raises:
            SpinachError: The folder is not of a traced run.
        """
        self._check_present(self.metadata_path)
        return TraceMetadata.read(self.metadata_path)

    @property
    def result_path(self) -> Path:
        """The result document of the run."""
        return self.folder / "result.json"

    @cached_property
    def result(self) -> Result:
        """Result of the run.

        Raises:
            SpinachError: There is none: the folder is not of a traced run, or the run did not end.
        """
        self._check_present(self.result_path)
        return Result.read(self.result_path)

    def default_caches(self) -> list[list[str]]:
        """Return the agents by cache, as in figure 3 of HPCA 2005: per core and per kind of assist."""
        return [[f"core{number}"] for number in range(self.cores)] + [list(it) for it in self.metadata.agents]

    def _check_present(self, path: Path) -> None:
        if not os.path.isfile(path):
            message = f"{self.folder} is not a folder of traces: no {path.name}"
            raise SpinachError(message, "make one with `spinach trace NIC -o FOLDER`")

    @property
    def frames(self) -> int:
        """Number of frames that the run delivered, both directions together.

        Raises:
            SpinachError: The instruction trace is incomplete, so that the run delivered other frames than it
                has.
        """
        delivered = sum(self.result.frames.delivered.values())
        if not self.has_all_instructions:
            message = f"{self.instructions} is incomplete, so the number of its frames is unknown"
            raise SpinachError(message, "trace the run again")
        return delivered

    @property
    def cores(self) -> int:
        """Number of cores of the run."""
        return len(self.result.cores)
