"""Programs of the host machine on a server: output, exit status, regions of interest, files."""

import io
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from scapy.all import ICMP, rdpcap  # type: ignore[attr-defined]
from tests.python.conftest import IS_LONG

from spinach_nic import SpinachError, cli, servers
from spinach_nic.firmware.description import shipped_root
from spinach_nic.servers import linux, program, root
from spinach_nic.servers.parameters import ServerSettings, timing_changes

COMPILER = "riscv64-linux-gnu-gcc"
SOURCE = r"""
#include "spinach.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words) {
    char line[100];
    for (int word = 1; word < count; word++)
        printf("[%s]", words[word]);
    while (fgets(line, sizeof line, stdin))
        printf("line %s", line);
    volatile double sum = 0;
    roi_begin("outer");
    for (int step = 0; step < 1000; step++)
        sum += sqrt(step);
    roi_begin("inner");
    for (int step = 0; step < 10000; step++)
        sum += step;
    roi_end();
    roi_end();
    printf("%.3f\n", sum);
    return atoi(words[count - 1]);
}
"""


def compiled(folder: Path, source: str, *options: str) -> Path:
    """Return a compiled program; skip without the compiler."""
    if shutil.which(COMPILER) is None:
        pytest.skip(f"{COMPILER} is not installed (Debian package gcc-riscv64-linux-gnu)")
    (folder / "program.c").write_text(source)
    made, include = folder / "program", shipped_root() / "linux" / "guest"
    command = [COMPILER, "-O2", f"-I{include}", *options, "-o", str(made), str(folder / "program.c"), "-lm"]
    subprocess.run(command, check=True)
    return made


