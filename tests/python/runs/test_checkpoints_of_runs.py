"""A run restored from a checkpoint gives the results of the run that was never saved."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner
from msgspec import structs

import spinach_nic
from spinach_nic import SpinachError, ms, ns, us
from spinach_nic.benches import BackToBack
from spinach_nic.cards import shipped_card
from spinach_nic.cards.catalogue import SHIPPED
from spinach_nic.cli import spinach
from spinach_nic.runs import SaveRequest, execute
from spinach_nic.runs.checkpoints import SavedRun
from spinach_nic.runs.result import MEASURED_FIELDS, Result
from spinach_nic.runs.window import SavedCandidate
from spinach_nic.studies.sweeping import sweep
from spinach_nic.traffic import Direction, plan_traffic

FRAMES = 400
CAPTURE = Path(__file__).parents[3] / "captures" / "web-ping-udp.pcap"


class Begun(NamedTuple):
    """A saved run: its card, its options and the checkpoint."""

    nic: str
    options: dict[str, Any]
    file: Path


class TwoKinds(BackToBack):
    """Drivers with and without a program in Python."""

    card_class, far_class = shipped_card("tengig"), shipped_card("hundredgig")


def figures(result: Result) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(result.to_json())
    return {name: it for name, it in document.items() if name not in (*MEASURED_FIELDS, "request", "notes")}


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run without end, saved at full depth."""
    file = tmp_path_factory.mktemp("warm") / "warm.checkpoint"
    spinach_nic.run("tengig", set={"cores": 3}, time=us(300), save_at=SaveRequest(us(300), file))
    return file


@pytest.mark.parametrize(
    ("nic", "moments"),
    [
        ("hundredgig", (us(20), us(300))),
        ("rosebud", (us(3), us(40))),
        ("tengig", (us(30), us(217), us(330))),
        ("tigon2", (us(800), ms(4))),
    ],
)
def test_a_run_that_was_saved_gives_the_same_as_one_that_was_not(
    nic: str, moments: tuple[spinach_nic.Time, ...], tmp_path: Path
) -> None:
    alone = figures(spinach_nic.run(nic, frames=FRAMES))
    for moment in moments:
        file = tmp_path / "saved"
        saving = spinach_nic.run(nic, frames=FRAMES, save_at=SaveRequest(moment, file))
        assert figures(saving) == alone
        assert figures(spinach_nic.run(nic, restore=file)) == alone


@pytest.mark.parametrize(("nic", "frames", "moment"), [("hundredgig", 60, us(55)), ("tengig", 20, us(60))])
def test_the_last_frames_arrive_after_the_checkpoint(
    nic: str, frames: int, moment: spinach_nic.Time, tmp_path: Path
) -> None:
    """All frames have been sent, and some are under way."""
    file, cores = tmp_path / "saved", {"cores": 2}
    saving = spinach_nic.run(nic, frames=frames, set=cores, save_at=SaveRequest(moment, file))
    assert {plan.made for plan in SavedRun.read(file).plans.values()} == {frames}
    assert figures(spinach_nic.run(nic, restore=file)) == figures(saving)
    with pytest.raises(SpinachError, match="no more frames requested than"):
        spinach_nic.run(nic, restore=file, frames=frames, traffic="udp:18")


def test_a_restored_window_is_the_saved_one(warm: Path) -> None:
    """Each field is saved, and each is restored."""
    kept = SavedRun.read(warm).session.window
    assert kept.previous is not None
    full = structs.replace(
        kept,
        zero=structs.replace(kept.zero, counters=kept.previous),
        before=structs.replace(kept.before, time_fs=5),
        first=kept.before,
        candidates=[SavedCandidate(kept.zero, kept.before)],
        moments=[kept.before, kept.before],
        spacing=77,
        closed=kept.zero,
        reason="none",
        is_over=True,
    )
    window = execute("tengig", set={"cores": 3}, time=us(1)).session.window
    for saved in (full, kept):
        window.restore(saved)
        assert structs.asdict(window.save()) == structs.asdict(saved)


