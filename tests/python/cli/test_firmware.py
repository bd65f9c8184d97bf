from pathlib import Path

import pytest

from spinach_nic import cli


def test_build_prints_what_was_made(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    output = tmp_path / "crc.elf"
    assert cli.carry_out(["firmware", "build", "crc32", "-o", str(output)]) == 0
    path, facts = capsys.readouterr().out.splitlines()
    assert path == str(output)
    assert output.read_bytes()[:4] == b"\x7fELF"
    assert facts.startswith("tests/crc32, zig ")


def test_an_image_is_built_for_a_card_with_changed_parameters(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    image = tmp_path / "forward.elf"
    build = ["firmware", "build", "rosebud/forward", "-o", str(image)]
    ran = [
        "run",
        "rosebud",
        "--set",
        "rpus=2",
        "--firmware",
        str(image),
        "--traffic",
        "udp:86",
        "--frames",
        "5",
    ]
    assert cli.carry_out(build) == 0
    assert cli.carry_out(ran) == 2
    error, help = capsys.readouterr().err.splitlines()
    assert error == "error: forward.elf is built for CORES = 0x10; the card has 0x2"
    assert help.endswith("spinach firmware build IMAGE --set PATH=VALUE")
    assert cli.carry_out([*build, "--set", "rpus=2"]) == 0
    assert cli.carry_out(ran) == 0


def test_parameters_for_an_image_without_a_card_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.carry_out(["firmware", "build", "crc32", "--set", "rpus=2"]) == 2
    assert "the description of tests/crc32 names no card" in capsys.readouterr().err


def test_list_shows_every_image(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.carry_out(["firmware", "list"]) == 0
    assert "tests/crc32" in capsys.readouterr().out


def test_mistakes_are_two_lines(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert cli.carry_out(["firmware", "build", "crc23"]) == 2
    error, help = capsys.readouterr().err.splitlines()
    assert error == "error: unknown firmware image crc23"
    assert "crc32" in help
    assert cli.carry_out(["firmware", "build", "tengig"]) == 2
    error, help = capsys.readouterr().err.splitlines()
    assert error == "error: unknown firmware image tengig"
    assert help == (
        "help: tengig is a folder: name an image in it, such as tengig/base; "
        "`spinach firmware list` shows all"
    )
    assert cli.carry_out(["firmware", "build", "crc32", "-o", str(tmp_path / "no" / "where")]) == 2
    assert "cannot write" in capsys.readouterr().err
