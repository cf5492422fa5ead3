# SPDX-License-Identifier: MIT
"""One histogram, or two that lie over one another."""
from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from .._errors import InputError
from . import style
from .curve import LINES_CM, grouped
from .style import BAND, Size

__all__ = ["histogram"]


@style.styled
def histogram(frame: pd.DataFrame, *, axis: str = "", size_cm: Size | None = None) -> Figure:
    """Draw how many values lie in each bin; of two labels the second one in front, and the first shines through.

    Args:
        frame: label, low, high, count, as `histogram` returns them: one label or two, with the same bins.
        axis: what the values are.

    Raises:
        InputError: there are more than two labels.
    """
    groups = dict(grouped(frame, "label"))
    if not 0 < len(groups) <= 2:
        raise InputError(f"found {len(groups)} histograms, expected one or two in a picture")
    figure, cells = style.new_figure()
    ax = cells[0, 0]
    handles = []
    for number, (label, part) in enumerate(groups.items()):
        look: dict[str, Any] = {"color": style.COLORS[number], "zorder": 2 + number}
        edges, counts = [*part["low"], part["high"].iloc[-1]], part["count"].to_numpy(dtype=float)
        ax.stairs(counts, edges, fill=True, alpha=2 * BAND, linewidth=0, **look)
        ax.stairs(counts, edges, linestyle=("-", (0, (3, 1)))[number], **look)
        handles.append(style.patch(label, look["color"], alpha=2 * BAND, linewidth=0))
    ax.set_xmargin(0.03)
    ax.set_ylim(bottom=0)
    ax.yaxis.set_major_locator(MaxNLocator("auto", integer=True))
    room = (size_cm[0] if size_cm else style.COLUMN_CM) - 1.5
    ax.set(xlabel=style.fitted(figure, axis, room), ylabel="values in the bin")
    return style.arrange(figure, cells, handles if len(groups) > 1 else [], heights_cm=[LINES_CM], size_cm=size_cm)
