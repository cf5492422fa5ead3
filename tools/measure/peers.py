# SPDX-License-Identifier: MIT
"""What a session of tools/bench/peers came to, and the tables, verdicts and pictures of all of them."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path

from measure import bench, figures
from measure.bench import Sample, Tree, samples_of, shown
from measure.figures import Key, Summary, is_whole
from measure.machine import BUSY
from measure.process import has_program
from measure.text import (
    Row,
    Trouble,
    known,
    lines_of,
    listed,
    markdown,
    number,
    read_csv,
    rows_of,
    shortest,
    table_text,
    write,
)

TOOLS = "default default-freezer default-quota PI-even paper cpulimit cpulimit-m quota stress-ng N-bench CDC 1CDC"
RANK = f"idle background single contended parallel phased fop sunflow P 6P 500 {TOOLS} many".split()
OWN = ("default", "default-freezer", "default-quota", "PI-even", "paper", "many")
LOAD = ("workload", "instances", "background", "target_percent")
KEY = ("workload", "instances", "background", "tool", "target_percent")
FIGURES = (
    "samples,load_percent,mean_error_pp,mse_500_pp2,mse_370_pp2,mse_1300_pp2,"
    "own_cpu_percent,lateness_p99_us,bursts,calm_error_pp,calm_mse_500_pp2"
).split(",")
REPEATED = ("mean_error_pp", "mse_500_pp2", "calm_error_pp", "calm_mse_500_pp2")
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
# What each is called, the column that it shows, what a darkest cell is.
PICTURES = {
    "peers": ("Size of the mean error, in pp", "mean_error_pp", 10),
    "peers-mse": ("MSE, in pp²", "mse_500_pp2", 100),
}
ERROR, MSE = ("mean_error_pp", "calm_error_pp"), ("mse_500_pp2", "calm_mse_500_pp2")
ALONE = ("mean error, pp", 0.1, *ERROR)
COST = (
    ("own CPU time per executor, % of a processor", 0.15, "own_cpu_percent", ""),
    ("99th percentile of lateness, µs", 500, "lateness_p99_us", ""),
)
# Of Showstopper's rows of each kind: what is judged, its limit, its column, and that without bursts.
GOALS: dict[str, Sequence[tuple[str, float, str, str]]] = {
    "many": (
        ("500 workloads: mean error, pp", 0.5, *ERROR),
        ("500 workloads: own CPU time, % of a processor", 10, "own_cpu_percent", ""),
    ),
    "background": (("mean error with background, pp", 0.2, *ERROR),),
    "6P": (ALONE, ("MSE, N = 6·P, pp²", 2, *MSE), *COST),
    "single": (
        ALONE,
        ("MSE, single, contended, fop, pp²", 0.7, *MSE),
        ("… in windows of 370 ms", 1.5, "mse_370_pp2", ""),
        ("… in windows of 1.3 s", 1.5, "mse_1300_pp2", ""),
        *COST,
    ),
    "parallel": (ALONE, ("MSE, parallel, phased, sunflow, pp²", 2, *MSE), *COST),
}
FLOOR = 0.01  # pp and pp²: what the reader can tell apart
WINDOWS = (500, 370, 1300)


# ---- A session --------------------------------------------------------------------------------------------------------------------


class Stalled(Exception):
    """A reading came so late that the machine must have stood still."""


def readings(folder: Path, window: int) -> list[Sample]:
    """What lies before the first is not known."""
    found = samples_of(folder / f"load.{window}.csv")[1:]
    if any(sample.end - sample.start > 1.5 * window / 1000 for sample in found):
        raise Stalled
    return found


def rows_of_session(build: Path, folder: Path, session: str, repetition: int, settle: float) -> Iterator[str]:
    """A row for each target: the windows of each load that lie within it, without its first seconds."""
    own = dict(line.split("=", 1) for line in lines_of(folder / "own.txt"))
    segments = [line.split(",") for line in lines_of(folder / "segments.csv")]
    tree = Tree(samples_of(folder / "tree.csv"))
    of = {window: readings(folder, window) for window in WINDOWS}
    with tempfile.TemporaryDirectory() as name:
        logs = [Path(name) / f"{place}.csv" for place in range(len(segments) * len(WINDOWS))]
        for log, ((target, begin, end), window) in zip(logs, product(segments, WINDOWS)):
            if not bench.write_log(log, of[window], float(target), float(begin) + settle, float(end), tree):
                raise Trouble(f"can't make sense of {folder}")
        found = iter(bench.accuracies(build, logs) if logs else [])
    for target, *_ in segments:
        rows = [next(found) for _ in WINDOWS]
        error = known(rows[0], "mean_error_pp")
        cells = [session, target, str(repetition), rows[0]["samples"], f"{float(target) + error:.3f}", f"{error:.3f}"]
        cells += [f"{known(row, 'mse_pp2'):.3f}" for row in rows]
        cells += [own.get("own_cpu_percent", ""), own.get("lateness_p99_us", ""), rows[0]["bursts"]]
        yield ",".join([*cells, *(shown(rows[0], name, ".3f") for name in ("calm_mean_error_pp", "calm_mse_pp2"))])


def steps_of_session(log: Path, loads: Path) -> str:
    """For windows of 500 ms, made of ten of 50, that begin so long after a step of the trace, and end before the next: the largest distance from the
    target. The trace steps every 3 s, between 10 and 90 %."""
    rows = read_csv(log)
    origin = known(rows[0], "monotonic_s") - known(rows[0], "time_s")
    last = max((known(row, "time_s") for row in rows if known(row, "time_s") > 0), default=0.0)
    at = [(known(row, "monotonic_s") - origin, 100 * known(row, "load")) for row in read_csv(loads)]
    distances: dict[int, list[float]] = {}
    for place in range(10, len(at)):
        begin, until = at[place - 10][0], at[place][0]
        step = int(begin / 3)
        if begin >= 3 and until <= last and step == int((until - 0.0001) / 3):
            mean = sum(at[k][1] * (at[k][0] - at[k - 1][0]) for k in range(place - 9, place + 1)) / (until - begin)
            distances.setdefault(int((begin - 3 * step) / 0.25), []).append(abs(mean - (90 if step % 2 else 10)))
    found = sorted(distances.items())
    lines = [f"{slot * 0.25:.2f},{len(of)},{max(of):.2f}\n" for slot, of in found if slot <= 12]
    return "after_s,windows,worst_pp\n" + "".join(lines)


# ---- Medians ----------------------------------------------------------------------------------------------------------------------


def called(name: str, statistic: str) -> str:
    """mean_error_least_pp of mean_error_pp."""
    start, _, unit = name.rpartition("_")
    return f"{start}_{statistic}_{unit}"


def medians_of(build: Path, rows: Sequence[Row]) -> list[Row]:
    """A row for each key, in the order of the help. The ratios are those of |mean error| and MSE to Showstopper's default settings; the mean error counts as
    0.01 pp at least there, about what the reader can tell apart."""
    keys = [tuple(row[name] for name in KEY) for row in rows]
    cells = [((*key, name), number(row, name)) for key, row in zip(keys, rows) for name in FIGURES]
    of = figures.summaries(build, [(key, value) for key, value in cells if value is not None])

    def place(key: Key) -> tuple[float, ...]:
        return *(RANK.index(key[at]) if key[at] in RANK else -1 for at in (2, 1, 0, 3)), float(key[4])

    def figure(key: Key, name: str, statistic: str = "median") -> str:
        value: float | None = getattr(of.get((*key, name)), statistic, None)
        return "" if value is None else f"{value:.3f}"

    def total(key: Key, name: str) -> str:
        found = of.get((*key, name))
        return shortest(found.total) if found and found.count == keys.count(key) else ""

    made = []
    for key in sorted(set(keys), key=place):
        row = dict(zip(KEY, key)) | {"repeats": str(keys.count(key)), "load_percent": figure(key, "load_percent")}
        for name in REPEATED[:2]:
            row[name] = figure(key, name)
            row |= {called(name, statistic): figure(key, name, statistic) for statistic in ("least", "most")}
        row |= {name: figure(key, name) for name in FIGURES[4:8]}
        # What chooses its number of instances itself is compared with as many as there are processors.
        base = (*key[:3], "default", key[4])
        (error, own_error), (mse, own_mse) = ([of.get((*one, name)) for one in (key, base)] for name in REPEATED[:2])
        least = max(abs(own_error.median), FLOOR) if own_error else 0
        row["error_ratio"] = f"{abs(error.median) / least:.3f}" if error and least else ""
        row["mse_ratio"] = f"{mse.median / own_mse.median:.3f}" if mse and own_mse and own_mse.median else ""
        row |= {name: total(key, name) for name in ("samples", "bursts")}
        row |= {name: figure(key, name) for name in REPEATED[2:]}
        row |= {called(name, of_it): figure(key, name, of_it) for name in REPEATED for of_it in ("mean", "half")}
        made.append(row)
    return made


# ---- Tables -----------------------------------------------------------------------------------------------------------------------


def each(rows: Sequence[Row], *names: str) -> list[tuple[str, ...]]:
    """Of these columns, once each."""
    return list(dict.fromkeys(tuple(row[name] for name in names) for row in rows))


def counted(rows: Sequence[Row], name: str) -> int:
    return sum(int(row[name] or 0) for row in rows)


def group_tables(rows: Sequence[Row], processors: int) -> Iterator[str]:
    """A table for each workload, instances and background; a row per tool, two columns per target load. Below each the same of the samples that met no
    burst of others."""
    for place, group in enumerate(each(rows, *KEY[:3])):
        own = [row for row in rows if tuple(row[name] for name in KEY[:3]) == group]
        beside = ", beside the background program" if group[2] == "background" else ""
        yield ("\n" if place else "") + f"### {group[0]}, {group[1]} workloads{beside}\n"
        cost = {row["tool"]: f"{float(row['own_cpu_percent']):.2f}" for row in own if row["own_cpu_percent"]}
        yield from tool_table(own, "mean_error_pp", "mse_500_pp2", processors, cost)
        if any(mark_of(row, processors) for row in own):
            yield "\n\\* Whole instances can't make this load."
        said, bursts = figures.bursts_said(own), counted(own, "bursts")
        if said[0].isdigit():
            yield f"\nWithout the {bursts} of {counted(own, 'samples')} samples that met a burst of others:\n"
            yield from tool_table(own, "calm_error_pp", "calm_mse_500_pp2", processors)
        else:
            yield f"\n{said}"
        for (tool,) in each([row for row in own if int(row["repeats"]) > 1], "tool"):
            yield repeats_of([row for row in own if row["tool"] == tool and int(row["repeats"]) > 1], bursts > 0)


def tool_table(
    own: Sequence[Row], error: str, mse: str, processors: int, cost: dict[str, str] | None = None
) -> Iterator[str]:
    """With the own cost in the last column, and ratios to the default settings, where that is given."""
    targets = [target for (target,) in each(own, "target_percent")]
    of = {(row["tool"], row["target_percent"]): row for row in own if row[error]}

    def cells(row: Row | None) -> list[str]:
        if not row:
            return ["", ""]
        ratios = ["", ""]
        if cost is not None and row["mse_ratio"] and row["tool"] != "default":
            ratios = [f" ({brief(row[name])}×)" for name in ("error_ratio", "mse_ratio")]
        mark = mark_of(row, processors)
        return [f"{float(row[error]):+.2f}{ratios[0]}{mark}", f"{float(row[mse]):.2f}{ratios[1]}{mark}"]

    table = [["tool", *(head for target in targets for head in (f"{target} %: mean error, pp", "MSE, pp²"))]]
    table[0] += [] if cost is None else ["own CPU, %"]
    for (tool,) in each(own, "tool"):
        row = [tool, *(cell for target in targets for cell in cells(of.get((tool, target))))]
        table.append(row + ([] if cost is None else [cost.get(tool, "")]))
    yield from markdown(table)


def brief(text: str) -> str:
    return f"{float(text):{'.1f' if float(text) < 10 else '.0f'}}"


def mark_of(row: Row, processors: int) -> str:
    return " \\*" if row["tool"] == "N-bench" and not is_whole(float(row["target_percent"]), processors) else ""


def repeats_of(rows: Sequence[Row], with_calm: bool) -> str:
    """Means over the repeats of a tool."""

    def mean(row: Row, name: str, unit: str, form: str) -> str:
        half = row[called(name, "half")]
        return f"{float(row[called(name, 'mean')]):{form}}{f' ± {float(half):.2f}' if half else ''} {unit}"

    def means(of: Sequence[Row], error: str, mse: str) -> str:
        pairs = ((row["target_percent"], mean(row, error, "pp", "+.2f"), mean(row, mse, "pp²", ".2f")) for row in of)
        return "; ".join(f"{target} %: {one}, {other}" for target, one, other in pairs)

    calm = [row for row in rows if with_calm and row["calm_mse_500_mean_pp2"]]
    said = f"\n{rows[0]['tool']}, means of {rows[-1]['repeats']} repeats and their 95 % confidence:"
    return f"{said} {means(rows, *REPEATED[:2])}." + (f" Without bursts: {means(calm, *REPEATED[2:])}." if calm else "")


# ---- Goals ------------------------------------------------------------------------------------------------------------------------


@dataclass
class Judged:
    """A value that should be at most the limit, and what it is without bursts."""

    goal: str
    limit: float
    value: float | None
    place: str
    calm: float | None = None


def size(row: Row, name: str) -> float | None:
    value = number(row, name)
    return None if value is None else abs(value)


def over(own: float | None, other: float | None, least: float) -> float | None:
    """A ratio, where both are known and the other one isn't too small for it."""
    return None if own is None or other is None or other <= 0 else own / max(other, least)


