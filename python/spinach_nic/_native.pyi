"""The native part of Spinach. Private: use `spinach_nic`."""

import builtins
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

__all__ = [
    "Attached",
    "CaptureWriter",
    "CoherenceCheck",
    "Debugger",
    "Design",
    "Executable",
    "Expression",
    "LineTraceFile",
    "Live",
    "Recorder",
    "Recording",
    "Server",
    "Simulation",
    "TimelineFile",
    "TraceFiles",
    "Value",
    "WaveFile",
    "access_trace_agents",
    "block_description",
    "declaration",
    "describe_trace",
    "disassemble",
    "instruction_sets",
    "issue_limit_table",
    "issue_limits",
    "kinds",
    "layouts",
    "numbers",
    "packet_mover_registers",
    "provoke_defect",
    "read_capture",
    "read_journeys",
    "record_trace",
    "renamed_kinds",
    "schedule_blocks",
    "schedule_paths",
    "server_cards",
    "simulate_caches",
    "suggest",
    "traffic_frames",
    "unsuitable_elf",
    "version",
    "vliw_layout",
    "vliw_listing",
    "vliw_machine",
]

_Place = tuple[str, int]
_End = tuple[int, str, int]

def version() -> str:
    """The version that the Rust crates and the Python distribution share."""

def kinds() -> list[str]:
    """Names of the kinds of modules, in alphabetical order."""

def declaration(kind: str) -> dict[str, Any]:
    """Documentation, parameters, ports, counters and clocks of a kind of module."""

def layouts() -> list[tuple[str, str, list[tuple[str, str, str]]]]:
    """The structures that firmware shares with the library: name, meaning, fields.

    Of each field the name, the type in C or the name of a structure, and the meaning.
    """

