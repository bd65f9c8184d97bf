"""The driver resets single queues while the card works, in order and out of order."""

from __future__ import annotations

import pytest

from spinach_nic import run, us
from spinach_nic.cards.drivers import Host, Program, wait
from spinach_nic.cards.hundredgig import Hundredgig
from spinach_nic.cards.hundredgig.driver import Steps, VirtioDriver
from spinach_nic.cards.hundredgig.model import VirtioDriverModel
from spinach_nic.cards.hundredgig.settings import Settings

SELECT, SIZE, VECTOR, ENABLE, ADDRESSES, RESET = 0x16, 0x18, 0x1A, 0x1C, range(0x20, 0x38, 4), 0x3A
"""Fields of the common configuration (virtio 1.2, section 4.1.4.3)."""
NO_VECTOR = 0xFFFF
QUEUES = 5
"""Queues of a card with two cores; the last is the control queue."""


@pytest.mark.parametrize(
    ("traffic", "settings"),
    [
        ("udp:300@2Gbps", {"cores": 2}),
        ("udp:300", {"cores": 2, "rings": "packed"}),
        ("tcp:1460,push=44:tx", {"cores": 1, "segmentation": "firmware"}),
        ("tcp:1460,push=44:tx", {"cores": 1, "rings": "packed"}),
    ],
)
def test_resets_of_queues_lose_no_frame_to_send_and_repeat_none(
    monkeypatch: pytest.MonkeyPatch, traffic: str, settings: dict[str, object]
) -> None:
    resets: list[int] = []
    reset_queue = VirtioDriver._reset_queue

    def counted(self: VirtioDriver, queue: int) -> Steps:
        resets.append(queue)
        yield from reset_queue(self, queue)

    monkeypatch.setattr(VirtioDriver, "_reset_queue", counted)
    result = run("hundredgig", traffic=traffic, frames=200, set={"queue_resets": "10us", **settings})
    assert set(resets) == set(range(2 * len(result.cores)))
    assert result.frames.delivered["tx"] >= 200
    for way in ("tx", "rx"):
        assert result.frames.corrupted[way] == result.frames.reordered[way] == 0
        assert result.frames.duplicated[way] == result.frames.in_flight[way] == 0
    assert result.frames.dropped["tx"] == {}


class Inspecting(VirtioDriver):
    """Resets queues in ways that the specification leaves open, or forbids, and then works."""

    def _post_buffers(self) -> Steps:
        for queue in range(QUEUES):
            yield from self._reset(queue)
            yield from self._reset(queue)  # of a queue that is not enabled
            yield self._put(SIZE, 3, 2)
            yield self._put(ENABLE, 1, 2)  # with a size that is no power of two
            assert (yield self._get(ENABLE, 2)) == 0
        yield self._put(SELECT, QUEUES, 2)
        yield self._put(RESET, 1, 2)  # of a queue that does not exist
        assert (yield self._get(RESET, 2)) == 0
        yield from self._begin_again()
        # The device is reset while queues are.
        for queue in range(QUEUES):
            yield [self._put(SELECT, queue, 2), self._put(RESET, 1, 2), self._put(RESET, 1, 2)]
        yield from self._begin_again()
        yield from super()._post_buffers()

    def _begin_again(self) -> Steps:
        self._rings, self._doorbells = [], []
        yield from self._negotiate()
        yield from self._start_queues()

    def _reset(self, queue: int) -> Steps:
        """Reset a queue and compare its registers with the defaults of the specification."""
        yield [self._put(SELECT, queue, 2), self._put(RESET, 1, 2)]
        for _ in range(100):
            if not (yield self._get(RESET, 2)):
                break
            yield wait(until=self._host.now + us(1))
        assert (yield self._get(ENABLE, 2)) == 0
        assert (yield self._get(SIZE, 2)) == 256
        assert (yield self._get(VECTOR, 2)) == NO_VECTOR
        for place in ADDRESSES:
            assert (yield self._get(place, 4)) == 0


class Controlling(VirtioDriver):
    """Resets the control queue that is behind its only pair, and then works."""

    def _post_buffers(self) -> Steps:
        for queue, exists in ((2, True), (3, False), (QUEUES - 1, False)):
            yield self._put(SELECT, queue, 2)
            assert ((yield self._get(SIZE, 2)) != 0) == exists, queue
            yield self._put(ENABLE, 1, 2)
            assert (yield self._get(ENABLE, 2)) == exists, queue
        yield from self._reset_queue(2)
        yield from super()._post_buffers()


@pytest.mark.parametrize("rings", ["split", "packed"])
def test_without_several_pairs_the_control_queue_follows_the_first(
    monkeypatch: pytest.MonkeyPatch, rings: str
) -> None:
    """A driver with neither MQ nor RSS finds it there, whatever the card has (virtio 1.2, section 5.1.2)."""
    monkeypatch.setattr("spinach_nic.cards.hundredgig.model.VirtioDriver", Controlling)
    settings = {"cores": 2, "pairs": 1, "vlans": (5,), "vlan_changes": "20us", "queue_resets": "1ms"}
    result = run("hundredgig", traffic="udp:100@1Gbps", frames=100, set={"rings": rings, **settings})
    assert min(result.frames.delivered.values()) >= 100


class Unaware(VirtioDriver):
    """Writes to the register without the feature."""

    def _post_buffers(self) -> Steps:
        yield [self._put(SELECT, 0, 2), self._put(RESET, 1, 2)]
        yield wait(until=self._host.now + us(10))
        assert (yield self._get(ENABLE, 2)) == 1
        assert (yield self._get(RESET, 2)) == 0
        yield from super()._post_buffers()


@pytest.mark.parametrize("kind", [Inspecting, Unaware])
def test_a_reset_returns_the_defaults_of_a_queue_and_only_with_the_feature(
    kind: type[VirtioDriver],
) -> None:
    resets = us(10_000) if kind is Inspecting else us(0)

    class Model(VirtioDriverModel):
        def program(self, host: Host) -> Program:
            return kind(Settings(2, 64, 1526, us(1), us(1), messages=True, resets=resets)).program(host)

    class Inspected(Hundredgig):
        driver_model = Model

    result = run(Inspected, traffic="udp:300@1Gbps", frames=60, set={"cores": 2})
    for way in ("tx", "rx"):
        assert result.frames.delivered[way] >= 60
        assert result.frames.corrupted[way] == result.frames.in_flight[way] == 0
