"""Blocks in RTL do in a simulation what their RTL says."""

import importlib.util
import os
import random
import re
import shutil
import struct
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import spinach_nic
from spinach_nic import CheckpointError, Clock, Component, KiB, MHz, SpinachError, parameter, simulate
from spinach_nic.blocks import Verilated, VerilateOptions, verilate
from spinach_nic.blocks.checking import Accesses, check, requested
from spinach_nic.cards.tengig import Tengig
from spinach_nic.library import MultiportedMemory, Receiver, Sender

pytestmark = [
    pytest.mark.skipif(
        not (shutil.which("verilator") and shutil.which("c++")), reason="verilator and g++ are not installed"
    ),
    pytest.mark.timeout(240),
]

EXAMPLE = Path(__file__).parents[3] / "examples/rtl_checksum"
PASSES = Path(__file__).parent / "passes.sv"
BYTES = 20
"""Width of the stream of frames: more than two words, and the last one half used."""


@pytest.fixture(scope="module")
def passes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("blocks") / "passes.spinach"
    verilate([PASSES], "passes", library, VerilateOptions(parameters={"BYTES": str(BYTES)}))
    return library


@pytest.fixture(scope="module")
def checksum(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("blocks") / "checksum.spinach"
    options = VerilateOptions(idle="idle")
    verilate([EXAMPLE / "ipv4_checksum.sv"], "ipv4_checksum", library, options)
    return library


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("rtl_checksum", EXAMPLE / "rtl_checksum.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Words(Component):
    """Words through the block, to a receiver that refuses now and then."""

    library: str = parameter(doc="Library of the block.")
    constants: str = parameter(default="", doc="Its constants.")
    percent: int = parameter(default=60, doc="Cycles in which the receiver accepts.")
    trace: str = parameter(default="", doc="Waveforms of the inside.")
    outputs: str = parameter(default="total", doc="Outputs with a port.")
    counters: str = parameter(default="", doc="Outputs that count.")

    def build(self) -> None:
        """Leave the stream of frames to itself."""
        self.clock = Clock("core", MHz(100))
        self.sender = Sender(policy="index", percent=70, seed=3)
        self.receiver = Receiver(percent=self.percent, seed=4)
        self.block = Verilated(
            library=self.library,
            constants=self.constants,
            outputs=self.outputs,
            counters=self.counters,
            trace=self.trace,
        )
        self.sender.output >> self.block.feed
        self.block.out >> self.receiver.input
        if self.outputs:
            self.total = Receiver()
            self.block.total >> self.total.input
        self.block.m_axis >> self.block.s_axis


def words(library: Path, cycles: int = 200, **settings: Any) -> tuple[spinach_nic.Simulation, list[int]]:
    system = Words(library=str(library), **settings)
    simulation = simulate(system)
    recorder = simulation.record(system.block.out)
    simulation.run(cycles=cycles)
    return simulation, [transfer.word for transfer in recorder.transfers()]


def test_words_pass_once_and_in_order(passes: Path) -> None:
    _, received = words(passes)
    assert len(received) > 100
    assert received == [word + 1 for word in range(len(received))]


def test_an_output_counts_increments_from_the_end_of_the_reset_on(passes: Path) -> None:
    simulation, received = words(passes, outputs="", counters="total")
    accepted = simulation.statistics()["block.block.count_0"]
    # The sum of the words that entered; the last may not have left.
    last = len(received)
    assert accepted in {sum(range(count)) for count in (last, last + 1, last + 2)}


def test_outputs_that_cannot_count_are_refused(passes: Path) -> None:
    for counters, reason in (
        (",".join(["total"] * 9), "9 outputs count; a block has 8 counters"),
        ("totl", r"no output without handshake is called \"totl\": did you mean total\?"),
    ):
        with pytest.raises(SpinachError, match=reason):
            words(passes, outputs="", counters=counters)
    with pytest.raises(SpinachError, match="the output total is in outputs and in counters"):
        words(passes, counters="total")


def test_a_stream_passes_a_word_in_every_cycle(passes: Path) -> None:
    system = Words(library=str(passes), percent=100)
    system.set("sender.percent", 100)
    simulation = simulate(system)
    simulation.run(cycles=108)
    counted = simulation.statistics()["receiver.transfers"]
    # Reset takes 8 cycles; from the sender to the receiver a word takes 4.
    assert 108 - 8 - 4 <= counted <= 108 - 8


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        (1, r"^block.block: out withdraws `valid` before `ready` \(cycle \d+ of block passes\)"),
        (2, "^block.block: out changes before `ready`"),
        (3, r"passes.sv:\d+: \$finish"),
        (4, r"passes.sv:\d+: \$stop, or an assertion failed"),
        (5, r"passes.sv:\d+: \$stop, or an assertion failed"),
    ],
)
def test_an_error_in_a_block_stops_the_simulation(passes: Path, mode: int, reason: str) -> None:
    system = Words(library=str(passes), constants=f"mode={mode}")
    outcome = simulate(system).run(cycles=200)
    assert outcome.reason == "stopped"
    assert re.search(reason, outcome.details)


