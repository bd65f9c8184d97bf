"""Traces of runs: complete, the same for every model of a core, and without any effect on the run."""

import json
from pathlib import Path

import pytest
from tests.python.cards.trouble import timeless
from tests.python.runs.systems import Wires

from spinach_nic import Result, SpinachError, run
from spinach_nic.firmware import Executable, build, loadable_image, write_container
from spinach_nic.studies.analysis import (
    IssueConfiguration,
    TracedRun,
    TraceFilter,
    access_agents,
    describe_trace,
    idealized,
    issue_limits,
)

SCALAR = IssueConfiguration("in_order", 1, "perfect", "perfect")


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, TracedRun]:
    folder = tmp_path_factory.mktemp("traced")
    return run("tengig", frames=99, set={"cores": 2}, traces=folder), TracedRun(folder)


def instructions_of(files: TracedRun, filter: TraceFilter | None = None) -> int:
    (limit,) = issue_limits(files.instructions, [SCALAR], filter)
    return limit.instructions


def test_a_trace_holds_every_instruction_once(traced: tuple[Result, TracedRun]) -> None:
    result, files = traced
    described = describe_trace(files.instructions)
    assert described.instructions == result.instructions == instructions_of(files)
    assert described.is_timed
    assert list(described.extensions) == ["atomic_bit_array"]
    by_core = [instructions_of(files, TraceFilter(cores=[core])) for core in (0, 1)]
    assert sum(by_core) == result.instructions
    assert min(by_core) > 0


def test_tasks_can_be_chosen_and_left_out(traced: tuple[Result, TracedRun]) -> None:
    result, files = traced
    tasks = describe_trace(files.instructions).tasks
    assert set(result.tasks) - {"elsewhere"} < set(tasks)
    by_task = {task: instructions_of(files, TraceFilter(tasks=[task])) for task in tasks}
    assert sum(by_task.values()) == result.instructions
    assert 0 < by_task["unknown"] < 2000  # the start, before the first task
    kept = instructions_of(files, idealized(files.instructions))
    left_out = ("idle", "send_locking", "receive_locking")
    dispatch = ("send_dispatch_ordering", "receive_dispatch_ordering")
    assert kept == result.instructions - sum(by_task[task] for task in (*left_out, *dispatch))


def test_tracing_changes_nothing(traced: tuple[Result, TracedRun]) -> None:
    result, files = traced
    untraced = run("tengig", frames=99, set={"cores": 2})
    assert timeless(untraced) == timeless(result)
    assert files.result == result
    assert files.frames == 198
    assert files.cores == 2


def test_a_trace_says_which_tasks_its_firmware_declares_as_overhead(
    traced: tuple[Result, TracedRun],
) -> None:
    _, files = traced
    described = describe_trace(files.instructions)
    dispatch = {"send_dispatch_ordering", "receive_dispatch_ordering"}
    others = {"idle", "send_locking", "receive_locking"} & set(described.tasks)
    assert set(described.overhead_tasks) == others | dispatch


def test_assists_and_cores_can_be_told_apart(traced: tuple[Result, TracedRun]) -> None:
    _, files = traced
    assert access_agents(files.accesses) == ["dma_read", "dma_write", "mac_transmit", "mac_receive"]
    assert files.default_caches() == [
        ["core0"],
        ["core1"],
        ["dma_read", "dma_write"],
        ["mac_transmit", "mac_receive"],
    ]


