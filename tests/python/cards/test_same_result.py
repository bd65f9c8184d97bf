"""The same request gives the same result, on any machine, observed or not."""

import json
import os
import random
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.python.cards.trouble import timeless, timeless_document

from spinach_nic import profile
from spinach_nic.model import Component, Part
from spinach_nic.runs import run
from spinach_nic.runs.result import MEASURED_FIELDS

TRAFFIC = ["imix:tx", "udp:18,300,1472:rx@4Gbps,bad_crc=2%"]
REQUEST: dict[str, Any] = {"nic": "tengig", "traffic": TRAFFIC, "frames": 100, "seed": 7}
COMMAND = [*("run", "tengig", "--frames", "100", "--seed", "7", "--json", "-"), *("--traffic", TRAFFIC[0])]


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    return timeless(run(**REQUEST))


def test_again(expected: dict[str, Any]) -> None:
    assert timeless(run(**REQUEST)) == expected


def test_without_sleeping(expected: dict[str, Any]) -> None:
    assert timeless(run(**REQUEST, sleeping=False)) == expected


def test_profiled(expected: dict[str, Any]) -> None:
    options = {name: value for name, value in REQUEST.items() if name != "nic"}
    assert timeless(profile(REQUEST["nic"], **options).result) == expected


def test_captured_and_traced(expected: dict[str, Any], tmp_path: Path) -> None:
    watched = run(**REQUEST, pcap_out=tmp_path / "frames.pcapng", traces=tmp_path / "traces")
    assert timeless(watched) == expected


@pytest.mark.parametrize("seed", [1, 2])
def test_in_whatever_order_parts_are_made_and_connected(
    expected: dict[str, Any], seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    ordered = vars(Component)["parts"].fget

    def shuffled(self: Component) -> Mapping[str, Part]:
        parts = list(ordered(self).items())
        chance.shuffle(parts)
        return dict(parts)

    monkeypatch.setattr(Component, "parts", property(shuffled))
    assert timeless(run(**REQUEST)) == expected


def test_in_other_processes_to_the_letter(expected: dict[str, Any]) -> None:
    outputs = []
    for hash_seed in ("1", "2"):
        environment = os.environ | {
            "PYTHONHASHSEED": hash_seed,
            "COLUMNS": hash_seed + "00",
            "TZ": "Asia/Tokyo",
        }
        command = [sys.executable, "-m", "spinach_nic", *COMMAND, "--traffic", TRAFFIC[1]]
        done = subprocess.run(command, capture_output=True, env=environment, check=True, text=True)
        measured = [f'"{name}"' for name in MEASURED_FIELDS]
        lines = [line for line in done.stdout.splitlines() if not any(name in line for name in measured)]
        outputs.append("\n".join(lines))
        assert timeless_document(json.loads(done.stdout)) == json.loads(json.dumps(expected))
    assert outputs[0] == outputs[1]
