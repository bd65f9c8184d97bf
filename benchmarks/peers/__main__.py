"""Spinach next to other simulators on the same work: processors with one kernel, and a row of queues.

All run in turns, one thread each, for several rounds; the speed is the best of them, the ratio the median of
the ratios within each round, as the machine is not equally fast in all of them. What is not installed is
skipped, with the reason.

Verilator and QEMU come from the distribution; the Python packages are installed into a separate folder.
Verilated cores are also compiled with profile-guided optimisation, trained on the kernel.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.peers import kernel

import spinach_nic
from spinach_nic import B, Clock, Component, KiB, MHz, Simulation, parameter, simulate, us
from spinach_nic.library import (
    AddressMap,
    CacheController,
    Fifo,
    FunctionalCore,
    MultiportedMemory,
    PipelinedCore,
    Receiver,
    Sender,
)
from spinach_nic.processors.timing import core_timing

HERE = Path(__file__).parent
FOLDER = HERE.parents[1] / "target" / "peers"
PACKAGES = {"pymtl3": "pymtl3", "unicorn": "unicorn", "pythondata-cpu-vexriscv": "pythondata_cpu_vexriscv"}
ROUNDS = int(os.environ.get("ROUNDS", "5"))
SECONDS = 1.0
"""Approximate length of each measurement."""
QUEUES = 48
FEWEST_PASSES = 10
"""Fewest passes of a kernel from which instructions are counted."""


class SkippedError(Exception):
    """Why something is not measured."""


@dataclass
class Contender:
    """One simulator on one piece of work."""

    work: str
    name: str
    version: str
    prepare: Callable[[], Callable[[], tuple[float, float]]]
    """Creates a function that measures once: cycles and instructions per second, 0 where not applicable."""
    measure: Callable[[], tuple[float, float]] | None = None
    reason: str = ""
    speeds: list[tuple[float, float]] = field(default_factory=list)


# Ours.


class OneCore(Component):
    """A core on one memory that answers at once."""

    functional: bool = parameter(default=False, doc="True if it omits the pipeline.")
    timing: str = parameter(default="", doc="Preset of the pipeline; empty for the usual one.")

    def build(self) -> None:
        """Connect both ports to the memory."""
        self.clock = Clock("core", MHz(200))
        kind = FunctionalCore if self.functional else PipelinedCore
        self.core = kind(instruction_set="rv32", **core_timing(self.timing))
        self.memory = MultiportedMemory(size=KiB(1024), latency=0, byte_order="little")
        self.core.fetch >> self.memory.port
        self.core.data >> self.memory.port


class CachedCores(Component):
    """Pipelined cores, each with an instruction cache and a memory."""

    cores: int = parameter(default=6, doc="Number of cores.")

    def build(self) -> None:
        """Connect each to its own."""
        self.clock = Clock("core", MHz(200))
        self.core = [PipelinedCore(instruction_set="rv32") for _ in range(self.cores)]
        self.cache = [
            CacheController(size=KiB(4), associativity=1, line_size=B(32), fill_bytes=4) for _ in self.core
        ]
        self.memories = [MultiportedMemory(size=KiB(1024), byte_order="little") for _ in self.core]
        for core, cache, memory in zip(self.core, self.cache, self.memories, strict=True):
            core.fetch >> cache.port
            cache.memory >> memory.port
            core.data >> memory.port


class PrivateCores(Component):
    """Pipelined cores, each with a memory of its instructions and one of its data, as in `hundredgig`."""

    cores: int = parameter(default=16, doc="Number of cores.")

    def build(self) -> None:
        """Connect each to its own."""
        self.clock = Clock("core", MHz(200))
        size = KiB(1024)
        self.core = [PipelinedCore(instruction_set="rv32") for _ in range(self.cores)]
        self.code = [MultiportedMemory(size=size, latency=0, byte_order="little") for _ in self.core]
        self.map = [AddressMap(bases=[0], sizes=[size.bytes], targets=[0]) for _ in self.core]
        self.data = [MultiportedMemory(size=size, byte_order="little") for _ in self.core]
        for core, code, map, data in zip(self.core, self.code, self.map, self.data, strict=True):
            core.fetch >> code.port
            core.data >> map.initiator
            map.target >> data.port

    @property
    def memories(self) -> list[MultiportedMemory]:
        """All memories."""
        return [*self.code, *self.data]


class Row(Component):
    """Queues of two entries, one behind the other."""

    def build(self) -> None:
        """Connect them between a sender that always sends and a receiver that always takes."""
        self.clock = Clock("core", MHz(200))
        self.sender, self.receiver = Sender(policy="index"), Receiver()
        self.queue = [Fifo(depth=2) for _ in range(QUEUES)]
        source = self.sender.output
        for queue in self.queue:
            source >> queue.input
            source = queue.output
        source >> self.receiver.input


def repeated(simulation: Simulation, instructions: Callable[[], int]) -> Callable[[], tuple[float, float]]:
    """Return the measurement of an endless simulation."""
    cycles = 20_000

    def measure() -> tuple[float, float]:
        nonlocal cycles
        while True:
            before, began = instructions(), time.process_time()
            simulation.run(cycles=cycles)
            seconds = time.process_time() - began
            if seconds > SECONDS / 2:
                return cycles / seconds, (instructions() - before) / seconds
            cycles *= 2

    return measure


def our_core(*, functional: bool = False, timing: str = "") -> Callable[[], tuple[float, float]]:
    """Return the measurement of one Spinach core."""
    machine = OneCore(functional=functional, timing=timing)
    simulation = simulate(machine)
    simulation.write(machine.memory, 0, kernel.image())
    return repeated(simulation, lambda: simulation.statistics()[f"{machine.core.path}.instructions"])


def our_cores(machine: CachedCores | PrivateCores) -> Callable[[], tuple[float, float]]:
    """Return the measurement of several Spinach cores."""
    simulation = simulate(machine)
    for memory in machine.memories:
        simulation.write(memory, 0, kernel.image())
    paths = [f"{core.path}.instructions" for core in machine.core]

    def instructions() -> int:
        counters = simulation.statistics()
        return sum(counters[path] for path in paths)

    return repeated(simulation, instructions)


def our_queues() -> Callable[[], tuple[float, float]]:
    """Return the measurement of the Spinach row of queues."""
    return repeated(simulate(Row()), lambda: 0)


def our_nic(
    name: str, parameters: dict[str, str], lengths_us: tuple[int, int]
) -> Callable[[], tuple[float, float]]:
    """Return a whole NIC at line rate both ways: the difference of two runs, without set-up and result."""

    def spent(microseconds: int) -> tuple[float, int, int]:
        """Return the processor time of a run, its core cycles and its instructions."""
        began = time.process_time()
        it = spinach_nic.run(name, set=parameters, time=us(microseconds))
        return time.process_time() - began, it.simulated_cycles["core"], it.instructions

    def measure() -> tuple[float, float]:
        shorter, longer = map(spent, lengths_us)
        seconds, cycles, instructions = (more - less for more, less in zip(longer, shorter, strict=True))
        return cycles / seconds, instructions / seconds

    return measure


# Others'.


def packages() -> Path:
    """Return the Python with the packages of others.

    Raises:
        SkippedError: If they cannot be installed.
    """
    python = FOLDER / "packages" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", FOLDER / "packages"], check=True)
    for name, module in PACKAGES.items():
        if subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode:
            subprocess.run(
                [python, "-m", "pip", "install", "--quiet", name, "setuptools<81"], capture_output=True
            )
    return python


def path_of(tool: str, package: str) -> str:
    """Return the path of a program.

    Raises:
        SkippedError: If it is not installed.
    """
    found = shutil.which(tool)
    if found is None:
        raise SkippedError(f"{tool} is not installed: apt install {package}")
    return found


def need(python: Path, module: str) -> None:
    """Make sure that a package is there.

    Raises:
        SkippedError: If it is not.
    """
    tried = subprocess.run([python, "-c", f"import {module}"], capture_output=True, text=True)
    if tried.returncode:
        raise SkippedError(f"{module} cannot be installed here: {tried.stderr.strip().splitlines()[-1]}")


def answer(*command: str | Path) -> dict[str, float]:
    """Return the JSON that a program prints."""
    done = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True)
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def saved_kernel() -> Path:
    """Return the kernel as a file."""
    path = FOLDER / "kernel.bin"
    path.write_bytes(kernel.image())
    return path


def first_error(said: str) -> str:
    """Return the line of a compiler's output that says what went wrong."""
    lines = said.strip().splitlines() or ["it did not say why"]
    errors = (line for line in lines if "error" in line.lower())
    return next(errors, lines[-1])