def place_of(row: Row) -> str:
    beside = " + background" if row["background"] == "background" else ""
    return f"{row['workload']} {row['instances']}{beside} {row['target_percent']} %"


def counting(rows: Sequence[Row], background: float) -> list[Row]:
    """With a background load, rows count where the target is 10 pp above it at least."""
    return [row for row in rows if row["background"] != "background" or float(row["target_percent"]) >= background + 10]


def judge_own(row: Row, processors: int) -> Iterator[Judged]:
    """Showstopper's default settings, by the default actuator alone. What is judged are all samples."""
    kind = "single" if row["workload"] in SINGLE else "parallel"
    kind = "6P" if row["instances"] == "6P" else kind
    kind = row["tool"] if row["tool"] == "many" else "background" if row["background"] == "background" else kind
    for goal, limit, column, calm in GOALS[kind]:
        value = size(row, column)
        if value is not None and "executor" in goal:
            value /= (6 if row["instances"] == "6P" else 1) * processors
        yield Judged(goal, limit, value, place_of(row), size(row, calm))


def judge_peer(row: Row, own: Row, processors: int) -> Iterator[Judged]:
    """The own row beside that of another tool. N-bench counts as beaten only where whole instances can make the load, and not exactly."""
    place, tool = place_of(row), row["tool"]
    error, peer_error = size(own, "mean_error_pp") or 0.0, size(row, "mean_error_pp") or 0.0
    mse, peer_mse = known(own, "mse_500_pp2"), known(row, "mse_500_pp2")
    ratio = mse / peer_mse if peer_mse else float("inf")
    calm_mse = over(number(own, "calm_mse_500_pp2"), number(row, "calm_mse_500_pp2"), 0)
    if tool == "quota" and row["background"] == "background":
        most = 20 * max(error, FLOOR) / max(peer_error, FLOOR)
        yield Judged("20 × our mean error over the quota's, background", 1, most, place)
    elif tool == "quota":
        single = row["workload"] in SINGLE
        workloads = "single, contended, fop" if single else "parallel, phased, sunflow"
        yield Judged(f"our MSE over the quota's, {workloads}", 3 if single else 6, ratio, place, calm_mse)
    elif tool != "N-bench" or (peer_error >= 0.5 and not mark_of(row, processors)):
        calm = over(size(own, "calm_error_pp"), size(row, "calm_error_pp"), FLOOR)
        yield Judged(f"our mean error over that of {tool}", 1, error / max(peer_error, FLOOR), place, calm)
        yield Judged(f"our MSE over that of {tool}", 1, ratio, place, calm_mse)


