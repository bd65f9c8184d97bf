"""Plots of experiments, as SVG to stand in a page."""

from __future__ import annotations

from io import StringIO
from typing import Any

from markupsafe import Markup

from spinach_nic.reproduction import Reproduction

_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "spinach",  # identifiers in the file follow from the plot alone
    "svg.fonttype": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "font.size": 9,
    "figure.constrained_layout.use": True,
}


def drawn(reproduction: Reproduction) -> Markup | None:
    """What the experiment draws, as an `svg` element; `None` if it draws nothing."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(8, 4))
        reproduction.experiment.plot(figure, reproduction.rows)
        if not figure.axes:
            return None
        text = StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    svg = text.getvalue()
    return Markup(svg[svg.index("<svg") :])
