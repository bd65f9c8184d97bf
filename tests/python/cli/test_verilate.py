"""`spinach verilate` names what it makes, and says what is missing."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.python.conftest import small_disk

from spinach_nic import SpinachError
from spinach_nic.cli import spinach
from spinach_nic.support.files import LARGEST_DOCUMENT

EXAMPLE = Path(__file__).parents[3] / "examples/rtl_checksum/ipv4_checksum.sv"


@pytest.mark.skipif(
    not (shutil.which("verilator") and shutil.which("c++")), reason="verilator and g++ are not installed"
)
@pytest.mark.timeout(240)  # the first run of a session compiles C++
def test_the_command_lists_the_ports(tmp_path: Path) -> None:
    library = tmp_path / "checksum.spinach"
    arguments = ["--top", "ipv4_checksum", "--idle", "idle", "-o", str(library)]
    result = CliRunner().invoke(spinach, ["verilate", str(EXAMPLE), *arguments])
    assert result.exit_code == 0, result.output
    assert "input   s_axis  frames" in result.output
    assert "output  damaged  value of 32 bits" in result.output
    # The RTL says: assign s_axis_tready = !m_axis_tvalid || m_axis_tready;
    assert "s_axis_tready follows m_axis_tready within the cycle" in result.output
    assert library.is_file()


@pytest.mark.skipif(
    not (shutil.which("verilator") and shutil.which("c++")), reason="verilator and g++ are not installed"
)
@pytest.mark.parametrize("size", ["4k", "64k", "256k"])
def test_a_full_disk_is_no_mistake_in_the_rtl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: str
) -> None:
    with small_disk(tmp_path / "small", size) as small:
        monkeypatch.setattr(tempfile, "tempdir", str(small))
        monkeypatch.setenv("TMPDIR", str(small))
        words = ["verilate", str(EXAMPLE), "--top", "ipv4_checksum", "-o", str(tmp_path / "x.spinach")]
        result = CliRunner().invoke(spinach, words)
    assert isinstance(result.exception, SpinachError)
    assert f"no space for temporary files in {small}" in result.exception.message
    assert result.exception.help == "free some space, or set TMPDIR"


MAIN = """`include "sub/shared.svh"
module main(input clk, output logic [31:0] q);
  part inner(.clk, .q);
endmodule
"""


@pytest.mark.skipif(not shutil.which("verilator"), reason="verilator is not installed")
@pytest.mark.timeout(30)
@pytest.mark.parametrize("is_pipe", [False, True])
@pytest.mark.parametrize("found", ["part.v", "rtl/part.sv", "sub/shared.svh", "rtl/sub/shared.svh"])
def test_files_that_verilator_finds_have_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found: str, is_pipe: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("main.sv").write_text(MAIN)
    Path("rtl/sub").mkdir(parents=True)
    Path("sub").mkdir()
    if is_pipe:
        os.mkfifo(found)
    else:
        with open(found, "wb") as file:
            file.truncate(LARGEST_DOCUMENT + 1)
    words = ["verilate", "main.sv", "--top", "main", "--include", "rtl", "-o", "x.spinach"]
    result = CliRunner().invoke(spinach, words)
    assert isinstance(result.exception, SpinachError)
    reason = "is not a regular file" if is_pipe else "is larger than 64 MiB, the limit"
    assert result.exception.message == f"{found} {reason}"


@pytest.mark.skipif(not shutil.which("verilator"), reason="verilator is not installed")
def test_other_files_of_the_working_folder_have_no_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("main.sv").write_text(
        "module main(input clk, input a, output b); assign b = missing(a); endmodule\n"
    )
    os.mkfifo("waveform.v")
    result = CliRunner().invoke(spinach, ["verilate", "main.sv", "--top", "main", "-o", "x.spinach"])
    assert isinstance(result.exception, SpinachError)
    assert result.exception.message.startswith("verilator refuses the RTL")


@pytest.mark.skipif(not shutil.which("verilator"), reason="verilator is not installed")
def test_an_impossible_name_of_a_folder_is_no_defect(tmp_path: Path) -> None:
    (tmp_path / "main.sv").write_text("module main(input clk); missing inner(); endmodule\n")
    words = ["verilate", str(tmp_path / "main.sv"), "--top", "main", "--include", "a" * 300]
    result = CliRunner().invoke(spinach, [*words, "-o", str(tmp_path / "x.spinach")])
    assert isinstance(result.exception, SpinachError)


def test_a_missing_verilator_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    result = CliRunner().invoke(spinach, ["verilate", str(EXAMPLE), "--top", "ipv4_checksum"])
    assert isinstance(result.exception, SpinachError)
    assert "the program verilator is not installed" in str(result.exception)