def goals_of(rows: Sequence[Row], steps: Sequence[Row], processors: int, background: float) -> str:
    of = counting(rows, background)
    own = {tuple(row[name] for name in LOAD): row for row in of if row["tool"] == "default"}
    beside = [(row, own.get(tuple(row[name] for name in LOAD))) for row in of if row["tool"] not in OWN]
    peers = [(row, base) for row, base in beside if base]
    name, late = "step 10 ↔ 90 %, parallel: distance after 0.5 s, pp", [
        row for row in steps if known(row, "after_s") >= 0.5
    ]
    found = chain(
        (one for row in of if row["tool"] in ("default", "many") for one in judge_own(row, processors)),
        (Judged(name, 5, known(row, "worst_pp"), f"{row['after_s']} s after") for row in late),
        (one for row, base in peers for one in judge_peer(row, base, processors)),
    )
    goals: dict[str, list[tuple[float, Judged]]] = {}
    for one in found:
        if one.value is not None:
            goals.setdefault(one.goal, []).append((one.value, one))
    lines = ["| goal | limit | worst | where | | worst without bursts |\n| --- | ---: | ---: | --- | --- | ---: |"]
    for goal, judged in goals.items():
        worst, at = max(judged, key=lambda pair: pair[0])
        missed = sum(value > at.limit for value, _ in judged)
        verdict = f"missed on {missed} of {len(judged)}" if missed else f"reached on {len(judged)}"
        calm = max((one.calm for _, one in judged if one.calm is not None), default=None)
        shown_calm = "" if calm is None else f"{calm:.3g}"
        lines.append(f"| {goal} | {at.limit:g} | {worst:.3g} | {at.place} | {verdict} | {shown_calm} |")
    if any(not row["bursts"] for row in rows):
        lines.append("\nWhat others did meanwhile is unavailable.")
    elif samples := counted(rows, "samples"):
        lines.append(f"\n{counted(rows, 'bursts')} of {samples} samples of 500 ms met a burst of others.")
    if none := sorted({int(float(row["target_percent"])) for row, base in peers if mark_of(row, processors)}):
        said = f"{processors} processors have no whole instances for it."
        lines.append(f"\nN-bench is no baseline at {listed(map(str, none))} %: {said}")
    return "".join(f"{line}\n" for line in lines)


