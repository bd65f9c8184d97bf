"""hundredgig filters received frames by the VLANs that its driver names, and deletes while frames arrive."""

from pathlib import Path

import pytest
from scapy.all import IP, UDP, Dot1Q, Ether, Raw, wrpcap  # type: ignore[attr-defined]

from spinach_nic import SpinachError, run
from spinach_nic.cards.hundredgig.driver import ADD_VLAN, RECEIVE, Steps, VirtioDriver
from spinach_nic.cards.hundredgig.ring import Used

OWN = "02:53:50:49:4e:41"
BYTES = 60
"""Bytes of a frame behind its header and tag, which are its number."""
IN_FLIGHT = 4
"""Frames that may be between the filter and the driver at the end of a command: 8 us of the traffic."""


@pytest.mark.parametrize("settings", [{"cores": 1}, {"cores": 4, "pairs": 1}, {"cores": 4}])
def test_frames_of_vlans_pass_that_the_driver_names(tmp_path: Path, settings: dict[str, int]) -> None:
    capture, named = tmp_path / "frames.pcap", (0, 37, 4095)
    tags = [None, 0, 1, 5, 37, 38, 69, 2085, 4094, 4095]
    frames = [
        (Ether() if tag is None else Ether() / Dot1Q(vlan=tag, prio=tag % 8)) / IP() / UDP() / Raw(bytes(60))
        for tag in tags
    ]
    wrpcap(str(capture), frames)
    result = run("hundredgig", traffic=f"pcap:{capture}:rx@1Gbps", set={"vlans": named, **settings})
    others = [tag for tag in tags if tag is not None and tag not in named]
    assert result.frames.dropped["rx"] == {"steering": {"filtered": len(others)}}
    assert result.frames.delivered["rx"] == len(tags) - len(others)


@pytest.mark.parametrize("largest_frame", [1514, 1600])
def test_a_tagged_frame_may_have_the_payload_of_the_longest_frame(tmp_path: Path, largest_frame: int) -> None:
    """IEEE 802.3 allows 4 bytes more with a tag, and the MTU that the card offers leaves tags out."""
    capture, payload = tmp_path / "frames.pcap", bytes(largest_frame - 14)
    heads = [Ether(dst=OWN, type=0x1234), Ether(dst=OWN) / Dot1Q(vlan=5, type=0x1234)]
    too_long = [head / Raw(payload + b"1") for head in heads]
    wrpcap(str(capture), [head / Raw(payload) for head in heads] * 20 + too_long)
    result = run("hundredgig", traffic=f"pcap:{capture}", set={"cores": 1, "largest_frame": largest_frame})
    assert result.frames.delivered == {"tx": 40, "rx": 40}
    assert any("2 of 42 frames left out: longer than" in note for note in result.notes), result.notes


class Noting(VirtioDriver):
    """Notes the numbers of received frames, and the last one before and after each change of the filter."""

    received: list[int]
    changes: list[tuple[int, bool, int, int]]

    def _receive(self, queue: int, used: list[Used]) -> Steps:
        for one in used:
            end = one.buffer + one.length
            self.received.append(int.from_bytes(self._host.load(end - BYTES, BYTES), "big"))
        yield from super()._receive(queue, used)

    def _change_vlan(self, vlan: int, change: int) -> Steps:
        before = max(self.received, default=-1)
        yield from super()._change_vlan(vlan, change)
        if self.received:
            yield from self._poll_queue(RECEIVE)
        self.changes.append((vlan, change == ADD_VLAN, before, max(self.received, default=-1)))


@pytest.mark.parametrize("rings", ["split", "packed"])
def test_frames_are_dropped_while_their_vlan_is_deleted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, rings: str
) -> None:
    """An independent filter decides on each frame, except those that arrive during a change of their VLAN."""
    capture, tags, count = tmp_path / "frames.pcap", (None, 5, 37, 99), 800
    heads = [Ether(dst=OWN) if tag is None else Ether(dst=OWN) / Dot1Q(vlan=tag) for tag in tags]
    frames = [heads[number % len(tags)] / Raw(number.to_bytes(BYTES, "big")) for number in range(count)]
    wrpcap(str(capture), frames)
    received: list[int] = []
    changes: list[tuple[int, bool, int, int]] = []
    monkeypatch.setattr(Noting, "received", received, raising=False)
    monkeypatch.setattr(Noting, "changes", changes, raising=False)
    monkeypatch.setattr("spinach_nic.cards.hundredgig.model.VirtioDriver", Noting)
    settings = {"cores": 1, "vlans": (5, 37), "vlan_changes": "100us", "rings": rings}
    result = run("hundredgig", traffic=f"pcap:{capture}:rx@500kpps", set=settings)
    assert received == sorted(set(received))
    assert result.frames.dropped["rx"] == {"steering": {"filtered": count - len(received)}}
    decided = {tag: {True: 0, False: 0} for tag in tags}
    for number in range(count):
        tag, passes = tags[number % len(tags)], number % len(tags) == 0
        for vlan, is_added, before, after in changes:
            if vlan == tag and after + IN_FLIGHT < number:
                passes = is_added
            elif vlan == tag and before < number:
                break
        else:
            decided[tag][passes] += 1
            assert (number in received) == passes, (number, changes)
    # Few frames arrive during a change, and each changed VLAN has frames of both kinds.
    assert sum(sum(one.values()) for one in decided.values()) > 0.75 * count
    assert min(*decided[5].values(), *decided[37].values()) > 10, decided


def test_a_vlan_that_no_tag_can_name_is_refused() -> None:
    with pytest.raises(SpinachError, match="invalid VLAN 4096 in vlans"):
        run("hundredgig", traffic="udp:100", frames=10, set={"vlans": (4096,)})
    with pytest.raises(SpinachError, match="vlan_changes is set, but there are no vlans"):
        run("hundredgig", traffic="udp:100", frames=10, set={"vlan_changes": "50us"})
