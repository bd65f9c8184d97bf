"""Checkpoints of servers with cards made of modules, restored with other options."""

import re
from collections.abc import Sequence
from dataclasses import replace
from ipaddress import IPv4Interface
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from spinach_nic import SpinachError
from spinach_nic.runs.saved_servers import SavedServers
from spinach_nic.runs.server_modules import ModuleServers, module_servers
from spinach_nic.servers import configuration_of
from spinach_nic.servers.linux import Linux
from spinach_nic.support.units import MiB

PAIR = ("tengig", "dp83820")
CONFIGURATION = "this is a checkpoint of servers with another configuration"


def made(kernel: Linux, cards: Sequence[str] = PAIR, **options: Any) -> ModuleServers:
    configuration = configuration_of("rv64", memory=options.pop("memory", None))
    return module_servers(cards, kernel, configuration, **options)


def saved(kernel: Linux, cards: Sequence[str] = PAIR, **options: Any) -> SavedServers:
    return SavedServers.of("servers.checkpoint", made(kernel, cards, **options).save())


@pytest.fixture(scope="module")
def checkpoint(kernel: Linux) -> SavedServers:
    return saved(kernel)


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("cards", "options", "differences"),
    [
        (PAIR, {"settings": ["node[0].cores=2"]}, "node[0].cores was 6 and is 2"),
        # Only functional cores have a quantum: the modules are equal.
        (PAIR, {"settings": ["node[0].quantum=512"]}, "node[0].quantum was 256 and is 512"),
        (
            PAIR,
            {"memory": MiB(256), "settings": ["node[0].hart_core=timed"]},
            "node[0].memory was 128 MiB and is 256 MiB; node[1].memory was 128 MiB and is 256 MiB",
        ),
        (("ricenic", "dp83820"), {}, "the card of server 1 was tengig and is ricenic"),
        (PAIR, {"firmware": "optimized"}, "the firmware of server 1 was rmw and is optimized"),
        (
            PAIR,
            {"settings": ["node[0].event_queue=true"]},
            "the firmware of server 1 was rmw and is event-queue; node[0].event_queue was False and is True",
        ),
    ],
)
def test_what_differs_from_the_saved_servers_is_named(
    kernel: Linux, checkpoint: SavedServers, cards: Sequence[str], options: dict[str, Any], differences: str
) -> None:
    with pytest.raises(SpinachError) as caught:
        made(kernel, cards, saved=checkpoint, **options)
    assert caught.value.message == f"{CONFIGURATION}: {differences}"
    assert caught.value.help == (
        "repeat the options of the run that saved it, or boot again, and save a checkpoint there"
    )


def test_images_of_equal_names_differ_by_their_digests(kernel: Linux, checkpoint: SavedServers) -> None:
    first, second = checkpoint.cards
    assert first.firmware is not None
    other = structs.replace(
        checkpoint, cards=(replace(first, firmware=replace(first.firmware, sha256="0" * 64)), second)
    )
    digest = first.firmware.sha256[:8]
    with pytest.raises(SpinachError) as caught:
        made(kernel, saved=other)
    assert caught.value.message == (
        f"{CONFIGURATION}: the firmware of server 1 was rmw (00000000) and is rmw ({digest})"
    )


def test_timing_may_differ_from_the_saved_servers(kernel: Linux, checkpoint: SavedServers) -> None:
    settings = ["node[0].hart_core=timed", "node[0].attachment=memory"]
    restored = made(kernel, saved=checkpoint, settings=settings)
    assert restored.timing(0) is not None
    assert restored.timing(1) is None
    parameters = restored.simulation.parameters()
    attachments = [parameters[f"node[{number}].server"]["attachment"] for number in range(2)]
    assert attachments == ['"memory"', '"io"']


def test_an_address_that_differs_is_named(kernel: Linux) -> None:
    own = IPv4Interface("10.0.0.7/24")
    one = saved(kernel, PAIR[:1], address=own)
    made(kernel, PAIR[:1], address=own, saved=one)
    with pytest.raises(SpinachError, match=r"with the address 10.0.0.7/24, not 10.0.0.1/24") as caught:
        made(kernel, PAIR[:1], saved=one)
    assert caught.value.help == "give --address 10.0.0.7/24"


def test_a_disk_or_folder_that_differs_is_named(kernel: Linux, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(bytes(4096))
    second.write_bytes(bytes([1]) * 4096)
    one = saved(kernel, PAIR[:1], settings=[f"node[0].disk={first}"])
    for settings, found in (
        ([f"node[0].disk={second}"], f"a disk with another image: node[0].disk was {first} and is {second}"),
        ([], f"a disk, and there is no image: node[0].disk was {first} and is empty"),
    ):
        with pytest.raises(SpinachError, match=re.escape(f"a server that has {found}")) as caught:
            made(kernel, PAIR[:1], saved=one, settings=settings)
        assert caught.value.help == "repeat the --root and --share of the run that saved it"
    shared = saved(kernel, PAIR[:1], settings=[f"node[0].share={tmp_path}"])
    with pytest.raises(SpinachError, match=re.escape(f"node[0].share was {tmp_path} and is empty")):
        made(kernel, PAIR[:1], saved=shared)
    plain = saved(kernel, PAIR[:1])
    for setting, found in (
        (f"node[0].disk={first}", "no disk: it was saved without --root"),
        (f"node[0].share={tmp_path}", "no shared folder: it was saved without --share"),
    ):
        with pytest.raises(SpinachError, match=re.escape(f"a server that has {found}")) as caught:
            made(kernel, PAIR[:1], saved=plain, settings=[setting])
        assert caught.value.help == "repeat the --root and --share of the run that saved it"
