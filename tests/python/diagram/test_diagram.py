"""A block diagram shows every part once, arrays as stacks, crossings as edges, and overlaps nothing."""

from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.python.running.systems import Wires

from spinach_nic import cli, simulate
from spinach_nic.diagram import BlockDiagram, block_diagram, draw, draw_nic, lay_out
from spinach_nic.nics.tengig import Tengig
from spinach_nic.pictures import write_picture

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def tengig() -> BlockDiagram:
    nic = Tengig(cores=3)
    return block_diagram(nic, simulate(nic))


def test_arrays_are_one_block_with_a_count(tengig: BlockDiagram) -> None:
    assert tengig.blocks["processor"].count == 3
    assert len(tengig.blocks["processor"].modules) == 6
    assert tengig.blocks["host"].count == 1


def test_blocks_stand_in_their_clock_domains(tengig: BlockDiagram) -> None:
    domains = {name: block.domain for name, block in tengig.blocks.items()}
    assert domains["host"] == "host"
    assert domains["scratch_pad"] == "core"
    assert domains["frame_memory"] == "memory"
    assert domains["sink"] == "mac"
    assert set(domains.values()) == set(tengig.domains)


def test_crossings_are_edges_and_notes_for_measurement_are_not_drawn(tengig: BlockDiagram) -> None:
    assert not {"transmit_crossing", "doorbell", "notes"} & set(tengig.blocks)
    links = {(link.first, link.second): link for link in tengig.links}
    assert links["mac_transmit", "transmit_link"].is_crossing
    assert links["scratch_pad", "host"].is_crossing
    assert not links["processor", "scratch_pad"].is_crossing
    assert ("host", "sink") not in links


def test_no_two_blocks_share_a_place_and_the_host_is_left_of_the_wire(tengig: BlockDiagram) -> None:
    layout = lay_out(tengig, "host", ["sink", "network"])
    seen = [(tengig.blocks[name].domain, place) for name, place in layout.places.items()]
    assert all(one != other for one, other in combinations(seen, 2))
    assert layout.places["host"].column == 0
    assert layout.places["sink"].column == layout.places["network"].column == layout.columns - 1
    for domain, place in seen:
        assert place.row < layout.lanes[domain]


def test_the_drawing_is_xml_inside_its_size_and_the_same_every_time(tengig: BlockDiagram) -> None:
    layout = lay_out(tengig, "host", ["sink", "network"])
    text = draw(tengig, layout, "A <title> & more")
    assert text == draw(tengig, layout, "A <title> & more")
    svg = ElementTree.fromstring(text)
    width, height = float(svg.attrib["width"]), float(svg.attrib["height"])
    for shape in svg.iter(f"{SVG}rect"):
        box = {name: float(shape.attrib.get(name, 0)) for name in ("x", "y", "width", "height")}
        assert box["x"] >= 0
        assert box["y"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= height
    words = [text.text for text in svg.iter(f"{SVG}text")]
    assert "A <title> & more" in words
    assert "processor [0..2]" in words
    assert "clock core, 166 MHz" in words


def test_any_nic_can_be_drawn() -> None:
    assert "Two links" in draw_nic(Wires())


def test_the_command_writes_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "tengig.svg"
    assert cli.carry_out(["graph", "tengig", "--set", "cores=8", "-o", str(out)]) == 0
    assert "processor [0..7]" in out.read_text()
    assert cli.carry_out(["graph", "tengig", "-o", str(tmp_path / "missing" / "x.svg")]) == 2
    assert "cannot write" in capsys.readouterr().err


def test_pictures_have_the_format_of_their_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for ending, start in ((".png", b"\x89PNG\r\n"), (".pdf", b"%PDF-"), (".SVG", b"<svg ")):
        out = tmp_path / f"tengig{ending}"
        assert cli.carry_out(["graph", "tengig", "-o", str(out)]) == 0
        assert out.read_bytes().startswith(start)
    for name in ("tengig.gif", "tengig"):
        assert cli.carry_out(["graph", "tengig", "-o", str(tmp_path / name)]) == 2
        assert "give it the ending .svg, .png or .pdf" in capsys.readouterr().err
        assert not (tmp_path / name).exists()


def test_a_png_shows_what_the_drawing_says(tmp_path: Path) -> None:
    from matplotlib.image import imread

    drawing = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20">'
        '<rect width="40" height="20" fill="white"/><rect x="10" y="2" width="20" height="6" fill="#ff0000"/>'
        '<path d="M0,15 C10,15 30,15 40,15" fill="none" stroke="#0000ff" stroke-width="2"/></svg>'
    )
    write_picture(tmp_path / "x.png", drawing)
    pixels = imread(tmp_path / "x.png")[:, :, :3]
    assert pixels.shape == (40, 80, 3)  # two for one
    seen = {place: tuple(pixels[place].round().astype(int)) for place in ((2, 2), (10, 40), (30, 40))}
    assert seen == {(2, 2): (1, 1, 1), (10, 40): (1, 0, 0), (30, 40): (0, 0, 1)}
