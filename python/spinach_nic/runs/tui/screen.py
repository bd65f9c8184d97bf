"""The full-screen view of a run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, ClassVar

from rich.table import Table
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.drivers.linux_driver import LinuxDriver
from textual.widgets import Footer, ProgressBar, Static

from spinach_nic.runs.tasks import CAUSES, HALTED
from spinach_nic.runs.tui.views import View, view
from spinach_nic.support import signals
from spinach_nic.support.files import is_closed
from spinach_nic.support.limits import printable

if TYPE_CHECKING:
    from spinach_nic.runs.tui.watched import WatchedRun

LOOKS_PER_S = 8
BAR = 24
"""Characters of a bar."""
_STANDARD_INPUT = 0
COLOURS = dict(
    zip((*CAUSES, HALTED), ("green", "blue", "dark_orange", "red", "yellow", "bright_black"), strict=True)
)


class _Driver(LinuxDriver):
    """Driver of the terminal that ignores input which is not UTF-8, such as keys of another encoding."""

    def run_input_thread(self) -> None:
        while True:
            try:
                return super().run_input_thread()
            except UnicodeDecodeError:  # the input was read: the next attempt continues after it
                continue


class WatchApp(App[None]):
    """Live view of a run; `q` or Ctrl-C ends the run with its results until then."""

    CSS = """
    Static { padding: 0 1 1 1; }
    ProgressBar { padding: 0 1; width: 100%; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "end", "End"),
        # In place of the hint of Textual; before the binding of the screen, which copies text.
        Binding("ctrl+c", "end", "End", show=False, priority=True),
        Binding("space", "pause", "Pause"),
    ]

    def __init__(self, run: WatchedRun, title: str) -> None:
        """Show `run` under a title."""
        super().__init__(driver_class=_Driver)
        self.title = printable(title)
        self._run = run
        self._is_at_terminal = os.isatty(0)
        self.shown: View | None = None
        """View on the screen."""

    def compose(self) -> ComposeResult:
        """Return a line about the run, and tables of its cores, memories and queues."""
        yield Static(id="head")
        yield ProgressBar(total=1.0, show_eta=False, id="bar")
        with VerticalScroll():
            for name in ("frames", "cores", "memories", "stalls"):
                yield Static(id=name)
        yield Footer()

    def on_mount(self) -> None:
        """Refresh the view regularly."""
        self.set_interval(1 / LOOKS_PER_S, self.look)

    def look(self) -> None:
        """Show the present state."""
        # The terminal may be closed without a SIGHUP.
        if signals.is_waiting() or (self._is_at_terminal and is_closed(_STANDARD_INPUT)):
            self.exit()
            return
        latest = self._run.latest()
        if latest is None:
            if self._run.is_over:
                self.exit()
            return
        self.shown = view(*latest)
        self.query_one("#head", Static).update(self._head(self.shown))
        self.query_one("#bar", ProgressBar).update(progress=self.shown.fraction)
        for name, table in (
            ("frames", _frames(self.shown)),
            ("cores", _cores(self.shown)),
            ("memories", _memories(self.shown)),
            ("stalls", _stalls(self.shown)),
        ):
            self.query_one(f"#{name}", Static).update(table)

    def action_pause(self) -> None:
        """Pause or resume simulated time."""
        if not self._run.is_over:
            self._run.pause()
        self.look()

    def action_end(self) -> None:
        """End the run, or leave it if it has ended."""
        self._run.end()
        self.exit()

    def _head(self, shown: View) -> Text:
        state = "paused" if self._run.is_paused else "running"
        if self._run.is_over:
            state = "over; rates are those of the whole run"
        return Text(f"{self.title}   {shown.simulated_us:,.1f} us simulated   {state}")


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for place, heading in enumerate(headings):
        table.add_column(heading, justify="right" if place else "left", no_wrap=True)
    return table


def _frames(shown: View) -> Table:
    table = _table("frames", "Gb/s", "of line rate", "", "frames/s", "delivered", "queued", "dropped")
    for way, it in shown.directions.items():
        bar = _bar({"green": it.line_rate_fraction})
        rates = (f"{it.wire_gbps:.3f}", f"{it.line_rate_fraction:.1%}", bar, f"{it.frames_per_s:,.0f}")
        table.add_row(way, *rates, f"{it.delivered:,}", f"{it.queued:,}", f"{it.dropped:,}")
    return table


def _cores(shown: View) -> Table:
    table = _table("cores", "IPC", "", *(cause.replace("_", " ") for cause in CAUSES))
    for number, core in enumerate(shown.cores):
        bar = _bar({COLOURS[cause]: share for cause, share in core.cycles.items()})
        shares = (f"{core.cycles[cause]:.1%}" for cause in CAUSES)
        table.add_row(str(number), f"{core.ipc:.3f}", bar, *shares)
    return table


def _memories(shown: View) -> Table:
    table = _table("memories", "Gb/s", "of peak", "")
    for it in shown.memories:
        name = _plain(it.name.replace("_", " "))
        table.add_row(name, f"{it.gbps:.2f}", f"{it.of_peak:.1%}", _bar({"green": it.of_peak}))
    return table


def _stalls(shown: View) -> Table:
    table = _table("who makes others wait", "", "cycles per us")
    for it in shown.stalls:
        table.add_row(_plain(it.module), it.counter.replace("_", " "), f"{it.per_us:.1f}")
    return table


def _plain(name: str) -> Text:
    """Return a name of the card as text, neither markup nor a command to the terminal."""
    return Text(printable(name))


def _bar(shares: dict[str, float]) -> Text:
    """Return a bar whose parts have these colours and fractions."""
    text, used = Text(), 0
    for colour, share in shares.items():
        length = min(round(share * BAR), BAR - used)
        text.append("\u2588" * length, style=colour)
        used += length
    return text.append("\u00b7" * (BAR - used), style="bright_black")
