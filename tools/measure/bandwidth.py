# SPDX-License-Identifier: MIT
"""Run times of iterations against the share of a processor that a single instance gets, by one actuator and another: throughput --by."""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from measure import figures, pictures, settings
from measure.batch import Experiment, Part
from measure.options import unlike
from measure.process import allowed_processors, attempt
from measure.runs import Group, Run
from measure.text import Row, Trouble, known, listed, number, read_csv, refuse, shortest

TARGETS, QUICK_TARGETS = "10 20 30 40 50 60 70 80 90 100", "20 40 60 80 100"
QUANTILES = ("q5_s", "q25_s", "q50_s", "q75_s", "q95_s")


def choose_hands(name: str, value: str) -> list[str]:
    """Actuators."""
    found = unlike(name, value)
    for hand in found:
        if not re.fullmatch("[a-z0-9-]+", hand):
            raise Trouble(
                f"{name}: '{hand}': expected the name of an actuator, such as signals (showstopper --list-modules)"
            )
    refuse(not found, f"{name}: expected actuators, such as signals,freezer")
    return found


def last_processor() -> str:
    """Of those that we may use; the first one is where interrupts are."""
    return str(allowed_processors()[-1])


def check_hands(build: Path, hands: list[str]) -> None:
    """Nothing is run where one of them can't be had: what is to be compared would be missing."""
    for hand in hands:
        words = ["-a", hand, "--cpus", last_processor(), "-T", "50%", "--dry-run", "true"]
        result = attempt([build / "showstopper", *words])
        if result.returncode != 0:
            said = next(iter(result.stderr.splitlines()), "").removeprefix("showstopper: ")
            raise Trouble(f"--by: {hand} can't be had here: {said}")


def list_runs(own: Experiment, hands: list[str]) -> Iterator[Run]:
    """Without feedback: the target is the duty cycle of the only instance. It has one processor, so that the duty cycle is a share of one, both
    where an actuator stops all threads at a time and where it limits what they get together."""
    for again, of, target, hand in product(own.repetitions(), own.workloads, own.targets, hands):
        words = tuple(f"-T {target}% -c open -a {hand} --cpus {last_processor()}".split())
        yield Run((of, target, hand), (Group(of, "1"),), own.seconds, words, hand, again, target)


def write_report(own: Experiment, part: Part, hands: list[str]) -> None:
    refuse(not part.complete, "no run is complete")
    report = part.begin("Run times of iterations against bandwidth")
    report.text(
        "How long an iteration of a single instance on one processor takes, by the share of this that it may have (bandwidth), without feedback, with"
        f" each actuator: {listed(hands)}."
    )
    report.text(
        "Boxes go from the first to the third quartile, whiskers to the outermost values within 1.5 times that length, points are beyond. Quantiles are"
        " those of all repeats together."
    )
    report.text(
        "The processor time of an iteration is the mean of the run times, multiplied by the share of the processor that the instance had, which isn't"
        " always the one that it was to have; it is the same throughout where bandwidth costs nothing else. An iteration that is not much longer than the"
        " actuator's stops says little: it meets none of them, or a whole one."
    )
    rows: list[Row] = []
    for workload in own.workloads:
        report.heading(f"{workload} ({own.class_of(workload)})")
        rows += report_times(part, workload, hands, own.targets)
    if rows:
        settings.write_rows(part, "times.csv", rows)
    part.end()


def has_iterations(part: Part, run: Run) -> bool:
    """Whether one began and ended under control. What else is wrong with its files is trouble."""
    result = attempt([part.build / "ssreport", "boxes", "-l", "run", part.log(run), *part.records(run)])
    if result.returncode != 0 and "found no iteration" not in result.stderr:
        raise Trouble(figures.reason(result.stderr, "ssreport boxes failed"))
    return result.returncode == 0


def report_times(part: Part, workload: str, hands: list[str], targets: list[str]) -> list[Row]:
    of = {
        f"{hand}/{target}": pictures.having(part, workload=workload, target=target, setting=hand)
        for hand, target in product(hands, targets)
    }
    timed = {label: [run for run in runs if has_iterations(part, run)] for label, runs in of.items()}
    silent = [run.label for label, runs in of.items() for run in runs if run not in timed[label]]
    if silent:
        part.report.text(f"No iteration ended in {listed(silent)}; --time makes runs longer.")
    shown = [run for runs in timed.values() for run in runs]
    if not shown:
        return []
    name, caption = f"boxes-{workload}", f"{workload}: run times of iterations against bandwidth"
    words = pictures.words_of(part, shown, lambda run: f"{run.setting}/{run.target}", "iterations")
    options = ["--axis", "bandwidth (%)", "--size", "14x9", "-o", part.output / f"{name}.csv"]
    pictures.picture(part, "boxes", name, caption, words, *options)
    rows = [row_of(part, timed[row["label"]], row) for row in read_csv(part.output / f"{name}.csv")]

    def table(text: str, *columns: str) -> None:
        part.report.text(text)
        made = settings.with_others(part, workload, figures.pivot(rows, "bandwidth_percent", hands, *columns))
        settings.write_table(part, f"times-{workload}-{columns[0]}.csv", made)

    table("Median of the run times and processor time of an iteration, in seconds:", "q50_s", "work_s")
    table("Share of the processor that the instance had, in per cent:", "share_percent")
    part.report.text("".join(verdict(rows, hand) for hand in hands))
    table("Quantiles of the run times in seconds, 5 % and 95 %, and then 25 % and 75 %:", "q5_s", "q95_s")
    table("", "q25_s", "q75_s")
    return rows


def row_of(part: Part, runs: list[Run], row: Row) -> Row:
    """Seconds with four digits, as all workloads of a report have them. The share is the processor time of the workload under control, as a part of how
    long that was, all repeats together."""
    records = [read_csv(part.folder(run) / "record.csv")[0] for run in runs]
    taken, had = (sum(known(of, name) for of in records) for name in ("controlled_cpu_control_s", "controlled_s"))
    mean, share, of = number(row, "mean_s") or 0.0, taken / had, runs[0]
    made = {"workload": of.workload, "bandwidth_percent": of.target, "setting": of.setting}
    made |= {"iterations": row["iterations"]} | {name: f"{known(row, name):.4g}" for name in QUANTILES}
    return made | {"mean_s": f"{mean:.4g}", "share_percent": f"{100 * share:.2f}", "work_s": f"{mean * share:.4g}"}


def verdict(rows: list[Row], hand: str) -> str:
    """Between which values the processor time of an iteration lies."""
    work = [float(row["work_s"]) for row in rows if row["setting"] == hand]
    if len(work) < 2 or min(work) <= 0:
        return ""
    least, most = min(work), max(work)
    return f"{hand}: the processor time of an iteration from {shortest(least)} to {shortest(most)} s, the most {most / least:.3f} times the least. "
