# SPDX-License-Identifier: MIT
"""What batches of experiments have to say on the findings of the papers: values of single runs, of each thing that is judged by itself."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from measure import machine, settings
from measure.text import Row, lines_of

WIDE = "highly parallel"

Key = tuple[Any, ...]
# Of each thing that is judged by itself, those of its runs. Its key begins with the batch.
Values = dict[Key, list[float]]
Measure = Callable[..., Values]  # of Evidence and of words, as a table of claims has them

PAIR = ["batch", "first", "second"]  # workload and target, or foreground and background
CURVE = ["batch", "first", "name"]  # name: setting or scheme
CELL = [*CURVE, "second"]

MEASURES: dict[str, Measure] = {}


def measure(function: Measure) -> Measure:
    """Lets claims name the function."""
    MEASURES[function.__name__] = function
    return function


def shown(path: Path) -> str:
    return f"`{str(path).removeprefix(f'{machine.ROOT}/')}`"


COMMANDS = {
    "accuracy": "tools/experiments/accuracy --full --workloads fop,h2,sunflow --settings",
    "throughput": "tools/experiments/throughput --full --workloads fop,h2,sunflow --settings",
    "colocation": "tools/experiments/colocation --full --schemes",
    "frequency": "tools/experiments/frequency --full --by frequency --figures response --service mediawiki",
    "scaling": "tools/experiments/scaling --full --service mediawiki --figures",
}


def command(take: str, repeats: int) -> str:
    """What measures something, with the beginnings of commands by their names."""
    return f"{take.format(**COMMANDS, repeats=f'--order interleaved --repeat {repeats}')} --output DIR"


@dataclass
class File:
    """What one file of a batch has. Batches are not mixed: what one measured is compared with its own only."""

    kind: str
    path: Path
    batch: Path
    processors: int
    rows: list[Row]

    @property
    def words(self) -> str:
        """The commands of its runs, or the one that was published."""
        return "\n".join(lines_of(self.batch / "runs.tsv") or lines_of(self.batch / "about.md"))


def is_undisturbed(row: Row) -> bool:
    """Has samples, not all of which met bursts of others."""
    return row.get("samples") != "0" and not (row.get("bursts") and row["bursts"] == row.get("samples"))


def name_of(row: Row) -> str:
    """Of the run that a row is of. The label of a step is that of its scheme."""
    return Path(row["file"]).parent.name if "step" in row else row["label"]


@dataclass
class Evidence:
    """Files of batches."""

    files: list[File]
    classes: dict[str, str]

    def of(self, kinds: str) -> list[File]:
        return [file for file in self.files if file.kind in kinds.split()]

    def rows(self, kind: str, texts: Iterable[str], numbers: Iterable[str]) -> pd.DataFrame:
        """Of all files of a kind, behind their batch. What is no finite number is NaN."""
        rows = [row | {"batch": file.batch} for file in self.of(kind) for row in file.rows]
        return framed(rows, ["batch", *texts], numbers)

    def runs(self, kind: str, *columns: str, replays: bool = False, steps: str = "") -> pd.DataFrame:
        """A row for each run, with these columns as numbers. `steps`: a query that chooses among the steps of a run, over which the mean is taken."""
        replayed = {file.batch for file in self.files if "replay_s" in file.rows[0]}
        rows: list[dict[str, Any]] = []
        for file in self.of(kind):
            for row in file.rows if (file.batch in replayed) == replays else []:
                match name_of(row).split("_"):
                    case [first, second, name, again] if is_undisturbed(row):
                        of = {"batch": file.batch, "first": first, "second": second, "name": name, "again": again}
                        rows.append(row | of)
        frame = framed(rows, [*CELL, "again"], columns)
        if steps:
            frame = frame.query(steps)
        means = frame.groupby([*CELL, "again"], as_index=False, sort=False).mean(numeric_only=True)
        return means.assign(is_wide=means["first"].map(self.classes) == WIDE)


def framed(rows: list[dict[str, Any]], texts: Iterable[str], numbers: Iterable[str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=list(dict.fromkeys([*texts, *numbers])))
    for column in numbers:
        frame[column] = frame[column].replace("", "nan").astype(float).replace([np.inf, -np.inf], np.nan)
    return frame


def log_ratio(above: Any, below: Any) -> Any:
    """NaN where one of both is not above 0."""
    return np.log((above / below).where((above > 0) & (below > 0)))


def values_of(frame: pd.DataFrame, values: Any, keys: list[str] = CELL) -> Values:
    """Those of each key, one of each repetition: the mean where it has several."""
    found = frame.assign(value=values).replace([np.inf, -np.inf], np.nan).dropna(subset=["value"])
    means = found.groupby([*keys, "again"], sort=False)["value"].mean()
    return {key: list(of) for key, of in means.groupby(keys, sort=False)}


def beside(one: pd.DataFrame, other: pd.DataFrame, keys: list[str], suffix: str = "_other") -> pd.DataFrame:
    """Runs of the same repetition, which stand beside each other in time."""
    return one.merge(other, on=[*keys, "again"], suffixes=("", suffix))


def against(runs: pd.DataFrame, one: str, other: str, column: str) -> pd.DataFrame:
    """Of two settings or schemes, with the logarithm of the one's as a multiple of the other's as `value`."""
    both = beside(runs[runs["name"] == one], runs[runs["name"] == other], PAIR)
    return both.assign(value=log_ratio(both[column], both[f"{column}_other"]))


# ---- Constant and variable loads --------------------------------------------------------------------------------------------------


def of_width(runs: pd.DataFrame, width: str) -> pd.DataFrame:
    return runs if not width else runs[runs["is_wide"] == (width == "wide")]


@measure
def errors(of: Evidence, setting: str, width: str) -> Values:
    runs = of_width(of.runs("accuracy-runs", "mean_error_pp"), width).query("name == @setting")
    return values_of(runs, runs["mean_error_pp"])


@measure
def steadier(of: Evidence, better: str, worse: str, width: str = "") -> Values:
    """By how much more the mean squared error of the one is, as a logarithm."""
    both = against(of_width(of.runs("accuracy-runs", "mse_pp2"), width), worse, better, "mse_pp2")
    return values_of(both, both["value"])


@measure
def below_baselines(of: Evidence, setting: str) -> Values:
    """N-bench is no baseline where whole instances can't make the load."""
    processors = {file.batch: file.processors for file in of.files}
    runs = of.runs("accuracy-runs", "mean_error_pp", "mse_pp2")
    errors_of_cells = runs.groupby(CELL)["mean_error_pp"].transform("mean").fillna(0)
    is_whole = [
        not processors[batch] or settings.is_baseline(name, float(target), processors[batch], error)
        for batch, name, target, error in zip(runs["batch"], runs["name"], runs["second"], errors_of_cells)
    ]
    runs = runs[np.array(is_whole, dtype=bool)]
    both = pd.concat(against(runs, name, setting, "mse_pp2") for name in ("CDC+", "N-bench"))
    return values_of(both, both["value"])


