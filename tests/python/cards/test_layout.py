"""Interleaving and byte order of memories follow from how they are connected."""

from pathlib import Path

import pytest

from spinach_nic import B, Clock, Component, Gbps, KiB, MHz, SpinachError, parameter, simulate
from spinach_nic.cards import Memory
from spinach_nic.cards.base.layout import layout_of
from spinach_nic.library import Crossbar, MultiportedMemory, PipelinedCore
from spinach_nic.runs import execute
from spinach_nic.runs.images import _with_reversed_words
from spinach_nic.starter import write_nic


class Spread(Component):
    """A core with banked memory."""

    interleaves: tuple[int, ...] = parameter(default=(), kind="integers", doc="Bytes per bank and turn.")

    def build(self) -> None:
        """Connect a core and a crossbar for each interleaving to the same banks."""
        self.clock = Clock("core", MHz(100))
        self.bank = [MultiportedMemory(size=KiB(1)) for _ in range(4)]
        self.core = [PipelinedCore(starts_halted=True) for _ in self.interleaves]
        self.code = [MultiportedMemory(size=KiB(1)) for _ in self.interleaves]
        self.crossbar = [
            Crossbar(
                bases=[0],
                sizes=[KiB(4).bytes],
                interleave=[4],
                interleave_bytes=B(size),
                addressing="compact",
            )
            for size in self.interleaves
        ]
        for core, code, crossbar in zip(self.core, self.code, self.crossbar, strict=True):
            core.fetch >> code.port
            core.data >> crossbar.initiator
            for bank in self.bank:
                crossbar.target >> bank.port


@pytest.mark.parametrize("size", [4, 8, 64])
def test_interleaving_is_that_of_the_crossbar(size: int) -> None:
    system = Spread(interleaves=(size,))
    simulate(system)
    assert layout_of(system, "memory", system.bank, is_little_endian=False).interleave == size
    assert layout_of(system, "memory", system.bank[:1], is_little_endian=False).interleave == 4


def test_crossbars_that_disagree_are_refused() -> None:
    system = Spread(interleaves=(4, 8))
    simulate(system)
    with pytest.raises(SpinachError, match="crossbars spread the memory ram by 4 and 8 bytes"):
        layout_of(system, "ram", system.bank, is_little_endian=False)


def test_words_are_reversed_where_they_lie() -> None:
    pieces = [(0, b"abcdef"), (6, b"gh"), (13, b"x"), (20, b"ABCD")]
    assert _with_reversed_words(pieces) == [(0, b"dcbahgfe"), (12, b"\0\0x\0"), (20, b"DCBA")]


def test_a_little_endian_core_behind_a_bridge_finds_its_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = write_nic(Path("mynic"))
    text = files[0].read_text()
    for old, new in (
        ('default_firmware = "mynic"\n', 'default_firmware = "mynic"\n    instruction_set = "rv32"\n'),
        ("PipelinedCore(", 'PipelinedCore(instruction_set="rv32", '),
        (
            "self.core.data >> self.crossbar.initiator",
            "self.bridge = library.WordBridge()\n"
            "        self.core.data >> self.bridge.initiator\n"
            "        self.bridge.target >> self.crossbar.initiator",
        ),
    ):
        assert old in text
        text = text.replace(old, new)
    files[0].write_text(text)
    description = tmp_path / "mynic" / "firmware" / "firmware.toml"
    description.write_text(description.read_text().replace('"mips"', '"rv32"'))
    # The addresses of the DMA assists' registers are initialised data.
    finished = execute(files[0], frames=30)
    assert (finished.check().tx.frames, finished.result.rx.frames) == (30, 30)
    reversed_in = {one.name: one.reverses_words for one in finished.session.bench.address_space()}
    assert reversed_in == {"instruction_memory": False, "scratch_pad": True}


def test_the_peak_of_a_memory_is_that_of_all_its_lanes() -> None:
    memory = MultiportedMemory(size=KiB(1))
    assert Memory.of(memory, MHz(100)).peak == Gbps(3.2)
    assert Memory.of(memory, MHz(100), width_bytes=16).peak == Gbps(12.8)
    for core in [PipelinedCore() for _ in range(3)]:
        core.fetch >> memory.port
    assert Memory.of(memory, MHz(100)).peak == Gbps(9.6)
