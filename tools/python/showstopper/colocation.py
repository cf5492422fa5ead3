# SPDX-License-Identifier: MIT
"""Workloads that share a machine: a foreground that runs freely, and a background that is held to the steps of a staircase (papers 000, Sections 6
and 7, and 001).

`colocated` makes the steps of all runs, of which the other functions make tables. Steps whose load missed its target (`windows.missed`), as
when others disturbed the run, are shown, but not compared; an InputWarning says so.
"""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

from ._errors import InputError, InputWarning
from ._schema import SCHEMAS, checked
from .runs import Recorded, runs_of
from .statistics import table_of
from .windows import EDGE, windows_of

__all__ = ["colocated", "interference", "overall", "efficiency", "ratio", "matrix"]

# Targets of steps of different runs that differ by less are the same.
_SAME_TARGET = 0.0005
# Fewer steps in a half give no p-value.
_HALF_LEAST = 3
# The criteria of the papers.
_ANGLE_MOST = 3.0
_P_MOST = 0.05
_J_PER_WH = 3600


# ---- Steps


def colocated(runs: Recorded, *, edge: float = EDGE) -> pd.DataFrame:
    """The steps of all control logs, with the iterations beside them. Where a staircase turns, and holds a load for twice as long, that makes two.

    Args:
        runs: runs, or what `runs_of` makes runs of; the log of each is that of the background; of which workloads the iterations are, the caller decides by the files. Other logs
            of a run are asked for the power only.
        edge: the share of a step that is left out at either end, below 1/2.

    Returns:
        run (a number for each control log, from 0), label, file, step (from 1), and the columns of `windows_of`.

    Raises:
        InputError: a run has no iterations, no control log, or no load in a step.
    """
    parts: list[pd.DataFrame] = []
    for run in runs_of(runs):
        if run.iterations is None:
            raise InputError(f"{run.label}: found a log, but no iterations")
        if not any("target" in frame for _, frame in run.logs):
            found = f"{run.logs[0].file}:1: found no column target" if run.logs else f"{run.label}: found iterations"
            raise InputError(f"{found}, expected a control log (showstopper -o)")
        for log in run.logs:
            if "target" in log.frame:
                steps = windows_of(run, log, "steps", edge=edge, is_staircase=True)
                steps = steps.assign(run=len(parts), label=run.label, file=log.file, step=np.arange(len(steps)) + 1)
                unknown = steps["step"][steps["load"].isna()]
                if len(unknown):
                    raise InputError(f"{log.file}: found no load in step {unknown.iloc[0]}, expected it in some rows")
                parts.append(steps)
    if not parts:
        raise InputError("found no run, expected a control log and iterations")
    return pd.concat(parts, ignore_index=True)


def _steps_of(steps: Recorded) -> pd.DataFrame:
    return steps if isinstance(steps, pd.DataFrame) and "run" in steps else colocated(steps)


def _runs(steps: pd.DataFrame) -> list[pd.DataFrame]:
    return [run for _, run in steps.groupby("run", sort=False)]


def _file(run: pd.DataFrame) -> str:
    return str(run["file"].iloc[0])


def _warn(message: str) -> None:
    warnings.warn(message, InputWarning, stacklevel=3)


def _warn_of_missed(steps: pd.DataFrame) -> None:
    for run in _runs(steps):
        why = run["missed"].value_counts()
        if len(why):
            reasons = ", ".join(f"{reason}: {count}" for reason, count in why.items())
            left_out = f"left out {why.sum()} of {len(run)} steps, whose loads missed their targets by more than 2 pp"
            _warn(f"{_file(run)}: {left_out} ({reasons})")


# ---- Interference


