# SPDX-License-Identifier: MIT
"""A batch on many machines that share a folder: what its tasks are, what one of them does on its node, how their runs come together, and how the
tasks are handed out, by Slurm or by GNU parallel.

A task is some runs of the list, which stay on one node. Each attempt at one has a folder of its own, cluster/TASK.NODE.ATTEMPT in the output, that
looks like the output of a small batch. No two programs write the same file, so that a task may die at any time and be begun again elsewhere; and
only runs that are complete there are taken over."""

from __future__ import annotations

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from measure import machine, making, runs
from measure.process import Interrupted, attempt, has_program, output_of, start
from measure.publish import remove
from measure.runs import Run
from measure.text import Trouble, first_line, grouped, lines_of, listed, number, quoted, quoted_words
from measure.text import read_csv, refuse, write

if TYPE_CHECKING:
    from measure.batch import Batch


class Cluster:
    """Of a batch, which may be one that knows of no other machine."""

    def __init__(self, batch: Batch) -> None:
        self.batch, self.own, self.output = batch, batch.own, batch.output
        self.folder = self.output / "cluster"
        self.way: Slurm | Parallel = Parallel(self) if self.own.slurm is None else Slurm(self)

    def processors(self) -> int:
        """Those that the list is made for: of the machines that do the runs."""
        own = self.own
        for is_so, why in (
            (own.slurm is not None and own.logins, "--slurm and --parallel: expected one of them"),
            (own.environments != ["native"], "--in: expected native beside --slurm or --parallel"),
            (own.simulated, "what is simulated runs here alone; leave out --slurm or --parallel"),
        ):
            refuse(own.on_cluster and is_so, why)
        if own.given_processors:
            return own.given_processors
        if said := first_line(self.folder / "processors"):
            is_here = not own.on_cluster and not own.only_report
            refuse(is_here, f"{self.batch.shown} was begun on other machines; go on there, with --slurm or --parallel")
            return int(said)
        return self.way.ask() if own.on_cluster else own.processors

    # ---- Tasks ------------------------------------------------------------------------------------------------------------------

    def tasks(self) -> dict[int, list[Run]]:
        """What is compared stays together."""

        def key(run: Run) -> str:
            return {"workload": run.workload, "setting": run.setting or run.scheme}.get(self.own.per_node, run.name)

        return dict(enumerate(grouped((key(run), run) for run in self.batch.runs).values(), 1))

    def tasks_left(self) -> list[int]:
        return [task for task, of in self.tasks().items() if runs.left(of, self.output)]

    def minutes(self) -> int:
        """That the longest of them takes, with some to spare."""
        left = [runs.left(of, self.output) for of in self.tasks().values()]
        return int(max((runs.seconds_of(of, self.batch.pause) for of in left), default=0) * 1.25 / 60 + 3)

    def command(self) -> str:
        """How a node is told to do a task, whose number follows."""
        build = self.own.programs or str(machine.ROOT / "build/demo")
        words = ["env", f"SHOWSTOPPER_WORKLOADS={os.environ.get('SHOWSTOPPER_WORKLOADS', '')}", *self.batch.called]
        words += ["--build", str(Path(build).absolute()), "--output", str(self.output)]
        return quoted_words([*words, "--processors", str(self.own.processors), "--task"])

    # ---- On a node --------------------------------------------------------------------------------------------------------------

    def run_task(self, task: int) -> int:
        """In a folder of its own. How many of its runs failed."""
        batch = self.batch
        node = os.environ.get("SLURMD_NODENAME") or os.uname().nodename
        here, wanted = machine.processor_count(), self.own.processors
        why = f"{node} has {here} processors for this job, and the list is for {wanted}"
        refuse(here != wanted, f"{why}; choose nodes of one kind, by --slurm=--constraint=... or --nodelist=...")
        tried = f"{os.environ.get('SLURM_JOB_ID') or os.getpid()}-{os.environ.get('SLURM_RESTART_COUNT', '0')}"
        own = self.folder / f"{task}.{node}.{tried}"
        (own / "runs").mkdir(parents=True, exist_ok=True)
        (own / "node").write_text(f"{node}\n")
        (own / "joblog").write_text("")
        batch.prepare_workloads()
        self.own.prepare(own)
        batch.other = machine.check_idle(batch.build, self.own.force)
        write(own / "machine.txt", batch.describe_machine())
        left: list[Run] = []
        for run in self.tasks().get(task, []):
            there = run.folder(self.output)
            # Runs on machines of two kinds can't be compared, save where that was asked for.
            is_other = kind_of(there / "machine.txt") not in ("", kind_of(own / "machine.txt"))
            why = f"{run.label} was made on {first_line(there / 'node')}, another kind of machine than {node}"
            only = f"runs of one {self.own.per_node} stay on one kind"
            refuse(is_other and self.own.per_node != "any", f"{why}; {only}: choose that node, or --per-node any")
            # It may be complete, and nobody has taken it over yet.
            places = [there, *self.folder.glob(f"*/runs/{glob.escape(run.label)}")]
            left += [] if any(runs.is_complete(run, place) for place in places) else [run]
        return batch.run_all(own, left)

    # ---- In front of them -------------------------------------------------------------------------------------------------------

    def collect(self) -> None:
        """Takes over what has come to an end since it was asked for last."""
        by_label = {run.label: run for run in self.batch.runs}
        for folder in sorted(self.folder.glob("*/runs/*")):
            task, label = folder.parents[1], folder.name.removesuffix(".failed")
            if folder.suffix == ".part" or label not in by_label:
                continue
            kept, node = by_label[label].folder(self.output), first_line(task / "node")
            # Another attempt, on a node that was thought to be lost, may have been quicker.
            if runs.is_complete(by_label[label], kept):
                remove(folder)
                continue
            for name in ("node", "machine.txt"):
                shutil.copy(task / name, folder)
            place, said = kept.with_name(f"{label}.failed"), f"failed on {node}: {making.why_failed(folder)}"
            if folder.name == label and was_suspended(folder / "log.csv"):
                said = f"was suspended on {node}, and doesn't count"
                record = runs.record_of(folder) or {}
                write(folder / "run.json", json.dumps(record | {"status": runs.FAILED}, indent=1) + "\n")
            elif folder.name == label:
                place, said = kept, f"is complete, on {node}"
            remove(kept.with_name(f"{label}.failed"))
            remove(kept)
            folder.rename(place)
            print(f"{label} {said}")

    def end_tasks(self) -> int:
        """When nobody is at work any more: attempts become lines of the joblog, and their folders go. How many runs are not complete."""
        self.collect()
        lines: list[tuple[float, str]] = []
        attempts = [folder for folder in self.folder.glob("*.*.*") if folder.is_dir()]
        for folder in attempts:
            for place, _, start, *more in (line.split("\t") for line in lines_of(folder / "joblog")):
                lines.append((float(start), "\t".join([place, first_line(folder / "node"), start, *more])))
        with (self.output / "joblog").open("a") as log:
            log.write("".join(f"{line}\n" for _, line in sorted(lines)))
        for folder in attempts:
            remove(folder)
        every, left = self.batch.runs, runs.left(self.batch.runs, self.output)
        write(self.output / "machine.txt", machines_of([run.folder(self.output) for run in every if run not in left]))
        if left:
            print(f"{len(left)} of {len(every)} runs are not complete; --resume takes them up")
        return len(left)

    def run(self) -> int:
        """The batch on many machines, from its beginning or where it stopped."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write(self.folder / "processors", f"{self.own.processors}\n")
        try:
            # What an earlier call has left under way is waited for.
            if not self.way.is_under_way() and self.end_tasks():
                write(self.folder / "script", self.way.script())
                self.way.begin()
            while self.way.is_under_way():
                self.collect()
                time.sleep(1)
        except Interrupted as interrupted:
            said = self.way.stop(interrupted.hangup)
            self.end_tasks()
            print(f"\n{said}; --resume goes on", file=sys.stderr)
            raise
        return self.end_tasks()


def was_suspended(log: Path) -> bool:
    """Whether a log tells that its run stood still: that its own clock or its rows have a gap."""
    last: tuple[float, float] | None = None
    for row in read_csv(log):
        now = (number(row, "time_s") or 0.0, number(row, "monotonic_s") or 0.0)
        if last and (now[1] - last[1] - (now[0] - last[0]) > 0.1 or now[1] - last[1] > 3):
            return True
        last = now
    return False


# ---- Handing tasks out ------------------------------------------------------------------------------------------------------------


class Slurm:
    """One job array, with a node for each task."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster, self.options, self.file = cluster, cluster.own.slurm or [], cluster.folder / "job"
        self.said: str | None = None

    def ask(self) -> int:
        """How many processors a job of these options gets, by Slurm's own word."""
        instead = "where there is no Slurm, --parallel 'LOGIN,LOGIN' does the same by ssh"
        refuse(not has_program("sbatch"), f"--slurm: there is no sbatch here; {instead}")
        result = attempt(["sbatch", "--test-only", "--nodes=1", "--exclusive", *self.options, "--wrap=true"])
        said = (result.stdout + result.stderr).strip()
        match = re.search(r"^sbatch: Job .* using ([0-9]*) processors ", said, re.M)
        if not match:
            raise Trouble(f"--slurm: Slurm has no node for this: {said.splitlines()[-1] if said else ''}")
        return int(match[1])

    def script(self) -> str:
        options = f"#SBATCH {' '.join(self.options)}\n" if self.options else ""
        return f"""#!/bin/sh
#SBATCH --job-name=showstopper-{self.cluster.batch.name}
#SBATCH --array={','.join(map(str, self.cluster.tasks_left()))}
#SBATCH --nodes=1 --exclusive --mem=0
#SBATCH --time={self.cluster.minutes()} --requeue
#SBATCH --chdir={quoted(os.getcwd())}
#SBATCH --output={quoted(f'{self.cluster.folder}/%A_%a.txt')} --open-mode=append
{options}exec {self.cluster.command()} "$SLURM_ARRAY_TASK_ID"
"""

    def begin(self) -> None:
        script = self.cluster.folder / "script"
        job = output_of(["sbatch", "--parsable", script], f"sbatch refused {script}").strip().split(";")[0]
        write(self.file, f"{job}\n")
        print(f"job {job}: tasks {','.join(map(str, self.cluster.tasks_left()))}")

    def states(self) -> list[str]:
        """Of the job's tasks; none when it has ended. While the controller doesn't answer, it is taken to live."""
        if not (job := first_line(self.file)):
            return []
        result = attempt(["squeue", "--noheader", f"--jobs={job}", "--format=%T (%r)"])
        if result.returncode == 0:
            return [line.strip().removesuffix(" (None)") for line in result.stdout.splitlines()]
        return [] if "Invalid job id" in result.stdout + result.stderr else ["no answer from Slurm"]

    def is_under_way(self) -> bool:
        job, states = first_line(self.file), sorted(Counter(self.states()).items())
        if states and self.said is None:
            print(f"job {job} is under way; nothing else is submitted")
        said = listed(f"{count} {state}" for state, count in states)
        if states and said != self.said:
            print(f"job {job}: {said}")
        if not states:
            self.file.unlink(missing_ok=True)
        self.said = said
        return bool(states)

    def stop(self, hangup: bool) -> str:
        job = first_line(self.file)
        if hangup:
            print(f"job {job} goes on; --resume waits for it", file=sys.stderr)
            raise SystemExit(129)
        if not job:
            return "interrupted"
        attempt(["scancel", job])
        while self.states():
            self.cluster.collect()
            time.sleep(1)
        return f"interrupted, and job {job} cancelled"


