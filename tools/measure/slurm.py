# SPDX-License-Identifier: MIT
"""The tasks of a batch as one job array of Slurm, with a node for each."""

import os
import re
import sys
import time
from collections import Counter

from measure.batch import Experiment
from measure.cluster import Cluster
from measure.process import Interrupted, attempt, has_program, output_of
from measure.text import Trouble, first_line, listed, quoted, write


def ask(own: Experiment) -> int:
    """How many processors a job of these options gets, by Slurm's own word."""
    if not has_program("sbatch"):
        instead = "where there is no Slurm, --parallel 'LOGIN,LOGIN' does the same by ssh"
        raise Trouble(f"--slurm: there is no sbatch here; {instead}")
    result = attempt(["sbatch", "--test-only", "--nodes=1", "--exclusive", *(own.slurm or []), "--wrap=true"])
    said = (result.stdout + result.stderr).strip()
    match = re.search(r"^sbatch: Job .* using ([0-9]*) processors ", said, re.M)
    if not match:
        raise Trouble(f"--slurm: Slurm has no node for this: {said.splitlines()[-1] if said else ''}")
    return int(match[1])


def script(cluster: Cluster) -> str:
    options = f"#SBATCH {' '.join(cluster.own.slurm)}\n" if cluster.own.slurm else ""
    return f"""#!/bin/sh
#SBATCH --job-name=showstopper-{cluster.batch.name}
#SBATCH --array={','.join(map(str, cluster.tasks_left()))}
#SBATCH --nodes=1 --exclusive --mem=0
#SBATCH --time={cluster.minutes()} --requeue
#SBATCH --chdir={quoted(os.getcwd())}
#SBATCH --output={quoted(f'{cluster.folder}/%A_%a.txt')} --open-mode=append
{options}exec {cluster.command()} "$SLURM_ARRAY_TASK_ID"
"""


def states_of(job: str) -> list[str] | None:
    """Of its tasks; None when it has ended. While the controller doesn't answer, a job is taken to live."""
    result = attempt(["squeue", "--noheader", f"--jobs={job}", "--format=%T (%r)"])
    if result.returncode == 0:
        return [line.strip().removesuffix(" (None)") for line in result.stdout.splitlines()] or None
    return None if "Invalid job id" in result.stdout + result.stderr else ["no answer from Slurm"]


def wait_for(cluster: Cluster, job: str, quiet: bool = False) -> None:
    last = ""
    while states := states_of(job):
        cluster.collect()
        said = listed(f"{count} {state}" for state, count in sorted(Counter(states).items()))
        if said != last and not quiet:
            print(f"job {job}: {said}")
        last = said
        time.sleep(1)


def run(cluster: Cluster) -> None:
    """A job that an earlier call left in the queue is waited for."""
    file = cluster.folder / "job"
    job = first_line(file)
    try:
        if job and states_of(job):
            print(f"job {job} is under way; nothing else is submitted")
        else:
            cluster.end_tasks()
            left = cluster.tasks_left()
            if not left:
                return
            write(cluster.folder / "script", script(cluster))
            file_of = cluster.folder / "script"
            job = output_of(["sbatch", "--parsable", file_of], f"sbatch refused {file_of}").strip().split(";")[0]
            write(file, f"{job}\n")
            print(f"job {job}: tasks {','.join(map(str, left))}")
        wait_for(cluster, job)
    except Interrupted as interrupted:
        if interrupted.hangup:
            print(f"job {job} goes on; --resume waits for it", file=sys.stderr)
            raise SystemExit(129) from None
        if job:
            attempt(["scancel", job])
            wait_for(cluster, job, quiet=True)
            cluster.end_tasks()
            print(f"\ninterrupted, and job {job} cancelled; --resume goes on", file=sys.stderr)
        raise
    file.unlink(missing_ok=True)
