# SPDX-License-Identifier: MIT
"""A batch of runs of showstopper: options, the list of runs, one run after the other, going on where it stopped, the report, what is published.
An experiment is a subclass of Experiment that says which runs there are and which tables they come to."""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, ClassVar, NoReturn

from measure import cluster, machine, making, repeats, runs, sources, stolen, workloads
from measure.environments import kind_of
from measure.helpers import Helper
from measure.measured import measured_files
from measure.options import Command, Option, blanks, duration, flag, like, loads, one_of, option, some_of
from measure.options import text, unlike, whole
from measure.process import Interrupted, attempt, has_program, run_program
from measure.publish import Publication, command_line
from measure.report import Report
from measure.runs import Group, Run
from measure.text import Trouble, as_time, first_line, kept_csv, listed, lines_of, number, refuse, rows_of
from measure.text import refuse_others, words_of, write
from measure.workloads import Workload
from showstopper import InputError

if TYPE_CHECKING:
    import pandas as pd

MOST_NAMED = 12  # runs that were not warm
BEFORE = "load before the first run"  # in machine.txt
INSIDE = {"lxc": "container of its own (LXC), of the same kernel", "qemu": "virtual machine of its own (QEMU)"}
JOBLOG = "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n"
DOCUMENT = "tools/bench/README.md"
OPTIONS = "options.tsv"


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
    left_out: list[Run] = field(init=False, default_factory=list)  # complete, but of no use to this report
    tables: dict[str, pd.DataFrame] = field(
        init=False, default_factory=dict
    )  # of the package, of all runs, by their names
    repeats_said: str = field(init=False, default="")  # why there are so many repeats
    report: Report = field(init=False)

    def __post_init__(self) -> None:
        self.complete = [run for run in self.runs if runs.is_complete(run, run.folder(self.batch))]

    def folder(self, run: Run) -> Path:
        return run.folder(self.batch)

    def log(self, run: Run) -> Path:
        return self.folder(run) / "log.csv"

    def records(self, run: Run, name: str = "iterations") -> list[Path]:
        return sorted(self.folder(run).glob(f"{name}.*.csv"))

    def files(self, run: Run) -> list[Path]:
        return [self.log(run), *self.records(run)]

    def begin(self, title: str) -> Report:
        """What comes first: a machine that was busy, several kinds of machines, emulated guests."""
        self.report = Report(self.output, self.name, title)
        self.say_first(self.report)
        self.say_notes(self.report)
        return self.report

    def say_first(self, report: Report) -> None:
        if self.busy:
            taken = f"others took {self.busy} % of it before the first run"
            report.warning(f"The machine was busy: {taken}. These figures say little of Showstopper.")
        report.text(cluster.machines_said(map(self.folder, self.complete)), *self.notes(emulated=True))

    def say_notes(self, report: Report) -> None:
        """What the environments of runs were, and were not."""
        if where := INSIDE.get(self.runs[0].environment):
            report.text(f"Each side of a run was in a {where}.")
        report.text(*self.notes(emulated=False))

    def notes(self, emulated: bool) -> list[str]:
        """What environments said of themselves: that they are emulated, or all else."""
        said = {line for run in self.complete for line in lines_of(self.folder(run) / "environment.txt")}
        return sorted(line for line in said if line.startswith("Emulated") == emulated)

    @property
    def busy(self) -> str:
        """Per cent that others took, where that was too much."""
        said = (machine.said_in(folder / "machine.txt", BEFORE) for folder in (self.output, self.batch))
        share = next(filter(None, said), "0").removesuffix(" %")
        return share if float(share) > machine.BUSY else ""

    def others(self, run: Run) -> float | None:
        """Per cent that others took in the mean of a run."""
        shares = [number(row, "others_mean") for row in kept_csv(self.folder(run) / "record.csv")]
        return 100 * shares[0] if shares and shares[0] is not None else None

    def end(self) -> None:
        self.report.text(self.repeats_said)
        self.report.text(warm_said(map(self.folder, self.complete)))
        self.report.text(stolen.said(map(self.folder, self.complete)))
        self.report.heading("What it was run on")
        self.report.lines(self.output / "machine.txt")
        count = len(self.complete) + len(self.left_out)
        each = "Each has a folder in runs, with its command, log and records; joblog says when it ran and how it ended."
        self.report.text(f"{count} of {len(self.runs)} runs are complete. {each}")
        self.report.write()


