"""A guest of QEMU has the simulated Tigon-2, and Linux drives it with its own driver."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import pytest
from tests.python.conftest import Started
from tests.python.guest.driving import PATIENCE_S, a_space, exchange, kernels, needs

from spinach_nic import SpinachError, cli
from spinach_nic.cards.tengig import Tengig
from spinach_nic.cli import attach
from spinach_nic.runs.guest import Loaded, guest_bench, linux_guest, replay_attached
from spinach_nic.runs.observers.coherence import CoherenceCheck
from spinach_nic.runs.result import SCHEMA_FILE


@pytest.fixture
def space() -> Iterator[None]:
    """A network namespace, for as long as the test lasts."""
    has_driver = any(list(Path("/lib/modules", version).rglob("acenic.ko")) for version in kernels())
    needs(missing=[] if has_driver else ["a kernel in /boot with the module acenic"])
    yield from a_space()


# Each of the driver's 137,000 accesses waits for a processor, so that a busy machine takes minutes for it.
@pytest.mark.timeout(PATIENCE_S + 100)
@pytest.mark.usefixtures("space")
def test_linux_drives_the_card_with_its_own_driver(started: Started, tmp_path: Path) -> None:
    recording, document = str(tmp_path / "recording.pcapng"), tmp_path / "attached.json"
    exchange(started, "tigon2", "--record", recording, "--json", str(document))
    schema = json.loads(SCHEMA_FILE.read_text())
    recorded = json.loads(document.read_text())
    jsonschema.validate(recorded, schema)
    assert recorded["complete"]
    assert recorded["interrupts"] > 0
    # Without guest and wire the card does the same again; with another card it would not.
    again = started.spinach("attach", "tigon2", "--replay", recording, "--json", "-")
    replayed, complaints = again.communicate(timeout=300)
    assert again.returncode == 0, complaints
    assert json.loads(replayed) | {"wall_s": 0} == recorded | {"wall_s": 0}
    other = ["--replay", recording, "--set", "core_clock=44MHz"]
    refused = started.spinach("attach", "tigon2", *other)
    _, complaints = refused.communicate(timeout=60)
    assert refused.returncode == 2
    assert "was recorded with core_clock" in complaints


def test_a_missing_driver_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SpinachError, match="has the driver acenic as a module") as raised:
        linux_guest(
            tmp_path,
            driver="acenic",
            firmware=Loaded(tmp_path / "none", "acenic/tg2.bin"),
            address="10.0.0.2/24",
            script="",
            root=tmp_path,
        )
    assert "apt install" in raised.value.help


@pytest.mark.parametrize("name", ["sinic", "v-sinic"])
def test_a_driver_that_no_distribution_has_is_not_to_be_installed(
    started: Started, tmp_path: Path, name: str
) -> None:
    attached = started.spinach("attach", name, "--root", str(tmp_path))
    _, complaints = attached.communicate(timeout=60)
    assert attached.returncode == 2
    assert "has the driver sinic as a module" in complaints
    assert "spinach boot" in complaints
    assert "--vfio-user" in complaints
    assert "apt install" not in complaints


def test_a_card_that_no_guest_can_have_is_refused() -> None:
    class WithoutDriver(Tengig):
        linux_driver = None

    with pytest.raises(SpinachError, match="WithoutDriver has no Linux driver"):
        guest_bench(WithoutDriver)


def test_a_recording_of_another_sort_is_refused(tmp_path: Path) -> None:
    capture = tmp_path / "no.pcapng"
    capture.write_bytes(b"nothing")
    with pytest.raises(SpinachError, match="cannot replay"):
        replay_attached(guest_bench("tigon2"), capture)


def test_a_replay_takes_nothing_from_devices(started: Started, tmp_path: Path) -> None:
    refused = started.spinach("attach", "tigon2", "--replay", str(tmp_path / "any"), "--wire", "tap:any")
    _, complaints = refused.communicate(timeout=60)
    assert refused.returncode == 2
    assert "--wire has no effect" in complaints


def test_a_hazard_ends_the_command_with_the_exit_code_of_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = tmp_path / "recording.pcapng"
    recording.touch()
    monkeypatch.setattr(attach.Request, "carry_out", lambda *_: SimpleNamespace(complete=True))
    monkeypatch.setattr(attach, "_show", lambda _: None)
    monkeypatch.setattr(CoherenceCheck, "findings", ["a line is stale"])
    assert cli.carry_out(["attach", "ricenic", "--check-coherence", "--replay", str(recording)]) == 3
