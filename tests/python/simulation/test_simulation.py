import hashlib
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from spinach_nic import (
    CheckpointError,
    Clock,
    Component,
    KiB,
    MHz,
    Simulation,
    SpinachError,
    State,
    Time,
    Word,
    _native,
    called,
    counted,
    library,
    ms,
    ns,
    parameter,
    s,
    simulate,
    transferred,
    us,
)
from spinach_nic.library import (
    Fifo,
    Function,
    Link,
    MultiportedMemory,
    PacketSink,
    Receiver,
    Sender,
    TrafficSource,
)
from spinach_nic.model.simulation import Transfer
from spinach_nic.model.simulation.simulation import MEMORIES
from spinach_nic.model.tracing import Policy
from spinach_nic.support.memory import check_memory

Refusal = Callable[[Callable[[], object]], str]
UDP = '{"kind": "udp", "sizes": [1472]}'


class Stream(Component):
    """Numbers through a function and a FIFO."""

    policy: Policy = parameter(default=lambda a: a * a, doc="Operation on each value.", kind="policy")
    every: int = parameter(default=1, doc="The receiver accepts once in this number of cycles.")

    def build(self) -> None:
        self.clock = Clock("core", MHz(100))
        self.sender = Sender(policy="index")
        self.function = Function(policy=self.policy)
        self.fifo = Fifo(depth=2)
        self.receiver = Receiver(every=self.every)
        self.sender.output >> self.function.input
        self.function.output >> self.fifo.input
        self.fifo.output >> self.receiver.input


def test_a_run_ends_with_whichever_comes_first() -> None:
    stream = Stream()
    simulation = simulate(stream)
    assert str(simulation.run(ns(100))) == "reached"
    assert (simulation.now, simulation.cycles()) == (ns(100), 10)
    assert simulation.run(cycles=5).reason == "reached"
    assert (simulation.now, simulation.cycles("core")) == (ns(150), 15)
    outcome = simulation.run(us(1), until=transferred(stream.receiver.input, 3))
    assert outcome.reason == "condition"
    assert bool(outcome)
    assert simulation.cycles(stream.clock) == 18
    assert simulation.run(until=counted(stream.receiver, "transfers", 20)).reason == "condition"
    assert simulation.cycles() == 21
    assert simulation.run(us(1), cycles=2).reason == "reached"
    assert simulation.cycles() == 23
    assert simulation.run(ns(30), cycles=100).reason == "reached"
    assert simulation.cycles() == 26


def test_statistics_are_named_and_subtract(refusal: Refusal) -> None:
    stream = Stream(every=2)
    simulation = simulate(stream)
    simulation.run(cycles=10)
    before = simulation.statistics()
    simulation.run(cycles=10)
    after = simulation.statistics()
    assert (before["receiver.transfers"], after["receiver.transfers"]) == (4, 9)
    difference = after - before
    assert (difference["receiver.transfers"], difference.time) == (5, ns(100))
    assert after.inside("receiver") == {"transfers": 9, "refused_cycles": 10}
    assert after.of(stream.receiver, "transfers") == after.of("receiver", "transfers") == 9
    assert refusal(lambda: after.of(stream.receiver, "transferred")) == (
        "receiver has no counter transferred\nhelp: its counters: refused_cycles, transfers"
    )
    assert "receiver.transfers" in after
    assert len(after) == len(list(after))


def test_a_recorder_has_what_moved_and_when() -> None:
    stream = Stream(every=2)
    simulation = simulate(stream)
    recorder = simulation.record(stream.function.output, stream.receiver.input)
    simulation.run(cycles=7)
    assert recorder.words(stream.function.output) == [0, 1, 4, 9]
    assert recorder.transfers(stream.receiver.input) == [
        Transfer(ns(20), 2, (0,)),
        Transfer(ns(40), 4, (1,)),
        Transfer(ns(60), 6, (4,)),
    ]
    recorder.clear()
    simulation.run(cycles=2)
    assert recorder.words(stream.receiver.input) == [9]
    recorder.stop()
    simulation.run(cycles=10)
    assert recorder.words(stream.receiver.input) == [9]


class Wires(Component):
    """Frames through a link to a sink, which takes their bytes out of the store."""

    def build(self) -> None:
        self.clock = Clock("mac", MHz(156.25))
        self.feeder = TrafficSource(traffic=UDP, count=5)
        self.link = Link()
        self.sink = PacketSink(traffic=UDP, count=5)
        self.feeder.wire >> self.link.input
        self.link.output >> self.sink.wire