def test_clocks_of_assists_are_those_of_the_cores(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    result = run("tigon2", frames=20, traces=tmp_path)
    files = TracedRun(tmp_path)
    assert access_agents(files.accesses) == ["dma_read", "dma_write", "mac_transmit", "mac_receive"]
    accesses = parquet.read_table(files.accesses)
    cycles = accesses["cycle"].to_pylist()
    assert cycles == sorted(cycles)
    # The assists have the faster clock of the memory.
    assert 0.9 * result.simulated_cycles["core"] < max(cycles) <= result.simulated_cycles["core"]
    shared = [
        address
        for address in accesses["address"].to_pylist()
        if any(first <= address <= last for first, last in files.metadata.shared)
    ]
    assert 20 < len(shared) < accesses.num_rows / 2  # descriptors, but not the frames


def test_loops_in_assembly_belong_to_their_task(tmp_path: Path) -> None:
    """The result attributes instructions to tasks by address."""
    result = run("tigon2", frames=30, traces=tmp_path)
    files = TracedRun(tmp_path)
    assert not result.measured_window.is_steady  # so that all of the run is measured
    for task, frames in (("idle", 60), ("receive_dispatch_ordering", 30)):
        executed = instructions_of(files, TraceFilter(tasks=[task]))
        assert executed == pytest.approx(frames * result.tasks[task].instructions, rel=0.02)


def test_cores_that_run_ahead_do_not_run_past_the_end(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    settings = {"core": "functional", "cores": 2, "quantum": 4096}
    result = run("tengig", frames=1, set=settings, traces=tmp_path)
    files = TracedRun(tmp_path)
    assert all(0.9 < core.ipc <= 1 for core in result.cores)
    rows = parquet.read_table(files.instructions)
    assert rows.num_rows == result.instructions
    assert max(rows["cycle"].to_pylist()) < result.simulated_cycles["core"]


@pytest.mark.parametrize("core", ["functional", "composed"])
def test_every_model_of_a_core_is_traced(core: str, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    columns = ["pc", "word", "address", "taken", "task", "function"]

    def rows(model: str) -> list[tuple[object, ...]]:
        folder = tmp_path / model
        run("tengig", frames=1, set={"cores": 1, "core": model}, traces=folder)
        table = parquet.read_table(TracedRun(folder).instructions, columns=columns)
        return list(zip(*(table[name].to_pylist() for name in columns), strict=True))

    pipelined, other = rows("pipelined"), rows(core)
    if core == "composed":
        assert other == pipelined
    else:
        # Another timing sees other moments of the devices, but the start is the same.
        assert other[:150] == pipelined[:150]
    assert any(taken for *_, taken, _, _ in other)


def test_the_columns_are_those_of_the_documented_form(traced: tuple[Result, TracedRun]) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    _, files = traced
    table = parquet.read_table(files.accesses)
    assert table.column_names == ["agent", "address", "bytes", "write", "cycle"]
    assert set(table["agent"].to_pylist()) == {0, 1, 2, 3}
    cycles = parquet.read_table(files.instructions, columns=["cycle"])["cycle"].to_pylist()
    assert cycles == sorted(cycles)


def test_firmware_of_a_container_is_traced_as_an_elf_file(tmp_path: Path) -> None:
    elf = build("tigon2/uni").path
    container = tmp_path / "tg2.bin"
    write_container(Executable.load(elf), container)
    run("tigon2", firmware=container, frames=5, traces=tmp_path / "container")
    traced = TracedRun(tmp_path / "container")
    assert instructions_of(traced) == traced.result.instructions
    image = Executable.load(traced.image)
    assert loadable_image(image).contents == loadable_image(Executable.load(elf)).contents


def test_a_nic_without_firmware_has_nothing_to_trace(tmp_path: Path) -> None:
    with pytest.raises(SpinachError, match="Wires runs no firmware"):
        run(Wires, frames=10, traces=tmp_path)


def test_folders_that_are_no_run_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SpinachError, match="not a folder of traces") as raised:
        _ = TracedRun(tmp_path).frames
    assert "spinach trace" in raised.value.help
    TracedRun(tmp_path).result_path.write_text(json.dumps([1]))
    with pytest.raises(SpinachError, match="not a document spinach-result/1"):
        _ = TracedRun(tmp_path).result
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(SpinachError, match="cannot write to"):
        run("tengig", frames=1, traces=blocked)
