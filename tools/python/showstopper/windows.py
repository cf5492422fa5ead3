# SPDX-License-Identifier: MIT
"""Stretches of runs, with the load and the throughput that they had: over time, and against the load."""
from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ._errors import InputError, InputWarning
from ._schema import SCHEMAS, checked
from .accuracy import check_window
from .logs import (
    SAME_TARGET,
    STEP_ROWS,
    count_short_steps,
    event_columns,
    integral_over,
    iterations_in,
    mean_over,
    monotonic_of,
    row_length,
    steps,
    time_of,
    watched_columns,
)
from .runs import Log, Recorded, Run, overlaps, runs_of
from .traces import trace_windows

__all__ = ["timeline", "throughput", "curve", "events", "windows_of", "missed"]

Kind = Literal["rows", "intervals", "steps"]
Floats = NDArray[np.float64]

INTERVAL_S = 6.0
EDGE = 1 / 6
# A load that is farther from its target misses it; loads and targets have six decimals.
MISSED = 0.02 + 1e-9
# Workloads with this duty cycle can't do more.
_RUNS_ALWAYS = 0.99
# More windows are a mistake in the times or in the interval.
_WINDOWS_MOST = 20_000_000
# A shorter piece of an interval, as a part of it, is no more than the jitter of the log's rows.
_PIECE_LEAST = 0.01
# The middle of a staircase that lasts so many times as long as its neighbours is two steps.
_LONG_MIDDLE = 1.5
_NO_LOAD: dict[str, object] = {"target": np.nan, "load": np.nan, "others": np.nan, "missed": None, "power_w": np.nan}


# ---- Targets that were missed


def missed(
    target: ArrayLike, load: ArrayLike, others: ArrayLike, duty: ArrayLike, free: ArrayLike = np.nan
) -> NDArray[np.object_]:
    """Why the load of each window missed its target by more than 2 pp; None where it didn't, or where either isn't known.

    Args:
        target, load, others: means, 0 to 1; NaN is not known.
        duty: the mean duty cycle of the workloads, the log's column.
        free: the mean load of the groups that run freely.

    Returns:
        "others" or "free": the load is above the target, and these alone are, or make up for the difference. "saturated": it is below, though the
        workloads ran all the time. "above" or "below": for another reason, or one that isn't known.
    """
    target, load, others, duty, free = (np.asarray(values, np.float64) for values in (target, load, others, duty, free))
    over = load - target
    above = np.where((free > target) | (free >= over), "free", "above")
    above = np.where((others > target) | (others >= over), "others", above)
    below = np.where(duty >= _RUNS_ALWAYS, "saturated", "below")
    reasons = np.where(over > 0, above, below).astype(object)
    reasons[~(np.abs(over) > MISSED)] = None
    return reasons


# ---- Where windows begin and end


def _frame(start: Floats, end: Floats) -> pd.DataFrame:
    return pd.DataFrame({"start_s": start, "end_s": end})


def _intervals(start: float, end: float, length: float) -> pd.DataFrame:
    """They begin at multiples of their length; the first and the last one may be shorter."""
    first = np.floor(start / length + _PIECE_LEAST)
    after = np.ceil(end / length - _PIECE_LEAST)
    if after - first > _WINDOWS_MOST:
        found = f"found {after - first:.0f} intervals of {length:g} s in a time of {end - start:g} s"
        raise InputError(f"{found}, expected at most {_WINDOWS_MOST}")
    edges = (first + np.arange(max(int(after - first), 1) + 1)) * length
    edges[0], edges[-1] = start, end
    return _frame(edges[:-1], edges[1:])


def _has_long_middle(step: pd.DataFrame) -> bool:
    """Whether the targets go back as they came, and the middle step lasts as long as two. Its neighbours tell how long one lasts."""
    middle = len(step) // 2
    target, lengths = step["target"].to_numpy(), (step["end_s"] - step["start_s"]).to_numpy()
    if len(step) < 3 or len(step) % 2 == 0 or not (np.abs(target - target[::-1])[:middle] <= SAME_TARGET).all():
        return False
    return bool(lengths[middle] > _LONG_MIDDLE * (lengths[middle - 1] + lengths[middle + 1]) / 2)


