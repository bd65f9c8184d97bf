"""Whatever a person types or gives as a file, two lines explain what is wrong, never a traceback."""

import random
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.python.runs.systems import MINE

from spinach_nic import cli
from spinach_nic.traffic import parse_traffic

CAPTURE = Path(__file__).parents[3] / "captures" / "web-ping-udp.pcap"

# Program arguments may contain anything but null characters.
words = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)
odd = words | st.sampled_from(
    ["-1", "0", "1e99", "9" * 30, "nan", "1/3", "0x10", "1MHz", "-5us", "(1,2)", "None"]
)
parameters = st.sampled_from(
    [
        "core_clock",
        "largest_frame",
        "out.gap",
        "out.lanes",
        "network.traffic",
        "host",
        "image",
        "tx",
        "..",
        "build",
    ]
)
specifications = st.sampled_from(["udp:18", "imix:rx", "udp:18@1pps", "udp:18:rx,runt=100%"]) | st.builds(
    "{}{}".format, st.sampled_from(["udp:", "imix@", "pcap:", "udp:18,runt=", "udp:18:"]), odd
)
option = st.one_of(
    st.tuples(st.just("--set"), st.builds("{}={}".format, parameters | words, odd)),
    st.tuples(st.just("--traffic"), specifications),
    st.tuples(st.just("--frames"), st.sampled_from(["1", "3", "tx=1,rx=2"]) | odd),
    st.tuples(st.just("--seed"), odd),
    st.tuples(st.just("--firmware"), odd),
)


@pytest.fixture(scope="module")
def wires(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("nics") / "wires.py"
    file.write_text(MINE)
    return str(file)


def assert_explained(code: int, err: str) -> None:
    """It worked, the system failed, or two lines say what is wrong with the request."""
    assert code in (0, 2, 3)
    if code:
        last = err.rstrip("\n").splitlines()[-2:]
        assert [line.partition(": ")[0] for line in last] == ["error", "help"]


@settings(
    max_examples=120,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(options=st.lists(option, max_size=4))
def test_any_request(wires: str, capfd: pytest.CaptureFixture[str], options: list[tuple[str, str]]) -> None:
    words = [word for pair in options for word in pair]
    code = cli.carry_out(["run", wires, "--quiet", *words, "--time", "20us"])
    assert_explained(code, capfd.readouterr().err)


@pytest.mark.parametrize("nic", ["a" * 5000, "a" * 5000 + ".py", "\udc80", "\0", "\udc80.py"])
def test_names_that_no_file_can_have(nic: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.carry_out(["run", nic]) == 2
    assert cli.carry_out(["run", "tengig", "--firmware", nic]) == 2
    assert_explained(2, capfd.readouterr().err)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(text=specifications)
def test_traffic_is_understood_as_it_is_shown_or_refused(text: str) -> None:
    from spinach_nic import SpinachError

    try:
        traffic = parse_traffic(text)
    except SpinachError:
        return
    assert parse_traffic(str(traffic)) == traffic


@pytest.mark.parametrize("seed", range(40))
def test_damaged_captures(wires: str, seed: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    chance = random.Random(seed)
    content = bytearray(CAPTURE.read_bytes())
    if chance.random() < 0.5:
        del content[chance.randrange(len(content)) :]
    for _ in range(chance.randrange(4)):
        if content:
            content[chance.randrange(min(200, len(content)))] = chance.randrange(256)
    file = tmp_path / "damaged.pcap"
    file.write_bytes(content)
    code = cli.carry_out(["run", wires, "--quiet", "--frames", "3", "--traffic", f"pcap:{file}"])
    assert_explained(code, capfd.readouterr().err)


@pytest.mark.parametrize("given", [f"pcap:{sys.executable}", "pcap:/", "pcap:/dev/null", f"pcap:{__file__}"])
def test_foreign_files_as_captures(wires: str, given: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.carry_out(["run", wires, "--traffic", given]) == 2
    assert_explained(2, capfd.readouterr().err)


@pytest.mark.parametrize("firmware", [sys.executable, str(CAPTURE), "/", "/dev/null", __file__])
def test_foreign_files_as_firmware(firmware: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.carry_out(["run", "tengig", "--frames", "1", "--firmware", firmware]) == 2
    assert_explained(2, capfd.readouterr().err)


@pytest.mark.parametrize("option", ["--json", "--pcap-out"])
@pytest.mark.parametrize("place", ["/", "/nowhere/file", "/dev/full"])
def test_outputs_that_cannot_be_written(
    wires: str, option: str, place: str, capfd: pytest.CaptureFixture[str]
) -> None:
    if place == "/dev/full" and not Path(place).exists():
        pytest.skip("there is no /dev/full here")
    assert cli.carry_out(["run", wires, "--quiet", "--frames", "50", option, place]) == 2
    assert_explained(2, capfd.readouterr().err)
