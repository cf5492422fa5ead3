# SPDX-License-Identifier: MIT
"""The style that all figures share, how their parts are laid out, and how they are saved.

Figures are made without pyplot, by matplotlib's own defaults and not by the user's, so that the same data give the same
file. Sizes are those of paper: 8.5 cm is the width of a column, in which text has 7 points.
"""
from __future__ import annotations

import datetime
import functools
import io
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, MultipleLocator

from .._errors import InputError

CM = 1 / 2.54  # in inches
COLUMN_CM = 8.5
FONT = 7.0
# Okabe and Ito's colours that stand out from white, with markers whose shapes differ too. More series than that have
# other dashes.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (4, 1, 1, 1)))
TARGET, LOAD, OTHERS, UNKNOWN = "#000000", "#56b4e9", "#c8c8c8", "#dddddd"
THIN, LINE, THICK = 0.5, 0.9, 1.5  # widths of lines, in points
MARK = 3.5  # size of a marker, in points
BAND = 0.2  # opacity of an interval
FORMATS = (".png", ".svg", ".pdf")
_LEAST_CM = 0.7  # axes are no smaller
_MANY = 3000  # windows: a line of more is drawn with fewer points, which a column of a paper couldn't show
_PAD = 0.03  # around texts, in inches
_TEXT_CM = 1.1  # height of what stands below axes
_DAY = 86400
_CLOCK_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200)

_SIZES = ("axes.labelsize", "axes.titlesize", "xtick.labelsize", "ytick.labelsize", "legend.fontsize", "font.size")
_LEGEND = {"handlelength": 1.8, "handletextpad": 0.5, "columnspacing": 1.4, "labelspacing": 0.35, "borderpad": 0.0}
_RC: dict[str, Any] = {
    **dict.fromkeys(_SIZES, FONT),
    **{
        f"{axis}tick.major.{name}": size
        for axis in "xy"
        for name, size in (("size", 2.5), ("pad", 2.0), ("width", THIN))
    },
    **{f"{axis}tick.minor.{name}": size for axis in "xy" for name, size in (("size", 1.5), ("width", THIN))},
    **dict.fromkeys(("axes.linewidth", "grid.linewidth", "patch.linewidth"), THIN),
    **{f"legend.{name}": size for name, size in _LEGEND.items()},
    **{f"figure.constrained_layout.{side}": _PAD for side in ("h_pad", "w_pad", "hspace", "wspace")},
    "figure.dpi": 300,
    "font.family": ["DejaVu Sans"],  # matplotlib brings it along
    "axes.titlelocation": "left",
    "axes.titlepad": 2.5,
    "axes.titley": 1.0,  # else each layout looks for what is above
    "axes.labelpad": 2.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.xmargin": 0.0,
    "axes.formatter.limits": (-4, 7),
    "axes.formatter.useoffset": False,
    "grid.color": "#e4e4e4",
    "lines.linewidth": LINE,
    "lines.markersize": MARK,
    "lines.markeredgewidth": 0.7,
    "legend.frameon": False,
    "legend.borderaxespad": _PAD * 72 / FONT,
    "text.parse_math": False,  # labels are the user's
    "svg.hashsalt": "showstopper",
    "pdf.fonttype": 42,
}

Size = tuple[float, float]
_P = ParamSpec("_P")


@contextmanager
def style() -> Iterator[None]:
    """In this context matplotlib has the style; afterwards it is as it was before."""
    with matplotlib.rc_context(), warnings.catch_warnings():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_RC)
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        yield


def styled(draw: Callable[_P, Figure]) -> Callable[_P, Figure]:
    """Decorates a function that makes a figure of a table. A frame that is another one is refused."""

    @functools.wraps(draw)
    def styled_draw(*arguments: _P.args, **options: _P.kwargs) -> Figure:
        expected = f"expected the frame that help(showstopper.plot.{draw.__name__}) names"
        if not isinstance(arguments[0] if arguments else None, pd.DataFrame):
            raise InputError(f"found {type(arguments[0]).__name__ if arguments else 'nothing'}, {expected}")
        try:
            with style():
                return draw(*arguments, **options)
        except KeyError as error:
            raise InputError(f"found no column {error}, {expected}") from error

    return styled_draw


class _Figure(Figure):  # type: ignore[misc]
    """A notebook shows it, with or without pyplot."""

    def _repr_png_(self) -> bytes:
        data = io.BytesIO()
        with style():
            self.savefig(data, format="png", dpi=200)
        return data.getvalue()