# ---- For the front page -----------------------------------------------------------------------------------------------------------


def held_by_all(rows: Sequence[Row]) -> list[Row]:
    """Of the loads only those that all tools had to hold."""
    held, tools = set(each(rows, "tool", "target_percent")), each(rows, "tool")
    return [row for row in rows if all((tool, row["target_percent"]) in held for (tool,) in tools)]


def loads_said(rows: Sequence[Row]) -> str:
    return listed(map(str, sorted({int(float(row["target_percent"])) for row in rows})))


def means_of(build: Path, rows: Sequence[Row], *by: str) -> dict[Key, Summary]:
    """The sizes of errors are averaged, so that one above doesn't make up for one below."""
    keys = [(row, tuple(row[name] for name in by)) for row in rows]
    values = [((*key, name), value) for row, key in keys for name in REPEATED if (value := size(row, name)) is not None]
    return figures.summaries(build, values)


def summary_of(build: Path, rows: Sequence[Row], processors: int, background: float) -> str:
    """A row for each tool, but for our other actuators: means over its workloads and target loads, alone and beside the background program."""
    used = held_by_all([row for row in counting(rows, background) if row["tool"] in NAMES])
    found = means_of(build, used, "tool", "background")

    def means(tool: str, *names: str) -> list[str]:
        of = [found.get((tool, where, name)) for where in ("idle", "background") for name in names]
        return [f"{one.mean:{'.2f' if one.mean < 100 else '.0f'}}" if one else "" for one in of]

    table = ["tool|mean error, pp|MSE, pp²|beside other work: mean error, pp|MSE, pp²|runs".split("|")]
    for tool, name in NAMES.items():
        if any(row["tool"] == tool for row in rows):
            table.append([name, *means(tool, *REPEATED[:2]), str(sum(row["tool"] == tool for row in used))])
    said = f"Means over workloads, at loads of {loads_said(used)} %; of the mean errors, the sizes. A tool runs on those workloads that it can handle."
    if none := loads_said([row for row in used if mark_of(row, processors)]):
        said += f" Whole instances, and so N-bench, can't make {none} % of {processors} processors."
    bursts, samples = figures.bursts_said(used), counted(used, "samples")
    if bursts.startswith("None of "):
        said += f" Others took more than 3 % of the machine in none of {samples} samples."
    elif not bursts[0].isdigit():
        said += f" {bursts}"
    else:
        said += f" Without the {counted(used, 'bursts')} of {samples} samples in which others took more than 3 % of the machine: Showstopper "
        error, mse, beside_error, beside_mse = means("default", *REPEATED[2:])
        said += f"{error} pp and {mse} pp²" if mse else "has none left"
        said += f", beside other work {beside_error} pp and {beside_mse} pp²." if beside_mse else "."
    return "\n".join([*markdown(table), "", said]) + "\n"


