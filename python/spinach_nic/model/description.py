"""Translation of a described system for the engine."""

from collections.abc import Iterator
from functools import lru_cache

from spinach_nic import _native
from spinach_nic.model.clocks import Clock
from spinach_nic.model.component import Component
from spinach_nic.model.module import Module
from spinach_nic.model.parts import Part
from spinach_nic.model.ports import Bundle, Port, PortOwner
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.location import COMMAND_LINE, CompositionError, Place, shown_file


def unconnected_exports(system: Component) -> Iterator[tuple[Place | None, str]]:
    """Yield the exported lanes without a connection: the place of their module, and a message."""
    modules = list(system.modules())
    ends: set[tuple[PortOwner, str, int]] = {
        (module, output, lane) for module in modules for output, lane, *_ in module._connections
    }
    ends |= {(to, name, lane) for module in modules for _, _, to, name, lane, _ in module._connections}
    waiting: list[tuple[Component, str]] = [(system, "")]
    while waiting:
        component, path = waiting.pop()
        for name, exported in component.ports.items():
            ports = list(exported.roles.values()) if isinstance(exported, Bundle) else [exported]
            picked = [port for port in ports if isinstance(port, Port) and port.lane is not None]
            used = {(port.module, port.declaration.name, port.lane) for port in picked}
            if picked and used.isdisjoint(ends):
                port = picked[0]
                what = exported.name if isinstance(exported, Bundle) else port.declaration.name
                yield (
                    _shown(port.module._place),
                    f"{what} {port.lane} of {port.module.path}, `{path}{name}`, is not connected",
                )
        inner = component.parts.items()
        waiting += [(part, f"{path}{name}.") for name, part in inner if isinstance(part, Component)]


class Description:
    """A system in the form of the engine."""

    def __init__(self, system: Component) -> None:
        """Describe `system`: every module in it, with its clock, then every connection."""
        self.design = _native.Design()
        self._clocks: dict[Clock, int] = {}
        self._names = _domain_names(system)
        self._modules: dict[PortOwner, int] = {}
        self._add_component(system, "", None)
        if not self._modules:
            message = f"there is no module in {system.path}"
            raise CompositionError(message, "assign parts to it, or make them in its `build`")
        # All modules exist now, so a connection can refer to any of them.
        for module, number in self._modules.items():
            self._connect(module, number)

    def _add_component(self, component: Component, path: str, clock: Clock | None) -> None:
        # Building may give the component its clock, so it comes first.
        component._ensure_built()
        clock = component.clock or clock
        for name, part in component._parts.items():
            inside = f"{path}.{name}" if path else name
            if name in component._transparent:
                inside = path
            if isinstance(part, Component):
                self._add_component(part, inside, clock)
            elif isinstance(part, Module):
                self._add_module(part, inside, part.clock or clock)

    def _add_module(self, module: Module, path: str, clock: Clock | None) -> None:
        names = module.engine_names
        parameters = [
            (names.get(name, name), module._declared[name].native(value))
            for name, value in module._given.items()
        ]
        clocks = [
            (names.get(name, name), self._domain(domain))
            for name in module._clock_names
            if name != "clock" and (domain := getattr(module, name)) is not None
        ]
        # A module with several clocks takes those that are not said from its neighbours.
        domain = self._domain(clock) if clock is not None and "clock" in module._clock_names else None
        self._modules[module] = self.design.module(
            path, module.kind, parameters, domain, clocks, _shown(module._place)
        )

    def _domain(self, clock: Clock) -> int:
        if clock not in self._clocks:
            hertz, place = clock.frequency.hertz, _shown(clock._place)
            try:
                self._clocks[clock] = self.design.domain(
                    self._names.get(clock, clock.name), hertz.numerator, hertz.denominator, place
                )
            except SpinachError as error:
                message = f"Clock {clock.name!r}: {error.message}"
                raise CompositionError(message, error.help, clock._place) from None
        return self._clocks[clock]

    def _connect(self, module: PortOwner, number: int) -> None:
        for output, lane, to, input_name, to_lane, place in module._connections:
            to_number = self._modules.get(to)
            if to_number is None:
                message = f"{module.path}.{output} >> {to.path}.{input_name}: the second is not in the system"
                help = (
                    f"assign the {type(to).__name__} to an attribute of a component, and use that attribute"
                )
                raise CompositionError(message, help, place)
            self.design.connect((number, output, lane), (to_number, input_name, to_lane), _shown(place))


def _domain_names(system: Component) -> dict[Clock, str]:
    """Return names of clocks that share one: with the part that a clock belongs to, as `node[0].core`."""
    homes: dict[Clock, list[str]] = {}
    _note_clocks(system, [], homes)
    same: dict[str, list[Clock]] = {}
    for clock in homes:
        same.setdefault(clock.name, []).append(clock)
    names: dict[Clock, str] = {}
    for name, clocks in same.items():
        length = _distinct_length([homes[clock] for clock in clocks])
        names |= {clock: ".".join([*homes[clock][:length], name]) for clock in clocks}
    return names


def _note_clocks(part: Part, path: list[str], homes: dict[Clock, list[str]]) -> None:
    """Note the path of the first part, outermost and in order, that each clock is assigned to."""
    # Building may give the component its clock, so it comes first.
    inner: dict[str, Part] = {}
    if isinstance(part, Component):
        part._ensure_built()
        inner = part._parts
    for name in part._clock_names:
        if (clock := getattr(part, name)) is not None:
            homes.setdefault(clock, path)
    for name, one in inner.items():
        _note_clocks(one, path if name in part._transparent else [*path, name], homes)


def _distinct_length(paths: list[list[str]]) -> int:
    """Return the number of names after which paths differ; 0 if they never do."""
    longest = max(map(len, paths))
    return next((n for n in range(longest + 1) if len({tuple(path[:n]) for path in paths}) == len(paths)), 0)


def _shown(place: Place) -> Place | None:
    return None if place == COMMAND_LINE else (_shown_file(place[0]), place[1])


_shown_file = lru_cache(maxsize=256)(shown_file)
