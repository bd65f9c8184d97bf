"""Perfetto's trace processor from a library that Chromium builds for its own tests.

Debian ships it in the package `chromium-shell`. It has no C interface, so that its C++ functions are called
here by their mangled names, on objects laid out as libc++ lays them out on 64-bit Linux.
"""

from collections.abc import Sequence
from ctypes import (
    CDLL,
    Structure,
    addressof,
    byref,
    c_char,
    c_size_t,
    create_string_buffer,
    sizeof,
    string_at,
)
from pathlib import Path

LIBRARY = Path("/usr/lib/chromium/libtest_trace_processor.so")
_STRING = "NSt3__112basic_stringIcNS2_11char_traitsIcEENS2_9allocatorIcEEEE"
_PROCESSOR = "4base4test22TestTraceProcessorImpl"
_CONSTRUCT = f"_ZN{_PROCESSOR}C1Ev"
_DESTROY = f"_ZN{_PROCESSOR}D1Ev"
_PARSE_TRACE = f"_ZN{_PROCESSOR}10ParseTraceERKNSt3__16vectorIcNS2_9allocatorIcEEEE"
_EXECUTE_QUERY = f"_ZNK{_PROCESSOR}12ExecuteQueryERK{_STRING}"
_DESTROY_RESULT = "_ZN4base4test18QueryResultOrErrorD1Ev"
_STATUS_OK = 1
Value = int | float | str | None


class _Vector(Structure):
    """`std::vector`: where it begins, ends, and where its room ends."""

    _fields_ = (("begin", c_size_t), ("end", c_size_t), ("room", c_size_t))


class _String(Structure):
    """`std::string` of the long kind: room with the lowest bit set, bytes, address."""

    _fields_ = (("room", c_size_t), ("size", c_size_t), ("data", c_size_t))


class _Answer(Structure):
    """Rows of texts, the first of them the names of the columns, or what is wrong with the question."""

    _fields_ = (("rows", _Vector), ("error", c_char * sizeof(_String)))


class TraceProcessor:
    """Answers questions in SQL to a trace."""

    def __init__(self, trace: Path) -> None:
        """Read `trace`. `RuntimeError` if it cannot be read."""
        self._library = CDLL(str(LIBRARY))
        # A pointer to what it owns, and some room for what a later version may add.
        self._object = create_string_buffer(256)
        self._call(_CONSTRUCT, self._object)
        data = trace.read_bytes()
        kept = create_string_buffer(data, len(data))
        begin = addressof(kept)
        status = c_size_t()
        self._call(_PARSE_TRACE, status, self._object, _Vector(begin, begin + len(data), begin + len(data)))
        if status.value != _STATUS_OK:
            raise RuntimeError(f"the trace processor cannot read {trace}")

    def close(self) -> None:
        """Give back what it holds."""
        self._call(_DESTROY, self._object)

    def query(self, question: str) -> Sequence[tuple[Value, ...]]:
        """The rows of the answer. `ValueError` says what is wrong with the question."""
        text = question.encode()
        room = len(text) + 64 & ~1
        kept = create_string_buffer(text, room)
        answer = _Answer()
        self._call(_EXECUTE_QUERY, answer, self._object, _String(room | 1, len(text), addressof(kept)))
        try:
            error = _text(addressof(answer) + _Answer.error.offset)
            if error:
                raise ValueError(error)
            rows = [
                tuple(_value(_text(field)) for field in _elements(row, sizeof(_String)))
                for row in _elements(addressof(answer), sizeof(_Vector))
            ]
            return rows[1:]
        finally:
            self._call(_DESTROY_RESULT, answer)

    def _call(self, name: str, *arguments: object) -> None:
        """If a C++ function returns an object, the first argument is the room for it."""
        function = self._library[name]
        function.restype = None
        function(*(byref(argument) for argument in arguments))  # type: ignore[arg-type]


def _elements(vector: int, size: int) -> range:
    """Return the addresses of the elements of a vector."""
    found = _Vector.from_address(vector)
    return range(found.begin, found.end, size)


def _text(string: int) -> str:
    """The short kind holds up to 22 bytes itself, behind twice their number."""
    first = string_at(string, 1)[0]
    if first & 1:
        found = _String.from_address(string)
        return string_at(found.data, found.size).decode()
    return string_at(string + 1, first >> 1).decode()


def _value(text: str) -> Value:
    if text == "[NULL]":
        return None
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            pass
    return text
