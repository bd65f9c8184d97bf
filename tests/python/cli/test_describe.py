"""`spinach describe` shows what `--set` takes."""

import json
from pathlib import Path
from typing import Any

import pytest

from spinach_nic import cli, library
from spinach_nic.benches import make_bench, shown_bench
from spinach_nic.cards import SHIPPED
from spinach_nic.model import Component, Part
from spinach_nic.studies.describing import describe_all, describe_parameters, find_part, shown


def described(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert cli.carry_out(["describe", *words, "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert isinstance(document, dict)
    return document


def test_a_nic_has_its_parameters_with_all_that_is_declared(capsys: pytest.CaptureFixture[str]) -> None:
    parameters = {one["path"]: one for one in described(capsys, "tengig")["parameters"]}
    assert parameters["cores"] == {
        "path": "cores",
        "type": "integer",
        "unit": parameters["cores"]["unit"],
        "default": 6,
        "value": 6,
        "minimum": 1,
        "maximum": 16,
        "choices": [],
        "meaning": "Number of processors.",
    }
    assert parameters["core_clock"]["default"] == "166MHz"
    assert parameters["core_clock"]["unit"] == "Hz, kHz, MHz, GHz"
    assert parameters["core"]["choices"] == ["functional", "pipelined", "composed", "vliw"]
    assert not {"image", "tx", "rx", "captured"} & parameters.keys()


def test_a_part_has_those_that_it_has_here(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("tengig", "processor[1]", "--set", "cache_size=4KiB")
    document = described(capsys, *words)
    size = next(one for one in document["parameters"] if one["path"] == "processor[1].cache_size")
    assert (size["default"], size["value"]) == ("8KiB", "4KiB")
    assert [part["path"] for part in document["parts"]] == ["processor[1].model", "processor[1].cache"]
    one = described(capsys, "tengig", "processor[1].cache.size")
    assert [parameter["path"] for parameter in one["parameters"]] == ["processor[1].cache.size"]


def test_a_search_goes_through_all_parts_and_meanings(capsys: pytest.CaptureFixture[str]) -> None:
    found = [one["path"] for one in described(capsys, "tengig", "--search", "CACHE size")["parameters"]]
    assert found == ["cache_size", "processor[0].cache_size"]
    found = [
        one["path"] for one in described(capsys, "tengig", "processor[0]", "--search", "R4000")["parameters"]
    ]
    assert found == ["processor[0].model.multiply_latency", "processor[0].model.divide_latency"]


def test_the_table_has_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.carry_out(["describe", "tengig"]) == 0
    out = capsys.readouterr().out
    assert "core_clock" in out
    assert "    Number of processors." in out
    assert "processor[0] x 6" in out


@pytest.mark.parametrize(
    ("words", "message", "help"),
    [
        (["processr[0]"], "Tengig has no part or parameter 'processr[0]'", "processor[0]"),
        (["processor[0].cache.sise"], "processor[0].cache has no part or parameter 'sise'", "size"),
        (["processor[9].cache.size"], "Tengig has no part 'processor[9]'", "processor["),
        (["cores.size"], "Tengig has no part 'cores'", ""),
        (["--search", "zebra"], "no parameter of tengig mentions 'zebra'", "--search"),
    ],
)
def test_mistakes_name_the_nearest(
    capsys: pytest.CaptureFixture[str], words: list[str], message: str, help: str
) -> None:
    assert cli.carry_out(["describe", "tengig", *words]) == 2
    error, helped = capsys.readouterr().err.splitlines()
    assert error == f"error: {message}"
    assert help in helped


@pytest.mark.parametrize("name", SHIPPED)
def test_every_default_and_value_that_is_shown_can_be_set(name: str) -> None:
    """Shown values are accepted: each value passes through `set` as text, and stays the same."""
    system = shown_bench(name)
    for described in list(describe_all(system, "")):
        if isinstance(described.value, str) and described.value.startswith("a function"):
            continue
        part, parameter = find_part(system, described.path)
        if described.value not in (None, ""):
            before = part.parameters[parameter]
            written = part.declarations[parameter].accept(str(described.value), "part", is_text=True)
            assert written == before, described.path
        if described.minimum is not None and described.type == "integer":
            assert described.minimum <= (described.value or 0) <= described.maximum  # type: ignore[operator]


def test_every_part_of_a_nic_is_found_by_its_path() -> None:
    nic = make_bench("tengig")

    def walk(part: Part, path: str) -> int:
        assert find_part(nic, path) == (part, "")
        inner = part.parts if isinstance(part, Component) else {}
        return 1 + sum(walk(one, f"{path}.{name}" if path else name) for name, one in inner.items())

    assert walk(nic, "") > 60


def test_values_are_written_as_a_person_writes_them() -> None:
    assert shown(True) == "true"
    assert shown(2**64 - 1) == "2^64 - 1"
    assert shown(12) == "12"
    assert shown(None) == ""
    cores = next(one for one in describe_parameters(make_bench("tengig"), "") if one.path == "cores")
    assert cores.allowed == "1 to 16"


def test_a_module_is_described_by_its_class_and_its_kind(capsys: pytest.CaptureFixture[str]) -> None:
    module = described(capsys, "Crossbar")["module"]
    assert described(capsys, "crossbar")["module"] == module
    assert {one["path"] for one in module["parameters"]} >= {"bases", "sizes", "interleave"}
    assert {one["name"] for one in module["ports"]} >= {"initiator_request", "target_response"}
    assert "conflict_cycles" in module["counters"]
    assert cli.carry_out(["describe", "Crossbar"]) == 0
    shown_text = capsys.readouterr().out
    for word in ("Connects many initiators", "interleave_bytes", "target_request", "conflict_cycles"):
        assert word in shown_text


def test_every_module_can_be_described(capsys: pytest.CaptureFixture[str]) -> None:
    for name in library.__all__:
        assert cli.carry_out(["describe", name]) == 0
        assert name in capsys.readouterr().out


def test_a_module_has_no_path(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.carry_out(["describe", "Crossbar", "bases"]) == 2
    assert "Crossbar is a module" in capsys.readouterr().err


def test_a_card_without_a_driver_model_is_described_and_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    card = tmp_path / "card.py"
    card.write_text(
        "from spinach_nic.cards.fixed_function import Sinic\n\n\n"
        "class ForGuests(Sinic):\n    driver_model = None\n"
    )
    assert cli.carry_out(["describe", str(card), "--search", "vnics"]) == 0
    assert "vnics" in capsys.readouterr().out
    assert cli.carry_out(["graph", str(card), "-o", str(tmp_path / "card.svg")]) == 0
    assert cli.carry_out(["run", str(card)]) == 2
    assert "use spinach attach or spinach boot --card" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("wrong", "help"),
    [
        ("Crossbr", "did you mean Crossbar?"),
        ("tengi", "did you mean tengig?"),
        ("zzzz", "valid names: dp83820, "),
    ],
)
def test_nics_and_modules_like_an_unknown_name_are_shown(
    wrong: str, help: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.carry_out(["describe", wrong]) == 2
    assert f"there is no NIC or module {wrong!r}\nhelp: {help}" in capsys.readouterr().err
