# SPDX-License-Identifier: MIT
"""The report of pairs of workloads: interference, throughput and energy of the whole machine, another batch beside it."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from measure import figures, settings, sides
from measure.batch import Part
from measure.process import attempt
from measure.report import Report
from measure.runs import Run
from measure.text import Row, Trouble, known, lines_of, listed, markdown, number, read_csv, rows_of, table_text

FOREGROUND, BACKGROUND = "foreground", "background"


@dataclass
class Other:
    """Another batch: its folder, and in what each run was made."""

    folder: Path
    shown: str
    environments: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        fields = [line.split("\t") for line in lines_of(self.folder / "runs.tsv")]
        self.environments = {of[0]: of[5] for of in fields if len(of) > 5}


def pair_of(run: Run) -> tuple[str, str]:
    return run.groups[0].workload, run.groups[1].workload


def log_in(folder: Path, run: Run, environment: str) -> Path:
    """The control log of a run, with the load of the background's processors."""
    if not sides.is_unpinned(run.scheme, environment):
        return folder / "log.csv"
    # Measured was the share of the whole machine, of which one half is the background's. It may take more than that for a moment; cut off there, its
    # mean would be too low where the load is high.
    lines = lines_of(folder / "log.csv")
    made = [f"{line},{'0.5' if place else 'capacity'}\n" for place, line in enumerate(lines)]
    (folder / "background-log.csv").write_text("".join(made))
    return folder / "background-log.csv"


