# SPDX-License-Identifier: MIT
"""The tasks of a batch on machines that are reached by ssh, one at a time on each, by GNU parallel."""

import os
import subprocess
import sys
import time

from measure.batch import Experiment
from measure.cluster import Cluster
from measure.process import Interrupted, attempt, has_program, output_of, start
from measure.text import Trouble, quoted_words, write


def ask(own: Experiment) -> int:
    """How many processors each of them has: the same number."""
    if not has_program("parallel") or not attempt(["parallel", "--version"]).stdout.startswith("GNU parallel"):
        raise Trouble("--parallel: GNU parallel is missing")
    trouble = f"--parallel: not all of {own.logins} could be asked for their processors"
    said = output_of(["parallel", "--will-cite", "--nonall", "--sshlogin", own.logins, "nproc"], trouble)
    counts = sorted(set(said.split()))
    if len(counts) != 1:
        raise Trouble(f"--parallel: these machines have {' and '.join(counts)} processors; choose some of one kind")
    return int(counts[0])


def script(cluster: Cluster) -> str:
    words = ["parallel", "--will-cite", "--sshlogin", cluster.own.logins, "--jobs", "1", "--workdir", os.getcwd()]
    words += ["--termseq", "TERM,10000,KILL,25", f"{cluster.command()} {{}}", ":::"]
    return f"{quoted_words([*words, *map(str, cluster.tasks_left())])}\n"


def run(cluster: Cluster) -> None:
    cluster.end_tasks()
    if not cluster.tasks_left():
        return
    write(cluster.folder / "script", f"exec {script(cluster)}")
    with (cluster.folder / "parallel.txt").open("wb") as said:
        process = start(["sh", cluster.folder / "script"], stdout=said, stderr=said)
    try:
        while process.poll() is None:
            cluster.collect()
            time.sleep(1)
    except Interrupted:
        # At the first it waits for what it has begun.
        stop(process)
        cluster.end_tasks()
        print("\ninterrupted; --resume goes on", file=sys.stderr)
        raise


def stop(process: subprocess.Popen[str]) -> None:
    process.terminate()
    time.sleep(0.2)
    process.terminate()
    process.wait()
