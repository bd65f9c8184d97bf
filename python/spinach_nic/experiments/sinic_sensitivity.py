"""SINIC, section 7: what depends on access latency, the number of VNICs, queues and harts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from spinach_nic.experiments._servers import STALL, ServerExperiment, boots_of, quotable
from spinach_nic.experiments._sinic import (
    CALLS_IN_A_QUEUE,
    NOTES,
    SINIC,
    V_SINIC,
    sinic,
    windows,
)
from spinach_nic.experiments.runner import (
    Claim,
    Column,
    Extent,
    Point,
    Row,
    Rows,
    at_least,
    expectation,
    figure_of,
    only,
    with_errors,
)
from spinach_nic.runs.measuring import ServerRun, timing_of
from spinach_nic.runs.server_result import Measurement
from spinach_nic.support.measured import Measured

LATENCY, VNICS, QUEUE, HARTS = "cycles to the card", "VNICs", "receive queue, KiB", "harts"
_CYCLES = (0, 25, 100, 400, 1600)
_VNICS = (4, 8, 16, 64, 256)
_QUEUE_KIB = (32, 64, 128, 256, 512)
_HARTS = (1, 2, 4)
_USUAL_QUEUE_KIB = 512
RECEIVING_VNICS, SOCKET = "VNICs, eight streams received", "queue of a socket, KiB, eight streams received"
_RECEIVING_VNICS = (16, 64, 256)
_SOCKET_KIB = (32, 256)
"""Queues of sockets: eight of the first hold fewer packets than there are VNICs, eight of the second more."""
_SLIGHTLY = 0.95


@dataclass(frozen=True)
class _Variation:
    what: str
    value: int
    run: ServerRun

    def point(self, extent: Extent) -> Point[Measurement]:
        """Return its run and its row."""
        return Point(boots_of(self.run, extent), self._rows)

    def _rows(self, measured: Measurement) -> Rows:
        key: Row = {
            "varied": self.what,
            "value": self.value,
            "workload": self.run.workload,
            "card": self.run.card,
            "zero_copy": self.run.zero_copy,
        }
        shares = {name: measured.shares[name] for name in ("idle", "driver", "copy")}
        rates = with_errors(gbps=measured.gbps, **shares, misses_per_kb=measured.misses_per_kb)
        figures = {**rates, "dropped": measured.dropped}
        return [{**key, **quotable(measured, figures)}]


class Sensitivity(ServerExperiment):
    """One property at a time, the others as usual."""

    name = "sinic-sensitivity"
    summary = "SINIC: what depends on access latency, the number of VNICs, the receive queue and harts"
    source = sinic("section 7, and footnote 3")
    key = (
        Column("varied", "varied"),
        Column("value", "value"),
        Column("workload", "workload"),
        Column("card", "card"),
        Column("zero_copy", "zero copy"),
    )
    measured = (
        Column("gbps", "both ways, Gb/s"),
        Column("idle", "idle", digits=3),
        Column("driver", "driver", digits=3),
        Column("copy", "copy", digits=3),
        Column("misses_per_kb", "misses per KB"),
        Column("dropped", "dropped"),
        STALL,
    )
    notes = (
        *NOTES,
        "The paper names this as future work. The cycles are those to and from the card together, 25 as "
        "usual; a load takes them and those of the buses. Harts send each from a separate process, to a "
        "stresser with as many; with V-SINIC each through a separate VNIC, with SINIC all through one.",
        "Eight streams are received to netperf's ring of buffers: by the number of VNICs at 2 GHz with a "
        "second level of 1 MiB from a backlog, one VNIC being SINIC; by the queue of a socket at 4 GHz, "
        "40 Gb/s, with 128 KiB and 256 VNICs, so that small queues do not fit into the cache, and "
        "calls of a quarter of the queue.",
    )

    def points(self, extent: Extent) -> Sequence[Point[Measurement]]:
        """Return a run for each value."""
        usual = ServerRun(workload="maerts", card=SINIC, attachment="cache", cycles=windows(extent))
        sends = replace(usual, workload="stream")
        zero_copy = replace(usual, card=V_SINIC, zero_copy=True)
        apart = replace(usual, workload="streams-apart")
        needed = (_USUAL_QUEUE_KIB // 2, _USUAL_QUEUE_KIB)
        is_reduced = extent.largest_selection == 1
        variations = [
            _Variation(QUEUE, kib, replace(run, card_parameters=(f"receive_fifo={kib}KiB",)))
            for kib in extent.some(_QUEUE_KIB, needed=needed)
            for run in ((zero_copy,) if is_reduced else (usual, zero_copy))
        ]
        if not is_reduced:
            variations += [
                _Variation(LATENCY, cycles, replace(run, timing=timing_of(ways={"near_cycles": cycles})))
                for cycles in extent.some(_CYCLES)
                for run in (usual, sends)
            ]
            variations += [
                _Variation(VNICS, count, _with_vnics(zero_copy, count)) for count in extent.some(_VNICS)
            ]
            variations += [
                _Variation(HARTS, count, replace(apart, card=card, harts=count))
                for count in extent.some(_HARTS)
                for card in (SINIC, V_SINIC)
            ]
            variations += _receiving(windows(extent))
        return [it.point(extent) for it in variations]

    def claims(self, rows: Rows) -> Sequence[Claim]:
        """Return the belief of footnote 3, and our expectations."""

        def gbps(kib: int) -> Measured:
            return figure_of(only(rows, varied=QUEUE, value=kib, zero_copy=True), "gbps")

        return [
            at_least(
                "zero copy does not suffer from a queue of half the size, to 1 %",
                gbps(_USUAL_QUEUE_KIB // 2) / gbps(_USUAL_QUEUE_KIB),
                0.99,
                ours="1 %",
            ),
            *map(expectation, _receiving_claims(rows)),
        ]


def _receiving(cycles: tuple[int, int]) -> list[_Variation]:
    """Receivers of eight streams, whose second level of caches is small."""
    usual = ServerRun(workload="maerts-multi", card=SINIC, attachment="cache", ring=0, cycles=cycles)
    slow = replace(usual, clock="2GHz", has_backlog=True, timing=_second_level(1 << 20))
    fast = replace(usual, link_rate="40Gbps", timing=_second_level(128 << 10))
    variations = [_Variation(RECEIVING_VNICS, 1, slow)]
    variations += [_Variation(RECEIVING_VNICS, count, _with_vnics(slow, count)) for count in _RECEIVING_VNICS]
    for kib in _SOCKET_KIB:
        run = replace(fast, queue_bytes=kib << 10, call_bytes=(kib << 10) // CALLS_IN_A_QUEUE)
        zero_copy = replace(_with_vnics(run, _RECEIVING_VNICS[-1]), zero_copy=True)
        variations += [_Variation(SOCKET, kib, run), _Variation(SOCKET, kib, zero_copy)]
    return variations


def _with_vnics(run: ServerRun, count: int) -> ServerRun:
    return replace(run, card=V_SINIC, card_parameters=(f"vnics={count}",))


def _second_level(size_bytes: int) -> str:
    return timing_of(second_level={"bytes": size_bytes, "ways": 8})


def _receiving_claims(rows: Rows) -> list[Claim]:
    """Return our expectations of virtual cards and queues of sockets, at clocks and links of our choice."""
    if not any(row["varied"] == SOCKET for row in rows):
        return []

    def by_count(count: int) -> Measured:
        return figure_of(only(rows, varied=RECEIVING_VNICS, value=count), "gbps")

    def by_queue(kib: int) -> Measured:
        return figure_of(only(rows, varied=SOCKET, value=kib, zero_copy=True), "gbps") / figure_of(
            only(rows, varied=SOCKET, value=kib, zero_copy=False), "gbps"
        )

    small = _SOCKET_KIB[0]
    return [
        *(
            at_least(
                f"V-SINIC with {count} VNICs is slower than SINIC by at most 5 % at 2 GHz with 1024 KiB",
                by_count(count) / by_count(1),
                _SLIGHTLY,
            )
            for count in _RECEIVING_VNICS
        ),
        at_least(
            f"zero copy carries more than SINIC where a socket's queue has {small} KiB", by_queue(small), 1.0
        ),
    ]