@dataclass
class Pairs:
    """Of one part of a batch."""

    part: Part
    workloads: list[str]
    schemes: list[str]
    outliers: list[str]
    usable: list[Run] = field(default_factory=list)
    interference: list[Row] = field(default_factory=list)

    def log(self, run: Run) -> Path:
        return log_in(self.part.folder(run), run, run.environment)

    def of(self, *, pair: tuple[str, str] | None = None, scheme: str = "", first: bool = False) -> list[Run]:
        return [
            run
            for run in self.usable
            if (pair is None or pair_of(run) == pair)
            and (not scheme or run.scheme == scheme)
            and (not first or run.repetition == 1)
        ]

    @property
    def scheme_names(self) -> list[str]:
        return [sides.name_of(scheme) for scheme in self.schemes]

    @property
    def reference(self) -> str:
        """The scheme that others are compared with: that of the paper, or the first one."""
        return "per-chip" if "per-chip" in self.schemes else self.scheme_names[0]

    # ---- Interference -----------------------------------------------------------------------------------------------------------

    def measure(self) -> None:
        """Also finds out which runs can be used: a workload that ended no iteration, or was never heard of in a step, should not cost the others
        their report."""
        head, lines = "", []
        found: list[tuple[Run, Row]] = []
        for run in self.part.complete:
            text = ""
            if any(lines_of(file)[1:] for file in self.part.records(run, BACKGROUND)):
                words: list[str | Path] = ["-l", run.label, self.log(run), *self.part.records(run, FOREGROUND)]
                result = attempt([self.part.build / "ssreport", "interference", "-f", "csv", *words])
                sys.stderr.write(result.stderr)
                text = result.stdout if result.returncode == 0 else ""
            if not text:
                print(f"{run.label} is of no use: a workload ended no iteration, or a step is missing", file=sys.stderr)
                continue
            self.usable.append(run)
            head, *rows = text.splitlines()
            lines += rows
            found.append((run, rows_of(text)[0]))
        output = self.part.output
        (output / "interference-runs.csv").write_text("".join(f"{line}\n" for line in [head, *lines] if line))
        (output / "usable.txt").write_text("".join(f"{run.label}\n" for run in self.usable))
        if not self.usable:
            raise Trouble("no run is complete and of use")
        self.interference = mean_interference(self.part.build, found)
        (output / "interference.csv").write_text(
            table_text([list(self.interference[0]), *(list(row.values()) for row in self.interference)])
        )

    def left_out(self) -> str:
        """Runs that are of no use."""
        unused = len(self.part.complete) - len(self.usable)
        return (
            f"Left out are {unused} runs, in which a workload ended no iteration or a step is missing."
            if unused
            else ""
        )

    def of_scheme(self, scheme: str) -> list[Row]:
        return [row for row in self.interference if row["scheme"] == scheme]

    def table(self, scheme: str) -> list[list[str]]:
        """Foregrounds as rows, backgrounds as columns."""
        cells = {
            (row["foreground"], row["background"]): shown(row) for row in self.of_scheme(scheme) if row["interference"]
        }
        return [["foreground", *self.workloads]] + [
            [of, *(cells.get((of, beside), "") for beside in self.workloads)] for of in self.workloads
        ]

    def sentence(self, scheme: str, with_none: bool = True) -> str:
        rows = [row for row in self.of_scheme(scheme) if row["interference"]]
        if not rows:
            return f"{scheme}: unknown for all pairs, as the load of the background stayed the same."
        none = [row for row in rows if row["none"] == "yes"]
        met = sum(row["symmetric"] == row["significant"] == "yes" and row["none"] != "yes" for row in rows)
        said = f"{scheme}: {from_to(rows, 'interference')}; {met} of {len(self.of_scheme(scheme)) - len(none)} pairs meet both criteria."
        if none and with_none:
            said += (
                " "
                + "; ".join(
                    f"{row['foreground']} beside {row['background']}: none, within ±{within(row):.1f}" for row in none
                )
                + "."
            )
        return said

    def with_others(self, table: list[list[str]], scheme: str) -> list[list[str]]:
        """Of a machine that was busy, with the share of others beside each foreground."""
        if not self.part.busy:
            return table
        shares = [
            ((pair_of(run)[0],), share)
            for run in self.of(scheme=scheme)
            if (share := self.part.others(run)) is not None
        ]
        found = figures.summaries(self.part.build, shares)
        cells = [f"{found[(row[0],)].mean:.1f}" if (row[0],) in found else "" for row in table[1:]]
        return [[*table[0], "others, %"], *([*row, cell] for row, cell in zip(table[1:], cells))]

    def report_tables(self, report: Report) -> None:
        report.heading("Interference")
        report.text(
            "What the foreground (rows) would lose, in per cent, beside the background (columns) at full load: -100 times slope divided by intercept of a"
            " line through throughput over load, the mean of both halves of the staircase. An a marks pairs whose halves' lines are 3 degrees or more"
            " apart, a p those with a p-value of 0.05 or more. Behind a mean over repeats stands half of its 95 % confidence interval; where 0 lies in"
            " that, there is none, within so much. The darker, the more is lost."
        )
        if self.outliers:
            report.text(f"Without a say in the range of colours: {listed(self.outliers)}.")
        values = [
            float(row["interference"])
            for row in self.interference
            if row["interference"] and row["foreground"] not in self.outliers and row["background"] not in self.outliers
        ] or [0.0]
        low, high = (min(values), max(values)) if max(values) > min(values) else (values[0] - 1, values[0] + 1)
        for scheme in self.scheme_names:
            if not self.of(scheme=scheme):
                continue
            name, table = f"interference-{scheme}", self.table(scheme)
            output = self.part.output
            (output / f"{name}.csv").write_text(table_text(table))
            figures.draw(
                self.part.build,
                "heatmap",
                "--range",
                f"{low:g}:{high:g}",
                "-o",
                output / f"{name}.svg",
                output / f"{name}.csv",
            )
            report.text(f"{scheme}:")
            report.table(self.with_others(table, scheme))
            report.picture(f"{name}.svg", f"{scheme}: interference")
            report.text(self.sentence(scheme))
            report.text(papers_interference(scheme))

    def draw_pairs(self, report: Report, side: str, subcommand: str) -> None:
        """Of each workload on that side a row of ssreport's pictures, one for each on the other side, of first repetitions."""
        for of in self.workloads:
            pictures: list[str] = []
            for beside in self.workloads:
                pair = (of, beside) if side == FOREGROUND else (beside, of)
                found = {run.scheme: run for run in self.of(pair=pair, first=True)}
                runs = [found[scheme] for scheme in self.scheme_names if scheme in found]
                words = [
                    word for run in runs for word in ("-l", run.scheme, self.log(run), *self.part.records(run, side))
                ]
                if words:
                    pictures.append(f"{side}-{of}-{beside}.svg")
                    figures.draw(self.part.build, subcommand, "-o", self.part.output / pictures[-1], *words)
            report.text(f"{of}, beside {listed(self.workloads)}:")
            report.row(of, pictures)

    # ---- Steps ------------------------------------------------------------------------------------------------------------------

    def report_steps(self, report: Report, subcommand: str, column: str, title: str, unit: str, text: str) -> None:
        """Of workloads that ran beside themselves: values per step, and relative to the reference."""
        report.heading(title)
        report.text(text)
        build, output, reference = self.part.build, self.part.output, self.reference
        for workload in self.workloads:
            runs = [run for scheme in self.scheme_names for run in self.of(pair=(workload, workload), scheme=scheme)]
            records = [(*self.part.records(run, FOREGROUND), *self.part.records(run, BACKGROUND)) for run in runs]
            words = [word for run, files in zip(runs, records) for word in ("-l", run.scheme, self.log(run), *files)]
            if not words:
                continue
            compared = len(self.schemes) > 1 and any(run.scheme == reference for run in runs)
            name = f"{subcommand}-{workload}"
            steps, pictures = output / f"{name}-steps.csv", [f"{name}.svg"]
            figures.draw(build, subcommand, "-o", steps, "-o", output / pictures[0], *words)
            if compared:
                pictures.append(f"{name}-relative.svg")
                figures.draw(
                    build, subcommand, "--reference", reference, "-o", steps, "-o", output / pictures[1], *words
                )
            report.text(
                f"{workload} beside {workload}, {unit}{f' and per cent of {reference}' if compared else ''}, in each step:"
            )
            rows = read_csv(steps)
            table = steps_table(build, rows, column, reference if compared else "")
            (output / f"{name}.csv").write_text(table_text(table))
            report.table(table)
            report.row(f"{title}: {workload}", pictures)
            report.text(steps_sentence(rows, workload, column, unit, reference if compared else ""))

    def report_energy(self, report: Report) -> None:
        """Only where the logs have the power."""
        if any(any(row.get("power_w") for row in read_csv(self.part.log(run))) for run in self.usable):
            self.report_steps(report, "efficiency", "iterations_per_wh", "Energy", "iterations per watt-hour",
                              "Iterations of foreground and background per watt-hour that the machine took.")  # fmt: skip
            return
        report.heading("Energy")
        report.text("Unavailable: the logs have no power, as this machine has no counters of it that could be read.")

    def report_counters(self, report: Report) -> None:
        """Events of each step, a second, where the logs have some."""
        found: list[tuple[Run, list[Row]]] = []
        for run in self.of(first=True):
            if any(name.endswith("_per_s") for row in read_csv(self.part.log(run))[:1] for name in row):
                found.append(
                    (run, figures.report(self.part.build, "events", "--per-step", "-l", run.label, self.part.log(run)))
                )
        if not found:
            return
        report.heading("Events in each step")
        report.text(
            "Events a second that the processors counted, of all workloads of a run together, in each step of the background's load."
        )
        for run, rows in found:
            events = list(dict.fromkeys(row["event"] for row in rows))
            count = {(row["start_s"], row["event"]): row.get("per_s") or row.get("per_second", "") for row in rows}
            target = {row["start_s"]: f"{100 * known(row, 'target'):.4g}" for row in rows}
            table = [["step", "target %", *events]]
            for place, start in enumerate(target, 1):
                table.append(
                    [str(place), target[start], *(f"{float(count.get((start, event)) or 0):.4g}" for event in events)]
                )
            report.text(f"{' beside '.join(pair_of(run))}, {run.scheme}:")
            (self.part.output / f"events-{run.label}.csv").write_text(table_text(table))
            report.table(table)

    def report_timelines(self, report: Report, interval: str) -> None:
        report.heading("Over time")
        for scheme in self.scheme_names:
            runs = self.of(scheme=scheme, first=True)
            words = [
                word
                for run in runs
                for word in ("-l", " beside ".join(pair_of(run)), self.log(run), *self.part.records(run, FOREGROUND))
            ]
            if not words:
                continue
            file = self.part.output / f"timeline-{scheme}.svg"
            # More than fit into a picture are in none.
            try:
                figures.draw(
                    self.part.build,
                    "timeline",
                    "--columns",
                    len(self.workloads),
                    "-i",
                    f"{interval}s",
                    "-o",
                    file,
                    *words,
                )
            except Trouble as trouble:
                print(trouble, file=sys.stderr)
                return
            report.picture(
                file.name, f"{scheme}: target (black) and load (blue) of the background, throughput of the foreground"
            )

    # ---- Another batch ----------------------------------------------------------------------------------------------------------

    def report_ratios(self, report: Report, other: Other) -> None:
        """Throughput of foregrounds here as a share of that in another batch, over the steps of the same pair."""
        output = self.part.output
        report.heading("Beside another batch")
        table = [["pair", "scheme", "repetition", "least", "median", "most"]]
        comparable: list[tuple[Run, list[str | Path], list[str | Path]]] = []
        for run in self.usable:
            there = other.folder / "runs" / run.label
            if not there.is_dir():
                continue
            ours = [self.log(run), *self.part.records(run, FOREGROUND)]
            theirs = [
                log_in(there, run, other.environments.get(run.label, "native")),
                *sorted(there.glob(f"{FOREGROUND}.*.csv")),
            ]
            # A step without an iteration should cost no other pair its place; ssreport names it.
            result = attempt(
                [self.part.build / "ssreport", "ratio", "-f", "csv", "-l", run.label, *ours, "-l", run.label, *theirs]
            )
            sys.stderr.write(result.stderr)
            if result.returncode != 0:
                continue
            for row in rows_of(result.stdout):
                figures_of = [f"{known(row, name):.3f}" for name in ("least", "median", "most")]
                table.append([" beside ".join(pair_of(run)), run.scheme, str(run.repetition), *figures_of])
            comparable.append((run, list(ours), list(theirs)))
        if len(table) == 1:
            report.text(f"{other.shown} has none of these runs that could be compared.")
            return
        (output / "ratio.csv").write_text(table_text(table))
        report.text(
            f"Throughput of the foreground as a share of that in {other.shown}: least, median and greatest over the steps."
        )
        report.table(table)
        medians = [row[4] for row in table[1:]]
        report.text(f"The medians lie between {min(medians, key=float)} and {max(medians, key=float)}.")
        # As Table 6 of paper 000: a matrix of the first repetitions of a scheme, foregrounds downwards and backgrounds to the right.
        for scheme in self.scheme_names:
            words = [
                word
                for run, ours, theirs in comparable
                if run.scheme == scheme and run.repetition == 1
                for files in (ours, theirs)
                for word in ("-l", "/".join(pair_of(run)), *files)
            ]
            if words:
                csv, svg = output / f"ratio-{scheme}.csv", output / f"ratio-{scheme}.svg"
                figures.draw(self.part.build, "ratio", "--matrix", "-o", csv, "-o", svg, *words)
                report.text(
                    f"{scheme}, the median and behind it the least and the greatest; foregrounds downwards, backgrounds to the right. The lighter, the slower:"
                )
                report.table([line.split(",") for line in lines_of(csv)])
                report.picture(svg.name, f"{scheme}: throughput as a share")


