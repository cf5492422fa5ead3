# SPDX-License-Identifier: MIT
"""Run times of iterations against the share of a processor that a single instance gets, by one actuator and another: throughput --by."""

import re
from collections.abc import Iterator
from pathlib import Path

from measure import figures, settings
from measure.batch import Experiment, Part
from measure.options import unlike
from measure.process import allowed_processors, attempt
from measure.runs import Group, Run
from measure.text import Row, Trouble, known, listed, number, read_csv, shortest

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
    if not found:
        raise Trouble(f"{name}: expected actuators, such as signals,freezer")
    return found


def last_processor() -> str:
    """Of those that we may use; the first one is where interrupts are."""
    return str(allowed_processors()[-1])


def check_hands(build: Path, hands: list[str]) -> None:
    """Nothing is run where one of them can't be had: what is to be compared would be missing."""
    for hand in hands:
        result = attempt(
            [build / "showstopper", "-a", hand, "--cpus", last_processor(), "-T", "50%", "--dry-run", "true"]
        )
        if result.returncode != 0:
            raise Trouble(
                f"--by: {hand} can't be had here: {(result.stderr.splitlines() or [''])[0].removeprefix('showstopper: ')}"
            )


def list_runs(own: Experiment, hands: list[str]) -> Iterator[Run]:
    """Without feedback: the target is the duty cycle of the only instance. It has one processor, so that the duty cycle is a share of one, both
    where an actuator stops all threads at a time and where it limits what they get together."""
    for repetition in own.repetitions():
        for workload in own.workloads:
            for target in own.targets:
                for hand in hands:
                    words = tuple(f"-T {target}% -c open -a {hand} --cpus {last_processor()}".split())
                    yield Run(
                        (workload, target, hand), (Group(workload, "1"),), own.seconds, words, hand, repetition, target
                    )


def write_report(own: Experiment, part: Part, hands: list[str]) -> None:
    if not part.complete:
        raise Trouble("no run is complete")
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
    of = [
        run
        for hand in hands
        for target in targets
        for run in part.complete
        if (run.workload, run.target, run.setting) == (workload, target, hand)
    ]
    timed = [run for run in of if has_iterations(part, run)]
    silent = [run.label for run in of if run not in timed]
    if silent:
        part.report.text(f"No iteration ended in {listed(silent)}; --time makes runs longer.")
    if not timed:
        return []
    csv, svg = part.output / f"boxes-{workload}.csv", part.output / f"boxes-{workload}.svg"
    words = [word for run in timed for word in ("-l", f"{run.setting}/{run.target}", part.log(run), *part.records(run))]
    figures.draw(part.build, "boxes", "--axis", "bandwidth (%)", "--size", "14x9", "-o", csv, "-o", svg, *words)
    keys = {f"{run.setting}/{run.target}": (run.target, run.setting) for run in timed}
    rows = [
        row_of(workload, *keys[row["label"]], row, share_of(part, timed, *keys[row["label"]])) for row in read_csv(csv)
    ]
    part.report.picture(f"boxes-{workload}.svg", f"{workload}: run times of iterations against bandwidth")

    def table(text: str, *columns: str) -> None:
        if text:
            part.report.text(text)
        made = settings.with_others(part, workload, figures.pivot(rows, "bandwidth_percent", hands, *columns))
        settings.write_table(part, f"times-{workload}-{columns[0]}.csv", made)

    table("Median of the run times / processor time of an iteration, in seconds:", "q50_s", "work_s")
    table("Share of the processor that the instance had, in per cent:", "share_percent")
    part.report.text("".join(verdict(rows, hand) for hand in hands))
    table("Quantiles of the run times in seconds, 5 % / 95 %, and then 25 % / 75 %:", "q5_s", "q95_s")
    table("", "q25_s", "q75_s")
    return rows


def share_of(part: Part, runs: list[Run], target: str, hand: str) -> float:
    """Processor time of the workload under control, as a part of how long that was, all repeats together."""
    records = [
        read_csv(part.folder(run) / "record.csv")[0] for run in runs if (run.target, run.setting) == (target, hand)
    ]
    return sum(known(row, "controlled_cpu_control_s") for row in records) / sum(
        known(row, "controlled_s") for row in records
    )


def row_of(workload: str, target: str, hand: str, row: Row, share: float) -> Row:
    """Seconds with four digits, as all workloads of a report have them."""
    mean = number(row, "mean_s") or 0.0
    made = {"workload": workload, "bandwidth_percent": target, "setting": hand, "iterations": row["iterations"]}
    made |= {name: f"{known(row, name):.4g}" for name in QUANTILES}
    return made | {"mean_s": f"{mean:.4g}", "share_percent": f"{100 * share:.2f}", "work_s": f"{mean * share:.4g}"}


def verdict(rows: list[Row], hand: str) -> str:
    """Between which values the processor time of an iteration lies."""
    work = [float(row["work_s"]) for row in rows if row["setting"] == hand]
    if len(work) < 2 or min(work) <= 0:
        return ""
    least, most = min(work), max(work)
    return f"{hand}: the processor time of an iteration from {shortest(least)} to {shortest(most)} s, the most {most / least:.3f} times the least. "
