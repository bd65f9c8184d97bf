"""A block diagram as SVG."""

from __future__ import annotations

from xml.etree import ElementTree

from spinach_nic.diagram.blocks import Block, BlockDiagram, Link
from spinach_nic.diagram.layout import Layout

BLOCK_WIDTH, BLOCK_HEIGHT = 158, 46
COLUMN_GAP, ROW_GAP = 46, 18
LANE_PADDING, LANE_GAP, LABEL_HEIGHT = 14, 10, 20
MARGIN, TITLE_HEIGHT = 16, 34
STACK_STEP = 4
"""By how much the sheets of a stack are apart, which stands for an array of parts."""

SHADES = ("#e8f1fb", "#fdf1df", "#e9f6ea", "#f6e9f4", "#eef0f2", "#fbeaea", "#eaf6f6", "#f5f3e3")
"""Of the lanes, one for each clock domain."""

Point = tuple[float, float]


def draw(diagram: BlockDiagram, layout: Layout, title: str) -> str:
    """The diagram as the text of an SVG file."""
    return _Drawing(diagram, layout, title).text()


class _Drawing:
    def __init__(self, diagram: BlockDiagram, layout: Layout, title: str) -> None:
        self._diagram, self._layout = diagram, layout
        self._tops: dict[str, float] = {}
        top = float(MARGIN + TITLE_HEIGHT)
        for lane, rows in layout.lanes.items():
            self._tops[lane] = top
            top += self._lane_height(rows) + LANE_GAP
        width = 2 * (MARGIN + LANE_PADDING) + layout.columns * (BLOCK_WIDTH + COLUMN_GAP) - COLUMN_GAP
        size = {"width": f"{width}", "height": f"{top - LANE_GAP + MARGIN:g}"}
        self._width = width
        self._svg = ElementTree.Element(
            "svg",
            {"xmlns": "http://www.w3.org/2000/svg", **size, "font-family": "system-ui, sans-serif"},
        )
        self._add("rect", fill="white", **size)
        self._text(title, (MARGIN, MARGIN + 14), size=16, weight="bold")
        for shade, lane in enumerate(layout.lanes):
            self._lane(lane, SHADES[shade % len(SHADES)])
        for link in diagram.links:
            self._link(link)
        for block in diagram.blocks.values():
            self._block(block)

    def text(self) -> str:
        ElementTree.indent(self._svg)
        return ElementTree.tostring(self._svg, encoding="unicode") + "\n"

    @staticmethod
    def _lane_height(rows: int) -> float:
        return LABEL_HEIGHT + 2 * LANE_PADDING + rows * (BLOCK_HEIGHT + ROW_GAP) - ROW_GAP

    def _add(self, tag: str, **attributes: str) -> ElementTree.Element:
        named = {name.replace("_", "-"): value for name, value in attributes.items()}
        return ElementTree.SubElement(self._svg, tag, named)

    def _text(
        self, text: str, at: Point, *, size: int, weight: str = "normal", anchor: str = "start"
    ) -> None:
        style = {"font_size": f"{size}", "font_weight": weight, "text_anchor": anchor, "fill": "#222"}
        self._add("text", x=f"{at[0]:g}", y=f"{at[1]:g}", **style).text = text

    def _lane(self, lane: str, shade: str) -> None:
        height = self._lane_height(self._layout.lanes[lane])
        place = {"x": f"{MARGIN}", "y": f"{self._tops[lane]:g}", "rx": "8"}
        size = {"width": f"{self._width - 2 * MARGIN}", "height": f"{height:g}"}
        self._add("rect", fill=shade, **place, **size)
        label = f"clock {lane}, {self._diagram.domains[lane]}"
        self._text(label, (MARGIN + LANE_PADDING, self._tops[lane] + 17), size=12)

    def _corner(self, name: str) -> Point:
        place = self._layout.places[name]
        top = self._tops[self._diagram.blocks[name].domain] + LABEL_HEIGHT + LANE_PADDING
        left = MARGIN + LANE_PADDING + place.column * (BLOCK_WIDTH + COLUMN_GAP)
        return left, top + place.row * (BLOCK_HEIGHT + ROW_GAP)

    def _block(self, block: Block) -> None:
        left, top = self._corner(block.name)
        for sheet in reversed(range(min(block.count, 3))):
            shape = self._add(
                "rect",
                x=f"{left + sheet * STACK_STEP:g}",
                y=f"{top - sheet * STACK_STEP:g}",
                width=f"{BLOCK_WIDTH}",
                height=f"{BLOCK_HEIGHT}",
                rx="4",
                fill="white",
                stroke="#445",
            )
        ElementTree.SubElement(shape, "title").text = "\n".join(block.modules)
        name = block.name.replace("_", " ") + (f" [0..{block.count - 1}]" if block.count > 1 else "")
        middle = left + BLOCK_WIDTH / 2
        self._text(name, (middle, top + 20), size=13, weight="bold", anchor="middle")
        self._text(block.kind, (middle, top + 36), size=11, anchor="middle")

    def _link(self, link: Link) -> None:
        (x1, y1), (x2, y2) = self._corner(link.first), self._corner(link.second)
        if x1 > x2:
            (x1, y1), (x2, y2) = (x2, y2), (x1, y1)
        if x1 == x2:
            # In one column the edge leaves and enters at the right side, in an arc.
            start, end = (x1 + BLOCK_WIDTH, y1 + BLOCK_HEIGHT / 2), (x2 + BLOCK_WIDTH, y2 + BLOCK_HEIGHT / 2)
            reach = 24 + abs(y2 - y1) / 12
            bends = (start[0] + reach, start[1]), (end[0] + reach, end[1])
        else:
            start, end = (x1 + BLOCK_WIDTH, y1 + BLOCK_HEIGHT / 2), (x2, y2 + BLOCK_HEIGHT / 2)
            reach = max(COLUMN_GAP, (end[0] - start[0]) / 2)
            bends = (start[0] + reach, start[1]), (end[0] - reach, end[1])
        points = " ".join(f"{x:g},{y:g}" for x, y in (*bends, end))
        line = self._add(
            "path",
            d=f"M{start[0]:g},{start[1]:g} C{points}",
            fill="none",
            stroke="#667",
            stroke_width=f"{min(1 + link.channels / 8, 3):g}",
        )
        if link.is_crossing:
            line.set("stroke-dasharray", "5 4")
        crossing = ", from one clock domain to another" if link.is_crossing else ""
        title = f"{link.first} to {link.second}: {link.channels} channels{crossing}"
        ElementTree.SubElement(line, "title").text = title
