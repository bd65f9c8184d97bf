"""Typed, documented parameters of parts."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from spinach_nic import _native
from spinach_nic.model.tracing import Called, Lifted, lift
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.limits import beyond, bound, parse_whole, shortened
from spinach_nic.support.location import CompositionError
from spinach_nic.support.units import (
    B,
    Frequency,
    Gbps,
    GHz,
    GiB,
    Hz,
    Quantity,
    Rate,
    Size,
    Time,
    bps,
    fs,
    parse_quantity,
    s,
)

LARGEST_WORD = 2**64 - 1


class _Missing:
    def __repr__(self) -> str:
        return "must be set"


MISSING = _Missing()
"""The default of a parameter that must be set."""


class Refused(Exception):  # noqa: N818, it never leaves this package
    """Reason to reject a value: the message without the name of the parameter, and the help."""

    def __init__(self, reason: str, help: str) -> None:
        """Create the exception from the reason and the help."""
        super().__init__(reason, help)
        self.reason, self.help = reason, help

    def message(self, where: str) -> str:
        """Return the message for the parameter `where`."""
        return f"{where}: {self.reason}"


class NotAChoice(Refused):
    """Reason to reject a value that is not among the choices."""

    def message(self, where: str) -> str:
        """Return the message for the parameter `where`."""
        return f"invalid {where} {self.reason}"


class Kind(Struct, frozen=True):
    """Kind of a parameter: checks values, reads them from text, and converts them for the engine."""

    noun: str
    check: Callable[[Any], Any]
    parse: Callable[[str], Any]
    native: Callable[[Any], _native.Value]
    unit: str = ""
    """The units in which it is written."""
    range: tuple[Any, Any] | None = None
    """Smallest and largest value of a parameter without its own range."""


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise Refused(f"{shortened(value)} is not True or False", "give True or False")


def _parse_boolean(text: str) -> bool:
    known = {
        "true": True,
        "yes": True,
        "on": True,
        "1": True,
        "false": False,
        "no": False,
        "off": False,
        "0": False,
    }
    if text.strip().lower() in known:
        return known[text.strip().lower()]
    raise Refused(f"{shortened(text)} is not true or false", "give true or false")


def _integer(value: Any) -> int:
    if isinstance(value, Quantity):
        raise Refused(f"{value} has a unit", "give an integer without a unit")
    if isinstance(value, bool) or not isinstance(value, int):
        raise Refused(f"{shortened(value)} is not an integer", "give an integer")
    return value


def _word(value: Any) -> int:
    number = _integer(value)
    if wrong := beyond(number, 0, LARGEST_WORD):
        raise Refused(wrong, "give integers from 0 to 2^64 - 1")
    return number


def _parse_integer(text: str) -> int:
    number = parse_whole(text)
    if number is None:
        raise Refused(f"{shortened(text)} is not an integer", "give an integer")
    return number


def _integers(value: Any) -> tuple[int, ...]:
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        raise Refused(f"{shortened(value)} is not a list of integers", "give a list such as [1, 2, 3]")
    return tuple(_word(number) for number in value)


def _parse_integers(text: str) -> tuple[int, ...]:
    return tuple(_parse_integer(number) for number in text.split(",")) if text.strip() else ()


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise Refused(f"{shortened(value)} is not a text", "give a text in quotation marks")


def _bytes(value: Any) -> bytes:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    raise Refused(f"{shortened(value)} is not bytes", "give bytes, such as Path(...).read_bytes()")


def _cannot_parse(text: str) -> Any:
    raise Refused(f"{shortened(text)} cannot be read: this parameter has no written form", "set it in Python")


def _quantity(kind: type[Quantity]) -> Callable[[Any], Quantity]:
    def check(value: Any) -> Quantity:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            raise Refused(f"{shortened(value)} has no unit", f"give {kind.noun}")
        if not isinstance(value, kind):
            raise Refused(f"{shortened(value)} is not {_a(kind)}", f"give {kind.noun}")
        if value.base.denominator > LARGEST_WORD:
            raise Refused(f"{value} is finer than can be simulated", f"give {kind.noun}")
        return value

    return check


def _a(kind: type[Quantity]) -> str:
    return kind.noun.partition(",")[0]


def _parse_as(kind: type[Quantity]) -> Callable[[str], Quantity]:
    def parse(text: str) -> Quantity:
        try:
            return parse_quantity(text, kind)
        except SpinachError as error:
            raise Refused(error.message, error.help) from None

    return parse


def _policy(value: Any) -> str | Lifted | Called:
    if isinstance(value, (str, Lifted, Called)):
        return value
    if callable(value):
        return lift(value)
    raise Refused(f"{shortened(value)} is not a policy", "give a name or a function")


def _native_policy(value: Any) -> _native.Value:
    if isinstance(value, str):
        return _native.Value.named(value)
    if isinstance(value, Lifted):
        return _native.Value.lifted(value.expression)
    return _native.Value.called(value.function, value.name)


def _native_frequency(value: Frequency) -> _native.Value:
    return _native.Value.frequency(value.hertz.numerator, value.hertz.denominator)


def _not_native(value: Any) -> _native.Value:
    raise SpinachError(
        f"{value!r} is not a valid parameter of a module", "give a module a number, a text or a quantity"
    )


def _units(kind: type[Quantity]) -> str:
    return ", ".join(kind.units)


KINDS: Mapping[str, Kind] = {
    "boolean": Kind("True or False", _boolean, _parse_boolean, _native.Value.boolean),
    "integer": Kind("an integer", _integer, _parse_integer, _native.Value.integer, range=(0, LARGEST_WORD)),
    "time": Kind(
        Time.noun,
        _quantity(Time),
        _parse_as(Time),
        lambda time: _native.Value.time(time.femtoseconds),
        _units(Time),
        (fs(0), s(1000)),
    ),
    "frequency": Kind(
        Frequency.noun,
        _quantity(Frequency),
        _parse_as(Frequency),
        _native_frequency,
        _units(Frequency),
        (Hz(1), GHz(100)),
    ),
    "size": Kind(
        Size.noun,
        _quantity(Size),
        _parse_as(Size),
        lambda size: _native.Value.size(size.bytes),
        _units(Size),
        (B(0), GiB(1024)),
    ),
    "rate": Kind(
        Rate.noun,
        _quantity(Rate),
        _parse_as(Rate),
        lambda rate: _native.Value.rate(rate.bits_per_second),
        _units(Rate),
        (bps(0), Gbps(100_000)),
    ),
    "text": Kind("a text", _text, str, _native.Value.text),
    "integers": Kind("a list of integers", _integers, _parse_integers, _native.Value.integers),
    "bytes": Kind("bytes", _bytes, _cannot_parse, _native.Value.bytes),
    "policy": Kind("a policy: a name or a function", _policy, str, _native_policy),
    "object": Kind("an object", lambda value: value, _cannot_parse, _not_native),
}
"""The kinds of parameters, by the engine's name for them; `object`, for components only, is anything."""

