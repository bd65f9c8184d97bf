"""`run` accounts for every frame, measures the steady window, and keeps what it has when a run fails."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from scapy.utils import PcapNgReader
from tests.python.cards.trouble import timeless
from tests.python.runs.systems import LosesOne, Wires, WiresAndCore

from spinach_nic import (
    FirmwareFault,
    FrameError,
    Result,
    RunInterrupted,
    SpinachError,
    Traffic,
    _native,
    ms,
    ns,
    run,
    us,
)
from spinach_nic.runs import Progress, SaveRequest, StoppedError
from spinach_nic.runs.rates import RATE_TITLES
from spinach_nic.runs.result import SCHEMA_FILE
from spinach_nic.support.measured import Measured
from spinach_nic.traffic import DIRECTIONS

CAPTURE = Path(__file__).parents[3] / "captures" / "web-ping-udp.pcap"


def check_document(result: Result) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(result.to_json())
    jsonschema.validate(document, json.loads(SCHEMA_FILE.read_text()))
    return document


def test_every_frame_arrives_and_rates_are_those_of_the_link() -> None:
    result = run(Wires, frames=200)
    assert result.complete
    assert result.failure is None
    assert result.core_domain == max(result.simulated_cycles, key=result.simulated_cycles.__getitem__)
    speed = result.simulated_cycles[result.core_domain] / result.wall_s
    assert check_document(result)["core_cycles_per_wall_s"] == pytest.approx(speed)
    for way in DIRECTIONS:
        assert result.frames.offered[way] == result.frames.delivered[way] > 200
        assert (result.frames.in_flight[way], result.frames.dropped[way]) == (0, {})
    assert result.measured_window.is_steady
    for direction in (result.tx, result.rx):
        assert direction.measured_frames >= 200
        rates = {name: direction.measured(name) for name in RATE_TITLES}
        assert rates["line_rate_fraction"] is not None
        assert rates["line_rate_fraction"].high > 1
        assert 1 - 1e-5 < direction.rate("line_rate_fraction") <= 1
        assert direction.frames_per_s == pytest.approx(812_744, rel=1e-5)
        assert direction.udp_payload_gbps == pytest.approx(direction.rate("frames_per_s") * 1472 * 8 / 1e9)
        assert direction.wire_gbps == pytest.approx(direction.rate("frames_per_s") * 1538 * 8 / 1e9)
        assert direction.latency_ns is not None
        assert 1200 <= direction.latency_ns.p50 <= direction.latency_ns.p99 <= direction.latency_ns.max
    document = check_document(result)
    assert document["measured_window_ns"] == result.measured_window.ends_ns - result.measured_window.begins_ns
    assert document["config"]["core_clock"] == "156.25 MHz"
    assert json.loads(document["config"]["host.traffic"]) == '{"kind": "udp", "sizes": [1472]}'


def test_the_same_request_gives_the_same_document_asleep_or_awake_watched_or_not(tmp_path: Path) -> None:
    first, second, awake, watched = (
        run(Wires, frames=50, traffic="imix", seed=7),
        run(Wires, frames=50, traffic="imix", seed=7),
        run(Wires, frames=50, traffic="imix", seed=7, sleeping=False),
        run(Wires, frames=50, traffic="imix", seed=7, pcap_out=tmp_path / "out.pcapng"),
    )
    assert timeless(first) == timeless(second) == timeless(awake)
    assert timeless(first) == timeless(watched)
    other = run(Wires, frames=50, traffic="imix", seed=8)
    assert other.tx.latency_ns != first.tx.latency_ns


def test_one_direction_leaves_the_other_empty() -> None:
    result = run(Wires, frames=50, traffic="udp:18:rx")
    assert result.complete
    assert result.frames.delivered == {"tx": 0, "rx": 50}
    assert result.tx.latency_ns is None
    check_document(result)
    measured = run(Wires, frames=100, traffic="udp:18:rx")
    assert measured.tx.measured("frames_per_s") == Measured(0.0)
    assert measured.rx.rate("line_rate_fraction") > 0.99


def test_a_rate_is_kept() -> None:
    by_bits = run(Wires, frames=200, traffic="udp:1472@2Gbps")
    assert by_bits.tx.wire_gbps == pytest.approx(2, rel=0.02)
    by_frames = run(Wires, frames=200, traffic="udp:18@500kpps")
    assert by_frames.rx.frames_per_s == pytest.approx(500_000, rel=0.02)


def test_a_time_ends_a_run_with_frames_inside() -> None:
    result = run(Wires, time="205us", stall_after="1ms")
    assert result.complete
    assert result.simulated_ns == 205_000
    assert result.frames.in_flight["tx"] == result.frames.offered["tx"] - result.frames.delivered["tx"] > 0
    assert result.measured_window.is_steady


def test_a_run_too_short_for_a_steady_window_says_so() -> None:
    result = run(Wires, frames=1)
    assert result.frames.delivered == {"tx": 1, "rx": 1}
    assert not result.measured_window.is_steady
    assert result.measured_window_ns is None
    for way in (result.tx, result.rx):
        assert all(way.measured(name) is None for name in RATE_TITLES)
    assert f"no rates: {result.measured_window.reason}" in result.notes
    check_document(result)


def test_a_capture_is_replayed_and_written_byte_for_byte(tmp_path: Path) -> None:
    out = tmp_path / "out.pcapng"
    result = run(Wires, traffic=f"pcap:{CAPTURE}:tx", pcap_out=out)
    assert result.complete
    assert result.notes
    sent = [frame.ljust(60, b"\0") for frame in _native.read_capture(CAPTURE)[0]]
    written, cut_off, not_ethernet, is_cut_short = _native.read_capture(out)
    assert written == sent, "once, as it is"
    run(Wires, frames=99, traffic=f"pcap:{CAPTURE}:loop:tx", pcap_out=out)
    assert _native.read_capture(out)[0] == [*sent, *sent[:11]]
    assert (cut_off, not_ethernet, is_cut_short) == (0, 0, False)


def test_a_written_capture_has_two_interfaces_and_simulated_times(tmp_path: Path) -> None:
    out = tmp_path / "out.pcapng"
    run(Wires, frames=20, traffic="udp:1472", pcap_out=out)
    with PcapNgReader(str(out)) as packets:
        read = [(packet.sniffed_on, packet.time) for packet in packets]
    assert [name for name, _ in read].count("wire") == [name for name, _ in read].count("host") == 20
    times = [moment for _, moment in read]
    assert times == sorted(times)
    # Nineteen frames of 1538 bytes, gap and preamble included, pass before the twentieth begins.
    before = 19 * 1538 * 8 / 10e9
    assert before < times[-1] < before + 20e-9


def test_a_capture_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpinachError, match="cannot write"):
        run(Wires, frames=1, pcap_out=tmp_path / "missing" / "out.pcapng")


def test_a_damaged_frame_fails_the_run_and_the_result_is_kept() -> None:
    with pytest.raises(FrameError) as caught:
        run(Wires, frames=200, traffic="udp:18", set={"damaged": "20"})
    assert caught.value.exit_code == 3
    result = caught.value.result
    numbered = r"tx frames, by number from 0, that were overtaken by number 2\d:\n  20, left at 1\.4 us"
    assert re.fullmatch(numbered, caught.value.details)
    assert caught.value.message == f"tx: of {result.frames.offered['tx']} frames offered, 1 corrupted"
    assert not result.complete
    assert result.frames.corrupted == {"tx": 1, "rx": 0}
    assert result.frames.delivered["tx"] >= 19
    check_document(result)


def test_lost_frames_fail_the_run() -> None:
    with pytest.raises(FrameError) as caught:
        run(Wires, frames=50, set={"loses": True}, stall_after=us(100))
    assert "tx 50 frames inside" in caught.value.message
    assert caught.value.result.frames.in_flight == {"tx": 50, "rx": 0}


def test_a_direction_without_progress_fails_the_run_although_the_other_goes_on() -> None:
    with pytest.raises(FrameError, match=r"no frame of tx has made progress since 0\.0 us") as caught:
        run(Wires, traffic="udp:18", time=us(500), set={"loses": True}, stall_after=us(100))
    assert caught.value.result.simulated_ns < 101_000
    assert caught.value.result.frames.delivered["rx"] > 1000


@pytest.mark.parametrize("extent", [{"frames": 50}, {"time": us(50)}])
def test_a_frame_lost_between_others_fails_the_run_when_the_next_arrives(extent: dict[str, Any]) -> None:
    with pytest.raises(FrameError, match=r"tx: of .* frames offered, 1 lost") as caught:
        run(LosesOne, **extent, traffic="udp:1472")
    assert re.fullmatch(r"tx frames, .*:\n  10, left at 12\.3 us", caught.value.details)
    assert caught.value.result.frames.delivered["tx"] < 30


def test_a_stalled_run_says_where_each_core_is() -> None:
    halted = {"cores": 2, "processor[0].model.starts_halted": True}
    with pytest.raises(FrameError, match=r"no frame.* has made progress") as caught:
        run("tengig", frames=5, set=halted, stall_after=us(200))
    assert "stall-after" in caught.value.help
    title, first, second, *_ = caught.value.details.splitlines()
    assert title == "where the cores are:"
    assert first.startswith("  processor[0].model has completed no instruction, and is at 0x10000000 (")
    assert re.fullmatch(r"  processor\[1\]\.model is at 0x1000[0-9a-f]{4} in \w+ \(.*:\d+\)", second)


def test_an_error_of_a_module_has_the_time_and_the_places_of_the_cores() -> None:
    with pytest.raises(StoppedError) as caught:
        run("tengig", frames=50, set={"cores": 2, "frame_memory.contents.size": "4MiB"})
    message = caught.value.message
    assert re.fullmatch(r"mac_receive: frame memory .* 0x40400000 \(at [\d.]+ us\)", message), message
    title, *places = caught.value.details.splitlines()
    assert title == "where the cores are:"
    assert len(places) == 2
    assert all(re.search(r" is at 0x\w+ in \w+ \(.*:\d+\)", place) for place in places)


def test_slow_traffic_is_not_taken_for_lost() -> None:
    result = run(Wires, frames=3, traffic="udp:18@2kpps", stall_after=us(100))
    assert result.complete


@pytest.mark.parametrize(
    ("image", "cause"),
    [
        ("misaligned_load", "load or fetch from misaligned address"),
        ("misaligned_store", "store to misaligned address"),
        ("reserved_instruction", "reserved instruction"),
        ("no_memory", "no memory to load from or store to at"),
        ("overflow", "signed overflow"),
        ("divide_by_zero", "trap, code 7"),
        ("delay_slot", "load or fetch from misaligned address"),
    ],
)
def test_a_firmware_fault_names_the_source_line_and_keeps_the_result(image: str, cause: str) -> None:
    with pytest.raises(FirmwareFault) as caught:
        run(WiresAndCore, frames=10_000, firmware=image)
    fault = caught.value
    assert fault.exit_code == 3
    assert fault.message.startswith("core[0] stopped at 0x")
    assert f"in fault (faults/{image}.c:" in fault.message
    assert cause in fault.message
    assert "registers:" in fault.details
    assert "the last instructions" in fault.details
    assert f"in core_main (faults/{image}.c:" in fault.details
    result = fault.result
    assert not result.complete
    assert result.instructions > 10
    assert result.firmware is not None
    assert result.firmware.compiler.startswith("zig ")
    document = check_document(result)
    assert sum(document["cores"][0]["cycles"].values()) == pytest.approx(1)
    assert document["failure"]["message"] == fault.message


@pytest.mark.parametrize(
    ("image", "cause"),
    [
        ("misaligned_load", "load from misaligned address"),
        ("misaligned_store", "store to misaligned address"),
        ("reserved_instruction", "illegal instruction"),
        ("no_memory", "no memory to load from at 0x40000000"),
        ("runaway", "no memory to fetch from at 0x40000000"),
    ],
)
def test_faults_on_another_instruction_set_are_told_the_same_way(image: str, cause: str) -> None:
    with pytest.raises(FirmwareFault) as caught:
        run(WiresAndCore, frames=10_000, firmware=image, set={"instruction_set": "rv32"})
    fault = caught.value
    assert f"fault (faults/{image}.c:" in fault.message
    assert cause in fault.message
    assert re.search(r"\bmcause\b.*\bmepc\b", fault.details)
    assert f"in core_main (faults/{image}.c:" in fault.details


@pytest.mark.parametrize(
    ("instruction_set", "image", "cause"),
    [
        ("mips", "misaligned_store", "store to misaligned address 0x"),
        ("mips", "runaway", "no memory to fetch from"),
        ("rv32", "misaligned_load", "load from misaligned address 0x"),
        ("rv32", "no_memory", "no memory to load from at 0x40000000"),
        ("rv32", "runaway", "no memory to fetch from at 0x40000000"),
        ("ppc405", "no_memory", "no memory to load from or store to at 0x40000000"),
        ("ppc405", "runaway", "no memory to fetch from at 0x40000000"),
    ],
)
def test_a_handled_exception_is_traced_to_its_instruction(
    instruction_set: str, image: str, cause: str
) -> None:
    vector = 0x1000 + 0x180
    with pytest.raises(FirmwareFault) as caught:
        run(
            WiresAndCore,
            frames=10_000,
            firmware=image,
            set={"instruction_set": instruction_set, "core[0].exception_vector": vector},
        )
    message = caught.value.message
    assert "exception_vector" in caught.value.details
    assert re.search(rf"(in|reached from) fault \(faults/{image}\.c:\d+\): {cause}", message), message


@pytest.mark.parametrize(("image", "address"), [("runaway", "0x40000000"), ("wild_call", "0x00100000")])
def test_a_program_counter_that_ran_away_is_traced_to_where_it_left(image: str, address: str) -> None:
    """At once, or through empty memory, so that the history holds no instruction of a function."""
    with pytest.raises(FirmwareFault) as caught:
        run(WiresAndCore, frames=10_000, firmware=image)
    assert caught.value.message == (
        f"core[0] stopped at {address}, reached from fault (faults/{image}.c:5): "
        f"no memory to fetch from at {address}"
    )


def test_a_jump_into_an_instruction_is_traced_to_where_it_left() -> None:
    with pytest.raises(FirmwareFault) as caught:
        run(WiresAndCore, frames=10_000, firmware="misaligned_call")
    message = caught.value.message
    assert message.startswith("core[0] stopped at 0x00001001")
    assert ", reached from fault (faults/misaligned_call.c:5): " in message


def test_a_guard_stops_a_stack_before_it_reaches_the_data() -> None:
    from spinach_nic import firmware

    image = firmware.build("faults/stack_overflow")
    lowest = firmware.Executable.load(image.path).symbol("spinach_stacks").address
    guard = {"core[0].guard_start": str(lowest), "core[0].guard_bytes": "16B"}
    with pytest.raises(FirmwareFault) as caught:
        run(WiresAndCore, frames=10_000, firmware="stack_overflow", set=guard)
    assert "in fault (faults/stack_overflow.c:" in caught.value.message
    assert "guard" in caught.value.message


def test_an_elf_file_is_firmware_and_its_note_says_who_compiled_it() -> None:
    from spinach_nic import firmware

    image = firmware.build("faults/overflow")
    with pytest.raises(FirmwareFault) as caught:
        run(WiresAndCore, frames=10_000, firmware=image.path)
    found = caught.value.result.firmware
    assert found is not None
    assert (found.name, found.sha256, found.compiler) == (image.name, image.sha256, image.compiler)


def test_an_interruption_keeps_the_result() -> None:
    def interrupt(progress: Progress) -> None:
        if progress.frames > 20:
            raise KeyboardInterrupt

    with pytest.raises(RunInterrupted) as caught:
        run(Wires, time=ms(500), progress=interrupt)
    result = caught.value.result
    assert not result.complete
    assert result.failure is None
    assert 0 < result.simulated_ns < 500_000_000
    check_document(result)


def test_progress_grows_to_the_end() -> None:
    seen: list[Progress] = []
    run(Wires, frames=300, progress=seen.append)
    assert [it.fraction for it in seen] == sorted(it.fraction for it in seen)
    assert seen[-1].fraction == 1
    assert seen[-1].frames >= 600


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"frames": 0}, "frames: 0 is below the smallest, 1"),
        ({"frames": 1.5}, "frames = 1.5"),
        ({"time": 2}, "time = 2"),
        ({"time": us(0)}, "time: 0 fs is below the smallest, 1 fs"),
        ({"seed": -1}, "seed: -1 is below the smallest, 0"),
        ({"frames": True}, "frames = True is not an integer from 1 to 1000000000000"),
        ({"frames": {"up": 1}}, "frames = {'up': 1} is not an integer"),
        ({"frames": {"tx": "1"}}, "frames = {'tx': '1'} is not an integer"),
        ({"frames": [1]}, "frames = [1] is not an integer"),
        ({"frames": 10**5000}, "frames: a number of 16610 binary digits is above the largest"),
        ({"time": "5MHz"}, "time: 5MHz is not a time"),
        ({"stall_after": "1ns"}, "stall_after: 1 ns is below the smallest, 1 us"),
        ({"seed": 1.5}, "seed = 1.5 is not an integer"),
        ({"seed": "1"}, "seed = '1' is not an integer"),
        ({"traffic": None}, "traffic = None is not a Traffic"),
        ({"traffic": 1472}, "traffic = 1472 is not a Traffic"),
        ({"traffic": [1472]}, "traffic = [1472] is not a Traffic"),
        ({"set": "cores=6"}, "set = 'cores=6' is not a mapping"),
        ({"set": {6: "cores"}}, "set = {6: 'cores'} is not a mapping"),
        ({"firmware": 5}, "firmware = 5 is not a text or a path"),
        ({"pcap_out": 5}, "pcap_out = 5 is not a text or a path"),
        ({"traces": b"x"}, "traces = b'x' is not a text or a path"),
        ({"progress": "yes"}, "progress = 'yes' is not a function"),
        ({"stall_after": 5}, "stall_after = 5 is not a time"),
        ({"stall_after": ns(1)}, "stall_after: 1 ns is below the smallest, 1 us"),
        ({"sleeping": 1}, "sleeping = 1 is not True or False"),
        ({"nic": 5}, "nic = 5 is not a text"),
        ({"nic": int}, "nic = <class 'int'> is not a text"),
        ({"nic": None}, "nic = None is not a text"),
        ({"traffic": []}, "no frames requested"),
        ({"traffic": "udp"}, "'udp'"),
        ({"traffic": Traffic(sizes=(2000,))}, "makes frames of 2042"),
        ({"wave": ["*"], "wave_out": "w.vcd"}, "cannot write VCD: w.vcd"),
        ({"time": ms(1), "save_at": SaveRequest(ms(2), Path("c.checkpoint"))}, "the run would end at 1 ms"),
        ({"set": {"cores": "6"}}, "no parameter 'cores'"),
        ({"set": {"core_clock": "fast"}}, "'fast' is not a number with a unit"),
        ({"nic": "tengig", "set": {"network.count": 5}}, "network.count cannot be set: it follows from"),
        ({"nic": "tengig", "set": {"sink.seed": 5}}, "sink.seed cannot be set: it follows from"),
        ({"nic": "hundredgig", "set": {"host.send_rate": "1Gbps"}}, "host.send_rate cannot be set"),
        ({"nic": "rosebud", "set": {"networks[0].seed": 3}}, "networks[0].seed cannot be set"),
        ({"firmware": "base"}, "has no firmware 'base'"),
    ],
)
def test_a_wrong_request_is_refused(request_: dict[str, Any], message: str) -> None:
    with pytest.raises(SpinachError) as caught:
        run(**{"nic": Wires, **request_})
    assert caught.value.exit_code == 2
    assert message in caught.value.message


def test_a_firmware_that_does_not_fit_is_refused() -> None:
    with pytest.raises(SpinachError, match="outside every memory"):
        run(WiresAndCore, set={"memory_size": "4KiB"})
