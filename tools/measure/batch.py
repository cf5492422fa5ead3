# SPDX-License-Identifier: MIT
"""A batch of runs of showstopper: options, the list of runs, one run after the other, going on where it stopped, the report, what is published.
An experiment is a subclass of Experiment that says which runs there are and which tables they come to."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, ClassVar, NoReturn

from measure import cluster, machine, making, runs, workloads
from measure.environments import NAMES, kind_of
from measure.helpers import Helper
from measure.options import options
from measure.process import Interrupted, attempt, end, has_program, run_program
from measure.publish import Publication, command_line
from measure.report import Report
from measure.runs import Group, Run
from measure.text import (
    Row,
    Trouble,
    as_time,
    first_line,
    is_positive,
    known,
    listed,
    lines_of,
    number_from,
    read_csv,
    rows_of,
    words_of,
    write,
)
from measure.workloads import Workload

FLAGS = "-q/--quick -f/--full -r/--resume -d/--dry-run -p/--report --publish -F/--force --slurm --slurm="
VALUED = "-w/--workloads -n/--repeat -t/--time -u/--warm-up -R/--random -O/--order -c/--cool-down -o/--output -B/--build --parallel --per-node --processors --task"
# What a run depends on: what is measured by another revision of these is another thing.
MEASURES = "include src modules CMakeLists.txt tools/cmake tools/experiments/workloads tools/measure/making.py tools/measure/workloads.py tools/measure/environments"
MOST_NAMED = 12  # runs that were not warm
JOBLOG = "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n"


@dataclass
class Choices:
    """What the command line says."""

    workloads: list[str]
    repeat: int
    mode: str = "quick"
    targets: list[str] = field(default_factory=list)
    seconds: int | None = None
    environments: list[str] = field(default_factory=lambda: ["native"])
    warm_up: float | None = None
    warm_ups: dict[str, float] = field(default_factory=dict)
    order: str = "given"
    seed: int | None = None
    cool_down: int | None = None
    output: str = ""
    build: str = ""
    flags: set[str] = field(default_factory=set)
    slurm: list[str] | None = None
    logins: str = ""
    per_node: str = "workload"
    processors: int | None = None
    task: int | None = None

    def has(self, flag: str) -> bool:
        return flag in self.flags

    @property
    def on_cluster(self) -> bool:
        return self.slurm is not None or bool(self.logins)


@dataclass
class Part:
    """The runs of one environment, in a folder with their report."""

    output: Path
    batch: Path  # of all environments
    environment: str
    runs: list[Run]
    build: Path
    name: str
    complete: list[Run] = field(init=False)
    report: Report = field(init=False)

    def __post_init__(self) -> None:
        self.complete = [run for run in self.runs if runs.is_complete(run, run.folder(self.batch))]

    def folder(self, run: Run) -> Path:
        return run.folder(self.batch)

    def log(self, run: Run) -> Path:
        return self.folder(run) / "log.csv"

    def records(self, run: Run, name: str = "iterations") -> list[Path]:
        return sorted(self.folder(run).glob(f"{name}.*.csv"))

    def begin(self, title: str) -> Report:
        """What comes first: a machine that was busy, several kinds of machines, emulated guests."""
        self.report = Report(self.output, self.name, title)
        self.say_first(self.report)
        say_notes(self.report, self.runs[:1], self.environment_lines())
        return self.report

    def say_first(self, report: Report) -> None:
        if self.busy:
            report.warning(
                f"The machine was busy: others took {self.busy} % of it before the first run. These figures say little of Showstopper."
            )
        report.text(cluster.machines_said([(run.label, self.folder(run)) for run in self.complete]))
        for line in self.environment_lines():
            if line.startswith("Emulated"):
                report.text(line)

    @property
    def busy(self) -> str:
        """Per cent that others took, where that was too much."""
        for line in lines_of(self.output / "machine.txt") or lines_of(self.batch / "machine.txt"):
            if match := re.match(r"load before the first run: ([0-9.]+) %", line):
                return match[1] if float(match[1]) > machine.BUSY else ""
        return ""

    def others(self, run: Run) -> float | None:
        """Per cent that others took in the mean of a run."""
        rows = read_csv(self.folder(run) / "record.csv") if (self.folder(run) / "record.csv").exists() else []
        return 100 * known(rows[0], "others_mean") if rows and rows[0].get("others_mean") else None

    def environment_lines(self) -> list[str]:
        return sorted({line for run in self.complete for line in lines_of(self.folder(run) / "environment.txt")})

    def end(self) -> None:
        self.report.text(warm_said([self.folder(run) for run in self.complete]))
        self.report.heading("What it was run on")
        if (self.output / "machine.txt").exists():
            self.report.lines(self.output / "machine.txt")
        self.report.text(
            f"{len(self.complete)} of {len(self.runs)} runs are complete. Each has a folder in runs, with its command, log and records;"
            " joblog says when it ran and how it ended."
        )
        self.report.write()


def say_notes(report: Report, of: Sequence[Run], lines: Iterable[str]) -> None:
    """What the environments of runs were, and were not."""
    match of[0].environment if of else "":
        case "lxc":
            report.text("Each side of a run was in a container of its own (LXC), of the same kernel.")
        case "qemu":
            report.text("Each side of a run was in a virtual machine of its own (QEMU).")
    for line in lines:
        if not line.startswith("Emulated"):
            report.text(line)


def warm_said(folders: Iterable[Path]) -> str:
    """Of which runs the workloads were not warm when they were measured: in the two last quarters of the warm-up their throughput was not the same."""
    files = [folder / "warm.csv" for folder in sorted(folders) if (folder / "warm.csv").exists()]
    judged = {file: rows_of("records,before,after,percent\n" + "\n".join(lines_of(file)[1:])) for file in files}
    judged_runs = [file for file in files if judged[file]]
    said = ""
    if len(judged_runs) < len(files):
        said = (
            f"Of {len(files) - len(judged_runs)} runs it is not known whether they were warm,"
            " as no iteration ended in one of the last two quarters of the warm-up. "
        )
    if not judged_runs:
        return said
    cold = [file.parent.name for file in judged_runs if any(abs(float(row["percent"])) > 2 for row in judged[file])]
    if not cold:
        return (
            said
            + f"All {len(judged_runs)} runs were warm: the throughput of the last two quarters of the warm-up was the same within 2 %."
        )
    return (
        said
        + f"Not warm were {len(cold)} of {len(judged_runs)} runs: the throughput of the last two quarters of the warm-up (30 s each at most)"
        f" was not the same within 2 %: {listed(cold[:MOST_NAMED])}{', …' if len(cold) > MOST_NAMED else ''}."
    )


class Experiment:
    """What an experiment says of itself. Its options are in `flags` and `valued`, as options() has them; take() takes them."""

    name: ClassVar[str]
    summary: ClassVar[str]
    default_workloads: ClassVar[str] = "burn-single burn-contended burn-parallel"
    default_targets: str = ""
    quick_targets: str = ""
    default_repeat: ClassVar[int] = 1
    in_environments: ClassVar[bool] = False
    flags: ClassVar[str] = ""
    valued: ClassVar[str] = ""
    own_help: ClassVar[str] = ""
    warm_up_help: ClassVar[str] = "what the file of each workload says; with --full 180"
    warm_ups: dict[str, float | None]
    published_as: str = ""
    choices: Choices
    processors: int
    seconds: int = 0
    build: Path
    output: Path
    workload_of: dict[str, Workload]

    def __init__(self) -> None:
        self.warm_ups = {"quick": None, "full": 180}
        self.processors = machine.processor_count()

    @property
    def workloads(self) -> list[str]:
        return self.choices.workloads

    @property
    def targets(self) -> list[str]:
        return self.choices.targets

    @property
    def quick(self) -> bool:
        return self.choices.mode == "quick"

    @property
    def simulated(self) -> bool:
        return self.choices.has("simulate")

    def take(self, option: str, key: str, value: str) -> None:
        """An option of its own."""

    def settings(self) -> None:
        """Sets `seconds`, the length of a run under control, and whatever else is its own."""

    def model_of(self, workload: str) -> str:
        """sssim's, where runs can be simulated."""
        raise Trouble(f"--workloads: '{workload}' can't be simulated")

    def list_runs(self, environment: str) -> Iterator[Run]:
        raise NotImplementedError

    def check(self) -> None:
        """Refuses what this machine (that of the runs) can't do, before a batch is begun."""

    def prepare(self, output: Path) -> None:
        """Makes files there that runs need."""

    def helpers(self, run: Run, folder: Path) -> list[Helper]:
        """What runs beside a run, such as a server or a reader, which may write into its folder."""
        return []

    def write_report(self, part: Part) -> None:
        raise NotImplementedError

    def compare_environments(self, parts: list[Part], report: Report) -> None:
        """One beside the other, where it can do that."""

    def published(self, parts: list[Part]) -> str | None:
        """The text of its block; None for that of the report, without its pictures."""
        return None

    # ---- For those ----------------------------------------------------------------------------------------------------------------

    def class_of(self, workload: str) -> str:
        return self.workload_of[workload].keys["class"]

    def wanted_of(self, workload: str) -> str:
        """A number, or P for as many as a group has processors."""
        return self.workload_of[workload].keys["instances"]

    def instances_of(self, workload: str) -> str:
        wanted = self.wanted_of(workload)
        return str(self.processors) if wanted == "P" else wanted

    def warm_up_of(self, groups: Iterable[Group]) -> float:
        """The longest."""
        of_all = self.choices.warm_up if self.choices.warm_up is not None else self.warm_ups[self.choices.mode]
        longest = 0.0
        for group in groups:
            own = self.choices.warm_ups.get(group.workload, of_all)
            longest = max(longest, self.workload_of[group.workload].warm_up if own is None else own)
        return longest

    def repetitions(self) -> range:
        return range(1, self.choices.repeat + 1)


