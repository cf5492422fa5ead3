# SPDX-License-Identifier: MIT
"""The engine as its users see it: an experiment of one's own, the live line."""

import math
import os
import pty
import re
import statistics
import subprocess
import sys
from pathlib import Path

from conftest import ROOT
from measure import making
from showstopper.accuracy import accuracy


def test_the_experiment_of_the_readme(tmp_path: Path) -> None:
    code = (ROOT / "tools/experiments/README.md").read_text().split("```python\n")[1].split("```")[0]
    assert len(code.splitlines()) <= 30
    (tmp_path / "tools/experiments").mkdir(parents=True)
    (tmp_path / "tools/measure").symlink_to(ROOT / "tools/measure")
    script = tmp_path / "tools/experiments/quantum"
    script.write_text(code)
    result = subprocess.run(
        [sys.executable, "-B", script, "--dry-run", "-w", "burn-single", "-l", "50", "-n", "2"],
        capture_output=True,
        text=True,
    )
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert len(lines) == 5 and lines[4].startswith("4 runs, ")
    assert lines[3].startswith("burn-single_50_107m_2: ") and lines[3].endswith(" -T 50% -D quantum=107m")


def test_load_of_the_run_that_runs(tmp_path: Path) -> None:
    assert making.load_now(tmp_path) == ""
    rows = "time_s,monotonic_s,target,load\n0.5,1,,0.9\n"
    (tmp_path / "log.csv").write_text(f"{rows}1,1.5,0.5,0.4")
    assert making.load_now(tmp_path) == ": load 90 %, warming up"
    (tmp_path / "log.csv").write_text(f"{rows}1,1.5,0.5,0.4\n1.5,2,0.")
    assert making.load_now(tmp_path) == ": load 40 %, target 50 %"


def test_a_live_line_on_a_terminal_alone(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("time_s,monotonic_s,target,load\n0.5,1,0.5,0.4\n1,1.5,0.5,0.4\n")
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'tools')!r}); import subprocess; from pathlib import Path; from measure import making\n"
        f"making.watch(subprocess.Popen(['sleep', '1.5']), Path({str(tmp_path)!r}), 'run 7 of 36', 90)"
    )
    words = [sys.executable, "-B", "-c", code]
    assert subprocess.run(words, capture_output=True, text=True).stdout == ""
    outer, inner = pty.openpty()
    process = subprocess.Popen(words, stdout=inner)
    os.close(inner)
    said = b""
    try:
        while part := os.read(outer, 4096):
            said += part
    except OSError:
        pass
    process.wait()
    assert b"run 7 of 36: load 40 %, target 50 %, done at " in said
    assert said.endswith(b"\r\x1b[K")


def test_quick_or_full_whichever_is_said_last() -> None:
    def count(*words: str) -> int:
        script = ROOT / "tools/experiments/sweep"
        run = [sys.executable, "-B", str(script), "--dry-run", "--simulate", "-w", "burn-single", *words]
        return len(subprocess.run(run, capture_output=True, text=True, check=True).stdout.splitlines())

    quick, full = count("-q"), count("-f")
    assert quick != full
    assert count("-f", "-q") == quick and count("-q", "--full") == full


def test_as_many_repeats_as_a_precision_takes(tmp_path: Path, build: Path) -> None:
    def sweep(*words: str, status: int = 0) -> str:
        run = [
            sys.executable,
            "-B",
            str(ROOT / "tools/experiments/sweep"),
            "-B",
            str(build),
            "--simulate",
            "-w",
            "burn-phased",
            "-l",
            "50",
        ]
        run += ["-v", "D.quantum=50m,83m", "-o", str(tmp_path / "batch"), *words]
        done = subprocess.run(run, capture_output=True, text=True)
        assert done.returncode == status, done.stderr
        return (tmp_path / "batch/sweep.md").read_text() if status == 0 else done.stderr

    assert "expected no --repeat, --random" in sweep("--precision", "1%", "--repeat", "2", status=125)
    assert "--at-most: expected --precision with it" in sweep("--at-most", "9", status=125)
    said = sweep("--precision", "0.05%", "--at-most", "10")
    found = re.search(
        r"pilot of 8 repeats it takes ([0-9]+) \(Stein's .*; burn-phased_50_D.quantum=.* takes the most\)", said
    )
    assert found
    needed = int(found[1])
    assert needed > 11 and f"No more than 10 were made, as --at-most says: {needed - 10} are missing." in said
    names = [line.split("\t")[0] for line in (tmp_path / "batch/runs.tsv").read_text().splitlines()]
    there_and_back = [
        f"burn-phased_50_D.quantum={of}_{again}"
        for again in (1, 2)
        for of in (("50m", "83m") if again == 1 else ("83m", "50m"))
    ]
    assert names[:4] == there_and_back and len(names) == 20
    # The pilot decides, whatever has been made since.
    assert f"it takes {needed} (" in sweep("--precision", "0.05%", "--at-most", "11", "--resume")
    assert len(list((tmp_path / "batch/runs").glob("*_11"))) == 2
    # By hand; scipy 1.17.1: stats.t.ppf(0.975, 7).
    values = [
        load_of(tmp_path / f"batch/runs/burn-phased_50_D.quantum={of}_{again}", build)
        for of in ("50m", "83m")
        for again in range(1, 9)
    ]
    by_hand = [
        math.ceil((statistics.stdev(eight) * 2.3646242515927844 / (0.0005 * statistics.mean(eight))) ** 2)
        for eight in (values[:8], values[8:])
    ]
    assert needed == max(by_hand)
    said = sweep("--precision", "50%", "--report")
    assert "it takes 8 (" in said and "11 were made, in pairs there and back (A B B A)." in said


def load_of(folder: Path, build: Path) -> float:
    """Without the beginning, which the report leaves out as well."""
    return float(accuracy(folder / "log.csv", settle_s=3.0)["load"].item())


def test_a_meter_of_ones_own_gets_a_column_of_the_log(tmp_path: Path) -> None:
    head = "time_s,monotonic_s,target,load,time_unix_s"
    (tmp_path / "log.csv").write_text(f"{head}\n0.5,10.5,0.5,0.5,1000.5\n1,11,0.5,0.5,1001\n9,19,0.5,0.5,1009\n")
    (tmp_path / "meter.csv").write_text("time,watts\n1000,10\n1000.5,20\n1001,30\n")
    making.add_power(tmp_path)
    rows = (tmp_path / "log.csv").read_text().splitlines()
    assert rows == [
        f"{head},power_w",
        "0.5,10.5,0.5,0.5,1000.5,15.000",
        "1,11,0.5,0.5,1001,25.000",
        "9,19,0.5,0.5,1009,",
    ]