def test_observers_see_frames_that_their_receiver_takes(tmp_path: Path) -> None:
    wires = Wires()
    simulation = simulate(wires)
    capture = simulation.capture(
        tmp_path / "frames", {"before": wires.feeder.wire, "after": wires.link.output}
    )
    counts = simulation.count_frames(wires.feeder.wire, wires.link.output)
    simulation.run(us(20))
    assert counts.counts() == [(5, 5 * 1514)] * 2
    assert capture.finish() == {"before": 5, "after": 5}
    frames = Counter(_native.read_capture(tmp_path / "frames")[0])
    assert set(frames.values()) == {2}
    assert {len(frame) for frame in frames} == {1514}
    unobserved = simulate(Wires())
    unobserved.run(us(20))
    assert simulation.checkpoint() == unobserved.checkpoint()


def test_a_channel_and_a_state_can_be_looked_at() -> None:
    stream = Stream(every=2)
    simulation = simulate(stream)
    simulation.run(cycles=4)
    value = simulation.channel(stream.fifo.output)
    assert (value.words, value.acknowledged, value.moved) == ((1,), False, False)
    simulation.run(cycles=1)
    assert simulation.channel(stream.fifo.output).moved
    assert simulation.state(stream.fifo)["length"] == simulation.state("fifo")["length"] == 1
    assert "fifo: fifo" in simulation.dump("parameters")


class Store(Component):
    """A memory with an initiator that asks for nothing."""

    def build(self) -> None:
        from spinach_nic.library import Initiator

        self.clock = Clock("core", MHz(100))
        self.memory = MultiportedMemory(size=KiB(1), contents=b"abc")
        self.address = Sender(values=[], policy="values")
        self.initiator = Initiator()
        self.address.output >> self.initiator.address
        self.initiator.memory >> self.memory.port


def test_a_memory_can_be_read_and_written(refusal: Refusal) -> None:
    store = Store()
    simulation = simulate(store)
    assert simulation.size(store.memory) == KiB(1)
    assert simulation.read(store.memory, 0, 4) == b"abc\0"
    simulation.write("memory", 1020, b"wxyz")
    assert simulation.read("memory", 1022, 2) == b"yz"
    assert refusal(lambda: simulation.read("memory", 1023, 2)) == (
        "2 bytes from address 0x3ff on are not all inside its 1024 bytes\n"
        "help: give an address and a length inside the memory"
    )
    assert refusal(lambda: simulation.read("memory", 0, 2**62)).startswith("4611686018427387904 bytes from")
    assert refusal(lambda: simulation.write("memory", -1, b"")).startswith(
        "address: -1 is below the smallest, 0"
    )
    assert refusal(lambda: simulation.read(store.initiator, 0, 1)) == (
        "initiator has no addressable contents\nhelp: name a memory"
    )


def test_a_checkpoint_continues_in_another_process(tmp_path: Path) -> None:
    whole = simulate(Stream(every=3))
    whole.run(cycles=50)
    first = simulate(Stream(every=3))
    first.run(cycles=20)
    tmp_path.joinpath("checkpoint").write_bytes(first.checkpoint())
    script = f"""
import importlib.util, pathlib
spec = importlib.util.spec_from_file_location("streams", {str(Path(__file__))!r})
streams = importlib.util.module_from_spec(spec)
spec.loader.exec_module(streams)
simulation = streams.simulate(streams.Stream(every=3))
simulation.restore(pathlib.Path("checkpoint").read_bytes())
simulation.run(cycles=30)
pathlib.Path("end").write_bytes(simulation.checkpoint())
"""
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)
    assert tmp_path.joinpath("end").read_bytes() == whole.checkpoint()


def test_a_checkpoint_from_elsewhere_is_refused(refusal: Refusal) -> None:
    simulation = simulate(Stream())
    checkpoint = simulation.checkpoint()
    assert refusal(lambda: simulation.restore(b"GIF89a")) == (
        "this is not a checkpoint of Spinach\nhelp: give a file that a simulation's checkpoint was saved to"
    )
    other = simulate(Stream(every=2))
    assert refusal(lambda: other.restore(checkpoint)) == (
        "this checkpoint was taken of another model: receiver.every was 1 and is 2\n"
        "help: restore it into a model with the same modules, connections, clocks and parameters "
        "but for the variable ones"
    )
    newer = re.sub(rb" \d+ ", b" 999 ", checkpoint, count=1)
    assert refusal(lambda: simulation.restore(newer)).startswith("this checkpoint has format version 999;")
    assert refusal(lambda: simulation.restore(checkpoint[:-1])).startswith("this checkpoint is damaged: ")