def _steps(frame: pd.DataFrame, edge: float, is_staircase: bool = False) -> pd.DataFrame:
    """Each step, less a share of it at its beginning and end."""
    step = steps(frame)
    start, end = step["start_s"].to_numpy(), step["end_s"].to_numpy()
    if is_staircase and _has_long_middle(step):
        middle = len(step) // 2
        turn = (start[middle] + end[middle]) / 2
        start, end = np.insert(start, middle + 1, turn), np.insert(end, middle, turn)
    cut = edge * (end - start)
    return _frame(start + cut, end - cut)


def _check_steps(log: Log) -> None:
    rows = f"{STEP_ROWS} rows of {row_length(log.frame):.3g} s"
    advice = "showstopper --log-interval makes rows shorter"
    if steps(log.frame).empty:
        raise InputError(f"{log.file}: found no target that stays the same for {rows}, expected steps; {advice}")
    brief = count_short_steps(log.frame)
    if brief:
        what = "step that fills" if brief == 1 else "steps that fill"
        warnings.warn(f"{log.file}: left out {brief} {what} less than {rows}; {advice}", InputWarning, stacklevel=4)


def _placed(log: Log, kind: Kind, length_s: float, edge: float, with_warmup: bool, is_staircase: bool) -> pd.DataFrame:
    first = 0 if with_warmup and kind != "steps" else int(log.frame["is_warmup"].sum())
    frame = log.frame.iloc[first:]
    if frame.empty:
        raise InputError(f"{log.file}: found nothing but the warm-up")
    if kind == "rows":
        return _frame(frame["start_s"].to_numpy(), frame["time_s"].to_numpy())
    if kind == "steps":
        _check_steps(log)
        return _steps(log.frame, edge, is_staircase)
    return _intervals(float(frame["start_s"].iloc[0]), float(frame["time_s"].iloc[-1]), length_s)


# ---- What happened in them


def _add_means(windows: pd.DataFrame, log: pd.DataFrame) -> None:
    start, end = windows["start_s"].to_numpy(), windows["end_s"].to_numpy()
    load = integral_over(log, "load", start, end)
    # The target of the rows with a load, so that both can be compared, unless none has one.
    target = integral_over(log, "target", start, end, also="load")
    means = np.where(target.known_s > 0, target.mean, mean_over(log, "target", start, end))
    # The load of a window that was free in part isn't to be held against what was asked in the rest of it.
    is_free = load.known_s - target.known_s > _PIECE_LEAST * (end - start)
    windows["target"] = np.where(is_free, np.nan, means)
    windows["load"] = load.mean
    windows["others"] = mean_over(log, "others", start, end)
    duty, free = (mean_over(log, column, start, end) for column in ("duty", "free"))
    windows["missed"] = missed(windows["target"], windows["load"], windows["others"], duty, free)


def _missed_in_steps(rows: pd.DataFrame, log: pd.DataFrame) -> NDArray[np.object_]:
    """A row is too short to say that it missed its target: what holds is that of its step, less its edges."""
    step, judged = steps(log), _steps(log, EDGE)
    if step.empty:
        return np.full(len(rows), None)
    _add_means(judged, log)
    middle = ((rows["start_s"] + rows["end_s"]) / 2).to_numpy()
    place = np.maximum(np.searchsorted(step["start_s"], middle, side="right") - 1, 0)
    reasons: NDArray[np.object_] = judged["missed"].to_numpy()[place]
    reasons[~((middle >= step["start_s"].to_numpy()[place]) & (middle < step["end_s"].to_numpy()[place]))] = None
    return reasons