class Batch:
    """Of one experiment, by one command line."""

    def __init__(self, experiment: Experiment, arguments: list[str]) -> None:
        self.experiment = experiment
        self.name = experiment.name
        self.choices = Choices(words_of(experiment.default_workloads), experiment.default_repeat)
        experiment.choices = self.choices
        self.called = [str(machine.EXPERIMENTS / self.name), *arguments]
        self.publication = Publication(command_line(f"tools/experiments/{self.name}", arguments))
        self.runs: list[Run] = []
        self.failed = 0
        self.locks: list[IO[bytes]] = []
        self.parse(arguments)

    # ---- Options ------------------------------------------------------------------------------------------------------------------

    def parse(self, arguments: list[str]) -> None:
        own, choices = self.experiment, self.choices
        valued = VALUED + (" -l/--targets" if own.default_targets else "") + (" -I/--in" if own.in_environments else "")
        # Where an experiment has another -O, that is it.
        valued = valued.replace("-O/--order", "--order") if "-O/" in own.valued else valued
        for name, key, value in options(arguments, f"{FLAGS} {own.flags}", f"{valued} {own.valued}", usage(own)):
            match key:
                case "quick" | "full":
                    choices.mode = key
                case "workloads":
                    choices.workloads = unlike(name, words_of(value))
                case "targets":
                    choices.targets = words_of(value)
                    if not choices.targets:
                        raise Trouble(f"{name}: expected loads in percent")
                case "repeat":
                    choices.repeat = number_from(name, value, 1)
                case "time":
                    choices.seconds = number_from(name, value, 2)
                case "random":
                    choices.order, choices.seed = "random", number_from(name, value, 0)
                case "order":
                    if value not in ("given", "interleaved"):
                        raise Trouble(f"{name}: '{value}' is none of given, interleaved (--random SEED is another)")
                    choices.order = value
                case "warm-up":
                    self.take_warm_ups(name, value)
                case "cool-down":
                    choices.cool_down = number_from(name, value, 0)
                case "in":
                    choices.environments = self.environments(name, value)
                case "per-node":
                    if value not in ("workload", "setting", "any"):
                        raise Trouble(f"{name}: '{value}' is none of workload, setting, any")
                    choices.per_node = value
                case "output":
                    choices.output = value
                case "build":
                    choices.build = value
                case "parallel":
                    choices.logins = value
                case "slurm":
                    choices.slurm = value.split()
                case "processors":
                    choices.processors = number_from(name, value, 1)
                case "task":
                    choices.task = number_from(name, value, 1)
                case "resume" | "dry-run" | "report" | "publish" | "force" | "simulate":
                    choices.flags.add(key)
                case _:
                    own.take(name, key, value)

    def take_warm_ups(self, name: str, value: str) -> None:
        if "=" not in value:
            self.choices.warm_up = number_from(name, value, 0)
            return
        for word in words_of(value):
            workload, equals, seconds = word.partition("=")
            if not equals:
                raise Trouble(f"{name}: '{word}': expected WORKLOAD=SECONDS")
            self.choices.warm_ups[workload] = number_from(name, seconds, 0)

    def environments(self, name: str, value: str) -> list[str]:
        found = unlike(name, words_of(value))
        for one in found:
            if one not in NAMES:
                raise Trouble(f"{name}: '{one}' is none of native, lxc, qemu")
        if not found:
            raise Trouble(f"{name}: expected some of native, lxc, qemu")
        return found

    # ---- The list -----------------------------------------------------------------------------------------------------------------

    def choose(self) -> None:
        """All that the options leave open."""
        own, choices = self.experiment, self.choices
        if not choices.targets:
            choices.targets = words_of((own.quick_targets if own.quick else "") or own.default_targets)
        for target in choices.targets:
            if not is_positive(target, 100):
                raise Trouble(f"--targets: '{target}' is no load in percent, above 0 and at most 100")
        self.cool_down = choices.cool_down if choices.cool_down is not None else 2 if own.quick else 20
        self.output = Path(choices.output or machine.ROOT / "results" / self.name).absolute()
        self.cluster = cluster.Cluster(self)
        own.processors = self.cluster.processors()
        own.settings()
        own.published_as = own.published_as or own.name
        self.cool_down = 0 if own.simulated else self.cool_down
        own.seconds = choices.seconds or own.seconds
        self.look_at_workloads()
        self.runs = self.make_list()
        if not self.runs:
            raise Trouble("there is nothing to run")

    def look_at_workloads(self) -> None:
        for name in self.choices.warm_ups:
            if name not in self.choices.workloads:
                raise Trouble(f"--warm-up: '{name}' is none of {' '.join(self.choices.workloads)}")
        for name in self.choices.workloads:
            if "/" in name or "_" in name or name.endswith(".workload"):
                raise Trouble(
                    f"--workloads: '{name}': expected a name without / and _, as its runs are called by it; SHOWSTOPPER_WORKLOADS is for folders"
                )
        self.experiment.workload_of = {name: workloads.find(name) for name in self.choices.workloads}

    def make_list(self) -> list[Run]:
        several = len(self.choices.environments) > 1
        found = [
            replace(run, environment=environment, several=several, warm_up=self.experiment.warm_up_of(run.groups))
            for environment in self.choices.environments
            for run in self.experiment.list_runs(environment)
        ]
        names = [run.name for run in found]
        if len(set(names)) < len(names):
            raise Trouble(f"{next(name for name in names if names.count(name) > 1)} is asked for twice")
        if self.experiment.simulated:
            found = [replace(run, environment="sssim", several=False) for run in found]
        if self.choices.seed is not None:
            return runs.in_random_order(found, self.choices.seed)
        return runs.interleaved(found) if self.choices.order == "interleaved" else found

    def show(self) -> None:
        for run in self.runs:
            inside = f"in {run.environment}, " if run.environment in ("lxc", "qemu") else ""
            _, workload, instances, warm_up, length, _, words = run.line()
            print(
                f"{run.name}: {inside}{instances} instances of {workload}, warm-up {warm_up} s, {length} s with {words}"
            )
        total = sum(run.warm_up + run.seconds + 1 + self.cool_down for run in self.runs)
        print(f"{len(self.runs)} runs, {'simulated' if self.experiment.simulated else as_time(total)}")
        if self.choices.on_cluster:
            self.cluster.show()

    # ---- Its course ---------------------------------------------------------------------------------------------------------------

    def main(self) -> int:
        own, choices = self.experiment, self.choices
        self.choose()
        if choices.has("dry-run"):
            self.show()
            return 0
        list_file = self.output / "runs.tsv"
        if choices.task is not None:
            self.prepare_build()
            own.check()
            return 1 if self.cluster.run_task(choices.task) else 0
        if choices.has("publish"):
            if len(choices.environments) > 1 and type(own).published is Experiment.published:
                raise Trouble("--publish: expected one environment")
            self.publication.look("tools/bench/README.md", f"experiments-{own.published_as}")
        if not choices.has("report") and list_file.exists() and not choices.has("resume"):
            raise Trouble(f"{self.output} holds a batch; --resume goes on with it, or choose another --output")
        if choices.has("publish") and list_file.exists():
            self.same_list()
            self.look_at_measured()
        if choices.has("report"):
            if not list_file.exists():
                raise Trouble(f"{self.output} holds no batch")
            self.prepare_build()
        else:
            self.begin()
            self.run()
        self.write_reports(runs.of_list(list_file, self.runs))
        print(f"Report: {self.output / self.name}.html")
        if choices.has("publish"):
            self.publish()
        return 1 if self.failed else 0

    def begin(self) -> None:
        """Looks first, installs second: a batch is begun as a whole, or nothing of it is left."""
        own, choices = self.experiment, self.choices
        list_file = self.output / "runs.tsv"
        here = not own.simulated and not choices.on_cluster
        if list_file.exists():
            self.same_list()
        if here:
            # Two batches on one machine would measure each other; what runs elsewhere must not share a folder.
            self.locks.append(machine.lock(Path(__file__), "of this checkout"))
            self.remove_left()
            if choices.build:
                self.prepare_build()
                own.check()
            self.look_at_machine()
        self.install()
        self.prepare_build()
        if not choices.on_cluster and not (here and choices.build):
            own.check()
        if not own.simulated:
            self.prepare_workloads()
        for environment in choices.environments:
            if lacking := kind_of(environment).missing():
                raise Trouble(f"--in {environment}: missing: {listed(lacking)}")
        try:
            self.output.mkdir(parents=True, exist_ok=True)
            (self.output / "runs").mkdir(exist_ok=True)
        except OSError as error:
            raise Trouble(f"can't make {self.output}: {error.strerror}") from error
        if not list_file.exists():
            write(self.output / "joblog", JOBLOG)
            write(self.output / "revision", self.publication.revision + "\n")
            runs.write_list(list_file, self.runs)
        if not here:
            self.locks.append(machine.lock(list_file, f"in {choices.output or self.output}"))
        if len(choices.environments) > 1:
            for environment in choices.environments:
                (self.output / environment / "runs").mkdir(parents=True, exist_ok=True)
                of_it = [replace(run, several=False) for run in self.runs if run.environment == environment]
                runs.write_list(self.output / environment / "runs.tsv", of_it)
        own.prepare(self.output)

    def seconds_left(self) -> float:
        return making.seconds_left(self.output, self.runs, self.cool_down)

    def look_at_machine(self) -> None:
        """That it is the one that began, and quiet."""
        self.other = 0.0
        if self.seconds_left() == 0:
            return
        if (self.output / "machine.txt").exists() and not self.same_machine():
            if not self.choices.has("force"):
                shown = self.choices.output or str(self.output)
                raise Trouble(
                    f"{shown} was begun on another machine or kernel ({shown}/machine.txt); --force goes on all the same"
                )
            print(
                f"warning: {self.output} was begun on another machine or kernel; its runs can't be compared",
                file=sys.stderr,
            )
        self.other = machine.check_idle(
            Path(self.choices.build) if self.choices.build else None, self.choices.has("force")
        )

    def install(self) -> None:
        """Only what is needed, and only where no build is given. tools/setup says what it installs."""
        if self.choices.build:
            return
        wanted = {} if has_program("gnuplot") else {"gnuplot-nox": "the pictures of the report"}
        for workload in [] if self.experiment.simulated else self.experiment.workload_of.values():
            wanted |= {package: f"the workload {workload.name}" for package in workload.packages()}
        if "lxc" in self.choices.environments and not has_program("lxc-execute"):
            wanted["lxc"] = "--in lxc"
        if wanted:
            print("Missing: " + listed(f"{package} for {why}" for package, why in wanted.items()))
            machine.install("only", *wanted)
            workloads.installed.cache_clear()

    def prepare_build(self) -> None:
        own = self.experiment
        self.build = machine.prepare_build(self.choices.build, "showstopper ssburn ssiterate ssreport sssim cpuload")
        own.build, own.output = self.build, self.output

    def prepare_workloads(self) -> None:
        for workload in self.experiment.workload_of.values():
            if lacking := workload.missing():
                raise Trouble(f"workload {workload.name}: missing: {' '.join(lacking)}")
        workloads.build_java(self.experiment.workload_of.values(), self.build / "java")

    def same_list(self) -> None:
        if not runs.is_same_list(self.output / "runs.tsv", self.runs):
            raise Trouble(
                f"{self.choices.output or self.output} was begun with other options; repeat them, or choose another --output"
            )

    def kernel_and_processors(self) -> list[str]:
        """What may not change within a batch."""
        return [f"kernel: {machine.kernel()}", f"processors: {self.experiment.processors}, {machine.model()}"]

    def same_machine(self) -> bool:
        lines = lines_of(self.output / "machine.txt")
        return {line for line in lines if re.match("(kernel|processors): ", line)} == set(self.kernel_and_processors())

    def describe_machine(self) -> str:
        memory = next((line.split()[1] for line in lines_of(Path("/proc/meminfo")) if line.startswith("MemTotal")), "0")
        lines = [
            f"date: {time.strftime('%Y-%m-%d %H:%M')}",
            *self.kernel_and_processors(),
            f"memory: {int(memory) / 1048576:.0f} GiB",
        ]
        lines += [
            f"showstopper: {line}" for line in attempt([self.build / "showstopper", "--version"]).stdout.splitlines()
        ]
        if has_program("java"):
            lines.append(f"java: {(attempt(['java', '-version']).stderr.splitlines() or [''])[0]}")
        simulated = self.experiment.simulated
        lines.append(
            "simulated: by sssim, in virtual time" if simulated else f"load before the first run: {self.other:.1f} %"
        )
        return "".join(f"{line}\n" for line in lines)

    def remove_left(self) -> None:
        """What a batch that was killed has not removed itself."""
        for part in [*self.output.glob("runs/*.part"), *self.output.glob("*/runs/*.part")]:
            if kind := first_line(part / "environment"):
                attempt([making.ENVIRONMENT, "remove", kind, part])

    def maker(self, output: Path) -> making.Maker:
        own = self.experiment
        models = {name: own.model_of(name) for name in own.workload_of} if own.simulated else {}
        of = f"{os.uname().nodename}: {', '.join(self.kernel_and_processors())}"
        return making.Maker(
            output,
            self.build,
            self.build / "java",
            own.processors,
            own.workload_of,
            self.publication.revision,
            of,
            own.simulated,
            models,
            own.helpers,
        )

    def run(self) -> None:
        if self.choices.on_cluster:
            self.failed = self.cluster.run()
            return
        if self.seconds_left() > 0:
            write(self.output / "machine.txt", self.describe_machine())
        self.failed = self.run_all(self.output, self.runs)

    def run_all(self, output: Path, of: Sequence[Run], wanted: Iterable[Run] | None = None) -> int:
        """One after the other, on this machine; all that are not complete, or those of them. Returns how many failed."""
        maker, failed, ran = self.maker(output), 0, False
        chosen = None if wanted is None else {run.name for run in wanted}
        try:
            for place, run in enumerate(of, 1):
                if runs.is_complete(run, run.folder(output)) or (chosen is not None and run.name not in chosen):
                    continue
                if ran:
                    time.sleep(self.cool_down)
                ran = True
                left = making.seconds_left(
                    output, [one for one in of if chosen is None or one.name in chosen], self.cool_down
                )
                shown = "" if self.experiment.simulated else f", {as_time(left)} left"
                print(f"[{place}/{len(of)}] {run.name}{shown}")
                failed += not maker.make(run, place, len(of), left)
        except Interrupted:
            print("\ninterrupted; --resume goes on", file=sys.stderr)
            raise
        return failed

    # ---- Reports ------------------------------------------------------------------------------------------------------------------

    def write_reports(self, of: list[Run]) -> None:
        """Of several environments each has a report of its own, in its folder, beside that of all."""
        if len(self.choices.environments) == 1:
            self.parts = [Part(self.output, self.output, self.choices.environments[0], of, self.build, self.name)]
            self.experiment.write_report(self.parts[0])
            return
        self.parts = []
        for environment in self.choices.environments:
            own = [run for run in of if run.environment == environment]
            part = Part(self.output / environment, self.output, environment, own, self.build, self.name)
            if not part.complete:
                continue
            if (self.output / "machine.txt").exists():
                write(part.output / "machine.txt", (self.output / "machine.txt").read_text())
            # What one lacks should not cost the others their reports.
            try:
                self.experiment.write_report(part)
                self.parts.append(part)
            except Trouble as trouble:
                print(f"tools/experiments/{self.name}: {trouble}", file=sys.stderr)
                print(
                    f"tools/experiments/{self.name}: no report of the runs in {environment} could be written",
                    file=sys.stderr,
                )
                self.failed += 1
        if not self.parts:
            raise Trouble("no run is complete and of use")
        self.report_environments(of)

    def report_environments(self, of: list[Run]) -> None:
        whole = Part(self.output, self.output, "", of, self.build, self.name)
        report = whole.report = Report(self.output, self.name, f"{self.name} in several environments")
        whole.say_first(report)
        for part in self.parts:
            report.text(
                f"{part.environment}: {len(part.complete)} of {len(part.runs)} runs are complete;"
                f" the report is {part.environment}/{self.name}.html."
            )
            say_notes(report, part.runs[:1], part.environment_lines())
        self.experiment.compare_environments(self.parts, report)
        whole.end()

    # ---- Publishing ---------------------------------------------------------------------------------------------------------------

    def look_at_measured(self) -> None:
        """A batch that was measured before is published while nothing has changed that its runs depend on, and on the machine that ran them."""
        date = next((line[6:16] for line in lines_of(self.output / "machine.txt") if line.startswith("date: ")), "")
        shown = self.choices.output or str(self.output)
        self.publication.measured(first_line(self.output / "revision"), date, shown, MEASURES.split())
        if (self.output / "machine.txt").exists() and not self.experiment.simulated and not self.same_machine():
            raise Trouble(f"--publish: {shown} was measured on another machine or kernel than this")

    def publish(self) -> None:
        from measure.measured import measured_files

        own = self.experiment
        missing = len(self.runs) - sum(runs.is_complete(run, run.folder(self.output)) for run in self.runs)
        if missing:
            raise Trouble(f"--publish: {missing} runs of {self.output} are missing; --resume makes them")
        text = own.published(self.parts)
        if text is None:
            text = without_pictures((self.output / f"{self.name}.md").read_text())
        write(self.output / "published.md", text)
        self.publication.block("tools/bench/README.md", f"experiments-{own.published_as}", text, self.build)
        # Of each environment a folder; those of environments that are not in this batch stay. Names of files as they are within the batch.
        for part in self.parts:
            files = {
                file.name: file.read_text().replace(f"{self.output}/", "")
                for kind, file in measured_files(part.output)
                if kind != "ratio-other"
            }
            if files:
                files["about.md"] = self.publication.heading(self.build) + "\n"
                self.publication.folder(f"tools/experiments/measured/{own.published_as}-{part.environment}", files)
        self.publication.write()


