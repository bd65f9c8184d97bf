"""Flags of the packet mover interrupt the core: each event and each mistake of firmware that is enabled."""

from pathlib import Path
from typing import Any

import pytest
from tests.python.cards.rosebud.programs import Program

from spinach_nic.cards.rosebud.map import DESCRIBED

FLAGS = {name: value for name, value, _ in DESCRIBED["flag"]}
HANDLER = """
volatile uint32_t seen, interrupts, timers;
void core_interrupt(uint32_t cause) {
    interrupts++;
    if (IS_TIMER(cause)) {
        timers++;
        acknowledge(FLAG_TIMER);
        return;
    }
    uint32_t flags = enabled_flags();
    seen |= flags;
    if (flags & FLAG_PACKET) {
        take_received();
        HALF_REGISTER(WRITE_SEND_LOW) = 0;
        send();
    }
    acknowledge(flags);
}
"""
MISTAKES = {
    "INVALID_DESCRIPTOR": "BYTE_REGISTER(WRITE_SEND) = 9;",
    "INVALID_SLOT": "REGISTER(WRITE_SEND_LOW) = 3u << 16; send();",
    # The load balancer uses both slots again, although their packets are there.
    "DUPLICATE_SLOT": """
    set_slots(2);
    for (volatile uint32_t turn = 0; turn < 100; turn++) { }
    set_slots(2);""",
}


def program(folder: Path, body: str, mask: int, **given: Any) -> Program:
    """Return a program that runs `body` with the flags of `mask` enabled, and then waits."""
    source = f"{HANDLER}int core_main(void) {{ enable_interrupts({mask}u); {body} for (;;) {{ }} }}"
    return Program(folder, source, **{"rpus": 1, **given})


@pytest.mark.parametrize("flag", MISTAKES)
def test_a_mistake_of_the_firmware_interrupts_it_once(flag: str, tmp_path: Path) -> None:
    traffic = ("udp:22:tx",) if flag == "DUPLICATE_SLOT" else ()
    ran = program(tmp_path, MISTAKES[flag], FLAGS[flag], traffic=traffic).run(6000)
    assert ran.word("seen") == FLAGS[flag]
    assert ran.word("interrupts") == 1
    assert ran.word("timers") == 0

    assert ran.ending


ACCESSES = {
    "ACCELERATOR": "(void)REGISTER(REGION_ACCELERATOR + 8);",
    "DATA_ACCESS": "REGISTER(REGION_DATA + 0x100000) = 1;",
    "PACKET_ACCESS": "REGISTER(REGION_PACKETS + 0x800000) = 1;",
    "REGISTER_ACCESS": "(void)REGISTER(0x200);",
}


@pytest.mark.parametrize("flag", ACCESSES)
def test_an_access_outside_of_the_memories_stops_the_core_and_sets_its_flag(
    flag: str, tmp_path: Path
) -> None:
    ran = program(tmp_path, ACCESSES[flag], 0xFFFE, prefixes="documentation").run(1000)
    assert ran.ending.reason == "stopped"
    assert "no memory to" in ran.ending.details
    state = ran.simulation.state(ran.card.rpu[0].mover)
    assert state["registers"]["flags"] == FLAGS[flag]
    assert ran.word("interrupts") == 0


FETCHES = """
#define ERRORS (REGISTER(READ_FLAGS) & 0xf0000)
volatile uint32_t calls, before, after, acknowledged;
void __attribute__((noinline)) target(void) { calls++; }
int core_main(void) {
    before = ERRORS;
    ((void (*)(void))((uint32_t)target + DISTANCE))();
    after = ERRORS;
    acknowledge(FLAG_INSTRUCTION_ACCESS);
    acknowledged = ERRORS;
    for (;;) { }
}
"""


@pytest.mark.parametrize(
    ("distance", "is_reported"), [(0, False), (0x10000, True), (0x100000, True), (0x2000000, False)]
)
def test_a_fetch_beyond_the_instruction_memory_is_executed_and_sets_its_flag(
    tmp_path: Path, distance: int, *, is_reported: bool
) -> None:
    """The published RTL was seen to do the same; 25 bits of an address count."""
    ran = Program(tmp_path, FETCHES.replace("DISTANCE", f"{distance}u"), rpus=1).run(1000)
    assert ran.word("calls") == 1
    assert ran.word("after") == (FLAGS["INSTRUCTION_ACCESS"] if is_reported else 0)
    assert (ran.word("before"), ran.word("acknowledged")) == (0, 0)
    assert not ran.ending.details


@pytest.mark.parametrize("flag", MISTAKES)
def test_a_masked_mistake_does_not_interrupt(flag: str, tmp_path: Path) -> None:
    ran = program(tmp_path, MISTAKES[flag], 0xFFFE & ~(FLAGS[flag] | FLAGS["PACKET"])).run(3000)
    assert ran.word("interrupts") == 0


def test_the_timer_interrupts_at_its_interval(tmp_path: Path) -> None:
    body = "REGISTER(WRITE_TIMER_INTERVAL) = 99; enable_interrupts(FLAG_TIMER);"
    ran = program(tmp_path, body, mask=0).run(1000)
    before = ran.word("timers")
    assert ran.run(10_000).word("timers") == before + 100
    assert ran.word("seen") == 0


def test_packets_can_be_received_by_interrupts(tmp_path: Path) -> None:
    # The end lies between two packets: the last one is discarded.
    ran = program(tmp_path, "set_slots(4);", FLAGS["PACKET"], traffic=("udp:22:tx@2Gbps",)).run(20_040)
    assert ran.word("interrupts") == ran.counter("rpu[0].mover.discarded") > 100
    assert ran.word("seen") == FLAGS["PACKET"]
