# SPDX-License-Identifier: MIT
"""Response times: against the load or the rate, over time, and how long their tail is."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from .._errors import InputError
from .._schema import SCHEMAS
from ..latency import FIGURES, column_of
from . import style
from .style import LINE, LOAD, TARGET, THICK, THIN, Size, TimeAxis

__all__ = ["latency", "latency_tail", "latency_timeline", "stretch_s"]

Limit = Mapping[str, float]
_GRAPH_CM, _LOWER_CM = 5.2, 2.0
_TAILS_MOST = 8
_TAIL_POINTS = 400
_ARROW = [(0, 0), (0, 1), (-0.4, 0.5), (0, 1), (0.4, 0.5)]
_NAME = "response time (ms)"


def stretch_s(span_s: float, requests: int) -> float:
    """How long a window of `latency_timeline` should be: 200 requests, which have a p99, and 10 to 120 windows; of few requests fewer, of 20."""
    return span_s / max(min(max(requests // 200, 10), requests // 20, 120), 1)


def _rows(table: pd.DataFrame) -> pd.DataFrame:
    """Without the row of all requests, and with all columns."""
    return table[table["part"] != "all"].reindex(columns=[*SCHEMAS["latency"].names, "max_low_s", "max_high_s"])


def _draw_figures(ax: Any, rows: pd.DataFrame, x: Any, figures: str, limit: Limit | None, marked: bool) -> list[Any]:
    """Lines with bands of their intervals, and the limits. Returns the entries of the legend.

    All bands are behind all lines. Of lines, which may lie on one another, the one in front is the thinnest: that of
    the limit.
    """
    most = limit or {}
    missed = style.has_missed(rows) & marked
    named = [figure for figure in FIGURES if figure in [*figures.split(), *most]]
    shown = [figure for figure in named if rows[column_of(figure)].notna().any()]
    if not shown:
        raise InputError("found too few response times for a figure in each row, expected longer rows")
    lines: dict[str, Any] = {}
    limits, extent, has_arrow = [], [], False
    for depth, figure in enumerate(sorted(shown, key=lambda figure: (figure in most, -shown.index(figure)))):
        y, low, high = (1e3 * rows[column_of(figure, end)].to_numpy(dtype=float) for end in ("", "_low", "_high"))
        endless, top = np.isinf(high), np.where(np.isinf(high), 1e3 * rows["max_s"], high)
        wider, color, name = len(shown) - 1 - depth, style.COLORS[named.index(figure)], figure.replace("max", "maximum")
        look = style.series_style(named.index(figure), is_marked=marked) | {"clip_on": not marked}
        look |= {"zorder": 3 + 0.1 * depth, "markersize": style.MARK * (0.85 + 0.2 * wider)}
        width = LINE * (1 + 0.25 * wider)
        lines[name] = ax.plot(x[~missed], y[~missed], linewidth=width, label=name, **look)[0]
        if missed.any():  # an empty line would take room at the corner of the picture
            ax.plot(x[missed], y[missed], **look | {"linestyle": "none", "fillstyle": "none"})
        ax.fill_between(x[~missed], low[~missed], top[~missed], color=color, alpha=style.BAND, linewidth=0, zorder=1)
        if marked and endless.any():
            arrow: dict[str, Any] = {"marker": _ARROW, "markersize": 8, "fillstyle": "none", "clip_on": False}
            ax.plot(x[endless], top[endless], color=color, linestyle="none", zorder=1.5, **arrow)
            has_arrow = True
        extent += [y, low, top]
    for figure, seconds in most.items():  # also of figures that no row has
        dashed: dict[str, Any] = {"linestyle": (0, (5, 2)), "linewidth": THIN, "zorder": 2.5}
        label = f"{figure.replace('max', 'maximum')} ≤ {1e3 * seconds:.6g} ms"
        limits.append(ax.axhline(1e3 * seconds, label=label, color=style.COLORS[named.index(figure)], **dashed))
        extent.append(np.array([0.9e3, 1.1e3]) * seconds)
    style.log_axis(ax.yaxis, np.concatenate(extent))
    interval = "95 % interval (↑: no end)" if has_arrow else "95 % interval"
    band = style.patch(interval, "#888888", alpha=style.BAND, linewidth=0)
    entries = [lines[figure.replace("max", "maximum")] for figure in shown]
    return [*entries, *limits, band, style.missed_handle(rows) if marked else None]


@style.styled
def latency(table: pd.DataFrame, *, limit: Limit | None = None, size_cm: Size | None = None) -> Figure:
    """Draw p50, p90, p99 and p99.9 of each step or window against its load, or where no load is known against its rate.

    Bands are 95 % intervals; one without an upper end goes to the longest time that was seen, and has an arrow there. A
    step whose load missed its target by more than 2 percentage points has open markers.

    Args:
        table: of `latency`; the row "all" is not drawn.
        limit: the longest time in seconds of some figures, such as {"p99": 0.05}, each a dashed line.
    """
    rows = _rows(table)
    place = "load" if rows["load"].notna().any() else "rate_per_s"
    rows = rows[rows[place].notna()].sort_values(place)
    x = rows[place].to_numpy(dtype=float) * (100 if place == "load" else 1)
    figure, cells = style.new_figure()
    ax = cells[0, 0]
    handles = _draw_figures(ax, rows, x, "p50 p90 p99 p99.9", limit, marked=True)
    if place == "load":
        style.percent_axis(ax.xaxis, values=x)
    else:
        ax.set_xlim(0, 1.05 * max(style.most_of(x), 1e-9))
    ax.set(xlabel="CPU load (%)" if place == "load" else "requests/s", ylabel=_NAME)
    return style.arrange(figure, cells, handles, heights_cm=[_GRAPH_CM], size_cm=size_cm)


@style.styled
def latency_timeline(
    windows: pd.DataFrame,
    log: pd.DataFrame | None = None,
    steps: pd.DataFrame | None = None,
    *,
    limit: Limit | None = None,
    size_cm: Size | None = None,
) -> Figure:
    """Draw median, p99 and maximum over time, with bands for their 95 % intervals, and target, load and others below.

    Args:
        windows: of `latency(requests, log, window_s=stretch_s(...))`; the row "all" is not drawn.
        log: of `read_log`.
        steps: of `latency(requests, log)`: an open marker is the mean load of one that missed its target by more than 2
            percentage points.
        limit: the longest time in seconds of some figures.
    """
    rows = _rows(windows)
    log = None if log is None else log.rename(columns={"time_s": "end_s"})
    time = style.time_axis(style.time_range(rows), log)
    figure, cells = style.new_figure(1 if log is None else 2)
    x = time((rows["start_s"] + rows["end_s"]) / 2)
    handles = _draw_figures(cells[0, 0], rows, x, "p50 p99 max", limit, marked=False)
    cells[0, 0].set_ylabel(_NAME)
    if log is not None:
        cells[0, 0].tick_params(labelbottom=False)
        handles += _draw_log(cells[1, 0], log, steps, time)
    for each in cells.ravel():
        time.apply(each)
    cells[-1, 0].set_xlabel(time.name)
    heights = [_GRAPH_CM, _LOWER_CM][: len(cells)]
    return style.arrange(figure, cells, handles, heights_cm=heights, size_cm=size_cm)


def _draw_log(ax: Any, log: pd.DataFrame, steps: pd.DataFrame | None, time: TimeAxis) -> list[Any]:
    handles: list[Any] = []
    for name, color, width in (("others", style.OTHERS, 0.0), ("load", LOAD, THICK), ("target", TARGET, THIN)):
        if name in log and log[name].notna().any():
            x, y = style.steps_line(log, name)
            if width:
                handles += ax.plot(time(x), 100 * y, color=color, linewidth=width, label=name)
            else:
                handles.append(ax.fill_between(time(x), 0, 100 * y, color=color, linewidth=0, label=name))
    style.percent_axis(ax.yaxis)
    ax.set_ylabel("load (%)")
    missed = steps[style.has_missed(steps) & (steps["part"] == "step")] if steps is not None else pd.DataFrame()
    if len(missed):
        x = time((missed["start_s"] + missed["end_s"]) / 2)
        ax.plot(x, 100 * missed["load"], "o", fillstyle="none", color="#666666", clip_on=False, zorder=4)
        handles.append(style.missed_handle(missed))
    return handles


@style.styled
def latency_tail(table: pd.DataFrame, times_s: Sequence[Any], *, size_cm: Size | None = None) -> Figure:
    """Draw which share of a row's requests takes at least as long as a time, for up to 8 rows, evenly many of more.

    Args:
        table: of `latency`.
        times_s: for each row of it the response times in seconds, as `times_of_rows` has them.
    """
    places = np.unique(np.linspace(0, len(table) - 1, min(len(table), _TAILS_MOST)).astype(int))
    figure, cells = style.new_figure()
    ax = cells[0, 0]
    handles, ends = [], [(1.0, 10.0, 1.0)][: all(len(times_s[place]) == 0 for place in places)]
    for number, place in enumerate(places):
        row, times = table.iloc[place], np.sort(1e3 * np.asarray(times_s[place], dtype=float))
        look = style.series_style(number)
        if times.size:
            left = np.unique(np.rint(times.size ** np.linspace(0, 1, _TAIL_POINTS + 1)).astype(np.int64))
            x = np.maximum(times[times.size - left], 1e-6)
            ax.plot(x, 100 * left / times.size, linewidth=LINE, zorder=3, drawstyle="steps-post", **look)
            ends.append((x.min(), x.max(), 100 / times.size))
        handles.append(style.handle(_tail_name(row), **look))
    low, high, least = np.array(ends).T
    style.log_axis(ax.xaxis, [low.min(), high.max()])
    style.log_axis(ax.yaxis, [least.min(), 100])
    ax.set(xlabel=_NAME, ylabel="as slow or slower (%)")
    return style.arrange(figure, cells, handles, heights_cm=[_GRAPH_CM], size_cm=size_cm)


def _tail_name(row: pd.Series) -> str:
    if row["part"] == "all":
        return "all"
    name = f"load {100 * row['load']:.1f} %" if np.isfinite(row["load"]) else f"{row['rate_per_s']:.4g} requests/s"
    return f"{name} (missed)" if row.get("missed") else name
