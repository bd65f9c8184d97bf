"""The data sheet's description of a register matches the software's view."""

import pickle

import pytest
from tests.python.cards.tigon2.bench import Bench

from spinach_nic.cards.base.datasheet import Field, HardwareRegister, register_tables, registers_of
from spinach_nic.cards.tigon2.registers import Register
from spinach_nic.generate.headers import register_lines
from spinach_nic.generate.registers import bit_range

STARTING = {"HOST_CONTROL", "LOCAL_CONTROL", "WINDOW_DATA", "CPU_STATE", "CPU_PC", "DMA", "MAC"}
"""Prefixes of registers of which a write starts something, or whose bits others change meanwhile."""
QUIET = [
    register
    for register in registers_of(Register)
    if register.reading is None and not register.name.startswith(tuple(STARTING))
]


@pytest.fixture(scope="module")
def bench() -> Bench:
    return Bench()


@pytest.mark.parametrize("register", QUIET, ids=lambda register: register.name)
def test_bits_can_be_written_as_the_sheet_says(bench: Bench, register: HardwareRegister) -> None:
    writable = register.bits("read-write")
    before = bench.read(register)
    derived = sum(field.bits for field in register.fields if field.source is not None)
    for word in (0xFFFF_FFFF, 0x5555_5555, 0):
        bench.write(register, word)
        now = bench.read(register)
        assert now & writable == word & writable
        assert (now ^ before) & register.bits("read-only") & ~derived == 0
    bench.write(register, before & writable)


@pytest.mark.parametrize("name", ["HOST_CONTROL", "LOCAL_CONTROL", "CPU_STATE_A", "CPU_STATE_B", "PCI_STATE"])
def test_the_word_after_a_reset_is_that_of_the_sheet(name: str) -> None:
    bench = Bench(starts_stopped=True)
    straps = {"starts_stopped": True, "sees_66_mhz": True, "sees_32_bits": False}
    register: HardwareRegister = getattr(Register, name)
    swaps = Register.HOST_CONTROL["WORD_SWAP"] if name == "HOST_CONTROL" else 0
    wires = Register.LOCAL_CONTROL["EEPROM_DATA_IN"] if name == "LOCAL_CONTROL" else 0
    assert bench.read(register) & ~wires == register.reset_word(straps) | swaps


def test_fields_lie_in_their_register_and_rules_name_what_is_there() -> None:
    for register in registers_of(Register):
        for field in register.fields:
            assert 0 < field.bits < 2**32
            assert field.reset & ~field.bits == 0
    offsets = [
        offset
        for register in registers_of(Register)
        for offset in range(register, register + 4 * register.count, 4)
    ]
    assert len(set(offsets)) == len(offsets)
    register_tables(Register, {})


def test_fields_of_one_name_have_one_mask() -> None:
    one = HardwareRegister(0, "one", Field("READY", 1), prefix="CHIP")
    other = HardwareRegister(4, "other", Field("READY", 2), prefix="CHIP")
    with pytest.raises(ValueError, match="CHIP_READY has two values"):
        register_lines([one, other])


def test_bits_are_listed_as_in_data_sheets() -> None:
    assert bit_range(0xF000_0009) == "31:28, 3, 0"


def test_a_register_travels_as_its_offset() -> None:
    assert pickle.loads(pickle.dumps(Register.TIMER)) == 0x54
