# SPDX-License-Identifier: MIT
"""What a session of tools/bench/peers came to, and the tables, verdicts and the picture of all of them."""

import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from measure import bench, figures
from measure.bench import Sample, Tree, samples_of, shown
from measure.figures import is_whole
from measure.process import has_program
from measure.text import Row, Trouble, known, lines_of, listed, number, read_csv, rows_of, shortest, table_text, write

TOOLS = "default default-freezer default-quota paper cpulimit cpulimit-m quota stress-ng N-bench CDC 1CDC"
RANK = f"idle background single contended parallel phased fop sunflow P 6P 500 {TOOLS} many".split()
ROWS = (
    "workload,instances,background,tool,target_percent,repetition,samples,load_percent,mean_error_pp,mse_500_pp2,mse_370_pp2,mse_1300_pp2,"
    "own_cpu_percent,lateness_p99_us,bursts,calm_error_pp,calm_mse_500_pp2"
)
SINGLE = ("single", "contended", "fop")
NAMES = {
    "default": "Showstopper",
    "quota": "CPU quota of a control group",
    "stress-ng": "`stress-ng --cpu-load`",
    "CDC": "CDC: a constant duty cycle",
    "1CDC": "1CDC: the same, of one instance",
    "cpulimit": "`cpulimit`",
    "N-bench": "N-bench: as many instances as make up the load",
    "paper": "Showstopper, settings of the paper",
}
COLOURS = "#0072b2 #56b4e9 #009e73 #d55e00 #e69f00 #8c564b #cc79a7 #7f7f7f #000000 #b2182b #7b3fa0".split()
FLOOR = 0.01  # pp and pp²: what the reader can tell apart
WINDOWS = (500, 370, 1300)


# ---- A session --------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Segment:
    """When a load was held."""

    target: str
    start: float
    end: float


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
    fields = [line.split(",") for line in lines_of(folder / "segments.csv")]
    segments = [Segment(target, float(start), float(end)) for target, start, end in fields]
    tree = Tree(samples_of(folder / "tree.csv"))
    of = {window: readings(folder, window) for window in WINDOWS}
    if not segments:
        return
    with tempfile.TemporaryDirectory() as name:
        logs = []
        for place, segment in enumerate(segments):
            for window in WINDOWS:
                logs.append(Path(name) / f"{place}.{window}.csv")
                if not bench.write_log(
                    logs[-1], of[window], float(segment.target), segment.start + settle, segment.end, tree
                ):
                    raise Trouble(f"can't make sense of {folder}")
        found = bench.accuracies(build, logs)
    for place, segment in enumerate(segments):
        row, *others = found[len(WINDOWS) * place : len(WINDOWS) * (place + 1)]
        error = known(row, "mean_error_pp")
        mse = [f"{known(one, 'mse_pp2'):.3f}" for one in (row, *others)]
        calm = [row["bursts"], shown(row, "calm_mean_error_pp", ".3f"), shown(row, "calm_mse_pp2", ".3f")]
        cells = [
            session,
            segment.target,
            str(repetition),
            row["samples"],
            f"{float(segment.target) + error:.3f}",
            f"{error:.3f}",
            *mse,
        ]
        yield ",".join([*cells, own.get("own_cpu_percent", ""), own.get("lateness_p99_us", ""), *calm])


def steps_of_session(log: Path, loads: Path) -> str:
    """For windows of 500 ms, made of ten of 50, that begin so long after a step of the trace, and end before the next: the largest distance from the
    target. The trace steps every 3 s, between 10 and 90 %."""
    rows = read_csv(log)
    origin = known(rows[0], "monotonic_s") - known(rows[0], "time_s")
    last = max((known(row, "time_s") for row in rows if known(row, "time_s") > 0), default=0.0)
    at = [(known(row, "monotonic_s") - origin, 100 * known(row, "load")) for row in read_csv(loads)]
    windows: dict[int, int] = {}
    worst: dict[int, float] = {}
    for place in range(10, len(at)):
        begin, until = at[place - 10][0], at[place][0]
        if begin < 3 or until > last or int(begin / 3) != int((until - 0.0001) / 3):
            continue
        mean = sum(at[k][1] * (at[k][0] - at[k - 1][0]) for k in range(place - 9, place + 1)) / (until - begin)
        slot = int((begin - 3 * int(begin / 3)) / 0.25)
        windows[slot] = windows.get(slot, 0) + 1
        worst[slot] = max(worst.get(slot, 0.0), abs(mean - (90 if int(begin / 3) % 2 else 10)))
    lines = [f"{slot * 0.25:.2f},{windows[slot]},{worst[slot]:.2f}\n" for slot in sorted(windows) if slot <= 12]
    return "after_s,windows,worst_pp\n" + "".join(lines)


