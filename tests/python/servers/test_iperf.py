"""iperf3 of Debian measures streams between two servers with hundredgig."""

import pytest
from tests.python.conftest import Started

from spinach_nic.servers import root


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("kernel")
def test_iperf3_measures_streams_between_two_servers(started: Started) -> None:
    if not root.image().exists():
        pytest.skip("there is no root file system of Debian: `make root` builds it")
    cards = ("--nodes=2", "--card=hundredgig", "--set=node[0].card.cores=1", "--set=node[1].card.cores=1")
    process = started.spinach("boot", "rv64", *cards, "--root", root.NAME, stdin=-1)
    typed = "sleep 0.05\niperf3 -c 10.0.0.2 -n 1M -P 2 -i 0.1\n@2 iperf3 -s -1 -i 0.1\n"
    printed, messages = process.communicate(typed, timeout=250)
    assert process.returncode == 0, messages
    assert "iperf Done." in printed, printed