def test_a_longer_run_goes_on_where_a_shorter_one_ended(warm: Path) -> None:
    alone = spinach_nic.run("tengig", set={"cores": 3}, time=us(500))
    assert figures(spinach_nic.run("tengig", restore=warm, time=us(500))) == figures(alone)


@pytest.mark.parametrize("nic", ["hundredgig", "rosebud", "tengig", "tigon2"])
def test_more_deliveries_are_measured_after_the_saved_window_has_closed(nic: str, tmp_path: Path) -> None:
    """Sources that had ended send again, for a number of frames and for a time."""
    first = spinach_nic.run(nic, frames=100)
    saved, moment = tmp_path / "draining", ns(first.measured_window.ends_ns + 300)
    spinach_nic.run(nic, frames=100, save_at=SaveRequest(moment, saved))
    assert SavedRun.read(saved).session.window.is_over
    more = spinach_nic.run(nic, frames=400, restore=saved)
    assert more.complete
    assert min(more.tx.measured_frames, more.rx.measured_frames) >= 400
    assert more.measured_window.begins_ns > first.measured_window.ends_ns
    assert any("measuring began at the checkpoint" in note for note in more.notes)
    end = ns(first.simulated_ns + 100_000)
    assert spinach_nic.run(nic, time=end, restore=saved).simulated_ns == first.simulated_ns + 100_000
    # Another end of the same run does not make it another run.
    assert figures(spinach_nic.run(nic, frames=100, time=end, restore=saved)) == figures(first)


def test_a_number_of_frames_measures_after_the_checkpoint_though_the_saved_run_delivered_more(
    warm: Path,
) -> None:
    result = spinach_nic.run("tengig", restore=warm, frames=100)
    assert result.measured_window.begins_ns >= 300_000
    assert min(result.tx.measured_frames, result.rx.measured_frames) >= 100


def test_a_few_frames_are_measured_after_a_long_warm_up(tmp_path: Path) -> None:
    saved = tmp_path / "saved"
    before = spinach_nic.run(
        "hundredgig", set={"cores": 1}, traffic="udp:18", time=us(100), save_at=SaveRequest(us(100), saved)
    )
    assert before.frames.offered["rx"] > 8 * (500 + 256)  # many times the frames to measure
    result = spinach_nic.run("hundredgig", restore=saved, frames=500)
    assert result.rx.frames_per_s is not None
    assert min(result.tx.measured_frames, result.rx.measured_frames) >= 500


def test_each_point_of_a_sweep_from_a_checkpoint_measures_its_number_of_frames(tmp_path: Path) -> None:
    saved, described = tmp_path / "draining", tmp_path / "sweep.toml"
    spinach_nic.run("tengig", frames=300, save_at=SaveRequest(ms(1), saved))
    described.write_text(f'nic = "tengig"\n[options]\nrestore = "{saved}"\nframes = [400, 800]\n')
    few, more = sweep(described, table=tmp_path / "sweep.parquet").rows
    assert few["simulated_ns"] < more["simulated_ns"]
    assert (few["status"], more["status"]) == ("complete", "complete")


