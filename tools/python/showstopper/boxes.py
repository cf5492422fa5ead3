# SPDX-License-Identifier: MIT
"""Quantiles and outliers of the values of each group, or of how long iterations took."""
from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ._errors import InputError
from ._schema import SCHEMAS, Column, Schema, checked
from .logs import has_failed, mean_over, time_of
from .runs import Recorded, Run, runs_of
from .statistics import grouped, sample_mean, table_of

__all__ = ["boxes", "iteration_boxes", "iteration_times", "label_place"]

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
WHISKER = 1.5  # Values that are so many lengths of the box away from it are outliers.
_FAR = 0.02  # Of a load from another one.
_LABEL = re.compile(
    r"(?:(?P<series>.*)/)?(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?)%?", re.DOTALL | re.ASCII
)


class Box(NamedTuple):
    """Quartiles, ends of the whiskers, and the outliers, sorted."""

    first: float
    median: float
    third: float
    low: float
    high: float
    outliers: NDArray[np.float64]


def box(values: NDArray[np.float64]) -> Box:
    """The box plot of one value or more. Whiskers go to the outermost values within 1.5 lengths of the box from it."""
    first, median, third = np.quantile(values, [0.25, 0.5, 0.75])
    reach = WHISKER * (third - first)
    is_near = (values >= first - reach) & (values <= third + reach)
    # A quartile lies between two values, of which the outer one may be an outlier: no whisker ends inside of the box.
    low = min(values[is_near].min(initial=first), first)
    high = max(values[is_near].max(initial=third), third)
    return Box(first, median, third, low, high, np.sort(values[~is_near]))


class LabelPlace(NamedTuple):
    series: str
    number: float


def label_place(label: str) -> LabelPlace | None:
    """The number at the end of a label such as 40, 40% or freezer/40, and what is before the slash ("" if none); None if it has another shape."""
    found = _LABEL.fullmatch(label)
    return LabelPlace(found["series"] or "", float(found["number"])) if found else None


def duration_unit(seconds: float) -> tuple[str, float]:
    """The unit in which people read times, the longest of which is this, and how many of them a second has."""
    if seconds >= 1 or not seconds > 0:
        return "s", 1
    return ("ms", 1e3) if seconds >= 1e-3 else ("µs", 1e6)


def boxes_schema(quantiles: Sequence[float], unit: tuple[str, float] | None = None) -> Schema:
    """The columns of a table with these quantiles; of durations, that people read in a unit (duration_unit), if there is one."""
    windows = {column.name: column for column in SCHEMAS["windows"].columns}
    names = {f"q{100 * quantile:.10g}": f"{100 * quantile:.10g} %" for quantile in quantiles}
    figures = [
        Column(name, "float", "", f"{title} of the values", None, title, 4)
        if unit is None
        else Column(f"{name}_s", "float", "s", f"{title} of the durations", 9, f"{title} {unit[0]}", 3, unit[1])
        for name, title in {"least": "least", **names, "most": "most", "mean": "mean"}.items()
    ]
    count = Column("iterations" if unit else "count", "int", "", "how many", 0, "iterations" if unit else "values")
    outliers = Column("outliers", "int", "", "values more than 1.5 lengths of the box away from it", 0, "outliers")
    more = () if unit is None else (windows["load"],)
    return Schema("boxes", (windows["label"], count, *figures, outliers, *more))


def boxes(
    frame: pd.DataFrame, column: str, group: str = "label", *, quantiles: Sequence[float] = QUANTILES
) -> pd.DataFrame:
    """Quantiles, mean and outliers of the values of each group.

    Args:
        column, group: the columns with the values and with the names of the groups. Groups without a value are left out.
        quantiles: 0 to 1. Between two values a straight line counts (numpy's method "linear").

    Returns:
        A row per group: label, count, least, a column for each quantile, such as q50, most, mean, and how many outliers there are.

    Raises:
        InputError: there is no value.
    """
    rows = [
        (name, of.size, of.min(), *np.quantile(of, quantiles), of.max(), sample_mean(of), box(of).outliers.size)
        for name, of in grouped(frame, column, group).items()
        if of.size
    ]
    if not rows:
        raise InputError("found no value")
    return table_of(rows, boxes_schema(quantiles))


