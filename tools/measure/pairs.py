# SPDX-License-Identifier: MIT
"""The report of pairs of workloads: interference, throughput and energy of the whole machine, another batch beside it."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING

import showstopper
from measure import pictures, settings, sides
from measure.batch import Part
from measure.report import Report
from measure.runs import Run
from measure.text import Row, Trouble, first_line, formatted, grouped, known, lines_of, listed, number
from measure.text import read_csv, records, refuse, succeeded

if TYPE_CHECKING:
    import pandas as pd

FOREGROUND, BACKGROUND = "foreground", "background"


def beside(run: Run) -> str:
    return run.workload.replace("/", " beside ")


def log_in(folder: Path, run: Run, environment: str) -> Path:
    """The control log of a run, with the load of the background's processors."""
    log = folder / "log.csv"
    if not sides.is_unpinned(run.scheme, environment):
        return log
    # Measured was the share of the whole machine, of which one half is the background's. It may take more than that for a moment; cut off there, its
    # mean would be too low where the load is high.
    made = [f"{line},{'0.5' if place else 'capacity'}\n" for place, line in enumerate(lines_of(log))]
    log = folder / "background-log.csv"
    log.write_text("".join(made))
    return log


@dataclass
class Pairs:
    """Of one part of a batch."""

    part: Part
    workloads: list[str]
    schemes: list[str]  # their names
    outliers: list[str]
    interference: list[Row] = field(default_factory=list)
    missed: int = 0  # of so many steps of all runs
    steps: int = 0

    @property
    def report(self) -> Report:
        return self.part.report

    def log(self, run: Run) -> Path:
        return log_in(self.part.folder(run), run, run.environment)

    def files(self, run: Run, *of_sides: str) -> list[Path]:
        """Its log, and the iteration records of these sides."""
        return [self.log(run), *(file for side in of_sides for file in self.part.records(run, side))]

    def words(self, runs: Iterable[Run], label: Callable[[Run], str], *of_sides: str) -> list[object]:
        """What ssreport is told of them."""
        return [word for run in runs for word in ("-l", label(run), *self.files(run, *of_sides))]

    def table_of(self, name: str, label: str, *recorded: list[Path]) -> pd.DataFrame | None:
        """The package's table of runs of one label; None where it refuses them. What it says of them is said, so that they should cost no others their place."""
        with warnings.catch_warnings():
            warnings.simplefilter("always", showstopper.InputWarning)
            warnings.showwarning = lambda message, *_: print(message, file=sys.stderr)
            try:
                runs = [run for of in recorded for run in showstopper.runs_of({label: of})]
                found: pd.DataFrame = getattr(showstopper, name)(runs)
                return found
            except showstopper.InputError as error:
                print(error, file=sys.stderr)
                return None

    # ---- Interference -----------------------------------------------------------------------------------------------------------

    def measure(self) -> None:
        """Leaves runs out in which a workload ended no iteration, or was never heard of in a step: they should not cost the others their report."""
        found: dict[Run, pd.DataFrame] = {}
        for run in self.part.complete:
            if any(map(succeeded, self.part.records(run, BACKGROUND))):
                table = self.table_of("interference", run.label, self.files(run, FOREGROUND))
                if table is not None:
                    found[run] = table
            if run not in found:
                print(f"{run.label} is of no use: a workload ended no iteration, or a step is missing", file=sys.stderr)
        self.part.left_out = [run for run in self.part.complete if run not in found]
        self.part.complete = list(found)
        (self.part.output / "usable.txt").write_text("".join(f"{run.label}\n" for run in found))
        refuse(not found, "no run is complete and of use")
        from pandas import concat

        rows = concat(found.values())
        settings.keep_frame(self.part, "interference-runs.csv", rows, "interference")
        curve = showstopper.curve({run.label: self.files(run, BACKGROUND) for run in found})
        settings.keep_frame(self.part, "background-runs.csv", curve, "curve")
        self.missed, self.steps = int(curve["missed"].notna().sum()), len(curve)
        self.interference = mean_interference(list(zip(found, records(rows))))
        settings.write_rows(self.part, "interference.csv", self.interference)

    def of_scheme(self, scheme: str) -> list[Row]:
        """Those that are known."""
        return [row for row in self.interference if row["scheme"] == scheme and row["interference"]]

    def table(self, scheme: str) -> list[list[str]]:
        """Foregrounds as rows, backgrounds as columns."""
        cells = {(row["foreground"], row["background"]): shown(row) for row in self.of_scheme(scheme)}
        return matrix(self.workloads, cells)

    def sentence(self, scheme: str, with_none: bool = True) -> str:
        rows = self.of_scheme(scheme)
        if not rows:
            return f"{scheme}: unknown for all pairs, as the load of the background stayed the same, or missed its targets."
        none = [row for row in rows if row["none"] == "yes"]
        met = sum(row["symmetric"] == row["significant"] == "yes" and row["none"] != "yes" for row in rows)
        count = sum(row["scheme"] == scheme for row in self.interference) - len(none)
        said = f"{scheme}: {from_to(rows)}; {met} of {count} pairs meet both criteria."
        of_none = [f"{row['foreground']} beside {row['background']}: none, within ±{within(row):.1f}" for row in none]
        return f"{said} {'; '.join(of_none)}." if none and with_none else said

    def report_tables(self) -> None:
        self.report.heading("Interference")
        self.report.text(
            "What the foreground (rows) would lose, in per cent, beside the background (columns) at full load: -100 times slope divided by intercept of a"
            " line through throughput over load, the mean of both halves of the staircase. An a marks pairs whose halves' lines are 3 degrees or more"
            " apart, a p those with a p-value of 0.05 or more. Behind a mean over repeats stands half of its 95 % confidence interval; where 0 lies in"
            " that, there is none, within so much. The darker, the more is lost."
        )
        if self.missed:
            why = "as their load missed its target by more than 2 pp"
            self.report.text(f"{self.missed} of {self.steps} steps of the background don't count, {why}.")
        if self.outliers:
            self.report.text(f"Without a say in the range of colours: {listed(self.outliers)}.")
        inner = [row for row in self.interference if not {row["foreground"], row["background"]} & set(self.outliers)]
        values = [float(row["interference"]) for row in inner if row["interference"]] or [0.0]
        low, high = (min(values), max(values)) if max(values) > min(values) else (values[0] - 1, values[0] + 1)
        for scheme in self.schemes:
            if runs := pictures.having(self.part, scheme=scheme):
                name, table = f"interference-{scheme}", self.table(scheme)
                csv = settings.keep_table(self.part, f"{name}.csv", table)
                self.report.text(f"{scheme}:")
                by_foreground = ((run.groups[0].workload, run) for run in runs)
                self.report.table(settings.beside_others(self.part, table, by_foreground))
                caption = f"{scheme}: interference"
                pictures.picture(self.part, "heatmap", name, caption, [csv], "--range", f"{low:g}:{high:g}")
                self.report.text(self.sentence(scheme))
                self.report.text(papers_interference(scheme))

    def draw_pairs(self, side: str, subcommand: str) -> None:
        """Of each workload on that side a row of ssreport's pictures, one for each on the other side, of first repetitions."""
        for of in self.workloads:
            drawn: list[str] = []
            for other in self.workloads:
                pair = f"{of}/{other}" if side == FOREGROUND else f"{other}/{of}"
                if words := self.words(self.by_scheme(pair, repetition=1), lambda run: run.scheme, side):
                    drawn.append(f"{side}-{of}-{other}.svg")
                    pictures.draw(subcommand, "-o", self.part.output / drawn[-1], *words)
            self.report.text(f"{of}, beside {listed(self.workloads)}:")
            self.report.row(of, drawn)

    def by_scheme(self, pair: str, **fields: object) -> list[Run]:
        return [
            run for scheme in self.schemes for run in pictures.having(self.part, workload=pair, scheme=scheme, **fields)
        ]

    # ---- Steps ------------------------------------------------------------------------------------------------------------------

    def report_steps(self, subcommand: str, column: str, title: str, unit: str, text: str) -> None:
        """Of workloads that ran beside themselves: values per step, and relative to the scheme of the paper, or the first one."""
        self.report.heading(title)
        self.report.text(text)
        for workload in self.workloads:
            runs = self.by_scheme(f"{workload}/{workload}")
            if not runs:
                continue
            words = self.words(runs, lambda run: run.scheme, FOREGROUND, BACKGROUND)
            reference = "per-chip" if "per-chip" in self.schemes else self.schemes[0]
            if len(self.schemes) < 2 or not any(run.scheme == reference for run in runs):
                reference = ""
            name, drawn = f"{subcommand}-{workload}", list[str]()
            steps = self.part.output / f"{name}-steps.csv"
            for end in ("", "-relative") if reference else ("",):
                drawn.append(f"{name}{end}.svg")
                options = ["--reference", reference] if end else []
                to = ["-o", steps, "-o", self.part.output / drawn[-1]]
                pictures.draw(subcommand, *options, *to, *words)
            percent = f" and per cent of {reference}" if reference else ""
            self.report.text(f"{workload} beside {workload}, {unit}{percent}, in each step:")
            rows = read_csv(steps)
            settings.write_table(self.part, f"{name}.csv", steps_table(rows, column, reference))
            self.report.row(f"{title}: {workload}", drawn)
            self.report.text(steps_sentence(rows, workload, column, unit, reference))

    def report_energy(self) -> None:
        """Only where the logs have the power."""
        if any(any(row.get("power_w") for row in read_csv(self.part.log(run))) for run in self.part.complete):
            per_wh = "Iterations of foreground and background per watt-hour that the machine took."
            self.report_steps("efficiency", "iterations_per_wh", "Energy", "iterations per watt-hour", per_wh)
            return
        self.report.heading("Energy")
        self.report.text(
            "Unavailable: the logs have no power, as this machine has no counters of it that could be read."
        )

    def report_counters(self) -> None:
        """Events of each step, a second, where the logs have some."""
        first = pictures.having(self.part, repetition=1)
        runs = [run for run in first if "_per_s," in f"{first_line(self.part.log(run))},"]
        if not runs:
            return
        self.report.heading("Events in each step")
        self.report.text(
            "Events a second that the processors counted, of all workloads of a run together, in each step of the background's load."
        )
        for run in runs:
            found = showstopper.events({run.label: self.part.log(run)}, per_step=True)
            rates = found.pivot(index=["start_s", "target"], columns="event", values="per_s")[found["event"].unique()]
            table = [["step", "target %", *rates.columns]]
            for place, ((_, target), of) in enumerate(rates.iterrows(), 1):
                table.append([str(place), f"{100 * target:.4g}", *(formatted(rate, ".4g") for rate in of)])
            self.report.text(f"{beside(run)}, {run.scheme}:")
            settings.write_table(self.part, f"events-{run.label}.csv", table)

    def report_timelines(self, interval: str) -> None:
        self.report.heading("Over time")
        options = ["--columns", len(self.workloads), "-i", f"{interval}s"]
        for scheme in self.schemes:
            words = self.words(pictures.having(self.part, scheme=scheme, repetition=1), beside, FOREGROUND)
            caption = f"{scheme}: target (black) and load (blue) of the background, throughput of the foreground"
            # More than fit into a picture are in none.
            try:
                pictures.picture(self.part, "timeline", f"timeline-{scheme}", caption, words, *options)
            except Trouble as trouble:
                print(trouble, file=sys.stderr)
                return

    # ---- Another batch ----------------------------------------------------------------------------------------------------------

    def report_ratios(self, other: Path) -> None:
        """Throughput of foregrounds here as a share of that in another batch, over the steps of the same pair."""
        self.report.heading("Beside another batch")
        table = [["pair", "scheme", "repetition", "least", "median", "most"]]
        fields = [line.split("\t") for line in lines_of(other / "runs.tsv")]
        environments = {of[0]: of[5] for of in fields if len(of) > 5}
        comparable: dict[Run, list[list[Path]]] = {}
        for run in self.part.complete:
            there = other / "runs" / run.label
            if not there.is_dir():
                continue
            log = log_in(there, run, environments.get(run.label, "native"))
            both = [self.files(run, FOREGROUND), [log, *sorted(there.glob(f"{FOREGROUND}.*.csv"))]]
            ratios = self.table_of("ratio", run.label, *both)
            # Where all steps missed their targets there is no figure.
            for row in [] if ratios is None else records(ratios.dropna(subset="median")):
                comparable[run] = both
                shares = [f"{known(row, name):.3f}" for name in ("least", "median", "most")]
                table.append([beside(run), run.scheme, str(run.repetition), *shares])
        if len(table) == 1:
            self.report.text(f"{other} has none of these runs that could be compared.")
            return
        self.report.text(
            f"Throughput of the foreground as a share of that in {other}: least, median and greatest over the steps."
        )
        settings.write_table(self.part, "ratio.csv", table)
        medians = sorted((row[4] for row in table[1:]), key=float)
        self.report.text(f"The medians lie between {medians[0]} and {medians[-1]}.")
        # As Table 6 of paper 000: a matrix of the first repetitions of a scheme, foregrounds downwards and backgrounds to the right.
        for scheme in self.schemes:
            runs = [run for run in pictures.having(self.part, scheme=scheme, repetition=1) if run in comparable]
            words = [word for run in runs for files in comparable[run] for word in ("-l", run.workload, *files)]
            if words:
                csv = self.part.output / f"ratio-{scheme}.csv"
                self.report.text(
                    f"{scheme}, the median and behind it the least and the greatest; foregrounds downwards, backgrounds to the right. The lighter, the slower:"
                )
                pictures.draw("ratio", "--matrix", "-o", csv, "-o", csv.with_suffix(".svg"), *words)
                self.report.table([line.split(",") for line in lines_of(csv)])
                self.report.picture(f"{csv.stem}.svg", f"{scheme}: throughput as a share")