def without_pictures(report: str) -> str:
    """Without title, pictures and the machine, and as a part of a longer document."""
    made: list[str] = []
    ended = False
    for number, line in enumerate(report.split("\n## What it was run on")[0].splitlines(), 1):
        if line.startswith(("# ", "![")) or (ended and not line):
            continue
        ended = not line and number > 1
        made.append("#### " + line[3:] if line.startswith("## ") else line)
    return "\n".join(made[1:] if made and not made[0] else made) + "\n\n"


def unlike(name: str, words: list[str]) -> list[str]:
    """Each once."""
    for word in words:
        if words.count(word) > 1:
            raise Trouble(f"{name}: {word} is given twice")
    return words


def usage(own: Experiment) -> str:
    quick = f"; quick: {own.quick_targets}" if own.quick_targets else ""
    targets = (
        f"  -l, --targets LIST      target loads in percent ({own.default_targets}{quick})\n"
        if own.default_targets
        else ""
    )
    inside = (
        "  -I, --in LIST           out of native,lxc,qemu: on the host itself, each side of a run in a container, or in a guest of its own (native)\n"
        if own.in_environments
        else ""
    )
    order = "    " if "-O/" in own.valued else "-O, "
    return f"""usage: tools/experiments/{own.name} [OPTION]...
{own.summary}
  -q, --quick             minutes on two processors (this is what is done without -q or -f)
  -f, --full              the papers' durations
  -w, --workloads LIST    out of tools/experiments/workload list ({own.default_workloads})
{targets}  -n, --repeat N          how often each run is made ({own.default_repeat})
  -t, --time SECONDS      length of a run under control, instead of what -q or -f mean
{own.own_help}{inside}  -u, --warm-up SECONDS   before that, uncontrolled ({own.warm_up_help}); or WORKLOAD=SECONDS,... for some
  -R, --random SEED       in random order, the same for the same seed
  {order}--order ORDER       given, or interleaved: the first repetition of all, then the second, and so on (given)
  -c, --cool-down SECONDS wait so long between runs (2; with --full 20)
  -o, --output DIR        where everything goes (results/{own.name})
  -r, --resume            go on with the batch in DIR: complete runs are kept, the others made
  -d, --dry-run           print the runs and how long they take together; run nothing
  -p, --report            make no run; write the report of those that are there
      --publish           write the tables into tools/bench/README.md as well, where that has a block for them, and keep the small CSV files
                          they come from in tools/experiments/measured; refuses what other programs measured, or another machine, and batches that lack runs
  -B, --build DIR         where the programs are (build/demo, which is built first when it isn't given)
  -F, --force             also on a machine that is busy
      --slurm[=OPTIONS]   as a job array of Slurm, a node for each task; OPTIONS are sbatch's, separated by blanks
      --parallel LOGINS   by ssh on these machines, separated by commas, one task at a time on each (GNU parallel's --sshlogin)
      --per-node WHAT     what stays on one node, or on nodes of one kind: the runs of a workload, of a setting, or any (workload)
  -h, --help              print this
DIR/{own.name}.html and DIR/{own.name}.md say what came out. DIR/joblog has a line per run as GNU parallel writes them, DIR/runs a folder per run with
its command, log, iteration records and record (run.json). An interruption loses at most the run that is under way.
For --slurm and --parallel, DIR, the build and this checkout lie in a folder that all of the machines share, under one name.
Ends with 0, with 1 when a run failed, with 125 on trouble, and with 130 or 143 when it was interrupted.
"""


def run_experiment(experiment: type[Experiment]) -> NoReturn:
    run_program(f"tools/experiments/{experiment.name}", lambda arguments: Batch(experiment(), arguments).main())


__all__ = ["Batch", "Experiment", "Part", "Row", "end", "run_experiment", "subprocess"]
