# SPDX-License-Identifier: MIT
"""What a session of tools/bench/peers came to, and the tables, verdicts and pictures of all of them. These are of frames: one of all rows, and one of
cells, which are the means over repeats, with the digits that cells.csv has."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import showstopper
from measure import stolen
from measure.bench import control_log, samples_of
from measure.machine import BUSY
from measure.settings import bursts_said, is_whole
from measure.text import formatted, lines_of, listed, markdown, records, refuse, write

if TYPE_CHECKING:
    import pandas as pd

TOOLS = "default default-freezer default-quota PI-even paper cpulimit cpulimit-m quota stress-ng N-bench CDC 1CDC"
RANK = f"idle background single contended parallel phased fop sunflow P 6P 500 {TOOLS} many".split()
OWN = ("default", "default-freezer", "default-quota", "PI-even", "paper", "many")
# Targets, with the moments between which each was held; and columns of rows.csv that don't depend on them.
Held = tuple[list[tuple[str, float, float]], dict[str, str]]
LOAD = ("workload", "instances", "background", "target_percent")
KEY = ("workload", "instances", "background", "tool", "target_percent")
# Columns of rows.csv, behind those of the key and the repetition.
FIGURES = """samples load_percent mean_error_pp mse_500_pp2 mse_370_pp2 mse_1300_pp2 own_cpu_percent lateness_p99_us bursts calm_error_pp
calm_mse_500_pp2""".split()
COUNTED = ("mean_error_size_pp", "mse_500_pp2", "calm_error_size_pp", "calm_mse_500_pp2")
REPEATED = ("mean_error_pp", "mse_500_pp2", "calm_error_pp", "calm_mse_500_pp2")
SIZES = dict(zip(COUNTED[::2], REPEATED[::2]))  # of each repeat, without its sign
# Columns of cells.csv, behind those of the key and the number of repeats, of which they are means where their names don't say otherwise.
CELLS = """load_percent mean_error_pp mean_error_least_pp mean_error_most_pp mean_error_half_pp mean_error_size_pp mean_error_size_least_pp mse_500_pp2
mse_500_least_pp2 mse_500_most_pp2 mse_500_half_pp2 mse_370_pp2 mse_1300_pp2 own_cpu_percent lateness_p99_us error_ratio mse_ratio samples bursts
calm_error_pp calm_error_half_pp calm_error_size_pp calm_mse_500_pp2 calm_mse_500_half_pp2"""
SINGLE = ("single", "contended", "fop")
NAMES = {
    "default": "Showstopper",
    "quota": "CPU quota of a control group",
    "stress-ng": "`stress-ng --cpu-load`",
    "CDC": "CDC: a constant duty cycle",
    "1CDC": "1CDC: the same, of one instance",
    "cpulimit": "`cpulimit`",
    "N-bench": "N-bench: as many instances as make up the load",
    "PI-even": "Showstopper, the paper's bare equation (`PI-even`)",
    "paper": "Showstopper, the same with what is ours (`PI-even+`)",
}
# What differs from what rows call it.
HEADS = {"paper": "PI-even+"}
# What each is called, the column that it shows, what a darkest cell is.
PICTURES = {
    "peers": ("Size of the mean error, in pp", "mean_error_size_pp", 10),
    "peers-mse": ("MSE, in pp²", "mse_500_pp2", 100),
}
ERROR, MSE = ("mean_error_pp", "calm_error_pp"), ("mse_500_pp2", "calm_mse_500_pp2")
# Of Showstopper's rows of each kind: what is judged, its limit, its column, and that without bursts. Those of some kinds are alone on the machine.
GOALS = """\
many|500 workloads: mean error, pp|0.5|mean_error_size_pp|calm_error_size_pp
many|500 workloads: own CPU time, % of a processor|10|own_cpu_percent|
background|mean error with background, pp|0.2|mean_error_size_pp|calm_error_size_pp
alone|mean error, pp|0.1|mean_error_size_pp|calm_error_size_pp
6P|MSE, N = 6·P, pp²|2|mse_500_pp2|calm_mse_500_pp2
single|MSE, single, contended, fop, pp²|0.7|mse_500_pp2|calm_mse_500_pp2
single|… in windows of 370 ms|1.5|mse_370_pp2|
single|… in windows of 1.3 s|1.5|mse_1300_pp2|
parallel|MSE, parallel, phased, sunflow, pp²|2|mse_500_pp2|calm_mse_500_pp2
alone|own CPU time per executor, % of a processor|0.15|own_cpu_percent|
alone|99th percentile of lateness, µs|500|lateness_p99_us|
"""
STEP = "step 10 ↔ 90 %, parallel: distance after 0.5 s, pp"
FLOOR = 0.01  # pp and pp²: what the reader can tell apart
WINDOWS = (500, 370, 1300)
INTRODUCTION = """\
Mean error (load minus target) in percentage points, mean squared error (MSE) in pp² of windows of 500 ms, both of the whole
machine; means over the repeats. In brackets: the ratio to Showstopper with default settings. There, and in all that is judged or drawn, of a mean error
its size in each repeat counts, so that one above doesn't make up for one below."""


