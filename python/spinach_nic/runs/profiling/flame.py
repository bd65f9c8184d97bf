"""Flame graphs: as folded stacks, which flamegraph.pl and speedscope read, and as SVG.

A stack has the functions that called each other, the functions inlined in the last, the source line and
the stall reason. Its width is cycles. Without calls it begins with a task and a function of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree import ElementTree
from zlib import crc32

from spinach_nic.runs.profiling.model import FirmwareProfile
from spinach_nic.runs.tasks import CAUSES
from spinach_nic.support.arguments import checked

WIDTH, ROW, MARGIN, TITLE_HEIGHT = 1200, 18, 12, 52
CHARACTER_WIDTH = 6.6
"""Average width of a character of the font: decides how much of a name fits."""
LEGEND_STEP = 112
NARROWEST = 0.2
"""Narrower boxes are left out: they would be invisible."""
CAUSE_COLOURS = dict(zip(CAUSES, ("#7fb77e", "#8fa3d9", "#e5a24f", "#d9695f", "#c9b458"), strict=True))
SHADES = ("#f2d7a6", "#cfe3c5", "#c9d8ef", "#e8cfe3", "#d5ece9", "#f0d0c8", "#e3e0b8", "#d8d3ec", "#dddddd")
"""Colours of functions and tasks."""


@dataclass
class Block:
    """A name in a flame graph, with the blocks above it."""

    name: str
    cycles: int = 0
    above: dict[str, Block] = field(default_factory=dict)

    @property
    def depth(self) -> int:
        """Return the number of blocks above each other, including this one."""
        return 1 + max((block.depth for block in self.above.values()), default=0)


@checked
def folded(profile: FirmwareProfile) -> str:
    """One line for each stack: its names, separated by semicolons, and its cycles."""
    lines = [f"{';'.join(map(_plain, names))} {cycles}\n" for names, cycles in _stacks(profile)]
    return "".join(lines)


@checked
def flame_svg(profile: FirmwareProfile) -> str:
    """Return the flame graph as SVG; browsers show the numbers of the block under the mouse."""
    root = _blocks(profile)
    height = TITLE_HEIGHT + root.depth * ROW + MARGIN
    svg = ElementTree.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "width": f"{WIDTH}",
            "height": f"{height}",
            "font-family": "system-ui, sans-serif",
            "font-size": "11",
        },
    )
    ElementTree.SubElement(svg, "rect", {"width": f"{WIDTH}", "height": f"{height}", "fill": "white"})
    result = profile.result
    firmware = "" if result.firmware is None else f", firmware {result.firmware.name}"
    _text(svg, f"{result.nic}{firmware}: cycles of all cores", MARGIN, 22, size="15")
    beginning = "callers, function" if profile.stacks else "task, function"
    _text(svg, f"{beginning}, inlined functions, source line, cause", MARGIN, 40)
    for number, (cause, colour) in enumerate(CAUSE_COLOURS.items()):
        left = WIDTH - MARGIN - (len(CAUSES) - number) * LEGEND_STEP
        square = {"x": f"{left}", "y": "12", "width": "12", "height": "12", "fill": colour}
        ElementTree.SubElement(svg, "rect", square)
        _text(svg, cause.replace("_", " "), left + 17, 22)
    scale = (WIDTH - 2 * MARGIN) / root.cycles if root.cycles else 0.0
    # As flame graphs are drawn: the root at the bottom.
    _draw(svg, root, (MARGIN, height - MARGIN - ROW), scale, root.cycles, "#eeeeee")
    ElementTree.indent(svg)
    return ElementTree.tostring(svg, encoding="unicode") + "\n"


def _stacks(profile: FirmwareProfile) -> Iterator[tuple[tuple[str, ...], int]]:
    whole = ((place.frames, cost) for place, cost in profile.places)
    for frames, cost in ((it.frames, it.cost) for it in profile.stacks) if profile.stacks else whole:
        for cause, cycles in zip(CAUSES, cost.causes, strict=True):
            if cycles:
                yield (*frames, f"[{cause}]"), cycles


def _plain(name: str) -> str:
    return name.replace(";", ",").replace("\n", " ")


def _blocks(profile: FirmwareProfile) -> Block:
    root = Block("all")
    for names, cycles in _stacks(profile):
        block = root
        block.cycles += cycles
        for name in names:
            block = block.above.setdefault(name, Block(name))
            block.cycles += cycles
    return root


def _draw(
    svg: ElementTree.Element, block: Block, at: tuple[float, float], scale: float, total: int, colour: str
) -> None:
    left, top = at
    width = block.cycles * scale
    if width < NARROWEST:
        return
    colour = CAUSE_COLOURS.get(block.name.strip("[]"), colour)
    group = ElementTree.SubElement(svg, "g")
    share = f"{block.cycles / total:.2%}" if total else "-"
    ElementTree.SubElement(group, "title").text = f"{block.name}: {block.cycles:,} cycles, {share}"
    place = {"x": f"{left:.2f}", "y": f"{top:g}", "width": f"{width:.2f}", "height": f"{ROW - 1}"}
    ElementTree.SubElement(group, "rect", place | {"fill": colour, "rx": "1.5"})
    fits = int((width - 6) / CHARACTER_WIDTH)
    if fits >= 3:
        name = block.name if len(block.name) <= fits else block.name[: fits - 1] + "\u2026"
        _text(group, name, left + 3, top + 12.5)
    for number, upper in enumerate(sorted(block.above.values(), key=lambda it: (-it.cycles, it.name))):
        # Lines keep the colour of their function.
        is_function = ":" not in upper.name
        shade = SHADES[(crc32(upper.name.encode()) + number) % len(SHADES)] if is_function else colour
        _draw(svg, upper, (left, top - ROW), scale, total, shade)
        left += upper.cycles * scale


def _text(parent: ElementTree.Element, text: str, x: float, y: float, size: str | None = None) -> None:
    attributes = {"x": f"{x:.2f}", "y": f"{y:g}", "fill": "#222"}
    if size is not None:
        attributes["font-size"] = size
    ElementTree.SubElement(parent, "text", attributes).text = text