def save(figure: Figure, path: str | os.PathLike[str], *, version: str = "", command: str = "") -> None:
    """Write a figure as PNG of 300 dpi, SVG or PDF, as the path ends. The same figure gives the same bytes.

    `version` (with the revision) and the `command` that made the figure are in the metadata of the file.

    Raises InputError when the path has another ending, OSError when it can't be written.
    """
    kind = Path(path).suffix.lower()
    if kind not in FORMATS:
        expected = f"expected one that ends with {', '.join(FORMATS)}"
        raise InputError(f"{os.fspath(path)}: found a picture of this name, {expected}")
    by = f"Showstopper {version}".strip()
    metadata: dict[str, dict[str, str | None]] = {
        ".svg": {"Creator": by, "Description": command or None, "Date": None},
        ".pdf": {"Creator": by, "Subject": command or None, "CreationDate": None},
        ".png": {"Software": by, "Description": command},
    }
    data = io.BytesIO()
    with style():
        figure.savefig(data, format=kind[1:], metadata=metadata[kind])
    Path(path).write_bytes(data.getvalue())


# ---- Parts of figures -----------------------------------------------------------------------------------------------


def new_figure(rows: int = 1, columns: int = 1) -> tuple[Figure, Any]:
    """A figure with an array of axes, which `arrange` places."""
    figure = _Figure(layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns, squeeze=False)


