"""gdb debugs the cores of a NIC."""

import json
import re
from pathlib import Path
from shutil import copytree

import pytest
from click.testing import CliRunner
from tests.python import gdb
from tests.python.cards.places import changed
from tests.python.cards.trouble import timeless_document
from tests.python.conftest import Started
from tests.python.gdb import needs_gdb
from tests.python.runs.systems import MINE

import spinach_nic
from spinach_nic.cli import spinach
from spinach_nic.cli.launch_file import write_launch_file
from spinach_nic.firmware import shipped_root
from spinach_nic.runs import RunOptions
from spinach_nic.runs.options import refused_by_debugger
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.options import options_of

MAILBOXES = "((struct mailboxes *)0x40)"
FRAMES = 24
SOURCE = shipped_root() / "tengig" / "send.c"
"""Source of `send_bds_arrived`."""


class Session(gdb.Session):
    """Runs `spinach debug` and a gdb that carries out commands."""

    def __init__(self, started: Started, out: Path, nic: str, *options: str) -> None:
        """Start the run; it waits for gdb."""
        self.out = out
        super().__init__(started.spinach("debug", nic, "--quiet", "--json", str(out), *options))

    def result(self) -> dict[str, object]:
        """The result of the run, once it has ended, without what differs between any two runs."""
        _, err = self.process.communicate(timeout=50)
        assert self.process.returncode == 0, err
        return timeless_document(json.loads(self.out.read_text()))


@needs_gdb
@pytest.mark.parametrize(
    "settings",
    [{}, {"core": "functional"}, {"instruction_set": "rv32"}, {"instruction_set": "ppc405"}],
    ids=["mips", "functional", "rv32", "ppc405"],
)
def test_a_debugged_run_gives_what_it_gives_alone(
    tmp_path: Path, started: Started, settings: dict[str, str]
) -> None:
    settings = {"cores": "2", **settings}
    if settings.get("core") == "functional":
        settings["quantum"] = "0"  # a stop would divide what a core does ahead of the others
    words = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    session = Session(started, tmp_path / "out.json", "tengig", "--frames", str(FRAMES), *words)
    said = session.gdb(
        "break send_bds_arrived",
        "continue",
        "backtrace",
        f"print *{MAILBOXES}",
        "print/x $pc",
        "stepi",
        "next",
        "info threads",
        "delete",
        "continue",
    )
    assert "hit Breakpoint 1, send_bds_arrived (batch=0)" in said
    source = SOURCE.read_text().splitlines()
    line = re.search(r"^(\d+)\t(.*)$", said.partition("hit Breakpoint")[2], re.MULTILINE)
    assert line is not None
    assert line[2] == source[int(line[1]) - 1]
    assert re.search(r"#1 .* handle_dma_reads .*\n#2 .* send_pass .*\n#3 .* core_main", said)
    assert re.search(r"send_bd_produced = [1-9][0-9]*, receive_bd_produced = [1-9]", said)
    assert len(re.findall(r"^\*? +[12] +Thread 1\.[12] ", said, re.MULTILINE)) == 2
    assert "exited normally" in said
    alone = json.loads(spinach_nic.run("tengig", set=settings, frames=FRAMES).to_json())
    assert session.result() == timeless_document(alone)


