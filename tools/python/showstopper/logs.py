# SPDX-License-Identifier: MIT
"""Control logs (showstopper -o), load logs (cpuload) and iteration records (ssiterate, ssburn): reading, and means over stretches of time."""
from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ._csv import CsvFile, PathOrFile
from ._errors import InputError, InputWarning
from ._schema import SCHEMAS, verified

__all__ = ["read_log", "read_cpuload", "read_iterations", "steps", "mean_over", "iterations_in"]

Floats = NDArray[np.float64]

# Targets that differ by less are the same: the log has six decimals.
SAME_TARGET = 2e-6
STEP_ROWS = 3
# A smaller change of the target is no jump; one is so much larger than the changes around it.
_JUMP_LEAST = 0.001
_JUMP_FACTOR = 4
# A row that is more than so many times as long as usual stands behind others that are missing: who is that late leaves one out.
_GAP_FACTOR = 1.75
# What lies on either side of the beginning of control, at least, to be told apart.
_MOMENT = 1e-3
_EVENT_SUFFIX = "_per_s"
_WATCHED = "watch_"
# What the column others may have in place of nothing.
_NAN_TEXTS = [a + b + c for a in "nN" for b in "aA" for c in "nN"]

# What a value must be, in the order in which columns are checked.
_BOUNDS = {
    "target": (0, 1, "a load from 0 to 1"),
    "power_w": (0, np.inf, "a power in watts"),
    # The difference of two measured loads: it may be a little below 0.
    "others": (-1, 1, "a load from 0 to 1"),
    # With a load of 1 that is a part of what there is, see sst_feedback's ceiling.
    "load": (0, 1e6, "a load from 0 to 1000000"),
    "time_unix_s": (0, np.inf, "seconds since 1970"),
    "capacity": (1e-300, 1, "a share of the machine, above 0 and at most 1"),
}
_OWN = ("time_s", "monotonic_s", *_BOUNDS, "free", "duty", "trace_s")


# ---- Reading


def is_log(file: CsvFile) -> bool:
    return "time_s" in file.columns and "load" in file.columns


def is_iterations(file: CsvFile) -> bool:
    return "start_s" in file.columns and "end_s" in file.columns


def event_columns(columns: Iterable[str]) -> list[str]:
    """Those of rates of events. Who is watched may have any name."""
    return [name for name in columns if name[1:].endswith(_EVENT_SUFFIX) and not name.startswith(_WATCHED)]


def watched_columns(columns: Iterable[str]) -> list[str]:
    return [name for name in columns if name.startswith(_WATCHED)]


class Faults:
    """What is wrong in a table; the first one, in the order of the rows, then of the checks, is told."""

    def __init__(self, file: CsvFile) -> None:
        self.file = file
        self.found: list[tuple[int, int, str, str]] = []

    def look(self, wrong: NDArray[np.bool_], column: str, message: str, *values: NDArray[Any]) -> None:
        """`message` is a format of the values in the row."""
        if wrong.any():
            row = int(wrong.argmax())
            self.found.append((row, len(self.found), column, message.format(*(value[row] for value in values))))

    def look_bounds(self, values: Floats, column: str, least: float, most: float, expected: str) -> None:
        self.look((values < least) | (values > most), column, "found {:g}, expected " + expected, values)

    def look_time(self, values: Floats, column: str) -> None:
        self.look(np.isnan(values), column, "found nothing, expected a time in seconds")

    def look_growth(self, values: Floats, column: str) -> None:
        before = np.insert(values[:-1], 0, -np.inf)[: values.size]
        self.look(values <= before, column, "found {:.6f} after {:.6f}, expected times that grow", values, before)

    def refuse(self) -> None:
        if self.found:
            row, _, column, message = min(self.found)
            raise self.file.refused(row, column, message)


