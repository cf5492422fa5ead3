# SPDX-License-Identifier: MIT
"""The settings and baselines that the papers compare, as options of showstopper, and the tables of what they came to."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import showstopper
from measure.batch import Experiment, Part
from measure.machine import EXPERIMENTS
from measure.options import option, whole
from measure.process import output_of
from measure.report import Report
from measure.runs import DAY_S, Group, Run
from measure.text import Row, formatted, grouped, lines_of, listed, number, records, refuse, rows_of, table_text

if TYPE_CHECKING:
    import pandas as pd

# Section 4.2 of paper 000: base period 333 ms, quantum 107 ms; executors share samples for 160 ms. `jitter=0` is the paper's, too.
FEEDBACK, QUANTUM = "-f realtime -F 333m,share=160m", "-d averageq -D 107m"
EQUATIONS = {"geom": ("geom", "level=0,repay=0"), "PI": ("rbpid", "integral=own,level=0,repay=0,windup=none")}
OPEN = {"CDC": QUANTUM, "1CDC": QUANTUM, "1DC": "-d averageq -D 4s"}  # Section 2.1
PLUS = (
    "Names without + are the papers' bare equations; + adds what is ours: workloads of equal time and one integral for all, repaid work, a clamp"
    " against windup, and epochs that begin at random and differ in length."
)
SETTINGS = {"N-bench": "-c open -C duty=1", "default": ""}
for _name, _words in OPEN.items():
    SETTINGS |= {_name: f"-c open {_words},jitter=0", f"{_name}+": f"-c open {_words}"}
for (_name, (_control, _bare)), _space in product(EQUATIONS.items(), ("uneven", "even")):
    SETTINGS |= {
        f"{_name}-{_space}": f"{FEEDBACK} {QUANTUM},jitter=0 -c {_control} -C {_bare} -s {_space}",
        f"{_name}-{_space}+": f"{FEEDBACK} {QUANTUM} -c {_control} -s {_space}",
    }
CONTROLLED = [name for name in SETTINGS if "-" in name and name != "N-bench"] + ["default"]
BASELINES = ("N-bench", *OPEN, *(f"{name}+" for name in OPEN), "baseline")
PHASED = ("CDC+", "1CDC+")  # Chance decides the load, by the phases of their instances.


def options_of(words: str) -> list[str]:
    """Options of showstopper, the first of which may be a setting by its name."""
    first, *more = words.split() or [""]
    return [*SETTINGS.get(first, first).split(), *more]


def whole_instances(target: float, processors: int) -> int:
    """As many of N-bench, which take a processor each, as come closest to a load."""
    return max(1, int(target / 100 * processors + 0.5))


def is_whole(target: float, processors: int) -> bool:
    """Whether these make up a load, to within a percentage point: what N-bench can do at best. Of other loads it is nobody's fault to miss them, and no merit to
    come closer."""
    return abs(100 * whole_instances(target, processors) / processors - target) <= 1


# ---- Runs -------------------------------------------------------------------------------------------------------------------------


class Phased(Experiment):
    """What runs CDC+ and 1CDC+ over many phases."""

    # fmt: off
    phases = option("--phases N", whole(1), 10,
        "how often CDC+ and 1CDC+ are run at least, whose load is decided by the phases of their instances (10)")
    phase_seed = option("--phase-seed SEED", whole(0), 1, "of the first phase; the next has the next one (1)")
    # fmt: on

    def settling(self) -> float:
        return settling(self.seconds)

    def targets_of_phases(self) -> list[str]:
        """At which CDC is simulated."""
        return self.targets

    def repeated(self, cells: Iterable[tuple[str, str, str]]) -> Iterator[tuple[int, str, str, str]]:
        """Workload, target and setting, behind which repetition it is."""
        found = list(cells)
        for again in range(1, max(self.repeat, self.phases) + 1):
            for cell in found:
                if again <= self.repeat or cell[2] in PHASED:
                    yield again, *cell

    def setting_run(self, name: str, workload: str, target: str, again: int, options: str = "") -> Run:
        run = setting_run(self, name, workload, target, again, options=options)
        if name not in PHASED:
            return run
        return replace(run, options=(*run.options[:-1], f"{run.options[-1]},seed={self.phase_seed + again - 1}"))


def setting_run(
    own: Experiment, name: str, workload: str, target: str, repetition: int, shown: str = "", options: str = ""
) -> Run:
    """A run that holds a constant load, or what the options say; `shown` is what its setting is called in tables."""
    count = own.instances_of(workload)
    if name == "N-bench":
        # Instances that nobody stops. The log needs a target all the same.
        count = str(whole_instances(float(target), own.processors))
    elif name.startswith("1"):
        count = "1"
    words, shown = f"{options or f'-T {target}%'} {SETTINGS[name]}".split(), shown or name
    return Run(
        (workload, target, shown), (Group(workload, count),), own.seconds, tuple(words), shown, repetition, target
    )


def settling(seconds: int) -> float:
    """Seconds that are left out after the warm-up at full speed: the paper's settings take two to three from there."""
    return 3.0 if seconds >= 9 else seconds * 1000 // 3 / 1000