@measure
def near_targets(of: Evidence, where: str = "") -> Values:
    """Which experiments were near their targets, each with the mean of its repeats; those of batches of which it is known that they were in no virtual
    machine (`where`: real), or all."""
    runs = pd.concat(of.runs("accuracy-runs", "mean_error_pp", "target", replays=replays) for replays in (False, True))
    about = {batch: "".join(lines_of(batch / "about.md")) for batch in runs["batch"].unique()}
    real = [batch for batch, said in about.items() if said and "a virtual machine" not in said]
    own = runs[~runs["name"].isin(settings.BASELINES) & runs["batch"].isin(real if where else about)]
    cells = own.groupby(CELL).agg({"mean_error_pp": "mean", "target": "first"}).dropna(subset=["mean_error_pp"])
    rows = cells.astype(str).to_dict("records")
    return {("experiments",): [float(settings.is_near(row)) for row in rows]}


def beside_greatest(runs: pd.DataFrame) -> pd.DataFrame:
    """Each run beside that of the highest target, or of the slowest replay."""
    sizes = runs.assign(size=runs["second"].astype(float))
    of_curves = sizes.groupby(CURVE)["size"]
    sizes = sizes.assign(most=of_curves.transform("max"), count=of_curves.transform("nunique"))
    return beside(sizes.query("size < most"), sizes.query("size == most"), CURVE)


@measure
def of_replays(of: Evidence, kind: str, column: str, wanted: str = "", name: str = "") -> Values:
    """Of each faster replay of some workloads and settings, as the logarithm of what the slowest one has."""
    runs = of.runs(kind, column, replays=True)
    both = beside_greatest(runs[runs["first"].str.contains(wanted) & runs["name"].str.contains(name)])
    return values_of(both, log_ratio(both[column], both[f"{column}_other"]))


