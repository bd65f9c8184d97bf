"""Differences of a model from that of a checkpoint, in words."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from spinach_nic import _native
from spinach_nic.model import Component
from spinach_nic.model.simulation import Simulation
from spinach_nic.runs.assembly import components_of, resolved_configuration
from spinach_nic.runs.result import Setting

_SHOWN = 4
_OF_FIRMWARE = (".profile_start", ".profile_size")
"""Ends of the paths of parameters that follow from the firmware."""


class ComparedModel(Struct, frozen=True):
    """A model, and the parameters that it follows from."""

    model: Mapping[str, str]
    """Properties that must be equal, by name."""
    config: Mapping[str, Setting]
    """Parameters with plain values, by path."""
    variable: tuple[str, ...] = ()
    """Paths of parameters of components that may differ from those of a checkpoint."""

    @classmethod
    def of(cls, system: Component, simulation: Simulation) -> ComparedModel:
        """Return the description of a simulation."""
        config, variable = resolved_configuration(system, simulation), list[str]()
        for prefix, component in components_of(system):
            given = component.parameters.items()
            config |= {
                prefix + name: ",".join(map(str, it)) or "empty"
                for name, it in given
                if isinstance(it, tuple)
            }
            variable += [prefix + name for name in sorted(component.variable_parameters)]
        return cls(dict(simulation.native.model()), config, tuple(variable))

    def differences(self, now: ComparedModel) -> list[str]:
        """Return the differences of another model, or none if a state of this one is a state of that.

        Parameters of components explain those of the modules in them, which explain connections and clocks.
        Systems of equal modules may differ in their drivers, or in the first contents of their memories.
        """
        if self.model == now.model:
            return self._changed_in_both(now)
        models = [*self.model.items()], [*now.model.items()]
        return self.changed_parameters(now) or _native.model_differences(*models)

    def changed_parameters(self, now: ComparedModel) -> list[str]:
        """Return the differences of parameters of components that may be why another model differs.

        Those that follow from the firmware are left out, and those of added parts if others differ.
        """
        return self._changed_in_both(now) or _differences(self.config, now.config, self._compared(now))

    def _changed_in_both(self, now: ComparedModel) -> list[str]:
        common = [path for path in self._compared(now) if path in self.config]
        return list(_uncaused(self.config, now.config, common))

    def _compared(self, now: ComparedModel) -> list[str]:
        paths = (path for path in now.config if path not in now.variable and not path.endswith(_OF_FIRMWARE))
        return [path for path in paths if not self._is_of_module(path, now)]

    def _is_of_module(self, path: str, now: ComparedModel) -> bool:
        parent = path.rpartition(".")[0]
        return parent in self.model or parent in now.model


def listed(differences: Sequence[str]) -> str:
    """Return the first differences as text, and the number of the others."""
    more = len(differences) - _SHOWN
    return "; ".join(differences[:_SHOWN]) + (f"; and {more} more" if more > 0 else "")


def difference(name: str, then: Any, now: Any) -> str:
    """Return the difference of a value from that in a checkpoint, as text."""
    if then is None:
        return f"{name} was missing"
    if now is None:
        return f"{name} is missing"
    return f"{name} was {then} and is {now}"


def _differences(then: Mapping[str, Any], now: Mapping[str, Any], names: Collection[str]) -> list[str]:
    pairs = ((name, then.get(name), now.get(name)) for name in names)
    return [difference(name, old, new) for name, old, new in pairs if old != new]


def _uncaused(then: Mapping[str, Any], now: Mapping[str, Any], paths: Collection[str]) -> Iterator[str]:
    """Return differences without those that follow from an equal one of a component around."""
    seen: set[tuple[str, Any, Any]] = set()
    for path in sorted(paths, key=lambda path: (path.count("."), path)):
        old, new = then[path], now[path]
        if old == new:
            continue
        words = path.split(".")[:-1]
        above = (".".join(words[:count]) for count in range(len(words)))
        if not any((prefix, old, new) in seen for prefix in above):
            yield difference(path, old, new)
        seen.add((".".join(words), old, new))
