"""The host boots the card by DMA, reads counters and commands cores; firmware moves bytes of host memory."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.python.cards.rosebud.programs import DESCRIPTION

from spinach_nic import KiB, ns, run, simulate, us
from spinach_nic.benches import GeneratedTraffic
from spinach_nic.cards.drivers import Driver, DriverError, Host
from spinach_nic.cards.drivers.operations import wait
from spinach_nic.cards.drivers.running import RunningDriver
from spinach_nic.cards.rosebud import Rosebud
from spinach_nic.cards.rosebud.host import (
    DROP_LIMIT,
    DROPPED,
    ENABLED,
    FILL,
    PORT_MASK,
    RECEIVED,
    RECEIVED_BYTES,
    RECEIVERS,
    REFUSED,
    SENT,
    SENT_BYTES,
    SLOTS,
    CardAccess,
    RosebudDriver,
    Zone,
)
from spinach_nic.cards.rosebud.map import COMMANDS, STATUS
from spinach_nic.firmware import Executable, build
from spinach_nic.traffic import plan_traffic

LARGE = 20_000
"""Bytes that take two moves."""
EVICTED = """
void core_interrupt(uint32_t cause) {
    (void)cause;
    if (enabled_flags() & FLAG_EVICT) {
        BYTE_REGISTER(WRITE_READY_TO_EVICT) = 1;
    }
    acknowledge(FLAG_EVICT | FLAG_POKE);
    REGISTER(WRITE_DEBUG_OUT_LOW) = REGISTER(READ_DEBUG_IN_LOW) + 1;
}
int core_main(void) {
    set_slots(SLOTS);
    enable_interrupts(FLAG_EVICT | FLAG_POKE);
    for (;;) { }
}
"""
MISTAKEN = """
int core_main(void) {
    set_slots(SLOTS);
    while (REGISTER(READ_DEBUG_IN_LOW) == 0) { }
    BYTE_REGISTER(WRITE_SEND) = 9;
    REGISTER(WRITE_SEND_LOW) = 3u << 16;
    BYTE_REGISTER(WRITE_SEND) = TYPE_PACKET;
    (void)REGISTER(READ_CORE);
    BYTE_REGISTER(WRITE_SEND) = TYPE_PACKET;
    for (;;) { }
}
"""
HOST_MEMORY = """
int core_main(void) {
    uint32_t packets = REGION_PACKETS + 0x100;
    while (REGISTER(READ_DEBUG_IN_LOW) == 0) { }
    REGISTER(WRITE_HOST_LOW) = REGISTER(READ_DEBUG_IN_LOW);
    REGISTER(WRITE_HOST_HIGH) = REGISTER(READ_DEBUG_IN_HIGH);
    REGISTER(WRITE_SEND_LOW) = 3u << 16 | 100;
    REGISTER(WRITE_SEND_HIGH) = packets;
    BYTE_REGISTER(WRITE_SEND) = TYPE_HOST_READ;
    while (REGISTER(READ_HOST_FLAGS) != 1u << 3) { }
    REGISTER(WRITE_HOST_FLAG_CLEAR) = 3;
    REGISTER(WRITE_HOST_LOW) = REGISTER(READ_DEBUG_IN_LOW) + 256;
    REGISTER(WRITE_SEND_LOW) = 100;
    REGISTER(WRITE_SEND_HIGH) = packets;
    BYTE_REGISTER(WRITE_SEND) = TYPE_HOST_WRITE;
    REGISTER(WRITE_DEBUG_OUT_HIGH) = REGISTER(READ_HOST_FLAGS) + 7;
    for (;;) { }
}
"""

Found = Generator[Any, Any, None]


def made(folder: Path, source: str) -> Executable:
    """Build a program for a card with two cores."""
    (folder / "firmware.toml").write_text(DESCRIPTION)
    (folder / "program.c").write_text(f'#include "rosebud/packets.h"\n{source}')
    return Executable.load(build("program", root=folder, card=Rosebud(rpus=2).firmware_map()).path)


def drive(card: Rosebud, program: Any, traffic: tuple[str, ...] = ()) -> None:
    """Run the card until the program of its host, after the boot, is over."""
    plans = plan_traffic(traffic, frames=None, seed=1, largest_frame=9000)
    bench = GeneratedTraffic(tx=plans.tx, rx=plans.rx).insert(card)
    simulation = simulate(bench)
    model = bench.driver_model
    assert isinstance(model, RosebudDriver)

    def whole(host: Host) -> Found:
        access = CardAccess(host, patience=2000)
        yield from access.begin()
        yield from model.boot(access)
        yield from program(host, access)

    driver = RunningDriver(simulation, Driver(bench.host, whole))
    while not driver.is_over:
        assert simulation.run(us(500), until=driver.condition).reason == "condition"
        driver.resume()


@pytest.mark.parametrize("balancer", ["round_robin", "hash"])
def test_a_card_that_its_host_boots_forwards_every_packet(balancer: str) -> None:
    settings = {"rpus": 4, "host": True, "balancer": balancer}
    result = run(
        "rosebud", traffic="udp:214,flows=64,source_port_step=7:tx@20Gbps", time=us(60), set=settings
    )
    frames = result.frames
    assert frames.delivered["tx"] > 200
    assert frames.offered["tx"] == frames.delivered["tx"] + frames.in_flight["tx"]
    assert frames.corrupted["tx"] == 0


def test_memory_moves_both_ways_at_any_address() -> None:
    def program(host: Host, access: CardAccess) -> Found:
        contents = bytes(index * 7 % 251 for index in range(LARGE))
        for core, address in ((0, 0x100_0003), (1, 0x100_0010)):
            yield from access.store(core, address, contents)
        for core, address in ((1, 0x100_0010), (0, 0x100_0003)):
            assert (yield from access.load(core, address, LARGE)) == contents
        yield from access.store(1, 0x80_0405, b"data memory")
        assert (yield from access.load(1, 0x80_0404, 13)) == b"\0data memory\0"

    drive(Rosebud(rpus=2, host=True), program)


def test_the_host_reads_what_the_ports_and_cores_count() -> None:
    def program(host: Host, access: CardAccess) -> Found:
        yield wait(until=host.now + us(20))
        yield from access.set(Zone.PORT, 0, PORT_MASK, 0)
        yield wait(until=host.now + us(5))
        counted = []
        for register in (RECEIVED, SENT, RECEIVED_BYTES, SENT_BYTES):
            counted.append((yield from access.get(Zone.PORT, 1, register)))
        assert counted[0] == counted[1] > 20
        assert counted[2] == counted[3] == 256 * counted[0]
        cores = []
        for core in range(2):
            for name in ("RECEIVED", "SENT"):
                cores.append((yield from access.get(Zone.CORE, core, STATUS[name])))
            assert (yield from access.get(Zone.BALANCER, core, SLOTS)) == 16
        assert cores[0] + cores[2] == cores[1] + cores[3] == counted[0]

    image = Executable.load(build("rosebud/forward", card=Rosebud(rpus=2).firmware_map()).path)
    drive(Rosebud(rpus=2, host=True, image=image), program, traffic=("udp:214:rx@4Gbps",))


def test_the_host_reads_how_full_the_memory_of_a_port_is() -> None:
    def program(host: Host, access: CardAccess) -> Found:
        yield from access.set(Zone.BALANCER, 0, RECEIVERS, 0)
        yield wait(until=host.now + us(20))
        # Frames of 65 bytes take two lines of 64 bytes each.
        assert (yield from access.get(Zone.PORT, 1, FILL)) == 256
        dropped = yield from access.get(Zone.PORT, 1, DROPPED)
        assert dropped > 20
        assert (yield from access.get(Zone.PORT, 0, FILL)) == 0
        yield from access.set(Zone.BALANCER, 0, RECEIVERS, 3)
        yield wait(until=host.now + us(20))
        assert (yield from access.get(Zone.PORT, 1, FILL)) <= 2
        assert (yield from access.get(Zone.PORT, 1, DROPPED)) >= dropped

    image = Executable.load(build("rosebud/forward", card=Rosebud(rpus=2).firmware_map()).path)
    card = Rosebud(rpus=2, host=True, port_fifo=KiB(16), image=image)
    drive(card, program, traffic=("udp:23:rx@5Gbps",))


def test_the_host_sets_the_lines_from_which_on_a_balancer_drops() -> None:
    def program(host: Host, access: CardAccess) -> Found:
        # Seven eighths of 256 lines, and then 40. A frame takes four; 64 lines of frames are dropped at once.
        for limit, is_set in ((224, False), (40, True)):
            if is_set:
                yield from access.set(Zone.DROPS, 0, DROP_LIMIT, limit)
            yield wait(until=host.now + us(40))
            filled = []
            for _ in range(40):
                yield wait(until=host.now + ns(170))
                filled.append((yield from access.get(Zone.PORT, 1, FILL)))
            assert max(filled) in range(limit, limit + 9)
            assert min(filled) >= max(limit - 64, 0)
        assert (yield from access.get(Zone.DROPS, 1, REFUSED)) > 100
        assert (yield from access.get(Zone.PORT, 1, DROPPED)) == 0

    image = Executable.load(build("rosebud/forward", card=Rosebud(rpus=2).firmware_map()).path)
    card = Rosebud(rpus=2, host=True, balancer="hash_dropping", port_fifo=KiB(16), image=image)
    drive(card, program, traffic=("udp:214,flows=1:rx@40Gbps",))


def test_the_host_reads_what_the_firmware_did_wrong(tmp_path: Path) -> None:
    def program(host: Host, access: CardAccess) -> Found:
        for name in ("QUEUES", "RESENT_SLOTS", "INVALID_SLOTS"):
            assert (yield from access.get(Zone.CORE, 0, STATUS[name])) == 0
        yield from access.set(Zone.CORE, 0, COMMANDS["DEBUG_LOW"], 1)
        yield wait(until=host.now + us(2))
        found = []
        for name in ("QUEUES", "RESENT_SLOTS", "INVALID_SLOTS"):
            found.append((yield from access.get(Zone.CORE, 0, STATUS[name])))
        assert found == [3 << 16, 1 << 2, 1 << 2]
        yield from access.stop(0)
        for name in ("QUEUES", "RESENT_SLOTS", "INVALID_SLOTS"):
            assert (yield from access.get(Zone.CORE, 0, STATUS[name])) == 0

    drive(Rosebud(rpus=2, host=True, image=made(tmp_path, MISTAKEN)), program)


def test_commands_reach_firmware_and_its_words_the_host(tmp_path: Path) -> None:
    def program(host: Host, access: CardAccess) -> Found:
        yield wait(until=host.now + us(5))
        yield from access.set(Zone.CORE, 1, COMMANDS["DEBUG_LOW"], 41)
        yield from access.set(Zone.CORE, 1, COMMANDS["POKE"], 1)
        yield wait(until=host.now + us(2))
        assert (yield from access.get(Zone.CORE, 1, STATUS["DEBUG_LOW"])) == 42
        assert (yield from access.get(Zone.CORE, 0, STATUS["DEBUG_LOW"])) == 0
        yield from access.evict(1)
        assert (yield from access.get(Zone.CORE, 1, STATUS["CORE"])) == 1 << 16

    drive(Rosebud(rpus=2, host=True, image=made(tmp_path, EVICTED)), program)


def test_a_core_is_reset_loaded_and_started_again(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = made(tmp_path / "other", EVICTED.replace("+ 1;", "+ 2;"))

    def program(host: Host, access: CardAccess) -> Found:
        yield wait(until=host.now + us(5))
        yield from access.stop(0)
        assert (yield from access.get(Zone.CORE, 0, STATUS["CORE"])) == 1 << 17
        assert (yield from access.get(Zone.BALANCER, 0, ENABLED)) == 2
        assert (yield from access.get(Zone.BALANCER, 0, SLOTS)) == 0
        for segment in other.segments:
            if segment.data:
                yield from access.store(0, segment.address, segment.data)
        yield from access.start(0)
        yield wait(until=host.now + us(5))
        assert (yield from access.get(Zone.BALANCER, 0, SLOTS)) == 16
        for core, expected in ((0, 42), (1, 41)):
            yield from access.set(Zone.CORE, core, COMMANDS["DEBUG_LOW"], 40)
            yield from access.set(Zone.CORE, core, COMMANDS["POKE"], 1)
            yield wait(until=host.now + us(2))
            assert (yield from access.get(Zone.CORE, core, STATUS["DEBUG_LOW"])) == expected

    drive(Rosebud(rpus=2, host=True, image=made(tmp_path, EVICTED)), program)


def test_firmware_reads_and_writes_host_memory(tmp_path: Path) -> None:
    def program(host: Host, access: CardAccess) -> Found:
        buffer = host.allocate(512)
        contents = bytes(range(50, 150))
        host.store(buffer, contents)
        for register, word in (("DEBUG_HIGH", buffer >> 32), ("DEBUG_LOW", buffer & 0xFFFF_FFFF)):
            yield from access.set(Zone.CORE, 0, COMMANDS[register], word)
        yield wait(until=host.now + us(10))
        assert host.load(buffer + 256, 100) == contents
        # The flag of the read was cleared.
        assert (yield from access.get(Zone.CORE, 0, STATUS["DEBUG_HIGH"])) == 7

    drive(Rosebud(rpus=2, host=True, image=made(tmp_path, HOST_MEMORY)), program)


def test_a_move_to_no_memory_is_given_up() -> None:
    def program(host: Host, access: CardAccess) -> Found:
        yield from access.store(0, 0x40_0000, b"nothing is here")

    with pytest.raises(DriverError, match="core 0, address 0x400000"):
        drive(Rosebud(rpus=1, host=True), program)
