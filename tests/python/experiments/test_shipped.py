"""Every shipped experiment runs, in a reduced form."""

import re
from pathlib import Path
from typing import Any

import pytest

from spinach_nic.experiments._ordering import averaged, growth, saved
from spinach_nic.experiments.runner import (
    ERROR,
    Carried,
    Experiment,
    Extent,
    Request,
    at_least,
    reproduce,
    shipped_experiments,
)
from spinach_nic.experiments.runner.report import report

CLAIMS = Path(__file__).parents[3] / "docs" / "claims.md"
WITHOUT_RECORD = re.compile(r"thesis-figure-3\.\d|thesis-tigon2-pointers")
"""Their failing claims are in a separate table, in words."""
COUNTED = {
    "the 10 Gb/s NIC and its firmware": re.compile("hpca05-|thesis-|vliw-|tengig-"),
    "SINIC, figures 1 to 6": re.compile("sinic-figure-"),
    "RiceNIC": re.compile("ricenic-"),
}
"""Names of experiments by row of the counts."""
TOO_SHORT = {
    "hpca05-figure-7": {"six cores at 200 MHz are within 1 % of line rate"},
    "hpca05-figure-8": {
        "software ordering at 200 MHz reaches line rate with the longest frames",
        "`set` and `update` at 166 MHz do too",
    },
    "hpca05-table-5": {
        "software ordering at 200 MHz reaches line rate",
        "`set` and `update` at 166 MHz reach 99 % of line rate",
    },
    "hpca05-table-6": {
        "software ordering at 200 MHz reaches line rate",
        "`set` and `update` at 166 MHz reach 99 % of line rate",
    },
    # Streams are still in their slow start.
    "ricenic-nat-tcp": {
        "outgoing streams are within 3 % of the limit",
        "incoming streams are, too",
        "the card drops no frame",
    },
    "sinic-figure-5": {"SINIC has practically no misses with 8192 KiB"},
    "thesis-figure-4.8": {"a single core at 800 MHz reaches line rate"},
    "thesis-figure-4.7": {
        "the optimized firmware carries no fewer frames of any size",
        "the base firmware sends fewer of the smallest frames than of larger ones",
    },
    "thesis-figure-4.10": {
        "sending lags behind when the system is heavily loaded: at the lowest clock, on average over "
        "all numbers of cores",
        "it does not when the link is full",
    },
    "thesis-figure-4.11": {"eight cores take more power than six"},
}
"""Claims that hold or are undecided, but not in windows as short, or for so few points, as here."""

EXPECTATION = " (our expectation)"
"""Mark of a criterion in docs/claims.md whose claim is an expectation."""

REDUCED = Extent("reduced", share_of_frames=0.0, largest_selection=1)
"""Only the points that claims need, so an experiment whose claims need one that it does not name fails."""


@pytest.fixture(scope="module")
def known() -> dict[Request[Any], Carried]:
    """Cache of outcomes: experiments share most of their runs."""
    return {}


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", list(shipped_experiments()))
def test_rows_have_the_declared_columns_and_claims_are_decided(
    name: str, known: dict[Request[Any], Carried]
) -> None:
    if missing := shipped_experiments()[name].missing():
        pytest.skip(missing)
    (it,) = reproduce([shipped_experiments()[name]], extent=REDUCED, known=known)
    assert it.failure is None
    assert it.rows
    columns = {column.name for column in (*it.experiment.key, *it.experiment.measured)}
    for row in it.rows:
        assert {name for name in row if not name.endswith(ERROR)} == columns
    keys = [tuple(row[column.name] for column in it.experiment.key) for row in it.rows]
    assert len(set(keys)) == len(keys)
    for claim in it.claims:
        assert claim.text
        assert claim.figure == claim.figure  # no claim is decided by a figure that is not there
    text = report([it], asked=1)
    assert f'<section id="{name}">' in text
    assert ("<svg" in text) == (type(it.experiment).plot is not Experiment.plot)
    assert all(claim.criterion in text for claim in it.claims)
    recorded = recorded_claims(name)
    made = {claim.text: claim.criterion + EXPECTATION * claim.own for claim in it.claims}
    assert recorded.items() <= made.items(), "docs/claims.md has a claim or criterion that is not made"
    if name.startswith("hundredgig") and name != "hundredgig-pcie":
        assert all(claim.own for claim in it.claims)
    if not WITHOUT_RECORD.fullmatch(name):
        failing = {claim.text for claim in it.claims if claim.verdict == "does not hold"}
        unknown = failing - set(recorded) - TOO_SHORT.get(name, set())
        assert not unknown, "docs/claims.md gives no cause for a claim that does not hold"