# ---- Medians ----------------------------------------------------------------------------------------------------------------------

KEY = ("workload", "instances", "background", "tool", "target_percent")


def key_of(row: Row) -> tuple[str, ...]:
    return tuple(row[name] for name in KEY)


def medians_of(build: Path, rows: Sequence[Row]) -> list[Row]:
    """A row for each key, in the order of the help. The ratios are those of |mean error| and MSE to Showstopper's default settings; the mean error counts as
    0.01 pp at least there, about what the reader can tell apart."""
    names = ROWS.split(",")[6:]
    values = [
        ((*key_of(row), name), value) for row in rows for name in names if (value := number(row, name)) is not None
    ]
    of = figures.summaries(build, values)
    count: dict[tuple[str, ...], int] = {}
    for row in rows:
        count[key_of(row)] = count.get(key_of(row), 0) + 1

    def rank(word: str) -> int:
        return RANK.index(word) if word in RANK else -1

    def place(key: tuple[str, ...]) -> tuple[float, ...]:
        return rank(key[2]), rank(key[1]), rank(key[0]), rank(key[3]), float(key[4])

    def median(key: tuple[str, ...], name: str) -> float | None:
        found = of.get((*key, name))
        return found.median if found else None

    def three(value: float | None) -> str:
        return "" if value is None else f"{value:.3f}"

    made = []
    for key in sorted(count, key=place):
        row = dict(zip(KEY, key)) | {"repeats": str(count[key])}
        row |= {"load_percent": three(median(key, "load_percent"))}
        for name, start in (("mean_error_pp", "mean_error"), ("mse_500_pp2", "mse_500")):
            unit = name.removeprefix(start)
            found = of[(*key, name)]
            row |= {
                name: three(found.median),
                f"{start}_least{unit}": three(found.least),
                f"{start}_most{unit}": three(found.most),
            }
        row |= {
            name: three(median(key, name))
            for name in ("mse_370_pp2", "mse_1300_pp2", "own_cpu_percent", "lateness_p99_us")
        }
        # What chooses its number of instances itself is compared with as many as there are processors.
        base = (*key[:3], "default", key[4])
        errors, mses = (median(base, "mean_error_pp"), median(key, "mean_error_pp")), (
            median(base, "mse_500_pp2"),
            median(key, "mse_500_pp2"),
        )
        row |= {"error_ratio": "", "mse_ratio": ""}
        if errors[0] is not None and errors[1] is not None:
            row["error_ratio"] = three(abs(errors[1]) / max(abs(errors[0]), FLOOR))
        if mses[0] and mses[1] is not None:
            row["mse_ratio"] = three(mses[1] / mses[0])
        for name in ("samples", "bursts"):
            found_or = of.get((*key, name))
            row[name] = shortest(found_or.total) if found_or and found_or.count == count[key] else ""
        row |= {name: three(median(key, name)) for name in ("calm_error_pp", "calm_mse_500_pp2")}
        for name, start in (
            ("mean_error_pp", "mean_error"),
            ("mse_500_pp2", "mse_500"),
            ("calm_error_pp", "calm_error"),
            ("calm_mse_500_pp2", "calm_mse_500"),
        ):
            unit, found_or = name.removeprefix(start), of.get((*key, name))
            row[f"{start}_mean{unit}"] = three(found_or.mean if found_or else None)
            row[f"{start}_half{unit}"] = three(found_or.half if found_or else None)
        made.append(row)
    return made


