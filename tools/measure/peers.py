# SPDX-License-Identifier: MIT
"""What a session of tools/bench/peers came to, and the tables, verdicts and pictures of all of them."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path

from measure import bench, figures, stolen
from measure.bench import Sample, Tree, samples_of, shown
from measure.figures import Key, Summary, is_whole
from measure.machine import BUSY
from measure.text import Row, Trouble, kept_csv, known, lines_of, listed, markdown, number, read_csv, rows_of, shortest
from measure.text import table_text, write

TOOLS = "default default-freezer default-quota PI-even paper cpulimit cpulimit-m quota stress-ng N-bench CDC 1CDC"
RANK = f"idle background single contended parallel phased fop sunflow P 6P 500 {TOOLS} many".split()
OWN = ("default", "default-freezer", "default-quota", "PI-even", "paper", "many")
LOAD = ("workload", "instances", "background", "target_percent")
KEY = ("workload", "instances", "background", "tool", "target_percent")
# Columns of rows.csv, behind those of the key and the repetition.
FIGURES = """samples load_percent mean_error_pp mse_500_pp2 mse_370_pp2 mse_1300_pp2 own_cpu_percent lateness_p99_us bursts calm_error_pp
calm_mse_500_pp2""".split()
COUNTED = ("mean_error_size_pp", "mse_500_pp2", "calm_error_size_pp", "calm_mse_500_pp2")
REPEATED = ("mean_error_pp", "mse_500_pp2", "calm_error_pp", "calm_mse_500_pp2")
SIZES = {
    "mean_error_size_pp": "mean_error_pp",
    "calm_error_size_pp": "calm_error_pp",
}  # of each repeat, without its sign
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


def readings(folder: Path, window: int) -> list[Sample]:
    """What lies before the first is not known."""
    found = samples_of(folder / f"load.{window}.csv")[1:]
    if any(sample.end - sample.start > 1.5 * window / 1000 for sample in found):
        raise Stalled
    return found


def rows_of_session(folder: Path, session: str, repetition: int, settle: float) -> Iterator[str]:
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
        found = iter(bench.accuracies(logs) if logs else [])
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
    last = max(0.0, *(known(row, "time_s") for row in rows))
    of = Tree(samples_of(loads))
    distances: dict[int, list[float]] = {}
    for first, end in enumerate(range(11, len(of.ends)), 1):
        begin, until = of.ends[first] - origin, of.ends[end] - origin
        step = int(begin / 3)
        if begin >= 3 and until <= last and step == int((until - 0.0001) / 3):
            mean = 100 * (of.sums[end] - of.sums[first]) / (until - begin)
            distances.setdefault(int((begin - 3 * step) / 0.25), []).append(abs(mean - (90 if step % 2 else 10)))
    slots = [slot for slot in sorted(distances) if slot <= 12]
    lines = [f"{slot * 0.25:.2f},{len(distances[slot])},{max(distances[slot]):.2f}\n" for slot in slots]
    return "after_s,windows,worst_pp\n" + "".join(lines)


# ---- Cells ------------------------------------------------------------------------------------------------------------------------


def called(name: str, statistic: str) -> str:
    """mean_error_least_pp of mean_error_pp."""
    start, _, unit = name.rpartition("_")
    return f"{start}_{statistic}_{unit}"


def figure_in(column: str) -> tuple[str, str]:
    """Which figure a column of cells.csv has, and what of it."""
    names = (*REPEATED, *SIZES)
    found = [(name, of) for name in names for of in ("least", "most", "half") if column == called(name, of)]
    return found[0] if found else (column, "mean")


def cells_of(rows: Sequence[Row]) -> list[Row]:
    """A row for each key, in the order of the help. The ratios are those of |mean error| and MSE to Showstopper's default settings; the mean error counts as
    0.01 pp at least there, about what the reader can tell apart."""
    keys = [tuple(row[name] for name in KEY) for row in rows]
    cells = [((*key, name), number(row, name)) for key, row in zip(keys, rows) for name in FIGURES]
    cells += [((*key, name), size(row, of)) for key, row in zip(keys, rows) for name, of in SIZES.items()]
    of = figures.summaries(cells)

    def place(key: Key) -> tuple[float, ...]:
        return *(RANK.index(key[at]) if key[at] in RANK else -1 for at in (2, 1, 0, 3)), float(key[4])

    def figure(key: Key, name: str, statistic: str) -> str:
        value: float | None = getattr(of.get((*key, name)), statistic, None)
        return "" if value is None else f"{value:.3f}"

    def ratios_and_counts(key: Key) -> Row:
        # What chooses its number of instances itself is compared with as many as there are processors.
        base = (*key[:3], "default", key[4])
        names = ("mean_error_size_pp", "mse_500_pp2")
        (error, own_error), (mse, own_mse) = ([of.get((*one, name)) for one in (key, base)] for name in names)
        row = dict.fromkeys(("samples", "bursts", "error_ratio", "mse_ratio"), "")
        for name in ("samples", "bursts"):
            if (found := of.get((*key, name))) and found.count == keys.count(key):
                row[name] = shortest(found.sum)
        if error and own_error:
            row["error_ratio"] = f"{error.mean / max(own_error.mean, FLOOR):.3f}"
        if mse and own_mse and own_mse.mean:
            row["mse_ratio"] = f"{mse.mean / own_mse.mean:.3f}"
        return row

    made = []
    for key in sorted(set(keys), key=place):
        row = dict(zip(KEY, key)) | {"repeats": str(keys.count(key))}
        row |= {column: figure(key, *figure_in(column)) for column in CELLS.split()}
        made.append(row | ratios_and_counts(key))
    return made


# ---- Tables -----------------------------------------------------------------------------------------------------------------------


def each(rows: Sequence[Row], *names: str) -> list[tuple[str, ...]]:
    """Of these columns, once each."""
    return list(dict.fromkeys(tuple(row[name] for name in names) for row in rows))


def counted(rows: Sequence[Row], name: str) -> int:
    return sum(int(row[name] or 0) for row in rows)


def head_of(tool: str) -> str:
    return HEADS.get(tool, tool)


def table(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(markdown(rows))


def group_tables(rows: Sequence[Row]) -> Iterator[str]:
    """A table for each workload, instances and background; a row per tool, two columns per target load. Below each the same of the samples that met no
    burst of others."""
    for group in each(rows, *KEY[:3]):
        own = [row for row in rows if tuple(row[name] for name in KEY[:3]) == group]
        beside = ", beside the background program" if group[2] == "background" else ""
        yield f"### {group[0]}, {group[1]} workloads{beside}"
        yield tool_table(own, ERROR[0], MSE[0], with_cost=True)
        if any(row["mark"] for row in own):
            yield "\\* Whole instances can't make this load."
        said, bursts = figures.bursts_said(own), counted(own, "bursts")
        if said[0].isdigit():
            yield f"Without the {bursts} of {counted(own, 'samples')} samples that met a burst of others:"
            yield tool_table(own, ERROR[1], MSE[1])
        else:
            yield said
        repeated = [row for row in own if int(row["repeats"]) > 1]
        for (tool,) in each(repeated, "tool"):
            yield repeats_of([row for row in repeated if row["tool"] == tool], bursts > 0)


def tool_table(own: Sequence[Row], error: str, mse: str, with_cost: bool = False) -> str:
    """With the own cost in the last column, and ratios to the default settings, where that is asked for."""
    targets = [target for (target,) in each(own, "target_percent")]
    of = {(row["tool"], row["target_percent"]): row for row in own if row[error]}
    cost = {row["tool"]: shown(row, "own_cpu_percent", ".2f") for row in own if row["own_cpu_percent"]}

    def cell(row: Row, name: str, form: str, ratio: str) -> str:
        beside = row["tool"] != "default" and with_cost and row["mse_ratio"] and float(row[ratio])
        times = f" ({beside:{'.1f' if beside < 10 else '.0f'}}×)" if isinstance(beside, float) else ""
        return f"{float(row[name]):{form}}{times}{row['mark']}"

    def cells(row: Row | None) -> list[str]:
        return [cell(row, error, "+.2f", "error_ratio"), cell(row, mse, ".2f", "mse_ratio")] if row else ["", ""]

    found = [["tool", *(head for target in targets for head in (f"{target} %: mean error, pp", "MSE, pp²"))]]
    found[0] += ["own CPU, %"] if with_cost else []
    for (tool,) in each(own, "tool"):
        row = [head_of(tool), *(text for target in targets for text in cells(of.get((tool, target))))]
        found.append([*row, cost.get(tool, "")] if with_cost else row)
    return table(found)


def percents_of(target: float, processors: int, count: int) -> list[int]:
    """Of one processor, for each of so many instances: whole ones, of which some are one more, so that together they make up the target as nearly as these can;
    one at least."""
    together = int(target * processors + 0.5)
    return [max(1, together // count + (place < together % count)) for place in range(count)]


def mark_of(row: Row, processors: int) -> str:
    """Of what is no baseline, as whole instances can't make its load."""
    return " \\*" if row["tool"] == "N-bench" and not is_whole(float(row["target_percent"]), processors) else ""


