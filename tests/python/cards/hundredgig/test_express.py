"""The PCI Express capability of hundredgig, and sizes that the host sets."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from spinach_nic import Result, run, us
from spinach_nic.cards.drivers import (
    Host,
    Operation,
    Program,
    enable_pci_function,
    read,
    read_configuration,
    wait,
    write_configuration,
)
from spinach_nic.cards.hundredgig import Hundredgig
from spinach_nic.cards.hundredgig.driver import CAPABILITY_POINTER, REGION, VirtioDriver
from spinach_nic.cards.hundredgig.function import CONFIGURATION_ACCESS, DEVICE_STATUS
from spinach_nic.cards.hundredgig.model import VirtioDriverModel
from spinach_nic.cards.hundredgig.settings import Settings

EXPRESS = 0x10
DEVICE_CONTROL = 8
FUNCTION_RESETS = 1 << 28
INITIATE_RESET = 1 << 15
NUMBER_OF_QUEUES = 0x12
"""Offset in the common configuration."""
WORKS = 15
"""Status of a device that its driver has started."""


def place_of_express() -> Generator[Operation, int, int]:
    """Find the capability."""
    at = yield read_configuration(CAPABILITY_POINTER, 1)
    while (yield read_configuration(at, 1)) != EXPRESS:
        at = yield read_configuration(at + 1, 1)
        assert at, "the card has no capability of PCI Express"
    return at


class Looking(VirtioDriver):
    """Reads the capability, and may write the control of the device, before it drives the card."""

    control: int | None
    found: dict[int, int]

    def program(self, host: Host) -> Program:
        self._host = host
        at = yield from place_of_express()
        for offset in range(0, 60, 4):
            self.found[offset] = yield read_configuration(at + offset)
        if self.control is not None:
            yield write_configuration(at + DEVICE_CONTROL, self.control, 2)
            self.found[DEVICE_CONTROL] = yield read_configuration(at + DEVICE_CONTROL)
        yield from super().program(host)


def looked(control: int | None, **settings: object) -> tuple[float, dict[int, int]]:
    """Return the time that 150 received frames take on a slow link, in microseconds, and the capability."""
    found: dict[int, int] = {}

    class Model(VirtioDriverModel):
        def program(self, host: Host) -> Program:
            driver = Looking(Settings(1, 64, 2048, us(1), us(1)))
            driver.control, driver.found = control, found
            return driver.program(host)

    class Seen(Hundredgig):
        driver_model = Model

    result = run(Seen, traffic="udp:1472:tx", frames=150, set={"cores": 1, "pcie_rate": "2Gbps", **settings})
    return result.simulated_ns / 1000, found


def test_the_capability_says_what_the_link_is() -> None:
    _, found = looked(None, pcie_link="gen5x8", pcie_payload="512B")
    assert found[0] & 0xFFFF_00FF == 0x0002_0010, "version 2, endpoint"
    assert found[4] & 7 == 2, "512 bytes"
    assert found[DEVICE_CONTROL] >> 5 & 7 == 2
    assert found[DEVICE_CONTROL] >> 12 & 7 == 2, "512 bytes"
    assert found[12] & 0x3FF == 8 << 4 | 5
    assert found[16] >> 16 & 0x3FF == 8 << 4 | 5


def test_registers_are_reached_through_configuration_space() -> None:
    """The window needs no address for that (virtio 1.2, section 4.1.4.9)."""
    found: list[int] = []

    class Reaching(VirtioDriver):
        def program(self, host: Host) -> Program:
            at = yield read_configuration(CAPABILITY_POINTER, 1)
            while (yield read_configuration(at, 4)) >> 24 != CONFIGURATION_ACCESS:
                at = yield read_configuration(at + 1, 1)
            for offset, length in ((NUMBER_OF_QUEUES, 2), (DEVICE_STATUS, 1)):
                yield write_configuration(at + 8, offset, 4)
                yield write_configuration(at + 12, length, 4)
                found.append((yield read_configuration(at + 16, length)))
            yield write_configuration(at + 16, 3, 1)
            found.append((yield read_configuration(at + 16, 1)))
            yield from super().program(host)

    class Model(VirtioDriverModel):
        def program(self, host: Host) -> Program:
            return Reaching(Settings(1, 64, 2048, us(1), us(1))).program(host)

    class Reached(Hundredgig):
        driver_model = Model

    result = run(Reached, traffic="udp:18", frames=10, set={"cores": 2})
    assert found == [5, 0, 3]
    assert result.frames.delivered == {"tx": 10, "rx": 10}


def test_sizes_that_the_host_sets_change_what_transfers_cost() -> None:
    """Frames to send are read: by requests of 4096 or 128 bytes, answered in packets of 1024 or 128."""
    large, _ = looked(3 << 5 | 5 << 12, pcie_payload="1024B")
    small, found = looked(0, pcie_payload="1024B")
    assert found[DEVICE_CONTROL] & 0xFFFF == 0
    # 2 packets of 20 bytes besides data in place of 12.
    assert small / large == pytest.approx((1526 + 12 * 20) / (1526 + 2 * 20), rel=0.05)


@pytest.mark.parametrize(("link", "of_request", "of_completion"), [("gen4x16", 24, 20), ("gen6x16", 16, 12)])
def test_a_packet_with_data_of_a_read_has_a_header_of_three_words(
    link: str, of_request: int, of_completion: int
) -> None:
    def took(**overheads: int) -> float:
        return looked(None, pcie_link=link, **overheads)[0]

    assert took() == took(pcie_overhead=of_request, pcie_completion_overhead=of_completion)
    # Frames to send are read, in packets of 256 bytes.
    longer = took(pcie_completion_overhead=of_completion + 40) / took()
    assert longer == pytest.approx(1 + 6 * 40 / (1526 + 6 * of_completion), rel=0.03)


@pytest.mark.parametrize("traffic", ["udp:1472:rx@1Gbps", "udp:18:rx@1Gbps", "udp:1472:rx@20Gbps"])
def test_the_host_resets_the_function_alone_while_frames_arrive(traffic: str) -> None:
    """Firmware resets the device without the driver's asking, and another driver starts it again."""
    settings, seen = Settings(1, 64, 2048, us(1), us(1)), []

    class Resetting(VirtioDriver):
        def _work(self) -> Program:
            host = self._host
            status = REGION + DEVICE_STATUS
            at = yield from place_of_express()
            seen.append((yield read_configuration(at + 4)) & FUNCTION_RESETS)
            yield wait(until=host.now + us(20))
            seen.append((yield read(status, 1)))
            yield write_configuration(at + DEVICE_CONTROL, INITIATE_RESET, 2)
            seen.append((yield read_configuration(0x04, 2)))
            seen.append((yield read(status, 1)))
            yield wait(until=host.now + us(20))
            yield enable_pci_function(REGION)
            seen.append((yield read(status, 1)))
            yield from self._poll_queue(0)
            yield from VirtioDriver(settings).program(host)

    class Model(VirtioDriverModel):
        def program(self, host: Host) -> Program:
            return Resetting(settings).program(host)

    class Reset(Hundredgig):
        driver_model = Model

    run(Reset, traffic=traffic, frames=60, set={"cores": 1})
    assert seen == [FUNCTION_RESETS, WORKS, 0, 0xFF, 0]


READ_LATENCY_NS = 550
CREDIT_LATENCY_NS = 250


@pytest.mark.parametrize(
    ("limits", "counter", "held", "held_ns"),
    [
        ({"pcie_tags": 4}, "host_reads", 4, READ_LATENCY_NS),
        ({"pcie_read_headers": 2}, "host_reads", 2, CREDIT_LATENCY_NS),
        ({"pcie_posted_headers": 2}, "host_writes", 2, CREDIT_LATENCY_NS),
        ({"pcie_posted_data": 8, "pcie_payload": "128B"}, "host_written_bytes", 8 * 16, CREDIT_LATENCY_NS),
    ],
)
def test_tags_and_credits_bound_requests(
    limits: dict[str, int | str], counter: str, held: int, held_ns: int
) -> None:
    free, bound = (run("hundredgig", traffic="udp:18", frames=1000, set=it) for it in ({}, limits))

    def per_ns(result: Result) -> float:
        return result.counters[counter].value / result.simulated_ns

    # Each request takes a tag or a credit for this long at least; with the shortest frames it is one packet.
    assert per_ns(bound) <= held / held_ns < per_ns(free)
    assert min(bound.tx.frames, bound.rx.frames) >= 1000
