"""The native reader of ELF and DWARF reads what pyelftools reads, and takes what damage leaves."""

import struct
from bisect import bisect_right
from pathlib import Path

import pytest
from tests.python.firmware import pyelftools

from spinach_nic import _native, run
from spinach_nic.firmware import Executable, FirmwareError, build

IMAGES = ["tengig/optimized", "tigon2/parallel", "tests/crc32"]


@pytest.fixture(scope="module", params=IMAGES)
def image(request: pytest.FixtureRequest) -> Path:
    return build(request.param).path


def assert_read_alike(path: Path) -> None:
    expected = pyelftools.read(path.read_bytes())
    file = _native.Executable(path.name, path.read_bytes())
    assert file.segments() == expected.segments
    assert file.symbols() == expected.symbols
    assert file.notes() == expected.notes
    assert file.damages() == []
    changes = list(expected.lines)
    for address, data, _, executable, *_ in expected.segments:
        for word in range(address, address + len(data), 4) if executable else ():
            index = bisect_right(changes, word) - 1
            line = file.source_line_at(word)
            found = None if line is None else f"{line[0]}:{line[1]}"
            assert found == (expected.lines[changes[index]] if index >= 0 else None), hex(word)
            assert tuple(file.inlined_at(word)) == expected.inlined.get(word, ()), hex(word)


def test_it_reads_what_pyelftools_reads(image: Path) -> None:
    assert_read_alike(image)
    reading = pyelftools.read(image.read_bytes())
    assert len(reading.lines) > 100
    assert reading.symbols


def section(content: bytes | bytearray, name: bytes) -> range:
    """Return the range of a section in a 32-bit big-endian file."""
    (headers,) = struct.unpack_from(">I", content, 32)
    size, count, names = struct.unpack_from(">HHH", content, 46)
    table = [struct.unpack_from(">10I", content, headers + size * number) for number in range(count)]
    start = table[names][4]
    for entry in table:
        if content[start + entry[0] :].startswith(name + b"\0"):
            return range(entry[4], entry[4] + entry[5])
    raise AssertionError(f"no section {name!r}")


@pytest.mark.parametrize("name", [b".debug_info", b".debug_line", b".debug_abbrev", b".debug_str"])
def test_what_damage_leaves_of_debug_information_is_used_and_noted(name: bytes, tmp_path: Path) -> None:
    content = bytearray(build("tengig/base").path.read_bytes())
    place = section(content, name)
    middle = (place.start + place.stop) // 2
    content[middle : place.stop] = b"\xff" * (place.stop - middle)
    path = tmp_path / "damaged.elf"
    path.write_bytes(content)
    damaged, sound = Executable.load(path), Executable.load(build("tengig/base").path)
    assert damaged.functions == sound.functions
    known = [damaged.source_line_at(function.address) for function in damaged.functions]
    if name != b".debug_abbrev":  # without its second half no unit may be left
        assert any(known)
    if name != b".debug_str":  # names are then wrong, which does not show
        assert all(note.startswith(f"{path}: ") for note in damaged.damages)
        assert ", offset 0x" in damaged.damages[0]


def test_a_run_with_damaged_debug_information_says_so_in_its_notes(tmp_path: Path) -> None:
    content = bytearray(build("tengig/base").path.read_bytes())
    place = section(content, b".debug_info")
    content[place.start : place.start + 4] = b"\x00\x00\x00\x05"
    path = tmp_path / "damaged.elf"
    path.write_bytes(content)
    result = run("tengig", firmware=path, frames=2, set={"cores": 1})
    assert result.complete
    assert any("damaged debug information: .debug_info, offset 0x" in note for note in result.notes)


@pytest.mark.parametrize("offset", [28, 32, 44, 48])  # where headers are, and how many
def test_a_damaged_header_is_an_error_with_its_place(offset: int, tmp_path: Path) -> None:
    content = bytearray(build("tests/crc32").path.read_bytes())
    content[offset : offset + 2] = b"\x7f\x7f"
    path = tmp_path / "damaged.elf"
    path.write_bytes(content)
    with pytest.raises(FirmwareError, match=r"damaged.elf is a damaged ELF file: .* headers, offset 0x"):
        Executable.load(path)


def test_a_function_of_four_gigabytes_is_read_at_once(tmp_path: Path) -> None:
    """An inlined call of that length took memory for each of its instructions."""
    content = bytearray(build("tengig/base").path.read_bytes())
    place = section(content, b".debug_ranges")
    # Every range of every list reaches from the base of its unit to the end of all addresses.
    for at in range(place.start, place.stop - 8, 8):
        content[at : at + 8] = (0).to_bytes(4, "big") + (0xFFFF_0000).to_bytes(4, "big")
    path = tmp_path / "damaged.elf"
    path.write_bytes(content)
    assert Executable.load(path).inlined_at(0xFFFE_0000)
