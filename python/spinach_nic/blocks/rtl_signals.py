"""Signals of a top module, out of the header that Verilator writes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from spinach_nic.support.errors import SpinachError

_PORT = re.compile(
    r"VL_(?P<direction>IN|OUT|INOUT)(?P<size>8|16|64|W|)"
    r"\(\(?&(?P<name>\w+)\)?(?P<array>\[[^,]*\])?,(?P<high>-?\d+),(?P<low>-?\d+)(?:,\d+)?\);"
)
_ENCODED = re.compile(r"__0([0-9A-F]{2})")
_WORD_BITS = 64


@dataclass(frozen=True)
class RtlSignal:
    """One port of a top module."""

    name: str
    """Its name in the RTL."""
    member: str
    """Its name in C++."""
    is_input: bool
    width: int
    """Width in bits."""
    is_array_of_words: bool
    """True if C++ stores it as several words of 32 bits."""
    lowest_bit: int = 0
    """Lowest index of its range."""

    @property
    def words(self) -> int:
        """Number of words of 64 bits."""
        return -(-self.width // _WORD_BITS)


def read_signals(header: str) -> list[RtlSignal]:
    """Return the ports that a header of Verilator declares.

    Raises:
        SpinachError: A port has a form that blocks do not support.
    """
    return list(_signals(header))


def _signals(header: str) -> Iterator[RtlSignal]:
    for match in _PORT.finditer(header):
        name = _ENCODED.sub(lambda code: chr(int(code[1], 16)), match["name"])
        if match["direction"] == "INOUT":
            raise SpinachError(f"the port {name} is an inout", "use an input and an output instead")
        if match["array"]:
            raise SpinachError(f"the port {name} is an unpacked array", "pack it: logic [3:0][7:0] NAME")
        ends = sorted((int(match["high"]), int(match["low"])))
        width = ends[1] - ends[0] + 1
        is_input, is_array_of_words = match["direction"] == "IN", match["size"] == "W"
        yield RtlSignal(name, match["name"], is_input, width, is_array_of_words, ends[0])


def places(signals: list[RtlSignal]) -> dict[str, int]:
    """Return the first word of each signal among those of its direction."""
    found: dict[str, int] = {}
    used = {True: 0, False: 0}
    for signal in signals:
        found[signal.name] = used[signal.is_input]
        used[signal.is_input] += signal.words
    return found


def copies(signals: list[RtlSignal]) -> str:
    """Return C++ that copies signals between the model and words of 64 bits."""
    place = places(signals)
    loads = "".join(_load(signal, place[signal.name]) for signal in signals if signal.is_input)
    stores = "".join(_store(signal, place[signal.name]) for signal in signals if not signal.is_input)
    return (
        f"static inline void load_inputs(Vblock& top, const uint64_t* in) {{\n{loads}}}\n\n"
        f"static inline void store_outputs(const Vblock& top, uint64_t* out) {{\n{stores}}}\n"
    )


def _load(signal: RtlSignal, place: int) -> str:
    if not signal.is_array_of_words:
        mask = (1 << signal.width) - 1
        return f"    top.{signal.member} = in[{place}] & {mask:#x}ULL;\n"
    lines = ""
    for part in range(-(-signal.width // 32)):
        mask = (1 << min(32, signal.width - 32 * part)) - 1
        lines += (
            f"    top.{signal.member}[{part}] = "
            f"uint32_t(in[{place + part // 2}] >> {part % 2 * 32}) & {mask:#x}U;\n"
        )
    return lines


def _store(signal: RtlSignal, place: int) -> str:
    if not signal.is_array_of_words:
        return f"    out[{place}] = top.{signal.member};\n"
    parts = -(-signal.width // 32)
    lines = ""
    for word in range(signal.words):
        high = f" | uint64_t(top.{signal.member}[{2 * word + 1}]) << 32" if 2 * word + 1 < parts else ""
        lines += f"    out[{place + word}] = uint64_t(top.{signal.member}[{2 * word}]){high};\n"
    return lines
