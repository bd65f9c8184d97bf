"""Ports of a block follow from the names and directions of signals, without Verilator."""

import pytest

from spinach_nic import SpinachError
from spinach_nic.blocks.binding import Roles, bind
from spinach_nic.blocks.rtl_signals import copies, read_signals

HEADER = """
    VL_IN8(&aclk,0,0);
    VL_IN8(&aresetn,0,0);
    VL_INW(&s_axis_tdata,127,0,4);
    VL_IN16(&s_axis_tkeep,15,0);
    VL_IN8(&s_axis_tvalid,0,0);
    VL_OUT8(&s_axis_tready,0,0);
    VL_IN8(&s_axis_tlast,0,0);
    VL_OUT64(&out_data,39,0);
    VL_OUT8(&out_valid,0,0);
    VL_IN8(&two__05Fparts,3,0);
    VL_OUT8(&busy,0,0);
    VL_OUTW(&wide,99,0,4);
"""


def test_names_decide_the_ports() -> None:
    described = bind("top", read_signals(HEADER), Roles())
    names = [signal["name"] for signal in described["signals"]]
    assert described["clocking"] == {"clock": 0, "reset": 1, "is_active_high": False}
    frames, words = described["streams"]
    assert (frames["name"], frames["is_input"], frames["carries_frames"]) == ("s_axis", True, True)
    assert [names[frames[part]] for part in ("valid", "ready", "data", "keep", "last")] == [
        f"s_axis_t{part}" for part in ("valid", "ready", "data", "keep", "last")
    ]
    assert (words["name"], words["is_input"], words["carries_frames"]) == ("out", False, False)
    assert words["ready"] is None
    assert [names[index] for index in described["values"]] == ["two_parts", "busy"]


def test_signals_of_a_direction_do_not_overlap() -> None:
    described = bind("top", read_signals(HEADER), Roles())
    for is_input in (True, False):
        words = [
            signal["word"] + word
            for signal in described["signals"]
            if signal["is_input"] == is_input
            for word in range(-(-signal["width"] // 64))
        ]
        assert words == list(range(len(words)))


def test_wide_signals_are_copied_part_by_part() -> None:
    text = copies(read_signals(HEADER))
    assert "top.s_axis_tdata[3] = uint32_t(in[3] >> 32) & 0xffffffffU;" in text
    # 100 bits are 4 parts; the last word has both of its halves.
    assert "= uint64_t(top.wide[2]) | uint64_t(top.wide[3]) << 32;" in text


def test_a_reset_can_be_named_with_its_level() -> None:
    described = bind("top", read_signals(HEADER), Roles(reset="s_axis_tlast:low"))
    assert described["clocking"]["is_active_high"] is False
    assert described["signals"][described["clocking"]["reset"]]["name"] == "s_axis_tlast"


@pytest.mark.parametrize(
    ("change", "roles", "reason"),
    [
        (("aclk", "a_clk"), Roles(), "no input of top is called like a clock"),
        (("aclk", "aclk"), Roles(clock="alck"), "no input of one bit called 'alck'"),
        (("aclk", "aclk"), Roles(idle="wide"), "no output of one bit called 'wide'"),
        (("aclk", "aclk"), Roles(reset="aresetn:up"), "'up' is not a level of a reset"),
        (("VL_OUT8(&busy", "VL_INOUT8(&busy"), Roles(), "the port busy is an inout"),
        (("VL_OUT8(&busy", "VL_OUT8((&busy)[4]"), Roles(), "the port busy is an unpacked array"),
        (("&s_axis_tdata,127", "&s_axis_tdata,126"), Roles(), "127 bits, which are not whole bytes"),
        (("&out_data,39", "&out_data,70"), Roles(), "out_data is wider than 64 bits"),
        (("VL_OUT8(&s_axis_tready", "VL_IN8(&s_axis_tready"), Roles(), "s_axis_tready is not an output"),
    ],
)
def test_unusable_signals_are_refused(change: tuple[str, str], roles: Roles, reason: str) -> None:
    with pytest.raises(SpinachError, match=reason):
        bind("top", read_signals(HEADER.replace(*change)), roles)
