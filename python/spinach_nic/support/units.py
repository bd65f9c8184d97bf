"""Quantities with units: frequencies, times, amounts of memory, data rates.

`MHz(166)`, `ns(20)`, `KiB(256)` and `Gbps(10)` are exact: a number is an integer, a fraction, or a float,
taken as the decimal number it prints as, so that `MHz(166.67)` is 166,670,000 Hz. A quantity of one kind
never mixes with another kind or with a bare number.
"""

import re
from fractions import Fraction
from typing import ClassVar, Self, TypeVar, overload

from spinach_nic.support.errors import SpinachError
from spinach_nic.support.limits import shortened, written

Q = TypeVar("Q", bound="Quantity")

Number = int | float | Fraction
"""Number from which a quantity can be made."""


def exact(number: Number) -> Fraction:
    """Return the exact value of `number`: a float is the decimal number it prints as."""
    if type(number) is Fraction:
        return number
    if isinstance(number, bool) or not isinstance(number, (int, float, Fraction)):
        raise SpinachError(f"{shortened(number)} is not a number", "give an integer, a float or a fraction")
    if isinstance(number, float):
        if number != number or number in (float("inf"), float("-inf")):
            raise SpinachError(f"{number} is not a finite number", "give an integer, a float or a fraction")
        return Fraction(repr(number))
    return Fraction(number)


_BITS_MAXIMUM = 256
"""Maximum size of numerator and denominator of a quantity: more than sums and products of real ones need."""
_LARGEST = (1 << _BITS_MAXIMUM) - 1


class Quantity:
    """A number of base units. Use `Frequency`, `Time`, `Size` or `Rate`."""

    __slots__ = ("_base",)

    noun: ClassVar[str]
    """Name for users, with an example of the written form."""
    units: ClassVar[dict[str, int | Fraction]]
    """Units in the order of size, with their base units."""
    is_whole: ClassVar[bool] = True
    """True if only integers of base units exist."""

    def __init__(self, base: Number) -> None:
        """Create a quantity from base units: hertz, femtoseconds, bytes, bits per second."""
        self._base: int | Fraction
        if type(base) is int and 0 <= base <= _LARGEST:
            self._base = base
            return
        value = exact(base)
        if max(abs(value.numerator), value.denominator).bit_length() > _BITS_MAXIMUM:
            raise SpinachError(
                f"above the largest {self.noun.partition(',')[0].split(' ', 1)[1]}", f"give {self.noun}"
            )
        if value < 0:
            raise SpinachError(f"{self._format(value)} is negative", f"give {self.noun}")
        if self.is_whole and value.denominator != 1:
            smallest = next(iter(self.units))
            raise SpinachError(
                f"{float(value)} {smallest} is not an integer number of {smallest}",
                f"{smallest} is the smallest unit: round it",
            )
        # Sums and comparisons of integers are much faster than those of fractions.
        self._base = value.numerator if value.denominator == 1 else value

    @property
    def base(self) -> Fraction:
        """The exact number of base units: hertz, femtoseconds, bytes, bits per second."""
        return Fraction(self._base)

    def __str__(self) -> str:
        """Show the value in the largest unit in which it is a short decimal number: `166 MHz`."""
        return self._format(self.base)

    def __repr__(self) -> str:
        """Return the written form: `MHz(166)`."""
        number, unit = self._shown(self.base)
        return f"{unit}({number})" if "/" not in number else f"{unit}(Fraction({number.replace('/', ', ')}))"

    @classmethod
    def _format(cls, base: Fraction) -> str:
        return " ".join(cls._shown(base))

    @classmethod
    def _shown(cls, base: Fraction) -> tuple[str, str]:
        smallest = next(iter(cls.units))
        for unit, scale in reversed(cls.units.items()):
            number = base / scale
            if abs(number) >= 1 and (text := _short_decimal(number)) is not None:
                return text, unit
        text = _short_decimal(base)
        return text if text is not None else f"{base.numerator}/{base.denominator}", smallest

    def __eq__(self, other: object) -> bool:
        """Return true for the same quantity of the same kind."""
        return type(other) is type(self) and other._base == self._base

    def __hash__(self) -> int:
        """Equal quantities have equal hashes."""
        return hash((type(self).__name__, self._base))

    def __lt__(self, other: Self) -> bool:
        """Return true if it is less than another quantity of the same kind."""
        return self._base < self._same(other)

    def __le__(self, other: Self) -> bool:
        """Return true if it is at most another quantity of the same kind."""
        return self._base <= self._same(other)

    def __gt__(self, other: Self) -> bool:
        """Return true if it is more than another quantity of the same kind."""
        return self._base > self._same(other)

    def __ge__(self, other: Self) -> bool:
        """Return true if it is at least another quantity of the same kind."""
        return self._base >= self._same(other)

    def __add__(self, other: Self) -> Self:
        """Return the sum of two quantities of the same kind."""
        return type(self)(self._base + self._same(other))

    def __sub__(self, other: Self) -> Self:
        """Return the difference of two quantities of the same kind."""
        return type(self)(self._base - self._same(other))

    def __mul__(self, factor: Number) -> Self:
        """Return the multiple."""
        return type(self)(self._base * exact(factor))

    __rmul__ = __mul__

    @overload
    def __truediv__(self, divisor: Self) -> Fraction: ...
    @overload
    def __truediv__(self, divisor: Number) -> Self: ...
    def __truediv__(self, divisor: "Self | Number") -> "Fraction | Self":
        """Return a part of it, or the exact ratio of two quantities of the same kind."""
        if isinstance(divisor, Quantity):
            base = self._same(divisor)
            if not base:
                raise SpinachError(f"{self} cannot be divided by {divisor}", "give more than zero")
            return Fraction(self._base) / base
        number = exact(divisor)
        if not number:
            raise SpinachError(f"{self} cannot be divided by zero", "give another number")
        return type(self)(self._base / number)

    def __bool__(self) -> bool:
        """Return true if it is not zero."""
        return self._base != 0

    def __reduce__(self) -> tuple[type[Self], tuple[Fraction]]:
        """Pickle support."""
        return type(self), (self.base,)

    def _same(self, other: object) -> int | Fraction:
        if type(other) is type(self):
            return other._base
        raise SpinachError(f"{self} and {other} are of different kinds", f"give {self.noun}")


