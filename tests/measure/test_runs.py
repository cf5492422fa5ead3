# SPDX-License-Identifier: MIT
"""Records of runs, lists, orders, one run's clocks and warm-up."""

import dataclasses
import json
from pathlib import Path

import pytest
from measure import making, rates, report, runs
from measure.cluster import was_suspended
from measure.runs import Group, Record, Run
from measure.text import Trouble


def run(workload: str = "w", repetition: int = 1, **more: object) -> Run:
    of = Run((workload, "50", "CDC"), (Group(workload, "2"),), 9, ("-T", "50%"), "CDC", repetition, "50", warm_up=1.5)
    return dataclasses.replace(of, **more)


def keep(folder: Path, of: Run, status: str = "complete") -> None:
    folder.mkdir(parents=True)
    Record(of.fields(), "cmd", "abc", "m", 1.0, 2.0, status, 0, [0.0]).write(folder)


def test_a_run_is_complete_when_its_record_says_so(tmp_path: Path) -> None:
    of = run()
    folder = of.folder(tmp_path)
    assert folder == tmp_path / "runs/w_50_CDC_1"
    assert not runs.is_complete(of, folder)
    keep(folder, of)
    assert runs.is_complete(of, folder)
    # Another one in a folder of this name.
    keep(run("x").folder(tmp_path), of)
    assert not runs.is_complete(run("x"), run("x").folder(tmp_path))
    keep(run("y").folder(tmp_path), run("y"), "failed")
    assert not runs.is_complete(run("y"), run("y").folder(tmp_path))
    # One that was made before there were records; and a record that was cut off.
    run("z").folder(tmp_path).mkdir()
    assert runs.is_complete(run("z"), run("z").folder(tmp_path))
    (run("z").folder(tmp_path) / "run.json").write_text('{"fields"')
    assert not runs.is_complete(run("z"), run("z").folder(tmp_path))


def test_an_attempt_has_the_name_of_its_run_when_it_is_complete(tmp_path: Path) -> None:
    kept = run().folder(tmp_path)
    first = making.Attempt(run(), kept)
    (first.part / "log.csv").write_text("of one that is cut off\n")
    second = making.Attempt(run(), kept)
    assert not (second.part / "log.csv").exists()
    (second.part / "command").write_text("showstopper -T 50%\n")
    second.end(1, 2.0, "abc", "m")
    assert not kept.exists() and json.loads((second.failed / "run.json").read_text())["status"] == "failed"
    third = making.Attempt(run(), kept)
    (third.part / "command").write_text("showstopper -T 50%\n")
    third.end(0, 2.0, "abc", "m")
    assert runs.is_complete(run(), kept) and [path.name for path in kept.parent.iterdir()] == [kept.name]
    assert json.loads((kept / "run.json").read_text())["command"] == "showstopper -T 50%"


def test_a_record_has_its_parameters_as_fields(tmp_path: Path) -> None:
    keep(tmp_path / "r", run(seed=7))
    found = json.loads((tmp_path / "r/run.json").read_text())
    assert found["fields"] == {
        "workload": "w", "setting": "CDC", "target": "50", "repetition": 1, "scheme": "", "environment": "native", "seed": 7,
    }  # fmt: skip
    assert {"command", "revision", "machine", "start", "end", "status"} < set(found)


def test_orders() -> None:
    given = [run(name, repetition) for name in "abc" for repetition in (1, 2)]
    assert runs.in_random_order(given, 7) == runs.in_random_order(given, 7)
    assert runs.in_random_order(given, 7) != runs.in_random_order(given, 8)
    assert sorted(one.label for one in runs.in_random_order(given, 7)) == sorted(one.label for one in given)
    assert all(one.seed == 7 for one in runs.in_random_order(given, 7))
    assert [one.label for one in runs.interleaved(given)] == [
        f"{name}_50_CDC_{repetition}" for repetition in (1, 2) for name in "abc"
    ]


def test_lists_are_known_by_their_runs(tmp_path: Path) -> None:
    of = [run("a"), run("b")]
    runs.write_list(tmp_path / "runs.tsv", of)
    assert runs.is_same_list(tmp_path / "runs.tsv", of)
    assert not runs.is_same_list(tmp_path / "runs.tsv", of[::-1])
    assert runs.of_list(tmp_path / "runs.tsv", [run("b"), run("c"), run("a")]) == of
    with pytest.raises(Trouble, match="was begun with other options"):
        runs.of_list(tmp_path / "runs.tsv", [run("c")])


def test_several_groups_have_options_of_their_own() -> None:
    of = run(groups=(Group("w", "P", ("--free",), "foreground"), Group("v", "2", ("--cpus", "1"), "background")))
    assert of.line()[1:3] == ["w/v", "P/2"]
    assert of.words() == ["-T", "50%", ":", "--free", ":", "--cpus", "1"]


