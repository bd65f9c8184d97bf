"""The image that is organised as released firmware, in what it does differently from the others."""

from __future__ import annotations

from typing import Any

import pytest
from tests.python.cards.tigon2.asking import nic_that_says
from tests.python.cards.tigon2.test_host_errors import nic_with
from tests.python.cards.tigon2.test_protocol import nothing
from tests.python.cards.trouble import assert_nothing_wrong

from spinach_nic import run
from spinach_nic.benches import make_bench
from spinach_nic.cards.drivers import Host, Program
from spinach_nic.cards.tigon2 import Tigon2
from spinach_nic.cards.tigon2 import protocol as card
from spinach_nic.cards.tigon2.driver import Tigon2Driver
from spinach_nic.cards.tigon2.driver_model import Tigon2DriverModel
from spinach_nic.cards.tigon2.protocol import Statistic
from spinach_nic.firmware import loadable_image
from spinach_nic.runs import StoppedError
from spinach_nic.runs.execution import execute
from spinach_nic.support.units import us

IMAGE = "released-style"


@pytest.mark.parametrize("hardware_assist", [False, True])
@pytest.mark.parametrize("settings", [{}, {"send_checksums": True, "receive_checksums": True, "vlan": True}])
def test_the_rings_of_dma_are_served_by_software_or_by_hardware(
    hardware_assist: bool, settings: dict[str, Any]
) -> None:
    asked = {"hardware_assist": hardware_assist, **settings}
    finished = execute("tigon2", firmware=IMAGE, traffic="udp:18,100,1472", frames=99, set=asked)
    result = finished.check()
    assert result.frames.delivered == {"tx": 99, "rx": 99}
    statistics = finished.session.simulation.statistics()
    by_descriptors = sum(statistics[f"card.{channel}.descriptors"] for channel in ("dma_read", "dma_write"))
    assert (by_descriptors > 0) == hardware_assist
    assert (result.tasks["dma_assist"].instructions == 0) == hardware_assist


def test_a_frame_whose_last_bytes_have_a_descriptor_of_their_own_leaves_whole() -> None:
    """The MAC rounds up to 8 what it finds: the 59 bytes of the first descriptor must not cover 60."""
    asked = {"header_bytes": 59, "host_overhead": 400}
    result = run("tigon2", firmware=IMAGE, traffic="udp:18,19,20,21,22:tx", frames=99, set=asked)
    assert result.frames.delivered["tx"] == 99


class Watching(Tigon2Driver):
    """Looks at the sending side of the MAC whenever the host has done something."""

    sees_early = 0

    def program(self, host: Host) -> Program:
        """The driver, with looks."""
        steps, result = super().program(host), None
        while True:
            result = yield steps.send(result)
            waiting = host._simulation.state("card.mac_transmit")["departures"]
            is_early = any(it["left"] and not it["unfinished"] and not it["bytes"] for it in waiting)
            self.sees_early += is_early


@pytest.mark.parametrize(("firmware", "is_early"), [("uni", False), (IMAGE, True)])
def test_frames_are_given_to_the_mac_before_their_data_is_there(firmware: str, is_early: bool) -> None:
    """Then the MAC has a descriptor whose frame it has not asked for, if the bus is slower than the link."""
    watching: list[Watching] = []

    class Model(Tigon2DriverModel):
        def make_driver(self) -> Tigon2Driver:
            assert self.card.image is not None
            watching.append(Watching(loadable_image(self.card.image), self.settings()))
            return watching[-1]

    class Watched(Tigon2):
        driver_model = Model

    asked = {"send_coalescing": 1, "send_ticks": 5, "host_overhead": 400}
    assert run(Watched, firmware=firmware, traffic="udp:1472:tx", frames=60, set=asked).complete
    assert bool(watching[-1].sees_early) == is_early


def wrong_ring(host: Host, block: int) -> None:
    """Names an address in host memory for a ring on the card, as for one in host memory."""
    host.store_words(block + card.RING_CONTROL_OFFSETS["send"], [0, 0x2000, 128 << 16])