def series_style(number: int, is_marked: bool = False) -> dict[str, Any]:
    """Colour and dashes, and perhaps the marker, of the series of this number, from 0."""
    found: dict[str, Any] = {"color": COLORS[number % len(COLORS)]}
    found["linestyle"] = DASHES[number // len(COLORS) % len(DASHES)]
    return found | ({"marker": MARKERS[number % len(MARKERS)]} if is_marked else {})


def has_missed(frame: pd.DataFrame) -> Any:
    """For each row whether its load missed its target, as its column `missed` says."""
    return frame["missed"].notna().to_numpy() if "missed" in frame else np.zeros(len(frame), dtype=bool)


def draw_points(ax: Any, x: Any, y: Any, missed: Any, *, size: float = MARK, **look: Any) -> None:
    """Markers without a line: filled ones, and open ones where the target was missed."""
    look = look | {"linestyle": "none", "markersize": size, "clip_on": False}
    x, y, missed = np.asarray(x, dtype=float), np.asarray(y, dtype=float), np.asarray(missed, dtype=bool)
    for which, fill in ((~missed, "full"), (missed, "none")):
        if (which & np.isfinite(y)).any():
            ax.plot(x[which], y[which], fillstyle=fill, **look)


def missed_handle(frame: pd.DataFrame, color: str = "#666666") -> Line2D | None:
    """The legend's entry of open markers, if there are some, with the reasons that the frame's column `missed` has."""
    if not has_missed(frame).any():
        return None
    name = f"> 2 pp off target: {', '.join(frame['missed'].dropna().unique())}"
    return handle(name, marker="o", fillstyle="none", color=color, linestyle="none")


def steps_line(frame: pd.DataFrame, column: str) -> tuple[Any, Any]:
    """A line of constant values from edge to edge of windows, broken where one is not known or windows are apart.

    Of many windows, stretches have their least and their greatest value: it looks the same.
    """
    start, end, y = (frame[name].to_numpy(dtype=float) for name in ("start_s", "end_s", column))
    if len(y) > _MANY:
        first = np.arange(0, len(y), -(-2 * len(y) // _MANY))
        y = np.c_[np.fmin.reduceat(y, first), np.fmax.reduceat(y, first)].ravel()
        start, end = start[first], end[np.r_[first[1:], len(end)] - 1]
        start, end = np.c_[start, (start + end) / 2].ravel(), np.c_[(start + end) / 2, end].ravel()
    apart = np.r_[start[1:] - end[:-1] > 1e-3 * (end - start)[:-1], False]
    return np.c_[start, end, end].ravel(), np.c_[y, y, np.where(apart, np.nan, y)].ravel()


def handle(label: str, **look: Any) -> Line2D:
    """An entry of a legend that is a line, or a marker, of this look."""
    return Line2D([], [], label=label, **look)


def patch(label: str, color: Any, **look: Any) -> Patch:
    """An entry of a legend that is a filled area."""
    return Patch(label=label, facecolor=color, **look)


# ---- Units and axes -------------------------------------------------------------------------------------------------


def time_unit(span_s: float) -> tuple[float, str]:
    """What seconds are multiplied by on an axis of this length, and the unit's name."""
    return (1 / 3600, "h") if span_s >= 3 * 3600 else (1 / 60, "min") if span_s >= 20 * 60 else (1.0, "s")


def rate_unit(most: float) -> tuple[float, str]:
    """The same for iterations per second, of which this is the largest number."""
    if most >= 1000:
        return 0.001, "1000 iterations/s"
    units = [(1.0, "iterations/s"), (60.0, "iterations/min"), (3600.0, "iterations/h")]
    return next((unit for unit in units if most * unit[0] >= 0.2), units[-1 if most > 0 else 0])


def most_of(values: Any) -> float:
    """The greatest of those that are known, 0 if there is none."""
    known = np.asarray(values, dtype=float)
    return float(known[np.isfinite(known)].max(initial=0))


def time_range(*frames: pd.DataFrame | None) -> tuple[float, float]:
    """First and last moment of all windows, in seconds."""
    given = [frame for frame in frames if frame is not None and len(frame)]
    low = min((float(frame["start_s"].min()) for frame in given), default=0.0)
    high = max((float(frame["end_s"].max()) for frame in given), default=1.0)
    # Rows begin a few milliseconds before or after control does; the axis should not.
    low = 0.0 if abs(low) < 0.01 * (high - low) else low
    return low, high if high > low else low + 1


class TimeAxis(NamedTuple):
    """An axis of time: what seconds are multiplied by, what is added, its name, its ends in seconds, a clock's date."""

    factor: float
    offset: float
    name: str
    span: tuple[float, float]
    is_clock: bool = False
    date: datetime.date | None = None

    def __call__(self, seconds: Any) -> Any:
        """Where moments lie on it."""
        return np.asarray(seconds, dtype=float) * self.factor + self.offset

    def apply(self, ax: Any) -> None:
        """Make it the axis x; a clock has up to five ticks, at round times."""
        low, high = self(self.span)
        ax.set_xlim(low, high)
        if self.is_clock:
            days = [_DAY * count for count in range(1, 1 + int(high - low) // _DAY)]
            step = next(
                (step for step in (*_CLOCK_STEPS, *days) if (high - low) / step <= (7 if step >= _DAY else 5)), _DAY
            )
            ax.xaxis.set_major_locator(MultipleLocator(step))
            ax.xaxis.set_major_formatter(lambda at, _: self._tick(round(at), step, high - low > _DAY))
        elif self.factor == 1 / 3600:
            hours = (1, 2, 3, 6, 12, *(24 * days for days in range(1, 1 + int(high - low) // 24)))
            ax.xaxis.set_major_locator(MultipleLocator(next(step for step in hours if (high - low) / step <= 6)))

    def _tick(self, at: int, step: int, has_days: bool) -> str:
        day, second = divmod(at, _DAY)
        if has_days and not second:
            return f"day {day + 1}" if self.date is None else f"{self.date + datetime.timedelta(days=day):%-d %b}"
        return f"{second // 3600:02d}:{second // 60 % 60:02d}" + (f":{second % 60:02d}" if step < 60 else "")


def _line(frame: pd.DataFrame | None, column: str) -> tuple[float, float] | None:
    """Where a time of another clock is when control begins, and how fast it goes."""
    if frame is None or column not in frame or frame[column].count() < 2:
        return None
    end, there = frame.loc[frame[column].notna(), ["end_s", column]].to_numpy(dtype=float).T
    # Where a trace begins again, its position goes back.
    speed = round(float(np.median(np.diff(there) / np.diff(end))), 6)
    return round(float(there[0] - speed * end[0]), 3), speed


def time_axis(
    span: tuple[float, float],
    frame: pd.DataFrame | None = None,
    recorded: datetime.time | datetime.datetime | None = None,
    speed: float | None = None,
) -> TimeAxis:
    """An axis of time since control began; of the recorded time of day, if it is given; of the time in the trace, if the column trace_s has it; or
    for more than a day, if the column time_unix_s has it, of dates.

    Where the trace went as fast as control, and for less than an hour, there is nothing to tell.
    """
    length = span[1] - span[0]
    trace, wall = _line(frame, "trace_s"), _line(frame, "time_unix_s")
    if recorded is not None:
        date = recorded.date() if isinstance(recorded, datetime.datetime) else None
        start = 3600.0 * recorded.hour + 60 * recorded.minute + recorded.second
        return TimeAxis(speed or (trace[1] if trace else 1.0), start, "recorded time", span, True, date)
    if trace and (trace != (0, 1) or length >= 3600):
        return TimeAxis(trace[1], trace[0], "time in the trace", span, True)
    if wall and length > _DAY:
        began = datetime.datetime.fromtimestamp(wall[0], datetime.timezone.utc)
        return TimeAxis(1.0, wall[0] % _DAY, "date (UTC)", span, True, began.date())
    factor, unit = time_unit(length)
    return TimeAxis(factor, 0.0, f"time ({unit})", span)


def percent_axis(axis: Any, values: Any = ()) -> None:
    """An axis from 0 to 100 %, or to the greatest of the values, as a load may be above 1."""
    most = most_of(values)
    axis.axes.set(**{f"{axis.axis_name}lim": (0, most if most > 101 else 100)})


def log_axis(axis: Any, values: Any) -> None:
    """A logarithmic axis for positive values, from tick to tick, with ticks at 1, 2 and 5 times powers of ten.

    Where there are many, the powers of ten alone have numbers.
    """
    known = np.asarray(values, dtype=float)
    known = known[np.isfinite(known) & (known > 0)]
    low, high = (known.min(), known.max()) if known.size else (1.0, 10.0)
    ticks = np.outer(10.0 ** np.arange(-15, 16), [1, 2, 5]).ravel()
    first = int(np.searchsorted(ticks, low * (1 + 1e-9))) - 1
    last = max(int(np.searchsorted(ticks, high * (1 - 1e-9))), first + 1)
    is_crowded = last - first >= (10 if axis.axis_name == "y" else 7)
    axis.axes.set(**{f"{axis.axis_name}scale": "log", f"{axis.axis_name}lim": (ticks[first], ticks[last])})
    axis.set_major_locator(LogLocator(subs=(1.0,) if is_crowded else (1.0, 2.0, 5.0), numticks=12))
    axis.set_major_formatter("{x:.10g}")
    axis.set_minor_locator(LogLocator(subs=(2.0, 5.0) if is_crowded else (), numticks=12))
    axis.set_minor_formatter("")


# ---- Layout ---------------------------------------------------------------------------------------------------------


def text_width(figure: Figure, text: str) -> float:
    """Of its longest line, in inches."""
    found = [figure.text(0, 0, line, fontsize=FONT) for line in text.split("\n")]
    width = max(line.get_window_extent().width for line in found) / figure.dpi
    for line in found:
        line.remove()
    return float(width)


def fitted(figure: Figure, text: str, room_cm: float) -> str:
    """A text of the user's in one line of so many cm at most, which may cost its middle: ends tell names apart."""
    clean = "".join(letter if letter.isprintable() else "?" for letter in str(text))
    cuts = (f"{clean[: (n + 1) // 2]}…{clean[len(clean) - n // 2 :]}" for n in range(min(len(clean) - 1, 200), 0, -1))
    return next((cut for cut in (clean, *cuts) if text_width(figure, cut) <= room_cm * CM), "…")


def _add_legend(figure: Figure, handles: Sequence[Any]) -> float:
    """A legend at the top, in as many columns as there is room for. Returns its height in inches."""
    room = figure.get_figwidth() - 2 * _PAD
    for entry in handles:
        entry.set_label(fitted(figure, entry.get_label(), room / CM - 0.8))
    for columns in range(len(handles), 0, -1):
        legend = figure.legend(handles=list(handles), loc="upper center", ncols=columns)
        extent = legend.get_window_extent()
        if extent.width <= room * figure.dpi or columns == 1:
            break
        legend.remove()
    return float(extent.height / figure.dpi + _PAD)


def arrange(
    figure: Figure,
    cells: Any,
    handles: Sequence[Any] = (),
    *,
    heights_cm: Sequence[float],
    size_cm: Size | None = None,
    width_cm: float = COLUMN_CM,
) -> Figure:
    """Give the figure its size, a legend above its axes, and matplotlib's constrained layout.

    The picture is as high as it needs for rows of `heights_cm`; with `size_cm` these are shares of what is left.

    Raises InputError when the size leaves no room.
    """
    width, height = size_cm or (width_cm, sum(heights_cm) + _TEXT_CM)
    figure.set_size_inches(width * CM, height * CM)
    cells[0, 0].get_gridspec().set_height_ratios(heights_cm)
    entries = [entry for entry in handles if entry is not None]
    legend = _add_legend(figure, entries) if entries else 0.0
    if not size_cm:
        figure.set_figheight(height * CM + legend)
    layout = figure.get_layout_engine()
    layout.set(rect=(0, 0, 1, 1 - legend / figure.get_figheight()))
    with warnings.catch_warnings(record=True) as refusals:
        warnings.filterwarnings("always", message="constrained_layout not applied")
        layout.execute(figure)
    figure.set_layout_engine("none")  # it isn't done again, which takes longer than all else
    least = min(min(ax.get_window_extent().size) for ax in cells.ravel()) / figure.dpi
    if refusals or least < _LEAST_CM * CM:
        raise InputError(f"found a picture of {width:.3g}x{height:.3g} cm, expected a larger one")
    return figure
