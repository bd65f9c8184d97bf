"""The native part of Spinach. Private: use `spinach_nic`."""

import builtins
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

__all__ = [
    "Attached",
    "CaptureWriter",
    "CoherenceCheck",
    "Cosimulation",
    "Debugger",
    "Design",
    "Executable",
    "Expression",
    "FrameCounts",
    "LineTraceFile",
    "Live",
    "Recorder",
    "Recording",
    "Server",
    "ServerDebugger",
    "Simulation",
    "TimelineFile",
    "TraceFiles",
    "Value",
    "WaveFile",
    "block_description",
    "block_paths",
    "declaration",
    "describe_access_trace",
    "describe_trace",
    "disassemble",
    "explain_shortage",
    "instruction_sets",
    "issue_limit_table",
    "issue_limits",
    "kinds",
    "layouts",
    "model_differences",
    "numbers",
    "packet_mover_registers",
    "provoke_defect",
    "read_capture",
    "read_journeys",
    "record_trace",
    "schedule_blocks",
    "schedule_paths",
    "server_cards",
    "similar",
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

def explain_shortage(text: str, exit_code: int) -> None:
    """End this process with a text and an exit code when memory for a small allocation is refused."""

def version() -> str:
    """Return the version that the Rust crates and the Python distribution share."""

def kinds() -> list[str]:
    """Names of the kinds of modules, in alphabetical order."""

def declaration(kind: str) -> dict[str, Any]:
    """Documentation, parameters, ports, counters and clocks of a kind of module."""

def layouts() -> list[tuple[str, str, list[tuple[str, str, str]]]]:
    """Return the structures that firmware shares with the library: name, meaning, fields.

    Each field has a name, a type in C or the name of a structure, and a meaning.
    """

def block_description(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Description of the block in a library: its signals and the ports that they form."""

def block_paths(path: str | os.PathLike[str]) -> list[tuple[str, str]]:
    """Combinational paths through the block in a library, as names of an input and an output."""

def numbers() -> list[tuple[str, list[tuple[str, int]]]]:
    """Return the numbers that programs share with the library: by group, by name."""

def packet_mover_registers() -> list[tuple[str, list[tuple[str, int, str]]]]:
    """Return the registers and constants of a packet mover: by group, names with values and meanings."""

def similar(wanted: str, known: Sequence[str]) -> list[str]:
    """Return the names most like `wanted`, at most three, best first."""

def suggest(wanted: str, known: Sequence[str]) -> str:
    """Return a line of help for a name that does not exist: the names most like it, or else valid names."""

def record_trace(
    image: str | os.PathLike[str],
    trace: str | os.PathLike[str],
    memory: tuple[int, int],
    extensions: Sequence[str],
    tasks: Mapping[str, str],
    instructions_maximum: int,
) -> int:
    """Run an image on the reference interpreter, write its trace, and return the number of instructions."""

def issue_limit_table(widths: Sequence[int]) -> str:
    """Return the configurations of table 2 of HPCA 2005 for some widths, as JSON."""

def issue_limits(trace: str | os.PathLike[str], filter: str, configurations: str) -> str:
    """Return the limits of a trace, as JSON, in the order of the configurations."""

def vliw_machine(integer: int, load_store: int, branch: int) -> str:
    """Return a machine of table 1 of the VLIW paper, as JSON."""

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
    """Return the scheduled code of an image: first address, slices of all bundles, bundles and operations."""

def vliw_listing(
    image: str | os.PathLike[str],
    trace: str | os.PathLike[str],
    filter: str,
    machine: str,
    blocks_maximum: int,
) -> str:
    """Return the schedules of the blocks that take most cycles, as text."""

def simulate_caches(
    instruction_traces: Sequence[str | os.PathLike[str]],
    access_traces: Sequence[str | os.PathLike[str]],
    filter: str,
    caches: str,
    configurations: str,
) -> str:
    """Return a report for each system of caches, as JSON."""

@final
class Executable:
    """An ELF file."""

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
        """Segments: address, contents, bytes in memory, executable, writable, load address."""

    def symbols(self) -> list[tuple[str, int, int, bool]]:
        """Symbols: name, address, bytes, and true for a function."""

    def notes(self) -> list[tuple[str, str, builtins.bytes]]:
        """Notes: section, owner and content."""

    def source_line_at(self, address: int) -> tuple[str, int] | None:
        """File and line of the source."""

    def inlined_at(self, address: int) -> list[str]:
        """Return the functions inlined there, the outermost first."""

    def damages(self) -> list[str]:
        """Damages of the debug information."""

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
        """Number of inputs."""

    @property
    def initial_state(self) -> list[int]:
        """The state words before the first cycle."""

    def evaluate(self, inputs: Sequence[int], state: Sequence[int]) -> int:
        """Return the result for these inputs and this state."""

    def advance(self, inputs: Sequence[int], state: Sequence[int]) -> list[int]:
        """Return the state of the next cycle."""

@final
class Design:
    """Description of a system."""

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
        """Effect of an elaboration pass on this design, as text."""

@final
class Recorder:
    """Transfers through some channels since recording began."""

    def transfers(self) -> list[tuple[int, int, int, list[int]]]:
        """Transfers in order of time: index of the recorded channel, femtoseconds, cycle, words."""

    def clear(self) -> None:
        """Discard all recorded transfers."""

    def stop(self) -> None:
        """Stop recording."""

def describe_trace(trace: os.PathLike[str]) -> str:
    """Description in an instruction trace, as JSON."""

def describe_access_trace(trace: os.PathLike[str]) -> str:
    """Description in an access trace, as JSON."""

def provoke_defect(text: str) -> None:
    """Panic; for tests of the handling of defects."""

def read_capture(path: str | os.PathLike[str]) -> tuple[list[bytes], int, int, bool]:
    """Frames of a capture, number of cut frames, number of others than Ethernet, true if the file is cut."""

def traffic_frames(description: str, frames: bytes, seed: int, first: int, count: int) -> list[bytes]:
    """Return frames of a plan from number `first` on, without check sequence; `frames` are of captures."""

def disassemble(instruction_set: str, word: int, address: int) -> str:
    """Return the instruction `word` at `address` as assembly text, with all shipped extensions."""

def instruction_sets() -> str:
    """Descriptions of all instruction sets, as JSON."""

def unsuitable_elf(instruction_set: str, flags: int) -> str | None:
    """Target of an ELF file with these flags, if cores of the set cannot execute it."""

@final
class CaptureWriter:
    """Open capture file."""

    def finish(self) -> list[int]:
        """Complete the capture; return the number of frames of each interface, or nothing if called again."""

def server_cards() -> list[tuple[str, str]]:
    """Names and descriptions of the cards that are state machines."""

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
        wire: tuple[int, int, Sequence[tuple[str, Sequence[tuple[str, int]]]]] | None = None,
        clocks: Sequence[int] | None = None,
        disk: str | os.PathLike[str] | None = None,
        share: str | os.PathLike[str] | None = None,
    ) -> Server:
        """Return servers that are about to start a kernel, a file called `name`, each with its arguments.

        Their size is harts and bytes of memory. `wire` joins two: its latency in picoseconds, its bits per
        second, and the name of each card with its changed parameters. `clocks` are those of the harts of
        each, in Hz. `disk` is the file of an image and `share` a folder, for each of them.
        """

    @staticmethod
    def restore(
        name: str,
        content: bytes,
        size: tuple[int, int],
        wire: tuple[int, int, Sequence[tuple[str, Sequence[tuple[str, int]]]]] | None = None,
        clocks: Sequence[int] | None = None,
        disk: str | os.PathLike[str] | None = None,
        share: str | os.PathLike[str] | None = None,
    ) -> Server:
        """Return servers restored from a checkpoint, a file called `name`, which must be of this size."""

    @staticmethod
    def checkpoint_version() -> str:
        """Checkpoint format version; bumped on incompatible changes."""

    def nodes(self) -> int:
        """Number of servers."""

    def set_threads(self, maximum: int | None = None) -> None:
        """Let joined servers run at the same time, on at most this number of threads.

        By default one for each processor of this process. This does not affect results.
        """
    def concurrent_steps(self) -> int:
        """Number of steps in which joined servers have run at the same time."""
    def shorten_step(self, cycles: int) -> None:
        """Set the maximum cycles between exchanges of frames; affects no result; for tests."""

    def capture(self, path: str | os.PathLike[str]) -> CaptureWriter:
        """Begin a capture of the link in a file: what each server sends is an interface."""

    def card_counters(self, node: int = 0) -> list[tuple[str, int]]:
        """Counters of a server's card."""

    def save(self) -> bytes:
        """Return a checkpoint."""

    def run(self, cycles: int) -> str:
        """Run for a number of cycles; "time", "idle" if nothing was executed, "off" or "failed" if it ended.

        "restarts" if a kernel asks for another start, "called" if guest software made calls (`take_calls`).

        "held" if a debugger holds the servers and nothing was said for a moment, "killed" if it has ended the
        run.
        """

    def listen(self, address: str, node: int = 0) -> str:
        """Wait for a debugger of the harts of a server, which are functional; return the listening address.

        From now on the debugger controls `run`.
        """

    def finish_debugging(self, code: int) -> str | None:
        """Report the end of the run to the debugger; return why the connection broke, if it did."""

    def record(
        self,
        window_ps: tuple[int, int],
        functions: list[tuple[int, str, str]],
        categories: tuple[str, str, str],
        bits_per_s: int,
    ) -> None:
        """Record the activity of harts and link in a window for a timeline: begin, from now, and length.

        Functions have an address, a name and a category; the categories of waiting, of user mode and of other
        code of the kernel come with them.
        """

    def write_timeline(self, path: str | os.PathLike[str]) -> tuple[int, int] | None:
        """Write the recorded activity; return the number of slices, and of picoseconds covered."""

    def set_timed(self, is_timed: bool, node: int = 0, parameters: str | None = None) -> None:
        """Make the cores of a server timed, or functional with one instruction per cycle.

        `parameters` are changes of `timed_parameters`, as JSON.
        """

    def set_pace(self, pace: tuple[float, float] | None, node: int = 0) -> None:
        """Execute instructions of a timed server at a fixed pace, with caches and predictors warm.

        The pace is the cycles of an instruction, and of a miss of the second level. `None` ends it.
        """

    @staticmethod
    def timed_parameters() -> str:
        """Default parameters of timed cores, caches and buses, as JSON."""

    def timing(self, node: int = 0) -> dict[str, int] | None:
        """Counters of the timed cores of a server since `set_timed`; nothing for functional cores."""

    def set_profiled(self, is_profiled: bool, node: int = 0) -> None:
        """Begin or end the profile of a server's harts."""

    def profiles(self, node: int = 0) -> list[tuple[int, list[tuple[bool, int, int, int]]]]:
        """Profile of each hart of a server.

        Cycles in which it waited for an interrupt; and each block: true for user mode, address, cycles and
        instructions.
        """

    def carried(self, node: int = 0, at: int | None = None) -> tuple[int, int]:
        """Frames and bytes that a server has put on the link since it was started or restored.

        They count until the present time of server `at`, by default itself.
        """

    def take_output(self, node: int = 0) -> bytes:
        """Take what was printed on a server's console."""

    def type_in(self, characters: bytes, node: int = 0) -> None:
        """Type characters on a server's console."""

    def unread(self) -> int:
        """Number of typed characters that are not read yet."""

    def instructions(self, node: int | None = None) -> int:
        """Instructions that all harts have executed, or those of a server."""

    def cycles(self, node: int = 0) -> int:
        """Cycles of a server since the start.

        After "called" they are those until the call; of a server that has ended, those until its end.
        """

    def has_ended(self, node: int = 0) -> bool:
        """True if a server has ended."""

    def hertz(self, node: int = 0) -> int:
        """Clock of a server's harts, in Hz."""

    def take_calls(self, node: int = 0) -> list[tuple[str, str]]:
        """Take the calls of a server's guest software, oldest first.

        "begin" with the name of a region of interest, "end", "checkpoint", or "exit" with a status.
        """

    def time(self) -> tuple[int, int]:
        """Cycles since the start, and cycles per second."""

@final
class TraceFiles:
    """Open instruction trace and access trace."""

    def finish(self, end: int) -> tuple[int, int] | None:
        """Complete both at a time in femtoseconds; return the numbers of instructions and accesses once."""

_Code = tuple[int, int, str, str]
"""First address of code without functions, one past its last, its name and its task."""
_Rate = tuple[str, str, float | None, Sequence[tuple[int, str, float]]]
"""Name, unit, largest value, and counters: module, name, and the worth of a count."""
_Entrance = tuple[str, str, int, int, int, int]
"""Name; device; modules that send, expect, and export frames; bytes of the longest frame."""
_Agreed = tuple[bool, str | os.PathLike[str], int, int, str, float]
"""True to listen; socket; latency and interval (ps); `auto`, `on` or `off`; time for the handshake (s)."""

@final
class Recording:
    """Recorded arrivals from outside during a run."""

    @staticmethod
    def read(path: str | os.PathLike[str]) -> Recording:
        """Read a recording."""

    @property
    def entrances(self) -> list[str]:
        """Names of the entrances."""

    @property
    def made_with(self) -> str:
        """Configuration of the recorded run, as JSON."""

    @property
    def ending(self) -> tuple[int, str] | None:
        """End of the run in femtoseconds, and its kind as JSON; nothing if the recording is cut."""

    @property
    def last(self) -> int | None:
        """Arrival of the last frame, in femtoseconds; nothing without frames."""

    def arrivals(self) -> list[int]:
        """Arrivals of all frames in order, in femtoseconds."""

@final
class Live:
    """Run that exchanges frames with devices."""

    @staticmethod
    def open(
        simulation: Simulation,
        entrances: Sequence[_Entrance],
        record: str | os.PathLike[str] | None = None,
        made_with: str = "",
    ) -> Live:
        """Open the devices of entrances."""

    @staticmethod
    def replay(simulation: Simulation, entrances: Sequence[_Entrance], recording: Recording) -> Live:
        """Repeat the arrivals of a recording, at the same times."""

    def run(
        self, simulation: Simulation, until: int, counters: Sequence[tuple[str, str, int]]
    ) -> tuple[str, str]:
        """Run as `Simulation.run` does."""

    def behind_ns(self, simulation: Simulation) -> int:
        """Lag of simulated time behind wall time."""

    def finish(self, simulation: Simulation) -> str:
        """Send the remaining output to the devices; return the counts of each entrance, as JSON."""

    def end_recording(self, simulation: Simulation, ending: str) -> None:
        """Complete the recording, if there is one."""

@final
class Attached:
    """Run that serves the accesses of a guest."""

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
        """Attach the modules `wire` and `host` of a simulation, with an optional device at the wire.

        `record` is the file for arrivals, with the configuration `made_with`, which is JSON.
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
        """Create `socket`, and attach the vfio-user client that connects to it."""

    @staticmethod
    def replay(
        simulation: Simulation, device: str | None, wire: int, host: int, recording: Recording
    ) -> Attached:
        """Repeat the arrivals of a recording without a guest, at the same times; `device` is of that run."""

    def fileno(self) -> int:
        """File descriptor for the guest; -1 after it was closed."""

    def close_guest_end(self) -> None:
        """Close this process's copy of the descriptor."""

    def run(self, simulation: Simulation, until: int) -> tuple[str, str]:
        """Run as `Simulation.run` does; the end of the guest ends the run."""

    def behind_ns(self, simulation: Simulation) -> int:
        """Lag of simulated time behind wall time."""

    def finish(self, simulation: Simulation) -> str:
        """Send the remaining output to the device; return the counts of the wire, as JSON."""

    def end_recording(self, simulation: Simulation, ending: str) -> None:
        """Complete the recording, if there is one; `ending` is JSON."""

@final
class Cosimulation:
    """Run that exchanges messages with other simulators, by SimBricks."""

    @staticmethod
    def open(
        simulation: Simulation,
        host: tuple[int, _Agreed] | None,
        wires: Sequence[tuple[_Entrance, _Agreed]],
    ) -> Cosimulation:
        """Make the sockets for peers: of a host that reaches its device as a module, and of networks."""

    def run(
        self, simulation: Simulation, until: int, counters: Sequence[tuple[str, str, int]]
    ) -> tuple[str, str]:
        """Run as `Simulation.run` does; `ended` if peers have ended, `lost` if one has left or misbehaved."""

    def exchange(self, simulation: Simulation) -> tuple[str, str, int]:
        """Exchange messages for a run by a debugger: reason, details, and the time up to which it may run."""

    def behind_ns(self, simulation: Simulation) -> int:
        """Lag of simulated time behind wall time; none with synchronised peers."""

    def finish(self, simulation: Simulation) -> str:
        """Tell the peers that the run ends; return the counts of the wires, as JSON."""

@final
class TimelineFile:
    """Open timeline."""

    def finish(self) -> int | None:
        """Complete the file; return the number of frames in it."""

@final
class FrameCounts:
    """Frames and bytes that have moved through channels since counting began."""

    def counts(self, until: int | None = None) -> list[tuple[int, int]]:
        """Frames, and their bytes without frame check sequence, of each channel.

        They count until an instant in femtoseconds, if given.
        """

@final
class CoherenceCheck:
    """Check of cache coherence in progress."""

    def hazards(self, simulation: Simulation) -> list[tuple[str, int, int, int | None, bool, int, int, int]]:
        """Hazards up to the last stop of the simulation, by time."""

@final
class LineTraceFile:
    """Open line trace."""

    def finish(self) -> None:
        """Write the rest; a second call does nothing."""

@final
class WaveFile:
    """Open waveforms."""

    def finish(self) -> None:
        """Complete the file; a second call does nothing."""

def model_differences(then: Sequence[tuple[str, str]], now: Sequence[tuple[str, str]]) -> list[str]:
    """Return the differences of a model from an earlier one, each as a text with both values."""

def read_journeys(path: os.PathLike[str]) -> list[tuple[str, int, int, list[tuple[str, int]]]]:
    """Return the journeys of frames in a timeline: name, begin and duration in ns, stages with durations."""

@final
class Debugger:
    """A debugger of a simulation."""

    @staticmethod
    def listen(
        simulation: Simulation,
        cores: Sequence[int],
        memories: Sequence[tuple[str, int | None, Sequence[int], int, bool, int | None, int, int | None]],
        caches: Sequence[int],
        address: str,
        can_go_back: bool,
    ) -> Debugger:
        """Wait for a client.

        `memories` are name, base, banks, interleaving, reversed words, only core, offset of the first byte in
        the contents of the banks, and size; without a size, the rest of the contents.
        `caches` are the data caches, in the order of the cores, or empty.
        """

    def address(self) -> str:
        """Listening address."""

    def run(
        self, simulation: Simulation, until: int, counters: Sequence[tuple[str, str, int]]
    ) -> tuple[str, str]:
        """Run as `Simulation.run` does, except that the client may stop the run."""

    def finish(self, simulation: Simulation, code: int) -> str | None:
        """Report the end of the run to the client; return why the connection broke, if it did."""

@final
class ServerDebugger:
    """A debugger of a server in a simulation."""

    @staticmethod
    def listen(simulation: Simulation, server: int, address: str) -> ServerDebugger:
        """Wait for a client that debugs the harts of the module `server`."""

    def address(self) -> str:
        """Listening address."""

    def run(self, simulation: Simulation, until: int) -> tuple[str, str]:
        """Run as `Simulation.run`; "held" if the client holds the server, "killed" if it ended the run."""

    def finish(self, simulation: Simulation, code: int) -> str | None:
        """Report the end of the run to the client; return why the connection broke, if it did."""

@final
class Simulation:
    """A simulation; modules, channels and domains have numbers, those in the lists."""

    def domains(self) -> list[tuple[str, int, int]]:
        """Return the clock domains: name, and hertz as numerator and denominator."""

    def modules(self) -> list[tuple[str, str, list[int]]]:
        """Return the modules: path, kind, and the number of the domain of each clock."""

    def channels(self) -> list[tuple[_End, _End, str, int, int]]:
        """Return the channels: output, input, type, words, domain."""

    def parameters(self, module: int) -> list[tuple[str, str]]:
        """Return the parameters of a module with their resolved values, as a person writes them."""

    def counter_names(self) -> list[str]:
        """`path.counter` of every counter."""

    def counters(self) -> list[int]:
        """Return all counters, in the order of `counter_names`."""

    def counter(self, module: int, name: str) -> int | None:
        """Return a counter of a module; `None` if it has no counter of this name."""

    def now(self) -> int:
        """Femtoseconds since the start."""

    def cycles(self, domain: int) -> int:
        """Number of cycles of a domain since the start."""

    def edge_time(self, domain: int, edge: int) -> int | None:
        """Time of an edge of a domain, in femtoseconds."""

    def run(
        self,
        until: int,
        counters: Sequence[tuple[str, str, int]] = ...,
        transfers: Sequence[tuple[int, int]] = ...,
        deadlock_after: int | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> tuple[str, str]:
        """Run all edges before `until` femtoseconds, or until a condition holds."""

    def channel(self, channel: int) -> tuple[list[int] | None, bool]:
        """Words in a channel in the last cycle of its domain, and true if acknowledged."""

    def state(self, module: int, part: str = "") -> Any:
        """Return the state of a module as plain data, or the part of it that a JSON pointer names."""

    def profile(self, modules: Sequence[int]) -> bytes:
        """Profile of some cores, packed: instruction address, completions, cycles, accesses."""

    def contents_size(self, module: int) -> int | None:
        """Size of a memory in bytes."""

    def read_contents(self, module: int, address: int, length: int) -> bytes:
        """Return bytes of a memory."""

    def write_contents(self, module: int, address: int, bytes: bytes) -> None:
        """Overwrite bytes of a memory."""

    def inject(self, module: int, lane: int, message: bytes) -> None:
        """Inject a message into a module."""

    def export(self, module: int, lane: int = 0) -> bytes:
        """Export the messages of a module on a lane, concatenated."""

    def payload(self, handle: int, channel: int | None = None) -> bytes:
        """Return the bytes of a stored payload, such as a frame."""

    def set_threads(self, maximum: int) -> None:
        """Set the maximum number of threads; never changes a result."""

    def window_end(self) -> int:
        """Time at which all parts that are joined by latency meet next, in femtoseconds."""

    def islands(self) -> tuple[int, int]:
        """Number of parts that are joined by latency only, and of their windows on several threads."""

    def checkpoint(self) -> bytes:
        """Everything needed to continue this simulation in another process."""

    def cycles_ahead(self, modules: Sequence[int]) -> list[int]:
        """Cycles by which the accounts of each core are ahead of its counters."""

    def calls(
        self, modules: Sequence[int]
    ) -> list[tuple[list[tuple[int, int, int, int]], list[tuple[int, int, list[int]]]]]:
        """Accounts of each core by calls.

        Contexts: number of the caller's, place that called, called function, number of calls; accounts:
        number of the context, address, numbers.
        """

    def model(self) -> list[tuple[str, str]]:
        """Names and values that the model of a checkpoint must share with this one."""

    def restore(self, checkpoint: bytes) -> None:
        """Restore a checkpoint of a simulation of the same design."""

    def find_deadlock(self) -> str | None:
        """Cycle of modules that wait for each other, if any value is refused."""

    def set_idle_skip(self, skips: bool) -> None:
        """Skip time in which all awake modules repeat themselves, or simulate it."""

    def set_fusing(self, fuses: bool) -> None:
        """Fuse modules where possible, or none."""

    def fusions(self) -> list[list[str]]:
        """Paths of the fused modules by group, the leader of each first."""

    def repeated_cycles(self) -> int:
        """Number of skipped cycles, which repeated earlier ones."""

    def set_sleeping(self, sleeping: bool) -> None:
        """Skip sleeping modules, or evaluate them."""

    def set_check_dependencies(self, check: bool) -> None:
        """Check every process against its declared dependencies, or none."""

    def record(self, channels: Sequence[int]) -> Recorder:
        """Record the transfers of `channels` from now on."""

    def capture(self, path: os.PathLike[str], interfaces: Sequence[tuple[str, int]]) -> CaptureWriter:
        """Write the frames of channels to a pcapng file; each channel is an interface with a name."""

    def count_frames(self, channels: Sequence[int], kept: int = 0) -> FrameCounts:
        """Count the frames that move through channels from now on."""

    def timeline(
        self,
        path: os.PathLike[str],
        cores: tuple[Sequence[tuple[str, int]], os.PathLike[str], Mapping[str, str], Sequence[_Code]] | None,
        blocks: Sequence[_Rate],
        memories: Sequence[_Rate],
    ) -> TimelineFile:
        """Write a timeline in Perfetto's format from now on."""

    def set_profiled(self, server: int, is_profiled: bool) -> None:
        """Begin or end the profile of the harts of the module `server`."""

    def profiles(self, server: int) -> list[tuple[int, list[tuple[bool, int, int, int]]]]:
        """Return the profile of each hart of the module `server`, as `Server.profiles`."""

    def set_pace(self, server: int, pace: tuple[float, float] | None) -> None:
        """Execute instructions of the timed module `server` at a fixed pace, as `Server.set_pace`."""

    def record_harts(self, server: int, length_ps: int, functions: list[tuple[int, str, str]]) -> None:
        """Record the activity of the harts of the module `server` from now on.

        Functions have an address, a name and a category.
        """

    def add_harts(
        self,
        timeline: TimelineFile,
        server: int,
        number: int,
        functions: list[tuple[int, str, str]],
        categories: tuple[str, str, str],
    ) -> None:
        """Add rows for the recorded harts of the module `server` to a timeline, as those of a number."""

    def check_coherence(
        self,
        cores: Sequence[tuple[int, int, int, int, int, int, bool]],
        devices: Sequence[int],
        aliases: Sequence[tuple[int, int, int]],
    ) -> CoherenceCheck:
        """Check the cache maintenance of firmware on some cores from now on."""

    def trace_lines(self, modules: Sequence[int], start: int) -> LineTraceFile:
        """Write a line to standard output for each cycle of each module, from `start` femtoseconds on."""

    def give_behaviour(self, module: int, behaviour: Any) -> None:
        """Give a called block its behaviour: an object with `settle`, `commit`, `save` and `restore`."""

    def waves(
        self, path: os.PathLike[str], channels: Sequence[int], states: Sequence[int], start: int
    ) -> WaveFile:
        """Write the values of channels and states in every cycle as FST, from `start` femtoseconds on."""

    def output_names(self) -> list[str]:
        """Return the names of the channels' outputs, as waveforms call them."""

    def state_names(self) -> list[str]:
        """Return the names of the values in the states of modules, as waveforms call them."""

    def trace(
        self,
        instructions: os.PathLike[str],
        accesses: os.PathLike[str],
        cores: Sequence[int],
        agents: Sequence[tuple[str, int]],
        extensions: Sequence[str],
        image: os.PathLike[str],
        tasks: Mapping[str, str],
        code: Sequence[_Code],
        overhead_tasks: Sequence[str],
    ) -> TraceFiles:
        """Write the completed instructions of cores and the references of agents; tasks are by function."""
