"""Files are written whole or not at all, and never over one another."""

import os
import resource
import signal
import stat
import sys
import tempfile
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.python.conftest import Started, names, small_disk
from tests.python.runs.systems import MINE

from spinach_nic import SpinachError, cli, run
from spinach_nic.support.files import (
    LARGEST_INPUT,
    check_outputs,
    check_outside,
    check_size,
    files_in,
    read_file,
    regular_file,
    write_output,
    write_whole,
)

BIG = 1_000_000


@contextmanager
def full_disk() -> Iterator[None]:
    """Limit file sizes as a full disk does. Not a fixture: pytest writes before fixtures end.

    Python does not notice that a compiled module is truncated, so it writes none.
    """
    writes_nothing, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
        signal.signal(signal.SIGXFSZ, handler)
        sys.dont_write_bytecode = writes_nothing


def test_a_file_beyond_the_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "large"
    with file.open("wb") as large:
        large.write(b"magic")
        large.truncate(BIG + 1)
    tracemalloc.start()
    try:
        for magics in ((), (b"magic",)):
            with pytest.raises(SpinachError, match="is larger than 0 MiB, the limit"):
                read_file(file, "name another", limit=BIG, magics=magics)
        assert read_file(file, "name another", limit=BIG, magics=(b"other",)) == b"magic"
        assert tracemalloc.get_traced_memory()[1] < BIG // 4
    finally:
        tracemalloc.stop()
    os.truncate(file, BIG)
    assert len(read_file(file, "name another", limit=BIG)) == BIG


def test_the_size_of_a_file_for_another_program_is_checked(tmp_path: Path) -> None:
    file = tmp_path / "large"
    file.touch()
    os.truncate(file, LARGEST_INPUT)
    check_size(file, "name another", limit=LARGEST_INPUT)
    os.truncate(file, LARGEST_INPUT + 1)
    with pytest.raises(SpinachError, match="large is larger than 8192 MiB, the limit"):
        check_size(file, "name another", limit=LARGEST_INPUT)
    for missing in (tmp_path / "missing", "a\0b"):
        with pytest.raises(SpinachError, match="cannot read"):
            check_size(missing, "name another")
    with pytest.raises(SpinachError, match="is not a regular file"):
        check_size(tmp_path, "name another")


def test_outputs_are_outside_of_a_shared_folder(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    (shared / "deep").mkdir(parents=True)
    (tmp_path / "link").symlink_to(shared / "deep" / "out")
    # Standard output is outside of every folder.
    check_outside({"--json": "-"}, Path(), "--share")
    check_outside({"--json": tmp_path / "out", "--save": tmp_path / "sharedout"}, shared, "--share")
    for inside in (shared / "out", shared / "deep" / "out", tmp_path / "link"):
        with pytest.raises(SpinachError, match=f"--json {inside} is in {shared}, the folder of --share"):
            check_outside({"--save": "-", "--json": inside}, shared, "--share")


def test_files_that_are_written_have_names_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = [tmp_path / f"out.partial-{os.getpid()}{again}" for again in ("", "-2")]
    for file in taken:
        file.write_bytes(b"another")
    renamed: list[str] = []
    replace = os.replace

    def noted(source: Path, target: Path) -> None:
        renamed.append(source.name)
        replace(source, target)

    monkeypatch.setattr(os, "replace", noted)
    mask = os.umask(0)
    try:
        write_whole(tmp_path / "out", b"whole")
    finally:
        os.umask(mask)
    assert renamed == [f"out.partial-{os.getpid()}-3"]
    assert (tmp_path / "out").read_bytes() == b"whole"
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o666
    assert [file.read_bytes() for file in taken] == [b"another"] * 2


def test_a_device_is_no_input_without_end() -> None:
    tracemalloc.start()
    try:
        for reading in READINGS:
            with pytest.raises(SpinachError, match="/dev/zero is larger than 16 MiB, the limit") as raised:
                reading(Path("/dev/zero"))
            assert raised.value.help == "give a regular file, not a device"
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()
    assert read(Path("/dev/null")) == b""


def read(path: Path) -> bytes:
    return read_file(path, "name another", limit=1 << 30)


def opened(path: Path) -> bytes:
    with regular_file(path, "name another") as file:
        return file.read_bytes()


READINGS: tuple[Callable[[Path], bytes], ...] = (read, opened)


def test_a_pipe_is_an_input(tmp_path: Path) -> None:
    content = os.urandom(1 << 20) * 20
    for number, reading in enumerate(READINGS):
        pipe = tmp_path / str(number)
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_bytes, args=(content,))
        writer.start()
        assert reading(pipe) == content
        writer.join()


