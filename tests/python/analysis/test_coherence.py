import json
from pathlib import Path
from random import Random

import pytest
from tests.python.analysis.conftest import Recorded

from spinach_nic import SpinachError
from spinach_nic.studies.analysis import CacheSystem, simulate_caches


def test_larger_caches_of_one_core_hit_more(recorded: Recorded) -> None:
    systems = [CacheSystem(1 << log2) for log2 in range(4, 16)]
    reports = simulate_caches(systems, [["core0"]], instruction_traces=[recorded.trace])
    ratios = [report.total.hit_ratio for report in reports]
    assert [report.system for report in reports] == systems
    # LRU has the inclusion property: a larger fully associative cache never misses more.
    assert ratios == sorted(ratios)
    assert ratios[0] < ratios[-1] <= 1.0
    assert all(report.total.invalidations == 0 for report in reports)


def test_an_unknown_agent_is_refused(recorded: Recorded) -> None:
    with pytest.raises(SpinachError, match="no access is by an agent called `core1`") as raised:
        simulate_caches([CacheSystem(64)], [["core1"]], instruction_traces=[recorded.trace])
    assert raised.value.help == "choose from: core0"


def write_accesses(path: Path, accesses: list[tuple[int, int, bool]]) -> None:
    """An access trace as a person's own program would write it."""
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    agents, addresses, writes = zip(*accesses, strict=True)
    columns = {
        "agent": arrow.array(agents, arrow.uint16()),
        "address": arrow.array(addresses, arrow.uint64()),
        "bytes": arrow.array([4] * len(accesses), arrow.uint32()),
        "write": arrow.array(writes, arrow.bool_()),
    }
    header = {"kind": "accesses", "version": 2, "agents": ["dma", "mac"]}
    table = arrow.table(columns).replace_schema_metadata({"spinach.trace": json.dumps(header)})
    parquet.write_table(table, path)


def random_accesses(random: Random) -> list[tuple[int, int, bool]]:
    return [(random.randrange(2), 4 * random.randrange(600), random.random() < 0.3) for _ in range(5000)]


def test_traces_of_other_writers_are_read(tmp_path: Path) -> None:
    path = tmp_path / "accesses.parquet"
    accesses = random_accesses(Random(1))
    write_accesses(path, accesses)
    reports = simulate_caches(
        [CacheSystem(1024)], [["dma"], ["mac"]], access_traces=[path], ranges=[(0, 0x3FF)]
    )
    kept = [access for access in accesses if access[1] <= 0x3FF]
    total = reports[0].total
    assert total.reads + total.writes == len(kept)
    assert total.writes == sum(write for _, _, write in kept)
    assert 0 < total.invalidating_write_ratio < 1


@pytest.mark.parametrize(("capacity_bytes", "ways"), [(64, None), (1024, None), (1024, 2), (2048, 4)])
def test_one_cache_agrees_with_pycachesim(tmp_path: Path, capacity_bytes: int, ways: int | None) -> None:
    cachesim = pytest.importorskip("cachesim", reason="pycachesim is not installed")
    path = tmp_path / "accesses.parquet"
    # Reads alone: in pycachesim a store does not make its line the newest, and with stores two equal caches
    # of one process may differ by a miss.
    accesses = [(agent, address, False) for agent, address, _ in random_accesses(Random(capacity_bytes))]
    write_accesses(path, accesses)
    system = CacheSystem(capacity_bytes, ways=ways)
    total = simulate_caches([system], [["dma", "mac"]], access_traces=[path])[0].total

    lines = capacity_bytes // system.line_bytes
    cache = cachesim.Cache("L1", lines // (ways or lines), ways or lines, system.line_bytes, "LRU")
    memory = cachesim.MainMemory()
    memory.load_to(cache)
    memory.store_from(cache)
    simulator = cachesim.CacheSimulator(cache, memory)
    for _, address, _ in accesses:
        simulator.load(address, length=4)
    assert cache.stats()["MISS_count"] == total.reads - total.read_hits > 0


def test_a_direct_mapped_cache_writes_back_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "accesses.parquet"
    accesses = random_accesses(Random(512))
    write_accesses(path, accesses)
    system = CacheSystem(512, ways=1)
    total = simulate_caches([system], [["dma", "mac"]], access_traces=[path])[0].total
    # By its place in the cache: the line that is there, and whether it was written.
    held: dict[int, tuple[int, bool]] = {}
    misses = write_backs = 0
    for _, address, write in accesses:
        line = address // system.line_bytes
        place = line % (512 // system.line_bytes)
        there, was_written = held.get(place, (-1, False))
        if there != line:
            misses += 1
            write_backs += was_written
            was_written = False
        held[place] = (line, was_written or write)
    # Lines that are still there at the end are not written back.
    assert total.reads + total.writes - total.read_hits - total.write_hits == misses
    assert total.write_backs == write_backs > 0