def papers_table(name: str) -> list[Row]:
    """What the papers have, without comments."""
    text = (EXPERIMENTS / "paper" / name).read_text()
    return rows_of("".join(f"{line}\n" for line in text.splitlines() if not line.startswith("#")))


# ---- Figures ----------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Column:
    """A figure of ssreport's, multiplied by a factor; the mean over repeats, or their sum."""

    source: str
    name: str
    form: str = ".3f"
    factor: float = 1
    is_sum: bool = False
    has_half: bool = False


def means_over_repeats(rows: Sequence[tuple[Run, Row]], row_name: str, columns: Sequence[Column]) -> list[Row]:
    """A row for each workload, target and setting, with the means of these columns over the runs that know them, or with sums, which all must know."""
    import numpy as np

    made: list[Row] = []
    for key, own in grouped(((run.workload, run.target, run.setting), row) for run, row in rows).items():
        made.append(dict(zip(("workload", row_name, "setting", "repeats"), (*key, str(len(own))))))
        for column in columns:
            values = column.factor * np.array([number(row, column.source) for row in own], float)
            mean, _, high = showstopper.mean_interval(values)
            made[-1][column.name] = formatted(values.sum() if column.is_sum else mean, column.form)
            if column.has_half:
                made[-1][f"{column.name}_half"] = formatted(high - mean, ".3g")
    return made


def keep_frame(part: Part, name: str, frame: pd.DataFrame, table: str) -> None:
    """A table of the package, as ssreport writes it."""
    from showstopper.cli.tables import to_csv

    (part.output / name).write_text(to_csv(frame, showstopper.SCHEMAS[table]))


def write_rows(part: Part, name: str, rows: Sequence[Row]) -> None:
    (part.output / name).write_text(table_text([list(rows[0]), *(list(row.values()) for row in rows)]))


def by_run(part: Part, what: str) -> list[tuple[Run, dict[str, Any]]]:
    """Rows of a table of all runs, whose labels are those of the runs."""
    runs = {run.label: run for run in part.complete}
    return [(runs[row["label"]], row) for row in records(part.tables[what])]


def measure(
    part: Part, what: str, row_name: str, columns: Sequence[Column], files: Callable[[Run], list[Path]], **how: Any
) -> list[Row]:
    """Writes WHAT-runs.csv, that is what the package's table WHAT has of each run, and WHAT.csv, the means over repeats."""
    refuse(not part.complete, "no run is complete")
    part.tables[what] = getattr(showstopper, what)({run.label: files(run) for run in part.complete}, **how)
    keep_frame(part, f"{what}-runs.csv", part.tables[what], what)
    rows = means_over_repeats(by_run(part, what), row_name, columns)
    write_rows(part, f"{what}.csv", rows)
    return rows


def measure_accuracy(part: Part, row_name: str, **how: Any) -> list[Row]:
    """Writes accuracy.csv, and repeats.csv where there are several of a run. `how`: options of showstopper.accuracy."""
    columns = [Column(name, name) for name in ("mean_error_pp", "mse_pp2")]
    columns += [Column(name, name, ".0f", is_sum=True) for name in ("samples", "bursts")]
    columns += [Column(name, name) for name in ("calm_mean_error_pp", "calm_mse_pp2")]
    rows = measure(part, "accuracy", row_name, columns, lambda run: [part.log(run)], **how)
    (part.output / "repeats.csv").unlink(missing_ok=True)
    if max(run.repetition for run in part.runs) > 1:
        table = part.tables["accuracy"].replace({"label": {run.label: run.series for run in part.complete}})
        part.tables["repeats"] = showstopper.repeats(table)
        keep_frame(part, "repeats.csv", part.tables["repeats"], "repeats")
    return rows


