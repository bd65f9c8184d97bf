"""Profiles of a server: every cycle once, without side effects."""

import json
from pathlib import Path

import jsonschema
import pytest

from spinach_nic import _native, cli, servers
from spinach_nic.servers import linux
from spinach_nic.servers.categories import CATEGORIES, category_of
from spinach_nic.servers.profile import SCHEMA_FILE, profile_of
from spinach_nic.servers.symbols import NOWHERE, Function, Symbols
from spinach_nic.support.units import MiB

CYCLES = 10_000_000


def ready(kernel: linux.Linux, harts: int = 1) -> _native.Server:
    return servers.booted(servers.configuration_of("rv64", harts=harts), kernel, lambda _: None)


@pytest.mark.parametrize(("harts", "is_timed"), [(1, False), (1, True), (2, True)])
def test_a_profile_adds_up_to_the_time(kernel: linux.Linux, harts: int, is_timed: bool) -> None:
    server = ready(kernel, harts)
    server.set_timed(is_timed)
    server.type_in(b"pi 20000\nfork 1\n")
    servers.run_until(server, b"pi 20000", lambda _: None)
    server.set_profiled(True)
    before, executed = server.time()[0], server.instructions()
    server.run(CYCLES)
    profile = profile_of(server, kernel.symbols, is_timed=is_timed)
    assert profile.cycles == sum(it.cycles for it in profile.functions) + profile.waiting_cycles
    # A hart may be ahead of the time by its last instruction.
    assert profile.cycles == pytest.approx(harts * (server.time()[0] - before), abs=2000)
    assert profile.instructions == server.instructions() - executed
    assert sum(profile.categories.values()) == profile.cycles
    assert profile.categories["user"] > 0
    assert set(profile.categories) == set(CATEGORIES)


def test_a_profile_changes_nothing(kernel: linux.Linux) -> None:
    one, other = ready(kernel), ready(kernel)
    other.set_profiled(True)
    for server in (one, other):
        server.set_timed(True)
        server.type_in(b"pi 10000\n")
        servers.run_until(server, b"pi 10000", lambda _: None)
        server.run(CYCLES)
    assert one.save() == other.save()
    assert one.profiles() == []


def test_a_program_that_waits_is_idle() -> None:
    # An Image: an instruction that waits, and one that goes back to it.
    image = (0xBFF5_1050_0073).to_bytes(8, "little") + bytes(8) + (64).to_bytes(8, "little")
    image = image.ljust(0x38, b"\0") + b"RSC\x05" + bytes(4)
    server = _native.Server.boot("image", image, b"", [""], (1, MiB(1).bytes))
    server.set_profiled(True)
    server.run(1000)
    profile = profile_of(server, b"")
    assert (profile.cycles, profile.categories["idle"], profile.instructions) == (1000, 999, 1)
    assert [it.function for it in profile.functions] == [NOWHERE.name]


def test_functions_are_found_by_address() -> None:
    kept = Symbols.read(b"20 net/ipv4/tcp.o tcp_ack\n10 init main\n20 net/ipv4/tcp.o also_tcp_ack\n")
    assert [kept.find(address).name for address in (0x0F, 0x10, 0x1F, 0x20, 0x1000)] == [
        "?",
        "main",
        "main",
        "also_tcp_ack",
        "also_tcp_ack",
    ]


@pytest.mark.parametrize(
    ("file", "name", "category"),
    [
        ("net/ipv4/tcp_input.o", "tcp_rcv_established", "stack"),
        ("net/core/skbuff.o", "__alloc_skb", "buffer"),
        ("net/core/skbuff.o", "skb_copy_bits", "copy"),
        ("arch/riscv/lib/uaccess.o", "__asm_copy_to_user", "copy"),
        ("drivers/net/ethernet/natsemi/ns83820.o", "ns83820_irq", "driver"),
        ("drivers/irqchip/irq-sifive-plic.o", "plic_handle_irq", "interrupt"),
        ("kernel/sched/core.o", "schedule", "other"),
        ("kernel/sched/idle.o", "do_idle", "idle"),
        ("mm/slub.o", "kmem_cache_alloc", "buffer"),
    ],
)
def test_functions_have_categories(file: str, name: str, category: str) -> None:
    assert category_of(Function(0, file, name)) == category


def test_boot_writes_a_profile(
    kernel: linux.Linux, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file, typed = tmp_path / "profile.json", tmp_path / "typed"
    typed.write_bytes(b"poweroff\n")
    with typed.open() as commands:
        monkeypatch.setattr("sys.stdin", commands)
        assert cli.carry_out(["boot", "rv64", "--profile", str(file)]) == 0
    document = json.loads(file.read_text())
    jsonschema.validate(document, json.loads(SCHEMA_FILE.read_text()))
    assert document["core"] == "functional"
    assert "time of the harts: " in capfd.readouterr().err
