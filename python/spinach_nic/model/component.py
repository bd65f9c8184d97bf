"""Parts made of parts."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from spinach_nic import _native
from spinach_nic.model.module import Module
from spinach_nic.model.parameters import Parameter
from spinach_nic.model.parts import Asked, Part, UnknownNameError
from spinach_nic.model.ports import Bundle, Lanes, Port
from spinach_nic.support.limits import shortened
from spinach_nic.support.location import CompositionError, user_code, user_place


class _Bookkeeping:
    _parts: dict[str, Part]
    _exports: dict[str, Port | Lanes[Any] | Bundle]
    # Settings and replacements inside parts that are not there yet: part, rest of the path, value, origin.
    _orders: list[tuple[str, str, Any, Asked]]
    _state: str
    _failure: Exception | None


class Component(_Bookkeeping, Part):
    """A part made of other parts, and so on down to modules.

    A kind of component is a class. Its parameters are class attributes; its `build` makes the parts and
    connects them:

        class MultiplyAdd(Component):
            def build(self) -> None:
                self.multiply = Function(...)
                self.add = Function(...)
                self.multiply.output >> self.add.input
                self.output = self.add.output

    Assigning a part, or a list of parts, to an attribute names it and makes it a part of the component.
    Assigning a port of a part exports it: the component then has that port. `build` runs when its
    inside is first needed, so parameters can be set, and parts replaced, until then.
    """

    def __init_subclass__(cls) -> None:
        """Check the declarations of parameters, besides collecting them."""
        super().__init_subclass__()
        annotations = vars(cls).get("__annotations__", {})
        for name, declared in vars(cls).items():
            if isinstance(declared, Parameter):
                declared.check_default(f"{cls.__name__}.{name}", annotations.get(name))

    if not TYPE_CHECKING:

        def __init__(self, **given: Any) -> None:
            """Set parameters and the clock."""
            vars(self).update(_parts={}, _exports={}, _orders=[], _state="described", _failure=None)
            super().__init__(**given)

        def __getattr__(self, name: str) -> Any:
            """Build the component when its inside is first needed; reject unknown names."""
            if name.startswith("_"):
                if name.startswith("__") or "_state" in vars(self):
                    raise AttributeError(name)
                message = f"__init__ of {type(self).__name__} does not call that of its base"
                raise CompositionError(message, "begin it with super().__init__(**given), or use build")
            if hasattr(type(self), name):
                # A property failed with an AttributeError, which is how Python came here: it fails again.
                return object.__getattribute__(self, name)
            if self._state == "described":
                self._ensure_built()
                return getattr(self, name)
            known = [name for name in vars(self) if not name.startswith("_")] + list(self._declared)
            message = f"{self.path}: {type(self).__name__} has no part, port or parameter {name!r}"
            raise UnknownNameError(message, _native.suggest(name, known))

    def build(self) -> None:
        """Create the parts and connect them. Components with parts assigned from outside omit it."""

    @property
    def parts(self) -> dict[str, Part]:
        """The parts by name, such as `core[0]`, in the order in which they were assigned.

        A transparent part is replaced by the parts in it.
        """
        self._ensure_built()
        parts: dict[str, Part] = {}
        for name, part in self._parts.items():
            if name in self._transparent and isinstance(part, Component):
                parts |= part.parts
            else:
                parts[name] = part
        return parts

    @property
    def parameters(self) -> dict[str, Any]:
        """Every parameter with its value, those of transparent parts included.

        The first part prevails that has a name, as for `set`.
        """
        inner = {name: value for part in reversed(self._inner) for name, value in part.parameters.items()}
        return inner | super().parameters

    @property
    def declarations(self) -> dict[str, Parameter]:
        """Declarations of `parameters`."""
        held = reversed(self._inner)
        return {name: it for part in held for name, it in part.declarations.items()} | self._declared

    @property
    def variable_parameters(self) -> frozenset[str]:
        """Names of the parameters of which a run restored from a checkpoint may have other values."""
        own = (name for name, declared in self._declared.items() if declared.is_variable)
        return frozenset(own).union(*(part.variable_parameters for part in self._inner))

    @property
    def _inner(self) -> list[Component]:
        """The transparent parts."""
        found = (self._parts.get(name) for name in self._transparent)
        return [part for part in found if isinstance(part, Component)]

    @property
    def ports(self) -> dict[str, Port | Lanes[Any] | Bundle]:
        """The exported ports and bundles by name."""
        self._ensure_built()
        return dict(self._exports)

    def modules(self) -> Iterator[Module]:
        """Every module inside, depth first."""
        for part in self.parts.values():
            if isinstance(part, Component):
                yield from part.modules()
            elif isinstance(part, Module):
                yield part

    def set(self, path: str, value: Any) -> None:
        """Set a parameter of this component or of a part inside: `nic.set("core[0].cache.size", "8KiB")`.

        Args:
            path: The parameter, after the names of the parts that lead to it.
            value: The value; a text is read as on the command line, with its unit.

        Raises:
            SpinachError: If the value does not fit, or if the parts were made already.
        """
        if not isinstance(path, str):
            raise CompositionError(
                f"{shortened(path)} is not a path", 'give one such as "core[0].cache.size"'
            )
        self._set(path, value, Asked(path, user_place()))

    def _set(self, path: str, value: Any, asked: Asked) -> None:
        name, dot, rest = path.partition(".")
        if (inner := self._inner_with(name, is_part=bool(dot))) is not None:
            inner._set(path, value, asked)
        elif dot:
            self._order(name, rest, value, asked)
        elif self._state != "described":
            raise self._too_late(f"{path} of {self.path}", asked)
        else:
            super()._set(path, value, asked)

    def _inner_with(self, name: str, *, is_part: bool) -> Component | None:
        """Return the transparent part that has a name; `None` if this component has it.

        Before the parts are there, names of parts are looked for in the first; what it does not have comes
        back to this component: see `_build_parts`.
        """
        parts = self._parts.keys() - set(self._transparent)
        own: Collection[str] = parts if is_part else (*self._declared, *self._clock_names)
        if not self._inner or name in own:
            return None
        if is_part:
            held = (part for part in self._inner if part._state == "described" or name in part.parts)
            return next(held, None)
        return next((part for part in self._inner if name in part.declarations), self._inner[0])

    def replace(self, path: str, part: Part) -> None:
        """Put another part with the same ports in the place of one: `nic.replace("core[0]", Functional())`.

        Args:
            path: Path of the part to replace.
            part: The new part.

        Raises:
            SpinachError: If the parts were made already, or, once they are made, if there is no part of that
                name.
        """
        self._replace(path, part, Asked(path, user_place()))

    def _replace(self, path: str, part: Part, asked: Asked) -> None:
        if self._state != "described":
            raise self._too_late(f"{path} in {self.path}", asked)
        name, _, rest = path.partition(".")
        if (inner := self._inner_with(name, is_part=True)) is not None:
            inner._replace(path, part, asked)
            return
        self._orders.append((name, rest, part, asked))

    def __setattr__(self, name: str, value: Any) -> None:
        """Add an assigned part to this component, or an assigned port to its ports."""
        if not name.startswith("_") and name not in self._declared:
            if isinstance(value, Part):
                value = self._adopt(name, value)
            elif isinstance(value, (list, tuple)) and value and isinstance(value[0], (Part, list, tuple)):
                value = self._adopt_all(name, value)
            elif isinstance(value, (Port, Lanes, Bundle)):
                self._exports[name] = value
        super().__setattr__(name, value)

    def _adopt_all(self, name: str, values: list[Any] | tuple[Any, ...]) -> list[Any] | tuple[Any, ...]:
        adopted = [
            self._adopt_all(f"{name}[{index}]", value)
            if isinstance(value, (list, tuple))
            else self._adopt(f"{name}[{index}]", value)
            for index, value in enumerate(values)
        ]
        return type(values)(adopted)

    def _adopt(self, name: str, part: Part) -> Part:
        if not isinstance(part, Part):
            raise CompositionError(
                f"{self.path}.{name}: {part!r} is not a part", "put only parts into an array"
            )
        orders = [order for order in self._orders if order[0] == name]
        if orders:
            self._orders = [order for order in self._orders if order[0] != name]
        for _, rest, value, _ in orders:
            if not rest and isinstance(value, Part):
                part = value
        if part._parent is not None:
            message = f"{self.path}.{name}: this {type(part).__name__} is already {part.path}"
            raise CompositionError(message, "make a part for each place")
        if name in self._parts or any(name in inner._parts for inner in self._inner):
            raise CompositionError(
                f"{self.path} already has a part called {name!r}", "give it another name, or use replace"
            )
        vars(part).update(_name=name, _parent=self)
        self._parts[name] = part
        for _, rest, value, asked in orders:
            if rest:
                self._carry_out(part, rest, value, asked)
        return part

    def _order(self, name: str, rest: str, value: Any, asked: Asked) -> None:
        if name in self._parts:
            self._parts[name]._set(rest, value, asked)
        elif self._state == "described":
            self._orders.append((name, rest, value, asked))
        else:
            raise asked.error(*self._no_part(name))

    @staticmethod
    def _carry_out(part: Part, rest: str, value: Any, asked: Asked) -> None:
        if not isinstance(value, Part):
            part._set(rest, value, asked)
        elif isinstance(part, Component):
            part._replace(rest, value, asked)
        else:
            raise asked.error(f"{part.path} is a module and has no part {rest!r}", "replace the whole module")

    def _known_parameters(self, *, is_text: bool) -> list[str]:
        known = super()._known_parameters(is_text=is_text)
        # Settings of a transparent part and of what is around it are given alike.
        if self._is_transparent and isinstance(self._parent, Component):
            known += self._parent._known_parameters(is_text=is_text)
        return list(dict.fromkeys(known))

    def _no_part(self, name: str) -> tuple[str, str]:
        return f"{self.path} has no part {name!r}", _native.suggest(name, list(self.parts))

    def _ensure_built(self) -> None:
        if self._failure is not None:
            raise self._failure
        if self._state != "described":
            return
        vars(self)["_state"] = "building"
        try:
            self._build_parts()
        except Exception as error:
            vars(self)["_failure"] = error
            raise
        vars(self)["_state"] = "built"

    def _build_parts(self) -> None:
        for inner in self._inner:
            inner._ensure_built()
        with user_code():
            self.build()
        if self._is_transparent and isinstance(self._parent, Component):
            self._parent._take_back(self._orders)
            return
        for name, rest, value, asked in self._orders:
            # A transparent part may be named, too, though no path has its name.
            named = next((part for part in self._inner if part._name == name and "." not in rest), None)
            raise asked.error(*(self._no_part(name) if named is None else named._no_parameter(rest, value)))

    def _take_back(self, orders: list[tuple[str, str, Any, Asked]]) -> None:
        """Keep settings for a transparent part that has no such part."""
        self._orders.extend(orders)

    def _too_late(self, what: str, asked: Asked) -> CompositionError:
        return CompositionError(
            f"{what} cannot be changed: the parts of {self.path} are made already",
            "set and replace before you look inside or simulate",
            asked.place,
        )
