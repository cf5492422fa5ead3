# SPDX-License-Identifier: MIT
"""One run of a batch: its folder, its command, the environments of its sides, what came of it."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from measure import machine, runs, stolen, workloads
from measure.environments import Side, sides_of
from measure.helpers import Helper
from measure.process import attempt, end, output_of, processors_in, start, status_of
from measure.publish import remove
from measure.runs import Group, Run
from measure.text import Trouble, first_line, kept_csv, known, lines_of, number, quoted, quoted_words, read_csv
from measure.text import shortest, succeeded, table_text

if TYPE_CHECKING:
    from measure.batch import Experiment

ENVIRONMENT = machine.EXPERIMENTS / "environment"
METER = "meter.csv"  # in the folder of a run


class Attempt:
    """A run that is being made, in a folder beside that which it gets when it is complete, in place of one that was made before. One that is cut off
    leaves NAME.part, one that fails NAME.failed, until it is made again. `before`: of the attempts at it before this one,
    what was stolen from each."""

    def __init__(self, run: Run, kept: Path, before: Sequence[float | None] = ()) -> None:
        self.run, self.kept, self.stolen = run, kept, list(before)
        self.part, self.failed = (kept.with_name(f"{kept.name}.{end}") for end in ("part", "failed"))
        remove(self.part)
        remove(self.failed)
        self.part.mkdir(parents=True)
        self.began, self.ticks = time.time(), machine.tick_counts()

    def end(self, status: int, ended: float, revision: str, machine_of: str) -> None:
        """With its record, which has the command of the file command where there is one."""
        command, word = " ".join(lines_of(self.part / "command")), runs.FAILED if status else runs.COMPLETE
        self.stolen.append(None if self.run.environment == runs.SIMULATED else machine.stolen_since(self.ticks))
        times = (self.began, ended)
        record = runs.Record(self.run.fields(), command, revision, machine_of, *times, word, status, self.stolen)
        record.write(self.part)
        if not status:
            remove(self.kept)
        self.part.rename(self.failed if status else self.kept)


class Maker:
    """Makes runs of an experiment. `machine_of` says which machine this is."""

    def __init__(self, output: Path, own: Experiment, revision: str, machine_of: str) -> None:
        self.output, self.own, self.revision, self.machine = output, own, revision, machine_of

    # ---- Its command ------------------------------------------------------------------------------------------------------------

    def program(self, name: str) -> str:
        return str(self.own.build / name)

    def common(self, run: Run) -> list[str]:
        records = "-o log.csv --export-json record.json --export-csv record.csv --placeholder @"
        return f"-q {lengths(run)} {records} --stdout /dev/null --stderr errors.@.txt --grace 2s".split()

    def line_of(self, group: Group, folder: Path) -> str:
        """The command of a group's workload, with records in that folder."""
        records = f"{str(folder).replace('@', '@@')}/{group.records}.@.csv"
        java = self.program("java")
        return self.own.workload_of[group.workload].command(str(self.own.build), java, records, "@", wrap=True)

    def write_simulated(self, run: Run, part: Path) -> None:
        group = run.groups[0]
        model = self.own.model_of(group.workload)
        words = f"-q -p {self.own.processors} -W {model} -n {group.instances} -i {run.repetition} {lengths(run)} -o log.csv".split()
        (part / "command").write_text(f"{quoted_words([self.program('sssim'), *words, *run.words()])}\n")

    def write_native(self, run: Run, part: Path) -> None:
        """One showstopper with all groups. Where these have no processors of their own, each has a quota of one half."""
        words = [self.program("showstopper"), *self.common(run), *run.options]
        sides = [f"all\tall\t{self.own.processors}\t-"]
        for place, group in enumerate(run.groups):
            line = self.line_of(group, part)
            if is_neutral(group):
                sides.append(f"{group.records}\tall\t{self.own.processors}\t{self.quota_of(group)}")
                join = quoted(f"{part}/{group.records}/group").replace("@", "@@")
                line = f'[ ! -s {join} ] || echo $$ >"$(cat {join})" || exit; {line}'
            count = [] if group.instances == "P" else ["-n", group.instances]
            words += [*([":"] if place else []), *group.options, *count, "--", "sh", "-c", line]
        (part / "sides").write_text("".join(f"{side}\n" for side in sides))
        (part / "command").write_text(" ".join(words) + "\n")
        (part / "all.command").write_text(f"exec {quoted_words(words)}\n")

    def quota_of(self, group: Group) -> str:
        """Where groups have no processors of their own, each has half of the machine's."""
        return shortest(self.own.processors / 2) if is_neutral(group) else "-"

    def processors_of(self, group: Group) -> str:
        """A list, or all."""
        given = dict(zip(group.options, group.options[1:]))
        if "--cpus" in given:
            return given["--cpus"]
        if given.get("--pin", "neutral") == "neutral":
            return "all"
        for line in output_of([self.program("showstopper"), "--list-pins"]).splitlines():
            fields = line.split()
            if fields[:2] == [given["--pin"], given.get("--part", "")]:
                return fields[2]
        return "all"

    def write_inside(self, run: Run, part: Path) -> None:
        """A showstopper for each group in its environment. The last one has the load under control; those before it run freely."""
        sides, said = [], ""
        seen = [machine.ROOT, self.own.build, *workloads.folders()[:-1]]
        (part / "visible").write_text("".join(f"{folder.resolve()}\n" for folder in seen if folder.is_dir()))
        for group in run.groups:
            side = "machine" if len(run.groups) == 1 else group.records
            placed = self.processors_of(group)
            count = self.own.processors if placed == "all" else len(processors_in(placed))
            sides.append(f"{side}\t{placed}\t{count}\t{self.quota_of(group)}\n")
            free = "-T 100% -c open -C duty=1 --when-one-ends=stop".split()
            control = list(run.options) if group is run.groups[-1] else free
            control += [] if group.instances == "P" else ["-n", group.instances]
            words = [*self.common(run), *control, "--", "sh", "-c", self.line_of(group, part / side / "files")]
            line = f'exec {quoted(self.program("showstopper"))} --start-at "@$START" {quoted_words(words)}\n'
            (part / f"{side}.command").write_text(line)
            said += f"{side}: {line}"
        (part / "sides").write_text("".join(sides))
        (part / "command").write_text(said)

    # ---- Making it --------------------------------------------------------------------------------------------------------------

    def make(self, run: Run, place: int, total: int, left: float) -> bool:
        """Whether it is complete. What was stolen from too much is made again."""
        taken: list[float | None] = []
        complete = False
        for _ in stolen.tries(self.own.build, self.own.most_stolen):
            complete, taken = self.attempt(run, taken, place, total, left)
            if not complete or not stolen.is_much(taken[-1], self.own.most_stolen):
                break
        return complete

    def attempt(
        self, run: Run, before: list[float | None], place: int, total: int, left: float
    ) -> tuple[bool, list[float | None]]:
        """Whether it is complete, and what was stolen from this attempt and those before."""
        attempted = Attempt(run, run.folder(self.output), before)
        part = attempted.part
        write_command = self.write_native if run.environment == "native" else self.write_inside
        (self.write_simulated if self.own.simulated else write_command)(run, part)
        (part / "uptime").write_text(attempt(["uptime"]).stdout)
        with ExitStack() as outside:
            there = [] if self.own.simulated else self.own.before(run, part)
            for helper in there:
                outside.enter_context(helper)
            status = self.finish(run, part, f"run {place} of {total}", left) or look_at(there, part)
        ended = time.time()
        self.log_job(place, attempted.began, ended, status, part)
        try:
            fault = self.judge(run, part, status)
        except (Trouble, OSError, ValueError, LookupError) as error:
            fault = f"what came of it can't be understood: {error}"
        status = status or int(bool(fault))
        if fault:
            add_message(part, fault)
        attempted.end(status, ended, self.revision, self.machine)
        if status:
            print(f"{run.name} failed with status {status}: {why_failed(attempted.failed)}")
        return not status, attempted.stolen

    def finish(self, run: Run, part: Path, what: str, left: float) -> int:
        """Its status."""
        process = self.begin(run, part)
        try:
            with ExitStack() as around:
                beside = [] if self.own.simulated else self.own.helpers(run, part)
                for helper in beside:
                    around.enter_context(helper)
                watch(process, part, what, left)
                # A client is the last of them, and waits for its last answers.
                status = status_of(process) or look_at(beside[::-1], part)
        except BaseException:
            end(process)
            raise
        return status

    def begin(self, run: Run, part: Path) -> subprocess.Popen[str]:
        # Not what a terminal's Ctrl-C reaches, for which the batch ends it.
        with (part / "messages.txt").open("ab") as messages:
            if self.own.simulated:
                return start(["sh", "command"], cwd=part, stderr=messages, session=True)
            (part / "environment").write_text(f"{run.environment}\n")
            words = [ENVIRONMENT, "run", run.environment, part, os.getpid()]
            return start(words, stderr=messages, session=True)

    def log_job(self, place: int, began: float, ended: float, status: int, part: Path) -> None:
        signal = max(0, status - 128)
        times = f"{began:.3f}\t{ended - began:10.3f}"
        command = " ".join(lines_of(part / "command"))
        with (self.output / "joblog").open("a") as log:
            log.write(f"{place}\t:\t{times}\t0\t0\t{0 if signal else status}\t{signal}\t{command}\n")

    def judge(self, run: Run, part: Path, status: int) -> str:
        """What is wrong; nothing where all is well, or where it has said so itself."""
        records = [] if self.own.simulated else self.records_of(run, part, status)
        fault = next(faults(run, part, records), "") if status == 0 else ""
        if status == 0 and (part / METER).exists():
            add_power(part)
        if status == 0 and not fault and not self.own.simulated:
            look_whether_warm(run, part)
        return fault

    def records_of(self, run: Run, part: Path, status: int) -> list[Path]:
        """Of each showstopper. What was made inside comes into the folder of the run."""
        # After a signal it may not have had the time.
        if status > 128:
            attempt([ENVIRONMENT, "remove", run.environment, part])
        if run.environment == "native":
            return [part / "record.csv"]
        sides = sides_of(part)
        for side, group in zip(sides, run.groups):
            bring_back(part, side, group.records)
        controlled_side(part, sides[-1])
        return [side.folder / "files/record.csv" for side in sides]