# ---- Iterations


def _begin(run: Run) -> float:
    """When control began, on the clock of the iterations; -inf where nothing was controlled."""
    begin = -math.inf
    for file, log in run.logs:
        if "target" not in log or not log["is_warmup"].any():
            continue
        if "monotonic_s" not in log:
            raise InputError(f"{file}:1: found no column monotonic_s, expected it for the iterations")
        begin = max(begin, float(log.loc[log["is_warmup"], "monotonic_s"].iloc[-1]))
    return begin


def _load(run: Run, start_s: float, end_s: float) -> tuple[float, float]:
    """The mean load of a stretch on the clock of the iterations, or of all control where the log lacks that clock; and its seconds."""
    log = next((log for _, log in run.logs if "target" in log), run.log)
    if log is None:
        return math.nan, 0.0
    first, end = log["start_s"].iloc[0], log["time_s"].iloc[-1]
    if "monotonic_s" in log:
        start_s, end_s = time_of(log, [start_s, end_s])
        first, end = max(first, start_s), min(end, end_s)
    elif not log["is_warmup"].all():
        first = log.loc[~log["is_warmup"], "start_s"].iloc[0]
    return (float(mean_over(log, "load", [first], [end])[0]), end - first) if end > first else (math.nan, 0.0)


def iteration_times(runs: Recorded, *, with_warmup: bool = False) -> tuple[pd.DataFrame, dict[str, float]]:
    """How long the iterations of runs took.

    Args:
        with_warmup: also those that began before control did.

    Returns:
        A row per iteration that succeeded: label (of its run), duration_s; and the mean load of each label from the first of these
        iterations to the last, NaN where a run has no log that tells it.

    Raises:
        InputError: a run has no iterations, or a label none after the warm-up.
    """
    parts: list[pd.DataFrame] = []
    loads: dict[str, list[tuple[float, float]]] = {}
    for run in runs_of(runs):
        if run.iterations is None:
            raise InputError(f"{run.label}: found a log, but no iterations")
        found = run.iterations[~(run.iterations["is_gap"] | has_failed(run.iterations))]
        if not with_warmup:
            found = found[found["start_s"] >= _begin(run)]
        # Records have nanoseconds, which the difference of two large times would miss by a little.
        parts.append(pd.DataFrame({"label": run.label, "duration_s": (found["end_s"] - found["start_s"]).round(9)}))
        loads.setdefault(run.label, [])
        if len(found):
            loads[run.label].append(_load(run, found["start_s"].min(), found["end_s"].max()))
    for label, found_loads in loads.items():
        if not found_loads:
            raise InputError(f"{label}: found no iteration{'' if with_warmup else ' after the warm-up'}")
    means = {label: np.array(of).T for label, of in loads.items()}
    return pd.concat(parts or [pd.DataFrame(columns=["label", "duration_s"])], ignore_index=True), {
        label: float(load @ seconds / seconds.sum()) if seconds.sum() > 0 else math.nan
        for label, (load, seconds) in means.items()
    }


def iteration_boxes(
    runs: Recorded, *, quantiles: Sequence[float] = QUANTILES, with_warmup: bool = False
) -> pd.DataFrame:
    """Quantiles of how long iterations took; all iterations of runs of one label count together.

    Args and errors are those of boxes() and iteration_times().

    Returns:
        A row per label: label, iterations, least_s, a column for each quantile, such as q50_s, most_s, mean_s, outliers, and the mean load.
    """
    frame, loads = iteration_times(runs, with_warmup=with_warmup)
    schema = boxes_schema(quantiles, ("s", 1))
    table = boxes(frame, "duration_s", quantiles=quantiles)
    return checked(table.assign(load=table["label"].map(loads)).set_axis(schema.names, axis=1), schema)


def is_misleading(label: str, load: float) -> bool:
    """Whether the number at the end of a label, as a load in per cent or a fraction, is more than 2 percentage points off the load."""
    place = label_place(label)
    if place is None or math.isnan(load):
        return False
    is_far = abs(place.number / 100 - load) > _FAR
    return is_far and (label.endswith("%") or abs(place.number - load) > _FAR)
