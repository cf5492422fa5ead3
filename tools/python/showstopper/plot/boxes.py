# SPDX-License-Identifier: MIT
"""Box plots of the values of groups."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from ..boxes import WHISKER, duration_unit, label_place
from . import style
from .curve import grouped
from .style import THIN, Size

__all__ = ["boxes"]

_HEIGHT_CM = 5.0
_BOX_CM, _LABEL_CM, _AXIS_CM, _WIDTH_MOST_CM = 0.5, 1.4, 1.7, 30.0  # what a box, a label, or the vertical axis needs
_GROUP = 0.7  # of the distance between two places: what boxes take
_LOAD_DISTANCE, _LOAD_ASIDE = (
    10.0,
    1.0,
)  # loads, in per cent: of boxes that are alone, and how far from its load a box stands at most


@style.styled
def boxes(
    frame: pd.DataFrame,
    column: str,
    group: str = "label",
    *,
    loads: Mapping[str, float] | None = None,
    axis: str | None = None,
    is_duration: bool = False,
    size_cm: Size | None = None,
) -> Figure:
    """Draw a box for each group: from the 25 % quantile to that of 75 %, with the median as a thick line.

    Whiskers go to the outermost values within 1.5 times the length of the box from it; values beyond are points. Where
    all names of groups are numbers (40, 40%), or end in one behind a slash (freezer/40), boxes stand at the loads, or
    with `axis` at the numbers, and each text before the slash is a series with a colour, whose boxes are moved by up to
    1 percentage point to stand beside the others. Else boxes stand side by side above their names.

    Args:
        column, group: the columns with the values and with the names of groups.
        loads: for each group the mean load, 0 to 1.
        axis: what the numbers are of.
        is_duration: values are durations of iterations in seconds; else the vertical axis is called by the column.
    """
    groups = {name: part[column].dropna().to_numpy(dtype=float) for name, part in grouped(frame, group)}
    groups = {name: values for name, values in groups.items() if values.size}
    every = np.concatenate([np.zeros(1), *groups.values()])[bool(groups) :]
    unit, factor = duration_unit(style.most_of(every)) if is_duration else ("", 1.0)
    all_series, at, width, kind = _place(list(groups), loads or {}, axis is not None)
    needed_cm = len(groups) * (_LABEL_CM if kind == "name" else _BOX_CM) + _AXIS_CM
    width_cm = size_cm[0] if size_cm else min(max(needed_cm, style.COLUMN_CM), _WIDTH_MOST_CM)
    figure, cells = style.new_figure()
    ax = cells[0, 0]
    handles = []
    for number, series in enumerate(dict.fromkeys(all_series)):
        color = style.series_style(number)["color"]
        light = tuple(1 - 0.35 * (1 - part) for part in to_rgb(color))
        own = [i for i, name in enumerate(all_series) if name == series]
        _draw(ax, [factor * list(groups.values())[i] for i in own], at[own], width, color, light)
        if series:
            handles.append(style.patch(series, light, edgecolor=color))
    names = {"load": "CPU load (%)", "number": style.fitted(figure, axis or "", width_cm - _AXIS_CM), "name": ""}
    if kind == "load":
        style.percent_axis(ax.xaxis, at)
    else:
        ax.set_xmargin(0.6 / max(len(set(at)), 1))
        ax.autoscale_view()
    if kind == "name":
        room = (width_cm - _AXIS_CM) / max(len(groups), 1) - 0.2
        ax.set_xticks(at, [style.fitted(figure, name, room) for name in groups])
    # Where all are nearly the same, an axis from 0 on would show nothing of them.
    if 0 <= every.min() <= every.max() / 2:
        ax.set_ylim(bottom=0)
    name = f"time of an iteration ({unit})" if is_duration else style.fitted(figure, column, _HEIGHT_CM)
    ax.set(xlabel=names[kind], ylabel=name)
    return style.arrange(figure, cells, handles, heights_cm=[_HEIGHT_CM], size_cm=size_cm, width_cm=width_cm)


def _draw(ax: Any, groups: list[Any], at: Any, width: float, color: str, light: Any) -> None:
    line = {"color": color, "linewidth": THIN}
    ax.boxplot(
        groups,
        positions=at,
        widths=0.8 * width,
        whis=WHISKER,
        patch_artist=True,
        manage_ticks=False,
        boxprops={"facecolor": light, "edgecolor": color, "linewidth": THIN},
        medianprops={"color": color, "linewidth": 2.5 * THIN, "solid_capstyle": "butt"},
        whiskerprops=line,
        capprops=line,
        flierprops={"markersize": 1.5, "markeredgecolor": color, "markeredgewidth": 0.4, "rasterized": True},
    )


def _place(names: list[str], loads: Mapping[str, float], has_axis: bool) -> tuple[list[str], Any, float, str]:
    """Each box's series ("" if none) and place, how wide boxes are, and what the axis is of: load, number or name.

    No two loads are quite the same, so boxes of one series need room, and those of several are moved a little.
    """
    places = [place for place in map(label_place, names) if place]
    has_loads = all(np.isfinite(loads.get(name, np.nan)) for name in names)
    if not names or len(places) < len(names) or not (has_axis or has_loads):
        return ([""] * len(names), np.arange(len(names), dtype=float), _GROUP, "name")
    kind, series = "number" if has_axis else "load", [place.series for place in places]
    at = np.array([place.number if has_axis else 100 * loads[name] for place, name in zip(places, names)])
    order = list(dict.fromkeys(series))
    number = np.array([order.index(name) for name in series])
    gaps = np.concatenate([np.diff(np.unique(at[number == i])) for i in range(len(order))])
    width = _GROUP * gaps.min(initial=np.ptp(at) if has_axis and np.ptp(at) else _LOAD_DISTANCE) / len(order)
    if len(order) > 1 and not has_axis:
        width = min(width, 2 * _LOAD_ASIDE / (len(order) - 1))
    return (series, at + (number - (len(order) - 1) / 2) * width, width, kind)
