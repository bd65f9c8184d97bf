"""Consoles at the terminal of the user."""

import os
import sys
import termios

import pytest

from spinach_nic.support.terminal import LEAVE, ConsoleWriter, raw, typed


def test_input_is_read_until_the_user_leaves() -> None:
    user, terminal = os.openpty()
    with raw(terminal):
        assert typed(terminal) == b""
        os.write(user, b"ls\r")
        assert typed(terminal, 20) == b"ls\r"
        os.write(user, b"x" + LEAVE)
        assert typed(terminal, 20) is None
    os.close(user)
    assert typed(terminal) is None
    os.close(terminal)


def test_output_is_escaped_outside_of_raw_mode(capfd: pytest.CaptureFixture[str]) -> None:
    user, terminal = os.openpty()
    writer = ConsoleWriter(stderr=True)
    # A terminal in raw mode does not change what goes to a file.
    with raw(terminal):
        # A character may come in two pieces.
        for piece in (b"\x1b[1m", "\u00e9".encode()[:1], "\u00e9".encode()[1:], b"\r\n"):
            writer.write(piece)
    os.close(user)
    os.close(terminal)
    assert capfd.readouterr().err == "\\x1b[1m\u00e9\r\n"


def test_output_to_a_terminal_in_raw_mode_is_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    user, terminal = os.openpty()
    before = termios.tcgetattr(terminal)
    output = b"\x1b[1m\r\n\xff"
    with open(terminal, "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        with raw(terminal):
            ConsoleWriter().write(output)
            assert os.read(user, 100) == output
        assert termios.tcgetattr(terminal) == before
        ConsoleWriter().write(b"\x1b[1m")
        assert os.read(user, 100) == b"\\x1b[1m"
        monkeypatch.undo()
    os.close(user)
