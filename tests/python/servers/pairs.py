"""Two servers with cards in random configurations, which ping each other and send streams both ways.

The tests run a few; `make soak-pairs` runs as many as asked for, and prints the command of any that fails:

    make soak-pairs FIRST=1 COUNT=100
"""

import random
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from tests.python.cards import soak as tengig
from tests.python.cards.hundredgig import soak as hundredgig
from tests.python.cards.ricenic import soak as ricenic
from tests.python.cards.tigon2 import soak as tigon2
from tests.python.servers.test_networks import checksum_of_stream


def _hundredgig(chance: random.Random) -> Mapping[str, Any]:
    """Linux sends nothing through a queue of less than 32 entries, and no frame that is too long."""
    chosen = hundredgig.card_settings(chance)
    least = {"queue_size": 32, "largest_frame": 1514}
    return chosen | {name: max(chosen[name], value) for name, value in least.items()}


def _tengig(chance: random.Random) -> Mapping[str, Any]:
    core = chance.choice(["pipelined", "functional"])
    instruction_set = chance.choice(["mips", "mips", "rv32", "ppc405"])
    return tengig.card_settings(chance) | {"core": core, "instruction_set": instruction_set}


CARDS: Mapping[str, Callable[[random.Random], Mapping[str, Any]]] = {
    "hundredgig": _hundredgig,
    "ricenic": ricenic.card_settings,
    "tengig": _tengig,
    "tigon2": tigon2.card_settings,
    "dp83820": lambda _: {},
    "sinic": lambda _: {},
    "v-sinic": lambda _: {},
}
MADE_OF_MODULES = ("hundredgig", "ricenic", "tengig", "tigon2")
ANSWERED = 3
LONGEST_S = 900
COMPLAINTS = re.compile(r".*(?:WARNING:|BUG:|Oops|Kernel panic|watchdog|timed out).*")


def request(seed: int) -> tuple[list[str], int]:
    """Return the arguments of `spinach boot` for this seed, and the bytes of each stream."""
    chance = random.Random(seed)
    cards = [chance.choice(MADE_OF_MODULES), chance.choice(list(CARDS))]
    chance.shuffle(cards)
    arguments = ["rv64", "--nodes", "2", "--card", ",".join(cards), "--cold", "--seed", str(seed)]
    # Thousands of buffers for each of many queues.
    arguments += ["--memory", "1GiB"]
    for node, card in enumerate(cards):
        for name, value in CARDS[card](chance).items():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            arguments += ["--set", f"node[{node}].{name}={text}"]
    arguments += ["--core", chance.choice(["functional", "functional", "functional", "timed"])]
    arguments += ["--harts", str(chance.choice([1, 1, 2, 4]))]
    arguments += ["--threads", str(chance.choice([1, 2]))]
    arguments += chance.choice([[], ["--link-latency", chance.choice(["100ns", "1us", "10us", "50us"])]])
    arguments += chance.choice([[], [], ["--clock", chance.choice(["500MHz", "2GHz", "4GHz,1GHz"])]])
    return arguments, chance.choice([1_000, 20_000, 100_000])


def conversation(count: int) -> str:
    """Return lines to type: pings, two streams to the second server, and one back."""
    first = [
        "sleep 30",
        f"ping 10.0.0.2 {ANSWERED}",
        f"send 10.0.0.2 5000 {count}",
        f"send 10.0.0.2 5001 {count}",
        "serve 5002",
        "sleep 200",
        "poweroff",
    ]
    second = ["serve 5000", "serve 5001", "sleep 20", f"send 10.0.0.1 5002 {count}", "poweroff"]
    return "".join(f"{line}\n" for line in (*first, *(f"@2 {line}" for line in second)))


def wrong_with(seed: int) -> str:
    """Boot what the seed says; return what is wrong, or nothing."""
    arguments, count = request(seed)
    command = [sys.executable, "-m", "spinach_nic", "boot", *arguments]
    try:
        done = subprocess.run(
            command, input=conversation(count), capture_output=True, text=True, timeout=LONGEST_S, check=False
        )
    except subprocess.TimeoutExpired:
        return f"no end after {LONGEST_S} s"
    found = [] if done.returncode == 0 else [f"exit code {done.returncode}: {done.stderr}"]
    if f"{ANSWERED} of {ANSWERED} answered" not in done.stdout:
        found.append("a ping has no answer")
    for word in ("sent", "received"):
        streams = done.stdout.count(f"{word} {count} bytes, checksum {checksum_of_stream(count)}")
        if streams != 3:
            found.append(f"{streams} of 3 streams {word}")
    found += COMPLAINTS.findall(done.stdout)
    return "\n".join(found)


def main() -> int:
    """Boot consecutive seeds from the first on, given as arguments."""
    first, count = (int(argument) for argument in sys.argv[1:3])
    failed = 0
    for seed in range(first, first + count):
        began = time.monotonic()
        wrong = wrong_with(seed)
        failed += bool(wrong)
        sys.stdout.write(f"seed {seed}: {wrong or 'all arrived'} ({time.monotonic() - began:.0f} s)\n")
        if wrong:
            sys.stdout.write(f"spinach boot {shlex.join(request(seed)[0])}\n")
        sys.stdout.flush()
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