# ---- Figures of pairs -------------------------------------------------------------------------------------------------------------


def matrix(workloads: Sequence[str], cells: dict[tuple[str, str], str]) -> list[list[str]]:
    """Foregrounds downwards, backgrounds to the right."""
    return [["foreground", *workloads]] + [
        [of, *(cells.get((of, other), "") for other in workloads)] for of in workloads
    ]


def mean_interference(rows: Sequence[tuple[Run, Row]]) -> list[Row]:
    """The mean over repeats, with half the length of its interval of confidence; a criterion is met when each of them meets it. There is none where that
    interval has 0 in it, whatever the criteria say of lines that don't rise or fall."""
    made: list[Row] = []
    for key, found in grouped(((*run.workload.split("/"), run.scheme), row) for run, row in rows).items():
        mean, _, high = showstopper.mean_interval([number(row, "interference") for row in found])
        row = dict(zip((FOREGROUND, BACKGROUND, "scheme", "repeats"), (*key, str(len(found)))))
        row["interference"] = formatted(mean, ".2f")
        for name in ("symmetric", "significant"):
            row[name] = "yes" if all(one[name] == "yes" for one in found) else "no"
        row["half"] = formatted(high - mean, ".2f")
        row["none"] = ("yes" if abs(float(row["interference"])) <= float(row["half"]) else "no") if row["half"] else ""
        made.append(row)
    return made


