"""Parts of frames that the driver removes for the card to insert."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scapy.all import ICMP, IP, TCP, UDP, Dot1Q, Ether, Raw  # type: ignore[attr-defined]

from spinach_nic.cards.tigon2.frames import (
    datagram_of,
    ones_complement_sum,
    sums_of,
    tag_of,
    without_checksums,
)

ETHERNET = Ether(dst="00:60:cf:20:00:c5", src="00:60:cf:00:00:01")
ADDRESSES = {"src": "10.0.0.1", "dst": "10.0.0.2"}


def built(*layers: object, payload: bytes = b"odd") -> bytes:
    """A frame with right checksums unless a layer says otherwise, and with padding."""
    frame = ETHERNET
    for layer in layers:
        frame = frame / layer
    return bytes(frame / Raw(payload)).ljust(60, b"\0")


@given(st.binary(max_size=64) | st.builds(bytes, st.integers(0, 64)) | st.just(b"\xff\xff" * 3))
def test_the_sum_is_that_of_halves_with_carries_added(data: bytes) -> None:
    total = 0
    for at in range(0, len(data), 2):
        total += int.from_bytes(data[at : at + 2].ljust(2, b"\0"), "big")
        total = (total & 0xFFFF) + (total >> 16)
    assert ones_complement_sum(data) == total


@pytest.mark.parametrize(
    "layers",
    [
        (IP(**ADDRESSES), UDP()),
        (IP(**ADDRESSES), TCP()),
        (IP(**ADDRESSES, options=b"\x01" * 8), TCP()),
        (Dot1Q(vlan=5), IP(**ADDRESSES), UDP()),
    ],
)
def test_checksums_are_left_to_the_card(layers: tuple[object, ...]) -> None:
    frame = built(*layers)
    bare = without_checksums(frame)
    assert bare is not None
    assert len(bare) == len(frame)
    datagram = datagram_of(frame)
    assert datagram is not None
    header, _ = sums_of(frame, datagram)
    assert header == 0xFFFF
    bare_header, transport = sums_of(bare, datagram)
    at = datagram.ip + 10
    assert 0xFFFF - bare_header == int.from_bytes(frame[at : at + 2], "big")
    # With the sum of the pseudo-header in its place, what is missing is the sum of the transport.
    field = datagram.transport + (16 if datagram.protocol == 6 else 6)
    assert 0xFFFF - transport == int.from_bytes(frame[field : field + 2], "big")


@pytest.mark.parametrize(
    "frame",
    [
        built(IP(**ADDRESSES), UDP(chksum=0)),
        built(IP(**ADDRESSES), UDP(chksum=0x1234)),
        built(IP(**ADDRESSES, chksum=0x1234), UDP()),
        built(IP(**ADDRESSES, flags="MF"), UDP()),
        built(IP(**ADDRESSES, frag=3), UDP()),
        built(IP(**ADDRESSES, len=1000), UDP()),
        built(IP(**ADDRESSES), ICMP()),
        built(IP(**ADDRESSES), UDP()) + b"x",
        ETHERNET.build().ljust(60, b"\0"),
        built(IP(**ADDRESSES), TCP())[:40],
    ],
)
def test_nothing_is_left_to_the_card_that_it_would_change(frame: bytes) -> None:
    assert without_checksums(frame) is None


def test_tags_are_found() -> None:
    assert tag_of(built(Dot1Q(vlan=5, prio=3), IP())) == 3 << 13 | 5
    assert tag_of(built(IP())) is None
