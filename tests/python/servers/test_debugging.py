"""gdb holds the kernel of a server, and nothing of the run changes by that."""

import json
import re
import select
import socket
import subprocess
import time
from pathlib import Path

import pytest
from tests.python import gdb
from tests.python.conftest import Started
from tests.python.gdb import needs_gdb

from spinach_nic import SpinachError, _native, cli, servers
from spinach_nic.runs.profiling.cards import CardsProfile
from spinach_nic.runs.server_modules import module_servers
from spinach_nic.servers import linux
from spinach_nic.starter import write_nic
from spinach_nic.support.units import MiB

INTERRUPT = b"\x03"


@pytest.fixture(scope="module")
def kernel(kernel: linux.Linux) -> linux.Linux:
    """Return the kernel; skip without its symbols."""
    if linux.for_debuggers() is None:
        pytest.skip("there is no kernel with symbols for the server: `make linux` builds it")
    return kernel


class Session(gdb.Session):
    """Runs `spinach boot rv64 --gdb` and a gdb that carries out commands."""

    def __init__(self, started: Started, typed: Path, *options: str) -> None:
        """Start the servers; they wait for gdb once they are ready."""
        with typed.open() as commands:
            super().__init__(started.spinach("boot", "rv64", "--gdb", *options, stdin=commands))

    def end(self) -> tuple[str, str]:
        """Return the output of the servers, and the report about them, once they have ended."""
        printed, said = self.process.communicate(timeout=50)
        assert self.process.returncode == 0, said
        return printed, said