def repeats_of(rows: Sequence[Row], with_calm: bool) -> str:
    """Means over the repeats of a tool."""

    def mean(row: Row, name: str, unit: str, form: str) -> str:
        half = shown(row, called(name, "half"), ".2f")
        return f"{float(row[name]):{form}}{f' ± {half}' if half else ''} {unit}"

    def means(of: Sequence[Row], error: str, mse: str) -> str:
        pairs = ((row["target_percent"], mean(row, error, "pp", "+.2f"), mean(row, mse, "pp²", ".2f")) for row in of)
        return "; ".join(f"{target} %: {one}, {other}" for target, one, other in pairs)

    calm = [row for row in rows if with_calm and row["calm_mse_500_pp2"]]
    said = f"{head_of(rows[0][KEY[3]])}, means of {rows[-1]['repeats']} repeats and their 95 % confidence:"
    return f"{said} {means(rows, *REPEATED[:2])}." + (f" Without bursts: {means(calm, *REPEATED[2:])}." if calm else "")


# ---- Goals ------------------------------------------------------------------------------------------------------------------------


@dataclass
class Judged:
    """A value that should be at most the limit, and what it is without bursts."""

    goal: str
    limit: float
    value: float
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
    count = (6 if row["instances"] == "6P" else 1) * processors
    kinds = ["alone", "6P" if row["instances"] == "6P" else "single" if row["workload"] in SINGLE else "parallel"]
    kinds = ["many"] if row["tool"] == "many" else ["background"] if row["background"] == "background" else kinds
    for kind, goal, limit, column, calm in (line.split("|") for line in GOALS.splitlines()):
        value = number(row, column)
        if value is not None and kind in kinds:
            executors = count if "executor" in goal else 1
            yield Judged(goal, float(limit), value / executors, place_of(row), number(row, calm))