def booted(arguments: Sequence[str], monkeypatch: pytest.MonkeyPatch, typed: bytes = b"") -> int:
    """Return the exit status of `spinach boot`, with this standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed)))
    return cli.carry_out(["boot", "rv64", *arguments])


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("options", [(), ("-static",)])
def test_a_program_has_its_arguments_input_output_and_exit_status(
    options: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    made = compiled(tmp_path, SOURCE, *options)
    status = booted(["--exec", str(made), "two words", "--harts", "7"], monkeypatch, b"a\nb\n")
    printed, said = capfd.readouterr()
    assert status == 7
    assert printed.startswith("[two words][--harts][7]line a\nline b\n")
    assert len(printed.splitlines()) == 3
    inner, outer = (line for line in said.splitlines() if line.startswith("region "))
    assert inner.startswith("region inner:")
    assert outer.startswith("region outer:")
    counts = [int(line.split()[2].replace(",", "")) for line in (inner, outer)]
    assert 10_000 < counts[0] < counts[1]


@pytest.mark.usefixtures("kernel")
def test_a_timed_region_counts_misses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    made = compiled(tmp_path, SOURCE, "-static")
    document = tmp_path / "result.json"
    narrow = ["--core", "timed", "--set", "core.width=1", "--json", str(document), "--exec", str(made), "0"]
    assert booted(narrow, monkeypatch) == 0
    said = capfd.readouterr().err
    (inner,) = (line for line in said.splitlines() if line.startswith("region inner"))
    instructions, cycles = (int(inner.split()[place].replace(",", "")) for place in (2, 4))
    assert cycles >= instructions
    assert "misses of data" in inner
    result = json.loads(document.read_text())
    assert result["ending"] == "exited"
    assert result["exit_status"] == 0
    assert result["config"]["core.width"] == 1
    assert [region["name"] for region in result["regions"]] == ["inner", "outer"]
    assert result["regions"][0]["instructions"] == instructions
    assert result["regions"][0]["timing"]["data_references"] >= 10_000


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("sampled", [(), ("--sample", "500us,100us,100us")])
def test_a_checkpoint_within_a_timed_region_does_not_change_its_counts(
    sampled: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saves = SOURCE.replace("roi_end();", "spinach_checkpoint();\n    roi_end();", 1)
    made, document = compiled(tmp_path, saves, "-static"), tmp_path / "result.json"
    saved = ["--save", str(tmp_path / "saved"), "--json", str(document)]
    assert booted(["--core", "timed", *sampled, *saved, "--exec", str(made), "0"], monkeypatch) == 0
    result = json.loads(document.read_text())
    assert result["servers"][0]["timing"]["instructions"] == result["instructions"] > 1_000_000
    for region in result["regions"]:
        assert region["timing"]["instructions"] == region["instructions"] > 10_000
        assert min(region["timing"].values()) >= 0


@pytest.mark.usefixtures("kernel")
def test_a_program_that_is_killed_or_missing_ends_with_the_status_of_a_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = compiled(tmp_path, "#include <stdlib.h>\nint main(void) { abort(); }", "-static")
    assert booted(["--exec", str(made)], monkeypatch) == 128 + 6


def test_programs_for_other_machines_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kernel: linux.Linux
) -> None:
    assert booted(["--exec", sys.executable], monkeypatch) == 2
    assert "not for RISC-V of 64 bits" in capsys.readouterr().err
    assert booted(["--exec", "/nowhere"], monkeypatch) == 2
    assert "/nowhere" in capsys.readouterr().err


def test_missing_libraries_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = compiled(tmp_path, SOURCE)
    monkeypatch.setattr(program, "LIBRARY_FOLDERS", ())
    task = program.Task(words=(str(made),), input=b"")
    with pytest.raises(SpinachError, match="needs the shared library lib"):
        task.linux(linux.Linux("kernel", b""))


@pytest.mark.parametrize("cut", [20, 64, 200])
def test_damaged_programs_are_refused(tmp_path: Path, cut: int) -> None:
    content = compiled(tmp_path, SOURCE).read_bytes()
    with pytest.raises(SpinachError, match="x is a damaged ELF file"):
        program.Elf.of(Path("x"), content[:cut])


@pytest.mark.usefixtures("kernel")
def test_a_checkpoint_from_a_program_goes_on_behind_the_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    source = (
        '#include "spinach.h"\n#include <stdio.h>\nint main(void) '
        '{ puts("before"); fflush(stdout); spinach_checkpoint(); puts("after"); return 5; }'
    )
    made, saved = compiled(tmp_path, source, "-static"), tmp_path / "saved"
    assert booted(["--save", str(saved), "--exec", str(made)], monkeypatch) == 5
    assert capfd.readouterr().out == "before\nafter\n"
    assert booted(["--restore", str(saved)], monkeypatch) == 5
    assert capfd.readouterr().out == "after\n"
    image = tmp_path / "image.ext4"
    image.write_bytes(bytes(1080) + b"\x53\xef" + bytes(4096 - 1082))  # The superblock's magic number.
    for option, given, found in (("--share", tmp_path, "shared folder"), ("--root", image, "disk")):
        assert booted(["--restore", str(saved), option, str(given)], monkeypatch) == 2
        error, help = capfd.readouterr().err.splitlines()
        assert error.endswith(f"of a server that has no {found}: it was saved without {option}")
        assert help == "help: repeat the --root and --share of the run that saved it"


DATAGRAMS = r"""
#include "spinach.h"
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
    static char content[1000];
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
    int datagrams = socket(AF_INET, SOCK_DGRAM, 0);
    inet_pton(AF_INET, "10.0.0.2", &to.sin_addr);
    usleep(30000); // Until the other server is ready.
    sendto(datagrams, content, 10, 0, (void *)&to, sizeof to);
    usleep(10000); // Until its address is known.
    for (int region = 0; region < 5; region++) {
        roi_begin("sending");
        for (int number = 0; number < 5; number++) {
            sendto(datagrams, content, sizeof content, 0, (void *)&to, sizeof to);
            if (region == 2 && number == 3)
                spinach_checkpoint();
        }
        usleep(60);
        roi_end();
    }
    roi_begin("waiting");
    usleep(5000);
    roi_end();
    return 0;
}
"""
FRAME_BYTES = 1042


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("card", ["dp83820", "sinic", "ricenic"])
def test_counters_and_bytes_of_a_region_are_those_of_its_time(
    card: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, document = compiled(tmp_path, DATAGRAMS, "-static"), tmp_path / "result.json"
    link, frames = ["--nodes", "2", "--card", card, "--link-latency", "500us"], tmp_path / "link.pcapng"
    outputs = ["--json", str(document), "--pcap-out", str(frames)]
    assert booted([*link, *outputs, "--exec", str(made)], monkeypatch) == 0
    regions = json.loads(document.read_text())["regions"]
    assert [region["sent_bytes"] for region in regions] == [5 * FRAME_BYTES] * 5 + [0]
    answers = [(round(frame.time * 10**9), len(frame)) for frame in rdpcap(str(frames)) if ICMP in frame]
    for region in regions:
        begins, ends = region["begins_ns"], region["begins_ns"] + region["simulated_ns"]
        assert region["received_bytes"] == sum(size for time, size in answers if begins <= time < ends)
    assert any(region["received_bytes"] for region in regions)
    counted = [region["counters"] for region in regions[:5]]
    if card == "ricenic":
        assert all(counters["read_bytes"] > 5 * FRAME_BYTES for counters in counted)
    else:
        assert all(counters["sent"] == 5 for counters in counted)


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("card", ["dp83820", "sinic"])
def test_a_checkpoint_from_a_program_holds_the_frames_of_its_step(
    card: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, document, saved = (
        compiled(tmp_path, DATAGRAMS, "-static"),
        tmp_path / "result.json",
        tmp_path / "saved",
    )
    link = ["--nodes", "2", "--card", card, "--link-latency", "100us", "--json", str(document)]
    counters = []
    for options in (["--save", str(saved), "--exec", str(made)], ["--restore", str(saved)]):
        assert booted([*link, *options], monkeypatch) == 0
        counters.append([server["counters"] for server in json.loads(document.read_text())["servers"]])
    assert counters[0] == counters[1]


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("options", [[], ["--nodes", "2"], ["--cold"]])
def test_a_kernel_panic_ends_the_command(
    options: Sequence[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert booted(["--memory", "20MiB", *options], monkeypatch) != 0
    error = capfd.readouterr().err
    text = (
        "failed after" if "--cold" in options else "the kernel of server 1 panicked: No working init found\n"
    )
    assert text in error


@pytest.mark.usefixtures("kernel")
def test_a_shared_folder_is_read_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    source = (
        "#include <stdio.h>\n#include <sys/stat.h>\nint main(void) { char text[100]; "
        'FILE *from = fopen("from", "r"); fgets(text, 100, from); mkdir("made", 0755); '
        'FILE *to = fopen("made/to", "w"); fputs(text, to); return fclose(to); }'
    )
    made = compiled(tmp_path, source, "-static")
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "from").write_text("content\n")
    assert booted(["--share", str(shared), "--exec", str(made)], monkeypatch) == 0, capfd.readouterr()
    assert (shared / "made" / "to").read_text() == "content\n"
    assert booted(["--share", str(shared)], monkeypatch, b"cat /host/made/to\npoweroff\n") == 0
    assert "\ncontent" in capfd.readouterr().out.replace("\r", "")


@pytest.mark.usefixtures("kernel")
def test_an_archive_is_unpacked_over_the_shipped_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "files"
    file.write_bytes(servers.archive.archive([servers.archive.document("note", b"a note")]))
    assert booted(["--files", str(file)], monkeypatch, b"cat note\npoweroff\n") == 0
    assert "a note" in capfd.readouterr().out


@pytest.fixture
def debian(kernel: linux.Linux) -> None:
    """Skip without Debian's root file system."""
    if not root.image().exists():
        pytest.skip("there is no root file system of Debian: `make root` builds it")