def read_log(file: PathOrFile | CsvFile) -> pd.DataFrame:
    """Reads a control log or a load log, CSV or JSON Lines, and puts rows where some are missing.

    Where the file has a column `capacity`, targets and loads are divided by it: they are shares of so much of the machine.

    A row that is more than 1.75 times as long as usual stands behind rows that somebody took out: it counts as one of the usual length, and
    what lies before it is a row of its own without a load.

    Returns:
        A row per row of the file plus those for what is missing: start_s, time_s (its end; both since control began), load, and as far as
        the file has them monotonic_s (the end on CLOCK_MONOTONIC), target, duty, others, free, watch_NAME, power_w, time_unix_s, trace_s
        and EVENT_per_s; is_gap (the file doesn't have this row), is_warmup. Loads are 0 to 1, or more where that is more than the capacity.
        NaN is "not known"; but a target of NaN in a row that is no gap means that the workloads were free.

    Warns:
        InputWarning: the last line isn't whole and was left out; a part of the time has no load.

    Raises:
        InputError: the file can't be read, is no log, or has a value that can't be.
    """
    file = file if isinstance(file, CsvFile) else CsvFile(file)
    if not is_log(file):
        raise InputError(f"{file.name}:1: found the columns {file.shown_columns()}, expected time_s, load and others")
    for column in _OWN:
        if (count := file.columns.count(column)) > 1:
            raise InputError(f"{file.name}:1: found the column '{column}' {count} times, expected it once")
    events = event_columns(file.columns)
    frame = file.read([*_OWN, *events, *watched_columns(file.columns)], unknown={"others": _NAN_TEXTS})
    faults = Faults(file)
    for column in [name for name in ("time_s", "monotonic_s") if name in frame]:
        faults.look_time(frame[column].to_numpy(), column)
        faults.look_growth(frame[column].to_numpy(), column)
    for column, bounds in (_BOUNDS | dict.fromkeys(events, (0, np.inf, "events per second"))).items():
        if column in frame:
            faults.look_bounds(frame[column].to_numpy(), column, *bounds)
    if "capacity" in frame:
        faults.look(
            frame["capacity"].isna().to_numpy(), "capacity", f"found nothing, expected {_BOUNDS['capacity'][2]}"
        )
    faults.refuse()
    if frame.empty:
        raise InputError(f"{file.name}: found no whole row after the header")
    if "capacity" in frame:
        capacity = frame.pop("capacity")
        for column in [name for name in ("load", "target") if name in frame]:
            frame[column] /= capacity
    log = _fill_gaps(frame)
    unknown, whole = _unknown_time(log)
    if 0 < unknown < whole:
        what = f"{unknown:.3f} s of {whole:.3f} s have no load, as rows are missing or without one, and are left out"
        warnings.warn(f"{file.name}: {what}", InputWarning, stacklevel=2)
    return verified(log, SCHEMAS["log"])


def read_cpuload(file: PathOrFile | CsvFile) -> pd.DataFrame:
    """The same as `read_log`, of what cpuload wrote; it has no target."""
    return read_log(file)