def lengths(run: Run) -> str:
    return f"-w {shortest(run.warm_up)}s -r {shortest(run.seconds)}s"


def look_at(helpers: Iterable[Helper], part: Path) -> int:
    """1 where one is not what it should be at the end of a run; it is said why."""
    for fault in filter(None, (helper.fault() for helper in helpers)):
        add_message(part, fault)
        return 1
    return 0


def why_failed(folder: Path) -> str:
    """What was said first that is of interest."""
    return next((line for line in lines_of(folder / "messages.txt") if "the run goes on" not in line), "")


def is_neutral(group: Group) -> bool:
    return ("--pin", "neutral") in zip(group.options, group.options[1:])


def add_message(part: Path, text: str) -> None:
    with (part / "messages.txt").open("a") as messages:
        messages.write(f"{text}\n")


def watch(process: subprocess.Popen[str], part: Path, what: str, left: float) -> None:
    """Until it ends. On a terminal there is a live line meanwhile."""
    if not sys.stdout.isatty():
        process.wait()
        return
    done = time.strftime("%H:%M", time.localtime(time.time() + left))
    while process.poll() is None:
        print(f"\r\033[K{what}{load_now(part)}, done at {done}", end="", flush=True)
        with suppress(subprocess.TimeoutExpired):
            process.wait(1)
    print("\r\033[K", end="", flush=True)


