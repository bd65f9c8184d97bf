"""Result documents of servers."""

import json
import signal
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.python.conftest import Started
from tests.python.servers.test_debugging import wfi_image

from spinach_nic import _native, cli, run, servers
from spinach_nic.runs.reading import read_result
from spinach_nic.runs.result import SCHEMA_FILE
from spinach_nic.runs.server_modules import module_servers
from spinach_nic.runs.server_result import BootResult, Measuring
from spinach_nic.servers import linux
from spinach_nic.studies.comparing import compare

SCHEMA = jsonschema.Draft202012Validator(json.loads(SCHEMA_FILE.read_text()))
EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
"""Digest of no bytes."""


def booted(started: Started, *options: str, typed: str) -> tuple[dict[str, Any], str]:
    """Return the document of `spinach boot` and its messages, consoles among them."""
    process = started.spinach("boot", "rv64", *options, "--json", "-", stdin=-1)
    printed, messages = process.communicate(typed, timeout=100)
    assert process.returncode == 0, messages
    document = json.loads(printed)
    SCHEMA.validate(document)
    return document, messages


def test_boot_writes_a_result_document(kernel: linux.Linux, started: Started) -> None:
    document, messages = booted(started, "--harts", "2", typed="uname\npoweroff\n")
    assert "Linux 6" in messages
    assert (document["ending"], document["complete"]) == ("off", True)
    assert document["config"]["harts"] == 2
    assert document["config"]["node[0].clock"] == "1 GHz"
    assert document["kernel"]["name"] == "linux"
    assert 0 < document["begins_ns"] < document["simulated_ns"]
    (server,) = document["servers"]
    assert server["cycles"] == document["simulated_ns"] - document["begins_ns"]
    assert f"{document['instructions']:,} instructions" in messages
    assert server["timing"] is None
    again, _ = booted(started, "--harts", "2", typed="uname\npoweroff\n")
    assert again | {"wall_s": 0} == document | {"wall_s": 0}


def profiled(started: Started, tmp_path: Path, *options: str, typed: str) -> list[dict[str, Any]]:
    """Return the document of servers that switch themselves off, and the profiles of the servers."""
    file = tmp_path / "profile.json"
    document, _ = booted(started, *options, f"--profile={file}", typed=typed)
    assert document["ending"] == "off"
    profile = json.loads(file.read_text())
    return [document, *profile.get("servers", [profile])]


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("options", [(), ("--core=timed",), ("--clock=3GHz",)])
def test_the_time_of_a_server_ends_when_it_is_switched_off(
    started: Started, tmp_path: Path, options: tuple[str, ...]
) -> None:
    saved = tmp_path / "saved"
    typed = "fork 1\npoweroff\n"
    document, profile = profiled(started, tmp_path, *options, f"--save={saved}", typed=typed)
    (server,) = document["servers"]
    assert server["cycles"] == profile["cycles"]
    elapsed_ns = document["simulated_ns"] - document["begins_ns"]
    # Both times are rounded down.
    assert elapsed_ns - server["cycles"] * 10**9 // server["clock_hz"] in (0, 1)
    again, _ = booted(started, *options, f"--restore={saved}", typed="")
    assert again["begins_ns"] == again["simulated_ns"] == document["simulated_ns"]
    assert again["servers"][0]["cycles"] == 0


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("options", [(), ("--card=ricenic",)])
def test_the_cycles_of_joined_servers_are_those_until_the_end_of_each(
    started: Started, tmp_path: Path, options: tuple[str, ...]
) -> None:
    typed = "poweroff\n@2 sleep 3\n@2 poweroff\n"
    document, first, *_ = profiled(started, tmp_path, "--nodes=2", *options, typed=typed)
    cycles = [server["cycles"] for server in document["servers"]]
    assert first["cycles"] == cycles[0] < cycles[1]
    assert document["simulated_ns"] - document["begins_ns"] - cycles[1] in (0, 1)


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize(
    ("option", "error"),
    [("--timeline", "the timeline cannot be written"), ("--save", "cannot write /dev/full")],
)
def test_a_result_is_kept_if_an_output_cannot_be_written(
    started: Started, tmp_path: Path, option: str, error: str
) -> None:
    profile, document = tmp_path / "profile.json", tmp_path / "result.json"
    outputs = (option, "/dev/full", "--profile", str(profile), "--json", str(document))
    process = started.spinach("boot", "rv64", *outputs, stdin=-1)
    _, messages = process.communicate("uname\npoweroff\n", timeout=100)
    assert process.returncode == 2
    assert f"error: {error}" in messages
    assert "rv64: switched off" in messages
    assert profile.stat().st_size > 0
    assert json.loads(document.read_bytes())["complete"]


@pytest.mark.usefixtures("kernel")
def test_a_server_whose_output_nobody_reads_runs_to_its_end(started: Started, tmp_path: Path) -> None:
    document = tmp_path / "result.json"
    process = started.spinach("boot", "rv64", "--json", f"{document}", stdin=-1)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.close()
    process.stdin.write("uname\npoweroff\n")
    process.stdin.close()
    assert process.wait(timeout=100) == 0
    assert json.loads(document.read_text())["ending"] == "off"


