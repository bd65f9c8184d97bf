"""Linux boots on the simulated server, takes commands, and continues equally from checkpoints."""

import io
import struct
import subprocess
from pathlib import Path

import pytest

from spinach_nic import CheckpointError, SpinachError, _native, cli, servers
from spinach_nic.servers import archive, linux
from spinach_nic.support.units import MiB

SERVER = servers.configuration_of("rv64")


def quiet(output: bytes) -> None:
    """Ignore the output: other tests examine it."""


def answers(server: _native.Server, command: str) -> str:
    """Return the output of a server after a command until it takes the next."""
    server.type_in(command.encode() + b"\n")
    printed: list[bytes] = []
    servers.run_until(server, b"# ", printed.append)
    return b"".join(printed).decode()


@pytest.mark.parametrize(("harts", "is_timed"), [(1, False), (4, False), (2, True)])
def test_linux_boots_and_takes_commands(kernel: linux.Linux, harts: int, is_timed: bool) -> None:
    printed: list[bytes] = []
    server = servers.start(servers.configuration_of("rv64", harts=harts), kernel)
    server.set_timed(is_timed)
    servers.run_until(server, kernel.ready, printed.append)
    text = b"".join(printed).decode()
    assert f"SLUB: HWalign=64, Order=0-3, MinObjects=0, CPUs={harts}, Nodes=1" in text
    assert "DP83820 10/100/1000 driver" in text
    assert not any(word in text for word in ("WARNING", "BUG", "Oops"))
    assert "8 of 8 processes ended well" in answers(server, "fork 8")
    # The sum of the terms, in numbers of 64 bits from the last term on.
    terms = ((-4.0 if k & 1 else 4.0) / (2 * k + 1) for k in reversed(range(1000)))
    total = 0.0
    for term in terms:
        total += term
    assert f"{total:.15f}" in answers(server, "pi 1000")
    server.type_in(b"poweroff\n")
    assert server.run(10**9) == "off"


def test_a_seed_chooses_the_random_numbers_of_the_kernel(kernel: linux.Linux) -> None:
    def identity(seed: int) -> str:
        server = servers.booted(SERVER, kernel.with_seed(seed), quiet)
        return answers(server, "cat /proc/sys/kernel/random/boot_id")

    identities = [identity(seed) for seed in (0, 1, 1, 2)]
    assert identities[1] == identities[2]
    assert len(set(identities)) == 3


def test_timed_cores_count_what_instructions_took(kernel: linux.Linux) -> None:
    server = servers.booted(SERVER, kernel, quiet)
    assert server.timing() is None
    server.set_timed(True)
    before = server.instructions()
    assert "3.14158" in answers(server, "pi 100000")
    counted, executed = server.timing(), server.instructions() - before
    assert counted is not None
    # Divisions of floating-point numbers follow one another: fifteen cycles for each term at least.
    assert counted["cycles"] >= 15 * 100_000
    assert 0.1 < executed / counted["cycles"] < 4
    assert 0 < counted["mispredictions"] < counted["branches"] < executed
    assert counted["second_level_misses"] <= counted["second_level_references"]
    assert counted["second_level_references"] == counted["code_misses"] + counted["data_misses"]
    server.set_timed(False)
    assert server.timing() is None


def test_a_restored_server_goes_on_as_the_one_that_was_saved(kernel: linux.Linux) -> None:
    configuration = servers.configuration_of("rv64", harts=2)
    size = (configuration.harts, configuration.memory.bytes)
    server = servers.start(configuration, kernel)
    server.run(20_000_000)
    checkpoint = server.save()
    restored = _native.Server.restore("checkpoint", checkpoint, size)
    assert restored.save() == checkpoint
    for running in (server, restored):
        running.take_output()
        running.run(40_000_000)
    assert restored.take_output() == server.take_output()
    assert restored.instructions() == server.instructions()
    assert restored.save() == server.save()


def test_how_often_somebody_looks_changes_nothing(kernel: linux.Linux) -> None:
    often, once = (servers.start(SERVER, kernel) for _ in range(2))
    for _ in range(30):
        often.run(1_000_000)
    once.run(30_000_000)
    assert often.instructions() == once.instructions()
    assert often.save() == once.save()


