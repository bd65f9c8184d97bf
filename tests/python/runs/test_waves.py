"""Waveforms, as GTKWave's own reader sees them."""

import re
import subprocess
from pathlib import Path
from shutil import which

import pytest
from tests.python.cards.trouble import timeless

import spinach_nic
from spinach_nic import SpinachError
from spinach_nic.runs import RunOptions, execute
from spinach_nic.support.units import ms, us

FST2VCD = which("fst2vcd")
FRAMES = 10


def changes(text: str) -> tuple[dict[str, str], list[tuple[int, dict[str, str]]]]:
    """Return the names of a VCD file's signals by their codes, and the changes of each over time."""
    head, _, body = text.partition("$enddefinitions $end")
    scopes, names = [], {}
    for line in re.findall(r"\$(scope|upscope|var)\b(.*?)\$end", head, re.DOTALL):
        words = line[1].split()
        if line[0] == "scope":
            scopes.append(words[1])
        elif line[0] == "upscope":
            scopes.pop()
        else:
            names[words[2]] = ".".join([*scopes, words[3]])
    held: dict[str, str] = {}
    history = []
    for line in body.split("\n"):
        if line.startswith("#"):
            history.append((int(line[1:]), held))
            held = dict(held)
            history[-1] = (int(line[1:]), held)
        elif line.startswith("b"):
            value, code = line[1:].split()
            held[names[code]] = value
        elif line[:1] in ("0", "1", "x"):
            held[names[line[1:]]] = line[0]
    return names, history


@pytest.mark.skipif(FST2VCD is None, reason="fst2vcd of the package gtkwave is not installed")
def test_waveforms_hold_what_moved(tmp_path: Path) -> None:
    assert FST2VCD is not None
    path = tmp_path / "run.fst"
    options = RunOptions(set={"cores": "2"}, frames=FRAMES)
    waves = RunOptions(wave=["mac_transmit.wire", "processor[1].*"], wave_out=path, wave_from=us(5))
    watched = spinach_nic.run("tengig", **(options | waves))
    alone = spinach_nic.run("tengig", **options)
    assert timeless(watched) == timeless(alone)
    vcd = subprocess.run([FST2VCD, str(path)], capture_output=True, text=True, check=True, timeout=50).stdout
    assert re.search(r"\$timescale\s+1\s*fs\s+\$end", vcd)
    names, history = changes(vcd)
    shown = set(names.values())
    assert {"mac_transmit.wire.valid", "mac_transmit.wire.length"} <= shown
    assert {
        f"processor[1].model.data_request.{field}" for field in ("valid", "ack", "address", "data")
    } <= shown
    assert not any(name.startswith("processor[0]") for name in shown)
    assert history[0][0] >= 5 * 10**9
    # Every frame leaves once, and is as long as it was sent.
    left, was_moving = 0, False
    for _, held in history:
        moves = held.get("mac_transmit.wire.valid") == held.get("mac_transmit.wire.ack") == "1"
        if moves and not was_moving:
            left += 1
            assert int(held["mac_transmit.wire.length"], 2) == 1514
        was_moving = moves
    assert left == FRAMES


@pytest.mark.skipif(FST2VCD is None, reason="fst2vcd of the package gtkwave is not installed")
def test_waveforms_hold_states(tmp_path: Path) -> None:
    assert FST2VCD is not None
    path = tmp_path / "run.fst"
    chosen = ["mac_transmit.ring.*", "mac_transmit.port.answers.length", "processor[1].model.fetch.pc"]
    options = RunOptions(set={"cores": "2"}, frames=FRAMES)
    finished = execute("tengig", **(options | RunOptions(wave=chosen, wave_out=path)))
    alone = spinach_nic.run("tengig", **options)
    assert timeless(finished.result) == timeless(alone)
    vcd = subprocess.run([FST2VCD, str(path)], capture_output=True, text=True, check=True, timeout=50).stdout
    names, history = changes(vcd)
    assert len(names) == 8
    consumed = [int(held.get("mac_transmit.ring.consumer", "0"), 2) for _, held in history]
    assert consumed == sorted(consumed)
    assert set(consumed) == set(range(FRAMES + 1))
    # The last values are those of the states at the end.
    last, simulation = history[-1][1], finished.session.simulation
    ring, core = (simulation.state(path) for path in ("mac_transmit", "processor[1].model"))
    assert int(last["mac_transmit.ring.is_enabled"], 2) == ring["ring"]["is_enabled"]
    assert int(last["mac_transmit.port.answers.length"], 2) == len(ring["port"]["answers"])
    assert int(last["processor[1].model.fetch.pc"], 2) == core["fetch"]["pc"]


def test_what_is_asked_for_in_part_is_refused(tmp_path: Path) -> None:
    cases = [
        (RunOptions(wave=["host.*"]), "the waveforms need a file"),
        (RunOptions(wave_out=tmp_path / "out"), "the waveforms need channels or states to show"),
        (RunOptions(wave_from=us(1)), "wave_from needs channels or states to show"),
        (
            RunOptions(wave=["hots.*"], wave_out=tmp_path / "out"),
            "no channel and no state is called 'hots.*'",
        ),
    ]
    for options, reason in cases:
        with pytest.raises(SpinachError, match=re.escape(reason)):
            spinach_nic.run("tengig", **(options | RunOptions(frames=1)))
    assert not (tmp_path / "out").exists()


def test_waves_that_would_begin_after_the_end_are_reported(tmp_path: Path) -> None:
    waves = RunOptions(
        wave=["mac_transmit.wire"], wave_out=tmp_path / "waves.fst", wave_from=ms(10), frames=2
    )
    finished = execute("tengig", **waves)
    assert finished.result.complete
    assert re.search(r"ended at .* us, before the time of --wave-from", str(finished.unwritten))
