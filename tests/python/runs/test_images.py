"""An image lands in the banks of a memory where the cores will look for it."""

import pytest

from spinach_nic import Clock, Component, MHz, Simulation, Size, SpinachError, parameter, run, simulate
from spinach_nic.cards import MappedMemory
from spinach_nic.library import MultiportedMemory, PipelinedCore
from spinach_nic.runs.images import choose_image, write_memory
from spinach_nic.starter.starter import Starter


class Banks(Component):
    """Memories, each with a halted core."""

    banks: int = parameter(default=4, doc="Number of banks.")

    def build(self) -> None:
        """Connect each core to its own memory."""
        self.clock = Clock("core", MHz(100))
        self.bank = [MultiportedMemory(size=Size(64)) for _ in range(self.banks)]
        self.core = [PipelinedCore(starts_halted=True) for _ in self.bank]
        for core, bank in zip(self.core, self.bank, strict=True):
            core.fetch >> bank.port
            core.data >> bank.port


def laid_out(simulation: Simulation, memory: MappedMemory, interleave: int) -> bytes:
    """The contents as the crossbar spreads them: piece by piece, bank after bank."""
    banks = [simulation.read(bank, 0, 64) for bank in memory.banks]
    pieces = range(0, 64, interleave)
    return b"".join(bank[start : start + interleave] for start in pieces for bank in banks)


@pytest.mark.parametrize("interleave", [4, 8])
@pytest.mark.parametrize("banks", [1, 2, 3, 4])
@pytest.mark.parametrize(("offset", "length"), [(0, 0), (0, 1), (0, 64), (8, 23), (16, 40), (40, 24)])
def test_contents_are_spread_over_the_banks(interleave: int, banks: int, offset: int, length: int) -> None:
    system = Banks(banks=banks)
    simulation = simulate(system)
    memory = MappedMemory("memory", 0, system.bank, interleave)
    contents = bytes(range(1, length + 1))
    write_memory(simulation, memory, offset, contents)
    expected = bytes(offset) + contents + bytes(64 * banks - offset - length)
    assert laid_out(simulation, memory, interleave) == expected


@pytest.mark.parametrize("banks", [1, 2])
def test_a_memory_may_begin_inside_its_contents(banks: int) -> None:
    system = Banks(banks=banks)
    simulation = simulate(system)
    memory = MappedMemory("memory", 0x1000, system.bank, 4, start=24, size=16)
    write_memory(simulation, memory, 8, b"abcdef")
    expected = bytes(32) + b"abcdef"
    assert laid_out(simulation, memory, 4) == expected + bytes(64 * banks - len(expected))


def test_an_offset_inside_a_piece_is_refused() -> None:
    system = Banks(banks=2)
    simulation = simulate(system)
    memory = MappedMemory("memory", 0, system.bank)
    with pytest.raises(SpinachError, match="offset 2 is not a multiple"):
        write_memory(simulation, memory, 2, b"abcd")


@pytest.mark.parametrize(
    ("nic", "parameter", "size", "least", "said"),
    [
        # The stacks of six cores are the last thing in the scratch pad.
        ("tengig", "scratch_pad.size", "16KiB", "243KiB", "rmw.elf: 0x0003c000-0x0003cbff is outside"),
        ("tengig", "scratch_pad.size", "242KiB", "243KiB", "scratch_pad 0x00000000-0x0003c7ff is too small"),
        (
            "tengig",
            "instruction_memory.size",
            "4KiB",
            "8KiB",
            "-0x1000[0-9a-f]{4} is outside",
        ),
        (
            "hundredgig",
            "engine[1].scratch_pad.size",
            "16KiB",
            "32KiB",
            "virtio.elf: 0x00107800-0x00107fff is outside",
        ),
    ],
)
def test_a_memory_that_is_too_small_for_an_image_is_named_with_the_least_size(
    nic: str, parameter: str, size: str, least: str, said: str
) -> None:
    with pytest.raises(SpinachError, match=said) as caught:
        run(nic, frames=1, set={parameter: size})
    assert f"set {parameter}={least} or more" in caught.value.help
    if nic == "tengig":  # firmware of the other divides more memory, whose size the card computes
        assert run(nic, frames=1, set={parameter: least}).complete


class ForRiscV(Starter):
    """A card whose image is for other cores."""

    instruction_set = "rv32"


def test_an_image_for_another_instruction_set_names_both() -> None:
    with pytest.raises(SpinachError) as caught:
        choose_image(ForRiscV(), None)
    assert caught.value.message == (
        f"firmware/{ForRiscV.default_firmware} is for mips; ForRiscV has instruction_set = 'rv32'"
    )
    assert "state instruction_set = 'mips' in the class ForRiscV" in caught.value.help
