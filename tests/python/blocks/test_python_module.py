"""Modules in Python move frames, words and references, and the contract suite finds wrong ones."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest
from click.testing import CliRunner

from spinach_nic import Clock, Component, MHz, SpinachError, parameter, run, simulate
from spinach_nic.blocks import (
    Edge,
    Frame,
    Outputs,
    PythonModule,
    Reference,
    Response,
    counter,
    frames_in,
    frames_out,
    memory_port,
    register_port,
    words_in,
    words_out,
)
from spinach_nic.blocks.checking import check
from spinach_nic.cards import Faces
from spinach_nic.cards.tengig import Tengig
from spinach_nic.cli import spinach
from spinach_nic.library import Receiver, Sender
from spinach_nic.support.errors import CheckpointError


class Doubler(PythonModule):
    """Doubles words, one cycle later."""

    input = words_in("Words.")
    output = words_out("The same, doubled.")

    @dataclass
    class State:
        """The word that waits."""

        waiting: int | None = None

    def settle(self, state: Any, outputs: Outputs) -> None:
        outputs.accept("input", state.waiting is None)
        outputs.present("output", state.waiting)

    def commit(self, state: Any, edge: Edge) -> None:
        if edge.sent("output"):
            state.waiting = None
        if (word := edge.received("input")) is not None:
            state.waiting = 2 * word

    def is_idle(self, state: Any) -> bool:
        return True


class Registers(PythonModule):
    """Sixteen registers, and a copy of each write in a memory."""

    port = register_port("Accesses.")
    memory = memory_port("Copies of writes.")

    @dataclass
    class State:
        """The registers, the response and the write that wait."""

        registers: list[int] = field(default_factory=lambda: [0] * 16)
        response: int | None = None
        copy: tuple[int, int] | None = None

    def settle(self, state: Any, outputs: Outputs) -> None:
        outputs.accept("port", state.response is None and state.copy is None)
        outputs.accept("memory")
        outputs.present("port", None if state.response is None else Response(state.response))
        if state.copy is not None:
            outputs.present("memory", Reference(state.copy[0], writes=True, data=state.copy[1]))

    def commit(self, state: Any, edge: Edge) -> None:
        if edge.sent("port"):
            state.response = None
        if edge.sent("memory"):
            state.copy = None
        if (reference := edge.received("port")) is not None:
            index = reference.address // 4 % 16
            state.response = 0 if reference.writes else state.registers[index]
            if reference.writes:
                state.registers[index] = reference.data
                state.copy = (reference.address, reference.data)


class Passing(PythonModule):
    """Passes frames, and marks every n-th as damaged."""

    every: int = parameter(default=10, doc="Distance of damaged frames.")
    input = frames_in("Frames.")
    output = frames_out("The same.")

    @dataclass
    class State:
        """Frames that wait, and their number until now."""

        frames: list[tuple[bytes, bool]] = field(default_factory=list)
        count: int = 0

    def settle(self, state: Any, outputs: Outputs) -> None:
        outputs.accept("input", len(state.frames) < 2)
        outputs.present("output", Frame(*state.frames[0]) if state.frames else None)

    def commit(self, state: Any, edge: Edge) -> None:
        if edge.sent("output"):
            del state.frames[0]
        if (frame := edge.received("input")) is not None:
            state.count += 1
            state.frames.append((frame.data, state.count % self.every != 0))

    def is_idle(self, state: Any) -> bool:
        return not state.frames


class Pair(Component):
    """A sender, the module, a receiver."""

    kind: ClassVar[Any] = Doubler

    def build(self) -> None:
        self.clock = Clock("core", MHz(100))
        self.sender = Sender(policy="index", count=50)
        self.module = self.kind()
        self.receiver = Receiver(percent=50)
        self.sender.output >> self.module.input
        self.module.output >> self.receiver.input


class PassingTengig(Tengig):
    """The module between wire and receiver."""

    def build(self) -> None:
        super().build()
        self.passing = Passing(clock=self.mac_domain)
        self.passing.output >> self.receive_link.input

    def faces(self) -> Faces:
        faces = super().faces()
        from dataclasses import replace

        return Faces(faces.bus, [replace(faces.wires[0], received=self.passing.input)])


def test_words_pass() -> None:
    system = Pair()
    simulation = simulate(system)
    recorder = simulation.record(system.module.output)
    simulation.run(cycles=300)
    assert [transfer.word for transfer in recorder.transfers()] == [2 * word for word in range(50)]


def test_frames_of_a_card_pass() -> None:
    result = run(PassingTengig, traffic="udp:18,1472:rx", frames=60)
    damaged = result.frames.dropped["rx"]["mac_receive"]["bad_check_sequence"]
    assert result.frames.delivered["rx"] >= 54
    assert damaged in (result.frames.delivered["rx"] // 9, result.frames.delivered["rx"] // 9 + 1)


class Tallied(Doubler):
    """Counts the words, and adds them up."""

    taken = counter("Words.")
    total = counter("Sum of the words.")

    def commit(self, state: Any, edge: Edge) -> None:
        if (word := edge.received("input")) is not None:
            edge.count("taken")
            edge.count("total", word)
        super().commit(state, edge)


class CountedPair(Pair):
    """The same with counters."""

    kind = Tallied


def test_a_module_counts_and_a_checkpoint_has_its_counters() -> None:
    system = CountedPair()
    simulation = simulate(system)
    simulation.run(cycles=60)
    saved = simulation.checkpoint()
    (block, taken), (_, total) = system.module.taken, system.module.total
    early = simulation.statistics()[f"{block.path}.{taken}"]
    assert 0 < early < 50
    simulation.run(cycles=300)
    for _ in range(2):
        counts = simulation.statistics()
        assert (counts[f"{block.path}.{taken}"], counts[f"{block.path}.{total}"]) == (50, sum(range(50)))
        simulation.restore(saved)
        assert simulation.statistics()[f"{block.path}.{taken}"] == early
        simulation.run(cycles=300)


@pytest.mark.parametrize(
    ("name", "amount", "reason"),
    [
        ("takn", 1, r"there is no counter 'takn'"),
        ("taken", -1, "the counter taken would decrease by 1"),
    ],
)
def test_a_count_that_is_not_declared_or_negative_is_refused(name: str, amount: int, reason: str) -> None:
    class Wrong(Tallied):
        def commit(self, state: Any, edge: Edge) -> None:
            edge.count(name, amount)

    class System(CountedPair):
        def build(self) -> None:
            super().build()
            vars(self.module)["commit"] = Wrong.commit.__get__(self.module)

    with pytest.raises(SpinachError, match=reason):
        simulate(System()).run(cycles=10)


def test_nine_counters_are_refused() -> None:
    kind = type("Nine", (Tallied,), {f"count_{number}": counter("A count.") for number in range(7)})
    with pytest.raises(SpinachError, match="Nine has 9 counters"):
        check(kind)


@pytest.mark.parametrize("kind", [Doubler, Registers, Passing, Tallied])
def test_correct_modules_keep_the_contract(kind: type[PythonModule]) -> None:
    assert len(check(kind)) == 4


class Impure(Doubler):
    """Changes its state in settle."""

    def settle(self, state: Any, outputs: Outputs) -> None:
        super().settle(state, outputs)
        state.waiting = None


class Hidden(Doubler):
    """Keeps a part of its state in the module."""

    seen = 0

    def commit(self, state: Any, edge: Edge) -> None:
        super().commit(state, edge)
        vars(self)["seen"] = self.seen + 1
        if state.waiting is not None:
            state.waiting += self.seen


class Forgetful(Doubler):
    """The same for what transfers change."""

    seen = 0

    def commit(self, state: Any, edge: Edge) -> None:
        super().commit(state, edge)
        vars(self)["seen"] = self.seen + edge.sent("output")
        if edge.received("input") is not None:
            state.waiting += self.seen


class Counting(Passing):
    """Keeps the number of frames in the module; only the mark of a frame shows it."""

    seen = 0

    def commit(self, state: Any, edge: Edge) -> None:
        vars(self)["seen"] = state.count = self.seen
        super().commit(state, edge)
        vars(self)["seen"] = state.count
        state.count = 0


class Sleepy(Doubler):
    """Sleeps although time changes it."""

    @dataclass
    class State(Doubler.State):
        """A count of cycles."""

        cycles: int = 0

    def commit(self, state: Any, edge: Edge) -> None:
        super().commit(state, edge)
        state.cycles += 1


class Deaf(Doubler):
    """Accepts nothing."""

    def settle(self, state: Any, outputs: Outputs) -> None:
        pass


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (Impure, "settle of Impure changes the state"),
        (Hidden, "continues differently"),
        (Forgetful, "continues differently"),
        (Counting, "continues differently"),
        (Sleepy, "sleeping changes the results"),
        (Deaf, "nothing moves"),
    ],
)
def test_wrong_modules_break_it(kind: type[PythonModule], reason: str) -> None:
    with pytest.raises(SpinachError, match=reason):
        check(kind)


class Closure(Doubler):
    """A state that is not plain."""

    @dataclass
    class State(Doubler.State):
        """A function."""

        function: Any = print


class Endless(Doubler):
    """A state that contains itself."""

    @dataclass
    class State(Doubler.State):
        """A list."""

        within: list[Any] = field(default_factory=lambda: endless)


endless: list[Any] = []
endless.append(endless)


@pytest.mark.parametrize("kind", [Closure, Endless])
def test_a_state_that_is_not_plain_cannot_be_saved(kind: type[Doubler]) -> None:
    system = Pair()
    system.replace("module", kind())
    simulation = simulate(system)
    simulation.run(cycles=10)
    with pytest.raises(SpinachError, match=f"the state of {kind.__name__} is not plain data"):
        simulation.checkpoint()


class Renamed(Doubler):
    """The same words, in a state with another field."""

    @dataclass
    class State:
        """The word that waits."""

        pending: int | None = None

    def settle(self, state: Any, outputs: Outputs) -> None:
        outputs.accept("input")


class Longer(Doubler):
    """The same with a field more."""

    @dataclass
    class State(Doubler.State):
        """With a number."""

        passed: int = 0


@pytest.mark.parametrize("kind", [Renamed, Longer])
def test_a_state_with_other_fields_is_not_restored(kind: type[Doubler]) -> None:
    saved = simulate(Pair()).checkpoint()
    system = Pair()
    system.replace("module", kind())
    simulation = simulate(system)
    with pytest.raises(
        CheckpointError, match=f"the state of {kind.__name__} has other fields than the saved"
    ):
        simulation.restore(saved)


class Halves(Doubler):
    """An integer becomes a fraction."""

    @dataclass
    class State(Doubler.State):
        """With a number."""

        passed: int = 0

    def commit(self, state: Any, edge: Edge) -> None:
        """Add a half."""
        super().commit(state, edge)
        state.passed += 0.5


def test_a_state_that_differs_from_its_annotations_cannot_be_saved() -> None:
    system = Pair()
    system.replace("module", Halves())
    simulation = simulate(system)
    simulation.run(cycles=10)
    with pytest.raises(SpinachError, match=r"the state of Halves does not match .*passed"):
        simulation.checkpoint()
    with pytest.raises(SpinachError, match="the state of Halves does not match"):
        check(Halves)


SINK = """
from dataclasses import dataclass
from spinach_nic.blocks import PythonModule, words_in
class Sink(PythonModule):
    input = words_in('Words.')
    @dataclass
    class State:
        count: int = 0
    def settle(self, state, outputs):
        outputs.accept('input')
