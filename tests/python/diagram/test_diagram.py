"""A block diagram shows every part once, arrays as stacks, crossings as edges, and overlaps nothing."""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise
from math import atan2, pi
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.python.runs.systems import Wires

from spinach_nic import cli, simulate
from spinach_nic.benches import Bench, make_bench
from spinach_nic.cards.tengig import Tengig
from spinach_nic.report.diagram import (
    BlockDiagram,
    Layout,
    Rectangle,
    activities,
    block_diagram,
    draw,
    draw_nic,
    draw_run,
    lay_out,
)
from spinach_nic.report.diagram.drawing import BUSY
from spinach_nic.report.diagram.layout import Point
from spinach_nic.runs import execute
from spinach_nic.support.pictures import write_picture
from spinach_nic.support.units import ns

SVG = "{http://www.w3.org/2000/svg}"


NICS: dict[str, Callable[[], Bench]] = {
    "tengig": lambda: make_bench(Tengig(cores=3)),
    "tigon2": lambda: make_bench("tigon2"),
    "ricenic": lambda: make_bench("ricenic"),
}


def drawn(nic: Bench) -> tuple[BlockDiagram, Layout]:
    simulation, probes = simulate(nic), nic.probes()
    diagram = block_diagram(nic, simulation)
    host, *wire = (
        diagram.block_of[module.path] for module in (probes.tx.source, probes.tx.sink, probes.rx.source)
    )
    return diagram, lay_out(diagram, host, wire)


@pytest.fixture(scope="module")
def laid_out() -> dict[str, tuple[BlockDiagram, Layout]]:
    return {name: drawn(make()) for name, make in NICS.items()}


@pytest.fixture(scope="module")
def tengig(laid_out: dict[str, tuple[BlockDiagram, Layout]]) -> BlockDiagram:
    return laid_out["tengig"][0]


def around(diagram: BlockDiagram, path: str) -> set[str]:
    """A block, and the boxes that it is in."""
    found, box = {path}, diagram.blocks[path].box
    while box:
        found.add(box)
        box = diagram.boxes[box].outer
    return found


def points_of(line: Sequence[Point]) -> Iterator[Point]:
    """Many points of a line of cubic curves."""
    for start in range(0, len(line) - 3, 3):
        a, b, c, d = line[start : start + 4]
        for step in range(33):
            t = step / 32
            weights = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3)
            x, y = (
                sum(weight * point[axis] for weight, point in zip(weights, (a, b, c, d), strict=True))
                for axis in (0, 1)
            )
            yield x, y


def is_inside(point: Point, place: Rectangle) -> bool:
    x, y = point[0] - place.left, point[1] - place.top
    return 1 < x < place.width - 1 and 1 < y < place.height - 1


def test_arrays_are_one_block_with_a_count(tengig: BlockDiagram) -> None:
    assert tengig.boxes["processor"].count == 3
    assert tengig.blocks["processor.model"].count == 1
    assert len(tengig.blocks["processor.model"].modules) == 3
    assert tengig.blocks["scratch_pad.bank"].count == 4
    assert tengig.blocks["host"].count == 1


def test_every_module_is_in_a_block_or_a_crossing(
    laid_out: dict[str, tuple[BlockDiagram, Layout]],
) -> None:
    for name, make in NICS.items():
        diagram, nic = laid_out[name][0], make()
        inside = [path for block in diagram.blocks.values() for path in block.modules]
        assert len(inside) == len({*inside})
        for module in simulate(nic).module_domains():
            assert (module in inside) == (diagram.block_of[module] in diagram.blocks)


def test_blocks_stand_in_their_clock_domains(tengig: BlockDiagram) -> None:
    domains = {name: block.domain for name, block in tengig.blocks.items()}
    assert domains["host"] == "host"
    assert domains["scratch_pad.crossbar"] == "core"
    assert domains["frame_memory.controller"] == "memory"
    assert domains["sink"] == "mac"
    assert set(domains.values()) == set(tengig.domains)


def test_crossings_are_edges_and_notes_for_measurement_are_not_drawn(tengig: BlockDiagram) -> None:
    assert not {"transmit_crossing", "doorbell", "notes"} & set(tengig.blocks)
    links = {(link.first, link.second): link for link in tengig.links}
    assert links["mac_transmit", "transmit_link"].is_crossing
    assert links["scratch_pad.crossbar", "host"].is_crossing
    assert not links["processor.model", "scratch_pad.crossbar"].is_crossing
    assert ("host", "sink") not in links


@pytest.mark.parametrize("name", NICS)
def test_boxes_nest_and_nothing_overlaps(laid_out: dict[str, tuple[BlockDiagram, Layout]], name: str) -> None:
    diagram, layout = laid_out[name]
    assert layout.boxes, "a NIC has parts with parts"
    for path, place in layout.blocks.items():
        for box, frame in layout.boxes.items():
            corners = (
                (place.left, place.top),
                (place.left + place.width, place.top),
                (place.left, place.top + place.height),
                (place.left + place.width, place.top + place.height),
            )
            inside = {is_inside(corner, frame) for corner in corners}
            assert inside == {box in around(diagram, path)}
    for one, other in combinations(layout.blocks.values(), 2):
        apart_x = abs(one.left - other.left) >= one.width
        apart_y = abs(one.top - other.top) >= one.height
        assert apart_x or apart_y