def measure_throughput(part: Part, row_name: str) -> list[Row]:
    """Writes throughput.csv: mean load, and iterations per second of all instances together. A run without an iteration should not cost the others their
    report."""
    part.left_out = [run for run in part.complete if not any(lines_of(file)[1:] for file in part.records(run))]
    part.complete = [run for run in part.complete if run not in part.left_out]
    refuse(part.left_out and not part.complete, "no iteration ended in any run; --time makes runs longer")
    columns = [Column("load", "load_percent", factor=100), Column("throughput", "throughput", ".5g", has_half=True)]
    return measure(part, "throughput", row_name, columns, part.files, interval_s=DAY_S)


# ---- Tables and sentences ---------------------------------------------------------------------------------------------------------


def of_workload(rows: Iterable[Row], workload: str) -> list[Row]:
    return [row for row in rows if row["workload"] == workload]


def is_baseline(name: str, target: float, processors: int, mean_error: float) -> bool:
    """N-bench is none where whole instances make up the target exactly, or can't make it. `mean_error` is that of its runs, in percentage points."""
    return name != "N-bench" or (is_whole(target, processors) and abs(mean_error) > 1)


def is_judged(row: Mapping[str, Any] | None) -> bool:
    """A row without samples says nothing, nor does one all of whose samples met bursts of others."""
    if row is None or number(row, "mse_pp2") is None:
        return False
    bursts = number(row, "bursts")
    return bursts is None or bursts != number(row, "samples")


def with_others(
    part: Part, workload: str, table: list[list[str]], row_of: Callable[[str], str] = str
) -> list[list[str]]:
    """Of a machine that was busy, with the share of others beside each row."""
    return beside_others(part, table, ((run.target, run) for run in part.complete if run.workload == workload), row_of)


def beside_others(
    part: Part, table: list[list[str]], runs: Iterable[tuple[str, Run]], row_of: Callable[[str], str] = str
) -> list[list[str]]:
    """The same, of runs behind what their row is called."""
    if not part.busy:
        return table
    shares = grouped((row, part.others(run)) for row, run in runs)
    cells = [formatted(showstopper.mean_interval(shares.get(row_of(row[0]), []))[0], ".1f") for row in table[1:]]
    return [[*table[0], "others (%)"], *([*row, cell] for row, cell in zip(table[1:], cells))]


FEW = 20  # samples, whose mean tells nothing


def few_said(count: int) -> str:
    """In place of a figure of few samples; nothing where there are enough."""
    return f"{count} sample{'' if count == 1 else 's'}" if count < FEW else ""


def without_few(rows: Iterable[Row]) -> list[Row]:
    """Rows in which the number of samples stands in place of a figure of few; those without a burst are counted for themselves."""
    made = []
    for row in rows:
        samples, bursts = (int(number(row, name) or 0) for name in ("samples", "bursts"))
        for names, count in (("mean_error_pp mse_pp2", samples), ("calm_mean_error_pp calm_mse_pp2", samples - bursts)):
            if "samples" in row and (said := few_said(count)):
                row = row | {name: said for name in names.split() if row.get(name)}
        made.append(row)
    return made


def heads(head: str, settings: Iterable[str], columns: Sequence[str]) -> list[str]:
    """A column for each setting; where several figures are shown, one for each of them."""
    return [head, *(f"{of}: {column}" if len(columns) > 1 else of for of in settings for column in columns)]


def pivot(rows: Sequence[Row], head: str, settings: Sequence[str], *columns: str) -> list[list[str]]:
    """A row for each value of the column `head`, by its size, a column for each figure of each setting; with a ± where there is a column NAME_half."""

    def value(row: Row, column: str) -> str:
        half = row.get(f"{column}_half")
        return row[column] + (f" ±{half}" if half else "")

    cells = {(row[head], row["setting"]): [value(row, name) for name in columns] for row in rows if row[columns[0]]}
    table, none = [heads(head, settings, columns)], [""] * len(columns)
    for of in sorted({row[head]: 0 for row in rows}, key=lambda text: float(text) if is_load(text) else math.inf):
        table.append([of, *(cell for name in settings for cell in cells.get((of, name), none))])
    return table


def pivot_of(
    part: Part, rows: Sequence[Row], workload: str, row_name: str, settings: Sequence[str], *columns: str
) -> list[list[str]]:
    return with_others(part, workload, pivot(without_few(of_workload(rows, workload)), row_name, settings, *columns))


def keep_table(part: Part, name: str, table: Sequence[Sequence[str]]) -> Path:
    (part.output / name).write_text(table_text(table))
    return part.output / name


def write_table(part: Part, name: str, table: Sequence[Sequence[str]]) -> None:
    keep_table(part, name, table)
    part.report.table(table)