_KIND_OF_TYPE: Mapping[Any, str] = {
    bool: "boolean",
    int: "integer",
    Time: "time",
    Frequency: "frequency",
    Size: "size",
    Rate: "rate",
    str: "text",
    bytes: "bytes",
}
_KIND_OF_ANNOTATION = {kind.__name__: name for kind, name in _KIND_OF_TYPE.items()}


class Parameter(Struct):
    """One declared parameter of a kind of part; made by `parameter`. Tools read its attributes."""

    default: Any
    """The value when it is not set; `MISSING` if it must be set."""
    documentation: str
    """Meaning of the parameter."""
    kind: str | None
    """Kind of value: a key of `KINDS`."""
    choices: Mapping[str, Any] = {}
    """Allowed values, by their written form; empty if any value is allowed."""
    range: tuple[Any, Any] | None = None
    """The smallest and the largest value; `None` if values have no order."""
    unit: str = ""
    """Unit of a number, or the units in which a quantity is written."""
    power_of_two: bool = False
    """True if only powers of two are allowed."""
    multiple_of: int = 1
    """Number from which on only its multiples are allowed."""
    is_variable: bool = False
    """True if a run restored from a checkpoint may have another value."""
    name: str = ""

    def __set_name__(self, owner: type, name: str) -> None:
        """Learn the name, and the kind from the default or from the annotation."""
        self.name = name
        if self.kind is None:
            self.kind = _kind_of(self.default, owner.__annotations__.get(name))
        kind = KINDS[self.kind]
        self.unit = self.unit or kind.unit
        if self.range is None and not self.choices:
            self.range = kind.range

    def __get__(self, part: Any, owner: type | None = None) -> Any:
        """Return the value that the parameter has in `part`."""
        return self if part is None else part.parameters[self.name]

    @property
    def is_written(self) -> bool:
        """True if its values have a written form."""
        return bool(self.choices) or KINDS[self.kind or "object"].parse is not _cannot_parse

    @property
    def minimum(self) -> Any:
        """The smallest value; `None` if values have no order."""
        return self.range[0] if self.range else None

    @property
    def maximum(self) -> Any:
        """The largest value; `None` if values have no order."""
        return self.range[1] if self.range else None

    def check_default(self, where: str, annotation: Any) -> None:
        """Reject a range without values, and a default of another type or outside of the range or choices.

        Args:
            where: Name of the parameter in the user's words, for the message.
            annotation: Declared type.

        Raises:
            CompositionError: The declaration contradicts itself.
        """
        if self.range is not None and self.range[1] < self.range[0]:
            message = f"{where}: the range from {bound(self.range[0])} to {bound(self.range[1])} is empty"
            raise CompositionError(message, "give the smallest value first")
        if self.default is MISSING or self.default is None:
            return
        try:
            KINDS[_KIND_OF_ANNOTATION.get(_name_of(annotation), "object")].check(self.default)
        except Refused as refused:
            raise CompositionError(f"default of {where}: {refused.reason}", refused.help) from None
        # A policy would be traced.
        if self.kind != "policy":
            self.accept(self.default, f"default of {where}")

    def accept(self, value: Any, where: str, *, is_text: bool = False) -> Any:
        """Check a value of the parameter, and return it in its stored form.

        Args:
            value: Value that the user gave.
            where: Name of the parameter in the user's words, for the message.
            is_text: True if a string is to be parsed, as from the command line.
        """
        kind = KINDS[self.kind or "object"]
        if isinstance(value, str) and value in self.choices:
            return self.choices[value]
        try:
            accepted = self._checked(value, kind, is_text=is_text)
        except Refused as refused:
            help = f"{refused.help} ({self.name}: {self.documentation})"
            raise CompositionError(refused.message(where), help) from None
        return accepted

    def _checked(self, value: Any, kind: Kind, *, is_text: bool) -> Any:
        is_written = isinstance(value, str) and (is_text or self.kind in ("text", "policy", "object"))
        if self.choices and is_written and kind.unit == "" and self.kind != "integer":
            raise self._no_choice(shortened(value))
        accepted = kind.check(kind.parse(value) if is_text and isinstance(value, str) else value)
        if self.choices and self.kind not in ("object", "policy") and accepted not in self.choices.values():
            raise self._no_choice(str(accepted))
        if self.range is not None and (wrong := beyond(accepted, *self.range)):
            unit = f" {self.unit}" if self.unit and self.kind == "integer" else ""
            raise Refused(wrong, f"give {bound(self.range[0])} to {bound(self.range[1])}{unit}")
        number = accepted.base if isinstance(accepted, Quantity) else accepted
        if self.power_of_two and not self.allows(int(number)):
            near = type(accepted)(1 << max(int(number), 1).bit_length() - 1)
            raise Refused(f"{shortened(accepted)} is not a power of two", f"give one, such as {near}")
        if self.multiple_of > 1 and not self.allows(int(number)):
            few = f"from {self.multiple_of} on, give multiples of {self.multiple_of}"
            raise Refused(f"{shortened(accepted)} is not a multiple of {self.multiple_of}", few)
        return accepted

    @property
    def has_gaps(self) -> bool:
        """True if numbers within the range are not allowed."""
        return self.power_of_two or self.multiple_of > 1

    def allows(self, number: int) -> bool:
        """Return true if the number is a power of two or a multiple, where the parameter needs one."""
        if self.power_of_two and (number < 1 or number & (number - 1)):
            return False
        return number < self.multiple_of or number % self.multiple_of == 0

    def _no_choice(self, shown: str) -> Refused:
        *others, last = self.choices
        listed = f"{', '.join(others)} or {last}" if others else last
        return NotAChoice(f"{shown} ({listed})", "give one of these")

    def native(self, value: Any) -> _native.Value:
        """Return the value in the form of the engine."""
        return KINDS[self.kind or "object"].native(value)