MEMORY = """module memory(input clk, output logic [7:0] word);
  logic [7:0] words[4];
  initial $readmemh("words.hex", words);
  always_ff @(posedge clk) word <= words[3];
endmodule
"""


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("memory")
    (folder / "memory.sv").write_text(MEMORY)
    verilate([folder / "memory.sv"], "memory", folder / "memory.spinach")
    return folder / "memory.spinach"


class Reading(Component):
    """A block whose only output is a word of a file."""

    library: str = parameter(doc="Library of the block.")

    def build(self) -> None:
        """Record the words."""
        self.clock = Clock("core", MHz(100))
        self.block = Verilated(library=self.library, outputs="word")
        self.receiver = Receiver()
        self.block.word >> self.receiver.input


def test_rtl_reads_a_file(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(memory.parent)
    Path("words.hex").write_text("1 2 3 2a\n")
    system = Reading(library=str(memory))
    simulation = simulate(system)
    recorder = simulation.record(system.block.word)
    simulation.run(cycles=20)
    assert [transfer.word for transfer in recorder.transfers()][-1] == 0x2A


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("file", "is larger than 256 MiB, the limit"),
        ("pipe", "is not a regular file"),
        ("device", "is not a regular file"),
    ],
)
def test_an_endless_file_stops_the_simulation(
    memory: Path, monkeypatch: pytest.MonkeyPatch, kind: str, reason: str
) -> None:
    monkeypatch.chdir(memory.parent)
    words = Path("words.hex")
    words.unlink(missing_ok=True)
    match kind:
        case "pipe":
            os.mkfifo(words)
        case "device":
            words.symlink_to("/dev/zero")
        case _:
            with words.open("wb") as file:
                file.truncate((256 << 20) + 1)
    outcome = simulate(Reading(library=str(memory))).run(cycles=20)
    words.unlink()
    assert outcome.reason == "stopped"
    assert f"words.hex {reason}" in outcome.details


@pytest.mark.parametrize(
    ("mode", "reason"), [(1, "out withdraws"), (6, "m_axis withdraws"), (7, "nothing moves")]
)
def test_the_contract_catches_wrong_handshakes(passes: Path, mode: int, reason: str) -> None:
    with pytest.raises(SpinachError, match=reason):
        check(partial(Verilated, library=str(passes), constants=f"mode={mode}"))


def test_a_checkpoint_holds_the_inside(passes: Path) -> None:
    first, _ = words(passes, cycles=100)
    saved = first.checkpoint()
    first.run(cycles=100)
    second = simulate(Words(library=str(passes)))
    second.restore(saved)
    second.run(cycles=100)
    assert second.checkpoint() == first.checkpoint()


def test_rtl_compiled_again_into_the_same_file_is_another_block(passes: Path, tmp_path: Path) -> None:
    library, rtl = tmp_path / "passes.spinach", tmp_path / "passes.sv"
    shutil.copy(passes, library)
    first, _ = words(library, cycles=100)
    saved = first.checkpoint()
    more = "out_data <= feed_data + {38'd0, count}; count <= count == 3 ? 2 : 3;"
    text = PASSES.read_text().replace("out_data <= feed_data + 40'd1;", more)
    rtl.write_text(text.replace("assign s_axis_tready", "logic [1:0] count;\n    assign s_axis_tready"))
    verilate([rtl], "passes", library, VerilateOptions(parameters={"BYTES": str(BYTES)}))
    second, received = words(library, cycles=100)
    assert {word - index for index, word in enumerate(received[1:], 1)} == {2, 3}
    with pytest.raises(CheckpointError, match="made from different model"):
        second.restore(saved)
    # A simulation that has begun keeps the former library.
    first.run(cycles=100)
    again, _ = words(passes, cycles=200)
    assert dict(first.statistics()) == dict(again.statistics())


def test_a_block_that_cannot_be_saved_says_so(tmp_path: Path) -> None:
    library = tmp_path / "passes.spinach"
    verilate([PASSES], "passes", library, VerilateOptions(can_save=False))
    simulation, _ = words(library)
    with pytest.raises(CheckpointError, match="the library of block passes was compiled without saving"):
        simulation.checkpoint()


def test_waveforms_show_the_inside(passes: Path, tmp_path: Path) -> None:
    file = tmp_path / "inside.vcd"
    words(passes, trace=str(file))
    text = file.read_text()
    assert "1fs" in text
    assert "out_data [39:0]" in text
    assert "#1990000000" in text  # the 200th edge, 10 ns after another


