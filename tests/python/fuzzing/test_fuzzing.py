"""No file can break a reader, hang it, or make it take all memory. `make fuzz` continues for longer."""

import random
import signal
import sys
from pathlib import Path

import pytest
from tests.python.fuzzing import commands
from tests.python.fuzzing.commands import (
    EXCLUDED,
    INTERRUPTED,
    all_commands,
    interrupted_later,
    random_line,
)
from tests.python.fuzzing.harness import fuzz
from tests.python.fuzzing.readers import READERS
from tests.python.fuzzing.terminal import at_terminal
from tests.python.runs.systems import MINE

from spinach_nic import cli

SECONDS = 2.0


def test_random_lines_have_all_commands_and_a_card_with_firmware() -> None:
    lines = [random_line(random.Random(number), all_commands()) for number in range(1, 600)]
    assert {line[0] for line in lines} == {*cli.COMMANDS} - {*EXCLUDED}
    for command in ("run", "watch", "attach", "debug", "console"):
        assert any(line[0] == command and "card/card.py" in line for line in lines), command


def test_a_command_that_waits_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "INTERRUPTED_AFTER_S", 0.3)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # a suite in the background ignores it
    line = ["debug", "tengig", "--set", "cores=1", "--listen", "127.0.0.1:0"]
    try:
        with interrupted_later(line) as interruption:
            assert cli.carry_out(line) == INTERRUPTED
    finally:
        signal.signal(signal.SIGINT, handler)
    assert interruption.is_set()


@pytest.mark.parametrize("words", ["--frames 3", "--frames 3 --json out.json", "--time 100s"])
def test_keys_end_a_command_at_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(MINE)
    code, said = at_terminal(["watch", "mine.py", *words.split()])
    assert code in (0, INTERRUPTED), said
    # A terminal of one column shows a letter in each line.
    assert "simulated" in "".join(said.split())
    assert Path("out.json").exists() == ("--json" in words)


def test_a_command_at_a_terminal_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.python.fuzzing.terminal.LEAVING", (b"x",))
    with pytest.raises(TimeoutError, match="no end after"):
        at_terminal(["watch", "tengig", "--time", "100s"], longest_s=3.0, keys=[])


@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded as on Linux")
@pytest.mark.parametrize("reader", READERS)
def test_damaged_files_are_refused_or_read(reader: str) -> None:
    outcome = fuzz(reader, first=1, count=3000, seconds=SECONDS)
    assert not outcome.findings, "\n".join(map(str, outcome.findings))
    assert outcome.read + outcome.refused > 0