# ---- Tables -----------------------------------------------------------------------------------------------------------------------


def brief(text: str) -> str:
    return f"{float(text):{'.1f' if float(text) < 10 else '.0f'}}"


def plus_minus(row: Row, name: str, unit: str, form: str) -> str:
    mean, half = row[f"{name}_mean{unit}"], row[f"{name}_half{unit}"]
    return f"{float(mean):{form}}" + (f" ± {float(half):.2f}" if half else "")


def group_tables(rows: Sequence[Row], processors: int) -> Iterator[str]:
    """One table for each workload, instances and background; a row per tool, a column per target load. Below each the same of the samples that met no burst
    of others."""
    groups = list(dict.fromkeys((row["workload"], row["instances"], row["background"]) for row in rows))
    for place, group in enumerate(groups):
        own = [row for row in rows if (row["workload"], row["instances"], row["background"]) == group]
        targets, tools = list(dict.fromkeys(row["target_percent"] for row in own)), list(
            dict.fromkeys(row["tool"] for row in own)
        )
        of = {(row["tool"], row["target_percent"]): row for row in own}
        beside = ", beside the background program" if group[2] == "background" else ""
        yield ("\n" if place else "") + f"### {group[0]}, {group[1]} workloads{beside}\n"
        yield f"| tool |{''.join(f' {target} % |' for target in targets)} own CPU, % |"
        yield "| --- |" + " ---: |" * (len(targets) + 1)
        for tool in tools:
            cells = [cell_of(of.get((tool, target)), processors) for target in targets]
            own_cpu = [
                f"{float(row['own_cpu_percent']):.2f}" for row in own if row["tool"] == tool and row["own_cpu_percent"]
            ]
            yield f"| {tool} |{''.join(f' {cell} |' for cell in cells)} {own_cpu[-1] if own_cpu else ''} |"
        if any(mark_of(row, processors) for row in own):
            yield "\n\\* Whole instances can't make this load."
        yield from calm_table(own, tools, targets, processors)
        bursts = sum(int(row["bursts"] or 0) for row in own)
        for tool in tools:
            yield from repeats_of([row for row in own if row["tool"] == tool], tool, bursts > 0)


def mark_of(row: Row, processors: int) -> str:
    return " \\*" if row["tool"] == "N-bench" and not is_whole(float(row["target_percent"]), processors) else ""


def cell_of(row: Row | None, processors: int) -> str:
    if not row:
        return ""
    ratio = ""
    if row["mse_ratio"] and row["tool"] != "default":
        ratio = f" ({brief(row['error_ratio'])}×, {brief(row['mse_ratio'])}×)"
    return f"{float(row['mean_error_pp']):+.2f}, {float(row['mse_500_pp2']):.2f}{ratio}{mark_of(row, processors)}"


def calm_table(own: Sequence[Row], tools: Sequence[str], targets: Sequence[str], processors: int) -> Iterator[str]:
    """What is said of bursts, and the table without them."""
    said = figures.bursts_said(own)
    if not said[0].isdigit():
        yield f"\n{said}"
        return
    samples, bursts = (sum(int(row[name] or 0) for row in own) for name in ("samples", "bursts"))
    yield f"\nWithout the {bursts} of {samples} samples that met a burst of others:\n\n| tool |{''.join(f' {target} % |' for target in targets)}"
    yield "| --- |" + " ---: |" * len(targets)
    of = {(row["tool"], row["target_percent"]): row for row in own if row["calm_error_pp"]}
    for tool in tools:
        cells = []
        for target in targets:
            row = of.get((tool, target))
            text = (
                f"{float(row['calm_error_pp']):+.2f}, {float(row['calm_mse_500_pp2']):.2f}{mark_of(row, processors)}"
                if row
                else ""
            )
            cells.append(f" {text} |")
        yield f"| {tool} |{''.join(cells)}"