def bursts_said(rows: Iterable[Row]) -> str:
    """How many samples of how many met a burst."""
    found = [(number(row, "samples") or 0, number(row, "bursts")) for row in rows]
    samples, bursts = sum(of for of, _ in found), [of for _, of in found if of is not None]
    if not samples or len(bursts) < len(found):
        return "What others did meanwhile is unavailable."
    return f"{round(sum(bursts)) or 'None'} of {round(samples)} samples met a burst of others."


def report_calm(part: Part, rows: Sequence[Row], workload: str, row_name: str, settings: Sequence[str]) -> None:
    """How many samples met a burst of others, and where some did the figures of the rest."""
    said = bursts_said(of_workload(rows, workload))
    if not said[0].isdigit():
        part.report.text(said)
        return
    part.report.text(f"{said} Without them:")
    table = pivot_of(part, rows, workload, row_name, settings, "calm_mean_error_pp", "calm_mse_pp2")
    write_table(part, f"calm-{workload}.csv", table)


def is_near(row: Mapping[str, Any]) -> bool:
    """Whether the load of this run was within 5 % of its target, as Section 9 of paper 000 has it: an experiment counts as a whole."""
    error, target = number(row, "mean_error_pp"), number(row, "target")
    return error is not None and target is not None and abs(error) <= 5 * target


def report_near(part: Part) -> None:
    """In how many runs of Showstopper, without those of baselines, the load was near its target."""
    own = [row for run, row in by_run(part, "accuracy") if run.setting not in BASELINES]
    near = [is_near(row) for row in own if is_judged(row)]
    met = len(own) - len(near)
    but = f" All samples of {met} more met bursts of others, so that they don't count." if met else ""
    if own:
        part.report.text(
            f"In {sum(near)} of {len(near)} runs under control the mean load was within 5 % of the target (Section 9 of paper 000: in 80 % of all"
            f" experiments, and 90 % of those on Linux without virtual machines).{but}"
        )


ENDS = {"median": "median", "least": "min", "most": "max"}


