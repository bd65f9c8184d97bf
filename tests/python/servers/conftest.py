"""The kernel of simulated servers."""

import pytest

from spinach_nic.servers import linux


@pytest.fixture(scope="session")
def kernel() -> linux.Linux:
    """Return the kernel and initramfs that `make linux` built; skip without them."""
    if (kept := linux.kept()) is None:
        pytest.skip("there is no kernel for the server: `make linux` builds it")
    return kept
