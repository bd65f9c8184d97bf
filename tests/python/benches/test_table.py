"""The table of cards and benches in the book says what fits, and why the rest does not."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.python.servers.test_debugging import wfi_image

from spinach_nic import SpinachError, library, simulate
from spinach_nic.benches import BackToBack, Bench, GeneratedTraffic, find_nic
from spinach_nic.benches.guest import GuestBench
from spinach_nic.benches.pair import joined
from spinach_nic.benches.server import ServerBench
from spinach_nic.benches.wired import wired
from spinach_nic.cards import SHIPPED, Card, Faces, shipped_card

REPOSITORY = Path(__file__).parents[3]
BENCHES: dict[str, Callable[[], Bench]] = {
    "GeneratedTraffic": GeneratedTraffic,
    "BackToBack": lambda: BackToBack().insert_far(shipped_card("ricenic")()),
    "GuestBench": GuestBench,
    "ServerBench": ServerBench,
}
FILES = {
    "starter": REPOSITORY / "python/spinach_nic/starter/starter.py",
    "two_core_echo": REPOSITORY / "examples/two_core_echo/two_core_echo.py",
    "store_and_forward": REPOSITORY / "examples/store_and_forward/store_and_forward.py",
    "python_driver": REPOSITORY / "examples/python_driver.py",
}


def table() -> dict[tuple[str, str], str]:
    """Return the cells of the table, by card and bench."""
    lines = (REPOSITORY / "docs/benches.md").read_text().splitlines()
    rows = [
        [cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")
    ]
    heads = next(row for row in rows if row[0] == "card")
    known = [row for row in rows[rows.index(heads) + 2 :] if len(row) == len(heads)]
    return {(row[0], bench): cell for row in known for bench, cell in zip(heads[1:], row[1:], strict=True)}


TABLE = table()


def test_the_table_has_every_card_and_bench() -> None:
    cards = {*SHIPPED, *FILES}
    assert set(TABLE) == {(card, bench) for card in cards for bench in BENCHES}


@pytest.mark.parametrize(("name", "bench"), TABLE)
def test_a_card_fits_a_bench_as_the_table_says(name: str, bench: str) -> None:
    found = find_nic(FILES.get(name, name))
    card = found()
    assert isinstance(card, Card)
    system = BENCHES[bench]()
    system.insert(card)
    if TABLE[name, bench] == "yes":
        if isinstance(system, ServerBench):
            # A server needs something to boot, and another at its wire, or a wire that leads out.
            system.set("kernel", wfi_image())
            other = ServerBench(kernel=wfi_image()).insert(shipped_card("ricenic")())
            simulate(joined(system, other))
            simulate(wired(ServerBench(kernel=wfi_image()).insert(type(card)())))
        else:
            simulate(system)
        return
    with pytest.raises(SpinachError) as refused:
        simulate(system)
    assert TABLE[name, bench] in refused.value.message


@pytest.mark.parametrize("aggregated", [False, True])
@pytest.mark.parametrize("bench", BENCHES)
def test_further_wires_of_a_card_are_closed_or_aggregated(bench: str, aggregated: bool) -> None:
    starter: Any = find_nic(FILES["starter"])

    class TwoWires(starter):  # type: ignore[misc]
        def build(self) -> None:
            super().build()
            self.second = library.Pipe(clock=self.mac_clock)
            self.up = library.Sender(values=[1], clock=self.mac_clock)

        def faces(self) -> Faces:
            faces: Faces = super().faces()
            wire = faces.wires[0]
            sent, received, link_up = self.second.output, self.second.input, self.up.output
            second = replace(wire, sent=sent, received=received, link_up=link_up, leaving=None)
            return replace(faces, wires=[wire, second], aggregated=aggregated)

    system = BENCHES[bench]()
    system.insert(TwoWires())
    if isinstance(system, ServerBench):
        system.set("kernel", wfi_image())
        simulate(joined(system, ServerBench(kernel=wfi_image()).insert(starter())))
    else:
        simulate(system)
    assert any(name.startswith("aggregation") for name in system.parts) == aggregated


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("node[0].card.core_clok", "Tengig has no parameter 'core_clok'\nhelp: did you mean core_clock"),
        ("node[0].hart_clok", "Tengig has no parameter 'hart_clok'\nhelp: did you mean hart_clock"),
    ],
)
def test_a_misspelt_parameter_of_a_card_or_of_its_bench_is_named(
    refusal: Callable[[Callable[[], object]], str], path: str, said: str
) -> None:
    servers = [ServerBench(kernel=wfi_image()).insert(shipped_card("tengig")()) for _ in range(2)]
    pair = joined(*servers)

    def misspelt() -> None:
        pair.set(path, "1MHz")  # at fault
        simulate(pair)

    assert refusal(misspelt).startswith(f"HERE: {path}: {said}")
