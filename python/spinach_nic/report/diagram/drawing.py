"""A block diagram as SVG."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree import ElementTree

from spinach_nic.report.diagram.activity import Activity
from spinach_nic.report.diagram.blocks import Block, BlockDiagram, Link
from spinach_nic.report.diagram.layout import Layout, Point, Rectangle
from spinach_nic.support.representations import amount

MARGIN, TITLE_HEIGHT, LEGEND_HEIGHT = 16, 34, 30
STACK_STEP = 4
"""Distance between the sheets of a stack, which represents an array of parts."""
LEGEND_STEP = 172
BAR_HEIGHT = 5

SHADES = ("#e3eefb", "#fdeeda", "#e4f4e2", "#f5e4f1", "#e9ecef", "#fbe6e6", "#e2f4f4", "#f4f1da")
"""Fill colours of the blocks, one for each clock domain."""
BUSY, STALLED = "#2f7d4f", "#c2452d"
"""Colours of the bars that show the activity of a block in a run."""


def draw(
    diagram: BlockDiagram, layout: Layout, title: str, activities: Mapping[str, Activity] | None = None
) -> str:
    """Return the diagram as the text of an SVG file.

    Args:
        diagram: Diagram to draw.
        layout: Positions of blocks and lines.
        title: Title above the diagram.
        activities: Activities of blocks in a run, by path: shown as a bar at the foot of each.
    """
    return _Drawing(diagram, layout, title, activities or {}).text()


class _Drawing:
    def __init__(
        self, diagram: BlockDiagram, layout: Layout, title: str, activities: Mapping[str, Activity]
    ) -> None:
        self._diagram, self._layout, self._activities = diagram, layout, activities
        self._shades = {
            domain: SHADES[place % len(SHADES)]
            for place, domain in enumerate(dict.fromkeys(block.domain for block in diagram.blocks.values()))
        }
        entries = len(self._shades) + (2 if activities else 0)
        in_a_row = max(1, int(layout.width // LEGEND_STEP))
        self._legend_rows = [list(range(entries))[at : at + in_a_row] for at in range(0, entries, in_a_row)]
        self._width = 2 * MARGIN + max(layout.width, LEGEND_STEP)
        self._height = 2 * MARGIN + TITLE_HEIGHT + layout.height + LEGEND_HEIGHT * len(self._legend_rows)
        size = {"width": f"{self._width:g}", "height": f"{self._height:g}"}
        view = {"viewBox": f"0 0 {self._width:g} {self._height:g}"}
        self._svg = ElementTree.Element(
            "svg",
            {"xmlns": "http://www.w3.org/2000/svg", **size, **view, "font-family": "system-ui, sans-serif"},
        )
        self._add("rect", fill="white", **size)
        self._text(title, (MARGIN, MARGIN + 14), size=16, weight="bold")
        for path in diagram.boxes:
            self._box(path)
        for link, points in layout.lines:
            self._link(link, points)
        for block in diagram.blocks.values():
            self._block(block)
        self._legend()

    def text(self) -> str:
        ElementTree.indent(self._svg)
        return ElementTree.tostring(self._svg, encoding="unicode") + "\n"

    def _add(self, tag: str, **attributes: str) -> ElementTree.Element:
        named = {name.replace("_", "-"): value for name, value in attributes.items()}
        return ElementTree.SubElement(self._svg, tag, named)

    def _text(
        self, text: str, at: Point, *, size: int, weight: str = "normal", anchor: str = "start"
    ) -> None:
        style = {"font_size": f"{size}", "font_weight": weight, "text_anchor": anchor, "fill": "#222"}
        self._add("text", x=f"{at[0]:g}", y=f"{at[1]:g}", **style).text = text

    def _rectangle(self, place: Rectangle, **style: str) -> ElementTree.Element:
        corner = {"x": f"{place.left:.2f}", "y": f"{place.top:.2f}"}
        return self._add("rect", width=f"{place.width:.2f}", height=f"{place.height:.2f}", **corner, **style)

    def _moved(self, place: Rectangle, by: float = 0) -> Rectangle:
        left, top = place.left + MARGIN + by, place.top + MARGIN + TITLE_HEIGHT - by
        return Rectangle(left, top, place.width, place.height)

    def _box(self, path: str) -> None:
        box, place = self._diagram.boxes[path], self._moved(self._layout.boxes[path])
        shape = self._rectangle(place, rx="6", fill="#fafafa", stroke="#9aa", stroke_width="1")
        ElementTree.SubElement(shape, "title").text = f"{box.path} ({box.kind})"
        name = box.name + (f" [0..{box.count - 1}]" if box.count > 1 else "")
        self._text(name, (place.left + 8, place.top + 15), size=12, weight="bold")

    def _block(self, block: Block) -> None:
        place = self._layout.blocks[block.path]
        for sheet in reversed(range(min(block.count, 3))):
            moved = self._moved(place, sheet * STACK_STEP)
            shape = self._rectangle(moved, rx="4", fill=self._shades[block.domain], stroke="#445")
        activity = self._activities.get(block.path)
        lines = [f"clock {block.domain}", *block.modules, *([activity.said] if activity else [])]
        ElementTree.SubElement(shape, "title").text = "\n".join(lines)
        name = block.name + (f" [0..{block.count - 1}]" if block.count > 1 else "")
        middle = moved.left + moved.width / 2
        self._text(name, (middle, moved.top + 18), size=12, weight="bold", anchor="middle")
        self._text(block.kind, (middle, moved.top + 33), size=10, anchor="middle")
        if activity is not None:
            self._bar(moved, activity)

    def _bar(self, block: Rectangle, activity: Activity) -> None:
        left, top = block.left + 4, block.top + block.height - BAR_HEIGHT - 3
        full = block.width - 8
        self._rectangle(
            Rectangle(left, top, full, BAR_HEIGHT), fill="white", stroke="#99a", stroke_width="0.5"
        )
        for share, colour in ((activity.busy, BUSY), (activity.stalled, STALLED)):
            width = min(full * share, block.left + 4 + full - left)
            if width >= 0.3:
                self._rectangle(Rectangle(left, top, width, BAR_HEIGHT), fill=colour)
            left += width

    def _link(self, link: Link, points: tuple[Point, ...]) -> None:
        moved = [(x + MARGIN, y + MARGIN + TITLE_HEIGHT) for x, y in points]
        (x, y), *others = moved
        bends = " ".join(f"{right:.2f},{down:.2f}" for right, down in others)
        line = self._add(
            "path",
            d=f"M{x:.2f},{y:.2f} C{bends}",
            fill="none",
            stroke="#556",
            stroke_width=f"{min(1 + link.channels / 8, 3):g}",
        )
        if link.is_crossing:
            line.set("stroke-dasharray", "5 4")
        crossing = ", from one clock domain to another" if link.is_crossing else ""
        title = f"{link.first} to {link.second}: {amount(link.channels, 'channel')}{crossing}"
        ElementTree.SubElement(line, "title").text = title

    def _legend(self) -> None:
        entries = [
            (f"clock {domain}, {self._diagram.domains[domain]}", shade)
            for domain, shade in self._shades.items()
        ]
        if self._activities:
            entries += [("busy", BUSY), ("stalled", STALLED)]
        for row, places in enumerate(self._legend_rows):
            top = self._height - MARGIN - LEGEND_HEIGHT * (len(self._legend_rows) - row) + 12
            for column, place in enumerate(places):
                said, colour = entries[place]
                left = MARGIN + column * LEGEND_STEP
                self._rectangle(Rectangle(left, top, 12, 12), fill=colour, stroke="#445", rx="2")
                self._text(said, (left + 18, top + 10), size=11)
