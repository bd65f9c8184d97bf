"""`spinach verilate` names what it makes, and says what is missing."""

import shutil
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.python.conftest import small_disk

from spinach_nic import SpinachError
from spinach_nic.cli import spinach

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


def test_a_missing_verilator_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    result = CliRunner().invoke(spinach, ["verilate", str(EXAMPLE), "--top", "ipv4_checksum"])
    assert isinstance(result.exception, SpinachError)
    assert "the program verilator is not installed" in str(result.exception)