@pytest.mark.usefixtures("debian")
def test_debian_runs_its_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.py"
    script.write_text("import spinach_roi\nwith spinach_roi.region('sum'):\n    print(sum(range(1000)))\n")
    arguments = ["--root", "debian", "--share", str(tmp_path), "--exec", "python3", "script.py"]
    assert booted(arguments, monkeypatch) == 0
    printed, said = capfd.readouterr()
    assert printed == "499500\n"
    assert "region sum:" in said
    commands = (
        b"cd /tmp; iperf3 -s -1 -D; sleep 1; iperf3 -c 127.0.0.1 -t 1 | tail -4\necho $((6 * 7)) > x; cat x\n"
    )
    assert booted(["--root", "debian"], monkeypatch, commands) == 0
    printed = capfd.readouterr().out
    assert "receiver" in printed
    assert printed.endswith("42\n")


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("debian")
@pytest.mark.parametrize("core", ["functional", "timed"])
def test_perf_of_debian_counts_what_a_program_executes(
    core: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    events = "cycles:u,instructions:u,branch-misses:u"
    # On timed cores Python takes longer than `perf`.
    python = "python3 -c 'print(6 * 7)'" if core == "functional" or IS_LONG else "echo $((6 * 7))"
    commands = f"{python}; perf stat -x, -e {events} true\n".encode()
    assert booted(["--root", "debian", "--core", core], monkeypatch, commands) == 0
    answer, *counted = capfd.readouterr().out.splitlines()
    assert answer == "42"
    cycles, instructions, misses = (int(line.split(",")[0]) for line in counted)
    # `true`, and the dynamic linker before it.
    assert 50_000 < instructions < 1_000_000
    assert (
        (instructions / 4 < cycles) if core == "timed" else (cycles == pytest.approx(instructions, rel=0.01))
    )
    assert (misses > 0) == (core == "timed")


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (["core.width=2"], {"width": 2}),
        (["width=2", "memory_ns=80"], {"width": 2, "memory_ns": 80}),
        (["memory_ns=1us", "near_bytes_per_cycle=32"], {"memory_ns": 1000, "near_bytes_per_cycle": 32}),
        (["attachment=memory"], {"attachment": "memory"}),
    ],
)
def test_timing_changes_come_from_the_command_line(
    settings: list[str], expected: dict[str, int | str]
) -> None:
    assert timing_changes(None, settings) == expected