# ---- Figures of pairs -------------------------------------------------------------------------------------------------------------


def mean_interference(build: Path, rows: Sequence[tuple[Run, Row]]) -> list[Row]:
    """The mean over repeats, with half the length of its interval of confidence; a criterion is met when each of them meets it. There is none where that
    interval has 0 in it, whatever the criteria say of lines that don't rise or fall."""
    of: dict[tuple[str, ...], list[Row]] = {}
    for run, row in rows:
        of.setdefault((*pair_of(run), run.scheme), []).append(row)
    values = (
        (key, value) for key, found in of.items() for row in found if (value := number(row, "interference")) is not None
    )
    means = figures.summaries(build, values)
    made: list[Row] = []
    for key, found in of.items():
        mean = means.get(key)
        row = dict(zip((FOREGROUND, BACKGROUND, "scheme", "repeats"), (*key, str(len(found)))))
        row["interference"] = f"{mean.mean:.2f}" if mean else ""
        row |= {
            name: "yes" if all(one[name] == "yes" for one in found) else "no" for name in ("symmetric", "significant")
        }
        row["half"] = f"{mean.half:.2f}" if mean and mean.half is not None else ""
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


def from_to(rows: Sequence[Row], column: str) -> str:
    """The first of those that are least, and of those that are most."""
    least, most = min(rows, key=lambda row: float(row[column])), max(rows, key=lambda row: float(row[column]))
    ends = [f"{float(row[column]):.1f} ({row['foreground']} beside {row['background']})" for row in (least, most)]
    return f"from {ends[0]} to {ends[1]}"


