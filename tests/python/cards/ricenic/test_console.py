"""The console of the card: commands on its serial line, from a script and from a terminal."""

import os
import re
import select
import subprocess
import sys
import time

COMMAND = [sys.executable, "-m", "spinach_nic", "console"]


def console(*options: str) -> tuple[int, str, str]:
    # Not as text: that would change the ends of lines.
    done = subprocess.run([*COMMAND, *options], capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def script(*lines: str) -> list[str]:
    return [word for line in lines for word in ("--send", line, "--expect", "> ")]


def test_commands_are_obeyed_while_frames_pass() -> None:
    settings = ["--traffic", "udp:400@20kpps", "--time", "5ms", "--seed", "3"]
    lines = [
        *("help", "stats", "poke 0x300 0xbeef", "peek 0x300", "coalesce 4", "peek 0x301", "dance", "rings"),
    ]
    code, said, complaint = console("ricenic", *settings, *script(*lines))
    assert code == 0, complaint
    answers = dict(zip(lines, said.split("\r\n> "), strict=False))
    assert "peek ADDRESS" in answers["help"]
    assert re.search(r"frames sent \d+\r\nframes received \d+\r\nframes dropped 0", answers["stats"])
    assert answers["peek 0x300"].endswith("0x0000beef")
    assert "peek: not understood" in answers["peek 0x301"]
    assert "dance: not understood" in answers["dance"]
    assert "receive returned" in answers["rings"]
    assert console("ricenic", *settings, *script(*lines)) == (0, said, complaint)


def test_lines_of_a_pipe_are_typed_and_answered() -> None:
    words = [*COMMAND, "ricenic", "--frames", "2000"]
    said = subprocess.run(words, input=b"help\ndance\nstats\n", capture_output=True, check=True).stdout
    answers = rb"help.*peek ADDRESS.*> dance.*dance: not understood.*> stats.*frames dropped 0"
    assert re.search(answers, said, re.DOTALL), said


def test_a_slow_answer_to_a_line_of_a_pipe_is_awaited() -> None:
    # With frames to receive, the list of functions takes longer than the silence that ends an answer.
    words = [*COMMAND, "ricenic", "--traffic", "udp:400"]
    typed = b"profile start 10000\n" + 2 * b"stats\n" + b"profile\n"
    said = subprocess.run(words, input=typed, capture_output=True, check=True).stdout
    assert re.search(rb"> profile\r?\n.*[a-z_]+ \d+\r?\n.*> $", said, re.DOTALL), said


def test_lines_of_a_pipe_that_are_left_are_an_error() -> None:
    words = [*COMMAND, "ricenic", "--frames", "120"]
    done = subprocess.run(words, input=60 * b"stats\n", capture_output=True, check=False)
    assert done.returncode == 2
    assert b"error: the run ended before " in done.stderr
    assert b"help: run longer with --time or --frames" in done.stderr


def test_lines_of_a_script_that_are_left_are_an_error() -> None:
    code, said, complaint = console("ricenic", "--frames", "120", *(60 * ["--send", "stats"]))
    assert code == 2
    assert said.count("> stats\r\n") < 60
    assert "error: the run ended before " in complaint


def test_every_line_of_a_script_is_answered() -> None:
    said = steps_of(*(3 * ["--send", "stats"]))
    assert sum(line.startswith(b"frames dropped") for line in said) == 3


def test_numbers_of_more_than_32_bits_are_refused() -> None:
    lines = [
        "coalesce 4294967297",
        "poke 0x300 0x100000000",
        "poke 0x300 4294967295",
        "peek 0x300",
        "peek 0x",
    ]
    code, said, complaint = console("ricenic", "--traffic", "udp:400@20kpps", *script(*lines))
    assert code == 0, complaint
    answers = dict(zip(lines, said.split("\r\n> "), strict=False))
    assert "coalesce: not understood" in answers["coalesce 4294967297"]
    assert "poke: not understood" in answers["poke 0x300 0x100000000"]
    assert answers["peek 0x300"].endswith("0xffffffff")
    assert "peek: not understood" in answers["peek 0x"]


def test_what_is_not_said_is_an_error() -> None:
    code, _, complaint = console("ricenic", "--frames", "20", "--send", "help", "--expect", "weather")
    assert code == 2
    assert "before the card printed 'weather'" in complaint


def steps_of(*options: str) -> list[bytes]:
    """Return lines of output, the last one perhaps without its end."""
    code, said, complaint = console("ricenic", "--traffic", "udp:400@20kpps", "--time", "5ms", *options)
    assert code == 0, complaint
    return said.encode().splitlines(keepends=True)


def test_steps_are_taken_in_the_order_of_the_command_line() -> None:
    # The card says "frames sent" once: expected before the line is sent, it never comes.
    code, _, complaint = console(
        *("ricenic", "--frames", "20", "--expect", "frames sent", "--send", "stats", "--expect", "> ")
    )
    assert code == 2
    assert "before the card printed 'frames sent'" in complaint
    said = steps_of("--send", "stats", "--send", "help", "--expect", "frames sent", "--expect", "peek")
    assert any(b"frames sent" in line for line in said)


def test_the_last_line_is_printed_to_its_end() -> None:
    last = steps_of("--send", "stats", "--expect", "frames s")[-1]
    assert re.fullmatch(rb"frames sent \d+\r\n", last)


def test_a_fault_is_reported_and_not_the_missing_text() -> None:
    code, _, complaint = console(
        *("ricenic", "--frames", "200", "--send", "peek 0x60000000", "--expect", "weather")
    )
    assert code == 3
    assert "registers:" in complaint
    assert "no memory to load from or to store to at 0x60000000" in complaint
    assert "before the card printed" not in complaint


def test_a_card_without_a_serial_line_has_no_console() -> None:
    code, _, complaint = console("tengig", "--send", "help")
    assert code == 2
    assert "error: Tengig has no console" in complaint


def test_no_pseudo_terminal_is_opened_for_a_run_that_is_refused() -> None:
    code, _, complaint = console("tengig")
    assert (code, complaint) == (2, "error: Tengig has no console\nhelp: ricenic has one\n")


def test_a_server_has_its_console_elsewhere() -> None:
    code, _, complaint = console("rv64")
    assert (code, complaint) == (2, "error: rv64 is a server, not a NIC\nhelp: spinach boot rv64\n")


def test_another_terminal_can_be_opened() -> None:
    run = subprocess.Popen(
        [*COMMAND, "ricenic", "--traffic", "udp:400@1kpps"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert run.stderr is not None
        said = run.stderr.readline()
        found = re.search(r"/dev/\S+(?=;)", said)
        assert found is not None, said
        terminal = os.open(found[0], os.O_RDWR | os.O_NOCTTY)
        os.write(terminal, b"help\r")
        seen, end = b"", time.monotonic() + 30
        while b"coalesce" not in seen and time.monotonic() < end:
            if select.select([terminal], (), (), 1)[0]:
                seen += os.read(terminal, 1024)
        assert b"coalesce" in seen
        os.close(terminal)
        # The end of the input ends the run.
        run.communicate(timeout=30)
        assert run.returncode == 0
    finally:
        run.kill()
        run.wait()
