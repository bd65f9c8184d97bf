"""Simulation of a described system."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Struct

from spinach_nic import _native
from spinach_nic.model import Clock, Component, Module, Part, Port
from spinach_nic.model.description import Description, unconnected_exports
from spinach_nic.model.simulation.conditions import COUNTS, Condition, Counted, Transferred
from spinach_nic.model.simulation.contents import Contents
from spinach_nic.model.simulation.recorder import (
    CacheShape,
    Capture,
    CoherenceHazard,
    CountedRate,
    FrameCounts,
    LineTrace,
    Recorder,
    Timeline,
    Traces,
    Waves,
)
from spinach_nic.model.simulation.statistics import Statistics
from spinach_nic.support.arguments import Within, checked
from spinach_nic.support.errors import ElaborationError, Problem, SpinachError
from spinach_nic.support.memory import check_memory
from spinach_nic.support.representations import amount
from spinach_nic.support.units import Frequency, Size, Time

END_OF_TIME = Time(2**64 - 1)
"""The last moment that can be simulated, after about five hours."""

ADDRESSES = Within(0, 2**63 - 1)
LANES = Within(0, 2**32 - 1)
THREADS = Within(1, 1024)

MEMORIES: Mapping[str, Sequence[str]] = {
    "multiported_memory": ("size",),
    "packet_mover": ("packet_memory", "data_memory"),
    "private_memory": ("size",),
    "scripted_host": ("memory_size",),
    "server": ("memory_size",),
    "shared_memory": ("size",),
}
"""Parameters that size the memory of a module, by kind."""

ProgressCallback = Callable[[Time, Time], None]
"""Called with the current time and the end of the run."""


class Outcome(Struct, frozen=True):
    """Outcome of a run."""

    reason: Literal["reached", "condition", "paused", "stopped", "deadlocked", "ended", "lost"]
    """End of a run: the time was reached, the condition holds, a module paused it, a module stopped it for
    good, nothing moves, another simulator ended it, or was lost."""
    details: str
    """Reason of the module that stopped it, or the waits of modules for each other."""

    def __bool__(self) -> bool:
        """Return true if the run reached its end."""
        return self.reason in ("reached", "condition")

    def __str__(self) -> str:
        """Return the reason, with the details."""
        return f"{self.reason}: {self.details}" if self.details else self.reason


class ChannelValue(Struct, frozen=True):
    """Content of a channel in its domain's last cycle."""

    words: tuple[int, ...] | None
    """The value, or `None` if none was presented."""
    acknowledged: bool
    """True if the receiver accepted."""

    @property
    def moved(self) -> bool:
        """Return true if a value moved."""
        return self.words is not None and self.acknowledged


def _unconnected(system: Component, error: ElaborationError) -> list[Problem]:
    """Unconnected exports of the modules at fault, which have names that the user gave."""
    places = {problem.place for problem in error.problems}
    help = "connect it, or omit its address range"
    return [
        Problem("exports", message, help, place)
        for place, message in unconnected_exports(system)
        if place in places
    ]


def _memory_bytes(system: Component) -> int:
    """Return the size of all memories."""
    sizes = (getattr(module, name) for module in system.modules() for name in MEMORIES.get(module.kind, ()))
    return sum(size.bytes for size in sizes)


