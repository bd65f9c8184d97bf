import json
import random
import signal
from contextlib import suppress
from pathlib import Path

import pytest
from tests.python.analysis.conftest import Recorded

from spinach_nic import SpinachError, _native
from spinach_nic.studies.analysis import TraceFilter, issue_limit_table, issue_limits, record_trace


def test_any_parquet_reader_reads_a_trace(recorded: Recorded) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    file = parquet.ParquetFile(recorded.trace)
    header = json.loads(file.schema_arrow.metadata[b"spinach.trace"])
    assert (header["kind"], header["version"], header["instruction_set"]) == ("instructions", 2, "mips")
    table = file.read()
    assert table.column_names == ["core", "task", "function", "pc", "word", "address", "taken"]
    assert table.num_rows == recorded.instructions
    types = {field.name: str(field.type) for field in table.schema}
    assert types["core"] == "uint16"
    assert types["pc"] == "uint64"
    assert types["taken"] == "bool"
    # The first instruction is the reset vector's; loads and stores have addresses inside the memory.
    addresses = table["address"].drop_null().to_pylist()
    assert 0 < len(addresses) < table.num_rows
    assert all(recorded.memory.base <= address < recorded.memory.end for address in addresses)
    assert "core_main" in header["functions"]
    assert header["tasks"] == ["unknown", "test"]
    assert set(table["task"].to_pylist()) == {0, 1}


def test_filters_and_limits(recorded: Recorded) -> None:
    table = issue_limit_table()
    whole = issue_limits(recorded.trace, table)
    assert len(whole) == 30
    assert {limit.instructions for limit in whole} == {recorded.instructions}
    assert whole[0].instructions_per_cycle == 1.0
    parts = [
        issue_limits(recorded.trace, table, TraceFilter(tasks=[task]))[0].instructions
        for task in ("unknown", "test")
    ]
    assert sum(parts) == recorded.instructions
    assert min(parts) > 0
    (none,) = issue_limits(recorded.trace, table[:1], TraceFilter(cores=[5]))
    assert (none.instructions, none.instructions_per_cycle) == (0, 0.0)


def test_mistakes_are_two_lines(recorded: Recorded, tmp_path: Path) -> None:
    with pytest.raises(SpinachError, match="has no task called `idle`") as raised:
        issue_limits(recorded.trace, issue_limit_table(), TraceFilter(tasks_excluded=["idle"]))
    assert raised.value.help == "choose from: unknown, test"
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(recorded.trace.read_bytes()[:-100])
    with pytest.raises(SpinachError, match="is not a complete trace") as raised:
        issue_limits(cut, issue_limit_table())
    assert raised.value.help == "record it again, and let the run end"
    with pytest.raises(SpinachError, match="no extension of mips is called `dsp`"):
        record_trace(recorded.image, cut, recorded.memory, extensions=["dsp"])
    with pytest.raises(SpinachError, match="has no function called `mian`"):
        record_trace(recorded.image, cut, recorded.memory, tasks={"mian": "idle"})
    with pytest.raises(SpinachError, match="is not an ELF file with a program"):
        record_trace(recorded.trace, cut, recorded.memory)


def test_damaged_traces_are_refused_or_read(recorded: Recorded, tmp_path: Path) -> None:
    """Number 12 gives the file a column of negative length, on which the library of Parquet panics."""
    whole, damaged = recorded.trace.read_bytes(), tmp_path / "damaged.parquet"
    read = 0
    for number in range(200):
        chance, content = random.Random(number), bytearray(whole)
        for _ in range(chance.randrange(1, 4)):
            content[-1 - chance.randrange(3000)] = chance.randrange(256)
        damaged.write_bytes(content)
        with suppress(SpinachError):
            issue_limits(damaged, issue_limit_table()[:1])
            read += 1
    assert 0 < read < 200


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer that sends signals")
def test_studies_look_for_signals_while_they_read(recorded: Recorded) -> None:
    arrived = 0

    def handle(number: int, frame: object) -> None:
        nonlocal arrived
        arrived += 1
        if arrived == 2:
            raise KeyboardInterrupt

    # Several signals that come between two looks are one: a call that looks only at its end sees one in all.
    filter, table = TraceFilter().to_json(), _native.issue_limit_table([1, 2, 4])
    old = signal.signal(signal.SIGALRM, handle)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
        with pytest.raises(KeyboardInterrupt):
            _native.issue_limits(recorded.trace, filter, table)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