# ---- A session --------------------------------------------------------------------------------------------------------------------


class Stalled(Exception):
    """A reading came so late that the machine must have stood still."""


def readings(folder: Path, window: int) -> pd.DataFrame:
    """What lies before the first is not known."""
    found = samples_of(folder / f"load.{window}.csv")[1:]
    if (found["time_s"] - found["start_s"] > 1.5 * window / 1000).any():
        raise Stalled
    return found


def rows_of_session(
    folder: Path,
    session: str,
    repetition: int,
    settle: float,
    held: list[tuple[str, float, float]],
    own: dict[str, str],
) -> Iterator[str]:
    """A row for each target: the windows of each load that lie within it, without its first seconds."""
    from showstopper.accuracy import accuracy

    tree = samples_of(folder / "tree.csv")
    of = [readings(folder, window) for window in WINDOWS]
    for target, begin, end in held:
        logs = [control_log(samples, float(target), begin + settle, end, tree) for samples in of]
        refuse(not all(log["target"].notna().any() for log in logs), f"can't make sense of {folder}")
        rows = accuracy(logs)
        first = records(rows)[0]
        error, calm = first["mean_error_pp"], (first[name] for name in ("calm_mean_error_pp", "calm_mse_pp2"))
        cells = [session, target, str(repetition), str(first["samples"])]
        cells += [f"{value:.3f}" for value in (float(target) + error, error, *rows["mse_pp2"])]
        cells += [own.get("own_cpu_percent", ""), own.get("lateness_p99_us", ""), formatted(first["bursts"], ".0f")]
        yield ",".join([*cells, *(formatted(value, ".3f") for value in calm)])


def steps_of_session(log: Path, loads: Path) -> str:
    """For windows of 500 ms, made of ten of 50, that begin so long after a step of the trace, and end before the next: the largest distance from the
    target. The trace steps every 3 s, between 10 and 90 %."""
    import numpy as np
    import pandas as pd

    rows = pd.read_csv(log)
    origin, last = rows["monotonic_s"][0] - rows["time_s"][0], rows["time_s"].max()
    samples = samples_of(loads)
    ends = samples["time_s"].to_numpy()
    mean = 100 * showstopper.mean_over(samples, "load", ends[:-10], ends[10:])
    begin, until = ends[:-10] - origin, ends[10:] - origin
    step = (begin / 3).astype(int)
    slots, off = ((begin - 3 * step) / 0.25).astype(int), pd.Series(abs(mean - np.where(step % 2, 90, 10)))
    inside = (begin >= 3) & (until <= last) & (step == ((until - 0.0001) / 3).astype(int)) & (slots <= 12)
    lines = ["after_s,windows,worst_pp\n"]
    for slot, off in off[inside].groupby(slots[inside]):
        lines.append(f"{slot * 0.25:.2f},{len(off)},{off.max():.2f}\n")
    return "".join(lines)


# ---- Cells ------------------------------------------------------------------------------------------------------------------------


