"""Bursts of AXI4 are references, one for each beat."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from spinach_nic import Clock, Component, KiB, MHz, Simulation, SpinachError, parameter, simulate
from spinach_nic.blocks import Verilated, verilate
from spinach_nic.blocks.binding import Roles, bind
from spinach_nic.blocks.checking import Accesses
from spinach_nic.blocks.rtl_signals import RtlSignal
from spinach_nic.library import MultiportedMemory, Receiver

needs_verilator = pytest.mark.skipif(
    not (shutil.which("verilator") and shutil.which("c++")), reason="verilator and g++ are not installed"
)
FIXED, INCREMENTING, WRAPPING = range(3)
MEMORY_BYTES = 1024


class Bursts(Component):
    """The master of the block on a memory, or on the target of the same block."""

    library: str = parameter(doc="Library of the block.")
    constants: str = parameter(doc="The burst.")
    loops: bool = parameter(default=False, doc="True for the target of the block.")

    def build(self) -> None:
        self.clock = Clock("core", MHz(100))
        self.block = Verilated(library=self.library, constants=self.constants, outputs="total,beats,wrong")
        self.results = [Receiver() for _ in range(3)]
        for name, receiver in zip(("total", "beats", "wrong"), self.results, strict=True):
            getattr(self.block, name) >> receiver.input
        if self.loops:
            self.block.m >> self.block.s
        else:
            self.memory = MultiportedMemory(size=KiB(1))
            self.block.m >> self.memory.port
            self.accesses = Accesses()
            self.accesses.port >> self.block.s


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("blocks") / "bursts.spinach"
    verilate([Path(__file__).parent / "bursts.sv"], "bursts", library)
    return library


def addresses(start: int, beats: int, size: int, kind: int) -> Iterator[int]:
    """The address of each beat, as the specification of AXI defines it (A3.4.1)."""
    span = size * beats
    for beat in range(beats):
        match kind:
            case 0:
                yield start
            case 1:
                yield start + beat * size
            case _:
                yield start // span * span + (start + beat * size) % span


def run(
    library: Path, start: int, beats: int, size: int, kind: int, loops: bool
) -> tuple[Simulation, list[int]]:
    constants = f"start={start},length={beats - 1},size={size.bit_length() - 1},kind={kind}"
    system = Bursts(library=str(library), constants=constants, loops=loops)
    simulation = simulate(system)
    recorders = [simulation.record(getattr(system.block, name)) for name in ("total", "beats", "wrong")]
    assert simulation.run(cycles=4000)
    return simulation, [recorder.transfers()[-1].word for recorder in recorders]


@needs_verilator
@pytest.mark.timeout(240)
@pytest.mark.parametrize("loops", [False, True])
@pytest.mark.parametrize(
    ("start", "beats", "size", "kind"),
    [
        (0x40, 1, 8, INCREMENTING),
        (0x48, 17, 8, INCREMENTING),
        (0x0, 128, 8, INCREMENTING),
        (0x44, 7, 4, INCREMENTING),
        (0x46, 5, 2, INCREMENTING),
        (0x68, 8, 8, WRAPPING),
        (0x74, 4, 4, WRAPPING),
        (0x80, 3, 8, FIXED),
    ],
)
def test_each_beat_is_an_access(
    library: Path, start: int, beats: int, size: int, kind: int, loops: bool
) -> None:
    simulation, (total, received, wrong) = run(library, start, beats, size, kind, loops)
    expected = bytearray(MEMORY_BYTES)
    places = list(addresses(start, beats, size, kind))
    for number, place in enumerate(places, start=1):
        expected[place : place + size] = bytes([number]) * size
    mixed = 0
    for place in places:
        lane = place % 8
        data = int.from_bytes(expected[place : place + size], "little") << (8 * lane)
        mixed = ((mixed << 1 | mixed >> 63) & (1 << 64) - 1) ^ data
    assert (received, wrong) == (beats, 0)
    assert total == mixed
    if not loops:
        assert simulation.contents("memory").read(0, MEMORY_BYTES) == bytes(expected)


@needs_verilator
@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    ("constants", "reason"),
    [
        ("kind=3", "m has a burst of the reserved kind 3"),
        ("kind=1,lock=1", "m requests an exclusive access"),
        ("kind=1,size=4", "16 bytes per beat on 8 bytes of data"),
        ("kind=1,size=3,length=1,start=0xff8", "a burst from 0xff8 on that crosses 4 KiB"),
        ("kind=2,size=3,length=4", "a wrapping burst of 5 beats"),
        ("kind=1,size=3,length=4,early_last=1", "`wlast` is not at its last beat"),
    ],
)
def test_bursts_that_are_not_allowed_stop_the_simulation(library: Path, constants: str, reason: str) -> None:
    outcome = simulate(Bursts(library=str(library), constants=constants)).run(cycles=60)
    assert outcome.reason == "stopped"
    assert reason in outcome.details


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("awlen", 4), "m is AXI3, which is not supported"),
        (("rlast", 0), "m has no signal m_rlast"),
    ],
)
def test_other_versions_are_refused(change: tuple[str, int], reason: str) -> None:
    channels = {"aw": ("addr", "len"), "w": ("data", "last"), "b": ("resp",)}
    channels |= {"ar": ("addr", "len"), "r": ("data", "last")}
    widths = {"addr": 32, "data": 64, "len": 8, "resp": 2, "last": 1, "valid": 1, "ready": 1}
    signals = [RtlSignal("clk", "clk", True, 1, False)]
    for channel, roles in channels.items():
        for role in (*roles, "valid", "ready"):
            name, width = f"m_{channel}{role}", widths[role]
            if f"{channel}{role}" == change[0]:
                width = change[1]
            is_input = (channel in ("b", "r")) != (role == "ready")
            signals += [RtlSignal(name, name, is_input, width, False)] if width else []
    with pytest.raises(SpinachError, match=reason):
        bind("top", signals, Roles())
