"""`explain` names what limits the card: the sender at small packets, then the clock of the load balancer."""

from spinach_nic.studies.explaining import Explanation, explain

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


def explained(settings: dict[str, int]) -> Explanation:
    # Only parameters with a value vary; 0 has no percentage.
    vary = [name for name in COMPETITORS if settings.get(name) != 0]
    return explain(
        "rosebud",
        traffic="udp:22",
        frames=600,
        set={"port_fifo": "16KiB", **settings},
        vary=vary,
        figures=("wire_gbps",),
    )


def test_the_largest_cost_is_named() -> None:
    found = explained({"rpus": 4})
    assert "largest cost: sender_cycles; 1 % less gives" in found.summary


def test_a_parameter_of_which_less_gains_nothing_is_no_cost() -> None:
    """More cycles of a port hurt, fewer do not help: a message about a free slot comes in each cycle."""
    found = explained({"rpus": 16, "sender_cycles": 0})
    port = next(one for one in found.sensitivities if one.parameter == "port_cycles")
    less, more = port.side("less", "wire_gbps"), port.side("more", "wire_gbps")
    assert less is not None
    assert more is not None
    assert abs(less.value) <= less.error
    assert -more.value > more.error
    assert found.summary.startswith("bottleneck: core_clock; 1 % more gives")
    assert "largest cost" not in found.summary
