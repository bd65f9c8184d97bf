"""Every shipped experiment runs, in a reduced form."""

from typing import Any

import pytest

from spinach_nic.report import report
from spinach_nic.reproduction import Carried, Extent, Request, reproduce, shipped_experiments

REDUCED = Extent("reduced", share_of_frames=0.0, largest_selection=2)


@pytest.fixture(scope="module")
def known() -> dict[Request[Any], Carried]:
    """What was run before: experiments share most of their runs."""
    return {}


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", list(shipped_experiments()))
def test_rows_have_the_declared_columns_and_claims_are_decided(
    name: str, known: dict[Request[Any], Carried]
) -> None:
    (it,) = reproduce([shipped_experiments()[name]], extent=REDUCED, known=known)
    assert it.failure is None
    assert it.rows
    columns = {column.name for column in (*it.experiment.key, *it.experiment.measured)}
    for row in it.rows:
        assert set(row) == columns
    keys = [tuple(row[column.name] for column in it.experiment.key) for row in it.rows]
    assert len(set(keys)) == len(keys)
    for claim in it.claims:
        assert claim.text
        assert claim.figure == claim.figure  # no claim is decided by a figure that is not there
    text = report([it], asked=1)
    assert f'<section id="{name}">' in text
    assert ("<svg" in text) == ("figure" in name)
    assert all(claim.criterion in text for claim in it.claims)