written.register(Quantity, str)


class Frequency(Quantity):
    """An exact frequency, a fraction of hertz."""

    __slots__ = ()
    noun = "a frequency, such as MHz(166)"
    units: ClassVar[dict[str, int | Fraction]] = {"Hz": 1, "kHz": 10**3, "MHz": 10**6, "GHz": 10**9}
    is_whole = False

    @property
    def hertz(self) -> Fraction:
        """Hertz."""
        return self.base


class Time(Quantity):
    """A span or moment of simulated time: an integer number of femtoseconds."""

    __slots__ = ()
    noun = "a time, such as ns(20)"
    units: ClassVar[dict[str, int | Fraction]] = {
        "fs": 1,
        "ps": 10**3,
        "ns": 10**6,
        "us": 10**9,
        "ms": 10**12,
        "s": 10**15,
    }

    @property
    def femtoseconds(self) -> int:
        """Femtoseconds."""
        return self._base.numerator

    @property
    def seconds(self) -> float:
        """Seconds, rounded to the nearest double."""
        return float(self._base / 10**15)


class Size(Quantity):
    """An amount of memory: an integer number of bytes."""

    __slots__ = ()
    noun = "an amount of memory, such as KiB(256)"
    units: ClassVar[dict[str, int | Fraction]] = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}

    @property
    def bytes(self) -> int:
        """Bytes."""
        return self._base.numerator


class Rate(Quantity):
    """A data rate: an integer number of bits per second."""

    __slots__ = ()
    noun = "a data rate, such as Gbps(10)"
    units: ClassVar[dict[str, int | Fraction]] = {"bps": 1, "kbps": 10**3, "Mbps": 10**6, "Gbps": 10**9}

    @property
    def bits_per_second(self) -> int:
        """Bits per second."""
        return self._base.numerator


def _short_decimal(number: Fraction) -> str | None:
    """Return the decimal number, if it has at most six digits behind the point and a float can hold it."""
    scaled = number * 10**6
    if scaled.denominator != 1 or (number.denominator != 1 and abs(scaled) >= 10**15):
        return None
    whole, rest = divmod(abs(scaled.numerator), 10**6)
    sign = "-" if number < 0 else ""
    return f"{sign}{whole}" + (f".{rest:06}".rstrip("0") if rest else "")


def Hz(number: Number) -> Frequency:  # noqa: N802, the unit's own spelling, as all below
    """Return a frequency in hertz."""
    return Frequency(number)


def kHz(number: Number) -> Frequency:  # noqa: N802
    """Return a frequency in kilohertz."""
    return Frequency(exact(number) * 10**3)


def MHz(number: Number) -> Frequency:  # noqa: N802
    """Return a frequency in megahertz."""
    return Frequency(exact(number) * 10**6)


def GHz(number: Number) -> Frequency:  # noqa: N802
    """Return a frequency in gigahertz."""
    return Frequency(exact(number) * 10**9)


def fs(number: Number) -> Time:
    """Return a time in femtoseconds."""
    return Time(number)


def ps(number: Number) -> Time:
    """Return a time in picoseconds."""
    return Time(exact(number) * 10**3)


def ns(number: Number) -> Time:
    """Return a time in nanoseconds."""
    return Time(exact(number) * 10**6)


def us(number: Number) -> Time:
    """Return a time in microseconds."""
    return Time(exact(number) * 10**9)


def ms(number: Number) -> Time:
    """Return a time in milliseconds."""
    return Time(exact(number) * 10**12)


def s(number: Number) -> Time:
    """Return a time in seconds."""
    return Time(exact(number) * 10**15)


def B(number: Number) -> Size:  # noqa: N802
    """Return an amount of memory in bytes."""
    return Size(number)


