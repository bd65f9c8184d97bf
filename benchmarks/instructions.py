"""Host instructions per core cycle of the shipped NICs, by function.

Wall time depends on the machine and on what else it does; a number of instructions does not, so it tells a
small step forward from noise. Each NIC runs twice under `valgrind --tool=callgrind`, once for longer, so that
what both runs have in common (start-up, set-up, the result) cancels out.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import spinach_nic
from spinach_nic import us

FUNCTIONS_SHOWN = 60


@dataclass(frozen=True)
class Case:
    """A NIC, and how long the shorter and the longer run simulate: both open the measured window."""

    nic: str
    set: Mapping[str, str]
    simulated_us: tuple[int, int]


CASES = {
    "hundredgig": Case("hundredgig", {}, (100, 150)),
    "ricenic": Case("ricenic", {}, (300, 700)),
    "rosebud": Case("rosebud", {}, (30, 50)),
    "tengig": Case("tengig", {"cores": "6", "core_clock": "200MHz"}, (450, 900)),
    "tigon2": Case("tigon2", {}, (3000, 6000)),
}


@dataclass
class Profile:
    """Costs of one run, by function."""

    instructions: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)


def simulate(name: str, microseconds: int) -> int:
    """Run one case; the number of core cycles."""
    case = CASES[name]
    result = spinach_nic.run(case.nic, set=dict(case.set), time=us(microseconds), traffic="udp:1472")
    return result.simulated_cycles["core"]


def profiled(name: str, microseconds: int, folder: Path) -> tuple[int, Profile]:
    """Run one case in a separate process under callgrind; return its core cycles and their costs."""
    output = folder / f"{name}.{microseconds}"
    callgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}"]
    command = [*callgrind, sys.executable, __file__, name, str(microseconds)]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    return int(run.stdout), read(output)


def read(output: Path) -> Profile:
    """Return callgrind's output: for each function its own instructions and its number of calls."""
    profile, names = Profile(), dict[str, str]()

    def name(text: str) -> str:
        # The first time that a function appears its number and its name are given, then the number alone.
        number, _, rest = text.partition(" ")
        return names.setdefault(number, rest)

    function = called = ""
    is_of_call = False
    for line in output.read_text(errors="replace").splitlines():
        if line.startswith("fn="):
            function = name(line[3:])
        elif line.startswith("cfn="):
            called = name(line[4:])
        elif line.startswith("calls="):
            profile.calls[called] += int(line[6:].split()[0])
            is_of_call = True
        elif line[:1].isdigit() or line[:1] in tuple("+-*"):
            if not is_of_call:
                profile.instructions[function] += int(line.split()[1])
            is_of_call = False
    return profile


def short(function: str) -> str:
    """Return the name of a function without what every name repeats."""
    return re.sub(r"\[[0-9a-f]{8,}\]|spinach_(engine|modules)(\[[0-9a-f]+\])?::", "", function)[:120]


def report(name: str) -> None:
    """Measure one case and print where its instructions go."""
    shorter_us, longer_us = CASES[name].simulated_us
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        runs = pool.map(lambda us: profiled(name, us, Path(folder)), (shorter_us, longer_us))
        (few, before), (many, after) = runs
    cycles = many - few
    after.instructions.subtract(before.instructions)
    after.calls.subtract(before.calls)
    print(f"{name}: {sum(after.instructions.values()) / cycles:,.0f} host instructions per core cycle")
    print(f"{'per cycle':>10} {'calls':>8} {'each':>6}")
    for function, instructions in after.instructions.most_common(FUNCTIONS_SHOWN):
        calls = after.calls[function]
        each = f"{instructions / calls:6.0f}" if calls > 0 else " " * 6
        print(f"{instructions / cycles:10.1f} {calls / cycles:8.2f} {each} {short(function)}")


def main() -> None:
    """Simulate for callgrind if given a length, else measure the named cases, or all."""
    match sys.argv[1:]:
        case [case, microseconds] if microseconds.isdigit():
            print(simulate(case, int(microseconds)))
        case names:
            if shutil.which("valgrind") is None:
                sys.exit("error: valgrind is not installed\nhelp: install it, as in `apt install valgrind`")
            if unknown := sorted(set(names) - set(CASES)):
                sys.exit(f"error: unknown {', '.join(unknown)}\nhelp: there are {', '.join(CASES)}")
            for name in names or CASES:
                report(name)


if __name__ == "__main__":
    main()