def test_frames_of_any_length_pass_unchanged(passes: Path, example: ModuleType) -> None:
    class Passing(example.CheckedTengig):  # type: ignore[name-defined, misc]
        def build(self) -> None:
            Tengig.build(self)
            self.checksum = Verilated(library=str(passes), clock=self.mac_domain)
            self.checksum.m_axis >> self.receive_link.input
            self.idle = Sender(clock=self.mac_domain)
            self.rest = Receiver(clock=self.mac_domain)
            self.idle.output >> self.checksum.feed
            self.checksum.out >> self.rest.input

    # The run compares every byte, and the order.
    result = spinach_nic.run(
        Passing,
        traffic="udp:" + ",".join(map(str, [*range(18, 40), 1400])) + ":rx",
        frames=60,
    )
    assert result.frames.delivered["rx"] >= 60


def ipv4_sum(header: bytes) -> int:
    total: int = sum(struct.unpack(">10H", header))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def capture(path: Path, count: int) -> int:
    """Write frames with random headers, half of them correct; return the number of damaged ones."""
    chosen = random.Random(7)
    damaged = 0
    records = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)]
    for index in range(count):
        length = chosen.randrange(60, 1515)
        header = bytearray(b"\x45" + chosen.randbytes(19))
        header[10:12] = bytes(2)
        if chosen.random() < 0.5:
            header[10:12] = struct.pack(">H", 0xFFFF - ipv4_sum(bytes(header)))
        damaged += ipv4_sum(bytes(header)) != 0xFFFF
        frame = bytes.fromhex("020000000001020000000002") + b"\x08\x00" + header
        frame += chosen.randbytes(length - len(frame))
        records.append(struct.pack("<IIII", 0, index, length, length) + frame)
    path.write_bytes(b"".join(records))
    return damaged


@pytest.mark.parametrize("sleeping", [True, False])
def test_the_checksum_unit_marks_the_frames_that_arithmetic_marks(
    checksum: Path, example: ModuleType, tmp_path: Path, sleeping: bool
) -> None:
    file = tmp_path / "frames.pcap"
    damaged = capture(file, 80)
    result = spinach_nic.run(
        example.CheckedTengig, traffic=f"pcap:{file}:rx", set={"library": str(checksum)}, sleeping=sleeping
    )
    assert result.frames.dropped["rx"] == {"mac_receive": {"bad_check_sequence": damaged}}
    assert result.frames.delivered["rx"] == 80 - damaged


def test_rtl_that_verilator_refuses_is_named_with_its_line(tmp_path: Path) -> None:
    source = tmp_path / "broken.sv"
    source.write_text("module broken(input logic clk);\nassign x = ;\nendmodule\n")
    with pytest.raises(SpinachError, match=r"verilator refuses the RTL: %Error: .*broken.sv:2"):
        verilate([source], "broken", tmp_path / "broken.spinach")
    assert not (tmp_path / "broken.spinach").exists()


def test_a_file_that_is_no_library_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "text.spinach"
    file.write_text("not a library")
    with pytest.raises(SpinachError, match=r"text\.spinach is not a block"):
        simulate(Words(library=str(file)))


def test_a_stream_without_connection_is_named(passes: Path) -> None:
    class Lone(Component):
        def build(self) -> None:
            self.block = Verilated(library=str(passes), clock=Clock("core", MHz(100)))

    with pytest.raises(SpinachError, match="s_axis is not connected"):
        simulate(Lone())


def test_accesses_pass_through_a_block_to_a_memory(tmp_path: Path) -> None:
    library = tmp_path / "bridge.spinach"
    verilate([Path(__file__).parent / "bridge.sv"], "bridge", library)

    class Bridged(Component):
        def build(self) -> None:
            self.clock = Clock("core", MHz(100))
            self.accesses = Accesses()
            self.bridge = Verilated(library=str(library))
            self.memory = MultiportedMemory(size=KiB(5))
            self.accesses.port >> self.bridge.s
            self.bridge.m >> self.memory.port

    simulation = simulate(Bridged())
    simulation.run(cycles=600)
    (behaviour,) = simulation.behaviours
    responses = behaviour.state.responses
    assert len(responses) > 40
    words: dict[int, int] = {}
    for (_, data, is_fault), reference in zip(responses, map(requested, range(len(responses))), strict=True):
        assert not is_fault
        assert data == (0 if reference.writes else words.get(reference.address, 0))
        if reference.writes:
            words[reference.address] = reference.data
    memory = simulation.contents("memory")
    moving = {requested(number).address for number in range(len(responses), behaviour.state.sent + 1)}
    for address in words.keys() - moving:
        word = words[address]
        assert memory.read(0x1000 + address, 4) == word.to_bytes(4, "little")


@pytest.mark.parametrize("library", ["passes", "checksum"])
def test_blocks_keep_the_contract(library: str, request: pytest.FixtureRequest) -> None:
    path = str(request.getfixturevalue(library))
    assert len(check(partial(Verilated, library=path))) == 3
