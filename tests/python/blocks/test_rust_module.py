"""Blocks in Rust, built by cargo against the crate of the package, do what their sources say."""

import os
import re
import shutil
import subprocess
import tomllib
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from spinach_nic import Clock, Component, KiB, MHz, SpinachError, cli, parameter, run, simulate
from spinach_nic.benches import find_nic
from spinach_nic.blocks import RustModule
from spinach_nic.blocks.checking import Accesses, check, requested
from spinach_nic.library import MultiportedMemory, Receiver, Sender
from spinach_nic.starter import BLOCK_CRATE, MODULE_FILES, write_module

pytestmark = pytest.mark.skipif(not shutil.which("cargo"), reason="cargo is not installed")
HERE = Path(__file__).parent


def build(folder: Path) -> Path:
    """Build a crate without a registry, and return its library."""
    environment = {**os.environ, "CARGO_NET_OFFLINE": "true", "CARGO_TARGET_DIR": str(folder / "target")}
    command = ["cargo", "build", "--release", "--quiet"]
    subprocess.run(command, cwd=folder, env=environment, check=True)
    (library,) = (folder / "target/release").glob("*.so")
    return library


@pytest.fixture(scope="module")
def marker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rust") / "frame-marker"
    assert cli.carry_out(["new", "--module", str(folder)]) == 0
    build(folder)
    return folder


@pytest.fixture(scope="module")
def bridge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rust") / "bridge"
    write_module(folder)
    shutil.copy(HERE / "bridge.rs", folder / "src/lib.rs")
    return build(folder)


def test_the_block_that_new_writes_marks_every_tenth_frame(marker: Path) -> None:
    result = run(find_nic(str(marker / "frame-marker.py")), traffic="udp:18,700,1472:rx", frames=95)
    entered = result.frames.delivered["rx"] + result.frames.dropped["rx"]["mac_receive"]["bad_check_sequence"]
    assert result.frames.dropped["rx"] == {"mac_receive": {"bad_check_sequence": entered // 10}}
    assert entered >= 95


def test_the_page_shows_the_block_that_new_writes() -> None:
    page = (HERE.parents[2] / "docs/blocks.md").read_text()
    template = Path(cli.__file__).parents[1] / "starter/module"
    for file in MODULE_FILES[1:2]:
        assert f"```rust\n{(template / file).read_text()}```" in page.replace("Marker", "Starter")


def test_the_command_checks_a_library(marker: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.carry_out(["check", str(marker / "target/release/libframe_marker.so")]) == 0
    assert "a checkpoint continues equally" in capsys.readouterr().out


class Bridged(Component):
    """Words through the block, and accesses through it to a memory."""

    library: str = parameter(doc="Library of the block.")
    mode: int = parameter(default=0, doc="Its error.")
    percent: int = parameter(default=60, doc="Cycles in which words are sent and accepted.")

    def build(self) -> None:
        self.clock = Clock("core", MHz(100))
        self.sender = Sender(policy="index", percent=self.percent, seed=3)
        self.receiver = Receiver(percent=self.percent, seed=4)
        self.accesses = Accesses()
        self.block = RustModule(library=self.library, constants=f"mode={self.mode}", counters="total")
        self.memory = MultiportedMemory(size=KiB(5))
        self.sender.output >> self.block.feed
        self.block.out >> self.receiver.input
        self.accesses.port >> self.block.s
        self.block.m >> self.memory.port


def words(library: Path, cycles: int = 600, **settings: Any) -> tuple[Any, Any, list[int]]:
    system = Bridged(library=str(library), **settings)
    simulation = simulate(system)
    recorder = simulation.record(system.block.out)
    outcome = simulation.run(cycles=cycles)
    return simulation, outcome, [transfer.word for transfer in recorder.transfers()]


def test_words_pass_once_and_in_order_at_full_rate(bridge: Path) -> None:
    _, _, received = words(bridge)
    assert len(received) > 200
    assert received == [word + 1 for word in range(len(received))]
    simulation, _, received = words(bridge, cycles=108, percent=100)
    assert 0 <= simulation.statistics()["block.block.count_0"] - len(received) <= 2
    # Reset takes 8 cycles; from the sender to the receiver a word takes 4.
    assert 108 - 8 - 4 <= len(received) <= 108 - 8


def test_accesses_pass_through_a_block_to_a_memory(bridge: Path) -> None:
    simulation, _, _ = words(bridge)
    (behaviour,) = simulation.behaviours
    responses = behaviour.state.responses
    assert len(responses) > 40
    memory: dict[int, int] = {}
    for number, (_, data, is_fault) in enumerate(responses):
        reference = requested(number)
        assert not is_fault
        assert data == (0 if reference.writes else memory.get(reference.address, 0))
        if reference.writes:
            memory[reference.address] = reference.data


def test_the_crate_in_the_wheel_has_the_version_and_edition_of_the_workspace() -> None:
    root = Path(__file__).parents[3]
    crate = tomllib.loads((root / "crates/spinach-block/Cargo.toml").read_text())["package"]
    workspace = tomllib.loads((root / "Cargo.toml").read_text())["workspace"]["package"]
    shared = ("version", "edition", "license")
    assert [crate[name] for name in shared] == [workspace[name] for name in shared]


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        (1, "out withdraws `valid` before `ready`|out changes before `ready`"),
        (2, r"lib\.rs:\d+:\d+: nine words"),
    ],
)
def test_an_error_in_a_block_stops_the_simulation(bridge: Path, mode: int, reason: str) -> None:
    _, outcome, _ = words(bridge, mode=mode)
    assert outcome.reason == "stopped"
    assert re.search(reason, outcome.details)


def test_the_contract_catches_hidden_state(bridge: Path) -> None:
    assert len(check(partial(RustModule, library=str(bridge)))) == 3
    with pytest.raises(
        SpinachError, match=r"restored from a checkpoint continues differently|sleeping changes"
    ):
        check(partial(RustModule, library=str(bridge), constants="mode=3"))


def test_the_contract_catches_a_block_that_sleeps_through_its_work(bridge: Path) -> None:
    with pytest.raises(SpinachError, match="sleeping changes the results"):
        check(partial(RustModule, library=str(bridge), constants="mode=4"))


def test_a_checkpoint_holds_the_inside(bridge: Path) -> None:
    first, _, _ = words(bridge, cycles=100)
    saved = first.checkpoint()
    first.run(cycles=100)
    second = simulate(Bridged(library=str(bridge)))
    second.restore(saved)
    second.run(cycles=100)
    assert second.checkpoint() == first.checkpoint()


def test_a_library_of_another_version_is_refused(tmp_path: Path) -> None:
    crate, folder = tmp_path / "spinach-block", tmp_path / "old"
    shutil.copytree(BLOCK_CRATE, crate)
    source = crate / "src/interface.rs"
    text = source.read_text().replace("const VERSION: u64 = 2;", "const VERSION: u64 = 999;")
    source.write_text(text)
    write_module(folder)
    manifest = folder / "Cargo.toml"
    manifest.write_text(manifest.read_text().replace(str(BLOCK_CRATE), str(crate)))
    library = build(folder)
    with pytest.raises(
        SpinachError, match="has version 999 of the interface of blocks, not 2: compile it again"
    ):
        simulate(Bridged(library=str(library)))


def test_a_library_that_is_not_built_is_named(tmp_path: Path) -> None:
    with pytest.raises(SpinachError, match=r"there is no library .*none\.so") as caught:
        simulate(Bridged(library=str(tmp_path / "none.so")))
    assert "cargo build --release" in str(caught.value.help)
