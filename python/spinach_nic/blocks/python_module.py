"""Modules whose behaviour is a class in Python, for prototypes and tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from typing import Any, ClassVar

import msgspec

from spinach_nic.library import CalledBlock
from spinach_nic.model import Component, Module
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.limits import shortened
from spinach_nic.support.location import CompositionError, user_mistake

_INPUTS = ("frame_in", "word_in", "memory", "registers")
_OUTPUTS = ("frame_out", "word_out", "memory", "registers")
"""Ports of `CalledBlock`, in the order of the lanes of its behaviour."""
MOST_COUNTERS = sum(name.startswith("count_") for name in CalledBlock.counters)
"""Counters of `CalledBlock` for those that a block declares."""


@dataclass(frozen=True)
class Frame:
    """An Ethernet frame, from the destination address to the last byte before the frame check sequence."""

    data: bytes
    is_intact: bool = True
    """True if the frame check sequence is correct."""


@dataclass(frozen=True)
class Reference:
    """A read or a write of 1, 2, 4, 8 or 16 bytes at a multiple of the size."""

    address: int
    size: int = 4
    writes: bool = False
    data: int = 0
    """Bytes to write: bits 8 *i* to 8 *i* + 7 are the byte at `address` + *i*."""
    enables: int | None = None
    """Written bytes, one bit each; all if it is `None`."""


@dataclass(frozen=True)
class Response:
    """The answer to a reference."""

    data: int = 0
    """Bytes of a read, as in `Reference`."""
    is_fault: bool = False
    """True for an unassigned address."""


Value = Frame | int | Reference | Response

_PRESENTED: Mapping[str, type] = {
    "frame_out": Frame,
    "word_out": int,
    "memory": Reference,
    "registers": Response,
}
"""Class of the values that a port presents, by its kind."""
_SIZES = (1, 2, 4, 8, 16)
"""Bytes of a reference."""
_NOUNS: Mapping[type, str] = {
    Frame: "a Frame",
    int: "an integer",
    Reference: "a Reference",
    Response: "a Response",
}


class BlockPort:
    """Declaration of a port of a `PythonModule`."""

    def __init__(self, kind: str, doc: str) -> None:
        """A port of this kind, with its meaning."""
        self.kind = kind
        self.__doc__ = doc
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        """Take the name of the attribute."""
        self.name = name

    def __get__(self, module: PythonModule | None, owner: type | None = None) -> Any:
        """Return the port of a module."""
        return self if module is None else module.ports[self.name]


def frames_in(doc: str) -> Any:
    """Declare an input of frames."""
    return BlockPort("frame_in", doc)


def frames_out(doc: str) -> Any:
    """Declare an output of frames."""
    return BlockPort("frame_out", doc)


def words_in(doc: str) -> Any:
    """Declare an input of words of 64 bits."""
    return BlockPort("word_in", doc)


def words_out(doc: str) -> Any:
    """Declare an output of words of 64 bits."""
    return BlockPort("word_out", doc)


def memory_port(doc: str) -> Any:
    """Declare a port to a memory: the module presents references and receives responses."""
    return BlockPort("memory", doc)


def register_port(doc: str) -> Any:
    """Declare a port for accesses by others: the module receives references and presents responses."""
    return BlockPort("registers", doc)


class BlockCounter:
    """Declaration of a counter of a `PythonModule`."""

    def __init__(self, doc: str) -> None:
        """A counter with this meaning."""
        self.__doc__ = doc
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        """Take the name of the attribute."""
        self.name = name

    def __get__(self, module: PythonModule | None, owner: type | None = None) -> Any:
        """Return the module in the library that counts, and the name of its counter."""
        if module is None:
            return self
        return own_counter(module.block, module.declared_counters().index(self.name))


def counter(doc: str) -> Any:
    """Declare a counter for `edge.count`: `discards={"policed": policer.dropped}` shows it in results."""
    return BlockCounter(doc)


def own_counter(block: Module, number: int) -> tuple[Module, str]:
    """Return a counter that a block declares itself, as `Passage` and `Counter` take it."""
    return block, f"count_{number}"


class Outputs:
    """Outputs of a module in a cycle: presented values and accepting inputs."""

    def __init__(self, outputs: dict[str, int], inputs: dict[str, int], kinds: dict[str, type]) -> None:
        """Begin without values; `kinds` has the class of the values of each output."""
        self._outputs, self._inputs, self._kinds = outputs, inputs, kinds
        self.presented: list[Any] = [None] * len(outputs)
        self.accepts = [False] * len(inputs)

    def present(self, port: str, value: Value | None) -> None:
        """Present a value, or nothing, at an output.

        Raises:
            SpinachError: There is no such output, or it has values of another class.
        """
        lane = _lane(self._outputs, port)
        presented = None if value is None else _native_value(value)
        if value is not None and not isinstance(value, self._kinds[port]):
            message = f"the output {port} presents {shortened(value)}"
            raise CompositionError(message, f"present {_NOUNS[self._kinds[port]]}, or None")
        self.presented[lane] = presented

    def accept(self, port: str, accepts: bool = True) -> None:
        """Accept the value that is presented at an input in this cycle."""
        self.accepts[_lane(self._inputs, port)] = accepts


class Edge:
    """The transfers of a cycle."""

    def __init__(
        self,
        cycle: int,
        received: Sequence[Any],
        sent: Sequence[bool],
        outputs: dict[str, int],
        inputs: dict[str, int],
        counters: Sequence[str],
    ) -> None:
        """The transfers at the edge of this cycle."""
        self.cycle = cycle
        """Number of the cycle, from 0."""
        self._received, self._sent = received, sent
        self._outputs, self._inputs = outputs, inputs
        self.counts = dict.fromkeys(counters, 0)
        """Increments of the counters."""

    def count(self, counter: str, amount: int = 1) -> None:
        """Add to a declared counter.

        Raises:
            SpinachError: There is no such counter, or the amount is negative.
        """
        if counter not in self.counts:
            known = ", ".join(self.counts) or "none"
            message = f"there is no counter {counter!r}"
            raise CompositionError(message, f"declare it: {counter} = counter(doc); there are: {known}")
        if amount < 0:
            raise CompositionError(f"the counter {counter} would decrease by {-amount}", "count upwards")
        self.counts[counter] += amount

    def received(self, port: str) -> Any:
        """Return the value that came in, or `None`: a `Frame`, an integer, a `Reference` or a `Response`."""
        return _python_value(self._received[_lane(self._inputs, port)])

    def sent(self, port: str) -> bool:
        """Return true if the presented value has left."""
        return self._sent[_lane(self._outputs, port)]


class PythonModule(Component):
    """A module whose behaviour is written in Python.

    A derived class declares its ports, its `State` (a dataclass of plain data) and two methods. `settle` says
    what the state presents and accepts, and changes nothing; `commit` is the clock edge. All outputs are
    registered. Python runs in each cycle in which the module is not idle, so it suits prototypes and tests.
    """

    State: ClassVar[type]
    """State of the module: a dataclass with defaults, of plain data only, so that checkpoints can hold it."""

    def settle(self, state: Any, outputs: Outputs) -> None:
        """Present and accept what `state` implies."""
        raise NotImplementedError

    def commit(self, state: Any, edge: Edge) -> None:
        """Change `state` by the transfers of a cycle."""

    def is_idle(self, state: Any) -> bool:
        """Return true if only a transfer can change `state`: the module then sleeps."""
        return False

    @classmethod
    def declared_ports(cls) -> list[BlockPort]:
        """Return the declared ports."""
        found: dict[str, BlockPort] = {}
        for owner in reversed(cls.__mro__):
            found |= {name: port for name, port in vars(owner).items() if isinstance(port, BlockPort)}
        return list(found.values())

    @classmethod
    def declared_counters(cls) -> list[str]:
        """Return the names of the declared counters."""
        attributes = (item for owner in reversed(cls.__mro__) for item in vars(owner).items())
        return list({name: None for name, value in attributes if isinstance(value, BlockCounter)})

    def build(self) -> None:
        """Give each port its lane.

        Raises:
            SpinachError: The class lacks its state or `settle`, or has too many counters.
        """
        kind = type(self)
        if not any("State" in vars(owner) for owner in kind.__mro__):
            raise SpinachError(f"{kind.__name__} has no State", "define a dataclass State inside the class")
        if kind.settle is PythonModule.settle:
            message = f"{kind.__name__} has no method settle"
            raise SpinachError(message, "define settle(self, state, outputs)")
        if len(self.declared_counters()) > MOST_COUNTERS:
            message = f"{kind.__name__} has {len(self.declared_counters())} counters"
            raise SpinachError(message, f"declare at most {MOST_COUNTERS}")
        self.block = CalledBlock()
        lanes: dict[str, int] = {}
        for port in self.declared_ports():
            lane = lanes.setdefault(port.kind, 0)
            self._exports[port.name] = getattr(self.block, port.kind)[lane]
            lanes[port.kind] += 1
        vars(self.block)["_behaviour"] = partial(Behaviour, self)


class Behaviour:
    """State of a module in one simulation; the engine calls it."""

    def __init__(self, module: PythonModule) -> None:
        """The initial state."""
        self._module = module
        try:
            self.state = module.State()
        except Exception as error:
            message = f"the state of {type(module).__name__} cannot be made: {error}"
            raise SpinachError(message, "give each field of State a default") from error
        declared = module.declared_ports()
        self.inputs = _numbered(declared, _INPUTS)
        self.outputs = _numbered(declared, _OUTPUTS)
        self.counters = module.declared_counters()
        self.kinds = {port.name: _PRESENTED[port.kind] for port in declared if port.kind in _PRESENTED}

    def settle(self) -> tuple[list[Any], list[bool], bool]:
        """Return the presented values, the accepting inputs, and whether the module is idle."""
        outputs = Outputs(self.outputs, self.inputs, self.kinds)
        try:
            self._module.settle(self.state, outputs)
            is_idle = self._module.is_idle(self.state)
        except (Exception, SystemExit) as error:
            raise _mistake(error, self._module.settle) from error
        return outputs.presented, outputs.accepts, is_idle

    def commit(self, cycle: int, received: Sequence[Any], sent: Sequence[bool]) -> list[int]:
        """Act at an edge; return the increments of the counters."""
        edge = Edge(cycle, received, sent, self.outputs, self.inputs, self.counters)
        try:
            self._module.commit(self.state, edge)
        except (Exception, SystemExit) as error:
            raise _mistake(error, self._module.commit) from error
        return list(edge.counts.values())

    def save(self) -> bytes:
        """Return the state.

        Raises:
            SpinachError: It is not plain data, or a field does not match its annotation.
        """
        kind = type(self._module).__name__
        try:
            saved = msgspec.msgpack.encode(self.state)
            self._decoded(saved)
        except msgspec.ValidationError as error:
            message = f"the state of {kind} does not match its annotations: {error}"
            raise SpinachError(message, "annotate each field of State with the types of its values") from None
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            message = f"the state of {kind} is not plain data: {error}"
            raise SpinachError(message, "use integers, bytes, text, lists and dataclasses of these") from None
        return saved

    def restore(self, state: bytes) -> None:
        """Put a saved state in place of the present one.

        Raises:
            SpinachError: It has other fields than the states of this class.
        """
        restored = self._decoded(state)
        if not _has_fields_of(msgspec.msgpack.decode(state), restored):
            kind = type(self._module).__name__
            message = f"the state of {kind} has other fields than the saved one"
            raise SpinachError(message, "restore with the code that saved it")
        self.state = restored

    def _decoded(self, state: bytes) -> Any:
        return msgspec.msgpack.decode(state, type=self._module.State)


def _has_fields_of(saved: Any, value: Any) -> bool:
    """Return true if a value has been decoded from exactly its fields, at any depth."""
    if is_dataclass(value):
        values = {field.name: getattr(value, field.name) for field in fields(value)}
        return saved.keys() == values.keys() and all(
            _has_fields_of(saved[name], within) for name, within in values.items()
        )
    if isinstance(value, dict):
        saved, value = saved.values(), value.values()
    elif not isinstance(value, list | tuple):
        return True
    return all(map(_has_fields_of, saved, value))


def _numbered(declared: Sequence[BlockPort], kinds: Sequence[str]) -> dict[str, int]:
    ordered = [port.name for kind in kinds for port in declared if port.kind == kind]
    return {name: lane for lane, name in enumerate(ordered)}


def _mistake(error: BaseException, method: Callable[..., Any]) -> BaseException:
    if isinstance(error, SpinachError):
        return error
    code = method.__func__.__code__  # type: ignore[attr-defined]
    return user_mistake(error, (code.co_filename, code.co_firstlineno)) or error


def _lane(lanes: dict[str, int], port: str) -> int:
    try:
        return lanes[port]
    except KeyError:
        known = ", ".join(lanes) or "none"
        message = f"there is no port {port!r} in this direction"
        raise CompositionError(message, f"there are: {known}") from None


def _native_value(value: Value) -> Any:
    match value:
        case Frame(data, is_intact):
            if not isinstance(data, bytes):
                message = f"a frame has data of type {type(data).__name__}"
                raise CompositionError(message, "give the bytes of the frame: bytes(...)")
            return (data, bool(is_intact))
        case Response(response, is_fault):
            return (_in_bits(response, 128, "the data of a response"), bool(is_fault))
        case Reference(address, size, writes, data, enables):
            _in_bits(address, 64, "the address of a reference")
            if size not in _SIZES or address % size:
                message = f"a reference to {size} bytes at {address:#x}"
                raise CompositionError(message, "refer to 1, 2, 4, 8 or 16 bytes at a multiple of the size")
            _in_bits(data, 8 * size, "the data of a reference")
            every = (1 << size) - 1
            enabled = every if enables is None else _in_bits(enables, size, "the enables of a reference")
            return (address, int(bool(writes)), size, enabled, 0, data)
        case int():
            return _in_bits(value, 64, "a word")
    message = f"an output presents a value of type {type(value).__name__}"
    raise CompositionError(message, "present a Frame, an integer, a Reference or a Response")


def _in_bits(number: Any, bits: int, what: str) -> int:
    if not isinstance(number, int) or not 0 <= number < 1 << bits:
        message = f"{what} is {shortened(number)}"
        raise CompositionError(message, f"give an integer from 0 to 2**{bits} - 1")
    return number


def _python_value(value: Any) -> Any:
    if not isinstance(value, tuple):
        return value
    if len(value) == 6:
        address, access, size, enables, _, data = value
        if access > 1:
            message = f"a reference to {address:#x} is neither a read nor a write"
            raise SpinachError(message, "send atomic operations to a memory of the library")
        return Reference(address, size, bool(access), data, enables)
    return Frame(*value) if isinstance(value[0], bytes) else Response(*value)