class Simulation:
    """A simulation of a described system; made by `simulate`.

    A run that was interrupted, or that a callback ended with an exception, stops after a whole cycle: another
    run continues it.
    """

    def __init__(self, system: Component) -> None:
        """Elaborate `system`: check everything, and lay out the schedule.

        Raises:
            SpinachError: The system is invalid; the error has every mistake of the first failing pass. Or the
                system refuses its memory.
        """
        self.system = system
        self._design = Description(system).design
        check_memory(_memory_bytes(system), system.title)
        try:
            self._native = self._design.elaborate()
        except ElaborationError as error:
            raise error.preceded_by(_unconnected(system, error)) from None
        self._modules = {path: number for number, (path, _, _) in enumerate(self._native.modules())}
        self.behaviours = [*self._give_behaviours()]
        self._domains = {name: number for number, (name, _, _) in enumerate(self._native.domains())}
        self._counters = {name: place for place, name in enumerate(self._native.counter_names())}
        self._channels: dict[tuple[int, str, int], int] = {}
        for number, (output, input, *_) in enumerate(self._native.channels()):
            self._channels[output] = self._channels[input] = number

    def _give_behaviours(self) -> Iterator[Any]:
        """Create the behaviours of modules in Python, each with the initial state."""
        for module in self.system.modules():
            if (make := vars(module).get("_behaviour")) is not None:
                behaviour = make()
                self._native.give_behaviour(self._module(module), behaviour)
                yield behaviour

    def __repr__(self) -> str:
        """Return the subject and the progress of the simulation, in a line."""
        what = f"{self.system.title}: {amount(len(self._modules), 'module')}"
        return f"<Simulation of {what}, {self.now} simulated>"

    @property
    def now(self) -> Time:
        """Every edge before this moment has happened, none at or after it."""
        return Time(self._native.now())

    @checked
    def cycles(self, clock: Clock | str | None = None) -> int:
        """Return the number of past cycles of a clock domain, which must be named if there are several."""
        return self._native.cycles(self._domain(clock))

    def run(
        self,
        time: Time | None = None,
        *,
        cycles: int | None = None,
        of: Clock | str | None = None,
        until: Condition | Sequence[Condition] = (),
        deadlock_after: Time | None = None,
        progress: ProgressCallback | None = None,
    ) -> Outcome:
        """Continue for a span of time, for a number of cycles, or until one of some conditions holds.

        With several of them it ends with whichever comes first: `run(us(1), cycles=5)` ends after five cycles
        of a fast clock, and after a microsecond of a slow one.

        Args:
            time: Length of the run.
            cycles: Number of cycles.
            of: Clock domain of the cycles; optional if there is only one.
            until: `transferred(port, count)` or `counted(module, counter, value)`; or several of them.
            deadlock_after: End the run if values are offered but nothing moves for this span.
            progress: Called about twenty times a second with the present moment and the end.

        Raises:
            SpinachError: If the request is wrong.
            KeyboardInterrupt: If the user interrupts; the simulation stays usable.
        """
        if not isinstance(until, (Condition, Sequence)):
            raise SpinachError(f"invalid until = {until!r}", "give transferred(...) or counted(...)")
        conditions = [until] if isinstance(until, Condition) else list(until)
        if time is None and cycles is None and not conditions:
            raise SpinachError("the end of the run is missing", "give a time, cycles=..., or until=...")
        ends = [END_OF_TIME.femtoseconds]
        if time is not None:
            _check_time("time", time)
            ends.append(self._native.now() + time.femtoseconds)
        if cycles is not None:
            ends.append(self._end_of_cycles(cycles, of))
        counters, transfers = self._conditions(conditions)
        if deadlock_after is not None:
            _check_time("deadlock_after", deadlock_after)
        reason, details = self._native.run(
            min(ends),
            counters,
            transfers,
            None if deadlock_after is None else deadlock_after.femtoseconds,
            None if progress is None else lambda now, end: progress(Time(now), Time(end)),
        )
        return Outcome(reason, details)  # type: ignore[arg-type]

    def run_to(self, end_fs: int, counters: Sequence[tuple[str, str, int]]) -> Outcome:
        """Continue to a moment, or until a counter has reached a value. Cheaper than `run`.

        Args:
            end_fs: Moment at which it ends at the latest, in femtoseconds.
            counters: Conditions in the form of the binding, as `counters_of` returns them.
        """
        reason, details = self._native.run(end_fs, counters, [], None, None)
        return Outcome(reason, details)  # type: ignore[arg-type]

    @property
    def native(self) -> _native.Simulation:
        """Simulation of the binding, for other ways to run it."""
        return self._native

    def number(self, part: Part | str) -> int:
        """Return the number of a module in the binding."""
        return self._module(part)

    def counters_of(self, conditions: Sequence[Condition]) -> list[tuple[str, str, int]]:
        """Return conditions on counters, in the form of the binding."""
        return self._conditions(conditions)[0]

    def statistics(self) -> Statistics:
        """Return the present values of all counters."""
        return Statistics(self.now, self._counters, self._native.counters())

    def holds(self, counters: Iterable[tuple[str, str, int]]) -> bool:
        """Return true if any of these conditions, in the form of the binding, holds."""
        for path, name, at_least in counters:
            if (self._native.counter(self._modules[path], name) or 0) >= at_least:
                return True
        return False

    @checked
    def channel(self, port: Port) -> ChannelValue:
        """Return the content of the channel at a port in its domain's last cycle."""
        words, acknowledged = self._native.channel(self._channel(port))
        return ChannelValue(None if words is None else tuple(words), acknowledged)

    def record(self, *ports: Port) -> Recorder:
        """Record what moves through some ports from now on."""
        if not ports:
            raise SpinachError("the ports to record are missing", "give the ports")
        return Recorder(ports, self._native.record([self._channel(port) for port in ports]))

    @checked
    def capture(self, path: Path, interfaces: Mapping[str, Port]) -> Capture:
        """Write the frames that pass through some ports to a pcapng file from now on, with simulated times.

        Memory does not grow with the number of frames.

        Args:
            path: The file; it is overwritten.
            interfaces: The ports, each by the name of the interface that the file calls it.
        """
        channels = [(name, self._channel(port)) for name, port in interfaces.items()]
        return Capture(tuple(interfaces), self._native.capture(path, channels))

    def count_frames(self, *ports: Port, kept: Time | None = None) -> FrameCounts:
        """Count the frames that pass through some ports from now on, and their bytes.

        Args:
            ports: The ports.
            kept: Time before the last frame of a port, of whose instants counts are known; none by default.
        """
        channels = [self._channel(port) for port in ports]
        return FrameCounts(self._native.count_frames(channels, kept.femtoseconds if kept else 0))

    @checked
    def trace(
        self,
        instructions: Path,
        accesses: Path,
        cores: Sequence[Module],
        *,
        agents: Mapping[str, Module],
        image: Path,
        tasks: Mapping[str, str],
        code: Sequence[tuple[range, str, str]] = (),
        overhead_tasks: Sequence[str] = (),
    ) -> Traces:
        """Write every instruction that cores complete, and every access of other modules, from now on.

        Memory does not grow with the traces. A simulation has one pair of traces at a time.

        Args:
            instructions: The file of the instruction trace; it is overwritten.
            accesses: The file of the access trace; it is overwritten.
            cores: Cores, in the order of their numbers in the trace.
            agents: Other modules that refer to the memory of the cores, such as assists, by name.
            image: The ELF file that the cores execute; names functions.
            tasks: Task that each function begins. Other functions belong to the task that called them.
            code: Code in no function: its addresses, its name, and the task that it begins.
            overhead_tasks: Tasks that do not process frames: studies leave them out.

        Raises:
            SpinachError: The image cannot be read, a name is unknown, or a file cannot be written.
        """
        native = self._native.trace(
            instructions,
            accesses,
            [self._module(core) for core in cores],
            [(name, self._module(module)) for name, module in agents.items()],
            self._extensions(cores),
            image,
            dict(tasks),
            [(at.start, at.stop, name, task) for at, name, task in code],
            list(overhead_tasks),
        )
        return Traces(native, lambda: self.now)

    @checked
    def timeline(
        self,
        path: Path,
        *,
        cores: Mapping[str, Module] | None = None,
        image: Path | None = None,
        tasks: Mapping[str, str],
        code: Sequence[tuple[range, str, str]] = (),
        blocks: Mapping[str, CountedRate],
        memories: Mapping[str, CountedRate],
    ) -> Timeline:
        """Write a timeline in Perfetto's format from now on. Modules do not sleep meanwhile.

        Args:
            path: The file; it is overwritten.
            cores: Cores, by name: each a row with slices for tasks and functions.
            image: The ELF file that they execute.
            tasks: Task that each function begins.
            code: Code in no function: its addresses, its name, and the task that it begins.
            blocks: Rates of other modules, by the names of rows.
            memories: Rates of memories, by the names of rows.

        Raises:
            SpinachError: The image cannot be read, or the file cannot be written.
        """
        watched = None
        if cores and image is not None:
            numbers = [(name, self._module(core)) for name, core in cores.items()]
            mapped = [(at.start, at.stop, name, task) for at, name, task in code]
            watched = (numbers, image, dict(tasks), mapped)
        native = self._native.timeline(
            path,
            watched,
            [self._rate(name, rate) for name, rate in blocks.items()],
            [self._rate(name, rate) for name, rate in memories.items()],
        )
        return Timeline(native)

    @checked
    def check_coherence(
        self,
        cores: Sequence[tuple[Module, Port, CacheShape]],
        devices: Sequence[Port],
        aliases: Sequence[tuple[range, int]] = (),
    ) -> Callable[[], list[CoherenceHazard]]:
        """Check from now on that firmware handles data caches that are not coherent.

        A simulation with this check does not sleep, and has no traces at the same time.

        Args:
            cores: Cores, each with the output of its requests to the data cache, and the shape of the cache.
            devices: The outputs at which devices ask for runs of bytes.
            aliases: Addresses past the caches, and the first address by which caches know the same memory.

        Returns:
            A function that returns all hazards found until its call, by time.
        """
        watched = [(self._module(core), self._channel(port), *shape) for core, port, shape in cores]
        ranges = [(addresses.start, len(addresses), known) for addresses, known in aliases]
        native = self._native.check_coherence(watched, [self._channel(port) for port in devices], ranges)
        return lambda: [CoherenceHazard(*found) for found in native.hazards(self._native)]

    def trace_lines(self, modules: Sequence[Module | str], start: Time) -> LineTrace:
        """Write a line to standard output for each cycle of each module from `start` on.

        A line has the time, the cycle, the module, its state and the values at its ports: `port=value` moved,
        `port!value` was refused. Cycles without any of these have none. A traced simulation does not sleep.

        Args:
            modules: The modules, or their paths.
            start: The time of the first line.
        """
        numbers = [self._module(module) for module in modules]
        return LineTrace(self._native.trace_lines(numbers, start.femtoseconds))

    @checked
    def waves(
        self, path: str | Path, channels: Sequence[int], start: Time, states: Sequence[int] = ()
    ) -> Waves:
        """Write values of channels and states in every cycle from `start` on, in GTKWave's format FST.

        Each channel is a scope with `valid`, `ack` and the fields of its values; each value in the state of a
        module is a signal, as the edge leaves it. Modules do not sleep meanwhile.

        Args:
            path: The file; it is overwritten.
            channels: Their numbers, as `chosen_signals` finds them by name.
            start: Nothing before this moment is written.
            states: Their numbers, in the same way.

        Raises:
            SpinachError: The file cannot be written.
        """
        return Waves(self._native.waves(Path(path), list(channels), sorted(states), start.femtoseconds))

    def _extensions(self, cores: Sequence[Module]) -> list[str]:
        """Return the extensions of the instruction set that any of these cores has, as traces name them."""
        names = {
            ("bit_array", "true"): "atomic_bit_array",
            ("priority_decode", "highest_first"): "tigon2",
            ("priority_decode", "lowest_first"): "tigon2_lowest_first",
        }
        pairs = [pair for core in cores for pair in self._native.parameters(self._module(core))]
        # Texts are shown in quotation marks.
        parameters = {(name, value.strip('"')) for name, value in pairs}
        return [name for pair, name in names.items() if pair in parameters]

    @property
    def domains(self) -> tuple[str, ...]:
        """The names of the clock domains."""
        return tuple(self._domains)

    def frequencies(self) -> dict[str, str]:
        """Return the frequency of every clock domain, in its written form."""
        return {
            name: str(Frequency(Fraction(numerator, denominator)))
            for name, numerator, denominator in self._native.domains()
        }

    def module_domains(self) -> dict[str, tuple[str, ...]]:
        """Return the clock domains of every module, by its path: of each of its clocks."""
        names = self.domains
        return {path: tuple(names[number] for number in own) for path, _, own in self._native.modules()}

    def clock_rates(self) -> dict[str, float]:
        """Return the frequency of the first clock of every module, by its path, in hertz."""
        hertz = [numerator / denominator for _, numerator, denominator in self._native.domains()]
        return {path: hertz[own[0]] for path, _, own in self._native.modules() if own}

    def connections(self) -> list[tuple[str, str, str]]:
        """Source and destination module of each channel, and the name of its type."""
        paths = list(self._modules)
        return [
            (paths[output[0]], paths[input[0]], carried)
            for output, input, carried, *_ in self._native.channels()
        ]

    def parameters(self) -> dict[str, dict[str, str]]:
        """Return the parameters of every module as they were resolved, by the path of the module."""
        return {path: dict(self._native.parameters(number)) for path, number in self._modules.items()}

    @checked
    def state(self, module: Part | str, part: str = "") -> Any:
        """Return the state of a module as plain data, or the part of it that a JSON pointer names."""
        return self._native.state(self._module(module), part)

    def profile(self, cores: Iterable[Part | str]) -> bytes:
        """Return the total costs of each instruction address on some cores, packed.

        Eight 64-bit little-endian integers for each address, in order: the address, completions of the
        instruction, cycles by cause, accesses to memory. Cores that keep no account add nothing.
        """
        return self._native.profile([self._module(core) for core in cores])

    def cycles_ahead(self, cores: Iterable[Part | str]) -> list[int]:
        """Return the number of cycles by which the accounts of each core are ahead of its counters."""
        return self._native.cycles_ahead([self._module(core) for core in cores])

    def calls(self, cores: Iterable[Part | str]) -> list[tuple[list[Any], list[Any]]]:
        """Return the call accounts of each core: its contexts; costs by context and address.

        A context has the number of the one that called, which comes before, the place that called, the
        function that it called and the number of calls.
        """
        return self._native.calls([self._module(core) for core in cores])

    @checked
    def size(self, memory: Part | str) -> Size:
        """Return the size of a memory."""
        size = self._native.contents_size(self._module(memory))
        if size is None:
            raise SpinachError(f"{_path(memory)} has no addressable contents", "name a memory")
        return Size(size)

    @checked
    def contents(self, memory: Part | str, base: Annotated[int, COUNTS] = 0) -> Contents:
        """Return the contents of a memory, to be read and written often; `base` is its first address."""
        return Contents(self._native, self._module(memory), self.size(memory).bytes, base)

    @checked
    def read(
        self,
        memory: Part | str,
        address: Annotated[int, ADDRESSES],
        length: Annotated[int, ADDRESSES],
    ) -> bytes:
        """Bytes of a memory, from `address` on."""
        return self._native.read_contents(self._module(memory), address, length)

    @checked
    def write(self, memory: Part | str, address: Annotated[int, ADDRESSES], contents: bytes) -> None:
        """Overwrite bytes of a memory, from `address` on."""
        self._native.write_contents(self._module(memory), address, contents)

    @checked
    def inject(self, module: Part | str, message: bytes, lane: Annotated[int, LANES] = 0) -> None:
        """Inject a message into a module with a way to the outside, such as a `Uart`.

        Args:
            module: The module or its path.
            message: Bytes that the module understands.
            lane: Lane of the module, where it takes several kinds of messages.

        Raises:
            SpinachError: The module has no such way, or does not take the message.
        """
        self._native.inject(self._module(module), lane, message)

    @checked
    def export(self, module: Part | str, lane: Annotated[int, LANES] = 0) -> bytes:
        """Return the messages that a module exported on a lane since the last call."""
        return self._native.export(self._module(module), lane)

    @checked
    def payload(self, handle: Annotated[int, ADDRESSES], port: Port | None = None) -> bytes:
        """Return the bytes that travel by this handle, such as a frame; empty if they were taken out.

        Args:
            handle: Word of a value.
            port: Port that the handle moves through; required if the system has a `CableOutput`.
        """
        return self._native.payload(handle, None if port is None else self._channel(port))

    @checked
    def set_threads(self, maximum: Annotated[int, THREADS]) -> None:
        """Set the maximum number of threads, 1 at first; no result depends on it.

        Parts of the system that only cables of `CableInput` and `CableOutput` join run on several threads
        if this saves time and nothing observes more than one part. Every other system has one thread.
        """
        self._native.set_threads(maximum)

    def checkpoint(self) -> bytes:
        """Everything needed to continue in another process."""
        return self._native.checkpoint()

    @checked
    def restore(self, checkpoint: bytes) -> None:
        """Put this simulation into the state that was saved from one of the same system.

        Raises:
            CheckpointError: If the checkpoint is of another system or version, or damaged.
        """
        self._native.restore(checkpoint)

    def deadlock(self) -> str | None:
        """Return the present wait-for relation of modules, if any value is offered and refused."""
        return self._native.find_deadlock()

    @checked
    def set_sleeping(self, sleeping: bool) -> None:
        """Enable or disable skipping of idle modules; on by default. Never changes a result."""
        self._native.set_sleeping(sleeping)

    @checked
    def set_idle_skip(self, skips: bool) -> None:
        """Enable or disable skipping of time in which all awake modules repeat themselves, as when polling.

        It is unless switched off, or unless modules that rest are not skipped either. Never changes a result.
        """
        self._native.set_idle_skip(skips)

    @checked
    def set_fusing(self, fuses: bool) -> None:
        """Enable or disable fusing of modules, as of a crossbar and its banks.

        They do unless switched off. Never changes a result.
        """
        self._native.set_fusing(fuses)

    def fusions(self) -> list[list[str]]:
        """Return the present fusions by the paths of their members, the leader first."""
        return self._native.fusions()

    def repeated_cycles(self) -> int:
        """Return the number of cycles skipped because they repeated earlier ones."""
        return self._native.repeated_cycles()

    def set_check_dependencies(self, check: bool) -> None:
        """Enable or disable checks of every module, in every cycle, against its declared dependencies."""
        self._native.set_check_dependencies(check)

    @checked
    def dump(self, pass_name: str) -> str:
        """Return the report of an elaboration pass, as text; `schedule`, for example."""
        return self._design.dump(pass_name)

    def _end_of_cycles(self, cycles: int, of: Clock | str | None) -> int:
        if type(cycles) is not int:
            raise SpinachError(f"cycles = {cycles!r} is not an integer", "give an integer")
        if cycles < 0:
            raise SpinachError(f"cycles = {cycles} is negative", "give 0 or more")
        domain = self._domain(of)
        last = self._native.cycles(domain) + cycles
        end = self._native.edge_time(domain, last) if last < 2**64 else None
        if end is None:
            raise SpinachError(
                f"cycle {last} is beyond the end of simulated time", f"run at most to {END_OF_TIME}"
            )
        return end

    def _conditions(
        self, conditions: Sequence[Condition]
    ) -> tuple[list[tuple[str, str, int]], list[tuple[int, int]]]:
        counters, transfers = [], []
        for condition in conditions:
            match condition:
                case Counted(part, counter, at_least):
                    counters.append((_path(part), counter, at_least))
                case Transferred(port, count):
                    transfers.append((self._channel(port), count))
                case _:
                    raise SpinachError(
                        f"{condition!r} is not a condition", "give transferred(...) or counted(...)"
                    )
        return counters, transfers

    def _domain(self, clock: Clock | str | None) -> int:
        known = list(self._domains)
        if clock is None:
            if len(known) != 1:
                raise SpinachError("the clock domain is missing", f"it is one of {', '.join(known)}")
            return 0
        name = clock.name if isinstance(clock, Clock) else clock
        if name not in self._domains:
            raise SpinachError(f"there is no clock domain {name!r}", _native.suggest(name, known))
        return self._domains[name]

    def _rate(
        self, name: str, rate: CountedRate
    ) -> tuple[str, str, float | None, list[tuple[int, str, float]]]:
        counters = [(self._module(module), counter, worth) for module, counter, worth in rate.counters]
        return name, rate.unit, rate.most, counters

    def _module(self, part: Part | str) -> int:
        path = _path(part)
        if path not in self._modules:
            raise SpinachError(f"there is no module {path!r}", _native.suggest(path, list(self._modules)))
        return self._modules[path]

    def _channel(self, port: Port) -> int:
        if not isinstance(port, Port):
            raise SpinachError(f"{port!r} is not a port", "give a port, such as system.add.output")
        number = self._channels.get((self._module(port.module), port.declaration.name, port.lane or 0))
        if number is None:
            raise SpinachError(
                f"nothing is connected to {port}", "give a connected port, and the lane if it has several"
            )
        return number


@checked
def simulate(system: Component) -> Simulation:
    """Elaborate a system and create a simulation of it, at time zero.

    Raises:
        SpinachError: The system is invalid. Each mistake has the line of its description.
    """
    return Simulation(system)


def _path(part: Part | str) -> str:
    if isinstance(part, Component):
        raise SpinachError(f"{part.path} is a component, not a module", "name a module inside it")
    return part.path if isinstance(part, Module) else str(part)


def _check_time(name: str, time: Any) -> None:
    if not isinstance(time, Time):
        unit = "has no unit" if isinstance(time, (int, float)) else "is not a time"
        raise SpinachError(f"{name} = {time} {unit}", f"give {Time.noun}")