def repeats_of(rows: Sequence[Row], tool: str, with_calm: bool) -> Iterator[str]:
    """Means over the repeats of a tool that has some."""
    repeated = [row for row in rows if int(row["repeats"]) > 1]
    if not repeated:
        return

    def means(of: Sequence[Row], error: str, mse: str) -> str:
        return "; ".join(
            f"{row['target_percent']} %: {plus_minus(row, error, '_pp', '+.2f')} pp, {plus_minus(row, mse, '_pp2', '.2f')} pp²"
            for row in of
        )

    said = f"\n{tool}, means of {repeated[-1]['repeats']} repeats and their 95 % confidence: {means(repeated, 'mean_error', 'mse_500')}."
    calm = [row for row in repeated if row["calm_mse_500_mean_pp2"]]
    yield said + (f" Without bursts: {means(calm, 'calm_error', 'calm_mse_500')}." if with_calm and calm else "")


# ---- Goals ------------------------------------------------------------------------------------------------------------------------


@dataclass
class Goal:
    limit: float
    worst: float = float("-inf")
    at: str = ""
    rows: int = 0
    missed: int = 0
    calm: float | None = None


@dataclass
class Goals:
    """Which goals Showstopper's default settings reached, by the default actuator alone. What is judged are all samples. With a background load, rows count
    where the target is 10 pp above it at least. N-bench counts as beaten only where whole instances can make the load.
    """

    processors: int
    background: float
    of: dict[str, Goal] = field(default_factory=dict)
    impossible: set[int] = field(default_factory=set)

    def judge(self, name: str, limit: float, value: float | None, place: str, calm: float | None = None) -> None:
        """A value that should be at most the limit; the second one is that without bursts."""
        if value is None:
            return
        goal = self.of.setdefault(name, Goal(limit))
        goal.rows += 1
        goal.missed += value > limit
        if calm is not None:
            goal.calm = max(calm, goal.calm) if goal.calm is not None else calm
        if value > goal.worst:
            goal.worst, goal.at = value, place

    def counts(self, row: Row) -> bool:
        return row["background"] != "background" or float(row["target_percent"]) >= self.background + 10

    @staticmethod
    def place(row: Row) -> str:
        beside = " + background" if row["background"] == "background" else ""
        return f"{row['workload']} {row['instances']}{beside} {row['target_percent']} %"

    def own(self, row: Row) -> None:
        place, error, mse = self.place(row), size(row, "mean_error_pp"), number(row, "mse_500_pp2")
        calm_error, calm_mse = size(row, "calm_error_pp"), number(row, "calm_mse_500_pp2")
        cost = number(row, "own_cpu_percent")
        if row["tool"] == "many":
            self.judge("500 workloads: mean error, pp", 0.5, error, place, calm_error)
            self.judge("500 workloads: own CPU time, % of a processor", 10, cost, place)
            return
        if row["background"] == "background":
            self.judge("mean error with background, pp", 0.2, error, place, calm_error)
            return
        self.judge("mean error, pp", 0.1, error, place, calm_error)
        if row["instances"] == "6P":
            self.judge("MSE, N = 6·P, pp²", 2, mse, place, calm_mse)
        elif row["workload"] in SINGLE:
            self.judge("MSE, single, contended, fop, pp²", 0.7, mse, place, calm_mse)
            self.judge("… in windows of 370 ms", 1.5, number(row, "mse_370_pp2"), place)
            self.judge("… in windows of 1.3 s", 1.5, number(row, "mse_1300_pp2"), place)
        else:
            self.judge("MSE, parallel, phased, sunflow, pp²", 2, mse, place, calm_mse)
        executors = (6 if row["instances"] == "6P" else 1) * self.processors
        self.judge(
            "own CPU time per executor, % of a processor", 0.15, None if cost is None else cost / executors, place
        )
        self.judge("99th percentile of lateness, µs", 500, number(row, "lateness_p99_us"), place)

    def peer(self, row: Row, own: Row) -> None:
        """The own row beside that of another tool."""
        place, tool = self.place(row), row["tool"]
        error, peer_error = size(own, "mean_error_pp") or 0.0, size(row, "mean_error_pp") or 0.0
        mse, peer_mse = known(own, "mse_500_pp2"), known(row, "mse_500_pp2")
        calm_mse = over(number(own, "calm_mse_500_pp2"), number(row, "calm_mse_500_pp2"), 0)
        ratio = mse / peer_mse if peer_mse else float("inf")
        if tool == "quota":
            if row["background"] == "background":
                self.judge(
                    "20 × our mean error over the quota's, background",
                    1,
                    20 * max(error, FLOOR) / max(peer_error, FLOOR),
                    place,
                )
            elif row["workload"] in SINGLE:
                self.judge("our MSE over the quota's, single, contended, fop", 3, ratio, place, calm_mse)
            else:
                self.judge("our MSE over the quota's, parallel, phased, sunflow", 6, ratio, place, calm_mse)
        elif tool == "N-bench" and not is_whole(float(row["target_percent"]), self.processors):
            self.impossible.add(int(float(row["target_percent"])))
        elif tool != "N-bench" or peer_error >= 0.5:  # whole instances make up the target exactly otherwise
            calm = over(size(own, "calm_error_pp"), size(row, "calm_error_pp"), FLOOR)
            self.judge(f"our mean error over that of {tool}", 1, error / max(peer_error, FLOOR), place, calm)
            self.judge(f"our MSE over that of {tool}", 1, ratio, place, calm_mse)

    def lines(self, rows: Sequence[Row]) -> Iterator[str]:
        yield "| goal | limit | worst | where | | worst without bursts |\n| --- | ---: | ---: | --- | --- | ---: |"
        for name, goal in self.of.items():
            verdict = f"missed on {goal.missed} of {goal.rows}" if goal.missed else f"reached on {goal.rows}"
            calm = "" if goal.calm is None else f"{goal.calm:.3g}"
            yield f"| {name} | {goal.limit:g} | {goal.worst:.3g} | {goal.at} | {verdict} | {calm} |"
        samples = sum(int(row["samples"] or 0) for row in rows)
        if any(not row["bursts"] for row in rows):
            yield "\nWhat others did meanwhile is unavailable."
        elif samples:
            yield f"\n{sum(int(row['bursts']) for row in rows)} of {samples} samples of 500 ms met a burst of others."
        if self.impossible:
            none = listed(map(str, sorted(self.impossible)))
            yield f"\nN-bench is no baseline at {none} %: {self.processors} processors have no whole instances for it."