def papers_interference(scheme: str) -> str:
    """What paper 001 found with this scheme, on another machine and with other workloads."""
    of: dict[str, list[Row]] = {}
    for row in settings.papers_table("interference.csv"):
        if row["scheme"] == scheme:
            of.setdefault(row["environment"], []).append(row)
    said = "; ".join(f"{environment}: {from_to(rows, 'interference')}" for environment, rows in of.items())
    return f"paper 001, {said}." if said else ""


def steps_table(build: Path, rows: Sequence[Row], column: str, reference: str) -> list[list[str]]:
    """A row per step, a column per scheme: the mean over repeats, and in per cent of the reference."""
    schemes = list(dict.fromkeys(row["label"] for row in rows))
    target = {row["step"]: known(row, "target") for row in rows}
    values = [
        ((row["step"], row["label"], name), value)
        for row in rows
        if row[column]
        for name in (column, "relative")
        if (value := number(row, name)) is not None
    ]
    means = figures.summaries(build, values)
    others = [scheme for scheme in schemes if scheme != reference] if reference else []
    table = [["step", "target %", *schemes, *(f"{scheme} %" for scheme in others)]]
    for step in sorted(target, key=int):
        cells = [means.get((step, scheme, column)) for scheme in schemes]
        parts = [means.get((step, scheme, "relative")) for scheme in others]
        table.append(
            [
                step,
                f"{100 * target[step]:.4g}",
                *(f"{of.mean:.4g}" if of else "" for of in cells),
                *(f"{100 * of.mean:.1f}" if of else "" for of in parts),
            ]
        )
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


def ratio_matrix(build: Path, rows: Iterable[Row], scheme: str, workloads: Sequence[str]) -> list[list[str]]:
    """Rows of ratio.csv as a matrix, foregrounds downwards and backgrounds to the right: the mean of the medians over the repetitions with its interval,
    and the least and greatest of all."""
    found = [(tuple(row["pair"].split(" beside ")), row) for row in rows if row["scheme"] == scheme]
    of = figures.summaries(
        build, (((*pair, name), known(row, name)) for pair, row in found for name in ("least", "median", "most"))
    )

    def cell(pair: tuple[str, str]) -> str:
        if (*pair, "median") not in of:
            return ""
        median = of[(*pair, "median")]
        half = f" ±{median.half:.3f}" if median.half is not None else ""
        return f"{median.mean:.3f}{half} ({of[(*pair, 'least')].least:.2f} to {of[(*pair, 'most')].most:.2f})"

    return (
        [["foreground", *workloads]] + [[one, *(cell((one, other)) for other in workloads)] for one in workloads]
        if found
        else []
    )


def markdown_text(table: Sequence[Sequence[str]]) -> str:
    return "".join(f"{line}\n" for line in markdown(table))
