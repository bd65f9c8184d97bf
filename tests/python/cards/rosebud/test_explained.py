"""`explain` names what limits the card: the sender at small packets, then the balancer."""

import pytest

from spinach_nic.studies.explaining import explain

COMPETITORS = (
    "rpus",
    "core_clock",
    "slots",
    "sender_cycles",
    "port_cycles",
    "port_choices",
    "switch_latency",
    "message_latency",
)


@pytest.mark.parametrize(
    ("cost", "settings"),
    [
        ("sender_cycles", {"rpus": 4}),
        ("port_cycles", {"rpus": 16, "sender_cycles": 0}),
    ],
)
def test_the_largest_cost_is_named(cost: str, settings: dict[str, int]) -> None:
    # Only parameters with a value vary; 0 has no percentage.
    vary = [name for name in COMPETITORS if settings.get(name) != 0]
    found = explain(
        "rosebud",
        traffic="udp:22",
        frames=600,
        set={"port_fifo": "16KiB", **settings},
        vary=vary,
        figures=("wire_gbps",),
    )
    assert f" {cost}; 1 % more gives" in found.summary
