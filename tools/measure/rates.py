#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""rates.py SETTINGS PLAN ROWS [PARENT]: measures what PLAN lists, `NAME REPETITION' a line, one after the other, and adds `NAME,REPETITION,RATE' to
ROWS for each. It runs where it measures: on the host, or in a container or guest. SETTINGS are JSON:
  prefix        words before each command: what binds it to its processor and holds it
  seconds       of each measurement by stress-ng
  limit         seconds after which one is given up
  warm, iterations   of a workload, before and while it is measured
  scratch       a folder to work in
  build, java   where these are
ROWS.about says where it ran. PARENT is the number of who starts it, which may be gone before the kernel could be told.
Status 1 when something couldn't be measured."""

import json
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from measure import machine, workloads  # noqa: E402
from measure.process import end, has_program, run_program, start  # noqa: E402
from measure.profiles import is_rate, stress_version  # noqa: E402
from measure.text import Trouble, lines_of, number, read_csv  # noqa: E402


@dataclass(frozen=True)
class Settings:
    prefix: list[str]
    seconds: int
    limit: int
    warm: int
    iterations: int
    scratch: str
    build: str
    java: str


def begin(of: Settings, words: list[str]) -> subprocess.Popen[str]:
    """Ends with this process, whatever becomes of that. Its own process group is timeout's, which hands on what it is sent."""
    with (Path(of.scratch) / "messages").open("wb") as said:
        return start(
            ["timeout", "-k", "5", str(of.limit), *of.prefix, *words], stdout=said, stderr=said, cwd=Path(of.scratch)
        )


def rate_of_stress(of: Settings, words: list[str]) -> str:
    """Bogo-ops by real time."""
    yaml = Path(of.scratch) / "yaml"
    yaml.unlink(missing_ok=True)
    process = begin(of, ["stress-ng", *words, "--timeout", f"{of.seconds}s", "--metrics-brief", "--yaml", str(yaml)])
    try:
        process.wait()
    finally:
        end(process)
    found = [
        match[1] for line in lines_of(yaml) if (match := re.match(r" *bogo-ops-per-second-real-time: *(.*)", line))
    ]
    return found[0].strip() if found else ""


def rate_of_workload(of: Settings, name: str) -> str:
    """Iterations a second, of those after the warm-up."""
    records = Path(of.scratch) / "records.csv"
    records.unlink(missing_ok=True)
    line = workloads.find(name).command(of.build, of.java, str(records), wrap=True)
    process = begin(of, ["sh", "-c", line])
    try:
        while process.poll() is None and len(lines_of(records)) <= 1 + of.warm + of.iterations:
            time.sleep(0.05)
    finally:
        end(process)
    rows = read_csv(records) if records.exists() else []
    if len(rows) < of.warm + of.iterations:
        return ""
    until, since = number(rows[of.warm + of.iterations - 1], "end_s") or 0.0, number(rows[of.warm - 1], "end_s") or 0.0
    return f"{of.iterations / (until - since):.9g}" if until > since else ""


def main(words: list[str]) -> int:
    if len(words) > 3 and os.getppid() != int(words[3]):
        return 143
    of = Settings(**json.loads(Path(words[0]).read_text()))
    plan, rows = [line.split() for line in lines_of(Path(words[1]))], Path(words[2])
    version = [f"stress_ng: {stress_version()}"] if has_program("stress-ng") else []
    about = [f"model: {machine.model()}", f"kernel: {machine.kernel()}", *version]
    rows.with_name(rows.name + ".about").write_text("".join(f"{line}\n" for line in about))
    failed = 0
    for place, (name, repetition) in enumerate(plan, 1):
        try:
            if name.startswith("stress-ng:"):
                rate = rate_of_stress(of, [f"--{name.partition(':')[2]}", "1"])
            elif name.startswith("workload:"):
                rate = rate_of_workload(of, name.partition(":")[2])
            else:
                rate = rate_of_stress(of, ["--cpu", "1", "--cpu-method", name])
        except Trouble as trouble:
            rate = ""
            print(trouble, file=sys.stderr)
        if is_rate(rate):
            with rows.open("a") as to:
                to.write(f"{name},{repetition},{rate}\n")
            print(f"[{place}/{len(plan)}] {name} {repetition}: {rate} a second")
        else:
            failed += 1
            said = lines_of(Path(of.scratch) / "messages")
            print(f"{name}: no rate: {said[-1] if said else ''}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    run_program("rates", main)