def verilated(*, is_guided: bool) -> Path:
    """VexRiscv as Verilator compiles it, with profile-guided optimisation or without.

    Raises:
        SkippedError: If something for it is missing.
    """
    verilator = path_of("verilator", "verilator")
    path_of("g++", "g++")
    python = packages()
    need(python, "pythondata_cpu_vexriscv")
    where = "import pythondata_cpu_vexriscv as it; print(it.data_location)"
    found = subprocess.run([python, "-c", where], check=True, capture_output=True, text=True).stdout
    sources = [Path(found.strip()) / "VexRiscv_Full.v", HERE / "vexriscv.cpp"]
    built = FOLDER / ("vexriscv_guided" if is_guided else "vexriscv")
    program = built / "vexriscv"
    if program.exists() and program.stat().st_mtime >= (HERE / "vexriscv.cpp").stat().st_mtime:
        return program
    command = ["--cc", "--exe", "--build", "-O3", "--noassert", "-Wno-fatal", "-Wno-WIDTH", "-o", "vexriscv"]
    command += [
        "--x-assign",
        "fast",
        "--x-initial",
        "fast",
        "--top-module",
        "VexRiscv",
        "--prefix",
        "VVexRiscv",
    ]
    command += ["-MAKEFLAGS", "OPT_FAST=-O3 OPT_SLOW=-O1 OPT_GLOBAL=-O3", "-CFLAGS", "-march=native"]

    def build(*options: str) -> None:
        flags = [word for option in options for word in ("-CFLAGS", option, "-LDFLAGS", option)]
        made = subprocess.run(
            [verilator, *command, *flags, "--Mdir", built, *sources], capture_output=True, text=True
        )
        if made.returncode:
            raise SkippedError(f"verilator failed: {first_error(made.stdout + made.stderr)}")

    if not is_guided:
        build()
        return program
    shutil.rmtree(built, ignore_errors=True)
    build("-fprofile-generate")
    answer(program, saved_kernel(), "0", str(kernel.PASSES), "1", "200000")
    # Counts stay in the folder, where the compiler finds them.
    for old in [program, *built.glob("*.o"), *built.glob("*.a")]:
        old.unlink()
    build("-fprofile-use")
    return program