def judge_peer(row: Row, own: Row) -> Iterator[Judged]:
    """The own row beside that of another tool. N-bench counts as beaten only where whole instances can make the load, and not exactly."""
    place, tool = place_of(row), row["tool"]
    error, peer_error = known(own, "mean_error_size_pp"), known(row, "mean_error_size_pp")
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
    elif tool != "N-bench" or (peer_error >= 0.5 and not row["mark"]):
        calm = over(number(own, "calm_error_size_pp"), number(row, "calm_error_size_pp"), FLOOR)
        yield Judged(f"our mean error over that of {tool}", 1, error / max(peer_error, FLOOR), place, calm)
        yield Judged(f"our MSE over that of {tool}", 1, ratio, place, calm_mse)


def goals_of(rows: Sequence[Row], steps: Sequence[Row], processors: int, background: float) -> Iterator[str]:
    of = counting(rows, background)
    own = {tuple(row[name] for name in LOAD): row for row in of if row["tool"] == "default"}
    beside = [(row, own.get(tuple(row[name] for name in LOAD))) for row in of if row["tool"] not in OWN]
    peers = [(row, base) for row, base in beside if base]
    late = [row for row in steps if float(row["after_s"]) >= 0.5]
    found = chain(
        (one for row in of if row["tool"] in ("default", "many") for one in judge_own(row, processors)),
        (Judged(STEP, 5, float(row["worst_pp"]), f"{row['after_s']} s after") for row in late),
        (one for row, base in peers for one in judge_peer(row, base)),
    )
    goals: dict[str, list[Judged]] = {}
    for one in found:
        goals.setdefault(one.goal, []).append(one)
    lines = ["| goal | limit | worst | where | | worst without bursts |", "| --- | ---: | ---: | --- | --- | ---: |"]
    for goal, judged in goals.items():
        worst = max(judged, key=lambda one: one.value)
        missed = sum(one.value > one.limit for one in judged)
        verdict = f"missed on {missed} of {len(judged)}" if missed else f"reached on {len(judged)}"
        calm = max((f"{one.calm:.3g}" for one in judged if one.calm is not None), key=float, default="")
        lines.append(f"| {goal} | {worst.limit:g} | {worst.value:.3g} | {worst.place} | {verdict} | {calm} |")
    for _, goal, limit, *_ in (line.split("|") for line in GOALS.splitlines()):
        if goal not in goals:
            lines.append(f"| {goal} | {limit} | | | not measured | |")
    yield "\n".join(lines)
    if any(not row["bursts"] for row in rows):
        yield "What others did meanwhile is unavailable."
    elif samples := counted(rows, "samples"):
        yield f"{counted(rows, 'bursts')} of {samples} samples of 500 ms met a burst of others."
    if none := sorted({int(float(row["target_percent"])) for row, base in peers if row["mark"]}):
        said = f"{processors} processors have no whole instances for it."
        yield f"N-bench is no baseline at {listed(map(str, none))} %: {said}"


