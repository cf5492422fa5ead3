# SPDX-License-Identifier: MIT
"""Benchmarks: rows out of loads with and without bursts, tables of what others print, helpers."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from conftest import ROOT, program
from measure import bench, peers
from measure.helpers import Helper
from measure.process import is_over, wait_until
from measure.text import Trouble
from showstopper.accuracy import accuracy


def loads(file: Path, *rows: tuple[float, float]) -> None:
    file.write_text(
        "time_s,monotonic_s,load\n" + "".join(f"{place},{end},{load}\n" for place, (end, load) in enumerate(rows, 1))
    )


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """From 11 s to 12.5 s at 50 %, with loads of 51 and 48 %, of 50 % and of 54 %; what lies over the ends doesn't count."""
    loads(tmp_path / "load.500.csv", (10.8, 0.9), (11.3, 0.9), (11.8, 0.51), (12.3, 0.48), (12.8, 0.9))
    loads(tmp_path / "load.370.csv", (11.0, 0.9), (11.37, 0.50))
    loads(tmp_path / "load.1300.csv", (11.1, 0.9), (12.4, 0.54))
    loads(tmp_path / "tree.csv")
    return tmp_path


def row_of(session: Path) -> str:
    own = {"own_cpu_percent": "0.250", "lateness_p99_us": "90.5"}
    rows = list(peers.rows_of_session(session, "single,P,idle,default", 2, 1, [("50", 10.0, 12.5)], own))
    assert len(rows) == 1
    return rows[0]


def test_rows_by_hand(build: Path, session: Path) -> None:
    assert row_of(session) == "single,P,idle,default,50,2,2,49.500,-0.500,2.500,0.000,16.000,0.250,90.5,,,"


@pytest.mark.parametrize(
    "first, second, until, calm",
    [
        # With the time of what is measured, of which two samples are not: 2 and 6 % of the machine, 7 and 1 %, 1 % and unknown, 1 and 2 %.
        (0.49, 0.42, 12.8, "1,1.000,1.000"),
        (0.44, 0.47, 12.8, "2,,"),
        (0.50, 0.48, 12.1, "1,1.000,1.000"),
        (0.50, 0.46, 12.8, "0,-0.500,2.500"),
    ],
)
def test_bursts_of_others(build: Path, session: Path, first: float, second: float, until: float, calm: str) -> None:
    (session / "tree.csv").write_text(
        f"time_s,monotonic_s,load\n0.9,11.3,0.9\n1.4,11.8,{first}\n1.9,{until},{second}\n"
    )
    assert row_of(session).endswith(f",0.250,90.5,{calm}")


def test_what_is_no_row(build: Path, session: Path) -> None:
    # A load that no window lies within is an error.
    loads(session / "load.1300.csv", (10.2, 0.9), (11.5, 0.54))
    with pytest.raises(Trouble, match="can't make sense of"):
        row_of(session)
    # A reading that comes late by more than half a window: the session must be repeated.
    loads(session / "load.1300.csv", (10.2, 0.9), (12.4, 0.54))
    with pytest.raises(peers.Stalled):
        row_of(session)


def test_what_a_burst_is(build: Path) -> None:
    # Samples of 0.5 s; others take 10 % from 2 to 2.5 s: that one and the two of the second after are not calm.
    start = pd.Series(range(12)) / 2
    samples = pd.DataFrame({"start_s": start, "time_s": start + 0.5, "load": 0.42})
    samples.loc[4, "load"] = 0.5
    tree = samples[:10].assign(load=0.4)
    row = accuracy(bench.control_log(samples[:10], 42, 0, 9, tree)).iloc[0]
    assert (row["samples"], row["bursts"]) == (10, 3)
    # What is not known of others, from 5 s on, is not calm either.
    assert accuracy(bench.control_log(samples, 42, 0, 9, tree))["bursts"].item() == 5
    assert row["calm_mean_error_pp"] == pytest.approx(0, abs=1e-9)


def test_steps(tmp_path: Path) -> None:
    # At 3, 6 ... s; ten windows of 50 ms make one. The load arrives 0.5 s late.
    (tmp_path / "log.csv").write_text("time_s,monotonic_s,target,load\n0.5,100.5,,0.1\n9,109,,0.1\n")
    at = [place * 0.05 for place in range(1, 181)]
    loads(tmp_path / "load.csv", *((100 + t, 0.9 if 3.01 < t - 0.5 < 6.01 else 0.1) for t in at))
    rows = [
        line.split(",") for line in peers.steps_of_session(tmp_path / "log.csv", tmp_path / "load.csv").splitlines()
    ]
    worst = {row[0]: row[2] for row in rows}
    assert (worst["0.00"], worst["0.75"]) == ("80.00", "0.00")