def vexriscv(cores: int, *, is_guided: bool) -> Callable[[], Callable[[], tuple[float, float]]]:
    """Return the measurement of `cores` of them."""

    def prepare() -> Callable[[], tuple[float, float]]:
        program, image, cycles = verilated(is_guided=is_guided), saved_kernel(), 10_000

        def measure() -> tuple[float, float]:
            nonlocal cycles
            while True:
                it = answer(program, image, "0", str(kernel.PASSES), str(cores), str(cycles))
                if it["seconds"] > SECONDS / 2:
                    # Only whole passes are known.
                    passes = it["word"] * cores if it["word"] >= FEWEST_PASSES else 0
                    instructions = passes * kernel.INSTRUCTIONS_PER_PASS
                    return it["cycles"] / it["seconds"], instructions / it["seconds"]
                cycles *= 2

        return measure

    return prepare


def unicorn() -> Callable[[], tuple[float, float]]:
    """Unicorn on the kernel."""
    python = packages()
    need(python, "unicorn")
    image, microseconds = saved_kernel(), str(int(SECONDS * 1e6))

    def measure() -> tuple[float, float]:
        it = answer(python, HERE / "unicorn_cpu.py", image, microseconds, str(kernel.PASSES))
        return 0.0, it["word"] * kernel.INSTRUCTIONS_PER_PASS / it["seconds"]

    return measure


def qemu() -> Callable[[], tuple[float, float]]:
    """QEMU's user mode on the kernel."""
    program = path_of("qemu-riscv32", "qemu-user")

    def seconds(passes: int) -> float:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "kernel"
            path.write_bytes(kernel.executable(passes))
            path.chmod(0o755)
            before = os.times()
            subprocess.run([program, str(path)], check=True)
            after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system

    def measure() -> tuple[float, float]:
        few, many = 1000, 16_000
        spent = seconds(many) - seconds(few)
        return 0.0, (many - few) * kernel.INSTRUCTIONS_PER_PASS / spent

    return measure