def test_an_error_about_the_copy_of_an_input_names_the_input() -> None:
    with pytest.raises(SpinachError) as caught, regular_file(Path("/dev/null"), "name another") as copy:
        raise SpinachError(f"cannot replay {copy}: it is empty", "name a recording")
    assert (caught.value.message, caught.value.help) == (
        "cannot replay /dev/null: it is empty",
        "name a recording",
    )
    assert "/dev/null" in refusal_of_a_recording("/dev/null")


def refusal_of_a_recording(path: str) -> str:
    with pytest.raises(SpinachError) as caught:
        run("tengig", replay=path)
    return caught.value.message


def test_a_copy_of_a_killed_process_is_removed_at_the_next_start(
    tmp_path: Path, started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = (
        "import os, signal\nfrom pathlib import Path\nfrom spinach_nic.support.files import regular_file\n"
        "with regular_file(Path('/dev/null'), ''):\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    started(sys.executable, "-c", program).communicate(timeout=50)
    assert len(names(tmp_path)) == 1
    assert opened(Path("/dev/null")) == b""
    assert names(tmp_path) == []


def test_a_disk_without_space_for_temporary_files_is_said_to_be_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with small_disk(tmp_path / "small") as small:
        monkeypatch.setattr(tempfile, "tempdir", str(small))
        writer = threading.Thread(target=write_all, args=(pipe, bytes(1 << 20)))
        writer.start()
        said = f"no space for temporary files in {small}: No space left on device\nhelp: free some space"
        with pytest.raises(SpinachError, match=said):
            opened(pipe)
        writer.join()
        assert names(small) == []


def write_all(pipe: Path, content: bytes) -> None:
    with suppress(BrokenPipeError):
        pipe.write_bytes(content)


def test_a_folder_has_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "file").write_text("content")
    (tmp_path / "inner" / "link").symlink_to(tmp_path / "file")
    (tmp_path / "nothing").symlink_to(tmp_path / "none")
    assert files_in(tmp_path, "") == [tmp_path / "file", tmp_path / "inner" / "link"]
    with pytest.raises(
        SpinachError, match="is larger than 0 MiB, the limit\nhelp: another; its last file is"
    ):
        files_in(tmp_path, "another", limit=13)
    (tmp_path / "zero").symlink_to("/dev/zero")
    with pytest.raises(SpinachError, match="zero is not a regular file"):
        files_in(tmp_path, "another")
    (tmp_path / "zero").unlink()
    other = tmp_path / "inner" / "other"
    other.mkdir()
    (other / "here").symlink_to(tmp_path / "inner")
    with pytest.raises(SpinachError, match=r"the link .*/inner/other/here leads to a folder around it"):
        files_in(tmp_path, "another")
    monkeypatch.setattr("spinach_nic.support.files.MOST_FILES", 2)
    with pytest.raises(SpinachError, match="has more than 2 files, the limit"):
        files_in(tmp_path, "another")


def test_a_file_is_replaced_in_one_step(tmp_path: Path) -> None:
    file = tmp_path / "out"
    write_whole(file, "first")
    with file.open() as reader:
        write_whole(file, b"second")
        assert reader.read() == "first"  # another file: this one was never changed
    assert file.read_text() == "second"
    assert names(tmp_path) == ["out"]


def test_what_was_there_survives_a_full_disk(tmp_path: Path) -> None:
    file = tmp_path / "out"
    file.write_text("good")
    with full_disk(), pytest.raises(SpinachError, match=r"cannot write .*out"):
        write_output(file, b"x" * BIG)
    assert file.read_text() == "good"
    assert names(tmp_path) == ["out"]


def test_what_was_there_survives_a_kill(tmp_path: Path, started: Started) -> None:
    file = tmp_path / "out"
    file.write_text("good")
    program = (
        "import os, signal, sys\nfrom spinach_nic.support import files\n"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        "files.write_whole(sys.argv[1], 'half')\n"
    )
    process = started(sys.executable, "-c", program, str(file))
    process.communicate(timeout=50)
    assert process.returncode == -signal.SIGKILL
    assert file.read_text() == "good"
    assert names(tmp_path) == ["out", f"out.partial-{process.pid}"]


def test_a_link_stays_a_link_and_permissions_stay(tmp_path: Path) -> None:
    file, link = tmp_path / "out", tmp_path / "link"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to("out")
    write_whole(link, "new")
    assert link.is_symlink()
    assert file.read_text() == "new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_devices_are_written_directly() -> None:
    write_output("/dev/null", "text")
    with pytest.raises(SpinachError, match="No space left on device"):
        write_output("/dev/full", "text")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


def same_name(file: Path) -> Path:
    return file.parent / "." / file.name


def symbolic(file: Path) -> Path:
    link = file.with_name("symbolic")
    link.symlink_to(file)
    return link


def hard(file: Path) -> Path:
    file.touch()
    link = file.with_name("hard")
    link.hardlink_to(file)
    return link


def through_folder(file: Path) -> Path:
    folder = file.parent.with_name("folder")
    folder.symlink_to(file.parent)
    return folder / file.name


@pytest.mark.parametrize("other", [same_name, symbolic, hard, through_folder])
@pytest.mark.parametrize("exists", [False, True])
def test_a_file_is_known_by_what_it_is(tmp_path: Path, other: Callable[[Path], Path], exists: bool) -> None:
    folder = tmp_path / "place"
    folder.mkdir()
    file = folder / "file"
    if exists:
        file.write_text("contents")
    again = other(file)
    before = file.read_text() if file.exists() else None
    with pytest.raises(SpinachError, match="--pcap-out would overwrite --json"):
        check_outputs({"--json": file, "--pcap-out": again}, {})
    if file.exists():
        with pytest.raises(SpinachError, match="--json would overwrite the capture"):
            check_outputs({"--json": again}, {"the capture": file})
    assert (file.read_text() if file.exists() else None) == before


def test_devices_take_several_outputs(tmp_path: Path) -> None:
    check_outputs({"--json": "/dev/null", "--pcap-out": "/dev/null"}, {"the capture": "/dev/null"})
    check_outputs({"--json": tmp_path / "one", "--pcap-out": tmp_path / "two"}, {})
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--json", "{0}/x", "--pcap-out", "{0}/./x"], "overwrite"),
        (["--json", "{0}/nic.py"], "--json would overwrite the file of the NIC"),
        (["--pcap-out", "{0}/nic.py"], "overwrite the file of the NIC"),
        (["--traffic", "pcap:{0}/in.pcap", "--pcap-out", "{0}/in.pcap"], "overwrite the capture"),
        (["--json", "{0}"], "Is a directory"),
        (["--json", "{0}/nowhere/x"], "No such file or directory"),
        (["--pcap-out", "{0}/nowhere/x"], "No such file or directory"),
    ],
)
def test_a_run_is_refused_before_it_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    nic, capture = tmp_path / "nic.py", tmp_path / "in.pcap"
    nic.write_text(MINE)
    capture.write_bytes(CAPTURE.read_bytes())
    # It would not end within the time of a test.
    given = ["run", str(nic), "--time", "1000s", *(word.format(tmp_path) for word in words)]
    assert cli.carry_out(given) == 2
    assert said in capsys.readouterr().err
    assert nic.read_text() == MINE
    assert capture.read_bytes() == CAPTURE.read_bytes()
    assert names(tmp_path) == ["in.pcap", "nic.py"]