class Parallel:
    """GNU parallel, by ssh, one task at a time on each machine."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster, self.logins = cluster, cluster.own.logins
        self.process: subprocess.Popen[str] | None = None

    def ask(self) -> int:
        """How many processors each of them has: the same number."""
        is_gnu = has_program("parallel") and attempt(["parallel", "--version"]).stdout.startswith("GNU parallel")
        refuse(not is_gnu, "--parallel: GNU parallel is missing")
        trouble = f"--parallel: not all of {self.logins} could be asked for their processors"
        said = output_of(["parallel", "--will-cite", "--nonall", "--sshlogin", self.logins, "nproc"], trouble)
        counts = sorted(set(said.split()))
        these = f"--parallel: these machines have {' and '.join(counts)} processors"
        refuse(len(counts) != 1, f"{these}; choose some of one kind")
        return int(counts[0])

    def script(self) -> str:
        words = ["parallel", "--will-cite", "--sshlogin", self.logins, "--jobs", "1", "--workdir", os.getcwd()]
        words += ["--termseq", "TERM,10000,KILL,25", f"{self.cluster.command()} {{}}", ":::"]
        return f"{quoted_words([*words, *map(str, self.cluster.tasks_left())])}\n"

    def begin(self) -> None:
        with (self.cluster.folder / "parallel.txt").open("wb") as said:
            self.process = start(["sh", "-c", f"exec {self.script()}"], stdout=said, stderr=said)

    def is_under_way(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def stop(self, _hangup: bool) -> str:
        if self.process:
            # At the first it waits for what it has begun.
            self.process.terminate()
            time.sleep(0.2)
            self.process.terminate()
            self.process.wait()
        return "interrupted"


# ---- What they ran on -------------------------------------------------------------------------------------------------------------


def kind_of(description: Path) -> str:
    """One line, the same for machines of one kind."""
    its_own = ("date: ", "load before the first run: ")
    return "; ".join(line for line in lines_of(description) if not line.startswith(its_own))


def kinds(of: Iterable[Path]) -> dict[str, list[str]]:
    """Nodes of each kind, one for each folder of a run."""
    there = (folder for folder in of if (folder / "node").exists())
    return grouped((kind_of(folder / "machine.txt"), first_line(folder / "node")) for folder in there)


def machines_of(of: Iterable[Path]) -> str:
    said = ""
    for kind, nodes in kinds(of).items():
        said += f"nodes: {' '.join(dict.fromkeys(nodes))} ({len(nodes)} runs)\n"
        said += "".join(f"{line}\n" for line in kind.split("; "))
    return said


def machines_said(of: Iterable[Path]) -> str:
    """What a report says first, where its runs are of several kinds of machines."""
    found = kinds(of)
    if len(found) < 2:
        return ""
    each = "; ".join(f"{len(nodes)} runs on {listed(dict.fromkeys(nodes))} ({kind})" for kind, nodes in found.items())
    return f"These runs were made on {len(found)} kinds of machines, and what differs between those is no effect of a setting: {each}."
