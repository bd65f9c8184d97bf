"""Consoles of two servers on one terminal: each line is of one server, and names it."""

from collections.abc import Sequence

import pytest

from spinach_nic.servers.console import converse


class Scripted:
    """Servers whose output of each slice is given."""

    def __init__(self, *slices: Sequence[bytes]) -> None:
        """Create as many servers as a slice has outputs."""
        self.slices = [list(one) for one in slices]
        self.typed: list[tuple[int, bytes]] = []
        self.place = -1

    def nodes(self) -> int:
        """Return the number of servers."""
        return len(self.slices[0])

    def run(self, cycles: int) -> str:
        """Pass a slice."""
        self.place += 1
        return "off" if self.place == len(self.slices) - 1 else "time"

    def take_output(self, node: int = 0) -> bytes:
        """Return the output of a server in this slice."""
        return self.slices[self.place][node]

    def type_in(self, characters: bytes, node: int = 0) -> None:
        """Keep what is typed."""
        self.typed.append((node, characters))

    def unread(self) -> int:
        """No character waits."""
        return 0

    def time(self) -> tuple[int, int]:
        """Return a constant time."""
        return 0, 1


def test_lines_of_two_servers_are_whole(capfd: pytest.CaptureFixture[str]) -> None:
    servers = Scripted(
        (b"# una", b"boots "),
        (b"me\r\nLinux\r\n# ", b"and"),
        (b"", b" runs\r\n\r\n"),
    )
    assert converse(servers, typed=b"uname\n@2 ls\n") == "off"
    assert servers.typed == [(0, b"uname\n"), (1, b"ls\n")]
    assert capfd.readouterr().out.replace("\r", "") == "1| # uname\n1| Linux\n2| boots and runs\n2| \n1| # "


def test_a_long_line_is_shown_in_parts(capfd: pytest.CaptureFixture[str]) -> None:
    servers = Scripted((b"a" * 5000, b"b"), (b"c\r\n", b"d\r\n"))
    converse(servers, typed=b"")
    lines = capfd.readouterr().out.replace("\r", "").splitlines()
    assert lines == ["1| " + "a" * 5000 + "c", "2| bd"]


def test_an_interruption_shows_what_was_printed(capfd: pytest.CaptureFixture[str]) -> None:
    class Interrupted(Scripted):
        def run(self, cycles: int) -> str:
            """Pass a slice, the second never."""
            if self.place == 0:
                raise KeyboardInterrupt
            return super().run(cycles)

    with pytest.raises(KeyboardInterrupt):
        converse(Interrupted((b"# ", b"login: "), (b"", b"")), typed=b"")
    assert capfd.readouterr().out.replace("\r", "") == "1| # \n2| login: "


def test_the_output_of_one_server_is_shown_at_once(capfd: pytest.CaptureFixture[str]) -> None:
    converse(Scripted((b"a",), (b"b\r\n",)), typed=b"")
    assert capfd.readouterr().out.replace("\r", "") == "ab\n"
