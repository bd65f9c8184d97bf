import struct
from pathlib import Path

import pytest

from spinach_nic import delay_at
from spinach_nic.firmware import Executable, FirmwareError, MemoryRange, build

FLAT = [MemoryRange("memory", 0x1000, 0xFF000)]

MACHINE_OFFSET, FLAGS_OFFSET, TYPE_OFFSET, ENTRY_OFFSET = 18, 36, 16, 24


@pytest.fixture(scope="module")
def crc32() -> Executable:
    return Executable.load(build("tests/crc32").path)


def patched(crc32: Executable, tmp_path: Path, offset: int, data: bytes) -> Executable:
    content = bytearray(crc32.path.read_bytes())
    content[offset : offset + len(data)] = data
    path = tmp_path / "patched.elf"
    path.write_bytes(content)
    return Executable.load(path)


def test_good_image_passes(crc32: Executable) -> None:
    crc32.check("mips", FLAT)


def test_segment_holds_the_code_of_the_entry(crc32: Executable) -> None:
    (segment,) = crc32.segments
    assert segment.address == crc32.entry == 0x1000
    assert segment.memory_bytes > len(segment.data)
    (first_word,) = struct.unpack_from(">I", segment.data)
    assert first_word >> 26 == 0x0F  # lui


def test_functions_have_exact_ends(crc32: Executable) -> None:
    function = crc32.symbol("core_main")
    for address in (function.address, function.address + function.bytes - 4):
        found = crc32.function_at(address)
        assert found is not None
        assert found.name == "core_main"
    after = crc32.function_at(function.address + function.bytes)
    assert after is None or after.name != "core_main"
    assert crc32.function_at(0) is None
    assert crc32.function_at(0xFFFF_FFFC) is None


def test_source_lines_follow_the_code(crc32: Executable) -> None:
    function = crc32.symbol("next_random")
    lines = [crc32.source_line_at(function.address + offset) for offset in range(0, function.bytes, 4)]
    assert all(line is not None and line.file.endswith("tests/check.c") for line in lines)
    source = Path(__file__).parents[3] / "firmware" / "tests" / "check.c"
    text = source.read_text().splitlines()
    inside = range(
        next(n for n, line in enumerate(text, 1) if line.startswith("uint32_t next_random")),
        next(n for n, line in enumerate(text, 1) if line.startswith("int core_main")),
    )
    assert all(line is not None and line.line in inside for line in lines)
    start = crc32.source_line_at(crc32.entry)
    assert start is not None
    assert start.file.endswith("architecture/mips/spinach/start/bare.S")
    assert crc32.source_line_at(0) is None
    assert crc32.source_line_at(crc32.segments[0].end) is None


def test_unknown_symbol_names_the_nearest(crc32: Executable) -> None:
    with pytest.raises(FirmwareError, match=r"has no symbol core_mian(.|\n)*core_main"):
        crc32.symbol("core_mian")


@pytest.mark.parametrize(
    ("offset", "data", "message"),
    [
        (MACHINE_OFFSET, struct.pack(">H", 20), r"is for machine EM_PPC; the cores are EM_MIPS"),
        (
            FLAGS_OFFSET,
            struct.pack(">I", 0x70001000),
            r"is compiled for MIPS32 release 2; the cores execute MIPS II",
        ),
        (FLAGS_OFFSET, struct.pack(">I", 0x20001000), r"is compiled for MIPS III; the cores execute MIPS II"),
        (ENTRY_OFFSET, struct.pack(">I", 0x20), r"no code at the entry address 0x00000020"),
    ],
)
def test_wrong_images_are_refused(
    crc32: Executable, tmp_path: Path, offset: int, data: bytes, message: str
) -> None:
    executable = patched(crc32, tmp_path, offset, data)
    with pytest.raises(FirmwareError, match=message):
        executable.check("mips", FLAT)


def test_mips_iii_held_to_32_bits_passes(crc32: Executable, tmp_path: Path) -> None:
    patched(crc32, tmp_path, FLAGS_OFFSET, struct.pack(">I", 0x20001100)).check("mips", FLAT)


