"""Every size of UDP payload from 18 to 1472 bytes passes both ways, whole and in order."""

import random
from pathlib import Path

import pytest
from tests.python.cards.trouble import IMAGES, assert_accounted, settings_for

from spinach_nic.runs import run

SIZES = range(18, 1473)


def udp_frame(number: int, payload: bytes) -> bytes:
    """A UDP datagram over IPv4 over Ethernet; checksums are not filled in."""
    length = 28 + len(payload)
    ip = b"\x45\0" + length.to_bytes(2, "big") + number.to_bytes(2, "big") + b"\0\0\x40\x11\0\0"
    udp = b"\xc0\0\0\x09" + (8 + len(payload)).to_bytes(2, "big") + b"\0\0"
    return bytes(range(12)) + b"\x08\0" + ip + b"\x0a\0\0\1\x0a\0\0\2" + udp + payload


@pytest.fixture(scope="module")
def every_size(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A capture with one frame of each size, in random order."""
    chance = random.Random(1)
    sizes = chance.sample(SIZES, len(SIZES))
    frames = [udp_frame(number, chance.randbytes(size)) for number, size in enumerate(sizes)]
    header = bytes.fromhex("a1b2c3d4 0002 0004 00000000 00000000 0000ffff 00000001")
    records = [bytes(8) + 2 * len(frame).to_bytes(4, "big") + frame for frame in frames]
    path = tmp_path_factory.mktemp("captures") / "every-size.pcap"
    path.write_bytes(header + b"".join(records))
    return path


@pytest.mark.parametrize("firmware", IMAGES)
def test_every_size_passes_both_ways(firmware: str, every_size: Path) -> None:
    # At a rate at which no frame is dropped for lack of room, so each of them arrives.
    settings = settings_for(firmware, {"core_clock": "200MHz"})
    result = run(
        "tengig", firmware=firmware, set=settings, traffic=f"pcap:{every_size}@3Gbps", frames=len(SIZES)
    )
    assert_accounted(result)
    assert result.notes == ()
    assert result.frames.delivered == {"tx": len(SIZES), "rx": len(SIZES)}


@pytest.mark.parametrize("firmware", IMAGES)
def test_jumbo_sizes_pass_both_ways(firmware: str) -> None:
    # The host has buffers for such frames by default.
    settings = settings_for(firmware, {"largest_frame": 9014})
    traffic = "udp:18,1473,4000,8191,8971,8972"
    result = run("tengig", firmware=firmware, set=settings, traffic=traffic, frames=60)
    assert_accounted(result)
    assert result.frames.delivered == {"tx": 60, "rx": 60}
