"""A NIC is found by its name or in a Python file, and mistakes are explained."""

from pathlib import Path

import pytest

from spinach_nic import SpinachError
from spinach_nic.nics import SHIPPED, Nic, find_nic, shipped_nics

HEAD = "from spinach_nic.nics import Nic\n"


def test_every_shipped_nic_has_a_summary() -> None:
    nics = shipped_nics()
    assert list(nics) == list(SHIPPED)
    assert all(nic.summary for nic in nics.values())


def test_a_file_gives_its_nic_but_not_those_it_imports_or_derives_it_from(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(f"{HEAD}class Base(Nic): pass\nclass Mine(Base):\n    summary = 'mine'\n")
    nic = find_nic(file)
    assert issubclass(nic, Nic)
    assert nic.summary == "mine"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (HEAD, "defines no NIC"),
        (f"{HEAD}class A(Nic): pass\nclass B(Nic): pass\n", "defines more than one NIC: A and B"),
        ("def f(:\n", ":1: invalid syntax"),
        ("x = 1\ny = x / 0\n", ":2: ZeroDivisionError: division by zero"),
    ],
)
def test_a_file_with_a_mistake(tmp_path: Path, source: str, message: str) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(source)
    with pytest.raises(SpinachError) as caught:
        find_nic(file)
    assert caught.value.message.startswith(str(file))
    assert message in caught.value.message


@pytest.mark.parametrize("name", ["nowhere.py", "no-such-nic", "."])
def test_nothing_of_that_name(name: str) -> None:
    with pytest.raises(SpinachError):
        find_nic(name)
