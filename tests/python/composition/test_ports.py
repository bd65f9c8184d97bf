from collections.abc import Callable

from spinach_nic import Bundle, Clock, Component, Input, KiB, MHz, connect, simulate
from spinach_nic.library import Arbiter, Fifo, Function, Initiator, MultiportedMemory, Receiver, Sender, Tee

Refusal = Callable[[Callable[[], object]], str]
CORE = Clock("core", MHz(100))


class Sum(Component):
    """The sum of some senders."""

    def build(self) -> None:
        self.clock = CORE
        self.sender = [Sender(values=[10**k], count=1) for k in range(3)]
        self.sum = Function(policy="add")
        self.difference = Function(policy="subtract")
        self.receiver = Receiver()


def connections(component: Component) -> list[str]:
    return sorted(
        f"{module.path}.{output}[{lane}] >> {to.path}.{name}[{to_lane}]"
        for module in component.modules()
        for output, lane, to, name, to_lane, _ in module._connections
    )


def test_a_port_without_an_index_takes_the_next_lane() -> None:
    system = Sum()
    for sender in system.sender:
        sender.output >> system.sum.input
    assert connections(system) == [f"sender[{k}].output[0] >> sum.input[{k}]" for k in range(3)]


def test_lanes_can_be_picked_and_mixed_with_the_next() -> None:
    system = Sum()
    system.sender[0].output >> system.sum.input[1]
    system.sender[1].output >> system.sum.input
    system.sender[2].output >> system.sum.input[0]
    assert connections(system) == [
        "sender[0].output[0] >> sum.input[1]",
        "sender[1].output[0] >> sum.input[2]",
        "sender[2].output[0] >> sum.input[0]",
    ]


def test_slices_connect_lane_by_lane() -> None:
    tee, sum_ = Tee(), Function(policy="add")
    tee.output[0:3] >> sum_.input[1:4]
    connect(tee.output[3:5], to=sum_.input[4:6])
    pairs = [(lane, to_lane) for _, lane, _, _, to_lane, _ in tee._connections]
    assert pairs == [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
    assert [str(port) for port in tee.output[0:2]] == ["Tee.output[0]", "Tee.output[1]"]


def test_bundles_connect_role_by_role_and_lane_by_lane() -> None:
    one, other, arbiter, memory = Initiator(), Initiator(), Arbiter(), MultiportedMemory(size=KiB(1))
    one.memory >> arbiter.initiator
    arbiter.initiator >> other.memory  # either way round: the roles say who asks
    arbiter.target >> memory.port[2]
    ends = sorted(
        (type(module).__name__, output, lane, type(to).__name__, name, to_lane)
        for module in (one, other, arbiter, memory)
        for output, lane, to, name, to_lane, _ in module._connections
    )
    assert ends == [
        ("Arbiter", "initiator_response", 0, "Initiator", "memory_response", 0),
        ("Arbiter", "initiator_response", 1, "Initiator", "memory_response", 0),
        ("Arbiter", "target_request", 0, "MultiportedMemory", "port_request", 2),
        ("Initiator", "memory_request", 0, "Arbiter", "initiator_request", 0),
        ("Initiator", "memory_request", 0, "Arbiter", "initiator_request", 1),
        ("MultiportedMemory", "port_response", 2, "Arbiter", "target_response", 0),
    ]
    assert one.memory.request is not None
    assert str(one.memory.response) == "Initiator.memory_response"


def test_ports_of_several_modules_can_be_exported_as_a_bundle() -> None:
    class Bridge(Component):
        def build(self) -> None:
            self.there, self.back = Fifo(), Fifo()
            self.requester = Bundle("requester", {"request": self.there.input, "response": self.back.output})
            self.target = Bundle("target", {"request": self.there.output, "response": self.back.input})

    class System(Component):
        def build(self) -> None:
            self.clock = CORE
            self.initiator = Initiator()
            self.bridge = Bridge()
            self.memory = MultiportedMemory(size=KiB(1), contents=b"\0\0\0\7")
            self.address = Sender(values=[0], count=1)
            self.receiver = Receiver()
            self.address.output >> self.initiator.address
            self.initiator.memory >> self.bridge.requester
            self.bridge.target >> self.memory.port
            self.initiator.output >> self.receiver.input

    system = System()
    simulation = simulate(system)
    recorder = simulation.record(system.initiator.output)
    simulation.run(cycles=10)
    assert [(moved.word, moved.cycle) for moved in recorder.transfers()] == [(7, 3)]


def test_connections_that_make_no_sense_are_refused(refusal: Refusal) -> None:
    tee, sum_, fifo, arbiter = Tee(), Function(policy="add"), Fifo(), Arbiter()
    assert refusal(lambda: tee.output[0:3] >> sum_.input[0:2]) == (
        "HERE: 3 lanes (Tee.output[0] to Tee.output[2]) cannot be connected to 2 "
        "(Function.input[0] to Function.input[1])\nhelp: give as many lanes on both sides"
    )
    assert refusal(lambda: tee.output >> sum_.input[0:2]) == (  # type: ignore[operator]
        "HERE: the port Tee.output cannot be connected to the lanes Function.input[0] to Function.input[1]\n"
        "help: connect a port to a port, lanes to lanes, or a bundle to a bundle"
    )
    assert refusal(lambda: fifo.output >> 3) == (  # type: ignore[operator]
        "HERE: the port Fifo.output cannot be connected to 3\n"
        "help: connect a port to a port, lanes to lanes, or a bundle to a bundle"
    )
    assert refusal(lambda: fifo.output[0]) == "HERE: Fifo.output has one lane only\nhelp: omit the index"
    assert refusal(lambda: tee.output[0][1]) == (
        "HERE: Tee.output[0] is one lane already\nhelp: omit the second index"
    )
    assert (
        refusal(lambda: tee.output[-1])
        == "HERE: Tee.output[-1]: lanes count from 0\nhelp: give a lane from 0 on"
    )
    assert refusal(lambda: tee.output[1:]) == (
        "HERE: a slice of Tee.output has no end\nhelp: give both ends, such as port[0:4]"
    )
    assert refusal(lambda: Initiator().memory >> arbiter.target) == (
        "HERE: the bundles Initiator.memory and Arbiter.target do not match: "
        "on both sides data goes the same way in request, response\n"
        "help: connect a requesting bundle to a responding one, or connect the ports separately"
    )
    half = Bundle("half", {"request": fifo.input})
    assert refusal(lambda: Initiator().memory >> half).startswith(
        "HERE: the bundles Initiator.memory and Fifo.half do not match: only one of them has response\n"
    )


def test_a_part_outside_of_the_system_cannot_be_connected_to(refusal: Refusal) -> None:
    def forgotten() -> None:
        system = Component(clock=CORE)
        system.sender = Sender(policy="index")
        receiver = Receiver()
        system.sender.output >> receiver.input  # type: ignore[attr-defined] # at fault
        simulate(system)

    assert refusal(forgotten) == (
        "HERE: sender.output >> Receiver.input: the second is not in the system\n"
        "help: assign the Receiver to an attribute of a component, and use that attribute"
    )


def test_ports_know_their_declaration() -> None:
    port: Input = Fifo().input
    assert port.declaration.documentation == "Values to keep."
    assert repr(port) == "<Input Fifo.input>"
