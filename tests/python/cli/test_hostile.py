"""Command lines that cannot be carried out: each is refused before anything runs, with what is allowed."""

import shlex
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spinach_nic import SpinachError, cli, parse_quantity
from spinach_nic.benches import make_bench
from spinach_nic.model.parameters import KINDS
from spinach_nic.support.units import Frequency, Quantity, Rate, Size, Time

NINES = "9" * 5000

REFUSED: list[tuple[str, str]] = [
    # Exponents that would take all memory, and numbers that nothing can hold.
    ("run tengig --set core_clock=1e99999999Hz", "core_clock: 1e99999999Hz is out of range"),
    ("run tengig --set core_clock=1e-99999999Hz", "core_clock: 1e-99999999Hz is out of range"),
    ("run tengig --set core_clock=1e+99999999Hz", "is out of range"),
    ("run tengig --set core_clock=2147483648GHz", "core_clock: 2147483648 GHz is above the largest, 100 GHz"),
    ("run tengig --set core_clock=1e30Hz", "core_clock: 1e30Hz is above the largest"),
    ("run tengig --set core_clock=0Hz", "core_clock: 0 Hz is below the smallest, 1 MHz"),
    ("run tengig --set core_clock=1/0Hz", "is not a number with a unit"),
    ("run tengig --set core_clock=-1MHz", "is negative"),
    ("run tengig --set core_clock=166", "core_clock: 166 has no unit"),
    ("run tengig --set core_clock=2ms", "core_clock: 2ms is not a frequency"),
    ("run tengig --set core_clock=1e9999", "core_clock: 1e9999 has no unit"),
    (f"run tengig --set core_clock={NINES}Hz", "is not a number with a unit"),
    (f"run tengig --set core_clock=1e{NINES}Hz", "is not a number with a unit"),
    ("run tengig --set core_clock=nanHz", "'nanHz' is not a number with a unit"),
    ("run tengig --set core_clock=infHz", "'infHz' is not a number with a unit"),
    ("run tengig --set memory_clock=101GHz", "memory_clock: 101 GHz is above the largest, 100 GHz"),
    ("run tengig --set host_clock=1Hz", "host_clock: 1 Hz is below the smallest, 1 MHz"),
    ("run tigon2 --set sram_clock=1THz", "'THz' is not a unit"),
    ("run tengig --time 1e99999999s", "1e99999999s is out of range"),
    ("run tengig --time 1e18s", "1e18s is above the largest, 18446 s"),
    ("run tengig --time 1001s", "time: 1001 s is above the largest, 1000 s"),
    ("run tengig --time 0s", "time: 0 fs is below the smallest, 1 fs"),
    ("run tengig --time 5", "5 has no unit"),
    ("run tengig --time 5MHz", "5MHz is not a time"),
    ("run tengig --stall-after 0s", "stall_after: 0 fs is below the smallest, 1 us"),
    ("run tengig --stall-after 2000s", "stall_after: 2000 s is above the largest, 1000 s"),
    ("run tengig --traffic udp:18@1e99999999Gbps", "1e99999999Gbps is out of range"),
    ("run tengig --traffic udp:18@1e15Gbps", "1e15Gbps is above the largest"),
    ("run tengig --traffic udp:18@101Tbps", "'Tbps' is not a unit"),
    ("run tengig --traffic udp:18@100001Gbps", "100001 Gbps is above the largest, 100000 Gbps"),
    ("run tengig --traffic udp:18@0bps", "the rate is zero"),
    ("run tengig --traffic udp:18@2Gbps:rx", "give the direction before the rate: udp:18:rx@2Gbps"),
    (
        "run tengig --traffic udp:214:rx,flows=100,bad_crc=1%",
        "give settings before the direction: udp:214,flows=100:rx,bad_crc=1%",
    ),
    ("run tengig --traffic udp:18:rx,700", "give settings before the direction: udp:18,700:rx"),
    (
        "run tengig --traffic udp:18:rx@2Gbps,flows=9",
        "give settings before the direction: udp:18,flows=9:rx@2Gbps",
    ),
    ("run tengig --traffic udp:18@2Gbps,flows=9", "give settings before the rate: udp:18,flows=9@2Gbps"),
    ("run tengig --traffic udp:18:rx,flows=x", "'18:rx' is not a size"),
    ("run tengig --traffic udp:18,flows=0", "traffic 'udp:18,flows=0': flows: 0 is below the smallest, 1"),
    ("run tengig --traffic udp:18@0pps", "0pps is not a frame rate"),
    ("run tengig --traffic udp:18@0.5pps", "0.5pps is not a frame rate"),
    ("run tengig --traffic udp:18@99999999999999999999Mpps", "is above the largest, 1000000000000"),
    (f"run tengig --traffic udp:18@{NINES}pps", "is not a frame rate"),
    ("run tengig --traffic udp:18@1.2.3pps", "is not a frame rate"),
    ("run tengig --traffic udp:-1", "'-1' is not a size"),
    ("run tengig --traffic udp:1473", "the NIC passes at most 1514"),
    (f"run tengig --traffic udp:{NINES}", "is not a size"),
    ("run tengig --traffic udp:18:rx,runt=101%", "'101%' is not a percentage of the frames"),
    ("run tengig --traffic udp:18:rx,runt=1e3%", "is not a percentage of the frames"),
    ("run tengig --traffic udp:18:tx --traffic imix:tx", "tx has traffic already"),
    # Parameters of integers.
    (
        "run tengig --set send_coalescing=2147483648",
        "send_coalescing: 2147483648 is above the largest, 65536",
    ),
    ("run tengig --set send_coalescing=0", "send_coalescing: 0 is below the smallest, 1"),
    ("run tengig --set receive_coalescing=-1", "receive_coalescing: -1 is below the smallest, 1"),
    ("run tengig --set coalescing_time=1000s", "coalescing_time: 1000 s is above the largest, 10 ms"),
    ("run tengig --set host_latency=1s", "host_latency: 1 s is above the largest, 10 ms"),
    ("run tengig --set cores=0", "cores: 0 is below the smallest, 1"),
    ("run tengig --set cores=17", "cores: 17 is above the largest, 16"),
    ("run tengig --set cores=1.5", "cores: '1.5' is not an integer"),
    ("run tengig --set cores=1e1", "cores: '1e1' is not an integer"),
    ("run tengig --set cores=six", "cores: 'six' is not an integer"),
    ("run tengig --set cores=6cores", "cores: '6cores' is not an integer"),
    (f"run tengig --set cores={NINES}", "is not an integer"),
    (f"run tengig --set cores=0x{'f' * 5000}", "is not an integer"),
    (f"run tengig --set cores=0b{'1' * 70}", "is above the largest, 16"),
    ("run tengig --set banks=0", "banks: 0 is below the smallest, 1"),
    (
        "run tengig --set cache_size=3KiB",
        "cache_size: 3 KiB is not a power of two\nhelp: give one, such as 2 KiB",
    ),
    (
        "run tengig --set host.receive_entries=3",
        "host.receive_entries: 3 is not a power of two\nhelp: give one, such as 2 (",
    ),
    ("run tengig --set host.pauses_us=1,2,3", "give a start and a length for each pause"),
    ("run tengig --set first_index=4294967296", "first_index: 4294967296 is above the largest, 4294967295"),
    ("run tengig --set store_buffer=65", "store_buffer: 65 is above the largest, 64"),
    ("run tengig --set interconnect=pci", "invalid interconnect 'pci' (unlimited, pci_32_33, "),
    ("run tengig --set core=", "is not PATH=VALUE"),
    ("run tengig --set cores", "is not PATH=VALUE"),
    ("run tengig --set =6", "is not PATH=VALUE"),
    # Memories that the machine, or the firmware, cannot have.
    ("run tengig --set frame_memory_size=100GiB", "frame_memory_size: 100 GiB is above the largest, 1 GiB"),
    ("run tengig --set frame_memory_size=256KiB", "frame_memory_size: 256 KiB is below the smallest, 5 MiB"),
    ("run tengig --set frame_memory_size=4MiB", "frame_memory_size: 4 MiB is below the smallest, 5 MiB"),
    ("run tengig --set frame_memory_size=1e999GiB", "is out of range"),
    ("run tengig --set frame_memory_size=0.1B", "is not an integer number of B"),
    ("run tengig --set largest_frame=9217", "largest_frame: 9217 is above the largest, 9216"),
    ("run tengig --set largest_frame=59", "largest_frame: 59 is below the smallest, 60"),
    ("run tengig --set cache_size=4GiB", "cache_size: 4 GiB is above the largest, 1 MiB"),
    ("run tigon2 --set sram_size=3MiB", "invalid sram_size 3 MiB (512 KiB, 1 MiB or 2 MiB)"),
    ("run tigon2 --set send_entries=100", "invalid send_entries 100 (128, 256 or 512)"),
    ("run tigon2 --set standard_buffers=512", "standard_buffers: 512 is above the largest, 511"),
    ("run tigon2 --set multicast=ff", "multicast: 'ff' cannot be read"),
    # Missing names at any depth are quoted as typed.
    ("run tengig --set sped=1", "Tengig has no parameter 'sped'"),
    (
        "run tengig --set host.receive_bufer=1",
        "host.receive_bufer: RingHost has no parameter 'receive_bufer'",
    ),
    ("run tengig --set host.receive_buffer=1B", "host.receive_buffer: 1 B is below the smallest, 60 B"),
    (
        "run tengig --set host.memory_base=99999999999999999999",
        "host.memory_base: 99999999999999999999 is above",
    ),
    ("run tengig --set hots.receive_buffer=1", "hots.receive_buffer: Tengig has no part 'hots'"),
    ("run tengig --set processor[9].cache_size=8KiB", "Tengig has no part 'processor[9]'"),
    ("run tengig --set processor[0].cache.sise=8KiB", "processor[0].cache.sise: CacheController has no"),
    (
        "run tengig --set processor[0].cache.size=0B",
        "processor[0].cache.size: 0 B is below the smallest, 16 B",
    ),
    ("run tengig --set processor[0].model.profile_bytes=4GiB", "is above the largest, 16 MiB"),
    (
        "run tengig --set host.receive_entries=65536 --set host.receive_buffer=65535B",
        "host: rings and buffers take",
    ),
    ("run tengig --set frame_memory.contents.size=5GiB", "is above the largest, 4 GiB"),
    (
        "run tengig --set interconnect_to_host.preset=isa",
        "invalid interconnect_to_host.preset 'isa' (unlimited, ",
    ),
    ("run tengig --set frame_memory.nothing.size=1", "nothing.size: frame_memory has no part 'nothing'"),
    ("run tengig --set image=1", "image: '1' cannot be read"),
    ("run tengig --set tx=1", "tx: '1' cannot be read"),
    ("run tengig --set ..=1", "has no part ''"),
    ("run tengig --set host.clock=core", "is not a clock domain"),
    ("graph tengig --set cores=0 -o x.svg", "cores: 0 is below the smallest, 1"),
    ("graph tengig --set host.x=0 -o x.svg", "host.x: RingHost has no parameter 'x'"),
    ("describe tengig --set cores=99", "cores: 99 is above the largest, 16"),
    ("describe tengig host.nothing", "host has no part or parameter 'nothing'"),
    # Counts and seeds.
    ("run tengig --frames -1", "frames: -1 is below the smallest, 1"),
    ("run tengig --frames 0", "frames: 0 is below the smallest, 1"),
    ("run tengig --frames 1e99", "'1e99' is not a number of frames"),
    (f"run tengig --frames {NINES}", "is not a number of frames"),
    ("run tengig --frames 99999999999999", "frames: 99999999999999 is above the largest, 1000000000000"),
    ("run tengig --frames tx=1,rx=-1", "frames: -1 is below the smallest, 1"),
    ("run tengig --frames tx=1,tx=1", "is not a number of frames"),
    ("run tengig --frames up=1", "is not a number of frames"),
    ("run tengig --seed -1", "-1 is below the smallest, 0"),
    ("run tengig --seed 4611686018427387904", "is above the largest, 2^62 - 1"),
    ("run tengig --seed x", "'x' is not an integer"),
    (f"run tengig --seed {NINES}", "is not an integer"),
    ("profile tengig --lines -1", "-1 is below the smallest, 0"),
    ("profile tengig --frames -1", "frames: -1 is below the smallest, 1"),
    ("trace tengig -o FOLDER --seed -1", "-1 is below the smallest, 0"),
    ("reproduce thesis-table-4.1 --jobs 0", "0 is below the smallest, 1"),
    ("reproduce thesis-table-4.1 --jobs 99999999", "99999999 is above the largest, 1024"),
    ("reproduce nothing", "nothing"),
    ("reproduce thesis-table-4.1 -o r.pdf", "r.pdf: use the ending .html"),
    ("run tengig --report x.pdf", "x.pdf: use the ending .html"),
    # Studies.
    ("study issue-limits TRACE --width 0", "0 is below the smallest, 1"),
    ("study issue-limits TRACE --width -1", "-1 is below the smallest, 1"),
    ("study issue-limits TRACE --width 1025", "1025 is above the largest, 1024"),
    (f"study issue-limits TRACE --width {NINES}", "is not an integer"),
    ("study issue-limits TRACE --core -1", "-1 is below the smallest, 0"),
    ("study issue-limits TRACE --core 65536", "65536 is above the largest, 65535"),
    ("study issue-limits TRACE", "TRACE"),
    ("study vliw TRACE --image x --units 1,1", "is not a number of"),
    ("study vliw TRACE --image x --units a,b,c", "is not a number of"),
    ("study vliw TRACE --image x --units 1,1,-1", "branch: -1 is below the smallest, 0"),
    ("study vliw TRACE --image x --units 9999999999,1,1", "integer: 9999999999 is above the largest, 64"),
    (f"study vliw TRACE --image x --units {NINES},1,1", "is not a number of"),
    ("study vliw TRACE --blocks -1", "-1 is below the smallest, 0"),
    ("study vliw TRACE --frames -1", "-1 is below the smallest, 1"),
    ("study vliw TRACE --frames 0", "0 is below the smallest, 1"),
    ("study coherence TRACE --size 0", "0 is below the smallest, 1"),
    ("study coherence TRACE --size 99999999999", "99999999999 is above the largest"),
    ("study coherence TRACE --line 0", "0 is below the smallest, 1"),
    ("study coherence TRACE --ways -1", "-1 is below the smallest, 1"),
    # Names.
    ("run tengi", "there is no NIC 'tengi'"),
    ("run tengig --firmware nothing", "Tengig has no firmware 'nothing'"),
    ("run nothing.py", "there is no file nothing.py"),
    ("check nothing.py", "help: give a Python file with a PythonModule, or a library of a block"),
    ("boot rv64 --share nothing", "help: name an existing folder"),
    ("new x --module --face pci", "--face is for a NIC, not for --module\nhelp: omit --face"),
    (
        "debug tengig --listen x",
        "invalid address 'x' in --listen\nhelp: give HOST:PORT, such as 127.0.0.1:3333",
    ),
    ("debug tengig --listen 127.0.0.1:65536", "invalid address '127.0.0.1:65536' in --listen"),
    ("boot rv64 --card ricenic --wire tap:x --attachment memory", "help: add --core timed"),
    ("run ricenic --set nat_forwards=x", "nat_forwards: 'x' is not a list of forwarded ports"),
    ("firmware build nothing", "unknown firmware image nothing"),
    ("firmware build crc32 --compiler nothing", "nothing"),
    ("boot rv64 --firmware uni", "--firmware is for cards with cores, not for a server without card"),
    ("nothing", "No such command"),
    ("run", "Missing argument"),
    ("run tengig --nothing", "No such option"),
]