def typed(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "typed"
    file.write_text(text)
    return file


def received(client: socket.socket) -> bytes:
    """Return the next packet of the debugger, and acknowledgements before it."""
    answer = b""
    while b"#" not in answer[:-2]:
        answer += client.recv(1)
    return answer


def without_gdb(started: Started, commands: Path, *options: str) -> tuple[str, str]:
    """Return the output of the servers, and the report about them, without a debugger."""
    with commands.open() as typed:
        return started.spinach("boot", "rv64", *options, stdin=typed).communicate(timeout=50)


def counted(said: str) -> str:
    """Return the report without wall times."""
    found = re.search(r"rv64: (.* simulated s; [\d,]+ instructions)", said)
    assert found is not None, said
    return found[1]


@needs_gdb
@pytest.mark.parametrize("core", ["functional", "timed"])
def test_gdb_debugs_a_kernel_and_changes_nothing(
    core: str, kernel: linux.Linux, tmp_path: Path, started: Started
) -> None:
    options = ("--harts", "2", "--core", core)
    # Both runs continue from the checkpoint, whatever the cache held.
    servers.booted(servers.configuration_of("rv64", harts=2), kernel, lambda _: None)
    commands = typed(tmp_path, "fork 2\npoweroff\n")
    session = Session(started, commands, *options)
    said = session.gdb(
        "break kernel_clone",
        "continue",
        "backtrace",
        "info registers ra satp priv sepc",
        "x/2i $pc",
        "stepi",
        "stepi",
        "x/s &linux_banner",
        "info threads",
        "watch *(long *)&total_forks",
        "continue",
        "monitor harts",
        "monitor time",
        "delete",
        "hbreak *do_exit",
        "continue",
        "delete",
        "continue",
    )
    printed, ended = session.end()
    assert "Breakpoint 1, 0x" in said
    # The command, or a thread of the kernel at the same time.
    caller = r"(kernel_thread|__(do|se|riscv)_sys_clone)"
    assert re.search(rf"#0 .* in kernel_clone \(\)\n#1 .* in {caller}", said), said
    assert re.search(r"^ra +0xffffffff8[0-9a-f]{7}", said, re.MULTILINE)
    assert re.search(r"^satp +0x8[0-9a-f]{15}", said, re.MULTILINE)
    assert re.search(r"^priv +(0x)?1", said, re.MULTILINE)
    assert re.search(r"=> 0x[0-9a-f]+ <kernel_clone(\+\d+)?>:", said)
    assert '"Linux version ' in said
    assert len(re.findall(r"^\*? +[12] +Thread 1\.[12] ", said, re.MULTILINE)) == 2
    old, new = map(int, re.search(r"Old value = (\d+)\nNew value = (\d+)", said).groups())  # type: ignore[union-attr]
    assert new == old + 1
    assert (
        len(re.findall(r"^[12] 0x[0-9a-f]{16} in (user|supervisor) mode at cycle \d+", said, re.MULTILINE))
        == 2
    )
    assert re.search(r"Breakpoint 3, 0x[0-9a-f]+ in do_exit", said)
    assert "exited normally" in said
    assert "2 of 2 processes ended well" in printed
    alone = without_gdb(started, commands, *options)
    assert (printed, counted(ended)) == (alone[0], counted(alone[1]))
    assert ended.partition("\ntimed: ")[2] == alone[1].partition("\ntimed: ")[2]


@needs_gdb
def test_a_kernel_with_line_information_shows_lines_and_arguments(
    kernel: linux.Linux, tmp_path: Path, started: Started
) -> None:
    try:
        linux.with_lines()
    except SpinachError:
        pytest.skip("there is no kernel with lines for the server: `make linux-debug` builds it")
    servers.booted(servers.configuration_of("rv64"), kernel, lambda _: None)
    session = Session(started, typed(tmp_path, "fork 1\npoweroff\n"), "--kernel-debug")
    said = session.gdb("break kernel_clone", "continue", "backtrace 2", "finish", "delete", "continue")
    session.end()
    assert re.search(
        r"^Breakpoint 1, kernel_clone \(args=(args@entry=)?0x\w+\) at kernel/fork\.c:\d+$", said, re.MULTILINE
    ), said
    assert re.search(r"^#1 .* __(do|se|riscv)_sys_clone .* at kernel/fork\.c:\d+$", said, re.MULTILINE), said
    assert re.search(r"^Value returned is \$1 = \d+$", said, re.MULTILINE), said


@needs_gdb
def test_gdb_holds_a_server_that_boots(kernel: linux.Linux, tmp_path: Path, started: Started) -> None:
    options = ("--cold", "--nodes", "2")
    commands = typed(tmp_path, "ping 10.0.0.2 1\npoweroff\n@2 sleep 1\n@2 poweroff\n")
    session = Session(started, commands, *options)
    said = session.gdb(
        "x/i $pc",
        "break ns83820_init_one",
        "continue",
        "backtrace 3",
        "print/x $a0",
        "delete",
        "break ns83820_hard_start_xmit",
        "continue",
        "backtrace 2",
        "delete",
        "continue",
    )
    printed, ended = session.end()
    assert "=> 0x80200000:" in said
    assert re.search(r"#0 .* in ns83820_init_one \(\)\n#1 .* in (local_pci_probe|pci_)", said), said
    assert re.search(r"#0 .* in ns83820_hard_start_xmit \(\)\n#1 ", said), said
    assert "exited normally" in said
    assert "64 bytes from 10.0.0.2" in printed
    # The output of both comes in other pieces, because it is shown at each stop.
    _, alone = without_gdb(started, commands, *options)
    assert counted(ended) == counted(alone)
    assert ended.partition("\ncard of")[2] == alone.partition("\ncard of")[2]


@needs_gdb
def test_a_program_of_ones_own_is_debugged(tmp_path: Path, started: Started) -> None:
    # An Image of four instructions: two that count, one that waits, one that goes back to the first.
    image = tmp_path / "image"
    words = (0x0010_8093, 0x0020_8113, 0x1050_0073, 0xFF5F_F06F)
    code = b"".join(word.to_bytes(4, "little") for word in words)
    header = (0x0400_006F).to_bytes(4, "little") + bytes(12) + (128).to_bytes(8, "little")
    image.write_bytes((header.ljust(0x38, b"\0") + b"RSC\x05" + bytes(4)).ljust(64, b"\0") + code)
    session = Session(started, typed(tmp_path, ""), "--kernel", str(image), "--memory", "4MiB")
    session.words.remove(str(image))  # it has no symbols
    said = session.gdb(
        "print/x $pc",
        "stepi",
        "stepi 2",
        "print/d $ra",
        "print/d $sp",
        "set $ra = 41",
        "set $pc = $pc - 8",
        "stepi",
        "print/d $ra",
        "x/xw $pc",
        "set {int}$pc = 0x00308113",
        "x/i $pc",
        "stepi",
        "print/d $sp",
        "x/xw 0x1000",
        "monitor read 0x80000040 8",
        "monitor nonsense",
        "monitor harts",
        "monitor time",
        "stepi",
        "monitor harts",
        "monitor time",
        "monitor read 0x803ffffc 4",
        "monitor read 0x803ffffd 4",
        "monitor read zero 4",
        "monitor read 0x80000000 65537",
        "monitor read 0x80000000 65536",
        "kill",
    )
    _, ended = session.process.communicate(timeout=50)
    assert "$1 = 0x80000000" in said
    assert re.findall(r"^\$\d+ = (\d+)$", said, re.MULTILINE) == ["1", "3", "42", "45"], said
    assert "addi\tsp,ra,3" in said or "add\tsp,ra,3" in said, said
    assert "Cannot access memory at address 0x1000" in said
    assert "80000040: 93 80 10 00" in said
    assert "monitor harts: " in said
    assert (
        "1 0x0000000080000048 in supervisor mode at cycle 5\n"
        "0.005000 us\n"
        "1 0x000000008000004c in supervisor mode at cycle 1000000, waits for an interrupt\n"
        "1000.000000 us\n"
        "803ffffc: 00 00 00 00\n"
        "not all of these bytes are memory\n"
        "address and bytes are numbers, the latter at most 65536\n"
        "address and bytes are numbers, the latter at most 65536\n"
        "80000000: 6f 00 00 04"
    ) in said
    assert re.search(r"^8000fff0:( 00){16}$", said, re.MULTILINE), said
    assert "ended by gdb" in ended


def test_a_client_interrupts_a_server_and_lets_it_go(tmp_path: Path, started: Started) -> None:
    image = tmp_path / "image"
    image.write_bytes(wfi_image())
    # It is not left while it does not read what was typed.
    session = Session(started, typed(tmp_path, "unread"), "--kernel", str(image), "--memory", "4MiB")
    host, port = session.words[-1].removeprefix("target remote ").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as client:

        def ask(packet: bytes) -> bytes:
            client.sendall(b"$%b#%02x" % (packet, sum(packet) % 256) if packet != INTERRUPT else packet)
            answer = received(client)
            client.sendall(b"+")
            return answer

        client.sendall(b"$c#63")
        assert ask(INTERRUPT).startswith(b"+$T02")
        assert ask(b"D").startswith(b"+$OK")
    time.sleep(0.5)
    assert session.process.poll() is None


def test_gdb_is_asked_for_once_the_commands_have_been_read(tmp_path: Path, started: Started) -> None:
    image = tmp_path / "image"
    image.write_bytes(wfi_image())
    command = ("boot", "rv64", "--gdb", "--kernel", str(image), "--memory", "4MiB")
    process = started.spinach(*command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.write("unread")
    process.stdin.flush()
    assert select.select([process.stderr], [], [], 2.0)[0] == []
    process.stdin.close()
    host, port = gdb.Session(process).words[-1].removeprefix("target remote ").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as client:
        client.sendall(b"$g#67")
        assert received(client).startswith(b"+$0")


@needs_gdb
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("harts", "latency"), [(1, ()), (2, ()), (1, ("--link-latency", "1us"))])
def test_gdb_debugs_a_server_with_a_card_made_of_modules_and_changes_nothing(
    harts: int, latency: tuple[str, ...], kernel: linux.Linux, tmp_path: Path, started: Started
) -> None:
    commands = typed(tmp_path, "ping 10.0.0.2 2\nfork 2\npoweroff\n@2 sleep 30\n@2 poweroff\n")
    options = ("--nodes", "2", "--card", "ricenic,dp83820", "--harts", f"{harts}", *latency)
    files = (tmp_path / "debugged.json", tmp_path / "alone.json")
    session = Session(started, commands, *options, "--json", f"{files[0]}")
    said = session.gdb(
        "break dev_hard_start_xmit",
        "continue",
        "backtrace 2",
        *(["stepi"] * 5),
        "finish",
        "info threads",
        "delete",
        "hbreak *icmp_rcv",
        "continue",
        "monitor time",
        "delete",
        "watch *(long *)&total_forks",
        "continue",
        "delete",
        "continue",
    )
    printed, ended = session.process.communicate(timeout=200)
    assert re.search(r"Breakpoint 1, 0x\w+ in dev_hard_start_xmit \(\)\n#0 .*\n#1 ", said), said
    assert len(re.findall(r"^\*? +[12] +Thread 1\.[12] ", said, re.MULTILINE)) == harts
    assert re.search(r"Breakpoint 2, 0x[0-9a-f]+ in icmp_rcv", said), said
    old, new = map(int, re.search(r"Old value = (\d+)\nNew value = (\d+)", said).groups())  # type: ignore[union-attr]
    assert new == old + 1
    assert "exited normally" in said
    assert session.process.returncode == 0, ended
    assert "2 of 2 answered" in printed
    without_gdb(started, commands, *options, "--json", f"{files[1]}")
    debugged, alone = (json.loads(file.read_text()) for file in files)
    assert {name for name in alone if alone[name] != debugged[name]} == {"wall_s"}


@needs_gdb
@pytest.mark.timeout(300)
@pytest.mark.usefixtures("kernel")
def test_a_driver_of_ones_own_has_names_in_gdb_profile_and_timeline(tmp_path: Path, started: Started) -> None:
    if linux.for_modules() is None:
        pytest.skip("the server's kernel has no headers for modules: `make linux` builds them")
    nic, *_ = write_nic(tmp_path / "my-nic", face="pci")
    profile, timeline = tmp_path / "profile.json", tmp_path / "timeline"
    outputs = (
        "--profile",
        f"{profile}",
        "--timeline",
        f"{timeline}",
        "--timeline-from=20ms",
        "--timeline-for=30ms",
    )
    # The second server loads the driver, too, before it is ready.
    commands = typed(tmp_path, "sleep 20\nping 10.0.0.2 1\npoweroff\n@2 sleep 60\n@2 poweroff\n")
    session = Session(started, commands, "--nodes", "2", "--card", f"{nic}", *outputs)
    said = session.gdb("break rings_xmit", "continue", "backtrace 2", "info symbol $pc", "delete", "continue")
    assert session.process.communicate(timeout=200)[0].count("64 bytes from 10.0.0.2") == 1
    assert re.search(r"#0 .* in rings_xmit \(\)\n#1 .* in dev_hard_start_xmit \(\)", said), said
    assert re.search(r"^rings_xmit( \+ \d+)? in section \.text of .*driver\.ko$", said, re.MULTILINE), said
    for server in CardsProfile.read(profile).servers:
        (sending,) = (it for it in server.functions if it.function == "rings_xmit")
        assert (sending.file, sending.category) == ("driver.ko", "driver")
        assert sending.instructions > 0
    assert b"rings_xmit" in timeline.read_bytes()


def test_a_client_interrupts_and_ends_a_server_with_a_card_made_of_modules(kernel: linux.Linux) -> None:
    pair = module_servers(("ricenic", "dp83820"), kernel, servers.configuration_of("rv64"))
    host, port = pair.listen("127.0.0.1:0").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as client:
        client.sendall(b"$c#63")
        while (state := pair.run(1000)) == "held":
            pass
        assert (state, pair.time()[0]) == ("time", 1000)
        client.sendall(INTERRUPT)
        while pair.run(10_000) != "held":
            pass
        assert received(client).startswith(b"+$T0")
        client.sendall(b"+$k#6b")
        while (state := pair.run(1000)) == "held":
            pass
        assert state == "killed"
    assert pair.finish_debugging(1) is None
    cycle = pair.time()[0]
    assert pair.run(1000) == "time"
    assert pair.time()[0] > cycle


def test_mistakes_are_two_lines(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, message in (
        (["--timeline-for", "1ms"], "needs a timeline"),
        (["--timeline", "x", "--timeline-for", "5"], "5"),
        (["--cold", "--restore", "x"], "--cold"),
    ):
        assert cli.carry_out(["boot", "rv64", *arguments]) == 2
        error, help = capsys.readouterr().err.splitlines()[-2:]
        assert message in error
        assert help.startswith("help: ")
    assert cli.carry_out(["debug", "rv64"]) == 2
    assert "spinach boot rv64 --gdb" in capsys.readouterr().err
    server = _native.Server.boot("image", wfi_image(), b"", [""], (1, MiB(1).bytes))
    with pytest.raises(SpinachError, match="cannot wait for a debugger"):
        server.listen("256.0.0.1:1")
    server.listen("127.0.0.1:0")
    assert server.run(1000) == "held"


def wfi_image() -> bytes:
    """An Image: an instruction that waits, and one that goes back to it."""
    image = (0xBFF5_1050_0073).to_bytes(8, "little") + bytes(8) + (64).to_bytes(8, "little")
    return image.ljust(0x38, b"\0") + b"RSC\x05" + bytes(4)