# ---- For the front page -----------------------------------------------------------------------------------------------------------


def held_by_all(rows: Sequence[Row]) -> list[Row]:
    """Of the loads only those that all tools had to hold."""
    held, tools = set(each(rows, "tool", "target_percent")), each(rows, "tool")
    return [row for row in rows if all((tool, row["target_percent"]) in held for (tool,) in tools)]


def loads_said(rows: Sequence[Row]) -> str:
    return listed(map(str, sorted({int(float(row["target_percent"])) for row in rows})))


def means_of(rows: Sequence[Row], *by: str) -> dict[Key, Summary]:
    """Of cells, each of which counts alike however many repeats it has."""
    keys = [(row, tuple(row[name] for name in by)) for row in rows]
    return figures.summaries(((*key, name), number(row, name)) for row, key in keys for name in COUNTED)


def summary_of(rows: Sequence[Row], processors: int, background: float) -> str:
    """A row for each tool, but for our other actuators: means over its workloads and target loads, alone and beside the background program."""
    used = held_by_all([row for row in counting(rows, background) if row["tool"] in NAMES])
    found = means_of(used, "tool", "background")

    def means(tool: str, *names: str) -> list[str]:
        of = [found.get((tool, where, name)) for where in ("idle", "background") for name in names]
        return [f"{one.mean:{'.2f' if one.mean < 100 else '.0f'}}" if one else "" for one in of]

    made = ["tool|mean error, pp|MSE, pp²|beside other work: mean error, pp|MSE, pp²|runs".split("|")]
    for tool, name in NAMES.items():
        if any(row["tool"] == tool for row in rows):
            made.append(
                [name, *means(tool, *COUNTED[:2]), str(sum(int(row["repeats"]) for row in used if row["tool"] == tool))]
            )
    said = f"Means over workloads, at loads of {loads_said(used)} %; of the mean errors, the sizes. A tool runs on those workloads that it can handle, but for what is left out."
    if none := loads_said([row for row in used if row["mark"]]):
        said += f" Whole instances, and so N-bench, can't make {none} % of {processors} processors."
    bursts, samples = figures.bursts_said(used), counted(used, "samples")
    if bursts.startswith("None of "):
        said += f" Others took more than 3 % of the machine in none of {samples} samples."
    elif not bursts[0].isdigit():
        said += f" {bursts}"
    else:
        said += f" Without the {counted(used, 'bursts')} of {samples} samples in which others took more than 3 % of the machine, or in the second after: Showstopper "
        error, mse, beside_error, beside_mse = means("default", *COUNTED[2:])
        said += f"{error} pp and {mse} pp²" if mse else "has none left"
        said += f", beside other work {beside_error} pp and {beside_mse} pp²." if beside_mse else "."
    return f"{table(made)}\n\n{said}\n"


