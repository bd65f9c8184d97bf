"""`spinach docs` opens the book, or prints its path."""

import webbrowser
from pathlib import Path

import pytest

from spinach_nic import cli
from spinach_nic.cli import docs


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the first page of a built book."""
    page = tmp_path / "index.html"
    page.write_text("<html>")
    monkeypatch.setattr(docs, "book", lambda: tmp_path)
    return page


@pytest.mark.parametrize(("has_browser", "shown"), [(True, False), (False, True)])
def test_the_path_is_printed_without_a_browser(
    page: Path,
    has_browser: bool,
    shown: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    opened: list[str] = []

    def open_page(address: str) -> bool:
        opened.append(address)
        return has_browser

    monkeypatch.setattr(webbrowser, "open", open_page)
    assert cli.carry_out(["docs"]) == 0
    assert opened == [page.as_uri()]
    assert capsys.readouterr().out == (f"{page}\n" if shown else "")


def test_with_path_nothing_is_opened(
    page: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda _: pytest.fail("opened"))
    assert cli.carry_out(["docs", "--path"]) == 0
    assert capsys.readouterr().out == f"{page}\n"


def test_a_book_that_is_not_built_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(docs, "BOOK", tmp_path / "none")
    assert cli.carry_out(["docs"]) == 2
    assert "run `make docs`" in capsys.readouterr().err