def load_now(part: Path) -> str:
    """Load and target of the last row of a run's log."""
    for log in (part / "log.csv", *part.glob("*/files/log.csv")):
        lines = lines_of(log)
        if len(lines) > 2:
            # The last one may be half a line.
            row = dict(zip(lines[0].split(","), lines[-2].split(",")))
            load, target = number(row, "load"), number(row, "target")
            what = "warming up" if target is None else f"target {100 * target:.0f} %"
            return "" if load is None else f": load {100 * load:.0f} %, {what}"
    return ""


def log_is_whole(record: Path) -> bool:
    """What the record of a run says of the log beside it. One that can't say it, of an older build, has nothing against it."""
    return all(float(row.get("log_missing_s", "0") or "1") == 0 for row in kept_csv(record))


def faults(run: Run, part: Path, records: Iterable[Path]) -> Iterator[str]:
    """Of a run that ended well, by the records of its showstoppers and what else it has left."""
    for record in records:
        # Workloads are endless.
        if not any((number(row, "controlled_s") or 0) > run.seconds - 0.5 for row in kept_csv(record)):
            yield "a workload ended before the run did"
        if not log_is_whole(record):
            yield "rows of the log are missing"
    # An iteration record without a number stands for others; of those at the end only messages tell.
    for file in (file for group in run.groups for file in sorted(part.glob(f"{group.records}.*.csv"))):
        if any(row.get("iteration") == "" for row in read_csv(file)):
            yield f"iteration records are missing in {file.name}"
    for errors in (*part.glob("errors.*.txt"), *part.glob("*/files/errors.*.txt")):
        if "iteration records are being lost" in errors.read_text(errors="replace"):
            yield "iteration records were lost"
    # A row without a load marks what could not be written.
    if holes := sum(row.get("load") == "" for row in kept_csv(part / "log.csv")):
        yield f"the log is not whole: {holes} of its rows have no load"