def test_the_error_of_a_checkpoint_has_a_kind() -> None:
    simulation = simulate(Stream())
    checkpoint = simulation.checkpoint()
    newer = re.sub(rb" \d+ ", b" 999 ", checkpoint, count=1)
    other = simulate(Stream(every=2)).checkpoint()
    for content, kind, reason in (
        (b"GIF89a", "unknown", ""),
        (newer, "version", ""),
        (other, "model", "receiver.every was 2 and is 1"),
        (checkpoint[:-1], "damaged", "its contents do not match its digest"),
    ):
        with pytest.raises(CheckpointError) as caught:
            simulation.restore(content)
        assert (caught.value.kind, caught.value.path, caught.value.reason) == (kind, "", reason)


def test_a_checkpoint_that_contradicts_itself_is_refused_and_changes_nothing() -> None:
    """Its digest is correct: it was written by another program, or by a defect."""
    simulation, twin = simulate(Stream(every=3)), simulate(Stream(every=3))
    for one in (simulation, twin):
        one.run(cycles=20)
    header, _, body = simulation.checkpoint().partition(b"\n")
    refused = 0
    for place in range(len(body)):
        for value in (0, 127, body[place] ^ 1):
            damaged = body[:place] + bytes([value]) + body[place + 1 :]
            digest = hashlib.sha256(damaged).hexdigest()[:32]
            checkpoint = b" ".join([*header.split(b" ")[:3], digest.encode()]) + b"\n" + damaged
            victim = simulate(Stream(every=3))
            victim.restore(simulation.checkpoint())
            try:
                victim.restore(checkpoint)
            except CheckpointError:
                refused += 1
                assert victim.checkpoint() == twin.checkpoint()
                continue
            with suppress(SpinachError):
                victim.run(cycles=20)
    assert refused > len(body)


def test_a_deadlock_says_who_waits_for_whom() -> None:
    class Stuck(Component):
        def build(self) -> None:
            self.clock = Clock("core", MHz(100))
            self.left, self.right = Sender(policy="index"), Sender(values=[1], count=1)
            self.sum, self.receiver = Function(policy="add"), Receiver()
            self.left.output >> self.sum.input
            self.right.output >> self.sum.input
            self.sum.output >> self.receiver.input

    simulation = simulate(Stuck())
    outcome = simulation.run(ms(1), deadlock_after=us(1))
    assert not outcome
    assert str(outcome) == (
        "deadlocked: nothing moves, although values are offered\n"
        "  - left.output offers a word, which sum.input[0] refuses\n"
        "    sum.input[1] is offered nothing by right.output\n"
        "    right waits for no other module"
    )
    assert simulation.deadlock() == outcome.details
    assert simulation.now < us(100)


def test_an_interrupt_ends_the_run_and_leaves_the_simulation_usable() -> None:
    simulation = simulate(Stream())
    # The parent of the tests may have had interrupts ignored, or left to end the process.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            simulation.run(s(3600))
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, handler)
    cycles = simulation.cycles()
    assert 0 < cycles < 360_000_000_000
    assert simulation.run(cycles=10).reason == "reached"
    assert simulation.cycles() == cycles + 10
    # A run that was never interrupted is in the same state at this cycle.
    other = simulate(Stream())
    other.run(cycles=cycles + 10)
    assert other.checkpoint() == simulation.checkpoint()


def test_progress_is_told_and_may_end_the_run(refusal: Refusal) -> None:
    simulation = simulate(Stream())
    told: list[tuple[Time, Time]] = []

    def progress(now: Time, end: Time) -> None:
        told.append((now, end))
        if len(told) == 2:
            raise TimeoutError("enough")

    with pytest.raises(TimeoutError, match="enough"):
        simulation.run(s(3600), progress=progress)
    assert len(told) == 2
    assert ns(0) < told[0][0] < told[1][0] < told[1][1] == s(3600)
    assert simulation.run(cycles=1)


def test_a_running_simulation_refuses_other_calls() -> None:
    simulation = simulate(Stream())

    def ask(now: Time, end: Time) -> None:
        simulation.statistics()

    with pytest.raises(SpinachError, match="the simulation is running"):
        simulation.run(s(3600), progress=ask)


def test_other_threads_run_while_it_runs() -> None:
    simulation = simulate(Stream())
    beats = 0
    done = threading.Event()

    def beat() -> None:
        nonlocal beats
        while not done.is_set():
            beats += 1
            time.sleep(0.001)

    thread = threading.Thread(target=beat)
    thread.start()
    simulation.run(cycles=3_000_000)
    done.set()
    thread.join()
    assert beats > 1