def _mean_in_run(run: Run, log: pd.DataFrame, column: str, windows: pd.DataFrame) -> Floats:
    """The mean of a column; what the log doesn't have comes from another one of the run, which measured it beside."""
    means = mean_over(log, column, windows["start_s"], windows["end_s"])
    others = (other.frame for other in run.logs if other.frame is not log)
    other = next((frame for frame in others if column in frame and "monotonic_s" in frame), None)
    if other is None or "monotonic_s" not in log:
        return means
    return np.asarray(np.where(np.isnan(means), mean_over(other, column, *_moments(windows, log, other)), means))


def _moments(windows: pd.DataFrame, log: pd.DataFrame, other: pd.DataFrame) -> list[Floats]:
    """Where windows begin and end in another log of the run."""
    return [time_of(other, monotonic_of(log, windows[name])) for name in ("start_s", "end_s")]


def _add_iterations(windows: pd.DataFrame, iterations: pd.DataFrame, start: Floats, end: Floats) -> None:
    counts, known = iterations_in(iterations, start, end)
    lengths = end - start
    # A stretch of no length has no rate, with or without a gap.
    is_known = ~((lengths > 0) & (known <= 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        windows["iterations"] = np.where(is_known, counts, np.nan)
        windows["throughput"] = np.where(is_known, counts / known, np.nan)
        windows["missing"] = np.where(lengths > 0, 1 - known / lengths, 0)


def _check(run: Run, log: Log | None, good: pd.DataFrame) -> None:
    if good.empty:
        files = "file" if run.iteration_files == 1 else "files"
        raise InputError(f"{run.label}: found no iteration in its iteration {files}")
    if log and "monotonic_s" not in log.frame:
        raise InputError(f"{log.file}:1: found no column monotonic_s, expected it for the iterations")
    if log and not overlaps(log.frame, good["start_s"].min(), good["end_s"].max()):
        expected = "expected files of one run (those of several machines need a column time_unix_s)"
        raise InputError(f"{log.file}: found none of its iterations at the time of its log, {expected}")


def windows_of(
    run: Run,
    log: Log | None,
    kind: Kind,
    *,
    length_s: float = INTERVAL_S,
    edge: float = EDGE,
    with_warmup: bool = False,
    is_staircase: bool = False,
) -> pd.DataFrame:
    """The windows of one log of a run, or of its iterations alone.

    Args:
        log: one of the run, or None.
        kind: "rows" of the log; "intervals" of `length_s`; "steps" of the target, less a share of `edge` at their beginnings and ends. Without a
            log there are only intervals.
        with_warmup: not for steps.
        is_staircase: where a staircase turns, and holds a load for twice as long, that makes two steps.

    Returns:
        start_s, end_s (since control began; without a log since the first iteration did), target, load, others, missed (see `missed`; of a row
        that of its step), iterations, throughput (per second), power_w, missing (the share of the time whose iteration records are missing,
        which counts for neither of these two); and where the log has them free and watch_NAME, and trace_s at the end of the window. A
        window in which the workloads were free for a time has no target.

    Raises:
        InputError: the files don't have what that needs.
    """
    good = None if run.iterations is None else run.iterations[~run.iterations["is_gap"]]
    if good is not None:
        _check(run, log, good)
    if log:
        windows = _placed(log, kind, length_s, edge, with_warmup, is_staircase)
        _add_means(windows, log.frame)
        if kind == "rows":
            windows["missed"] = _missed_in_steps(windows, log.frame)
        windows["power_w"] = _mean_in_run(run, log.frame, "power_w", windows)
        for column in [name for name in ("free", *watched_columns(log.frame)) if name in log.frame]:
            windows[column] = mean_over(log.frame, column, windows["start_s"], windows["end_s"])
        if "time_unix_s" in log.frame:
            moment = np.searchsorted(log.frame["time_s"], windows["end_s"]).clip(max=len(log.frame) - 1)
            windows["time_unix_s"] = log.frame["time_unix_s"].to_numpy()[moment]
        if "trace_s" in log.frame:
            windows["trace_s"] = _trace_at(log.frame, windows["end_s"].to_numpy())
        moments = [monotonic_of(log.frame, windows[name]) for name in ("start_s", "end_s")] if good is not None else []
    else:
        assert good is not None and kind == "intervals"
        origin, end = float(good["start_s"].min()), float(good["end_s"].max())
        if end <= origin:
            raise InputError(f"{run.label}: found all iterations at one moment, expected a stretch of time")
        windows = _intervals(0.0, end - origin, length_s).assign(**_NO_LOAD)
        moments = [origin + windows[name].to_numpy() for name in ("start_s", "end_s")]
    windows = windows.assign(iterations=np.nan, throughput=np.nan, missing=0.0)
    if run.iterations is not None:
        _add_iterations(windows, run.iterations, *moments)
    return windows


def _trace_at(log: pd.DataFrame, time_s: Floats) -> Floats:
    """The position in the trace, which begins again where it is repeated, from the last row that ended by then."""
    time, trace = log["time_s"].to_numpy(), log["trace_s"].to_numpy()
    row = np.maximum(np.searchsorted(time, time_s, side="right") - 1, 0)
    rates = np.diff(trace) / np.diff(time)
    return np.asarray(trace[row] + (time_s - time[row]) * (np.nanmedian(rates) if np.isfinite(rates).any() else 1.0))


# ---- Tables


def _table(parts: Iterable[pd.DataFrame], name: str) -> pd.DataFrame:
    """The columns of the table, and behind them what else a log had."""
    schema, frames = SCHEMAS[name], list(parts)
    frame = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=schema.names)
    more = [name for name in frame if name in ("free", "trace_s", "time_unix_s") or name.startswith("watch_")]
    return pd.concat((checked(frame, schema), frame[more]), axis=1)


def _warn_of_missed(windows: pd.DataFrame, file: str) -> None:
    why = windows["missed"].value_counts()
    if len(why):
        reasons = ", ".join(f"{reason}: {count}" for reason, count in why.items())
        found = f"{why.sum()} of {len(windows)} steps missed their targets by more than 2 pp ({reasons})"
        warnings.warn(f"{file}: {found}, and don't count for the curve", InputWarning, stacklevel=3)


def _check_log(run: Run) -> None:
    if not run.logs:
        raise InputError(f"{run.label}: found iterations, but no log of the load")


def _check_iterations(run: Run) -> None:
    if run.iterations is None:
        raise InputError(f"{run.label}: found a log, but no iterations")


def timeline(
    runs: Recorded,
    *,
    window_s: float | None = None,
    per_step: bool = False,
    edge: float = EDGE,
    with_warmup: bool = False,
) -> pd.DataFrame:
    """Target, load, throughput and power of each log over time; of a trace, the target alone.

    Args:
        runs: runs, or what `runs_of` makes runs of: files, or frames.
        window_s: a row for each so long, else for each row of the log and from each record of a trace to the next.
        per_step: a row for each step of the target in place of these, less a share of `edge` of it at its beginning and end.

    Returns:
        The columns of the table "timeline", and where a log has them free, watch_NAME and trace_s (at the end of the row).
    """
    parts: list[pd.DataFrame] = []
    for run in runs_of(runs):
        for trace in run.traces:
            if per_step:
                raise InputError(f"{trace.file}: found a trace, expected a log for --per-step")
            windows = trace_windows(trace.frame, window_s)
            nothing = _NO_LOAD | {"target": windows["target"], "iterations": np.nan, "throughput": np.nan}
            parts.append(windows.assign(**nothing, label=run.label, file=trace.file))
        if not run.traces:
            _check_log(run)
        for log in run.logs:
            if window_s is not None:
                check_window(log, window_s)
            kind: Kind = "steps" if per_step else "rows" if window_s is None else "intervals"
            windows = windows_of(run, log, kind, length_s=window_s or 0, edge=edge, with_warmup=with_warmup)
            parts.append(windows.assign(label=run.label, file=log.file))
    return _table(parts, "timeline")


def throughput(
    runs: Recorded,
    *,
    interval_s: float = INTERVAL_S,
    per_step: bool = False,
    edge: float = EDGE,
    with_warmup: bool = False,
) -> pd.DataFrame:
    """The iterations per second of each run in each interval, or in each step of the target.

    Args:
        runs: runs, or what `runs_of` makes runs of: files, or frames.

    Returns:
        The columns of the table "throughput".
    """
    parts: list[pd.DataFrame] = []
    for run in runs_of(runs):
        _check_iterations(run)
        if not run.logs and per_step:
            raise InputError(f"{run.label}: found iterations, but no log whose steps --per-step could take")
        for log in run.controlled or (None,):
            kind: Kind = "steps" if per_step else "intervals"
            windows = windows_of(run, log, kind, length_s=interval_s, edge=edge, with_warmup=with_warmup)
            parts.append(windows.assign(label=run.label, file=log.file if log else None))
    return _table(parts, "throughput")


def curve(runs: Recorded, *, interval_s: float | None = None, edge: float = EDGE) -> pd.DataFrame:
    """The throughput of each step of the target, or of each interval, with the load that the machine had in it.

    Args:
        runs: runs, or what `runs_of` makes runs of: files, or frames.

    Returns:
        The columns of the table "curve".

    Warns:
        InputWarning: steps missed their targets. They don't count for the means of a load.
    """
    parts: list[pd.DataFrame] = []
    for run in runs_of(runs):
        _check_iterations(run)
        _check_log(run)
        for log in run.controlled:
            kind: Kind = "steps" if interval_s is None else "intervals"
            windows = windows_of(run, log, kind, length_s=interval_s or INTERVAL_S, edge=edge, is_staircase=True)
            if windows["load"].isna().all():
                raise InputError(f"{log.file}: found no load, expected it in some rows")
            if kind == "steps":
                _warn_of_missed(windows, log.file)
            parts.append(windows.assign(label=run.label, file=log.file))
    return _table(parts, "curve")


def events(
    runs: Recorded,
    *,
    interval_s: float = INTERVAL_S,
    per_step: bool = False,
    edge: float = EDGE,
    with_warmup: bool = False,
) -> pd.DataFrame:
    """How often the events in columns EVENT_per_s were counted in each interval or step: per second and per iteration.

    The events of a log without targets, as that of cpuload, are taken in the windows of the control log of its run.

    Args:
        runs: runs, or what `runs_of` makes runs of: files, or frames.

    Returns:
        The columns of the table "events".
    """
    parts: list[pd.DataFrame] = []
    for run in runs_of(runs):
        _check_log(run)
        for log in run.controlled:
            kind: Kind = "steps" if per_step else "intervals"
            windows = windows_of(run, log, kind, length_s=interval_s, edge=edge, with_warmup=with_warmup)
            for other in run.logs:
                is_beside = "target" in log.frame and "target" not in other.frame and "monotonic_s" in log.frame
                if other is log or (is_beside and "monotonic_s" in other.frame):
                    parts += _event_rows(run, log.frame, other, windows)
    if not parts:
        found = "found no column EVENT_per_s"
        raise InputError(f"{found}, expected logs of showstopper --log-counters or cpuload --columns counters=")
    return _table(parts, "events")


def _event_rows(run: Run, log: pd.DataFrame, other: Log, windows: pd.DataFrame) -> Iterator[pd.DataFrame]:
    own = [windows["start_s"].to_numpy(), windows["end_s"].to_numpy()]
    start, end = own if other.frame is log else _moments(windows, log, other.frame)
    for column in event_columns(other.frame.columns):
        rate = mean_over(other.frame, column, start, end)
        per_iteration = np.where(windows["throughput"] > 0, rate / windows["throughput"], np.nan)
        row = windows.assign(event=column[: -len("_per_s")], per_s=rate, per_iteration=per_iteration)
        yield row.assign(label=run.label, file=other.file)