def distributions(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Median, least and greatest over the phases of each workload, target and setting."""
    import pandas as pd

    of = pd.DataFrame(rows).groupby(["workload", "target_percent", "setting"], sort=False)
    both = product(("mean_error_pp", "mse_pp2"), ENDS.items())
    ends = {f"{name}_{end}": (name, how) for name, (end, how) in both}
    return of.agg(phases=("setting", "size"), **ends).reset_index()


def spread_of(row: Mapping[Any, Any], name: str, form: str) -> str:
    """The median, and the least and greatest in brackets."""
    median, least, most = (formatted(row[f"{name}_{end}"], form) for end in ENDS)
    return f"{median} ({least} to {most})" if row["phases"] > 1 and median else median


def report_phases(own: Phased, part: Part, chosen: Sequence[str]) -> None:
    """What the phases of CDC make of its load: phases.csv of this machine, phases-simulated.csv of 12 processors."""
    names = [name for name in chosen if name.removesuffix("+") in ("CDC", "1CDC")]
    if not names:
        return
    rows = [
        {"workload": run.workload, "target_percent": run.target, "setting": run.setting} | row
        for run, row in by_run(part, "accuracy")
        if run.setting in names and is_load(run.target)
    ]
    part.report.heading("Constant duty cycles and their phases")
    part.report.text(
        "Nothing but the phases of the instances decides what load a constant duty cycle makes, and where threads fill more than a processor by how much it"
        f" is missed. CDC has all epochs begin together (jitter=0). CDC+ has them begin at random, {own.phases} times: median, least and greatest of the runs."
    )
    for file, found in (("phases", rows), ("phases-simulated", simulated_phases(own, names))):
        if not found:
            continue
        if file != "phases":
            part.report.text(f"The same by sssim, on {SIMULATED} processors:")
        spreads = distributions(found)
        spreads.to_csv(part.output / f"{file}.csv", index=False, float_format="%.3f")
        table = [["workload", "target", "setting", "phases", "mean error (pp)", "MSE (pp²)"]]
        for row in records(spreads):
            cells = [spread_of(row, "mean_error_pp", "+.2f"), spread_of(row, "mse_pp2", ".2f")]
            table.append([row["workload"], f"{row['target_percent']} %", row["setting"], str(row["phases"]), *cells])
        part.report.table(table)


SIMULATED = 12  # processors, as in the paper
MODELS = {"single-threaded": "single", "moderately parallel": "contended:threads=6"}
MODELS["highly parallel"] = "parallel:threads=4"


def simulated_phases(own: Phased, names: Iterable[str]) -> list[dict[str, Any]]:
    """A model for each class of the workloads, half a minute each."""
    from showstopper.accuracy import accuracy

    models = [MODELS[name] for name in dict.fromkeys(map(own.class_of, own.workloads)) if name in MODELS]
    plus = {of for name in names for of in (name.removesuffix("+"), f"{name.removesuffix('+')}+")}
    rows: list[Row] = []
    with TemporaryDirectory() as folder:
        logs: list[Path] = []
        for model, target, name in product(models, filter(is_load, own.targets_of_phases()), sorted(plus)):
            count = 1 if name.startswith("1") else SIMULATED
            for phase in range(own.phases if name in PHASED else 1):
                log = Path(folder) / f"{len(rows)}.csv"
                options = f"{SETTINGS[name]},seed={own.phase_seed + phase}" if name in PHASED else SETTINGS[name]
                fixed = f"-q -p {SIMULATED} -W {model} -n {count} -r 30s -T {target}% -o".split()
                output_of([own.build / "sssim", *fixed, log, *options.split()])
                rows.append({"workload": model, "target_percent": target, "setting": name})
                logs.append(log)
        return [row | own for row, own in zip(rows, records(accuracy(logs)))] if logs else []


def is_load(target: str) -> bool:
    return target.replace(".", "", 1).isdigit()


def report_paper(report: Report, table: str, what: str) -> None:
    """What the paper's rows below ours are."""
    report.text(
        f"Rows that begin with paper: have what {table} of paper 000 says of {what} and of a benchmark of the same class, whose name"
        " stands there: on another machine and with another workload, so that their size compares, and not their last digit."
    )


def report_whole(report: Report, targets: Iterable[str], processors: int) -> None:
    """Which of these loads N-bench can't make, as whole instances of a processor each don't add up to them."""
    none = [target for target in targets if not is_whole(float(target), processors)]
    if none:
        report.text(
            f"{processors} processors have no whole instances for {listed(none)} %, so that there N-bench is no baseline."
        )


def interval(row: Mapping[str, Any], of: str, form: str = ".2f") -> str:
    """A mean of the table "repeats", behind which its confidence interval stands; `of` is calm_ for samples without a burst."""
    mean, low, high = (number(row, f"{of}{name}") for name in ("mean", "low", "high"))
    ends = f" ({low:{form}} to {high:{form}})" if low is not None and high is not None else ""
    return "" if mean is None else f"{mean:{form}}{ends}"


def report_repeats(part: Part) -> None:
    """Means over repeats with their confidence intervals, of all samples and of those without a burst."""
    if "repeats" not in part.tables:
        return
    head = "run,runs,mean error,MSE,runs without bursts,mean error without bursts,MSE without bursts"
    table = [head.split(",")]
    for label, of in part.tables["repeats"].groupby("label", sort=False):
        both = [row for row in records(of) if row["figure"] in ("mean_error_pp", "mse_pp2")]
        samples, bursts = int(both[0]["samples"]), both[0]["bursts"]
        cells = [few_said(samples) or interval(row, "") for row in both]
        calm = ["", ""]
        if bursts is not None:
            calm = [few_said(samples - int(bursts)) or interval(row, "calm_") for row in both]
        runs, calm_runs = (formatted(both[0][name], ".0f") for name in ("runs", "calm_runs"))
        table.append([label.replace("_", " "), runs, *cells, calm_runs, *calm])
    part.report.heading("Repeats")
    part.report.text("Means over repeated runs, with the interval that holds the true mean with a confidence of 95 %.")
    write_table(part, "repeats-shown.csv", table)


def report_intervals(part: Part, repeat: int) -> None:
    """What stands behind a ± in a table of throughput, and what is not in it."""
    if part.left_out:
        silent = listed(run.label for run in part.left_out)
        part.report.text(f"Left out are runs in which no iteration ended: {silent}; --time makes runs longer.")
    if repeat > 1:
        part.report.text("Behind ± stands half of the 95 % confidence interval of the mean over the repeats.")


def largest_errors(rows: Iterable[Row]) -> dict[str, float]:
    """The size of the largest mean error of each setting, of rows that have one."""
    worst: dict[str, float] = {}
    for row in rows:
        if row["mean_error_pp"]:
            worst[row["setting"]] = max(worst.get(row["setting"], 0.0), abs(float(row["mean_error_pp"])))
    return worst