def test_coverage_by_folder() -> None:
    coverage = program("coverage")
    report = [("src/main.c", 100, 90), ("src/os/tree.c", 50, 50), ("src/os/scan.c", 50, 25), ("src/os/none.c", 0, 0)]
    files = [{"filename": name, "line_total": total, "line_covered": covered} for name, total, covered in report]
    assert coverage.table_of(files)[1:] == [
        ["`src`", "100", "90.0", "90.0", "`main.c`"],
        ["`src/os`", "100", "75.0", "50.0", "`scan.c`"],
        ["all", "200", "82.5", "", ""],
    ]


def test_what_faults_printed() -> None:
    faults = program("bench/faults")
    printed = (
        "showstopper, contain none: 48 trials, 40 of them hit a tool that ran, 60 signals sent\n"
        "trials that left a process alive: 1 of 44; stopped: 2\n"
        "… where guardian, master and the workload's executor were killed: alive 3 of 4, stopped 0\n"
    )
    assert faults.rows_of("Showstopper", printed) == [
        ["Showstopper", "44", "1", "2"],
        ["Showstopper: guardian, master and the workload's executor together", "4", "3", "0"],
    ]
    with pytest.raises(Trouble):
        faults.rows_of("Showstopper", "nothing of the kind\n")


def test_trials_that_failed_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tests").mkdir()
    stub = tmp_path / "tests/faults"
    stub.write_text(
        "#!/bin/sh\necho 'FAIL: trial 7'; echo 'trials that left a process alive: 1 of 2; stopped: 0'; exit 1\n"
    )
    stub.chmod(0o755)
    for words, status, said in (["--tool", "cpulimit"], 0, ""), (["--program", "showstopper"], 1, "FAIL: trial 7"):
        run = program("bench/faults").Faults([])
        run.build = tmp_path
        assert run.try_out("it", *words) == [["it", "2", "1", "0"]]
        assert run.status == status
        assert capsys.readouterr().err.partition("\n")[0] == said


# ---- Helpers ----------------------------------------------------------------------------------------------------------------------


def test_a_helper_is_well_before_it_is_used_and_ends_cleanly(tmp_path: Path) -> None:
    with Helper("sh", "-c", f"sleep 0.3; : >{tmp_path}/up; trap ': >{tmp_path}/down; exit' TERM; while :; do sleep 0.05; done",
                healthy=(tmp_path / "up").exists) as helper:  # fmt: skip
        assert (tmp_path / "up").exists() and helper.is_well() and helper.process
        number_of = helper.process.pid
    assert (tmp_path / "down").exists() and is_over(number_of)


def test_a_helper_that_never_is_well() -> None:
    with pytest.raises(Trouble, match="^the server ended before it was ready$"):
        Helper("false", name="the server", healthy=lambda: False, patience=5).start()
    helper = Helper("sleep", "60", name="the server", healthy=lambda: False, patience=0.3)
    with pytest.raises(Trouble, match="^the server was not ready within 0.3 s$"):
        helper.start()
    assert helper.process is None


# Also at once, before it has begun.
@pytest.mark.parametrize("_again", range(8))
def test_a_helper_is_gone_with_who_started_it(_again: int) -> None:
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'tools')!r}); from measure.helpers import Helper; import time\n"
        "one = Helper('sleep', '60', session=True).start(); print(one.process.pid, flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen([sys.executable, "-B", "-c", script], stdout=subprocess.PIPE, text=True)
    assert parent.stdout
    child = int(parent.stdout.readline())
    # From its command's first moment on.
    assert wait_until(lambda: Path(f"/proc/{child}/cmdline").read_bytes().startswith(b"sleep"), 20)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    assert wait_until(lambda: is_over(child), 5)


def test_the_example_builds_what_the_readme_runs() -> None:
    lines = (ROOT / "README.md").read_text().splitlines()
    end = next(place for place, line in enumerate(lines) if line.endswith("-o latency.svg"))
    begin = max(place for place, line in enumerate(lines[:end]) if line.startswith("```"))
    words = " ".join(lines[begin + 1 : end + 1]).split()
    run = {word for word in words if word == "showstopper" or word.startswith("ss")}
    assert "ssrequest" in run
    assert run <= set(program("bench/example").Example.programs.split())
