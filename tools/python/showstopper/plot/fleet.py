# SPDX-License-Identifier: MIT
"""The loads of many machines over time, and that of all together."""
from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from . import style
from .heatmap import colors
from .style import LOAD, TARGET, THICK, THIN, Size

__all__ = ["fleet"]

_ROW_CM, _MAP_LEAST_CM, _MAP_MOST_CM, _LINES_CM = 0.36, 1.5, 12.0, 3.0
_NAME_MOST_CM = 3.0


@style.styled
def fleet(bins: pd.DataFrame, *, size_cm: Size | None = None) -> Figure:
    """Draw the load of each machine over time, the greater the darker, and below the load of all against their target.

    Where a machine has no load it is grey, and adds nothing to the load of all, nor to their target.

    Args:
        bins: of `fleet_bins`: node, label, start_s, end_s, target, load.
    """
    bins = bins.assign(bin=bins["start_s"].round(6))
    names = bins.groupby("node")["label"].first().astype(str)
    loads = bins.pivot(index="node", columns="bin", values="load").to_numpy(dtype=float)
    of_all = together(bins, len(names))
    time = style.time_axis(style.time_range(bins))
    borders = time([*of_all["start_s"], of_all["end_s"].iloc[-1]])
    figure, cells = style.new_figure(2)
    upper, lower = cells[:, 0]
    rows = np.arange(len(names) + 1) + 0.5
    image = upper.pcolormesh(borders, rows, 100 * loads, cmap=colors(), vmin=0, vmax=100, rasterized=True)
    upper.set_facecolor(style.UNKNOWN)
    upper.invert_yaxis()
    upper.grid(False)
    upper.tick_params(labelbottom=False)
    height_cm = float(np.clip(_ROW_CM * len(names), _MAP_LEAST_CM, _LINES_CM if size_cm else _MAP_MOST_CM))
    if len(names) <= (size_cm[1] / 2 if size_cm else _MAP_MOST_CM) / _ROW_CM:
        upper.set_yticks(rows[:-1] + 0.5, [style.fitted(figure, name, _NAME_MOST_CM) for name in names])
        upper.tick_params(axis="y", length=0)
    else:
        upper.set_ylabel("node")
    scale = figure.colorbar(image, ax=upper, pad=0.02, aspect=12, ticks=[0, 50, 100], label="load (%)")
    scale.outline.set_visible(False)
    handles = [style.patch("not known", style.UNKNOWN)] if np.isnan(loads).any() else []
    for column, color, width in (("load", LOAD, THICK), ("target", TARGET, THIN)):
        x, y = style.steps_line(of_all, column)
        lower.plot(time(x), 100 * y, color=color, linewidth=width, label=column)
        handles.insert(0, style.handle(f"{column} of all", color=color, linewidth=width))
    style.percent_axis(lower.yaxis)
    lower.set(xlabel=time.name, ylabel="load of all (%)")
    for ax in (upper, lower):
        time.apply(ax)
    return style.arrange(figure, cells, handles, heights_cm=[height_cm, _LINES_CM], size_cm=size_cm)


def together(bins: pd.DataFrame, machines: int) -> pd.DataFrame:
    """Start, end, load and target of all in each bin: each machine counts alike, unknown ones as 0."""
    is_known = bins["load"].notna() & bins["target"].notna()
    groups = bins.assign(load=bins["load"].where(is_known), target=bins["target"].where(is_known)).groupby("bin")
    sums = groups[["load", "target"]].sum(min_count=1) / machines
    return groups.agg(start_s=("start_s", "min"), end_s=("end_s", "max")).join(sums)
