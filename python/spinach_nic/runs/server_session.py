"""Sessions of servers: from the start of a conversation or a measurement to the result."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from spinach_nic import _native
from spinach_nic.runs.result import Failure, LiveResult, Setting
from spinach_nic.runs.server_result import (
    BootResult,
    InsertedCard,
    Machines,
    Measurement,
    Measuring,
    Sampling,
    ServersStopped,
    kernel_of,
)
from spinach_nic.servers import console, linux
from spinach_nic.servers.calls import Calls
from spinach_nic.servers.console import Ending
from spinach_nic.servers.linux import Linux, LoadedModule
from spinach_nic.servers.program import Task
from spinach_nic.servers.sampling import Sampler
from spinach_nic.servers.stalls import WatchedLink
from spinach_nic.support import signals
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import write_output
from spinach_nic.support.finishing import finish_each

if TYPE_CHECKING:
    from spinach_nic.servers.outputs import Output

_Servers = TypeVar("_Servers", bound=Machines)


@dataclass(frozen=True, kw_only=True)
class ReadyServers(Generic[_Servers]):
    """Servers that are about to run."""

    machine: _Servers
    linux: Linux | None
    """Boot content; `None` for servers restored from a file."""
    checkpoint: str | None
    """Digest of that file."""
    task: Task | None = None
    typed: bytes | None = None
    """Input of the second server, if the first does a task."""
    module: LoadedModule | None = None
    """Driver of the first server, if it is from a folder."""

    @property
    def functions(self) -> bytes:
        """Functions of the running software; of restored servers those of the kernel of `make linux`."""
        known = self.linux or linux.kept()
        return known.functions if known else b""


class ServerSession:
    """Servers that run, from their start to their result."""

    end: Ending

    def __init__(
        self,
        ready: ReadyServers[Any],
        cards: Sequence[InsertedCard | None],
        save: Path | None = None,
        sampler: Sampler | None = None,
        link: WatchedLink | None = None,
    ) -> None:
        """Begin to count.

        Args:
            ready: The servers.
            cards: Card of each.
            save: File for the checkpoint that a program requests, or else for the end of the run.
            sampler: Runs the servers, if cores are timed in windows only.
            link: Their link, if it is watched for stalls.
        """
        self._ready, self._cards, self._sampler = ready, cards, sampler
        self._link, self._wait = link, ""
        self._machine: Machines = ready.machine
        self._keeper = _Checkpoints(save)
        self._calls = Calls(self._keeper.keep if save is not None else None)
        self._counts, self._began, self._wall_s = Measuring(self._machine), time.monotonic(), 0.0
        self._lines: list[str] = []
        self.stopped: ServersStopped | None = None
        self.unwritten: SpinachError | None = None
        """Reason why an output is missing."""

    def converse(self, machine: _Servers, outputs: Sequence[Output[_Servers]], quiet_s: float) -> None:
        """Connect the terminal until the servers end, the user leaves, or a signal arrives; see `run`.

        Args:
            machine: The servers.
            outputs: Outputs to begin and to complete.
            quiet_s: Simulated seconds without a character after which servers are considered finished, unless
                a program is awaited.
        """
        servers, task, typed = self._sampler or machine, self._ready.task, self._ready.typed
        quiet_s = math.inf if task and task.is_program else quiet_s
        self.run(machine, outputs, lambda: console.converse(servers, quiet_s, self._has_ended, typed))

    def run(self, machine: _Servers, outputs: Sequence[Output[_Servers]], act: Callable[[], Ending]) -> None:
        """Run the servers until an ending, or until a signal arrives.

        Args:
            machine: The servers.
            outputs: Outputs to begin and to complete, whatever ends the servers.
            act: Runs the servers, and returns the ending.

        Raises:
            SpinachError: An output cannot be opened.
        """
        begun: list[Callable[[], None]] = []

        def finish(output: Output[_Servers]) -> None:
            self._lines += output.finish(machine)

        try:
            for output in outputs:
                output.begin(machine)
                begun.append(partial(finish, output))
            with signals.let_in():
                self.end = act()
        except KeyboardInterrupt:
            self.end = "interrupted"
        except ServersStopped as error:
            self.end, self.stopped = "failed", error
        finally:
            self._wall_s = time.monotonic() - self._began
            self.unwritten = finish_each(begun)

    def end_watch(self) -> None:
        """End the watch of the link, once its capture is complete."""
        if self.unwritten is not None:
            self._wait = "the link was not observed, as an output cannot be written"
        elif self._link is not None:
            self._wait = self._link.wait()

    def end_connection(self, disconnect: Callable[[bool], LiveResult | None]) -> LiveResult | None:
        """End the connection of a wire, and return its traffic; `None` if it cannot be ended."""
        try:
            return disconnect(self.end != "interrupted" and self.stopped is None)
        except SpinachError as error:
            # A device that is lost is lost here, too.
            if self.stopped is None:
                self.unwritten = self.unwritten or error
            return None

    def finish(
        self,
        server: str,
        config: Mapping[str, Setting],
        *,
        is_shipped: bool,
        live: LiveResult | None = None,
        measured: Measurement | None = None,
    ) -> BootResult:
        """Save the end of the run, if it is requested; return the result.

        Args:
            server: Name of the servers' configuration.
            config: Configuration as it was.
            is_shipped: True if the kernel is that of `make linux`.
            live: Traffic of the device at the wire, if any.
            measured: Rates of the measured window, if any.
        """
        self._calls.finish()
        ready, machine, counts = self._ready, self._machine, self._counts
        if self.end != "interrupted" and self.stopped is None:
            unsaved = finish_each([lambda: self._keeper.keep_last(machine)])
            self.unwritten = self.unwritten or unsaved
        return BootResult(
            server=server,
            config=config,
            version=_native.version(),
            kernel=kernel_of(ready.linux, is_shipped=is_shipped) if ready.linux else None,
            checkpoint=ready.checkpoint,
            ending=self.end,
            exit_status=self._calls.exit_status,
            complete=self.end not in ("failed", "interrupted"),
            begins_ns=counts.begins_ns,
            simulated_ns=counts.now_ns,
            wall_s=self._wall_s,
            instructions=counts.instructions,
            servers=counts.servers(self._cards),
            regions=tuple(self._calls.regions),
            sampling=Sampling.of(self._sampler, self._wait) if self._sampler else None,
            measured=measured,
            live=live,
            failure=None if self.stopped is None else Failure(self.stopped.message, ""),
        )

    @property
    def lines(self) -> Sequence[str]:
        """Lines about calls of programs and about outputs, for people."""
        return [*(f"note: {note}" for note in self._calls.notes), *self._lines]

    def _has_ended(self) -> bool:
        if self._link is not None:
            self._link.follow()
        self._calls.follow(self._machine)
        return self._calls.exit_status is not None


@dataclass
class _Checkpoints:
    """File of `--save`: the checkpoint that a program requests, or else the end of the run."""

    path: Path | None
    is_kept: bool = False

    def keep(self, content: bytes) -> None:
        """Write a checkpoint."""
        if self.path is not None:
            write_output(self.path, content)
            self.is_kept = True

    def keep_last(self, machine: Machines) -> None:
        """Write the end of the run, unless a program has asked for a checkpoint."""
        if self.path is not None and not self.is_kept:
            self.keep(machine.save())
