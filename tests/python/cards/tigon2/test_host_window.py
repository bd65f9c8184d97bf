"""The bus face of the Tigon-2: configuration space, the window onto registers and SRAM, the EEPROM."""

from __future__ import annotations

import pytest
from tests.python.cards.tigon2.bench import BASE, NOTHING, Bench

from spinach_nic.cards.tigon2.card import MAC_ADDRESS
from spinach_nic.cards.tigon2.registers import Register
from spinach_nic.support.units import KiB, MiB, Size

CLOCK, ENABLE, OUTPUT, INPUT = 0x10_0000, 0x20_0000, 0x40_0000, 0x80_0000


@pytest.fixture(scope="module")
def bench() -> Bench:
    """A card that all tests of this file use."""
    return Bench()


def configuration(bench: Bench, address: int, size: int = 4) -> int:
    """Return content of configuration space."""
    return bench.perform([(0, address, size, 0)])[0]


def configure(bench: Bench, address: int, number: int, size: int = 4) -> None:
    """Write configuration space."""
    bench.perform([(1, address, number, size)])


def test_configuration_space_identifies_the_card(bench: Bench) -> None:
    assert configuration(bench, 0x00, 2) == 0x12AE
    assert configuration(bench, 0x02, 2) == 0x0001
    assert configuration(bench, 0x08) >> 8 == 0x020000
    assert configuration(bench, 0x3D, 1) == 1
    configure(bench, 0x3C, 11, 1)
    assert configuration(bench, 0x3C) & 0xFFFF == 0x010B


def test_bar_0_tells_its_size(bench: Bench) -> None:
    configure(bench, 0x10, NOTHING)
    assert configuration(bench, 0x10) == NOTHING & ~(0x4000 - 1)
    configure(bench, 0x10, BASE)
    for other in range(0x14, 0x28, 4):
        configure(bench, other, NOTHING)
        assert configuration(bench, other) == 0


def test_latency_timer_and_cache_line_size_are_writable(bench: Bench) -> None:
    configure(bench, 0x0C, 0x40, 1)
    configure(bench, 0x0D, 0x48, 1)
    assert configuration(bench, 0x0C, 2) == 0x4840


def test_nothing_answers_while_memory_space_is_off(bench: Bench) -> None:
    configure(bench, 0x04, 0, 2)
    assert bench.read(Register.HOST_CONTROL) == NOTHING
    configure(bench, 0x04, 0x6, 2)
    assert bench.read(Register.HOST_CONTROL) != NOTHING
    assert bench.perform([(2, BASE + 0x4000, 4, 0), (2, BASE - 4, 4, 0)]) == [NOTHING, NOTHING]


def test_bytes_are_swapped_until_words_are(bench: Bench) -> None:
    bench.write(Register.TIMER_REFERENCE_B, 0x1122_3344)
    bench.write(Register.HOST_CONTROL, 0)
    assert bench.read(Register.TIMER_REFERENCE_B) == 0x4433_2211
    bench.write(Register.HOST_CONTROL, 0x2000_0020)
    assert bench.read(Register.TIMER_REFERENCE_B) == 0x1122_3344


def test_the_first_kilobyte_of_sram_is_at_0x400(bench: Bench) -> None:
    bench.write_all((0x618, 0x1234_5678), (0x7FC, 0x9ABC_DEF0))
    assert bench.sram_word(0x218) == 0x1234_5678
    assert bench.sram_word(0x3FC) == 0x9ABC_DEF0
    assert bench.read(0x618) == 0x1234_5678


def test_words_keep_their_value_and_bytes_their_place_in_them(bench: Bench) -> None:
    bench.write(0x620, 0x1122_3344)
    assert bench.read(0x620, 2) == 0x3344
    assert [bench.read(0x620 + byte, 1) for byte in range(4)] == [0x44, 0x33, 0x22, 0x11]
    bench.write(0x622, 0x55, 1)
    assert bench.sram_word(0x220) == 0x1155_3344


def test_the_slot_probe_is_not_mirrored(bench: Bench) -> None:
    bench.write_all((0x600, 0), (0x604, 0), (0x600, 0x5555_AAAA))
    assert bench.read(0x604) == 0
    assert bench.read(0x600) == 0x5555_AAAA


