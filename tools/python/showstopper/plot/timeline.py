# SPDX-License-Identifier: MIT
"""Target, load, throughput and power over time, a panel for each log."""
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from .._errors import InputError
from ..boxes import duration_unit
from . import style
from .style import LINE, LOAD, TARGET, THICK, THIN, Size, TimeAxis

__all__ = ["timeline"]

PANELS_MOST = 12
_PANEL_CM, _SINGLE_CM = 2.5, 3.9  # height of a panel among others, or alone
_THROUGHPUT, _POWER, _POWER_MEAN = "#d55e00", "#009e73", "#004d39"
_FREE, _WATCHED = "#f3d9a4", (
    "#e3bcd2",
    "#b5d8cb",
    "#f6efb1",
    "#d3c4e8",
)  # what is below the load is lighter than lines
_DENSE = 150  # a line of more windows is drawn thin
_MARKED = 1 / 60  # of the axis: a shorter stretch is narrower than its marker


@style.styled
def timeline(
    windows: pd.DataFrame,
    throughput: pd.DataFrame | None = None,
    steps: pd.DataFrame | None = None,
    *,
    traces: Mapping[str, pd.DataFrame] | None = None,
    window_s: float = 0.0,
    columns: int = 1,
    recorded: datetime.time | datetime.datetime | None = None,
    speed: float | None = None,
    size_cm: Size | None = None,
) -> Figure:
    """Draw target and load as lines, throughput as steps on the right axis, and power with an axis of its own.

    Args:
        windows: rows or windows of each log: start_s, end_s, and as far as they are known label, file, target, load,
            power_w; others, free and watch_NAME (loads) are areas below the load. Each pair of label and file has a
            panel. Stretches whose column `missed` has a reason have an open marker.
        throughput: windows with a throughput (per second), whose label and file are those of panels.
        steps: their load, missed and power_w are drawn as means, with open markers for those that missed the target.
        traces: for the file of a panel (its label, if it has none) time_s and target of a line, in place of the means.
        window_s: how long the windows are, which the axis says; 0: they are rows.
        columns: how many panels are beside each other.
        recorded: the time of day, or the moment, at which time 0 was recorded, for an axis of recorded time, which goes
            `speed` times as fast as that of the windows; by default as fast as the column trace_s of the first panel.
        size_cm: width and height; by default 8.5 cm for each column, and as high as it needs.

    Raises:
        InputError: there are more than 12 panels in a column, or the size leaves no room.
    """
    panels = _panels(windows)
    if not 0 < len(panels) <= PANELS_MOST * columns:
        raise InputError(f"found {len(panels)} logs, expected 1 to {PANELS_MOST * columns} in a picture")
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    figure, cells = style.new_figure(rows, columns)
    time = style.time_axis(style.time_range(windows, throughput), next(iter(panels.values())), recorded, speed)
    rate, rate_name = style.rate_unit(style.most_of(throughput["throughput"]) if throughput is not None else 0)
    power = style.most_of(windows["power_w"]) if "power_w" in windows else 0.0
    unit, factor = duration_unit(window_s)
    time_name = time.name + (f", means of {window_s * factor:g} {unit}" if window_s > 0 else "")
    for ax in cells.ravel()[len(panels) :]:
        ax.set_axis_off()
    twins, marks = [], []
    for i, ((label, file), frame) in enumerate(panels.items()):
        ax = cells.ravel()[i]
        # One name of an axis is for all rows.
        names = {"y": 0.5 if rows % 2 else 0.0} if i // columns == (rows - 1) // 2 else None
        ax.set_title(style.fitted(figure, label, style.COLUMN_CM - 2) if len(panels) > 1 else "")
        _draw_load(ax, frame, (traces or {}).get(file or label), time)
        own, step = _part(throughput, label, file), _part(steps, label, file)
        marks += _draw_missed(ax, frame if steps is None else step, steps is not None, time)
        right = names if i % columns == columns - 1 or i == len(panels) - 1 else None
        if len(own):
            twins.append(_right_axis(ax, rate_name, right))
            x, y = style.steps_line(own, "throughput")
            twins[-1].plot(time(x), rate * y, color=_THROUGHPUT, linewidth=_width(own), label="throughput")
            twins[-1].set_ylim(0, 1.1 * max(style.most_of(rate * y), 1e-9))
        if power and frame["power_w"].notna().any():
            twins.append(_right_axis(ax, "power (W)", right, beside=twins[-1] if len(own) else None))
            x, y = style.steps_line(frame, "power_w")
            twins[-1].plot(time(x), y, color=_POWER, linewidth=_width(frame), label="power")
            if "power_w" in step:
                look = {"color": _POWER_MEAN, "linewidth": THICK, "label": "mean power of a step"}
                twins[-1].hlines(step["power_w"], time(step["start_s"]), time(step["end_s"]), **look)
            twins[-1].set_ylim(0, 1.1 * power)
        time.apply(ax)
        style.percent_axis(ax.yaxis)
        if names and i % columns == 0:
            ax.set_ylabel("CPU load (%)", **names)
        is_lowest = i + columns >= len(panels)
        ax.tick_params(labelbottom=is_lowest)
        ax.set_xlabel(time_name if is_lowest else "")
    entries = [entry for ax in [*cells.ravel(), *twins] for entry in ax.get_legend_handles_labels()[0]] + marks
    handles = {entry.get_label(): entry for entry in entries if entry}
    heights = [_SINGLE_CM if rows == 1 else _PANEL_CM] * rows
    width = style.COLUMN_CM * columns
    return style.arrange(figure, cells, list(handles.values()), heights_cm=heights, size_cm=size_cm, width_cm=width)