# ---- Throughput -------------------------------------------------------------------------------------------------------------------


@measure
def off_the_line(of: Evidence, width: str) -> Values:
    """How far a throughput is from what is proportional to the load, as a part of that at the highest load."""
    runs = of_width(of.runs("throughput-runs", "load", "throughput"), width)
    both = beside_greatest(runs.query("name != 'baseline'")).query("count >= 3 and throughput_other > 0")
    return values_of(both, both["throughput"] / both["throughput_other"] - both["load"] / both["load_other"])


@measure
def nearer_to_baseline(of: Evidence) -> Values:
    """How much further even work is from the baseline than uneven work; of each repetition the mean over the targets at which both are known."""
    runs = of.runs("throughput-runs", "load", "throughput")
    points = runs.query("name == 'baseline'").groupby(PAIR)[["load", "throughput"]].mean()
    # Straight between the points, from none at no load; nothing is known beyond them.
    lines = {key: np.array([(0, 0), *sorted(of.to_numpy().tolist())]) for key, of in points.groupby(["batch", "first"])}
    loads = zip(zip(runs["batch"], runs["first"]), runs["load"])
    at_load = ((load, lines.get(key, np.zeros((1, 2)))) for key, load in loads)
    expected = [np.interp(load, line[:, 0], line[:, 1], right=np.nan) or np.nan for load, line in at_load]
    off = runs.assign(off=(runs["throughput"] / expected - 1).abs())
    uneven = off[off["name"].str.contains("uneven")]
    even = uneven.assign(setting=uneven["name"], name=uneven["name"].str.replace("uneven", "even"))
    both = beside(even, off, CELL)
    return values_of(both, both["off_other"] - both["off"], ["batch", "first", "setting"])


# ---- Pairs ------------------------------------------------------------------------------------------------------------------------

HALVES = ("intercept_1", "slope_1", "intercept_2", "slope_2")


def with_rates(of: Evidence, load: float = 0.5) -> pd.DataFrame:
    """The throughput of a foreground at a load of the background, by the lines through both halves of the staircase."""
    runs = of.runs("interference-runs", *HALVES)
    one, two = (runs[f"intercept_{half}"] + load * runs[f"slope_{half}"] for half in (1, 2))
    return runs.assign(one=one, two=two, rate=(one + two) / 2)


def ahead_of_rest(runs: pd.DataFrame, column: str, scheme: str, behind: str = "") -> Values:
    """By how much more a scheme has than the best of the others, but for one that it comes behind."""
    found: Values = {}
    for key, of_pair in runs.groupby(PAIR):
        rates = of_pair.pivot(index="again", columns="name", values=column)
        rates = np.log(rates.where(rates > 0))
        others = rates.columns.difference([scheme, behind])
        if len(others) and {scheme, behind or scheme} <= set(rates):
            ahead = rates[scheme] - rates[others].max(axis=1, skipna=False)
            ahead = np.minimum(ahead, rates[behind] - rates[scheme]) if behind else ahead
            found[key] = list(ahead.dropna())
    return found


@measure
def fastest(of: Evidence, scheme: str, behind: str = "") -> Values:
    return ahead_of_rest(with_rates(of), "rate", scheme, behind)


@measure
def dynamic_beside_static(of: Evidence) -> Values:
    return ahead_of_rest(of.runs("overall", "throughput"), "throughput", "dynamic")


@measure
def interference(of: Evidence, scheme: str, without: str = "none") -> Values:
    runs = of.runs("interference-runs", "interference").query("name == @scheme")
    runs = runs[~runs["first"].str.contains(without)]
    return values_of(runs, runs["interference"])


def both_ways(low: pd.DataFrame, high: pd.DataFrame) -> Values:
    """What is so at a low load of the background, and what at a high one."""
    both = pd.concat([low.assign(where="low"), high.assign(where="high")])
    return values_of(both, both["value"], [*CELL, "where"])


@measure
def unpinned_then_pinned(of: Evidence) -> Values:
    """Neutral beside per-chip at a low load of the background, and the other way round at a high one."""
    low = against(with_rates(of, 0.25), "neutral", "per-chip", "rate")
    return both_ways(low, against(with_rates(of, 0.95), "per-chip", "neutral", "rate"))


