"""The page that a run writes."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

import spinach_nic
from spinach_nic.cli import carry_out
from spinach_nic.report.latencies import joined
from spinach_nic.report.runs import verdict
from spinach_nic.runs.result import Result
from spinach_nic.runs.session import Samples


class Page(HTMLParser):
    """Collects the rows of tables by the heading above them; refuses what is not closed."""

    def __init__(self, text: str) -> None:
        """Parse this page."""
        super().__init__()
        self.open: list[str] = []
        self.heading, self.text = "", ""
        self.rows: dict[str, list[list[str]]] = {}
        self.exact: dict[str, list[float]] = {}
        """Values behind rounded ones, by the first cell of their row."""
        self.pictures = 0
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "span":
            subject = self.rows[self.heading][-1][0]
            self.exact.setdefault(subject, []).append(float(dict(attrs)["title"] or ""))
        if tag not in ("meta", "br"):
            self.open.append(tag)
        self.text = ""
        if tag == "tr":
            self.rows.setdefault(self.heading, []).append([])
        self.pictures += tag == "svg"

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        if tag == "h2":
            self.heading = self.text
        elif tag in ("td", "th"):
            self.rows[self.heading][-1].append(self.text)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_report_says_what_was_run_and_what_came_of_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file, document = tmp_path / "run.html", tmp_path / "run.json"
    words = ["--set", "cores=2", "--frames", "60", "--quiet", "--report", str(file), "--json", str(document)]
    assert carry_out(["run", "tengig", *words]) == 0
    text = file.read_text()
    result = Result.read(document)
    page = Page(text)
    assert ["cores", "6", "2"] in page.rows["What differs from the default"]
    assert len(page.rows["What differs from the default"]) == 2
    assert ["frames delivered", "60", "60"] in page.rows["Traffic"]
    assert [row[0] for row in page.rows["Where the cycles went"][1:]] == ["0", "1", "mean"]
    assert len(page.rows["Tasks"]) == len(result.tasks) + 1
    assert page.pictures == 4
    assert "stalled" in text
    assert result.rx.latency_ns is not None
    assert sum(count for _, count in result.rx.latency_ns.distribution) == 60
    assert verdict(result) in text.replace("&#39;", "'")
    # It needs nothing from elsewhere.
    assert not re.search(r'(src|href)="(?!#)', text)
    assert set(re.findall(r"https?://[^\"' )]+", text)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
        "http://purl.org/dc/elements/1.1/",
        "http://creativecommons.org/ns#",
        "http://purl.org/dc/dcmitype/StillImage",
    }
    assert capfd.readouterr().out == ""


def test_comparisons_and_explanations_are_pages_too(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    results = {cores: spinach_nic.run("tengig", set={"cores": cores}, frames=100) for cores in ("2", "4")}
    for cores, result in results.items():
        (tmp_path / f"{cores}.json").write_text(result.to_json())
    page_file = tmp_path / "compared.html"
    words = [str(tmp_path / "2.json"), str(tmp_path / "4.json"), "--report", str(page_file)]
    assert carry_out(["compare", *words]) == 0
    page = Page(page_file.read_text())
    assert page.rows["What was asked differently"][0] == ["", "2.json", "4.json"]
    assert ["cores", "2", "4"] in page.rows["What was asked differently"]
    wire = [row for row in page.rows["All results that differ"] if row[0] == "tx.wire_gbps"]
    assert page.exact["tx.wire_gbps"] == pytest.approx(
        [result.tx.wire_gbps for result in results.values()], rel=1e-5
    )
    assert wire[0][1:3] == [str(result.tx.measured("wire_gbps")) for result in results.values()]
    assert page.pictures == 3
    page_file = tmp_path / "explained.html"
    words = ["--frames", "100", "--vary", "core_clock", "--vary", "banks", "--jobs", "1", "--quiet"]
    assert carry_out(["explain", "tengig", *words, "--report", str(page_file)]) == 0
    page = Page(page_file.read_text())
    rows = page.rows["Effect of a percent more of each parameter"]
    assert {row[0] for row in rows[1:]} == {"core_clock", "banks"}
    assert capfd.readouterr().err == ""
    assert (
        carry_out(["compare", str(tmp_path / "2.json"), str(tmp_path / "2.json"), "--report", "/no/x"]) == 2
    )


def test_latencies_are_joined_to_bars_of_equal_width() -> None:
    found = [(10_000 + 37 * number, 1 + number % 3) for number in range(500)]
    edges, heights = joined(found)
    assert sum(heights) == sum(count for _, count in found)
    assert edges[0] == 10.0
    assert edges[-1] == pytest.approx(found[-1][0] / 1e3)
    assert joined([(64, 7)])[1][0] == 7


def test_a_report_names_the_bottleneck() -> None:
    result = spinach_nic.run("tengig", set={"cores": "1", "core_clock": "100MHz"}, frames=700)
    assert verdict(result).startswith("The bottleneck is the cores: they idle ")
    full = replace(result.tx, line_rate_fraction=0.999), replace(result.rx, line_rate_fraction=0.999)
    assert verdict(msgspec.structs.replace(result, tx=full[0], rx=full[1])).startswith(
        "The bottleneck is the link: "
    )
    assert "is not complete" in verdict(msgspec.structs.replace(result, complete=False))


def test_a_long_run_keeps_no_more_samples_than_a_short_one() -> None:
    samples = Samples()
    for number in range(50_000):
        samples.take(7 * number, {})
    times = [sample.time_ns for sample in samples.taken]
    assert Samples.MOST / 4 < len(times) <= Samples.MOST
    assert times == sorted(times)
    assert times[0] == 0
    assert times[-1] > 7 * 49_000