def KiB(number: Number) -> Size:  # noqa: N802
    """Return an amount of memory in units of 1024 bytes."""
    return Size(exact(number) * 2**10)


def MiB(number: Number) -> Size:  # noqa: N802
    """Return an amount of memory in units of 1024 KiB."""
    return Size(exact(number) * 2**20)


def GiB(number: Number) -> Size:  # noqa: N802
    """Return an amount of memory in units of 1024 MiB."""
    return Size(exact(number) * 2**30)


def bps(number: Number) -> Rate:
    """Return a data rate in bits per second."""
    return Rate(number)


def kbps(number: Number) -> Rate:
    """Return a data rate in kilobits per second."""
    return Rate(exact(number) * 10**3)


def Mbps(number: Number) -> Rate:  # noqa: N802
    """Return a data rate in megabits per second."""
    return Rate(exact(number) * 10**6)


def Gbps(number: Number) -> Rate:  # noqa: N802
    """Return a data rate in gigabits per second."""
    return Rate(exact(number) * 10**9)


_KINDS: tuple[type[Quantity], ...] = (Frequency, Time, Size, Rate)
_UNITS: dict[str, tuple[type[Quantity], Fraction]] = {
    unit: (kind, Fraction(scale)) for kind in _KINDS for unit, scale in kind.units.items()
} | {
    "µs": (Time, Fraction(10**9)),
    "b/s": (Rate, Fraction(1)),
    "kb/s": (Rate, Fraction(10**3)),
    "Mb/s": (Rate, Fraction(10**6)),
    "Gb/s": (Rate, Fraction(10**9)),
}
_QUANTITY = re.compile(r"\s*([+-]?[0-9_.]+(?:[eE]([+-]?[0-9]+))?(?:/[0-9]+)?)\s*([^\s0-9.][^\s]*)?\s*")
_CALL = re.compile(r"(\w+)\((\d+)\)")
_LONGEST_QUANTITY = 120
"""Characters; a fraction of two numbers of 64 bits has 41, and a unit."""
_LARGEST_EXPONENT = 40
LARGEST_BASE = 2**64 - 1
"""Largest number of base units of the engine."""


@overload
def parse_quantity(text: str) -> Quantity: ...
@overload
def parse_quantity(text: str, kind: type[Q]) -> Q: ...
def parse_quantity(text: str, kind: type[Quantity] = Quantity) -> Quantity:
    """Parse a quantity, such as `166MHz`, `2 ms`, `256KiB` or `10Gbps`.

    Args:
        text: A number and a unit.
        kind: Expected kind of quantity; any by default.

    Raises:
        SpinachError: If it is not a number with a unit of that kind.
    """
    if not isinstance(text, str):
        raise SpinachError(f"{shortened(text)} is not a text", "give a text such as 166MHz, or MHz(166)")
    # An example in the form of the input: MHz(166) cannot be typed at a terminal.
    noun = "" if kind is Quantity else _CALL.sub(r"\2\1", kind.noun)
    wanted = noun or "a number and a unit, such as 166MHz or 2ms"
    units = [unit for known in _KINDS if issubclass(known, kind) for unit in known.units]
    match = _QUANTITY.fullmatch(text) if len(text) <= _LONGEST_QUANTITY else None
    # An exponent is read before the number: 1e99999999 would take all memory.
    is_absurd = match is not None and match[2] is not None and not _is_small_exponent(match[2])
    try:
        number = Fraction(match[1]) if match and not is_absurd else None
    except (ValueError, ZeroDivisionError):
        number = None
    if match is None or (number is None and not is_absurd):
        raise SpinachError(f"{shortened(text)} is not a number with a unit", f"give {wanted}")
    unit = match[3]
    if unit is None:
        raise SpinachError(f"{text.strip()} has no unit", f"give {wanted}; the units are {', '.join(units)}")
    known_kind, scale = _UNITS.get(unit, (None, Fraction()))
    if known_kind is None:
        raise SpinachError(f"{unit!r} is not a unit", f"the units are {', '.join(units)}")
    if not issubclass(known_kind, kind):
        raise SpinachError(f"{text.strip()} is not {kind.noun.partition(',')[0]}", f"give {wanted}")
    if number is None:
        raise SpinachError(
            f"{text.strip()} is out of range", f"give {wanted}, at most {_largest(known_kind)}"
        )
    if abs(number * scale) > LARGEST_BASE:
        raise SpinachError(f"{text.strip()} is above the largest, {_largest(known_kind)}", f"give {wanted}")
    return known_kind(number * scale)


def _is_small_exponent(exponent: str) -> bool:
    return len(exponent) <= 4 and abs(int(exponent)) <= _LARGEST_EXPONENT


def _largest(kind: type[Quantity]) -> str:
    """Return the largest quantity in its written form, rounded down to integers of the largest unit."""
    unit, scale = list(kind.units.items())[-1]
    return f"{int(LARGEST_BASE / Fraction(scale))} {unit}"