def warm_said(folders: Iterable[Path]) -> str:
    """Of which runs the workloads were not warm when they were measured: in the two last quarters of the warm-up their throughput was not the same."""
    files = [folder / "warm.csv" for folder in sorted(folders) if (folder / "warm.csv").exists()]
    # The last column is the change in per cent; it had another name before. Where it isn't known, a row is empty, or there was none before.
    changes = {file: [[*row.values()][-1] for row in rows_of(file.read_text())] for file in files}
    judged = {file: of for file, of in changes.items() if of and all(of)}
    unknown, why = len(files) - len(judged), "as no iteration ended in one of the last two quarters of the warm-up"
    said = f"Of {unknown} runs it is not known whether they were warm, {why}. " if unknown else ""
    if not judged:
        return said
    cold = [file.parent.name for file in judged if any(abs(float(change)) > 2 for change in judged[file])]
    same = "the throughput of the last two quarters of the warm-up"
    if not cold:
        return f"{said}All {len(judged)} runs were warm: {same} was the same within 2 %."
    named = listed(cold[:MOST_NAMED]) + (", …" if len(cold) > MOST_NAMED else "")
    return f"{said}Not warm were {len(cold)} of {len(judged)} runs: {same} (30 s each at most) was not the same within 2 %: {named}."


# ---- Options --------------------------------------------------------------------------------------------------------------------


plain = like(re.compile("[a-z0-9]+(-[a-z0-9]+)*").fullmatch, "no name of small letters, digits and hyphens")


def by_workload(name: str, value: str) -> dict[str, int]:
    """By workload; what is for all of them is that of ''."""
    found = {}
    for word in words_of(value) if "=" in value else [f"={value}"]:
        workload, equals, time_of = word.partition("=")
        refuse(not equals, f"{name}: '{word}': expected WORKLOAD=SECONDS")
        found[workload] = duration(0)(name, time_of)
    return found


# ---- What an experiment says of itself --------------------------------------------------------------------------------------------


