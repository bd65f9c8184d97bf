"""Rows of rates name the payloads that are in the traffic, and no others."""

import pytest
from tests.python.runs.systems import Wires

from spinach_nic import run

PAYLOADS = ("UDP payload, Gb/s", "TCP payload, Gb/s", "payload of raw frames, Gb/s")


def rows(*traffic: str, frames: int = 100) -> dict[str, list[str]]:
    return {title: cells for title, *cells in run(Wires, frames=frames, traffic=traffic).rate_rows()}


@pytest.mark.parametrize(
    ("traffic", "title", "bytes_of_all"),
    [
        ("udp:1472", "UDP payload, Gb/s", 1472 / 1538),
        ("tcp:1448", "TCP payload, Gb/s", 1448 / 1526),
        ("raw:86", "payload of raw frames, Gb/s", 86 / 124),
    ],
)
def test_payload_is_that_of_the_traffic(traffic: str, title: str, bytes_of_all: float) -> None:
    found = rows(traffic)
    assert [name for name in found if name in PAYLOADS] == [title]
    for payload, wire in zip(found[title], found["on the wire, Gb/s"], strict=True):
        values = zip(payload.split(" ± "), wire.split(" ± "), strict=True)
        for of_payload, of_wire in values:
            assert float(of_payload) == pytest.approx(float(of_wire) * bytes_of_all, abs=0.001)


def test_payload_of_segments_of_several_sizes_has_a_larger_error() -> None:
    one, several = (run(Wires, frames=100, traffic=f"tcp:{sizes}:rx") for sizes in ("1448", "18,1448"))
    assert several.rx.wire_gbps_error is not None
    (shown,) = [cells[1] for title, *cells in several.rate_rows() if title.startswith("TCP")]
    assert float(shown.partition(" ± ")[2]) > several.rx.wire_gbps_error
    assert one.tx.frames == 0


def test_unused_direction_has_no_rates() -> None:
    for title, cells in rows("udp:1472:tx").items():
        assert cells[0] != "-", title
        assert cells[1] == "-", title


def test_each_direction_has_its_payload() -> None:
    found = rows("udp:1472:tx", "tcp:1448:rx")
    assert [cell == "-" for cell in found["UDP payload, Gb/s"]] == [False, True]
    assert [cell == "-" for cell in found["TCP payload, Gb/s"]] == [True, False]


def test_payload_of_padded_and_mixed_segments_is_not_known() -> None:
    assert not set(PAYLOADS) & rows("tcp:5").keys()
    mixed = rows("mix:1*udp:18+1*tcp:1448")
    assert "0.000" not in mixed["UDP payload, Gb/s"][0]
    assert "TCP payload, Gb/s" not in mixed


def test_a_run_without_rates_has_dashes() -> None:
    titles = ("frames per second", "TCP payload, Gb/s", "on the wire, Gb/s", "share of line rate")
    assert rows("tcp:1448", frames=5) == {title: ["-", "-"] for title in titles}