def read_iterations(file: PathOrFile | CsvFile) -> pd.DataFrame:
    """Reads iteration records, CSV or JSON Lines.

    Returns:
        A row per record, of which there may be none: start_s, end_s (CLOCK_MONOTONIC), and as far as the file has them instance, iteration,
        status (0: it succeeded), time_unix_s (of its end); is_gap: iterations of this time are missing.

    Warns:
        InputWarning: the last line isn't whole and was left out; records are missing; iterations failed.

    Raises:
        InputError: the file can't be read, has no iterations, or a value that can't be.
    """
    file = file if isinstance(file, CsvFile) else CsvFile(file)
    if not is_iterations(file):
        raise InputError(f"{file.name}:1: found the columns {file.shown_columns()}, expected start_s, end_s and others")
    frame = file.read(["start_s", "end_s", "instance", "iteration", "status", "time_unix_s"])
    start, end = frame["start_s"].to_numpy(), frame["end_s"].to_numpy()
    faults = Faults(file)
    faults.look_time(start, "start_s")
    faults.look_time(end, "end_s")
    faults.look(end < start, "end_s", "found {:.9f}, expected a time from the start, {:.9f}, on", end, start)
    if "instance" in frame:
        before = np.where(frame["instance"].diff() == 0, frame["end_s"].shift(), -np.inf)
        expected = "found {:.9f} after {:.9f}, expected the order in which iterations ended"
        faults.look(end < before, "end_s", expected, end, before)
    if "time_unix_s" in frame:
        faults.look_bounds(frame["time_unix_s"].to_numpy(), "time_unix_s", *_BOUNDS["time_unix_s"])
    faults.refuse()
    frame["is_gap"] = frame["iteration"].isna() if "iteration" in frame else False
    missing, failed = float((end - start)[frame["is_gap"]].sum()), int(has_failed(frame).sum())
    if missing > 0:
        what = f"the iterations of {missing:.3f} s are missing; this time is left out"
        warnings.warn(f"{file.name}: {what}", InputWarning, stacklevel=2)
    if failed:
        what = f"{failed} of {(~frame['is_gap']).sum()} iterations failed, and are left out"
        warnings.warn(f"{file.name}: {what}", InputWarning, stacklevel=2)
    return verified(frame, SCHEMAS["iterations"])


def has_failed(iterations: pd.DataFrame) -> pd.Series:
    """Whether each record is of an iteration that failed."""
    if "status" not in iterations:
        return pd.Series(False, index=iterations.index)
    return ~iterations["is_gap"] & (iterations["status"].abs() > 0)


# ---- Rows that are missing