@measure
def whole_machine(of: Evidence, kind: str, column: str, one: str, other: str, order: str = "always") -> Values:
    """By how much one of two schemes does more; `turned`: only while the load of the background is below a half, and the other one while it is above."""
    low = against(of.runs(kind, column, "target", steps="target < 0.5"), one, other, column)
    schemes = (other, one) if order == "turned" else (one, other)
    return both_ways(low, against(of.runs(kind, column, "target", steps="target > 0.5"), *schemes, column))


@measure
def penalty_in_the_middle(of: Evidence) -> Values:
    """How much more throughput per-thread costs the background around half of its load than far from there."""
    middle, ends = (
        against(of.runs("background-runs", "throughput", "target", steps=steps), "per-core", "per-thread", "throughput")
        for steps in ("0.35 <= target <= 0.65", "target < 0.2 or target > 0.8")
    )
    both = beside(middle, ends, CELL, "_ends")
    return values_of(both, both["value"] - both["value_ends"])


@measure
def halves_of_fop(of: Evidence) -> Values:
    """By how much the mean throughput of the second half of the staircase is more than that of the first."""
    runs = with_rates(of)
    runs = runs[runs["first"].str.contains("(?:^|-)fop$")]
    return {("fop",): list((runs["two"] / runs["one"] - 1).dropna())}


def quantum_of(file: File) -> str:
    """Of averageq, in all runs of a batch; what was said last counts."""
    found: set[str] = set()
    for line in file.words.splitlines():
        said: list[str] = re.findall(r"-D (?:quantum=)?([0-9]+m)", line)
        said = said or (["107m"] if re.search(r'--base "?(PI|geom)-', line) else [])
        found |= set(said[-1:])
    return found.pop() if len(found) == 1 else ""


@measure
def same_with_another_quantum(of: Evidence) -> Values:
    """How much the interference of a pair differs between two batches."""
    quanta = {file.batch: quantum_of(file) for file in of.of("interference-runs")}
    runs = of.runs("interference-runs", "interference")
    runs = runs.assign(quantum=runs["batch"].map(quanta))
    both = beside(runs.query("quantum == '53m'"), runs.query("quantum == '107m'"), ["first", "name", "second"])
    return values_of(both, both["interference"] - both["interference_other"], [*CELL, "batch_other"])


@measure
def events(of: Evidence, event: str, order: str) -> Values:
    """Events a second at a low load of the background as a multiple of those at a high one (`fall`), or the other way round; of one run of each pair."""
    found: Values = {}
    for file in of.of("events"):
        name = next((name for name in file.rows[0] if event in name), "")
        rows = framed([*file.rows], ["target %"], ["target %", name])
        high, low = (rows.loc[is_there, name].mean() for is_there in (rows["target %"] > 50, rows["target %"] <= 50))
        if "_per-thread_" in file.path.name and high > 0 and low > 0:
            found[(file.path.stem,)] = [float(np.log(low / high if order == "fall" else high / low))]
    return found


@measure
def guests(of: Evidence) -> Values:
    rows = of.rows("ratio", ["pair", "scheme", "repetition"], ["median"]).rename(columns={"repetition": "again"})
    return values_of(rows, rows["median"] - 1, ["batch", "pair", "scheme"])


# ---- Two machines -----------------------------------------------------------------------------------------------------------------


@measure
def narrower(of: Evidence) -> Values:
    """How much nearer to the median of all a method is with a limit than without, as a part of that median (as Brown and Forsythe compare spreads)."""
    programs = [file.batch for file in of.of("validation")]
    free, limited = (
        rows.assign(far=(rows["ratio"] - rows.groupby("batch")["ratio"].transform("median")).abs())
        for rows in (of.rows(kind, ["name"], ["ratio"]) for kind in ("free-ratios", "quota-ratios"))
    )
    both = free.merge(limited, on=["batch", "name"], suffixes=("", "_limited"))
    both = both[~both["batch"].isin(programs)].assign(again=both["name"], what="ratios")
    return values_of(both, both["far"] - both["far_limited"], ["batch", "what"])


@measure
def programs_in_range(of: Evidence) -> Values:
    rows = of.rows("validation", ["how", "within"], []).query("how != 'free'").reset_index(names="again")
    return values_of(rows, (rows["within"] == "yes").astype(float), ["batch", "how"])
