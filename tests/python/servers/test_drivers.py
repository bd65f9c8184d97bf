"""Linux drivers of the user on servers: `spinach boot --driver FOLDER`."""

import subprocess
from pathlib import Path

import pytest
from tests.python.conftest import Started

from spinach_nic import SpinachError, cli
from spinach_nic.firmware.description import shipped_root
from spinach_nic.servers import drivers, linux

DRIVERS = shipped_root() / "linux" / "drivers"


@pytest.fixture
def kernel(kernel: linux.Linux) -> linux.Linux:
    """Return the kernel; skip if it is kept without what modules are built with."""
    if linux.for_modules() is None:
        pytest.skip("the server's kernel has no headers for modules: `make linux` builds them")
    return kernel


def module(folder: Path, source: str) -> Path:
    """Return the folder of a module `own`."""
    folder.mkdir()
    (folder / "own.c").write_text(source)
    (folder / "Makefile").write_text("obj-m := own.o\n")
    return folder


@pytest.mark.usefixtures("kernel")
def test_a_driver_in_a_folder_replaces_that_of_the_kernel(started: Started, tmp_path: Path) -> None:
    source = (DRIVERS / "sinic.c").read_text().replace('"SINIC', '"a driver of my own for SINIC')
    assert "a driver of my own" in source
    folder = module(tmp_path / "driver", source)
    options = ("--nodes", "2", "--card", "sinic", "--driver", str(folder))
    process = started.spinach("boot", "rv64", *options, stdin=-1)
    typed = "ping 10.0.0.2 3\npoweroff\n@2 sleep 20\n@2 poweroff\n"
    printed, messages = process.communicate(typed, timeout=100)
    assert process.returncode == 0, messages
    assert "3 of 3 answered" in printed, printed
    assert printed.count("a driver of my own") == 2
    assert sorted(path.name for path in folder.iterdir()) == ["Makefile", "own.c"]


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        (None, (), "there is no Makefile in the driver"),
        ("int own = ;", (), "own.c:1:11: error: expected expression"),
        ("", ("--kernel", "/dev/null"), "--driver is built for the kernel of `make linux`"),
        ("", ("--nodes", "1"), "--driver is for the cards of two servers"),
    ],
)
def test_mistakes_are_explained(
    source: str | None,
    options: tuple[str, ...],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "driver"
    if source is not None:
        module(folder, source)
    arguments = ["boot", "rv64", "--nodes", "2", "--driver", str(folder), *options]
    assert cli.carry_out(arguments) == 2
    *error, help = capsys.readouterr().err.splitlines()
    assert message in "\n".join(error)
    assert help.startswith("help: ")


@pytest.mark.usefixtures("kernel")
def test_the_kernel_has_the_functions_that_start_its_drivers() -> None:
    symbols = linux.for_debuggers()
    assert symbols is not None
    listed = subprocess.run(
        ["riscv64-linux-gnu-nm", str(symbols)], capture_output=True, text=True, check=True
    ).stdout.split()
    assert set(drivers.BUILT_IN) <= set(listed)


def test_a_folder_with_a_huge_file_or_a_device_is_refused(tmp_path: Path) -> None:
    folder = module(tmp_path / "driver", "")
    before = drivers.source_digest(folder)
    (folder / "own.h").symlink_to("/dev/zero")
    with pytest.raises(SpinachError, match=r"own\.h is not a regular file"):
        drivers.source_digest(folder)
    (folder / "own.h").unlink()
    with (folder / "own.h").open("wb") as large:
        large.truncate(1 << 40)
    with pytest.raises(SpinachError, match=r"driver is larger than 1024 MiB, the limit"):
        drivers.source_digest(folder)
    (folder / "own.h").unlink()
    assert drivers.source_digest(folder) == before