# ---- Of one run -------------------------------------------------------------------------------------------------------------------


def records(file: Path, *times: tuple[float, float]) -> Path:
    file.write_text(
        "instance,iteration,start_s,end_s\n" + "".join(f"0,{n},{a},{b}\n" for n, (a, b) in enumerate(times))
    )
    return file


def test_warm_or_not(tmp_path: Path) -> None:
    # 8 s of warm-up: one iteration a second, then, in its last quarter, one in half a second; control begins at 108 s.
    log = tmp_path / "log.csv"
    log.write_text("time_s,monotonic_s,target,load\n-7.5,100.5,,1\n-7,101,,1\n")
    steps = [(100.0 + t, 101.0 + t) for t in range(6)] + [(106 + t / 2, 106.5 + t / 2) for t in range(20)]
    found = records(tmp_path / "i.csv", *steps)
    assert making.warmth(log, [found], 8) == (1, 2)
    assert making.warmth(log, [found], 4) == (2, 2)
    # An iteration that began before counts with the part of it that is within.
    rates = making.warmth(log, [records(tmp_path / "i.csv", (102, 105), (105, 106.5), (106.5, 108))], 8)
    assert rates == pytest.approx((0.5, 2 / 3))
    # One that control slowed counts as if it had gone on as before: half of an iteration of 2 s in the last quarter, not a tenth of one.
    rates = making.warmth(log, [records(tmp_path / "i.csv", (102, 104), (104, 106), (105, 107), (107, 117))], 8)
    assert rates == pytest.approx((0.75, 0.5))
    assert making.warmth(log, [records(tmp_path / "i.csv", (102, 104))], 8) is None


def test_what_failed_is_no_iteration(tmp_path: Path) -> None:
    log, found = tmp_path / "log.csv", tmp_path / "i.csv"
    log.write_text("time_s,monotonic_s,target,load\n-7.5,100.5,,1\n")
    found.write_text("start_s,end_s,status\n104,105,0\n105,106,1\n106,107,0\n107,107.5,143\n107.5,108,0\n")
    assert making.warmth(log, [found], 8) == (0.5, 1)
    command = "printf 'end_s,status\\n1,0\\n2,0\\n2.1,1\\n3,0\\n' >/{scratch}/records.csv"
    of = rates.Measurement("w", 1, ["sh", "-c", command], "")
    assert rates.rate_of(rates.Plan(10, 1, 2, [of]), of, tmp_path) == "1"


def test_times_of_guests_are_by_the_clock_of_the_host(tmp_path: Path) -> None:
    # 2 s ahead of the host in the mean, and of their own time 0 at 1000: what began at 50 by the guest did so at 1048 by the host.
    (tmp_path / "guest").mkdir()
    (tmp_path / "container").mkdir()
    (tmp_path / "guest/clock.csv").write_text(
        "when,ahead_s,within_s,zero_unix_s\nbefore,1.5,0.01,1000\nafter,2.5,0.01,1000\n"
    )
    (tmp_path / "log").write_text("time_s,monotonic_s,time_unix_s,target\n0.5,50,1050,\n1,50.5,1050.5,0.5\n")
    making.by_clock_of_host(tmp_path / "guest", tmp_path / "log", tmp_path / "to")
    assert (
        tmp_path / "to"
    ).read_text() == "time_s,monotonic_s,time_unix_s,target\n0.5,1048.000000,1048.000000,\n1,1048.500000,1048.500000,0.5\n"
    making.by_clock_of_host(tmp_path / "container", tmp_path / "log", tmp_path / "to")
    assert (tmp_path / "to").read_text() == (tmp_path / "log").read_text()


def test_a_log_with_a_hole_is_not_whole(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("time_s,monotonic_s,target,load\n0.5,1,0.5,0.5\n1,1.5,0.5,0.5\n")
    assert list(making.faults(run(), tmp_path, [])) == []
    log.write_text("time_s,monotonic_s,target,load\n0.5,1,0.5,0.5\n2,2.5,,\n")
    assert list(making.faults(run(), tmp_path, [])) == ["the log is not whole: 1 of its rows have no load"]


def test_a_pause_is_found_by_the_clocks(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("time_s,monotonic_s\n0.5,1\n1,1.5\n1.5,2\n")
    assert not was_suspended(log)
    log.write_text("time_s,monotonic_s\n0.5,1\n1,1.5\n1.5,4\n")
    assert was_suspended(log)


def test_a_table_in_a_page() -> None:
    made = report.html_table([["target", "CDC"], ["50 %", "+1.00 <"], ["25 %", ""]])
    assert made == "<table>\n<tr><th>target<th>CDC\n<tr><td>50 %<td>+1.00 &lt;\n<tr><td>25 %<td>\n</table>\n"
