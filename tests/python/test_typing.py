"""Strict type checking accepts a right description and finds what is wrong in a wrong one."""

import re
import textwrap
from pathlib import Path

import pytest
from mypy import api

HEAD = """
from spinach_nic import Clock, Component, Frequency, Input, KiB, MHz, Size, ns, parameter, simulate
from spinach_nic.library import Fifo, Function, Initiator, MultiportedMemory, Sender

class Delay(Component):
    length: int = parameter(default=2, doc="How many FIFOs there are.")
    speed: Frequency = parameter(default=MHz(100), doc="The frequency of the clock.")
    title: str = parameter(doc="What it is called.")

    def build(self) -> None:
        self.fifo = [Fifo(depth=2, clock=Clock("core", self.speed)) for _ in range(self.length)]
        self.input: Input = self.fifo[0].input
        self.output = self.fifo[-1].output
"""


def check(body: str, folder: Path) -> list[str]:
    """Return mypy's findings, as `line of the body: error code`; its cache is that of `make lint`."""
    file = folder / "case.py"
    file.write_text(HEAD + textwrap.dedent(body))
    shown, errors, _ = api.run(["--strict", str(file)])
    assert not errors
    found = re.findall(r"case\.py:(\d+): error: .*\[([a-z-]+)\]$", shown, re.MULTILINE)
    return [f"{int(line) - len(HEAD.splitlines())}: {code}" for line, code in found]


@pytest.mark.slow
def test_a_right_description_passes(tmp_path: Path) -> None:
    body = """
    class Twice(Component):
        capacity: Size = parameter(default=KiB(4), doc="How much the memory holds.")

        def build(self) -> None:
            self.clock = Clock("core", MHz(100))
            self.one, self.other = Delay(title="one"), Delay(title="other", length=3, speed=MHz(1))
            self.one.output >> self.other.input
            self.sum = Function(policy=lambda a, b: a + b)
            self.other.output >> self.sum.input[1]
            self.sum.output >> Fifo().input
            Initiator(size=8).memory >> MultiportedMemory(size=self.capacity).port

    words: list[int] = simulate(Twice()).record(Twice().sum.output).words()
    """
    assert check(body, tmp_path) == []


@pytest.mark.slow
def test_a_wrong_description_is_flagged(tmp_path: Path) -> None:
    body = """\
    Fifo(depth="2")
    Fifo(dept=2)
    Delay()
    Delay(title="a", length=ns(3))
    Delay(title="a", speed=100)
    Fifo(clock=MHz(100))
    MultiportedMemory(size=4096)
    Fifo().input >> Fifo().output
    Fifo().output >> Fifo().output
    Fifo().outptu
    simulate(Delay(title="a")).run(100)
    MHz(1) + ns(1)
    Initiator().memory >> Fifo().input
    """
    assert check(body, tmp_path) == [
        "1: arg-type",
        "2: call-arg",
        "3: call-arg",
        "4: arg-type",
        "5: arg-type",
        "6: arg-type",
        "7: arg-type",
        "8: operator",
        "9: operator",
        "10: attr-defined",
        "11: arg-type",
        "12: operator",
        "13: operator",
    ]