EMPTY = "an empty text is not the name of a file"
LINES_OF_FILES = [
    ("run tengig --pcap-out ''", EMPTY),
    ("run tengig --firmware ''", EMPTY),
    ("run -c ''", EMPTY),
    ("describe ''", EMPTY),
    ("sweep ''", EMPTY),
    ("compare '' ''", EMPTY),
    ("boot rv64 --root ''", EMPTY),
    ("graph tengig -o ''", EMPTY),
    ("study coherence ''", EMPTY),
    ("attach tengig --vfio-user ''", EMPTY),
    ("run tengig --replay missing", "cannot replay missing: No such file or directory\n"),
    (
        "run tengig --replay text",
        "text: it does not begin like a recording (spinach-recording/2)",
    ),
    ("run tengig --replay empty", "cannot replay empty: it does not begin like a recording"),
    ("run tengig --traffic pcap:text", "it does not begin like a capture (pcap or pcapng)"),
    ("run tengig --frames 3 --pcap-out /dev/full", "cannot write /dev/full: No space left on device\n"),
    ("attach tengig --address ''", "invalid address ''"),
    ("attach tengig --address x", "invalid address 'x'"),
    ("attach tengig --address 10.0.0.2", "the address 10.0.0.2 has no length of its network"),
    ("boot rv64 --record out", "there is no input to record"),
    ("boot rv64 --nodes x", "'x' is not an integer; give 1 to 2"),
    ("boot rv64 --nodes 3", "3 is above the largest, 2; give 1 to 2"),
    ("boot rv64 --threads 0", "0 is below the smallest, 1"),
    ("boot rv64 --harts 0", "0 harts: a server has 1 to 4"),
    ("boot rv64 --memory 0B", "invalid memory size 0 B (1 MiB to 16 GiB, a multiple of 4 KiB)"),
    ("boot rv64 --memory ''", "--memory: '' is not a number with a unit"),
    ("boot rv64 --clock ''", "--clock: '' is not a number with a unit"),
    ("boot ''", "unknown server ''"),
]


