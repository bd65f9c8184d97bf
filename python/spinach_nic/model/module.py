"""Modules: the parts that the engine runs, with ports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from spinach_nic import _native
from spinach_nic.model.parts import UnknownNameError
from spinach_nic.model.ports import PortBundle, PortDeclaration, PortOwner


class Module(PortOwner):
    """A module of the library. Each kind has a class, made from its declaration in Rust."""

    kind: ClassVar[str]
    """The engine's name of this kind of module."""
    engine_names: ClassVar[dict[str, str]] = {}
    """The engine's names of parameters and clocks that have other names in Python."""
    counters: ClassVar[dict[str, str]] = {}
    """The counters that the module keeps, with their meanings."""

    def __init_subclass__(cls) -> None:
        """Collect the ports that the class declares."""
        super().__init_subclass__()
        own = {
            name: value
            for name, value in vars(cls).items()
            if isinstance(value, (PortDeclaration, PortBundle))
        }
        cls._connectable = {**cls._connectable, **own}

    _connectable: ClassVar[dict[str, PortDeclaration | PortBundle]] = {}

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Reject an unknown name, with the nearest known ones."""
            if name.startswith("_"):
                raise AttributeError(name)
            known = [*self._connectable, *self._declared, *self._clock_names]
            raise UnknownNameError(f"{self.path}: {self.kind} has no {name!r}", _native.suggest(name, known))