def within(row: Row) -> float:
    return abs(float(row["interference"])) + float(row["half"])


def shown(row: Row) -> str:
    value = float(row["interference"])
    if row["none"] == "yes":
        return f"{value:.1f} none ±{within(row):.1f}"
    marks = f"±{float(row['half']):.1f}" if row["half"] else ""
    marks += ("" if row["symmetric"] == "yes" else "a") + ("" if row["significant"] == "yes" else "p")
    return f"{value:.1f} {marks}".rstrip()


def from_to(rows: Sequence[Row]) -> str:
    """The first of those that are least, and of those that are most."""
    ends = [of(rows, key=lambda row: float(row["interference"])) for of in (min, max)]
    pairs = (f"{float(row['interference']):.1f} ({row['foreground']} beside {row['background']})" for row in ends)
    return f"from {' to '.join(pairs)}"


def papers_interference(scheme: str) -> str:
    """What paper 001 found with this scheme, on another machine and with other workloads."""
    of_scheme = (row for row in settings.papers_table("interference.csv") if row["scheme"] == scheme)
    of = grouped((row["environment"], row) for row in of_scheme)
    said = "; ".join(f"{environment}: {from_to(rows)}" for environment, rows in of.items())
    return f"paper 001, {said}." if said else ""


def steps_table(rows: Sequence[Row], column: str, reference: str) -> list[list[str]]:
    """A row per step, a column per scheme: the mean over repeats, and in per cent of the reference."""
    schemes = list(dict.fromkeys(row["label"] for row in rows))
    target = {row["step"]: known(row, "target") for row in rows}
    of_runs = product((row for row in rows if row[column]), (column, "relative"))
    values = grouped(((row["step"], row["label"], name), number(row, name)) for row, name in of_runs)
    means = {key: showstopper.mean_interval(of)[0] for key, of in values.items()}
    others = [scheme for scheme in schemes if scheme != reference] if reference else []
    table = [["step", "target %", *schemes, *(f"{scheme} %" for scheme in others)]]
    for step in sorted(target, key=int):
        rates = [means.get((step, scheme, column), nan) for scheme in schemes]
        parts = [means.get((step, scheme, "relative"), nan) for scheme in others]
        shares = [formatted(100 * of, ".1f") for of in parts]
        table.append([step, f"{100 * target[step]:.4g}", *(formatted(of, ".4g") for of in rates), *shares])
    return table