def refusal_of(words: list[str], capfd: pytest.CaptureFixture[str]) -> str:
    """Return the two-line refusal of a command line."""
    code = cli.carry_out(words)
    err = capfd.readouterr().err
    assert code == 2, err
    lines = err.rstrip("\n").splitlines()
    assert [line.partition(": ")[0] for line in lines[-2:]] == ["error", "help"], err
    assert "Traceback" not in err
    assert "spinach_nic/" not in err, "a line of our code is named"
    return err


@pytest.mark.parametrize(("line", "said"), LINES_OF_FILES)
def test_names_and_files_that_cannot_be_are_explained(
    line: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty").touch()
    Path("text").write_text('{"schema": "spinach-result/1"}\n')
    assert said in refusal_of(shlex.split(line), capfd)
    assert sorted(path.name for path in Path().iterdir()) == ["empty", "text"]


@pytest.mark.parametrize(
    ("setting", "part"),
    [
        ("clock=3", "GeneratedTraffic"),
        ("clock=3MHz", "GeneratedTraffic"),
        ("processor[0].clock=core", "Processor"),
        ("dma_read.clock=3", "DmaAssist"),
    ],
)
def test_a_clock_domain_is_explained_by_what_can_be_typed(
    setting: str, part: str, capfd: pytest.CaptureFixture[str]
) -> None:
    name, _, value = setting.rpartition(".")[2].partition("=")
    assert refusal_of(["run", "tengig", "--set", setting], capfd) == (
        f"error: {part}: {name} = {value!r} is not a clock domain\n"
        "help: set a frequency, such as core_clock=166MHz; there are core_clock, memory_clock, host_clock\n"
    )


def test_a_misspelt_parameter_is_compared_with_those_that_can_be_typed(
    capfd: pytest.CaptureFixture[str],
) -> None:
    known = refusal_of(["run", "tengig", "--set", "xyzzy=1"], capfd).partition("valid names: ")[2]
    assert "core_clock" in known
    assert not {"clock", "image", "tx", "rx", "captured"} & set(known.strip().split(", "))


@pytest.mark.parametrize(("line", "fragment"), REFUSED, ids=[line[:70] for line, _ in REFUSED])
def test_refused(
    line: str,
    fragment: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert fragment in refusal_of(shlex.split(line), capfd)
    assert list(tmp_path.iterdir()) == []


NUMBERS = st.one_of(
    st.integers(-(10**30), 10**30).map(str),
    st.floats().map(repr),
    st.builds("{}e{}".format, st.integers(-999, 999), st.integers(-(10**12), 10**12)),
    st.builds("{}/{}".format, st.integers(-999, 999), st.integers(0, 10**25)),
    st.text(st.sampled_from("0123456789.eE+-_/x "), max_size=30),
    st.text(max_size=10),
)
UNITS = st.sampled_from(["", "Hz", "GHz", "fs", "s", "µs", "B", "GiB", "bps", "Gb/s", "pps", "Hertz", "%"])
KINDS_OF_QUANTITY: list[type[Quantity]] = [Frequency, Time, Size, Rate, Quantity]


@settings(max_examples=400, deadline=None)
@given(number=NUMBERS, unit=UNITS, kind=st.sampled_from(KINDS_OF_QUANTITY))
def test_any_quantity_is_read_or_refused(number: str, unit: str, kind: type[Quantity]) -> None:
    refusal, quantity = "", None
    try:
        quantity = parse_quantity(number + unit, kind)
    except SpinachError as error:
        refusal = error.message
    assert len(refusal) < 300
    if quantity is not None:
        assert isinstance(quantity, kind)
        assert 0 <= quantity.base < 2**64


SHIPPED = [(nic, name) for nic in ("ricenic", "tengig", "tigon2") for name in make_bench(nic).declarations]


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.sampled_from(SHIPPED), number=NUMBERS, unit=UNITS)
def test_any_setting_is_kept_within_its_range_or_refused(
    place: tuple[str, str], number: str, unit: str
) -> None:
    name, parameter = place
    nic = make_bench(name)
    declared = nic.declarations[parameter]
    refusal = ""
    try:
        nic.set(parameter, number + unit)
    except SpinachError as error:
        refusal = error.message
    value = nic.parameters[parameter]
    if refusal:
        assert parameter in refusal
        assert value == declared.default
    elif declared.choices:
        assert value in declared.choices.values()
    elif declared.range:
        assert declared.minimum <= value <= declared.maximum


def test_every_number_of_a_shipped_nic_has_bounds() -> None:
    for nic, name in SHIPPED:
        declared = make_bench(nic).declarations[name]
        if declared.kind in ("integer", "time", "frequency", "size", "rate"):
            assert declared.choices or declared.range, f"{nic}.{name}"
            own = declared.choices or declared.range != KINDS[declared.kind].range
            assert own, f"{nic}.{name} has only the bounds of its kind"