def recorded_claims(name: str) -> dict[str, str]:
    """The criteria of the claims of an experiment that are known not to hold, by claim."""
    row = rf"^\| `{re.escape(name)}` \| ([^|]+) \| [^|]+ \| ([^|]+) \| \d"
    return dict(re.findall(row, CLAIMS.read_text(), re.MULTILINE))


def test_every_claim_that_does_not_hold_has_a_cause_that_is_tested_or_not_known() -> None:
    lines = re.findall(r"^\| `.*$", CLAIMS.read_text(), re.MULTILINE)
    claims = [re.fullmatch(r"\| `(\S+)` \| .+ \| \S+ \| .+ \| (\d+) \| (.+) \|", line) for line in lines]
    deviations = (CLAIMS.parent / "deviations.md").read_text()
    rows = re.findall(r"^\| (\d+) \| .+ \| ([^|]+) \| \w+ \|$", deviations, re.MULTILINE)
    tested = {number: how_tested(run) for number, run in rows}
    assert len(tested) == len(rows) == len(re.findall(r"^\| \d+ \|", deviations, re.MULTILINE))
    assert len(lines) > 50
    assert all(claim is not None for claim in claims)
    for claim in filter(None, claims):
        assert claim[1] in shipped_experiments()
        assert tested[claim[2]] == claim[3], f"the cause {claim[2]} of {claim[1]} is {tested[claim[2]]}"


def how_tested(run: str) -> str:
    """Return whether a cause is tested, by the run that deviations.md names for it."""
    if run.startswith("not known"):
        return "not known"
    assert "not tested" not in run, f"a cause without a test is not known: {run}"
    return "in part" if "not known" in run else "choice" if run == "-" else "tested"


def test_the_counted_claims_are_those_of_the_lists() -> None:
    text = CLAIMS.read_text()
    counts = re.findall(r"^\| ([^|]+) \| \d+ \| (\d+) \| (\d+) \| [^|]+ \|$", text, re.MULTILINE)
    text = re.sub(rf"^.*{re.escape(EXPECTATION)} \|.*$", "", text, flags=re.MULTILINE)
    failing = re.findall(r"^\| `([^`|]+)` \|", text, re.MULTILINE)
    undecided = re.findall(r"^\| [^`|][^|]* \| `([^`|]+)` \| [^|]+ \| [^|]+ \|$", text, re.MULTILINE)
    assert len(counts) == len(COUNTED)
    for group, failing_count, undecided_count in counts:
        names = COUNTED[group]
        assert sum(bool(names.match(name)) for name in failing) == int(failing_count), group
        assert sum(bool(names.match(name)) for name in undecided) == int(undecided_count), group
    assert all(any(names.match(name) for names in COUNTED.values()) for name in failing)


def test_savings_of_set_and_update_compare_equal_clocks() -> None:
    rows = averaged(
        [
            {"ordering": ordering, "core_clock_mhz": clock, "task": "send_locking", "cycles": clock + noise}
            for ordering in ("software_only", "rmw")
            for clock in (166, 200)
            for noise in (-1.0, 0.0, 1.0)
        ]
    )
    assert [saved(rows, "send_locking", "cycles", clock).value for clock in (166, 200)] == [0, 0]
    assert at_least("", growth(rows, "send_locking", "cycles", 200), 1).undecided