def read(text: str) -> pd.DataFrame:
    """Of rows or cells; what they are of is text."""
    import pandas as pd

    return pd.read_csv(StringIO(text), dtype=dict.fromkeys(KEY, str), float_precision="round_trip")


def called(name: str, statistic: str) -> str:
    """mean_error_least_pp of mean_error_pp."""
    start, _, unit = name.rpartition("_")
    return f"{start}_{statistic}_{unit}"


def cells_of(rows: pd.DataFrame, processors: int) -> pd.DataFrame:
    """A row for each key, in the order of the help. The ratios are those of |mean error| and MSE to Showstopper's default settings, with as many instances as
    there are processors where a tool chooses their number itself; the mean error counts as 0.01 pp at least there, about what the reader can tell apart.
    """
    key = list(KEY)
    rows = rows.assign(**{name: rows[of].abs() for name, of in SIZES.items()})
    values = rows.melt(key, [*FIGURES, *SIZES], "figure")
    values["label"] = values[[*key, "figure"]].agg("|".join, axis=1)
    found = showstopper.means(values, "value")
    found[[*key, "figure"]] = found["label"].str.split("|", expand=True)
    of = found.drop(columns="label").pivot(index=key, columns="figure").astype(float)
    statistics = {called(name, of): (of, name) for name in (*REPEATED, *SIZES) for of in ("least", "most", "half")}
    cells = rows.groupby(key).size().to_frame("repeats")
    for column in CELLS.split():
        cells[column] = of.get(statistics.get(column, ("mean", column)), math.nan)
    for name in ("samples", "bursts"):
        cells[name] = of["sum", name].where(of["count", name] == cells["repeats"]).astype("Int64")
    exact = of["mean"].reset_index()
    own = exact[exact["tool"] == "default"].drop(columns="tool")
    beside = exact.merge(own, "left", list(LOAD), suffixes=("", "_own")).set_index(key)
    error, mse = "mean_error_size_pp", "mse_500_pp2"
    cells["error_ratio"] = beside[error] / beside[f"{error}_own"].clip(lower=FLOOR)
    cells["mse_ratio"] = beside[mse] / beside[f"{mse}_own"].where(beside[f"{mse}_own"] != 0)
    numbers = cells.select_dtypes("float").columns
    cells[numbers] = cells[numbers].applymap(lambda value: round(value, 3))
    cells = cells.reset_index()
    places = {name: place for place, name in enumerate(RANK)}
    order = cells[["background", "instances", "workload", "tool"]].applymap(lambda name: places.get(name, -1))
    cells = cells.loc[order.assign(at=cells["target_percent"].astype(float)).sort_values([*order, "at"]).index]
    is_odd = [mark_of(tool, target, processors) for tool, target in zip(cells["tool"], cells["target_percent"])]
    return cells.assign(mark=is_odd).reset_index(drop=True)


def mark_of(tool: str, target: str, processors: int) -> str:
    """Of what is no baseline, as whole instances can't make its load."""
    return " \\*" if tool == "N-bench" and not is_whole(float(target), processors) else ""


# ---- Tables -----------------------------------------------------------------------------------------------------------------------


def bursts_in(rows: pd.DataFrame) -> int | None:
    """How many samples met a burst of others, where that is known of all."""
    is_known = rows["samples"].sum() and rows["bursts"].notna().all()
    return int(rows["bursts"].sum()) if is_known else None


def head_of(tool: str) -> str:
    return HEADS.get(tool, tool)


