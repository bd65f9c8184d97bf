"""The profiler of the firmware: what its timer meets, against the accounts that the core keeps."""

from dataclasses import dataclass, field

import pytest

from spinach_nic import ms
from spinach_nic.runs import ConsoleRequest, execute
from spinach_nic.runs.profiling import profile_of

PERIOD = 1009
"""Cycles between two samples."""
EXCHANGES = 240
"""With the card, every 50 us at least."""
DEVIATIONS = 4.5
"""Allowed deviation of a fraction from the true one, in standard deviations of the sample."""
HANDLER = {"timer_interrupt", "serve_timer", "profile_command", "write_named"}
"""The timer interrupts neither its own handler nor the command, which take some of the cycles."""


@dataclass
class Person:
    """Starts the profiler, and asks for what it has counted shortly before the end."""

    said: bytes = b""
    exchanges: int = 0
    typed: dict[int, bytes] = field(
        default_factory=lambda: {1: b"profile start %d\r" % PERIOD, EXCHANGES - 10: b"profile\r"}
    )

    def exchange(self, output: bytes) -> bytes:
        self.said += output
        self.exchanges += 1
        return self.typed.get(self.exchanges, b"")


@pytest.mark.parametrize("traffic", ["udp:200@60kpps", "udp:1472"])
def test_it_agrees_with_the_exact_profile(traffic: str) -> None:
    person = Person()
    finished = execute("ricenic", traffic=traffic, time=ms(12), console=ConsoleRequest(person))
    finished.check()
    lines = person.said.decode().split("profile\r\n")[-1].splitlines()
    answers = [line.rsplit(" ", 1) for line in lines if line.rsplit(" ", 1)[-1].isdigit()]
    counted = {name: int(number) for name, number in answers}
    samples = counted.pop("samples")
    assert samples > 1000
    assert sum(counted.values()) == samples
    functions = [one for one in profile_of(finished).functions if one.function not in HANDLER]
    cycles = sum(one.cost.cycles for one in functions)
    exact = {one.function[:23]: one.cost.cycles / cycles for one in functions}
    for name, share in exact.items():
        error = (share * (1 - share) / samples) ** 0.5
        assert abs(counted.get(name, 0) / samples - share) < DEVIATIONS * error + 0.002, name
    assert set(counted) <= set(exact)
