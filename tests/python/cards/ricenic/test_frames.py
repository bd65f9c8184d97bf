"""Frames through the whole card: byte-exact, in order and accounted for, in every mode."""

from typing import Any

import pytest
from tests.python.cards.ricenic.soak import assert_accounted
from tests.python.cards.trouble import assert_nothing_wrong, dropped, timeless

from spinach_nic import Result, SpinachError, run
from spinach_nic.firmware import build
from spinach_nic.runs import execute

ALL = "bad_crc=10%,runt=10%,oversize=10%"
SIZES = "18,19,60,86,87,333,1471,1472"


def delivered(result: Result, frames: int) -> None:
    assert_accounted(result)
    assert result.frames.delivered == {"tx": frames, "rx": frames}


MODES: dict[str, dict[str, Any]] = {
    "as it is": {},
    "functional cores": {"core": "functional"},
    "one core": {"cores": 1},
    "checksums by the host": {"checksums": False},
    "whole frames in line": {"host.header_bytes": 0, "host.payload_offset": 0, "host.receive_offset": 0},
    "odd offsets": {"host.header_offset": 3, "host.payload_offset": 7, "host.receive_offset": 5},
    "small rings": {"host.send_entries": 2, "host.receive_entries": 1},
    "large rings": {"host.send_entries": 4096, "host.receive_entries": 1024},
    "interrupts at once": {"send_coalescing": 1, "receive_coalescing": 1},
    "a nuisance of a driver": {"host.mailbox_storm": 3},
    "slow memories": {"ddr_column": 40, "bram_latency": 9, "sram_latency": 90, "bridge_stages": 8},
    "short bursts": {"pci_burst": "64B"},
    "indices that wrap": {"first_index": 2**32 - 70},
}


@pytest.mark.parametrize("mode", list(MODES))
def test_every_mode_passes_frames_of_all_sizes(mode: str) -> None:
    delivered(run("ricenic", traffic=f"udp:{SIZES}@20kpps", frames=99, set=MODES[mode]), 99)


@pytest.mark.parametrize("mode", ["as it is", "functional cores", "small rings", "indices that wrap"])
def test_two_cores_pass_frames_of_all_sizes(mode: str) -> None:
    settings = MODES[mode]
    delivered(run("ricenic", firmware="split", traffic=f"udp:{SIZES}@20kpps", frames=99, set=settings), 99)


@pytest.mark.parametrize(
    ("blocks", "first_index"), [(100, 0), (7, 2**32 - 70)], ids=["all kept", "few kept, indices that wrap"]
)
def test_content_kept_on_the_card_is_sent_from_there(blocks: int, first_index: int) -> None:
    # The sink compares every byte; the host posts no address of a payload that the card has.
    settings = {"content_cache": f"{blocks * 1536}B", "first_index": first_index, "host.send_entries": 16}
    traffic = ["tcp:333,1448,payloads=20:tx", "udp:700:rx"]
    result = run("ricenic", firmware="cache", traffic=traffic, frames=500, set=settings)
    assert_accounted(result)
    counted = {name: it.value for name, it in result.counters.items()}
    kept, sent, posted = (counted[name] for name in ("content_kept", "content_sent", "frames_posted"))
    if blocks == 100:
        assert kept == len({*range(20)}) * 2
        assert kept + sent == posted
        assert counted["host_bytes_read"] < 200 * posted  # all payloads would be some 900 bytes each
    else:
        assert kept > 40
        assert 40 < sent < posted - kept + 1


def test_content_needs_headers_in_a_buffer_of_their_own() -> None:
    with pytest.raises(SpinachError, match="content_cache needs header_bytes"):
        run("ricenic", firmware="cache", frames=1, set={"host.header_bytes": 0})


def test_long_frames_pass() -> None:
    settings = {"largest_frame": 9014}
    delivered(run("ricenic", traffic="udp:100,5355,8972@5kpps", frames=40, set=settings), 40)


@pytest.mark.parametrize("traffic", ["udp:700", "tcp:700", "tcp:1,333,1448"])
def test_the_card_puts_checksums_in_and_verifies_them(traffic: str) -> None:
    # The sink compares every byte with frames that another library has built, the checksums among them.
    finished = execute("ricenic", traffic=f"{traffic}@20kpps", frames=99)
    delivered(finished.check(), 99)
    counted = finished.session.simulation.statistics()
    assert counted["host.checksums_left"] == counted["card.mac_transmit.checksums"] == 99
    assert counted["host.checksums_vouched"] == counted["card.mac_receive.checksums_right"] == 99
    assert counted["card.mac_receive.checksums_wrong"] == 0


def test_faults_on_the_wire_are_dropped_by_the_mac_and_counted() -> None:
    traffic = [f"udp:18,60,700,1472:rx@200Mbps,{ALL}", "udp:400:tx@200Mbps"]
    result = run("ricenic", traffic=traffic, frames={"rx": 300, "tx": 50})
    assert_accounted(result)
    assert set(result.frames.dropped["rx"]["card.mac_receive"]) == {"bad_check_sequence", "runt", "oversize"}


def test_more_than_the_card_can_take_is_dropped_for_lack_of_buffers() -> None:
    result = run("ricenic", traffic="udp:18:rx", frames=600)
    assert_accounted(result)
    assert set(result.frames.dropped["rx"]["card.mac_receive"]) == {"no_buffer"}


@pytest.mark.parametrize("firmware", ["base", "split", "cdna", "nat", "nat-split", "cache"])
def test_a_full_queue_of_writes_takes_no_more(firmware: str) -> None:
    # The slow bus fills the queue with frames and status words; the unit stops the run if one more is put in.
    # Of cdna, receiving leaves some room for status words, one for each guest.
    settings = {"host_clock": "4MHz", "guests": 30, "guest_entries": 4, "guest_buffer": "8KiB"}
    settings = settings if firmware == "cdna" else {"host_clock": "2MHz"}
    result = run("ricenic", firmware=firmware, traffic="udp:18:rx", frames=300, set=settings)
    assert_nothing_wrong(result.frames)
    assert dropped(result.frames) > 100


def test_sleeping_changes_nothing() -> None:
    traffic = [f"udp:18,1472:rx@30kpps,{ALL}", "udp:18,1472:tx@30kpps"]
    documents = [
        timeless(run("ricenic", traffic=traffic, frames=30, sleeping=sleeping)) for sleeping in (True, False)
    ]
    assert documents[0] == documents[1]


def test_firmware_for_other_cores_is_refused() -> None:
    image = build("tengig/base").path
    with pytest.raises(SpinachError, match="MIPS"):
        run("ricenic", firmware=image, frames=1)
