"""A host that gives the card wrong addresses: the card says so, or stops, and the person reads why."""

from collections.abc import Callable
from pathlib import Path

import pytest

from spinach_nic import run
from spinach_nic.cards.drivers import Host
from spinach_nic.cards.tigon2 import Tigon2
from spinach_nic.cards.tigon2 import protocol as card
from spinach_nic.cards.tigon2.driver import Steps, Tigon2Driver
from spinach_nic.cards.tigon2.driver_model import Tigon2DriverModel
from spinach_nic.firmware import loadable_image
from spinach_nic.runs import StoppedError

NOWHERE = 0x7_0000_0000
OUTSIDE = [NOWHERE >> 32, NOWHERE & 0xFFFF_FFFF]


class WrongDriver(Tigon2Driver):
    """Changes the general information block before the card reads it."""

    wrong: Callable[[Host, int], None]

    def _tell_card(self) -> Steps:
        self.wrong(self._host, self._information)
        yield from super()._tell_card()


def nic_with(wrong: Callable[[Host, int], None]) -> Tigon2:
    class Model(Tigon2DriverModel):
        def make_driver(self) -> Tigon2Driver:
            assert self.card.image is not None
            driver = WrongDriver(loadable_image(self.card.image), self.settings())
            driver.wrong = wrong
            return driver

    class Wrong(Tigon2):
        driver_model = Model

    return Wrong()


def ring(name: str) -> Callable[[Host, int], None]:
    return lambda host, block: host.store_words(block + card.RING_CONTROL_OFFSETS[name], OUTSIDE)


def pointer(offset: int) -> Callable[[Host, int], None]:
    return lambda host, block: host.store_words(block + offset, OUTSIDE)


CASES = {
    "send ring": (ring("send"), "reports error 3"),
    "standard ring": (ring("standard"), "reports error 3"),
    "return ring": (ring("returned"), "could not write host memory"),
    "return producer": (pointer(card.RETURN_PRODUCER_OFFSET), "could not write host memory"),
    "send consumer": (pointer(card.SEND_CONSUMER_OFFSET), "could not write host memory"),
    "event ring": (ring("event"), "could not write host memory"),
}


@pytest.mark.slow
@pytest.mark.parametrize("firmware", ["uni", "parallel", "released-style"])
@pytest.mark.parametrize("case", list(CASES))
def test_a_ring_where_there_is_no_memory(case: str, firmware: str) -> None:
    wrong, said = CASES[case]
    with pytest.raises(StoppedError) as raised:
        run(nic_with(wrong), firmware=firmware, traffic="udp:100@50kpps", frames=50)
    assert said in raised.value.message
    assert raised.value.result.complete is False


def test_an_information_block_where_there_is_no_memory() -> None:
    class Misplaced(Tigon2Driver):
        def _lay_out(self) -> None:
            super()._lay_out()
            self._information = NOWHERE

    class Model(Tigon2DriverModel):
        def make_driver(self) -> Tigon2Driver:
            assert self.card.image is not None
            return Misplaced(loadable_image(self.card.image))

    class Wrong(Tigon2):
        driver_model = Model

    with pytest.raises(StoppedError) as raised:
        run(Wrong(), firmware="uni", traffic="udp:100@50kpps", frames=5)
    assert "could not read host memory: its DMA state is 0x0" in raised.value.message


def test_firmware_that_does_nothing_is_given_up(tmp_path: Path) -> None:
    idle = bytes.fromhex("1000ffff00000000")  # branches to itself
    file = tmp_path / "idle.bin"
    file.write_bytes(bytes([12, 4, 11, 0]) + (0x4000).to_bytes(4, "big") * 2 + idle)
    with pytest.raises(StoppedError) as raised:
        run("tigon2", firmware=file, traffic="udp:100@50kpps", frames=5, set={"firmware_wait": "30ms"})
    assert raised.value.message.startswith("the firmware does not report that it runs")