def test_a_run_that_goes_on_can_be_saved_again(warm: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    whole = spinach_nic.run("tengig", restore=warm, time=us(500))
    spinach_nic.run("tengig", restore=warm, time=us(500), save_at=SaveRequest(us(400), again))
    assert figures(spinach_nic.run("tengig", restore=again)) == figures(whole)


def test_other_traffic_follows_the_frames_that_are_under_way(warm: Path, tmp_path: Path) -> None:
    """Twice, and from a capture: every frame is checked byte for byte."""
    second, traffic = tmp_path / "second", ["udp:200:tx", f"pcap:{CAPTURE}:loop:rx"]
    first = spinach_nic.run(
        "tengig", restore=warm, time=us(450), traffic=traffic, seed=7, save_at=SaveRequest(us(400), second)
    )
    assert first.complete
    last = spinach_nic.run("tengig", restore=second, frames=1500, traffic="imix@3Gbps")
    assert last.frames.delivered == last.frames.offered
    assert min(last.tx.measured_frames, last.rx.measured_frames) >= 1500
    assert last.frames.corrupted == last.frames.reordered == {"tx": 0, "rx": 0}


@pytest.mark.parametrize("options", [{"frames": 300}, {"time": ms(1)}], ids=["frames", "time"])
def test_a_capture_is_sent_whole_after_the_checkpoint(warm: Path, options: dict[str, Any]) -> None:
    """Its first frame comes first, however many frames the saved run has sent."""
    made = SavedRun.read(warm).plans["rx"].made
    run = execute("tengig", restore=warm, traffic=[f"pcap:{CAPTURE}:rx"], **options)
    alone = plan_traffic([f"pcap:{CAPTURE}:rx"], frames=None, seed=1, largest_frame=1514).rx
    assert made > alone.count
    assert made % alone.count
    assert run.ending.kind == "complete"
    assert run.result.frames.offered["rx"] == run.result.frames.delivered["rx"] == made + alone.count
    assert run.session.plans["rx"].built(made, alone.count) == alone.built(0, alone.count)


@pytest.mark.parametrize(
    "traffic",
    ["udp:200", "udp:1472:rx", f"pcap:{CAPTURE}:rx", f"pcap:{CAPTURE}:loop:rx"],
    ids=["sizes", "silent", "capture", "loop"],
)
def test_a_restored_run_with_other_traffic_can_be_saved_again(
    warm: Path, traffic: str, tmp_path: Path
) -> None:
    again, moment = tmp_path / "again", us(301)
    whole = spinach_nic.run("tengig", restore=warm, time=us(500), traffic=traffic)
    spinach_nic.run("tengig", restore=warm, time=us(500), traffic=traffic, save_at=SaveRequest(moment, again))
    assert figures(spinach_nic.run("tengig", restore=again)) == figures(whole)


SETTINGS: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, {}) for name in SHIPPED},
    "hundredgig with one core": ("hundredgig", {"set": {"cores": 1}}),
    "ricenic with cdna": ("ricenic", {"firmware": "cdna"}),
}
TIMES = {"dp83820": ms(1), "ricenic": ms(1), "tigon2": ms(4)}


