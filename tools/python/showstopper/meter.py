# SPDX-License-Identifier: MIT
"""What a power meter wrote: watts at moments of the wall clock, and their mean over stretches of time."""
from __future__ import annotations

import math
import re
from datetime import datetime

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ._csv import NUMBER, CsvFile, PathOrFile
from ._errors import InputError
from ._schema import SCHEMAS, verified
from .logs import Faults

__all__ = ["read_meter", "mean_power"]

_TIMES = ("time_unix_s", "time", "timestamp", "datetime", "date")
_WATTS = ("power_w", "power", "watts", "w")
# So many times the usual distance of readings is a gap.
_GAP_FACTOR = 5
# No meter shows as much; and no clock, before the year 2200.
_WATTS_MOST = 1e9
_TIME_LIMIT = 7258118400.0
_DATE = re.compile(r"(.+?)(\.\d+)?(Z|[+-]\d\d(?::?\d\d)?)", re.ASCII)


def _find(columns: tuple[str, ...], names: tuple[str, ...]) -> str | None:
    """The first of these names that a column has, whatever the case."""
    lower = {column.lower(): column for column in reversed(columns)}
    return next((lower[name] for name in names if name in lower), None)


def _seconds(text: str) -> float:
    """Seconds since 1970 of ISO 8601 with a zone, to the last of its decimals; NaN of anything else."""
    found = _DATE.fullmatch(text.upper())
    try:
        moment = datetime.fromisoformat(found[1] + found[3]) if found else datetime.min
    except ValueError:
        return math.nan
    return moment.timestamp() + float(found[2] or 0) if found and moment.tzinfo else math.nan


def _parse_times(texts: pd.Series) -> NDArray[np.float64]:
    """Seconds since 1970; NaN of what is no time."""
    is_number = texts.str.match(NUMBER)
    seconds = texts.where(is_number).astype(np.float64)
    seconds[~is_number] = texts[~is_number].map(_seconds).astype(np.float64)
    return np.asarray(seconds.where((seconds >= 0) & (seconds < _TIME_LIMIT)))


def read_meter(file: PathOrFile) -> pd.DataFrame:
    """Reads CSV or JSON Lines with a column of times, time_unix_s, time, timestamp, datetime or date (seconds since 1970, or ISO 8601 with a zone),
    and one of watts, power_w, power, watts or W, in upper or lower case.

    Returns:
        time_unix_s, which grows, and power_w, NaN where nothing was measured. Readings of one time are one reading, their mean.

    Raises:
        InputError: the file can't be read, is no meter's, or has fewer than two moments.
    """
    csv = CsvFile(file)
    time, watts = _find(csv.columns, _TIMES), _find(csv.columns, _WATTS)
    if time is None or watts is None:
        expected = "a time (time_unix_s, time or timestamp) and a power (power_w, power or watts)"
        raise InputError(f"{csv.name}:1: found the columns {csv.shown_columns()}, expected {expected}")
    table = csv.read([watts], [time])
    seconds, power = _parse_times(table[time]), table[watts].to_numpy()
    faults = Faults(csv)
    expected = "seconds since 1970, or a time with its zone such as 2026-01-01T12:00:00.5+01:00"
    faults.look(np.isnan(seconds), time, "found '{:.40}', expected " + expected, table[time].to_numpy())
    faults.look_bounds(power, watts, 0, _WATTS_MOST, "a power in watts")
    back = -np.diff(seconds, prepend=seconds[:1])
    faults.look(back > 0, time, "found a time {:.6f} s before that of the row before, expected times that grow", back)
    faults.refuse()
    readings = pd.DataFrame({"time_unix_s": seconds, "power_w": power}).groupby("time_unix_s", as_index=False).mean()
    if len(readings) < 2:
        found = "all readings at one time" if len(table) > 1 else "one reading" if len(table) else "no reading"
        raise InputError(f"{csv.name}: found {found}, expected two or more")
    return verified(readings, SCHEMAS["meter"])


def mean_power(meter: pd.DataFrame, start_s: ArrayLike, end_s: ArrayLike) -> NDArray[np.float64]:
    """The mean power over each stretch of the meter's clock, from straight lines between its readings.

    Two readings five times as far apart as usual (the median) are a gap, of which nothing is known.

    Args:
        meter: as from `read_meter`.
        start_s, end_s: seconds since 1970; sorted stretches that don't overlap.

    Returns:
        Watts; NaN where less than half of a stretch is known.
    """
    start, end = np.asarray(start_s, np.float64), np.asarray(end_s, np.float64)
    times, watts = meter["time_unix_s"].to_numpy(), meter["power_w"].to_numpy()
    distance = np.diff(times)
    gap = _GAP_FACTOR * np.quantile(distance, 0.5, method="higher")
    edges = np.unique(np.concatenate((times, start, end)))
    pieces = pd.DataFrame({"s": np.diff(edges), "middle": (edges[:-1] + edges[1:]) / 2})
    pieces["w"] = np.interp(pieces["middle"], times, watts, np.nan, np.nan)
    before = np.clip(np.searchsorted(times, pieces["middle"]) - 1, 0, distance.size - 1)
    stretch = np.searchsorted(start, pieces["middle"]) - 1
    is_in = (stretch >= 0) & (pieces["middle"] < np.append(end, 0.0)[stretch])
    counted = is_in & pieces["w"].notna() & (distance[before] <= gap)
    pieces = pieces.assign(stretch=stretch, j=pieces["s"] * pieces["w"])[counted]
    sums = pieces.groupby("stretch")[["s", "j"]].sum().reindex(range(start.size))
    return np.asarray((sums["j"] / sums["s"]).where(sums["s"] >= (end - start) / 2))
