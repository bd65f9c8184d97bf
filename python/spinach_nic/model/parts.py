"""Parts of a system, with their parameters, clocks and names."""

from __future__ import annotations

from inspect import Parameter as SignatureParameter
from inspect import Signature, get_annotations
from typing import TYPE_CHECKING, Any, ClassVar, dataclass_transform

from msgspec import Struct

from spinach_nic import _native
from spinach_nic.model.clocks import Clock
from spinach_nic.model.parameters import MISSING, Parameter, parameter
from spinach_nic.support.location import CompositionError, Place, user_place
from spinach_nic.support.units import Frequency


class UnknownNameError(CompositionError, AttributeError):
    """A name that a part does not have."""


class Asked(Struct, frozen=True):
    """User's setting or replacement: the written path, and its source location."""

    path: str
    place: Place

    def error(self, message: str, help: str) -> CompositionError:
        """Return an error in it; the message begins with the path if that has several names."""
        inside = f"{self.path}: " if "." in self.path else ""
        return CompositionError(f"{inside}{message}", help, self.place)


class _PartBookkeeping:
    # Attributes of instances that are not arguments, which is why they are annotated outside of `Described`.
    _place: Place
    _name: str
    _parent: Part | None
    _given: dict[str, Any]


@dataclass_transform(eq_default=False, kw_only_default=True, field_specifiers=(parameter,))
class Described(_PartBookkeeping):
    """Base class by which type checkers derive the arguments of a part from its parameters."""


class _SignatureOfParameters:
    """Signature of a kind of part, for `inspect`, `help` and interactive shells."""

    def __get__(self, part: Part | None, owner: type[Part]) -> Signature:
        annotations: dict[str, Any] = {}
        for base in reversed(owner.__mro__):
            annotations |= get_annotations(base)
        keyword = SignatureParameter.KEYWORD_ONLY
        given = [
            SignatureParameter(
                name,
                keyword,
                default=SignatureParameter.empty if declared.default is MISSING else declared.default,
                annotation=annotations.get(name, SignatureParameter.empty),
            )
            for name, declared in owner._declared.items()
        ]
        clocks = [
            SignatureParameter(name, keyword, default=None, annotation=annotations.get(name, Clock | None))
            for name in owner._clock_names
        ]
        return Signature([*given, *clocks], return_annotation=None)


