from collections.abc import Callable
from typing import Any

import pytest

from spinach_nic import (
    Clock,
    Component,
    Frequency,
    GHz,
    Input,
    KiB,
    MHz,
    Output,
    Size,
    SpinachError,
    ns,
    parameter,
    simulate,
    tree,
)
from spinach_nic.library import Fifo, Pipe, Receiver, Sender
from spinach_nic.model import Part
from spinach_nic.support.location import shown_file

Refusal = Callable[[Callable[[], object]], str]


class Delay(Component):
    """Some pipes in a row."""

    length: int = parameter(default=2, doc="Number of pipes.", range=(1, 100))
    depth: int = parameter(default=1, doc="Number of values in each pipe.")
    pipe_kind: type[Pipe] | type[Fifo] = parameter(
        default=Pipe, doc="Kind of the delay.", choices={"pipe": Pipe, "fifo": Fifo}
    )

    def build(self) -> None:
        self.pipe = [self.pipe_kind(depth=self.depth) for _ in range(self.length)]
        for one, other in zip(self.pipe, self.pipe[1:], strict=False):
            one.output >> other.input
        self.input: Input = self.pipe[0].input
        self.output: Output = self.pipe[-1].output


class System(Component):
    """Numbers through a delay."""

    speed: Frequency = parameter(default=MHz(100), doc="The frequency of the clock.")

    def build(self) -> None:
        self.clock = Clock("core", self.speed)
        self.sender = Sender(policy="index")
        self.delay = Delay()
        self.receiver = Receiver()
        self.sender.output >> self.delay.input
        self.delay.output >> self.receiver.input


def received(system: System, cycles: int = 20) -> int:
    simulation = simulate(system)
    simulation.run(cycles=cycles)
    return simulation.statistics()["receiver.transfers"]


def test_parts_are_named_after_the_attributes_they_are_assigned_to() -> None:
    system = System()
    assert [module.path for module in system.modules()] == [
        "sender",
        "delay.pipe[0]",
        "delay.pipe[1]",
        "receiver",
    ]
    assert system.delay.pipe[1].path == "delay.pipe[1]"
    assert list(system.delay.parts) == ["pipe[0]", "pipe[1]"]
    assert str(system.delay.output) == "delay.pipe[1].output"
    assert list(system.delay.ports) == ["input", "output"]


def test_a_system_can_be_printed() -> None:
    system = System(speed=MHz(166))
    system.set("delay.depth", 3)
    assert tree(system) == "\n".join(
        [
            "System (speed = 166 MHz) @ core 166 MHz",
            "├─ sender: Sender (policy = index)",
            "├─ delay: Delay (depth = 3)",
            "│  ├─ pipe[0]: Pipe (depth = 3)",
            "│  └─ pipe[1]: Pipe (depth = 3)",
            "└─ receiver: Receiver",
        ]
    )


def test_every_pipe_delays_by_its_depth() -> None:
    for length, depth in [(1, 1), (2, 1), (3, 2)]:
        system = System()
        system.set("delay.length", length)
        system.set("delay.depth", depth)
        assert received(system) == 20 - length * depth


def test_parameters_are_set_from_text_with_their_units() -> None:
    system = System()
    system.set("speed", "175MHz")
    system.set("delay.depth", "0x3")
    system.set("delay.pipe[1].depth", "5")
    assert system.parameters == {"speed": MHz(175)}
    assert system.delay.parameters["depth"] == 3
    assert [pipe.parameters["depth"] for pipe in system.delay.pipe] == [3, 5]
    assert system.clock is not None
    assert system.clock.frequency == MHz(175)


def test_a_class_of_part_can_be_chosen_by_name() -> None:
    system = System()
    system.set("delay.pipe_kind", "fifo")
    system.set("delay.depth", 4)
    assert {type(pipe) for pipe in system.delay.pipe} == {Fifo}
    assert {type(pipe) for pipe in Delay(pipe_kind=Fifo).pipe} == {Fifo}


def test_replacing_a_part_is_one_line() -> None:
    system = System()
    system.replace("delay.pipe[0]", Fifo(depth=7))
    assert isinstance(system.delay.pipe[0], Fifo)
    assert received(system) == 18
    system = System()
    system.replace("delay", Delay(length=5))
    assert received(system) == 15