"""


def test_the_command_checks_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(SINK)
    result = CliRunner().invoke(spinach, ["check", str(file)])
    assert result.exit_code == 0, result.output
    assert "Sink:\n  settle changes nothing" in result.output


@pytest.mark.parametrize(
    ("right", "wrong", "reason"),
    [
        ("accept('input')", "accept('inptu')", "mine.py:10: there is no port 'inptu'"),
        ("accept('input')", "accept('input', state.cuont)", "mine.py:10: AttributeError: .* 'cuont'"),
        ("(self, state, outputs)", "(self, state)", "mine.py:9: TypeError: .* positional argument"),
        ("outputs.accept", "exit", r"mine.py:10: the file calls sys.exit\(\)"),
        ("def settle", "def setle", "Sink has no method settle"),
        ("class State", "class Stat", "Sink has no State"),
        ("int = 0", "int", "the state of Sink cannot be made: .* 'count'"),
    ],
)
def test_a_mistake_in_the_source_is_shown_with_its_line(
    tmp_path: Path, right: str, wrong: str, reason: str
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(SINK.replace(right, wrong))
    with pytest.raises(SpinachError, match=reason):
        spinach.main(["check", str(file)], standalone_mode=False)


@pytest.mark.parametrize(("name", "compiler"), [("a.sv", "spinach verilate"), ("lib.rs", "cargo build")])
def test_a_source_is_not_checked(tmp_path: Path, name: str, compiler: str) -> None:
    (tmp_path / name).write_text("module")
    with pytest.raises(SpinachError, match=f"{name} is a source, not a library") as caught:
        spinach.main(["check", str(tmp_path / name)], standalone_mode=False)
    assert compiler in str(caught.value.help)


def test_a_value_for_a_port_of_another_kind_is_refused() -> None:
    class Framed(Doubler):
        def settle(self, state: Any, outputs: Outputs) -> None:
            outputs.present("output", Frame(b"word"))

    with pytest.raises(
        SpinachError, match=r"test_python_module.py:\d+: the output output presents"
    ) as caught:
        check(Framed)
    assert caught.value.help == "present an integer, or None"


@pytest.mark.parametrize(
    ("kind", "port", "value", "reason"),
    [
        (Doubler, "output", -1, "a word is -1"),
        (Doubler, "output", 1 << 64, "a word is 18446744073709551616"),
        (Registers, "port", Response(-1), "the data of a response is -1"),
        (Registers, "port", Response("x"), "the data of a response is"),  # type: ignore[arg-type]
        (Registers, "memory", Reference(-4), "the address of a reference is -4"),
        (Registers, "memory", Reference(3), "a reference to 4 bytes at 0x3"),
        (Registers, "memory", Reference(0, size=3), "a reference to 3 bytes at 0x0"),
        (
            Registers,
            "memory",
            Reference(0, writes=True, data=1 << 32),
            "the data of a reference is 4294967296",
        ),
        (Registers, "memory", Reference(0, enables=16), "the enables of a reference is 16"),
        (Passing, "output", Frame("abc"), "a frame has data of type str"),  # type: ignore[arg-type]
    ],
)
def test_a_value_out_of_range_is_refused(
    kind: type[PythonModule], port: str, value: Any, reason: str
) -> None:
    class Wrong(kind):  # type: ignore[misc, valid-type]
        def settle(self, state: Any, outputs: Outputs) -> None:
            outputs.present(port, value)

    with pytest.raises(SpinachError, match=rf"test_python_module.py:\d+: {reason}"):
        check(Wrong)


def test_a_state_with_a_large_number_cannot_be_saved() -> None:
    class Large(Doubler):
        @dataclass
        class State(Doubler.State):
            number: int = 1 << 64

    with pytest.raises(SpinachError, match="the state of Large is not plain data"):
        check(Large)


def test_an_init_without_that_of_its_base_is_refused() -> None:
    class Bare(Doubler):
        def __init__(self) -> None:
            pass

    with pytest.raises(SpinachError, match="__init__ of Bare does not call that of its base"):
        check(Bare)


def test_a_value_of_another_type_is_refused() -> None:
    class Textual(Doubler):
        def settle(self, state: Any, outputs: Outputs) -> None:
            outputs.present("output", "word")  # type: ignore[arg-type]

    with pytest.raises(SpinachError, match=r"test_python_module.py:\d+: an output presents .* type str"):
        check(Textual)