@pytest.mark.parametrize("name", NICS)
def test_no_line_crosses_a_box_that_it_does_not_lead_into(
    laid_out: dict[str, tuple[BlockDiagram, Layout]], name: str
) -> None:
    diagram, layout = laid_out[name]
    assert len(layout.lines) == len(diagram.links)
    for link, line in layout.lines:
        allowed = around(diagram, link.first) | around(diagram, link.second)
        others = {
            path: place for path, place in {**layout.blocks, **layout.boxes}.items() if path not in allowed
        }
        for point in points_of(line):
            for path, place in others.items():
                assert not is_inside(point, place), f"{link.first} to {link.second} crosses {path}"


@pytest.mark.parametrize("name", NICS)
def test_a_line_shares_its_way_with_one_other_at_most(
    laid_out: dict[str, tuple[BlockDiagram, Layout]], name: str
) -> None:
    """Apart from where lines meet at a block: there they come together."""
    _, layout = laid_out[name]
    cells: dict[tuple[int, int, int], set[int]] = {}
    for number, (_, line) in enumerate(layout.lines):
        points = list(points_of(line))
        for (x, y), (after_x, after_y) in pairwise(points):
            if any(is_near((x, y), place) for place in layout.blocks.values()):
                continue
            direction = round(atan2(after_y - y, after_x - x) % pi * 16 / pi) % 16
            cells.setdefault((round(x / 2), round(y / 2), direction), set()).add(number)
    assert max(map(len, cells.values())) <= 2


def is_near(point: Point, place: Rectangle) -> bool:
    reach = 24
    return is_inside(
        point,
        Rectangle(place.left - reach, place.top - reach, place.width + 2 * reach, place.height + 2 * reach),
    )


@pytest.mark.parametrize("name", NICS)
def test_it_fits_a_page(laid_out: dict[str, tuple[BlockDiagram, Layout]], name: str) -> None:
    """On A4 across, 277 mm by 190 mm between margins, text of 12 units stays larger than 5 points."""
    _, layout = laid_out[name]
    millimetres_per_unit = min(277 / (layout.width + 32), 190 / (layout.height + 150))
    assert 12 * millimetres_per_unit * 72 / 25.4 > 5


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


def test_after_a_run_blocks_show_how_busy_they_were() -> None:
    finished = execute("tengig", frames=700, set={"cores": 3})
    session, result = finished.session, finished.result
    window = session.measured()
    nic = session.bench
    diagram = block_diagram(nic, session.simulation)
    did = activities(diagram, session.simulation, session.probes, window)
    assert result.cores_mean is not None
    cores = did["processor.model"]
    assert cores.busy == pytest.approx(result.cores_mean.cycles["execution"], abs=1e-6)
    assert cores.busy + cores.stalled == pytest.approx(1, abs=1e-6)
    memory = result.memories["frame_memory"]
    assert did["frame_memory.contents"].busy == pytest.approx(memory.gbps / memory.peak_gbps, rel=1e-6)
    for path, wire_gbps in (
        ("mac_transmit", result.tx.rate("wire_gbps")),
        ("transmit_link", result.tx.rate("wire_gbps")),
        ("mac_receive", result.rx.rate("wire_gbps")),
    ):
        # Frames that are under way when the window begins or ends.
        assert did[path].busy == pytest.approx(wire_gbps / 10, rel=0.02)
    crossbar = window.inside("scratch_pad.crossbar")
    cycles = float(window.time / ns(1)) * 166e-3
    targets, initiators = (
        4 + 2,
        3 + 4 + 1,
    )  # banks, registers and what lies outside; cores, assists, doorbells
    passed, refused = crossbar["references"] / cycles, crossbar["conflict_cycles"] / cycles
    assert did["scratch_pad.crossbar"].busy == pytest.approx(passed / targets, rel=1e-3)
    assert did["scratch_pad.crossbar"].stalled == pytest.approx(refused / initiators, rel=1e-3)
    svg = ElementTree.fromstring(draw_run(nic, session.simulation, window))
    fills = [shape.attrib.get("fill") for shape in svg.iter(f"{SVG}rect")]
    assert fills.count(BUSY) >= 3


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
        assert "use the ending .svg, .png or .pdf" in capsys.readouterr().err
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


def test_every_output_is_written_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    svg, pdf = tmp_path / "a.svg", tmp_path / "b.pdf"
    assert cli.carry_out(["graph", "tengig", "-o", str(svg), "-o", str(pdf)]) == 0
    assert svg.read_text().startswith("<")
    assert pdf.read_bytes().startswith(b"%PDF")
    assert cli.carry_out(["graph", "tengig", "-o", str(svg), "-o", str(svg)]) == 2
    assert "is the same file" in capsys.readouterr().err
