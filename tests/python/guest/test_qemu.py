"""`make qemu`: errors of its tools. The gate runs it, and `test_vfio_user_qemu.py` the program."""

from pathlib import Path

import pytest

from spinach_nic.runs.guest import qemu


def refused(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the lines of the error."""
    with pytest.raises(SystemExit) as ended:
        qemu.main()
    assert ended.value.code == 2
    return capsys.readouterr().err.splitlines()


def test_a_missing_tool_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    lines = refused(capsys)
    assert lines == ["error: mmdebstrap is not installed", "help: apt install mmdebstrap tar"]


def test_the_last_lines_of_a_tool_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    tool = tmp_path / "mmdebstrap"
    tool.write_text("#!/bin/sh\nseq 20\necho E: no mirror >&2\nexit 25\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    first, *printed, last = refused(capsys)
    assert first == "error: QEMU of Debian trixie-backports cannot be built:"
    assert printed == [*(str(number) for number in range(14, 21)), "E: no mirror"]
    assert last.startswith("help: use an x86-64 machine")
    assert not qemu.program().exists()
