# SPDX-License-Identifier: MIT
"""How far the load was from its target (paper 000, Section 4), in one run and over runs that were repeated."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ._errors import InputError
from ._schema import SCHEMAS, checked
from .logs import SAME_TARGET, binned, is_jump, row_length, steps
from .runs import Log, Recorded, runs_of

__all__ = ["accuracy", "repeats"]

Floats = NDArray[np.float64]

BURST = 0.03
CALM_S = 1.0
# What is near its target (paper 000, Section 9): loads and targets have six decimals, and 55 % is near to 50 %.
_NEAR = 0.05 + 1e-9
_NO_STEP = -1
# Rows are a few per cent longer or shorter than they should be.
_ROW_TOLERANCE = 0.9
# Logs without a label are repeats of one another.
ALL_LABEL = "all"


# ---- Samples


def _is_calm(log: pd.DataFrame, burst: float, calm_s: float) -> NDArray[np.bool_]:
    """Whether a row is calm, and known to be so: no burst, and none in the time before it. What has no load may have had one."""
    if "others" not in log:
        return np.zeros(len(log), bool)
    others, time = log["others"].to_numpy(), log["time_s"].to_numpy()
    is_burst = (others > burst) | np.isnan(log["load"].to_numpy())
    unrest = np.maximum.accumulate(np.where(is_burst, time + calm_s, -np.inf))
    return np.asarray(~np.isnan(others) & ((log["start_s"].to_numpy() + time) / 2 >= unrest))


def _counts(log: pd.DataFrame, settle_s: float, skip_edges_s: float) -> NDArray[np.bool_]:
    """Which rows count: not those of the warm-up, without a load, beside free ones, of which a part may have been free, or near edges."""
    start, time = log["start_s"].to_numpy(), log["time_s"].to_numpy()
    is_unknown = np.isnan(log["load"].to_numpy())
    is_warmup = log["is_warmup"].to_numpy()
    is_free = log["target"].isna().to_numpy() & ~log["is_gap"].to_numpy() & ~is_warmup
    was_free = np.concatenate(([False], is_free[:-1]))
    # What ends here is left out.
    until = np.full(len(log), -np.inf)
    if settle_s > 0:
        begins = ~is_free & ~is_warmup & (was_free | np.concatenate(([True], is_warmup[:-1])))
        until[begins] = start[begins] + settle_s
    if skip_edges_s > 0:
        jumps = is_jump(log) & ~is_warmup
        # Where rows are missing it may jump as late as they end.
        until[jumps] = np.maximum(until[jumps], np.where(is_unknown, time, start)[jumps] + skip_edges_s)
    is_skipped = (start + time) / 2 < np.maximum.accumulate(until)
    will_be_free = np.concatenate((is_free[1:], [False]))
    return np.asarray(~(is_warmup | is_free | was_free | will_be_free | is_unknown | is_skipped))


def _samples(
    log: pd.DataFrame, window_s: float, counted: NDArray[np.bool_], is_calm: NDArray[np.bool_]
) -> pd.DataFrame:
    """Rows that count, or those together whose middle lies in a window; nothing of half the usual length or less. `step` is the place in `steps`
    of one that lies in a step, else -1."""
    kept = np.flatnonzero(counted)
    rows = log.iloc[kept]
    seconds = (rows["time_s"] - rows["start_s"]).to_numpy()
    window: NDArray[Any] = np.floor((rows["time_s"].to_numpy() - seconds / 2) / window_s) if window_s > 0 else kept
    step = steps(log)
    place = np.searchsorted(step["first"], kept, side="right") - 1
    place = np.where(kept <= np.append(step["last"], -1)[place], place, _NO_STEP)
    first = np.flatnonzero(np.insert(window[1:] != window[:-1], 0, True)[: kept.size])
    sample = np.searchsorted(first, np.arange(kept.size), side="right") - 1
    if not kept.size:
        return pd.DataFrame(columns=["seconds", "target", "load", "step", "is_calm"])
    whole = binned(sample, seconds, first.size)
    means = {name: binned(sample, seconds * rows[name].to_numpy(), first.size) / whole for name in ("target", "load")}
    is_one = np.logical_and.reduceat(place == place[first][sample], first)
    all_calm = np.logical_and.reduceat(is_calm[kept], first)
    found = {"seconds": whole, **means, "step": np.where(is_one, place[first], _NO_STEP), "is_calm": all_calm}
    return pd.DataFrame(found)[whole > (window_s or row_length(log)) / 2]


# ---- Figures


def _figures(samples: pd.DataFrame) -> pd.DataFrame:
    """Of the samples of each group."""
    error = samples["load"] - samples["target"]
    near = (error.abs() <= _NEAR).astype(float)
    values = samples[["target", "load"]].assign(mean_error_pp=100 * error, mse_pp2=10000 * error**2, near=near)
    group, index = pd.factorize(samples["group"], sort=True)
    count = np.bincount(group, minlength=index.size)
    means = {name: binned(group, column.to_numpy(), index.size) / count for name, column in values.items()}
    time = binned(group, samples["seconds"].to_numpy(), index.size)
    return pd.DataFrame({"samples": count, "time_s": time, **means}, index)


def _levels(target: Floats) -> Floats:
    """The targets of steps, sorted, each once."""
    levels: list[float] = []
    for value in np.unique(target[~np.isnan(target)]):
        if not levels or value - levels[-1] > SAME_TARGET:
            levels.append(float(value))
    return np.array(levels)


def _of_log(
    log: pd.DataFrame,
    *,
    window_s: float | None,
    settle_s: float,
    skip_edges_s: float,
    burst: float,
    calm_s: float,
    per_target: bool,
) -> pd.DataFrame:
    """Of one log, without its label and file; a row for each level of the target behind that of all samples."""
    if "target" not in log:
        raise InputError("found no column target, expected a control log (showstopper -o)", line=1)
    if window_s is not None:
        _check_window(log, window_s)
    samples = _samples(log, window_s or 0, _counts(log, settle_s, skip_edges_s), _is_calm(log, burst, calm_s))
    if samples.empty:
        raise InputError("found no sample with a load and a target that is not left out")
    groups, target = samples.assign(group=-1), steps(log)["target"].to_numpy()
    levels = _levels(target) if per_target else np.empty(0)
    if levels.size:
        in_step = samples[samples["step"] != _NO_STEP]
        level = np.searchsorted(levels, target[in_step["step"]], side="right") - 1
        groups = pd.concat((groups, in_step.assign(group=level)))
    calm = _figures(groups[groups["is_calm"]])
    frame = _figures(groups).join(calm[["mean_error_pp", "mse_pp2", "near"]].add_prefix("calm_"))
    knows_others = "others" in log and bool(log["others"].notna().any())
    bursts = frame["samples"] - calm["samples"].reindex(frame.index, fill_value=0)
    frame["bursts"] = bursts.astype(float) if knows_others else np.nan
    frame.insert(0, "level", np.append(levels, np.nan)[frame.index])
    return frame.reset_index(drop=True)


def _check_window(log: pd.DataFrame, window_s: float) -> None:
    length = row_length(log)
    if window_s < _ROW_TOLERANCE * length:
        raise InputError(f"found rows of {length:.3f} s, expected --window to be at least as long")


def check_window(log: Log, window_s: float) -> None:
    """Refuses a window that is shorter than the rows of a log."""
    try:
        _check_window(log.frame, window_s)
    except InputError as error:
        raise error.about(log.file) from None


def accuracy(
    runs: Recorded,
    *,
    window_s: float | None = None,
    settle_s: float = 0,
    skip_edges_s: float = 0,
    burst: float = BURST,
    calm_s: float = CALM_S,
    per_target: bool = False,
) -> pd.DataFrame:
    """The accuracy of control logs: of all samples, and of those at each level of the target.

    A sample is a row of the log, or the rows whose middle lies in a window, weighted by their lengths. Left out are the warm-up, rows without
    a target or a load, rows beside a free one, samples of half the usual length or less, and what the options ask for. A row is left
    out when its middle is. A sample is calm when the load of others is known in its rows, none is a burst, and none follows one too soon.

    Args:
        runs: runs, or what `runs_of` makes runs of: files, or frames of `read_log`.
        window_s: the length of a sample.
        settle_s: left out after control begins, also after the trace left the workloads free.
        skip_edges_s: left out after each jump of the target.
        burst: a row in which the load of others is above this (0 to 1) is one of a burst; what follows it for `calm_s` is not calm either.
        per_target: a row for each level, over all steps at that level, behind that of all samples, whose level is NaN.

    Returns:
        The columns of the table "accuracy", rows for each log. bursts is NaN where nothing is known of others.

    Raises:
        InputError: a log has no target, or rows longer than the window, or no sample is left.
    """
    schema = SCHEMAS["accuracy"]
    parts = [pd.DataFrame(columns=schema.names)]
    for run in runs_of(runs):
        for log in run.logs:
            try:
                figures = _of_log(
                    log.frame,
                    window_s=window_s,
                    settle_s=settle_s,
                    skip_edges_s=skip_edges_s,
                    burst=burst,
                    calm_s=calm_s,
                    per_target=per_target,
                )
            except InputError as error:
                raise error.about(log.file) from None
            parts.append(figures.assign(label=run.label, file=log.file))
    return checked(pd.concat(parts[1:] or parts, ignore_index=True), schema)


# ---- Repeats


def _mean_of_values(values: Floats, samples: float) -> tuple[float, float, float]:
    from .statistics import mean_interval

    return mean_interval(values)


def _mean_of_shares(values: Floats, samples: float) -> tuple[float, float, float]:
    from .statistics import share_interval

    mean, low, high = share_interval(values, samples)
    return 100 * mean, 100 * low, 100 * high


def _share_of_runs(least: float) -> Callable[[Floats, float], tuple[float, float, float]]:
    """The share of runs in which so many of the samples were near their target (paper 000, Section 9); it has no interval."""

    def share(values: Floats, samples: float) -> tuple[float, float, float]:
        known = values[~np.isnan(values)]
        return 100 * float(np.mean(known >= least)) if known.size else np.nan, np.nan, np.nan

    return share


_FIGURES = {
    "mean_error_pp": ("mean_error_pp", _mean_of_values),
    "mse_pp2": ("mse_pp2", _mean_of_values),
    "near_percent": ("near", _mean_of_shares),
    "runs_near_80_percent": ("near", _share_of_runs(0.8)),
    "runs_near_90_percent": ("near", _share_of_runs(0.9)),
}


def repeats(accuracies: Recorded) -> pd.DataFrame:
    """The mean of each figure of the accuracy over runs of the same thing, and the interval that holds the true one with 95 % confidence.

    Args:
        accuracies: a row per run, as `accuracy` has them, or what it takes; rows of one label are repeats of one another.

    Returns:
        label, figure (mean_error_pp, mse_pp2, near_percent, runs_near_80_percent, runs_near_90_percent), runs, samples, mean, low, high,
        bursts, and of the calm samples calm_runs, calm_mean, calm_low, calm_high. The interval is Student's, that of near_percent Wilson's with an
        effective number of samples (see the manual). One run has no interval, and a share of runs has none.
    """
    if not (isinstance(accuracies, pd.DataFrame) and "mse_pp2" in accuracies):
        accuracies = accuracy(accuracies)
    rows: list[dict[str, object]] = []
    for label, group in accuracies.groupby("label", sort=False):
        samples, bursts = group["samples"].to_numpy(float), group["bursts"].to_numpy(float, na_value=np.nan)
        for figure, (column, interval) in _FIGURES.items():
            row = {"label": label, "figure": figure, "samples": samples.sum(), "bursts": bursts.sum()}
            row["runs"] = group[column].notna().sum()
            row["mean"], row["low"], row["high"] = interval(group[column].to_numpy(float), samples.sum())
            calm = group[f"calm_{column}"].to_numpy(float)
            if np.isnan(bursts.sum()):
                calm = np.full(calm.size, np.nan)
            row["calm_runs"] = np.nan if np.isnan(bursts.sum()) else np.sum(~np.isnan(calm))
            calm_interval = interval(calm, (samples - bursts).sum())
            row["calm_mean"], row["calm_low"], row["calm_high"] = calm_interval
            rows.append(row)
    return checked(pd.DataFrame(rows, columns=SCHEMAS["repeats"].names), SCHEMAS["repeats"])
