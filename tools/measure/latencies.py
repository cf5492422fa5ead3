# SPDX-License-Identifier: MIT
"""Response times by load: the steps of a run, several repeats of them, and between which loads a limit is crossed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import showstopper
from measure import machine
from measure.batch import Part
from measure.runs import Run
from measure.text import Row, formatted, in_seconds, known, read_csv

if TYPE_CHECKING:
    import pandas as pd

ERRORS = 0.01  # share of requests from which on a limit is not kept


def mean_between(file: Path, low: float, high: float, column: str = "load") -> float:
    """Of the load in a log, or another column, by the monotonic clock. NaN where there is none."""
    values = [
        known(row, column) for row in read_csv(file) if row.get(column) and low <= known(row, "monotonic_s") <= high
    ]
    return sum(values) / len(values) if values else math.nan


def is_disturbed(folder: Path, low: float, high: float) -> bool:
    """Whether others than what this batch started took more of the machine than they may."""
    whole, ours = (mean_between(folder / name, low, high) for name in ("machine.csv", "tree.csv"))
    return 100 * (whole - ours) > machine.BUSY


# ---- Steps ----------------------------------------------------------------------------------------------------------------------------


def steps_of(part: Part, run: Run, limit: str) -> pd.DataFrame:
    """A row for each target of a run. Loads and targets are per cent, times seconds; `value` is what the limit is of, NaN where there are too few requests,
    `low` and `high` are the ends of its interval, and `limit` are the limit's seconds."""
    from showstopper.latency import latency

    folder, (name, _, most) = part.folder(run), limit.replace(".", "_").partition("=")
    table = latency(folder / "requests.csv", part.log(run))
    table = table[table["part"].eq("step") & table["target"].notna() & table["load"].notna()]
    first = read_csv(part.log(run))[0]
    origin = known(first, "monotonic_s") - known(first, "time_s")
    times = {"value": f"{name}_s", "low": f"{name}_low_s", "high": f"{name}_high_s", "mean": "mean_s", "p50": "p50_s"}
    return table[["requests", "errors"]].assign(
        target=100 * table["target"],
        load=100 * table["load"],
        limit=in_seconds(limit.partition("=")[2]),
        disturbed=[is_disturbed(folder, origin + of.start_s, origin + of.end_s) for of in table.itertuples()],
        **{name: table[of].replace(math.inf, math.nan) for name, of in times.items()},
    )


def pooled(steps: pd.DataFrame) -> pd.DataFrame:
    """Repeats of a target as one step, whose interval is that of their mean. Those of too few requests have no time that counts."""
    steps = steps.assign(place=steps["target"].round(3)).sort_values("place", kind="stable")
    targets = steps.groupby("place")
    found = steps.sort_values("value", key=lambda of: of.isna(), kind="stable").drop_duplicates("place")
    found = found.set_index("place").sort_index()
    for name, how in {"load": "mean", "requests": "sum", "errors": "sum", "disturbed": "any"}.items():
        found[name] = targets[name].agg(how)
    repeats, timed = targets.size(), targets["value"].count()
    # Of one of several it would be that of its requests, and not over repeats.
    found.loc[(repeats > 1) & (timed < 2), ["low", "high"]] = math.nan
    of = showstopper.means(steps, "value", "place").set_index(found.index)
    over = of.assign(value=of["mean"], low=(of["mean"] - of["half"]).clip(lower=0), high=of["mean"] + of["half"])
    over[["mean", "p50"]] = steps.dropna(subset="value").fillna({"mean": 0, "p50": 0}).groupby("place")[["mean", "p50"]].mean()  # fmt: skip
    for name in ("value", "low", "high", "mean", "p50"):
        found[name] = found[name].where(timed < 2, over[name])
    return found


# ---- Limits ---------------------------------------------------------------------------------------------------------------------------


def fails(steps: pd.DataFrame) -> pd.Series[bool]:
    return steps["errors"] > ERRORS * steps["requests"]


def is_beyond(steps: pd.DataFrame) -> pd.Series[bool]:
    return fails(steps) | (steps["value"] > steps["limit"])


def crossing_said(steps: pd.DataFrame, limit: str, whose: str) -> str:
    """By steps whose interval lies wholly on one side: the first load that leaves the limit surely, and the last below that which surely keeps it."""
    loads, most = steps["load"], steps["load"].max()
    high = loads[fails(steps) | (steps["low"] > steps["limit"])].min()
    low = loads[~fails(steps) & (steps["high"] <= steps["limit"]) & ~(loads >= high)].max()
    if math.isnan(low) and math.isnan(high):
        return f"can't be said to keep or to leave {limit} at any load {whose}"
    if math.isnan(high):
        return f"keeps {limit} up to a load of {low:.0f} % {whose}, and isn't seen to leave it up to {most:.0f} %"
    if math.isnan(low):
        return f"is beyond {limit} at a load of {high:.0f} % {whose}, and at no lower one surely within it"
    return f"leaves {limit} at a load of {(low + high) / 2:.0f} % ± {(high - low) / 2:.0f} % {whose}"


def bounds(steps: pd.DataFrame) -> tuple[float, float] | None:
    """The targets between which the limit is crossed, by what was measured; None where it is not crossed."""
    targets, is_known = steps["target"], steps["value"].notna() | fails(steps)
    high = float(targets[is_beyond(steps)].min())
    low = float(targets[is_known & (targets < high)].max())
    return None if math.isnan(low) else (low, high)


# ---- Tables ---------------------------------------------------------------------------------------------------------------------------


def rows_of(steps: pd.DataFrame) -> list[Row]:
    """With times in ms."""
    rows = []
    for step in steps.to_dict("records"):
        row = {"target_percent": f"{step['target']:g}", "load_percent": f"{step['load']:.1f}"}
        row |= {name: str(step[name]) for name in ("requests", "errors")}
        row |= {"disturbed": "yes" if step["disturbed"] else "no"}
        times = ("mean", "p50", "value", "low", "high")
        rows.append(row | {f"{name}_ms": formatted(1000 * step[name], ".4g") for name in times})
    return rows


def with_interval(row: Mapping[str, str], is_beyond: bool) -> str:
    # Where the true one may be longer than any that was seen, there is no upper end.
    to = f"to {row['high_ms']}" if row["high_ms"] else "or more"
    ends = f" ({row['low_ms']} {to})" if row["low_ms"] else ""
    marks = ("*" if is_beyond else "") + ("!" if row["disturbed"] == "yes" else "")
    return f"{row['value_ms'] or 'too few'}{ends}{' ' + marks if marks else ''}"


def with_intervals(steps: pd.DataFrame) -> list[str]:
    return [with_interval(*of) for of in zip(rows_of(steps), is_beyond(steps))]


def table(steps: pd.DataFrame, limit: str) -> list[list[str]]:
    """A row for each load."""
    head = ["target (%)", "load (%)", "requests", "errors", "mean", "p50", limit.partition("=")[0]]
    names = "target_percent load_percent requests errors mean_ms p50_ms".split()
    cells = zip(rows_of(steps), with_intervals(steps))
    return [head, *([*(row[name] for name in names), value] for row, value in cells)]


def side_by_side(of: dict[str, pd.DataFrame]) -> list[list[str]]:
    """A row for each target, a column for each way."""
    cells = {name: dict(zip(steps["target"].round(3), with_intervals(steps))) for name, steps in of.items()}
    targets = sorted({target for values in cells.values() for target in values})
    return [["target (%)", *of], *([f"{at:g}", *(cells[name].get(at, "") for name in of)] for at in targets)]
