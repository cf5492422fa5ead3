# SPDX-License-Identifier: MIT
"""The settings and baselines that the papers compare, as options of showstopper, and the tables of what they came to."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from pathlib import Path

from measure import figures
from measure.batch import Experiment, Part
from measure.machine import EXPERIMENTS
from measure.report import Report
from measure.runs import Group, Run
from measure.text import Row, Trouble, kept_csv, lines_of, listed, number, rows_of, table_text

# The paper's, Section 4.2: base period 333 ms, quantum 107 ms; our executors share samples for 160 ms.
PAPER = "-f realtime -F 333m,share=160m -d averageq -D 107m"
SETTINGS = {
    "N-bench": "-c open -C duty=1",
    "CDC": "-c open -d averageq -D 107m",
    "1CDC": "-c open -d averageq -D 107m",
    "1DC": "-c open -d averageq -D 4s",  # Section 2.1
    "geom-uneven": f"{PAPER} -c geom -s uneven",
    "geom-even": f"{PAPER} -c geom -s even",
    "PI-uneven": f"{PAPER} -c rbpid -s uneven",
    "PI-even": f"{PAPER} -c rbpid -s even",
    "default": "",
}
BASELINES = ("N-bench", "CDC", "1CDC", "1DC", "baseline")


def setting_run(
    own: Experiment, name: str, workload: str, target: str, repetition: int, shown: str = "", options: str = ""
) -> Run:
    """A run that holds a constant load, or what the options say; `shown` is what its setting is called in tables."""
    count = own.instances_of(workload)
    if name == "N-bench":
        # Instances that nobody stops. The log needs a target all the same.
        count = str(figures.whole_instances(float(target), own.processors))
    elif name in ("1CDC", "1DC"):
        count = "1"
    words, shown = f"{options or f'-T {target}%'} {SETTINGS[name]}".split(), shown or name
    parts, groups = (workload, target, shown), (Group(workload, count),)
    return Run(parts, groups, own.seconds, tuple(words), shown, repetition, target)


def settling(seconds: int) -> str:
    """What ssreport leaves out after the warm-up at full speed: the paper's settings take two to three seconds from there."""
    return "3s" if seconds >= 9 else f"{seconds * 1000 // 3}m"


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


def means_over_repeats(
    part: Part, rows: Sequence[tuple[Run, Row]], row_name: str, columns: Sequence[Column]
) -> list[Row]:
    """A row for each workload, target and setting, with the means of these columns over the runs that know them, or with sums, which all must know."""
    values = (
        ((run.workload, run.target, run.setting, column.name), column.factor * value)
        for run, row in rows
        for column in columns
        if (value := number(row, column.source)) is not None
    )
    found = figures.summaries(part.build, values)
    made: list[Row] = []
    for key, count in Counter((run.workload, run.target, run.setting) for run, _ in rows).items():
        made.append(dict(zip(("workload", row_name, "setting", "repeats"), (*key, str(count)))))
        for column in columns:
            of = found.get((*key, column.name))
            is_known = of and not (column.is_sum and of.count < count)
            value = (of.total if column.is_sum else of.mean) if of and is_known else None
            made[-1][column.name] = "" if value is None else format(value, column.form)
            if column.has_half:
                made[-1][f"{column.name}_half"] = f"{of.half:.3g}" if of and of.half is not None else ""
    return made


def write_rows(part: Part, name: str, rows: Sequence[Row]) -> None:
    (part.output / name).write_text(table_text([list(rows[0]), *(list(row.values()) for row in rows)]))


def by_run(part: Part, text: str) -> list[tuple[Run, Row]]:
    """Rows of ssreport's, whose labels were those of the runs."""
    runs = {run.label: run for run in part.complete}
    return [(runs[row["label"]], row) for row in rows_of(text)]


def measure(part: Part, what: str, row_name: str, columns: Sequence[Column], options: Iterable[str],
            files: Callable[[Run], list[Path]]) -> list[Row]:  # fmt: skip
    """Writes WHAT-runs.csv, that is what this subcommand of ssreport says of each run, and WHAT.csv, the means over repeats."""
    if not part.complete:
        raise Trouble("no run is complete")
    words = [word for run in part.complete for word in ("-l", run.label, *files(run))]
    text = figures.report_text(part.build, what, *options, *words)
    (part.output / f"{what}-runs.csv").write_text(text)
    rows = means_over_repeats(part, by_run(part, text), row_name, columns)
    write_rows(part, f"{what}.csv", rows)
    return rows


def measure_accuracy(part: Part, row_name: str, *options: str) -> list[Row]:
    """Writes accuracy.csv, and repeats.csv where there are several of a run. Options are ssreport's."""
    columns = [Column(name, name) for name in ("mean_error_pp", "mse_pp2")]
    columns += [Column(name, name, ".0f", is_sum=True) for name in ("samples", "bursts")]
    columns += [Column(name, name) for name in ("calm_mean_error_pp", "calm_mse_pp2")]
    rows = measure(part, "accuracy", row_name, columns, options, lambda run: [part.log(run)])
    (part.output / "repeats.csv").unlink(missing_ok=True)
    if max(run.repetition for run in part.runs) > 1:
        words = [word for run in part.complete for word in ("-l", run.series, part.log(run))]
        (part.output / "repeats.csv").write_text(figures.report_text(part.build, "repeats", *options, *words))
    return rows


