"""A user-defined policy: an arbiter that serves the longest-waiting input, next to the built-in policies.

A policy is a Python function over the signals that the module's page names. It is called once and becomes a
native expression, so it costs no more than a built-in one. Run it with `python examples/custom_policy.py`.

Prints:
    fixed_priority  moved [9041, 874, 78], refused cycles [0, 8270, 9544]
    round_robin     moved [4590, 3553, 1762], refused cycles [4925, 3138, 1345]
    longest_wait    moved [5255, 3158, 1516], refused cycles [4171, 3896, 2524]
"""

from spinach_nic import Clock, Component, MHz, Signal, parameter, select, simulate
from spinach_nic.library import Arbiter, Receiver, Sender
from spinach_nic.model.tracing import Policy

PERCENT = (90, 50, 20)
"""Percentage of cycles in which each requester has a request."""


def longest_wait(
    requests: Signal, _last: Signal, _goes_on: Signal, first: Signal, second: Signal, third: Signal
) -> Signal:
    """Return the requesting lane that has waited the most cycles."""
    waits = [select(requests[lane], wait + 1, 0) for lane, wait in enumerate((first, second, third))]
    later = select(waits[1] >= waits[2], 1, 2)
    most_of_later = select(waits[1] >= waits[2], waits[1], waits[2])
    return select(waits[0] >= most_of_later, 0, later)


class Shared(Component):
    """Three senders share one receiver."""

    policy: Policy = parameter(default="round_robin", kind="policy", doc="Arbitration policy.")

    def build(self) -> None:
        """Put the arbiter between them."""
        self.clock = Clock("core", MHz(100))
        self.sender = [
            Sender(policy="index", percent=percent, seed=lane) for lane, percent in enumerate(PERCENT)
        ]
        self.arbiter = Arbiter(policy=self.policy)
        self.receiver = Receiver()
        for sender in self.sender:
            sender.output >> self.arbiter.initiator_request
        self.arbiter.target_request >> self.receiver.input


for name, policy in (
    ("fixed_priority", "fixed_priority"),
    ("round_robin", "round_robin"),
    ("longest_wait", longest_wait),
):
    simulation = simulate(Shared(policy=policy))
    simulation.run(cycles=10_000)
    counted = simulation.statistics()
    moved = [counted[f"sender[{lane}].transfers"] for lane in range(3)]
    refused = [counted[f"sender[{lane}].refused_cycles"] for lane in range(3)]
    print(f"{name:15} moved {moved}, refused cycles {refused}")