def test_a_called_function_does_the_same_as_a_traced_one() -> None:
    def function(a: Word) -> Word:
        return a * 3 + 1

    results = []
    for policy in (function, called(function)):
        stream = Stream(policy=policy)
        simulation = simulate(stream)
        recorder = simulation.record(stream.receiver.input)
        simulation.run(cycles=20)
        results.append(recorder.transfers())
    assert results[0] == results[1]


def test_a_called_function_may_do_anything_but_its_exception_ends_the_run() -> None:
    def picky(a: int) -> int:
        if a == 5:
            raise ValueError("not five")
        return -a

    stream = Stream(policy=called(picky))
    simulation = simulate(stream)
    recorder = simulation.record(stream.function.output)
    with pytest.raises(ValueError, match="not five"):
        simulation.run(s(1))
    assert recorder.words()[:5] == [-a % 2**64 for a in range(5)]


def test_state_of_a_policy_is_part_of_the_checkpoint() -> None:
    def running_sum(a: Word, total: State = State(0)) -> Word:
        total.next = total + a
        return total + a

    stream = Stream(policy=running_sum)
    simulation = simulate(stream)
    recorder = simulation.record(stream.function.output)
    simulation.run(cycles=3)
    checkpoint = simulation.checkpoint()
    simulation.run(cycles=2)
    simulation.restore(checkpoint)
    simulation.run(cycles=2)
    assert recorder.words() == [0, 1, 3, 6, 10, 6, 10]


def test_sleeping_changes_nothing() -> None:
    ends = []
    for sleeping in (True, False):
        simulation = simulate(Stream(every=7))
        simulation.set_sleeping(sleeping)
        simulation.run(cycles=1000)
        ends.append(simulation.checkpoint())
    assert ends[0] == ends[1]


def test_requests_that_make_no_sense_are_refused(refusal: Refusal) -> None:
    stream = Stream()
    simulation: Simulation = simulate(stream)
    assert refusal(lambda: simulation.run()) == (
        "the end of the run is missing\nhelp: give a time, cycles=..., or until=..."
    )
    assert refusal(lambda: simulation.run(100)) == (  # type: ignore[arg-type]
        "time = 100 has no unit\nhelp: give a time, such as ns(20)"
    )
    assert refusal(lambda: simulation.run(cycles=-1)) == "cycles = -1 is negative\nhelp: give 0 or more"
    assert refusal(lambda: simulation.run(cycles=5, of="cpu")) == (
        "there is no clock domain 'cpu'\nhelp: valid names: core"
    )
    assert refusal(lambda: simulation.run(cycles=2**63)).startswith(
        "cycle 9223372036854775808 is beyond the end of simulated time\n"
    )
    assert refusal(lambda: simulation.run(until=counted("fifo", "transfer", 1))) == (
        'fifo has no counter "transfer"\nhelp: did you mean transfers?'
    )
    assert refusal(lambda: simulation.state("fito")) == "there is no module 'fito'\nhelp: did you mean fifo?"
    assert refusal(lambda: simulation.state(stream)) == (
        "Stream is a component, not a module\nhelp: name a module inside it"
    )
    assert refusal(lambda: simulation.set_threads(-1)).startswith("maximum: -1 is ")
    assert refusal(lambda: simulation.set_threads(0)).startswith("maximum: 0 is ")
    assert refusal(lambda: simulation.set_threads(10**9)).startswith("maximum: 1000000000 is ")
    simulation.set_threads(2)
    elsewhere = Function(policy="add").input[3]
    assert refusal(lambda: simulation.channel(elsewhere)).startswith("there is no module")
    assert refusal(lambda: simulation.channel(stream.function.input[3])) == (
        "nothing is connected to function.input[3]\n"
        "help: give a connected port, and the lane if it has several"
    )
    assert refusal(lambda: simulation.dump("everything")).startswith("there is no elaboration pass")


def test_memories_are_those_of_the_library() -> None:
    kinds = {getattr(library, name).kind: getattr(library, name) for name in library.__all__}
    for kind, names in MEMORIES.items():
        assert set(names) <= set(kinds[kind]._declared), kind


def test_a_system_whose_memory_the_system_refuses_is_rejected(refusal: Refusal) -> None:
    assert "needs 8388608 MiB of memory, which the system refuses" in refusal(
        lambda: check_memory(8 << 40, "a card")
    )
    check_memory(1, "a card")
