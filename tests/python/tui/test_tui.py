"""Interactive view of a running NIC, without a terminal."""

import asyncio
import io
from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.console import Console

import spinach_nic
from spinach_nic import SpinachError, us
from spinach_nic.cli import carry_out
from spinach_nic.runs import Finished, Progress, execute
from spinach_nic.runs.tui import View, WatchedRun, screen, view
from spinach_nic.runs.tui.screen import WatchApp
from spinach_nic.runs.tui.views import MemoryView, StallView

Report = Callable[[Progress], None]


def watched(**options: object) -> WatchedRun:
    def run(report: Report) -> Finished:
        return execute("tengig", progress=report, **options)  # type: ignore[arg-type]

    return WatchedRun(run)


def test_what_is_shown_of_the_whole_run_is_what_the_result_says() -> None:
    run = watched(frames=99, set={"cores": 3})
    run.start()
    finished = run.finish()
    latest = run.latest()
    assert latest is not None
    shown = view(*latest)
    result = finished.result
    assert len(shown.cores) == 3
    for core in shown.cores:
        assert sum(core.cycles.values()) == pytest.approx(1)
    assert [it.delivered for it in shown.directions.values()] == [99, 99]
    assert [it.queued for it in shown.directions.values()] == [0, 0]
    assert {it.name for it in shown.memories} == set(result.memories)
    # The last look is at most a microsecond before the end.
    bits = 99 * 8 * (1472 + 42 + 24)
    assert shown.directions["tx"].wire_gbps == pytest.approx(bits / shown.span_us / 1e3, rel=1e-6)
    assert shown.stalls
    rates = [it.per_us for it in shown.stalls]
    assert rates == sorted(rates, reverse=True)


def test_tui_changes_no_result() -> None:
    run = watched(frames=60)
    run.start()
    seen, alone = run.finish().result, spinach_nic.run("tengig", frames=60)
    assert seen.figures().keys() == alone.figures().keys()
    differing = {name for name, value in seen.figures().items() if alone.figures()[name] != value}
    assert differing <= {"wall_s", "core_cycles_per_wall_s"}


def test_the_screen_shows_a_run_pauses_it_and_ends_it() -> None:
    run = watched(time=us(1_000_000))  # longer than any test
    run.start()
    app = WatchApp(run, "tengig")

    async def watch() -> tuple[View, View, View]:
        async with app.run_test(size=(120, 50)) as pilot:
            while app.shown is None or app.shown.simulated_us < 50:
                await pilot.pause(0.05)
            await pilot.press("space")
            assert run.is_paused
            await pilot.pause(0.3)
            first = app.shown
            await pilot.pause(0.5)
            second = app.shown
            await pilot.press("space")
            while app.shown.simulated_us <= second.simulated_us:
                await pilot.pause(0.05)
            third = app.shown
            await pilot.press("q")
        return first, second, third

    first, second, third = asyncio.run(watch())
    assert first.simulated_us == second.simulated_us < third.simulated_us
    assert len(third.cores) == 6
    assert 0 < third.directions["tx"].line_rate_fraction <= 1.2
    result = run.finish().result
    assert not result.complete
    assert result.simulated_ns >= 1000 * third.simulated_us


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
def test_keys_that_end_the_run(key: str) -> None:
    run = watched(frames=10**9)
    run.start()
    app = WatchApp(run, "tengig")

    async def watch() -> None:
        async with app.run_test() as pilot:
            while app.shown is None:
                await pilot.pause(0.05)
            await pilot.press(key)

    asyncio.run(watch())
    assert not run.finish().result.complete


def test_the_screen_stays_when_the_run_is_over() -> None:
    run = watched(frames=20)
    run.start()
    app = WatchApp(run, "tengig")

    async def watch() -> str:
        async with app.run_test(size=(120, 50)) as pilot:
            while not run.is_over:
                await pilot.pause(0.05)
            app.look()
            await pilot.pause(0.1)
            text = "\n".join(
                "".join(segment.text for segment in strip) for strip in app.screen._compositor.render_strips()
            )
            await pilot.press("q")
        return text

    text = asyncio.run(watch())
    assert "over; rates are those of the whole run" in text
    for word in ("of line rate", "IPC", "frame memory", "who makes others wait", "queued"):
        assert word in text
    assert run.finish().result.complete


def test_a_request_that_is_wrong_is_refused_as_by_run(capsys: pytest.CaptureFixture[str]) -> None:
    run = WatchedRun(lambda report: execute("nothing", progress=report))
    run.start()
    with pytest.raises(SpinachError, match="nothing"):
        run.finish()
    assert carry_out(["watch", "tengig", "--json", "/no/where.json"]) == 2
    assert "cannot write" in capsys.readouterr().err


def test_names_neither_command_the_terminal_nor_style_the_screen() -> None:
    """A file, memories and modules of a card of one's own have any names."""
    name = "\x1b]0;owned\x07[red]"
    run = watched(frames=20)
    run.start()
    run.finish()
    latest = run.latest()
    assert latest is not None
    shown = view(*latest)
    named = replace(shown, memories=[MemoryView(name, 1, 1)], stalls=[StallView(name, "stalls", 1)])
    app = WatchApp(run, name)
    for content in (app._head(named), screen._memories(named), screen._stalls(named)):
        console = Console(file=io.StringIO(), width=200)
        console.print(content)
        assert isinstance(console.file, io.StringIO)
        assert "\x1b" not in console.file.getvalue()
        assert r"\x1b]0;owned\x07[red]" in console.file.getvalue()