# ---- Pictures ---------------------------------------------------------------------------------------------------------------------


def draw(build: Path, rows: Sequence[Row], folder: Path, processors: int) -> str:
    """A heat map each of errors and of MSE, a column for each tool; returns what a document says of them."""
    used = held_by_all([row for row in rows if row["tool"] not in ("steps", "many")])
    found = means_of(build, used, *KEY[:4])
    tools = [tool for (tool,) in each(used, "tool")]
    marked = {row["tool"] for row in used if mark_of(row, processors)}
    said = ""
    for picture, (name, column, darkest) in PICTURES.items():
        table = [["workload", *tools]]
        for group in each(used, *KEY[:3]):
            of = [(found.get((*group, tool, column)), " *" if tool in marked else "") for tool in tools]
            cells = [f"{one.mean:{'.2f' if one.mean < 10 else '.0f'}}{mark}" if one else "" for one, mark in of]
            count = {"P": "1 per processor", "6P": "6 per processor"}.get(group[1], group[1])
            table.append([f'"{group[0]}, {count}{" + others" if group[2] == "background" else ""}"', *cells])
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write(table_text(table))
            file.flush()
            figures.draw(build, "heatmap", "--range", f"0:{darkest}", "-o", folder / f"{picture}.svg", file.name)
        said += f"\n![{name}, for each workload and tool]({picture}.svg)\n\n{name}, in the mean of the loads of {loads_said(used)} %;"
        said += f" the darkest cells are {darkest} and more, a grey one is of a workload that the tool can't hold.\n"
    said += "\nOthers: the background program." if any(row["background"] == "background" for row in used) else ""
    return said.rstrip("\n") + (" \\* N-bench can't make all of these loads.\n" if marked else "\n")