def steps_sentence(rows: Sequence[Row], workload: str, column: str, unit: str, reference: str) -> str:
    said = []
    for scheme in dict.fromkeys(row["label"] for row in rows if row[column]):
        of = [row for row in rows if row["label"] == scheme and row[column]]
        least, most = min(of, key=lambda row: float(row[column])), max(of, key=lambda row: float(row[column]))
        said.append(
            f"{scheme}: from {float(least[column]):.4g} (at a target of {100 * known(least, 'target'):.4g} %)"
            f" to {float(most[column]):.4g} (at {100 * known(most, 'target'):.4g} %) {unit}"
        )
        if reference and scheme != reference:
            parts = [100 * (number(row, "relative") or 0.0) for row in of]
            said[-1] += f", {min(parts):.1f} to {max(parts):.1f} % of {reference}"
    return f"{workload}, {'; '.join(said)}."


def ratio_matrix(rows: Iterable[Row], scheme: str, workloads: Sequence[str]) -> list[list[str]]:
    """Rows of ratio.csv as a matrix, foregrounds downwards and backgrounds to the right: the mean of the medians over the repetitions with its interval,
    and the least and greatest of all."""
    cells: dict[tuple[str, str], str] = {}
    for pair, found in grouped((row["pair"], row) for row in rows if row["scheme"] == scheme).items():
        least, medians, most = ([known(row, name) for row in found] for name in ("least", "median", "most"))
        mean, _, high = showstopper.mean_interval(medians)
        one, other = pair.split(" beside ")
        cells[one, other] = f"{mean:.3f}{formatted(high - mean, '.3f', ' ±')} ({min(least):.2f} to {max(most):.2f})"
    return matrix(workloads, cells) if cells else []
