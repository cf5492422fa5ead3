# SPDX-License-Identifier: MIT
"""A table of numbers as a heat map: the greater, the darker."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.figure import Figure

from .._errors import InputError
from . import style
from .style import CM, FONT, Size

__all__ = ["heatmap"]

_LINE_CM, _CELL_LEAST_CM, _CELL_MOST_CM = 0.32, 1.0, 3.0
_NAME_MOST_CM, _WIDTH_MOST_CM = 5.0, 30.0
_SHORT = 2  # a mark of so many characters stands beside its number
_SHRUNK = 0.55  # a number of a narrow cell is not smaller than this share of other text
_DARK = 0.7  # of the scale: beyond, white has more contrast with a colour than black


def colors() -> Any:
    """The colour map, from light to dark in steps that look alike, with the one of cells that are not known."""
    return colormaps["Blues"].with_extremes(bad=style.UNKNOWN)


@style.styled
def heatmap(
    cells: pd.DataFrame,
    *,
    value_range: tuple[float, float] | None = None,
    outliers: Sequence[str] = (),
    decimals: int | None = None,
    corner: str = "",
    size_cm: Size | None = None,
) -> Figure:
    """Draw a table, each cell with its number and its mark.

    Args:
        cells: row, column (names), value, mark (text or None), as `heatmap` returns them.
        value_range: the numbers of the lightest and of the darkest colour; what lies beyond has one of these. By
            default all numbers decide, but for those in rows and columns called as one of `outliers`.
        decimals: of the numbers; by default as many as they need, 3 at most.
        corner: what the names of rows are.
        size_cm: by default as large as the texts need, and no wider than 30 cm.

    Raises:
        InputError: there is no cell, or the size leaves no room.
    """
    if cells.empty:
        raise InputError("found no cell, expected one or more")
    (y, rows), (x, columns) = (pd.factorize(cells[name].astype(str)) for name in ("row", "column"))
    numbers = np.full((len(rows), len(columns)), np.nan)
    numbers[y, x] = cells["value"].to_numpy(dtype=float)
    texts = _texts(cells, decimals)
    figure, axes = style.new_figure()
    ax = axes[0, 0]
    widest_cm = max(style.text_width(figure, text) for text in {*texts, *columns}) / CM + 0.25
    names_cm = min(max(style.text_width(figure, name) for name in [*rows, corner]) / CM, _NAME_MOST_CM) + 0.4
    needed_cm = names_cm + len(columns) * float(np.clip(widest_cm, _CELL_LEAST_CM, _CELL_MOST_CM))
    width_cm = size_cm[0] if size_cm else min(needed_cm, _WIDTH_MOST_CM)
    room_cm = (width_cm - names_cm) / len(columns) - 0.15
    if room_cm < 0.15:
        raise InputError(f"found a picture {width_cm:g} cm wide for {len(columns)} columns, expected a wider one")
    mesh = ax.pcolormesh(numbers, cmap=colors(), edgecolors="white", linewidth=1, clim=value_range)
    inner = cells["value"][~(cells["row"].isin(outliers) | cells["column"].isin(outliers))]
    if not value_range and inner.notna().any():
        mesh.set_clim(inner.min(), inner.max())
    shrink = float(np.clip(room_cm / (widest_cm - 0.25), _SHRUNK, 1))
    for row, column, text in zip(y, x, texts):
        ink = "white" if mesh.norm(numbers[row, column]) > _DARK else "black"
        look = {"ha": "center", "va": "center", "linespacing": 1.0, "color": ink, "size": FONT * shrink}
        ax.text(column + 0.5, row + 0.5, text, **look)
    ax.set_xticks(np.arange(len(columns)) + 0.5, [style.fitted(figure, name, room_cm) for name in columns])
    ax.set_yticks(np.arange(len(rows)) + 0.5, [style.fitted(figure, name, names_cm) for name in rows])
    ax.invert_yaxis()
    ax.grid(False)
    ax.tick_params(length=0, labeltop=True, labelbottom=False)
    ax.spines[:].set_visible(False)
    ax.annotate(corner, (0, 1), (-3, 3), "axes fraction", "offset points", ha="right", va="bottom")
    lines = 2.0 + any("\n" in text for text in texts)
    return style.arrange(figure, axes, heights_cm=[_LINE_CM * lines * len(rows)], size_cm=size_cm, width_cm=width_cm)


def _texts(cells: pd.DataFrame, decimals: int | None) -> list[str]:
    """Numbers with their marks; a long mark is in a line of its own."""
    known = cells["value"].dropna()
    if decimals is None:
        decimals = next((n for n in range(3) if np.allclose(known, known.round(n), rtol=0, atol=10.0 ** -(n + 6))), 3)
    numbers = ["" if pd.isna(value) else f"{value:.{decimals}f}" for value in cells["value"]]
    marks = cells["mark"].fillna("") if "mark" in cells else [""] * len(cells)
    return [
        f"{number}{' ' if len(mark) <= _SHORT else chr(10)}{mark}" if number and mark else number
        for number, mark in zip(numbers, marks)
    ]
