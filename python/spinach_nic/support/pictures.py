"""Pictures in the format of a file's suffix.

What Spinach draws it draws as SVG. Matplotlib, with the fonts that it brings, makes PNG and PDF of that, so
that they look alike everywhere.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from spinach_nic.support.errors import SpinachError
from spinach_nic.support.extras import require
from spinach_nic.support.files import write_output

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".svg", ".png", ".pdf")

PLOT_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "spinach",  # identifiers in the file follow from the plot alone
    "svg.fonttype": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "font.size": 10,
    "figure.constrained_layout.use": True,
}
"""Matplotlib's settings for plots."""

_SVG = "{http://www.w3.org/2000/svg}"
_PIXELS_PER_UNIT = 2
_UNITS_PER_INCH = 72
_FONT = "DejaVu Sans"
_FONT_SHARE = 0.88
"""This font is wider than the fonts that the drawings leave room for."""


def check_picture(path: Path, *, others: tuple[str, ...] = ()) -> None:
    """Check before the work that a picture of this name can be written.

    Args:
        path: The file to write.
        others: Other files that the caller writes, by suffix.

    Raises:
        SpinachError: The format is unknown, or needs a library that is not installed.
    """
    if path.suffix.lower() not in FORMATS:
        *most, last = (*FORMATS, *others)
        said = f"its name ends in {path.suffix}" if path.suffix else "its name has no ending"
        raise SpinachError(f"unknown format of {path}: {said}", f"use the ending {', '.join(most)} or {last}")
    if path.suffix.lower() != ".svg":
        require("plots", purpose=f"the picture {path}")


def write_picture(path: Path, svg: str) -> None:
    """Write a drawing in the format of the file name.

    Args:
        path: Ends in one of `FORMATS`.
        svg: The text of an SVG file made of `rect`, `text`, `path` with cubic curves, and `g`.

    Raises:
        SpinachError: It cannot be written.
    """
    kind = path.suffix.lower()
    write_output(path, svg if kind == ".svg" else _converted(svg, kind.removeprefix(".")))


def _converted(svg: str, kind: str) -> bytes:
    require("plots", purpose=f"a {kind.upper()} file")
    import matplotlib as mpl
    from matplotlib.figure import Figure

    root = ElementTree.fromstring(svg)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    with mpl.rc_context({"pdf.fonttype": 42, "font.family": _FONT, "text.parse_math": False}):
        figure = Figure((width / _UNITS_PER_INCH, height / _UNITS_PER_INCH), dpi=_UNITS_PER_INCH)
        for layer, element in enumerate(root.iter()):
            _add(figure, element, root.attrib, height, layer)
        out = BytesIO()
        resolution = _PIXELS_PER_UNIT * _UNITS_PER_INCH
        # Without dates, so that equal drawings are equal files.
        dates: dict[str, Any] = {"CreationDate": None} if kind == "pdf" else {}
        figure.savefig(out, format=kind, dpi=resolution, metadata=dates)
    return out.getvalue()


def _add(
    figure: Figure, element: ElementTree.Element, defaults: dict[str, str], height: float, layer: int
) -> None:
    """Add a shape; figures count pixels from below, drawings from above."""
    from matplotlib.transforms import Affine2D

    shape: Any = None
    given = element.attrib
    place = Affine2D().scale(1, -1).translate(0, height).scale(1 / _UNITS_PER_INCH) + figure.dpi_scale_trans
    if element.tag == f"{_SVG}text":
        size = float(given.get("font-size", defaults.get("font-size", 12)))
        shape = figure.text(
            float(given["x"]),
            float(given["y"]),
            element.text or "",
            transform=place,
            fontsize=size * _FONT_SHARE,
            fontweight=given.get("font-weight", "normal"),
            color=given.get("fill", "black"),
            horizontalalignment={"middle": "center", "end": "right"}.get(
                given.get("text-anchor", ""), "left"
            ),
            verticalalignment="baseline",
        )
        shape.set_zorder(layer)
        return
    if element.tag == f"{_SVG}rect":
        shape = _rectangle(given)
    elif element.tag == f"{_SVG}path":
        shape = _curve(given["d"])
    if shape is None:
        return
    stroke = given.get("stroke", "none")
    shape.set(
        transform=place,
        facecolor=given.get("fill", "black"),
        edgecolor=stroke,
        linewidth=float(given.get("stroke-width", 1)) if stroke != "none" else 0,
        zorder=layer,
    )
    if "stroke-dasharray" in given:
        shape.set_linestyle((0, [float(length) for length in given["stroke-dasharray"].split()]))
    figure.add_artist(shape)


def _rectangle(given: dict[str, str]) -> Any:
    from matplotlib.patches import FancyBboxPatch

    left, top = float(given.get("x", 0)), float(given.get("y", 0))
    radius = float(given.get("rx", 0))
    style = f"round,pad=0,rounding_size={radius:g}" if radius else "square,pad=0"
    return FancyBboxPatch((left, top), float(given["width"]), float(given["height"]), boxstyle=style)


def _curve(described: str) -> Any:
    """`Mx,y Cx,y x,y x,y`."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Curve

    start, bends = described.removeprefix("M").split(" C")
    points = [tuple(float(number) for number in point.split(",")) for point in (start, *bends.split())]
    return PathPatch(Curve(points, [Curve.MOVETO, *[Curve.CURVE4] * (len(points) - 1)]))