def test_values_of_timing_have_the_unit_of_their_parameter() -> None:
    changes = timing_changes(None, ["ways.host_bus.clock_hz=1GHz", "second_level.bytes=1MiB"])
    assert changes["ways"]["host_bus"]["clock_hz"] == 10**9
    assert changes["second_level"]["bytes"] == 1 << 20
    for setting, message in (
        ("core.memory_ns=4KiB", "4KiB is not a time"),
        ("core.memory_ns=1ps", "memory_ns has no fractions of its unit"),
        ("core.width=50ns", "width is an integer, not '50ns'"),
        ("core.first_level.bytes=50ns", "50ns is not an amount of memory"),
    ):
        with pytest.raises(SpinachError, match=re.escape(message)):
            timing_changes(None, [setting])
    with pytest.raises(SpinachError) as raised:
        timing_changes(None, ["zzz=2"])
    assert re.search(r"valid names: width, .* and \d+ more", raised.value.help)
    for path in ("first_level.bytes", "ways.card_bus.header_bytes"):
        with pytest.raises(SpinachError, match=re.escape(path)):
            timing_changes(None, [f"{path[:-1]}=2"])


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("is_file", [False, True])
def test_the_attachment_of_cards_can_be_a_parameter_of_the_core(
    is_file: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document, timing = tmp_path / "result.json", tmp_path / "timing.json"
    timing.write_text('{"attachment": "memory"}')
    given = ["--timing", str(timing)] if is_file else ["--set", "core.attachment=memory"]
    assert booted(["--core", "timed", *given, "--json", str(document)], monkeypatch, b"poweroff\n") == 0
    assert json.loads(document.read_text())["config"]["core.attachment"] == "memory"


def test_timing_of_servers_that_are_modules_is_separate() -> None:
    settings = ["node[1].hart_core=timed", "node[0].cores=2", "node[1].timing.width=2", "node[1].core.x=1"]
    first = ["node[0].hart_core=timed"]
    found = ServerSettings.of([*settings, "node[0].timing.memory_ns=80"], first, {"width": 3})
    assert found.always == ("node[0].cores=2", "node[1].core.x=1")
    *timing, of_first, of_second = found.timing
    assert timing == ["node[0].hart_core=timed", "node[1].hart_core=timed"]
    assert of_first == 'node[0].timing={"width": 3, "memory_ns": 80}'
    assert of_second == 'node[1].timing={"width": 2}'
    with pytest.raises(SpinachError, match="those of server 2 are functional"):
        ServerSettings.of(settings[1:], first, {})


def test_the_attachment_of_a_card_made_of_modules_is_that_of_its_timed_core() -> None:
    first = ["node[0].hart_core=timed", "node[0].attachment=cache"]
    found = ServerSettings.of((), first, {"attachment": "memory"})
    assert found.timing == (*first, "node[0].attachment=memory")
    second = ["node[1].hart_core=timed", "node[1].timing.attachment=io"]
    found = ServerSettings.of(second, first, {})
    assert found.timing == (*first, second[0], "node[1].attachment=io")
    for settings, changes in (
        (["node[0].attachment=io"], {"attachment": "memory"}),
        ([*second, "node[1].attachment=memory"], {}),
    ):
        with pytest.raises(SpinachError, match="a card is attached at one point, not at "):
            ServerSettings.of(settings, first, changes)


def test_a_changed_part_keeps_its_other_parameters(tmp_path: Path) -> None:
    file = tmp_path / "timing.json"
    file.write_text(json.dumps({"width": 2, "second_level": {"bytes": 1 << 20}}))
    changes = timing_changes(file, ["width=3", "ways.bridge_ns=100"])
    assert changes["width"] == 3
    assert changes["second_level"] == {"bytes": 1 << 20, "ways": 8}
    assert changes["ways"]["bridge_ns"] == 100
    assert changes["ways"]["host_ns"] == 20


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "width=2"], "--timing, and --set without node[0] or node[1], are for timed cores"),
        (["--core", "timed", "--set", "width"], "invalid parameter 'width'"),
        (["--core", "timed", "--set", "core.widths=2"], "unknown parameter core.widths"),
        (["--core", "timed", "--set", "ways=2"], "unknown parameter ways"),
        (
            ["--core=timed", "--nodes=2", "--attachment=io", "--set=core.attachment=memory"],
            "attached at one point, not at io and memory",
        ),
        (["--core", "timed", "--timing", "/dev/null"], "not a JSON document"),
        (["--root", "/nowhere"], "there is no image /nowhere"),
        (["--root", __file__], "is not an ext4 image"),
        (["--share", "/nowhere"], "cannot open /nowhere"),
        (["--restore", "/dev/null", "--exec", "x"], "--restore continues"),
    ],
)
def test_mistakes_are_two_lines(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert booted(arguments, monkeypatch) == 2
    error, help = capsys.readouterr().err.splitlines()
    assert message in error
    assert help.startswith("help: ")