class Part(Described):
    """A module or a component: it has parameters, perhaps a clock, and a place in a system."""

    clock: Clock | None = None
    """Clock domain of this part and of everything in it without a separate one."""

    _declared: ClassVar[dict[str, Parameter]] = {}
    _clock_names: ClassVar[tuple[str, ...]] = ("clock",)
    _transparent: ClassVar[tuple[str, ...]] = ()
    """Names of parts whose parts and parameters have no prefix: they are named like those of this part."""

    def __init_subclass__(cls) -> None:
        """Collect the parameters that the class and those that it is derived from declare."""
        owners = reversed(cls.__mro__)
        cls._declared = {
            name: value
            for owner in owners
            for name, value in vars(owner).items()
            if isinstance(value, Parameter)
        }

    if not TYPE_CHECKING:  # type checkers derive it from the parameters
        __signature__ = _SignatureOfParameters()

        def __init__(self, **given: Any) -> None:
            """Set parameters and clocks."""
            place = user_place()
            vars(self).update(_place=place, _name="", _parent=None, _given={})
            for name, value in given.items():
                self._give(name, value)
            for name, declared in self._declared.items():
                if declared.default is MISSING and name not in given:
                    raise CompositionError(
                        f"{type(self).__name__}: {name} must be set", f"{name}: {declared.documentation}"
                    )

    def _give(self, name: str, value: Any) -> None:
        declared = self._declared.get(name)
        if declared is not None:
            self._given[name] = declared.accept(value, f"{type(self).__name__}.{name}")
        elif name in self._clock_names:
            self._set_clock(name, value)
        else:
            raise CompositionError(*self._no_parameter(name, None))

    def _no_parameter(self, name: str, value: Any) -> tuple[str, str]:
        message = f"{type(self).__name__} has no parameter {name!r}"
        return message, _native.suggest(name, self._known_parameters(is_text=isinstance(value, str)))

    def _known_parameters(self, *, is_text: bool) -> list[str]:
        """Return the names that a misspelt one is compared with: parameters and clocks.

        Args:
            is_text: True for names of values that can be given as texts.
        """
        if is_text:
            return [name for name, declared in self.declarations.items() if declared.is_written]
        return [*self.declarations, *self._clock_names]

    def _frequencies(self) -> dict[str, str]:
        """Return the settable frequencies of this part, or else of the next part around, by path."""
        given = {
            f"{self._prefix}{name}": str(self.parameters[name]).replace(" ", "")
            for name, declared in self.declarations.items()
            if declared.kind == "frequency" and isinstance(self.parameters[name], Frequency)
        }
        return given or (self._parent._frequencies() if self._parent else {})

    def _not_a_clock(self, name: str, text: str) -> tuple[str, str]:
        """Return the error of a clock domain that is given as a text, such as on the command line."""
        message = f"{type(self).__name__}: {name} = {text!r} is not a clock domain"
        known = self._frequencies()
        if not known:
            return message, "set the frequency of the clock in the file of the NIC"
        path, frequency = next(iter(known.items()))
        return message, f"set a frequency, such as {path}={frequency}; there are {', '.join(known)}"

    def _set_clock(self, name: str, value: Any) -> None:
        if value is not None and not isinstance(value, Clock):
            message = f"{type(self).__name__}: {name} = {value!r} is not a clock domain"
            raise CompositionError(message, 'give a clock domain, such as Clock("core", MHz(166))')
        vars(self)[name] = value

    def __setattr__(self, name: str, value: Any) -> None:
        """Reject the assignment of a parameter, which may already have been used."""
        if name in self._declared:
            raise CompositionError(
                f"{name} is a parameter of {type(self).__name__} and cannot be assigned",
                f"give it when you make it, or call set({name!r}, ...)",
            )
        if name in self._clock_names:
            self._set_clock(name, value)
        else:
            super().__setattr__(name, value)

    @property
    def declarations(self) -> dict[str, Parameter]:
        """Declarations of `parameters`."""
        return dict(self._declared)

    @property
    def parameters(self) -> dict[str, Any]:
        """Every parameter with its value."""
        return {name: self._given.get(name, declared.default) for name, declared in self._declared.items()}

    @property
    def path(self) -> str:
        """The hierarchical name within the system, such as `core[0].fetch`; or the class name."""
        if self._parent is None or self._is_transparent:
            return self.title
        return f"{self._parent._prefix}{self._name}"

    @property
    def title(self) -> str:
        """Name of a system in messages: that of its class."""
        return type(self).__name__

    @property
    def _is_transparent(self) -> bool:
        """True if the names in this part are names of the component that holds it."""
        return self._parent is not None and self._name in self._parent._transparent

    @property
    def _prefix(self) -> str:
        """Beginning of the paths of the parts inside."""
        if self._parent is None:
            return ""
        return self._parent._prefix if self._is_transparent else f"{self.path}."

    def set(self, path: str, value: Any) -> None:
        """Set a parameter; a text is read as on the command line, with its unit."""
        self._set(path, value, Asked(path, user_place()))

    def _set(self, path: str, value: Any, asked: Asked) -> None:
        declared = self._declared.get(path)
        try:
            if declared is not None:
                self._given[path] = declared.accept(value, asked.path, is_text=True)
            elif path in self._clock_names and isinstance(value, str):
                raise CompositionError(*self._not_a_clock(path, value))
            elif path in self._clock_names:
                self._set_clock(path, value)
            else:
                raise asked.error(*self._no_parameter(path, value))
        except CompositionError as error:
            raise error.at(asked.place) from None
        # From now on the engine reports errors of the part at this line.
        vars(self)["_place"] = asked.place

    def __repr__(self) -> str:
        """Return the kind of part and its path."""
        return f"<{type(self).__name__} {self.path}>"
