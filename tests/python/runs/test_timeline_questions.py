"""Questions in SQL to a timeline, answered with the numbers of the result document.

Perfetto's trace processor answers them where Chromium's build of it is installed. The same questions are
always asked of tables that Perfetto's own definition of the format makes of the file.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.python.runs.perfetto_tables import Tables
from tests.python.runs.trace_processor import LIBRARY, TraceProcessor

import spinach_nic

FRAMES = 80
Query = Callable[[str], Sequence[tuple[Any, ...]]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A timeline, and the result document of its run. The run is so short that all of it is measured."""
    path = tmp_path_factory.mktemp("timeline") / "run.pftrace"
    result = spinach_nic.run("tengig", set={"cores": "3"}, frames=FRAMES, timeline=path)
    document = json.loads(result.to_json())
    window = document["measured_window"]
    assert (window["begins_ns"], window["ends_ns"]) == (0, document["simulated_ns"])
    return path, document


@pytest.fixture(scope="module", params=["definition", "trace processor"])
def query(request: pytest.FixtureRequest, run: tuple[Path, dict[str, Any]]) -> Iterator[Query]:
    """Asks the timeline a question."""
    timeline, _ = run
    if request.param == "definition":
        name = "perfetto.protos.perfetto.trace.perfetto_trace_pb2"
        yield Tables(pytest.importorskip(name, reason="perfetto is not installed"), timeline).query
        return
    if not LIBRARY.exists():
        pytest.skip(f"{LIBRARY} is missing: the package chromium-shell is not installed")
    processor = TraceProcessor(timeline)
    yield processor.query
    processor.close()


def test_every_frame_has_a_flow_from_one_end_to_the_other(
    query: Query, run: tuple[Path, dict[str, Any]]
) -> None:
    delivered = run[1]["frames"]["delivered"]
    question = "SELECT COUNT(*) FROM slice WHERE depth = 0 AND name LIKE 'frame %: {}'"
    assert query(question.format("% to sink.wire"))[0][0] == delivered["tx"]
    assert query(question.format("% to host.memory_request"))[0][0] == delivered["rx"]
    question = "SELECT COUNT(DISTINCT slice_out) FROM flow WHERE slice_out NOT IN (SELECT slice_in FROM flow)"
    assert query(question)[0][0] == delivered["tx"] + delivered["rx"]


RATES = """
    WITH moved AS (
        SELECT track_id, value, LEAD(ts) OVER (PARTITION BY track_id ORDER BY ts) - ts AS lasted
        FROM counter
    )
    SELECT name, unit, SUM(value * lasted) FROM moved JOIN counter_track ON track_id = counter_track.id
    WHERE name NOT LIKE 'after %' GROUP BY name
"""


def test_what_memories_move_is_what_the_result_says(query: Query, run: tuple[Path, dict[str, Any]]) -> None:
    simulated_ns, memories = run[1]["simulated_ns"], run[1]["memories"]
    moved = {name: (unit, total) for name, unit, total in query(RATES)}
    assert {"instruction_memory", "scratch_pad", "frame_memory"} <= set(memories) <= set(moved)
    for name, memory in memories.items():
        unit, total = moved[name]
        assert unit == "Mb/s"
        assert total / simulated_ns / 1000 == pytest.approx(memory["useful_gbps"], rel=2e-3)


def test_blocks_are_as_busy_as_their_counters_say(query: Query, run: tuple[Path, dict[str, Any]]) -> None:
    simulated_ns, frames = run[1]["simulated_ns"], run[1]["frames"]
    busy = {name: total / simulated_ns for name, unit, total in query(RATES) if unit == "%"}
    assert {"mac_transmit", "mac_receive", "scratch_pad.crossbar", "frame_bus"} <= set(busy)
    # Each frame of 1,518 bytes has 20 bytes of gap and preamble, at 10 Gb/s.
    link_ns = 8 * (1518 + 20) / 10
    assert busy["receive_link"] == pytest.approx(
        100 * frames["delivered"]["rx"] * link_ns / simulated_ns, rel=0.01
    )
    assert busy["transmit_link"] == pytest.approx(
        100 * frames["delivered"]["tx"] * link_ns / simulated_ns, rel=0.01
    )


def test_cores_do_for_so_long_what_tasks_are_said_to_take(
    query: Query, run: tuple[Path, dict[str, Any]]
) -> None:
    simulated_ns, tasks = run[1]["simulated_ns"], run[1]["tasks"]
    cycles_per_ns = run[1]["simulated_cycles"]["core"] / simulated_ns
    question = """
        SELECT slice.name, SUM(dur) FROM slice JOIN track ON slice.track_id = track.id
        WHERE track.name LIKE 'core %' AND depth = 0 GROUP BY slice.name
    """
    took_ns: dict[str, int] = dict(query(question))
    for name, frames in (("send_frame", FRAMES), ("receive_frame", FRAMES), ("idle", 2 * FRAMES)):
        # A slice ends when an instruction of the next task completes.
        assert took_ns[name] * cycles_per_ns == pytest.approx(tasks[name]["cycles"] * frames, rel=0.02)
    assert query("SELECT MAX(ts + dur) FROM slice")[0][0] == simulated_ns