@pytest.fixture(scope="module", params=SETTINGS)
def begun(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Begun:
    """A run whose first frames are under way."""
    nic, options = SETTINGS[request.param]
    file = tmp_path_factory.mktemp("begun") / "begun.checkpoint"
    time = TIMES.get(nic, us(100))
    spinach_nic.run(nic, time=time, save_at=SaveRequest(time, file), **options)
    assert any(plan.made for plan in SavedRun.read(file).plans.values())
    return Begun(nic, options, file)


@pytest.mark.parametrize(
    "other",
    [
        {"seed": 2},
        {"traffic": "udp:1472,flows=8", "seed": 2},
        {"traffic": "tcp:1448"},
        {"traffic": "raw:600"},
    ],
    ids=["seed", "flows", "tcp", "raw"],
)
def test_each_card_goes_on_with_other_frames(begun: Begun, other: dict[str, Any]) -> None:
    result = spinach_nic.run(begun.nic, frames=200, restore=begun.file, **begun.options, **other)
    assert result.complete
    for way, plan in SavedRun.read(begun.file).plans.items():
        assert result.frames.offered[way] >= plan.made
        assert result.frames.corrupted[way] == result.frames.in_flight[way] == 0


@pytest.mark.parametrize(
    ("other", "is_compared"),
    [({"seed": 2}, True), ({"traffic": "udp:600"}, True), ({"traffic": "udp:600,flows=3"}, False)],
    ids=["seed", "sizes", "flows"],
)
def test_translated_frames_of_another_run_are_compared(
    other: dict[str, Any], is_compared: bool, tmp_path: Path
) -> None:
    """Frames of other flows have ports that do not follow from the plans."""
    file = tmp_path / "saved"
    forwards: dict[str, Any] = {"firmware": "nat", "set": {"nat_forwards": "udp:9:192.168.0.2:8080"}}
    spinach_nic.run("ricenic", time=ms(1), save_at=SaveRequest(ms(1), file), **forwards)
    run = execute("ricenic", frames=100, restore=file, **forwards, **other)
    assert run.result.complete
    assert run.result.frames.corrupted == {"tx": 0, "rx": 0}
    parameters = run.session.simulation.parameters()
    assert "8080" in parameters["host"]["receive_traffic"]
    assert ("any" not in parameters["sink"]["traffic"]) is is_compared


def test_frames_of_another_seed_have_as_many_flows(tmp_path: Path) -> None:
    """Else they would all go to one core of the card, which drops some."""
    file = tmp_path / "saved"
    spinach_nic.run("hundredgig", time=us(100), save_at=SaveRequest(us(100), file))
    result = spinach_nic.run("hundredgig", frames=300, restore=file, seed=2)
    assert result.frames.dropped == {"tx": {}, "rx": {}}


@pytest.mark.parametrize("before", ["udp:1472:rx", "raw:100", "udp:1472"])
@pytest.mark.parametrize("after", ["tcp:1448", "raw:100"])
def test_checksums_are_left_to_the_card_by_the_frames_of_each_run(
    before: str, after: str, tmp_path: Path
) -> None:
    """The driver negotiates once, whatever the frames of the first run are."""
    file, again = tmp_path / "saved", tmp_path / "again"
    spinach_nic.run("hundredgig", traffic=before, time=us(100), save_at=SaveRequest(us(100), file))
    spinach_nic.run(
        "hundredgig", traffic=after, time=us(200), restore=file, save_at=SaveRequest(us(200), again)
    )
    for traffic in (before, after):
        result = spinach_nic.run("hundredgig", traffic=traffic, frames=300, restore=again)
        assert result.complete
        assert result.frames.corrupted == {"tx": 0, "rx": 0}


def test_a_direction_may_fall_silent(warm: Path) -> None:
    before = spinach_nic.run("tengig", set={"cores": 3}, time=us(300))
    result = spinach_nic.run("tengig", restore=warm, time=ms(3), traffic="udp:1472:rx@3Gbps")
    assert result.frames.delivered["tx"] == result.frames.offered["tx"]
    assert result.frames.offered["tx"] <= before.frames.offered["tx"] + 256
    assert result.rx.wire_gbps == pytest.approx(3, rel=0.02)


@pytest.mark.parametrize("traffic", ["udp:1000", "udp:18:rx"])
def test_longer_frames_from_the_host_are_refused_in_words(traffic: str, tmp_path: Path) -> None:
    file = tmp_path / "saved"
    spinach_nic.run("tengig", traffic=traffic, time=us(20), save_at=SaveRequest(us(20), file))
    with pytest.raises(SpinachError, match="does not fit host: the host has buffers for longer") as caught:
        spinach_nic.run("tengig", traffic="udp:1472", time=us(40), restore=file)
    assert "frames from the host are no longer than those of the saved run" in caught.value.help


def test_what_is_measured_begins_at_the_checkpoint(warm: Path) -> None:
    """Window and latencies know nothing of the congestion of the warm-up."""
    before = spinach_nic.run("tengig", set={"cores": 3}, time=us(300))
    after = spinach_nic.run(
        "tengig", restore=warm, time=ms(4), traffic="udp:1472@3Gbps", set={"host.service_latency": "100ns"}
    )
    assert after.measured_window.is_steady
    assert after.measured_window.begins_ns > 300_000
    for way in (after.tx, after.rx):
        assert way.wire_gbps == pytest.approx(3, rel=0.02)
    assert after.cores_mean is not None
    assert before.cores_mean is not None
    assert after.tasks["send_frame"].share_of_cycles < before.tasks["send_frame"].share_of_cycles
    for way, name in ((after.rx, "rx"), (after.tx, "tx")):
        assert way.latency_ns is not None
        arrived = sum(count for _, count in way.latency_ns.distribution)
        direction: Direction = "tx" if name == "tx" else "rx"
        # The frames under way at the checkpoint arrive first; the host takes frames in bursts.
        delivered = after.frames.delivered[direction] - before.frames.offered[direction]
        assert delivered - 8 <= arrived <= delivered + 2
    assert after.config["host.service_latency"] == "100 ns"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"set": {"cores": 4}, "time": ms(1)}, "cores was 3 and is 4"),
        ({"set": {"core_clock": "200MHz"}, "time": ms(1)}, "core_clock was 166 MHz and is 200 MHz"),
        (
            {"set": {"cores": 4, "cache_size": "16KiB"}, "time": ms(1)},
            "cache_size was 8 KiB and is 16 KiB; cores was 3 and is 4\n",
        ),
        ({"firmware": "base", "time": ms(1)}, "was saved with other firmware"),
        ({"firmware": "base", "time": ms(1)}, "other firmware: rmw, not base"),
        (
            {"set": {"event_queue": True}, "time": ms(1)},
            "firmware was rmw and is event-queue; event_queue was False and is True\n",
        ),
        ({"pcap_out": "out.pcapng", "time": ms(1)}, "another model: copies.* was missing"),
        ({"time": us(100)}, "the run would end at 100 us, but was saved at 300 us"),
        ({"time": us(400), "save_at": SaveRequest(us(500), Path("never"))}, "before 500 us, the time of"),
        ({}, "the run would end at 300 us, when it was saved; --time is inherited unless given"),
        ({"frames": 10}, "10 frames requested, but the saved run has sent"),
        ({"traffic": ["udp:18:rx,bad_crc=1%"], "time": ms(1)}, "another model: wire_faults.*was missing"),
        ({"wire": "tap:none"}, "a run restored from a checkpoint does not work with wire"),
    ],
)
def test_what_the_state_does_not_allow_is_refused(
    warm: Path, options: dict[str, Any], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SpinachError, match=said):
        spinach_nic.run("tengig", restore=warm, **options)