def measure_throughput(part: Part, row_name: str) -> list[Row]:
    """Writes throughput.csv: mean load, and iterations per second of all instances together. A run without an iteration should not cost the others their
    report."""
    part.left_out = [run for run in part.complete if not any(lines_of(file)[1:] for file in part.records(run))]
    part.complete = [run for run in part.complete if run not in part.left_out]
    if part.left_out and not part.complete:
        raise Trouble("no iteration ended in any run; --time makes runs longer")
    columns = [Column("load", "load_percent", factor=100), Column("throughput", "throughput", ".5g", has_half=True)]
    return measure(part, "throughput", row_name, columns, ("-i", "1d"), lambda run: [part.log(run), *part.records(run)])


# ---- Tables and sentences ---------------------------------------------------------------------------------------------------------


def of_workload(rows: Iterable[Row], workload: str) -> list[Row]:
    return [row for row in rows if row["workload"] == workload]


def is_judged(row: Row | None) -> bool:
    """A row without samples says nothing, nor does one all of whose samples met bursts of others."""
    return bool(row and row["mse_pp2"] and not (row.get("bursts") and row["bursts"] == row["samples"]))


def with_others(
    part: Part, workload: str, table: list[list[str]], row_of: Callable[[str], str] = str
) -> list[list[str]]:
    """Of a machine that was busy, with the share of others beside each row."""
    if not part.busy:
        return table
    shares = ((run, part.others(run)) for run in part.complete if run.workload == workload)
    found = figures.summaries(part.build, (((run.target,), share) for run, share in shares if share is not None))
    cells = [f"{of.mean:.1f}" if (of := found.get((row_of(row[0]),))) else "" for row in table[1:]]
    return [[*table[0], "others (%)"], *([*row, cell] for row, cell in zip(table[1:], cells))]


def pivot(
    part: Part, rows: Sequence[Row], workload: str, row_name: str, settings: Sequence[str], *columns: str
) -> list[list[str]]:
    return with_others(part, workload, figures.pivot(of_workload(rows, workload), row_name, settings, *columns))


def keep_table(part: Part, name: str, table: Sequence[Sequence[str]]) -> Path:
    (part.output / name).write_text(table_text(table))
    return part.output / name


def write_table(part: Part, name: str, table: Sequence[Sequence[str]]) -> None:
    keep_table(part, name, table)
    part.report.table(table)


def report_calm(part: Part, rows: Sequence[Row], workload: str, row_name: str, settings: Sequence[str]) -> None:
    """How many samples met a burst of others, and where some did the figures of the rest."""
    said = figures.bursts_said(of_workload(rows, workload))
    if not said[0].isdigit():
        part.report.text(said)
        return
    part.report.text(f"{said} Without them:")
    table = pivot(part, rows, workload, row_name, settings, "calm_mean_error_pp", "calm_mse_pp2")
    write_table(part, f"calm-{workload}.csv", table)


def report_near(part: Part) -> None:
    """How many runs of Showstopper, without those of baselines, were near their targets, as the paper counts them (Section 9)."""
    rows = by_run(part, (part.output / "accuracy-runs.csv").read_text())
    near = [number(row, "near") or 0.0 for run, row in rows if run.setting not in BASELINES]
    if mean := figures.summarize(part.build, near):
        some, most = (f"{100 * sum(share >= least for share in near) / len(near):.0f} %" for least in (0.8, 0.9))
        part.report.text(
            f"Of {len(near)} runs under control, {some} had at least 80 % of their samples within 5 pp of the target, and {most} at least 90 %;"
            f" in the mean {100 * mean.mean:.1f} % of the samples were."
        )


def report_paper(report: Report, table: str, what: str) -> None:
    """What the paper's rows below ours are."""
    report.text(
        f"Rows that begin with paper: have what {table} of paper 000 says of {what} and of a benchmark of the same class, whose name"
        " stands there: on another machine and with another workload, so that their size compares, and not their last digit."
    )


def report_whole(report: Report, targets: Iterable[str], processors: int) -> None:
    """Which of these loads N-bench can't make, as whole instances of a processor each don't add up to them."""
    none = [target for target in targets if not figures.is_whole(float(target), processors)]
    if none:
        report.text(
            f"{processors} processors have no whole instances for {listed(none)} %, so that there N-bench is no baseline."
        )


def report_repeats(part: Part) -> None:
    """Means over repeats with their confidence intervals, of all samples and of those without a burst."""
    rows = kept_csv(part.output / "repeats.csv")
    if not rows:
        return

    def interval(row: Row, of: str) -> str:
        mean, low, high = (number(row, f"{of}{name}") for name in ("mean", "low", "high"))
        ends = f" ({low:.2f} to {high:.2f})" if low is not None and high is not None else ""
        return "" if mean is None else f"{mean:.2f}{ends}"

    found = {(row["label"], row["figure"]): row for row in rows}
    runs_of = {row["label"]: row["runs"] for row in rows}
    table = [["run", "runs", "mean error", "MSE", "mean error without bursts", "MSE without bursts"]]
    for label in runs_of:
        both = [found.get((label, figure), {}) for figure in ("mean_error_pp", "mse_pp2")]
        cells = [interval(row, of) for of in ("", "calm_") for row in both]
        table.append([label.replace("_", " "), runs_of[label], *cells])
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
