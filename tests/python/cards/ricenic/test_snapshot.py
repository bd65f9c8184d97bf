"""Frames of RiceNIC in its first milliseconds, by image and frame size, to the last cycle.

No figure here is right or wrong. A change of simulated behaviour or of the firmware shows as a difference to
review: `SPINACH_BLESS=1 .venv/bin/pytest tests/python/cards/ricenic/test_snapshot.py` accepts it.
"""

from pathlib import Path

from tests.python.cards.snapshots import assert_unchanged

from spinach_nic import run, us

SNAPSHOT = Path(__file__).with_name("snapshot.txt")
CONFIGURATIONS: tuple[tuple[str, int, dict[str, str]], ...] = (
    ("base", 18, {}),
    ("base", 1472, {}),
    ("base", 1472, {"checksums": "false", "core_clock": "200MHz"}),
    ("base", 400, {"core": "functional"}),
    ("split", 18, {}),
)
SIMULATED = us(1500)
HEADINGS = (
    *("image", "payload", "tx sent", "rx delivered", "rx dropped", "instructions", "     ipc"),
    *("instruction_miss", "    load", "conflict", "gb/s of each memory                "),
)


def measure(firmware: str, payload: int, settings: dict[str, str]) -> list[object]:
    """The row of a configuration: what moved within the time, and what its first core waited for."""
    result = run("ricenic", firmware=firmware, traffic=f"udp:{payload}", time=SIMULATED, set=settings)
    core = result.cores[0]
    causes = [core.cycles[cause] for cause in ("instruction_miss", "load", "conflict")]
    return [
        firmware,
        payload,
        result.frames.delivered["tx"],
        result.frames.delivered["rx"],
        sum(sum(reasons.values()) for reasons in result.frames.dropped["rx"].values()),
        result.instructions,
        *(f"{share:.6f}" for share in (core.ipc, *causes)),
        " ".join(f"{memory.gbps:.4f}" for memory in result.memories.values()),
    ]


def test_what_is_carried_is_that_of_the_snapshot() -> None:
    assert_unchanged(SNAPSHOT, HEADINGS, (measure(*configuration) for configuration in CONFIGURATIONS))