def _name_of(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")


def _kind_of(default: Any, annotation: Any) -> str:
    if default is MISSING or default is None:
        return _KIND_OF_ANNOTATION.get(_name_of(annotation), "object")
    return _KIND_OF_TYPE.get(type(default), "object")


def parameter(
    default: Any = MISSING,
    *,
    doc: str,
    kind: str | None = None,
    choices: Mapping[str, Any] | Sequence[Any] = (),
    range: tuple[Any, Any] | None = None,
    unit: str = "",
    power_of_two: bool = False,
    multiple_of: int = 1,
    variable: bool = False,
) -> Any:
    """Declare a parameter of a component: a class attribute with a type, a default and documentation.

    `cores: int = parameter(default=6, doc="How many processors there are.")`

    Args:
        default: The value when it is not set; without it the parameter must be set.
        doc: Meaning of the parameter.
        kind: Kind of value; by default that of the default or of the annotation.
        choices: The allowed values, or the value of each name, such as a class of part.
        range: The smallest and the largest value; by default those of its kind, see `KINDS`.
        unit: Unit of an integer, such as "frames"; quantities know their units.
        power_of_two: True if only powers of two are allowed.
        multiple_of: Number from which on only its multiples are allowed.
        variable: True if a run restored from a checkpoint may have another value: neither the structure of
            the system nor the order of a driver's operations depends on it.
    """
    named = choices if isinstance(choices, Mapping) else {str(value): value for value in choices}
    return Parameter(default, doc, kind, named, range, unit, power_of_two, multiple_of, variable)