class Experiment(Command):
    """Options of its own are attributes that option() and flag() make."""

    name: ClassVar[str]
    summary: ClassVar[str]
    default_workloads: ClassVar[str] = "burn-single burn-contended burn-parallel"
    default_targets: str = ""  # none: it has no --targets
    quick_targets: str = ""
    in_environments: ClassVar[bool] = False
    warm_up_help: ClassVar[str] = "what the file of each workload says; with --full 180"
    usage = "usage: tools/experiments/{of.name} [OPTION]...\n{of.summary}"
    closing = """\
DIR/{of.name}.html and DIR/{of.name}.md say what came out. DIR/joblog has a line per run as GNU parallel writes them, DIR/runs a folder per run with
its command, log, iteration records and record (run.json). An interruption loses at most the run that is under way.
For --slurm and --parallel, DIR, the build and this checkout lie in a folder that all of the machines share, under one name.
Ends with 0, with 1 when a run failed, with 125 on trouble, and with 130 or 143 when it was interrupted.
"""
    # fmt: off
    # The last one counts.
    quick = flag("-q/--quick", "minutes on two processors (this is what is done without -q or -f)", action="store_false", dest="full")
    full = flag("-f/--full", "the papers' durations")
    workloads: list[str] = option("-w/--workloads LIST", unlike, [],
        "out of tools/experiments/workload list ({of.default_workloads})")
    targets: list[str] = option("-l/--targets LIST", loads, [], "target loads in percent ({of.targets_said})")
    repeat = option("-n/--repeat N", whole(1), 1, "how often each run is made (1)")
    precision = option("--precision PERCENT", repeats.share, "", "instead, as often as it takes to know the mean {of.precise} of each within so much: eight times, and then"
        " as often as Stein's two-stage procedure asks for; one after the other, there and back (A B B A)")
    at_most = option("--at-most N", whole(repeats.PILOT), 0, "--precision: but no more often than that")
    time = option("-t/--time TIME", duration(2), 0,
        "length of a run under control, in seconds or as 1M30s, instead of what -q or -f mean")
    environments = option("-I/--in LIST", some_of("native lxc qemu"), ["native"],
        "out of native,lxc,qemu: on the host itself, each side of a run in a container, or in a guest of its own (native)")
    warm_up: dict[str, int] = option("-u/--warm-up TIME", by_workload, {},
        "before that, uncontrolled ({of.warm_up_help}); or WORKLOAD=TIME,... for some")
    seed = option("-R/--random SEED", whole(0), None, "in random order, the same for the same seed")
    order = option("-O/--order ORDER", one_of("given interleaved"), "given",
        "given, or interleaved: the first repetition of all, then the second, and so on; --random is another (given)")
    most_stolen = stolen.most_stolen()
    cool_down = option("-c/--cool-down TIME", duration(0), None, "wait so long between runs (2; with --full 20)")
    to = option("-o/--output DIR", text, "", "where everything goes (results/{of.name})")
    resume = flag("-r/--resume", "go on with the batch in DIR: complete runs are kept, the others made")
    dry_run = flag("-d/--dry-run", "print the runs, how long they take together, and what is missing; run nothing")
    only_report = flag("-p/--report", "make no run; write the report of those that are there")
    publish = flag("--publish", "write the tables into tools/bench/README.md as well, where that has a block for them, and keep the"
        " small CSV files they come from in tools/experiments/measured; refuses what other programs measured, or another"
        " machine, and batches that lack runs")
    alias = option("--as NAME", plain, "", "--publish: as the block experiments-NAME and in folders of this name, beside what the"
        " experiment has without")
    programs = option("-B/--build DIR", text, "",
        "where the programs are (build/demo, which is built first when it isn't given)")
    force = flag("-F/--force", "also on a machine that is busy")
    slurm = option("--slurm[=OPTIONS]", blanks, None,
        "as a job array of Slurm, a node for each task; OPTIONS are sbatch's, separated by blanks")
    logins = option("--parallel LOGINS", text, "", "by ssh on these machines, separated by commas, one task at a time on each"
        " (GNU parallel's --sshlogin)")
    per_node = option("--per-node WHAT", one_of("workload setting any"), "workload",
        "what stays on one node, or on nodes of one kind: the runs of a workload, of a setting, or any (workload)")
    # How a node is told what to do.
    given_processors = option("--processors N", whole(1), 0, "")
    task = option("--task N", whole(1), 0, "")
    # fmt: on
    # What --precision is of: load, response time, or throughput, by these records; empty: it has no --precision.
    precise: ClassVar[str] = "load"
    precise_records: ClassVar[str] = ""
    # Options that decide what runs are and how they are read, beside what the list of them has.
    shaping: ClassVar[tuple[str, ...]] = ()
    simulated = False
    published_as: str = ""
    warm_ups: ClassVar[dict[str, float | None]] = {"quick": None, "full": 180}
    seconds: int = 0  # of a run under control
    processors: int  # of the machines that do the runs
    build: Path
    output: Path
    workload_of: dict[str, Workload]

    @classmethod
    def table(cls) -> dict[str, Option]:
        without = {"targets": not cls.default_targets, "environments": not cls.in_environments}
        without |= dict.fromkeys(("precision", "at_most"), not cls.precise)
        return {key: of for key, of in super().table().items() if not without.get(key)}

    def __init__(self, arguments: Sequence[str]) -> None:
        self.targets, self.environments, self.precision, self.at_most = [], ["native"], "", 0
        super().__init__(arguments)
        self.quick = not self.full
        self.processors = machine.processor_count()
        self.default = words_of(self.default_workloads)
        self.workloads = self.workloads or self.default

    @property
    def targets_said(self) -> str:
        return self.default_targets + (f"; quick: {self.quick_targets}" if self.quick_targets else "")

    @property
    def on_cluster(self) -> bool:
        return self.slurm is not None or bool(self.logins)

    def settings(self) -> None:
        """Sets `seconds`, the length of a run under control, and whatever else is its own."""

    def model_of(self, workload: str) -> str:
        """sssim's, where runs can be simulated."""
        raise NotImplementedError

    def list_runs(self, environment: str) -> Iterator[Run]:
        raise NotImplementedError

    def too_few(self) -> Iterator[str]:
        """What its tables will lack, as there are too few samples, and what helps; known before a batch is begun."""
        if self.repeat == 1 and not self.simulated:
            yield "each run is made once, so that tables have no intervals over repeats (--repeat N)"

    def check(self) -> None:
        """Refuses what this machine (that of the runs) can't do, before a batch is begun."""

    def prepare(self, output: Path) -> None:
        """Makes files there that runs need."""

    def before(self, run: Run, folder: Path) -> list[Helper]:
        """What is there before a run begins, and until its helpers have ended, such as a service."""
        return []

    def helpers(self, run: Run, folder: Path) -> list[Helper]:
        """What runs beside a run, such as a server or a reader, which may write into its folder."""
        return []

    def values(self, part: Part) -> list[tuple[Run, float]]:
        """What --precision is of, in the pilot."""
        return repeats.values_of(part, self.precise, self.precise_records, self.settling())

    def settling(self) -> float:
        """Seconds of each run that are left out of its load."""
        return 0.0

    def search(self, part: Part) -> bool:
        """Whether what came out so far asks for further runs, which list_runs has from then on."""
        return False

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
        return self.wanted_of(workload).replace("P", str(self.processors))

    def warm_up_of(self, groups: Iterable[Group]) -> float:
        """The longest."""
        of_all = self.warm_up.get("", self.warm_ups["quick" if self.quick else "full"])
        own = {group.workload: self.warm_up.get(group.workload, of_all) for group in groups}
        return max(self.workload_of[name].warm_up if of is None else of for name, of in own.items())

    def repetitions(self) -> range:
        return range(1, self.repeat + 1)