def size(row: Row, name: str) -> float | None:
    value = number(row, name)
    return None if value is None else abs(value)


def over(own: float | None, other: float | None, least: float) -> float | None:
    """A ratio, where both are known and the other one isn't too small for it."""
    return None if own is None or other is None or other <= 0 else own / max(other, least)


def goals_of(rows: Sequence[Row], steps: Sequence[Row], processors: int, background: float) -> str:
    goals = Goals(processors, background)
    own: dict[tuple[str, ...], Row] = {}
    peers: list[tuple[tuple[str, ...], Row]] = []
    for row in rows:
        key = (row["workload"], row["instances"], row["background"], row["target_percent"])
        if not goals.counts(row):
            continue
        if row["tool"] in ("default", "many"):
            goals.own(row)
            own |= {key: row} if row["tool"] == "default" else {}
        elif row["tool"] != "paper" and not row["tool"].startswith("default-"):
            peers.append((key, row))
    for row in steps:
        if known(row, "after_s") >= 0.5:
            name = "step 10 ↔ 90 %, parallel: distance after 0.5 s, pp"
            goals.judge(name, 5, known(row, "worst_pp"), f"{row['after_s']} s after")
    for of_peer, row in peers:
        if of_peer in own:
            goals.peer(row, own[of_peer])
    return "".join(f"{line}\n" for line in goals.lines(rows))


# ---- For the front page -----------------------------------------------------------------------------------------------------------