def row_length(log: pd.DataFrame) -> float:
    """The usual length of a row: the median of those with a load, in seconds. Rows without one may be as long as what is missing."""
    time = log["time_s"].to_numpy()
    if time.size == 1:
        return float(time[0]) if time[0] > 0 else 1.0
    lengths, known = np.diff(time), log["load"].notna().to_numpy()[1:]
    lengths = lengths[known] if known.any() else lengths
    return float(np.partition(lengths, lengths.size // 2)[lengths.size // 2])


def _first_start(time: Floats, load: Floats, length: float) -> float:
    """Where the first row begins."""
    # The first one under control, or what stands for all that is missing of that.
    if time[0] > 0 and (time[0] <= _GAP_FACTOR * length or np.isnan(load[0])):
        return 0.0
    # Else it is as long as the next row, or as others, where that one stands for something that is missing.
    return float(time[0] - (time[1] - time[0] if time.size > 1 and not np.isnan(load[1]) else length))


def _fill_gaps(frame: pd.DataFrame) -> pd.DataFrame:
    time, load, length = frame["time_s"].to_numpy(), frame["load"].to_numpy(), row_length(frame)
    before, end, is_known = time[:-1], time[1:], ~np.isnan(load[1:])
    # Times that are so far from 0 that their differences vanish can't be divided.
    is_long = is_known & (end - before > _GAP_FACTOR * length) & (end - length < end)
    unknown = np.where(~is_known, end, np.where(is_long, end - length, before))
    # What belongs to the warm-up and to control is divided.
    is_divided = (before < -_MOMENT) & (unknown > _MOMENT)
    # Of two gaps in front of one row, that of the warm-up comes first.
    behind = np.concatenate((np.flatnonzero(is_divided), np.flatnonzero(is_long))) + 1
    order = np.argsort(behind, kind="stable")
    behind, ends = behind[order], np.concatenate((np.zeros(is_divided.sum()), unknown[is_long]))[order]
    is_gap = np.insert(np.zeros(time.size, bool), behind, True)
    if behind.size:
        gaps = _gaps(frame, behind, ends)
        frame = frame.iloc[np.insert(np.arange(time.size), behind, behind)].reset_index(drop=True)
        frame.loc[is_gap, :] = gaps.to_numpy()
    frame["is_gap"] = is_gap
    time = frame["time_s"].to_numpy()
    start = np.insert(time[:-1], 0, _first_start(time, frame["load"].to_numpy(), length))
    frame.insert(0, "start_s", start)
    frame["is_warmup"] = time + start < 0
    return frame


def _gaps(frame: pd.DataFrame, behind: NDArray[np.intp], ends: Floats) -> pd.DataFrame:
    """Rows in front of these, of which is known when they end, and the target, if the rows around agree on it."""
    gaps = pd.DataFrame({"time_s": ends}).reindex(columns=frame.columns)
    if "target" in frame:
        target = frame["target"].to_numpy()
        is_same = np.abs(target[behind] - target[behind - 1]) <= SAME_TARGET
        gaps["target"] = np.where(is_same, target[behind], np.nan)
    if "monotonic_s" in frame:
        time, monotonic = frame["time_s"].to_numpy(), frame["monotonic_s"].to_numpy()
        then = monotonic[behind] - (time[behind] - ends)
        # A clock that shows less time than the other runs slower.
        gaps["monotonic_s"] = np.maximum(then, np.interp(ends, time, monotonic))
    return gaps


def _unknown_time(log: pd.DataFrame) -> tuple[float, float]:
    """The seconds without a load, and all, after the warm-up, unless there is nothing else."""
    counted = np.ones(len(log), bool) if log["is_warmup"].all() else ~log["is_warmup"].to_numpy()
    lengths = (log["time_s"] - log["start_s"]).to_numpy()
    return float(lengths[counted & log["load"].isna().to_numpy()].sum()), float(lengths[counted].sum())


# ---- Time


def monotonic_of(log: pd.DataFrame, time_s: ArrayLike) -> Floats:
    """Moments since control began as those of the log's column monotonic_s. Outside of the log both clocks run alike."""
    return _translated(log["time_s"].to_numpy(), log["monotonic_s"].to_numpy(), time_s)


def time_of(log: pd.DataFrame, monotonic_s: ArrayLike) -> Floats:
    """Moments of the log's column monotonic_s as those since control began."""
    return _translated(log["monotonic_s"].to_numpy(), log["time_s"].to_numpy(), monotonic_s)


def _translated(source: Floats, to: Floats, moment: ArrayLike) -> Floats:
    moment = np.asarray(moment, np.float64)
    outside = np.minimum(moment - source[0], 0) + np.maximum(moment - source[-1], 0)
    return np.asarray(np.interp(moment, source, to) + outside)


def binned(places: NDArray[np.intp], values: Floats, count: int) -> Floats:
    """The sum of the values at each place, in their order."""
    return np.asarray(np.bincount(places, values, count), np.float64)


class Integral(NamedTuple):
    """Of a column over stretches of time, and how many seconds of each are known."""

    sum: Floats
    known_s: Floats

    @property
    def mean(self) -> Floats:
        with np.errstate(invalid="ignore"):
            return np.asarray(self.sum / self.known_s)


def integral_over(
    log: pd.DataFrame, column: str, start_s: ArrayLike, end_s: ArrayLike, *, also: str | None = None
) -> Integral:
    """What `mean_over` divides."""
    start, end = np.asarray(start_s, np.float64), np.asarray(end_s, np.float64)
    if column not in log:
        return Integral(np.zeros(start.size), np.zeros(start.size))
    begins, ends = log["start_s"].to_numpy(), log["time_s"].to_numpy()
    values = log[column].to_numpy()
    first = np.minimum(np.searchsorted(ends, start), ends.size - 1)
    counts = np.maximum(np.searchsorted(begins, end) - first, 0)
    stretch = np.repeat(np.arange(start.size), counts)
    rows = np.arange(counts.sum()) + np.repeat(first - (np.cumsum(counts) - counts), counts)
    lengths = np.minimum(ends[rows], end[stretch]) - np.maximum(begins[rows], start[stretch])
    counted = (lengths > 0) & ~np.isnan(values[rows])
    if also is not None and also in log:
        counted &= ~np.isnan(log[also].to_numpy()[rows])
    stretch, rows, lengths = stretch[counted], rows[counted], lengths[counted]
    return Integral(binned(stretch, lengths * values[rows], start.size), binned(stretch, lengths, start.size))


def mean_over(
    log: pd.DataFrame, column: str, start_s: ArrayLike, end_s: ArrayLike, *, also: str | None = None
) -> Floats:
    """The mean of a column over each stretch of time; a row counts by its overlap. Rows without a value don't count.

    Args:
        start_s, end_s: seconds since control began, as many of each.
        also: rows without a value in this column don't count either.

    Returns:
        NaN where nothing is known, and everywhere where the log lacks the column.
    """
    return integral_over(log, column, start_s, end_s, also=also).mean


# ---- Target


def _runs_of_equals(target: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first and the last row of each stretch whose targets are that of its first row. NaN is never the same."""
    # Two targets that are both the same as a third one differ by twice as much at most.
    first = np.flatnonzero(np.insert(~(np.abs(np.diff(target)) <= 2.1 * SAME_TARGET), 0, True))
    last = np.append(first[1:], target.size) - 1
    away = np.abs(target - np.repeat(target[first], last - first + 1)) > SAME_TARGET
    # A slow slope: each stretch ends where it has gone too far from its own first row.
    more: list[int] = []
    for stretch in np.flatnonzero(np.logical_or.reduceat(away, first)):
        here = target[first[stretch]]
        for row, value in enumerate(target[first[stretch] : last[stretch] + 1].tolist(), first[stretch]):
            if abs(value - here) > SAME_TARGET:
                more.append(row)
                here = value
    first = np.sort(np.append(first, np.array(more, np.intp)))
    return first, np.append(first[1:], target.size) - 1


def steps(log: pd.DataFrame) -> pd.DataFrame:
    """The stretches of 3 rows or more, after the warm-up, that have the same target.

    A log without targets, or one that was free throughout, is one step without a target.

    Returns:
        first, last (rows of the log, counted from 0), start_s, end_s, target. There may be none.
    """
    warmup = int(log["is_warmup"].sum())
    target = log["target"].to_numpy()[warmup:] if "target" in log else np.full(len(log) - warmup, np.nan)
    first, last = np.empty(0, np.intp), np.empty(0, np.intp)
    if target.size and np.isnan(target).all():
        first, last = np.array([0]), np.array([target.size - 1])
    elif target.size:
        first, last = _runs_of_equals(target)
        counted = (last - first + 1 >= STEP_ROWS) & ~np.isnan(target[first])
        first, last = first[counted], last[counted]
    return pd.DataFrame(
        {
            "first": first + warmup,
            "last": last + warmup,
            "start_s": log["start_s"].to_numpy()[first + warmup],
            "end_s": log["time_s"].to_numpy()[last + warmup],
            "target": target[first],
        }
    )


def is_jump(log: pd.DataFrame) -> NDArray[np.bool_]:
    """Whether the target jumps where a row begins, while it is nearly the same, or goes on sloping, before and after."""
    count = len(log)
    if "target" not in log or count == 0:
        return np.zeros(count, bool)
    target, is_gap = log["target"].to_numpy(), log["is_gap"].to_numpy()
    # The row before, but for those that are missing, between which it changes; at the very beginning there is no other.
    known = np.where(is_gap & np.isnan(target), 0, np.arange(count))
    before = np.insert(np.maximum.accumulate(known)[:-1], 0, 0)
    # Changes at rows -1 to count + 1; 0 where there is none before or after.
    change = np.zeros(count + 3)
    change[1 : count + 1] = np.nan_to_num(target - target[before])
    change[1] = 0
    here, following, last, earlier = change[1:-2], change[2:-1], change[3:], change[:-3]

    def stands_out(jump: Floats, after: Floats) -> NDArray[np.bool_]:
        least = np.abs(jump) >= _JUMP_LEAST
        above = (_JUMP_FACTOR * np.abs(earlier) <= np.abs(jump)) & (_JUMP_FACTOR * np.abs(after) <= np.abs(jump))
        return np.asarray(least & above)

    # The row in which it jumps may have a part of either target; then there are two changes in one direction. At the very beginning of a log
    # they are taken for a slope.
    is_pair = (np.arange(count) > 1) & (here * following > 0)
    return stands_out(here, following) | (is_pair & stands_out(here + following, last))


def count_short_steps(log: pd.DataFrame) -> int:
    """How many stretches of two rows that have the same target lie between two jumps: steps that are too short for these rows."""
    if "target" not in log:
        return 0
    is_same = np.abs(np.diff(log["target"].to_numpy())) <= SAME_TARGET
    jumps = is_jump(log)
    rows = np.arange(int(log["is_warmup"].sum()) + 1, len(log) - 2)
    is_pair = is_same[rows] & ~is_same[rows - 1] & ~is_same[rows + 1]
    return int((is_pair & (jumps[rows] | jumps[rows - 1]) & jumps[rows + 2]).sum())


# ---- Iterations


def _counts(begin: Floats, finish: Floats, start: Floats, end: Floats) -> Floats:
    """How many iterations lie in each stretch, by their fractions."""
    count = start.size
    is_instant = finish <= begin
    # One that took no time lies in a stretch whole, also at the very end of the last one.
    moment = begin[is_instant]
    place = np.searchsorted(end, moment, side="right")
    place[moment == end[-1]] = count - 1
    place, moment = place[place < count], moment[place < count]
    total = np.bincount(place[start[place] <= moment], minlength=count).astype(np.float64)
    begin, finish = begin[~is_instant], finish[~is_instant]
    first, last = np.searchsorted(end, begin, side="right"), np.searchsorted(start, finish, side="left") - 1
    counted = first <= last
    begin, finish, first, last = begin[counted], finish[counted], first[counted], last[counted]
    lengths = finish - begin
    total += binned(first, (np.minimum(finish, end[first]) - np.maximum(begin, start[first])) / lengths, count)
    total += binned(last, np.where(last > first, np.minimum(finish, end[last]) - start[last], 0) / lengths, count)
    # In all stretches between these an iteration lies whole: only where they begin and end is noted, so that it costs the same however long
    # it is.
    between = last > first + 1
    rate = 1 / lengths[between]
    rates = np.cumsum(binned(first[between] + 1, rate, count) - binned(last[between], rate, count))
    return np.asarray(total + np.where(rates > 1e-9, rates * (end - start), 0))


def iterations_in(iterations: pd.DataFrame, start_s: ArrayLike, end_s: ArrayLike) -> tuple[Floats, Floats]:
    """How many iterations lie in each stretch: an iteration adds the fraction of itself that does (paper 002, footnote 3).

    Args:
        iterations: as from `read_iterations`. Those that failed don't count.
        start_s, end_s: on the clock of the iterations; sorted stretches that don't overlap.

    Returns:
        Their numbers, and the seconds of each stretch in which no records are missing. What lies in the rest doesn't count.
    """
    start, end = np.asarray(start_s, np.float64), np.asarray(end_s, np.float64)
    good = iterations[~iterations["is_gap"] & ~has_failed(iterations)]
    gap_start, gap_end = (np.sort(iterations.loc[iterations["is_gap"], name]) for name in ("start_s", "end_s"))
    # The pieces of the stretches in which no gap has begun that hasn't ended.
    edges = np.unique(np.concatenate((start, end, gap_start, gap_end)))
    low, high = edges[:-1], edges[1:]
    stretch = np.searchsorted(start, low, side="right") - 1
    gaps = np.searchsorted(gap_start, low, side="right") - np.searchsorted(gap_end, low, side="right")
    kept = (stretch >= 0) & (gaps == 0)
    kept[kept] = low[kept] < end[stretch[kept]]
    low, high, stretch = low[kept], high[kept], stretch[kept]
    if not low.size:
        return np.zeros(start.size), np.zeros(start.size)
    counts = _counts(good["start_s"].to_numpy(), good["end_s"].to_numpy(), low, high)
    return binned(stretch, counts, start.size), binned(stretch, high - low, start.size)
