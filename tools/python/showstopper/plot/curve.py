# SPDX-License-Identifier: MIT
"""Throughput against load, and throughput or efficiency over time, with a line or points for each label or log."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from . import style
from .style import LINE, THIN, Size

__all__ = ["curve", "efficiency", "interference", "overall", "throughput"]

LINES_CM = 4.6  # height of the axes
SAME_TARGET = 0.005  # targets that differ by less are one level
_HALVES = (("first half", "v", "-"), ("second half", "^", (0, (4, 1.5))))
_SMALL = 2.0  # size of a marker among many


def grouped(frame: pd.DataFrame, name: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of each text in a column, in the order of the frame; all rows where there is no such column."""
    if name not in frame:
        yield "", frame
        return
    for key, part in frame.groupby(frame[name].astype(object).where(frame[name].notna(), ""), sort=False):
        yield str(key), part


@style.styled
def curve(windows: pd.DataFrame, *, is_scattered: bool = False, size_cm: Size | None = None) -> Figure:
    """Draw throughput against load, a point for each step.

    Lines join the means of steps of a label whose targets are the same. Where there are several, a bar goes one
    standard deviation (of a sample) up and down. An open marker says that the load missed the target by more than 2
    percentage points: the step doesn't count for the line.

    Args:
        windows: label, target, load, missed, throughput (per second). Rows without the last or a load are not drawn.
        is_scattered: windows are no steps: there are points alone.
    """
    windows = windows[windows["load"].notna() & windows["throughput"].notna()]
    rate, name = style.rate_unit(style.most_of(windows["throughput"]))
    figure, cells = style.new_figure()
    ax = cells[0, 0]
    handles: list[Any] = []
    for number, (label, frame) in enumerate(grouped(windows, "label")):
        look = style.series_style(number, is_marked=True)
        missed, size = style.has_missed(frame), _SMALL if is_scattered else style.MARK
        style.draw_points(ax, 100 * frame["load"], rate * frame["throughput"], missed, size=size, zorder=3, **look)
        if not is_scattered:
            means = levels(frame[~missed])
            line = {"color": look["color"], "capsize": 2, "elinewidth": THIN, "capthick": THIN}
            bars = rate * means["deviation"] if means["deviation"].notna().any() else None
            ax.errorbar(100 * means["load"], rate * means["throughput"], bars, linestyle=look["linestyle"], **line)
        handles.append(style.handle(label, **look | ({"linestyle": "none"} if is_scattered else {})))
    handles = handles if len(handles) > 1 else []
    style.percent_axis(ax.xaxis, 100 * windows["load"])
    ax.set_ylim(bottom=0)
    ax.set(xlabel="CPU load (%)", ylabel=f"throughput ({name})")
    handles.append(style.missed_handle(windows))
    return style.arrange(figure, cells, handles, heights_cm=[LINES_CM], size_cm=size_cm)


def levels(frame: pd.DataFrame) -> pd.DataFrame:
    """Mean load, mean throughput and its standard deviation (NaN of one step) of steps with one target, by load."""
    level = frame["target"].fillna(frame["load"]) if "target" in frame else frame["load"]
    order = level.sort_values(kind="stable")
    groups = frame.groupby((order.diff() >= SAME_TARGET).cumsum())
    means = groups[["load", "throughput"]].mean().assign(deviation=groups["throughput"].std())
    return means.sort_values("load").reset_index(drop=True)