def test_the_window_moves_in_steps_of_2_kilobytes(bench: Bench) -> None:
    bench.write_all((Register.WINDOW_BASE, 0x1_2345), (0x800, 0xCAFE_0001), (0xFFC, 0xCAFE_0002))
    assert bench.sram_word(0x1_2000) == 0xCAFE_0001
    assert bench.sram_word(0x1_27FC) == 0xCAFE_0002
    bench.set_sram(0x2800, bytes.fromhex("01020304"))
    bench.write(Register.WINDOW_BASE, 0x2800)
    assert bench.read(0x800) == 0x0102_0304


def test_window_data_is_the_word_at_the_window_base(bench: Bench) -> None:
    bench.write_all((Register.WINDOW_BASE, 0x1_2344), (Register.WINDOW_DATA, 0xFEED_BEEF))
    assert bench.sram_word(0x1_2344) == 0xFEED_BEEF
    assert bench.read(Register.WINDOW_DATA) == 0xFEED_BEEF


@pytest.mark.parametrize("size", [KiB(512), MiB(1), MiB(2)], ids=str)
def test_sram_repeats_modulo_its_size(size: Size) -> None:
    bench = Bench(sram_size=size)
    bench.set_sram(0x4_0000, bytes(4))
    # As drivers and firmware size it: a pattern where the memory would begin again.
    fitted = 0
    for candidate in (0x8_0000, 0x10_0000, 0x20_0000):
        bench.write_all(
            (Register.WINDOW_BASE, 0x4_0000),
            (0x800, 0),
            (Register.WINDOW_BASE, 0x4_0000 + candidate),
            (0x800, 1),
        )
        bench.write(Register.WINDOW_BASE, 0x4_0000)
        if bench.read(0x800) == 1:
            fitted = candidate
            break
    assert fitted == size.bytes


def wires(bench: Bench, value: int) -> None:
    """Move the wires of the EEPROM."""
    bench.write(Register.LOCAL_CONTROL, value)


def put(bench: Bench, byte: int) -> bool:
    """Send a byte to the EEPROM; whether it was acknowledged."""
    for bit in range(7, -1, -1):
        level = ENABLE | (OUTPUT if byte >> bit & 1 else 0)
        for clock in (0, CLOCK, 0):
            wires(bench, level | clock)
    wires(bench, 0)
    wires(bench, CLOCK)
    acknowledged = not bench.read(Register.LOCAL_CONTROL) & INPUT
    wires(bench, 0)
    return acknowledged


def get(bench: Bench, *, wants_more: bool) -> int:
    """Take a byte from the EEPROM."""
    byte = 0
    for _ in range(8):
        wires(bench, CLOCK)
        byte = byte << 1 | bool(bench.read(Register.LOCAL_CONTROL) & INPUT)
        wires(bench, 0)
    level = ENABLE | (0 if wants_more else OUTPUT)
    for clock in (0, CLOCK, 0):
        wires(bench, level | clock)
    wires(bench, 0)
    return byte


def start(bench: Bench) -> None:
    """The data wire falls while the clock is high."""
    for level in (OUTPUT, OUTPUT | CLOCK, CLOCK, 0):
        wires(bench, ENABLE | level)


def stop(bench: Bench) -> None:
    """The data wire rises while the clock is high."""
    for level in (0, CLOCK, CLOCK | OUTPUT):
        wires(bench, ENABLE | level)


def test_the_eeprom_gives_the_mac_address_bit_by_bit(bench: Bench) -> None:
    start(bench)
    assert put(bench, 0xA0)
    assert put(bench, 0x00)
    assert put(bench, 0x8E)
    start(bench)
    assert put(bench, 0xA1)
    assert bytes(get(bench, wants_more=number < 5) for number in range(6)) == MAC_ADDRESS
    stop(bench)


def test_the_eeprom_can_be_written_and_ignores_other_devices(bench: Bench) -> None:
    start(bench)
    assert not put(bench, 0xA2)
    stop(bench)
    start(bench)
    assert all(put(bench, byte) for byte in (0xA0, 0x01, 0x00, 0x5A, 0xC3))
    stop(bench)
    assert bench.simulation.read(bench.card.eeprom, 0x100, 3) == b"\x5a\xc3\xff"