def minimal_elf(byte_order: str, bits: int) -> bytes:
    """A header alone, of an executable for MIPS."""
    order = 1 if byte_order == "<" else 2
    identity = b"\x7fELF" + bytes([1 if bits == 32 else 2, order, 1]) + bytes(9)
    address = "I" if bits == 32 else "Q"
    size = 52 if bits == 32 else 64
    header = struct.pack(f"{byte_order}HHI3{address}I6H", 2, 8, 1, 0, 0, 0, 0, size, 32, 0, 40, 0, 0)
    return identity + header


@pytest.mark.parametrize(
    ("byte_order", "bits", "message"),
    [
        ("<", 32, r"is little-endian; the cores are big-endian"),
        (">", 64, r"is a 64-bit file; the cores have 32 bits"),
        (">", 32, r"has no segments to load"),
    ],
)
def test_wrong_form_is_refused(tmp_path: Path, byte_order: str, bits: int, message: str) -> None:
    path = tmp_path / "header.elf"
    path.write_bytes(minimal_elf(byte_order, bits))
    with pytest.raises(FirmwareError, match=message):
        Executable.load(path).check("mips", FLAT)


def test_segment_outside_memory_is_named(crc32: Executable) -> None:
    small = [MemoryRange("scratch_pad", 0x2000, 0x1000), MemoryRange("frames", 0x10000, 0x1000)]
    with pytest.raises(FirmwareError) as caught:
        crc32.check("mips", small)
    assert "segment 0x00001000-" in caught.value.message
    assert (
        caught.value.help == "link it into scratch_pad 0x00002000-0x00002fff or frames 0x00010000-0x00010fff"
    )


@pytest.mark.parametrize(
    "content", [b"", b"\x7fELF", b"int main(void) { return 0; }\n" * 10, b"\x7fELF\x01\x02" * 20]
)
def test_what_is_not_elf_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "main.c"
    path.write_bytes(content)
    with pytest.raises(FirmwareError, match=r"main.c is (not an ELF|a damaged ELF|not an executable)"):
        Executable.load(path).check("mips", FLAT)


def test_truncated_images_are_refused_without_a_traceback(crc32: Executable, tmp_path: Path) -> None:
    content = crc32.path.read_bytes()
    path = tmp_path / "cut.elf"
    for size in range(0, len(content), len(content) // 60):
        path.write_bytes(content[:size])
        try:
            executable = Executable.load(path)
            executable.check("mips", FLAT)
            executable.source_line_at(executable.entry)
        except FirmwareError:
            continue
        pytest.fail(f"{size} bytes of {len(content)} pass")


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FirmwareError, match=r"cannot read .*none.elf: No such file"):
        Executable.load(tmp_path / "none.elf")


def test_object_file_is_refused(tmp_path: Path, crc32: Executable) -> None:
    content = bytearray(crc32.path.read_bytes())
    struct.pack_into(">H", content, TYPE_OFFSET, 1)
    path = tmp_path / "object.o"
    path.write_bytes(content)
    with pytest.raises(FirmwareError, match="is not an executable"):
        Executable.load(path)


def test_functions_of_one_name_in_several_files_are_told_apart(root: Path, cache: Path) -> None:
    folder = root / "nic"
    account = "static __attribute__((noinline)) int account(volatile int *x)\n{\n    return *x + FACTOR;\n}\n"
    calls = "int other(volatile int *);\nint core_main(volatile int *x) { return account(x) * other(x); }\n"
    (folder / "echo.c").write_text(account + calls)
    (folder / "other.c").write_text(account + "int other(volatile int *x) { return account(x) * 3; }\n")
    description = folder / "firmware.toml"
    description.write_text(description.read_text().replace('"echo.c"', '"echo.c", "other.c"'))
    image = Executable.load(build("nic/echo", root=root, cache=cache).path)
    found = [function for function in image.functions if function.name == "account"]
    assert [image.label_of(function) for function in found] == [
        "account (nic/echo.c)",
        "account (nic/other.c)",
    ]
    for function in found:
        assert image.function_at(function.address) == function
    places = r", ".join(rf"0x{function.address:08x} \(nic/\w+\.c:\d+\)" for function in found)
    for look in (image.symbol, image.function, lambda name: delay_at(name, 500).address(image, 4)):
        with pytest.raises(FirmwareError, match=rf"2 symbols account: {places}"):
            look("account")
    assert image.function("other") == image.symbol("other")