def test_a_clock_holds_for_the_subtree_without_one_of_its_own() -> None:
    class TwoClocks(Component):
        def build(self) -> None:
            self.slow = System(speed=MHz(10))
            self.other = Delay(clock=Clock("other", MHz(20)))
            self.sender = Sender(policy="index", clock=self.other.clock)
            self.receiver = Receiver(clock=self.other.clock)
            self.sender.output >> self.other.input
            self.other.output >> self.receiver.input

    simulation = simulate(TwoClocks())
    simulation.run(ns(1000))
    assert {name: simulation.cycles(name) for name in ("core", "other")} == {"core": 10, "other": 20}


def test_components_can_be_put_together_without_a_class() -> None:
    system = Component(clock=Clock("core", MHz(1)))
    system.sender = Sender(policy="index")
    system.receiver = Receiver()
    system.sender.output >> system.receiver.input  # type: ignore[attr-defined]
    simulation = simulate(system)
    simulation.run(cycles=3)
    assert simulation.statistics()["receiver.transfers"] == 3


def test_arrays_may_be_nested() -> None:
    class Grid(Component):
        def build(self) -> None:
            self.cell = [[Fifo() for _ in range(2)] for _ in range(2)]

    assert list(Grid().parts) == ["cell[0][0]", "cell[0][1]", "cell[1][0]", "cell[1][1]"]


def test_names_like_a_misspelt_parameter_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []

    def suggest(name: str, known: list[str]) -> str:
        found.append((name, known))
        return "did you mean it?"

    monkeypatch.setattr("spinach_nic.model.parts._native.suggest", suggest)
    with pytest.raises(SpinachError, match="System has no parameter 'sped'") as caught:
        System().set("sped", "1MHz")
    assert caught.value.help == "did you mean it?"
    assert found == [("sped", ["speed"])]


def test_wrong_parameters_are_refused(refusal: Refusal) -> None:
    assert refusal(lambda: System(sped=MHz(1))) == (  # type: ignore[call-arg]
        "HERE: System has no parameter 'sped'\nhelp: did you mean speed?"
    )
    assert refusal(lambda: System(speed=166)) == (  # type: ignore[arg-type]
        "HERE: System.speed: 166 has no unit\n"
        "help: give a frequency, such as MHz(166) (speed: The frequency of the clock.)"
    )
    assert refusal(lambda: System(speed=ns(20))) == (  # type: ignore[arg-type]
        "HERE: System.speed: 20 ns is not a frequency\n"
        "help: give a frequency, such as MHz(166) (speed: The frequency of the clock.)"
    )
    assert refusal(lambda: Delay(length=0)) == (
        "HERE: Delay.length: 0 is below the smallest, 1\nhelp: give 1 to 100 (length: Number of pipes.)"
    )
    assert refusal(lambda: Delay(depth=-1)) == (
        "HERE: Delay.depth: -1 is below the smallest, 0\n"
        "help: give 0 to 2^64 - 1 (depth: Number of values in each pipe.)"
    )
    assert refusal(lambda: Delay(depth=KiB(1))) == (  # type: ignore[arg-type]
        "HERE: Delay.depth: 1 KiB has a unit\n"
        "help: give an integer without a unit (depth: Number of values in each pipe.)"
    )
    assert refusal(lambda: Delay(pipe_kind="hose")) == (  # type: ignore[arg-type]
        "HERE: invalid Delay.pipe_kind 'hose' (pipe or fifo)\n"
        "help: give one of these (pipe_kind: Kind of the delay.)"
    )


@pytest.mark.parametrize(
    ("annotation", "declared", "message"),
    [
        (Frequency, {"default": 125}, "default of Wrong.given: 125 has no unit"),
        (int, {"default": 1.5}, "default of Wrong.given: 1.5 is not an integer"),
        (int, {"default": "x"}, "default of Wrong.given: 'x' is not an integer"),
        (int, {"default": 5, "range": (6, 9)}, "default of Wrong.given: 5 is below the smallest, 6"),
        (int, {"default": 5, "choices": (1, 2)}, "invalid default of Wrong.given 5 (1 or 2)"),
        (int, {"default": 5, "range": (9, 1)}, "Wrong.given: the range from 9 to 1 is empty"),
    ],
)
def test_a_declaration_that_contradicts_itself_is_refused(
    annotation: type, declared: dict[str, Any], message: str, refusal: Refusal
) -> None:
    def declare() -> None:
        attributes = {"given": parameter(doc="Given.", **declared), "__annotations__": {"given": annotation}}
        type("Wrong", (Component,), attributes)  # at fault

    assert refusal(declare).startswith(f"HERE: {message}\nhelp: ")