def test_a_document_has_the_link_and_both_cards(kernel: linux.Linux, started: Started) -> None:
    options = ["--nodes", "2", "--core", "timed", "--card", "v-sinic,dp83820", "--clock", "1GHz,2GHz"]
    options += ["--set", "node[0].card.vnics=16"]
    document, messages = booted(
        started, *options, "--threads", "2", typed="ping 10.0.0.2 2\npoweroff\n@2 sleep 5\n@2 poweroff\n"
    )
    config = document["config"]
    assert (config["link.rate"], config["node[1].card"]) == ("10 Gbps", "dp83820")
    assert (config["node[0].card"], config["node[0].card.vnics"]) == ("v-sinic", 16)
    # A parameter that differs from its default, and one that does not.
    assert (config["core.attachment"], config["core.second_level.bytes"]) == ("cache", 8 << 20)
    first, second = document["servers"]
    # The second is switched off last, and has twice the clock.
    assert second["cycles"] // 2 == document["simulated_ns"] - document["begins_ns"]
    assert first["cycles"] < second["cycles"] // 2
    assert first["timing"]["instructions"] > 0
    assert second["timing"] is None
    for number, server in enumerate((first, second), start=1):
        counted = ", ".join(f"{name} {count:,}" for name, count in server["counters"].items() if count)
        assert f"card of server {number}: {counted}" in messages
        # Two answers, and address resolution.
        assert server["sent_frames"] >= 3
        assert server["sent_bytes"] >= 3 * 60


def test_cards_made_of_modules_have_counters_and_firmware() -> None:
    start = linux.Linux("image", wfi_image(), arguments="")
    settings = ["node[1].core_clock=200MHz", "node[0].hart_core=timed"]
    pair = module_servers(("tigon2", "ricenic"), start, servers.configuration_of("rv64"), settings=settings)
    counts = Measuring(pair)
    assert pair.run(10_000) == "time"
    first, second = counts.servers(pair.cards)
    assert first.cycles == second.cycles == 10_000
    # The first has timed cores; both wait for an interrupt after a few instructions.
    assert pair.instructions() >= 2
    assert first.timing is not None
    assert first.timing["instructions"] > 0
    assert second.timing is None
    assert (first.card, second.card) == ("tigon2", "ricenic")
    assert first.firmware is not None
    assert second.firmware is not None
    assert first.firmware.name == "acenic/tg2.bin"
    assert second.firmware.name == "base"
    assert first.counters["interrupts"] == 0
    assert pair.config()["node[1].core_clock"] == "200 MHz"


def test_an_image_is_for_the_card_with_firmware() -> None:
    start = linux.Linux("image", wfi_image(), arguments="")
    configuration = servers.configuration_of("rv64")
    cards = module_servers(("dp83820", "ricenic"), start, configuration, "split").cards
    assert cards[0].firmware is None
    assert cards[1].firmware is not None
    assert cards[1].firmware.name == "split"


def test_an_interrupted_boot_writes_what_there_is(
    kernel: linux.Linux, started: Started, tmp_path: Path
) -> None:
    file = tmp_path / "boot.json"
    process = started.spinach("boot", "rv64", "--json", str(file), stdin=-1)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("pi 1000000000\n")
    process.stdin.close()
    process.stdin = None
    # Without a checkpoint, the messages of the kernel and the prompt come first.
    assert any(line.endswith("pi 1000000000\n") for line in process.stdout)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    document = json.loads(file.read_text())
    SCHEMA.validate(document)
    assert (document["ending"], document["complete"]) == ("interrupted", False)
    assert document["instructions"] > 0


def test_a_bare_program_has_digests(started: Started, tmp_path: Path) -> None:
    image = tmp_path / "program"
    image.write_bytes(wfi_image())
    document, _ = booted(started, "--kernel", str(image), "--memory", "1MiB", typed="")
    assert document["kernel"]["name"] == "program"
    assert document["kernel"]["files_sha256"] == EMPTY
    assert document["begins_ns"] == 0
    assert BootResult.parse(json.dumps(document).encode(), image).version == _native.version()


def test_documents_of_servers_are_compared(started: Started, tmp_path: Path, kernel: linux.Linux) -> None:
    for clock in ("1GHz", "2GHz"):
        document, _ = booted(started, "--clock", clock, typed="uname\npoweroff\n")
        (tmp_path / f"{clock}.json").write_text(json.dumps(document))
    first, second = (read_result(tmp_path / f"{clock}.json") for clock in ("1GHz", "2GHz"))
    found = compare(first, second)
    assert [one.name for one in found.configuration] == ["node[0].clock"]
    assert "servers[0].clock_hz" in {one.name for one in found.results}
    assert not compare(first, first).results


def test_documents_of_two_kinds_are_not_compared(
    started: Started, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = tmp_path / "run.json", tmp_path / "boot.json"
    image = tmp_path / "program"
    image.write_bytes(wfi_image())
    document, _ = booted(started, "--kernel", str(image), "--memory", "1MiB", typed="")
    files[0].write_text(run("tengig", frames=20, set={"core": "functional"}).to_json())
    files[1].write_text(json.dumps(document))
    assert cli.carry_out(["compare", *map(str, files)]) == 2
    assert "run.json is a spinach-result/1" in capsys.readouterr().err
