"""Waveforms of a run hold signals inside of a block in RTL."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.python.runs.test_waves import FST2VCD, changes

import spinach_nic
from spinach_nic import Clock, Component, MHz, parameter, simulate
from spinach_nic.blocks import Verilated, verilate
from spinach_nic.library import Receiver, Sender
from spinach_nic.runs.observers.waveforms import chosen_signals

pytestmark = [
    pytest.mark.skipif(
        not (shutil.which("verilator") and shutil.which("c++")), reason="verilator and g++ are not installed"
    ),
    pytest.mark.timeout(240),
]

RTL = """
module adder (
    input logic clk, input logic rst,
    input logic [39:0] in_data, input logic in_valid, output logic in_ready,
    output logic [39:0] out_data, output logic out_valid, input logic out_ready
);
    assign in_ready = !out_valid || out_ready;
    sum inner (.clk, .rst, .add(in_valid && in_ready), .word(in_data), .total(out_data));
    always_ff @(posedge clk) if (rst) out_valid <= 0; else if (in_ready) out_valid <= in_valid;
endmodule

module sum (
    input logic clk, input logic rst, input logic add, input logic [39:0] word, output logic [39:0] total
);
    logic [99:0] wide;
    always_ff @(posedge clk)
        if (rst) {total, wide} <= 0;
        else if (add) {total, wide} <= {total + word, wide[98:0], 1'b1};
endmodule
"""


class Sums(Component):
    """Words through the block."""

    library: str = parameter(doc="Library of the block.")
    trace: str = parameter(default="", doc="Waveforms in a file of the block.")

    def build(self) -> None:
        self.clock = Clock("core", MHz(100))
        self.sender, self.receiver = Sender(policy="index", percent=70), Receiver(percent=60)
        self.sums = Verilated(library=self.library, trace=self.trace)
        self.sender.output >> getattr(self.sums, "in")
        self.sums.out >> self.receiver.input


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("blocks")
    (folder / "adder.sv").write_text(RTL)
    verilate([folder / "adder.sv"], "adder", folder / "adder.spinach")
    return folder / "adder.spinach"


def history(simulation: spinach_nic.Simulation, path: Path, cycles: int) -> list[tuple[int, dict[str, str]]]:
    channels, states = chosen_signals(simulation, ["sums.*"])
    waves = simulation.waves(path, channels, spinach_nic.ns(0), states)
    simulation.run(cycles=cycles)
    waves.finish()
    assert FST2VCD is not None
    vcd = subprocess.run([FST2VCD, str(path)], capture_output=True, text=True, check=True, timeout=50).stdout
    _, found = changes(vcd)
    return found


@pytest.mark.skipif(FST2VCD is None, reason="fst2vcd of the package gtkwave is not installed")
def test_the_inside_follows_the_channels(library: Path, tmp_path: Path) -> None:
    found = history(simulate(Sums(library=str(library))), tmp_path / "run.fst", 200)
    inside = "sums.block.inside.adder.inner"
    taken: list[int] = []
    total, sums = 0, []
    for _, held in found:
        now = int(held[f"{inside}.total"], 2)
        if now != total:
            total = now
            sums.append(total)
        if held["sums.block.word_out[0].valid"] == held["sums.block.word_out[0].ack"] == "1":
            taken.append(int(held["sums.block.word_out[0].word0"], 2))
        ones = int(held[f"{inside}.wide[1]"] + held[f"{inside}.wide[0]"], 2)
        assert ones & (ones + 1) == 0
    # Sums of 1, 2, 3 and so on; the first word, 0, changes nothing.
    assert len(sums) > 100
    assert sums == [number * (number + 1) // 2 for number in range(1, len(sums) + 1)]
    assert [word for word in taken if word] == sums[: len([word for word in taken if word])]


@pytest.mark.skipif(FST2VCD is None, reason="fst2vcd of the package gtkwave is not installed")
def test_the_inside_continues_after_a_restored_checkpoint(library: Path, tmp_path: Path) -> None:
    first = simulate(Sums(library=str(library)))
    first.run(cycles=100)
    saved = first.checkpoint()
    second = simulate(Sums(library=str(library)))
    # Both have shown their inside before.
    history(second, tmp_path / "before.fst", 50)
    second.restore(saved)
    continued = history(second, tmp_path / "second.fst", 50)
    expected = history(first, tmp_path / "first.fst", 50)
    assert [held for _, held in continued] == [held for _, held in expected]


def test_a_trace_file_of_the_block_leaves_none_for_the_run(library: Path, tmp_path: Path) -> None:
    simulation = simulate(Sums(library=str(library), trace=str(tmp_path / "inside.vcd")))
    names = simulation.native.state_names()
    assert not any("adder" in name for name in names)
    assert any("adder" in name for name in simulate(Sums(library=str(library))).native.state_names())
