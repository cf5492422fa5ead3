# SPDX-License-Identifier: MIT
"""A batch on many machines that share a folder: what its tasks are, what one of them does on its node, and how their runs come together. slurm and
parallel hand the tasks out.

A task is some runs of the list, which stay on one node. Each attempt at one has a folder of its own, cluster/TASK.NODE.ATTEMPT in the output, that
looks like the output of a small batch. No two programs write the same file, so that a task may die at any time and be begun again elsewhere; and
only runs that are complete there are taken over."""

from __future__ import annotations

import glob
import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from measure import machine, making, runs
from measure.publish import remove
from measure.runs import Run
from measure.text import first_line, lines_of, listed, number, quoted_words, read_csv, refuse, write

if TYPE_CHECKING:
    from measure.batch import Batch


class Cluster:
    """Of a batch, which may be one that knows of no other machine."""

    def __init__(self, batch: Batch) -> None:
        self.batch, self.own, self.output = batch, batch.own, batch.output
        self.folder = self.output / "cluster"

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
        return int(self.way.ask(own)) if own.on_cluster else own.processors

    @property
    def way(self) -> ModuleType:
        """How tasks are handed out."""
        from measure import parallel, slurm

        return slurm if self.own.slurm is not None else parallel

    # ---- Tasks ------------------------------------------------------------------------------------------------------------------

    def key_of(self, run: Run) -> str:
        return {"workload": run.workload, "setting": run.setting or run.scheme}.get(self.own.per_node, run.name)

    def tasks(self) -> dict[int, list[Run]]:
        """What is compared stays together."""
        keys: dict[str, int] = {}
        found: dict[int, list[Run]] = {}
        for run in self.batch.runs:
            found.setdefault(keys.setdefault(self.key_of(run), len(keys) + 1), []).append(run)
        return found

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

    def is_made(self, run: Run) -> bool:
        """Whether it is complete, be it that nobody has taken it over yet."""
        places = [run.folder(self.output), *self.folder.glob(f"*/runs/{glob.escape(run.label)}")]
        return any(runs.is_complete(run, place) for place in places)

    def run_task(self, task: int) -> int:
        """In a folder of its own. How many of its runs failed."""
        batch = self.batch
        node = os.environ.get("SLURMD_NODENAME") or os.uname().nodename
        here, wanted = machine.processor_count(), self.own.processors
        why = f"{node} has {here} processors for this job, and the list is for {wanted}"
        refuse(here != wanted, f"{why}; choose nodes of one kind, by --slurm=--constraint=... or --nodelist=...")
        attempt = f"{os.environ.get('SLURM_JOB_ID') or os.getpid()}-{os.environ.get('SLURM_RESTART_COUNT', '0')}"
        own = self.folder / f"{task}.{node}.{attempt}"
        (own / "runs").mkdir(parents=True, exist_ok=True)
        (own / "node").write_text(f"{node}\n")
        (own / "joblog").write_text("")
        batch.prepare_workloads()
        self.own.prepare(own)
        batch.other = machine.check_idle(batch.build, self.own.force)
        write(own / "machine.txt", batch.describe_machine())
        of = self.tasks().get(task, [])
        # Runs on machines of two kinds can't be compared, save where that was asked for.
        for run in of if self.own.per_node != "any" else ():
            there = run.folder(self.output)
            is_other = kind_of(there / "machine.txt") not in ("", kind_of(own / "machine.txt"))
            why = f"{run.label} was made on {first_line(there / 'node')}, another kind of machine than {node}"
            only = f"runs of one {self.own.per_node} stay on one kind"
            refuse(is_other, f"{why}; {only}: choose that node, or --per-node any")
        return batch.run_all(own, [run for run in of if not self.is_made(run)])

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
        self.way.run(self)
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


# ---- What they ran on -------------------------------------------------------------------------------------------------------------


def kind_of(description: Path) -> str:
    """One line, the same for machines of one kind."""
    its_own = ("date: ", "load before the first run: ")
    return "; ".join(line for line in lines_of(description) if not line.startswith(its_own))


def kinds(of: Iterable[Path]) -> dict[str, list[str]]:
    """Nodes of each kind, one for each folder of a run."""
    found: dict[str, list[str]] = {}
    for folder in of:
        if (folder / "node").exists():
            found.setdefault(kind_of(folder / "machine.txt"), []).append(first_line(folder / "node"))
    return found


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
