import re
from importlib import metadata

import spinach_nic
from spinach_nic import _native


def test_one_version_for_the_distribution_the_package_and_the_engine() -> None:
    assert spinach_nic.__version__ == _native.version() == metadata.version("spinach-nic")
    assert re.fullmatch(r"\d+\.\d+\.\d+", spinach_nic.__version__)
