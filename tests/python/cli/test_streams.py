"""Standard output may be full, closed, or go away: no traceback, and an exit code that says which."""

import subprocess

import pytest
from tests.python.conftest import Started


def test_full_standard_output_is_an_error(started: Started) -> None:
    with open("/dev/full", "w") as full:
        process = started.spinach("list", stdout=full)
        _, err = process.communicate(timeout=50)
    assert process.returncode == 2
    assert err == "error: cannot write to standard output: No space left on device\nhelp: send it elsewhere\n"


def test_a_reader_that_has_enough_is_no_error(started: Started) -> None:
    process = started.spinach("list")
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == ""
    assert process.wait(50) == 0


@pytest.mark.parametrize(("closed", "code"), [(">&-", 2), ("2>&-", 0), ("<&-", 0), (">&- 2>&-", 2)])
def test_closed_streams(started: Started, closed: str, code: int) -> None:
    import sys

    process = started("sh", "-c", f'exec "$0" -m spinach_nic list {closed}', sys.executable)
    out, err = process.communicate(timeout=50)
    assert process.returncode == code
    assert "Traceback" not in out + err
    if closed == ">&-":
        assert err.startswith("error: cannot write to standard output: it is closed\nhelp: ")


def test_no_file_takes_the_place_of_closed_output(started: Started, tmp_path: object) -> None:
    import sys

    out = f"{tmp_path}/out.json"
    words = f'-m spinach_nic run tengig --frames 1 --quiet --json "{out}" >&-'
    process = started("sh", "-c", f'exec "$0" {words}', sys.executable, stdout=subprocess.DEVNULL)
    _, err = process.communicate(timeout=50)
    assert (process.returncode, err) == (0, "")
    with open(out) as document:
        assert document.read().startswith('{\n  "schema"')