def summary_of(build: Path, rows: Sequence[Row], processors: int, background: float) -> str:
    """A row for each tool, but for our other actuators: means over its workloads and target loads, alone and beside the background program. Of the loads only
    those count that all tools had to hold; with background, those 10 pp above it at least. The sizes of the mean errors are averaged, so that one above
    doesn't make up for one below."""
    of = [row for row in rows if row["tool"] in NAMES and Goals(processors, background).counts(row)]
    held = {(row["tool"], row["target_percent"]) for row in of}
    seen = [tool for tool in NAMES if any(row["tool"] == tool for row in of)]
    used = [row for row in of if all((tool, row["target_percent"]) in held for tool in seen)]
    values = []
    for row in used:
        for name in ("mean_error_pp", "mse_500_pp2", "calm_error_pp", "calm_mse_500_pp2"):
            if (value := size(row, name)) is not None:
                values.append(((row["tool"], row["background"], name), value))
    found = figures.summaries(build, values)

    def mean(tool: str, where: str, name: str) -> str:
        of_it = found.get((tool, where, name))
        return "" if not of_it else f"{of_it.mean:{'.2f' if of_it.mean < 100 else '.0f'}}"

    lines = [
        "| tool | mean error, pp | MSE, pp² | beside other work: mean error, pp | MSE, pp² | runs |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for tool in seen:
        cells = [
            mean(tool, where, name) for where in ("idle", "background") for name in ("mean_error_pp", "mse_500_pp2")
        ]
        lines.append(f"| {NAMES[tool]} | {' | '.join(cells)} | {sum(row['tool'] == tool for row in used)} |")
    loads = sorted({int(float(row["target_percent"])) for row in used})
    none = sorted({int(float(row["target_percent"])) for row in used if mark_of(row, processors)})
    said = f"Means over workloads, at loads of {listed(map(str, loads))} %; of the mean errors, the sizes. A tool runs on those workloads that it can handle."
    if none:
        said += f" Whole instances, and so N-bench, can't make {listed(map(str, none))} % of {processors} processors."
    bursts = figures.bursts_said(used)
    if bursts.startswith("None of "):
        said += f" Others took more than 3 % of the machine in none of {bursts.split()[2]} samples."
    elif not bursts[0].isdigit():
        said += f" {bursts}"
    else:
        count, samples = (sum(int(row[name] or 0) for row in used) for name in ("bursts", "samples"))
        said += (
            f" Without the {count} of {samples} samples in which others took more than 3 % of the machine: Showstopper "
        )
        calm = {
            where: [mean("default", where, name) for name in ("calm_error_pp", "calm_mse_500_pp2")]
            for where in ("idle", "background")
        }
        said += f"{calm['idle'][0]} pp and {calm['idle'][1]} pp²" if calm["idle"][1] else "has none left"
        said += (
            f", beside other work {calm['background'][0]} pp and {calm['background'][1]} pp²."
            if calm["background"][1]
            else "."
        )
    return "\n".join([*lines, "", said]) + "\n"


# ---- The picture ------------------------------------------------------------------------------------------------------------------


def group_name(row: Row) -> str:
    count = {"P": "1 per processor", "6P": "6 per processor"}.get(row["instances"], row["instances"])
    return (
        f"{row['workload']}, {count}{chr(92)}nbeside other work"
        if row["background"] == "background"
        else f"{row['workload']}, {count}"
    )


def picture_of(rows: Sequence[Row], file: Path) -> Iterator[str]:
    """For gnuplot: mean error and MSE of every tool on every workload, logarithmic, each point a target load. Tools side by side within a workload, so that
    none hides another."""
    of = [row for row in rows if row["tool"] not in ("steps", "many")]
    groups = list(dict.fromkeys(group_name(row) for row in of))
    tools = list(dict.fromkeys(row["tool"] for row in of))
    yield "set terminal svg size 1100,820 font 'sans,12' background '#ffffff'"
    yield f"set output '{str(file).replace(chr(39), chr(39) * 2)}'"
    yield "set multiplot layout 2,1"
    yield f"set logscale y\nset grid ytics lc rgb '#dddddd'\nset lmargin 12\nset bmargin 4\nset xrange [0.5:{len(groups)}.5]\nset key outside right top noenhanced"
    tics = ",".join(f'"{name}" {place}' for place, name in enumerate(groups, 1))
    yield f"set xtics ({tics}) {'rotate by -20' if len(groups) > 4 else ''} noenhanced".replace(" noenhanced", "")
    for place in range(1, len(groups)):
        yield f"set arrow from {place}.5, graph 0 to {place}.5, graph 1 nohead lc rgb '#eeeeee'"
    for number_of, tool in enumerate(tools):
        yield f"$tool{number_of} << EOD"
        for row in of:
            if row["tool"] == tool:
                error, mse = max(size(row, "mean_error_pp") or 0.0, FLOOR), max(
                    number(row, "mse_500_pp2") or 0.0, FLOOR
                )
                yield f"{groups.index(group_name(row)) + 1} {error:.4f} {mse:.4f}"
        yield "EOD"
    for name, column in (("size of the mean error, pp", 2), ("mean squared error, pp²", 3)):
        yield f'set ylabel "{name}\\n(at the bottom: {FLOOR:g} or less)"'
        yield "set yrange [0.008:*]"
        plots = []
        for place, tool in enumerate(tools):
            shift = 0.8 * (place - (len(tools) - 1) / 2) / max(1, len(tools))
            style = f"pt {7 if place == 0 else 4 + place} ps {1.0 if place == 0 else 0.8} lc rgb '{COLOURS[TOOLS.split().index(tool) % len(COLOURS)]}'"
            plots.append(f"$tool{place} using ($1 + {shift:.4f}):{column} with points {style} title '{tool}'")
        yield "plot " + ", ".join(plots)
    yield "unset multiplot"


def report(build: Path, folder: Path) -> None:
    """Tables, verdicts and the picture, also of what isn't complete yet. Prints the goals."""
    rows = [line for file in sorted((folder / "sessions").glob("*/rows.csv")) for line in lines_of(file)]
    if not rows:
        raise Trouble(f"no session in {folder} is complete")
    write(folder / "peers.csv", "".join(f"{line}\n" for line in [ROWS, *rows]))
    medians = medians_of(build, rows_of((folder / "peers.csv").read_text()))
    write(folder / "medians.csv", table_text([list(medians[0]), *(list(row.values()) for row in medians)]))
    machine = dict(line.split(": ", 1) for line in lines_of(folder / "machine.txt") if ": " in line)
    processors = int(machine.get("processors", "1").split()[0])
    background = float(machine.get("load of the background program alone", "0 %").split()[0])
    steps = [row for file in sorted((folder / "sessions").glob("*/steps.csv")) for row in read_csv(file)]
    goals = goals_of(medians, steps, processors, background)
    # Made anew with each report.
    (folder / "peers.svg").unlink(missing_ok=True)
    if has_program("gnuplot"):
        script = "".join(f"{line}\n" for line in picture_of(medians, folder / "peers.svg"))
        if subprocess.run(["gnuplot"], input=script, text=True).returncode != 0:
            raise Trouble("gnuplot failed")
    else:
        print("no picture: gnuplot is missing")
    text = (
        "Mean error (load minus target) in percentage points, mean squared error (MSE) in pp² of windows of 500 ms, both of the whole\n"
        "machine; medians over the repeats. In brackets: the ratio to Showstopper with default settings.\n\n"
    )
    text += "".join(f"{line}\n" for line in group_tables(medians, processors))
    if left_out := lines_of(folder / "left-out"):
        text += "\nLeft out, since the machine stood still for a while in each of several attempts:\n\n"
        text += "".join(f"- {line}\n" for line in left_out)
    if (folder / "peers.svg").exists():
        text += "\n![Mean error and mean squared error of all tools on all workloads, each point a target load](peers.svg)\n"
    text += f"\n### Goals\n\n{goals}"
    write(folder / "tables.md", text)
    head = "".join(f"- {line}\n" for line in lines_of(folder / "machine.txt"))
    write(folder / "peers.md", f"# Showstopper and its peers\n\n{head}\n{text}")
    write(folder / "summary.md", summary_of(build, medians, processors, background))
    print(f"{goals}tables and picture: {folder}")
