"""Messages for designs that cannot be simulated; every message begins with the line at fault."""

from collections.abc import Callable

import pytest

from spinach_nic import Clock, Component, ElaborationError, MHz, Part, simulate
from spinach_nic.library import (
    Crossbar,
    Fifo,
    Function,
    Initiator,
    MultiportedMemory,
    Pipe,
    PipelinedCore,
    Receiver,
    Sender,
)
from spinach_nic.support.units import GiB, KiB

Refusal = Callable[[Callable[[], object]], str]


def system(**parts: Part) -> Component:
    """A component of these parts, clocked at 100 MHz."""
    whole = Component(clock=Clock("core", MHz(100)))
    for name, part in parts.items():
        setattr(whole, name, part)
    return whole


def test_an_unconnected_port(refusal: Refusal) -> None:
    def design() -> None:
        sender = Sender()
        fifo = Fifo()  # at fault
        whole = system(sender=sender, fifo=fifo)
        sender.output >> fifo.input
        simulate(whole)

    assert refusal(design) == (
        "HERE: fifo.output is not connected\n"
        "help: connect it to where it goes to: The same values in the same order."
    )


def test_two_drivers(refusal: Refusal) -> None:
    def design() -> None:
        one, other, receiver = Sender(), Sender(), Receiver()
        whole = system(one=one, other=other, receiver=receiver)
        one.output >> receiver.input
        other.output >> receiver.input  # at fault
        simulate(whole)

    assert refusal(design) == (
        "HERE: receiver.input has two drivers: one.output and other.output\n"
        "help: one channel has one driver; put an arbiter or a mux in between"
    )


def test_two_readers(refusal: Refusal) -> None:
    def design() -> None:
        sender, one, other = Sender(), Receiver(), Receiver()
        whole = system(sender=sender, one=one, other=other)
        sender.output >> one.input
        sender.output >> other.input  # at fault
        simulate(whole)

    assert refusal(design) == (
        "HERE: sender.output is connected twice: to one.input and to other.input\n"
        "help: one channel has one reader; put a tee in between to fan out"
    )


def test_a_gap_between_lanes(refusal: Refusal) -> None:
    def design() -> None:
        sender, receiver = Sender(), Receiver()
        add = Function(policy="add")  # at fault
        whole = system(sender=sender, add=add, receiver=receiver)
        sender.output >> add.input[1]
        add.output >> receiver.input
        simulate(whole)

    assert refusal(design) == (
        "HERE: add.input[0] is not connected, but input[1] is\n"
        "help: connect the lanes of a port without gaps, from 0"
    )


def test_an_input_as_the_source(refusal: Refusal) -> None:
    def design() -> None:
        one, other = Fifo(), Fifo()
        whole = system(one=one, other=other)
        one.input >> other.input  # type: ignore[operator] # at fault
        simulate(whole)

    assert refusal(design) == (
        "HERE: one.input is an input and cannot be the source of a connection\n"
        "help: connect an output to an input"
    )


def test_types_that_do_not_match(refusal: Refusal) -> None:
    def design() -> None:
        address, initiator = Sender(), Initiator()
        add = Function(policy="add")
        whole = system(address=address, initiator=initiator, add=add)
        address.output >> initiator.address
        initiator.memory_request >> add.input  # at fault
        add.output >> initiator.memory_response
        simulate(whole)

    text = refusal(design)
    assert (
        "HERE: initiator.memory_request -> add.input[0] carries reference because of "
        "initiator.memory_request but word because of add.input[0]\n"
        "help: connect ports of one type, or convert reference to word with a function in between"
    ) in text
    assert "add.output -> initiator.memory_response carries word because of add.output but response" in text


def test_a_missing_clock(refusal: Refusal) -> None:
    def design() -> None:
        whole = Component()
        whole.receiver = receiver = Receiver()  # at fault
        whole.sender = sender = Sender(clock=Clock("core", MHz(1)))
        sender.output >> receiver.input
        simulate(whole)

    assert refusal(design) == (
        "HERE: receiver has no clock domain\nhelp: assign a clock domain to it or to a component around it"
    )


def test_a_crossing_without_a_crossing_module(refusal: Refusal) -> None:
    def design() -> None:
        sender, receiver = Sender(), Receiver(clock=Clock("other", MHz(33)))
        whole = system(sender=sender, receiver=receiver)
        sender.output >> receiver.input  # at fault
        simulate(whole)

    assert refusal(design) == (
        "HERE: sender.output -> receiver.input crosses from clock domain core to other\n"
        "help: put a crossing module, such as an asynchronous FIFO or a synchronizer, in between"
    )


def test_a_combinational_loop(refusal: Refusal) -> None:
    def design() -> None:
        one, other = Pipe(), Pipe()
        whole = system(one=one, other=other)
        one.output >> other.input
        other.output >> one.input  # at fault
        simulate(whole)

    text = refusal(design)
    assert text.splitlines()[0] == (
        "HERE: combinational loop: in one cycle each of these signals depends on the one before it"
    )
    assert {line.strip() for line in text.splitlines()[1:3]} == {
        "ack  from one.input to other.output",
        "ack  from other.input to one.output",
    }
    assert text.splitlines()[3:] == [
        "    and back to the first",
        "help: register it: put a FIFO, whose ack does not depend on the ack of its output, into "
        "other.output -> one.input",
    ]