def report(build: Path, folder: Path) -> None:
    """Tables, verdicts and the pictures, also of what isn't complete yet. Prints the goals."""
    rows = [line for file in sorted((folder / "sessions").glob("*/rows.csv")) for line in lines_of(file)]
    if not rows:
        raise Trouble(f"no session in {folder} is complete")
    write(folder / "peers.csv", "".join(f"{line}\n" for line in [",".join([*KEY, "repetition", *FIGURES]), *rows]))
    medians = medians_of(build, rows_of((folder / "peers.csv").read_text()))
    write(folder / "medians.csv", table_text([list(medians[0]), *(list(row.values()) for row in medians)]))
    machine = dict(line.split(": ", 1) for line in lines_of(folder / "machine.txt") if ": " in line)
    processors = int(machine.get("processors", "1").split()[0])
    background = float(machine.get("load of the background program alone", "0 %").split()[0])
    busy = float(machine.get("load before the first session", "0 %").split()[0])
    warning = ""
    if busy > BUSY:
        warning = f"**The machine was busy: others took {busy:.1f} % of it before the first session. These figures say little of Showstopper.**\n\n"
    steps = [row for file in sorted((folder / "sessions").glob("*/steps.csv")) for row in read_csv(file)]
    goals = goals_of(medians, steps, processors, background)
    text = warning + (
        "Mean error (load minus target) in percentage points, mean squared error (MSE) in pp² of windows of 500 ms, both of the whole\n"
        "machine; medians over the repeats. In brackets: the ratio to Showstopper with default settings.\n\n"
    )
    text += "".join(f"{line}\n" for line in group_tables(medians, processors))
    if left_out := lines_of(folder / "left-out"):
        text += "\nLeft out, since the machine stood still for a while in each of several attempts:\n\n"
        text += "".join(f"- {line}\n" for line in left_out)
    # Made anew with each report.
    for picture in PICTURES:
        (folder / f"{picture}.svg").unlink(missing_ok=True)
    if has_program("gnuplot"):
        text += draw(build, medians, folder, processors)
    else:
        print("no picture: gnuplot is missing")
    text += f"\n### Goals\n\n{goals}"
    write(folder / "tables.md", text)
    head = "".join(f"- {line}\n" for line in lines_of(folder / "machine.txt"))
    write(folder / "peers.md", f"# Showstopper and its peers\n\n{head}\n{text}")
    write(folder / "summary.md", warning + summary_of(build, medians, processors, background))
    print(f"{goals}tables and pictures: {folder}")
