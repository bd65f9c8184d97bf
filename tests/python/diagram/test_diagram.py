"""A block diagram shows every part once, arrays as stacks, crossings as edges, and overlaps nothing."""

from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.python.running.systems import Wires

from spinach_nic import cli, simulate
from spinach_nic.diagram import BlockDiagram, block_diagram, draw, draw_nic, lay_out
from spinach_nic.nics.tengig import Tengig

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