@needs_gdb
def test_gdb_shows_the_sources_of_an_image_in_a_file(
    tmp_path: Path, started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "mine"
    copytree(shipped_root() / "rosebud", folder)
    text = (folder / "firmware.toml").read_text().replace('"../', '"spinach:')
    (folder / "firmware.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    built = started.spinach("firmware", "build", "mine/forward", "-o", "mine.elf")
    assert built.wait(timeout=50) == 0, built.communicate()
    session = Session(started, tmp_path / "out.json", "rosebud", "--frames", "4", "--firmware", "mine.elf")
    assert f"set substitute-path . {folder}" in session.words
    assert f"set substitute-path spinach: {shipped_root()}" in session.words
    said = session.gdb("list core_main", "list _start", "break take_received", "continue", "bt", "kill")
    assert "core_main(void)" in said
    assert "j start_core" in said
    assert re.search(r"#1 .* core_main .*\n#2 .* start_core .*\n", said)
    assert "Backtrace stopped" not in said


@needs_gdb
def test_gdb_watches_data_and_goes_back(tmp_path: Path, started: Started) -> None:
    session = Session(started, tmp_path / "out.json", "tengig", "--frames", "60", "--set", "cores=6")
    said = session.gdb(
        "break request_buffers thread 4",
        "continue",
        "monitor time",
        "delete",
        "watch ((struct state *)0x40)->send_bd_consumed",
        "continue",
        "monitor time",
        "delete",
        "break send_bds_arrived",
        "reverse-continue",
        "monitor time",
        "reverse-stepi",
        "monitor time",
        "continue",
        "monitor time",
        "delete",
        "monitor read scratch_pad 0x40 16",
        "monitor nonsense",
        "x/4xw 0x40",
        "x/xw 0x3fffffff",
        "continue",
    )
    assert re.search(r"Thread 4 hit Breakpoint 1, request_buffers \(start=\d+", said)
    old, new = re.search(r"Old value = (\d+)\nNew value = (\d+)", said).groups()  # type: ignore[union-attr]
    assert int(new) > int(old)
    times = [float(time) for time in re.findall(r"^([\d.]+) us$", said, re.MULTILINE)]
    met, watched, back, before, again = times
    assert before < back < met < watched
    assert again == back  # the same moment as before, from the other side
    assert "00000040:" in said
    assert "monitor memories" in said
    assert "Cannot access memory at address 0x3fffffff" in said
    alone = json.loads(spinach_nic.run("tengig", set={"cores": "6"}, frames=60).to_json())
    assert session.result() == timeless_document(alone)


@needs_gdb
def test_watchpoints_of_loads_and_of_stores_differ(tmp_path: Path, started: Started) -> None:
    session = Session(started, tmp_path / "out.json", "tengig", "--frames", "24", "--set", "cores=2")
    watched = "((struct state *)0x40)->send_bd_consumed"
    said = session.gdb(
        f"watch {watched}",
        "continue",
        "monitor time",
        "reverse-stepi",
        "delete",
        f"awatch {watched}",
        f"watch {watched}",
        "delete 3",
        "continue",
        "monitor time",
        "reverse-stepi",
        "delete",
        f"rwatch {watched}",
        "continue",
        "monitor time",
        "x/i $pc-4",
        "reverse-continue",
        "delete",
        "reverse-continue",
        "monitor time",
        "kill",
    )
    assert re.search(r"Hardware watchpoint 1: .*\n\nOld value = 0\nNew value = 8\n", said), said
    assert re.search(r"Hardware access \(read/write\) watchpoint 2: .*\n\nOld value = 0\n", said), said
    assert re.search(r"Hardware read watchpoint 4: .*\n\nValue = 8\n", said), said
    assert re.search(r"^ +0x\w+ <\w+\+\d+>:\tlw\t\w+,144\(", said, re.MULTILINE), said
    assert "No more reverse-execution history." in said
    stored, again, loaded, start = re.findall(r"^([\d.]+) u?s$", said, re.MULTILINE)
    assert stored == again
    assert float(loaded) > float(stored)
    assert start == "0"


@needs_gdb
def test_a_range_is_stepped_as_its_instructions_are(tmp_path: Path, started: Started) -> None:
    stops = []
    for ranges in ("on", "off"):
        words = ("--frames", "24", "--set", "cores=1")
        session = Session(started, tmp_path / "out.json", "tengig", *words)
        following = ["next", "monitor time", "print $pc"] * 4
        start = ("break send_bds_arrived", "continue", "delete", f"set range-stepping {ranges}")
        said = session.gdb(*start, *following, "kill")
        session.process.wait(timeout=50)
        stops.append(re.findall(r"^(?:\$\d+ = .* (0x\w+ <.*>)|([\d.]+ us))$", said, re.MULTILINE))
    assert len(set(stops[0])) == 8
    assert stops[0] == stops[1]


@needs_gdb
@pytest.mark.parametrize("core", ["pipelined", "functional"])
def test_steps_back_stop_where_steps_forward_stopped(tmp_path: Path, started: Started, core: str) -> None:
    words = [word for setting in ("cores=1", "quantum=0", f"core={core}") for word in ("--set", setting)]
    session = Session(started, tmp_path / "out.json", "tengig", "--frames", "3", *words)
    forward, back = (["stepi", "monitor time"] * 6, ["reverse-stepi", "monitor time"] * 5)
    said = session.gdb("break send_bds_arrived", "continue", "delete", *forward, *back, "kill")
    times = re.findall(r"^([\d.]+) us$", said, re.MULTILINE)
    assert len(set(times[:6])) == 6
    assert times[6:] == times[4::-1]


@needs_gdb
def test_both_cores_of_the_tigon2_are_threads(tmp_path: Path, started: Started) -> None:
    session = Session(started, tmp_path / "out.json", "tigon2", "--frames", "4")
    said = session.gdb(
        "monitor memories", "hbreak *0x4010", "continue", "info threads", "stepi", "delete", "detach"
    )
    assert "scratch_pad[1]: 8192 bytes, 0x00c00000, of core 2 alone" in said
    assert "Breakpoint 1," in said
    assert session.result()["complete"] is True


@needs_gdb
@pytest.mark.parametrize("nic", ["hundredgig", "rosebud"])
def test_threads_see_the_memories_of_their_cores(tmp_path: Path, started: Started, nic: str) -> None:
    setting, address, memories = {
        "hundredgig": ("cores=4", "0x00100000", "engine[{}].scratch_pad"),
        "rosebud": ("rpus=4", "0x00800000", "rpu[{}].mover.data"),
    }[nic]
    session = Session(started, tmp_path / "out.json", nic, "--frames", "20", "--set", setting)
    word = f"{{int}}{address}"
    said = session.gdb(
        "monitor memories",
        "thread 2",
        f"set {word} = 0x01020304",
        f"print/x {word}",
        "thread 3",
        f"print/x {word}",
        *(f"monitor read {memories.format(core)} 0 4" for core in range(3)),
        "kill",
    )
    for core in range(4):
        listed = rf"^{re.escape(memories.format(core))}: \d+ bytes, {address}, of core {core + 1} alone$"
        assert re.search(listed, said, re.MULTILINE), said
    written, other = re.findall(r"^\$\d+ = (\w+)$", said, re.MULTILINE)
    assert written == "0x1020304" != other
    first, second, third = re.findall(r"^00000000: (.*)$", said, re.MULTILINE)
    assert first == third != second == "04 03 02 01"


@needs_gdb
def test_a_packet_mover_shows_two_memories_where_cores_see_them(tmp_path: Path, started: Started) -> None:
    session = Session(started, tmp_path / "out.json", "rosebud", "--frames", "20", "--set", "rpus=4")
    said = session.gdb(
        "monitor memories",
        "thread 2",
        "set {int}0x01000010 = 0x01020304",
        "print/x {int}0x01000010",
        "set {int}0x00807ffc = 0x05060708",
        "x/xw 0x00807ffc",
        "x/xw 0x00808000",
        "x/xw 0x00808010",
        "set {int}0x00808010 = 9",
        "x/xw 0x010ffffc",
        "x/xw 0x01100000",
        "monitor read rpu[1].mover.packets 0x10 4",
        "monitor read rpu[1].mover.data 0x7ffc 4",
        "monitor read rpu[1].mover.data 0x7ffc 8",
        "kill",
    )
    for core in range(4):
        of_core = f", of core {core + 1} alone\n"
        assert f"rpu[{core}].mover.data: 32768 bytes, 0x00800000{of_core}" in said
        assert f"rpu[{core}].mover.packets: 1048576 bytes, 0x01000000{of_core}" in said
    assert "= 0x1020304\n" in said
    assert "0x807ffc:\t0x05060708\n" in said
    for beyond in ("0x808000", "0x808010", "0x1100000"):
        assert f"Cannot access memory at address {beyond}\n" in said
    assert said.count("Cannot access memory at address 0x808010") == 2
    assert "0x10ffffc:\t0x" in said
    assert re.findall(r"^\w{8}: (.*)$", said, re.MULTILINE) == ["04 03 02 01", "08 07 06 05"]
    assert "not all of these bytes are inside rpu[1].mover.data" in said


@needs_gdb
def test_monitor_shows_cores_and_memories(tmp_path: Path, started: Started) -> None:
    session = Session(started, tmp_path / "out.json", "tigon2", "--frames", "4")
    said = session.gdb(
        "set {int}0x00c01ff0 = 0x01020304",
        "monitor cores",
        "monitor memories",
        "monitor time",
        "monitor read scratch_pad[0] 0x1ff0 20",
        "monitor read scratch_pad[1] 8176 16",
        "monitor read scratch_pad[1] 8177 16",
        "monitor read scratch_pad[2] 0 4",
        "monitor read scratch_pad[1] zero 4",
        "monitor read sram 0 65537",
        "hbreak *0x4010",
        "continue",
        "monitor cores",
        "monitor time",
        "monitor read sram 0 65536",
        "kill",
    )
    assert (
        "1 card.processor[0].model: 0x00004000 runs\n"
        "2 card.processor[1].model: 0x00004000 runs\n"
        "sram: 1048576 bytes, 0x00000000\n"
        "scratch_pad[0]: 16384 bytes, 0x00c00000, of core 1 alone\n"
        "scratch_pad[1]: 8192 bytes, 0x00c00000, of core 2 alone\n"
        "0 s\n"
        "00001ff0: 01 02 03 04 00 00 00 00 00 00 00 00 00 00 00 00\n"
        "00002000: 00 00 00 00\n"
        "00001ff0: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
        "not all of these bytes are inside scratch_pad[1]\n"
        "there is no memory scratch_pad[2]; `monitor memories` lists them\n"
        "offset and bytes are numbers, the latter at most 65536\n"
        "offset and bytes are numbers, the latter at most 65536\n"
        "1 card.processor[0].model: 0x00004010 runs\n"
    ) in said
    assert re.search(r"^2 card\.processor\[1\]\.model: 0x00000000 runs\n[\d.]+ us\n", said, re.MULTILINE), (
        said
    )
    assert re.search(r"^0000fff0:( [0-9a-f]{2}){16}$", said, re.MULTILINE), said


@needs_gdb
def test_a_core_is_seen_through_its_cache(tmp_path: Path, started: Started) -> None:
    session = Session(started, tmp_path / "out.json", "ricenic", "--frames", "60")
    said = session.gdb(
        "watch counters.frames_received",
        "continue",
        "continue",
        'eval "monitor read bram 0x%x 4", (unsigned)&counters.frames_received - 0xffff8000',
        "set var counters.frames_received = 7000",  # the store is under way
        "stepi 8",
        "set var counters.frames_received = 7000",
        "stepi",
        "print counters.frames_received",
        "kill",
    )
    changes = re.findall(r"Old value = (\d+)\nNew value = (\d+)", said)
    assert changes == [("0", "1"), ("1", "2")], said
    assert said.count("Cannot access memory") == 1
    assert "$1 = 7000" in said
    # The cache writes back, so the memory has not heard of it.
    assert re.search(r"^[0-9a-f]{8}: 00 ?00 ?00 ?00", said, re.MULTILINE), said


@needs_gdb
def test_reading_a_register_that_a_read_clears_leaves_it(tmp_path: Path, started: Started) -> None:
    """Each read of COMPLETION takes a frame from the queue of the MAC."""
    session = Session(started, tmp_path / "out.json", "ricenic", "--frames", "24")
    completion = "0x8000030c"
    said = session.gdb(
        f"break receive.c:72 if *(unsigned *){completion} != 0",
        "continue",
        f"x/xw {completion}",
        f"x/xw {completion}",
        "x/2xw 0x80000308",
        f"set var *(unsigned *){completion} = 0",
        "x/xw 0x80000ff0",
        "delete",
        "continue",
    )
    assert "hit Breakpoint 1" in said
    values = re.findall(rf"^{completion}:\t(0x[0-9a-f]{{8}})$", said, re.MULTILINE)
    assert len(values) == 2, said
    assert values[0] == values[1] != "0x00000000"
    assert re.search(rf"^0x80000308:\t0x[0-9a-f]{{8}}\t{values[0]}$", said, re.MULTILINE), said
    assert f"Cannot access memory at address {completion}" in said  # a write has effects
    assert "Cannot access memory at address 0x80000ff0" in said
    alone = json.loads(spinach_nic.run("ricenic", frames=24).to_json())
    assert session.result() == timeless_document(alone)


@needs_gdb
@pytest.mark.parametrize("setting", ["core=pipelined", "core=functional", "instruction_set=rv32"])
def test_gdb_reads_registers_of_devices(tmp_path: Path, started: Started, setting: str) -> None:
    settings = {"cores": "1", "quantum": "0", **dict([setting.split("=")])}
    words = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    session = Session(started, tmp_path / "out.json", "tengig", "--frames", "12", *words)
    published = "((struct state *)0x40)->reads.published"
    registers = "x/3xw 0x20000000"  # BASE, ENTRIES and PRODUCER of the DMA reads
    said = session.gdb(
        "break send_bds_arrived", "continue", registers, f"print/x {published}", "delete", "continue"
    )
    line = re.search(r"^0x20000000.*:\t(0x\w{8})\t(0x\w{8})\t(0x\w{8})$", said, re.MULTILINE)
    assert line is not None, said
    base, entries, producer = (int(value, 16) for value in line.groups())
    assert base > 0
    assert entries > 1
    assert entries.bit_count() == 1
    assert f"= {producer:#x}\n" in said
    alone = json.loads(spinach_nic.run("tengig", set=settings, frames=12).to_json())
    assert session.result() == timeless_document(alone)


@needs_gdb
@pytest.mark.parametrize("core", ["pipelined", "functional"])
def test_registers_can_be_written(started: Started, tmp_path: Path, core: str) -> None:
    """The firmware saves the return address that it finds, and gdb believes it."""
    session = Session(
        started, tmp_path / "out.json", "tengig", "--frames", "3", "--set", "cores=1", "--set", f"core={core}"
    )
    said = session.gdb(
        "break *send_pass",
        "continue",
        "set $ra = 0x2344",
        "print/x $ra",
        "stepi 12",
        "backtrace 3",
        "set $zero = 1",
        "print/x $zero",
        "set $pc = 0",
        "print/x $pc",
        "kill",
    )
    values = re.findall(r"^\$\d+ = (0x[0-9a-f]+)", said, re.MULTILINE)
    assert values[:2] == ["0x2344", "0x0"], said
    assert values[2] != "0x0"
    assert re.search(r"^#\d +0x00002344 in", said, re.MULTILINE), said
    assert said.count("Could not write register") + said.count("remote failure reply") >= 2, said
    session.process.wait(timeout=50)


def test_what_cannot_be_debugged_is_refused(started: Started, tmp_path: Path) -> None:
    for words, reason in (
        (["tengig", "--set", "core=composed"], "cores of this kind answer no debugger"),
        (["tengig", "--set", "core=vliw"], "cores of this kind answer no debugger"),
        (
            ["tengig", "--pcap-out", str(tmp_path / "out.pcapng")],
            "a run that is debugged does not work with pcap_out",
        ),
        (["tengig", "--listen", "nowhere"], "invalid address 'nowhere' in --listen"),
    ):
        process = started.spinach("debug", *words, "--frames", "1")
        _, err = process.communicate(timeout=50)
        assert process.returncode == 2
        assert reason in err
        assert "Traceback" not in err


def test_a_launch_file_keeps_what_others_wrote(tmp_path: Path) -> None:
    file = tmp_path / ".vscode" / "launch.json"
    write_launch_file(file, "127.0.0.1:3333", Path("old.elf"), [])
    other = {"name": "another", "type": "node"}
    document = json.loads(file.read_text())
    file.write_text(json.dumps({**document, "configurations": [other, *document["configurations"]]}))
    write_launch_file(file, "[::1]:4444", Path("new.elf"), ["set substitute-path . /firmware"])
    ours, kept = json.loads(file.read_text())["configurations"]
    assert kept == other
    assert ours["program"] == "new.elf"
    assert ours["preConnectCommands"] == ["set substitute-path . /firmware"]
    assert ours["target"] == {"type": "remote", "host": "[::1]", "port": "4444"}


@pytest.mark.parametrize("text", ["// mine\n{}", "[]", '{"configurations": [1]}', '{"configurations": 1}'])
def test_a_launch_file_that_cannot_be_kept_is_left_as_it_is(tmp_path: Path, text: str) -> None:
    file = tmp_path / "launch.json"
    file.write_text(text)
    with pytest.raises(SpinachError):
        write_launch_file(file, "127.0.0.1:3333", None, [])
    assert file.read_text() == text


@needs_gdb
@pytest.mark.parametrize("core", ["pipelined", "functional"])
def test_a_fault_of_firmware_stops_in_gdb_and_can_be_traced_back(
    started: Started, tmp_path: Path, core: str
) -> None:
    before = "    returned->opaque = buffer->opaque;\n"
    after = before.replace("buffer->opaque", "*(volatile uint32_t *)((uintptr_t)&buffer->opaque + 1)")
    firmware = changed(tmp_path, "tengig/base", "include/tengig/receive.h", before, after)
    options = ("--firmware", str(firmware), "--frames", str(FRAMES), "--set", f"core={core}")
    session = Session(started, tmp_path / "out.json", "tengig", *options)
    said = session.gdb(
        "continue",
        "print $pc",
        "monitor cores",
        "monitor time",
        "reverse-stepi",
        "reverse-stepi",
        "monitor time",
        "continue",
        "print $pc",
        "continue",
    )
    _, err = session.process.communicate(timeout=50)
    assert said.count("received signal SIGABRT") == 2, said
    first, second = re.findall(r"= \(.*\) (0x\w+) <receive", said)
    assert first == second
    assert "fetch from misaligned address" in said
    at, earlier = (float(time) for time in re.findall(r"^([\d.]+) us$", said, re.MULTILINE))
    assert earlier < at
    assert "exited with code" in said
    assert session.process.returncode == 3
    assert "fetch from misaligned address" in err


EXCEPTIONS = {
    "mips": ("status", "badvaddr", "cause", "epc"),
    "rv32": ("mstatus", "mtval", "mcause", "mepc"),
    "ppc405": ("srr3", "dear", "esr", "srr2"),
}
"""Registers of exceptions: state, address, cause, and the instruction; on PowerPC those of critical ones."""


@needs_gdb
@pytest.mark.parametrize("is_handled", [False, True], ids=["fault", "handler"])
@pytest.mark.parametrize(
    ("instruction_set", "image", "address", "cause"),
    [
        ("mips", "misaligned_load", None, 4 << 2),
        ("mips", "no_memory", None, 7 << 2),
        ("rv32", "misaligned_load", None, 4),
        ("rv32", "no_memory", 0x40000000, 5),
        ("ppc405", "no_memory", 0x40000000, 0),
    ],
)
def test_gdb_reads_the_registers_of_an_exception(
    started: Started,
    tmp_path: Path,
    instruction_set: str,
    image: str,
    address: int | None,
    cause: int,
    is_handled: bool,
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(MINE.replace("Wires", "WiresAndCore"))
    settings = [f"instruction_set={instruction_set}"]
    if is_handled:
        settings.append(f"core[0].exception_vector={0x1000 + 0x180}")
    words = [word for setting in settings for word in ("--set", setting)]
    session = Session(started, tmp_path / "out.json", str(file), "--firmware", image, *words)
    state, bad_address, cause_name, place = EXCEPTIONS[instruction_set]
    said = session.gdb(
        "continue",
        "print/x $pc",
        f"print/x ${place}",
        f"print/x ${cause_name}",
        f"print/x ${bad_address}",
        f"print/x ${state}",
        f"info registers {place} {cause_name}",
        f"info symbol ${place}",
        f"set var ${place} = 4",
        f"print/x ${place}",
        "kill",
    )
    assert "received signal SIGABRT" in said, said
    values = [int(value, 16) for value in re.findall(r"^\$\d+ = (0x[0-9a-f]+)$", said, re.MULTILINE)]
    pc, raised, found, bad, _, kept = values
    assert (pc == raised) != is_handled, said
    assert found == cause, said
    assert kept == raised, said
    assert re.search(rf"^{place}:? +{raised:#x}\b", said, re.MULTILINE), said
    assert re.search(r"^fault( \+ \d+)? in section", said, re.MULTILINE), said
    if address is not None:
        assert bad == address, said
    elif image == "misaligned_load":
        assert bad % 4 != 0, said


def test_options_that_a_debugged_run_refuses_are_not_in_its_help_and_refused_before_it_waits() -> None:
    shown = CliRunner().invoke(spinach, ["debug", "--help"]).output
    hidden = {
        flag.name: name for name in refused_by_debugger() if (flag := options_of(RunOptions)[name].flag)
    }
    assert {"--pcap-out", "--save-at", "--timeline", "--wave-from", "--wire"} <= hidden.keys()
    assert not [flag for flag in hidden if re.search(rf"{flag}\b", shown)]
    refused = CliRunner().invoke(spinach, ["debug", "tengig", "--save-at", "1us", "never"])
    assert "a run that is debugged does not work with save_at" in str(refused.exception)
    assert "waiting for gdb" not in refused.output
