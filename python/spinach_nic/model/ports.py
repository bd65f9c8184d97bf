"""Ports, lanes of ports, bundles of ports, and their connections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

from msgspec import Struct

from spinach_nic.model.parts import Part
from spinach_nic.support.location import CompositionError, Place, user_place

P = TypeVar("P", bound="Port")


class PortDeclaration(Struct, frozen=True):
    """Declaration of a port of a kind of module."""

    name: str
    """The engine's name of it."""
    documentation: str
    """Purpose of the port."""
    is_output: bool
    """True for an output."""
    carries: str
    """The name of the type of value, or a letter if the connections decide."""
    lanes: str
    """Number of channels: `one`, `optional`, `many` (at least one) or `any`."""

    @property
    def has_many_lanes(self) -> bool:
        """True if it has one channel per connection."""
        return self.lanes in ("many", "any")


Connection = tuple[str, int, "PortOwner", str, int, "Place"]
"""Output port and lane, owner of the input, its port and lane, and the source location."""


class _OwnerBookkeeping:
    # Annotated outside of `PortOwner`, because what is annotated inside a part is an argument of it.
    _lanes: dict[str, int]
    _connections: list[Connection]


class PortOwner(_OwnerBookkeeping, Part):
    """A part with ports, which knows the connections of its outputs."""

    if not TYPE_CHECKING:

        def __init__(self, **given: Any) -> None:
            """Set parameters and clocks."""
            vars(self).update(_lanes={}, _connections=[])
            super().__init__(**given)


class _Connectable:
    """Either side of a connection."""

    __slots__ = ()

    if not TYPE_CHECKING:  # which sides fit follows from the types of `Output`, `OutputLanes` and `Bundle`

        def __rshift__(self, to: _Connectable) -> None:
            connect(self, to=to)


class Port(_Connectable):
    """A port of a module, or one lane of it."""

    __slots__ = ("declaration", "lane", "module")

    def __init__(self, module: PortOwner, declaration: PortDeclaration, lane: int | None = None) -> None:
        """A port of `module`; modules make their own."""
        self.module = module
        self.declaration = declaration
        self.lane = lane

    def __str__(self) -> str:
        """`path.port`, with the lane if one was picked."""
        lane = "" if self.lane is None else f"[{self.lane}]"
        return f"{self.module.path}.{self.declaration.name}{lane}"

    def __repr__(self) -> str:
        """Return the kind of port and its name."""
        return f"<{type(self).__name__} {self}>"

    def _at(self, lane: int) -> Self:
        if not self.declaration.has_many_lanes:
            raise CompositionError(f"{self} has one lane only", "omit the index")
        if self.lane is not None:
            raise CompositionError(f"{self} is one lane already", "omit the second index")
        if lane < 0:
            raise CompositionError(f"{self}[{lane}]: lanes count from 0", "give a lane from 0 on")
        return type(self)(self.module, self.declaration, lane)

    def _slice(self, picked: slice) -> list[Self]:
        if picked.stop is None:
            raise CompositionError(f"a slice of {self} has no end", "give both ends, such as port[0:4]")
        return [self._at(lane) for lane in range(picked.start or 0, picked.stop, picked.step or 1)]

    def _claim(self) -> int:
        """Return the lane that a connection takes: the one picked, or the one after the highest until now."""
        name = self.declaration.name
        if not self.declaration.has_many_lanes:
            return 0
        next_lane = self.module._lanes.get(name, 0)
        lane = next_lane if self.lane is None else self.lane
        self.module._lanes[name] = max(next_lane, lane + 1)
        return lane


class Input(Port):
    """A port for incoming data."""

    __slots__ = ()

    @overload
    def __getitem__(self, index: int) -> Input: ...
    @overload
    def __getitem__(self, index: slice) -> InputLanes: ...
    def __getitem__(self, index: int | slice) -> Input | InputLanes:
        """One lane, or several."""
        return InputLanes(self._slice(index)) if isinstance(index, slice) else self._at(index)


class Output(Port):
    """A port for outgoing data: `multiply.output >> add.input`."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __rshift__(self, to: Input) -> None:
            """Connect this output to an input."""

    @overload
    def __getitem__(self, index: int) -> Output: ...
    @overload
    def __getitem__(self, index: slice) -> OutputLanes: ...
    def __getitem__(self, index: int | slice) -> Output | OutputLanes:
        """One lane, or several."""
        return OutputLanes(self._slice(index)) if isinstance(index, slice) else self._at(index)


class Lanes(_Connectable, Generic[P]):
    """Several lanes, connected pair by pair."""

    __slots__ = ("ports",)

    def __init__(self, ports: list[P]) -> None:
        """These lanes, in this order."""
        self.ports = ports

    def __len__(self) -> int:
        """Return the number of lanes."""
        return len(self.ports)

    def __iter__(self) -> Iterator[P]:
        """Each lane."""
        return iter(self.ports)

    def __getitem__(self, index: int) -> P:
        """One of them."""
        return self.ports[index]

    def __str__(self) -> str:
        """Return the first and the last."""
        return f"{self.ports[0]} to {self.ports[-1]}" if self.ports else "no lanes"


class InputLanes(Lanes[Input]):
    """Several lanes for incoming data."""

    __slots__ = ()


class OutputLanes(Lanes[Output]):
    """Several lanes for outgoing data."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __rshift__(self, to: InputLanes) -> None:
            """Connect each of these lanes to one of as many."""


