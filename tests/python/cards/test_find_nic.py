"""A NIC is found by its name or in a Python file, and mistakes are explained."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

from spinach_nic import SpinachError, cli
from spinach_nic.benches import find_nic
from spinach_nic.cards import SHIPPED, Card, shipped_cards

HEAD = "from spinach_nic.cards import Card\n"
WIRED = """\
    def build(self):
        from spinach_nic import Clock, MHz
        from spinach_nic.library import Fifo, Receiver, Sender
        self.clock = Clock("core", MHz(1))
        self.a, self.b = Sender(), Receiver()
        self.a.output >> self.b.input
"""


def test_every_shipped_nic_has_a_summary() -> None:
    nics = shipped_cards()
    assert list(nics) == list(SHIPPED)
    assert all(nic.summary for nic in nics.values())


def test_a_file_gives_its_nic_but_not_those_it_imports_or_derives_it_from(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(f"{HEAD}class Base(Card): pass\nclass Mine(Base):\n    summary = 'mine'\n")
    nic = find_nic(file)
    assert issubclass(nic, Card)
    assert nic.summary == "mine"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (HEAD, "defines no NIC"),
        (f"{HEAD}class A(Card): pass\nclass B(Card): pass\n", "defines more than one NIC: A and B"),
        ("def f(:\n", ":1: invalid syntax"),
        ("x = 1\ny = x / 0\n", ":2: ZeroDivisionError: division by zero"),
        ("import sys\nsys.exit(0)\n", ":2: the file calls sys.exit()"),
        ("raise SystemExit\n", ":1: the file calls sys.exit()"),
        ("\nimport nothing_like_that\n", ":2: ModuleNotFoundError: No module named"),
        ("def f(): f()\nf()\n", ":1: RecursionError"),
    ],
)
def test_a_file_with_a_mistake(tmp_path: Path, source: str, message: str) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(source)
    with pytest.raises(SpinachError) as caught:
        find_nic(file)
    assert caught.value.message.startswith(str(file))
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("    def build(self):\n        1 / 0\n", ":4: ZeroDivisionError: division by zero"),
        ("    def build(self):\n        import sys; sys.exit()\n", ":4: the file calls sys.exit()"),
        ("    def build(self):\n        self.x = self.nothing\n", ":4: Mine: Mine has no part"),
        ("    def build(self):\n        int('x')\n", ":4: ValueError: invalid literal"),
        ("    def build(self):\n        from spinach_nic import MHz; MHz('x')\n", "'x' is not a number"),
        ("    def __init__(self):\n        raise KeyError('x')\n", ":4: KeyError: 'x'"),
        ("    tx = 5\n    pass\n", ""),
        ("    pass\n", ""),
        (WIRED + "    def faces(self):\n        return 1 / 0\n", ":10: ZeroDivisionError"),
        (WIRED, "Mine exports no faces"),
    ],
)
@pytest.mark.parametrize("command", ["run", "graph"])
def test_a_mistake_that_shows_later_names_its_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], command: str, body: str, message: str
) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(f"{HEAD}class Mine(Card):\n{body}")
    out = ["-o", str(tmp_path / "x.svg")] if command == "graph" else ["--frames", "1"]
    assert cli.carry_out([command, str(file), *out]) == 2
    err = capfd.readouterr().err
    assert err.startswith("error: ")
    assert message in err
    assert "spinach_nic/" not in err
    assert "Traceback" not in err


@pytest.mark.parametrize("name", ["nowhere.py", "no-such-nic", "."])
def test_nothing_of_that_name(name: str) -> None:
    with pytest.raises(SpinachError):
        find_nic(name)


@pytest.mark.parametrize("place", ["", "elsewhere"])
def test_modules_that_a_nic_imports_are_loaded_again_once_one_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.syspath_prepend(tmp_path / "elsewhere")
    first, second = f"nic_helper_{place}", f"nic_words_{place}"
    file, words = tmp_path / "mine.py", tmp_path / place / f"{second}.py"
    (tmp_path / place / f"{first}.py").write_text(f"from {second} import WORD\n")
    file.write_text(f"{HEAD}from {first} import WORD\nclass Mine(Card):\n    summary = WORD\n")
    words.write_text("WORD = 'old'\n")
    monkeypatch.syspath_prepend(words.parent)
    import_module(first)  # by the program that finds the NIC
    other = tmp_path / f"nic_other_{place}.py"
    other.write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    program = import_module(other.stem)
    for word in ("one", "two"):  # of equal length, within a second
        words.write_text(f"WORD = {word!r}\n")
        assert find_nic(file).summary == word
    loaded = sys.modules[first]
    find_nic(file)
    assert sys.modules[first] is loaded
    assert sys.modules[other.stem] is program
