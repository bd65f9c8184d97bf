from pathlib import Path

import pytest

from spinach_nic import _native
from spinach_nic.firmware import FirmwareError, MemoryRange, read_descriptions
from spinach_nic.firmware.description import find_description


def edit(root: Path, old: str, new: str) -> None:
    file = root / "nic" / "firmware.toml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_layers_add_up(root: Path) -> None:
    edit(
        root,
        "[images.echo]",
        """
[variants.fast]
defines.FACTOR = 8

[variants.small]
cores = 1
defines.SMALL = "yes"
memories.scratch_pad = { base = 0x100000, bytes = 0x2000 }

[images.other]
sources = ["echo.c"]
variants = ["small"]
summary = "Another"
stack_bytes = 512

[images.echo]""",
    )
    images = read_descriptions(root)
    assert list(images) == ["nic/other@small", "nic/echo", "nic/echo@small"]
    other = images["nic/other@small"]
    assert (other.cores, other.stack_bytes, other.summary) == (1, 512, "Another")
    assert other.defines == {"FACTOR": "2", "SMALL": "yes"}
    assert other.memories[1] == MemoryRange("scratch_pad", 0x100000, 0x2000)
    assert [source.name for source in other.sources] == ["bare.S", "echo.c"]
    assert images["nic/echo"].defines == {"FACTOR": "8"}
    assert images["nic/echo"].summary == "A NIC"


def test_bare_name_serves_while_it_is_unique(root: Path) -> None:
    assert find_description("echo", root).name == "nic/echo"
    second = root / "card"
    second.mkdir()
    (second / "echo.c").write_text("")
    (second / "firmware.toml").write_text((root / "nic" / "firmware.toml").read_text())
    with pytest.raises(FirmwareError, match=r"several(.|\n)*say card/echo or nic/echo"):
        find_description("echo", root)
    assert find_description("card/echo", root).name == "card/echo"


@pytest.mark.parametrize(
    ("name", "help"),
    [
        ("eco", "did you mean echo?"),
        ("nic/ehco", "did you mean nic/echo?"),
        ("nick", "did you mean nic?"),
        ("nic", "nic is a folder: name an image in it, such as nic/echo;"),
        ("xyz", "`spinach firmware list` shows all"),
    ],
)
def test_unknown_image_names_the_nearest(root: Path, name: str, help: str) -> None:
    with pytest.raises(FirmwareError) as caught:
        find_description(name, root)
    assert caught.value.message == f"unknown firmware image {name}"
    assert caught.value.help.startswith(help)
    assert caught.value.help.endswith("`spinach firmware list` shows all")


def test_unknown_name_lists_few_valid_names() -> None:
    help = _native.suggest("zzzz", [f"function_{number:02d}" for number in range(100)])
    assert help.startswith("valid names: function_00, ")
    assert help.endswith(", function_19 and 80 more")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("cores = 2", "coers = 2", r"coers is not a known key\nhelp: did you mean cores"),
        ("cores = 2", "cores = 0", r"cores = 0 is below the smallest, 1"),
        ("cores = 2", "cores = 1025", r"cores = 1025 is above the largest, 1024"),
        ("stack_bytes = 1024", "stack_bytes = -8", r"stack_bytes = -8 is below the smallest, 16"),
        ("base = 0x0,", "base = -1,", r"instruction_memory.base = -1 is below the smallest, 0"),
        ("base = 0x0,", "base = 0x100000000,", r"instruction_memory ends beyond the addresses of mips"),
        ("base = 0x0,", "base = 0x10000000000000000,", r"base = 18446744073709551616 is above the largest"),
        ("bytes = 0x20000 }", "bytes = 0 }", r"instruction_memory.bytes = 0 is below the smallest, 1"),
        ("[images.echo]", "[images.'a\"b']", r"images has the name 'a\"b'\nhelp: use letters, digits"),
        ("[images.echo]", "[images.'../x']", r"images has the name '../x'"),
        ("[images.echo]", "[variants.'a b']\n[images.echo]", r"variants has the name 'a b'"),
        ("memories.scratch_pad", "memories.scratch-pad", r"memories has the name 'scratch-pad'"),
        ("defines.FACTOR", "defines.'A=1 -I'", r"defines has the name 'A=1 -I'"),
        ('["echo.c"]', '["/etc/passwd"]', r"names '/etc/passwd', which is outside"),
        ('["echo.c"]', '["../../outside.c"]', r"names '../../outside.c', which is outside"),
        ('["echo.c"]', '["link.c"]', r"names 'link.c', which is outside"),
        ('["echo.c"]', '["spinach:../Makefile"]', r"names 'spinach:../Makefile', which is outside"),
        ('["echo.c"]', '["a\\u0000b"]', r"but there is no such file"),
        ("cores = 2", "cores = true", r"cores is True"),
        ("cores = 2", 'cores = "two"', r"cores is 'two'"),
        ("cores = 2", "cores = [", r"firmware.toml: "),
        ('["echo.c"]', '"echo.c"', r"images.echo.sources is 'echo.c'\nhelp: give a list of strings"),
        ('["echo.c"]', "[1]", r"images.echo.sources holds 1"),
        ('["echo.c"]', '["ecko.c"]', r"images.echo.sources names 'ecko.c', but there is no such file"),
        (
            '["echo.c"]',
            '["echo.c"]\nvariants = ["a"]',
            r"images.echo.variants names a, which is not a variant",
        ),
        ('instruction_set = "mips"\n', "", r"image nic/echo has no instruction_set"),
        ("base = 0x0, ", "", r"memories.instruction_memory.base is missing"),
        ("base = 0x0, ", "bsae = 0x0, ", r"memories.instruction_memory.bsae is not a known key"),
        ("defines.FACTOR = 2", "defines.FACTOR = 2.5", r"defines.FACTOR is 2.5"),
        ("defines.FACTOR = 2", "defines = 2", r"defines is 2"),
        ("defines.FACTOR = 2", "flags = ['-O2', '-I/usr/include']", r"flags holds '-I/usr/include'"),
        ("defines.FACTOR = 2", "flags = '-O2'", r"flags is '-O2'\nhelp: give a list of strings"),
    ],
)
def test_mistakes_are_named_with_their_place(root: Path, old: str, new: str, message: str) -> None:
    outside = root.parent / "outside.c"
    outside.write_text("")
    (root / "nic" / "link.c").symlink_to(outside)
    edit(root, old, new)
    with pytest.raises(FirmwareError, match=message) as caught:
        read_descriptions(root)
    assert "firmware.toml" in caught.value.message