def _halves(run: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    # Where the turning step lasts no longer than the others, it is the end of one half and the beginning of the other.
    half = (len(run) + 1) // 2
    target = run["target"].to_numpy()
    goes_back = (np.abs(target - target[::-1])[:half] < _SAME_TARGET).all()
    if half < _HALF_LEAST or not goes_back or not abs(target[half - 1] - target[0]) > _SAME_TARGET:
        expected = f"a staircase that goes back as it came, with at least {_HALF_LEAST} steps in each half"
        raise InputError(f"{_file(run)}: found {len(run)} steps, expected {expected}")
    return run.iloc[:half], run.iloc[len(run) - half :]


def _line(half: pd.DataFrame) -> dict[str, float]:
    """The least-squares line of throughput over load, as far as there is one."""
    from scipy import stats

    load, throughput = half.loc[half["missed"].isna(), ["load", "throughput"]].to_numpy().T
    line = dict.fromkeys(("slope", "intercept", "slope_p", "intercept_p", "r2"), np.nan)
    if len(load) < _HALF_LEAST or np.ptp(load) == 0 or not np.isfinite(throughput).all():
        return line
    fit = stats.linregress(load, throughput)
    line |= {"slope": fit.slope, "intercept": fit.intercept}
    if np.ptp(throughput) == 0:
        return line
    t = np.abs([fit.slope, fit.intercept]) / np.array([fit.stderr, fit.intercept_stderr])
    slope_p, intercept_p = 2 * stats.t.sf(t, len(load) - 2)
    return line | {"slope_p": slope_p, "intercept_p": intercept_p, "r2": fit.rvalue**2}


def _interference(run: pd.DataFrame) -> dict[str, Any]:
    lines = [_line(half) for half in _halves(run)]
    slopes = np.array([line["slope"] for line in lines]) / [line["intercept"] for line in lines]
    angle = abs(np.subtract(*np.degrees(np.arctan(slopes))))
    p = np.max([line[name] for line in lines for name in ("slope_p", "intercept_p")])
    row = {
        "label": run["label"].iloc[0],
        "file": _file(run),
        "steps": run["missed"].isna().sum(),
        "interference": -100 * slopes.mean(),
        "interference_1": -100 * slopes[0],
        "interference_2": -100 * slopes[1],
        "angle_deg": angle,
        "symmetric": "yes" if angle < _ANGLE_MOST else "no",
        "p": p,
        "significant": "yes" if p < _P_MOST else "no",
        "others": run["others"].mean(),
    }
    if np.isnan(angle):
        few = f"fewer than {_HALF_LEAST} steps of a half count, or the load was the same in them"
        _warn(f"{_file(run)}: interference is unavailable: {few}, or there was no throughput")
        row |= {"symmetric": None, "significant": None}
    return row | {f"{name}_{half}": value for half, line in enumerate(lines, 1) for name, value in line.items()}


def interference(steps: Recorded) -> pd.DataFrame:
    """How much the background of each run slows its foreground down (paper 000, Section 6).

    Through the steps of each half of the staircase goes a least-squares line of throughput over load. The interference is -100 times its slope divided
    by its intercept: the per cent of its throughput that the foreground would lose beside a background at full load; the mean of both halves.

    Args:
        steps: as from `colocated`, of staircases that go back as they came, or what it takes.

    Returns:
        The columns of the table "interference", a row for each run. Lines are symmetric that, each divided by its intercept, are less than 3
        degrees apart; significant if the p-values (two-sided, Student's t) of both slopes and both intercepts are below 0.05. Without
        lines, as where fewer than 3 steps of a half count, there is no verdict, and an InputWarning says so.

    Raises:
        InputError: a run has no such staircase, or fewer than 3 steps in each half.
    """
    steps = _steps_of(steps)
    _warn_of_missed(steps)
    with np.errstate(divide="ignore", invalid="ignore"):
        return table_of([_interference(run) for run in _runs(steps)], SCHEMAS["interference"])


# ---- One run and another


def _check_steps(run: pd.DataFrame, reference: pd.DataFrame) -> None:
    file, other = _file(run), _file(reference)
    if len(run) != len(reference):
        raise InputError(f"{file}: found {len(run)} steps, and {len(reference)} in {other}, expected the same ones")
    mine, its = run["target"].to_numpy(), reference["target"].to_numpy()
    differs = np.flatnonzero(~((np.abs(mine - its) < _SAME_TARGET) | (np.isnan(mine) & np.isnan(its))))
    if differs.size:
        step = differs[0]
        found = f"found a target of {100 * mine[step]:.2f} % in step {step + 1}, and {100 * its[step]:.2f} % in {other}"
        raise InputError(f"{file}: {found}, expected the same ones")


def _with_relative(steps: pd.DataFrame, column: str, reference: str | None) -> pd.DataFrame:
    """Each step's value to the mean of the reference's runs in the same step."""
    if reference is None:
        return steps.assign(relative=np.nan)
    its = steps[steps["label"] == reference]
    if its.empty:
        raise InputError(f"--reference: found no run of the label '{reference}'")
    for run in _runs(steps):
        _check_steps(run, _runs(its)[0])
    _warn_of_missed(steps)
    counted = its[its["missed"].isna()]
    means = counted.groupby("step")[column].agg(lambda values: values.mean(skipna=False))
    return steps.assign(relative=(steps[column] / steps["step"].map(means)).where(steps["missed"].isna()))


def overall(steps: Recorded, *, reference: str | None = None) -> pd.DataFrame:
    """The throughput of all workloads together in each step: the table "overall".

    Args:
        steps: as from `colocated`, or what it takes.
        reference: the label to whose runs steps are compared, but those that don't count.

    Raises:
        InputError: no run has this label, or a run has other steps.
    """
    return checked(_with_relative(_steps_of(steps), "throughput", reference), SCHEMAS["overall"])


def efficiency(steps: Recorded, *, reference: str | None = None) -> pd.DataFrame:
    """Iterations per watt-hour in each step, as in `overall`: the table "efficiency". An InputWarning names runs of which no power is known."""
    steps = _steps_of(steps)
    for run in _runs(steps):
        if run["power_w"].isna().all():
            what = "energy is unavailable: none of its logs has values in a column power_w"
            _warn(f"{run['label'].iloc[0]}: {what}")
    joules = steps["power_w"] * (steps["end_s"] - steps["start_s"])
    per_wh = steps["iterations"] / (joules * (1 - steps["missing"]) / _J_PER_WH)
    steps = steps.assign(energy_j=joules, iterations_per_wh=per_wh)
    return checked(_with_relative(steps, "iterations_per_wh", reference), SCHEMAS["efficiency"])


def _ratio(label: str, runs: list[pd.DataFrame]) -> dict[str, Any]:
    if len(runs) != 2:
        found = f"found {len(runs)} run{'s' * (len(runs) != 1)} of this label"
        raise InputError(f"{label}: {found}, expected two: the first is compared with the second")
    run, reference = (run.set_index("step") for run in runs)
    _check_steps(run, reference)
    idle = np.flatnonzero(~(reference["throughput"] > 0))
    if idle.size:
        found = f"found no iteration in step {idle[0] + 1}, to compare others with"
        raise InputError(f"{_file(reference)}: {found}")
    shares = (run["throughput"] / reference["throughput"])[run["missed"].isna() & reference["missed"].isna()]
    row = {"label": label, "file": _file(run), "reference": _file(reference), "steps": shares.count()}
    return row | {"least": shares.min(), "median": shares.median(), "most": shares.max()}


def ratio(steps: Recorded) -> pd.DataFrame:
    """The throughput of the first run of each label as a share of that of its second, over the steps: the table "ratio".

    A step of the first run of which nothing is known doesn't count, nor one whose target either run missed.

    Raises:
        InputError: a label has more or fewer runs than two, they have other steps, or the second has no iteration in one of them.
    """
    steps = _steps_of(steps)
    rows = [_ratio(str(label), _runs(runs)) for label, runs in steps.groupby("label", sort=False)]
    _warn_of_missed(steps)
    return table_of(rows, SCHEMAS["ratio"])


def matrix(ratios: pd.DataFrame) -> pd.DataFrame:
    """Ratios of pairs of workloads as a table that `heatmap` reads.

    Args:
        ratios: as from `ratio`; labels are foreground/background, such as fop/h2.

    Returns:
        foreground, and a column for each background: the median, the least and the greatest ("0.953 0.901..1.012"), or None.

    Raises:
        InputError: a label is none of a pair, or its background is called foreground, as the first column is.
    """
    rows: dict[str, dict[str, str | None]] = {}
    for label, least, median, most in ratios[["label", "least", "median", "most"]].itertuples(index=False):
        foreground, _, background = label.partition("/")
        if not foreground or not background or background == "foreground":
            what = "foreground and background, which has another name than 'foreground'"
            raise InputError(f"{label}: found this label, expected one such as fop/h2 for --matrix: {what}")
        text = None if np.isnan(median) else f"{median:.3f} {least:.3f}..{most:.3f}"
        rows.setdefault(foreground, {})[background] = text
    table = pd.DataFrame.from_dict(rows, orient="index", dtype=object)
    return table.where(table.notna(), None).rename_axis("foreground").reset_index()