def pymtl() -> Callable[[], tuple[float, float]]:
    """PyMTL3 on the row of queues."""
    python = packages()
    need(python, "pymtl3")

    def measure() -> tuple[float, float]:
        it = answer(python, HERE / "pymtl_queues.py", str(QUEUES), "2000")
        return it["cycles"] / it["seconds"], 0.0

    return measure


def version(command: list[str]) -> str:
    """Return the version that a program reports, or an empty string."""
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.strip().splitlines()[0]
    except (OSError, IndexError):
        return ""


def version_of_package(name: str) -> str:
    """Return the version of a package of others."""
    python = FOLDER / "packages" / "bin" / "python"
    return version([str(python), "-c", f"import importlib.metadata as it; print(it.version('{name}'))"])


def contenders() -> list[Contender]:
    """All, ours first on each piece of work."""
    ours = f"Spinach {spinach_nic.__version__}"
    verilator = " ".join(version(["verilator", "--version"]).split()[:2])
    one, glue = "one core", f"{QUEUES} queues"

    def peers_of(work: str, cores: int) -> list[Contender]:
        guided = vexriscv(cores, is_guided=True)
        return [
            Contender(work, "VexRiscv Full", verilator, vexriscv(cores, is_guided=False)),
            Contender(work, "VexRiscv Full, profile-guided", verilator, guided),
        ]

    def several(
        cores: int, nic: str, parameters: dict[str, str], lengths_us: tuple[int, int]
    ) -> list[Contender]:
        work = f"{cores} cores"
        return [
            Contender(work, "pipelined cores with caches", ours, lambda: our_cores(CachedCores(cores=cores))),
            Contender(
                work, "pipelined cores, private memories", ours, lambda: our_cores(PrivateCores(cores=cores))
            ),
            *peers_of(work, cores),
            Contender(
                work, f"all of {nic}, at line rate", ours, lambda: our_nic(nic, parameters, lengths_us)
            ),
        ]

    return [
        Contender(one, "pipelined core", ours, lambda: our_core(functional=False)),
        *peers_of(one, 1),
        Contender(one, "core of rosebud", ours, lambda: our_core(timing="vexriscv-smallest")),
        Contender(one, "functional core", ours, lambda: our_core(functional=True)),
        Contender(one, "Unicorn", version_of_package("unicorn"), unicorn),
        Contender(
            one, "QEMU, user mode", " ".join(version(["qemu-riscv32", "--version"]).split()[2:3]), qemu
        ),
        *several(6, "tengig", {"cores": "6", "core_clock": "200MHz"}, (500, 4500)),
        *several(16, "hundredgig", {"cores": "16"}, (200, 500)),
        *several(64, "hundredgig", {"cores": "64"}, (400, 800)),
        Contender(glue, "Fifo", ours, our_queues),
        Contender(glue, "NormalQueueRTL", f"PyMTL3 {version_of_package('pymtl3')}", pymtl),
    ]


def main() -> None:
    """Prepare all, measure them in turns, print the table."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    packages()
    every = contenders()
    for contender in every:
        try:
            contender.measure = contender.prepare()
            contender.measure()
        except (SkippedError, subprocess.CalledProcessError) as error:
            contender.measure, contender.reason = None, str(error)
    for _ in range(ROUNDS):
        for contender in every:
            if contender.measure is not None:
                contender.speeds.append(contender.measure())
    print("| work | simulator | version | million cycles/s | million instructions/s | ratio to the first |")
    print("|---|---|---|---|---|---|")
    first: dict[str, Contender] = {}
    for contender in every:
        base = first.setdefault(contender.work, contender)
        columns = f"| {contender.work} | {contender.name} | {contender.version} |"
        if not contender.speeds:
            print(f"{columns} skipped: {contender.reason} | | |")
            continue
        cycles, instructions = (max(speeds) / 1e6 for speeds in zip(*contender.speeds, strict=True))
        kind = 0 if cycles and base.speeds and base.speeds[0][0] else 1
        ratios = [own[kind] / other[kind] for own, other in zip(contender.speeds, base.speeds, strict=False)]
        ratio = f"{statistics.median(ratios):.3g}" if ratios else ""
        shown = [f"{speed:.3g}" if speed else "" for speed in (cycles, instructions)]
        print(f"{columns} {shown[0]} | {shown[1]} | {ratio} |")


if __name__ == "__main__":
    main()