def test_two_clock_domains_of_one_name_are_told_apart_by_their_place(refusal: Refusal) -> None:
    def design() -> None:
        sender = Sender()
        receiver = Receiver(clock=Clock("core", MHz(100)))
        whole = system(sender=sender, receiver=receiver)
        sender.output >> receiver.input  # at fault
        simulate(whole)

    assert refusal(design) == (
        "HERE: sender.output -> receiver.input crosses from clock domain core to receiver.core\n"
        "help: put a crossing module, such as an asynchronous FIFO or a synchronizer, in between"
    )


def test_clocks_that_cannot_be(refusal: Refusal) -> None:
    def too_fast() -> None:
        whole = Component(clock=Clock("core", MHz(10**10)))  # at fault
        whole.fifo = Fifo()
        simulate(whole)

    assert refusal(too_fast) == (
        "HERE: Clock 'core': a frequency must be at most 10^15 Hz, the resolution of simulated time\n"
        "help: give a frequency such as MHz(166)"
    )


def test_absurd_sizes(refusal: Refusal) -> None:
    assert refusal(lambda: Fifo(depth=2**40)) == (
        "HERE: Fifo.depth: 1099511627776 is above the largest, 65536\n"
        "help: give 1 to 65536 (depth: Number of values that fit in. "
        "From 2 on, a value can move in every cycle.)"
    )
    assert refusal(lambda: MultiportedMemory(size=GiB(2**40))).startswith(
        "HERE: MultiportedMemory.size: 1099511627776 GiB is above"
    )


def test_every_mistake_of_a_pass_is_reported_with_its_own_line() -> None:
    whole = system(one=Fifo(), other=Fifo())
    with pytest.raises(ElaborationError) as raised:
        simulate(whole)
    problems = raised.value.problems
    assert [problem.message for problem in problems] == [
        "one.input is not connected",
        "one.output is not connected",
        "other.input is not connected",
        "other.output is not connected",
    ]
    assert {problem.found_by for problem in problems} == {"connections"}
    assert len(str(raised.value).splitlines()) == 8


def test_a_policy_that_the_module_does_not_know(refusal: Refusal) -> None:
    def design() -> None:
        sender, receiver = Sender(), Receiver()
        sum_ = Function(policy="ad")  # at fault
        whole = system(sender=sender, sum=sum_, receiver=receiver)
        sender.output >> sum_.input
        sum_.output >> receiver.input
        simulate(whole)

    assert refusal(design).startswith("HERE: invalid Function.policy 'ad' (add, subtract, multiply, ")


def test_an_empty_system(refusal: Refusal) -> None:
    assert refusal(lambda: simulate(Component())) == (
        "HERE: there is no module in Component\nhelp: assign parts to it, or make them in its `build`"
    )


class Pad(Component):
    """A scratch pad whose second range leads outside."""

    def build(self) -> None:
        """Connect the first range to a memory and export the second."""
        self.crossbar = Crossbar(bases=[0, 0x1000], sizes=[0x1000, 0x1000])
        self.memory = MultiportedMemory(size=KiB(4))
        self.crossbar.target >> self.memory.port
        self.initiator = self.crossbar.initiator
        self.ext = self.crossbar.target[1]


def problems_of(whole: Component) -> list[str]:
    with pytest.raises(ElaborationError) as raised:
        simulate(whole)
    return [problem.message for problem in raised.value.problems]


def core_and_code() -> tuple[PipelinedCore, MultiportedMemory]:
    core, code = PipelinedCore(), MultiportedMemory(size=KiB(1))
    core.fetch >> code.port
    return core, code


def test_an_unconnected_target_is_named_as_the_user_named_it() -> None:
    (core, code), pad = core_and_code(), Pad()
    whole = system(core=core, code=code, pad=pad)
    core.data >> pad.initiator
    assert problems_of(whole) == [
        "target 1 of pad.crossbar, `pad.ext`, is not connected",
        "pad.crossbar: target 1 is not connected, but range 1 at 0x1000 leads to it",
    ]


def test_a_bundle_is_one_mistake() -> None:
    core, code = core_and_code()
    assert problems_of(system(core=core, code=code)) == ["core.data is not connected"]


def test_half_a_bundle_is_named() -> None:
    (core, code), data = core_and_code(), MultiportedMemory(size=KiB(1))
    core.data_request >> data.port_request
    assert problems_of(system(core=core, code=code, data=data)) == [
        "core.data is connected in part: data_response is missing"
    ]


def test_all_lanes_of_a_gap_are_one_mistake() -> None:
    (core, code), pad = core_and_code(), Crossbar(bases=[0], sizes=[4])
    core.data >> pad.initiator
    pad.target[3] >> code.port
    assert problems_of(system(core=core, code=code, pad=pad)) == [
        "pad.target[0 to 2] are not connected, but target[3] is"
    ]