CAPTURE = Path(__file__).parents[2] / "captures" / "web-ping-udp.pcap"


def test_traces_are_not_written_over_the_firmware_they_come_from(tmp_path: Path) -> None:
    (tmp_path / "firmware.elf").write_text("mine")
    with pytest.raises(SpinachError, match="would overwrite the firmware"):
        run("tengig", frames=1, firmware=tmp_path / "firmware.elf", traces=tmp_path)
    assert names(tmp_path) == ["firmware.elf"]


def test_a_capture_that_does_not_fit_leaves_the_old_one(tmp_path: Path) -> None:
    nic, capture = tmp_path / "nic.py", tmp_path / "out.pcapng"
    nic.write_text(MINE)
    capture.write_text("good")
    with full_disk(), pytest.raises(SpinachError, match=r"cannot write .*out\.pcapng") as raised:
        run(nic, frames=200, pcap_out=capture)
    assert capture.read_text() == "good"
    assert f"what came before is in {capture}.partial-{os.getpid()}" in raised.value.help


def test_a_capture_that_does_not_fit_costs_no_result(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nic, capture, out = tmp_path / "nic.py", tmp_path / "out.pcapng", tmp_path / "out.json"
    nic.write_text(MINE)
    words = ["run", str(nic), "--quiet", "--frames", "200", "--pcap-out", str(capture), "--json", str(out)]
    with full_disk():
        assert cli.carry_out(words) == 2
    assert f"cannot write {capture}" in capsys.readouterr().err
    assert '"complete": true' in out.read_text()
