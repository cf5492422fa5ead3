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
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from measure import machine, workloads  # noqa: E402
from measure.process import end, has_program, run_program, start  # noqa: E402
from measure.profiles import is_rate, stress_version  # noqa: E402
from measure.text import Trouble, lines_of, number, read_csv  # noqa: E402


def run(of: SimpleNamespace, words: list[str], enough: Callable[[], bool] | None = None) -> None:
    """To its end, or until enough is known. It ends with this process, whatever becomes of that. Its own process group is timeout's, which hands on what
    it is sent."""
    folder = Path(of.scratch)
    with (folder / "messages").open("wb") as said:
        process = start(["timeout", "-k", "5", of.limit, *of.prefix, *words], stdout=said, stderr=said, cwd=folder)
    try:
        if not enough:
            process.wait()
        while process.poll() is None and not (enough and enough()):
            time.sleep(0.05)
    finally:
        end(process)


def rate_of_stress(of: SimpleNamespace, words: list[str]) -> str:
    """Bogo-ops by real time."""
    yaml = Path(of.scratch) / "yaml"
    yaml.unlink(missing_ok=True)
    run(of, ["stress-ng", *words, "--timeout", f"{of.seconds}s", "--metrics-brief", "--yaml", str(yaml)])
    found = re.search("bogo-ops-per-second-real-time: *(.*)", "\n".join(lines_of(yaml)))
    return found[1].strip() if found else ""


def rate_of_workload(of: SimpleNamespace, name: str) -> str:
    """Iterations a second, of those after the warm-up."""
    records, last = Path(of.scratch) / "records.csv", of.warm + of.iterations
    records.unlink(missing_ok=True)
    line = workloads.find(name).command(of.build, of.java, str(records), wrap=True)
    run(of, ["sh", "-c", line], lambda: bool(len(lines_of(records)) > 1 + last))
    ends = [number(row, "end_s") or 0.0 for row in read_csv(records)] if records.exists() else []
    if len(ends) < last or ends[last - 1] <= ends[of.warm - 1]:
        return ""
    return f"{of.iterations / (ends[last - 1] - ends[of.warm - 1]):.9g}"


def main(words: list[str]) -> int:
    if len(words) > 3 and os.getppid() != int(words[3]):
        return 143
    of = SimpleNamespace(**json.loads(Path(words[0]).read_text()))
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
