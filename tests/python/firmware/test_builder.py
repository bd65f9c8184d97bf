import hashlib
import shutil
import sys
from contextlib import nullcontext
from importlib.metadata import version
from pathlib import Path

import pytest
from msgspec.structs import asdict
from tests.python.test_files import full_disk

from spinach_nic import SpinachError
from spinach_nic.firmware import Executable, FirmwareError, Image, build, builder, shipped_root


def build_echo(root: Path, cache: Path, **defines: str) -> Image:
    return build("echo", root=root, cache=cache, defines=defines)


def test_image_says_what_it_is(root: Path, cache: Path) -> None:
    image = build_echo(root, cache)
    assert image.name == "nic/echo"
    assert image.compiler == f"zig {version('ziglang')}"
    assert image.sha256 == hashlib.sha256(image.path.read_bytes()).hexdigest()
    content = image.path.read_bytes()
    assert f"image=nic/echo\ncompiler={image.compiler}\ninputs={image.inputs_sha256}\n".encode() in content


def test_flags_follow_the_usual_ones_and_count(root: Path, cache: Path) -> None:
    usual = build_echo(root, cache)
    description = root / "nic" / "firmware.toml"
    text = description.read_text()
    images = {}
    for flags in ('"-Os", "-g"', '"-O0"'):
        description.write_text(f"flags = [{flags}]\n{text}")
        images[flags] = build_echo(root, cache)
    assert len({image.inputs_sha256 for image in (usual, *images.values())}) == 3
    sizes = {flags: Executable.load(image.path).symbol("core_main").bytes for flags, image in images.items()}
    assert sizes['"-O0"'] > sizes['"-Os", "-g"']
    small, unoptimised = (Executable.load(image.path) for image in images.values())
    assert small.source_line_at(small.symbol("core_main").address) is not None
    assert unoptimised.function("twice").bytes > 0  # not inlined
    description.write_text(text + 'flags = ["-O0"]\n')  # of the image alone
    assert Executable.load(build_echo(root, cache).path).function("twice").bytes > 0


