"""The firewall drops what its list has, and nothing else; the accelerator answers in the published cycles."""

from pathlib import Path

import pytest
from tests.python.cards.rosebud.programs import Program

from spinach_nic import SpinachError, run, us
from spinach_nic.cards.rosebud.prefixes import read_prefixes

LOOKUP = """
#define MATCHER ((volatile uint32_t *)REGION_ACCELERATOR)
volatile uint32_t cycles, matches[3], faults, flags;
void core_interrupt(uint32_t cause) {
    (void)cause;
    flags = enabled_flags();
    acknowledge(flags);
}
int core_main(void) {
    uint32_t begun, ended;
    __asm__ volatile(
        "sw %2, 0(%3)\\n lw %0, 0x94(zero)\\n sw %2, 0(%3)\\n lw t0, 4(%3)\\n lw %1, 0x94(zero)\\n nop"
        : "=&r"(begun), "=&r"(ended) : "r"(0x010200c0), "r"(REGION_ACCELERATOR) : "t0");
    cycles = ended - begun;
    matches[0] = MATCHER[1];
    MATCHER[0] = 0x0100000a;
    matches[1] = MATCHER[1];
    MATCHER[0] = 0xff0200c0;
    matches[2] = MATCHER[1];
    for (;;) { }
}
"""


def test_the_firewall_drops_listed_addresses_and_forwards_the_others(tmp_path: Path) -> None:
    listed = tmp_path / "prefixes.txt"
    listed.write_text("# two of eight sources\n10.0.0.2/31\n192.0.2.0/24  # none\n")
    result = run(
        "rosebud",
        traffic="udp:86,flows=8,source_address_step=1:tx@20Gbps",
        time=us(100),
        firmware="firewall",
        set={"rpus": 4, "prefixes": str(listed)},
    )
    frames = result.frames
    dropped = sum(sum(place.values()) for place in frames.dropped["tx"].values())
    assert dropped == pytest.approx(frames.delivered["tx"] / 3, rel=0.05)
    assert frames.offered["tx"] == frames.delivered["tx"] + dropped + frames.in_flight["tx"]
    assert frames.corrupted["tx"] == 0


def test_a_match_waits_for_its_result(tmp_path: Path) -> None:
    ran = Program(tmp_path, LOOKUP, rpus=1, prefixes="documentation").run(500)
    assert [ran.word("matches", index=index) for index in range(3)] == [1, 0, 1]
    # The store follows the load of the timer; the match is answered four cycles after the store.
    assert ran.word("cycles") == 5


def test_lists_of_prefixes_name_their_mistakes(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("10.0.0.0/8\n10.0.0.0/33\n")
    with pytest.raises(SpinachError, match=r"line 2: '10\.0\.0\.0/33' is not an IPv4 prefix"):
        read_prefixes(str(wrong))
    assert read_prefixes("documentation")[:2] == [0xC0000200, 24]