class Bundle(_Connectable):
    """Ports that are connected together, by role: `core.memory >> cache.memory`."""

    __slots__ = ("name", "roles")

    def __init__(self, name: str, roles: Mapping[str, Port]) -> None:
        """The bundle called `name` of a module."""
        self.name = name
        self.roles = roles

    if TYPE_CHECKING:

        def __rshift__(self, to: Bundle) -> None:
            """Connect each role of this bundle to the same role of another."""

    def __getitem__(self, lane: int) -> Bundle:
        """Return the same bundle with one lane of each of its ports."""
        return Bundle(self.name, {role: port._at(lane) for role, port in self.roles.items()})

    def __getattr__(self, role: str) -> Port:
        """Return the port with this role."""
        try:
            return self.roles[role]
        except KeyError:
            raise AttributeError(f"{self} has no role {role!r}; it has {', '.join(self.roles)}") from None

    def __str__(self) -> str:
        """`path.bundle`."""
        port = next(iter(self.roles.values()))
        lane = "" if port.lane is None else f"[{port.lane}]"
        return f"{port.module.path}.{self.name}{lane}"

    def _with_lane(self) -> Bundle:
        # The roles of one connection share a lane, also where ports have been connected one by one.
        ports = [port for port in self.roles.values() if port.declaration.has_many_lanes]
        if not ports or any(port.lane is not None for port in ports):
            return self
        lane = max(port.module._lanes.get(port.declaration.name, 0) for port in ports)
        roles = {role: port._at(lane) if port in ports else port for role, port in self.roles.items()}
        return Bundle(self.name, roles)


class InputPort(PortDeclaration, frozen=True):
    """Declares an input of a kind of module."""

    def __get__(self, module: PortOwner | None, owner: type | None = None) -> Input:
        """Return the port of `module`."""
        # On a class, the port is the declaration itself. Type checkers see only the port of a module.
        return self if module is None else Input(module, self)  # type: ignore[return-value]


class OutputPort(PortDeclaration, frozen=True):
    """Declares an output of a kind of module."""

    def __get__(self, module: PortOwner | None, owner: type | None = None) -> Output:
        """Return the port of `module`."""
        # On a class, the port is the declaration itself. Type checkers see only the port of a module.
        return self if module is None else Output(module, self)  # type: ignore[return-value]


def input_port(name: str, doc: str, *, carries: str = "T", lanes: str = "one") -> InputPort:
    """Declare an input of a kind of module."""
    return InputPort(name, doc, False, carries, lanes)


def output_port(name: str, doc: str, *, carries: str = "T", lanes: str = "one") -> OutputPort:
    """Declare an output of a kind of module."""
    return OutputPort(name, doc, True, carries, lanes)


class PortBundle:
    """Declares a bundle of ports of a kind of module, by role."""

    def __init__(self, name: str, **roles: InputPort | OutputPort) -> None:
        """The bundle `name`."""
        self.name = name
        self.roles = roles

    def __get__(self, module: PortOwner | None, owner: type | None = None) -> Bundle:
        """Return the bundle of `module`."""
        if module is None:
            return self  # type: ignore[return-value]
        return Bundle(self.name, {role: port.__get__(module) for role, port in self.roles.items()})


def connect(source: _Connectable, *, to: _Connectable) -> None:
    """Connect an output to an input, lanes to as many lanes, or a bundle to a bundle: `source >> to`."""
    if isinstance(source, Port) and isinstance(to, Port):
        _connect_ports(source, to)
    elif isinstance(source, Lanes) and isinstance(to, Lanes):
        _connect_lanes(source, to)
    elif isinstance(source, Bundle) and isinstance(to, Bundle):
        _connect_bundles(source, to)
    else:
        message = f"{_described(source)} cannot be connected to {_described(to)}"
        raise CompositionError(message, "connect a port to a port, lanes to lanes, or a bundle to a bundle")


def _connect_ports(source: Port, to: Port) -> None:
    end = (to.module, to.declaration.name, to._claim())
    source.module._connections.append((source.declaration.name, source._claim(), *end, user_place()))


def _connect_lanes(source: Lanes[Any], to: Lanes[Any]) -> None:
    if len(source) != len(to):
        message = f"{len(source)} lanes ({source}) cannot be connected to {len(to)} ({to})"
        raise CompositionError(message, "give as many lanes on both sides")
    for one, other in zip(source, to, strict=True):
        _connect_ports(one, other)


def _connect_bundles(source: Bundle, to: Bundle) -> None:
    unpaired = source.roles.keys() ^ to.roles.keys()
    alike = [
        role
        for role in source.roles.keys() & to.roles.keys()
        if source.roles[role].declaration.is_output == to.roles[role].declaration.is_output
    ]
    if unpaired or alike:
        what = ", ".join(sorted(unpaired)) or ", ".join(sorted(alike))
        why = "only one of them has" if unpaired else "on both sides data goes the same way in"
        raise CompositionError(
            f"the bundles {source} and {to} do not match: {why} {what}",
            "connect a requesting bundle to a responding one, or connect the ports separately",
        )
    source, to = source._with_lane(), to._with_lane()
    for role, port in source.roles.items():
        peer = to.roles[role]
        _connect_ports(*((port, peer) if port.declaration.is_output else (peer, port)))


def _described(side: object) -> str:
    names = {Port: "the port", Lanes: "the lanes", Bundle: "the bundle"}
    for kind, name in names.items():
        if isinstance(side, kind):
            return f"{name} {side}"
    return f"{side!r}"
