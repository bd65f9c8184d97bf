"""Plots within a page, as SVG."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from typing import TYPE_CHECKING

from markupsafe import Markup

from spinach_nic.support.extras import require
from spinach_nic.support.pictures import PLOT_STYLE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZE_INCHES = (8, 4)


def picture(draw: Callable[[Figure], None], size_inches: tuple[float, float] = SIZE_INCHES) -> Markup | None:
    """Return a function's drawing into a figure as an `svg` element; `None` if it draws nothing."""
    require("plots", purpose="the report")
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(PLOT_STYLE):
        figure = Figure(figsize=size_inches)
        draw(figure)
        if not figure.axes:
            return None
        text = StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    svg = text.getvalue()
    return Markup(svg[svg.index("<svg") :])