def right_ring(host: Host, block: int) -> None:
    host.store_words(block + card.RING_CONTROL_OFFSETS["send"], [0, 0x3800, 128 << 16])


def test_a_ring_on_the_card_must_be_where_rings_of_its_length_are() -> None:
    asked = {"send_ring_in_host": False, "send_entries": 128}
    assert run(nic_with(right_ring), firmware=IMAGE, traffic="udp:100:tx", frames=20, set=asked).complete
    with pytest.raises(StoppedError, match="reports error 3"):
        run(nic_with(wrong_ring), firmware=IMAGE, traffic="udp:100:tx", frames=20, set=asked)


@pytest.mark.parametrize("firmware", ["uni", "parallel", IMAGE])
def test_a_receive_buffer_that_overflows_costs_whole_frames_and_nothing_else(firmware: str) -> None:
    """Both ways as fast as the link and the host allow, with a receive buffer of a few frames."""
    nic, drivers = nic_that_says(nothing, transmit_buffer_ratio=63, statistics_ticks=100)
    nic.set("sram_size", "512KiB")
    nic.set("core_clock", "44MHz")
    finished = execute(nic, firmware=firmware, traffic="udp:1472", frames=150)
    result = finished.check()
    assert_nothing_wrong(result.frames)
    assert result.frames.delivered["tx"] >= 300
    dropped = result.frames.dropped["rx"]["card.mac_receive"]
    assert dropped["buffer_full"] > 0
    assert result.frames.delivered["rx"] + sum(dropped.values()) == result.frames.offered["rx"]
    finished.session.simulation.run(us(300))
    discarded = sum(count for reason, count in dropped.items() if reason != "stopped")
    assert drivers[0].statistic(Statistic.IN_DISCARDED) == discarded


def test_the_dma_moves_the_receive_consumer_and_the_cores_do_not() -> None:
    """Released firmware stores it only when it starts and when the buffer has overflowed."""
    finished = execute(Tigon2(), firmware=IMAGE, traffic="udp:1472", frames=600)
    assert finished.check().frames.dropped["rx"] == {}
    state = finished.session.simulation.state("card.mac_receive")
    assert state["buffer_consumer"] % 8 != 0, "the end of a transfer, not of a frame with its check sequence"


def test_frames_that_wait_for_buffers_are_given_up_when_the_receive_buffer_overflows() -> None:
    """The host returns its two buffers every 2 ms, so that nothing is on its way when there is no room.

    In the 12 ms in which frames arrive the buffer overflows again and again.
    """
    settings = {"transmit_buffer_ratio": 63, "statistics_ticks": 100, "standard_buffers": 2}
    nic, drivers = nic_that_says(nothing, receive_ticks=2000, **settings)
    nic.set("sram_size", "512KiB")
    finished = execute(nic, firmware=IMAGE, traffic="udp:1472:rx@100Mbps", frames=99)
    result = finished.check()
    assert_nothing_wrong(result.frames)
    dropped = result.frames.dropped["rx"]["card.mac_receive"]
    assert dropped["discarded"] > 0
    finished.session.simulation.run(us(300))
    discarded = sum(count for reason, count in dropped.items() if reason != "stopped")
    assert drivers[0].statistic(Statistic.IN_DISCARDED) == discarded


@pytest.mark.parametrize("traffic", ["udp:1472", "udp:400:tx"])
def test_a_link_that_takes_as_long_as_that_of_released_firmware_is_waited_for(traffic: str) -> None:
    result = run("tigon2", firmware=IMAGE, traffic=traffic, frames=20, set={"negotiation": "55ms"})
    assert result.complete


@pytest.mark.parametrize(("driver", "sent"), [("linux", (60, 400)), ("freebsd", (32, 2000))])
def test_coalescing_is_that_of_a_public_driver_unless_it_is_given(driver: str, sent: tuple[int, int]) -> None:
    bench = make_bench(Tigon2())
    bench.set("coalescing", driver)
    bench.set("receive_ticks", 7)
    assert isinstance(bench.driver_model, Tigon2DriverModel)
    settings = bench.driver_model.settings()
    assert (settings.send_coalescing, settings.send_ticks) == sent
    assert settings.receive_ticks == 7