def test_a_parameter_without_a_default_must_be_set(refusal: Refusal) -> None:
    class Store(Component):
        size: Size = parameter(doc="Amount.")

    assert refusal(lambda: Store()) == (  # type: ignore[call-arg]
        "HERE: Store: size must be set\nhelp: size: Amount."
    )
    assert refusal(lambda: Store(size=4096)) == (  # type: ignore[arg-type]
        "HERE: Store.size: 4096 has no unit\nhelp: give an amount of memory, such as KiB(256) (size: Amount.)"
    )
    assert Store(size=KiB(4)).size == KiB(4)


def test_a_parameter_cannot_be_assigned(refusal: Refusal) -> None:
    def assign() -> None:
        System().speed = MHz(3)  # at fault

    assert refusal(assign) == (
        "HERE: speed is a parameter of System and cannot be assigned\n"
        "help: give it when you make it, or call set('speed', ...)"
    )


def test_text_that_does_not_fit_is_refused(refusal: Refusal) -> None:
    assert refusal(lambda: System().set("speed", "fast")) == (
        "HERE: speed: 'fast' is not a number with a unit\n"
        "help: give a frequency, such as 166MHz (speed: The frequency of the clock.)"
    )
    assert refusal(lambda: Delay().set("depth", "two")) == (
        "HERE: depth: 'two' is not an integer\nhelp: give an integer (depth: Number of values in each pipe.)"
    )


def test_a_list_is_written_with_commas(refusal: Refusal) -> None:
    class Source(Component):
        def build(self) -> None:
            self.sender, self.receiver = Sender(), Receiver()
            self.sender.output >> self.receiver.input

    source = Source()
    source.set("sender.values", "1, 0x2,3")
    assert source.parts["sender"].parameters["values"] == (1, 2, 3)
    source.set("sender.values", "")
    assert source.parts["sender"].parameters["values"] == ()
    assert "values: '' is not an integer" in refusal(lambda: source.set("sender.values", "1,,2"))


def test_an_order_for_a_part_that_never_comes_names_the_line_that_gave_it(refusal: Refusal) -> None:
    def misspelt() -> None:
        system = System()
        system.set("dealy.depth", 3)  # at fault
        simulate(system)

    assert refusal(misspelt) == "HERE: dealy.depth: System has no part 'dealy'\nhelp: did you mean delay?"

    def wrong_value() -> None:
        system = System()
        system.set("delay.depth", "much")  # at fault
        simulate(system)

    assert refusal(wrong_value).startswith("HERE: delay.depth: 'much' is not an integer\n")

    def wrong_index() -> None:
        system = System()
        system.replace("delay.pipe[2]", Fifo())  # at fault
        simulate(system)

    assert refusal(wrong_index) == (
        "HERE: delay.pipe[2]: delay has no part 'pipe[2]'\nhelp: did you mean pipe[0] or pipe[1]?"
    )


def test_it_is_too_late_to_change_what_was_looked_into(refusal: Refusal) -> None:
    system = System()
    assert system.delay.length == 2
    assert refusal(lambda: system.set("speed", MHz(1))) == (
        "HERE: speed of System cannot be changed: the parts of System are made already\n"
        "help: set and replace before you look inside or simulate"
    )
    assert refusal(lambda: system.replace("delay", Delay())).startswith(
        "HERE: delay in System cannot be changed"
    )


def test_unknown_parts_and_ports_are_refused_with_the_nearest(refusal: Refusal) -> None:
    system = System()
    assert refusal(lambda: system.dealy) == (  # type: ignore[attr-defined]
        "HERE: System: System has no part, port or parameter 'dealy'\nhelp: did you mean delay?"
    )
    assert refusal(lambda: system.sender.outptu) == (  # type: ignore[attr-defined]
        "HERE: sender: sender has no 'outptu'\nhelp: did you mean output?"
    )
    assert not hasattr(system.delay, "memory")


def test_a_part_has_one_place(refusal: Refusal) -> None:
    def shared() -> None:
        fifo = Fifo()
        system = Component()
        system.one = fifo
        system.two = fifo  # at fault

    assert (
        refusal(shared) == "HERE: Component.two: this Fifo is already one\nhelp: make a part for each place"
    )

    def twice() -> None:
        system = Component()
        system.fifo = Fifo()
        system.fifo = Fifo()  # at fault

    assert refusal(twice) == (
        "HERE: Component already has a part called 'fifo'\nhelp: give it another name, or use replace"
    )

    def mixed() -> None:
        Component().fifos = [Fifo(), 3]  # at fault

    assert refusal(mixed) == "HERE: Component.fifos[1]: 3 is not a part\nhelp: put only parts into an array"