# ---- Pictures ---------------------------------------------------------------------------------------------------------------------


def draw(rows: Sequence[Row], folder: Path) -> Iterator[str]:
    """A heat map each of errors and of MSE, a column for each tool, with what a document says of them."""
    used = held_by_all([row for row in rows if row["tool"] not in ("steps", "many")])
    found = means_of(used, *KEY[:4])
    tools = [tool for (tool,) in each(used, "tool")]
    marked = {row["tool"] for row in used if row["mark"]}
    for picture, (name, column, darkest) in PICTURES.items():
        made = [["workload", *map(head_of, tools)]]
        for group in each(used, *KEY[:3]):
            of = [(found.get((*group, tool, column)), " *" if tool in marked else "") for tool in tools]
            cells = [f"{one.mean:{'.2f' if one.mean < 10 else '.0f'}}{mark}" if one else "" for one, mark in of]
            count = {"P": "1 per processor", "6P": "6 per processor"}.get(group[1], group[1])
            made.append([f'"{group[0]}, {count}{" + others" if group[2] == "background" else ""}"', *cells])
        to = folder / f"{picture}.svg"
        figures.draw("heatmap", "--range", f"0:{darkest}", "-o", to, "-", stdin=table_text(made))
        yield f"![{name}, for each workload and tool]({picture}.svg)"
        said = f"{name}, in the mean of the loads of {loads_said(used)} %; the darkest cells are {darkest} and more, a grey one is of a workload"
        yield f"{said} that the tool can't hold, or that was left out."
    notes = ["Others: the background program."] if any(row["background"] == "background" for row in used) else []
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
    sessions = [file for file in sorted((folder / "sessions").glob("*")) if file.suffix not in (".part", ".failed")]
    rows = [line for session in sessions for line in lines_of(session / "rows.csv")]
    if not rows:
        raise Trouble(f"no session in {folder} is complete")
    write(folder / "peers.csv", "".join(f"{line}\n" for line in [",".join([*KEY, "repetition", *FIGURES]), *rows]))
    cells = cells_of(rows_of((folder / "peers.csv").read_text()))
    write(folder / "cells.csv", table_text([list(cells[0]), *(list(row.values()) for row in cells)]))
    facts = dict(line.split(": ", 1) for line in lines_of(folder / "machine.txt") if ": " in line)
    processors = int(facts.get("processors", "1").split()[0])
    for row in cells:
        row["mark"] = mark_of(row, processors)
    background = float(facts.get("load of the background program alone", "0 %").split()[0])
    busy = float(facts.get("load before the first session", "0 %").split()[0])
    warning = []
    if busy > BUSY:
        said = f"others took {busy:.1f} % of it before the first session. These figures say little of Showstopper."
        warning = [f"**The machine was busy: {said}**"]
    steps = [row for session in sessions for row in kept_csv(session / "steps.csv")]
    goals = "\n\n".join(goals_of(cells, steps, processors, background)) + "\n"
    blocks = [*warning, INTRODUCTION, *group_tables(cells)]
    absent = list(absent_said(folder))
    blocks += absent
    if disturbed := stolen.said(sessions):
        blocks.append(disturbed)
    blocks += draw(cells, folder)
    text = "\n\n".join([*blocks, "### Goals", goals])
    write(folder / "tables.md", text)
    head = "".join(f"- {line}\n" for line in lines_of(folder / "machine.txt"))
    write(folder / "peers.md", f"# Showstopper and its peers\n\n{head}\n{text}")
    write(folder / "summary.md", "\n\n".join([*warning, summary_of(cells, processors, background), *absent]))
    print(f"{goals}tables and pictures: {folder}")