# ---- What was made inside ---------------------------------------------------------------------------------------------------------


def bring_back(part: Path, side: Side, records: str) -> None:
    """Its iteration records, and what it complained of."""
    for line in lines_of(side.folder / "messages.txt"):
        add_message(part, f"{side.name}: {line}")
    for file in sorted((side.folder / "files").glob(f"{records}.*.csv")):
        by_clock_of_host(side.folder, file, part / file.name)


def controlled_side(part: Path, side: Side) -> None:
    """Log and record of a run are those of the side that has the load under control."""
    for name in ("record.csv", "record.json"):
        if (side.folder / "files" / name).exists():
            shutil.copy(side.folder / "files" / name, part / name)
    if (side.folder / "files/log.csv").exists():
        by_clock_of_host(side.folder, side.folder / "files/log.csv", part / "log.csv")


def by_clock_of_host(side: Path, file: Path, to: Path) -> None:
    """A container has the host's clocks. Those of guests go each by themselves: times of their monotonic clocks become seconds since 1970 by the
    host's clock, and those of their wall clocks lose what these were ahead, in the mean of before and after the run."""
    if not (side / "clock.csv").exists():
        shutil.copy(file, to)
        return
    readings = read_csv(side / "clock.csv")
    ahead, zero = (sum(known(row, name) for row in readings) / len(readings) for name in ("ahead_s", "zero_unix_s"))
    moved = dict.fromkeys(("monotonic_s", "start_s", "end_s"), zero - ahead) | {"time_unix_s": -ahead}
    rows = read_csv(file)
    for row in rows:
        row |= {name: f"{float(row[name]) + by:.6f}" for name, by in moved.items() if row.get(name)}
    to.write_text(table_text([first_line(file).split(","), *(list(row.values()) for row in rows)]))


# ---- Warm? ------------------------------------------------------------------------------------------------------------------------


def warmth(log: Path, records: Iterable[Path], warm_up: float) -> tuple[float, float] | None:
    """Iterations a second in the two last quarters of the warm-up, of which none is longer than 30 s. An iteration counts where it ran; one that
    ends under control, which may have slowed it, as if it took as long as those of the warm-up did in the mean. None where no iteration ended in
    one of the two."""
    first = next(iter(read_csv(log)), None)
    if not first:
        return None
    began = known(first, "monotonic_s") - known(first, "time_s")
    step = min(30.0, warm_up / 4)
    quarters = [(began - 2 * step, began - step), (began - step, began)]
    times = [(float(row["start_s"]), float(row["end_s"])) for file in records for row in succeeded(file)]
    before = [(start, end) for start, end in times if start < end <= began]
    under_way = [start for start, end in times if start < began < end]
    lengths = [[end - start for start, end in before if low < end <= high] for low, high in quarters]
    if not all(lengths):
        return None
    ended = lengths[0] + lengths[1]
    usual = sum(ended) / len(ended)

    def rate(low: float, high: float) -> float:
        parts = (max(0.0, min(end, high) - max(start, low)) / (end - start) for start, end in before)
        parts_then = (max(0.0, high - max(start, low)) / usual for start in under_way)
        return (sum(parts) + sum(parts_then)) / step

    return rate(*quarters[0]), rate(*quarters[1])


def add_power(part: Path) -> None:
    """Puts the mean of the meter over each row of the log into a column at its end."""
    import showstopper

    log = part / "log.csv"
    [joined] = showstopper.join([str(log)], powers=[str(part / METER)])
    power = joined.logs[0].frame["power_w"]
    cells = ["power_w", *("" if math.isnan(watts) else f"{watts:.3f}" for watts in power)]
    log.write_text("".join(f"{line},{cell}\n" for line, cell in zip(lines_of(log), cells, strict=True)))


def look_whether_warm(run: Run, part: Path) -> None:
    """Makes warm.csv, a row for each group of workloads. A run that was not is kept; the report says so."""
    if int(run.warm_up) < 4:
        return
    said = "records,before,after,percent\n"
    for records in dict.fromkeys(group.records for group in run.groups):
        found = warmth(part / "log.csv", sorted(part.glob(f"{records}.*.csv")), run.warm_up)
        if not found:
            said += f"{records},,,\n"
            continue
        change = f"{100 * (found[1] / found[0] - 1):.2f}"
        said += f"{records},{found[0]:.4g},{found[1]:.4g},{change}\n"
        if abs(float(change)) > 2:
            quarters = "from the last but one quarter of the warm-up to the last"
            add_message(part, f"not warm: the throughput of {records} changed by {change} % {quarters}")
    (part / "warm.csv").write_text(said)
