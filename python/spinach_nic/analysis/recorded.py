"""The folder that a traced run leaves."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from spinach_nic.analysis.traces import access_agents
from spinach_nic.errors import SpinachError
from spinach_nic.result import Result


@dataclass(frozen=True)
class RecordedRun:
    """What `spinach trace` and `run(..., traces=FOLDER)` leave in a folder."""

    folder: Path

    @property
    def instructions(self) -> Path:
        """The instruction trace of all cores."""
        return self.folder / "instructions.parquet"

    @property
    def accesses(self) -> Path:
        """The access trace of everything else that shares the memory of the cores, such as assists."""
        return self.folder / "accesses.parquet"

    @property
    def files(self) -> tuple[Path, ...]:
        """All of them."""
        return self.instructions, self.accesses, self.image, self.metadata_path, self.result_path

    @property
    def image(self) -> Path:
        """The firmware, an ELF file."""
        return self.folder / "firmware.elf"

    @property
    def metadata_path(self) -> Path:
        """The ranges of addresses of the data on frames that cores and assists share."""
        return self.folder / "metadata.json"

    @property
    def metadata(self) -> list[tuple[int, int]]:
        """The ranges, first and last address of each; none if all that was traced is such data."""
        ranges = self._read(self.metadata_path)
        try:
            return [(int(first), int(last)) for first, last in ranges]
        except (TypeError, ValueError, OverflowError) as error:
            message = f"{self.metadata_path} is no list of ranges of addresses"
            raise SpinachError(message, "trace the run again") from error

    @property
    def result_path(self) -> Path:
        """The result document of the run."""
        return self.folder / "result.json"

    @cached_property
    def result(self) -> Result:
        """What the run did.

        Raises:
            SpinachError: There is none: the folder is not of a traced run, or the run did not end.
        """
        try:
            return Result.read(self.result_path)
        except OSError as error:
            raise self._missing(self.result_path) from error

    def default_caches(self) -> list[list[str]]:
        """The agents by cache, as in figure 3 of `hpca05-nic`.

        Each core has a cache, and so has each kind of assist: those whose names begin with the same word
        share one, as `dma_read` and `dma_write`.
        """
        kinds: dict[str, list[str]] = {}
        for agent in access_agents(self.accesses):
            kinds.setdefault(agent.partition("_")[0], []).append(agent)
        return [[f"core{number}"] for number in range(self.cores)] + list(kinds.values())

    def _read(self, path: Path) -> Any:
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise self._missing(path) from error
        except (ValueError, RecursionError) as error:
            raise SpinachError(f"{path} cannot be read: {error}", "trace the run again") from error

    def _missing(self, path: Path) -> SpinachError:
        message = f"{self.folder} is not the folder of a traced run: no {path.name}"
        return SpinachError(message, "make one with `spinach trace NIC -o DIRECTORY`")

    @property
    def frames(self) -> int:
        """How many frames the run delivered, both directions together."""
        return sum(self.result.frames.delivered.values())

    @property
    def cores(self) -> int:
        """How many cores the run had."""
        return len(self.result.cores)
