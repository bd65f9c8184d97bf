"""Numbers that firmware takes from its card."""

from pathlib import Path

import pytest

from spinach_nic import KiB, SpinachError, cli
from spinach_nic.benches import make_bench
from spinach_nic.cards.hundredgig import Hundredgig
from spinach_nic.firmware import Executable, FirmwareMap, MemoryRange, build
from spinach_nic.generate.images import COMMON_CORES, images_of_cards
from spinach_nic.runs import run
from spinach_nic.starter import write_nic


@pytest.fixture
def nic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file of a new NIC below the working folder."""
    monkeypatch.chdir(tmp_path)
    return write_nic(Path("mynic"))[0]


def edit(file: Path, *changes: tuple[str, str]) -> None:
    text = file.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)


def test_the_header_holds_addresses_and_sizes() -> None:
    header = FirmwareMap({"HOST_RINGS": 0x108, "FAR": 2**32, "BYTES": KiB(2)}).header()
    assert "#define HOST_RINGS 0x108u\n#define FAR 0x100000000ull\n#define BYTES 0x800u\n" in header


@pytest.mark.parametrize(
    ("constants", "message"),
    [({"2ND": 1}, "invalid name '2ND'"), ({"A": -1}, "A = -1"), ({"A": 2**64}, "A = 18446744073709551616")],
)
def test_a_constant_that_c_cannot_hold_is_refused(constants: dict[str, int], message: str) -> None:
    with pytest.raises(SpinachError, match=message):
        FirmwareMap(constants).header()


def test_an_address_changed_in_python_reaches_the_firmware(nic: Path) -> None:
    edit(nic, ("0x100, 0x108, 0x1000", "0x200, 0x240, 0x2000"))
    result = run(nic, frames=20)
    assert (result.tx.frames, result.rx.frames) == (20, 20)


def test_a_smaller_memory_moves_the_stacks(nic: Path) -> None:
    def stacks() -> int:
        image = build("mynic", root=nic.parent, card=make_bench(nic).inserted().firmware_map())
        return Executable.load(image.path).symbol("spinach_stacks").address

    before = stacks()
    edit(nic, ("KiB(16), KiB(32)", "KiB(16), KiB(24)"))
    assert before - stacks() == KiB(8).bytes


def test_the_description_takes_precedence_over_the_card(root: Path, cache: Path) -> None:
    card = FirmwareMap(memories=[MemoryRange("more", 0x5000_0000, 64)], cores=9)
    symbols = Executable.load(build("echo", root=root, cache=cache, card=card).path).symbols
    assert symbols["spinach_core_count"].address == 2


def test_an_image_states_what_it_is_built_for(nic: Path) -> None:
    assert cli.carry_out(["firmware", "build", "mynic", "-o", "mynic.elf"]) == 0
    built_for = Executable.load(Path("mynic.elf")).built_for
    assert (built_for["cores"], built_for["HOST_RINGS"]) == ("1", "0x108")


def test_an_image_for_other_addresses_does_not_run(nic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.carry_out(["firmware", "build", "mynic", "-o", "mynic.elf"]) == 0
    assert cli.carry_out(["run", str(nic), "--firmware", "mynic.elf", "--frames", "20", "--quiet"]) == 0
    edit(nic, ("0x100, 0x108,", "0x100, 0x148,"))
    capsys.readouterr()
    assert cli.carry_out(["run", str(nic), "--firmware", "mynic.elf", "--frames", "20"]) == 2
    error, help = capsys.readouterr().err.splitlines()
    assert error == "error: mynic.elf is built for HOST_RINGS = 0x108; the card has 0x148"
    assert help == "help: build it for this card: spinach firmware build IMAGE --set PATH=VALUE"


def test_an_image_for_fewer_cores_does_not_run_unless_it_says_so(
    nic: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    memory, data = "        self.instruction_memory =", "        self.core.data >> "
    edit(
        nic,
        (memory, f"        self.further = library.PipelinedCore(identity=1, entry=INSTRUCTIONS)\n{memory}"),
        (data, f"        self.further.fetch >> self.instruction_memory.port\n{data}"),
        (data, f"        self.further.data >> self.crossbar.initiator\n{data}"),
        ("cores=[self.core]", "cores=[self.core, self.further]"),
    )
    assert cli.carry_out(["run", str(nic), "--frames", "20"]) == 2
    error, _ = capsys.readouterr().err.splitlines()
    assert error == (
        "error: mynic.elf is built for cores = 1; the card has 2, and 1 of them would stay halted"
    )
    edit(nic.parent / "firmware" / "firmware.toml", ("stack_bytes", "idle_cores = true\nstack_bytes"))
    assert cli.carry_out(["run", str(nic), "--frames", "20", "--quiet"]) == 0


def test_an_image_that_needs_several_cores_is_refused_on_a_card_with_fewer() -> None:
    with pytest.raises(SpinachError, match=r"split\.elf needs at least 2 cores; the card has 1"):
        run("ricenic", firmware="split", set={"cores": 1}, frames=10)


def test_an_image_that_needs_a_parameter_is_refused_without_it() -> None:
    with pytest.raises(SpinachError, match=r"firewall\.elf needs the parameter prefixes of the card"):
        run("rosebud", firmware="firewall", frames=10)


def test_firmware_without_its_card_says_where_to_name_it(
    nic: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    memories = "memories.instruction_memory = { base = 0, bytes = 0x4000 }\n"
    memories += "memories.scratch_pad = { base = 0x10000, bytes = 0x4000 }\n"
    edit(nic.parent / "firmware" / "firmware.toml", ('card = "../mynic.py"', memories))
    assert cli.carry_out(["firmware", "build", "mynic"]) == 2
    assert 'in firmware.toml: card = "../mynic.py"' in capsys.readouterr().err


def test_an_image_called_like_a_shipped_one_is_ambiguous(
    nic: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(nic.parent / "firmware" / "firmware.toml", ("images.mynic", "images.rmw"))
    assert cli.carry_out(["firmware", "build", "rmw"]) == 2
    error, help = capsys.readouterr().err.splitlines()
    assert error == "error: there are several firmware images rmw"
    assert "tengig/rmw" in help
    assert "mynic/firmware/rmw" in help


def test_an_image_of_the_working_folder_goes_before_a_shipped_one(
    nic: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(nic.parent / "firmware" / "firmware.toml", ("images.mynic", "images.rmw"))
    monkeypatch.chdir(nic.parent / "firmware")
    assert cli.carry_out(["firmware", "build", "rmw"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("rmw, ")


def test_a_folder_called_like_a_shipped_one_is_refused(nic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(
        nic.parent / "firmware" / "firmware.toml",
        ("images.mynic", "images.rmw"),
        ("../mynic.py", "../mynic/mynic.py"),
    )
    (nic.parent / "firmware").rename("tengig")
    assert cli.carry_out(["firmware", "build", "tengig/rmw"]) == 2
    assert "both describe an image tengig/rmw" in capsys.readouterr().err


def test_wheels_have_firmware_for_common_numbers_of_cores() -> None:
    maps = [map for name, map in images_of_cards() if name == "hundredgig/virtio"]
    assert len(maps) == len(COMMON_CORES)
    assert all(Hundredgig(cores=cores).firmware_map() in maps for cores in COMMON_CORES)
    # The firmware of tengig is the same for all numbers of cores.
    assert len([name for name, _ in images_of_cards() if name == "tengig/rmw"]) == 1
