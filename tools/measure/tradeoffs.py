# SPDX-License-Identifier: MIT
"""What batches of frequency, layouts and scaling have to say on paper 004: how power, answers and response times of two settings differ, where all else is alike;
and its Tables 7 and 8. Runs of one repetition are compared, which stand beside each other in time, each rate with the same one."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf, isnan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import showstopper
from measure import settings
from measure.evidence import Evidence, Values, beside, command, log_ratio, measure, shown, values_of
from measure.text import formatted

Ends = list[tuple[str, str]]
Choice = Callable[[pd.DataFrame], pd.DataFrame]

STEPS = {"scaling-runs": "place_of_step", "frequency-runs": "place", "service-runs": "place", "layouts-runs": ""}
TEXTS = "label figure by kind workload layout way count place balance arrivals level more underloaded"
NUMBERS = "planned_per_s answered_per_s mean_s p95_s power_w"
WITHIN = 2.0  # seconds of mean response time, as Table 7 has it
SATURATED = 0.95  # share of what was planned, below which what was answered is all that can be


# ---- Which rows -------------------------------------------------------------------------------------------------------------------


def size(name: str) -> float:
    """Of a number of instances, a limit, or a frequency as tools/experiments/clocks has it."""
    found = re.fullmatch(r"([0-9.]+) *([kMG]?)(Hz|%)?", name)
    if not found:
        return {"min": 0.0, "max": inf}.get(name, 0.0)
    return float(found[1]) * {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}[found[2]]


def least_and_greatest(names: Iterable[str]) -> Ends:
    found = sorted(names, key=size)
    return [(found[0], found[-1])] if len(found) > 1 else []


def greatest_and_least(names: Iterable[str]) -> Ends:
    return [(most, least) for least, most in least_and_greatest(names)]


def nearest_neighbour(names: Iterable[str]) -> Ends:
    """Each other one and the nearest; none of them is no neighbour."""
    near, *others = sorted(set(names) - {"none"}, key=size) or [""]
    return [(other, near) for other in others]


def these(one: str, two: str) -> Callable[[Iterable[str]], Ends]:
    return lambda names: [(one, two)]


def where(query: str) -> Choice:
    return lambda rows: rows.query(query)


def scaled(way: str) -> Choice:
    """More instances, or one that grows, behind the balancer that one instance has: that stands for both."""

    def rows_of(rows: pd.DataFrame) -> pd.DataFrame:
        own = rows.query("figure == 'scaling'")
        alone = own.query("count == '1'")
        balance = [*pd.concat([alone, own.query("way == 'vertical'"), own])["balance"], ""][0]
        return pd.concat([alone.assign(way=way), own]).query("way == @way and balance == @balance")

    return rows_of


def of_size(which: str) -> Choice:
    """Arrangements of the least or the greatest size."""
    return lambda rows: rows[rows["count"].astype(int) == rows["count"].astype(int).agg(which)]


UNDER = "underloaded == 'yes' and underloaded_other == 'yes'"
ROWS = {
    "steady": where("arrivals in ['even', 'poisson']"),
    "bursts": where("arrivals == 'concurrent'"),
    "smallest": of_size("min"),
    "largest": of_size("max"),
}
# Overloaded is at least the one of both that does less.
PAIRS = {
    "under": where(UNDER),
    "over": where(f"not ({UNDER})"),
    "both-over": where("underloaded == 'no' and underloaded_other == 'no'"),
}


# ---- Which settings ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Contrast:
    """Two settings: rows of a kind of files in which the column `by` has one text or another, and the columns `alike` the same ones. `rows` chooses among those
    of a batch, and `ends` which texts are compared, of those that there are."""

    kind: str
    rows: Choice
    by: str
    alike: str
    ends: Callable[[Iterable[str]], Ends]


SCALING, SEVERAL = where("figure == 'scaling'"), where("figure == 'scaling' and count != '1'")
# fmt: off
CONTRASTS = {
    "clocks": Contrast("frequency-runs", where("by == 'frequency'"), "level", "arrivals", greatest_and_least),
    "quotas": Contrast("frequency-runs", where("by == 'quota'"), "level", "arrivals", greatest_and_least),
    "places": Contrast("scaling-runs", SCALING, "place", "way count balance arrivals", these("free", "pinned")),
    "out": Contrast("scaling-runs", scaled("horizontal"), "count", "way place arrivals", least_and_greatest),
    "up": Contrast("scaling-runs", scaled("vertical"), "count", "way place arrivals", least_and_greatest),
    "ways": Contrast("scaling-runs", SEVERAL, "way", "count place balance arrivals", these("horizontal", "vertical")),
    "balances": Contrast("scaling-runs", SEVERAL, "balance", "way count place arrivals", these("roundrobin", "leastconn")),
    "limits": Contrast("scaling-runs", where("figure == 'limit'"), "more", "count place balance arrivals", least_and_greatest),
    "neighbours": Contrast("scaling-runs", where("figure == 'neighbour'"), "more", "balance arrivals", nearest_neighbour),
    "packed": Contrast("layouts-runs", where("index >= 0"), "layout", "workload", these("full-free", "full-packed")),
    "served": Contrast("service-runs", where("kind == 'several'"), "layout", "kind", these("full-free", "full-packed")),
    "apart": Contrast("service-runs", where("kind == 'several'"), "layout", "kind", these("full-apart", "full-packed")),
}
# fmt: on


def pairs(of: Evidence, words: str) -> pd.DataFrame:
    """A row for each pair of runs that a contrast compares, the second's columns with _other behind, and what both are in `name`. Words: the contrast,
    - before it where its ends are the other way round, and which of its rows and pairs."""
    first, *more = words.split()
    contrast = CONTRASTS[first.removeprefix("-")]
    alike, step = contrast.alike.split(), STEPS[contrast.kind].split()
    rows = of.rows(contrast.kind, [*TEXTS.split(), *step], NUMBERS.split())
    rows = rows.assign(again=rows["label"].str.rsplit("_", n=1).str[-1])
    keys = ["batch", *alike, *step]
    found = [beside(rows[:0], rows[:0], keys).assign(name="")]
    for _, own in rows.groupby("batch", sort=False):
        for choose in (contrast.rows, *(ROWS[word] for word in more if word in ROWS)):
            own = choose(own)
        own = own.drop_duplicates([*keys, "again", contrast.by], keep="last")
        for ends in contrast.ends(set(own[contrast.by])):
            one, two = (own[own[contrast.by] == end] for end in (ends[::-1] if first[0] == "-" else ends))
            both = beside(one, two, keys)
            found.append(both.assign(name=[" ".join([*ends, *same]) for same in both[alike].itertuples(index=False)]))
    both = pd.concat(found, ignore_index=True)
    for word in more:
        both = PAIRS[word](both) if word in PAIRS else both
    return both


# ---- By how much they differ ------------------------------------------------------------------------------------------------------


def log_change(both: pd.DataFrame, column: str) -> Any:
    """The logarithm of the second's as a multiple of the first's; of `shortfall` by how much answers grow less than instances do."""
    if column != "shortfall":
        return log_ratio(both[f"{column}_other"], both[column])
    return np.log(both["count_other"].astype(float) / both["count"].astype(float)) - log_change(both, "answered_per_s")


@measure
def change(of: Evidence, column: str, *words: str) -> Values:
    """By batch and arrangement, the mean of each repetition over its rates. Of several contrasts, between which `and` stands, all."""
    found: Values = {}
    for contrast in " ".join(words).split(" and "):
        both = pairs(of, contrast)
        found |= values_of(both, log_change(both, column), ["batch", "name"])
    return found


# ---- Tables 7 and 8 ---------------------------------------------------------------------------------------------------------------

METER = "a meter of power (--meter)"
Repeats = dict[Path, list[float]]  # of a batch


def percent(both: pd.DataFrame, column: str) -> Repeats:
    """What the second has more than the first, in per cent of that: of each repetition the mean over its arrangements and rates."""
    more = 100 * np.expm1(log_change(both, column))
    return {batch: values for (batch, _), values in values_of(both.assign(all=""), more, ["batch", "all"]).items()}


def most_within(means: pd.Series, answered: pd.Series, planned: pd.Series) -> float:
    """What is answered at most while the mean response time is within two seconds; NaN where no rate was high enough to tell."""
    times, answers = means.replace(0, np.nan).fillna(inf), answered.fillna(0)
    is_told = ((times > WITHIN) | (answers < SATURATED * planned.fillna(0))).any()
    return max(answers[times <= WITHIN], default=0.0) if is_told else np.nan


def degradations(both: pd.DataFrame) -> Repeats:
    """How much less the second answers within two seconds, in per cent of the higher one, of each repetition, over its arrangements."""
    columns = ("mean_s", "answered_per_s", "planned_per_s")
    rows = [
        (*key, "answers", *(most_within(*(own[f"{column}{side}"] for column in columns)) for side in ("", "_other")))
        for key, own in both.groupby(["batch", "name", "again"], sort=False)
    ]
    most = pd.DataFrame(rows, columns=["batch", "name", "again", "what", "one", "two"])
    lost = 100 * (most["one"] - most["two"]) / most[["one", "two"]].max(axis=1, skipna=False)
    return {batch: values for (batch, _), values in values_of(most, lost, ["batch", "what"]).items()}


def said(values: Sequence[float]) -> str:
    mean, _, high = showstopper.mean_interval(values)
    return formatted(mean, ".1f") + (
        f" ± {high - mean:.2g}, {len(values)} runs" if len(values) > 1 else " (one run)" * len(values)
    )


NONE = "—"


def savings_table(of: Evidence) -> Iterator[list[str]]:
    """Table 7. A row for each batch that has the actuator."""
    yield "actuator|change|power saved, paper (%)|here (%)|performance lost at 2 s, paper (%)|here (%)|batch".split("|")
    for row in settings.papers_table("savings.csv"):
        name, what, power, lost, contrast, take = row.values()
        both = pairs(of, contrast)
        saved, slower = percent(pairs(of, f"{contrast} over"), "power_w"), degradations(both)
        for batch in both["batch"].unique():
            here = [[-value for value in saved.get(batch, [])], slower.get(batch, [])]
            less, fewer = map(said, here)
            less = less or f"unavailable: it takes an overload and {METER}"
            yield [name, what, power, less, lost, fewer or "no rate was high enough", shown(batch)]
        if both.empty and power:
            yield [name, what, power, "no runs", lost, f"no runs: `{command(take, 8)}`", ""]


def influence(values: Sequence[float]) -> str:
    """Less power and shorter times are positive."""
    _, low, high = showstopper.mean_interval(values)
    if isnan(low):
        return "unknown"
    return NONE if low <= 0 <= high else "positive" if high < 0 else "negative"


def recommended(power: str, time: str) -> str:
    """What the intervals say of the same action; `do nothing` is judged by what the action would do."""
    words = {power, time} - {NONE}
    if "unknown" in words:
        return "unknown"
    if len(words) > 1:
        return "it depends on what is wanted"
    return {"positive": "do it", "negative": "don't"}.get("".join(words), "do nothing")


def advice_table(of: Evidence) -> Iterator[list[str]]:
    """Table 8. A row for each condition of each batch that had it."""
    head = "actuator|condition|paper: action|paper: influence on power|here (%)|paper: on response time|here (%)"
    yield [*head.split("|"), "here: action", "batch"]
    for row in settings.papers_table("advice.csv"):
        actuator, condition, action, power, time, contrast = row.values()
        both = pairs(of, contrast)
        changed = [percent(both, column) for column in ("power_w", "mean_s")]
        for batch in dict.fromkeys(batch for by in changed for batch in by):
            of_both = [by.get(batch, []) for by in changed]
            words = [influence(values) for values in of_both]
            cells = [
                f"{said(values)}: {word}" if values else f"unavailable: it takes {METER}"
                for values, word in zip(of_both, words)
            ]
            yield [actuator, condition, action, power, cells[0], time, cells[1], recommended(*words), shown(batch)]


def tables(of: Evidence) -> Iterator[tuple[str, list[list[str]]]]:
    """With what stands above them; none where no batch says anything of them."""
    if of.of("frequency-runs scaling-runs"):
        yield (
            "Table 7 of paper 004: savings of power, and loss of what is answered within two seconds in the mean. Power is that at rates at which one of both is overloaded. Behind ± is half"
            " of the 95 % interval over repeats.",
            list(savings_table(of)),
        )
        yield (
            "Table 8 of paper 004: what an action changes in power and mean response time, where less is positive, and — where the interval has 0 in it. Where the paper has nothing done,"
            " it is what lowering the frequency, pinning, scaling out or up would change.",
            list(advice_table(of)),
        )