def test_same_inputs_are_compiled_once(root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = build_echo(root, cache)

    def refuse(*_: object) -> None:
        raise AssertionError("compiled again")

    monkeypatch.setattr("subprocess.run", refuse)
    assert build_echo(root, cache) == first


@pytest.mark.parametrize("changed", ["source", "header", "script", "define"])
def test_every_input_counts(root: Path, cache: Path, changed: str) -> None:
    folder = root / "nic"
    first = build_echo(root, cache)
    if changed == "define":
        second = build_echo(root, cache, FACTOR="3")
        assert second.sha256 != first.sha256
        return
    if changed == "source":
        (folder / "echo.c").write_text((folder / "echo.c").read_text() + "/* new */\n")
    elif changed == "header":
        (folder / "new.h").write_text("#define NEW 1\n")
    else:
        description = folder / "firmware.toml"
        script = next(
            line.split('"')[1] for line in description.read_text().splitlines() if "linker_script" in line
        )
        shutil.copy(shipped_root() / script.removeprefix("spinach:"), folder / "own.ld")
        description.write_text(description.read_text().replace(script, "own.ld"))
    assert build_echo(root, cache).inputs_sha256 != first.inputs_sha256


def test_image_does_not_depend_on_where_the_sources_lie(root: Path, cache: Path, tmp_path: Path) -> None:
    # The shared sources have to move along, so that relative paths stay the same.
    shipped = shipped_root()
    images = []
    for place in ("one", "another/deeper"):
        copy = tmp_path / place
        shutil.copytree(shipped, copy)
        images.append(build("tests/crc32", root=copy, cache=cache / place))
    first, second = (asdict(image) | {"path": None} for image in images)
    assert first == second


def test_code_and_data_lie_in_their_memories(root: Path, cache: Path) -> None:
    executable = Executable.load(build_echo(root, cache).path)
    code, data = executable.segments
    assert code.executable
    assert not code.writable
    assert data.writable
    assert not data.executable
    assert (code.address, data.address) == (0, 0x100000)
    assert executable.entry == 0
    assert executable.symbol("spinach_stacks").address == 0x110000 - 2 * 1024
    assert executable.symbol("exception_vector").address == 0x180


def test_compile_error_is_the_compilers_own(root: Path, cache: Path) -> None:
    (root / "nic" / "echo.c").write_text("int core_main(unsigned core)\n{\n    return speed;\n}\n")
    with pytest.raises(FirmwareError) as caught:
        build_echo(root, cache)
    assert "could not compile nic/echo.c of nic/echo" in caught.value.message
    assert "nic/echo.c:3:12: error: use of undeclared identifier 'speed'" in caught.value.message


def test_link_error_is_the_linkers_own(root: Path, cache: Path) -> None:
    (root / "nic" / "echo.c").write_text("int away(void);\nint core_main(void)\n{\n    return away();\n}\n")
    with pytest.raises(FirmwareError, match=r"(?s)could not link nic/echo.*undefined symbol: away"):
        build_echo(root, cache)


def test_memory_that_is_too_small_is_named(root: Path, cache: Path) -> None:
    description = root / "nic" / "firmware.toml"
    description.write_text(description.read_text().replace("0x20000", "0x100"))
    with pytest.raises(FirmwareError, match="instruction_memory"):
        build_echo(root, cache)


def test_failed_build_leaves_nothing_to_find(root: Path, cache: Path) -> None:
    source = root / "nic" / "echo.c"
    good = source.read_text()
    source.write_text("broken")
    with pytest.raises(FirmwareError):
        build_echo(root, cache)
    assert not list(cache.rglob("*.elf"))
    source.write_text(good)
    assert build_echo(root, cache).path.exists()


def test_unknown_compiler(root: Path, cache: Path) -> None:
    with pytest.raises(FirmwareError, match=r"unknown compiler gc(.|\n)*did you mean gcc"):
        build("echo", compiler="gc", root=root, cache=cache)


def test_missing_compiler(root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(
        FirmwareError, match=r"mips-linux-gnu-gcc is not installed(.|\n)*leave out --compiler"
    ):
        build("echo", compiler="gcc", root=root, cache=cache)
    monkeypatch.setitem(sys.modules, "ziglang", None)
    with pytest.raises(SpinachError, match=r"compiling nic/echo needs ziglang(.|\n)*spinach-nic\[compiler\]"):
        build("echo", root=root, cache=cache)


@pytest.mark.parametrize("says", ["fatal error: echo.o: No space left on device", ""])
def test_a_full_disk_is_no_mistake_in_the_sources(
    root: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str
) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for tool in ("gcc", "ld", "ar", "objcopy"):
        program = programs / f"mips-linux-gnu-{tool}"
        program.write_text(
            f'#!/bin/sh\n[ "$1" = -dumpfullversion ] && echo 1 && exit\necho "{says}" >&2; exit 1\n'
        )
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=":")
    full = nullcontext() if says else full_disk()  # the compiler may not say why it failed
    with (
        full,
        pytest.raises(FirmwareError, match=r"no space for temporary files in .*\nhelp: free some space"),
    ):
        build("echo", compiler="gcc", root=root, cache=cache)


def test_images_of_a_wheel_need_no_compiler(
    root: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = build_echo(root, cache)
    monkeypatch.setattr(builder, "_SHIPPED_IMAGES", cache)
    monkeypatch.setitem(sys.modules, "ziglang", None)
    assert build_echo(root, tmp_path / "empty") == made
    with pytest.raises(SpinachError, match="needs ziglang"):
        build_echo(root, tmp_path / "empty", FACTOR="3")
    made.path.write_bytes(made.path.read_bytes() + b"damaged")
    with pytest.raises(SpinachError, match="needs ziglang"):
        build_echo(root, tmp_path / "empty")


def test_unknown_instruction_set(root: Path, cache: Path) -> None:
    description = root / "nic" / "firmware.toml"
    description.write_text(description.read_text().replace('"mips"', '"mpis"'))
    with pytest.raises(FirmwareError, match=r"zig has no instruction set mpis(.|\n)*did you mean mips"):
        build_echo(root, cache)


def test_gcc_where_it_is_installed(root: Path, cache: Path) -> None:
    if shutil.which("mips-linux-gnu-gcc") is None:
        pytest.skip("mips-linux-gnu-gcc is not installed")
    image = build("echo", compiler="gcc", root=root, cache=cache)
    assert image.compiler.startswith("gcc ")
    assert Executable.load(image.path).function_at(0x180) is not None


@pytest.mark.parametrize("compiler", ["zig", "gcc"])
def test_lines_of_discarded_functions_do_not_hide_code_at_address_zero(
    root: Path, cache: Path, compiler: str
) -> None:
    if compiler == "gcc" and shutil.which("mips-linux-gnu-gcc") is None:
        pytest.skip("mips-linux-gnu-gcc is not installed")
    source = root / "nic" / "echo.c"
    source.write_text(source.read_text() + "\nint unused(int x)\n{\n    return x * x * x;\n}\n")
    executable = Executable.load(build("echo", compiler=compiler, root=root, cache=cache).path)
    start = executable.source_line_at(0)
    assert start is None or start.file.endswith("bare.S")
    assert (start is None) == (compiler == "gcc")
    main = executable.source_line_at(executable.symbol("core_main").address)
    assert main is not None
    assert main.file.endswith("echo.c")


def test_no_name_ends_the_string_of_the_note(root: Path, cache: Path) -> None:
    folder = (root / "nic").rename(root / 'ni"c')
    image = build(f"{folder.name}/echo", root=root, cache=cache)
    note = Executable.load(image.path).note
    assert note["image"] == f"{folder.name}/echo"
