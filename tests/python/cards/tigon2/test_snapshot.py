"""Frames of the Tigon-2 in its first milliseconds, by image, frame size and memory, to the last cycle.

No figure here is right or wrong. A change of simulated behaviour or of the firmware shows as a difference to
review: `SPINACH_BLESS=1 .venv/bin/pytest tests/python/cards/tigon2/test_snapshot.py` accepts it.
"""

from pathlib import Path

from tests.python.cards.snapshots import assert_unchanged

from spinach_nic import run, us

SNAPSHOT = Path(__file__).with_name("snapshot.txt")
CONFIGURATIONS: tuple[tuple[str, int, dict[str, str]], ...] = (
    ("uni", 18, {}),
    ("uni", 1472, {}),
    ("parallel", 18, {}),
    ("parallel", 1472, {}),
    ("released-style", 18, {}),
    ("released-style", 1472, {}),
    ("parallel", 1472, {"descriptor_memory": "true", "sram_clock": "66MHz"}),
    ("parallel", 1472, {"arbitration": "round_robin", "receive_checksums": "true", "header_bytes": "0"}),
)
SIMULATED = us(3500)
HEADINGS = (
    *("         image", "payload", "tx sent", "rx delivered", "rx dropped", "instructions", "     ipc"),
    *("instruction_miss", "load", "conflict", "useful gb/s of each memory"),
)


def measure(firmware: str, payload: int, settings: dict[str, str]) -> list[object]:
    """The row of a configuration: what moved within the time, and what its cores waited for."""
    result = run("tigon2", firmware=firmware, traffic=f"udp:{payload}", time=SIMULATED, set=settings)
    mean = result.cores_mean
    assert mean is not None
    causes = [mean.cycles[cause] for cause in ("instruction_miss", "load", "conflict")]
    return [
        firmware,
        payload,
        result.frames.delivered["tx"],
        result.frames.delivered["rx"],
        sum(sum(reasons.values()) for reasons in result.frames.dropped["rx"].values()),
        result.instructions,
        *(f"{share:.6f}" for share in (mean.ipc, *causes)),
        " ".join(f"{memory.useful_gbps:.6f}" for memory in result.memories.values()),
    ]


def test_what_is_carried_is_that_of_the_snapshot() -> None:
    assert_unchanged(SNAPSHOT, HEADINGS, (measure(*configuration) for configuration in CONFIGURATIONS))
