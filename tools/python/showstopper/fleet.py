# SPDX-License-Identifier: MIT
"""Logs of many machines that ran at the same time, brought together by the wall clock."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ._errors import InputError
from ._schema import SCHEMAS
from .logs import integral_over, monotonic_of, row_length, time_of
from .runs import Log, Recorded, Run, clock_of, runs_of
from .statistics import table_of

__all__ = ["fleet", "fleet_bins"]

# A figure has not many more pixels to the side.
_BINS_USUAL = 300
_BINS_MOST = 100_000
# What may be lost of a time by adding up its parts.
_ROUNDING = 1e-9
# A shorter part of a bin is no more than the jitter of the log's rows.
_PIECE_LEAST = 0.01


class _Node(NamedTuple):
    """A machine. Times are seconds since the first one began control, of which its log's monotonic_s is `ahead_s` ahead."""

    label: str
    log: Log
    ahead_s: float
    start_s: float
    end_s: float
    late_ms: float


def _nodes(runs: list[Run]) -> list[_Node]:
    labels, logs = [run.label for run in runs for _ in run.logs], [log for run in runs for log in run.logs]
    if not logs:
        raise InputError("found no control log, expected one for each node")
    for log in logs:
        for column in ("target", "monotonic_s"):
            if column not in log.frame:
                raise InputError(f"{log.file}:1: found no column {column}, expected a control log (showstopper -o)")
    clocks = [clock_of(log.frame, "monotonic_s") for log in logs]
    with_wall, without = ([log.file for log, clock in zip(logs, clocks) if clock.is_known == is_so] for is_so in (1, 0))
    if with_wall and without:
        both = f"{with_wall[0]} tells the wall clock (time_unix_s), {without[0]} doesn't"
        raise InputError(f"{both}; expected all or none of them to do so")
    begins = np.concatenate([monotonic_of(log.frame, [0.0]) for log in logs])
    # How far each clock is ahead of one that all have in common: the wall clock, or one by which all began together.
    ahead = -np.array([clock.usual for clock in clocks]) if with_wall else begins
    ahead = ahead + (begins - ahead).min()
    ends = np.array([log.frame["monotonic_s"].iloc[-1] for log in logs]) - ahead
    late_ms = np.where(bool(with_wall), 1000 * (begins - ahead), np.nan)
    return [_Node(*parts) for parts in zip(labels, logs, ahead, begins - ahead, ends, late_ms)]


def _fill(node: _Node, edges: NDArray[np.float64]) -> pd.DataFrame:
    """A machine that has less than half of a bin, or rows for less, isn't there in it."""
    frame, enough = node.log.frame, edges[1] / 2 * (1 - _ROUNDING)
    start, end = np.maximum(edges[:-1], node.start_s), np.minimum(edges[1:], node.end_s)
    start, end = (time_of(frame, moment + node.ahead_s) for moment in (start, end))
    load = integral_over(frame, "load", start, end)
    target = integral_over(frame, "target", start, end, also="load")
    is_there = (load.known_s >= enough) & (end - start >= enough)
    # The load of a bin that was free in part isn't to be held against what was asked in the rest of it.
    is_asked = is_there & (load.known_s - target.known_s <= _PIECE_LEAST * (end - start))
    bins = {"label": node.label, "file": node.log.file, "start_s": edges[:-1], "end_s": edges[1:]}
    means = {"target": np.where(is_asked, target.mean, np.nan), "load": np.where(is_there, load.mean, np.nan)}
    return pd.DataFrame(bins | means)


def fleet_bins(runs: Recorded, *, window_s: float | None = None) -> pd.DataFrame:
    """What each machine did over time, in the same bins.

    Args:
        runs: runs, or what `runs_of` makes runs of; each log is that of a machine.
        window_s: the length of a bin; by default as long as the longest row, and so that there are 300 of them at most.

    Returns:
        label, file, node (the machine's number, from 0), start_s, end_s (since the first machine began control), target, load (NaN where less than half
        of a bin is known). A bin in which the workloads were free for a time has no target.

    Raises:
        InputError: see `fleet`.
    """
    nodes = _nodes(runs_of(runs))
    end = max(node.end_s for node in nodes)
    length = window_s or max(end / _BINS_USUAL, *(row_length(node.log.frame) for node in nodes))
    # What is less than half a bin at the end is no bin: not all nodes would have a part in it.
    count = max(np.floor(end / length + 0.5), 1)
    if not count <= _BINS_MOST:
        found = f"found {end:.0f} s from the first start to the last end"
        raise InputError(f"{found}, expected at most {_BINS_MOST} bins of {length:g} s")
    edges = np.arange(int(count) + 1) * length
    return pd.concat([_fill(node, edges).assign(node=n) for n, node in enumerate(nodes)], ignore_index=True)


def _means(frame: pd.DataFrame, weights: pd.Series | None = None) -> dict[str, float]:
    """Of the rows that have both, a target and a load."""
    known = frame[["target", "load"]].dropna()
    weight = np.ones(len(known)) if weights is None else weights[known.index].to_numpy()
    error = known["load"] - known["target"]
    values = known.assign(mean_error_pp=100 * error, mse_pp2=1e4 * error**2)
    return {"samples": len(known), **(values.mul(weight, axis=0).sum(min_count=1) / weight.sum())}


def fleet(runs: Recorded, *, window_s: float | None = None) -> pd.DataFrame:
    """Load and target of many machines that ran at the same time, and of all together.

    The wall clock brings them together; where no log has one, all are taken to have begun at the same moment.

    Args:
        runs: runs, or what `runs_of` makes runs of; each log is that of a machine.
        window_s: the length of a sample of all together; see `fleet_bins`.

    Returns:
        The table "fleet": a row for each machine, of its rows under control, weighted by their lengths; and one of all together, of the bins.

    Raises:
        InputError: there is no log, one is no control log, only some know the wall clock, or there would be more than 100000 bins.
    """
    runs = runs_of(runs)
    nodes = _nodes(runs)
    rows = []
    for node in nodes:
        frame = node.log.frame[~node.log.frame["is_warmup"]]
        means = _means(frame, frame["time_s"] - frame["start_s"])
        rows.append({"label": node.label, "file": node.log.file, "late_ms": node.late_ms, "end_s": node.end_s, **means})
    # A machine that isn't known adds nothing to the means over all of them; a bin of which none is known doesn't count.
    known = fleet_bins(runs, window_s=window_s).dropna(subset=["load", "target"])
    together = known.groupby("start_s")[["load", "target"]].sum() / len(nodes)
    end = {"label": "all together", "end_s": max(node.end_s for node in nodes)}
    return table_of([*rows, end | _means(together)], SCHEMAS["fleet"])
