"""Cores of Rosebud pass packets on to each other, and receive each other's stores."""

from pathlib import Path

from tests.python.cards.rosebud.programs import Program

from spinach_nic import run, us

PIPELINE = {"rpus": 8, "receivers": 0x0F}
DONE = """
int core_main(void) {
    set_slots(SLOTS);
    for (;;) {
        if (is_received()) {
            take_received();
            BYTE_REGISTER(WRITE_SEND) = TYPE_DONE;
        }
    }
}
"""
SHARED = """
#define SHARED ((volatile uint32_t *)(REGION_DATA + 0x6000))
volatile uint32_t heard, full, first, at;
void core_interrupt(uint32_t cause) {
    (void)cause;
    uint32_t flags = enabled_flags();
    if (flags & FLAG_BROADCAST_FULL) {
        full++;
        REGISTER(WRITE_BROADCAST_ENABLE) = 0;
    }
    while (flags & FLAG_BROADCAST) {
        if (heard++ == 0) {
            first = REGISTER(READ_BROADCAST_ADDRESS);
            at = REGISTER(READ_TIMER_LOW);
        }
        BYTE_REGISTER(WRITE_BROADCAST_RELEASE) = 1;
        flags = enabled_flags();
    }
    acknowledge(flags);
}
"""


def test_packets_pass_two_cores_unchanged_and_are_counted_by_the_second() -> None:
    result = run("rosebud", traffic="udp:86,470", frames=1500, firmware="pipeline", set=PIPELINE)
    assert sum(result.frames.corrupted.values()) == 0
    assert min(result.frames.delivered.values()) >= 1500
    looped = result.counters["looped"].value
    assert 0 <= looped - sum(result.frames.delivered.values()) <= 8 * 16 + 128


def test_a_packet_whose_departure_the_balancer_decides_leaves(tmp_path: Path) -> None:
    ran = Program(tmp_path, DONE, traffic=("udp:22:tx@5Gbps",), rpus=1).run(5000)
    assert ran.counter("rpu[0].mover.sent") > 100


def test_a_store_reaches_the_memory_of_the_other_cores_and_interrupts_them(tmp_path: Path) -> None:
    body = """
int core_main(void) {
    REGISTER(WRITE_BROADCAST_MASK) = 0;
    REGISTER(WRITE_BROADCAST_VALUE) = 0;
    REGISTER(WRITE_BROADCAST_ENABLE) = 1;
    if (REGISTER(READ_CORE) == 2) {
        while (REGISTER(READ_TIMER_LOW) < 500) { }
        at = REGISTER(READ_TIMER_LOW);
        SHARED[0] = 7;
        SHARED[5] = 0x01234567;
    } else if (REGISTER(READ_CORE) == 3) {
        while (SHARED[5] == 0) { }
        at = REGISTER(READ_TIMER_LOW);
    } else {
        enable_interrupts(FLAG_BROADCAST);
    }
    for (;;) { }
}
"""
    ran = Program(tmp_path, SHARED + body, rpus=4).run(1000)
    sent = ran.word("at", core=2)
    for core in range(4):
        stored = ran.simulation.read(ran.card.rpu[core].mover, 0x6000, 24)
        assert int.from_bytes(stored[20:], "little") == 0x01234567
        # The first byte of the region is not broadcast, in the hardware either.
        assert stored[0] == (7 if core == 2 else 0)
        assert ran.word("heard", core) == (1 if core < 2 else 0)
        if core < 2:
            assert ran.word("first", core) == 0x6000 + 20
    # Both stores follow the load of the timer; the polling loop takes six cycles.
    assert 16 <= ran.word("at", core=3) - sent <= 30


def test_stores_that_nobody_releases_fill_the_queue_and_interrupt(tmp_path: Path) -> None:
    body = """
int core_main(void) {
    if (REGISTER(READ_CORE) == 0) {
        for (uint32_t word = 1; word <= 40; word++) {
            SHARED[word] = word;
        }
    } else {
        REGISTER(WRITE_BROADCAST_MASK) = 0;
        REGISTER(WRITE_BROADCAST_VALUE) = 0;
        REGISTER(WRITE_BROADCAST_ENABLE) = 1;
        enable_interrupts(FLAG_BROADCAST_FULL);
    }
    for (;;) { }
}
"""
    ran = Program(tmp_path, SHARED + body, rpus=2).run(2000)
    assert ran.word("full", core=1) == 1
    assert ran.word("full", core=0) == 0
    assert ran.counter("broadcaster.words") == 40


def test_a_packet_for_a_core_that_is_not_there_names_it(tmp_path: Path) -> None:
    source = """
int core_main(void) {
    set_slots(SLOTS);
    while (!is_received()) { }
    take_received();
    send_to_core(3);
    for (;;) { }
}
"""
    ran = Program(tmp_path, source, traffic=("udp:22:tx",), rpus=3)
    assert "sends a packet to core 3, which is not there" in str(ran.run(3000).ending)


def test_every_packet_is_counted_once_by_its_flow() -> None:
    result = run(
        "rosebud", traffic="udp:86,flows=16:tx@20Gbps", time=us(50), firmware="count", set={"rpus": 4}
    )
    assert result.frames.offered["tx"] - result.frames.delivered["tx"] == result.frames.in_flight["tx"]
