"""Random pairs of servers; see `pairs.py`."""

import pytest
from tests.python.servers import pairs


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("seed", [51, 58])
def test_random_pairs_of_servers_exchange_streams(seed: int) -> None:
    assert pairs.wrong_with(seed) == ""