@style.styled
def interference(steps: pd.DataFrame, *, size_cm: Size | None = None) -> Figure:
    """Draw throughput over load of a staircase that goes back as it came, with the least-squares line of each half.

    Steps of the first half are triangles that point down, those of the second half up, and its line is dashed. A step
    whose load missed the target by more than 2 percentage points is open, and doesn't count for the line.

    Args:
        steps: label, file (if there are several runs), load, throughput (per second), missed of each step, in order.
    """
    rate, name = style.rate_unit(style.most_of(steps["throughput"]))
    figure, cells = style.new_figure()
    ax = cells[0, 0]
    handles: list[Any] = []
    for number, (label, runs) in enumerate(grouped(steps, "label")):
        color = style.series_style(number)["color"]
        for _, run in grouped(runs, "file"):
            # Where the step at which it turns is one, it is the end of one half and the beginning of the other.
            half = (len(run) + 1) // 2
            for part, (_, marker, dashes) in zip((run[:half], run[len(run) - half :]), _HALVES):
                load, throughput, missed = 100 * part["load"], rate * part["throughput"], style.has_missed(part)
                style.draw_points(ax, load, throughput, missed, zorder=3, color=color, marker=marker)
                counts = load.notna() & throughput.notna() & ~missed
                ends = load[counts].agg(["min", "max"])
                if ends["min"] < ends["max"]:
                    line = np.polyval(np.polyfit(load[counts], throughput[counts], 1), ends)
                    ax.plot(ends, line, color=color, linestyle=dashes)
        handles.append(style.patch(label, color))
    handles = handles if len(handles) > 1 else []
    handles += [style.handle(text, marker=mark, linestyle=dashes, color="#666666") for text, mark, dashes in _HALVES]
    style.percent_axis(ax.xaxis, 100 * steps["load"])
    ax.set_ylim(bottom=0)
    ax.set(xlabel="CPU load (%)", ylabel=f"throughput ({name})")
    return style.arrange(figure, cells, [*handles, style.missed_handle(steps)], heights_cm=[LINES_CM], size_cm=size_cm)


@style.styled
def throughput(windows: pd.DataFrame, *, per_step: bool = False, size_cm: Size | None = None) -> Figure:
    """Draw throughput over time: as steps, or with `per_step` a point for each window, with a line as long as it.

    Args:
        windows: start_s, end_s, throughput (per second), a series for each label; missed: such steps have open markers.
    """
    return _over_time(windows, "throughput", "throughput", per_step, size_cm)


@style.styled
def overall(steps: pd.DataFrame, *, is_relative: bool = False, size_cm: Size | None = None) -> Figure:
    """Draw the throughput of all workloads in each step, or the column relative (1: the same as the reference)."""
    return _over_time(steps, "relative" if is_relative else "throughput", "throughput", True, size_cm)


@style.styled
def efficiency(steps: pd.DataFrame, *, is_relative: bool = False, size_cm: Size | None = None) -> Figure:
    """Draw iterations_per_wh of each step, or the column relative (1: the same as the reference)."""
    return _over_time(steps, "relative" if is_relative else "iterations_per_wh", "efficiency", True, size_cm)


def _over_time(frame: pd.DataFrame, column: str, name: str, is_points: bool, size_cm: Size | None) -> Figure:
    units = {"relative": (100.0, "%"), "iterations_per_wh": (1.0, "iterations/Wh")}
    factor, unit = units.get(column) or style.rate_unit(style.most_of(frame[column]))
    time = style.time_axis(style.time_range(frame), frame)
    figure, cells = style.new_figure()
    ax = cells[0, 0]
    handles: list[Any] = []
    for number, (label, runs) in enumerate(grouped(frame, "label")):
        look = style.series_style(number, is_marked=is_points)
        for _, part in grouped(runs, "file"):
            if is_points:
                start, end, y = time(part["start_s"]), time(part["end_s"]), factor * part[column]
                ax.hlines(y, start, end, color=look["color"], linewidth=THIN)
                style.draw_points(ax, (start + end) / 2, y, style.has_missed(part), zorder=3, **look)
            else:
                x, y = style.steps_line(part, column)
                ax.plot(time(x), factor * y, linewidth=LINE, **look)
        handles.append(style.handle(label, **look | ({"linestyle": "none"} if is_points else {})))
    handles = handles if len(handles) > 1 else []
    time.apply(ax)
    ax.set_ylim(bottom=0)
    ax.set(xlabel=time.name, ylabel=f"{'relative ' if column == 'relative' else ''}{name} ({unit})")
    handles.append(style.missed_handle(frame) if is_points else None)
    return style.arrange(figure, cells, handles, heights_cm=[LINES_CM], size_cm=size_cm)