def test_what_is_no_clock_is_refused(refusal: Refusal) -> None:
    assert refusal(lambda: Fifo(clock=MHz(100))) == (  # type: ignore[arg-type]
        "HERE: Fifo: clock = MHz(100) is not a clock domain\n"
        'help: give a clock domain, such as Clock("core", MHz(166))'
    )
    assert refusal(lambda: Clock("core", 166)) == (  # type: ignore[arg-type]
        "HERE: Clock 'core': 166 has no unit\nhelp: give a frequency, such as MHz(166)"
    )
    assert refusal(lambda: Clock("core", MHz(0))) == (
        "HERE: Clock 'core': the frequency is zero\nhelp: give a frequency, such as MHz(166)"
    )


def test_errors_of_a_description_are_shown_without_their_place_in_another_process() -> None:
    import pickle

    with pytest.raises(SpinachError) as raised:
        System(sped=1)  # type: ignore[call-arg]
    returned = pickle.loads(pickle.dumps(raised.value))
    assert str(returned) == str(raised.value)


def test_a_mistake_inside_build_is_shown_as_it_is(refusal: Refusal) -> None:
    class Misspelt(Component):
        def build(self) -> None:
            self.fifo = Fifo()
            self.fifo.inptu  # type: ignore[attr-defined]  # noqa: B018

    for look in (lambda: Misspelt().parts, lambda: Misspelt().fifo, lambda: simulate(Misspelt())):
        assert refusal(look).endswith(": fifo: fifo has no 'inptu'\nhelp: did you mean input?")

    class Broken(Component):
        def build(self) -> None:
            raise AttributeError("a mistake of the model")  # at fault

    broken = Broken()
    here = f"{shown_file(__file__)}:{Broken.build.__code__.co_firstlineno + 1}: "
    for _ in range(2):
        with pytest.raises(SpinachError) as raised:
            simulate(broken)
        assert raised.value.message == f"{here}AttributeError: a mistake of the model"
        assert isinstance(raised.value.__cause__, AttributeError)


def test_a_model_cannot_end_the_process() -> None:
    class Leaves(Component):
        def build(self) -> None:
            raise SystemExit(0)

    with pytest.raises(SpinachError, match=r"the file calls sys\.exit\(\)"):
        simulate(Leaves())


def test_what_a_parameter_may_be_can_be_read() -> None:
    class Store(Component):
        size: Size = parameter(doc="Amount.", choices=(KiB(4), KiB(8)))
        clock_rate: Frequency = parameter(default=MHz(1), doc="Frequency.", range=(MHz(1), MHz(5)))
        depth: int = parameter(default=2, doc="Depth.", unit="words", range=(1, 9))
        speed: Frequency = parameter(default=MHz(1), doc="Frequency.")

    declared = Store(size=KiB(4)).declarations
    size, clock_rate, depth, speed = (declared[name] for name in ("size", "clock_rate", "depth", "speed"))
    assert list(size.choices.values()) == [KiB(4), KiB(8)]
    assert (size.minimum, clock_rate.maximum) == (None, MHz(5))
    assert (depth.minimum, depth.maximum, depth.unit) == (1, 9, "words")
    assert (speed.kind, speed.unit, speed.maximum) == ("frequency", "Hz, kHz, MHz, GHz", GHz(100))


def test_values_that_are_no_names_can_be_choices(refusal: Refusal) -> None:
    class Store(Component):
        size: Size = parameter(default=KiB(4), doc="Amount.", choices=(KiB(4), KiB(8)))

    store = Store()
    store.set("size", "8192B")
    assert store.size == KiB(8)
    assert refusal(lambda: store.set("size", "5KiB")) == (
        "HERE: invalid size 5 KiB (4 KiB or 8 KiB)\nhelp: give one of these (size: Amount.)"
    )
    assert refusal(lambda: Store(size=KiB(5))).startswith("HERE: invalid Store.size 5 KiB (4 KiB or 8 KiB)\n")
    assert refusal(lambda: store.set("size", "little")).startswith("HERE: size: 'little' is not a number")


def test_a_part_is_a_part() -> None:
    assert isinstance(System(), Part)
    assert repr(System().delay.pipe[0]) == "<Pipe delay.pipe[0]>"