def table(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(markdown(rows))


def group_tables(cells: pd.DataFrame) -> Iterator[str]:
    """A table for each workload, instances and background; a row per tool, two columns per target load. Below each the same of the samples that met no
    burst of others."""
    for (workload, instances, background), own in cells.groupby(list(KEY[:3]), sort=False):
        beside = ", beside the background program" if background == "background" else ""
        yield f"### {workload}, {instances} workloads{beside}"
        yield tool_table(own, ERROR[0], MSE[0], with_cost=True)
        if own["mark"].any():
            yield "\\* Whole instances can't make this load."
        bursts, samples = bursts_in(own), own["samples"].sum()
        if bursts:
            yield f"Without the {bursts} of {samples} samples that met a burst of others:"
            yield tool_table(own, ERROR[1], MSE[1])
        else:
            yield bursts_said(records(own))
        for tool, repeated in own[own["repeats"] > 1].groupby("tool", sort=False):
            yield repeats_of(head_of(tool), repeated, own["bursts"].sum() > 0)


def tool_table(own: pd.DataFrame, error: str, mse: str, with_cost: bool = False) -> str:
    """With the own cost in the last column, and ratios to the default settings, where that is asked for."""
    targets, costs = own["target_percent"].unique(), own.groupby("tool")["own_cpu_percent"].last()
    held = own.dropna(subset=[error]).set_index(["tool", "target_percent"])

    def cell(row: pd.Series[Any], name: str, form: str, ratio: float) -> str:
        is_beside = with_cost and row.name[0] != "default"
        times = formatted(ratio if is_beside else math.nan, ".1f" if ratio < 10 else ".0f", " (")
        return f"{row[name]:{form}}{times}{'×)' if times else ''}{row['mark']}"

    found = [["tool", *(head for of in targets for head in (f"{of} %: mean error, pp", "MSE, pp²"))]]
    found[0] += ["own CPU, %"] * with_cost
    for tool in own["tool"].unique():
        found.append([head_of(tool)])
        for target in targets:
            row = held.loc[(tool, target)] if (tool, target) in held.index else None
            both = ((error, "+.2f", "error_ratio"), (mse, ".2f", "mse_ratio"))
            found[-1] += ["", ""] if row is None else [cell(row, name, form, row[of]) for name, form, of in both]
        found[-1] += [formatted(costs[tool], ".2f")] if with_cost else []
    return table(found)


def percents_of(target: float, processors: int, count: int) -> list[int]:
    """Of one processor, for each of so many instances: whole ones, of which some are one more, so that together they make up the target as nearly as these can;
    one at least."""
    together = int(target * processors + 0.5)
    return [max(1, together // count + (place < together % count)) for place in range(count)]


def repeats_of(head: str, rows: pd.DataFrame, with_calm: bool) -> str:
    """Means over the repeats of a tool."""

    def said(of: pd.DataFrame, error: str, mse: str) -> str:
        targets = []
        for _, row in of.iterrows():
            halves = [formatted(row[called(name, "half")], ".2f", " ± ") for name in (error, mse)]
            targets.append(f"{row['target_percent']} %: {row[error]:+.2f}{halves[0]} pp, {row[mse]:.2f}{halves[1]} pp²")
        return "; ".join(targets)

    calm = rows.dropna(subset=["calm_mse_500_pp2"])
    without = f" Without bursts: {said(calm, *REPEATED[2:])}." if with_calm and len(calm) else ""
    means = f"means of {rows['repeats'].iloc[-1]} repeats and their 95 % confidence: {said(rows, *REPEATED[:2])}."
    return f"{head}, {means}{without}"


# ---- Goals ------------------------------------------------------------------------------------------------------------------------


def place_of(row: pd.Series[Any]) -> str:
    beside = " + background" if row["background"] == "background" else ""
    return f"{row['workload']} {row['instances']}{beside} {row['target_percent']} %"


def counting(rows: pd.DataFrame, background: float) -> pd.DataFrame:
    """With a background load, rows count where the target is 10 pp above it at least."""
    return rows[(rows["background"] != "background") | (rows["target_percent"].astype(float) >= background + 10)]


def beside_own(rows: pd.DataFrame, ours: Sequence[str]) -> pd.DataFrame:
    """Those of other tools than these, with what Showstopper's default settings came to on the same load in columns NAME_own; `at` are places of rows."""
    rows = rows.assign(at=range(len(rows)))
    own = rows[rows["tool"] == "default"].drop(columns=["tool", "mark"], errors="ignore")
    found = rows[~rows["tool"].isin(ours)].merge(own, "left", list(LOAD), suffixes=("", "_own"))
    return found.dropna(subset=["at_own"])


def own_rules(rows: pd.DataFrame, processors: int) -> list[tuple[Any, ...]]:
    """Of which rows what should be at most what, and what it is without bursts: of Showstopper's default settings, by the default actuator alone. What is
    judged are all samples."""
    own, is_many, is_crowded = rows["tool"].isin(("default", "many")), rows["tool"] == "many", rows["instances"] == "6P"
    is_beside, is_single = (rows["background"] == "background") & ~is_many, rows["workload"].isin(SINGLE)
    alone, executors = own & ~is_many & ~is_beside, processors * is_crowded.map({True: 6, False: 1})
    kinds = {"many": is_many, "background": own & is_beside, "alone": alone, "6P": alone & is_crowded}
    kinds |= {"single": alone & ~is_crowded & is_single, "parallel": alone & ~is_crowded & ~is_single}
    found: list[tuple[Any, ...]] = []
    for kind, goal, limit, column, calm in (line.split("|") for line in GOALS.splitlines()):
        value = rows[column] / executors if "executor" in goal else rows[column]
        found.append((kinds[kind], goal, float(limit), value, rows[calm] if calm else math.nan))
    return found


def peer_rules(rows: pd.DataFrame) -> list[tuple[Any, ...]]:
    """The same beside other tools. N-bench counts as beaten only where whole instances can make the load, and not exactly."""

    def over(name: str, least: float = 0.0) -> pd.Series[Any]:
        """A ratio, where the other one isn't too small for it."""
        return rows[f"{name}_own"] / rows[name].where(rows[name] > 0).clip(lower=least)

    error, other = rows["mean_error_size_pp_own"], rows["mean_error_size_pp"].clip(lower=FLOOR)
    mse, calm = over("mse_500_pp2").fillna(math.inf), over("calm_mse_500_pp2")
    is_quota, is_single = rows["tool"] == "quota", rows["workload"].isin(SINGLE)
    beside, alone = (is_quota & ((rows["background"] == "background") == so) for so in (True, False))
    is_odd = (rows["tool"] == "N-bench") & ((rows["mean_error_size_pp"] < 0.5) | (rows["mark"] != ""))
    others, that_of = ~is_quota & ~is_odd, "over that of " + rows["tool"]
    return [
        (beside, "20 × our mean error over the quota's, background", 1, 20 * error.clip(lower=FLOOR) / other, math.nan),
        (alone & is_single, "our MSE over the quota's, single, contended, fop", 3, mse, calm),
        (alone & ~is_single, "our MSE over the quota's, parallel, phased, sunflow", 6, mse, calm),
        (others, "our mean error " + that_of, 1, error / other, over("calm_error_size_pp", FLOOR)),
        (others, "our MSE " + that_of, 1, mse, calm),
    ]


def judged(rows: pd.DataFrame, rules: list[tuple[Any, ...]]) -> pd.DataFrame:
    """In the order of the rows."""
    import pandas as pd

    rows = rows.assign(place=rows.apply(place_of, axis=1))[["place"]]
    parts = [
        rows.assign(goal=goal, limit=limit, value=value, calm=calm)[which] for which, goal, limit, value, calm in rules
    ]
    return pd.concat(parts).sort_index(kind="stable").dropna(subset=["value"])


def goals_of(cells: pd.DataFrame, steps: pd.DataFrame | None, processors: int, background: float) -> Iterator[str]:
    import pandas as pd

    of = counting(cells, background)
    peers = beside_own(of, OWN)
    found = [judged(of, own_rules(of, processors)), *([judged(peers, peer_rules(peers))] if len(peers) else [])]
    if steps is not None:
        late = steps[steps["after_s"].astype(float) >= 0.5]
        found.insert(1, late.assign(goal=STEP, limit=5, value=late["worst_pp"], place=late["after_s"] + " s after"))
    goals = dict(list(pd.concat(found, ignore_index=True).groupby("goal", sort=False)))
    lines = ["| goal | limit | worst | where | | worst without bursts |", "| --- | ---: | ---: | --- | --- | ---: |"]
    for goal, judgements in goals.items():
        worst, missed = judgements.loc[judgements["value"].idxmax()], sum(judgements["value"] > judgements["limit"])
        verdict = f"missed on {missed} of {len(judgements)}" if missed else f"reached on {len(judgements)}"
        calm = formatted(judgements["calm"].max(), ".3g")
        lines.append(f"| {goal} | {worst['limit']:g} | {worst['value']:.3g} | {worst['place']} | {verdict} | {calm} |")
    for _, goal, limit, *_ in (line.split("|") for line in GOALS.splitlines()):
        if goal not in goals:
            lines.append(f"| {goal} | {limit} | | | not measured | |")
    yield "\n".join(lines)
    if cells["bursts"].isna().any():
        yield "What others did meanwhile is unavailable."
    elif samples := cells["samples"].sum():
        yield f"{cells['bursts'].sum()} of {samples} samples of 500 ms met a burst of others."
    if (odd := peers[peers["mark"] != ""]).size:
        said = f"{processors} processors have no whole instances for it."
        yield f"N-bench is no baseline at {loads_said(odd)} %: {said}"


# ---- For the front page, and pictures ---------------------------------------------------------------------------------------------


def held_by_all(rows: pd.DataFrame) -> pd.DataFrame:
    """Of the loads only those that all tools had to hold."""
    tools = rows.groupby("target_percent")["tool"].transform("nunique")
    return rows[tools == rows["tool"].nunique()]


def loads_said(rows: pd.DataFrame) -> str:
    return listed(map(str, sorted(set(rows["target_percent"].astype(float).astype(int)))))


def means_of(rows: pd.DataFrame, by: list[str], column: str) -> dict[str, float]:
    """Of cells, each of which counts alike however many repeats it has; by what they are of, with bars between."""
    table = showstopper.means(rows.assign(label=rows[by].agg("|".join, axis=1)), column)
    return dict(zip(table["label"], table["mean"]))


def summary_of(cells: pd.DataFrame, processors: int, background: float) -> str:
    """A row for each tool, but for our other actuators: means over its workloads and target loads, alone and beside the background program."""
    of = counting(cells, background)
    used = held_by_all(of[of["tool"].isin(NAMES)])
    found = {name: means_of(used, ["tool", "background"], name) for name in COUNTED}

    def means(tool: str, *names: str) -> list[str]:
        of = [found[name].get(f"{tool}|{where}", math.nan) for where in ("idle", "background") for name in names]
        return [formatted(one, ".2f" if one < 100 else ".0f") for one in of]

    made = ["tool|mean error, pp|MSE, pp²|beside other work: mean error, pp|MSE, pp²|runs".split("|")]
    for tool in (tool for tool in NAMES if (cells["tool"] == tool).any()):
        made.append([NAMES[tool], *means(tool, *COUNTED[:2]), str(used.loc[used["tool"] == tool, "repeats"].sum())])
    said = f"Means over workloads, at loads of {loads_said(used)} %; of the mean errors, the sizes. A tool runs on those workloads that it can handle, but for what is left out."
    if none := loads_said(used[used["mark"] != ""]):
        said += f" Whole instances, and so N-bench, can't make {none} % of {processors} processors."
    bursts, samples = bursts_in(used), used["samples"].sum()
    if bursts is None:
        said += " What others did meanwhile is unavailable."
    elif not bursts:
        said += f" Others took more than 3 % of the machine in none of {samples} samples."
    else:
        said += f" Without the {bursts} of {samples} samples in which others took more than 3 % of the machine, or in the second after: Showstopper "
        error, mse, beside_error, beside_mse = means("default", *COUNTED[2:])
        said += f"{error} pp and {mse} pp²" if mse else "has none left"
        said += f", beside other work {beside_error} pp and {beside_mse} pp²." if beside_mse else "."
    return f"{table(made)}\n\n{said}\n"


def draw(cells: pd.DataFrame, folder: Path) -> Iterator[str]:
    """A heat map each of errors and of MSE, a column for each tool, with what a document says of them."""
    import pandas as pd
    from showstopper import plot

    used = held_by_all(cells[~cells["tool"].isin(("steps", "many"))])
    tools, marked = used["tool"].unique(), set(used.loc[used["mark"] != "", "tool"])
    counts = {"P": "1 per processor", "6P": "6 per processor"}
    for picture, (name, column, darkest) in PICTURES.items():
        found, made = means_of(used, list(KEY[:4]), column), []
        for (workload, instances, background), tool in product(used[list(KEY[:3])].drop_duplicates().to_numpy(), tools):
            value = found.get("|".join((workload, instances, background, tool)), math.nan)
            row = f"{workload}, {counts.get(instances, instances)}{' + others' if background == 'background' else ''}"
            mark = "*" if tool in marked and value == value else None
            made.append((row, head_of(tool), round(value, 2 if value < 10 else 0), mark))
        heatmap = pd.DataFrame(made, columns=["row", "column", "value", "mark"])
        figure = plot.heatmap(heatmap, value_range=(0, darkest), corner="workload")
        plot.save(figure, folder / f"{picture}.svg", version=showstopper.__version__, command="tools/bench/peers")
        yield f"![{name}, for each workload and tool]({picture}.svg)"
        said = f"{name}, in the mean of the loads of {loads_said(used)} %; the darkest cells are {darkest} and more, a grey one is of a workload"
        yield f"{said} that the tool can't hold, or that was left out."
    notes = ["Others: the background program."] if (used["background"] == "background").any() else []
    notes += ["\\* N-bench can't make all of these loads."] if marked else []
    if notes:
        yield " ".join(notes)


def absent_said(folder: Path) -> Iterator[str]:
    """What was to be measured, and wasn't."""
    if left_out := lines_of(folder / "left-out"):
        why = "since the machine stood still for a while in each of several attempts"
        yield f"Left out, {why}: {'; '.join(left_out)}."
    if unavailable := lines_of(folder / "unavailable"):
        yield f"Unavailable: {'; '.join(unavailable)}."


def report(folder: Path) -> None:
    """Tables, verdicts and the pictures, also of what isn't complete yet. Prints the goals."""
    import pandas as pd

    sessions = [file for file in sorted((folder / "sessions").glob("*")) if file.suffix not in (".part", ".failed")]
    rows = [line for session in sessions for line in lines_of(session / "rows.csv")]
    refuse(not rows, f"no session in {folder} is complete")
    text = "".join(f"{line}\n" for line in [",".join([*KEY, "repetition", *FIGURES]), *rows])
    write(folder / "peers.csv", text)
    facts = dict(line.split(": ", 1) for line in lines_of(folder / "machine.txt") if ": " in line)
    processors = int(facts.get("processors", "1").split()[0])
    background = float(facts.get("load of the background program alone", "0 %").split()[0])
    busy = float(facts.get("load before the first session", "0 %").split()[0])
    cells = cells_of(read(text), processors)
    write(folder / "cells.csv", cells.drop(columns="mark").to_csv(index=False, float_format="%.3f"))
    warning = []
    if busy > BUSY:
        said = f"others took {busy:.1f} % of it before the first session. These figures say little of Showstopper."
        warning = [f"**The machine was busy: {said}**"]
    files = [session / "steps.csv" for session in sessions if (session / "steps.csv").exists()]
    steps = pd.concat([pd.read_csv(file, dtype={"after_s": str}) for file in files]) if files else None
    goals = "\n\n".join(goals_of(cells, steps, processors, background)) + "\n"
    absent, disturbed = list(absent_said(folder)), stolen.said(sessions)
    blocks = [*warning, INTRODUCTION, *group_tables(cells), *absent, *([disturbed] if disturbed else [])]
    text = "\n\n".join([*blocks, *draw(cells, folder), "### Goals", goals])
    write(folder / "tables.md", text)
    head = "".join(f"- {line}\n" for line in lines_of(folder / "machine.txt"))
    write(folder / "peers.md", f"# Showstopper and its peers\n\n{head}\n{text}")
    write(folder / "summary.md", "\n\n".join([*warning, summary_of(cells, processors, background), *absent]))
    print(f"{goals}tables and pictures: {folder}")