def test_boot_goes_on_from_what_was_kept(
    kernel: linux.Linux, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spinach_nic.support.cache.cache_folder", lambda: tmp_path)
    printed: list[bytes] = []
    first = servers.booted(SERVER, kernel, printed.append)
    assert b"Linux version" in b"".join(printed)
    again: list[bytes] = []
    second = servers.booted(SERVER, kernel, again.append)
    assert not again
    assert second.save() == first.save()


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "empty"),
        (b"\x1f\x8b" + bytes(100), "compressed by gzip"),
        (bytes(0x202) + b"HdrS" + bytes(100), "a kernel for x86"),
        (bytes(0x38) + b"ARM\x64" + bytes(100), "a kernel for 64-bit Arm"),
        (b"\x7fELF\x01", "header is truncated"),
    ],
)
def test_a_kernel_of_another_kind_is_refused(
    content: bytes, what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "kernel"
    file.write_bytes(content)
    assert cli.carry_out(["boot", "rv64", "--kernel", str(file)]) == 2
    error, help = capsys.readouterr().err.splitlines()
    assert what in error
    assert str(file) in error
    assert help.startswith("help: ")


def _stopping_kernel() -> bytes:
    """A kernel that switches the server off, behind the head that a kernel must have."""
    jump, shutdown = 0x0400006F, (0x535258B7, 0x35488893, 0x813, 0x513, 0x593, 0x73)  # SBI system reset
    head = struct.pack("<QQQ", jump, 0, 0x1000).ljust(0x38, b"\0") + b"RSC\x05".ljust(8, b"\0")
    return head + struct.pack("<6I", *shutdown) + bytes(64)


def test_a_checkpoint_that_finds_no_room_is_two_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    kernel, files, small = tmp_path / "kernel", tmp_path / "files", tmp_path / "small"
    kernel.write_bytes(_stopping_kernel())
    files.touch()
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4k", "none", str(small)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("file systems cannot be mounted")
    words = ["boot", "rv64", "--kernel", str(kernel), "--files", str(files), "--save"]
    try:
        assert cli.carry_out([*words, str(small / "saved")]) == 2
        assert not [*small.iterdir()]
    finally:
        subprocess.run(["umount", str(small)], check=True)
    error, help = [line for line in capsys.readouterr().err.splitlines() if "switched off" not in line]
    assert error == f"error: cannot write {small / 'saved'}: No space left on device"
    assert help == "help: name another file"
    assert cli.carry_out([*words, str(tmp_path / "saved")]) == 0
    assert (tmp_path / "saved").stat().st_size > 4096


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rv65"], "unknown server rv65"),
        (["rv64", "--harts", "9", "--kernel", "/dev/null"], "9 harts"),
        (["rv64", "--memory", "5MHz"], "--memory: 5MHz is not an amount of memory"),
        (["rv64", "--memory", "100GiB"], "invalid memory size 102400 MiB (1 MiB to 16 GiB"),
        (["rv64", "--files", "x"], "cannot read x"),
        (["rv64", "--files", __file__], "is not an archive that the kernel unpacks"),
        (["rv64", "--restore", "/nowhere"], "/nowhere"),
        (["rv64", "--restore", "/dev/null"], "not a checkpoint"),
    ],
)
def test_mistakes_are_two_lines(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.carry_out(["boot", *arguments]) == 2
    error, help = capsys.readouterr().err.splitlines()
    assert message in error
    assert help.startswith("help: ")


def small() -> _native.Server:
    """A server with a program of one instruction, which waits."""
    # An Image: the instruction, where it is loaded, its length, and the magic number.
    image = (0x10500073).to_bytes(8, "little") + bytes(8) + (64).to_bytes(8, "little")
    image = image.ljust(0x38, b"\0") + b"RSC\x05" + bytes(4)
    return _native.Server.boot("image", image, b"", [""], (1, MiB(1).bytes))


def test_too_little_memory_is_said() -> None:
    image = bytes(16) + (1 << 30).to_bytes(8, "little")
    with pytest.raises(SpinachError, match="needs the memory up to 0xc0000000"):
        _native.Server.boot("image", image.ljust(0x38, b"\0") + b"RSC\x05", b"", [""], (1, MiB(64).bytes))
    with pytest.raises(SpinachError, match="needs the memory"):
        _native.Server.boot(
            "image", image[:16].ljust(0x38, b"\0") + b"RSC\x05", bytes(1 << 20), [""], (1, 1 << 20)
        )


def test_a_checkpoint_of_another_server_is_refused() -> None:
    checkpoint = small().save()
    for size, clocks, differences in (
        ((2, MiB(1).bytes), None, "harts was 1 and is 2"),
        ((1, MiB(2).bytes), [2 * 10**9], "clock was 1000 MHz and is 2000 MHz; memory was 1 MiB and is 2 MiB"),
    ):
        with pytest.raises(CheckpointError) as caught:
            _native.Server.restore("file", checkpoint, size, clocks=clocks)
        assert caught.value.message == f"cannot restore file: it is of another configuration: {differences}"
        assert caught.value.kind == "model"
        assert caught.value.help == (
            "repeat the options of the run that saved it, or boot again, and save a checkpoint there"
        )
    other = checkpoint.replace(b'"version":"', b'"version":"7.')
    with pytest.raises(SpinachError, match=r"made by version 7\."):
        _native.Server.restore("file", other, (1, MiB(1).bytes))
    with pytest.raises(SpinachError, match="its memory is truncated"):
        _native.Server.restore("file", checkpoint[:-1], (1, MiB(1).bytes))
    assert _native.Server.restore("file", checkpoint, (1, MiB(1).bytes)).run(1000) == "time"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"widths": 4}, "unknown field `widths`"),
        ({"width": 0}, "width is 0, and may be 1 to 64"),
        ({"second_level": {"bytes": 3 << 20, "ways": 8}}, "second_level of 3145728 bytes in 8 ways"),
        ({"attachment": "usb"}, "unknown variant `usb`"),
        ({"ways": {"bridge_ns": 10**9}}, "ways.bridge_ns is 1000000000"),
    ],
)
def test_parameters_of_timed_servers_are_checked(changes: dict[str, object], message: str) -> None:
    pair = small()
    with pytest.raises(SpinachError, match=message):
        pair.set_timed(True, parameters=servers.timed_parameters(changes=changes))
    pair.set_timed(True, parameters=_native.Server.timed_parameters())


def test_cpio_unpacks_an_archive(tmp_path: Path) -> None:
    content = archive.archive(
        [archive.folder("a"), archive.program("a/b", b"hello"), archive.program("c", b"")]
    )
    try:
        subprocess.run(["cpio", "-i", "--quiet"], input=content, cwd=tmp_path, check=True)
    except FileNotFoundError:
        pytest.skip("cpio is not installed (Debian package cpio)")
    assert (tmp_path / "a" / "b").read_bytes() == b"hello"
    assert (tmp_path / "c").read_bytes() == b""
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o755