def _panels(windows: pd.DataFrame) -> dict[tuple[str, str], pd.DataFrame]:
    none = pd.Series("", index=windows.index)
    keys = [windows[name].fillna("").astype(str) if name in windows else none for name in ("label", "file")]
    return {(str(label), str(file)): frame for (label, file), frame in windows.groupby(keys, sort=False)}


def _width(frame: pd.DataFrame) -> float:
    """Of a line through these windows, in points."""
    return THIN if len(frame) > _DENSE else LINE


def _part(frame: pd.DataFrame | None, label: str, file: str) -> pd.DataFrame:
    """The rows of a panel."""
    if frame is None:
        return pd.DataFrame()
    for name, value in (("label", label), ("file", file)):
        if name in frame and value:
            frame = frame[frame[name] == value]
    return frame


def _draw_load(ax: Any, frame: pd.DataFrame, trace: pd.DataFrame | None, time: TimeAxis) -> None:
    watched = [str(name) for name in frame.columns if str(name).startswith("watch_")]
    areas = {"others": ("others", style.OTHERS)}
    areas |= {name: (name[len("watch_") :], _WATCHED[i % len(_WATCHED)]) for i, name in enumerate(watched)}
    areas["free"] = ("free workloads", _FREE)
    areas = {name: value for name, value in areas.items() if name in frame and frame[name].notna().any()}
    has_load = "load" in frame and frame["load"].notna().any()
    if has_load:
        x, y = style.steps_line(frame, "load")
        ax.plot(time(x), 100 * y, color=LOAD, linewidth=1.6 * _width(frame), label="load")
    if trace is not None:
        ax.plot(time(trace["time_s"]), 100 * trace["target"], color=TARGET, linewidth=THIN, label="target")
    elif "target" in frame and frame["target"].notna().any():
        # The target of a window without a load may be a mean over several.
        known = frame["target"].where(frame["load"].notna()) if has_load else frame["target"]
        x, y = style.steps_line(frame.assign(target=known), "target")
        ax.plot(time(x), 100 * y, color=TARGET, linewidth=THIN, label="target")
    if areas:
        lines = [style.steps_line(frame, name) for name in areas]
        names, colors = zip(*areas.values())
        ax.stackplot(
            time(lines[0][0]),
            [100 * np.nan_to_num(y) for _, y in lines],
            labels=names,
            colors=colors,
            linewidth=0,
            zorder=1.5,
        )


def _draw_missed(ax: Any, frame: pd.DataFrame, is_of_steps: bool, time: TimeAxis) -> list[Any]:
    """The mean loads of steps, or of stretches of windows that missed a target. Returns the entries of the legend."""
    if not is_of_steps and style.has_missed(frame).any():
        target, reason = frame["target"].round(3), frame["missed"].fillna("")
        stretch = ((target != target.shift()) | (reason != reason.shift())).cumsum()
        ends = {"start_s": ("start_s", "min"), "end_s": ("end_s", "max"), "load": ("load", "mean")}
        frame = frame.groupby(stretch).agg(missed=("missed", "first"), **ends)
        least = _MARKED * (time.span[1] - time.span[0])
        frame = frame[frame["missed"].notna() & (frame["end_s"] - frame["start_s"] > least)]
    elif not is_of_steps or frame.empty:
        return []
    look: dict[str, Any] = {"marker": "o", "color": style.COLORS[0]}
    middle = time((frame["start_s"] + frame["end_s"]) / 2)
    style.draw_points(ax, middle, 100 * frame["load"], style.has_missed(frame), zorder=4, **look)
    steps = [style.handle("mean load of a step", linestyle="none", **look)] if is_of_steps else []
    return [*steps, style.missed_handle(frame, style.COLORS[0])]


def _right_axis(ax: Any, name: str, names: dict[str, float] | None, beside: Any = None) -> Any:
    """An axis at the right, perhaps `beside` another one."""
    twin = ax.twinx()
    twin.grid(False)
    twin.spines["right"].set_visible(True)
    if names:
        twin.set_ylabel(name, **names)
    if beside:
        twin.spines["right"].set_position(("outward", 34))
    return twin