@pytest.fixture(scope="module")
def programmed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Begun]:
    """Runs of cards whose driver is a program in Python."""
    folder, found = tmp_path_factory.mktemp("programmed"), dict[str, Begun]()
    for name, nic, options, time in (
        ("hundredgig", "hundredgig", {"set": {"cores": 2}}, us(100)),
        ("vlans", "hundredgig", {"set": {"cores": 2, "vlans": "5,37", "vlan_changes": "13us"}}, us(100)),
        ("dp83820", "dp83820", {}, us(100)),
        ("cdna", "ricenic", {"firmware": "cdna"}, us(300)),
    ):
        found[name] = Begun(nic, options, folder / name)
        spinach_nic.run(nic, time=time, save_at=SaveRequest(time, folder / name), **options)
    return found


@pytest.mark.parametrize(
    ("name", "settings", "said"),
    [
        ("hundredgig", {"rings": "packed"}, "rings was split and is packed"),
        ("hundredgig", {"ring_entries": 64}, "ring_entries was 256 and is 64"),
        ("hundredgig", {"vlans": "5"}, "vlans was empty and is 5"),
        ("hundredgig", {"queue_resets": "50us"}, "queue_resets was 0 fs and is 50 us"),
        ("hundredgig", {"event_index": False}, "event_index was True and is False"),
        ("hundredgig", {"large_sends": False}, "large_sends was True and is False"),
        ("vlans", {"vlan_changes": "0fs"}, "vlan_changes was 13 us and is 0 fs"),
        ("vlans", {"vlans": "5"}, "vlans was 5,37 and is 5"),
        ("dp83820", {"ring_entries": 16}, "ring_entries was 64 and is 16"),
        ("cdna", {"host_latency": "0fs"}, "host_latency was 1 us and is 0 fs"),
    ],
)
def test_parameters_of_a_driver_that_change_its_operations_are_refused(
    programmed: dict[str, Begun], name: str, settings: dict[str, Any], said: str
) -> None:
    nic, _, file = programmed[name]
    with pytest.raises(SpinachError, match=f"is a checkpoint of another model: {said}\n"):
        spinach_nic.run(nic, restore=file, time=ms(1), set=settings)


