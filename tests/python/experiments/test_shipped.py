"""Every shipped experiment runs, in a reduced form."""

import pytest

from spinach_nic.report import report
from spinach_nic.reproduction import Extent, Reproduction, reproduce, shipped_experiments

REDUCED = Extent("reduced", share_of_frames=0.0, largest_selection=2)


@pytest.fixture(scope="module")
def reproductions() -> dict[str, Reproduction]:
    """All of them at once: they share most of their runs."""
    shipped = shipped_experiments()
    return {it.experiment.name: it for it in reproduce(list(shipped.values()), extent=REDUCED, jobs=2)}


@pytest.mark.slow
@pytest.mark.parametrize("name", list(shipped_experiments()))
def test_rows_have_the_declared_columns_and_claims_are_decided(
    name: str, reproductions: dict[str, Reproduction]
) -> None:
    it = reproductions[name]
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


@pytest.mark.slow
def test_all_in_one_report(reproductions: dict[str, Reproduction]) -> None:
    text = report(list(reproductions.values()), asked=len(reproductions))
    for name, it in reproductions.items():
        assert f'<section id="{name}">' in text
        assert text.count("<svg") >= 1
        assert all(claim.criterion in text for claim in it.claims)