class Batch:
    """Of one experiment, by one command line."""

    def __init__(self, experiment: type[Experiment], arguments: list[str]) -> None:
        self.own = experiment(arguments)
        self.name = self.own.name
        self.called = [str(machine.EXPERIMENTS / self.name), *arguments]
        self.publication = Publication(command_line(f"tools/experiments/{self.name}", arguments))
        self.failed = 0
        self.locks: list[IO[bytes]] = []
        self.other = 0.0

    # ---- The list -----------------------------------------------------------------------------------------------------------------

    def choose(self) -> None:
        """All that the options leave open."""
        own = self.own
        self.output = own.output = Path(os.path.abspath(own.to or machine.ROOT / "results" / self.name))
        self.shown = own.to or str(self.output)
        self.list_file = self.output / "runs.tsv"
        self.cluster = cluster.Cluster(self)
        own.processors = self.cluster.processors()
        own.settings()
        own.targets = own.targets or words_of((own.quick_targets if own.quick else "") or own.default_targets)
        refuse(own.alias and not own.publish, "--as: expected --publish with it")
        own.published_as = own.alias or own.published_as or own.name
        own.seconds = own.time or own.seconds
        if own.precision:
            others = own.repeat > 1 or own.seed is not None or own.order != "given" or own.on_cluster
            refuse(others, "--precision: expected no --repeat, --random, --order, --slurm or --parallel with it")
            own.repeat = max(repeats.PILOT, repeats.repeats_in(self.list_file))
        refuse(own.at_most and not own.precision, "--at-most: expected --precision with it")
        pause = 2 if own.quick else 20
        self.pause = 0 if own.simulated else pause if own.cool_down is None else own.cool_down
        self.look_at_workloads()
        self.runs = self.make_list()
        refuse(not self.runs, "there is nothing to run")

    def look_at_workloads(self) -> None:
        own = self.own
        for name in filter(None, own.warm_up):
            refuse(name not in own.workloads, f"--warm-up: '{name}' is none of {' '.join(own.workloads)}")
        for name in own.workloads:
            why = "expected a name without / and _, as its runs are called by it; SHOWSTOPPER_WORKLOADS is for folders"
            refuse(re.search(r"[/_]|\.workload$", name), f"--workloads: '{name}': {why}")
        own.workload_of = {name: workloads.find(name) for name in own.workloads}

    def make_list(self) -> list[Run]:
        own = self.own
        refuse(own.simulated and own.environments != ["native"], "--in: what is simulated runs in sssim alone")
        refuse(own.simulated and own.most_stolen, "--most-stolen: nothing is stolen from what is simulated")
        several = len(own.environments) > 1
        found = [
            replace(run, environment=environment, several=several, warm_up=own.warm_up_of(run.groups))
            for environment in own.environments
            for run in own.list_runs(environment)
        ]
        for name, count in Counter(run.name for run in found).items():
            refuse(count > 1, f"{name} is asked for twice")
        if own.simulated:
            found = [replace(run, environment=runs.SIMULATED, several=False) for run in found]
        if own.precision:
            return repeats.there_and_back(found)
        if own.seed is not None:
            return runs.in_random_order(found, own.seed)
        return runs.interleaved(found) if own.order == "interleaved" else found

    def show(self) -> None:
        for run in self.runs:
            name, workload, instances, warm_up, length, environment, words = run.line()
            inside = f"in {environment}, " if environment in INSIDE else ""
            print(f"{name}: {inside}{instances} instances of {workload}, warm-up {warm_up} s, {length} s with {words}")
        total = as_time(runs.seconds_of(self.runs, self.pause))
        print(f"{len(self.runs)} runs, {'simulated' if self.own.simulated else total}")
        self.say_too_few()
        for why, lacking in self.missing().items():
            print(f"{why}: missing: {listed(lacking)}", file=sys.stderr)
        if self.own.on_cluster:
            print(self.cluster.way.script(), end="")

    def say_too_few(self) -> None:
        for lacking in self.own.too_few():
            print(f"{self.name}: {lacking}", file=sys.stderr)

    def missing(self) -> dict[str, list[str]]:
        """What is needed here and isn't there, by what needs it."""
        own = self.own
        lacking = {f"workload {of.name}": of.missing() for of in own.workload_of.values() if not own.simulated}
        lacking |= {f"--in {name}": kind_of(name).missing() for name in own.environments}
        return {why: words for why, words in lacking.items() if words}

    # ---- Its course ---------------------------------------------------------------------------------------------------------------

    def main(self) -> int:
        own = self.own
        self.choose()
        if own.dry_run:
            self.show()
            return 0
        if own.task:
            self.prepare_build()
            return 1 if self.cluster.run_task(own.task) else 0
        if own.publish:
            one_alone = type(own).published is Experiment.published
            refuse(one_alone and len(own.environments) > 1, "--publish: expected one environment")
            self.publication.look(DOCUMENT, f"experiments-{own.published_as}")
        begun = self.list_file.exists()
        if own.only_report:
            refuse(not begun, f"{self.output} holds no batch")
        elif not own.resume:
            # A list of which nothing was ever run is none: its nodes were busy, say.
            begun = begun and bool(self.folders("*"))
            refuse(begun, f"{self.output} holds a batch; --resume goes on with it, or choose another --output")
        if begun and (own.publish or not own.only_report):
            is_same = runs.is_same_list(self.list_file, self.runs)
            refuse(not is_same, f"{self.shown} was begun with other options; repeat them, or choose another --output")
        if begun:
            self.look_at_options()
        if begun and own.publish:
            self.look_at_measured()
        if own.only_report:
            self.prepare_build()
        else:
            self.begin(anew=not begun)
            self.say_too_few()
            self.run()
            self.run_more()
            while not self.failed and own.search(self.part_of(self.output, "", self.runs)):
                self.change_list()
                self.run_more()
        self.write_reports(runs.of_list(self.list_file, self.runs))
        print(f"Report: {self.output / self.name}.html")
        if own.publish:
            self.publish()
        return 1 if self.failed else 0

    def shape(self) -> dict[str, str]:
        return {name: str(getattr(self.own, name)) for name in self.own.shaping}

    def look_at_options(self) -> None:
        """Batches from before have no such file."""
        before = dict(line.split("\t", 1) for line in lines_of(self.output / OPTIONS))
        for name, value in self.shape().items():
            shown = f"{self.shown} was begun with {name} {before.get(name)}, not {value}"
            refuse(before.get(name, value) != value, f"{shown}; repeat its options, or choose another --output")

    def folders(self, names: str) -> list[Path]:
        """Of runs that were ever begun."""
        return [*self.output.glob(f"runs/{names}"), *self.output.glob(f"*/runs/{names}")]

    def begin(self, anew: bool) -> None:
        """Looks first, installs second: a batch is begun as a whole, or nothing of it is left."""
        own = self.own
        here = not own.simulated and not own.on_cluster
        refuse_others(self.output, self.list_file.name)
        # Two batches on one machine would measure each other; what runs elsewhere must not share a folder.
        if here:
            self.locks.append(machine.lock(Path(__file__), "of this checkout"))
            self.remove_left()
        elif self.list_file.exists():
            self.locks.append(machine.lock(self.list_file, f"in {self.shown}"))
        if own.programs:
            self.prepare_build()
        if here and runs.left(self.runs, self.output):
            self.look_at_machine()
        if not own.programs:
            self.install()
            self.prepare_build()
        self.prepare_workloads()
        try:
            (self.output / "runs").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Trouble(f"can't make {self.output}: {error.strerror}") from error
        if anew:
            if here:
                self.publication.begin()
            write(self.output / "joblog", JOBLOG)
            write(self.output / "revision", self.publication.revision + "\n")
            runs.write_list(self.list_file, self.runs)
            write(self.output / OPTIONS, "".join(f"{name}\t{value}\n" for name, value in self.shape().items()))
            self.locks += [] if here else [machine.lock(self.list_file, f"in {self.shown}")]
        self.write_parts()
        own.prepare(self.output)

    def write_parts(self) -> None:
        own = self.own
        for environment in own.environments if len(own.environments) > 1 else ():
            (self.output / environment / "runs").mkdir(parents=True, exist_ok=True)
            of_it = [replace(run, several=False) for run in self.runs if run.environment == environment]
            runs.write_list(self.output / environment / "runs.tsv", of_it)

    def look_at_machine(self) -> None:
        """That it is the one that began, and quiet."""
        if self.is_another_machine():
            said = f"{self.shown} was begun on another machine or kernel"
            refuse(not self.own.force, f"{said} ({self.shown}/machine.txt); --force goes on all the same")
            print(f"warning: {said}; its runs can't be compared", file=sys.stderr)
        self.other = machine.check_idle(Path(self.own.programs) if self.own.programs else None, self.own.force)

    def install(self) -> None:
        """Only what is needed. tools/setup says what it installs."""
        own = self.own
        modules = ("matplotlib", "pandas", "scipy", "statsmodels")
        wanted = {f"python3-{name}": "the report" for name in modules if not find_spec(name)}
        for workload in [] if own.simulated else own.workload_of.values():
            wanted |= {package: f"the workload {workload.name}" for package in workload.packages()}
        if "lxc" in own.environments and not has_program("lxc-execute"):
            wanted["lxc"] = "--in lxc"
        if wanted:
            print("Missing: " + listed(f"{package} for {why}" for package, why in wanted.items()))
            machine.install("only", *wanted)
            workloads.installed.cache_clear()

    def prepare_build(self) -> None:
        """And looks whether this machine can do the runs, if it is to."""
        own, programs = self.own, "showstopper ssburn ssiterate sssim cpuload"
        self.build = own.build = machine.prepare_build(own.programs, programs)
        if own.task or not (own.on_cluster or own.only_report):
            own.check()

    def prepare_workloads(self) -> None:
        for why, lacking in self.missing().items():
            raise Trouble(f"{why}: missing: {listed(lacking)}")
        if not self.own.simulated:
            workloads.build_java(self.own.workload_of.values(), self.build / "java")

    def kernel_and_processors(self) -> list[str]:
        """What may not change within a batch."""
        return [f"kernel: {machine.kernel()}", f"processors: {self.own.processors}, {machine.model()}"]

    def is_another_machine(self) -> bool:
        """Than that which began, where that is known."""
        lines = lines_of(self.output / "machine.txt")
        began = {line for line in lines if line.startswith(("kernel: ", "processors: "))}
        return bool(lines) and began != set(self.kernel_and_processors())

    def describe_machine(self) -> str:
        memory = machine.said_in(Path("/proc/meminfo"), "MemTotal").split() or ["0"]
        version = attempt([self.build / "showstopper", "--version"]).stdout.splitlines()
        java = attempt(["java", "-version"]).stderr.splitlines()[:1] if has_program("java") else []
        lines = [
            f"date: {time.strftime('%Y-%m-%d %H:%M')}",
            *self.kernel_and_processors(),
            f"memory: {int(memory[0]) / 1048576:.0f} GiB",
            *(f"showstopper: {line}" for line in version),
            *(f"java: {line}" for line in java),
            "simulated: by sssim, in virtual time" if self.own.simulated else f"{BEFORE}: {self.other:.1f} %",
        ]
        return "".join(f"{line}\n" for line in lines)

    def remove_left(self) -> None:
        """What a batch that was killed has not removed itself."""
        for part in self.folders("*.part"):
            if kind := first_line(part / "environment"):
                attempt([making.ENVIRONMENT, "remove", kind, part])

    def run(self) -> None:
        if self.own.on_cluster:
            self.failed = self.cluster.run()
            return
        if runs.left(self.runs, self.output):
            write(self.output / "machine.txt", self.describe_machine())
        self.failed = self.run_all(self.output, self.runs)

    def needed(self, of: Sequence[Run]) -> repeats.Needed:
        """How many repeats the precision takes, by the pilot."""
        values = self.own.values(self.part_of(self.output, "", list(of)))
        series = [(run.name.rpartition("_")[0], value) for run, value in values]
        return repeats.needed(series, self.own.precision)

    def run_more(self) -> None:
        """The second stage."""
        own = self.own
        wanted = min(self.needed(self.runs).repeats, own.at_most or sys.maxsize) if own.precision else 0
        if wanted > own.repeat:
            own.repeat = wanted
            self.change_list()

    def change_list(self) -> None:
        """Makes the runs that were not in it before."""
        self.runs = self.make_list()
        runs.write_list(self.list_file, self.runs)
        self.write_parts()
        self.run()

    def run_all(self, output: Path, wanted: Sequence[Run]) -> int:
        """One after the other, on this machine, what of those is not complete. Returns how many failed."""
        of = f"{os.uname().nodename}: {', '.join(self.kernel_and_processors())}"
        maker = making.Maker(output, self.own, self.publication.revision, of)
        failed, left = 0, runs.left(wanted, output)
        try:
            for done, run in enumerate(left):
                if done:
                    time.sleep(self.pause)
                place, still = self.runs.index(run) + 1, runs.seconds_of(left[done:], self.pause)
                shown = "" if self.own.simulated else f", {as_time(still)} left"
                print(f"[{place}/{len(self.runs)}] {run.name}{shown}")
                failed += not maker.make(run, place, len(self.runs), still)
        except Interrupted:
            print("\ninterrupted; --resume goes on", file=sys.stderr)
            raise
        return failed

    # ---- Reports ------------------------------------------------------------------------------------------------------------------

    def part_of(self, output: Path, environment: str, of: list[Run]) -> Part:
        return Part(output, self.output, environment, of, self.build, self.name)

    def say_repeats(self, part: Part) -> Part:
        if self.own.precision:
            part.repeats_said = self.needed(part.runs).said(self.own.precise, self.own.precision, self.own.repeat)
        return part

    def write_reports(self, of: list[Run]) -> None:
        """Of several environments each has a report of its own, in its folder, beside that of all."""
        environments = self.own.environments
        if len(environments) == 1:
            self.parts = [self.say_repeats(self.part_of(self.output, environments[0], of))]
            self.own.write_report(self.parts[0])
            return
        self.parts = []
        for environment in environments:
            inside = [run for run in of if run.environment == environment]
            part = self.say_repeats(self.part_of(self.output / environment, environment, inside))
            if not part.complete:
                continue
            if (self.output / "machine.txt").exists():
                shutil.copy(self.output / "machine.txt", part.output)
            # What one lacks should not cost the others their reports.
            try:
                self.own.write_report(part)
                self.parts.append(part)
            except (Trouble, InputError) as trouble:
                for said in (trouble, f"no report of the runs in {environment} could be written"):
                    print(f"tools/experiments/{self.name}: {said}", file=sys.stderr)
                self.failed += 1
        refuse(not self.parts, "no run is complete and of use")
        self.report_environments(of)

    def report_environments(self, of: list[Run]) -> None:
        whole_batch = self.part_of(self.output, "", of)
        report = whole_batch.report = Report(self.output, self.name, f"{self.name} in several environments")
        whole_batch.say_first(report)
        for part in self.parts:
            report.text(
                f"{part.environment}: {len(part.complete) + len(part.left_out)} of {len(part.runs)} runs are complete;"
                f" the report is {part.environment}/{self.name}.html."
            )
            part.say_notes(report)
        self.own.compare_environments(self.parts, report)
        whole_batch.end()

    # ---- Publishing ---------------------------------------------------------------------------------------------------------------

    def look_at_measured(self) -> None:
        """A batch that was measured before is published while nothing has changed that its runs depend on, and on the machine that ran them."""
        date = machine.said_in(self.output / "machine.txt", "date: ")[:10]
        paths = sources.paths_of(f"experiments-{self.own.published_as}")
        self.publication.measured(first_line(self.output / "revision"), date, self.shown, paths)
        is_another = not self.own.simulated and self.is_another_machine()
        refuse(is_another, f"--publish: {self.shown} was measured on another machine or kernel than this")

    def publish(self) -> None:
        own, missing = self.own, len(runs.left(self.runs, self.output))
        refuse(missing, f"--publish: {missing} runs of {self.output} are missing; --resume makes them")
        said = own.published(self.parts)
        if said is None:
            said = without_pictures((self.output / f"{self.name}.md").read_text())
        write(self.output / "published.md", said)
        self.publication.block(DOCUMENT, f"experiments-{own.published_as}", said, self.build)
        # Of each environment a folder; those of environments that are not in this batch stay. Names of files as they are within the batch.
        for part in self.parts:
            measured = [file for kind, file in measured_files(part.output) if kind != "ratio-other"]
            files = {file.name: file.read_text().replace(f"{self.output}/", "") for file in measured}
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


def run_experiment(experiment: type[Experiment]) -> NoReturn:
    run_program(f"tools/experiments/{experiment.name}", lambda arguments: Batch(experiment, arguments).main())
