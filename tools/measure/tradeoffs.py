# SPDX-License-Identifier: MIT
"""What batches of frequency, layouts and scaling have to say on paper 004: how power, answers and response times of two settings differ, where all else is alike;
its findings as claims, and its Tables 7 and 8. Runs of one repetition are compared, which stand beside each other in time, each rate with the same one."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import inf, log
from pathlib import Path

from measure import figures, machine
from measure.evidence import Evidence, Values
from measure.figures import Summary
from measure.text import Row, number
from measure.verdicts import Claim

Ends = tuple[str, str]
Rows = list[Row]
Change = Callable[[Row, Row], float | None]

STEPS = {"scaling-runs": "place_of_step", "frequency-runs": "place", "service-runs": "place", "layouts-runs": ""}
WITHIN = 2.0  # seconds of mean response time, as Table 7 has it
SATURATED = 0.95  # share of what was planned, below which what was answered is all that can be


@dataclass(frozen=True)
class Contrast:
    """Two settings: rows of a kind of files in which the column `by` has one text or another, and the columns `alike` the same ones. `rows` chooses among those
    of a file, `ends` which texts are compared, of those that there are, and `where` at which rates."""

    kind: str
    by: str
    alike: str
    ends: Callable[[list[str]], Iterable[Ends]]
    rows: Callable[[Rows], Rows] = list
    where: Callable[[Row, Row], bool] = lambda one, two: True


@dataclass(frozen=True)
class Pair:
    batch: Path
    name: str
    again: str
    one: Row
    two: Row


def pairs(of: Evidence, contrast: Contrast) -> Iterator[Pair]:
    step, alike = STEPS[contrast.kind], contrast.alike.split()
    for file in of.of(contrast.kind):
        found: dict[tuple[str, ...], Row] = {}
        for row in contrast.rows(file.rows):
            same = [row[name] for name in alike]
            found[(row[contrast.by], row[step] if step else "", row["label"].rsplit("_", 1)[1], *same)] = row
        for (one, two), ((name, *rest), row) in product(contrast.ends([key[0] for key in found]), found.items()):
            other = found.get((two, *rest))
            if name == one and other and contrast.where(row, other):
                yield Pair(file.batch, " ".join([f"{one} and {two}", *rest[2:]]), rest[1], row, other)


# ---- Which rows -------------------------------------------------------------------------------------------------------------------


def under(one: Row, two: Row) -> bool:
    return one["underloaded"] == two["underloaded"] == "yes"


def over(one: Row, two: Row) -> bool:
    """The one that does less is overloaded, if not both."""
    return not under(one, two)


def both_over(one: Row, two: Row) -> bool:
    return one["underloaded"] == two["underloaded"] == "no"


def having(**fields: str) -> Callable[[Rows], Rows]:
    """Each field is one of these words."""
    of = {name: words.split() for name, words in fields.items()}
    return lambda rows: [row for row in rows if all(row[name] in words for name, words in of.items())]


def scaled(way: str) -> Callable[[Rows], Rows]:
    """More instances, or one that grows, behind the balancer that one instance has: that stands for both."""

    def rows_of(rows: Rows) -> Rows:
        own = having(figure="scaling")(rows)
        alone = [row for row in own if row["count"] == "1"]
        balance = next((row["balance"] for row in [*alone, *having(way="vertical")(own), *own]), "")
        first = [row | {"way": way} for row in alone]
        return [row for row in [*first, *own] if row["way"] == way and row["balance"] == balance]

    return rows_of


def of_count(which: Callable[[Iterable[int]], int]) -> Callable[[Rows], Rows]:
    """Arrangements of the least or the greatest size."""

    def rows_of(rows: Rows) -> Rows:
        own = having(figure="scaling")(rows)
        return [row for row in own if int(row["count"]) == which(int(one["count"]) for one in own)]

    return rows_of


def several(rows: Rows) -> Rows:
    return [row for row in having(figure="scaling")(rows) if row["count"] != "1"]


def these(one: str, two: str) -> Callable[[list[str]], list[Ends]]:
    return lambda names: [(one, two)] if {one, two} <= set(names) else []


def size(name: str) -> float:
    """Of a number of instances, a limit, or a frequency as --frequency has it."""
    found = re.fullmatch(r"([0-9.]+) *([kMG]?)(Hz|%)?", name)
    if not found:
        return {"min": 0.0, "max": float("inf")}.get(name, 0.0)
    return float(found[1]) * {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}[found[2]]


def least_and_greatest(names: list[str]) -> list[Ends]:
    found = sorted(set(names), key=size)
    return [(found[0], found[-1])] if len(found) > 1 else []


def greatest_and_least(names: list[str]) -> list[Ends]:
    return [(most, least) for least, most in least_and_greatest(names)]


def nearest_neighbour(names: list[str]) -> list[Ends]:
    """Each other one and the nearest; none of them is no neighbour."""
    near, *others = sorted({name for name in names if name != "none"}, key=size) or [""]
    return [(other, near) for other in others]


# ---- By how much they differ ------------------------------------------------------------------------------------------------------


def values_of(one: Row, two: Row, column: str) -> tuple[float, float] | None:
    values = number(one, column) or 0.0, number(two, column) or 0.0
    return values if min(values) > 0 else None


def ratio(column: str) -> Change:
    """The logarithm of the second's as a multiple of the first's."""

    def change(one: Row, two: Row) -> float | None:
        values = values_of(one, two, column)
        return log(values[1] / values[0]) if values else None

    return change


def short_of_proportion(one: Row, two: Row) -> float | None:
    """By how much answers grow less than instances do, as a logarithm."""
    grown = ratio("answered_per_s")(one, two)
    return None if grown is None else log(int(two["count"]) / int(one["count"])) - grown


def percent(column: str) -> Change:
    """What the second has more than the first, in per cent of that."""

    def change(one: Row, two: Row) -> float | None:
        values = values_of(one, two, column)
        return 100 * (values[1] / values[0] - 1) if values else None

    return change


def of_runs(
    of: Evidence, contrast: Contrast, change: Change, by_name: bool = True
) -> dict[tuple[Path, str], list[float]]:
    """By batch and arrangement, or all arrangements of a batch together, the mean of each repetition over its rates."""
    means = figures.summaries(
        ((pair.batch, pair.name if by_name else "", pair.again), change(pair.one, pair.two))
        for pair in pairs(of, contrast)
    )
    values: dict[tuple[Path, str], list[float]] = {}
    for (batch, name, _), mean in means.items():
        values.setdefault((batch, name), []).append(mean.mean)
    return values


def changes(contrast: Contrast, change: Change) -> Callable[[Evidence], Values]:
    def values(of: Evidence) -> Values:
        return {f"{name} of {batch}": runs for (batch, name), runs in of_runs(of, contrast, change).items()}

    return values


def both(*contrasts: Contrast, change: Change) -> Callable[[Evidence], Values]:
    def values(of: Evidence) -> Values:
        return {name: runs for contrast in contrasts for name, runs in changes(contrast, change)(of).items()}

    return values


# ---- The contrasts ----------------------------------------------------------------------------------------------------------------


CLOCKS = Contrast("frequency-runs", "level", "arrivals", greatest_and_least, having(by="frequency"))
QUOTAS = replace(CLOCKS, rows=having(by="quota"))
STEADY, BURSTS = having(by="frequency", arrivals="even poisson"), having(by="frequency", arrivals="concurrent")
PLACES = Contrast(
    "scaling-runs", "place", "way count balance arrivals", these("free", "pinned"), having(figure="scaling")
)
OUT = Contrast("scaling-runs", "count", "way place arrivals", least_and_greatest, scaled("horizontal"))
UP = replace(OUT, rows=scaled("vertical"))
WAYS = Contrast("scaling-runs", "way", "count place balance arrivals", these("horizontal", "vertical"), several)
BALANCES = Contrast(
    "scaling-runs", "balance", "way count place arrivals", these("roundrobin", "leastconn"), several, over
)
LIMITS = Contrast("scaling-runs", "more", "count place balance arrivals", least_and_greatest, having(figure="limit"))
NEIGHBOURS = Contrast("scaling-runs", "more", "balance arrivals", nearest_neighbour, having(figure="neighbour"))
PACKED = Contrast("layouts-runs", "layout", "workload", these("full-free", "full-packed"))
SERVED = Contrast("service-runs", "layout", "kind", these("full-free", "full-packed"), having(kind="several"))
APART = replace(SERVED, ends=these("full-apart", "full-packed"))


def turned(contrast: Contrast) -> Contrast:
    """Its ends the other way round."""
    return replace(contrast, ends=lambda names: [(two, one) for one, two in contrast.ends(names)])


# ---- What the paper says ----------------------------------------------------------------------------------------------------------

FREQUENCY = "tools/experiments/frequency --full --by frequency --figures response --service mediawiki --order interleaved --repeat {n}"
LAYOUTS = "tools/experiments/layouts --full --service mediawiki --order interleaved --repeat {n}"
SCALING = "tools/experiments/scaling --full --service mediawiki --figures scaling --order interleaved --repeat {n}"
METER = "a meter of power (--power-command)"
CLOCKED = f"a machine with clocks that can be set and idle states, and {METER}"
FOUR, SIX = "a machine with four processors", "a machine with six processors"


def claims() -> Iterator[Claim]:
    for source, finding, values, within, kinds, take, needs in (
        (
            "004, 1 (1)",
            "of an underloaded server a lower frequency saves little power, as idle states do (5 %)",
            changes(replace(CLOCKS, rows=STEADY, where=under), ratio("power_w")),
            "-0.05:",
            "frequency-runs",
            FREQUENCY,
            CLOCKED,
        ),
        (
            "004, 1 (2)",
            "with bursts of requests to an underloaded server a lower frequency takes more power",
            changes(replace(CLOCKS, rows=BURSTS, where=under), ratio("power_w")),
            "0:",
            "frequency-runs",
            FREQUENCY,
            CLOCKED,
        ),
        (
            "004, 1 (3)",
            "work on processors side by side takes less power than free on all of them",
            both(turned(PACKED), turned(SERVED), change=ratio("power_w")),
            "0:",
            "layouts-runs service-runs",
            LAYOUTS,
            f"{FOUR} and {METER}",
        ),
        (
            "004, 1 (3)",
            "a saturated service answers later there",
            changes(SERVED, ratio("mean_s")),
            "0:",
            "service-runs",
            LAYOUTS,
            FOUR,
        ),
        (
            "004, 1 (4)",
            "the pinning that is chosen limits what consolidation costs: apart, a service answers sooner than side by side",
            changes(APART, ratio("mean_s")),
            "0:",
            "service-runs",
            LAYOUTS,
            "a machine with eight processors on two chips",
        ),
        (
            "004, 1 (5)",
            "scaling with consolidation (pinned) takes less power at a high load",
            changes(replace(turned(PLACES), where=over), ratio("power_w")),
            "0:",
            "scaling-runs",
            SCALING,
            f"{SIX} and {METER}",
        ),
        (
            "004, 1 (6)",
            "at a high load scaling out and up give less than in proportion (5 %)",
            both(replace(OUT, where=both_over), replace(UP, where=both_over), change=short_of_proportion),
            "0.05:",
            "scaling-runs",
            SCALING,
            SIX,
        ),
        (
            "004, 1 (6)",
            "the largest arrangement answers more where it is pinned",
            changes(replace(PLACES, rows=of_count(max), where=both_over), ratio("answered_per_s")),
            "0:",
            "scaling-runs",
            SCALING,
            SIX,
        ),
        (
            "004, 1 (7)",
            "how load is balanced decides the tail of response times: with least connections p95 is less than with round robin at a high load",
            changes(turned(BALANCES), ratio("p95_s")),
            "0:",
            "scaling-runs",
            SCALING,
            SIX,
        ),
        (
            "004, 5.2.3",
            "a service answers later beside a neighbour on the next processor than beside one on another",
            changes(NEIGHBOURS, ratio("mean_s")),
            "0:",
            "scaling-runs",
            SCALING.replace("--figures scaling", "--figures neighbour"),
            "a machine with three processors",
        ),
        (
            "004, 5.2.4",
            "the smallest arrangement answers less where it is pinned",
            changes(replace(turned(PLACES), rows=of_count(min), where=both_over), ratio("answered_per_s")),
            "0:",
            "scaling-runs",
            SCALING,
            SIX,
        ),
        (
            "004, 6.1.3",
            "beyond saturation response times grow with the number of requests that may be unanswered",
            changes(LIMITS, ratio("mean_s")),
            "0:",
            "scaling-runs",
            SCALING.replace("--figures scaling", "--figures limit"),
            "any machine",
        ),
        (
            "004, 6.1.4",
            "least connections make the mean response time longer than round robin does at a high load",
            changes(BALANCES, ratio("mean_s")),
            "0:",
            "scaling-runs",
            SCALING,
            SIX,
        ),
        (
            "004, 6.2",
            "at a high load one instance answers as many as several of its size together do (15 %)",
            changes(replace(WAYS, where=both_over), ratio("answered_per_s")),
            "-0.15:0.15",
            "scaling-runs",
            SCALING,
            SIX,
        ),
    ):
        yield Claim(source, finding, values, within, kinds, take, needs, logs=True)


# ---- Tables 7 and 8 ---------------------------------------------------------------------------------------------------------------


def said(values: Sequence[float], of: Summary | None) -> str:
    if not of:
        return ""
    return f"{of.mean:.1f}" + (" (one run)" if of.half is None else f" ± {of.half:.2g}, {len(values)} runs")


def shown(batch: Path) -> str:
    return f"`{str(batch).removeprefix(f'{machine.ROOT}/')}`"


def by_batch(of: Evidence, contrast: Contrast, change: Change) -> dict[Path, list[float]]:
    return {batch: values for (batch, _), values in of_runs(of, contrast, change, False).items()}


def most_within(rows: Sequence[Row]) -> float | None:
    """What is answered at most while the mean response time is within two seconds; None where no rate was high enough to tell."""
    timed = [
        (number(row, "mean_s") or inf, number(row, "answered_per_s") or 0.0, number(row, "planned_per_s") or 0.0)
        for row in rows
    ]
    if not any(mean > WITHIN or answered < SATURATED * planned for mean, answered, planned in timed):
        return None
    return max((answered for mean, answered, _ in timed if mean <= WITHIN), default=0.0)


def degradations(of: Evidence, contrast: Contrast) -> dict[Path, list[float]]:
    """In per cent of the higher one, of each repetition, over its arrangements."""
    sides: dict[tuple[Path, str, str], tuple[Rows, Rows]] = {}
    for pair in pairs(of, contrast):
        for rows, row in zip(sides.setdefault((pair.batch, pair.name, pair.again), ([], [])), (pair.one, pair.two)):
            rows.append(row)
    values: list[tuple[tuple[Path, str], float]] = []
    for (batch, _, again), (first, second) in sides.items():
        one, two = most_within(first), most_within(second)
        if one is not None and two is not None and max(one, two) > 0:
            values.append(((batch, again), 100 * (one - two) / max(one, two)))
    found: dict[Path, list[float]] = {}
    for (batch, _), mean in figures.summaries(values).items():
        found.setdefault(batch, []).append(mean.mean)
    return found


ACTUATORS = {
    "DVFS": (CLOCKS, "from the highest to the lowest frequency", "14", "33", FREQUENCY),
    "bandwidth in its place": (QUOTAS, "from the highest to the lowest quota", "", "", FREQUENCY.replace("--by frequency", "--by quota")),
    "CPU pinning": (PLACES, "from free to pinned", "8", "14", SCALING),
    "horizontal scaling": (turned(OUT), "from most instances to one", "29", "61", SCALING),
    "vertical scaling": (turned(UP), "from the largest instance to the smallest", "27", "68", SCALING),
}  # fmt: skip


def savings_table(of: Evidence) -> Iterator[list[str]]:
    """Table 7. A row for each batch that has the actuator."""
    yield [
        "actuator",
        "change",
        "power saved, paper (%)",
        "here (%)",
        "performance lost at 2 s, paper (%)",
        "here (%)",
        "batch",
    ]
    for name, (contrast, change, power, lost, take) in ACTUATORS.items():
        saved, slower = by_batch(of, replace(contrast, where=over), percent("power_w")), degradations(of, contrast)
        batches = dict.fromkeys(pair.batch for pair in pairs(of, contrast))
        for batch in batches:
            cells = [cell_of(of, [-value for value in saved.get(batch, [])]), cell_of(of, slower.get(batch, []))]
            here = [cells[0] or f"unavailable: it takes an overload and {METER}", cells[1] or "no rate was high enough"]
            yield [name, change, power, here[0], lost, here[1], shown(batch)]
        if not batches and power:
            yield [name, change, power, "no runs", lost, f"no runs: `{take.format(n=8)} --output DIR`", ""]


def cell_of(of: Evidence, values: Sequence[float]) -> str:
    return said(values, figures.summarize(values))


NONE = "—"
CONDITIONS: list[tuple[str, str, str, str, str, Contrast]] = [
    ("DVFS", "not saturated, bursts of requests", "do nothing", NONE, NONE, replace(CLOCKS, rows=BURSTS, where=under)),
    ("DVFS", "not saturated, evenly spread requests", "reduce the frequency", "small positive", "small negative", replace(CLOCKS, rows=STEADY, where=under)),
    ("DVFS", "saturated", "reduce the frequency", "big positive", "big negative", replace(CLOCKS, where=over)),
    ("CPU pinning", "underloaded", "do nothing", NONE, NONE, replace(PLACES, where=under)),
    ("CPU pinning", "overloaded, few instances", "pin them side by side", "positive", "negative", replace(PLACES, rows=of_count(min), where=over)),
    ("CPU pinning", "overloaded, most instances", "pin them", "negative", "positive", replace(PLACES, rows=of_count(max), where=over)),
    ("horizontal scaling", "underloaded", "do nothing", NONE, NONE, replace(OUT, where=under)),
    ("horizontal scaling", "overloaded, one instance", "scale out", "negative", "positive", replace(OUT, where=over)),
    ("horizontal scaling", "overloaded, most instances", "scale in", "positive", "negative", replace(turned(OUT), where=over)),
    ("vertical scaling", "underloaded", "do nothing", NONE, NONE, replace(UP, where=under)),
    ("vertical scaling", "overloaded, smallest instance", "scale up", "negative", "positive", replace(UP, where=over)),
    ("vertical scaling", "overloaded, largest instance", "scale down", "positive", "negative", replace(turned(UP), where=over)),
]  # fmt: skip


def influence(of: Summary | None) -> str:
    """Less power and shorter times are positive."""
    if not of or of.half is None:
        return "unknown"
    return NONE if abs(of.mean) <= of.half else "positive" if of.mean < 0 else "negative"


def recommended(power: str, time: str) -> str:
    """What the intervals say of the same action; `do nothing` is judged by what the action would do."""
    words = {power, time} - {NONE}
    if "unknown" in words:
        return "unknown"
    return (
        "it depends on what is wanted"
        if len(words) > 1
        else {"positive": "do it", "negative": "don't"}.get("".join(words), "do nothing")
    )


def advice_table(of: Evidence) -> Iterator[list[str]]:
    """Table 8. A row for each condition of each batch that had it."""
    yield [
        "actuator",
        "condition",
        "paper: action",
        "paper: influence on power",
        "here (%)",
        "paper: on response time",
        "here (%)",
        "here: action",
        "batch",
    ]
    for actuator, condition, action, power, time, contrast in CONDITIONS:
        changed = [by_batch(of, contrast, percent(column)) for column in ("power_w", "mean_s")]
        for batch in dict.fromkeys(batch for by in changed for batch in by):
            cells: list[str] = []
            words: list[str] = []
            for by in changed:
                summary = figures.summarize(by.get(batch, []))
                words.append(influence(summary))
                cells.append(
                    f"{said(by[batch], summary)}: {words[-1]}" if summary else f"unavailable: it takes {METER}"
                )
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
