"""Line traces: what modules do, a line for each cycle."""

import re

import pytest
from tests.python.conftest import Started

from spinach_nic import Clock, Component, MHz, SpinachError, Time, cli, simulate
from spinach_nic.library import Fifo, Receiver, Sender
from spinach_nic.runs import RunOptions, execute
from spinach_nic.support.units import us

SMALL = RunOptions(frames=2, set={"cores": 1, "host.receive_entries": 4})
LINES = RunOptions(trace_lines=("processor[0].*",), trace_lines_from=us(1))
LINE = re.compile(r" *(\d+\.\d{3}) ns +(\d+) ([\w.\[\]]+): (.+)")


class Chain(Component):
    """Words that a receiver takes in every second cycle."""

    def build(self) -> None:
        self.clock = Clock("core", MHz(100))
        self.sender = Sender(values=[5, 6, 7])
        self.fifo = Fifo(depth=1)
        self.receiver = Receiver(every=2)
        self.sender.output >> self.fifo.input
        self.fifo.output >> self.receiver.input


def test_a_line_has_the_values_at_the_ports_moved_or_refused(capfd: pytest.CaptureFixture[str]) -> None:
    simulation = simulate(Chain())
    trace = simulation.trace_lines(["fifo"], Time(0))
    simulation.run(cycles=4)
    trace.finish()
    simulation.run(cycles=4)  # prints nothing
    assert capfd.readouterr().out.splitlines() == [
        "       0.000 ns        0 fifo: input=0x5",
        "      10.000 ns        1 fifo: input!0x6  output!0x5",
        "      20.000 ns        2 fifo: length:0x0  input!0x6  output=0x5",
        "      30.000 ns        3 fifo: length:0x1  input=0x6",
    ]


def test_a_module_without_text_of_its_own_shows_the_values_that_changed(
    capfd: pytest.CaptureFixture[str],
) -> None:
    options = RunOptions(trace_lines=("mac_transmit", "network"), trace_lines_from=us(20), time=us(60))
    simulation = execute("tengig", **options).session.simulation
    lines = capfd.readouterr().out.splitlines()
    consumed = [int(found[1], 16) for line in lines if (found := re.search(r" ring.consumer:0x(\w+)", line))]
    assert len(consumed) > 10
    assert consumed == sorted(set(consumed))  # nothing that stays is shown
    assert consumed[-1] == simulation.state("mac_transmit")["ring"]["consumer"]


def test_cores_show_the_instructions_in_their_stages(capfd: pytest.CaptureFixture[str]) -> None:
    plain = execute("tengig", **SMALL).result
    traced = execute("tengig", **SMALL | LINES).result
    lines = [LINE.fullmatch(line) for line in capfd.readouterr().out.splitlines()]
    found = [line for line in lines if line is not None]
    assert len(found) == len(lines) > 100
    assert min(float(line[1]) for line in found) >= 1000
    shown = [line[4] for line in found if "| execute " in line[4]]
    assert any(re.search(r"\| decode 0x[0-9a-f]+ \w+", text) for text in shown)
    assert traced.frames == plain.frames
    assert traced.simulated_cycles == plain.simulated_cycles


def test_unknown_modules_and_lone_times_are_refused() -> None:
    with pytest.raises(SpinachError, match="no module is called 'procesor"):
        execute("tengig", **SMALL | RunOptions(trace_lines=("procesor[0].model",)))
    with pytest.raises(SpinachError, match="trace_lines_from without modules"):
        execute("tengig", **SMALL | RunOptions(trace_lines_from=us(1)))


def test_lines_and_a_document_do_not_share_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.carry_out(["run", "tengig", "--trace-lines", "*", "--json", "-"]) == 2
    assert "--trace-lines needs standard output" in capsys.readouterr().err


def test_a_reader_of_lines_may_close_early(started: Started) -> None:
    words = ("run", "tengig", "--frames", "200", "--quiet", "--trace-lines", "mac_receive")
    process = started.spinach(*words)
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr is not None
    assert (process.stderr.read(), process.wait(timeout=50)) == ("", 0)


def test_lines_that_would_begin_after_the_end_are_reported() -> None:
    finished = execute("tengig", **SMALL | LINES | RunOptions(trace_lines_from=us(10_000)))
    assert finished.result.complete
    assert re.search(r"ended at .* us, before the time of --trace-lines-from", str(finished.unwritten))
