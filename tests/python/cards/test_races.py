"""Firmware that works only while its cores keep pace fails when time is stretched at the right place."""

import pytest
from tests.python.cards.places import after_store_conditional, image_of
from tests.python.cards.trouble import IMAGES, NO_ROOM, assert_accounted, settings_for, timeless

from spinach_nic import SpinachError, delay_at, run
from spinach_nic.cards.tengig import Tengig
from spinach_nic.runs import execute

WINDOW = 2000
"""Cycles in which the other cores receive more frames than a slow bus carries at once."""


@pytest.mark.parametrize("firmware", IMAGES)
@pytest.mark.parametrize("coalescing", [1, 8])
def test_the_host_hears_of_no_frame_before_its_descriptor(firmware: str, coalescing: int) -> None:
    # The slot of the status words is allocated, and those of frames that come meanwhile lie behind it.
    place = after_store_conditional(image_of(Tengig, firmware), "update_status")
    settings = {"receive_coalescing": coalescing, "interconnect": "pcix_133", "host_latency": "0us"}
    result = run(
        "tengig",
        firmware=firmware,
        set=settings_for(firmware, settings),
        traffic="udp:1472:rx",
        frames=99,
        delays=[delay_at(place, WINDOW)],
    )
    assert_accounted(result)
    assert max(core.cycles.get("halted", 0) for core in result.cores) > 0


@pytest.mark.parametrize("core", [0, 2])
@pytest.mark.parametrize("handler", ["fetch_send_buffers", "fetch_receive_buffers"])
def test_descriptors_arrive_in_order_although_their_fetches_are_delayed(handler: str, core: int) -> None:
    # Other cores fetch the descriptors that follow meanwhile: their reads have later slots.
    delays = [delay_at(handler, 20_000, core=core)]
    result = run("tengig", firmware="published", traffic="udp:700", frames=300, delays=delays)
    assert_accounted(result, *NO_ROOM)
    assert result.frames.delivered["tx"] >= 300
    assert result.cores[core].cycles["halted"] > 0


@pytest.mark.parametrize("core", ["pipelined", "functional", "vliw"])
def test_every_kind_of_core_stands_still(core: str) -> None:
    delays = [delay_at("receive_frames", 500, core=1), delay_at("commit_frames+0x8", 100, every=10)]
    finished = execute("tengig", set={"core": core}, traffic="udp:700@2Gbps", frames=60, delays=delays)
    assert_accounted(finished.check())
    halted = [number for number, it in enumerate(finished.result.cores) if it.cycles.get("halted", 0) > 0]
    assert 1 in halted
    config = finished.result.config
    assert config["processor[0].model.delays"] != config["processor[1].model.delays"]


def test_a_place_that_is_never_reached_changes_nothing() -> None:
    # With room for all reads no frame is asked for a second time.
    never = [delay_at("fetch_buffers_again", 1)]
    plain, delayed = (timeless(run("tengig", traffic="udp:700", frames=99, delays=it)) for it in ([], never))
    for differs in ("config", "request"):
        assert plain.pop(differs) != delayed.pop(differs)
    assert plain == delayed


def test_compressed_code_has_instructions_at_every_second_byte() -> None:
    # The function begins on the stack: the first instruction that moves its pointer has two bytes.
    settings = {"instruction_set": "rv32"}
    delays = [delay_at("receive_frames+0x2", 500, core=1)]
    finished = execute("tengig", set=settings, traffic="udp:700@2Gbps", frames=60, delays=delays)
    assert_accounted(finished.check())
    assert finished.result.cores[1].cycles.get("halted", 0) > 0


@pytest.mark.parametrize(
    ("arguments", "options", "message", "help"),
    [
        (("update_statu", 10), {}, "no function 'update_statu'", "update_status"),
        (
            ("update_status+0x2", 10),
            {},
            "not the address of an instruction of update_status",
            "multiple of 4",
        ),
        (("update_status+0x4000", 10), {}, "not the address of an instruction of update_status", "below 0x"),
        (("update_status+here", 10), {}, "'here' is not an offset", "0x48"),
        (("update_status", 10), {"core": 6}, "no core 6", "the NIC has 6"),
        (("update_status", 0), {}, "cycles = 0", "at least 1"),
        (("update_status", 10), {"every": 0}, "every = 0", "at least 1"),
        ((0x1000_0002, 10), {}, "not the address of an instruction", "multiple of 4"),
    ],
)
def test_places_that_are_not_there(
    arguments: tuple[str | int, int], options: dict[str, int], message: str, help: str
) -> None:
    with pytest.raises(SpinachError, match=message) as caught:
        run("tengig", traffic="udp:700", frames=1, delays=[delay_at(*arguments, **options)])
    assert help in caught.value.help


def test_a_composed_core_says_that_it_cannot() -> None:
    with pytest.raises(SpinachError, match="delays"):
        run(
            "tengig",
            set={"core": "composed"},
            traffic="udp:700",
            frames=1,
            delays=[delay_at("update_status", 10)],
        )
