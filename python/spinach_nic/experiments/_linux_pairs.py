"""Two servers with Linux and cards of modules, joined by a cable, between which streams of TCP pass."""

from __future__ import annotations

from collections.abc import Sequence

from spinach_nic.benches.pair import Pair, joined
from spinach_nic.benches.server import ServerBench
from spinach_nic.cards.base.card import Card
from spinach_nic.model.simulation import Simulation
from spinach_nic.servers import linux
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.units import Frequency, ms, ns


def linux_pair(
    cards: Sequence[Card], commands: Sequence[str], hart_clock: Frequency, *, seed: int = 0
) -> Pair:
    """Return the servers 10.0.0.1 and 10.0.0.2, each with its card and the commands of its first program.

    Args:
        cards: Card of each server.
        commands: Commands of each server.
        hart_clock: Clock of the harts of both.
        seed: Seed of the kernels' random numbers.

    Raises:
        SpinachError: There is no kernel.
    """
    kernel = linux.needed().with_seed(seed)
    first, second = (
        ServerBench(
            kernel=kernel.kernel,
            files=kernel.files,
            hart_clock=hart_clock,
            arguments=f"{kernel.arguments} address=10.0.0.{node}/24 run={run}",
            latency=ns(400),
            mac_address=bytes([2, 0, 0, 0, 0, node]),
        ).insert(card)
        for node, (card, run) in enumerate(zip(cards, commands, strict=True), start=1)
    )
    return joined(first, second)


def await_streams(simulation: Simulation, pair: Pair, warm_up_ms: int, begun: str, directions: int) -> None:
    """Run until the streams of each direction have begun, as the servers print it.

    Raises:
        SpinachError: They have not after `warm_up_ms`.
    """
    simulation.run(ms(warm_up_ms))
    printed = "".join(simulation.export(node.server).decode(errors="replace") for node in pair.node)
    if printed.count(begun) != directions:
        last = printed.strip().splitlines()[-3:]
        raise SpinachError(
            f"the streams have not begun after {warm_up_ms} ms; the servers printed {last}", "measure later"
        )