def block_description(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Description of the block in a library: its signals and the ports that they form."""

def numbers() -> list[tuple[str, list[tuple[str, int]]]]:
    """The numbers that programs share with the library: by group, by name."""

def packet_mover_registers() -> list[tuple[str, list[tuple[str, int, str]]]]:
    """The registers of a packet mover and what goes with them: by group, names with values and meanings."""

def renamed_kinds() -> dict[str, str]:
    """Former names of kinds of modules, each with the present one."""

def suggest(wanted: str, known: Sequence[str]) -> str:
    """The names closest to `wanted` as a sentence, or all of them if none is close."""

def record_trace(
    image: str | os.PathLike[str],
    trace: str | os.PathLike[str],
    memory: tuple[int, int],
    extensions: Sequence[str],
    tasks: Mapping[str, str],
    instructions_maximum: int,
) -> int:
    """Run an image on the reference interpreter and write its trace; the number of instructions."""

def issue_limit_table(widths: Sequence[int]) -> str:
    """The configurations of table 2 of `hpca05-nic` for some widths, as JSON."""

def issue_limits(trace: str | os.PathLike[str], filter: str, configurations: str) -> str:
    """The limits of a trace, as JSON, in the order of the configurations."""

def vliw_machine(integer: int, load_store: int, branch: int) -> str:
    """A machine of table 1 of `vliw-firmware`, as JSON."""

def schedule_blocks(
    image: str | os.PathLike[str], trace: str | os.PathLike[str], filter: str, machine: str
) -> str:
    """Totals and blocks of the part of an image that a trace executes, as JSON."""

def schedule_paths(
    image: str | os.PathLike[str],
    trace: str | os.PathLike[str],
    filter: str,
    machine: str,
    blocks_maximum: int,
) -> str:
    """Totals of the paths that a trace takes through an image, as JSON."""

def vliw_layout(
    image: os.PathLike[str], machine: str, extensions: Sequence[str]
) -> tuple[int, list[bytes], int, int]:
    """An image's code scheduled: first address, slices of all bundles, bundles and operations in them."""

def vliw_listing(
    image: str | os.PathLike[str],
    trace: str | os.PathLike[str],
    filter: str,
    machine: str,
    blocks_maximum: int,
) -> str:
    """The schedules of the blocks that take most cycles, as text."""

def simulate_caches(
    instruction_traces: Sequence[str | os.PathLike[str]],
    access_traces: Sequence[str | os.PathLike[str]],
    filter: str,
    caches: str,
    configurations: str,
) -> str:
    """A report for each system of caches, as JSON."""

@final
class Executable:
    """An ELF file, read whole."""

    def __new__(cls, name: str, content: builtins.bytes) -> Executable: ...
    @property
    def kind(self) -> str: ...
    @property
    def machine(self) -> str: ...
    @property
    def bits(self) -> int: ...
    @property
    def is_big_endian(self) -> bool: ...
    @property
    def flags(self) -> int: ...
    @property
    def entry(self) -> int: ...
    def segments(self) -> list[tuple[int, builtins.bytes, int, bool, bool, int]]:
        """Address, contents, bytes in memory, executable, writable, where it is put at first."""

    def symbols(self) -> list[tuple[str, int, int, bool]]:
        """Name, address, bytes, and whether it is a function."""

    def notes(self) -> list[tuple[str, str, builtins.bytes]]:
        """Section, owner, and what they say."""

    def source_line_at(self, address: int) -> tuple[str, int] | None:
        """File and line of the source."""

    def inlined_at(self, address: int) -> list[str]:
        """The functions inlined there, the outermost first."""

    def damages(self) -> list[str]:
        """What is damaged in the debug information."""

@final
class Value:
    """The value of one parameter of one module."""

    @staticmethod
    def boolean(value: bool) -> Value: ...
    @staticmethod
    def integer(value: int) -> Value: ...
    @staticmethod
    def time(femtoseconds: int) -> Value: ...
    @staticmethod
    def frequency(numerator: int, denominator: int) -> Value: ...
    @staticmethod
    def size(bytes: int) -> Value: ...
    @staticmethod
    def rate(bits_per_second: int) -> Value: ...
    @staticmethod
    def text(value: str) -> Value: ...
    @staticmethod
    def integers(values: Sequence[int]) -> Value: ...
    @staticmethod
    def bytes(value: builtins.bytes) -> Value: ...
    @staticmethod
    def named(name: str) -> Value: ...
    @staticmethod
    def lifted(expression: Expression) -> Value: ...
    @staticmethod
    def called(function: Callable[..., int], name: str) -> Value: ...

@final
class Expression:
    """A function over words that the engine evaluates natively."""

    def __new__(
        cls, operations: str, result: int, initial_state: Sequence[int], next_state: Sequence[int]
    ) -> Expression: ...
    @property
    def inputs(self) -> int:
        """How many inputs it reads."""

    @property
    def initial_state(self) -> list[int]:
        """The state words before the first cycle."""

    def evaluate(self, inputs: Sequence[int], state: Sequence[int]) -> int:
        """The result for these inputs and this state."""

    def advance(self, inputs: Sequence[int], state: Sequence[int]) -> list[int]:
        """The state of the next cycle."""

@final
class Design:
    """A system that is being described."""

    def __new__(cls) -> Design: ...
    def domain(self, name: str, numerator: int, denominator: int, place: _Place | None = None) -> int:
        """Add a clock domain and return its number."""

    def module(
        self,
        path: str,
        kind: str,
        parameters: Sequence[tuple[str, Value]],
        domain: int | None = None,
        clocks: Sequence[tuple[str, int]] = ...,
        place: _Place | None = None,
    ) -> int:
        """Add a module and return its number."""

    def connect(self, output: _End, input: _End, place: _Place | None = None) -> None:
        """Connect an output to an input; each is the number of a module, the name of a port, and a lane."""

    def elaborate(self) -> Simulation:
        """Check everything and make a simulation at time zero."""

    def dump(self, pass_name: str) -> str:
        """What an elaboration pass does to this design, as text."""

@final
class Recorder:
    """What moved through some channels since recording began."""

    def transfers(self) -> list[tuple[int, int, int, list[int]]]:
        """In order of time: which of the recorded channels, femtoseconds, cycle, words."""

    def clear(self) -> None:
        """Forget what was recorded so far."""

    def stop(self) -> None:
        """Record no more."""

def describe_trace(trace: os.PathLike[str]) -> str:
    """What an instruction trace says of itself, as JSON."""

def access_trace_agents(trace: os.PathLike[str]) -> list[str]:
    """The agents of an access trace."""

def provoke_defect(text: str) -> None:
    """Panic, so that tests see what a defect looks like from outside."""

def read_capture(path: str | os.PathLike[str]) -> tuple[list[bytes], int, int, bool]:
    """The frames of a capture; how many more are cut off; not Ethernet; whether the file breaks off."""

def traffic_frames(description: str, frames: bytes, seed: int, first: int, count: int) -> list[bytes]:
    """The frames of a plan from number `first` on, without check sequence; `frames` are those of captures."""

def disassemble(instruction_set: str, word: int, address: int) -> str:
    """The instruction `word` at `address` as assembly text; the extensions of all shipped cores are known."""

def instruction_sets() -> str:
    """What all instruction sets say of themselves, as JSON."""

def unsuitable_elf(instruction_set: str, flags: int) -> str | None:
    """What an ELF file with these flags was compiled for, if cores of the set cannot execute it."""

@final
class CaptureWriter:
    """A capture that is being written."""

    def finish(self) -> list[int]:
        """Ends the capture; returns how many frames of each interface it holds; nothing if called again."""

def server_cards() -> list[tuple[str, str]]:
    """The names of the cards that a server can have, and what they are."""

@final
class Server:
    """A server that boots an operating system."""

    @staticmethod
    def boot(
        name: str,
        kernel: bytes,
        files: bytes,
        arguments: list[str],
        size: tuple[int, int],
        wire: tuple[int, int, str, Sequence[tuple[str, int]]] | None = None,
        clocks: Sequence[int] | None = None,
        disk: str | os.PathLike[str] | None = None,
        share: str | os.PathLike[str] | None = None,
    ) -> Server:
        """Servers that are about to start a kernel, a file called `name`, each with its arguments.

        Their size is harts and bytes of memory. `wire` joins two: its latency in picoseconds, its bits per
        second, the name of the cards, and what is changed of them. `clocks` are those of the harts of each,
        in Hz. `disk` is the file of an image and `share` a folder, for each of them.
        """

    @staticmethod
    def restore(
        name: str,
        content: bytes,
        size: tuple[int, int],
        wire: tuple[int, int, str, Sequence[tuple[str, int]]] | None = None,
        clocks: Sequence[int] | None = None,
        disk: str | os.PathLike[str] | None = None,
        share: str | os.PathLike[str] | None = None,
    ) -> Server:
        """Servers that go on from a checkpoint, a file called `name`, which must be of this size."""

    @staticmethod
    def checkpoint_version() -> str:
        """Changes whenever checkpoints of before cannot be gone on from."""

    def nodes(self) -> int:
        """How many servers there are."""

    def set_threads(self, maximum: int | None = None) -> None:
        """Lets joined servers run at the same time, on at most this number of threads.

        By default one for each processor of this process. This does not affect results.
        """
    def concurrent_steps(self) -> int:
        """Number of steps in which joined servers have run at the same time."""
    def shorten_step(self, cycles: int) -> None:
        """Let servers exchange frames at least every so many cycles, which changes no result; for tests."""

    def capture(self, path: str | os.PathLike[str]) -> CaptureWriter:
        """Begin a capture of the link in a file: what each server sends is an interface."""

    def card_counters(self, node: int = 0) -> list[tuple[str, int]]:
        """What a server's card counted."""

    def save(self) -> bytes:
        """A checkpoint."""

    def run(self, cycles: int) -> str:
        """Run for a number of cycles; "time", "idle" if nothing was executed, "off" or "failed" if it ended.

        "restarts" if a kernel asks for another start, "called" if guest software made calls (`take_calls`).

        "held" if a debugger holds the servers and nothing was said for a moment, "killed" if it has ended the
        run.
        """

    def listen(self, address: str, node: int = 0) -> str:
        """Wait for a client that debugs the harts of a server, which are functional; where it waits.

        From now on `run` runs only when the client lets it.
        """

    def finish_debugging(self, code: int) -> str | None:
        """Tell the client that the run has ended; says why the connection broke, if it did."""

    def record(
        self,
        window_ps: tuple[int, int],
        functions: list[tuple[int, str, str]],
        categories: tuple[str, str, str],
        bits_per_s: int,
    ) -> None:
        """Keep for a timeline what harts and the link do in a window: its begin, from now, and its length.

        Functions have an address, a name and a category; the categories of waiting, of user mode and of other
        code of the kernel come with them.
        """

    def write_timeline(self, path: str | os.PathLike[str]) -> tuple[int, int] | None:
        """Write what was recorded: how many slices there are, and how many picoseconds are covered."""

    def set_timed(self, is_timed: bool, node: int = 0, parameters: str | None = None) -> None:
        """From here on timed cores of a server say when instructions execute, or one does in each cycle.

        `parameters` are those of cores, caches and buses that are not as `timed_parameters` says, as JSON.
        """

    def set_pace(self, pace: tuple[float, float] | None, node: int = 0) -> None:
        """Have instructions of a timed server take a pace, while caches, translations and predictors follow.

        The pace is the cycles of an instruction, and cycles for each cycle that a reference waits for longer
        than for the second level. With `None` cores say again when instructions execute.
        """

    @staticmethod
    def timed_parameters() -> str:
        """What timed cores, caches and buses consist of if nothing else is said, as JSON."""

    def timing(self, node: int = 0) -> dict[str, int] | None:
        """What timed cores of a server have counted since they were set; nothing without them."""

    def set_profiled(self, is_profiled: bool, node: int = 0) -> None:
        """From here on keep a profile of a server's harts, or none."""

    def profiles(self, node: int = 0) -> list[tuple[int, list[tuple[bool, int, int, int]]]]:
        """Where each hart of a server has spent its time since a profile is kept.

        Cycles in which it waited for an interrupt; and of each block whether user mode executed it, its
        address, cycles and instructions.
        """

    def carried(self, node: int = 0) -> tuple[int, int]:
        """Frames and bytes that a server has sent over the link since it was started or restored."""

    def take_output(self, node: int = 0) -> bytes:
        """Take what was printed on a server's console."""

    def type_in(self, characters: bytes, node: int = 0) -> None:
        """Type characters on a server's console."""

    def unread(self) -> int:
        """How many typed characters were not read yet."""

    def instructions(self, node: int | None = None) -> int:
        """Instructions that all harts have executed, or those of a server."""

    def cycles(self, node: int = 0) -> int:
        """Cycles of a server since the start; after "called", those until the call."""

    def hertz(self, node: int = 0) -> int:
        """Clock of a server's harts, in Hz."""

    def take_calls(self, node: int = 0) -> list[tuple[str, str]]:
        """Take the calls of a server's guest software, oldest first.

        "begin" with the name of a region of interest, "end", "checkpoint", or "exit" with a status.
        """

    def time(self) -> tuple[int, int]:
        """Cycles since the start, and how many of these are a second."""

@final
class TraceFiles:
    """An instruction trace and an access trace that are being written."""

    def finish(self) -> tuple[int, int] | None:
        """Completes both; returns how many instructions and accesses they hold; nothing if called again."""

_Entrance = tuple[str, str, int, int, int, int]
"""Name; device; modules that send, expect, and give what goes out; bytes of the longest frame."""

@final
class Recording:
    """What came in from outside during a run."""

    @staticmethod
    def read(path: str | os.PathLike[str]) -> Recording:
        """Reads a recording."""

    @property
    def entrances(self) -> list[str]:
        """The names of its entrances."""

    @property
    def made_with(self) -> str:
        """What it was made with, as JSON."""

    @property
    def ending(self) -> tuple[int, str] | None:
        """When the run ended, in femtoseconds, and how, as JSON; nothing if the recording breaks off."""

    @property
    def last(self) -> int | None:
        """When the last frame came in, in femtoseconds; nothing if none did."""

@final
class Live:
    """A run that lets frames in and out while it goes on."""

    @staticmethod
    def open(
        simulation: Simulation,
        entrances: Sequence[_Entrance],
        record: str | os.PathLike[str] | None = None,
        made_with: str = "",
    ) -> Live:
        """Opens the devices of entrances."""

    @staticmethod
    def replay(simulation: Simulation, entrances: Sequence[_Entrance], recording: Recording) -> Live:
        """Lets in what a recording holds, at the same moments."""

    def run(
        self, simulation: Simulation, until: int, counters: Sequence[tuple[str, str, int]]
    ) -> tuple[str, str]:
        """Runs as `Simulation.run` does."""

    def behind_ns(self, simulation: Simulation) -> int:
        """Lag of simulated time behind wall time."""

    def finish(self, simulation: Simulation) -> str:
        """Lets out what has left the simulation; returns as JSON what passed the entrances."""

    def end_recording(self, simulation: Simulation, ending: str) -> None:
        """Completes the recording, if there is one."""

@final
class Attached:
    """A run that a guest's accesses reach while it goes on."""

    def __new__(
        cls,
        simulation: Simulation,
        device: str | None,
        wire: int,
        host: int,
        socket: str | os.PathLike[str],
        controller: str,
        pin: int,
        record: str | os.PathLike[str] | None,
        made_with: str,
    ) -> Attached:
        """For the modules `wire` and `host` of a simulation, with a device at the wire if one is named.

        `record` is a file for what comes in, made with `made_with`, which is JSON.
        """

    @staticmethod
    def of_client(
        simulation: Simulation,
        device: str | None,
        wire: int,
        host: int,
        socket: str | os.PathLike[str],
        record: str | os.PathLike[str] | None,
        made_with: str,
    ) -> Attached:
        """As `Attached`, with the client of vfio-user that comes to `socket`, which is made."""

    @staticmethod
    def replay(
        simulation: Simulation, device: str | None, wire: int, host: int, recording: Recording
    ) -> Attached:
        """Lets in what a recording holds, at the same instants, without a guest; `device` is of that run."""

    def fileno(self) -> int:
        """The descriptor that the guest is given; -1 after it was closed."""

    def close_guest_end(self) -> None:
        """Closes this process's copy of it."""

    def run(self, simulation: Simulation, until: int) -> tuple[str, str]:
        """Runs as `Simulation.run` does; when the guest ends, it is stopped."""

    def behind_ns(self, simulation: Simulation) -> int:
        """Lag of simulated time behind wall time."""

    def finish(self, simulation: Simulation) -> str:
        """Lets out what has left the simulation; returns as JSON what passed the wire."""

    def end_recording(self, simulation: Simulation, ending: str) -> None:
        """Completes the recording, if there is one; `ending` is JSON."""

@final
class TimelineFile:
    """A timeline that is being written."""

    def finish(self) -> int | None:
        """Completes the file; returns how many frames it follows."""

@final
class CoherenceCheck:
    """A check that is going on."""

    def hazards(self, simulation: Simulation) -> list[tuple[str, int, int, int | None, bool, int, int, int]]:
        """What was found until the simulation last stood still, by time."""

@final
class LineTraceFile:
    """A line trace that is being written."""

    def finish(self) -> None:
        """Writes the rest; a second call does nothing."""

@final
class WaveFile:
    """Waveforms that are being written."""

    def finish(self) -> None:
        """Completes the file; a second call does nothing."""

def read_journeys(path: os.PathLike[str]) -> list[tuple[str, int, int, list[tuple[str, int]]]]:
    """The journeys of frames in a timeline: name, begin and duration in ns, stages with durations."""

@final
class Debugger:
    """A debugger of a simulation."""

    @staticmethod
    def listen(
        simulation: Simulation,
        cores: Sequence[int],
        memories: Sequence[tuple[str, int | None, Sequence[int], int, bool, int | None]],
        caches: Sequence[int],
        address: str,
        can_go_back: bool,
    ) -> Debugger:
        """Waits for a client; memories by name, base, banks, interleaving, reversed words, only core.

        Caches are those of data, in the order of the cores, or none.
        """

    def address(self) -> str:
        """Where it waits."""

    def run(
        self, simulation: Simulation, until: int, counters: Sequence[tuple[str, str, int]]
    ) -> tuple[str, str]:
        """Runs as `Simulation.run` does, except that the client may hold the run."""

    def finish(self, simulation: Simulation, code: int) -> str | None:
        """Tells the client that the run has ended; says why the connection broke, if it did."""

@final
class Simulation:
    """A simulation; modules, channels and domains go by their numbers in the lists."""

    def domains(self) -> list[tuple[str, int, int]]:
        """The clock domains: name, and hertz as numerator and denominator."""

    def modules(self) -> list[tuple[str, str, list[int]]]:
        """The modules: path, kind, and the number of the domain of each clock."""

    def channels(self) -> list[tuple[_End, _End, str, int, int]]:
        """The channels: output, input, type, words, domain."""

    def parameters(self, module: int) -> list[tuple[str, str]]:
        """The parameters of a module with their resolved values, as a person writes them."""

    def counter_names(self) -> list[str]:
        """`path.counter` of every counter."""

    def counters(self) -> list[int]:
        """All counters, in the order of `counter_names`."""

    def now(self) -> int:
        """Femtoseconds since the start."""

    def cycles(self, domain: int) -> int:
        """How many cycles of a domain have happened."""

    def edge_time(self, domain: int, edge: int) -> int | None:
        """When an edge of a domain falls, in femtoseconds."""

    def run(
        self,
        until: int,
        counters: Sequence[tuple[str, str, int]] = ...,
        transfers: Sequence[tuple[int, int]] = ...,
        deadlock_after: int | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> tuple[str, str]:
        """Run all edges before `until` femtoseconds, or less."""

    def channel(self, channel: int) -> tuple[list[int] | None, bool]:
        """What a channel held in its domain's last cycle, and whether it was acknowledged."""

    def state(self, module: int) -> Any:
        """The state of a module as plain data."""

    def profile(self, modules: Sequence[int]) -> dict[int, list[int]]:
        """What each instruction address cost some cores: how often it completed, cycles, accesses."""

    def contents_size(self, module: int) -> int | None:
        """How many bytes a memory has."""

    def read_contents(self, module: int, address: int, length: int) -> bytes:
        """Bytes of a memory."""

    def write_contents(self, module: int, address: int, bytes: bytes) -> None:
        """Overwrite bytes of a memory."""

    def hand_in(self, module: int, lane: int, message: bytes) -> None:
        """Hand a module a message from outside."""

    def hand_out(self, module: int) -> bytes:
        """What a module has for outside, one message behind the other."""

    def payload(self, handle: int) -> bytes:
        """The bytes of a stored payload, such as a frame."""

    def checkpoint(self) -> bytes:
        """Everything needed to continue this simulation in another process."""

    def calls(
        self, modules: list[int]
    ) -> tuple[list[tuple[list[tuple[int, int]], int, list[int]]], list[tuple[list[tuple[int, int]], int]]]:
        """Accounts of addresses by stacks of calls, and how often each stack was entered."""

    def model(self) -> list[tuple[str, str]]:
        """What the model of a checkpoint must have in common with this one, as names and values."""

    def restore(self, checkpoint: bytes) -> None:
        """Continue from what was saved from a simulation of the same design."""

    def find_deadlock(self) -> str | None:
        """Who waits for whom, if any value is offered and refused."""

    def set_idle_skip(self, skips: bool) -> None:
        """Whether time is skipped in which all that is awake repeats itself."""

    def set_fusing(self, fuses: bool) -> None:
        """Whether modules act as one where they can."""

    def fusions(self) -> list[list[str]]:
        """Which modules act as one at present, by their paths, the leader of each first."""

    def repeated_cycles(self) -> int:
        """How many cycles were skipped because they repeated earlier ones."""

    def set_sleeping(self, sleeping: bool) -> None:
        """Whether modules that rest are skipped."""

    def set_check_dependencies(self, check: bool) -> None:
        """Whether every process is checked against its declared dependencies."""

    def record(self, channels: Sequence[int]) -> Recorder:
        """Record what moves through `channels` from now on."""

    def capture(self, path: os.PathLike[str], interfaces: Sequence[tuple[str, int]]) -> CaptureWriter:
        """Writes the frames that move through channels to a pcapng file; each is an interface with a name."""

    def timeline(
        self,
        path: os.PathLike[str],
        cores: tuple[Sequence[tuple[str, int]], os.PathLike[str], Mapping[str, str]] | None,
        blocks: Sequence[tuple[str, int]],
        memories: Sequence[tuple[str, Sequence[int]]],
    ) -> TimelineFile:
        """Writes a timeline in Perfetto's format from now on."""

    def check_coherence(
        self,
        cores: Sequence[tuple[int, int, int, int, int, int, bool]],
        devices: Sequence[int],
        aliases: Sequence[tuple[int, int, int]],
    ) -> CoherenceCheck:
        """Checks from now on what firmware on cores does about its data caches."""

    def trace_lines(self, modules: Sequence[int], start: int) -> LineTraceFile:
        """Writes from `start` femtoseconds on a line to standard output for each cycle of each module."""

    def give_behaviour(self, module: int, behaviour: Any) -> None:
        """Give a called block its behaviour: an object with `settle`, `commit`, `save` and `restore`."""

    def waves(
        self, path: os.PathLike[str], channels: Sequence[int], states: Sequence[int], start: int
    ) -> WaveFile:
        """Writes from `start` femtoseconds on what channels and states hold in every cycle, as FST."""

    def output_names(self) -> list[str]:
        """The names of the channels' outputs, as waveforms call them."""

    def state_names(self) -> list[str]:
        """The names of the values in the states of modules, as waveforms call them."""

    def trace(
        self,
        instructions: os.PathLike[str],
        accesses: os.PathLike[str],
        cores: Sequence[int],
        agents: Sequence[tuple[str, int]],
        extensions: Sequence[str],
        image: os.PathLike[str],
        tasks: Mapping[str, str],
        overhead_tasks: Sequence[str],
    ) -> TraceFiles:
        """Writes what cores complete and what agents refer to from now on; tasks are by function."""