@pytest.mark.parametrize("name", ["poll_interval", "host_latency"])
def test_measuring_begins_again_with_another_pace_of_the_driver(
    programmed: dict[str, Begun], name: str
) -> None:
    nic, _, file = programmed["hundredgig"]
    same = spinach_nic.run(nic, restore=file, time=us(300))
    assert not any("measuring began" in note for note in same.notes)
    slow = spinach_nic.run(nic, restore=file, time=ms(1), set={name: "20us"})
    assert slow.measured_window.begins_ns > 100_000
    assert any("measuring began at the checkpoint" in note for note in slow.notes)


def test_the_pace_of_a_far_driver_begins_a_window_too(tmp_path: Path) -> None:
    saved = tmp_path / "saved"
    spinach_nic.run(TwoKinds, time=us(200), save_at=SaveRequest(us(200), saved))
    slow = spinach_nic.run(TwoKinds, restore=saved, time=us(400), set={"far.poll_interval": "2us"})
    assert any("measuring began at the checkpoint" in note for note in slow.notes)
    with pytest.raises(SpinachError, match=r"far\.rings was split and is packed"):
        spinach_nic.run(TwoKinds, restore=saved, time=us(400), set={"far.rings": "packed"})


@pytest.mark.parametrize("variable", [False, True])
def test_a_card_declares_which_of_its_parameters_may_differ(
    variable: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath("mine.py").write_text(
        "from spinach_nic import parameter\nfrom spinach_nic.cards.tengig import Tengig\n\n\n"
        "class Mine(Tengig):\n"
        f'    pace: int = parameter(default=1, doc="Pace.", variable={variable})\n'
    )
    saved = tmp_path / "saved"
    spinach_nic.run("mine.py", time=us(30), save_at=SaveRequest(us(20), saved))
    if variable:
        notes = spinach_nic.run("mine.py", restore=saved, time=us(40), set={"pace": 2}).notes
        assert any("measuring began at the checkpoint" in note for note in notes)
        return
    with pytest.raises(SpinachError, match="another model: pace was 1 and is 2\n"):
        spinach_nic.run("mine.py", restore=saved, time=us(40), set={"pace": 2})


def test_a_checkpoint_of_another_nic_is_refused_with_both_names(warm: Path) -> None:
    with pytest.raises(SpinachError, match="is a checkpoint of tengig, not of ricenic") as caught:
        spinach_nic.run("ricenic", restore=warm, time=ms(1), set={"cores": 2})
    assert caught.value.help == "continue it with tengig"


@pytest.mark.parametrize(
    ("nic", "options"),
    [
        ("ricenic", {}),  # it has fewer cores at most
        ("tigon2", {}),  # it has no parameter of this name
        ("tigon2", {"set": {"cores": 99}}),
        ("tigon2", {"firmware": "nothing"}),
        ("hundredgig", {"time": us(1)}),
        ("rosebud", {"traffic": ["udp:9000"]}),
    ],
)
def test_the_name_of_another_nic_comes_before_its_ranges(
    tmp_path: Path, nic: str, options: dict[str, Any]
) -> None:
    saved = tmp_path / "saved"
    spinach_nic.run("tengig", time=us(30), set={"cores": 8}, save_at=SaveRequest(us(20), saved))
    with pytest.raises(SpinachError, match=f"is a checkpoint of tengig, not of {nic}") as caught:
        spinach_nic.run(nic, restore=saved, **{"time": us(40), **options})
    assert caught.value.help == "continue it with tengig"


def test_the_range_of_a_renamed_nic_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = "from spinach_nic.cards.tengig import Tengig\n\n\nclass Mine(Tengig):\n    pass\n"
    for name in ("first.py", "second.py"):
        tmp_path.joinpath(name).write_text(text)
    saved = tmp_path / "saved"
    spinach_nic.run("first.py", time=us(30), save_at=SaveRequest(us(20), saved))
    spinach_nic.run("second.py", time=us(40), restore=saved)
    with pytest.raises(SpinachError, match="cores: 99 is above the largest, 16"):
        spinach_nic.run("second.py", time=us(40), restore=saved, set={"cores": 99})


def test_a_name_that_both_images_have_is_no_difference(tmp_path: Path) -> None:
    saved = tmp_path / "saved"
    spinach_nic.run("hundredgig", time=us(2), set={"cores": 1}, save_at=SaveRequest(us(1), saved))
    with pytest.raises(SpinachError, match="another model: queue_size was 256 and is 128\n"):
        spinach_nic.run("hundredgig", restore=saved, set={"queue_size": 128})


def test_a_checkpoint_with_an_option_that_does_not_exist_is_refused(warm: Path, tmp_path: Path) -> None:
    saved = SavedRun.read(warm)
    changed = structs.replace(saved, request={**saved.request, "trafbic": "udp:18"})
    changed.write(tmp_path / "changed")
    with pytest.raises(SpinachError, match="option 'trafbic', which does not exist"):
        spinach_nic.run("tengig", restore=tmp_path / "changed")


def test_a_checkpoint_that_could_not_be_restored_is_not_written(
    warm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint = SavedRun.read(warm)
    monkeypatch.setattr("spinach_nic.runs.saved.MOST_BYTES", 10_000)
    with pytest.raises(SpinachError, match=r"a checkpoint of a run of [\d,]+ bytes is larger than 10,000"):
        checkpoint.write(tmp_path / "again.checkpoint")
    assert not list(tmp_path.iterdir())


def test_a_run_that_ends_before_it_is_saved_says_so(tmp_path: Path) -> None:
    with pytest.raises(SpinachError, match=r"the run ended at \d+\.\d us, before the time of --save-at"):
        spinach_nic.run("tengig", frames=10, save_at=SaveRequest(ms(5), tmp_path / "never"))
    assert not (tmp_path / "never").exists()


def test_the_command_takes_both(tmp_path: Path) -> None:
    file, out = str(tmp_path / "a b"), str(tmp_path / "out.json")
    told = CliRunner().invoke(
        spinach, ["run", "tengig", "--time", "100us", "--save-at", "100us", file, "--quiet"]
    )
    assert told.exit_code == 0, told.output
    told = CliRunner().invoke(
        spinach, ["run", "tengig", "--restore", file, "--time", "150us", "--json", out, "--quiet"]
    )
    assert told.exit_code == 0, told.output
    assert json.loads(Path(out).read_text())["simulated_ns"] == 150_000
    told = CliRunner().invoke(spinach, ["run", "tengig", "--save-at", "soon", file])
    assert told.exit_code == 2
    assert "is not TIME FILE" in told.output
    (tmp_path / "bad").write_text("nothing")
    told = CliRunner().invoke(spinach, ["run", "tengig", "--restore", str(tmp_path / "bad")])
    assert isinstance(told.exception, SpinachError)
    assert "is not a checkpoint of a run" in str(told.exception)


def test_a_sweep_goes_on_from_a_checkpoint(warm: Path, tmp_path: Path) -> None:
    described = tmp_path / "sweep.toml"
    described.write_text(
        f'nic = "tengig"\n[options]\nrestore = "{warm}"\ntime = "350us"\ntraffic = ["udp:18", "udp:1472"]\n'
    )
    result = sweep(described, table=tmp_path / "sweep.parquet")
    assert [row["status"] for row in result.rows] == ["complete", "complete"]
    assert all(row["simulated_ns"] == 350_000 for row in result.rows)


def test_each_point_of_a_sweep_over_the_pace_of_a_driver_is_measured(
    programmed: dict[str, Begun], tmp_path: Path
) -> None:
    described = tmp_path / "sweep.toml"
    described.write_text(
        f'nic = "hundredgig"\n[options]\nrestore = "{programmed["hundredgig"].file}"\ntime = "600us"\n'
        '[parameters]\npoll_interval = ["5us", "20us"]\n'
    )
    rows = sweep(described, table=tmp_path / "sweep.parquet").rows
    assert all(row["measured_window.begins_ns"] > 100_000 for row in rows)
    assert rows[0]["rx.latency_ns.p50"] < rows[1]["rx.latency_ns.p50"]
