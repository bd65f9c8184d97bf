"""The options of a run are the same in Python, on the command line and in the result document."""

import inspect
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinach_nic import SpinachError, Time, cli, profile, run
from spinach_nic.cli.run import command as run_command
from spinach_nic.runs import RunOptions, SaveRequest, execute
from spinach_nic.support.options import command_words, options_of

OPTIONS = options_of(RunOptions)
COUNTS = st.integers(1, 10**12)
TIMES = st.integers(10**9, 10**18).map(Time)
NAMES = st.text(st.characters(codec="ascii", exclude_characters="\0="), min_size=1)
FILES = NAMES.map(Path).filter(lambda file: not str(file).endswith("/"))
"""Names of files: without the root folder."""
OUTPUTS = FILES.filter(lambda file: str(file) != "-")
"""Names of outputs: without standard output."""
VALUES: Mapping[str, st.SearchStrategy[Any]] = {
    "traffic": st.lists(
        st.sampled_from(["udp:18,1472:rx@2Gbps", "imix", "pcap:a b.pcap:tx@500kpps"]), min_size=1
    ),
    "frames": COUNTS | st.fixed_dictionaries({}, optional={"tx": COUNTS, "rx": COUNTS}).filter(bool),
    "time": TIMES,
    "seed": st.integers(0, 2**62 - 1),
    "set": st.dictionaries(NAMES, NAMES, min_size=1),
    "firmware": NAMES,
    "pcap_out": OUTPUTS,
    "timeline": OUTPUTS,
    "wave": st.lists(NAMES, min_size=1, max_size=3).map(tuple),
    "wave_out": OUTPUTS,
    "trace_lines": st.lists(NAMES, min_size=1, max_size=3).map(tuple),
    "trace_lines_from": TIMES,
    "wave_from": TIMES,
    "stall_after": TIMES,
    "wire": NAMES,
    "host": NAMES,
    "record": OUTPUTS,
    "replay": FILES,
    "save_at": st.builds(SaveRequest, TIMES, OUTPUTS),
    "restore": FILES,
    "idle_skip": st.just(value=False),
    "fusing": st.just(value=False),
    "check_coherence": st.just(value=True),
}


@pytest.mark.parametrize("function", [run, execute, profile])
def test_python_has_every_option_with_its_default_and_meaning(function: Any) -> None:
    parameters = inspect.signature(function).parameters
    for name, option in OPTIONS.items():
        assert parameters[name].default == option.default
        assert f"{name}: {option.meaning[:40]}" in function.__doc__
    with pytest.raises(TypeError, match="frame"):
        function("tengig", frame=1)


def test_the_command_line_has_every_option_that_has_a_flag() -> None:
    flags = {flag for parameter in run_command.params for flag in parameter.opts if flag.startswith("--")}
    assert flags == {option.flag.name for option in OPTIONS.values() if option.flag} | {
        "--quiet",
        "--json",
        "--config",
        "--report",
    }
    assert set(VALUES) == {name for name, option in OPTIONS.items() if option.flag}


@given(st.fixed_dictionaries({}, optional={**VALUES}))
def test_what_is_written_as_a_command_is_read_back(asked: dict[str, Any]) -> None:
    words = command_words(RunOptions, asked)
    context = run_command.make_context("run", ["tengig", *words])
    for name, value in asked.items():
        flag = OPTIONS[name].flag
        assert flag is not None
        read = context.params[name]
        assert (flag.gather(read) if flag.gather else read) == value


def test_a_value_that_is_no_value_is_refused_by_the_name_of_the_option() -> None:
    for words in (["--frames", "tx=1,tx=2"], ["--seed", "x"], ["--set", "cores"]):
        with pytest.raises(click.BadParameter) as caught:
            run_command.make_context("run", ["tengig", *words])
        assert words[0] in caught.value.format_message()


@pytest.mark.parametrize("command", ["run mine.py", "attach tigon2", "boot --card tengig"])
def test_a_second_device_at_the_wire_is_refused(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.carry_out([*command.split(), "--wire", "tap:one", "--wire", "tap:two"]) == 2
    assert "'--wire': given 2 times, but the link leads to one device; give one\n" in capsys.readouterr().err


def test_a_second_device_of_the_driver_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.carry_out(["run", "mine.py", "--host", "tap:one", "--host", "tap:two"]) == 2
    assert "'--host': given 2 times, but the driver has one device; give one\n" in capsys.readouterr().err


def test_a_list_of_settings_is_no_mapping() -> None:
    with pytest.raises(SpinachError) as caught:
        run("tengig", set=["cores=2"])  # type: ignore[arg-type]
    assert str(caught.value) == "set = ['cores=2'] is not a mapping\nhelp: give a mapping"


def test_the_request_in_a_document_gives_the_document_again(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    result = run(
        "tengig",
        traffic=["udp:200:tx@1Gbps", "imix:rx@1Gbps"],
        frames={"tx": 60, "rx": 50},
        seed=9,
        set={"core": "functional", "cores": 2, "core_clock": "100 MHz"},
        firmware="base",
        sleeping=False,
    )
    first = result.document()
    words = []
    for name, texts in json.loads(result.to_json())["request"].items():
        flag = OPTIONS[name].flag
        for text in [texts] if isinstance(texts, str) else texts:
            words += [flag.name if flag else name, text]
    assert cli.carry_out(["run", "tengig", *words, "--json", "-"]) == 0
    again = json.loads(capfd.readouterr().out)
    for document in (first, again):
        document.pop("wall_s")
        document.pop("core_cycles_per_wall_s")
    assert again == json.loads(json.dumps(first))
