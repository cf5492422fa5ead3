#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""rates.py FOLDER: measures rates of programs on one processor, one after the other, where it runs: on the host, in a container or guest. Standard input has
a Plan as JSON. FOLDER/rows.about says where it ran. Status 1 when something couldn't be measured."""

import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from measure import machine  # noqa: E402
from measure.process import end, has_program, run_program, start  # noqa: E402
from measure.profiles import is_rate, lines_with, stress_version  # noqa: E402
from measure.text import lines_of, number, succeeded, write  # noqa: E402

SCRATCH = "/{scratch}"  # in words: a folder of its own. It is quoted in command lines


@dataclass(frozen=True)
class Measurement:
    """Of what `words` do, as a row of the file `rows`, by a path within FOLDER or of the host. Bogo-ops by real time are found in SCRATCH/yaml, the
    iterations of a workload in SCRATCH/records.csv."""

    name: str
    repetition: int
    words: Sequence[str]
    rows: str


@dataclass(frozen=True)
class Plan:
    """Each is given up after `limit` seconds. A workload is measured over `iterations`, after `warm` ones."""

    limit: int
    warm: int
    iterations: int
    measurements: Sequence[Measurement]


def rate_of(plan: Plan, of: Measurement, scratch: Path) -> str:
    """A second; no number where it can't be had. What is measured ends with this process, whatever becomes of that."""
    yaml, records, last = scratch / "yaml", scratch / "records.csv", plan.warm + plan.iterations
    for left in (yaml, records):
        left.unlink(missing_ok=True)
    words = [word.replace(SCRATCH, str(scratch)) for word in of.words]
    with (scratch / "messages").open("wb") as said:
        # Its own process group is timeout's, which hands on what it is sent.
        process = start(["timeout", "-k", "5", plan.limit, *words], stdout=said, stderr=said, cwd=scratch)
    try:
        if any(SCRATCH + "/records.csv" in word for word in of.words):
            while process.poll() is None and len(succeeded(records)) < last:
                time.sleep(0.05)
        else:
            process.wait()
    finally:
        end(process)
    if found := re.search("bogo-ops-per-second-real-time: *(.*)", "\n".join(lines_of(yaml))):
        return found[1].strip()
    ends = [number(row, "end_s") or 0.0 for row in succeeded(records)]
    if len(ends) < last or ends[last - 1] <= ends[plan.warm - 1]:
        return ""
    return f"{plan.iterations / (ends[last - 1] - ends[plan.warm - 1]):.9g}"


def main(words: list[str]) -> int:
    os.chdir(words[0])
    version = {"stress_ng": stress_version()} if has_program("stress-ng") else {}
    write(Path("rows.about"), lines_with(": ", {"model": machine.model(), "kernel": machine.kernel()} | version))
    of = json.load(sys.stdin)
    plan = Plan(**of | {"measurements": [Measurement(**one) for one in of["measurements"]]})
    failed, total = 0, len(plan.measurements)
    with tempfile.TemporaryDirectory() as scratch:
        for place, one in enumerate(plan.measurements, 1):
            rate = rate_of(plan, one, Path(scratch))
            if is_rate(rate):
                with Path(one.rows).open("a") as rows:
                    rows.write(f"{one.name},{one.repetition},{rate}\n")
                print(f"[{place}/{total}] {one.name} {one.repetition}: {rate} a second")
            else:
                failed = 1
                said = lines_of(Path(scratch) / "messages")
                print(f"{one.name}: no rate: {said[-1] if said else ''}", file=sys.stderr)
    return failed


if __name__ == "__main__":
    run_program("rates", main)
