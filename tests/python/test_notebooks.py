"""The notebooks run, and show what they are kept with and what the book has of them."""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import spinach_nic
from spinach_nic.benches import make_bench
from spinach_nic.generate.notebooks import executed, notebook_pages, shown
from spinach_nic.runs.profiling import profile
from spinach_nic.studies.sweeping import sweep

FOLDER = Path(__file__).parents[2] / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))

needs_jupyter = pytest.mark.skipif(
    find_spec("nbclient") is None or find_spec("ipykernel") is None,
    reason="nbclient or ipykernel is not installed",
)


def test_there_are_four() -> None:
    assert [file.stem for file in NOTEBOOKS] == ["design_space", "first_firmware", "first_nic", "rates"]


@needs_jupyter
@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_shows_what_it_is_kept_with(file: Path) -> None:
    kept = json.loads(file.read_text())
    assert shown(executed(file)) == shown(kept)


def test_the_exploration_has_ten_cells_of_code() -> None:
    cells: list[dict[str, Any]] = json.loads(NOTEBOOKS[0].read_text())["cells"]
    assert sum(cell["cell_type"] == "code" for cell in cells) == 10


def test_pages_hold_text_code_and_what_is_shown() -> None:
    pages = notebook_pages(FOLDER)
    for file in NOTEBOOKS:
        page = pages[f"{file.stem}.md"]
        for cell in json.loads(file.read_text())["cells"]:
            assert "".join(cell["source"]) in page
    assert pages["design_space.md"].count(".svg)") == 4
    assert all(text.lstrip().startswith(("<?xml", "<svg")) for name, text in pages.items() if ".svg" in name)


def test_values_show_themselves(tmp_path: Path) -> None:
    result = spinach_nic.run("tengig", frames=100)
    shown = f"{result.tx.rate('line_rate_fraction'):.1%} ±"
    assert f'<td style="text-align: right">{shown}' in result._repr_html_()
    profiled = profile("tengig", frames=60)
    assert profiled.functions[0].function in profiled._repr_html_()
    swept = sweep("tengig", vary={"cores": [1, 2]}, frames=100)
    assert swept._repr_html_().count("<tr>") == 3
    assert swept.plot("cores", "tx.wire_gbps")._repr_svg_().rstrip().endswith("</svg>")
    nic = make_bench("tengig")
    assert "processor [0..5]" in nic._repr_svg_()
    nic.set("cores", 2)  # it is still to be built
    assert "processor [0..1]" in nic._repr_svg_()
