"""A card that writes where its driver does not let it ends the run."""

from pathlib import Path

import pytest
from tests.python.cards.places import changed

from spinach_nic import SpinachError, run, us
from spinach_nic.cards import Card
from spinach_nic.cards.hundredgig import Hundredgig
from spinach_nic.cards.tigon2 import Tigon2
from spinach_nic.runs import SaveRequest

WRITE = "write_host(descriptor->address, from, length, count == 1"
"""Write of a received frame into the buffer of its descriptor; it may have 1,530 bytes."""


@pytest.mark.parametrize(
    ("card", "image", "before", "after", "message"),
    [
        (
            Hundredgig,
            "virtio",
            WRITE,
            WRITE.replace("length", "length + 5"),
            r"1531 bytes at (0x\w+) in host memory, .*, of which 1530 bytes at \1 are nearest",
        ),
        (
            Hundredgig,
            "virtio",
            WRITE,
            WRITE.replace("descriptor->address", "offset_by(descriptor->address, 1530)"),
            r"1526 bytes at 0x\w+ in host memory, .*, of which 1530 bytes at 0x\w+ are nearest",
        ),
        (
            Tigon2,
            "uni",
            "dma->length = bytes;",
            "dma->length = bytes + 32;",
            r"512 bytes at 0x\w+ in host memory, .*, of which 1518 bytes at 0x\w+ are nearest",
        ),
    ],
)
def test_a_write_outside_the_given_memory_ends_the_run(
    tmp_path: Path, card: type[Card], image: str, before: str, after: str, message: str
) -> None:
    folder = card.firmware_folder
    firmware = changed(tmp_path, f"{folder}/{image}", f"{folder}/receive.c", before, after, card())
    with pytest.raises(SpinachError, match=f"the NIC wrote {message}"):
        run(card, firmware=firmware, traffic="udp:1472", frames=100)


def test_a_restored_run_ends_likewise(tmp_path: Path) -> None:
    late = WRITE.replace("length", "length + 5 * (queue->taken > 100)")
    firmware = changed(
        tmp_path, "hundredgig/virtio", "hundredgig/receive.c", WRITE, late, Hundredgig(cores=1)
    )
    saved = SaveRequest(us(100), tmp_path / "saved.checkpoint")
    run(
        "hundredgig",
        firmware=firmware,
        traffic="udp:1472@2Mpps",
        set={"cores": 1},
        time=us(100),
        save_at=saved,
    )
    with pytest.raises(SpinachError, match="the NIC wrote 1531 bytes"):
        run("hundredgig", restore=saved.path, frames=400)
